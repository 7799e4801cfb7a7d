/* Duties of every coupling of the registry: its stated order on the split mass, the same bits on two threads, and a
 * restart from its saved state. One loop; a new method joins by its line. */
#include "support/check.h"
#include "support/coupled.h"

#include "analyze/analyze.h"

#include <math.h>
#include <stdlib.h>

static const double end_s = 2;

static void sine_load(void *self, double t, double *f)
{
    f[0] = sin(2 * t);
}

/* u = cos t + (5/3) sin t - sin(2t)/3 */
static double exact(double t)
{
    return cos(t) + 5.0 / 3 * sin(t) - sin(2 * t) / 3;
}

static void open_split(struct yk_coupling *c, struct torn *t, const struct yk_coupling_ops *ops, double dt,
                       int substeps, int threads)
{
    torn_split_mass(t, 2, 1, 1, dt, substeps); /* feedback needs the lighter half on the fine side */
    torn_load(t, YK_FINE, (struct yk_loading){sine_load, NULL});
    torn_open(c, t, ops->name, NULL, NULL, 0, threads);
}

/* Largest error of uA and uB up to t = 2. */
static double largest_error(const struct yk_coupling_ops *ops, int steps, int substeps)
{
    struct torn t;
    struct yk_coupling c;
    double error = 0;

    open_split(&c, &t, ops, end_s / steps, substeps, 1);
    for (int i = 1; i <= steps; i++) {
        assert_int_equal(torn_step(&c), YK_OK);
        for (int s = 0; s < YK_SIDES; s++) {
            struct yk_kinematics k;

            ops->now(c.self, s, &k);
            error = fmax(error, fabs(k.u[0] - exact(end_s * i / steps)));
        }
    }
    torn_close(&c);
    torn_free(&t);
    return error;
}

static bool takes(const struct yk_coupling_ops *ops, int substeps)
{
    struct torn t;
    struct yk_coupling c;
    void *settings = calloc(1, ops->size);
    enum yk_status st;

    torn_split_mass(&t, 2, 1, 1, 0.01, substeps);
    yk_param_defaults(ops->params, settings);
    st = yk_coupling_create(&c, ops, settings, t.problem, NULL, NULL);
    if (!st)
        torn_close(&c);
    free(settings);
    torn_free(&t);
    return st == YK_OK;
}

static void check_order(const struct yk_coupling_ops *ops, int substeps, double stated)
{
    const double observed = log2(largest_error(ops, 800, substeps) / largest_error(ops, 1600, substeps));

    print_message("%-12s %2d substeps: order %.2f, stated %g\n", ops->name, substeps, observed, stated);
    if (!(observed > stated - 0.25)) {
        print_error("%s with %d substeps: order %.3f, but %g is stated\n", ops->name, substeps, observed, stated);
        fail();
    }
}

static void orders_are_as_stated(void **state)
{
    for (const struct yk_coupling_ops *const *ops = yk_couplings; *ops; ops++) {
        if ((*ops)->caps & YK_COUPLING_SPECIMENS)
            continue;
        assert_true(yk_coupling_order(*ops, false) >= 1);
        if (takes(*ops, 1))
            check_order(*ops, 1, yk_coupling_order(*ops, false));
        if (takes(*ops, 10))
            check_order(*ops, 10, yk_coupling_order(*ops, true));
        assert_true(takes(*ops, 1) || takes(*ops, 10));
        for (int ss = 1; ss <= 10; ss += 9) { /* what `yoke list couplings` shows */
            double measured;
            enum yk_status st = yk_measure_coupling_order(*ops, ss, &measured, NULL);

            assert_int_equal(st == YK_OK, takes(*ops, ss));
            if (!st)
                assert_true(measured > yk_coupling_order(*ops, ss > 1) - 0.25);
        }
    }
}

/* u, v of both sides and the multiplier after `steps`. */
static void run(const struct yk_coupling_ops *ops, int threads, int steps, double *out)
{
    struct torn t;
    struct yk_coupling c;

    open_split(&c, &t, ops, 0.01, takes(ops, 10) ? 10 : 1, threads);
    for (int i = 0; i < steps; i++)
        assert_int_equal(torn_step(&c), YK_OK);
    for (int s = 0; s < YK_SIDES; s++) {
        struct yk_kinematics k;

        ops->now(c.self, s, &k);
        *out++ = k.u[0];
        *out++ = k.v[0];
    }
    *out = ops->lambda(c.self)[0];
    torn_close(&c);
    torn_free(&t);
}

static void two_threads_give_the_same_bits(void **state)
{
    for (const struct yk_coupling_ops *const *ops = yk_couplings; *ops; ops++) {
        if ((*ops)->caps & YK_COUPLING_SPECIMENS)
            continue;
        double one[5], two[5];

        run(*ops, 1, 501, one);
        run(*ops, 2, 501, two);
        assert_memory_equal(one, two, sizeof one);
    }
}

/* All spans of the state. */
static size_t save(struct yk_coupling *c, double *to)
{
    struct yk_span spans[32];
    const size_t count = c->ops->state(c->self, spans, 32);
    size_t n = 0;

    for (size_t i = 0; i < count; n += spans[i++].n)
        memcpy(to + n, spans[i].x, spans[i].n * sizeof *to);
    return n;
}

static void restore(struct yk_coupling *c, const double *from)
{
    struct yk_span spans[32];
    const size_t count = c->ops->state(c->self, spans, 32);

    for (size_t i = 0; i < count; from += spans[i++].n)
        memcpy(spans[i].x, from, spans[i].n * sizeof *from);
}

static void restart_from_a_saved_state_repeats_the_motion(void **state)
{
    for (const struct yk_coupling_ops *const *ops = yk_couplings; *ops; ops++) {
        if ((*ops)->caps & YK_COUPLING_SPECIMENS)
            continue;
        double kept[64], first[64], again[64];
        struct torn t;
        struct yk_coupling c;
        size_t n = 0;

        open_split(&c, &t, *ops, 0.01, takes(*ops, 10) ? 10 : 1, 1);
        for (int pass = 0; pass < 2; pass++) {
            if (pass) {
                c.problem->step = 20; /* histories turn with the step */
                restore(&c, kept);
                assert_int_equal((*ops)->resume(c.self), YK_OK);
            }
            while (c.problem->step < 40) {
                if (!pass && c.problem->step == 20)
                    n = save(&c, kept);
                assert_int_equal(torn_step(&c), YK_OK);
            }
            save(&c, pass ? again : first);
        }
        assert_true(n > 0 && n <= 64);
        for (size_t i = 0; i < n; i++)
            assert_near(again[i], first[i], 1e-10);
        torn_close(&c);
        torn_free(&t);
    }
}

static void every_coupling_states_what_it_does(void **state)
{
    for (const struct yk_coupling_ops *const *ops = yk_couplings; *ops; ops++) {
        if ((*ops)->caps & YK_COUPLING_SPECIMENS)
            continue;
        assert_true((*ops)->summary[0] && (*ops)->reference[0] && (*ops)->exchange[0] && (*ops)->startup[0]);
        assert_true((*ops)->chains >= 1 && (*ops)->cycle_steps >= 1 && (*ops)->stages >= 1);
        assert_true(((*ops)->caps & YK_COUPLING_NO_SUBSTEPS) || yk_coupling_order(*ops, true) >= 0.5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_as_stated),
        cmocka_unit_test(two_threads_give_the_same_bits),
        cmocka_unit_test(restart_from_a_saved_state_repeats_the_motion),
        cmocka_unit_test(every_coupling_states_what_it_does),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
