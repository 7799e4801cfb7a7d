/* Motion of a model of an actuator under a recorded command, and how well it follows the recorded one.
 * docs/theory/control.md, eq. (79). */
#include <yoke/linalg.h>
#include <yoke/measured.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The command less its value at rest, at a time within the record by a cubic through four samples; before it 0. */
static double delayed(const struct yk_actuator_record *r, double rest, double at)
{
    const double x = at / r->step_s;
    const long k = (long)floor(x), n = (long)r->n;
    const double f = x - (double)k;
    double u[4];

    if (k < 0)
        return 0;
    for (long j = 0; j < 4; j++) {
        const long i = k - 1 + j;

        u[j] = r->command[i < 0 ? 0 : i >= n ? n - 1 : i] - rest;
    }
    return u[1] +
           0.5 * f *
               (u[2] - u[0] + f * (2 * u[0] - 5 * u[1] + 4 * u[2] - u[3] + f * (3 * (u[1] - u[2]) + u[3] - u[0])));
}

/* y' = (e + lead |e|)/T: exact over a step in which e keeps its sign. */
static void lag_motion(const struct yk_rational *m, const struct yk_actuator_record *r, double rest, double *y)
{
    const double T = m->a[1], h = r->step_s;
    double x = 0, u0 = m->gain * delayed(r, rest, -m->dead_time_s), keep[2], ramp[2];

    for (int i = 0; i < 2; i++) { /* retracting, extending */
        const double t = T / (1 + (i ? m->lead : -m->lead));

        keep[i] = exp(-h / t);
        ramp[i] = 1 - t / h * (1 - keep[i]);
    }
    for (size_t k = 0; k < r->n; k++) {
        const double u1 = m->gain * delayed(r, rest, (double)k * h - m->dead_time_s);

        if (k > 0) {
            const int i = 0.5 * (u0 + u1) > x;

            x = u0 + keep[i] * (x - u0) + ramp[i] * (u1 - u0);
        }
        u0 = u1;
        y[k] = x;
    }
}

/* States of the companion form over a step with a command that is a straight line. */
struct stepper {
    int n;
    double E[YK_RATIONAL_ORDER * (YK_RATIONAL_ORDER + 2)]; /* of state, command, its change in the step */
    double C[YK_RATIONAL_ORDER], D;
};

/* x' = A x + B u in a unit of time that keeps the numbers near one; y = C x + D u. */
static enum yk_status make_stepper(const struct yk_rational *m, double h, struct stepper *s, struct yk_err *err)
{
    const int n = m->poles, all = n + 2;
    double G[(YK_RATIONAL_ORDER + 2) * (YK_RATIONAL_ORDER + 2)] = {0},
                                                            E[(YK_RATIONAL_ORDER + 2) * (YK_RATIONAL_ORDER + 2)];
    const double unit = pow(fabs(m->a[n]), 1.0 / n), last = m->a[n] / pow(unit, n);
    double b[YK_RATIONAL_ORDER + 1] = {0};
    enum yk_status st;

    for (int k = 0; k < n; k++) {
        if (k + 1 < n)
            G[k + (k + 1) * all] = h / unit;
        G[n - 1 + k * all] -= h / unit * m->a[k] / pow(unit, k) / last;
    }
    G[n - 1 + n * all] = h / unit / last;
    G[n + (n + 1) * all] = 1;
    if ((st = yk_expm((size_t)all, G, E, err)))
        return st;
    s->n = n;
    for (int j = 0; j < all; j++)
        for (int i = 0; i < n; i++)
            s->E[i + j * n] = E[i + j * all];
    for (int k = 0; k <= m->zeros; k++)
        b[k] = m->gain * m->b[k] / pow(unit, k);
    s->D = b[n] / last;
    for (int k = 0; k < n; k++)
        s->C[k] = b[k] - s->D * m->a[k] / pow(unit, k);
    return YK_OK;
}

static void step(const struct stepper *s, double u, double change, double *x)
{
    double next[YK_RATIONAL_ORDER];

    for (int i = 0; i < s->n; i++) {
        next[i] = s->E[i + s->n * s->n] * u + s->E[i + (s->n + 1) * s->n] * change;
        for (int j = 0; j < s->n; j++)
            next[i] += s->E[i + j * s->n] * x[j];
    }
    memcpy(x, next, (size_t)s->n * sizeof *x);
}

