/* Stability of an experiment's step, by the real step of its method. */
#include "base/progress.h"

#include "analyze/analyze.h"
#include "base/clock.h"
#include <yoke/substructure.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Up to this size the whole structure is driven; beyond it every mode by itself. */
enum { WHOLE = 24, MOST_MODES = 400, SQUARINGS = 24 };
/* States of a coupling from which on its radius is found by an iteration, and where that does not settle, up to which
 * all eigenvalues are: those of 2500 take a few seconds, of 6000 several minutes. Beyond, there is no verdict. */
enum { LARGE = 1000, MOST_STATES = 2500 };
/* For the limit of an unstable step, some thirty radii: a run waits for it. */
#define LIMIT_NS ((int64_t)10000000000)
/* A radius above this is called unstable. */
#define UNSTABLE (1 + 1e-6)

/* ||A^N||^(1/N) with N = 2^24, by squaring: tends to the spectral radius, and unlike eigenvalues it is not fooled by
 * defective unit roots, whose linear growth leaves N^(1/N) - 1 = 1e-6. A is destroyed. */
static double radius_by_powers(size_t n, double *A, double *work)
{
    double log_norm = 0; /* of the power, with A scaled to norm 1 on the way */

    for (int k = 0;; k++) {
        double norm = 0;

        for (size_t i = 0; i < n * n; i++)
            norm = fmax(norm, fabs(A[i]));
        if (!(norm > 0))
            return 0;
        log_norm += log(norm);
        for (size_t i = 0; i < n * n; i++)
            A[i] /= norm;
        if (k == SQUARINGS)
            return exp(log_norm / ldexp(1, SQUARINGS));
        memset(work, 0, n * n * sizeof *work);
        for (size_t j = 0; j < n; j++)
            for (size_t l = 0; l < n; l++)
                for (size_t i = 0; i < n; i++)
                    work[i + j * n] += A[i + l * n] * A[l + j * n];
        memcpy(A, work, n * n * sizeof *work);
        log_norm *= 2;
    }
}

enum yk_status yk_cycle_radius(struct yk_cycle *cycle, double *radius, struct yk_err *err)
{
    const size_t n = cycle->n;
    double *work = malloc((n * n + 2 * n) * sizeof *work), *re = work ? work + n * n : NULL, *im = re ? re + n : NULL;
    enum yk_status st;

    if (!work)
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu eigenvalues", n);
    memcpy(work, cycle->A, n * n * sizeof *work);
    if (!(st = yk_eigen_general(n, work, re, im, err))) {
        *radius = hypot(re[0], im[0]);
        if (*radius > UNSTABLE)
            *radius = fmin(*radius, radius_by_powers(n, cycle->A, work));
    }
    free(work);
    return st;
}

/* Spectral radius at step dt of the whole experiment (mode = NULL) or of one mode; NAN where that would take too
 * long. */
static enum yk_status radius_at(const struct yk_model *model, struct yk_system *mode, double dt, double *radius,
                                struct yk_err *err)
{
    struct yk_cycle cycle = {0};
    struct yk_domain domain;
    enum yk_status st;

    if (!mode && model->coupling)
        return yk_model_radius(model, dt, LARGE, MOST_STATES, radius, err);
    if (!mode) {
        st = yk_model_cycle(model, dt, &cycle, err);
    } else if (!(st = yk_domain_create(&domain, model->integrator, model->settings, mode, (struct yk_loading){0}, dt,
                                       NULL, err))) {
        cycle.n = yk_amplification_size(&domain);
        cycle.A = malloc(cycle.n * cycle.n * sizeof *cycle.A);
        st = cycle.A ? yk_amplification_matrix(&domain, cycle.A, err) : yk_fail(err, YK_E_MEMORY, "out of memory");
        yk_domain_destroy(&domain);
    }
    if (!st)
        st = yk_cycle_radius(&cycle, radius, err);
    free(cycle.A);
    return st;
}

/* The limit below an unstable step: halve until stable, then close in. */
static enum yk_status find_limit(const struct yk_model *model, struct yk_system *mode, double unstable, double *limit,
                                 struct yk_err *err)
{
    const int64_t end = yk_clock_now_ns() + LIMIT_NS;
    double stable = unstable, radius = 2;
    enum yk_status st = YK_OK;

    for (int i = 0; i < 30 && radius > UNSTABLE && !st && yk_clock_now_ns() < end; i++) {
        unstable = stable;
        stable /= 2;
        st = radius_at(model, mode, stable, &radius, err);
    }
    *limit = yk_clock_now_ns() < end ? 0 : NAN;
    if (st || !(radius <= UNSTABLE))
        return st;
    while (unstable - stable > 1e-6 * unstable && !st && yk_clock_now_ns() < end) {
        const double middle = 0.5 * (stable + unstable);

        if (!(st = radius_at(model, mode, middle, &radius, err)) && radius <= UNSTABLE)
            stable = middle;
        else
            unstable = middle;
    }
    *limit = stable;
    return st;
}

