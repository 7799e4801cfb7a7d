/* The cost of a coupled step, as a ratio to the force evaluations and solves it is made of.
 *
 * The reference makes the same number of evaluations and solves, with the same matrices, one after the other and with
 * nothing in between: whatever the step takes beyond it is the coupling's own. Units: N, m, s. */
#include "bench/coupling.h"

#include "bench/measure.h"
#include "coupling/first_order.h"
#include "coupling/newmark_side.h"
#include "coupling/pair.h"

#include <stdlib.h>
#include <string.h>

enum { DOFS_A = 34, DOFS_B = 4, ROWS = 4 };
#define STEP 0.01

/* ---- the problem ----------------------------------------------------------------------------------------------- */

/* Both sides under a sine on every degree of freedom, joined at the first ones of A and all of B. */
struct yk_coupled_bench {
    struct yk_substructure subs[YK_SIDES];
    struct yk_assembly untorn;
    struct yk_coupled *problem;
    struct yk_coupling coupling;
    const struct yk_coupling_work *work;
    struct yk_first_order first_order[YK_SIDES]; /* the method of state-space on each side */
    struct yk_block block[YK_SIDES];             /* a Rosenbrock method on each side, for feedback */
    struct yk_arena mem;
    void *sine;           /* settings */
    double x[2 * DOFS_A]; /* of the solves of the reference */
    double zero[2 * DOFS_A], lambda[ROWS];
};

static enum yk_status make_load(struct yk_coupled_bench *b, const struct yk_signal_ops *sine, struct yk_err *err)
{
    enum yk_status st;

    if ((st = yk_param_block(sine->params, sine->settings_size, &b->sine, err)) ||
        (st = yk_param_set(sine->params, b->sine, "amplitude", 1, err)))
        return st;
    return yk_param_set(sine->params, b->sine, "frequency", 1, err);
}

static enum yk_status make_problem(struct yk_coupled_bench *b, int substeps, struct yk_err *err)
{
    static char *name[YK_SIDES] = {"A", "B"}, *dofs[DOFS_A] = {0};
    const struct yk_signal_ops *sine = yk_signal_find("sine");
    const size_t n[YK_SIDES] = {DOFS_A, DOFS_B};
    const double mass[YK_SIDES] = {1, 0.25}; /* feedback needs the lighter part on the fine side */
    size_t ends[YK_SIDES] = {YK_COARSE, YK_FINE}, dof[ROWS][YK_SIDES];
    double coefficient[YK_SIDES] = {1, -1}, direction[DOFS_A];
    struct yk_load loads[YK_SIDES];
    struct yk_row rows[ROWS];
    enum yk_status st = make_load(b, sine, err);

    for (int s = 0; s < YK_SIDES && !st; s++) {
        b->subs[s] = (struct yk_substructure){name[s], dofs, NULL};
        loads[s] =
            (struct yk_load){.signal = sine, .settings = b->sine, .substructure = (size_t)s, .direction = direction};
        st = yk_random_structure(&b->subs[s].system, n[s], n[s], mass[s], err);
    }
    for (size_t i = 0; i < DOFS_A; i++)
        direction[i] = 1;
    for (size_t r = 0; r < ROWS; r++) {
        dof[r][YK_COARSE] = dof[r][YK_FINE] = r;
        rows[r] = (struct yk_row){YK_SIDES, ends, dof[r], coefficient, YK_NOWHERE};
    }
    if (st || (st = yk_assembly_create(&b->untorn, b->subs, YK_SIDES, rows, ROWS, NULL, err)))
        return st;
    return yk_coupled_create(&b->problem,
                             &(struct yk_coupled_parts){.substructures = b->subs,
                                                        .fine = (const bool[]){false, true},
                                                        .count = YK_SIDES,
                                                        .rows = rows,
                                                        .row_count = ROWS,
                                                        .loads = loads,
                                                        .load_count = YK_SIDES,
                                                        .dt = STEP,
                                                        .substeps = substeps,
                                                        .untorn = &b->untorn},
                             NULL, err);
}

