/* PLSRT2 (APSR2): inter-field parallel two-stage Rosenbrock coupling with subcycling. docs/theory/couplings.md, eq.
 * (15).
 *
 *     A:  k1 = S1(a_{i-2}; 4 dt, lambda_{i-2}),   am = a_{i-2} + k1/2 (at t_i)
 *         a_{i+2} = a_{i-2} + S2(am; 4 dt, lambda(am, b_i), k1)       four interleaved chains
 *     B:  ss steps of dt/ss, A on the straight line a_i .. a_{i+1}
 *
 * One exchange in a system step. The first two steps are APNR2; the second ends with the coarse half of a third one,
 * for which the force of B in the middle is taken along its tangents (exact for a linear B, and a specimen need not go
 * there). Order 2. Units: N, m, s. */
#include "coupling/sides.h"

#include <string.h>

enum { CHAINS = 4, HISTORY = 3, START_STEPS = 2 };

struct plsrt2 {
    struct yk_sides pair;
    struct yk_side_stages first[YK_SIDES]; /* with step dt, for the start */
    struct yk_instant chain[CHAINS];       /* a_i in chain[i mod 4] */
    double *lambda[CHAINS];                /* at t_i, likewise */
    struct yk_push inside;                 /* at A's stage */
    struct yk_span b[HISTORY];             /* b_i in b[i mod 3] */
    struct yk_trace exchanged;             /* b_i as A sees it */
};

static const struct yk_schedule joint = {.phases = 2, .substeps = 1, .stages = 1};

static void layout(void *self, const struct yk_coupled *c, struct yk_arena *mem)
{
    struct plsrt2 *s = self;

    yk_sides_layout(&s->pair, c, mem);
    for (int i = 0; i < YK_SIDES; i++)
        yk_side_stages_layout(&s->first[i], &c->side[i], c->rows, mem);
    for (int i = 0; i < CHAINS; i++) {
        yk_instant_layout(&s->chain[i], c, YK_COARSE, mem);
        yk_arena_array(mem, &s->lambda[i], c->rows);
    }
    yk_push_layout(&s->inside, c, false, mem);
    for (int i = 0; i < HISTORY; i++)
        s->b[i] = (struct yk_span){yk_arena_array(mem, &s->b[i].x, 2 * c->side[YK_FINE].n), 2 * c->side[YK_FINE].n};
    yk_trace_layout(&s->exchanged, c, mem);
}

static enum yk_status init(void *self, struct yk_coupled *c, struct yk_arena *mem, struct yk_err *err)
{
    struct plsrt2 *s = self;
    enum yk_status st =
        yk_sides_init(self, c, &(struct yk_sides_steps){4 * c->dt, c->dt / c->substeps, 1, false}, mem, err);

    for (int i = 0; i < YK_SIDES && !st; i++)
        st = yk_sides_stages(&s->pair, i, c->dt, 1, false, &s->first[i], mem, err);
    return st;
}

static void fini(void *self)
{
    struct plsrt2 *s = self;

    for (int i = 0; i < YK_SIDES; i++)
        yk_side_stages_fini(&s->first[i]);
    yk_sides_fini(self);
}

YK_RT static struct yk_schedule schedule(const void *self, long step)
{
    const struct plsrt2 *s = self;

    return step < START_STEPS ? joint : (struct yk_schedule){.phases = 1, .substeps = s->pair.c->substeps, .stages = 2};
}

YK_RT static struct yk_instant *chain(struct plsrt2 *s, long i)
{
    return &s->chain[i % CHAINS];
}

/* The registers at the beginning of step i. */
YK_RT static void shift(struct plsrt2 *s, long i)
{
    struct yk_sides *pair = &s->pair;

    pair->plan = schedule(s, i);
    for (int k = 0; k < YK_SIDES; k++)
        pair->leg[k].block = i < START_STEPS ? &s->first[k] : &pair->leg[k].own;
    pair->from = chain(s, i);
    pair->to = chain(s, i + 1);
}

/* The end of a step: a_i is `now` of the coarse leg. */
YK_RT static void record(struct plsrt2 *s, long i)
{
    struct yk_sides *pair = &s->pair;
    const size_t rows = pair->c->rows;

    yk_sides_meet(pair, &pair->leg[YK_COARSE].now);
    memcpy(s->lambda[i % CHAINS], pair->step.lambda, rows * sizeof(double));
    yk_trace_copy(rows, &pair->leg[YK_FINE].now.trace, &s->exchanged);
    memcpy(s->b[i % HISTORY].x, pair->leg[YK_FINE].now.y, s->b[0].n * sizeof(double));
}

