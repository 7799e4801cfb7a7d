/* From a recorded run to the path and force that a law is compared with. docs/theory/control.md, eq. (82). */
#include "loops.h"

#include <yoke/transfer.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PER_CYCLE 15.0 /* cut-off of the filter over the frequency of a sine, */
#define LEAST_HZ  8.0  /* within these, */
#define MOST_HZ   60.0
#define SHARE     0.35 /* and below this share of the sampling rate */
#define STARTS    0.01 /* of the largest displacement: it moves */
#define MOVING    0.03 /* of the largest velocity */
#define EVEN      1.5  /* longest over shortest period of a sine */

enum { REST_ROWS = 50, STEPS_PER_CYCLE = 160, LEAST_ROWS = 40, PERIODS = 4096 };

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Forwards and backwards, mirrored at both ends. */
static enum yk_status filter(double *x, size_t n, double cutoff_Hz, double h, struct yk_err *err)
{
    struct yk_filter f = {0};
    const size_t pad = n / 4 < (size_t)(2 / (cutoff_Hz * h)) ? n / 4 : (size_t)(2 / (cutoff_Hz * h)), all = n + 2 * pad;
    double *y = malloc(all * sizeof *y);
    enum yk_status st =
        y ? yk_filter_butterworth(&f, 2, cutoff_Hz, h, false, err) : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (!st) {
        memcpy(y + pad, x, n * sizeof *x);
        for (size_t k = 0; k < pad; k++) {
            y[pad - 1 - k] = 2 * x[0] - x[k + 1 < n ? k + 1 : 0];
            y[pad + n + k] = 2 * x[n - 1] - x[n - 2 - k];
        }
        for (int pass = 0; pass < 2; pass++) {
            yk_filter_reset(&f, y[0]);
            for (size_t k = 0; k < all; k++)
                y[k] = yk_filter_step(&f, y[k]);
            for (size_t k = 0; k < all / 2; k++) {
                const double swap = y[k];

                y[k] = y[all - 1 - k];
                y[all - 1 - k] = swap;
            }
        }
        memcpy(x, y + pad, n * sizeof *x);
    }
    free(y);
    return st;
}

/* The frequency of a sine from its upward crossings, with a hysteresis of a tenth of its size; 0: its periods differ.
 */
static double frequency_of(const double *x, size_t n, double zero, double reach, double h)
{
    double period[PERIODS], last = NAN;
    size_t periods = 0;
    bool low = false;

    for (size_t k = 1; k < n && periods < PERIODS; k++) {
        low |= x[k] - zero < -0.1 * reach;
        if (low && x[k] - zero > 0) {
            const double at = (double)k - (x[k] - zero) / (x[k] - x[k - 1] + 1e-300);

            if (isfinite(last))
                period[periods++] = at - last;
            last = at;
            low = false;
        }
    }
    if (periods == 0)
        return 0;
    qsort(period, periods, sizeof *period, by_size);
    const size_t edge = periods / 8; /* the first and the last may be transients */
    return period[periods - 1 - edge] < EVEN * period[edge] ? 1 / (h * period[periods / 2]) : 0;
}

/* A cubic through four samples. */
static double between(const double *x, size_t n, double at)
{
    const long k = (long)floor(at), last = (long)n - 1;
    const double f = at - (double)k;
    double u[4];

    for (long j = 0; j < 4; j++) {
        const long i = k - 1 + j;

        u[j] = x[i < 0 ? 0 : i > last ? last : i];
    }
    return u[1] +
           0.5 * f *
               (u[2] - u[0] + f * (2 * u[0] - 5 * u[1] + 4 * u[2] - u[3] + f * (3 * (u[1] - u[2]) + u[3] - u[0])));
}

struct span {
    size_t first, last; /* rows in motion */
    double middle;      /* centre of the motion */
    double reach;
};

static struct span find_motion(const double *x, size_t n, double rest)
{
    double low = INFINITY, high = -INFINITY;
    struct span s = {0, n, 0, 0};

    for (size_t k = 0; k < n; k++) {
        low = fmin(low, x[k]);
        high = fmax(high, x[k]);
    }
    s.middle = 0.5 * (low + high);
    s.reach = 0.5 * (high - low);
    while (s.first + 1 < n && fabs(x[s.first + 1] - rest) < STARTS * s.reach)
        s.first++;
    while (s.last > s.first + 1 && fabs(x[s.last - 1] - x[n - 1]) < STARTS * s.reach)
        s.last--;
    return s;
}

static double cutoff_of(const struct yk_calibrate_ask *ask, double frequency, double rate)
{
    const double per_cycle = ask->per_cycle > 0 ? ask->per_cycle : PER_CYCLE;
    const double cutoff = ask->cutoff_Hz > 0 ? ask->cutoff_Hz
                          : frequency > 0    ? fmin(fmax(per_cycle * frequency, LEAST_HZ), MOST_HZ)
                                             : MOST_HZ;

    return fmin(cutoff, SHARE * rate);
}

