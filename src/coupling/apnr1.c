/* APNR1: parallel one-stage Rosenbrock coupling without subcycling. docs/theory/couplings.md, eq. (9).
 *
 *     y_{k+1} = y_k + h W [F(y_k) + B lambda_k]   on both sides,   lambda from acceleration continuity
 *
 * Order 1; stable for every step from gamma = 1/2; the displacement gap drifts as O(dt). Units: N, m, s; h = dt. */
#include "coupling/sides.h"

static enum yk_status init(void *self, struct yk_coupled *c, struct yk_arena *mem, struct yk_err *err)
{
    struct yk_sides *s = self;

    s->plan = (struct yk_schedule){.phases = 1, .substeps = 1, .stages = 1};
    return yk_sides_init(s, c, &(struct yk_sides_steps){c->dt, c->dt, 1, false}, mem, err);
}

static const struct yk_coupling_evidence evidence = {
    .order = 1,
    .solve = yk_sides_solve,
    .solves = {{1, 0}, {1, 0}},
    .multipliers = {1, 0},
};

const struct yk_coupling_ops yk_coupling_apnr1 = {
    .name = "apnr1",
    .summary = "parallel one-stage Rosenbrock, acceleration continuity, no subcycling",
    .reference = "Jia 2010, chapter 5",
    .exchange = "interface accelerations of both sides, once a step",
    YK_SIDES_WITHOUT_SUBSTEPS,
    .stages = 1,
    .params = yk_sides_one_stage,
    .size = sizeof(struct yk_sides),
    .init = init,
    YK_PAIR_JOINT_FUNCTIONS,
    .evidence = &evidence,
};
