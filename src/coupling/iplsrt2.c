/* IPLSRT2: inter-field parallel two-stage Rosenbrock coupling with projected velocities. docs/theory/couplings.md,
 * eq. (16). A cycle is two system steps, i even:
 *
 *     t_i ..     A:  k1 = S1(a_i; 4 dt, lambda_i),   ah = a_i + k1/4 (at t_{i+1})
 *                B:  ss steps of dt/ss, A on the straight line a_i .. a_{i+2}; projection with (a_i + a_{i+2})/2
 *     t_{i+1} .. A:  a_{i+4} = a_i - k1 + 2 S2(ah; 4 dt, lambda(ah, b_{i+1}), k1)      two interleaved chains
 *                B:  ss steps of dt/ss, same line; projection of b_{i+2} with a_{i+2}, which both keep
 *
 * Without projection or with that of even steps order 2; with all, between 1 and 2, and 1 in the limit. Conditionally
 * stable. Units: N, m, s. */
#include "coupling/sides.h"

#include <string.h>

enum { ALL, EVEN, NONE };
enum { MODIFIED, PLAIN };
enum { CHAINS = 2 };

struct iplsrt2 {
    struct yk_sides pair;
    int projection, jacobian;
    struct yk_instant chain[2]; /* a_i and a_{i+2} of the even instant i passed last */
    struct yk_instant after;    /* a_{i+4} */
    struct yk_instant stage;    /* ah */
    struct yk_push inside;      /* multiplier of A's stages */
    double *mu;                 /* impulse of the projection */
    struct yk_factor *D;        /* of the start, eq. (16) */
    double *u, *v, *w;          /* of the untorn structure */
};

static enum yk_status fit(const void *self, const struct yk_coupled *c, struct yk_err *err)
{
    if (!c->untorn)
        return yk_fail(err, YK_E_UNSUPPORTED,
                       "iplsrt2: starts with a step of the untorn structure, and this problem has none; use plsrt2");
    return YK_OK;
}

static void layout(void *self, const struct yk_coupled *c, struct yk_arena *mem)
{
    struct iplsrt2 *s = self;
    const size_t n = c->untorn->system->n;

    yk_sides_layout(&s->pair, c, mem);
    yk_instant_layout(&s->chain[0], c, YK_COARSE, mem);
    yk_instant_layout(&s->chain[1], c, YK_COARSE, mem);
    yk_instant_layout(&s->after, c, YK_COARSE, mem);
    yk_instant_layout(&s->stage, c, YK_COARSE, mem);
    yk_push_layout(&s->inside, c, false, mem);
    yk_arena_array(mem, &s->mu, c->rows);
    yk_arena_array(mem, &s->u, n);
    yk_arena_array(mem, &s->v, n);
    yk_arena_array(mem, &s->w, n);
}

/* D = M + h/2 C + h^2/4 K of the untorn structure, h = 2 dt */
static enum yk_status factor_start(struct iplsrt2 *s, const struct yk_system *whole, struct yk_arena *mem,
                                   struct yk_err *err)
{
    const double dt = s->pair.c->dt;

    return yk_factor_sum(&s->D, 3, (double[]){1, dt, dt * dt},
                         (const struct yk_matrix *[]){&whole->M, &whole->C, &whole->K}, mem, err);
}

static enum yk_status init(void *self, struct yk_coupled *c, struct yk_arena *mem, struct yk_err *err)
{
    struct iplsrt2 *s = self;
    const struct yk_sides_steps steps = {4 * c->dt, c->dt / c->substeps, 2, s->jacobian == MODIFIED};
    enum yk_status st;

    s->pair.plan = (struct yk_schedule){.phases = 1, .substeps = c->substeps, .stages = 2};
    s->pair.from = &s->chain[0];
    s->pair.to = &s->chain[1];
    if ((st = yk_sides_init(self, c, &steps, mem, err)))
        return st;
    return factor_start(s, c->untorn->system, mem, err);
}

static void fini(void *self)
{
    yk_factor_destroy(((struct iplsrt2 *)self)->D);
    yk_sides_fini(self);
}

YK_RT static bool is_even(const struct iplsrt2 *s)
{
    return s->pair.c->step % 2 == 0;
}

/* The straight line is passed in two halves. */
YK_RT static void choose_half(struct iplsrt2 *s, bool even)
{
    s->pair.begin = even ? 0 : 0.5;
    s->pair.end = even ? 0.5 : 1;
}

