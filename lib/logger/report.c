/* Quality of the sensors, from the columns of a logger file. docs/measured.md, section 1. */
#include <yoke/fourier.h>
#include <yoke/logger.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SATURATED = 10 };

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Rows of the first record before the motion: at most a second, as long as 50 rows stay within 8 deviations of the
 * first ones. */
static size_t rest_rows(const struct yk_log *log, const double *x)
{
    const size_t n = log->first[1] - log->first[0], second = (size_t)lround(1 / log->step_s);
    const size_t most = n < second ? n : second, block = most / 10 > 5 ? most / 10 : 5;
    double mean = 0, square = 0, whole = 0, all = 0;

    for (size_t k = 0; k < n; k++)
        all += x[k] / (double)n;
    for (size_t k = 0; k < n; k++)
        whole += (x[k] - all) * (x[k] - all) / (double)n;
    if (most < 3 * block)
        return 0;
    for (size_t k = 0; k < 2 * block; k++)
        mean += x[k] / (double)(2 * block);
    for (size_t k = 0; k < 2 * block; k++)
        square += (x[k] - mean) * (x[k] - mean) / (double)(2 * block);
    if (square > 0.3 * 0.3 * whole)
        return 0; /* it moves from the start */
    const double most_off = fmax(8 * sqrt(square), 1e-3 * sqrt(whole));
    for (size_t k = 0; k < most; k++)
        if (fabs(x[k] - mean) > most_off)
            return k >= 3 * block ? k : 0;
    return most;
}

/* Levels closer together than rounding are one. */
static double find_quantum(size_t n, const double *x, double *sorted)
{
    size_t levels = 0;

    memcpy(sorted, x, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_size);
    const double least = 1e-9 * fmax(fabs(sorted[0]), fabs(sorted[n - 1]));
    for (size_t k = 1; k < n; k++)
        if (sorted[k] - sorted[k - 1] > least)
            sorted[levels++] = sorted[k] - sorted[k - 1];
    if (levels == 0 || 4 * levels > 3 * n) /* every value is another one: digits, no converter */
        return 0;
    qsort(sorted, levels, sizeof *sorted, by_size);
    return sorted[levels / 2];
}

/* Does the signal come to row k, or leave it, in a jump? At rest, or at the top of a wave, it does not. */
static bool jumps(const double *x, size_t from, size_t to, size_t n, double jump)
{
    return (from > 0 && fabs(x[from] - x[from - 1]) > jump) || (to < n && fabs(x[to] - x[to - 1]) > jump);
}

static bool is_saturated(size_t n, const double *x, const struct yk_log_quality *q)
{
    const double near = 1e-9 * (q->max - q->min), jump = fmax(3 * q->quantum, 1e-3 * (q->max - q->min));

    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && x[to] == x[from]; to++)
            ;
        if (to - from >= SATURATED && (x[from] >= q->max - near || x[from] <= q->min + near) &&
            jumps(x, from, to, n, jump))
            return true;
    }
    return false;
}

/* The strongest line of the noise, where it stands 5 times above the median of the spectrum. */
static double find_line(size_t n, const double *x, double step_s)
{
    size_t size = 1;
    double line = 0, mean = 0, *level;
    double complex *z;

    while (2 * size <= n)
        size *= 2;
    if (size < 64)
        return 0;
    z = malloc(size * sizeof *z);
    level = malloc(size * sizeof *level);
    if (z && level) {
        size_t at = 0;
        double top = 0;

        for (size_t k = 0; k < size; k++)
            mean += x[k] / (double)size;
        for (size_t k = 0; k < size; k++)
            z[k] = (x[k] - mean) * (0.5 - 0.5 * cos(2 * M_PI * (double)k / (double)size));
        yk_fourier(size, z);
        for (size_t k = 3; k < size / 2; k++) {
            level[k - 3] = cabs(z[k]);
            if (level[k - 3] > top) {
                top = level[k - 3];
                at = k;
            }
        }
        qsort(level, size / 2 - 3, sizeof *level, by_size);
        if (top > 5 * level[(size / 2 - 3) / 2])
            line = (double)at / ((double)size * step_s);
    }
    free(z);
    free(level);
    return line;
}

enum yk_status yk_log_judge(const struct yk_log *log, size_t column, struct yk_log_quality *quality, struct yk_err *err)
{
    const double *x = column < log->count ? log->column[column].x : NULL;
    struct yk_log_quality q = {.noise = NAN, .min = INFINITY, .max = -INFINITY};
    const size_t n = log->rows;
    double *work, mean = 0, square = 0;

    if (!x)
        return yk_fail(err, YK_E_INPUT, "the file has no such column");
    if (!(work = malloc(n * sizeof *work)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu rows", n);
    for (size_t k = 0; k < n; k++) {
        q.min = fmin(q.min, x[k]);
        q.max = fmax(q.max, x[k]);
        q.rms += x[k] * x[k] / (double)n;
    }
    q.rms = sqrt(q.rms);
    q.quantum = find_quantum(n, x, work);
    q.saturated = is_saturated(n, x, &q);
    q.rest = rest_rows(log, x);
    for (size_t k = 0; k < q.rest; k++)
        mean += x[k] / (double)q.rest;
    for (size_t k = 0; k < q.rest; k++)
        square += (x[k] - mean) * (x[k] - mean) / (double)q.rest;
    if (q.rest)
        q.noise = sqrt(square);
    q.line_Hz = find_line(q.rest, x, log->step_s);
    free(work);
    *quality = q;
    return YK_OK;
}

double yk_log_correlation(const struct yk_log *log, size_t a, size_t b)
{
    const double *x = log->column[a].x, *y = log->column[b].x;
    const size_t one = x ? rest_rows(log, x) : 0, two = y ? rest_rows(log, y) : 0, n = one < two ? one : two;
    double mx = 0, my = 0, xx = 0, xy = 0, yy = 0;

    for (size_t k = 0; k < n; k++) {
        mx += x[k] / (double)n;
        my += y[k] / (double)n;
    }
    for (size_t k = 0; k < n; k++) {
        xx += (x[k] - mx) * (x[k] - mx);
        xy += (x[k] - mx) * (y[k] - my);
        yy += (y[k] - my) * (y[k] - my);
    }
    return n && xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}
