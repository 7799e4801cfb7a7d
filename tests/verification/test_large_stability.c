/* The spectral radius of a coupling without its matrix, against all eigenvalues of the matrix. */
#include "support/check.h"
#include "support/twins.h"

#include "analyze/analyze.h"
#include "state/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A held chain of masses, damped by 2 % at both ends of its spectrum, whose last one is also that of a fine side. */
static struct yk_model *read_chain(const char *method, int nodes, double step)
{
    struct yk_model *e = NULL;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    fprintf(out, "time: {step: %g, substeps: 2, end: %g}\nmethod: {%s}\nsubstructures:\n  a:\n    kind: assembled\n",
            step, 100 * step, method);
    fputs("    rayleigh: {ratio: 0.02, frequencies: [1 Hz, 30 Hz]}\n    nodes: {n0: {mass: 1}", out);
    for (int i = 1; i < nodes; i++)
        fprintf(out, ", n%d: {mass: 1}", i);
    fputs("}\n    elements:\n      - {kind: spring, between: [ground, n0.x], stiffness: 1e4}\n", out);
    for (int i = 1; i < nodes; i++)
        fprintf(out, "      - {kind: spring, between: [n%d.x, n%d.x], stiffness: 1e4}\n", i - 1, i);
    fprintf(out,
            "  b: {dofs: [x], mass: [1], damping: [4], stiffness: [5e3], rate: fine}\n"
            "interfaces: [{join: [a.n%d.x, b.x]}]\n",
            nodes - 1);
    assert_int_equal(fclose(out), 0);
    assert_ok(yk_model_parse(&e, "chain.yaml", text, size, NULL, 0, &err));
    free(text);
    return e;
}

static double by_matrix(const struct yk_model *e)
{
    struct yk_cycle cycle;
    double radius = NAN;

    assert_ok(yk_model_cycle(e, e->time.step, &cycle, &err));
    assert_ok(yk_cycle_radius(&cycle, &radius, &err));
    free(cycle.A);
    return radius;
}

/* Explicit Newmark on both sides is stable below 2/omega = 2/200 s = 10 ms and far from it above. Where a step damps
 * most of the modes, or one grows, the iteration settles; where all keep their amplitude, it says that it does not. */