/* Shows the coarse side at an odd instant: the middle of the line, with the velocity that the projection gives. */
YK_RT static void show_middle(struct iplsrt2 *s)
{
    struct yk_leg *leg = &s->pair.leg[YK_COARSE];
    const size_t n = leg->side->n;
    const double *y[2] = {s->chain[0].y, s->chain[1].y}, *p[2] = {s->chain[0].p, s->chain[1].p};

    for (size_t i = 0; i < 2 * n; i++)
        leg->now.y[i] = 0.5 * (y[0][i] + y[1][i]);
    for (size_t i = 0; i < n; i++)
        leg->now.p[i] = 0.5 * (p[0][i] + p[1][i]);
    if (s->projection == ALL)
        yk_side_kick(leg->side, s->pair.c->rows, 1, s->mu, leg->now.y + n);
    memcpy(s->pair.step.lambda, s->pair.fine.lambda, s->pair.c->rows * sizeof(double));
}

/* The multiplier of A's second stage: A in its stage, B at the odd instant. */
YK_RT static void join_stage(struct iplsrt2 *s)
{
    yk_sides_join(&s->pair, &s->stage, &s->pair.leg[YK_FINE].now, &s->inside);
}

/* At an even instant from a_i, b_i, a_{i+2}; at the odd one after it from these, b_{i+1} instead of b_i, and k1.
 */
static enum yk_status resume(void *self)
{
    struct iplsrt2 *s = self;
    struct yk_sides *pair = &s->pair;
    struct yk_leg *a = &pair->leg[YK_COARSE], *b = &pair->leg[YK_FINE];
    const bool even = is_even(s);

    choose_half(s, even);
    yk_leg_evaluate(a, yk_sides_time(pair, even ? 0 : -1), &s->chain[0]);
    yk_leg_evaluate(a, yk_sides_time(pair, even ? 2 : 1), &s->chain[1]);
    yk_leg_evaluate(b, yk_sides_time(pair, 0), &b->now);
    if (even) {
        yk_instant_copy(a, &s->chain[0], &a->now);
        yk_sides_meet(pair, &a->now);
        return YK_OK;
    }
    yk_side_stages_refresh(a->block, s->chain[0].y);
    yk_combine(2 * a->side->n, s->chain[0].y, 0.25, a->k1, s->stage.y);
    yk_leg_evaluate(a, yk_sides_time(pair, 0), &s->stage);
    join_stage(s);
    yk_sides_chord_join(pair, 0.5, yk_sides_time(pair, 0), &b->now);
    memset(s->mu, 0, pair->c->rows * sizeof *s->mu); /* v_A of this instant is shown without projection */
    show_middle(s);
    return YK_OK;
}

/* a_2 by one step of 2 dt of the CR method on the untorn structure. */
static void look_ahead(struct iplsrt2 *s)
{
    const struct yk_coupled *c = s->pair.c;
    const struct yk_system *whole = c->untorn->system;
    const double h = 2 * c->dt;

    memset(s->w, 0, whole->n * sizeof *s->w);
    for (int i = 0; i < YK_SIDES; i++)
        yk_coupled_to_untorn(c, i, s->pair.leg[i].now.p, s->w);
    yk_factor_solve(s->D, s->w);
    for (size_t i = 0; i < whole->n; i++) {
        s->v[i] = c->v0[i] + h * s->w[i];
        s->u[i] = c->u0[i] + h * s->v[i];
    }
    yk_coupled_from_untorn(c, s->u, YK_COARSE, s->chain[1].y);
    yk_coupled_from_untorn(c, s->v, YK_COARSE, s->chain[1].y + c->side[YK_COARSE].n);
}

static enum yk_status start(void *self)
{
    struct iplsrt2 *s = self;
    struct yk_leg *leg = &s->pair.leg[YK_COARSE];

    yk_sides_start(self);
    yk_instant_copy(leg, &leg->now, &s->chain[0]);
    look_ahead(s);
    return resume(self);
}

YK_RT static enum yk_status coarse(void *self, int phase)
{
    struct iplsrt2 *s = self;
    struct yk_leg *leg = &s->pair.leg[YK_COARSE];

    if (is_even(s)) {
        yk_leg_first(leg, &s->chain[0], &s->pair.step, 0.25, &s->stage);
        yk_leg_evaluate(leg, yk_sides_time(&s->pair, 1), &s->stage);
    } else {
        yk_leg_second(leg, &s->chain[0], &s->stage, &s->inside, &s->after);
        yk_leg_evaluate(leg, yk_sides_time(&s->pair, 3), &s->after);
    }
    return YK_OK;
}

