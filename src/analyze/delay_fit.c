/* Delay and gain from one measured signal to another, off line. docs/theory/delay.md, eq. (36), (36a).
 *
 *     y(t + tau) = gain x(t) + offset
 *
 * Delay by yk_delay_least_squares, first of both without mean at unit rms, then with gain and offset taken off y, which
 * are found by regression. Looked for to both sides, since compensation can make y early; the side with the smaller
 * residual is taken. */
#include "analyze/analyze.h"
#include <yoke/transfer.h>

#include <math.h>
#include <stdlib.h>

#define STILL 1e-12 /* of the largest value: rounding, not motion */

double yk_delay_longest(size_t n, double dt)
{
    return fmin(0.2, 0.1 * (double)(n ? n - 1 : 0) * dt);
}

/* x without its mean, at unit rms; returns the rms, 0 where it does not move. */
static double normalise(size_t n, const double *x, double *out)
{
    double sum = 0, square = 0, largest = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i];
    for (size_t i = 0; i < n; i++) {
        out[i] = x[i] - sum / (double)n;
        square += out[i] * out[i];
        largest = fmax(largest, fabs(x[i]));
    }
    const double rms = sqrt(square / (double)n);
    for (size_t i = 0; i < n; i++)
        out[i] /= rms;
    return rms > STILL * largest ? rms : 0;
}

/* eq. (36a): gain, offset and residual of y(t + tau) = gain x(t) + offset over the samples that have both, without the
 * first `skip`. */
static double regress(size_t n, double dt, size_t skip, const double *x, const double *y, struct yk_delay_fit *fit)
{
    const bool late = fit->delay_s >= 0;
    const double lag = fabs(fit->delay_s) / dt, part = lag - floor(lag);
    const size_t whole = (size_t)lag;
    double count = 0, sx = 0, sy = 0, xx = 0, xy = 0, yy = 0;

    for (size_t i = skip; i + whole + 1 < n; i++) {
        const double *moved = (late ? y : x) + i + whole, m = moved[0] + part * (moved[1] - moved[0]);
        const double a = late ? x[i] : m, b = late ? m : y[i];

        count++;
        sx += a;
        sy += b;
        xx += a * a;
        xy += a * b;
        yy += b * b;
    }
    xx -= sx * sx / count;
    xy -= sx * sy / count;
    yy -= sy * sy / count;
    fit->gain = xy / xx;
    fit->residual = sqrt(fmax(yy - xy * xy / xx, 0) / yy);
    return (sy - fit->gain * sx) / count;
}

/* Both sides of signals that move; returns the offset too. */
static enum yk_status look(size_t n, double dt, const double *x, const double *y, double longest,
                           struct yk_delay_fit *fit, double *offset, struct yk_err *err)
{
    struct yk_delay_fit late = {0}, early = {0};
    const size_t skip = n / 10;
    enum yk_status st;

    if ((st = yk_delay_least_squares(n, dt, x, y, longest, skip, &late.delay_s, err)) ||
        (st = yk_delay_least_squares(n, dt, y, x, longest, skip, &early.delay_s, err)))
        return st;
    early.delay_s = -early.delay_s;
    const double of_late = regress(n, dt, skip, x, y, &late), of_early = regress(n, dt, skip, x, y, &early);
    *fit = late.residual <= early.residual ? late : early;
    *offset = late.residual <= early.residual ? of_late : of_early;
    return YK_OK;
}

enum yk_status yk_delay_fit(size_t n, double dt, const double *x, const double *y, double longest,
                            struct yk_delay_fit *fit, struct yk_err *err)
{
    double *work = malloc(2 * (n + 1) * sizeof *work);
    enum yk_status st = YK_OK;

    *fit = (struct yk_delay_fit){NAN, NAN, NAN};
    if (!work)
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu samples", n);
    const double from = n ? normalise(n, x, work) : 0, to = n ? normalise(n, y, work + n) : 0;
    double gain = from > 0 ? to / from : 0, offset;
    for (int pass = 0; pass < 2 && gain > 0 && !st; pass++) { /* again, once gain and offset are known */
        if ((st = look(n, dt, work, work + n, longest, fit, &offset, err)))
            break;
        for (size_t i = 0; i < n && fit->gain > 0; i++)
            work[n + i] = (work[n + i] - offset) / fit->gain;
        fit->gain = gain *= fit->gain;
    }
    free(work);
    return st;
}
