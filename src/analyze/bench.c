/* Benchmarks of the loop: a step of every integrator, the solve with a kept inverse, and a small nonlinear problem.
 *
 * A product of the BLAS takes up to a fifth longer where its operands happen to lie badly to each other (a store and a
 * later load a multiple of 4096 bytes apart), so every benchmark is set up and measured in several places of the heap
 * and the median is reported. The models are random with a fixed seed. Loads are constant and every turn starts anew
 * from rest or from the initial state, so the values stay ordinary numbers, free of denormals, however often a step is
 * repeated. */
#include <yoke/bench.h>
#include <yoke/integrator.h>
#include <yoke/substructure.h>

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
    TURNS = 101, /* in each place */
    MOST_PER_TURN = 1 << 20,
    SHIFT_BYTES = 64 * 1024 + 9 * 64 /* about a matrix, and no multiple of a page */
};
#define TURN_SECONDS 50e-6 /* long against reading the clock, short against what disturbs it */

/* One thing to measure: `run` does it `count` times; `reset` (may be NULL) comes before, untimed. */
struct task {
    void (*reset)(void *self);
    void (*run)(void *self, long count);
    void *self;
};

/* ---- measuring ------------------------------------------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of one run, averaged over `count`. */
static double turn(const struct task *task, long count)
{
    double start;

    if (task->reset)
        task->reset(task->self);
    start = seconds();
    task->run(task->self, count);
    return (seconds() - start) / (double)count;
}

/* How many runs fill a turn. */
static long runs_per_turn(const struct task *task)
{
    long count = 1;

    while (count < MOST_PER_TURN && turn(task, count) * (double)count < TURN_SECONDS)
        count *= 2;
    return count;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, ascending);
    return x[n / 2];
}

static void compare(const struct task *op, const struct task *reference, struct yk_bench_result *out)
{
    const long op_count = runs_per_turn(op), reference_count = runs_per_turn(reference);
    double ratio[TURNS], of_op[TURNS], of_reference[TURNS];

    for (int k = 0; k < TURNS; k++) {
        of_reference[k] = turn(reference, reference_count);
        of_op[k] = turn(op, op_count);
        ratio[k] = of_op[k] / of_reference[k];
    }
    out->ratio = median(ratio, TURNS);
    out->seconds_per_op = median(of_op, TURNS);
    out->reference_seconds = median(of_reference, TURNS);
}

/* ---- matrices -------------------------------------------------------------------------------------------------- */

/* Uniform in [-1, 1); Knuth's MMIX generator. */
static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

/* Symmetric positive definite by dominance: eigenvalues within 0.5 and 1.5 times `scale`. `band`: entries on either
 * side of the diagonal that are not zero. */
static enum yk_status random_matrix(struct yk_matrix *A, size_t band, double scale, uint64_t seed, struct yk_err *err)
{
    const size_t n = ORDER;
    enum yk_status st = yk_matrix_init(A, YK_DENSE, n, n, err);

    for (size_t j = 0; !st && j < n; j++) {
        A->x[j + j * n] = scale;
        for (size_t i = j > band ? j - band : 0; i < j; i++)
            A->x[i + j * n] = A->x[j + i * n] = 0.25 * scale / (double)(band < n ? band : n / 2) * draw(&seed);
    }
    return st;
}

static enum yk_status unit_mass(struct yk_matrix *M, struct yk_err *err)
{
    enum yk_status st = yk_matrix_init(M, YK_DIAGONAL, ORDER, ORDER, err);

    for (size_t i = 0; !st && i < ORDER; i++)
        M->x[i] = 1;
    return st;
}

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
static enum yk_status against_product(const struct task *op, struct yk_bench_result *out, struct yk_err *err)
{
    struct product s;
    enum yk_status st = random_matrix(&s.A, ORDER, 1, 3, err);

    if (!st)
        compare(op, &(struct task){product_reset, product_run, &s}, out);
    yk_matrix_fini(&s.A);
    return st;
}

/* ---- steps of a domain ----------------------------------------------------------------------------------------- */

static void domain_reset(void *self)
{
    struct yk_domain *d = self;

    yk_domain_start(d, d->integrator.system->u0, d->integrator.system->v0);
}

static void domain_run(void *self, long count)
{
    for (long k = 0; k < count; k++)
        yk_domain_step(self);
}

/* A domain without load function: what is in d->f stays. */
static enum yk_status make_domain(struct yk_domain *d, const struct yk_integrator_ops *ops, struct yk_system *system,
                                  double force, double dt, struct yk_err *err)
{
    void *settings = calloc(1, ops->size);
    enum yk_status st;

    if (!settings)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    yk_param_defaults(ops->params, settings);
    st = yk_domain_create(d, ops, settings, system, (struct yk_loading){0}, dt, err);
    free(settings);
    for (size_t i = 0; !st && i < system->n; i++)
        d->f[i] = force;
    return st;
}

/* M = 1, K about 1 and C about 0.02, so that omega is about 1 s^-1. */
static enum yk_status make_structure(struct yk_system **system, size_t band, struct yk_err *err)
{
    struct yk_structure_parts parts = {0};
    enum yk_status st;

    if ((st = unit_mass(&parts.M, err)) || (st = random_matrix(&parts.C, band, 0.02, 2, err)) ||
        (st = random_matrix(&parts.K, band, 1, 1, err))) {
        yk_structure_parts_free(&parts);
        return st;
    }
    return yk_structure_create(system, &parts, err);
}

