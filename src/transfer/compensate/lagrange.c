/* Polynomial through the last targets, read ahead of the newest. docs/theory/delay.md, eq. (4).
 *
 *     x_c = sum_j a_j x[i+1-j],   a_j = prod_{m != j} (eta + m)/(m - j),   j, m = 0 .. order,   eta = delay/D
 *
 * Exact for polynomials in time up to `order`. D: the distance of the nodes; with spacing: double every second target
 * is one, for delays of several steps. Starts from a history at rest. */
#include "transfer/compensate/past.h"

struct lagrange {
    struct yk_past past;
    int order, spacing, data;
    double apart;
    int stride;   /* targets from node to node */
    double delay; /* of the weights */
    struct yk_weights weights;
};

YK_RT static void renew(struct lagrange *s, double delay)
{
    s->delay = delay;
    yk_past_weights(&s->weights, s->order, yk_past_eta(delay, s->stride * s->past.D));
}

static enum yk_status init(void *self, double dt, int stages, struct yk_arena *mem, struct yk_err *err)
{
    struct lagrange *s = self;
    const enum yk_status st = yk_past_init(&s->past, "lagrange", dt, stages, s->data, s->apart, mem, err);

    s->stride = s->spacing + 1;
    if (!st)
        renew(s, 0);
    return st;
}

YK_RT static double predict(void *self, const struct yk_target *target, double delay)
{
    struct lagrange *s = self;
    const double *row = yk_past_push(&s->past, target);

    if (delay != s->delay)
        renew(s, delay);
    return yk_past_sum(s->order, s->weights.w[0], row, s->stride);
}

static const struct yk_param params[] = {
    YK_COUNT(struct lagrange, order, 3, 1, YK_PAST_ORDER, "order of the polynomial"),
    YK_CHOICE(struct lagrange, spacing, "step|double", 0,
              "nodes of the polynomial: every target, or every second one for long delays"),
    YK_CHOICE(struct lagrange, data, YK_PAST_CHOICES, YK_PAST_STEP, YK_PAST_HELP),
    YK_PAST_APART(struct lagrange),
    YK_PARAM_END,
};

const struct yk_compensator_ops yk_compensator_lagrange = {
    .name = "lagrange",
    .summary = "extrapolates the polynomial through the last targets",
    .reference = "Horiuchi et al. 1999; Nakashima & Masaoka 1999",
    .params = params,
    .size = sizeof(struct lagrange),
    .init = init,
    .reset = yk_past_reset,
    .predict = predict,
};
