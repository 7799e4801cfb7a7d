/* The benchmarks: names, fields and refusals. What they measure is the machine's business. */
#include "support/check.h"
#include "timing/coupling.h"

#include "timing/bench.h"
#include <math.h>
#include <yoke/coupling.h>
#include <yoke/integrator.h>
#include <yoke/transfer.h>

static size_t integrator_count(void)
{
    size_t n = 0;

    while (yk_integrators[n])
        n++;
    return n;
}

static void check_fields(const struct yk_bench_result *r)
{
    assert_true(r->name[0] && r->reference[0]);
    assert_true(isfinite(r->ratio) && r->ratio > 0);
    assert_true(isfinite(r->seconds_per_op) && r->seconds_per_op > 0);
    assert_true(isfinite(r->reference_seconds) && r->reference_seconds > 0);
    assert_true(isnan(r->ratio_limit) || r->ratio_limit > 0);
}

static void every_integrator_has_a_dense_and_a_banded_step(void **state)
{
    assert_true(yk_bench_count() > 2 * integrator_count());
}

static void first_benchmark_is_the_dense_step_of_the_first_integrator(void **state)
{
    struct yk_bench_result r;
    char name[64];

    assert_ok(yk_bench_run(0, &r, &err));
    check_fields(&r);
    snprintf(name, sizeof name, "step/dense-88/%s", yk_integrators[0]->name);
    assert_string_equal(r.name, name);
    assert_true(isnan(r.ratio_limit));
}

static void dense_step_of_newmark_is_limited_to_four_products(void **state)
{
    struct yk_bench_result r;
    size_t i = 0;

    while (strcmp(yk_integrators[i]->name, "newmark") != 0)
        i++;
    assert_ok(yk_bench_run(i, &r, &err));
    check_fields(&r);
    assert_string_equal(r.name, "step/dense-88/newmark");
    assert_true(r.ratio_limit == 4.0);
}

/* Number of ticks of the transfer chain: one for every block that serves one actuator, and the heaviest. */
static size_t tick_count(void)
{
    size_t n = 1;

    for (size_t i = 0; yk_compensators[i]; i++)
        n += !yk_compensators[i]->joint;
    for (size_t i = 0; yk_estimators[i]; i++)
        n++;
    for (size_t i = 0; yk_controllers[i]; i++)
        n += !yk_controllers[i]->joint && !yk_param_needs_file(yk_controllers[i]->params);
    for (size_t i = 0; yk_plants[i]; i++)
        n += !yk_plants[i]->joint && !yk_param_needs_file(yk_plants[i]->params);
    return n;
}

static void last_benchmark_is_the_tick_of_the_heaviest_chain(void **state)
{
    struct yk_bench_result r;

    assert_ok(yk_bench_run(yk_bench_count() - 1, &r, &err));
    check_fields(&r);
    assert_string_equal(r.name, "tick/heaviest");
    assert_true(r.ratio_limit == 40.0);
}

static void coupled_steps_are_limited_to_1_3_of_their_work(void **state)
{
    size_t couplings = 0, first;
    struct yk_bench_result r;

    for (size_t i = 0; yk_couplings[i]; i++)
        couplings += yk_couplings[i]->evidence && yk_couplings[i]->evidence->solve;
    first = yk_bench_count() - tick_count() - couplings;
    assert_ok(yk_bench_run(first, &r, &err));
    check_fields(&r);
    assert_string_equal(r.name, "coupled-step/34+4/gc");
    assert_true(r.ratio_limit == 1.3);
}

static void measure(const char *wanted, double limit)
{
    struct yk_bench_result r;
    char name[64];
    size_t i = 0;

    while (yk_bench_name(i, name, sizeof name) && strcmp(name, wanted) != 0)
        i++;
    assert_ok(yk_bench_run(i, &r, &err));
    check_fields(&r);
    assert_string_equal(r.name, wanted);
    assert_true(limit > 0 ? r.ratio_limit == limit : isnan(r.ratio_limit));
}

/* Scripts look for these. */
static void chains_trusses_and_the_hysteretic_oscillator_have_stable_names(void **state)
{
    static const char *const names[] = {"step/chain-1000/lsrt2",
                                        "step/chain-1000/newmark-newton",
                                        "step/chain-4000/lsrt2",
                                        "step/truss-1000/newmark",
                                        "step/truss-10176/newmark",
                                        "step/truss-100000/newmark",
                                        "step/bouc-wen/rk4",
                                        "step/bouc-wen/cr",
                                        "fibres-1000/steel",
                                        "step/fibre-frame-10/cr",
                                        "step/fibre-frame-400/alpha-os",
                                        "step/fibre-frame-100/newmark-newton"};
    char name[64];

    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        size_t i = 0;

        while (yk_bench_name(i, name, sizeof name) && strcmp(name, names[k]) != 0)
            i++;
        assert_true(i < yk_bench_count());
    }
    measure(names[0], 3.5);
    assert_false(yk_bench_name(yk_bench_count(), name, sizeof name));
}

static void fibres_and_their_frames_are_measured(void **state)
{
    measure("fibres-1000/steel", 0.35);
    measure("step/fibre-frame-10/alpha-os", 0.7);
    measure("step/fibre-frame-10/cr", 0.4);
    measure("step/fibre-frame-10/newmark-newton", 0.9);
}

static void benchmark_beyond_the_last_is_refused(void **state)
{
    struct yk_bench_result r;

    assert_refused(yk_bench_run(yk_bench_count(), &r, &err), YK_E_RANGE, "is not among 0 .. ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_integrator_has_a_dense_and_a_banded_step),
        cmocka_unit_test(first_benchmark_is_the_dense_step_of_the_first_integrator),
        cmocka_unit_test(dense_step_of_newmark_is_limited_to_four_products),
        cmocka_unit_test(last_benchmark_is_the_tick_of_the_heaviest_chain),
        cmocka_unit_test(coupled_steps_are_limited_to_1_3_of_their_work),
        cmocka_unit_test(chains_trusses_and_the_hysteretic_oscillator_have_stable_names),
        cmocka_unit_test(fibres_and_their_frames_are_measured),
        cmocka_unit_test(benchmark_beyond_the_last_is_refused),
    };
    return cmocka_run_group_tests_name("bench", tests, NULL, NULL);
}
