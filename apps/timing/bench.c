/* Benchmarks of the loop: a step of every integrator and of every coupling, the solve with a kept inverse, a small
 * nonlinear problem, and a tick of the transfer chain with every block that it may have.
 *
 * A product of the BLAS takes up to a fifth longer where its operands happen to lie badly to each other (a store and a
 * later load a multiple of 4096 bytes apart), so every benchmark is set up and measured in several places of the heap
 * and the median is reported. The models are random with a fixed seed. Loads are constant and every turn starts anew
 * from rest or from the initial state, so the values stay ordinary numbers, free of denormals, however often a step is
 * repeated. */
#include "coupling.h"
#include "fibres.h"
#include "large.h"
#include "measure.h"
#include "modal.h"
#include "transfer.h"
#include "vehicle.h"

#include <yoke/integrator.h>
#include <yoke/substructure.h>
#include <yoke/transfer.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    ORDER = 88,    /* degrees of freedom of the models: a bridge of the literature, and 62 kB per dense matrix */
    HALF_BAND = 3, /* banded model: entries on either side of the diagonal                                     */
    PLACES = 7,
    SHIFT_BYTES = 64 * 1024 + 9 * 64 /* about a matrix, and no multiple of a page */
};

/* Subject of a benchmark that runs for every method or for several sizes; one member is set. */
struct method {
    const struct yk_integrator_ops *integrator;
    const struct yk_coupling_ops *coupling;
    struct yk_chain_kinds chain;
    size_t size; /* degrees of freedom, nonlinear elements, interface rows or substeps */
};

/* ---- the reference product ------------------------------------------------------------------------------------- */

struct product {
    struct yk_matrix A;
    _Alignas(64) double x[ORDER], y[ORDER];
};

static void product_run(void *self, long count)
{
    struct product *s = self;

    for (long k = 0; k < count; k++)
        yk_matrix_add_product(&s->A, 1, s->x, s->y);
}

static void product_reset(void *self)
{
    struct product *s = self;

    for (size_t i = 0; i < ORDER; i++) {
        s->x[i] = 1 + (double)i;
        s->y[i] = 0;
    }
}

/* Runs `op` against one product with a dense matrix of the same order. */
static enum yk_status against_product(const struct yk_task *op, struct yk_bench_result *out, struct yk_err *err)
{
    struct product s;
    enum yk_status st = yk_random_matrix(&s.A, ORDER, ORDER, 1, 3, err);

    if (!st)
        yk_measure(op, &(struct yk_task){product_reset, product_run, &s}, out);
    yk_matrix_fini(&s.A);
    return st;
}

/* ---- steps of a domain ----------------------------------------------------------------------------------------- */

/* A domain without load function: what is in d->f stays. */
static enum yk_status make_domain(struct yk_domain *d, const struct yk_integrator_ops *ops, struct yk_system *system,
                                  double force, double dt, struct yk_err *err)
{
    void *settings;
    enum yk_status st;

    if ((st = yk_param_settings(ops->params, ops->size, &settings, err)))
        return st;
    st = yk_domain_create(d, ops, settings, system, (struct yk_loading){0}, dt, NULL, err);
    free(settings);
    for (size_t i = 0; !st && i < system->n; i++)
        d->f[i] = force;
    return st;
}

static enum yk_status step_of_structure(const struct yk_integrator_ops *ops, size_t band, struct yk_bench_result *out,
                                        struct yk_err *err)
{
    struct yk_system *system;
    struct yk_domain domain;
    enum yk_status st = yk_random_structure(&system, ORDER, band, 1, err);

    if (st)
        return st;
    if (!(st = make_domain(&domain, ops, system, 1, 0.1, err))) {
        st = against_product(&(struct yk_task){yk_bench_restart, yk_bench_advance, &domain}, out, err);
        yk_domain_destroy(&domain);
    }
    yk_system_destroy(system);
    return st;
}

static enum yk_status dense_step(const struct method *method, struct yk_bench_result *out, struct yk_err *err)
{
    return step_of_structure(method->integrator, ORDER, out, err);
}