static enum yk_status check_one(const struct yk_model *model, struct yk_system *mode, struct yk_stability *out,
                                struct yk_err *err)
{
    double radius, limit;
    enum yk_status st = radius_at(model, mode, model->time.step, &radius, err);

    if (st)
        return st;
    if (isnan(radius)) {
        out->radius = NAN;
        out->undecided = true;
        return YK_OK;
    }
    out->radius = fmax(out->radius, radius);
    if (radius <= UNSTABLE)
        return YK_OK;
    if (!(st = find_limit(model, mode, model->time.step, &limit, err)))
        out->limit_s = isnan(limit) ? NAN : fmin(out->limit_s, limit);
    out->stable = false;
    return st;
}

/* The largest models: their highest mode alone. Where the step is stable with a bound above its frequency, that mode
 * need not be known, which takes far longer than all the rest before a run. */
static enum yk_status check_highest(const struct yk_model *model, struct yk_stability *out, struct yk_err *err)
{
    const struct yk_system *s = model->assembly->system;
    double highest = yk_eigen_bound(&s->K, &s->M), radius = 2;
    struct yk_system *mode = NULL;
    enum yk_status st = YK_OK;

    if (isfinite(highest) && !(st = yk_one_mass(&mode, 1, 0, highest, 0, err)))
        st = radius_at(model, mode, model->time.step, &radius, err);
    if (!st && radius <= UNSTABLE) {
        out->radius = radius;
    } else if (!st) {
        yk_system_destroy(mode);
        mode = NULL;
        if (!(st = yk_eigen_largest(&s->K, &s->M, &highest, err)) && !(st = yk_one_mass(&mode, 1, 0, highest, 0, err)))
            st = check_one(model, mode, out, err);
    }
    out->highest_Hz = sqrt(fmax(highest, 0)) / (2 * M_PI);
    yk_system_destroy(mode);
    return st;
}

/* ---- a structure that grows by itself ---- */

/* Growth below this part of the fastest rate is rounding. */
#define ROUNDED 1e-9
/* An eigenvalue below this part of the highest is that of a rigid-body mode. */
#define RIGID 1e-10

/* In its modes the state matrix is A = [0 I; -W2 -X^T C X]; its eigenvalue with the largest real part tells. Up to
 * WHOLE degrees of freedom: all of C counts, beyond only what every mode has of it. */
static enum yk_status find_growth(size_t n, const double *w2, const double *phi, const struct yk_matrix *C,
                                  struct yk_stability *out, struct yk_err *err)
{
    const size_t blocks = n <= WHOLE ? 1 : n, size = n / blocks, states = 2 * size;
    double *A = malloc((states * states + 2 * states + n) * sizeof *A), *re = A ? A + states * states : NULL,
           *im = A ? re + states : NULL, *Cphi = A ? im + states : NULL, growth = 0, fastest = 0;
    enum yk_status st = A ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for %zu modes", n);

    for (size_t b = 0; b < blocks && !st; b++) {
        memset(A, 0, states * states * sizeof *A);
        for (size_t j = 0; j < size; j++) {
            const size_t mode = b * size + j;

            A[j + (size + j) * states] = 1;
            A[size + j + j * states] = fabs(w2[mode]) > RIGID * w2[n - 1] ? -w2[mode] : 0;
            memset(Cphi, 0, n * sizeof *Cphi);
            yk_matrix_add_product(C, 1, phi + mode * n, Cphi);
            for (size_t i = 0; i < size; i++)
                A[size + i + (size + j) * states] = -yk_dot(n, phi + (b * size + i) * n, Cphi);
        }
        st = yk_eigen_general(states, A, re, im, err);
        for (size_t i = 0; i < states && !st; i++) {
            growth = fmax(growth, re[i]);
            fastest = fmax(fastest, hypot(re[i], im[i]));
        }
    }
    free(A);
    if (!st && growth > ROUNDED * fastest) {
        out->growth = growth;
        out->growth_by = w2[0] < -RIGID * w2[n - 1] ? "negative stiffness" : "negative damping";
        out->stable = false;
        out->limit_s = 0;
    }
    return st;
}

/* Does the structure itself grow? Then no step is short enough, and the step is not what is wrong. */
static enum yk_status examine_structure(const struct yk_system *s, struct yk_stability *out, struct yk_err *err)
{
    const size_t n = s->n;
    double *w2 = malloc((n + 1) * n * sizeof *w2);
    enum yk_status st = w2 ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for %zu modes", n);

    if (!st && !(st = yk_eigen_symmetric(&s->K, &s->M, n, w2, w2 + n, err)))
        st = find_growth(n, w2, w2 + n, &s->C, out, err);
    free(w2);
    return st;
}

