/* Every registered integrator steps without heap calls, page faults and system calls once it has started. */
#include "support/check.h"
#include "support/lattice.h"
#include "support/random.h"
#include "support/trap.h"
#include "support/yielding_column.h"

#include <math.h>
#include <stdlib.h>

#include <yoke/integrator.h>
#include <yoke/substructure.h>

enum { WARM_UP = 3, DENSE_ORDER = 10, SPARSE_ORDER = 200, LAPACK_ORDER = 60 };

/* ---- models ---------------------------------------------------------------------------------------------------- */

/* Symmetric, random off the diagonal, eigenvalues within 0.5 and 1.5 times `scale`. */
static void make_dense(struct yk_matrix *A, size_t n, double scale, uint64_t *seed)
{
    assert_ok(yk_matrix_init(A, YK_DENSE, n, n, &err));
    for (size_t j = 0; j < n; j++) {
        A->x[j + j * n] = scale;
        for (size_t i = 0; i < j; i++)
            A->x[i + j * n] = A->x[j + i * n] = 0.5 * scale / (double)n * random_value(seed);
    }
}

/* Three diagonals (-1, 2, -1) times `scale`, plus `more` on the middle one. */
static void make_chain(struct yk_matrix *A, size_t n, double scale, double more)
{
    int row[3 * SPARSE_ORDER], col[3 * SPARSE_ORDER];
    double value[3 * SPARSE_ORDER];
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t j = i ? i - 1 : 0; j <= i + 1 && j < n; j++) {
            row[count] = (int)i;
            col[count] = (int)j;
            value[count++] = i == j ? 2 * scale + more : -scale;
        }
    assert_ok(yk_matrix_from_triplets(A, n, n, count, row, col, value, &err));
}

static struct yk_system *dense_structure(size_t n)
{
    struct yk_structure_parts parts = {0};
    struct yk_system *system;
    uint64_t seed = 7;

    make_dense(&parts.M, n, 1, &seed);
    make_dense(&parts.C, n, 2, &seed);
    make_dense(&parts.K, n, 400, &seed);
    assert_ok(yk_structure_create(&system, &parts, NULL, &err));
    assert_int_equal(system->K.form, YK_DENSE);
    return system;
}

/* The mass is tridiagonal as well, so that every factor of every method is a sparse one. */
static struct yk_system *chain(void)
{
    struct yk_structure_parts parts = {0};
    struct yk_system *system;

    make_chain(&parts.M, SPARSE_ORDER, -0.1, 1.2);
    make_chain(&parts.C, SPARSE_ORDER, 0.2, 0.1);
    make_chain(&parts.K, SPARSE_ORDER, 100, 0);
    assert_ok(yk_structure_create(&system, &parts, NULL, &err));
    assert_int_equal(system->M.form, YK_SPARSE);
    assert_int_equal(system->K.form, YK_SPARSE);
    return system;
}

/* A structure with a cubic spring from its first degree of freedom to the ground: takes the iterations and the
 * refreshed Jacobians of the methods that have them. */
struct stiffening {
    struct yk_system system;
    double k3, *K, *C;
};

static void stiffening_force(void *self, double t, const double *f, const double *u, const double *v, double *p)
{
    struct stiffening *s = self;

    memcpy(p, f, s->system.n * sizeof *p);
    yk_matrix_add_product(&s->system.K, -1, u, p);
    yk_matrix_add_product(&s->system.C, -1, v, p);
    p[0] -= s->k3 * u[0] * u[0] * u[0];
}

static void stiffening_tangent(void *self, const double *u, const double *v, double *K, double *C)
{
    struct stiffening *s = self;
    const size_t n = s->system.n;

    memcpy(K, s->K, n * n * sizeof *K);
    memcpy(C, s->C, n * n * sizeof *C);
    K[0] += 3 * s->k3 * u[0] * u[0];
}

static void stiffening_destroy(void *self)
{
    struct stiffening *s = self;

    free(s->K);
    free(s->C);
}

static const struct yk_system_ops stiffening_ops = {
    .force = stiffening_force, .tangent = stiffening_tangent, .destroy = stiffening_destroy};

static struct yk_system *stiffening(size_t n)
{
    struct yk_arena own = {0};
    struct stiffening *s = yk_arena_take(&own, sizeof *s);
    struct yk_system *linear = dense_structure(n);

