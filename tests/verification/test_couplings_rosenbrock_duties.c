/* Duties of every Rosenbrock coupling: two threads agree with one, a saved state goes on, the order holds with cubic
 * springs, momentum is shared, and problems that do not fit are refused. */

#include "support/check.h"
#include "support/duffing.h"
#include "support/rosenbrock.h"

#include <math.h>
#include <stdlib.h>

static const struct coupled_method family[] = {
    COUPLING("apnr1", 1, 1),
    COUPLING("apnr2", 1, G_MINUS),
    COUPLING("assr1", 3, 1),
    COUPLING("assr2", 4, G_MINUS),
    COUPLING_SET("assr2", 4, G_PLUS, "multipliers", 1),
    COUPLING("apsr1", 3, 1),
    COUPLING("plsrt2", 3, G_MINUS),
    COUPLING("iplsrt2", 3, G_MINUS),
    COUPLING_SET("iplsrt2", 3, G_MINUS, "projection", 1),
    COUPLING_SET("iplsrt2", 3, G_MINUS, "projection", 2),
    COUPLING("vpnr1", 1, 1),
    COUPLING("vpnr2", 1, G_MINUS),
    COUPLING_SET("vpnr2", 1, G_MINUS, "variant", 1),
};
enum { FAMILY = sizeof family / sizeof *family, MOST = 32 };

/* Two cubic oscillators m, k, k3 u^3 split b : 1, sine loads on both sides. */
static void cubic_torn(struct torn *t, double b, double dt, int substeps)
{
    struct yk_system *systems[2];
    const double share[] = {b / (1 + b), 1 / (1 + b)}, u0 = 0.5, v0 = 1;

    for (int i = 0; i < 2; i++) {
        struct yk_matrix A[3] = {{0}};

        for (int k = 0; k < 3; k++)
            assert_ok(yk_matrix_init(&A[k], YK_DENSE, 1, 1, &err));
        A[0].x[0] = share[i];
        A[1].x[0] = 0.1 * share[i];
        A[2].x[0] = share[1 - i];
        systems[i] = duffing_create(A[0], A[1], A[2], 2 * share[i], false, &u0, &v0);
    }
    torn_from_systems(t, systems, (bool[]){false, true}, 2, &(struct torn_join){0, 0, 1, 0}, 1, dt, substeps);
    torn_load(t, YK_COARSE, (struct yk_loading){sine_load, NULL});
    torn_load(t, YK_FINE, (struct yk_loading){sine_load, NULL});
}

static void open_cubic(struct bench *b, const struct coupled_method *m, double dt, int threads)
{
    const char *names[] = {"gamma", "gamma_B", m->set[0].name};
    const double values[] = {m->gamma_A, m->gamma_B, m->set[0].value};

    cubic_torn(&b->torn, 2, dt, m->substeps);
    torn_open(&b->c, &b->torn, m->name, names, values, m->set[0].name ? 3 : 2, threads);
}

static void assert_same(struct bench *x, struct bench *y, double tolerance, const char *label)
{
    for (int side = 0; side < YK_SIDES; side++) {
        const struct yk_kinematics a = bench_now(x, side), b = bench_now(y, side);

        within(a.u[0], b.u[0], tolerance, label, "u");
        within(a.v[0], b.v[0], tolerance, label, "v");
        within(a.a[0], b.a[0], tolerance, label, "a");
    }
    within(x->c.ops->lambda(x->c.self)[0], y->c.ops->lambda(y->c.self)[0], tolerance, label, "lambda");
}

static void two_threads_agree_bit_by_bit(void **state)
{
    for (size_t m = 0; m < FAMILY; m++) {
        struct bench one, two;

        open_cubic(&one, &family[m], 0.02, 1);
        open_cubic(&two, &family[m], 0.02, 2);
        assert_true(!two.c.apart == !(two.c.ops->caps & YK_COUPLING_PARALLEL));
        for (int k = 0; k < 200; k++) {
            bench_run(&one, 1);
            bench_run(&two, 1);
            assert_same(&one, &two, 0, family[m].name);
        }
        bench_close(&one);
        bench_close(&two);
    }
}

/* A state put into a fresh coupling at the same step goes on as the first; at every phase of cycles and start-up. */
static void saved_states_go_on(void **state)
{
    for (size_t m = 0; m < FAMILY; m++)
        for (int at = 1; at < 9; at++) {
            struct bench first, second;
            struct yk_span from[MOST], to[MOST];
            size_t count;

            open_cubic(&first, &family[m], 0.02, 1);
            open_cubic(&second, &family[m], 0.02, 1);
            bench_run(&first, at);
            second.torn.problem->step = at;
            count = first.c.ops->state(first.c.self, from, MOST);
            assert_int_equal(second.c.ops->state(second.c.self, to, MOST), count);
            for (size_t i = 0; i < count; i++) {
                assert_int_equal(from[i].n, to[i].n);
                memcpy(to[i].x, from[i].x, to[i].n * sizeof(double));
            }
            assert_int_equal(second.c.ops->resume(second.c.self), YK_OK);
            for (int k = 0; k < 5; k++) {
                bench_run(&first, 1);
                bench_run(&second, 1);
                assert_same(&first, &second, 1e-12, family[m].name);
            }
            bench_close(&first);
            bench_close(&second);
        }
}