/* Path and force at the instants of the loop; `span` is in rows of the file. */
static void fill(struct yk_loop *l, const struct yk_measured_loop *run, const double *x, const double *F,
                 struct span span, double stride)
{
    for (size_t i = 0; i < l->m; i++)
        l->x[i] = between(x, run->n, (double)span.first + (double)i * stride);
    for (size_t i = 0; i < l->m; i++) {
        const size_t a = i ? i - 1 : 0, b = i + 1 < l->m ? i + 1 : i;

        l->v[i] = run->velocity ? between(run->velocity, run->n, (double)span.first + (double)i * stride)
                                : (l->x[b] - l->x[a]) / ((double)(b - a) * l->dt);
        l->largest_v = fmax(l->largest_v, fabs(l->v[i]));
        l->largest_x = fmax(l->largest_x, fabs(l->x[i]));
    }
    double mean = 0, sum = 0;
    size_t moving = 0;
    for (size_t k = 0; k < l->rows; k++) {
        l->force[k] = between(F, run->n, (double)span.first + (double)(k * l->every) * stride);
        l->moving[k] = fabs(l->v[k * l->every]) > MOVING * l->largest_v;
        mean += l->moving[k] ? l->force[k] : 0;
        moving += l->moving[k];
    }
    for (size_t k = 0; k < l->rows; k++)
        if (l->moving[k]) {
            sum += pow(l->force[k] - mean / (double)moving, 2);
            l->largest_force = fmax(l->largest_force, fabs(l->force[k] - mean / (double)moving));
        }
    l->deviation = sqrt(sum / (double)moving);
}

/* Instants: a whole number in a sample, or samples in an instant, for about 160 in a cycle and most_rows in all. */
static enum yk_status divide(struct yk_loop *l, const struct yk_measured_loop *run, struct span span, size_t most_rows,
                             double *stride, struct yk_err *err)
{
    const double per_cycle = l->frequency_Hz > 0 ? 1 / (l->frequency_Hz * run->step_s) : STEPS_PER_CYCLE;
    const size_t samples = span.last - span.first;

    l->every = (size_t)fmax(1, ceil(STEPS_PER_CYCLE / per_cycle));
    *stride = 1.0 / (double)l->every;
    if (most_rows && samples > most_rows && l->every == 1) {
        const double skip =
            fmin(ceil((double)samples / (double)most_rows), fmax(1, floor(per_cycle / STEPS_PER_CYCLE)));

        *stride = fmax(1, skip);
    }
    l->dt = run->step_s * *stride;
    l->m = (size_t)((double)(samples - 1) / *stride) + 1;
    l->rows = (l->m - 1) / l->every + 1;
    l->x = malloc((2 * l->m + l->rows) * sizeof *l->x);
    l->moving = malloc(l->rows * sizeof *l->moving);
    if (!l->x || !l->moving)
        return yk_fail(err, YK_E_MEMORY, "out of memory for a loop");
    l->v = l->x + l->m;
    l->force = l->v + l->m;
    return YK_OK;
}

static enum yk_status prepare(struct yk_loop *l, const struct yk_measured_loop *run, const struct yk_calibrate_ask *ask,
                              double cycles, size_t most_rows, double *x, double *F, struct yk_err *err)
{
    const size_t first = run->n < REST_ROWS ? run->n : REST_ROWS;
    double rest = 0, stride;
    enum yk_status st;

    for (size_t k = 0; k < run->n; k++)
        if (!isfinite(run->displacement[k]) || !isfinite(run->force[k]))
            return yk_fail(err, YK_E_INPUT, "%s: row %zu is not finite", run->name, k + 1);
    for (size_t k = 0; k < first; k++)
        rest += run->displacement[k] / (double)first;
    for (size_t k = 0; k < run->n; k++) {
        x[k] = run->displacement[k] - rest;
        F[k] = run->force[k];
    }
    struct span span = find_motion(x, run->n, 0);
    if (!(span.reach > 0))
        return yk_fail(err, YK_E_INPUT, "%s: the displacement does not change", run->name);
    l->frequency_Hz = frequency_of(x + span.first, span.last - span.first, span.middle, span.reach, run->step_s);
    l->cutoff_Hz = cutoff_of(ask, l->frequency_Hz, 1 / run->step_s);
    if ((st = filter(x, run->n, l->cutoff_Hz, run->step_s, err)) ||
        (st = filter(F, run->n, l->cutoff_Hz, run->step_s, err)))
        return st;
    if (cycles > 0 && l->frequency_Hz > 0)
        span.last = (size_t)fmin((double)span.last, (double)span.first + cycles / (l->frequency_Hz * run->step_s));
    if (span.last - span.first < LEAST_ROWS)
        return yk_fail(err, YK_E_INPUT, "%s: %zu rows in motion; a loop needs %d at least", run->name,
                       span.last - span.first, LEAST_ROWS);
    if ((st = divide(l, run, span, most_rows, &stride, err)))
        return st;
    fill(l, run, x, F, span, stride);
    double largest = 0;
    for (size_t k = 0; k < run->n; k++)
        largest = fmax(largest, fabs(run->force[k]));
    return l->deviation > 1e-9 * largest ? YK_OK : yk_fail(err, YK_E_INPUT, "%s: the force is constant", run->name);
}

enum yk_status yk_loop_make(struct yk_loop *loop, const struct yk_measured_loop *run,
                            const struct yk_calibrate_ask *ask, double cycles, size_t most_rows, struct yk_err *err)
{
    double *x = run->n ? malloc(2 * run->n * sizeof *x) : NULL;
    enum yk_status st;

    *loop = (struct yk_loop){0};
    if (run->n < LEAST_ROWS || !(run->step_s > 0))
        st = yk_fail(err, YK_E_INPUT, "%s: %zu rows are too few", run->name, run->n);
    else if (!x)
        st = yk_fail(err, YK_E_MEMORY, "out of memory for a loop");
    else
        st = prepare(loop, run, ask, cycles, most_rows, x, x + run->n, err);
    free(x);
    if (st)
        yk_loop_free(loop);
    return st;
}

void yk_loop_free(struct yk_loop *loop)
{
    free(loop->x);
    free(loop->moving);
    *loop = (struct yk_loop){0};
}