YK_RT static bool projects(const struct iplsrt2 *s)
{
    return s->projection == ALL || (s->projection == EVEN && !is_even(s));
}

/* B's last state of a system step is projected before its force is asked for. */
YK_RT static void fine_target(void *self, int phase, int substep, int stage, struct yk_kinematics *want)
{
    struct iplsrt2 *s = self;
    struct yk_sides *pair = &s->pair;
    struct yk_leg *leg = &pair->leg[YK_FINE];

    yk_sides_fine_target(self, phase, substep, stage, want);
    if (substep < pair->plan.substeps - 1 || stage == 0 || !projects(s))
        return;
    yk_sides_chord_gap(pair, pair->end, &leg->now);
    yk_sides_impulse(pair, &pair->fine, s->mu);
    yk_side_kick(leg->side, pair->c->rows, 1, s->mu, leg->now.y + leg->side->n);
}

/* The even instant: A takes its part of the projection, and the chains change places. */
YK_RT static void close_cycle(struct iplsrt2 *s)
{
    struct yk_sides *pair = &s->pair;
    struct yk_leg *leg = &pair->leg[YK_COARSE];

    yk_instant_swap(&s->chain[0], &s->chain[1]);
    yk_instant_swap(&s->chain[1], &s->after);
    yk_side_follow(leg->side, (pair->c->step + 1) / 2, CHAINS);
    if (s->projection != NONE) {
        yk_side_kick(leg->side, pair->c->rows, 1, s->mu, s->chain[0].y + leg->side->n);
        yk_leg_evaluate(leg, yk_sides_time(pair, 1), &s->chain[0]);
    }
    yk_instant_copy(leg, &s->chain[0], &leg->now);
    yk_leg_commit(leg, yk_sides_time(pair, 1));
    yk_sides_meet(pair, &leg->now);
}

YK_RT static enum yk_status sync(void *self, int phase)
{
    struct iplsrt2 *s = self;

    if (is_even(s)) {
        join_stage(s);
        show_middle(s);
    } else {
        close_cycle(s);
    }
    choose_half(s, !is_even(s));
    return YK_OK;
}

static size_t state(void *self, struct yk_span *spans, size_t most)
{
    struct iplsrt2 *s = self;
    const struct yk_leg *a = &s->pair.leg[YK_COARSE], *b = &s->pair.leg[YK_FINE];

    spans[0] = yk_leg_span(a, &s->chain[0]);
    spans[1] = yk_leg_span(b, &b->now);
    spans[2] = yk_leg_span(a, &s->chain[1]);
    if (is_even(s))
        return 3;
    spans[3] = (struct yk_span){a->k1, 2 * a->side->n};
    return 4;
}

static const struct yk_param params[] = {
    YK_SIDES_GAMMAS(YK_GAMMA_MINUS, 0.25),
    YK_CHOICE(struct iplsrt2, projection, "all|even|none", ALL,
              "which system steps end with a projection of the velocities"),
    YK_CHOICE(struct iplsrt2, jacobian, "modified|plain", MODIFIED, "modified: both sides hold the interface"),
    YK_PARAM_END,
};

static const struct yk_coupling_evidence evidence = {
    .order = 1,
    .order_subcycled = 1,
    .solve = yk_sides_solve,
    .solves = {{2, 0}, {0, 4}},
    .multipliers = {3, 4},
    .loads = {-1, 4},
};

const struct yk_coupling_ops yk_coupling_iplsrt2 = {
    .name = "iplsrt2",
    .summary = "inter-field parallel two-stage Rosenbrock with subcycling and projected velocities",
    .reference = "Wang 2012, chapter 7",
    .exchange = "fine interface acceleration and velocity once a step; the coarse ones every other step, two ahead",
    .startup = "one CR step of the untorn structure for the coarse side",
    .caps = YK_COUPLING_PARALLEL | YK_COUPLING_CONSTANT_MASS,
    .stages = 2,
    .chains = CHAINS,
    .cycle_steps = 2,
    .params = params,
    .size = sizeof(struct iplsrt2),
    .fit = fit,
    YK_OWN_PREPARATION,
    .schedule = yk_sides_schedule,
    .coarse = coarse,
    .fine_target = fine_target,
    .fine_absorb = yk_sides_fine_absorb,
    .sync = sync,
    YK_OWN_STATE,
    YK_SIDES_FUNCTIONS,
    .evidence = &evidence,
};