enum yk_status yk_rational_motion(const struct yk_rational *model, const struct yk_actuator_record *record, double *y,
                                  struct yk_err *err)
{
    const double rest = yk_record_rest(record, record->command);
    double x[YK_RATIONAL_ORDER] = {0}, u0 = 0;
    struct stepper s;
    enum yk_status st;

    if (model->poles < 1) {
        for (size_t k = 0; k < record->n; k++)
            y[k] = model->gain * delayed(record, rest, (double)k * record->step_s - model->dead_time_s);
        return YK_OK;
    }
    if (model->poles == 1 && model->zeros == 0) {
        lag_motion(model, record, rest, y);
        return YK_OK;
    }
    if ((st = make_stepper(model, record->step_s, &s, err)))
        return st;
    for (size_t k = 0; k < record->n; k++) {
        const double u1 = delayed(record, rest, (double)k * record->step_s - model->dead_time_s);

        if (k > 0)
            step(&s, u0, u1 - u0, x);
        u0 = u1;
        y[k] = s.D * u1;
        for (int i = 0; i < s.n; i++)
            y[k] += s.C[i] * x[i];
    }
    return YK_OK;
}

/* ---- how well ---- */

/* Sum of squares of a column from its mean, from a row on. */
static double scatter(const double *x, size_t from, size_t n)
{
    double mean = 0, sum = 0;

    for (size_t k = from; k < n; k++)
        mean += x[k] / (double)(n - from);
    for (size_t k = from; k < n; k++)
        sum += (x[k] - mean) * (x[k] - mean);
    return sum;
}

enum yk_status yk_model_quality(const struct yk_rational *model, const struct yk_actuator_record *record,
                                struct yk_fit_quality *quality, double *e, struct yk_err *err)
{
    const size_t n = record->n, judged = n - record->from;
    double *y = e ? e : malloc(n * sizeof *y), mean = 0;
    enum yk_status st = y ? yk_rational_motion(model, record, y, err) : yk_fail(err, YK_E_MEMORY, "out of memory");

    for (size_t k = 0; k < n && !st; k++)
        y[k] = record->motion[k] - y[k];
    for (size_t k = record->from; k < n && !st; k++)
        mean += y[k] / (double)judged;
    for (size_t k = 0; k < n && !st; k++)
        y[k] -= mean;
    if (!st) {
        const double all = scatter(record->motion, 0, n) / (double)n,
                     part = record->from ? scatter(record->motion, record->from, n) / (double)judged : all,
                     left = scatter(y, record->from, n) / (double)judged;

        *quality = (struct yk_fit_quality){
            .nrms = sqrt(left / all),
            .share = sqrt(part / all),
            .offset = mean - yk_record_rest(record, record->motion),
            .rms = sqrt(left),
        };
    }
    if (!e)
        free(y);
    return st;
}

enum yk_status yk_model_bands(const struct yk_rational *model, const struct yk_actuator_record *record,
                              const double *edges, size_t bands, double *vaf, struct yk_err *err)
{
    struct yk_fit_quality quality;
    struct yk_spectra s = {0};
    double *e = malloc(record->n * sizeof *e), all = 0;
    struct yk_actuator_record pair = *record; /* residual against motion */
    enum yk_status st =
        e ? yk_model_quality(model, record, &quality, e, err) : yk_fail(err, YK_E_MEMORY, "out of memory");

    pair.command = record->motion;
    pair.motion = e;
    if (!st && !(st = yk_spectra_make(&s, &pair, err))) {
        for (size_t k = 1; k < s.bins; k++)
            all += s.uu[k];
        for (size_t b = 0; b < bands; b++) {
            double y = 0, left = 0;

            for (size_t k = yk_spectra_bin(&s, edges[b]); k < yk_spectra_bin(&s, edges[b + 1]); k++) {
                y += s.uu[k];
                left += s.yy[k];
            }
            vaf[b] = y > 1e-4 * all ? 1 - left / y : NAN;
        }
    }
    yk_spectra_free(&s);
    free(e);
    return st;
}
