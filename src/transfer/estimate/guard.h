/* What every estimator has: a delay that stays within [0, tau_max] and moves by no more than `rate` a step.
 * docs/theory/delay.md, eq. (25). */
#ifndef YOKE_ESTIMATE_GUARD_H
#define YOKE_ESTIMATE_GUARD_H

#include <yoke/transfer.h>

struct yk_delay_guard {
    double tau_max, rate; /* s; rate 0: any */
    double tau;
};

/* The settings and their place in the estimator's own struct. */
#define YK_GUARD_PARAMS(owner)                                                                                         \
    YK_REAL(owner, tau_max, YK_TIME, 0.1, 1e-6, 10, "largest delay that is believed"),                                 \
        YK_REAL(owner, rate, YK_TIME, 0, 0, 10, "largest change in a step; 0: any")

static inline enum yk_status yk_guard_init(struct yk_delay_guard *g, const char *name, double dt, double tau_max,
                                           double rate, struct yk_err *err)
{
    *g = (struct yk_delay_guard){.tau_max = tau_max, .rate = rate};
    if (!(dt > 0 && isfinite(dt)))
        return yk_fail(err, YK_E_RANGE, "%s: step = %g s is not above 0", name, dt);
    return YK_OK;
}

static inline double yk_guard_start(struct yk_delay_guard *g, double nominal)
{
    return g->tau = fmin(fmax(nominal, 0), g->tau_max); /* fmax also turns NaN into 0 */
}

/* Moves towards `tau` as far as is allowed; stays where that is not a number. */
static inline double yk_guard_accept(struct yk_delay_guard *g, double tau)
{
    if (!isfinite(tau))
        return g->tau;
    if (g->rate > 0)
        tau = fmin(fmax(tau, g->tau - g->rate), g->tau + g->rate);
    return g->tau = fmin(fmax(tau, 0), g->tau_max);
}

static inline bool yk_tracking_finite(const struct yk_tracking *sample)
{
    return isfinite(sample->desired) && isfinite(sample->command) && isfinite(sample->measured);
}

#endif
