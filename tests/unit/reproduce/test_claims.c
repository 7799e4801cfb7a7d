/* Claims: what is read, what is refused and where, and the arithmetic of quantities, on an oscillator whose numbers are
 * known in closed form: u = cos t. */
#include "support/check.h"
#include "support/scratch.h"

#include "reproduce/reproduce.h"
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#define EXPERIMENT                                                                                                     \
    "title: mass\ntime: { step: 0.01, end: 10 }\nmethod: { integrator: exact }\nsubstructures:\n"                      \
    "  m: { dofs: [x], mass: [1], stiffness: [1], initial: { displacement: { x: 1 } } }\n"

#define HEAD                                                                                                           \
    "title: t\nsource: s\nfile: mass.yaml\nvariants:\n  stiff: { 'substructures.m.stiffness': [4] }\n"                 \
    "  stiffer: { 'substructures.m.stiffness': [9] }\n  lsrt2: { method.integrator: lsrt2 }\nclaims:\n"
#define CLAIM(rest) "  - { claim: c, where: w, origin: derived, published: p, " rest " }\n"

static struct yk_case *opened;

static enum yk_status open_text(const char *text, struct yk_err *err)
{
    scratch_write("mass.yaml", EXPERIMENT);
    scratch_write("claims.yaml", text);
    yk_case_close(opened);
    opened = NULL;
    return yk_case_open(&opened, scratch_path(""), "seed/case", err);
}

static int close_case(void **state)
{
    yk_case_close(opened);
    opened = NULL;
    return 0;
}

/* The value that an `obtain` gives. */
static double obtained(const char *obtain)
{
    char text[2048];

    snprintf(text, sizeof text, HEAD CLAIM("obtain: %s, expect: { above: -1e300 }"), obtain);
    assert_ok(open_text(text, &err));
    yk_case_check(opened);
    if (*opened->claims[0].message)
        print_error("%s\n", opened->claims[0].message);
    assert_string_equal(opened->claims[0].message, "");
    return opened->claims[0].obtained;
}

static void quantities_of_runs_are_those_of_the_exact_solution(void **state)
{
    assert_near(obtained("{ quantity: channel, channel: m.x.u }"), cos(10), 1e-12);
    assert_near(obtained("{ quantity: channel, channel: m.x.u, of: at, at: 3.005 }"), 0.5 * (cos(3) + cos(3.01)),
                1e-12); /* on the straight line */
    assert_near(obtained("{ quantity: channel, channel: m.x.v, of: peak }"), 1, 1e-4);
    assert_near(obtained("{ quantity: channel, channel: 2*m.x.u - m.x.v }"), 2 * cos(10) + sin(10), 1e-12);
    assert_near(obtained("{ quantity: channel, channel: m.x.u, of: min, from: 3, to: 3.5 }"), -1, 1e-4);
    /* |cos t| <= 1/2 between pi/3 and 2 pi/3, |sin t| > 1/2 after pi/6 */
    assert_near(obtained("{ quantity: channel, channel: m.x.u, of: share, level: 0.5, to: 3.14 }"), 1.0 / 3, 1e-12);
    assert_near(obtained("{ quantity: channel, channel: m.x.v, of: rise, level: 0.5 }"), 0.53, 1e-12);
    assert_near(obtained("{ quantity: channel, channel: 2*m.x.u, of: component, frequency: 0.15915494309189535, "
                         "set: { time.end: 60 } }"),
                2, 1e-3);
    assert_near(
        obtained("{ quantity: channel, channel: m.x.u, of: component, frequency: 0.32, set: { time.end: 60 } }"), 0,
        1e-3);
    assert_near(obtained("{ quantity: finished }"), 1, 0);
    assert_near(obtained("{ quantity: reached }"), 10, 1e-12);
}

static void quantities_of_spectra_are_those_of_closed_forms(void **state)
{
    assert_near(obtained("{ quantity: radius, with: lsrt2, step: 2 }"), 0.96681456, 1e-8); /* |R(2i)| */
    assert_near(obtained("{ quantity: frequency, with: stiff }"), 2 / (2 * M_PI), 1e-12);
    assert_near(obtained("{ quantity: order, with: lsrt2, of: u, halvings: 3 }"), 2, 0.05);
    assert_near(obtained("{ quantity: limit, set: { method.integrator: central-difference, method.stability: warn }, "
                         "steps: '1.5:3:10' }"),
                2, 1e-3);
}

