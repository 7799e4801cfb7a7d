/* APNR2: parallel two-stage Rosenbrock coupling without subcycling. docs/theory/couplings.md, eq. (10).
 *
 *     stage 1: k1 = h W [F(y_k) + B lambda_k],            ym = y_k + k1/2
 *     stage 2: k2 = h W [F(ym) + B lambda_m - gamma J k1],   y_{k+1} = y_k + k2
 *
 * on both sides, with lambda from acceleration continuity at each stage. Order 2; stable for every step on structures
 * without floating parts; the displacement gap drifts as O(dt^2). Units: N, m, s; h = dt. */
#include "coupling/sides.h"

static enum yk_status init(void *self, struct yk_coupled *c, struct yk_arena *mem, struct yk_err *err)
{
    struct yk_sides *s = self;

    s->plan = (struct yk_schedule){.phases = 2, .substeps = 1, .stages = 1}; /* a stage is a phase */
    return yk_sides_init(s, c, &(struct yk_sides_steps){c->dt, c->dt, 1, false}, mem, err);
}

static const struct yk_coupling_evidence evidence = {
    .order = 2,
    .solve = yk_sides_solve,
    .solves = {{2, 0}, {2, 0}},
    .multipliers = {2, 0},
};

const struct yk_coupling_ops yk_coupling_apnr2 = {
    .name = "apnr2",
    .summary = "parallel two-stage Rosenbrock, acceleration continuity, no subcycling",
    .reference = "Jia 2010, chapter 5",
    .exchange = "interface accelerations of both sides, twice a step",
    YK_SIDES_WITHOUT_SUBSTEPS,
    .stages = 2,
    .params = yk_sides_two_stage,
    .size = sizeof(struct yk_sides),
    .init = init,
    YK_PAIR_JOINT_FUNCTIONS,
    .evidence = &evidence,
};
