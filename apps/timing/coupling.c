/* The cost of a coupled step, as a ratio to the force evaluations and solves it is made of.
 *
 * The reference makes the same number of evaluations and solves, with the same matrices, one after the other and with
 * nothing in between: whatever the step takes beyond it is the coupling's own. Evaluations are counted in a cycle; its
 * solves the method tells (yk_coupling_ops). Units: N, m, s. */
#include "coupling.h"

#include "measure.h"

#include <stdlib.h>
#include <string.h>

#define STEP 0.01

/* Degrees of freedom of the sides, joined at the first `rows` of both. */
struct shape {
    size_t n[YK_SIDES], band, rows;
    int substeps;
};
enum { MOST_ROWS = 300, MOST_DOFS = 400 };

/* ---- the problem ----------------------------------------------------------------------------------------------- */

/* Both sides under a sine on every degree of freedom. */
struct yk_coupled_bench {
    struct yk_substructure subs[YK_SIDES];
    struct yk_assembly untorn;
    struct yk_coupled *problem;
    struct yk_coupling coupling;
    int evaluations[YK_SIDES]; /* of the net force, in a cycle */
    void *sine;                /* settings */
    double x[2 * MOST_DOFS];   /* of the solves of the reference */
    double zero[2 * MOST_DOFS], lambda[MOST_ROWS];
};

static enum yk_status make_load(struct yk_coupled_bench *b, const struct yk_signal_ops *sine, struct yk_err *err)
{
    enum yk_status st;

    if ((st = yk_param_settings(sine->params, sine->settings_size, &b->sine, err)) ||
        (st = yk_param_set(sine->params, b->sine, "amplitude", 1, err)))
        return st;
    return yk_param_set(sine->params, b->sine, "frequency", 1, err);
}

static enum yk_status make_problem(struct yk_coupled_bench *b, const struct shape *shape, struct yk_err *err)
{
    static char *name[YK_SIDES] = {"A", "B"}, *dofs[MOST_DOFS] = {0};
    const struct yk_signal_ops *sine = yk_signal_find("sine");
    const double mass[YK_SIDES] = {1, 0.25}; /* feedback needs the lighter part on the fine side */
    size_t ends[YK_SIDES] = {YK_COARSE, YK_FINE}, dof[MOST_ROWS][YK_SIDES];
    double coefficient[YK_SIDES] = {1, -1}, direction[MOST_DOFS];
    struct yk_load loads[YK_SIDES];
    struct yk_row rows[MOST_ROWS];
    enum yk_status st = make_load(b, sine, err);

    for (int s = 0; s < YK_SIDES && !st; s++) {
        b->subs[s] = (struct yk_substructure){name[s], dofs, NULL, s == YK_FINE};
        loads[s] =
            (struct yk_load){.signal = sine, .settings = b->sine, .substructure = (size_t)s, .direction = direction};
        st = yk_random_structure(&b->subs[s].system, shape->n[s], shape->band, mass[s], err);
    }
    for (size_t i = 0; i < MOST_DOFS; i++)
        direction[i] = 1;
    for (size_t r = 0; r < shape->rows; r++) {
        dof[r][YK_COARSE] = dof[r][YK_FINE] = r;
        rows[r] = (struct yk_row){YK_SIDES, ends, dof[r], coefficient, YK_NOWHERE};
    }
    if (st || (st = yk_assembly_create(&b->untorn, b->subs, YK_SIDES, rows, shape->rows, NULL, err)))
        return st;
    return yk_coupled_create(&b->problem,
                             &(struct yk_coupled_parts){.substructures = b->subs,
                                                        .count = YK_SIDES,
                                                        .rows = rows,
                                                        .row_count = shape->rows,
                                                        .loads = loads,
                                                        .load_count = YK_SIDES,
                                                        .dt = STEP,
                                                        .substeps = shape->substeps,
                                                        .untorn = &b->untorn},
                             NULL, err);
}

static void destroy(struct yk_coupled_bench *b)
{
    yk_coupling_destroy(&b->coupling);
    yk_coupled_destroy(b->problem);
    yk_assembly_destroy(&b->untorn);
    for (int s = 0; s < YK_SIDES; s++)
        yk_system_destroy(b->subs[s].system);
    free(b->sine);
}

static enum yk_status create(struct yk_coupled_bench *b, const struct yk_coupling_ops *ops, const struct shape *shape,
                             struct yk_err *err)
{
    void *settings;
    enum yk_status st;

    if ((st = yk_param_settings(ops->params, ops->size, &settings, err)))
        return st;
    if (!(st = make_problem(b, shape, err)))
        st = yk_coupling_create(&b->coupling, ops, settings, b->problem, NULL, err);
    free(settings);
    return st;
}

/* ---- evaluations ----------------------------------------------------------------------------------------------- */

/* Past the steps that start a method in another way. */
static void start(void *self)
{
    struct yk_coupling *c = self;

    yk_coupling_start(c, NULL, NULL);
    for (int k = 0; k < c->ops->start_steps; k++)
        yk_coupling_step(c);
}

static void run_cycles(void *self, long count)
{
    struct yk_coupling *c = self;

    for (long k = 0; k < count * c->ops->cycle_steps; k++)
        yk_coupling_step(c);
}

/* A system in front of that of a side, which counts how often its force is asked for. */
struct counted {
    struct yk_system system;
    struct yk_system_ops ops;
    struct yk_system *real;
    int calls;
};

