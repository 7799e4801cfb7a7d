/* A delay that is known: the nominal one. */
#include "transfer/estimate/bounds.h"

YK_RT static double update(void *self, const struct yk_tracking *sample)
{
    return ((struct yk_delay_bounds *)self)->tau;
}

static const struct yk_param params[] = {
    YK_REAL(struct yk_delay_bounds, tau_max, YK_TIME, 10, 1e-6, 10, "largest accepted delay"),
    YK_PARAM_END,
};

const struct yk_estimator_ops yk_estimator_fixed = {
    .name = "fixed",
    .summary = "keeps the nominal delay",
    .reference = "-",
    .params = params,
    .size = sizeof(struct yk_delay_bounds),
    .init = yk_bounds_init,
    .reset = yk_bounds_reset,
    .update = update,
};
