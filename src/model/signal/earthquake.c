/* Synthetic ground acceleration: white noise through the soil and a high-pass filter, shaped by an envelope, free of
 * drift and scaled to its peak. docs/theory/signals.md, eq. (15)-(22). Built once in prepare() as samples a fixed step
 * apart; s, Hz, and the unit of `peak`. */
#include "table.h"

#include <stdlib.h>

struct earthquake {
    double peak, frequency, damping, corner, corner_damping, rise, strong, decay, step;
    int envelope, seed;

    struct yk_series series;
};

enum { TRAPEZOID, EXPONENTIAL };
enum { SAMPLES_MIN = 20, SAMPLES_MAX = 10000000, RUN_IN_PERIODS = 5 };

static const struct yk_param params[] = {
    YK_REAL(struct earthquake, peak, YK_FORCE, YK_REQUIRED, YK_TINY, YK_HUGE, "largest acceleration"),
    YK_REAL(struct earthquake, frequency, YK_FREQUENCY, 2.5, 0.01, 1000, "frequency of the ground (Kanai-Tajimi)"),
    YK_REAL(struct earthquake, damping, YK_NUMBER, 0.6, 0.01, 5, "damping ratio of the ground"),
    YK_REAL(struct earthquake, corner, YK_FREQUENCY, 0.2, 0.01, 1000,
            "corner frequency of the high-pass filter (Clough-Penzien)"),
    YK_REAL(struct earthquake, corner_damping, YK_NUMBER, 0.6, 0.1, 5, "damping ratio of the high-pass filter"),
    YK_REAL(struct earthquake, rise, YK_TIME, 2, YK_TINY, 1e6, "time to full strength"),
    YK_REAL(struct earthquake, strong, YK_TIME, 8, 0, 1e6, "time at full strength"),
    YK_REAL(struct earthquake, decay, YK_TIME, 5, YK_TINY, 1e6, "time to die away"),
    YK_CHOICE(struct earthquake, envelope, "trapezoid|exponential", TRAPEZOID, "shape of rise and decay"),
    YK_COUNT(struct earthquake, seed, 1, 0, 2147483647, "same seed, same motion"),
    YK_REAL(struct earthquake, step, YK_TIME, 0.005, 1e-5, 1, "time between samples"),
    YK_PARAM_END,
};

/* A second-order filter in the variable z, eq. (17); direct form II transposed. */
struct filter {
    double b0, b1, b2, a1, a2, z1, z2;
};

/* (n2 s^2 + n1 s + n0) / (s^2 + d1 s + d0) with s = K (z - 1)/(z + 1), K = 2/h */
static struct filter bilinear(double n2, double n1, double n0, double d1, double d0, double h)
{
    const double K = 2 / h, a0 = K * K + d1 * K + d0;

    return (struct filter){
        .b0 = (n2 * K * K + n1 * K + n0) / a0,
        .b1 = (2 * n0 - 2 * n2 * K * K) / a0,
        .b2 = (n2 * K * K - n1 * K + n0) / a0,
        .a1 = (2 * d0 - 2 * K * K) / a0,
        .a2 = (K * K - d1 * K + d0) / a0,
    };
}

static double pass(struct filter *f, double x)
{
    const double y = f->b0 * x + f->z1;

    f->z1 = f->b1 * x - f->a1 * y + f->z2;
    f->z2 = f->b2 * x - f->a2 * y;
    return y;
}

/* eq. (15), (16): stationary motion; the filters first run in. */
static void filter_noise(const struct earthquake *s, double *y, size_t n)
{
    const double w = 2 * YK_PI * s->frequency, wc = 2 * YK_PI * s->corner;
    struct filter ground = bilinear(0, 2 * s->damping * w, w * w, 2 * s->damping * w, w * w, s->step);
    struct filter high_pass = bilinear(1, 0, 0, 2 * s->corner_damping * wc, wc * wc, s->step);
    uint32_t state = (uint32_t)s->seed;

    for (size_t left = (size_t)(RUN_IN_PERIODS / (s->corner * s->step)); left > 0; left--)
        pass(&high_pass, pass(&ground, yk_uniform(&state) - 0.5));
    for (size_t i = 0; i < n; i++)
        y[i] = pass(&high_pass, pass(&ground, yk_uniform(&state) - 0.5));
}

