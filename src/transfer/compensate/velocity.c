/* Hermite polynomial through the newest target and the one before, with velocities. docs/theory/delay.md, eq. (8)-(9).
 *
 *     order 2: x_c = (1 - eta^2) x1 + eta^2 x0 + (eta + eta^2) D v1
 *     order 3: x_c = (1 - 3 eta^2 - 2 eta^3) x1 + (3 eta^2 + 2 eta^3) x0
 *                    + (eta + 2 eta^2 + eta^3) D v1 + (eta^2 + eta^3) D v0
 *
 * For integrators whose targets have a velocity that fits the displacement. Pairs: `half` the target before, whatever
 * its stage; `full` the one of the same stage a step before; `mixed` the end of the last step, so that D is half a step
 * at the middle and a step at the end. Stage values of low accuracy spoil order 3 with `half`. */
#include "transfer/compensate/past.h"

enum { AUTO, HALF, FULL, MIXED };

/* One stage: where the other target of the pair is kept, how long ago it was due, and the weights for `delay`. */
struct pair {
    int from, to; /* rows that are read and, afterwards, written */
    double D, delay;
    double wx1, wx0, wv1, wv0; /* on x1, x0, v1, v0 */
};

struct velocity {
    int order, data;
    struct pair pair[YK_TARGET_STAGES];              /* by stage */
    double x[YK_TARGET_STAGES], v[YK_TARGET_STAGES]; /* the target before, of every kind */
};

YK_RT static void renew(struct pair *p, int order, double delay)
{
    const double eta = yk_past_eta(delay, p->D), eta2 = eta * eta, eta3 = eta2 * eta;

    p->delay = delay;
    p->wx0 = order == 2 ? eta2 : 3 * eta2 + 2 * eta3;
    p->wx1 = 1 - p->wx0;
    p->wv1 = p->D * (order == 2 ? eta + eta2 : eta + 2 * eta2 + eta3);
    p->wv0 = p->D * (order == 2 ? 0 : eta2 + eta3);
}

/* The pair of one stage, by the choice of `data`. */
static struct pair pair_of(int data, double dt, int stage, int stages)
{
    switch (data) {
    case HALF:
        return (struct pair){.from = 0, .to = 0, .D = dt / stages};
    case MIXED:
        return (struct pair){.from = stages - 1, .to = stage, .D = dt * (stage + 1) / stages};
    default:
        return (struct pair){.from = stage, .to = stage, .D = dt};
    }
}

static enum yk_status init(void *self, double dt, int stages, struct yk_arena *mem, struct yk_err *err)
{
    struct velocity *s = self;
    const int data = s->data != AUTO ? s->data : s->order == 2 ? HALF : FULL;
    enum yk_status st;

    if ((st = yk_past_check("velocity", dt, stages, err)))
        return st;
    for (int stage = 0; stage < stages; stage++) {
        s->pair[stage] = pair_of(data, dt, stage, stages);
        renew(&s->pair[stage], s->order, 0);
    }
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
    struct pair *p = &s->pair[target->stage];
    const double x0 = s->x[p->from], v0 = s->v[p->from];

    if (delay != p->delay)
        renew(p, s->order, delay);
    s->x[p->to] = target->x;
    s->v[p->to] = target->v;
    return p->wx1 * target->x + p->wx0 * x0 + p->wv1 * target->v + p->wv0 * v0;
}

static const struct yk_param params[] = {
    YK_COUNT(struct velocity, order, 2, 2, 3, "order of the polynomial"),
    YK_CHOICE(struct velocity, data, "auto|half|full|mixed", AUTO,
              "which earlier target is used: the previous one (half), that of the same stage one step before (full), "
              "or the end of the last step (mixed); auto: half for order 2, full for order 3"),
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