YK_RT static void count_force(void *self, double t, const double *f, const double *u, const double *v, double *p)
{
    struct counted *c = self;

    c->calls++;
    c->real->ops->force(c->real->self, t, f, u, v, p);
}

void yk_coupling_count(struct yk_coupling *coupling, int evaluations[YK_SIDES])
{
    struct yk_side *side = coupling->problem->side;
    struct counted c[YK_SIDES];

    start(coupling);
    for (int s = 0; s < YK_SIDES; s++) { /* linear models: nothing but the force is asked of them */
        c[s] = (struct counted){.system = *side[s].system, .ops.force = count_force, .real = side[s].system};
        c[s].system.ops = &c[s].ops;
        c[s].system.self = &c[s];
        side[s].system = &c[s].system;
    }
    run_cycles(coupling, 1);
    for (int s = 0; s < YK_SIDES; s++) {
        side[s].system = c[s].real;
        evaluations[s] = c[s].calls;
    }
}

/* ---- step and reference ---------------------------------------------------------------------------------------- */

static int times(const struct yk_coupled_bench *b, struct yk_count count)
{
    return count.fixed + count.fine * b->problem->substeps;
}

/* Loads at instants spread over the cycles that the method makes in the same turn: a sine costs more as time goes on.
 */
static void run_work(void *self, long count)
{
    struct yk_coupled_bench *b = self;
    const struct yk_coupling_ops *ops = b->coupling.ops;
    const struct yk_coupling_evidence *work = ops->evidence;
    const struct yk_trace trace = {b->zero, NULL};
    const double cycle = STEP * ops->cycle_steps;
    const double part[YK_SIDES] = {cycle / b->evaluations[YK_COARSE], cycle / b->evaluations[YK_FINE]};
    const int solves[YK_SIDES] = {times(b, work->solves[YK_COARSE]), times(b, work->solves[YK_FINE])};
    const int loads = times(b, work->loads), multipliers = times(b, work->multipliers);
    const double load_part = cycle / (loads + 1);

    for (long k = 0; k < count; k++) {
        const double t = cycle * (double)k;

        for (int s = 0; s < YK_SIDES; s++)
            for (int i = 0; i < b->evaluations[s]; i++) {
                yk_side_evaluate(&b->problem->side[s], t + part[s] * (i + 1), b->zero, b->zero);
                if (i < solves[s])
                    work->solve(b->coupling.self, s, i % ops->stages, b->x);
            }
        for (int i = 0; i < loads; i++)
            yk_side_load_trace(&b->problem->side[YK_COARSE], b->problem->rows, t + load_part * (i + 1), b->x,
                               b->lambda);
        for (int i = 0; i < multipliers; i++)
            yk_multiplier(b->problem, &trace, &trace, b->x, b->lambda);
    }
}

enum yk_status yk_bench_coupling(const struct yk_coupling_ops *ops, struct yk_bench_result *out, struct yk_err *err)
{
    struct yk_coupled_bench *b = calloc(1, sizeof *b); /* moves with the rest of what is measured */
    const int substeps = ops->caps & YK_COUPLING_NO_SUBSTEPS ? 1 : YK_BENCH_SUBSTEPS;
    const struct shape shape = {{34, 4}, 34, 4, substeps};
    enum yk_status st;

    if (!b)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!ops->evidence || !ops->evidence->solve)
        st = yk_fail(err, YK_E_UNSUPPORTED, "%s: it does not report its solves", ops->name);
    else if (!(st = create(b, ops, &shape, err))) {
        yk_coupling_count(&b->coupling, b->evaluations);
        yk_measure(&(struct yk_task){start, run_cycles, &b->coupling}, &(struct yk_task){NULL, run_work, b}, out);
        out->seconds_per_op /= ops->cycle_steps;
        out->reference_seconds /= ops->cycle_steps;
    }
    destroy(b);
    free(b);
    return st;
}

/* A step of a problem of one shape against a step of another. */
static enum yk_status against(const struct yk_coupling_ops *ops, const struct shape shape[2],
                              struct yk_bench_result *out, struct yk_err *err)
{
    struct yk_coupled_bench *b = calloc(2, sizeof *b);
    enum yk_status st = b ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    for (int k = 0; k < 2 && !st; k++)
        st = create(&b[k], ops, &shape[k], err);
    if (!st) {
        yk_measure(&(struct yk_task){start, run_cycles, &b[0].coupling},
                   &(struct yk_task){start, run_cycles, &b[1].coupling}, out);
        out->seconds_per_op /= ops->cycle_steps;
        out->reference_seconds /= ops->cycle_steps;
    }
    for (int k = 0; b && k < 2; k++)
        destroy(&b[k]);
    free(b);
    return st;
}

enum yk_status yk_bench_rows(const struct yk_coupling_ops *ops, size_t rows, struct yk_bench_result *out,
                             struct yk_err *err)
{
    const struct shape shape[2] = {{{MOST_DOFS, MOST_DOFS}, 3, rows, 1}, {{MOST_DOFS, MOST_DOFS}, 3, 1, 1}};

    return against(ops, shape, out, err);
}

enum yk_status yk_bench_substeps(const struct yk_coupling_ops *ops, int substeps, struct yk_bench_result *out,
                                 struct yk_err *err)
{
    const struct shape shape[2] = {{{34, 4}, 34, 4, substeps}, {{34, 4}, 34, 4, 1}};

    return against(ops, shape, out, err);
}
