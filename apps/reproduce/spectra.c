/* Quantities of spectra: radius, moduli, kinds of roots, damping, stability limits, natural frequencies. */
#include "spectra.h"
#include "quantity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Nullity of A - I by its singular values. */
static enum yk_status count_unit_vectors(size_t n, const double *A, size_t *count, struct yk_err *err)
{
    double *work = malloc((3 * n * n + n) * sizeof *work), *s = work ? work + 3 * n * n : NULL;
    enum yk_status st;

    if (!work)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    memcpy(work, A, n * n * sizeof *work);
    for (size_t i = 0; i < n; i++)
        work[i * n + i] -= 1;
    *count = 0;
    if (!(st = yk_svd(n, work, work + n * n, s, work + 2 * n * n, err)))
        for (size_t i = 0; i < n; i++)
            *count += s[i] < 1e-9 * s[0];
    free(work);
    return st;
}

enum yk_status yk_roots_find(const struct yk_parts *parts, double dt, struct yk_roots *roots, struct yk_err *err)
{
    struct yk_cycle cycle;
    enum yk_status st;

    dt = dt > 0 ? dt : yk_parts_step(parts);
    *roots = (struct yk_roots){0};
    if ((st = yk_parts_cycle(parts, dt, &cycle, err)))
        return st;
    roots->n = cycle.n;
    roots->re = malloc(2 * cycle.n * sizeof *roots->re);
    roots->im = roots->re ? roots->re + cycle.n : NULL;
    st = roots->re ? count_unit_vectors(cycle.n, cycle.A, &roots->unit_vectors, err)
                   : yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!st)
        st = yk_eigen_general(cycle.n, cycle.A, roots->re, roots->im, err); /* destroys A */
    if (!st)
        st = yk_parts_roots(parts, dt * cycle.steps, cycle.n, roots->re, roots->im, &roots->report, err);
    free(cycle.A);
    if (st) {
        free(roots->re);
        roots->re = NULL;
    }
    return st;
}

enum yk_status yk_radius_find(const struct yk_parts *parts, double dt, double *radius, struct yk_err *err)
{
    struct yk_cycle cycle;
    enum yk_status st = yk_parts_cycle(parts, dt > 0 ? dt : yk_parts_step(parts), &cycle, err);

    if (st)
        return st;
    st = yk_cycle_radius(&cycle, radius, err);
    free(cycle.A);
    return st;
}

/* ---- radius ---- */

/* The largest radius between two steps that enclose a peak, by golden section: *value grows to it. The bracket shrinks
 * to 1e-6 of the step, and the radius at a smooth peak then to rounding. */
static enum yk_status climb(const struct yk_parts *parts, double low, double high, double *value, struct yk_err *err)
{
    const double golden = 0.5 * (sqrt(5) - 1);
    double x[2] = {high - golden * (high - low), low + golden * (high - low)}, r[2];
    enum yk_status st;

    for (int k = 0; k < 2; k++)
        if ((st = yk_radius_find(parts, x[k], &r[k], err)))
            return st;
    while (high - low > 1e-6 * high) {
        const int best = r[1] > r[0], lost = !best;

        if (best)
            low = x[0];
        else
            high = x[1];
        x[lost] = x[best];
        r[lost] = r[best];
        x[best] = best ? low + golden * (high - low) : high - golden * (high - low);
        if ((st = yk_radius_find(parts, x[best], &r[best], err)))
            return st;
    }
    *value = fmax(*value, fmax(r[0], r[1]));
    return YK_OK;
}

/* Is step i above both of its neighbours, and not by rounding? Smooth peaks that are lower gain nothing that matters;
 * defective roots of modulus 1 make such peaks by rounding. The largest one of all is always refined. */
static bool is_peak(const double *r, size_t i, double largest)
{
    const double enough = 1e-4;
    const double by = r[i] - fmax(r[i - 1], r[i + 1]);

    return by > enough || (by > 0 && r[i] == largest && fabs(largest - 1) > enough);
}

/* The largest radius over the steps, with the peaks between them. */
static enum yk_status largest_radius(const struct yk_parts *parts, const double *steps, size_t count, double *value,
                                     struct yk_err *err)
{
    double *r = malloc((count + 1) * sizeof *r), largest = 0;
    enum yk_status st = YK_OK;

    if (!r)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < count && !st; i++)
        if (!(st = yk_radius_find(parts, steps[i], &r[i], err)))
            largest = fmax(largest, r[i]);
    *value = largest;
    for (size_t i = 1; i + 1 < count && !st; i++)
        if (is_peak(r, i, largest))
            st = climb(parts, steps[i - 1], steps[i + 1], value, err);
    free(r);
    return st;
}

static enum yk_status radius(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                             const struct yk_node *map, double *value, struct yk_err *err)
{
    struct yk_parts *parts;
    double *steps = NULL;
    size_t count;
    enum yk_status st;

    if ((st = yk_lab_parts(lab, variant, &parts, err)))
        return st;
    if (!ask->steps)
        st = yk_radius_find(parts, ask->step, value, err);
    else if (!(st = yk_ask_numbers(ask->steps, &steps, &count, err)))
        st = largest_radius(parts, steps, count, value, err);
    free(steps);
    yk_parts_close(parts);
    return st;
}