static enum yk_status banded_step(const struct method *method, struct yk_bench_result *out, struct yk_err *err)
{
    return step_of_structure(method->integrator, HALF_BAND, out, err);
}

/* ---- solve with a kept inverse --------------------------------------------------------------------------------- */

struct solve {
    struct yk_factor *factor;
    _Alignas(64) double x[ORDER];
};

static void solve_run(void *self, long count)
{
    struct solve *s = self;

    for (long k = 0; k < count; k++)
        yk_factor_solve(s->factor, s->x);
}

/* I - 2 w w^T / w^T w: dense, well conditioned and its own inverse, so repeated solves neither grow nor vanish. */
static enum yk_status reflection(struct yk_matrix *A, struct yk_err *err)
{
    enum yk_status st = yk_matrix_init(A, YK_DENSE, ORDER, ORDER, err);

    for (size_t k = 0; !st && k < ORDER * ORDER; k++)
        A->x[k] = (k % ORDER == k / ORDER) - 2.0 / ORDER; /* w = (1, 1, ..) */
    return st;
}

static enum yk_status kept_inverse(const struct method *method, struct yk_bench_result *out, struct yk_err *err)
{
    struct solve s = {.x = {1, 2, 3}};
    struct yk_matrix A = {0};
    enum yk_status st;

    if (!(st = reflection(&A, err)) && !(st = yk_factor_create(&s.factor, &A, NULL, err)))
        st = against_product(&(struct yk_task){NULL, solve_run, &s}, out, err);
    yk_factor_destroy(s.factor);
    yk_matrix_fini(&A);
    return st;
}

/* ---- cubic oscillator ------------------------------------------------------------------------------------------ */

/* a = f - 2 zeta v - u - u^3 with unit mass */
#define CUBIC_DAMPING 0.02
#define CUBIC_FORCE   0.1
#define CUBIC_STEP    0.05

static double cubic(double f, double u, double v)
{
    return f - CUBIC_DAMPING * v - u - u * u * u;
}

YK_RT static void cubic_force(void *self, double t, const double *f, const double *u, const double *v, double *p)
{
    p[0] = cubic(f[0], u[0], v[0]);
}

YK_RT static void cubic_tangent(void *self, const double *u, const double *v, double *K, double *C)
{
    K[0] = 1 + 3 * u[0] * u[0];
    C[0] = CUBIC_DAMPING;
}

/* The same oscillator in a plain loop. */
struct plain_rk4 {
    double u, v;
};

static void plain_reset(void *self)
{
    *(struct plain_rk4 *)self = (struct plain_rk4){.u = 1};
}

