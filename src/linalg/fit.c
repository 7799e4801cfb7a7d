/* Nonlinear least squares: trust-region Gauss-Newton of Levenberg and Marquardt within bounds.
 * docs/theory/control.md, eq. (57)-(58); Marquardt 1963. A parameter at a bound that the sum would push beyond stays
 * there, and the others make the best of it. */
#include <yoke/fit.h>
#include <yoke/linalg.h>
#include <yoke/parallel.h>

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ATTEMPTS = 12 };
#define STEP   1e-4  /* of a difference, relative to the scale of the parameter */
#define ENOUGH 1e-12 /* relative gain of a step that ends the descent */

struct descent {
    const struct yk_fit *f;
    size_t p, n;
    double *x, *r, *trial, *J; /* parameters, residuals, those of a trial, n x p by columns */
    double A[YK_FIT_PARAMETERS * YK_FIT_PARAMETERS], g[YK_FIT_PARAMETERS];
    double cost, damping;
    atomic_bool failed;
};

/* A loss that grows like the amount beyond `scale`, as squares of other residuals: 2 s^2 (sqrt(1 + (r/s)^2) - 1). */
static void soften(const struct yk_fit *f, size_t n, double *r)
{
    for (size_t k = 0; k < n && f->soft > 0; k++)
        r[k] *= sqrt(2 / (1 + sqrt(1 + pow(r[k] / f->soft, 2))));
}

/* The sum of squares; infinite where the model has no value. */
static double evaluate(const struct yk_fit *f, const double *x, double *r)
{
    if (!f->residuals(f->self, x, r) || !yk_all_finite(f->count, r))
        return INFINITY;
    soften(f, f->count, r);
    return yk_dot(f->count, r, r);
}

static double least(const struct yk_fit *f, size_t i)
{
    return f->least ? f->least[i] : -INFINITY;
}

static double most(const struct yk_fit *f, size_t i)
{
    return f->most ? f->most[i] : INFINITY;
}

/* Column i of the derivatives: central differences, one-sided at a bound or where one side has no value. */
static void derive_one(void *self, size_t i)
{
    struct descent *d = self;
    const struct yk_fit *f = d->f;
    const double step = STEP * (f->scale ? f->scale[i] : 1);
    double *there = malloc((d->p + d->n) * sizeof *there), *column = d->J + i * d->n, *r;
    double ahead, back;

    if (!there) {
        atomic_store(&d->failed, true);
        return;
    }
    r = there + d->p;
    memcpy(there, d->x, d->p * sizeof *there);
    ahead = there[i] = fmin(d->x[i] + step, most(f, i));
    if (!isfinite(evaluate(f, there, column))) {
        memcpy(column, d->r, d->n * sizeof *column);
        ahead = d->x[i];
    }
    back = there[i] = fmax(d->x[i] - step, least(f, i));
    if (!isfinite(evaluate(f, there, r))) {
        memcpy(r, d->r, d->n * sizeof *r);
        back = d->x[i];
    }
    for (size_t k = 0; k < d->n; k++)
        column[k] = ahead > back ? (column[k] - r[k]) / (ahead - back) : 0;
    free(there);
}

static bool derive(struct descent *d)
{
    yk_parallel(d->p, d->f->threads, derive_one, d);
    for (size_t i = 0; i < d->p; i++) {
        d->g[i] = -yk_dot(d->n, d->J + i * d->n, d->r);
        for (size_t j = 0; j <= i; j++)
            d->A[i * d->p + j] = d->A[j * d->p + i] = yk_dot(d->n, d->J + i * d->n, d->J + j * d->n);
    }
    return !atomic_load(&d->failed);
}

/* s := (A + damping diag A)^-1 g, where parameters of `fixed` move by what s says; false: singular. */
static bool solve(const struct descent *d, double damping, const bool *fixed, double *s)
{
    const size_t p = d->p;
    double A[YK_FIT_PARAMETERS * YK_FIT_PARAMETERS];
    int pivot[YK_FIT_PARAMETERS] = {0};
    struct yk_lu lu = {p, A, pivot};

    for (size_t i = 0; i < p * p; i++)
        A[i] = d->A[i] * (i % (p + 1) == 0 ? 1 + damping : 1);
    for (size_t i = 0; i < p; i++) {
        if (fixed[i] || d->A[i * p + i] == 0) {
            for (size_t j = 0; j < p; j++)
                A[j * p + i] = j == i;
            s[i] = fixed[i] ? s[i] : 0;
        } else {
            s[i] = d->g[i];
        }
    }
    if (yk_lu_factor(&lu))
        return false;
    yk_lu_solve(&lu, s);
    return yk_all_finite(p, s);
}

