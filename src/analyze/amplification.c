/* Amplification matrix, spectrum and stability limit of an integrator, by driving its real step with unit states. */
#include "analyze/analyze.h"
#include <yoke/substructure.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RADIUS_MARGIN  1e-7 /* a double root on the unit circle is known to the square root of the rounding unit */
#define FIRST_OMEGA_DT 1e-3
#define LAST_OMEGA_DT  1e3
#define GRID_RATIO     1.003 /* of neighbouring omega dt in the scan */
#define CROSSING       1e-6  /* relative width at which the bisection ends */

static struct yk_span state_of(const struct yk_domain *domain)
{
    return domain->integrator.ops->state(domain->integrator.self);
}

size_t yk_amplification_size(const struct yk_domain *domain)
{
    return state_of(domain).n;
}

/* Column j of A: the state one step after unit state j. */
static enum yk_status drive(struct yk_domain *domain, size_t j, double *column)
{
    const struct yk_span state = state_of(domain);
    enum yk_status st;

    memset(state.x, 0, state.n * sizeof *state.x);
    state.x[j] = 1;
    if (!(st = yk_domain_resume(domain, 0)))
        st = yk_domain_step(domain);
    memcpy(column, state.x, state.n * sizeof *column);
    return st;
}

enum yk_status yk_amplification_matrix(struct yk_domain *domain, double *A, struct yk_err *err)
{
    const char *name = domain->integrator.ops->name;
    const struct yk_span state = state_of(domain);
    const size_t n = domain->integrator.system->n;
    const struct yk_loading loading = domain->loading;
    const long step = domain->step;
    double *kept;
    enum yk_status st = YK_OK;

    if (!domain->integrator.system->linear)
        return yk_fail(err, YK_E_UNSUPPORTED, "%s: the amplification matrix needs a linear model", name);
    if (!(kept = malloc((state.n + n) * sizeof *kept)))
        return yk_fail(err, YK_E_MEMORY, "%s: out of memory for the amplification matrix", name);
    memcpy(kept, state.x, state.n * sizeof *kept);
    memcpy(kept + state.n, domain->f, n * sizeof *kept);
    domain->loading = (struct yk_loading){0};
    memset(domain->f, 0, n * sizeof *domain->f);
    for (size_t j = 0; j < state.n && !st; j++)
        if ((st = drive(domain, j, A + j * state.n)))
            yk_fail(err, st, "%s: a step from unit state %zu of %zu failed", name, j + 1, state.n);
    memcpy(state.x, kept, state.n * sizeof *kept);
    yk_domain_resume(domain, step);
    memcpy(domain->f, kept + state.n, n * sizeof *kept);
    domain->loading = loading;
    domain->step = step;
    free(kept);
    return st;
}

enum yk_status yk_spectrum(struct yk_domain *domain, double *re, double *im, struct yk_err *err)
{
    const size_t n = yk_amplification_size(domain);
    double *A = malloc(n * n * sizeof *A);
    enum yk_status st;

    if (!A)
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu eigenvalues", n);
    if (!(st = yk_amplification_matrix(domain, A, err)))
        st = yk_eigen_general(n, A, re, im, err);
    free(A);
    return st;
}

enum yk_status yk_one_mass(struct yk_system **system, double m, double c, double k, double start, struct yk_err *err)
{
    struct yk_structure_parts parts = {
        .unchecked = true, .u0 = calloc(1, sizeof(double)), .v0 = calloc(1, sizeof(double))};
    enum yk_status st = parts.u0 && parts.v0 ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    *system = NULL;
    if (st || (st = yk_matrix_init(&parts.M, YK_DIAGONAL, 1, 1, err)) ||
        (st = yk_matrix_init(&parts.C, YK_DIAGONAL, 1, 1, err)) ||
        (st = yk_matrix_init(&parts.K, YK_DIAGONAL, 1, 1, err))) {
        yk_structure_parts_free(&parts);
        return st;
    }
    parts.M.x[0] = m;
    parts.C.x[0] = c;
    parts.K.x[0] = k;
    parts.u0[0] = parts.v0[0] = start;
    return yk_structure_create(system, &parts, NULL, err);
}

static enum yk_status spectral_radius(const struct yk_integrator_ops *ops, const void *settings,
                                      struct yk_system *system, double dt, double *radius, struct yk_err *err)
{
    struct yk_domain domain;
    double *roots;
    enum yk_status st = yk_domain_create(&domain, ops, settings, system, (struct yk_loading){0}, dt, NULL, err);
    size_t n;

    if (st)
        return st;
    n = yk_amplification_size(&domain);
    if (!(roots = malloc(2 * n * sizeof *roots)))
        st = yk_fail(err, YK_E_MEMORY, "%s: out of memory for the eigenvalues", ops->name);
    else if (!(st = yk_spectrum(&domain, roots, roots + n, err)))
        *radius = hypot(roots[0], roots[n]);
    free(roots);
    yk_domain_destroy(&domain);
    return st;
}

/* Halves the bracket stable .. unstable of omega dt. */
static enum yk_status bisect(const struct yk_integrator_ops *ops, const void *settings, struct yk_system *system,
                             double omega, double *stable, double unstable, struct yk_err *err)
{
    double radius;
    enum yk_status st;

    while (unstable - *stable > CROSSING * unstable) {
        const double middle = 0.5 * (*stable + unstable);

        if ((st = spectral_radius(ops, settings, system, middle / omega, &radius, err)))
            return st;
        if (radius <= 1 + RADIUS_MARGIN)
            *stable = middle;
        else
            unstable = middle;
    }
    return YK_OK;
}

enum yk_status yk_stability_limit(const struct yk_integrator_ops *ops, const void *settings, double omega, double xi,
                                  double *dt_limit, struct yk_err *err)
{
    struct yk_system *system;
    double stable = 0, next = FIRST_OMEGA_DT, radius = 0;
    enum yk_status st;

    if (!(omega > 0 && isfinite(omega) && xi >= 0 && isfinite(xi)))
        return yk_fail(err, YK_E_RANGE, "%s: omega = %g rad/s must be positive and xi = %g not negative", ops->name,
                       omega, xi);
    if ((st = yk_one_mass(&system, 1, 2 * xi * omega, omega * omega, 0, err)))
        return st;
    for (; next <= LAST_OMEGA_DT; stable = next, next *= GRID_RATIO)
        if ((st = spectral_radius(ops, settings, system, next / omega, &radius, err)) || radius > 1 + RADIUS_MARGIN)
            break;
    if (!st && next > LAST_OMEGA_DT)
        *dt_limit = INFINITY;
    else if (!st && stable > 0)
        st = bisect(ops, settings, system, omega, &stable, next, err);
    if (!st && next <= LAST_OMEGA_DT)
        *dt_limit = stable / omega;
    yk_system_destroy(system);
    return st;
}