static enum yk_status step_of_structure(const struct yk_integrator_ops *ops, size_t band, struct yk_bench_result *out,
                                        struct yk_err *err)
{
    struct yk_system *system;
    struct yk_domain domain;
    enum yk_status st = make_structure(&system, band, err);

    if (st)
        return st;
    if (!(st = make_domain(&domain, ops, system, 1, 0.1, err))) {
        st = against_product(&(struct task){domain_reset, domain_run, &domain}, out, err);
        yk_domain_destroy(&domain);
    }
    yk_system_destroy(system);
    return st;
}

static enum yk_status dense_step(const struct yk_integrator_ops *ops, struct yk_bench_result *out, struct yk_err *err)
{
    return step_of_structure(ops, ORDER, out, err);
}

static enum yk_status banded_step(const struct yk_integrator_ops *ops, struct yk_bench_result *out, struct yk_err *err)
{
    return step_of_structure(ops, HALF_BAND, out, err);
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

static enum yk_status kept_inverse(const struct yk_integrator_ops *ops, struct yk_bench_result *out, struct yk_err *err)
{
    struct solve s = {.x = {1, 2, 3}};
    struct yk_matrix A = {0};
    enum yk_status st;

    if (!(st = reflection(&A, err)) && !(st = yk_factor_create(&s.factor, &A, err)))
        st = against_product(&(struct task){NULL, solve_run, &s}, out, err);
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

static enum yk_status cubic_step(const struct yk_integrator_ops *ops, struct yk_bench_result *out, struct yk_err *err)
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
    enum yk_status st = make_domain(&domain, ops, &system, CUBIC_FORCE, CUBIC_STEP, err);

    if (st)
        return st;
    compare(&(struct task){domain_reset, domain_run, &domain}, &(struct task){plain_reset, plain_run, &plain}, out);
    yk_domain_destroy(&domain);
    return YK_OK;
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

/* A benchmark, or one for every integrator that does not have one of the `without` capabilities. */
struct entry {
    const char *name, *reference;
    bool every_integrator;
    unsigned without;
    enum yk_status (*run)(const struct yk_integrator_ops *ops, struct yk_bench_result *out, struct yk_err *err);
};

static const char product_name[] = "product with a dense 88 x 88 matrix";

static const struct entry table[] = {
    {"step/dense-88", product_name, true, 0, dense_step},
    {"step/banded-88", product_name, true, 0, banded_step},
    {"solve/kept-inverse-88", product_name, false, 0, kept_inverse},
    {"step/cubic", "step of a plain RK4 loop", true, YK_INTEG_LINEAR_ONLY, cubic_step},
};
enum { ENTRIES = sizeof table / sizeof *table };

/* What is required. */
static const struct {
    const char *name;
    double ratio;
} limits[] = {
    {"step/dense-88/newmark", 4.0},
};

static double limit_of(const char *name)
{
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++)
        if (strcmp(limits[k].name, name) == 0)
            return limits[k].ratio;
    return NAN;
}

/* Counts i down over the table; returns the entry it ends on and, where the entry has one, the integrator. Entries
 * beyond the last: NULL, and *i is what is left. */
static const struct entry *locate(size_t *i, const struct yk_integrator_ops **ops)
{
    for (const struct entry *e = table; e < table + ENTRIES; e++) {
        *ops = NULL;
        if (!e->every_integrator && (*i)-- == 0)
            return e;
        for (size_t k = 0; e->every_integrator && yk_integrators[k]; k++) {
            *ops = yk_integrators[k];
            if (!((*ops)->caps & e->without) && (*i)-- == 0)
                return e;
        }
    }
    return NULL;
}

/* Blocks held before the set-up move what it allocates. */
static enum yk_status run_in_places(const struct entry *e, const struct yk_integrator_ops *ops,
                                    struct yk_bench_result *out, struct yk_err *err)
{
    double ratio[PLACES], of_op[PLACES], of_reference[PLACES];
    void *held[PLACES] = {0};
    enum yk_status st = YK_OK;

    for (size_t k = 0; k < PLACES && !st; k++) {
        held[k] = malloc(SHIFT_BYTES);
        st = e->run(ops, out, err);
        ratio[k] = out->ratio;
        of_op[k] = out->seconds_per_op;
        of_reference[k] = out->reference_seconds;
    }
    for (size_t k = 0; k < PLACES; k++)
        free(held[k]);
    if (st)
        return st;
    out->ratio = median(ratio, PLACES);
    out->seconds_per_op = median(of_op, PLACES);
    out->reference_seconds = median(of_reference, PLACES);
    return YK_OK;
}

size_t yk_bench_count(void)
{
    const struct yk_integrator_ops *ops;
    size_t left = SIZE_MAX;

    locate(&left, &ops);
    return SIZE_MAX - left;
}

enum yk_status yk_bench_run(size_t i, struct yk_bench_result *out, struct yk_err *err)
{
    const struct yk_integrator_ops *ops;
    size_t left = i;
    const struct entry *e = locate(&left, &ops);

    *out = (struct yk_bench_result){0};
    if (!e)
        return yk_fail(err, YK_E_RANGE, "benchmark %zu is not among 0 .. %zu", i, yk_bench_count() - 1);
    snprintf(out->name, sizeof out->name, "%s%s%s", e->name, ops ? "/" : "", ops ? ops->name : "");
    snprintf(out->reference, sizeof out->reference, "%s", e->reference);
    out->ratio_limit = limit_of(out->name);
    return run_in_places(e, ops, out, err);
}