/* eq. (18), (19): 0 at both ends, 1 between rise and decay. */
static double envelope(const struct earthquake *s, double t)
{
    const double sharp = 3; /* the exponential decays by exp(-3) before it is shifted to end at zero */
    const double up = t / s->rise, down = (t - s->rise - s->strong) / s->decay;
    const bool curved = s->envelope == EXPONENTIAL;

    if (up < 1)
        return curved ? up * up : up;
    if (down <= 0)
        return 1;
    if (down >= 1)
        return 0;
    return curved ? (exp(-sharp * down) - exp(-sharp)) / (1 - exp(-sharp)) : 1 - down;
}

/* eq. (20): velocity and displacement after a motion y[i] p(t_i), p = 1, e or e t/T, with straight lines between. */
struct drift {
    double v, u, last;
};

static void move(struct drift *d, double a, double h)
{
    d->u += h * d->v + h * h * (2 * d->last + a) / 6;
    d->v += h * (d->last + a) / 2;
    d->last = a;
}

/* eq. (21): takes (c0 + c1 t/T) e(t) off, so that the ground comes to rest where it started. */
static void remove_drift(const struct earthquake *s, double *y, const double *t, size_t n)
{
    struct drift motion = {0}, flat = {0}, slope = {0};
    const double T = t[n - 1];

    for (size_t i = 1; i < n; i++) {
        const double e = envelope(s, t[i]);

        move(&motion, y[i], s->step);
        move(&flat, e, s->step);
        move(&slope, e * t[i] / T, s->step);
    }
    const double det = flat.v * slope.u - slope.v * flat.u;
    const double c0 = (motion.v * slope.u - slope.v * motion.u) / det;
    const double c1 = (flat.v * motion.u - motion.v * flat.u) / det;
    for (size_t i = 0; i < n; i++)
        y[i] -= (c0 + c1 * t[i] / T) * envelope(s, t[i]);
}

/* eq. (22) */
static void scale_to_peak(double *y, size_t n, double peak)
{
    double largest = 0;

    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(y[i]));
    for (size_t i = 0; i < n; i++)
        y[i] = y[i] / largest * peak;
}

static void fini(void *settings)
{
    struct earthquake *s = settings;

    free(s->series.t);
    free(s->series.y);
    s->series = (struct yk_series){0};
}

static enum yk_status prepare(void *settings, double end_s, struct yk_err *err)
{
    struct earthquake *s = settings;
    const double length_s = s->rise + s->strong + s->decay, samples = ceil(length_s / s->step) + 1;
    const double fastest = s->frequency > s->corner ? s->frequency : s->corner;

    if (!(samples >= SAMPLES_MIN && samples <= SAMPLES_MAX))
        return yk_fail(err, YK_E_RANGE, "earthquake: step = %g s makes %.0f samples of %g s, outside %d .. %d", s->step,
                       samples, length_s, SAMPLES_MIN, SAMPLES_MAX);
    if (!(s->step * fastest <= 0.1))
        return yk_fail(err, YK_E_RANGE, "earthquake: step = %g s is above %g s, a tenth of the period at %g Hz",
                       s->step, 0.1 / fastest, fastest);
    s->series.n = (size_t)samples;
    s->series.t = malloc(s->series.n * sizeof *s->series.t);
    s->series.y = malloc(s->series.n * sizeof *s->series.y);
    if (!s->series.t || !s->series.y) {
        fini(s);
        return yk_fail(err, YK_E_MEMORY, "earthquake: no memory for %.0f samples", samples);
    }
    filter_noise(s, s->series.y, s->series.n);
    for (size_t i = 0; i < s->series.n; i++) {
        s->series.t[i] = s->step * (double)i;
        s->series.y[i] *= envelope(s, s->series.t[i]);
    }
    remove_drift(s, s->series.y, s->series.t, s->series.n);
    scale_to_peak(s->series.y, s->series.n, s->peak);
    return YK_OK;
}

YK_RT static double value(const void *settings, double t)
{
    const struct earthquake *s = settings;

    return yk_series_value(&s->series, t);
}

const struct yk_signal_ops yk_signal_earthquake = {
    .name = "earthquake",
    .summary = "synthetic ground motion from a seed: filtered noise in an envelope, scaled to its peak",
    .reference = "Kanai 1957; Tajimi 1960; Clough and Penzien 1975",
    .params = params,
    .settings_size = sizeof(struct earthquake),
    .prepare = prepare,
    .fini = fini,
    .value = value,
};