/* Mode by mode with the modal part of the damping. */
static enum yk_status check_modes(const struct yk_model *model, struct yk_stability *out, struct yk_err *err)
{
    const struct yk_system *s = model->assembly->system;
    const size_t n = s->n;
    double *w2 = NULL, *phi = NULL, *Cphi = NULL, highest = 0;
    struct yk_system *mode = NULL;
    enum yk_status st;

    if (n > MOST_MODES)
        return check_highest(model, out, err);
    if ((st = yk_eigen_largest(&s->K, &s->M, &highest, err)))
        return st;
    out->highest_Hz = sqrt(fmax(highest, 0)) / (2 * M_PI);
    w2 = malloc(n * sizeof *w2);
    phi = malloc(n * n * sizeof *phi);
    Cphi = malloc(n * sizeof *Cphi);
    if (!w2 || !phi || !Cphi)
        st = yk_fail(err, YK_E_MEMORY, "out of memory for %zu modes", n);
    else
        st = yk_eigen_symmetric(&s->K, &s->M, n, w2, phi, err);
    if (!st)
        st = find_growth(n, w2, phi, &s->C, out, err);
    for (size_t m = 0; m < n && !st && !out->growth_by; m++) {
        memset(Cphi, 0, n * sizeof *Cphi);
        yk_matrix_add_product(&s->C, 1, phi + m * n, Cphi);
        if (!(st = yk_one_mass(&mode, 1, fmax(yk_dot(n, phi + m * n, Cphi), 0), fmax(w2[m], 0), 0, err)))
            st = check_one(model, mode, out, err);
        yk_system_destroy(mode);
        mode = NULL;
    }
    free(w2);
    free(phi);
    free(Cphi);
    return st;
}

static enum yk_status check_step(const struct yk_model *model, struct yk_stability *out, struct yk_err *err)
{
    const struct yk_system *s = model->assembly->system;
    double w2 = 0;
    size_t i, j;
    enum yk_status st;

    *out = (struct yk_stability){.stable = true, .limit_s = INFINITY, .highest_Hz = NAN};
    if (model->coupling && model->coupling->caps & YK_COUPLING_SPECIMENS) {
        out->radius = NAN; /* nothing is known of the step without the readings */
        return YK_OK;
    }
    const bool symmetric = s && yk_matrix_asymmetry(&s->K, &i, &j) <= 1e-6;

    if (!model->coupling && s && s->n > WHOLE)
        return symmetric ? check_modes(model, out, err) : YK_OK;
    if (symmetric && s->n > 0 && s->n <= WHOLE && ((st = examine_structure(s, out, err)) || out->growth_by))
        return st;
    if ((st = check_one(model, NULL, out, err)) || !symmetric)
        return st;
    if (!out->stable && s->n > WHOLE && s->n <= MOST_MODES && (st = examine_structure(s, out, err)))
        return st;
    if (!(st = yk_eigen_largest(&s->K, &s->M, &w2, err)))
        out->highest_Hz = sqrt(fmax(w2, 0)) / (2 * M_PI);
    return st;
}

enum yk_status yk_check_stability(const struct yk_model *model, struct yk_stability *out, struct yk_err *err)
{
    const char *stage = yk_progress("predicting the stability of the step");
    const enum yk_status st = check_step(model, out, err);

    if (!st && out->growth_by)
        out->radius = exp(out->growth * model->time.step);
    yk_progress(stage);
    return st;
}

enum yk_status yk_stability_words(const struct yk_model *model, const struct yk_stability *s, bool is_refused,
                                  struct yk_err *err)
{
    const char *hint =
        is_refused ? "; shorten it, choose an unconditionally stable method, or set method.stability: warn" : "";

    if (s->growth_by)
        return yk_fail_at(err, YK_E_RANGE, YK_IN_FILE(model->path),
                          "the structure itself is unstable by %s: its free motion grows at %.3g 1/s with any step%s",
                          s->growth_by, s->growth,
                          is_refused ? "; correct its matrices, or set method.stability: warn" : "");
    if (isnan(s->limit_s))
        return yk_fail_at(err, YK_E_RANGE, model->step_where, "step = %g s is unstable with %s: spectral radius %.6g%s",
                          model->time.step, yk_model_method(model), s->radius, hint);
    if (s->limit_s > 0)
        return yk_fail_at(err, YK_E_RANGE, model->step_where,
                          "step = %g s is beyond the stability limit of %s for this structure, %.6g s%s",
                          model->time.step, yk_model_method(model), s->limit_s, hint);
    return yk_fail_at(err, YK_E_RANGE, model->method_where, "%s is unstable for this structure at every step%s",
                      yk_model_method(model),
                      is_refused ? "; choose another method, or set method.stability: warn" : "");
}