static void destroy(struct yk_coupled_bench *b)
{
    for (int s = 0; s < YK_SIDES; s++) {
        yk_first_order_fini(&b->first_order[s]);
        yk_block_fini(&b->block[s]);
    }
    yk_arena_free(&b->mem);
    yk_coupling_destroy(&b->coupling);
    yk_coupled_destroy(b->problem);
    yk_assembly_destroy(&b->untorn);
    for (int s = 0; s < YK_SIDES; s++)
        yk_system_destroy(b->subs[s].system);
    free(b->sine);
}

/* For the methods that keep theirs to themselves. */
static enum yk_status make_solvers(struct yk_coupled_bench *b, struct yk_err *err)
{
    enum yk_status st;

    for (int s = 0; s < YK_SIDES; s++)
        yk_block_layout(&b->block[s], &b->problem->side[s], ROWS, &b->mem);
    if ((st = yk_arena_check(&b->mem, err)))
        return st;
    for (int s = 0; s < YK_SIDES; s++) {
        struct yk_side *side = &b->problem->side[s];

        if ((st = yk_first_order_init(&b->first_order[s], side, ROWS, STEP, 0.8, &b->mem, err)) ||
            (st = yk_block_init(&b->block[s], side, b->problem, STEP, 0.3, 1, false, &b->mem, err)))
            return st;
    }
    return YK_OK;
}

static enum yk_status create(struct yk_coupled_bench *b, const struct yk_coupling_ops *ops, struct yk_err *err)
{
    void *settings;
    enum yk_status st;

    if ((st = yk_param_block(ops->params, ops->size, &settings, err)))
        return st;
    if (!(st = make_problem(b, ops->caps & YK_COUPLING_NO_SUBSTEPS ? 1 : YK_BENCH_SUBSTEPS, err)))
        st = yk_coupling_create(&b->coupling, ops, settings, b->problem, NULL, err);
    free(settings);
    return st ? st : make_solvers(b, err);
}

/* ---- solves ---------------------------------------------------------------------------------------------------- */

/* a from the net force: D a = p */
static void newmark_solve(struct yk_coupled_bench *b, int s, int stage)
{
    const struct yk_newmark_pair *pair = b->coupling.self;
    const struct yk_side *side = &b->problem->side[s];

    memcpy(b->x, side->p, side->n * sizeof *b->x);
    yk_factor_solve(pair->side[s].D, b->x);
}

/* The rate of v from the net force: E x = p - be h K w */
static void first_order_solve(struct yk_coupled_bench *b, int s, int stage)
{
    const struct yk_side *side = &b->problem->side[s];

    memcpy(b->x, side->p, side->n * sizeof *b->x);
    yk_matrix_add_product(&side->system->K, -1, b->zero, b->x);
    yk_factor_solve(b->first_order[s].E, b->x);
}

static void take_slope(struct yk_coupled_bench *b, struct yk_block *block, int stage)
{
    yk_block_slope(block, b->zero, block->side->p, b->zero, NULL, stage ? b->zero : NULL, b->x);
}

static void slope(struct yk_coupled_bench *b, int s, int stage)
{
    take_slope(b, &((struct yk_pair *)b->coupling.self)->leg[s].own, stage);
}

static void slope_of_integrator(struct yk_coupled_bench *b, int s, int stage)
{
    take_slope(b, &b->block[s], stage);
}

/* Evaluations are the calls of the force function of each side, counted in a run (a test counts them again). The rest
 * follows from the equations. Solves: one for each evaluation of a Newmark or first-order side; one slope for each
 * stage of a Rosenbrock side, which are as many, but for iplsrt2, which evaluates A once more after the projection of
 * every other step, and feedback, which evaluates it wherever B is driven. Interface: one multiplier for each instant
 * at which the sides meet (gc and pm every substep, ph, mph and state-space every step, Rosenbrock methods every
 * stage), one for the stage of A in plsrt2 and iplsrt2, and one for each projection. Loads: of A at the fine stages
 * that are not its own instants; ph also at the end of the step. */