    assert_non_null(s);
    s->system = (struct yk_system){.n = n, .ops = &stiffening_ops, .self = s, .own = own};
    assert_ok(yk_matrix_copy(&s->system.M, &linear->M, &err));
    assert_ok(yk_matrix_copy(&s->system.C, &linear->C, &err));
    assert_ok(yk_matrix_copy(&s->system.K, &linear->K, &err));
    yk_system_destroy(linear);
    s->system.u0 = calloc(n, sizeof(double));
    s->system.v0 = calloc(n, sizeof(double));
    s->K = calloc(n * n, sizeof(double));
    s->C = calloc(n * n, sizeof(double));
    assert_true(s->system.u0 && s->system.v0 && s->K && s->C);
    yk_matrix_to_dense(&s->system.K, s->K);
    yk_matrix_to_dense(&s->system.C, s->C);
    s->k3 = 2e5;
    return &s->system;
}

static void load(void *self, double t, double *f)
{
    const size_t n = *(const size_t *)self;

    for (size_t i = 0; i < n; i++)
        f[i] = 20 * sin(10 * t + (double)i);
}

/* ---- the measured section -------------------------------------------------------------------------------------- */

struct run {
    struct yk_domain domain;
    const struct yk_system *system;
    long steps;
    enum yk_status status;
};

static void advance(void *arg)
{
    struct run *r = arg;

    for (long k = 0; k < r->steps && !r->status; k++)
        r->status = yk_domain_step(&r->domain);
}

/* To the start and a few steps on. Every section begins here: a motion may grow, and one that goes on and on diverges.
 */
static void begin(struct run *r)
{
    const long steps = r->steps;

    assert_int_equal(yk_domain_start(&r->domain, r->system->u0, r->system->v0), YK_OK);
    r->steps = WARM_UP;
    advance(r);
    r->steps = steps;
}

static void measure(struct run *r, struct trap_counts *counts)
{
    begin(r);
    trap_begin();
    advance(r);
    trap_end(counts);
}

/* Repeats the section once when it saw page faults: a stack that grows for the first time, or a page the kernel moved,
 * is not the step's doing; a step that touches fresh memory does so again. */
static void check_memory(struct run *r, const char *name)
{
    struct trap_counts counts;

    measure(r, &counts);
    if (counts.page_faults > 0)
        measure(r, &counts);
    if (r->status || counts.heap_calls || counts.page_faults)
        print_error("%s: %s, %ld heap calls, %ld page faults in %ld steps\n", name, yk_status_text(r->status),
                    counts.heap_calls, counts.page_faults, r->steps);
    assert_int_equal(r->status, YK_OK);
    assert_int_equal(counts.heap_calls, 0);
    assert_int_equal(counts.page_faults, 0);
}

static void check_system_calls(struct run *r, const char *name)
{
    long first, count;

    begin(r);
    count = count_syscalls(advance, r, &first);

    if (count == TRAP_UNAVAILABLE) {
        print_message("%s: system calls not counted: ptrace is not allowed here\n", name);
        return;
    }
    if (count)
        print_error("%s: %ld system calls in %ld steps, the first is number %ld\n", name, count, r->steps, first);
    assert_int_equal(count, 0);
}

static void check_settings(const struct yk_integrator_ops *ops, const void *settings, struct yk_system *system,
                           long steps)
{
    struct yk_loading loading = {load, &system->n};
    struct run r = {.system = system, .steps = steps};

    assert_ok(yk_domain_create(&r.domain, ops, settings, system, loading, 0.005, NULL, &err));
    check_memory(&r, ops->name);
    check_system_calls(&r, ops->name);
    yk_domain_destroy(&r.domain);
}

/* With its defaults, and with every choice of every setting that offers one. */
static void check_integrator(const struct yk_integrator_ops *ops, struct yk_system *system, long steps)
{
    void *settings = calloc(1, ops->size);

    assert_non_null(settings);
    yk_param_defaults(ops->params, settings);
    check_settings(ops, settings, system, steps);
    for (const struct yk_param *p = ops->params; p && p->name; p++) {
        int choice = 0;

        for (const char *c = p->type == YK_PARAM_CHOICE ? p->choices : NULL; c; c = strchr(c + 1, '|'), choice++) {
            if (choice == (int)p->fallback)
                continue;
            yk_param_defaults(ops->params, settings);
            assert_ok(yk_param_set(ops->params, settings, p->name, choice, &err));
            check_settings(ops, settings, system, steps);
        }
    }
    free(settings);
}

