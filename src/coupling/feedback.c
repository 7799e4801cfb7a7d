/* Feedback of the interface force: the classical scheme of hybrid simulation. docs/theory/integrators.md, section 9.
 *
 * One integrator advances A, whose load contains the interface force measured last. The acceleration that follows
 * drives the interface of B, which is advanced by the same integrator, and the force this takes goes back to A:
 *
 *     M_A a_A = p_A + G_A^T lambda_last,   lambda = -H_B^-1 (G_A a_A + G_B M_B^-1 p_B),   M_B a_B = p_B + G_B^T lambda
 *
 * one evaluation late, hence order 1 whatever the integrator. Each evaluation multiplies an error by the ratio of
 * the masses that follow the interface, B over A: it must be below 1. loop: exact solves for lambda at every
 * evaluation instead, which keeps order 2 (order 3 is lost to the block Jacobian).
 *
 * With substeps, B makes full steps inside a step of A, along A's path within the step, eq. (25)-(27):
 *   equilibrium      a_A from A's equation of motion on the path, with the newest lambda, eq. (30)
 *   differentiation  a_A from the slope of the path, one lambda per stage, eq. (31)
 *   hermite          A makes its step first, with the lambda of the step before; the path is the cubic through its ends
 * Units: N, m, s. */
#include "coupling/driven.h"
#include "coupling/own.h"

#include <stdlib.h>
#include <string.h>

enum { DELAYED, EXACT };
enum { EQUILIBRIUM, DIFFERENTIATION, HERMITE };
enum { LATE_STAGE, LATE_STEP };

/* The integrators on offer, with the settings that make them ask for forces a specimen can give. */
static const struct {
    const char *name;
    struct {
        const char *name;
        double value;
    } set[2];
    bool gamma; /* has a diagonal coefficient to choose */
    bool lands; /* a step ends where its last force was evaluated */
} schemes[] = {
    {.name = "lsrt1", .gamma = true, .lands = true},
    {.name = "lsrt2", .gamma = true, .lands = true},
    {.name = "lsrt3", .lands = true},
    {.name = "newmark", .set = {{"beta", 0}, {"velocity", 1}}},
    {.name = "chang", .set = {{"velocity", 1}, {"jacobian", 1}}},
};

struct feedback {
    int integrator, loop, late, subcycling;
    double gamma;
    struct yk_coupled *c;
    struct yk_side *A, *B;
    struct yk_integrator it[YK_SIDES];
    struct yk_driven driven;
    int stages, per_stage;            /* of the integrator; substeps in a stage of A, 0: no subcycling */
    int stage;                        /* of A, under way */
    struct yk_kinematics next_target; /* where A's force is expected at its end */
    double c_B;                       /* instant of B's evaluation, as a fraction of its step */
    struct yk_span memory;            /* state: the three multipliers */
    double *lambda;                   /* in B's last evaluation */
    double *feed, *used;              /* for A's next evaluation; in its last one */
    double *uA, *vA, *aA;             /* on A's path */
    double *uk, *vk;                  /* A at the start of its step */
    double *uB, *vB, *pB;             /* B with its interface where A's is; with the multiplier */
    double *load, *gap, *work;        /* of A with the multiplier; rows; rows*(rows+2) */
    struct yk_trace trace[YK_SIDES];
};

/* ---- preparation ------------------------------------------------------------------------------------------------- */

static enum yk_status fit(const void *self, const struct yk_coupled *c, struct yk_err *err)
{
    const struct feedback *s = self;
    const int stages = yk_integrator_find(schemes[s->integrator].name)->stages;