/* Order against the untorn structure, with cubic springs and damping on both sides. The load is the same on both. */
static void orders_with_cubic_springs(void **state)
{
    static const struct {
        struct coupled_method method;
        double order;
    } rows[] = {{COUPLING("apnr1", 1, 1), 1},
                {COUPLING("apnr2", 1, G_MINUS), 2},
                {COUPLING("assr1", 10, 1), 1},
                {COUPLING("assr2", 10, G_MINUS), 2},
                {COUPLING("apsr1", 10, 1), 1},
                {COUPLING("plsrt2", 10, G_MINUS), 2},
                {COUPLING_SET("iplsrt2", 10, G_MINUS, "projection", 2), 2},
                {COUPLING("vpnr1", 1, 1), 1},
                {COUPLING("vpnr2", 1, G_MINUS), 2}};
    const double T = 2;
    struct bench fine;
    double u;

    open_cubic(&fine, &family[3], 1e-4, 1); /* error 1e-8 */
    bench_run(&fine, lround(T / 1e-4));
    u = bench_now(&fine, YK_FINE).u[0];
    bench_close(&fine);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        double error[2] = {0};

        for (int half = 0; half < 2; half++) {
            struct bench b;
            const double dt = half ? 0.0025 : 0.005;

            open_cubic(&b, &rows[r].method, dt, 1);
            bench_run(&b, lround(T / dt));
            error[half] = fmax(fabs(bench_now(&b, YK_COARSE).u[0] - u), fabs(bench_now(&b, YK_FINE).u[0] - u));
            bench_close(&b);
        }
        within(log2(error[0] / error[1]), rows[r].order, 0.15, rows[r].method.name, "order");
    }
}

/* mA = 2, mB = 1, vA = 1, vB = -0.5: both become 0.5. */
static void projection_shares_the_momentum(void **state)
{
    const double mA = 2, mB = 1, k = 1;
    const struct torn_part parts[] = {{false, 1, &mA, NULL, &k, NULL, NULL}, {true, 1, &mB, NULL, &k, NULL, NULL}};
    struct torn t;
    double v[] = {1, -0.5}, gap[2] = {0}, work[3], mu;

    torn_make(&t, parts, 2, &(struct torn_join){0, 0, 1, 0}, 1, 0.1, 1);
    for (int i = 0; i < YK_SIDES; i++)
        yk_side_gap(&t.problem->side[i], 1, &v[i], &gap[i]);
    yk_multiplier(t.problem, &(struct yk_trace){&gap[0], NULL}, &(struct yk_trace){&gap[1], NULL}, work, &mu);
    for (int i = 0; i < YK_SIDES; i++) {
        yk_side_kick(&t.problem->side[i], 1, 1, &mu, &v[i]);
        assert_near(v[i], 0.5, 1e-15);
    }
    torn_free(&t);
}

static enum yk_status try_coupling(struct torn *t, const char *name, const char *key, double value, struct yk_err *err)
{
    const struct yk_coupling_ops *ops = yk_coupling_find(name);
    void *settings = calloc(1, ops->size);
    struct yk_coupling c;
    enum yk_status st;

    assert_non_null(settings);
    yk_param_defaults(ops->params, settings);
    if (key)
        assert_int_equal(yk_param_set(ops->params, settings, key, value, err), YK_OK);
    st = yk_coupling_create(&c, ops, settings, t->problem, NULL, err);
    if (!st)
        yk_coupling_destroy(&c);
    free(settings);
    return st;
}

static void unfit_problems_are_refused(void **state)
{
    static const char *const without_substeps[] = {"apnr1", "apnr2", "vpnr1", "vpnr2"};
    struct torn t;

    torn_split_mass(&t, 1, 0, 1, 0.01, 1);
    assert_refused(try_coupling(&t, "assr2", NULL, 0, &err), YK_E_UNSUPPORTED, "use apnr2");
    t.problem->untorn = NULL;
    assert_refused(try_coupling(&t, "iplsrt2", NULL, 0, &err), YK_E_UNSUPPORTED, "untorn structure");
    torn_free(&t);
    torn_split_mass(&t, 1, 0, 1, 0.01, 5);
    assert_refused(try_coupling(&t, "assr2", NULL, 0, &err), YK_E_UNSUPPORTED, "time.substeps = 5 is odd");
    for (size_t i = 0; i < sizeof without_substeps / sizeof *without_substeps; i++)
        assert_refused(try_coupling(&t, without_substeps[i], NULL, 0, &err), YK_E_UNSUPPORTED, "must be 1, not 5");
    torn_free(&t);
    pendulum_torn(&t, 0.001, 2);
    assert_refused(try_coupling(&t, "assr2", "multipliers", 1, &err), YK_E_UNSUPPORTED, "multipliers: single");
    torn_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_threads_agree_bit_by_bit), cmocka_unit_test(saved_states_go_on),
        cmocka_unit_test(orders_with_cubic_springs),    cmocka_unit_test(projection_shares_the_momentum),
        cmocka_unit_test(unfit_problems_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