static void plain_run(void *self, long count)
{
    struct plain_rk4 *s = self;
    const double h = CUBIC_STEP, f = CUBIC_FORCE;
    double u = s->u, v = s->v;

    for (long k = 0; k < count; k++) {
        const double a1 = cubic(f, u, v), v2 = v + h / 2 * a1;
        const double a2 = cubic(f, u + h / 2 * v, v2), v3 = v + h / 2 * a2;
        const double a3 = cubic(f, u + h / 2 * v2, v3), v4 = v + h * a3;
        const double a4 = cubic(f, u + h * v3, v4);

        u += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
        v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    *s = (struct plain_rk4){u, v};
}

static enum yk_status cubic_step(const struct method *method, struct yk_bench_result *out, struct yk_err *err)
{
    const struct yk_system_ops system_ops = {.force = cubic_force, .tangent = cubic_tangent};
    double one = 1, stiffness = 1, damping = CUBIC_DAMPING, u0 = 1, v0 = 0;
    struct yk_system system = {
        .n = 1,
        .M = {.form = YK_DIAGONAL, .rows = 1, .cols = 1, .x = &one},
        .C = {.form = YK_DIAGONAL, .rows = 1, .cols = 1, .x = &damping},
        .K = {.form = YK_DIAGONAL, .rows = 1, .cols = 1, .x = &stiffness},
        .u0 = &u0,
        .v0 = &v0,
        .ops = &system_ops,
    };
    struct plain_rk4 plain;
    struct yk_domain domain;
    enum yk_status st = make_domain(&domain, method->integrator, &system, CUBIC_FORCE, CUBIC_STEP, err);

    if (st)
        return st;
    yk_measure(&(struct yk_task){yk_bench_restart, yk_bench_advance, &domain},
               &(struct yk_task){plain_reset, plain_run, &plain}, out);
    yk_domain_destroy(&domain);
    return YK_OK;
}

static enum yk_status coupled_step(const struct method *method, struct yk_bench_result *out, struct yk_err *err)
{
    return yk_bench_coupling(method->coupling, out, err);
}

static enum yk_status transfer_tick(const struct method *method, struct yk_bench_result *out, struct yk_err *err)
{
    return yk_bench_transfer(&method->chain, out, err);
}

/* A chain of the slowest component of each family. */
static enum yk_status heaviest_tick(const struct method *method, struct yk_bench_result *out, struct yk_err *err)
{
    return yk_bench_transfer(&(struct yk_chain_kinds){"ats", "newton-command", "adaptive-inverse", "rths-hydraulic"},
                             out, err);
}

static enum yk_status vehicle_step(const struct method *method, struct yk_bench_result *out, struct yk_err *err)
{
    return yk_bench_vehicle(out, err);
}

static enum yk_status chain_step(const struct method *method, struct yk_bench_result *out, struct yk_err *err)
{
    return yk_bench_chain("lsrt2", 1000, 2, out, err);
}

static enum yk_status newton_chain_step(const struct method *method, struct yk_bench_result *out, struct yk_err *err)
{
    return yk_bench_chain("newmark-newton", 1000, 1, out, err);
}

static enum yk_status other_chain_step(const struct method *method, struct yk_bench_result *out, struct yk_err *err)
{
    return yk_bench_growth("lsrt2", method->size, 1000, out, err);
}

static enum yk_status truss_step(const struct method *method, struct yk_bench_result *out, struct yk_err *err)
{
    return yk_bench_truss(method->size, out, err);
}

static enum yk_status hysteretic_truss_step(const struct method *method, struct yk_bench_result *out,
                                            struct yk_err *err)
{
    return yk_bench_hysteretic_truss(1000, method->size, out, err);
}

static enum yk_status tied_step(const struct method *method, struct yk_bench_result *out, struct yk_err *err)
{
    return yk_bench_rows(yk_coupling_find("gc"), method->size, out, err);
}

static enum yk_status subcycled_step(const struct method *method, struct yk_bench_result *out, struct yk_err *err)
{
    return yk_bench_substeps(yk_coupling_find("gc"), (int)method->size, out, err);
}

static enum yk_status bridge_step(const struct method *method, struct yk_bench_result *out, struct yk_err *err)
{
    return yk_bench_modal(yk_bench_bridge, out, err);
}

static enum yk_status frame_step(const struct method *method, struct yk_bench_result *out, struct yk_err *err)
{
    return yk_bench_modal(yk_bench_frame, out, err);
}

static enum yk_status many_fibres(const struct method *method, struct yk_bench_result *out, struct yk_err *err)
{
    return yk_bench_fibres(out, err);
}

static enum yk_status fibre_frame_step(const struct method *method, struct yk_bench_result *out, struct yk_err *err)
{
    return yk_bench_fibre_frame("alpha-os", method->size, out, err);
}

static enum yk_status explicit_fibre_frame_step(const struct method *method, struct yk_bench_result *out,
                                                struct yk_err *err)
{
    return yk_bench_fibre_frame("cr", method->size, out, err);
}

static enum yk_status newton_fibre_frame_step(const struct method *method, struct yk_bench_result *out,
                                              struct yk_err *err)
{
    return yk_bench_fibre_frame("newmark-newton", method->size, out, err);
}

static enum yk_status hysteretic_step(const struct method *method, struct yk_bench_result *out, struct yk_err *err)
{
    return yk_bench_bouc_wen(method->integrator, out, err);
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

enum subject {
    ONCE,
    EVERY_SIZE,
    EVERY_INTEGRATOR,
    EVERY_COUPLING,
    EVERY_COMPENSATOR,
    EVERY_ESTIMATOR,
    EVERY_CONTROLLER,
    EVERY_PLANT
};

/* A benchmark, or one for every size or for every method that does not have one of the `without` capabilities. */
struct entry {
    const char *name, *reference;
    enum subject subject;
    unsigned without;
    double limit; /* what is required; 0: nothing */
    enum yk_status (*run)(const struct method *method, struct yk_bench_result *out, struct yk_err *err);
};

/* The sizes of an entry whose name has a '#' in their place. */
static const struct series {
    const char *name;
    size_t sizes[8]; /* 0 at the end */
} series[] = {
    {"step/chain-#/lsrt2", {250, 500, 2000, 4000, 8000, 16000}},
    {"step/truss-#/newmark", {1000, 3136, 10176, 32000, 100000}},
    {"step/truss-1000+#/newmark-newton", {1, 3, 10, 30, 100, 300, 1000}},
    {"step/fibre-frame-#/alpha-os", {10, 100, 400}},
    {"step/fibre-frame-#/cr", {10, 100, 400}},
    {"step/fibre-frame-#/newmark-newton", {10, 100, 400}},
    {"coupled-step/rows-#/gc", {3, 10, 30, 100, 300}},
    {"coupled-step/substeps-#/gc", {2, 5, 10, 20, 50, 100}},
};

static size_t size_at(const char *name, size_t k)
{
    for (size_t i = 0; i < sizeof series / sizeof *series; i++)
        if (strcmp(series[i].name, name) == 0)
            return k < sizeof series->sizes / sizeof *series->sizes ? series[i].sizes[k] : 0;
    return 0;
}

static const char product_name[] = "product with a dense 88 x 88 matrix";

static const char small_product_name[] = "product with a dense 10 x 10 matrix";

static const char modal_name[] = "modal floor: the load and one loop over the modes";

static const char fibres_name[] = "plain loop over its fibres, with two pow for each";

static const char factor_name[] = "reading the numbers of its factor twice";

/* 4^1.1: cost grows with the number of springs to a power below 1.1. */
#define FOUR_TIMES 4.59

/* A microsecond, where that product takes 25 ns. */
#define TICK_LIMIT 40

static const struct entry table[] = {
    {"step/dense-88", product_name, EVERY_INTEGRATOR, 0, 0, dense_step},
    {"step/banded-88", product_name, EVERY_INTEGRATOR, 0, 0, banded_step},
    {"solve/kept-inverse-88", product_name, ONCE, 0, 0, kept_inverse},
    {"vehicle-step/34+4", "product with a dense 38 x 38 matrix", ONCE, 0, 80, vehicle_step},
    {"step/cubic", "step of a plain RK4 loop", EVERY_INTEGRATOR, YK_INTEG_LINEAR_ONLY, 0, cubic_step},
    {"step/bouc-wen", "step of a plain RK4 loop", EVERY_INTEGRATOR, YK_INTEG_LINEAR_ONLY, 0, hysteretic_step},
    {"step/chain-1000/lsrt2", "its two force evaluations", ONCE, 0, 3.5, chain_step},
    {"step/chain-1000/newmark-newton", "a force evaluation", ONCE, 0, 11, newton_chain_step},
    {"step/chain-#/lsrt2", "step of a chain of 1,000", EVERY_SIZE, 0, 0, other_chain_step},
    {"step/truss-#/newmark", factor_name, EVERY_SIZE, 0, 0, truss_step},
    {"step/truss-1000+#/newmark-newton", "linear step of the same truss", EVERY_SIZE, 0, 0, hysteretic_truss_step},
    {"fibres-1000/steel", fibres_name, ONCE, 0, 0.35, many_fibres},
    {"step/fibre-frame-#/alpha-os", fibres_name, EVERY_SIZE, 0, 0, fibre_frame_step},
    {"step/fibre-frame-#/cr", fibres_name, EVERY_SIZE, 0, 0, explicit_fibre_frame_step},
    {"step/fibre-frame-#/newmark-newton", fibres_name, EVERY_SIZE, 0, 0, newton_fibre_frame_step},
    {"coupled-step/rows-#/gc", "coupled step with one row", EVERY_SIZE, 0, 0, tied_step},
    {"coupled-step/substeps-#/gc", "coupled step with one substep", EVERY_SIZE, 0, 0, subcycled_step},
    {"step/bridge-88/newmark", modal_name, ONCE, 0, 3, bridge_step},
    {"step/frame-999/newmark", modal_name, ONCE, 0, 3, frame_step},
    {"coupled-step/34+4", "its force evaluations and solves", EVERY_COUPLING, YK_COUPLING_SPECIMENS, 1.3, coupled_step},
    {"tick/compensator", small_product_name, EVERY_COMPENSATOR, 0, TICK_LIMIT, transfer_tick},
    {"tick/estimator", small_product_name, EVERY_ESTIMATOR, 0, TICK_LIMIT, transfer_tick},
    {"tick/controller", small_product_name, EVERY_CONTROLLER, 0, TICK_LIMIT, transfer_tick},
    {"tick/plant", small_product_name, EVERY_PLANT, 0, TICK_LIMIT, transfer_tick},
    {"tick/heaviest", small_product_name, ONCE, 0, TICK_LIMIT, heaviest_tick},
};
enum { ENTRIES = sizeof table / sizeof *table };

/* Limits of single methods; they override the limit of the entry. */
static const struct {
    const char *name;
    double ratio;
} limits[] = {
    {"step/dense-88/newmark", 4.0},
    {"step/bouc-wen/rk4", 1.5},
    {"step/bouc-wen/cr", 1.5},
    {"step/chain-4000/lsrt2", FOUR_TIMES},
    {"step/fibre-frame-10/cr", 0.4},
    {"step/fibre-frame-10/alpha-os", 0.7},
    {"step/fibre-frame-10/newmark-newton", 0.9},
    {"step/fibre-frame-100/cr", 0.4},
    {"step/fibre-frame-100/alpha-os", 0.7},
    {"step/fibre-frame-100/newmark-newton", 1.2},
    {"step/fibre-frame-400/newmark-newton", 1.8}, /* it depends on who else uses the memory */
    {"coupled-step/34+4/apsr1", 1.45},            /* they take 1.25 and 1.30, and these vary by 0.02 */
    {"coupled-step/34+4/iplsrt2", 1.45},
};

static double limit_of(const struct entry *e, const char *name)
{
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++)
        if (strcmp(limits[k].name, name) == 0)
            return limits[k].ratio;
    return e->limit > 0 ? e->limit : NAN;
}

/* Number k of those that serve one actuator and need no file; NULL: there are no more. */
#define ALONE(list)                                                                                                    \
    for (size_t i = 0; (list)[i]; i++)                                                                                 \
        if (!(list)[i]->joint && !yk_param_needs_file((list)[i]->params) && k-- == 0)                                  \
            return (list)[i]->name;                                                                                    \
    return NULL;
static const char *compensator_at(size_t k)
{
    ALONE(yk_compensators)
}
static const char *controller_at(size_t k)
{
    ALONE(yk_controllers)
}
static const char *plant_at(size_t k)
{
    ALONE(yk_plants)
}

/* The usual chain with block number k of a family in its place, and its name; NULL: there are no more. */
static const char *take_block(const struct entry *e, size_t k, struct yk_chain_kinds *chain)
{
    *chain = (struct yk_chain_kinds){"lagrange", "rls", "imc", "tt1"};
    if (e->subject == EVERY_COMPENSATOR)
        return chain->compensator = compensator_at(k);
    if (e->subject == EVERY_ESTIMATOR)
        return chain->estimator = yk_estimators[k] ? yk_estimators[k]->name : NULL;
    if (e->subject == EVERY_CONTROLLER)
        return chain->controller = controller_at(k);
    if (e->subject == EVERY_PLANT)
        return chain->plant = plant_at(k);
    return NULL;
}

/* Method or size number k of an entry and its name; NULL: there are no more. */
static const char *take_method(const struct entry *e, size_t k, struct method *method, bool *left_out)
{
    *method = (struct method){0};
    *left_out = false;
    if (e->subject == ONCE)
        return k == 0 ? "" : NULL;
    if (e->subject == EVERY_SIZE)
        return (method->size = size_at(e->name, k)) ? "" : NULL;
    if (e->subject == EVERY_INTEGRATOR && (method->integrator = yk_integrators[k])) {
        *left_out = method->integrator->caps & e->without;
        return method->integrator->name;
    }
    if (e->subject == EVERY_COUPLING && (method->coupling = yk_couplings[k])) {
        const struct yk_coupling_evidence *work = method->coupling->evidence;

        *left_out = method->coupling->caps & e->without || !work || !work->solve;
        return method->coupling->name;
    }
    return take_block(e, k, &method->chain);
}

/* Counts i down over the table; returns the entry it ends on, with the method and its name where it has one. NULL
 * beyond the last entry; *i is then the rest of the count. */
static const struct entry *locate(size_t *i, struct method *method, const char **name)
{
    bool left_out;

    for (const struct entry *e = table; e < table + ENTRIES; e++)
        for (size_t k = 0; (*name = take_method(e, k, method, &left_out)); k++)
            if (!left_out && (*i)-- == 0)
                return e;
    return NULL;
}

#define PATIENCE (CLOCKS_PER_SEC / 2) /* CPU time after which the places tried so far have to do */

/* Blocks allocated before the preparation shift its own memory. */
static enum yk_status run_in_places(const struct entry *e, const struct method *method, struct yk_bench_result *out,
                                    struct yk_err *err)
{
    double ratio[PLACES], of_op[PLACES], of_reference[PLACES];
    void *held[PLACES] = {0};
    const clock_t begin = clock();
    size_t places = 0;
    enum yk_status st = YK_OK;

    for (size_t k = 0; k < PLACES && !st && (k == 0 || clock() - begin < PATIENCE); k++, places++) {
        held[k] = malloc(SHIFT_BYTES);
        st = e->run(method, out, err);
        ratio[k] = out->ratio;
        of_op[k] = out->seconds_per_op;
        of_reference[k] = out->reference_seconds;
    }
    for (size_t k = 0; k < PLACES; k++)
        free(held[k]);
    if (st)
        return st;
    out->ratio = yk_median(ratio, places);
    out->seconds_per_op = yk_median(of_op, places);
    out->reference_seconds = yk_median(of_reference, places);
    return YK_OK;
}

size_t yk_bench_count(void)
{
    struct method method;
    const char *name;
    size_t left = SIZE_MAX;

    locate(&left, &method, &name);
    return SIZE_MAX - left;
}

bool yk_bench_name(size_t i, char *name, size_t size)
{
    struct method method;
    const char *of;
    const struct entry *e = locate(&i, &method, &of);

    if (e && e->subject == EVERY_SIZE)
        snprintf(name, size, "%.*s%zu%s", (int)strcspn(e->name, "#"), e->name, method.size, strchr(e->name, '#') + 1);
    else
        snprintf(name, size, "%s%s%s", e ? e->name : "", e && of[0] ? "/" : "", e ? of : "");
    return e != NULL;
}

enum yk_status yk_bench_run(size_t i, struct yk_bench_result *out, struct yk_err *err)
{
    struct method method;
    const char *name;
    size_t left = i;
    const struct entry *e = locate(&left, &method, &name);

    *out = (struct yk_bench_result){0};
    if (!e)
        return yk_fail(err, YK_E_RANGE, "benchmark %zu is not among 0 .. %zu", i, yk_bench_count() - 1);
    yk_bench_name(i, out->name, sizeof out->name);
    snprintf(out->reference, sizeof out->reference, "%s", e->reference);
    out->ratio_limit = limit_of(e, out->name);
    return run_in_places(e, &method, out, err);
}