    if (s->gamma != 0 && !schemes[s->integrator].gamma)
        return yk_fail(err, YK_E_INPUT, "feedback: gamma is a setting of lsrt1 and lsrt2 only");
    if (c->substeps == 1)
        return YK_OK;
    if (c->substeps % stages)
        return yk_fail(err, YK_E_INPUT,
                       "feedback: time.substeps = %d is not a multiple of the %d stages of %s; each stage of the "
                       "coarse side holds the same number of substeps",
                       c->substeps, stages, schemes[s->integrator].name);
    if (s->subcycling == HERMITE && stages == 1 && schemes[s->integrator].gamma)
        return yk_fail(
            err, YK_E_UNSUPPORTED,
            "feedback: subcycling: hermite does not work with lsrt1, whose displacements are too coarse to be "
            "differentiated twice");
    if (s->loop == EXACT && s->subcycling != EQUILIBRIUM)
        return yk_fail(err, YK_E_UNSUPPORTED, "feedback: loop: exact with substeps needs subcycling: equilibrium");
    return YK_OK;
}

static void layout(void *self, const struct yk_coupled *c, struct yk_arena *mem)
{
    struct feedback *s = self;
    const size_t nA = c->side[YK_COARSE].n, nB = c->side[YK_FINE].n, rows = c->rows;
    double **const of_A[] = {&s->uA, &s->vA, &s->aA, &s->uk, &s->vk, &s->load},
                   **const of_B[] = {&s->uB, &s->vB, &s->pB}, **const views[] = {&s->lambda, &s->feed, &s->used};

    yk_arena_pointers(mem, &s->c, &s->A, &s->B);
    yk_driven_layout(&s->driven, &c->side[YK_FINE], rows, mem);
    s->memory = (struct yk_span){yk_arena_array(mem, &s->memory.x, 3 * rows), 3 * rows};
    s->lambda = s->memory.x;
    s->feed = s->memory.x ? s->memory.x + rows : NULL;
    s->used = s->memory.x ? s->memory.x + 2 * rows : NULL;
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        yk_arena_pointer(mem, views[i]);
    yk_arena_each(mem, nA, sizeof of_A / sizeof *of_A, of_A);
    yk_arena_each(mem, nB, sizeof of_B / sizeof *of_B, of_B);
    yk_arena_array(mem, &s->gap, rows);
    yk_arena_array(mem, &s->work, rows * (rows + 2));
    for (int i = 0; i < YK_SIDES; i++) {
        yk_arena_array(mem, &s->trace[i].q, rows);
        if (c->varying_mass)
            yk_arena_array(mem, &s->trace[i].H, rows * rows);
    }
}

/* The integrator of one side, with the settings of its scheme. */
static enum yk_status create(struct feedback *s, int side, struct yk_system *system, double dt, struct yk_arena *mem,
                             struct yk_err *err)
{
    const struct yk_integrator_ops *ops = yk_integrator_find(schemes[s->integrator].name);
    void *settings;
    enum yk_status st;

    if ((st = yk_param_settings(ops->params, ops->size, &settings, err)))
        return st;
    for (int i = 0; i < 2 && schemes[s->integrator].set[i].name && !st; i++)
        st = yk_param_set(ops->params, settings, schemes[s->integrator].set[i].name,
                          schemes[s->integrator].set[i].value, err);
    if (!st && s->gamma != 0)
        st = yk_param_set(ops->params, settings, "gamma", s->gamma, err);
    if (!st)
        st = yk_integrator_create(&s->it[side], ops, settings, system, dt, mem, err);
    free(settings);
    return st;
}

static enum yk_status init(void *self, struct yk_coupled *c, struct yk_arena *mem, struct yk_err *err)
{
    struct feedback *s = self;
    enum yk_status st;

    s->c = c;
    s->A = &c->side[YK_COARSE];
    s->B = &c->side[YK_FINE];
    if ((st = yk_driven_init(&s->driven, s->B, s->A, s->lambda, err)) ||
        (st = create(s, YK_COARSE, s->A->system, c->dt, mem, err)) ||
        (st = create(s, YK_FINE, &s->driven.system, c->dt / c->substeps, mem, err)))
        return st;
    s->stages = s->it[YK_COARSE].ops->stages;
    s->per_stage = c->substeps == 1 ? 0 : c->substeps / s->stages;
    return YK_OK;
}

static void fini(void *self)
{
    struct feedback *s = self;

    yk_integrator_destroy(&s->it[YK_COARSE]);
    yk_integrator_destroy(&s->it[YK_FINE]);
    yk_driven_fini(&s->driven);
}

