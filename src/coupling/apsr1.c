/* APSR1: inter-field parallel one-stage Rosenbrock coupling with subcycling. docs/theory/couplings.md, eq. (14).
 *
 *     A:  a_{i+2} = a_i + S1(a_i; 2 dt, lambda_i)                 two interleaved chains, one step ahead of B
 *     B:  ss steps of dt/ss, A on the straight line a_i .. a_{i+1}
 *
 * One exchange in a system step. Order 1. Units: N, m, s. */
#include "coupling/sides.h"

enum { CHAINS = 2 };

struct apsr1 {
    struct yk_sides pair;
    struct yk_side_stages first;    /* of A with step dt, for a_1 */
    struct yk_instant ahead, after; /* a_{i+1}, a_{i+2} */
};

static void layout(void *self, const struct yk_coupled *c, struct yk_arena *mem)
{
    struct apsr1 *s = self;

    yk_sides_layout(&s->pair, c, mem);
    yk_side_stages_layout(&s->first, &c->side[YK_COARSE], c->rows, mem);
    yk_instant_layout(&s->ahead, c, YK_COARSE, mem);
    yk_instant_layout(&s->after, c, YK_COARSE, mem);
}

static enum yk_status init(void *self, struct yk_coupled *c, struct yk_arena *mem, struct yk_err *err)
{
    struct apsr1 *s = self;
    enum yk_status st;

    s->pair.plan = (struct yk_schedule){.phases = 1, .substeps = c->substeps, .stages = 1};
    s->pair.from = &s->pair.leg[YK_COARSE].now;
    s->pair.to = &s->ahead;
    if ((st = yk_sides_init(self, c, &(struct yk_sides_steps){2 * c->dt, c->dt / c->substeps, 1, false}, mem, err)))
        return st;
    return yk_sides_stages(&s->pair, YK_COARSE, c->dt, 1, false, &s->first, mem, err);
}

static void fini(void *self)
{
    yk_side_stages_fini(&((struct apsr1 *)self)->first);
    yk_sides_fini(self);
}

static enum yk_status resume(void *self)
{
    struct apsr1 *s = self;
    enum yk_status st = yk_sides_resume(self);

    /* last, as in a step: tangents may depend on the load of the last evaluation */
    yk_leg_evaluate(&s->pair.leg[YK_COARSE], yk_sides_time(&s->pair, 1), &s->ahead);
    return st;
}

/* a_1 is one step of APNR1. */
static enum yk_status start(void *self)
{
    struct apsr1 *s = self;
    struct yk_leg *leg = &s->pair.leg[YK_COARSE];

    yk_sides_start(self);
    leg->block = &s->first;
    yk_leg_first(leg, &leg->now, &s->pair.step, 1, &s->ahead);
    leg->block = &leg->own;
    return resume(self);
}

YK_RT static enum yk_status coarse(void *self, int phase)
{
    struct apsr1 *s = self;
    struct yk_leg *leg = &s->pair.leg[YK_COARSE];

    yk_leg_first(leg, &leg->now, &s->pair.step, 1, &s->after);
    yk_leg_evaluate(leg, yk_sides_time(&s->pair, 2), &s->after);
    return YK_OK;
}

YK_RT static enum yk_status sync(void *self, int phase)
{
    struct apsr1 *s = self;
    struct yk_leg *leg = &s->pair.leg[YK_COARSE];

    yk_instant_swap(&leg->now, &s->ahead);
    yk_instant_swap(&s->ahead, &s->after);
    yk_side_follow(leg->side, s->pair.c->step + 1, CHAINS);
    yk_leg_commit(leg, yk_sides_time(&s->pair, 1));
    yk_sides_meet(&s->pair, &leg->now);
    return YK_OK;
}

static size_t state(void *self, struct yk_span *spans, size_t most)
{
    struct apsr1 *s = self;
    const struct yk_leg *leg = s->pair.leg;

    spans[0] = yk_leg_span(&leg[YK_COARSE], &leg[YK_COARSE].now);
    spans[1] = yk_leg_span(&leg[YK_COARSE], &s->ahead);
    spans[2] = yk_leg_span(&leg[YK_FINE], &leg[YK_FINE].now);
    return 3;
}

static const struct yk_coupling_evidence evidence = {
    .order = 1,
    .order_subcycled = 1,
    .solve = yk_sides_solve,
    .solves = {{1, 0}, {0, 1}},
    .multipliers = {0, 1},
    .loads = {-1, 1},
};

const struct yk_coupling_ops yk_coupling_apsr1 = {
    .name = "apsr1",
    .summary = "inter-field parallel one-stage Rosenbrock with subcycling",
    .reference = "Jia 2010, chapter 7",
    .exchange = "interface accelerations of both sides, once a step; the coarse one a step ahead",
    .startup = "one APNR1 step of the coarse side",
    .caps = YK_COUPLING_PARALLEL,
    .stages = 1,
    .chains = CHAINS,
    .cycle_steps = 1,
    .params = yk_sides_one_stage,
    .size = sizeof(struct apsr1),
    YK_OWN_PREPARATION,
    .coarse = coarse,
    .sync = sync,
    YK_OWN_STATE,
    YK_PAIR_CHORD_FUNCTIONS,
    .evidence = &evidence,
};