/* Trapezoidal rule with a damping ratio of -a: |z|^2 = (1 + a h + h^2/4)/(1 - a h + h^2/4), largest at h = 2. */
static void the_largest_radius_is_the_peak_between_the_steps(void **state)
{
    assert_near(obtained("{ quantity: radius, set: { method: { integrator: newmark }, substructures.m.damping: [-0.2] "
                         "}, steps: '0.7,1.5,4' }"),
                sqrt(1.1 / 0.9), 1e-7); /* the radius is found from powers, to 1e-8 */
}

static void arithmetic_joins_quantities(void **state)
{
    assert_near(obtained("{ quantity: frequency, with: stiffer, over: { quantity: frequency } }"), 3, 1e-12);
    assert_near(obtained("{ quantity: frequency, with: stiff, minus: { quantity: frequency, with: stiffer }, scale: "
                         "6.283185307179586 }"),
                -1, 1e-12);
    assert_near(obtained("{ quantity: frequency, with: stiff, minus: { quantity: frequency, with: stiffer }, scale: "
                         "6.283185307179586, absolute: true }"),
                1, 1e-12);
    assert_near(obtained("{ quantity: frequency, among: [stiff, stiffer], take: min, over: { quantity: frequency } }"),
                2, 1e-12);
    assert_near(
        obtained("{ quantity: frequency, among: [stiff, stiffer], take: spread, over: { quantity: frequency } }"), 1,
        1e-12);
    assert_near(obtained("{ quantity: frequency, with: [stiff, stiffer], over: { quantity: frequency } }"), 3, 1e-12);
}

static void runs_are_compared_with_one_another(void **state)
{
    /* cos 2t against cos t; the closed form of the mean squares over 10 s, to the width of a sample */
    const double differs = 5 + sin(40) / 8 + 5 + sin(20) / 4 - (sin(30) / 3 + sin(10)), own = 5 + sin(20) / 4;

    assert_near(obtained("{ quantity: difference, with: stiff, channel: m.x.u, reference: {} }"), sqrt(differs / own),
                5e-3);
    assert_near(obtained("{ quantity: difference, channel: m.x.u, reference: {} }"), 0, 0);
}

static void expectations_decide(void **state)
{
    static const struct {
        const char *expect;
        enum yk_verdict verdict;
    } cases[] = {{"{ value: 1, tolerance: 0.01 }", YK_HOLDS},
                 {"{ value: 1.02, tolerance: 0.01 }", YK_FAILS},
                 {"{ value: 1.02, within: 0.03 }", YK_HOLDS},
                 {"{ above: 0.5, below: 1.5 }", YK_HOLDS},
                 {"{ above: 1.5 }", YK_FAILS},
                 {"{ below: 0.5 }", YK_FAILS}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];

        snprintf(text, sizeof text, HEAD CLAIM("obtain: { quantity: finished }, expect: %s"), cases[i].expect);
        assert_ok(open_text(text, &err));
        yk_case_check(opened);
        assert_int_equal(opened->claims[0].verdict, cases[i].verdict);
        assert_int_equal(yk_case_failures(opened), cases[i].verdict == YK_FAILS);
    }
}

static void what_is_not_a_number_fails(void **state)
{
    assert_ok(open_text(HEAD CLAIM("obtain: { quantity: finished, minus: { quantity: limit, steps: '0.1,0.2' }, over: "
                                   "{ quantity: limit, steps: '0.1,0.2' } }, expect: { above: -1e300 }"),
                        &err));
    yk_case_check(opened);
    assert_int_equal(opened->claims[0].verdict, YK_FAILS);
}