/* ---- the two sides ----------------------------------------------------------------------------------------------- */

/* Net force of A with the multiplier `used` among its loads, into A->p. */
YK_RT static void load_A(struct feedback *s, double t, const double *u, const double *v)
{
    s->A->loading.at(s->A->loading.self, t, s->load);
    yk_matrix_add_product(&s->A->Gt, 1, s->used, s->load);
    yk_system_force(s->A->system, t, s->load, u, v, s->A->p);
}

/* A's equation of motion at time t in (u, v), with the multiplier fed back or, loop: exact, with that of the instant.
 * Leaves the interface acceleration in trace[A]. */
YK_RT static void evaluate_A(struct feedback *s, double t, const double *u, const double *v)
{
    if (s->loop == EXACT) {
        yk_side_evaluate(s->A, t, u, v);
        yk_side_trace(s->A, s->c->rows, &s->trace[YK_COARSE]);
        yk_side_trace(s->B, s->c->rows, &s->trace[YK_FINE]);
        yk_multiplier(s->c, &s->trace[YK_COARSE], &s->trace[YK_FINE], s->work, s->feed);
    }
    memcpy(s->used, s->feed, s->c->rows * sizeof *s->used);
    load_A(s, t, u, v);
    yk_side_trace(s->A, s->c->rows, &s->trace[YK_COARSE]);
}

YK_RT static void target_A(struct feedback *s)
{
    s->it[YK_COARSE].ops->target(s->it[YK_COARSE].self, s->stage, &s->next_target);
}

/* Ends A's stage: evaluates at its target, in the step that began at t. */
YK_RT static enum yk_status advance_A(struct feedback *s, double t)
{
    struct yk_integrator *it = &s->it[YK_COARSE];
    struct yk_kinematics k;
    enum yk_status st;

    evaluate_A(s, t + s->next_target.c * s->c->dt, s->next_target.u, s->next_target.v);
    if ((st = it->ops->absorb(it->self, s->stage, s->A->p)))
        return st;
    s->stage = (s->stage + 1) % s->stages;
    if (s->stage == 0) {
        it->ops->now(it->self, &k);
        yk_side_commit(s->A, t + s->c->dt, k.u, k.v);
    }
    return YK_OK;
}

/* y (rows) = G_A x */
YK_RT static const double *gap(struct feedback *s, const double *x)
{
    memset(s->gap, 0, s->c->rows * sizeof *s->gap);
    yk_side_gap(s->A, 1, x, s->gap);
    return s->gap;
}

/* B's state (u, v) with its interface where A's is in (uA, vA), into uB, vB. */
YK_RT static void follow(struct feedback *s, const double *uA, const double *vA, const double *u, const double *v)
{
    yk_driven_follow(&s->driven, uA, u, s->uB);
    yk_driven_follow(&s->driven, vA, v, s->vB);
}

/* B's net force with the multiplier, for the interface acceleration d of A. */
YK_RT static void drive(struct feedback *s, const double *d)
{
    yk_driven_multiplier(&s->driven, d, s->lambda);
    memcpy(s->pB, s->B->p, s->B->n * sizeof *s->pB);
    yk_side_push(s->B, s->c->rows, 1, s->lambda, s->pB);
}

/* The end of B's step: it goes on from the state reached, with its interface where A's is. `moved`: A's is no longer
 * where it was when B's force was evaluated; where neither it nor B has moved since, uB and vB are that state already.
 */
YK_RT static enum yk_status settle(struct feedback *s, int stage, int substep, const double *uA, const double *vA,
                                   bool moved)
{
    const struct yk_integrator *it = &s->it[YK_FINE];
    struct yk_kinematics k;
    enum yk_status st;

    if (moved || !schemes[s->integrator].lands) {
        if ((st = it->ops->absorb(it->self, stage, s->pB)))
            return st;
        it->ops->now(it->self, &k);
        follow(s, uA, vA, k.u, k.v);
    }
    it->ops->start(it->self, s->uB, s->vB, s->pB);
    yk_side_commit(s->B, yk_coupled_time(s->c, (substep + 1) * (1.0 / s->c->substeps)), s->uB, s->vB);
    return YK_OK;
}

