/* Bounds shared by the estimators: the delay stays within [0, tau_max] and changes by at most `rate` per step; those
 * that divide by a velocity ignore velocities below a threshold. docs/theory/delay.md, eq. (25), (25a). */
#ifndef YOKE_ESTIMATE_BOUNDS_H
#define YOKE_ESTIMATE_BOUNDS_H

#include <yoke/transfer.h>

#define YK_BOUNDS_RATE  0.05      /* of dt: default limit for the change of a delay per step */
#define YK_BOUNDS_SLOW  0.3       /* of the rms velocity: slower motion is not used */
#define YK_BOUNDS_STILL 1e-3      /* m/s or rad/s: nor is motion below this, which may be noise */
enum { YK_BOUNDS_MEMORY = 1000 }; /* samples, of the rms velocity */

/* First in the struct of an estimator, so that settings and functions below fit into its table. */
struct yk_delay_bounds {
    double tau_max, rate; /* settings; s; rate 0: any */
    double dt;
    double tau;
    int samples;   /* since the reset, at most 3 */
    double square; /* mean, of the velocity */
    int count;     /* samples in it */
};

/* Estimators that compute the delay anew in every step
 * limit its rate by default; those that integrate or average do not. */
#define YK_BOUNDS_AUTOMATIC (-1.0) /* below the range of a setting: it follows from others */
#define YK_BOUNDS_TAU_MAX   YK_REAL(struct yk_delay_bounds, tau_max, YK_TIME, 0.1, 1e-6, 10, "largest accepted delay")
#define YK_BOUNDS_PARAMS                                                                                               \
    YK_BOUNDS_TAU_MAX, YK_REAL(struct yk_delay_bounds, rate, YK_TIME, 0, 0, 10, "largest change in a step; 0: any")
#define YK_BOUNDS_RATED_PARAMS                                                                                         \
    YK_BOUNDS_TAU_MAX, YK_REAL(struct yk_delay_bounds, rate, YK_TIME, YK_BOUNDS_AUTOMATIC, 0, 10,                      \
                               "largest change in a step; 0: any; automatic: 1/20 of the step")
#define YK_BOUNDS_V_MIN(owner, what)                                                                                   \
    YK_REAL(owner, v_min, YK_VELOCITY, YK_BOUNDS_AUTOMATIC, 0, 1e3,                                                    \
            "slowest " what " that is used; automatic: 0.3 of its rms, at least 0.001")

static inline enum yk_status yk_bounds_init(void *self, double dt, struct yk_arena *mem, struct yk_err *err)
{
    struct yk_delay_bounds *g = self;

    g->dt = dt;
    if (g->rate < 0)
        g->rate = YK_BOUNDS_RATE * dt;
    if (!(dt > 0 && isfinite(dt)))
        return yk_fail(err, YK_E_RANGE, "estimator: step = %g s is not above 0", dt);
    return YK_OK;
}

YK_RT static inline void yk_bounds_reset(void *self, double nominal)
{
    struct yk_delay_bounds *g = self;

    g->samples = g->count = 0;
    g->square = 0;
    g->tau = fmin(fmax(nominal, 0), g->tau_max); /* fmax also turns NaN into 0 */
}

/* Counts a sample; returns how many there are since the reset, at most 3. */
static inline int yk_bounds_count(struct yk_delay_bounds *g)
{
    g->samples += g->samples < 3;
    return g->samples;
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
