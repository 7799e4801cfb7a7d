/* What estimators share: a delay that stays within [0, tau_max] and changes by at most `rate` per step, and, for those
 * that divide by a velocity, a threshold for velocities that are too low. docs/theory/delay.md, eq. (25), (25a). */
#ifndef YOKE_ESTIMATE_BOUNDS_H
#define YOKE_ESTIMATE_BOUNDS_H

#include <yoke/transfer.h>

#define YK_BOUNDS_RATE  0.05      /* of a step: what a delay changes by in a step, where nothing else is said */
#define YK_BOUNDS_SLOW  0.3       /* of the rms velocity: slower motion tells too little */
#define YK_BOUNDS_STILL 1e-3      /* m/s or rad/s: and this anyway, which may be noise */
enum { YK_BOUNDS_MEMORY = 1000 }; /* samples, of the rms velocity */

struct yk_delay_bounds {
    double tau_max, rate; /* s; rate 0: any */
    double tau;
    double square; /* mean, of the velocity */
    int count;     /* samples in it */
};

/* The settings and their place in the estimator's own struct. Estimators that compute the delay anew in every step
 * limit its rate by default; those that integrate or average do not. */
#define YK_BOUNDS_AUTOMATIC (-1.0) /* below the range of a setting: it follows from others */
#define YK_BOUNDS_PARAMS(owner)                                                                                        \
    YK_REAL(owner, tau_max, YK_TIME, 0.1, 1e-6, 10, "largest accepted delay"),                                         \
        YK_REAL(owner, rate, YK_TIME, 0, 0, 10, "largest change in a step; 0: any")
#define YK_BOUNDS_RATED_PARAMS(owner)                                                                                  \
    YK_REAL(owner, tau_max, YK_TIME, 0.1, 1e-6, 10, "largest accepted delay"),                                         \
        YK_REAL(owner, rate, YK_TIME, YK_BOUNDS_AUTOMATIC, 0, 10,                                                      \
                "largest change in a step; 0: any; automatic: 1/20 of the step")
#define YK_BOUNDS_V_MIN(owner, what)                                                                                   \
    YK_REAL(owner, v_min, YK_VELOCITY, YK_BOUNDS_AUTOMATIC, 0, 1e3,                                                    \
            "slowest " what " that is used; automatic: 0.3 of its rms, at least 0.001")

static inline enum yk_status yk_bounds_init(struct yk_delay_bounds *g, const char *name, double dt, double tau_max,
                                            double rate, struct yk_err *err)
{
    *g = (struct yk_delay_bounds){.tau_max = tau_max, .rate = rate < 0 ? YK_BOUNDS_RATE * dt : rate};
    if (!(dt > 0 && isfinite(dt)))
        return yk_fail(err, YK_E_RANGE, "%s: step = %g s is not above 0", name, dt);
    return YK_OK;
}

static inline double yk_bounds_start(struct yk_delay_bounds *g, double nominal)
{
    g->square = 0;
    g->count = 0;
    return g->tau = fmin(fmax(nominal, 0), g->tau_max); /* fmax also turns NaN into 0 */
}

/* eq. (25a): is v high enough to estimate a delay? v_min negative: compared with its recent rms. */
static inline bool yk_bounds_moves(struct yk_delay_bounds *g, double v, double v_min)
{
    g->count += g->count < YK_BOUNDS_MEMORY;
    g->square += (v * v - g->square) / g->count;
    return fabs(v) > (v_min >= 0 ? v_min : fmax(YK_BOUNDS_SLOW * sqrt(g->square), YK_BOUNDS_STILL));
}

/* Moves towards `tau` as far as allowed; ignores values that are not finite. */
static inline double yk_bounds_accept(struct yk_delay_bounds *g, double tau)
{
    if (!isfinite(tau))
        return g->tau;
    if (g->rate > 0)
        tau = fmin(fmax(tau, g->tau - g->rate), g->tau + g->rate);
    return g->tau = fmin(fmax(tau, 0), g->tau_max);
}

static inline bool yk_tracking_finite(const struct yk_tracking *sample)
{
    return isfinite(sample->target) && isfinite(sample->command) && isfinite(sample->measured);
}

#endif