/* ---- A's path within its step ------------------------------------------------------------------------------------ */

/* eq. (27) with the values at both ends: A has made its step */
YK_RT static void cubic(struct feedback *s, double xi)
{
    const double h = s->c->dt, t = xi * h;
    struct yk_kinematics k;

    s->it[YK_COARSE].ops->now(s->it[YK_COARSE].self, &k);
    for (size_t i = 0; i < s->A->n; i++) {
        const double mean = (k.u[i] - s->uk[i]) / h;
        const double q2 = (3 * mean - 2 * s->vk[i] - k.v[i]) / h, q3 = (s->vk[i] + k.v[i] - 2 * mean) / (h * h);

        s->uA[i] = s->uk[i] + t * (s->vk[i] + t * (q2 + t * q3));
        s->vA[i] = s->vk[i] + t * (2 * q2 + t * 3 * q3);
        s->aA[i] = 2 * q2 + 6 * q3 * t;
    }
}

/* A at the fraction xi of its step, into uA, vA and, where it comes from the path, aA. */
YK_RT static void path(struct feedback *s, double xi)
{
    double *a = s->subcycling == EQUILIBRIUM ? NULL : s->aA;

    if (s->subcycling == HERMITE)
        cubic(s, xi);
    else
        s->it[YK_COARSE].ops->dense(s->it[YK_COARSE].self, s->stage, xi, s->uA, s->vA, a);
}

/* ---- cycle ------------------------------------------------------------------------------------------------------- */

/* Forces in the states of the two integrators, with the multipliers in memory; the start of a step. */
YK_RT static void evaluate_both(struct feedback *s, const struct yk_kinematics *a, const struct yk_kinematics *b)
{
    const double t = (double)s->c->step * s->c->dt;

    load_A(s, t, a->u, a->v);
    yk_side_evaluate(s->B, t, b->u, b->v);
    yk_driven_take(&s->driven, t);
    memcpy(s->pB, s->B->p, s->B->n * sizeof *s->pB);
    yk_side_push(s->B, s->c->rows, 1, s->lambda, s->pB);
}

YK_RT static enum yk_status ready(struct feedback *s)
{
    s->stage = 0;
    if (s->per_stage && s->subcycling != HERMITE)
        target_A(s);
    return YK_OK;
}

static enum yk_status start(void *self)
{
    struct feedback *s = self;
    const size_t rows = s->c->rows;
    struct yk_kinematics k[YK_SIDES];

    /* lambda of the closed loop */
    for (int i = 0; i < YK_SIDES; i++) {
        struct yk_side *side = &s->c->side[i];

        k[i] = (struct yk_kinematics){.u = side->u0, .v = side->v0};
        yk_side_evaluate(side, 0, k[i].u, k[i].v);
        yk_side_trace(side, rows, &s->trace[i]);
    }
    yk_multiplier(s->c, &s->trace[YK_COARSE], &s->trace[YK_FINE], s->work, s->lambda);
    memcpy(s->feed, s->lambda, rows * sizeof *s->feed);
    memcpy(s->used, s->lambda, rows * sizeof *s->used);
    evaluate_both(s, &k[YK_COARSE], &k[YK_FINE]);
    s->it[YK_COARSE].ops->start(s->it[YK_COARSE].self, k[YK_COARSE].u, k[YK_COARSE].v, s->A->p);
    s->it[YK_FINE].ops->start(s->it[YK_FINE].self, k[YK_FINE].u, k[YK_FINE].v, s->pB);
    return ready(s);
}

static enum yk_status resume(void *self)
{
    struct feedback *s = self;
    struct yk_kinematics k[YK_SIDES];

    for (int i = 0; i < YK_SIDES; i++)
        s->it[i].ops->now(s->it[i].self, &k[i]);
    evaluate_both(s, &k[YK_COARSE], &k[YK_FINE]);
    if (s->it[YK_COARSE].ops->resume) {
        s->it[YK_COARSE].ops->resume(s->it[YK_COARSE].self, s->A->p);
        s->it[YK_FINE].ops->resume(s->it[YK_FINE].self, s->pB);
    }
    return ready(s);
}

