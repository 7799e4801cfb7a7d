/* VPNR1: parallel one-stage Rosenbrock coupling with projected velocities. docs/theory/couplings.md, eq. (17).
 *
 *     y* = y_k + S1(y_k; dt, L_k),   y_{k+1} = y* + B phi,   L_{k+1} = L_k + (2/dt) phi,   H phi = -sum C y*
 *
 * The force of y_{k+1} is asked for in the step that ends there, so a step begins with y_{k+1} known. L has memory and
 * is not reported: `lambda` is that of acceleration continuity. Order 1; stable for every step from gamma = 1/2; no
 * velocity gap. Units: N, m, s. */
#include "coupling/sides.h"

#include <string.h>

struct vpnr1 {
    struct yk_sides pair; /* `middle` of a leg is y_{k+1} */
    double *L;            /* state: L_k */
    struct yk_push ahead; /* L_{k+1} */
    double *phi;
};

static void layout(void *self, const struct yk_coupled *c, struct yk_arena *mem)
{
    struct vpnr1 *s = self;

    yk_sides_layout(&s->pair, c, mem);
    yk_push_layout(&s->ahead, c, false, mem);
    yk_arena_array(mem, &s->L, c->rows);
    yk_arena_array(mem, &s->phi, c->rows);
}

static enum yk_status init(void *self, struct yk_coupled *c, struct yk_arena *mem, struct yk_err *err)
{
    struct yk_sides *s = self;

    s->plan = (struct yk_schedule){.phases = 1, .substeps = 1, .stages = 1};
    return yk_sides_init(s, c, &(struct yk_sides_steps){c->dt, c->dt, 1, false}, mem, err);
}

/* y_{k+1} and L_{k+1} from the y* that the legs hold */
YK_RT static void look_ahead(struct vpnr1 *s)
{
    struct yk_leg *leg = s->pair.leg;

    yk_sides_project(&s->pair, &leg[YK_COARSE].middle, &leg[YK_FINE].middle, s->phi);
    yk_combine(s->pair.c->rows, s->L, 2 / s->pair.c->dt, s->phi, s->ahead.lambda);
}

static enum yk_status resume(void *self)
{
    struct vpnr1 *s = self;

    yk_sides_resume(self);
    memcpy(s->ahead.lambda, s->L, s->pair.c->rows * sizeof *s->L);
    for (int i = 0; i < YK_SIDES; i++)
        yk_leg_first(&s->pair.leg[i], &s->pair.leg[i].now, &s->ahead, 1, &s->pair.leg[i].middle);
    look_ahead(s);
    return YK_OK;
}

static enum yk_status start(void *self)
{
    struct vpnr1 *s = self;

    yk_sides_start(self);
    memcpy(s->L, s->pair.step.lambda, s->pair.c->rows * sizeof *s->L);
    return resume(self);
}

/* The slope of the next step, as soon as the force in y_{k+1} is known. */
YK_RT static void slope(struct vpnr1 *s, int side)
{
    struct yk_leg *leg = &s->pair.leg[side];

    yk_leg_keep(leg, &leg->middle);
    yk_instant_swap(&leg->now, &leg->middle);
    yk_leg_first(leg, &leg->now, &s->ahead, 1, &leg->middle);
}

YK_RT static enum yk_status coarse(void *self, int phase)
{
    struct vpnr1 *s = self;
    struct yk_leg *leg = &s->pair.leg[YK_COARSE];

    yk_side_evaluate(leg->side, yk_sides_time(&s->pair, 1), leg->middle.y, leg->middle.y + leg->side->n);
    slope(s, YK_COARSE);
    return YK_OK;
}

YK_RT static void fine_target(void *self, int phase, int substep, int stage, struct yk_kinematics *want)
{
    struct vpnr1 *s = self;
    struct yk_leg *leg = &s->pair.leg[YK_FINE];

    *want = (struct yk_kinematics){.c = 1, .u = leg->middle.y, .v = leg->middle.y + leg->side->n};
}

YK_RT static enum yk_status fine_absorb(void *self, int phase, int substep, int stage)
{
    slope(self, YK_FINE);
    return YK_OK;
}

YK_RT static enum yk_status sync(void *self, int phase)
{
    struct vpnr1 *s = self;

    yk_leg_commit(&s->pair.leg[YK_COARSE], yk_sides_time(&s->pair, 1));
    yk_leg_commit(&s->pair.leg[YK_FINE], yk_sides_time(&s->pair, 1));
    yk_sides_meet(&s->pair, &s->pair.leg[YK_COARSE].now);
    memcpy(s->L, s->ahead.lambda, s->pair.c->rows * sizeof *s->L);
    look_ahead(s);
    return YK_OK;
}

static size_t state(void *self, struct yk_span *spans, size_t most)
{
    struct vpnr1 *s = self;

    yk_sides_state(self, spans, most);
    spans[2] = (struct yk_span){s->L, s->pair.c->rows};
    return 3;
}

static const struct yk_coupling_evidence evidence = {
    .order = 1,
    .solve = yk_sides_solve,
    .solves = {{1, 0}, {1, 0}},
    .multipliers = {2, 0},
};

const struct yk_coupling_ops yk_coupling_vpnr1 = {
    .name = "vpnr1",
    .summary = "parallel one-stage Rosenbrock, velocity continuity by projection, no subcycling",
    .reference = "Jia 2010, chapter 8",
    .exchange = "interface velocities and accelerations of both sides, once a step",
    YK_SIDES_WITHOUT_SUBSTEPS,
    .stages = 1,
    .params = yk_sides_one_stage,
    .size = sizeof(struct vpnr1),
    .layout = layout,
    .init = init,
    .fini = yk_sides_fini,
    .start = start,
    .schedule = yk_sides_schedule,
    YK_OWN_PHASE,
    YK_OWN_STATE,
    YK_SIDES_FUNCTIONS,
    .evidence = &evidence,
};