static const struct yk_coupling_work works[] = {
    {"gc", {1, 10}, {1, 10}, newmark_solve, 10, 0},
    {"pm", {1, 10}, {1, 10}, newmark_solve, 10, 0},
    {"ph", {1, 10}, {1, 10}, newmark_solve, 1, 10},
    {"mph", {1, 10}, {1, 10}, newmark_solve, 1, 0},
    {"state-space", {1, 10}, {1, 10}, first_order_solve, 1, 0},
    {"apnr1", {1, 1}, {1, 1}, slope, 1, 0},
    {"apnr2", {2, 2}, {2, 2}, slope, 2, 0},
    {"assr1", {1, 10}, {1, 10}, slope, 10, 9},
    {"assr2", {2, 20}, {2, 20}, slope, 20, 18},
    {"apsr1", {1, 10}, {1, 10}, slope, 10, 9},
    {"plsrt2", {2, 20}, {2, 20}, slope, 21, 19},
    {"iplsrt2", {3, 40}, {2, 40}, slope, 43, 39},
    {"vpnr1", {1, 1}, {1, 1}, slope, 2, 0},
    {"vpnr2", {2, 2}, {2, 2}, slope, 3, 0},
    {"feedback", {22, 20}, {2, 20}, slope_of_integrator, 20, 0},
};

const struct yk_coupling_work *yk_coupling_work(const char *name)
{
    for (size_t k = 0; k < sizeof works / sizeof *works; k++)
        if (strcmp(works[k].name, name) == 0)
            return &works[k];
    return NULL;
}

/* ---- step and reference ---------------------------------------------------------------------------------------- */

/* Past the steps that start a method in another way. */
static void start(void *self)
{
    struct yk_coupling *c = self;

    yk_coupling_start(c);
    for (int k = 0; k < c->ops->start_steps; k++)
        yk_coupling_step(c);
}

static void run_cycles(void *self, long count)
{
    struct yk_coupling *c = self;

    for (long k = 0; k < count * c->ops->cycle_steps; k++)
        yk_coupling_step(c);
}

/* Loads at instants spread over the cycles that the method makes in the same turn: a sine costs more as time goes on.
 */
static void run_work(void *self, long count)
{
    struct yk_coupled_bench *b = self;
    const struct yk_coupling_work *w = b->work;
    const struct yk_trace trace = {b->zero, NULL};
    const double cycle = STEP * b->coupling.ops->cycle_steps;
    const double part[YK_SIDES] = {cycle / w->evaluations[YK_COARSE], cycle / w->evaluations[YK_FINE]};
    const double load_part = cycle / (w->loads + 1);

    for (long k = 0; k < count; k++) {
        const double t = cycle * (double)k;

        for (int s = 0; s < YK_SIDES; s++)
            for (int i = 0; i < w->evaluations[s]; i++) {
                yk_side_evaluate(&b->problem->side[s], t + part[s] * (i + 1), b->zero, b->zero);
                if (i < w->solves[s])
                    w->solve(b, s, i % b->coupling.ops->stages);
            }
        for (int i = 0; i < w->loads; i++)
            yk_side_load_trace(&b->problem->side[YK_COARSE], ROWS, t + load_part * (i + 1), b->x, b->lambda);
        for (int i = 0; i < w->multipliers; i++)
            yk_multiplier(b->problem, &trace, &trace, b->x, b->lambda);
    }
}

enum yk_status yk_bench_coupling(const struct yk_coupling_ops *ops, struct yk_bench_result *out, struct yk_err *err)
{
    struct yk_coupled_bench *b = calloc(1, sizeof *b); /* moves with the rest of what is measured */
    enum yk_status st;

    if (!b)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!(b->work = yk_coupling_work(ops->name)))
        st = yk_fail(err, YK_E_UNSUPPORTED, "%s: its evaluations and solves are not counted yet", ops->name);
    else if (!(st = create(b, ops, err))) {
        yk_measure(&(struct yk_task){start, run_cycles, &b->coupling}, &(struct yk_task){NULL, run_work, b}, out);
        out->seconds_per_op /= ops->cycle_steps;
        out->reference_seconds /= ops->cycle_steps;
    }
    destroy(b);
    free(b);
    return st;
}