/* A step within the bounds: parameters that would leave them stop there, and the others adapt. */
static bool find_step(const struct descent *d, double *s)
{
    bool fixed[YK_FIT_PARAMETERS] = {false};

    for (size_t round = 0; round <= d->p; round++) {
        bool again = false;

        if (!solve(d, d->damping, fixed, s))
            return false;
        for (size_t i = 0; i < d->p; i++) {
            const double to = d->x[i] + s[i];

            if (fixed[i] || (to >= least(d->f, i) && to <= most(d->f, i)))
                continue;
            fixed[i] = again = true;
            s[i] = (to < least(d->f, i) ? least(d->f, i) : most(d->f, i)) - d->x[i];
        }
        if (!again)
            return true;
    }
    return true;
}

/* One step; the gain relative to the cost, 0: no step helps. */
static double improve(struct descent *d)
{
    double s[YK_FIT_PARAMETERS] = {0}, x[YK_FIT_PARAMETERS];

    for (int attempt = 0; attempt < ATTEMPTS; attempt++, d->damping *= 10) {
        if (!find_step(d, s))
            continue;
        for (size_t i = 0; i < d->p; i++) {
            const double farthest = d->f->farthest > 0 ? d->f->farthest * (d->f->scale ? d->f->scale[i] : 1) : INFINITY;

            x[i] = fmin(fmax(d->x[i] + fmin(fmax(s[i], -farthest), farthest), least(d->f, i)), most(d->f, i));
        }
        const double cost = evaluate(d->f, x, d->trial);
        if (cost < d->cost) {
            const double gain = 1 - cost / d->cost;
            double *swap = d->r;

            memcpy(d->x, x, d->p * sizeof *x);
            d->cost = cost;
            d->r = d->trial;
            d->trial = swap;
            d->damping = fmax(0.1 * d->damping, 1e-12);
            return gain;
        }
    }
    return 0;
}

/* The inverse of the normal matrix over the parameters that are not at a bound. */
static void find_covariance(const struct descent *d, double *covariance)
{
    const size_t p = d->p;
    bool fixed[YK_FIT_PARAMETERS] = {false};
    struct descent unit = *d;

    for (size_t i = 0; i < p; i++)
        fixed[i] = d->x[i] <= least(d->f, i) || d->x[i] >= most(d->f, i);
    for (size_t i = 0; i < p; i++) {
        double s[YK_FIT_PARAMETERS] = {0};

        for (size_t j = 0; j < p; j++)
            unit.g[j] = j == i;
        const bool good = !fixed[i] && solve(&unit, 0, fixed, s);
        for (size_t j = 0; j < p; j++)
            covariance[i * p + j] = good ? s[j] : NAN;
    }
}

enum yk_status yk_fit_run(const struct yk_fit *fit, double *x, struct yk_fit_result *result, struct yk_err *err)
{
    const size_t p = fit->parameters, n = fit->count;
    struct descent d = {.f = fit, .p = p, .n = n, .x = x, .damping = 1e-3};
    double *memory = p <= YK_FIT_PARAMETERS && p > 0 ? malloc((2 + p) * n * sizeof *memory) : NULL;
    double gain = 1;

    *result = (struct yk_fit_result){0};
    if (!memory)
        return yk_fail(err, YK_E_MEMORY, "no room for a fit of %zu parameters to %zu numbers", p, n);
    d.r = memory;
    d.trial = memory + n;
    d.J = memory + 2 * n;
    for (size_t i = 0; i < p; i++)
        x[i] = fmin(fmax(x[i], least(fit, i)), most(fit, i));
    d.cost = evaluate(fit, x, d.r);
    const double enough = fit->enough > 0 ? fit->enough : ENOUGH;
    while (isfinite(d.cost) && d.cost > 0 && gain > enough && result->iterations < fit->iterations &&
           !(fit->stop && fit->stop(fit->self))) {
        if (!derive(&d))
            break;
        gain = improve(&d);
        result->iterations++;
    }
    result->cost = d.cost;
    if (isfinite(d.cost) && fit->covariance && derive(&d))
        find_covariance(&d, fit->covariance);
    free(memory);
    if (atomic_load(&d.failed))
        return yk_fail(err, YK_E_MEMORY, "out of memory for a fit");
    return isfinite(d.cost) ? YK_OK : yk_fail(err, YK_E_DIVERGED, "the model has no finite values at the start");
}
