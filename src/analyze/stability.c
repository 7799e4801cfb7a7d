/* Stability of an experiment's step, by the real step of its method. */
#include <yoke/analyze.h>
#include <yoke/substructure.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Up to this size the whole structure is driven; beyond it every mode by itself. */
enum { WHOLE = 24, MOST_MODES = 400 };
/* A radius above this is called unstable: repeated unit roots (rigid bodies) are known to about 1e-7 only. */
#define UNSTABLE (1 + 1e-6)

enum yk_status yk_linearise(const struct yk_system *system, struct yk_system **linear, struct yk_err *err)
{
    struct yk_structure_parts parts = {.unchecked = true};
    enum yk_status st;

    *linear = NULL;
    if ((st = yk_matrix_copy(&parts.M, &system->M, err)) || (st = yk_matrix_copy(&parts.C, &system->C, err)) ||
        (st = yk_matrix_copy(&parts.K, &system->K, err))) {
        yk_structure_parts_free(&parts);
        return st;
    }
    return yk_structure_create(linear, &parts, err);
}

static enum yk_status radius_of(const struct yk_experiment *e, struct yk_system *system, double dt, double *radius,
                                struct yk_err *err)
{
    struct yk_domain domain;
    enum yk_status st = yk_domain_create(&domain, e->integrator, e->settings, system, (struct yk_loading){0}, dt, err);
    double *roots;

    if (st)
        return st;
    const size_t n = yk_amplification_size(&domain);
    if (!(roots = malloc(2 * n * sizeof *roots)))
        st = yk_fail(err, YK_E_MEMORY, "out of memory for %zu eigenvalues", n);
    else if (!(st = yk_spectrum(&domain, roots, roots + n, err)))
        *radius = hypot(roots[0], roots[n]);
    free(roots);
    yk_domain_destroy(&domain);
    return st;
}

/* The limit below an unstable step: halve until stable, then close in. */
static enum yk_status find_limit(const struct yk_experiment *e, struct yk_system *system, double unstable,
                                 double *limit, struct yk_err *err)
{
    double stable = unstable, radius = 2;
    enum yk_status st = YK_OK;

    for (int i = 0; i < 40 && radius > UNSTABLE && !st; i++) {
        unstable = stable;
        stable /= 2;
        st = radius_of(e, system, stable, &radius, err);
    }
    *limit = 0;
    if (st || radius > UNSTABLE)
        return st;
    while (unstable - stable > 1e-6 * unstable && !st) {
        const double middle = 0.5 * (stable + unstable);

        if (!(st = radius_of(e, system, middle, &radius, err)) && radius <= UNSTABLE)
            stable = middle;
        else
            unstable = middle;
    }
    *limit = stable;
    return st;
}

static enum yk_status check_system(const struct yk_experiment *e, struct yk_system *system, struct yk_stability *out,
                                   struct yk_err *err)
{
    double radius, limit;
    enum yk_status st = radius_of(e, system, e->time.step, &radius, err);

    if (st)
        return st;
    out->radius = fmax(out->radius, radius);
    if (radius <= UNSTABLE)
        return YK_OK;
    if (!(st = find_limit(e, system, e->time.step, &limit, err)))
        out->limit_s = fmin(out->limit_s, limit);
    out->stable = false;
    return st;
}

/* One degree of freedom with unit mass that stands for a mode. */
static enum yk_status mode_system(double w2, double c, struct yk_system **system, struct yk_err *err)
{
    struct yk_structure_parts parts = {.unchecked = true};
    enum yk_status st;

    if ((st = yk_matrix_init(&parts.M, YK_DIAGONAL, 1, 1, err)) ||
        (st = yk_matrix_init(&parts.C, YK_DIAGONAL, 1, 1, err)) ||
        (st = yk_matrix_init(&parts.K, YK_DIAGONAL, 1, 1, err))) {
        yk_structure_parts_free(&parts);
        return st;
    }
    parts.M.x[0] = 1;
    parts.C.x[0] = c;
    parts.K.x[0] = w2;
    return yk_structure_create(system, &parts, err);
}

/* Mode by mode with the modal part of the damping; the largest models by their highest mode alone. */
static enum yk_status check_modes(const struct yk_experiment *e, struct yk_stability *out, struct yk_err *err)
{
    const struct yk_system *s = e->assembly.system;
    const size_t n = s->n;
    double *w2 = NULL, *phi = NULL, *Cphi = NULL, highest = 0;
    struct yk_system *mode = NULL;
    enum yk_status st;

    if ((st = yk_eigen_largest(&s->K, &s->M, &highest, err)))
        return st;
    out->highest_Hz = sqrt(fmax(highest, 0)) / (2 * M_PI);
    if (n > MOST_MODES) {
        if (!(st = mode_system(highest, 0, &mode, err)))
            st = check_system(e, mode, out, err);
        yk_system_destroy(mode);
        return st;
    }
    w2 = malloc(n * sizeof *w2);
    phi = malloc(n * n * sizeof *phi);
    Cphi = malloc(n * sizeof *Cphi);
    if (!w2 || !phi || !Cphi)
        st = yk_fail(err, YK_E_MEMORY, "out of memory for %zu modes", n);
    else
        st = yk_eigen_symmetric(&s->K, &s->M, n, w2, phi, err);
    for (size_t m = 0; m < n && !st; m++) {
        memset(Cphi, 0, n * sizeof *Cphi);
        yk_matrix_add_product(&s->C, 1, phi + m * n, Cphi);
        if (!(st = mode_system(fmax(w2[m], 0), fmax(yk_dot(n, phi + m * n, Cphi), 0), &mode, err)))
            st = check_system(e, mode, out, err);
        yk_system_destroy(mode);
        mode = NULL;
    }
    free(w2);
    free(phi);
    free(Cphi);
    return st;
}

enum yk_status yk_check_stability(const struct yk_experiment *e, struct yk_stability *out, struct yk_err *err)
{
    struct yk_system *system = e->assembly.system, *linear = NULL;
    size_t i, j;
    enum yk_status st;

    *out = (struct yk_stability){.stable = true, .limit_s = INFINITY, .highest_Hz = NAN};
    if (system->n > WHOLE)
        return yk_matrix_asymmetry(&system->K, &i, &j) > 1e-6 ? YK_OK : check_modes(e, out, err);
    if (!(st = yk_linearise(system, &linear, err)))
        st = check_system(e, linear, out, err);
    yk_system_destroy(linear);
    if (!st && yk_matrix_asymmetry(&system->K, &i, &j) < 1e-6) {
        double w2 = 0;

        if (!(st = yk_eigen_largest(&system->K, &system->M, &w2, err)))
            out->highest_Hz = sqrt(fmax(w2, 0)) / (2 * M_PI);
    }
    return st;
}
