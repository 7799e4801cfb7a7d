/* Internal model control with two degrees of freedom: one filter for the command, another for what the model does not
 * explain. docs/theory/control.md, eq. (43); Morari and Zafiriou 1989. With equal filters it is imc. Default model: the
 * actuator of the TT1 rig. Units: m, s. */
#include "transfer/control/internal_model.h"

struct imc2 {
    struct yk_internal_model m;
    double tracking_time, rejection_time;
    /* private */
    struct yk_inverse tracking, rejection;
    double command, tracked; /* input and output of the last tick, as in imc.c */
    double unexplained, rejected;
};

YK_RT static void reset(void *self, double x0)
{
    struct imc2 *s = self;

    s->command = x0;
    s->tracked = x0 / s->m.gain;
    s->unexplained = s->rejected = 0;
    yk_inverse_reset(&s->tracking, s->command, s->tracked);
    yk_inverse_reset(&s->rejection, 0, 0);
    yk_second_order_reset(&s->m.plant, x0);
}

static enum yk_status init(void *self, double h, struct yk_arena *mem, struct yk_err *err)
{
    struct imc2 *s = self;
    const enum yk_status st = yk_internal_model_init(&s->m, h, mem, err);

    if (st)
        return st;
    yk_inverse_init(&s->tracking, &s->m.plant.model, s->tracking_time, h);
    yk_inverse_init(&s->rejection, &s->m.plant.model, s->rejection_time, h);
    reset(s, 0);
    return YK_OK;
}

/* eq. (43) */
YK_RT static double step(void *self, double command, double measured)
{
    struct imc2 *s = self;
    struct yk_plant_output model;

    /* the tick that has just ended */
    yk_inverse_advance(&s->tracking, s->command, s->tracked);
    yk_inverse_advance(&s->rejection, s->unexplained, s->rejected);
    yk_second_order_step(&s->m.plant, s->tracked - s->rejected, &model);

    s->command = command;
    s->tracked = yk_inverse_output(&s->tracking, s->command);
    s->unexplained = measured - model.x;
    s->rejected = yk_inverse_output(&s->rejection, s->unexplained);
    return s->tracked - s->rejected;
}

/* Attributes the clipped part of the command to the tracking output. */
YK_RT static void clipped(void *self, double sent)
{
    struct imc2 *s = self;

    s->tracked = sent + s->rejected;
}

static const struct yk_param params[] = {
    YK_INTERNAL_MODEL_PARAMS,
    YK_REAL(struct imc2, tracking_time, YK_TIME, 0.005, 1e-9, 1e6, "filter of the command"),
    YK_REAL(struct imc2, rejection_time, YK_TIME, 0.010, 1e-9, 1e6, "filter of disturbance and model error"),
    YK_PARAM_END,
};

const struct yk_controller_ops yk_controller_imc2 = {
    .name = "imc2",
    .summary = "internal model control, filters for tracking and rejection",
    .reference = "Morari and Zafiriou 1989",
    .params = params,
    .size = sizeof(struct imc2),
    .init = init,
    .reset = reset,
    .step = step,
    .clipped = clipped,
};
