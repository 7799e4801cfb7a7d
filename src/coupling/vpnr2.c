/* VPNR2: parallel two-stage Rosenbrock coupling with projected velocities. docs/theory/couplings.md, eq. (18).
 *
 *     ym = y_k + k1/2 + B phi1,   k1 = S1(y_k; dt, L_k),   Lm = L_k - phi1/dt
 *     y_{k+1} = y_k + S2(ym; dt, Lm, k1) + B phi2,         L_{k+1} = L_k + phi2/dt  (variant p: Lm + phi2/dt)
 *
 * each phi closing the velocity gap of its instant. Phase 0 asks for the force in ym, phase 1 for that in y_{k+1} and
 * goes on to the next ym, so a step begins with ym known. L has memory and is not reported: `lambda` is that of
 * acceleration continuity, of order 2 where L is of order 1. Order 2; no unstable step found. Units: N, m, s. */
#include "coupling/sides.h"

#include <string.h>

enum { Q, P };

struct vpnr2 {
    struct yk_sides pair;
    int variant;
    struct yk_push L, Lm; /* L: state */
    double *phi;
};

static void layout(void *self, const struct yk_coupled *c, struct yk_arena *mem)
{
    struct vpnr2 *s = self;

    yk_sides_layout(&s->pair, c, mem);
    yk_push_layout(&s->L, c, false, mem);
    yk_push_layout(&s->Lm, c, false, mem);
    yk_arena_array(mem, &s->phi, c->rows);
}

static enum yk_status init(void *self, struct yk_coupled *c, struct yk_arena *mem, struct yk_err *err)
{
    struct yk_sides *s = self;

    s->plan = (struct yk_schedule){.phases = 2, .substeps = 1, .stages = 1};
    return yk_sides_init(s, c, &(struct yk_sides_steps){c->dt, c->dt, 1, false}, mem, err);
}

/* The states that the slopes of the phase lead to: y_{k+1}, then the next ym. */
YK_RT static struct yk_instant *ahead(struct yk_leg *leg, int phase)
{
    return phase == 0 ? &leg->now : &leg->middle;
}

/* The instant whose force the phase asks for. */
YK_RT static struct yk_instant *wanted(struct yk_leg *leg, int phase)
{
    return phase == 0 ? &leg->middle : &leg->now;
}

YK_RT static void project(struct vpnr2 *s, int phase)
{
    const size_t rows = s->pair.c->rows;
    const double rate = 1 / s->pair.c->dt;
    struct yk_leg *leg = s->pair.leg;

    yk_sides_project(&s->pair, ahead(&leg[YK_COARSE], phase), ahead(&leg[YK_FINE], phase), s->phi);
    if (phase == 1)
        yk_combine(rows, s->L.lambda, -rate, s->phi, s->Lm.lambda);
    else
        yk_combine(rows, s->variant == P ? s->Lm.lambda : s->L.lambda, rate, s->phi, s->L.lambda);
}

/* Goes on from the force that the phase asked for. */
YK_RT static void slope(struct vpnr2 *s, int side, int phase)
{
    struct yk_leg *leg = &s->pair.leg[side];

    if (phase == 0)
        yk_leg_second(leg, &leg->now, &leg->middle, &s->Lm, &leg->now);
    else
        yk_leg_first(leg, &leg->now, &s->L, 0.5, &leg->middle);
}

static enum yk_status resume(void *self)
{
    struct vpnr2 *s = self;

    yk_sides_resume(self);
    slope(s, YK_COARSE, 1);
    slope(s, YK_FINE, 1);
    project(s, 1);
    return YK_OK;
}

static enum yk_status start(void *self)
{
    struct vpnr2 *s = self;

    yk_sides_start(self);
    memcpy(s->L.lambda, s->pair.step.lambda, s->pair.c->rows * sizeof(double));
    return resume(self);
}

YK_RT static enum yk_status coarse(void *self, int phase)
{
    struct vpnr2 *s = self;
    struct yk_leg *leg = &s->pair.leg[YK_COARSE];

    yk_leg_evaluate(leg, yk_sides_time(&s->pair, 0.5 * (phase + 1)), wanted(leg, phase));
    slope(s, YK_COARSE, phase);
    return YK_OK;
}

YK_RT static void fine_target(void *self, int phase, int substep, int stage, struct yk_kinematics *want)
{
    struct vpnr2 *s = self;
    struct yk_leg *leg = &s->pair.leg[YK_FINE];
    const double *y = wanted(leg, phase)->y;

    *want = (struct yk_kinematics){.c = 1, .u = y, .v = y + leg->side->n};
}

YK_RT static enum yk_status fine_absorb(void *self, int phase, int substep, int stage)
{
    struct vpnr2 *s = self;
    struct yk_leg *leg = &s->pair.leg[YK_FINE];

    yk_leg_keep(leg, wanted(leg, phase));
    slope(s, YK_FINE, phase);
    return YK_OK;
}

YK_RT static enum yk_status sync(void *self, int phase)
{
    struct vpnr2 *s = self;

    if (phase == 1) {
        yk_leg_commit(&s->pair.leg[YK_COARSE], yk_sides_time(&s->pair, 1));
        yk_leg_commit(&s->pair.leg[YK_FINE], yk_sides_time(&s->pair, 1));
        yk_sides_meet(&s->pair, &s->pair.leg[YK_COARSE].now);
    }
    project(s, phase);
    return YK_OK;
}

static size_t state(void *self, struct yk_span *spans, size_t most)
{
    struct vpnr2 *s = self;

    yk_sides_state(self, spans, most);
    spans[2] = (struct yk_span){s->L.lambda, s->pair.c->rows};
    return 3;
}

static const struct yk_param params[] = {
    YK_SIDES_GAMMAS(YK_GAMMA_MINUS, 0.25),
    YK_CHOICE(struct vpnr2, variant, "q|p", Q,
              "start of the new multiplier: q from the old one, p from that of the stage"),
    YK_PARAM_END,
};

static const struct yk_coupling_evidence evidence = {
    .order = 2,
    .solve = yk_sides_solve,
    .solves = {{2, 0}, {2, 0}},
    .multipliers = {3, 0},
};

const struct yk_coupling_ops yk_coupling_vpnr2 = {
    .name = "vpnr2",
    .summary = "parallel two-stage Rosenbrock, velocity continuity by projection, no subcycling",
    .reference = "Jia 2010, chapter 8",
    .exchange = "interface velocities of both sides, twice a step; their accelerations once",
    YK_SIDES_WITHOUT_SUBSTEPS,
    .stages = 2,
    .params = params,
    .size = sizeof(struct vpnr2),
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
