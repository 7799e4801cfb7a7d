/* Hermite polynomial through the newest target and the one before, with velocities. docs/theory/delay.md, eq. (8)-(9).
 *
 *     order 2: x_c = (1 - eta^2) x1 + eta^2 x0 + (eta + eta^2) D v1
 *     order 3: x_c = (1 - 3 eta^2 - 2 eta^3) x1 + (3 eta^2 + 2 eta^3) x0
 *                    + (eta + 2 eta^2 + eta^3) D v1 + (eta^2 + eta^3) D v0
 *
 * For integrators whose targets have a velocity that fits the displacement. Pairs: `half` the target before, whatever
 * its stage; `full` the one of the same stage a step before. Stage values of low accuracy spoil order 3 with `half`. */
#include "transfer/compensate/past.h"

enum { AUTO, HALF, FULL };

struct velocity {
    int order, data;
    double D;
    int rows;
    double delay;                                    /* of the weights */
    double wx1, wx0, wv1, wv0;                       /* on x1, x0, v1, v0 */
    double x[YK_TARGET_STAGES], v[YK_TARGET_STAGES]; /* the target before, of every kind */
};

YK_RT static void renew(struct velocity *s, double delay)
{
    const double eta = yk_past_eta(delay, s->D), eta2 = eta * eta, eta3 = eta2 * eta;

    s->delay = delay;
    s->wx0 = s->order == 2 ? eta2 : 3 * eta2 + 2 * eta3;
    s->wx1 = 1 - s->wx0;
    s->wv1 = s->D * (s->order == 2 ? eta + eta2 : eta + 2 * eta2 + eta3);
    s->wv0 = s->D * (s->order == 2 ? 0 : eta2 + eta3);
}

static enum yk_status init(void *self, double dt, int stages, struct yk_err *err)
{
    struct velocity *s = self;
    const bool half = s->data == HALF || (s->data == AUTO && s->order == 2);

    if (!(dt > 0 && isfinite(dt)))
        return yk_fail(err, YK_E_RANGE, "velocity: step = %g s is not above 0", dt);
    if (stages < 1 || stages > YK_TARGET_STAGES)
        return yk_fail(err, YK_E_RANGE, "velocity: %d targets in a step, outside 1 .. %d", stages, YK_TARGET_STAGES);
    s->rows = half ? 1 : stages;
    s->D = half ? dt / stages : dt;
    renew(s, 0);
    return YK_OK;
}

YK_RT static void reset(void *self, double x0)
{
    struct velocity *s = self;

    for (int i = 0; i < YK_TARGET_STAGES; i++) {
        s->x[i] = x0;
        s->v[i] = 0;
    }
}

YK_RT static double predict(void *self, const struct yk_target *target, double delay)
{
    struct velocity *s = self;
    const int row = s->rows > 1 ? target->stage : 0;
    const double x0 = s->x[row], v0 = s->v[row];

    if (delay != s->delay)
        renew(s, delay);
    s->x[row] = target->x;
    s->v[row] = target->v;
    return s->wx1 * target->x + s->wx0 * x0 + s->wv1 * target->v + s->wv0 * v0;
}

static const struct yk_param params[] = {
    YK_COUNT(struct velocity, order, 2, 2, 3, "of the polynomial"),
    YK_CHOICE(struct velocity, data, "auto|half|full", AUTO,
              "the target before: of any stage, or a full step before; auto is half for order 2, full for order 3"),
    YK_PARAM_END,
};

const struct yk_compensator_ops yk_compensator_velocity = {
    .name = "velocity",
    .summary = "extrapolates the last two targets with their velocities",
    .reference = "Wang 2012",
    .params = params,
    .size = sizeof(struct velocity),
    .init = init,
    .reset = reset,
    .predict = predict,
};