static void faults_are_refused_with_their_place(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {HEAD CLAIM("obtain: { quantity: radius }"), "missing 'expect'"},
        {HEAD CLAIM("expect: { above: 1 }"), "missing 'obtain'"},
        {HEAD "  - { claim: c, where: w, published: p, obtain: { quantity: radius }, expect: { above: 1 } }\n",
         "missing 'origin' (printed, stated, derived, surrogate, fitted, input, repeated or measured)"},
        {HEAD CLAIM("status: not-met, obtain: { quantity: radius }, expect: { above: 1 }"), "missing 'why'"},
        {HEAD CLAIM("status: fine"), "met, not-met, paper-in-error, disagreement"},
        {HEAD CLAIM("obtain: { quantity: radius, stp: 1 }, expect: { above: 1 }"), "unknown key 'stp' in obtain; did "
                                                                                   "you mean 'step'?"},
        {HEAD CLAIM("obtain: { quantity: radius, channel: a }, expect: { above: 1 }"), "unknown key 'channel'"},
        {HEAD CLAIM("obtain: { quantity: radius, with: stif }, expect: { above: 1 }"),
         "there is no variant 'stif'; did you mean 'stiff'?"},
        {HEAD CLAIM("obtain: { quantity: radius }, expect: { value: 1, above: 1 }"), "expect: either value"},
        {HEAD CLAIM("obtain: { quantity: radius }, expect: {}"), "expect: either value"},
        {HEAD CLAIM("obtain: { quantity: radius, over: { quantity: none } }, expect: { above: 1 }"),
         "there is no quantity 'none'"},
        {HEAD
         "  - { claim: c, where: w, origin: measured, published: p, obtain: { quantity: radius }, expect: { above: 1 } "
         "}\n",
         "a measured claim needs `published`"},
        {"title: t\nsource: s\nfile: mass.yaml\nrecordings: { mass.yaml: 0123456789 }\nclaims: []\n",
         "mass.yaml has the SHA-256 "},
        {HEAD "  - { claim: c, where: w, origin: printed, obtain: { quantity: radius }, expect: { above: 1 } }\n",
         "missing 'published'"},
        {"title: t\nsource: s\nreduce: {}\nclaims: []\n", "missing 'file'"},
        {"title: t\nsource: s\nreduce: { file: a, substructure: b, mods: 3 }\nclaims: []\n",
         "unknown key 'mods' in reduce; did you mean 'modes'?"},
        {"title: t\nsource: s\nclaims: []\nfigures:\n  - { name: f, title: t, panels: [ { x: { label: x }, y: { label: "
         "y }, series: [ { draw: radii, name: n } ] } ] }\n",
         "there is no curve 'radii'; did you mean 'radius'?"},
        {"title: t\nsource: s\nclaims: []\nfigures:\n  - { name: f, title: t, panels: [ { x: { label: x }, y: { label: "
         "y }, series: [ { draw: radius, name: n, steps: '1' } ] } ] }\n",
         "missing 'file'"},
        {"title: t\nsource: s\nclaims: []\nfigures:\n  - { name: f, title: t, panels: [ { x: { label: x }, y: { label: "
         "y }, inset: { corner: middle }, series: [] } ] }\n",
         "middle"},
        {"title: t\nsource: s\nclaims: []\nfigures:\n  - { name: f, title: t, panels: [ { x: { label: x }, y: { label: "
         "y }, series: [ { draw: points, name: n, style: dotted } ] } ] }\n",
         "dotted"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_refused(open_text(cases[i].text, &err), YK_E_INPUT, cases[i].words);
        assert_refused(open_text(cases[i].text, &err), YK_E_INPUT, "claims.yaml:");
    }
}

static void a_missing_file_is_said(void **state)
{
    struct yk_case *c = NULL;

    assert_refused(yk_case_open(&c, scratch_path("nowhere"), "a/b", &err), YK_E_IO, "claims.yaml");
    assert_null(c);
}

static void cases_are_found_in_order(void **state)
{
    char **ids;
    size_t count;

    mkdir(scratch_path("papers"), 0777);
    mkdir(scratch_path("papers/two"), 0777);
    mkdir(scratch_path("papers/two/b"), 0777);
    mkdir(scratch_path("papers/two/a"), 0777);
    mkdir(scratch_path("papers/two/empty"), 0777);
    scratch_write("papers/two/b/claims.yaml", "x");
    scratch_write("papers/two/a/claims.yaml", "x");
    assert_ok(yk_cases_find(scratch_path("papers"), &ids, &count, &err));
    assert_int_equal(count, 2);
    assert_string_equal(ids[0], "two/a");
    assert_string_equal(ids[1], "two/b");
    free(ids[0]);
    free(ids[1]);
    free(ids);
    assert_refused(yk_cases_find(scratch_path("nothing"), &ids, &count, &err), YK_E_INPUT, "there is no folder");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(quantities_of_runs_are_those_of_the_exact_solution, close_case),
        cmocka_unit_test_teardown(quantities_of_spectra_are_those_of_closed_forms, close_case),
        cmocka_unit_test_teardown(the_largest_radius_is_the_peak_between_the_steps, close_case),
        cmocka_unit_test_teardown(arithmetic_joins_quantities, close_case),
        cmocka_unit_test_teardown(runs_are_compared_with_one_another, close_case),
        cmocka_unit_test_teardown(expectations_decide, close_case),
        cmocka_unit_test_teardown(what_is_not_a_number_fails, close_case),
        cmocka_unit_test_teardown(faults_are_refused_with_their_place, close_case),
        cmocka_unit_test(a_missing_file_is_said),
        cmocka_unit_test(cases_are_found_in_order),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