YK_RT static struct yk_schedule schedule(const void *self, long step)
{
    const struct feedback *s = self;

    return (struct yk_schedule){.phases = 1, .substeps = s->c->substeps, .stages = s->stages};
}

/* subcycling: hermite makes A's step here, ahead of B's; otherwise A waits for what B tells. */
YK_RT static enum yk_status coarse(void *self, int phase)
{
    struct feedback *s = self;
    struct yk_kinematics k;
    enum yk_status st = YK_OK;

    if (!s->per_stage || s->subcycling != HERMITE)
        return YK_OK;
    s->it[YK_COARSE].ops->now(s->it[YK_COARSE].self, &k);
    memcpy(s->uk, k.u, s->A->n * sizeof *k.u);
    memcpy(s->vk, k.v, s->A->n * sizeof *k.v);
    do {
        target_A(s);
        st = advance_A(s, (double)s->c->step * s->c->dt);
    } while (!st && s->stage != 0);
    return st;
}

YK_RT static void fine_target(void *self, int phase, int substep, int stage, struct yk_kinematics *want)
{
    struct feedback *s = self;

    s->it[YK_FINE].ops->target(s->it[YK_FINE].self, stage, want);
    s->c_B = want->c;
    if (s->per_stage) {
        path(s, (substep + want->c) / s->c->substeps);
        follow(s, s->uA, s->vA, want->u, want->v);
    } else {
        target_A(s);
        follow(s, s->next_target.u, s->next_target.v, want->u, want->v);
    }
    want->u = s->uB;
    want->v = s->vB;
}

/* Without subcycling: both sides are evaluated at the same instants. */
YK_RT static enum yk_status absorb_together(struct feedback *s, int stage)
{
    const struct yk_integrator *it = &s->it[YK_FINE];
    struct yk_kinematics k;
    enum yk_status st;

    if ((st = advance_A(s, (double)s->c->step * s->c->dt)))
        return st;
    drive(s, s->trace[YK_COARSE].q);
    if (s->late == LATE_STAGE || s->stage == 0)
        memcpy(s->feed, s->lambda, s->c->rows * sizeof *s->feed);
    if (s->stage != 0)
        return it->ops->absorb(it->self, stage, s->pB);
    s->it[YK_COARSE].ops->now(s->it[YK_COARSE].self, &k);
    return settle(s, stage, 0, k.u, k.v, false);
}

/* The end of a stage of A in which B made substeps: A goes on with what B told. */
YK_RT static enum yk_status turn(struct feedback *s)
{
    enum yk_status st;

    if (s->subcycling == DIFFERENTIATION && s->late == LATE_STAGE)
        yk_driven_multiplier(&s->driven, gap(s, s->aA), s->feed);
    if ((st = advance_A(s, (double)s->c->step * s->c->dt)))
        return st;
    target_A(s);
    return YK_OK;
}

/* The multiplier for A's next evaluation, from that of B's last one. */
YK_RT static void feed_back(struct feedback *s, bool step_end)
{
    if (s->subcycling == HERMITE && step_end) /* with the acceleration that A itself found */
        yk_driven_multiplier(&s->driven, s->trace[YK_COARSE].q, s->feed);
    else if (s->late == LATE_STEP ? step_end : s->subcycling == EQUILIBRIUM)
        memcpy(s->feed, s->lambda, s->c->rows * sizeof *s->feed);
}

/* With subcycling: B follows A's path. */
YK_RT static enum yk_status absorb_substep(struct feedback *s, int substep, int stage)
{
    const struct yk_integrator *it = &s->it[YK_FINE];
    const bool substep_end = stage + 1 == s->stages, stage_end = substep_end && (substep + 1) % s->per_stage == 0;
    const bool step_end = substep_end && substep + 1 == s->c->substeps;
    enum yk_status st;

    if (stage_end && s->subcycling != HERMITE) {
        if ((st = turn(s)))
            return st;
        path(s, step_end ? 0 : (substep + 1.0) / s->c->substeps); /* at the start of the next step, of the next stage */
    }
    if (s->subcycling == EQUILIBRIUM) {
        evaluate_A(s, s->driven.t, s->uA, s->vA);
        drive(s, s->trace[YK_COARSE].q);
    } else {
        drive(s, gap(s, s->aA));
    }
    feed_back(s, step_end);
    if (substep_end)
        return settle(s, stage, substep, s->uA, s->vA, stage_end);
    return it->ops->absorb(it->self, stage, s->pB);
}

