/* A delay that is known: the nominal one. */
#include "transfer/estimate/bounds.h"

struct fixed {
    double tau_max;
    struct yk_delay_bounds bounds;
};

static enum yk_status init(void *self, double dt, struct yk_arena *mem, struct yk_err *err)
{
    struct fixed *s = self;

    return yk_bounds_init(&s->bounds, "fixed", dt, s->tau_max, 0, err);
}

YK_RT static void reset(void *self, double nominal)
{
    struct fixed *s = self;

    yk_bounds_start(&s->bounds, nominal);
}

YK_RT static double update(void *self, const struct yk_tracking *sample)
{
    return ((struct fixed *)self)->bounds.tau;
}

static const struct yk_param params[] = {
    YK_REAL(struct fixed, tau_max, YK_TIME, 10, 1e-6, 10, "largest accepted delay"),
    YK_PARAM_END,
};

const struct yk_estimator_ops yk_estimator_fixed = {
    .name = "fixed",
    .summary = "keeps the nominal delay",
    .reference = "-",
    .params = params,
    .size = sizeof(struct fixed),
    .init = init,
    .reset = reset,
    .update = update,
};
