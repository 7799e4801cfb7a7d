/* ASSR1: staggered one-stage Rosenbrock coupling with subcycling. docs/theory/couplings.md, eq. (11).
 *
 *     A:  yA_{k+1} = yA_k + S1(yA_k; dt, lambda_k)
 *     B:  ss steps of dt/ss, each with lambda from its own state and A on the straight line yA_k .. yA_{k+1}
 *
 * Order 1; no unstable step found for gamma = 1; with one substep it is APNR1. Units: N, m, s. */
#include "coupling/sides.h"

static enum yk_status init(void *self, struct yk_coupled *c, struct yk_arena *mem, struct yk_err *err)
{
    struct yk_sides *s = self;

    s->plan = (struct yk_schedule){.phases = 1, .substeps = c->substeps, .stages = 1};
    s->from = &s->leg[YK_COARSE].now;
    s->to = &s->leg[YK_COARSE].middle;
    return yk_sides_init(s, c, &(struct yk_sides_steps){c->dt, c->dt / c->substeps, 1, false}, mem, err);
}

YK_RT static enum yk_status coarse(void *self, int phase)
{
    struct yk_sides *s = self;
    struct yk_leg *leg = &s->leg[YK_COARSE];

    yk_leg_first(leg, &leg->now, &s->step, 1, &leg->middle);
    yk_leg_evaluate(leg, yk_sides_time(s, 1), &leg->middle);
    return YK_OK;
}

YK_RT static enum yk_status sync(void *self, int phase)
{
    struct yk_sides *s = self;
    struct yk_leg *leg = &s->leg[YK_COARSE];

    yk_instant_swap(&leg->now, &leg->middle);
    yk_leg_commit(leg, yk_sides_time(s, 1));
    yk_sides_meet(s, &leg->now);
    return YK_OK;
}

static const struct yk_coupling_evidence evidence = {
    .order = 1,
    .order_subcycled = 1,
    .solve = yk_sides_solve,
    .solves = {{1, 0}, {0, 1}},
    .multipliers = {0, 1},
    .loads = {-1, 1},
};

const struct yk_coupling_ops yk_coupling_assr1 = {
    .name = "assr1",
    .summary = "staggered one-stage Rosenbrock with subcycling, acceleration continuity",
    .reference = "Jia 2010, chapter 6",
    .exchange = "the coarse step first; then its interface acceleration at both ends",
    .stages = 1,
    .params = yk_sides_one_stage,
    .size = sizeof(struct yk_sides),
    .layout = yk_sides_layout,
    .init = init,
    YK_PAIR_STAGGERED_FUNCTIONS,
    .evidence = &evidence,
};