static void the_radius_agrees_with_all_eigenvalues(void **state)
{
    static const struct {
        const char *method;
        double step;
        bool unstable, settles;
    } cases[] = {
        {"coupling: state-space, rho: 0.3", 50e-3, false, true},
        {"coupling: gc, beta: 0", 11e-3, true, true},
        {"coupling: gc", 5e-3, false, false},
        {"coupling: assr2", 5e-3, false, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_model *e = read_chain(cases[i].method, 150, cases[i].step);
        const double whole = by_matrix(e);
        double radius;

        assert_ok(yk_model_radius(e, e->time.step, 0, 0, &radius, &err));
        assert_true((whole > 1 + 1e-6) == cases[i].unstable);
        assert_true(!isnan(radius) == cases[i].settles);
        if (cases[i].settles)
            assert_near(radius, whole, 1e-7);
        yk_model_close(e);
    }
}

/* So large that the check goes without the matrix, which would take minutes. */
static void a_large_coupling_is_judged_without_its_matrix(void **state)
{
    struct yk_model *e = read_chain("coupling: state-space, rho: 0.3", 1500, 1.0);
    struct yk_stability s;
    double radius;

    assert_ok(yk_model_radius(e, e->time.step, 1000, 0, &radius, &err));
    assert_near(radius, 1, 1e-7); /* static states of the interface */
    assert_ok(yk_check_stability(e, &s, &err));
    assert_true(s.stable);
    assert_near(s.radius, radius, 1e-12);
    assert_ok(yk_model_radius(e, e->time.step, 100000, 0, &radius, &err));
    assert_true(isnan(radius)); /* smaller than asked for */
    yk_model_close(e);
}

/* The place is that of the method, whichever way the radius is looked for. */
static void a_coupling_that_does_not_fit_is_named_with_its_line(void **state)
{
    struct yk_model *e = read_chain("coupling: apnr2", 2, 1e-3);
    struct yk_stability s;

    assert_refused(yk_check_stability(e, &s, &err), YK_E_UNSUPPORTED, "chain.yaml:2:20: apnr2: has no subcycling");
    yk_model_close(e);
}

/* Two chains joined node by node: as many rows as there are nodes, and each row a second time. */
static struct yk_model *read_twins(int nodes)
{
    struct yk_model *e = NULL;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    twins_write(out, nodes, 2);
    assert_int_equal(fclose(out), 0);
    assert_ok(yk_model_parse(&e, "twins.yaml", text, size, NULL, 0, &err));
    free(text);
    return e;
}

/* The check ends without a verdict where neither the iteration settles nor all eigenvalues can be found in reasonable
 * time. An earlier version tried to find them, for minutes. */
static void a_coupling_of_many_rows_is_left_undecided(void **state)
{
    struct yk_model *e = read_twins(450);
    struct yk_stability s;

    assert_ok(yk_check_stability(e, &s, &err));
    assert_true(s.undecided && s.stable && isnan(s.radius));
    yk_model_close(e);
}

/* Rows that follow from others are found within their group, whatever lies between them in the list. */
static void rows_that_follow_from_others_have_no_multiplier(void **state)
{
    static const char text[] = "time: {step: 1 ms, end: 1 ms}\nmethod: {coupling: mph}\n"
                               "substructures:\n"
                               "  a: {dofs: [x, y, z], mass: [1, 1, 1], stiffness: [1, 1, 1], rate: coarse}\n"
                               "  b: {dofs: [x, y, z], mass: [1, 1, 1], stiffness: [1, 1, 1], rate: fine}\n"
                               "interfaces:\n"
                               "  - {join: [a.x, b.x], name: one}\n"
                               "  - {join: [a.z, b.z], name: two}\n"
                               "  - {row: {a.x: 1, b.x: -1, a.y: 2, b.y: -2}, name: three}\n"
                               "  - {join: [a.y, b.y], name: follows}\n"
                               "  - {join: [b.z, a.z], name: repeats}\n";
    struct yk_model *e = NULL;
    struct yk_state motion;

    assert_ok(yk_model_parse(&e, "rows.yaml", text, sizeof text - 1, NULL, 0, &err));
    assert_ok(yk_state_open(&motion, e, 0, &err));
    assert_int_equal(motion.problem->rows, 3);
    for (size_t r = 0; r < 3; r++)
        assert_int_equal(motion.problem->row_of[r], r);
    yk_state_close(&motion);
    yk_model_close(e);
}

/* A held chain of 20,000 masses, in one domain. */
static struct yk_model *read_long(const char *method, double step)
{
    struct yk_model *e = NULL;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    fprintf(out, "time: {step: %g, end: %g}\nmethod: {%s}\nsubstructures:\n  a:\n    kind: assembled\n    nodes:\n",
            step, 10 * step, method);
    for (int i = 0; i < 20000; i++)
        fprintf(out, "      n%d: {mass: 1}\n", i);
    fputs("    elements:\n      - {kind: spring, between: [ground, n0.x], stiffness: 1e4}\n", out);
    for (int i = 1; i < 20000; i++)
        fprintf(out, "      - {kind: spring, between: [n%d.x, n%d.x], stiffness: 1e4}\n", i - 1, i);
    assert_int_equal(fclose(out), 0);
    assert_ok(yk_model_parse(&e, "long.yaml", text, size, NULL, 0, &err));
    free(text);
    return e;
}

static double cpu_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The highest frequency is 200 rad/s, closely below the bound; central difference is stable up to 10 ms. Beyond, the
 * limit needs that frequency itself. Lanczos takes seconds for it, 100 times as long as the preparation of the method.
 */
static void a_stable_step_of_a_large_model_needs_no_eigenvalue(void **state)
{
    static const char *const methods[] = {"integrator: newmark", "integrator: central-difference"};

    for (size_t i = 0; i < 2; i++) {
        struct yk_model *e = read_long(methods[i], 9.99e-3);
        struct yk_stability s;
        struct yk_model *model;
        const double begin = cpu_s();

        assert_ok(yk_model_create(&model, e, 0, &err));
        const double prepared = cpu_s();

        assert_ok(yk_check_stability(model, &s, &err));
        const double judged = cpu_s();

        print_message("prepared in %.3g ms, judged in %.3g ms\n", 1e3 * (prepared - begin), 1e3 * (judged - prepared));
        assert_true(s.stable && s.radius <= 1 + 1e-6);
        assert_near_relative(2 * M_PI * s.highest_Hz, 200, 1e-6);
        assert_true(judged - prepared < 30 * (prepared - begin));
        yk_model_close(model);
        yk_model_close(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_coupling_that_does_not_fit_is_named_with_its_line),
        cmocka_unit_test(the_radius_agrees_with_all_eigenvalues),
        cmocka_unit_test(a_large_coupling_is_judged_without_its_matrix),
        cmocka_unit_test(a_coupling_of_many_rows_is_left_undecided),
        cmocka_unit_test(rows_that_follow_from_others_have_no_multiplier),
        cmocka_unit_test(a_stable_step_of_a_large_model_needs_no_eigenvalue),
    };
    return cmocka_run_group_tests_name("large stability", tests, NULL, NULL);
}
