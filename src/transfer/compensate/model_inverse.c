/* Feed-forward through the inverse of a lag with dead time. docs/theory/delay.md, eq. (12)-(13).
 *
 *     lag:      first order  T dx/dt + x = u,   second order  x''/w^2 + 2 zeta x'/w + x = u,   u late by theta
 *     command:  x_c = (q(theta) + b1 q'(theta) + b2 q''(theta))/gain
 *
 * q: polynomial of `order` through the last targets; theta: dead time; b1, b2: coefficients of the lag. The delay given
 * with a target is that of the whole actuator at low frequency, so theta = delay - b1, not below 0. */
#include "transfer/compensate/past.h"

enum { FIRST, SECOND };

struct model_inverse {
    struct yk_past past;
    int model, order, data;
    double gain, time_constant, frequency, damping, apart;
    double b1, b2; /* s, s2 */
    double delay;  /* of the weights */
    double w[YK_PAST_ORDER + 1];
};

/* eq. (13): value, slope and curvature taken together */
YK_RT static void renew(struct model_inverse *s, double delay)
{
    const double D = s->past.D;
    struct yk_weights weights;

    s->delay = delay;
    yk_past_weights(&weights, s->order, yk_past_eta(delay - s->b1, D));
    for (int j = 0; j <= s->order; j++)
        s->w[j] = (weights.w[0][j] + s->b1 / D * weights.w[1][j] + s->b2 / (D * D) * weights.w[2][j]) / s->gain;
}

static enum yk_status init(void *self, double dt, int stages, struct yk_arena *mem, struct yk_err *err)
{
    struct model_inverse *s = self;
    const double omega = 2 * 3.14159265358979323846 * s->frequency;
    const enum yk_status st = yk_past_init(&s->past, "model-inverse", dt, stages, s->data, s->apart, mem, err);

    if (st)
        return st;
    if (s->model == SECOND && s->order < 2)
        return yk_fail(err, YK_E_INPUT, "model-inverse: order = %d has no curvature; a second-order model needs 2",
                       s->order);
    s->b1 = s->model == FIRST ? s->time_constant : 2 * s->damping / omega;
    s->b2 = s->model == FIRST ? 0 : 1 / (omega * omega);
    renew(s, 0);
    return YK_OK;
}

YK_RT static double predict(void *self, const struct yk_target *target, double delay)
{
    struct model_inverse *s = self;
    const double *row = yk_past_push(&s->past, target);

    if (delay != s->delay)
        renew(s, delay);
    return yk_past_sum(s->order, s->w, row, 1);
}

static const struct yk_param params[] = {
    YK_CHOICE(struct model_inverse, model, "first|second", SECOND, "order of the lag"),
    YK_REAL(struct model_inverse, time_constant, YK_TIME, 0.01, 0, 10,
            YK_WHEN("model=first", "time constant of a first-order lag")),
    YK_REAL(struct model_inverse, frequency, YK_FREQUENCY, 16, 1e-3, 1e4,
            YK_WHEN("model=second", "natural frequency of a second-order lag")),
    YK_REAL(struct model_inverse, damping, YK_NUMBER, 0.8, 0, 10,
            YK_WHEN("model=second", "damping ratio of a second-order lag")),
    YK_REAL(struct model_inverse, gain, YK_NUMBER, 1, 1e-6, 1e6, "static gain of the lag"),
    YK_COUNT(struct model_inverse, order, 3, 1, YK_PAST_ORDER, "order of the polynomial through the targets"),
    YK_CHOICE(struct model_inverse, data, YK_PAST_CHOICES, YK_PAST_STEP, YK_PAST_HELP),
    YK_PAST_APART(struct model_inverse),
    YK_PARAM_END,
};

const struct yk_compensator_ops yk_compensator_model_inverse = {
    .name = "model-inverse",
    .summary = "inverts a lag of first or second order with dead time",
    .reference = "Carrion & Spencer 2007",
    .params = params,
    .size = sizeof(struct model_inverse),
    .init = init,
    .reset = yk_past_reset,
    .predict = predict,
};