static void check_all(struct yk_system *system, long steps)
{
    if (!trap_sees_heap())
        print_message("heap calls not counted: the heap belongs to a sanitizer or to another C library\n");
    if (!trap_sees_faults())
        print_message("page faults not counted: a sanitizer's shadow memory faults as well\n");
    for (const struct yk_integrator_ops *const *ops = yk_integrators; *ops; ops++)
        if (system->linear || !((*ops)->caps & YK_INTEG_LINEAR_ONLY))
            check_integrator(*ops, system, steps);
    yk_system_destroy(system);
}

static void step_of_a_dense_model_is_clean(void **state)
{
    check_all(dense_structure(DENSE_ORDER), 10000);
}

static void step_of_a_sparse_model_is_clean(void **state)
{
    check_all(chain(), 2000);
}

static void step_of_a_nonlinear_model_is_clean(void **state)
{
    check_all(stiffening(DENSE_ORDER), 10000);
}

/* Large enough for LAPACK to factor the refreshed Jacobian. */
static void step_of_a_larger_nonlinear_model_is_clean(void **state)
{
    check_all(stiffening(LAPACK_ORDER), 1000);
}

/* Members that yield under these loads, with laws that remember beside them and damping by committed stiffness. */
static void step_of_yielding_members_is_clean(void **state)
{
    check_all(yielding_column_create(&(struct yielding_column){.members = 2,
                                                               .yield = 1e-9,
                                                               .hardening = 0.1,
                                                               .geometry = YK_GEOMETRY_COROTATIONAL,
                                                               .committed_damping = 1e-4,
                                                               .mixed = true},
                                     NULL),
              1000);
}

/* On every path of methods that follow the tangent, with the symmetric factors and with KLU's. */
static void step_on_every_path_is_clean(void **state)
{
    for (int path = YK_SOLVE_DENSE; path <= YK_SOLVE_LOW_RANK; path++)
        for (int lever = 0; lever < 2; lever++) {
            struct yk_system *system = lattice_create(&(struct lattice){
                .width = 24, .height = 9, .hysteretic = 60, .lever = lever && path != YK_SOLVE_BANDED});

            system->path = (enum yk_solve_path)path;
            check_integrator(yk_integrator_find("newmark-newton"), system, 20);
            check_integrator(yk_integrator_find("lsrt2"), system, 20);
            yk_system_destroy(system);
        }
}

/* In modes: a linear lattice, and one with few hysteretic springs. */
static void step_in_modes_is_clean(void **state)
{
    for (int linear = 0; linear < 2; linear++) {
        char *dofs[1] = {NULL};
        struct yk_substructure lattice = {.name = "lattice", .dofs = dofs};
        struct yk_assembly given, modal;

        lattice.system = lattice_create(&(struct lattice){.width = 12, .height = 9, .hysteretic = linear ? 0 : 6});
        assert_ok(yk_assembly_create(&given, &lattice, 1, NULL, 0, NULL, &err));
        assert_ok(yk_modal_create(&modal, &given, NULL, &err));
        for (const struct yk_integrator_ops *const *ops = yk_integrators; *ops; ops++)
            if (linear || !((*ops)->caps & YK_INTEG_LINEAR_ONLY))
                check_integrator(*ops, modal.system, 200);
        yk_assembly_destroy(&modal);
        yk_assembly_destroy(&given);
        yk_system_destroy(lattice.system);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_of_a_dense_model_is_clean),
        cmocka_unit_test(step_of_a_sparse_model_is_clean),
        cmocka_unit_test(step_of_a_nonlinear_model_is_clean),
        cmocka_unit_test(step_of_a_larger_nonlinear_model_is_clean),
        cmocka_unit_test(step_of_yielding_members_is_clean),
        cmocka_unit_test(step_on_every_path_is_clean),
        cmocka_unit_test(step_in_modes_is_clean),
    };
    return cmocka_run_group_tests_name("step is clean", tests, NULL, NULL);
}
