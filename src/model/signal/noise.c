/* Band-limited white noise: lines of equal size and random phase. docs/theory/signals.md, eq. (10)-(12).
 *
 * The lines are equally spaced, so their sum is a polynomial in z = exp(2 pi i df t): a few sines and Horner's rule, in
 * eight chains over z^8 that do not wait for each other. It repeats after 1/df = lines/(high - low). */
#include "table.h"

#include <stdlib.h>

struct noise {
    double rms, low, high;
    int seed, lines;

    double spacing_Hz; /* df */
    double *line[4];   /* a_k = sqrt(2/lines) rms exp(2 pi i p_k), real and imaginary, and those of the derivative */
    int groups;        /* of CHAINS lines; those beyond the last are zero */
};

enum { CHAINS = 8 };

static const struct yk_param params[] = {
    YK_REAL(struct noise, rms, YK_FORCE, YK_REQUIRED, 0, YK_HUGE, "root mean square over a period"),
    YK_REAL(struct noise, low, YK_FREQUENCY, 0, 0, YK_HUGE, "lower end of the band; the first line is above it"),
    YK_REAL(struct noise, high, YK_FREQUENCY, YK_REQUIRED, YK_TINY, YK_HUGE, "upper end of the band, the last line"),
    YK_COUNT(struct noise, seed, 1, 0, 2147483647, "same seed, same signal"),
    YK_COUNT(struct noise, lines, 200, 1, 100000, "number of lines in the band"),
    YK_PARAM_END,
};

static void fini(void *settings)
{
    struct noise *s = settings;

    free(s->line[0]);
    s->line[0] = NULL;
}

static enum yk_status prepare(void *settings, double end_s, struct yk_err *err)
{
    struct noise *s = settings;
    const double size = s->rms * sqrt(2.0 / s->lines);
    uint32_t state = (uint32_t)s->seed;

    if (!(s->high > s->low))
        return yk_fail(err, YK_E_RANGE, "noise: high = %g Hz is not above low = %g Hz", s->high, s->low);
    s->spacing_Hz = (s->high - s->low) / s->lines;
    s->groups = (s->lines + CHAINS - 1) / CHAINS;
    const size_t padded = (size_t)s->groups * CHAINS;
    if (!(s->line[0] = calloc(4 * padded, sizeof(double))))
        return yk_fail(err, YK_E_MEMORY, "noise: no memory for %d lines", s->lines);
    for (size_t i = 1; i < 4; i++)
        s->line[i] = s->line[0] + i * padded;
    for (int k = 0; k < s->lines; k++) {
        const double angle = 2 * YK_PI * yk_uniform(&state), w = 2 * YK_PI * (s->low + (k + 1) * s->spacing_Hz);

        s->line[0][k] = size * cos(angle);
        s->line[1][k] = size * sin(angle);
        s->line[2][k] = -w * s->line[1][k];
        s->line[3][k] = w * s->line[0][k];
    }
    return YK_OK;
}

/* eq. (12): Re( exp(2 pi i low t) z sum_m z^m (a_m + z^8 (a_{m+8} + ...)) ); for the derivative every a_k was
 * multiplied by 2 pi i (low + k df). */
YK_RT static double sum_lines(const struct noise *s, double t, const double *a_re, const double *a_im)
{
    const double step = 2 * YK_PI * s->spacing_Hz * t, start = 2 * YK_PI * s->low * t + step;
    const double c = cos(CHAINS * step), d = sin(CHAINS * step), turn_re = cos(step), turn_im = sin(step);
    double re[CHAINS] = {0}, im[CHAINS] = {0}, sum_re = 0, sum_im = 0;

    for (int g = s->groups - 1; g >= 0; g--)
        for (int m = 0; m < CHAINS; m++) {
            const double turned = re[m] * c - im[m] * d + a_re[g * CHAINS + m];

            im[m] = re[m] * d + im[m] * c + a_im[g * CHAINS + m];
            re[m] = turned;
        }
    for (int m = CHAINS - 1; m >= 0; m--) {
        const double turned = sum_re * turn_re - sum_im * turn_im + re[m];

        sum_im = sum_re * turn_im + sum_im * turn_re + im[m];
        sum_re = turned;
    }
    return sum_re * cos(start) - sum_im * sin(start);
}

YK_RT static double value(const void *settings, double t)
{
    const struct noise *s = settings;

    return sum_lines(s, t, s->line[0], s->line[1]);
}

YK_RT static double rate(const void *settings, double t)
{
    const struct noise *s = settings;

    return sum_lines(s, t, s->line[2], s->line[3]);
}

const struct yk_signal_ops yk_signal_noise = {
    .name = "noise",
    .summary = "white noise between `low` and `high`: spectral lines of equal size, phases from the seed",
    .reference = "Shinozuka and Deodatis 1991",
    .params = params,
    .settings_size = sizeof(struct noise),
    .prepare = prepare,
    .fini = fini,
    .value = value,
    .rate = rate,
};
