/* Internal model control: the inverse of a model of the plant, fed with the command less what the model does not
 * explain. docs/theory/control.md, eq. (38)-(42); Garcia and Morari 1982. Default model: the actuator of the TT1 rig.
 * The command that was sent goes into the model and the states of the inverse, which keeps them from winding up.
 * Units: m, s. */
#include "transfer/control/internal_model.h"

struct imc {
    struct yk_internal_model m;
    double filter;
    /* private */
    struct yk_inverse inverse;
    double error, output; /* of the last tick; they enter the states at the next, once it is known what was sent */
};

YK_RT static void reset(void *self, double x0)
{
    struct imc *s = self;

    s->error = x0;
    s->output = x0 / s->m.gain;
    yk_inverse_reset(&s->inverse, s->error, s->output);
    yk_second_order_reset(&s->m.plant, x0);
}

static enum yk_status init(void *self, double h, struct yk_arena *mem, struct yk_err *err)
{
    struct imc *s = self;
    const enum yk_status st = yk_internal_model_init(&s->m, h, mem, err);

    if (st)
        return st;
    yk_inverse_init(&s->inverse, &s->m.plant.model, s->filter, h);
    reset(s, 0);
    return YK_OK;
}

/* eq. (42) */
YK_RT static double step(void *self, double command, double measured)
{
    struct imc *s = self;
    struct yk_plant_output model;

    /* the tick that has just ended */
    yk_inverse_advance(&s->inverse, s->error, s->output);
    yk_second_order_step(&s->m.plant, s->output, &model);

    s->error = command - (measured - model.x);
    s->output = yk_inverse_output(&s->inverse, s->error);
    return s->output;
}

YK_RT static void clipped(void *self, double sent)
{
    struct imc *s = self;

    s->output = sent;
}

static const struct yk_param params[] = {
    YK_INTERNAL_MODEL_PARAMS,
    YK_REAL(struct imc, filter, YK_TIME, 0.006, 1e-9, 1e6,
            "time constant T of the filter 1/(T s + 1)^2: short is fast, long is robust"),
    YK_PARAM_END,
};

const struct yk_controller_ops yk_controller_imc = {
    .name = "imc",
    .summary = "internal model control",
    .reference = "Garcia and Morari 1982",
    .params = params,
    .size = sizeof(struct imc),
    .init = init,
    .reset = reset,
    .step = step,
    .clipped = clipped,
};
