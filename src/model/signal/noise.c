/* Band-limited white noise: lines of equal size and random phase. docs/theory/signals.md, eq. (10)-(12).
 *
 * The lines are equally spaced, so their sum is a polynomial in exp(2 pi i df t) and costs two sines and one pass of
 * Horner's rule. It repeats after 1/df = lines/(high - low). */
#include "table.h"

#include <stdlib.h>

struct noise {
    double rms, low, high;
    int seed, lines;

    double spacing_Hz, *re, *im; /* df; a_k = sqrt(2/lines) rms exp(2 pi i p_k) */
};

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

    free(s->re);
    free(s->im);
    s->re = s->im = NULL;
}

static enum yk_status prepare(void *settings, double end_s, struct yk_err *err)
{
    struct noise *s = settings;
    const double size = s->rms * sqrt(2.0 / s->lines);
    uint32_t state = (uint32_t)s->seed;

    if (!(s->high > s->low))
        return yk_fail(err, YK_E_RANGE, "noise: high = %g Hz is not above low = %g Hz", s->high, s->low);
    s->spacing_Hz = (s->high - s->low) / s->lines;
    s->re = malloc((size_t)s->lines * sizeof *s->re);
    s->im = malloc((size_t)s->lines * sizeof *s->im);
    if (!s->re || !s->im) {
        fini(s);
        return yk_fail(err, YK_E_MEMORY, "noise: no memory for %d lines", s->lines);
    }
    for (int k = 0; k < s->lines; k++) {
        const double angle = 2 * YK_PI * yk_uniform(&state);

        s->re[k] = size * cos(angle);
        s->im[k] = size * sin(angle);
    }
    return YK_OK;
}

/* eq. (12): Re( exp(2 pi i low t) z (a_1 + z (a_2 + ... z a_n)) ), z = exp(2 pi i df t); for the derivative every a_k
 * is multiplied by 2 pi i (low + k df). */
YK_RT static double sum_lines(const struct noise *s, double t, bool derivative)
{
    const double step = 2 * YK_PI * s->spacing_Hz * t, start = 2 * YK_PI * s->low * t + step;
    const double c = cos(step), d = sin(step);
    double re = 0, im = 0;

    for (int k = s->lines - 1; k >= 0; k--) {
        const double w = derivative ? 2 * YK_PI * (s->low + (k + 1) * s->spacing_Hz) : 1;
        const double turned = re * c - im * d + (derivative ? -w * s->im[k] : s->re[k]);

        im = re * d + im * c + (derivative ? w * s->re[k] : s->im[k]);
        re = turned;
    }
    return re * cos(start) - im * sin(start);
}

YK_RT static double value(const void *settings, double t)
{
    return sum_lines(settings, t, false);
}

YK_RT static double rate(const void *settings, double t)
{
    return sum_lines(settings, t, true);
}

const struct yk_signal_ops yk_signal_noise = {
    .name = "noise",
    .summary = "white noise between `low` and `high`: lines of equal size, phases from the seed",
    .reference = "Shinozuka and Deodatis 1991",
    .params = params,
    .settings_size = sizeof(struct noise),
    .prepare = prepare,
    .fini = fini,
    .value = value,
    .rate = rate,
};