/* The force of B in its stage: p - K du - C dv, and what the change of the load adds. */
YK_RT static void predict_fine(struct plsrt2 *s, double t)
{
    struct yk_leg *leg = &s->pair.leg[YK_FINE];
    struct yk_side *side = leg->side;
    struct yk_system *system = side->system;
    const size_t n = side->n;
    double *change = leg->a;

    memcpy(change, side->f, n * sizeof *change);
    side->loading.at(side->loading.self, t, side->f);
    yk_combine(n, side->f, -1, change, change);
    memcpy(side->p, change, n * sizeof *side->p);
    if (system->mass_divided_out)
        system->ops->mobility(system->self, leg->now.y, 1, change, side->p);
    yk_combine(n, side->p, 1, leg->now.p, side->p);
    yk_combine(2 * n, leg->middle.y, -1, leg->now.y, leg->k2);
    yk_side_stages_predict(leg->block, leg->k2, side->p);
    yk_side_mobility(side, leg->middle.y);
    yk_leg_keep(leg, &leg->middle);
}

/* a_3: the coarse half of a third step of APNR2. */
YK_RT static void look_ahead(struct plsrt2 *s)
{
    struct yk_sides *pair = &s->pair;
    struct yk_leg *a = &pair->leg[YK_COARSE], *b = &pair->leg[YK_FINE];
    const double dt = pair->c->dt;

    yk_leg_first(a, &a->now, &pair->step, 0.5, &a->middle);
    yk_leg_first(b, &b->now, &pair->step, 0.5, &b->middle);
    yk_leg_evaluate(a, 2.5 * dt, &a->middle);
    predict_fine(s, 2.5 * dt);
    yk_sides_join(pair, &a->middle, &b->middle, &s->inside);
    yk_leg_second(a, &a->now, &a->middle, &s->inside, chain(s, 3));
    yk_leg_evaluate(a, 3 * dt, chain(s, 3));
}

/* From a_{i-2}, b_{i-2} .. a_i, b_i and a_{i+1}; while starting, from as many as there are. */
static enum yk_status resume(void *self)
{
    struct plsrt2 *s = self;
    struct yk_sides *pair = &s->pair;
    struct yk_leg *a = &pair->leg[YK_COARSE], *b = &pair->leg[YK_FINE];
    const long i = pair->c->step;

    for (long k = i < 2 ? 0 : i - 2; k <= i; k++) {
        memcpy(b->now.y, s->b[k % HISTORY].x, s->b[0].n * sizeof(double));
        yk_leg_evaluate(a, (double)k * pair->c->dt, chain(s, k));
        yk_leg_evaluate(b, (double)k * pair->c->dt, &b->now);
        yk_instant_copy(a, chain(s, k), &a->now);
        record(s, k);
    }
    if (i >= START_STEPS)
        yk_leg_evaluate(a, yk_sides_time(pair, 1), chain(s, i + 1));
    shift(s, i);
    return YK_OK;
}

static enum yk_status start(void *self)
{
    struct plsrt2 *s = self;
    struct yk_sides *pair = &s->pair;

    yk_sides_begin(pair);
    memcpy(chain(s, 0)->y, pair->leg[YK_COARSE].now.y, 2 * pair->leg[YK_COARSE].side->n * sizeof(double));
    memcpy(s->b[0].x, pair->leg[YK_FINE].now.y, s->b[0].n * sizeof(double));
    return resume(self);
}

YK_RT static enum yk_status coarse(void *self, int phase)
{
    struct plsrt2 *s = self;
    struct yk_leg *leg = &s->pair.leg[YK_COARSE];
    const long i = s->pair.c->step;
    struct yk_instant *a = chain(s, i + 2); /* the place of a_{i-2} as well */

    if (i < START_STEPS)
        return yk_sides_joint_coarse(self, phase);
    yk_side_follow(leg->side, i + 2, CHAINS);
    memcpy(s->inside.lambda, s->lambda[(i - 2) % CHAINS], s->pair.c->rows * sizeof(double));
    yk_leg_first(leg, a, &s->inside, 0.5, &leg->middle);
    yk_leg_evaluate(leg, yk_sides_time(&s->pair, 0), &leg->middle);
    yk_multiplier(s->pair.c, &leg->middle.trace, &s->exchanged, s->inside.work, s->inside.lambda);
    yk_leg_second(leg, a, &leg->middle, &s->inside, a);
    yk_leg_evaluate(leg, yk_sides_time(&s->pair, 2), a);
    return YK_OK;
}