static const struct yk_param radius_params[] = {ASK_STEP, ASK_STEPS, YK_PARAM_END};
const struct yk_quantity_ops yk_obtain_radius = {
    .name = "radius",
    .summary = "spectral radius of a cycle at a step, or the largest over `steps`, with its peaks refined",
    .params = radius_params,
    .value = radius,
};

/* ---- what one look at the eigenvalues gives ---- */

static enum yk_status look(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                           struct yk_roots *roots, struct yk_err *err)
{
    struct yk_parts *parts;
    enum yk_status st = yk_lab_parts(lab, variant, &parts, err);

    if (st)
        return st;
    st = yk_roots_find(parts, ask->step, roots, err);
    yk_parts_close(parts);
    return st;
}

static enum yk_status modulus(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                              const struct yk_node *map, double *value, struct yk_err *err)
{
    struct yk_roots roots;
    enum yk_status st = look(lab, variant, ask, &roots, err);

    if (st)
        return st;
    if ((size_t)ask->rank > roots.n)
        st = yk_fail_at(err, YK_E_RANGE, map->where, "rank = %d, but there are %zu eigenvalues", ask->rank, roots.n);
    else
        *value = hypot(roots.re[ask->rank - 1], roots.im[ask->rank - 1]);
    free(roots.re);
    return st;
}

static const struct yk_param modulus_params[] = {ASK_STEP, ASK_RANK("of the eigenvalue, by falling modulus"),
                                                 YK_PARAM_END};
const struct yk_quantity_ops yk_obtain_modulus = {
    .name = "modulus",
    .summary = "modulus of one eigenvalue of a cycle",
    .params = modulus_params,
    .value = modulus,
};

static enum yk_status count_roots(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                                  const struct yk_node *map, double *value, struct yk_err *err)
{
    struct yk_roots roots;
    enum yk_status st = look(lab, variant, ask, &roots, err);

    if (st)
        return st;
    double turning = 0;
    for (size_t i = 0; i < roots.n; i++)
        turning += roots.im[i] != 0 && hypot(roots.re[i], roots.im[i]) > 1e-4; /* pairs that rounding makes of zeros */
    const double counts[] = {(double)roots.n,           roots.report.principal, roots.report.unit,
                             roots.report.zero,         roots.report.spurious,  turning,
                             (double)roots.unit_vectors};
    *value = counts[ask->of];
    free(roots.re);
    return YK_OK;
}

static const struct yk_param roots_params[] = {
    ASK_STEP,
    ASK_OF("all|principal|unit|zero|spurious|complex|unit-vectors",
           "which ones to count; unit-vectors: independent eigenvectors of the eigenvalue 1"),
    YK_PARAM_END};
const struct yk_quantity_ops yk_obtain_roots = {
    .name = "roots",
    .summary = "number of eigenvalues of a cycle",
    .params = roots_params,
    .value = count_roots,
};

/* Damping or frequency error of the first mode. */
static enum yk_status first_mode(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                                 bool frequency, double *value, struct yk_err *err)
{
    struct yk_roots roots;
    enum yk_status st = look(lab, variant, ask, &roots, err);

    if (st)
        return st;
    *value = frequency ? roots.report.frequency_error : roots.report.damping;
    free(roots.re);
    return YK_OK;
}

static enum yk_status damping(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                              const struct yk_node *map, double *value, struct yk_err *err)
{
    return first_mode(lab, variant, ask, false, value, err);
}

static const struct yk_param step_params[] = {ASK_STEP, YK_PARAM_END};
const struct yk_quantity_ops yk_obtain_damping = {
    .name = "damping",
    .summary = "numerical damping ratio of the first mode",
    .params = step_params,
    .value = damping,
};

static enum yk_status frequency_error(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                                      const struct yk_node *map, double *value, struct yk_err *err)
{
    return first_mode(lab, variant, ask, true, value, err);
}

const struct yk_quantity_ops yk_obtain_frequency_error = {
    .name = "frequency-error",
    .summary = "relative error of the frequency of the first mode",
    .params = step_params,
    .value = frequency_error,
};

/* ---- limits ---- */

/* Between a stable and an unstable step. */
static enum yk_status close_in(const struct yk_parts *parts, double stable, double unstable, double threshold,
                               double *limit, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    while (unstable - stable > 1e-6 * unstable && !st) {
        const double middle = 0.5 * (stable + unstable);
        double r;

        if ((st = yk_radius_find(parts, middle, &r, err)))
            break;
        if (r > 1 + threshold)
            unstable = middle;
        else
            stable = middle;
    }
    *limit = 0.5 * (stable + unstable);
    return st;
}

static enum yk_status limit(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                            const struct yk_node *map, double *value, struct yk_err *err)
{
    struct yk_parts *parts;
    double *steps, r, last = 0;
    size_t count;
    enum yk_status st;

