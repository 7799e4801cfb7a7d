/* ASSR2: staggered two-stage Rosenbrock coupling with subcycling. docs/theory/couplings.md, eq. (12), (13).
 *
 *     A:  k1 = S1(yA_k; dt, lambda_k),   yAm = yA_k + k1/2
 *     B:  ss/2 steps of dt/ss, A on the straight line yA_k .. yAm
 *     A:  yA_{k+1} = yA_k + S2(yAm; dt, lambda_m, k1),   lambda_m from yAm and yB at t_k + dt/2
 *     B:  ss/2 steps of dt/ss, A on the straight line yAm .. yA_{k+1}
 *
 * Order 2. The gammas decide about stability: 1 - sqrt(2)/2 for A with 1 + sqrt(2)/2 for B was stable in every case
 * tried, the small one for both (the default, more accurate) only at small steps. With `multipliers: dual` velocities
 * share the interface as well. Units: N, m, s. */
#include "coupling/sides.h"

enum { SINGLE, DUAL };

struct assr2 {
    struct yk_sides pair;
    int multipliers;
};

static enum yk_status fit(const void *self, const struct yk_coupled *c, struct yk_err *err)
{
    if (c->substeps == 1)
        return yk_fail(err, YK_E_UNSUPPORTED, "assr2: time.substeps is 1; without subcycling use apnr2");
    if (c->substeps % 2)
        return yk_fail(err, YK_E_UNSUPPORTED,
                       "assr2: time.substeps = %d is odd; half of them belong to each stage of the coarse side, so it "
                       "must be even; plsrt2 takes any number",
                       c->substeps);
    if (c->varying_mass && ((const struct assr2 *)self)->multipliers == DUAL)
        return yk_fail(err, YK_E_UNSUPPORTED, "assr2: dual multipliers need constant masses; use multipliers: single");
    return YK_OK;
}

static void layout(void *self, const struct yk_coupled *c, struct yk_arena *mem)
{
    struct assr2 *s = self;

    s->pair.dual = s->multipliers == DUAL;
    yk_sides_layout(&s->pair, c, mem);
}

static enum yk_status init(void *self, struct yk_coupled *c, struct yk_arena *mem, struct yk_err *err)
{
    struct yk_sides *s = self;

    s->plan = (struct yk_schedule){.phases = 2, .substeps = c->substeps / 2, .stages = 2};
    s->from = &s->leg[YK_COARSE].now;
    s->to = &s->leg[YK_COARSE].middle;
    return yk_sides_init(s, c, &(struct yk_sides_steps){c->dt, c->dt / c->substeps, 1, false}, mem, err);
}

YK_RT static enum yk_status coarse(void *self, int phase)
{
    struct yk_sides *s = self;
    struct yk_leg *leg = &s->leg[YK_COARSE];
    struct yk_instant *reached = yk_leg_advance(leg, &s->step, phase, 2);

    yk_leg_evaluate(leg, yk_sides_time(s, 0.5 * (phase + 1)), reached);
    return YK_OK;
}

/* After the first half the straight line of A leads from the stage value to the new state, which takes the place of the
 * old one. */
YK_RT static enum yk_status sync(void *self, int phase)
{
    struct yk_sides *s = self;
    struct yk_leg *leg = &s->leg[YK_COARSE];

    s->from = phase == 0 ? &leg->middle : &leg->now;
    s->to = phase == 0 ? &leg->now : &leg->middle;
    if (phase == 1)
        yk_leg_commit(leg, yk_sides_time(s, 1));
    yk_sides_meet(s, s->from);
    return YK_OK;
}

static const struct yk_param params[] = {
    YK_SIDES_GAMMAS(YK_GAMMA_MINUS, 0.25),
    YK_CHOICE(struct assr2, multipliers, "single|dual", SINGLE,
              "dual: a second multiplier ties the velocities as well; can be unstable"),
    YK_PARAM_END,
};

static const struct yk_coupling_evidence evidence = {
    .order = 2,
    .order_subcycled = 2,
    .solve = yk_sides_solve,
    .solves = {{2, 0}, {0, 2}},
    .multipliers = {0, 2},
    .loads = {-2, 2},
};

const struct yk_coupling_ops yk_coupling_assr2 = {
    .name = "assr2",
    .summary = "staggered two-stage Rosenbrock with subcycling, acceleration continuity",
    .reference = "Jia 2010, chapter 6",
    .exchange = "each coarse stage first; then its interface acceleration at both ends",
    .stages = 2,
    .params = params,
    .size = sizeof(struct assr2),
    .fit = fit,
    .layout = layout,
    .init = init,
    YK_PAIR_STAGGERED_FUNCTIONS,
    .evidence = &evidence,
};
