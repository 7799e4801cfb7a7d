/* A delay estimator of one's own: the delay that fits the last samples best, by least squares over a sliding window.
 *
 *     measured = command - tau command'   =>   tau = sum c' (c - m) / sum c'^2,   c' = (c - c a step before) / dt
 *
 * Every sample counts in proportion to the square of its velocity, so peaks, at which a delay cannot be seen, do no
 * harm; what is older than the window does not count at all, so a delay that jumps is known a window later. The slope
 * is that of half a step before, where (c - m) is taken as the mean of the two samples. Units: m, s. */
#include <yoke/plugin.h>

#include <math.h>
#include <stdlib.h>

enum { MOST = 100000 };

struct window_estimator {
    double window, tau_max, v_min; /* settings */
    double dt;
    int count, next; /* samples in the window, the one that is overwritten next */
    double *lag, *slope;
    double command, measured; /* a step before */
    double tau;
};

static const struct yk_param params[] = {
    YK_REAL(struct window_estimator, window, YK_TIME, 1, YK_TINY, 1e3, "that is looked back"),
    YK_REAL(struct window_estimator, tau_max, YK_TIME, 0.1, 1e-6, 10, "largest delay that is believed"),
    YK_REAL(struct window_estimator, v_min, YK_VELOCITY, 1e-3, 0, 1e3, "slowest command, root mean square"),
    YK_PARAM_END,
};

/* Set-up: memory, and whatever may fail. */
static enum yk_status init(void *self, double dt, struct yk_arena *mem, struct yk_err *err)
{
    struct window_estimator *s = self;
    const double count = round(s->window / dt);

    if (!(count >= 2 && count <= MOST))
        return yk_fail(err, YK_E_RANGE, "window: window = %g s is %.0f steps of %g s, outside 2 .. %d", s->window,
                       count, dt, MOST);
    s->dt = dt;
    s->count = (int)count;
    s->lag = calloc(2 * (size_t)s->count, sizeof *s->lag);
    s->slope = s->lag + s->count;
    return s->lag ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for the window");
}

/* Also called where `init` failed or was never reached. */
static void fini(void *self)
{
    struct window_estimator *s = self;

    free(s->lag);
    s->lag = NULL;
}

YK_RT static void reset(void *self, double nominal)
{
    struct window_estimator *s = self;

    for (int i = 0; i < 2 * s->count; i++)
        s->lag[i] = 0;
    s->next = 0;
    s->command = s->measured = NAN;
    s->tau = fmin(fmax(nominal, 0), s->tau_max);
}

/* In the loop, once a step: no heap, no lock, no system call. The sums are made anew, so that rounding does not add up
 * over a long test. */
YK_RT static double update(void *self, const struct yk_tracking *sample)
{
    struct window_estimator *s = self;
    const double c = sample->command, m = sample->measured;
    double above = 0, below = 0;

    if (!isfinite(c) || !isfinite(m) || !isfinite(sample->target))
        return s->tau;
    if (isfinite(s->command)) {
        s->slope[s->next] = (c - s->command) / s->dt;
        s->lag[s->next] = 0.5 * (c - m + s->command - s->measured);
        s->next = (s->next + 1) % s->count;
    }
    s->command = c;
    s->measured = m;
    for (int i = 0; i < s->count; i++) {
        above += s->slope[i] * s->lag[i];
        below += s->slope[i] * s->slope[i];
    }
    if (below > s->count * s->v_min * s->v_min)
        s->tau = fmin(fmax(above / below, 0), s->tau_max);
    return s->tau;
}

static const struct yk_estimator_ops estimator = {
    .name = "window",
    .summary = "least squares of the lag over a sliding window",
    .reference = "an example",
    .params = params,
    .size = sizeof(struct window_estimator),
    .init = init,
    .fini = fini,
    .reset = reset,
    .update = update,
};

const struct yk_plugin yk_plugin = {YK_PLUGIN_ABI, .estimator = &estimator};
