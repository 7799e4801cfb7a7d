/* Integrates the lag of the measured behind the desired displacement. docs/theory/delay.md, eq. (27).
 *
 *     tau <- tau + gain (y_d - y_m)/v_m,   v_m: backward difference of y_m
 *
 * For closed loops only, where the compensator makes the lag go away; in open loop it runs to its limit. */
#include "transfer/estimate/guard.h"

struct newton_desired {
    double tau_max, rate, gain, v_min;
    struct yk_delay_guard guard;
    double dt, measured; /* a step ago */
    bool started;
};

static enum yk_status init(void *self, double dt, struct yk_arena *mem, struct yk_err *err)
{
    struct newton_desired *s = self;

    s->dt = dt;
    return yk_guard_init(&s->guard, "newton-desired", dt, s->tau_max, s->rate, err);
}

YK_RT static void reset(void *self, double nominal)
{
    struct newton_desired *s = self;

    yk_guard_start(&s->guard, nominal);
    s->started = false;
}

YK_RT static double update(void *self, const struct yk_tracking *sample)
{
    struct newton_desired *s = self;

    if (!yk_tracking_finite(sample))
        return s->guard.tau;
    const double v = s->started ? (sample->measured - s->measured) / s->dt : 0;
    s->started = true;
    s->measured = sample->measured;
    if (!yk_guard_moves(&s->guard, v, s->v_min))
        return s->guard.tau;
    return yk_guard_accept(&s->guard, s->guard.tau + s->gain * (sample->desired - sample->measured) / v);
}

static const struct yk_param params[] = {
    YK_GUARD_PARAMS(struct newton_desired, 0),
    YK_REAL(struct newton_desired, gain, YK_NUMBER, 0.05, YK_TINY, 1,
            "share of the lag that is taken in a step; 1 is Newton's"),
    YK_GUARD_V_MIN(struct newton_desired, "motion"),
    YK_PARAM_END,
};

const struct yk_estimator_ops yk_estimator_newton_desired = {
    .name = "newton-desired",
    .summary = "integrates the lag of measured behind desired; closed loop only",
    .reference = "Wang 2012",
    .params = params,
    .size = sizeof(struct newton_desired),
    .init = init,
    .reset = reset,
    .update = update,
};