YK_RT static enum yk_status fine_absorb(void *self, int phase, int substep, int stage)
{
    struct feedback *s = self;

    yk_driven_take(&s->driven, ((double)s->c->step + (substep + s->c_B) / s->c->substeps) * s->c->dt);
    return s->per_stage ? absorb_substep(s, substep, stage) : absorb_together(s, stage);
}

YK_RT static enum yk_status sync(void *self, int phase)
{
    return YK_OK;
}

YK_RT static void now(void *self, int side, struct yk_kinematics *reached)
{
    struct feedback *s = self;

    s->it[side].ops->now(s->it[side].self, reached);
}

/* The integrators offered here keep v behind u. */
YK_RT static const double *reached(void *self, int side)
{
    struct yk_kinematics k;

    now(self, side, &k);
    return k.u;
}

YK_RT static const double *lambda(void *self)
{
    return ((struct feedback *)self)->lambda;
}

static size_t state(void *self, struct yk_span *spans, size_t most)
{
    struct feedback *s = self;

    for (int i = 0; i < YK_SIDES; i++)
        spans[i] = s->it[i].ops->state(s->it[i].self);
    spans[YK_SIDES] = s->memory;
    return YK_SIDES + 1;
}

/* A stage of the integrator. */
YK_RT static void solve(void *self, int side, int stage, double *work)
{
    struct feedback *s = self;
    const struct yk_integrator *it = &s->it[side];
    struct yk_kinematics want;

    it->ops->target(it->self, stage, &want);
    it->ops->absorb(it->self, stage, s->c->side[side].p);
}

static const struct yk_param params[] = {
    YK_CHOICE(struct feedback, integrator, "lsrt1|lsrt2|lsrt3|explicit-newmark|chang", 1,
              "integrator of both sides; the last two evaluate forces at predicted velocities"),
    YK_REAL(struct feedback, gamma, YK_NUMBER, 0, 0, 10, "diagonal coefficient of lsrt1 or lsrt2; 0: its default"),
    YK_CHOICE(struct feedback, loop, "delayed|exact", 0,
              "delayed: interface force of the last evaluation; exact: solved for"),
    YK_CHOICE(struct feedback, late, "stage|step", 0,
              YK_WHEN("loop=delayed", "age of the interface force: one stage or one step")),
    YK_CHOICE(struct feedback, subcycling, "equilibrium|differentiation|hermite", 0,
              "how B gets the acceleration of the interface between two evaluations of A"),
    YK_PARAM_END,
};

static const struct yk_coupling_evidence evidence = {
    .order = 1,
    .order_subcycled = 1,
    .solve = solve,
    .solves = {{3, 0}, {0, 2}}, /* two stages, and the acceleration of A at the end of the step */
    .multipliers = {0, 2},
};

const struct yk_coupling_ops yk_coupling_feedback = {
    .name = "feedback",
    .summary = "one integrator, the interface force fed back one evaluation late",
    .reference = "Jia 2010, chapter 4",
    .exchange = "A's interface acceleration to B and B's force back, at every evaluation",
    .startup = "self-starting, from the force of the closed loop",
    .caps = YK_COUPLING_DOFS_B, /* B's interface is moved to where A's is, its other degrees of freedom stay */
    .stages = 2,
    .chains = 1,
    .cycle_steps = 1,
    .params = params,
    .size = sizeof(struct feedback),
    .fit = fit,
    YK_OWN_PREPARATION,
    .schedule = schedule,
    YK_OWN_PHASE,
    .now = now,
    .reached = reached,
    .lambda = lambda,
    YK_OWN_STATE,
    .evidence = &evidence,
};