    if ((st = yk_ask_numbers(ask->steps, &steps, &count, err)))
        return st;
    if ((st = yk_lab_parts(lab, variant, &parts, err))) {
        free(steps);
        return st;
    }
    *value = INFINITY;
    for (size_t i = 0; i < count && !st && isinf(*value); last = steps[i++])
        if (!(st = yk_radius_find(parts, steps[i], &r, err)) && r > 1 + ask->threshold)
            st = close_in(parts, last, steps[i], ask->threshold, value, err);
    free(steps);
    yk_parts_close(parts);
    return st;
}

static const struct yk_param limit_params[] = {
    YK_TEXT(struct yk_ask, steps, YK_REQUIRED, "steps to try, in this order: from:to:count or from:to:countlog"),
    YK_REAL(struct yk_ask, threshold, YK_NUMBER, 1e-7, 1e-15, 1, "amount by which the radius may exceed 1"),
    YK_PARAM_END,
};
const struct yk_quantity_ops yk_obtain_limit = {
    .name = "limit",
    .summary = "smallest step [s] at which the radius exceeds 1, by bisection; infinite if none of `steps` does",
    .params = limit_params,
    .value = limit,
};

/* ---- natural frequencies ---- */

/* Natural frequencies of a substructure that is detached from the others, rising. */
static enum yk_status detached(const struct yk_parts *parts, const char *name, double **omega, size_t *count,
                               struct yk_err *err)
{
    const long k = yk_parts_find(parts, name);
    enum yk_status st;

    if (k < 0)
        return yk_fail(err, YK_E_INPUT, "%s has no substructure '%s'", yk_parts_path(parts), name);
    const struct yk_substructure *s = yk_part(parts, (size_t)k);
    *count = s->system->n;
    if (!(*omega = malloc(*count * sizeof **omega)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = yk_eigen_symmetric(&s->system->K, &s->system->M, *count, *omega, NULL, err)))
        return st;
    for (size_t i = 0; i < *count; i++)
        (*omega)[i] = sqrt(fmax((*omega)[i], 0));
    return YK_OK;
}

static enum yk_status frequency(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                                const struct yk_node *map, double *value, struct yk_err *err)
{
    struct yk_parts *parts;
    double *omega = NULL;
    size_t count;
    enum yk_status st = yk_lab_parts(lab, variant, &parts, err);

    if (st)
        return st;
    st = ask->substructure ? detached(parts, ask->substructure, &omega, &count, err)
                           : yk_parts_frequencies(parts, &omega, &count, err);
    if (!st) {
        if ((size_t)ask->rank > count)
            st = yk_fail_at(err, YK_E_RANGE, map->where, "rank = %d, but there are %zu modes", ask->rank, count);
        else
            *value = omega[ask->rank - 1] / (2 * M_PI);
    }
    free(omega);
    yk_parts_close(parts);
    return st;
}

static const struct yk_param frequency_params[] = {
    ASK_RANK("of the mode, from the lowest"),
    YK_TEXT(struct yk_ask, substructure, 0, "a substructure, detached from the others; default: the untorn structure"),
    YK_PARAM_END,
};
const struct yk_quantity_ops yk_obtain_frequency = {
    .name = "frequency",
    .summary = "natural frequency of the untorn structure, or of a substructure [Hz]",
    .params = frequency_params,
    .value = frequency,
};

/* ---- the model ---- */

enum { SIZE, MASS, DAMPING, STIFFNESS };

/* Entry of the untorn structure, or of a substructure, on the diagonal of a matrix. */
static enum yk_status model(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                            const struct yk_node *map, double *value, struct yk_err *err)
{
    struct yk_parts *parts;
    enum yk_status st = yk_lab_parts(lab, variant, &parts, err);

    if (st)
        return st;
    const long k = ask->substructure ? yk_parts_find(parts, ask->substructure) : -1;
    const struct yk_system *s = k < 0 ? yk_parts_structure(parts) : yk_part(parts, (size_t)k)->system;
    const size_t i = (size_t)ask->rank - 1;
    if (!s || i >= s->n)
        st = yk_fail_at(err, YK_E_RANGE, map->where, "rank = %d, but there are %zu degrees of freedom", ask->rank,
                        s ? s->n : 0);
    else
        *value = ask->of == SIZE      ? (double)s->n
                 : ask->of == MASS    ? yk_matrix_get(&s->M, i, i)
                 : ask->of == DAMPING ? yk_matrix_get(&s->C, i, i)
                                      : yk_matrix_get(&s->K, i, i);
    yk_parts_close(parts);
    return st;
}

static const struct yk_param model_params[] = {
    ASK_OF("size|mass|damping|stiffness", "number of degrees of freedom, or the entry of one in a matrix"),
    ASK_RANK("of the degree of freedom, in the order of the model"),
    YK_TEXT(struct yk_ask, substructure, 0, "a substructure; default: the untorn structure"),
    YK_PARAM_END,
};
const struct yk_quantity_ops yk_obtain_model = {
    .name = "model",
    .summary = "size of a model, or an entry on the diagonal of its matrices [SI]",
    .params = model_params,
    .value = model,
};