YK_RT static void fine_target(void *self, int phase, int substep, int stage, struct yk_kinematics *want)
{
    const struct plsrt2 *s = self;

    if (s->pair.c->step < START_STEPS)
        yk_sides_joint_target(self, phase, substep, stage, want);
    else
        yk_sides_fine_target(self, phase, substep, stage, want);
}

YK_RT static enum yk_status fine_absorb(void *self, int phase, int substep, int stage)
{
    const struct plsrt2 *s = self;

    return s->pair.c->step < START_STEPS ? yk_sides_joint_absorb(self, phase, substep, stage)
                                         : yk_sides_fine_absorb(self, phase, substep, stage);
}

/* The steps at the start are one sequence, the one of chain 0; a_i begins its own from there. */
YK_RT static void branch_off(struct plsrt2 *s, long i)
{
    struct yk_leg *leg = &s->pair.leg[YK_COARSE];

    yk_side_follow(leg->side, i, CHAINS);
    yk_leg_commit(leg, yk_sides_time(&s->pair, 1));
    yk_side_follow(leg->side, 0, CHAINS);
}

YK_RT static enum yk_status sync(void *self, int phase)
{
    struct plsrt2 *s = self;
    struct yk_leg *leg = &s->pair.leg[YK_COARSE];
    const long next = s->pair.c->step + 1;

    if (next <= START_STEPS) {
        yk_sides_joint_sync(self, phase);
        if (phase < joint.phases - 1)
            return YK_OK;
        yk_instant_copy(leg, &leg->now, chain(s, next));
        branch_off(s, next);
    } else {
        yk_instant_copy(leg, chain(s, next), &leg->now);
        yk_side_follow(leg->side, next, CHAINS);
        yk_leg_commit(leg, yk_sides_time(&s->pair, 1));
    }
    record(s, next);
    if (next == START_STEPS)
        look_ahead(s);
    shift(s, next);
    return YK_OK;
}

/* a_{i-2}, b_{i-2}, a_{i-1}, b_{i-1}, a_i, b_i, a_{i+1} */
static size_t state(void *self, struct yk_span *spans, size_t most)
{
    struct plsrt2 *s = self;
    const struct yk_leg *leg = &s->pair.leg[YK_COARSE];
    const long i = s->pair.c->step;
    size_t count = 0;

    for (long k = i < 2 ? 0 : i - 2; k <= i; k++) {
        spans[count++] = yk_leg_span(leg, chain(s, k));
        spans[count++] = s->b[k % HISTORY];
    }
    if (i >= START_STEPS)
        spans[count++] = yk_leg_span(leg, chain(s, i + 1));
    return count;
}

static const struct yk_coupling_evidence evidence = {
    .order = 2,
    .order_subcycled = 2,
    .solve = yk_sides_solve,
    .solves = {{2, 0}, {0, 2}},
    .multipliers = {1, 2},
    .loads = {-1, 2},
};

const struct yk_coupling_ops yk_coupling_plsrt2 = {
    .name = "plsrt2",
    .summary = "inter-field parallel two-stage Rosenbrock with subcycling (APSR2)",
    .reference = "Jia 2010, chapter 7",
    .exchange = "interface accelerations of both sides, once a step; the coarse one a step ahead",
    .startup = "two APNR2 steps, then the coarse half of a third",
    .caps = YK_COUPLING_PARALLEL,
    .stages = 2,
    .chains = CHAINS,
    .cycle_steps = 1,
    .start_steps = START_STEPS,
    .params = yk_sides_two_stage,
    .size = sizeof(struct plsrt2),
    YK_OWN_PREPARATION,
    .schedule = schedule,
    YK_OWN_PHASE,
    YK_OWN_STATE,
    YK_SIDES_FUNCTIONS,
    .evidence = &evidence,
};
