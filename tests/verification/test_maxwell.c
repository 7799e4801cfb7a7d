/* A Maxwell element in a structure: it needs the time between commits, which every method and coupling counts in its
 * own way (stages, substeps, corrected paths, interleaved sequences). Expected: the differential equation of the mass
 * and the element, by Runge-Kutta in steps 40 times as short; for couplings the untorn structure. */
#include "support/check.h"
#include "support/recorded.h"
#include "support/scratch.h"

#include <math.h>
#include <string.h>

/* ---- one mass ---------------------------------------------------------------------------------------------------- */

static const struct {
    double m, k, K, C, push, omega;
} mass = {2000, 8e5, 2e6, 3e4, 4e4, 12};

/* The damper of exponent a holds F: how fast it runs. */
static double phi(double F, double a)
{
    return copysign(pow(fabs(F) / mass.C, 1 / a), F);
}

static void slope(double t, const double *y, double a, double *dy)
{
    dy[0] = y[1];
    dy[1] = (mass.push * sin(mass.omega * t) - mass.k * y[0] - y[2]) / mass.m;
    dy[2] = mass.K * (y[1] - phi(y[2], a));
}

/* u, v and F at time T, from rest. */
static void exact(double a, double T, double *y)
{
    const int steps = 40000;
    const double h = T / steps;

    y[0] = y[1] = y[2] = 0;
    for (int i = 0; i < steps; i++) {
        double s[4][3], at[3];
        const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};

        for (int j = 0; j < 4; j++) {
            for (int c = 0; c < 3; c++)
                at[c] = y[c] + (j ? node[j] * h * s[j - 1][c] : 0);
            slope(h * (i + node[j]), at, a, s[j]);
        }
        for (int c = 0; c < 3; c++)
            for (int j = 0; j < 4; j++)
                y[c] += h / 6 * weight[j] * s[j][c];
    }
}

/* The displacement at the end by a method, with so many steps per 0.1 s. */
static double computed(const char *method, double a, int steps)
{
    const struct yk_run_settings settings = yk_run_defaults();
    char text[700];
    struct yk_model *e;
    struct recorded r;

    snprintf(text, sizeof text,
             "time: {step: %.17g s, end: 0.8 s}\nmethod: {integrator: %s}\nsubstructures:\n  s:\n    kind: assembled\n"
             "    nodes: {p: {mass: %g}}\n    elements:\n"
             "      - {kind: spring, between: [ground, p.x], stiffness: %g}\n"
             "      - {kind: maxwell, between: [ground, p.x], stiffness: %g, damping: %g, exponent: %g}\n"
             "loads: [{on: s.p.x, kind: sine, amplitude: %g, frequency: %g rad/s}]\n",
             0.1 / steps, method, mass.m, mass.k, mass.K, mass.C, a, mass.push, mass.omega);
    e = recorded_parse(text, NULL, 0);
    recorded_run(&r, e, &settings, NULL);
    assert_int_equal(r.status, YK_OK);
    const double u = recorded_last(&r, e, "s.p.x.u");

    recorded_free(&r);
    yk_model_close(e);
    return u;
}

static void newmark_keeps_its_order(void **state)
{
    static const double exponents[] = {1, 0.4};

    for (int i = 0; i < 2; i++) {
        double y[3], error[2];

        exact(exponents[i], 0.8, y);
        for (int fine = 0; fine < 2; fine++)
            error[fine] = fabs(computed("newmark-newton", exponents[i], fine ? 100 : 50) - y[0]);
        print_message("exponent %g: u = %g m, errors %.3g and %.3g m\n", exponents[i], y[0], error[0], error[1]);
        assert_near(log2(error[0] / error[1]), 2, 0.15);
    }
}

/* Every method converges to the same motion. */
static void every_integrator_counts_the_time(void **state)
{
    double y[3];

    exact(0.4, 0.8, y);
    for (const struct yk_integrator_ops *const *it = yk_integrators; *it; it++) {
        double error[2];

        if (strcmp((*it)->name, "exact") == 0)
            continue; /* for linear models */
        for (int fine = 0; fine < 2; fine++)
            error[fine] = fabs(computed((*it)->name, 0.4, fine ? 400 : 100) - y[0]) / fabs(y[0]);
        print_message("%-20s errors %.2g and %.2g\n", (*it)->name, error[0], error[1]);
        assert_true(error[0] < 0.05 && error[1] < 0.4 * error[0]);
    }
}

/* ---- couplings --------------------------------------------------------------------------------------------------- */

static const char torn[] = "time: {step: 2 ms, substeps: 4, end: 2 s}\n"
                           "method: {coupling: gc}\n"
                           "reference: monolithic\n"
                           "substructures:\n"
                           "  a:\n"
                           "    kind: assembled\n"
                           "    rate: coarse\n"
                           "    nodes: {p: {mass: 2000}, q: {mass: 1000}}\n"
                           "    elements:\n"
                           "      - {kind: spring, between: [ground, p.x], stiffness: 8e5}\n"
                           "      - {kind: spring, between: [p.x, q.x], stiffness: 8e5}\n"
                           "      - {kind: maxwell, between: [ground, p.x], stiffness: 2e6, damping: 3e4}\n"
                           "      - {kind: maxwell, between: [p.x, q.x], stiffness: 1e6, damping: 1e4, exponent: 0.5}\n"
                           "  b:\n"
                           "    kind: assembled\n"
                           "    rate: fine\n"
                           "    nodes: {q: {mass: 1000}, r: {mass: 500}}\n"
                           "    elements:\n"
                           "      - {kind: spring, between: [q.x, r.x], stiffness: 6e5}\n"
                           "      - {kind: maxwell, between: [q.x, r.x], stiffness: 1e6, damping: 2e4, exponent: 0.5}\n"
                           "interfaces: [{join: [a.q.x, b.q.x]}]\n"
                           "loads: [{on: a.p.x, kind: sine, amplitude: 4e4, frequency: 12 rad/s}]\n";

static double error_of(const struct yk_coupling_ops *coupling, const char *step)
{
    char words[3][64];
    const char *const set[] = {words[0], words[1], words[2]};
    const struct yk_run_settings settings = yk_run_defaults();
    struct yk_model *e;
    struct recorded r;

    snprintf(words[0], sizeof words[0], "method={coupling: %s}", coupling->name);
    snprintf(words[1], sizeof words[1], "time.step=%s", step);
    snprintf(words[2], sizeof words[2], "time.substeps=%d", coupling->caps & YK_COUPLING_NO_SUBSTEPS ? 1 : 4);
    e = recorded_parse(torn, set, 3);
    recorded_run(&r, e, &settings, NULL);
    assert_int_equal(r.status, YK_OK);
    assert_int_equal(r.result.steps, e->steps);
    const double error = r.result.error_u;

    recorded_free(&r);
    yk_model_close(e);
    return error;
}

static void every_coupling_counts_the_time_of_both_sides(void **state)
{
    for (const struct yk_coupling_ops *const *c = yk_couplings; *c; c++) {
        if ((*c)->caps & YK_COUPLING_SPECIMENS)
            continue;
        const double coarse = error_of(*c, "2 ms"), fine = error_of(*c, "0.5 ms");

        print_message("%-12s errors %.2g and %.2g\n", (*c)->name, coarse, fine);
        assert_true(coarse < 0.5 && fine < 0.4 * coarse);
    }
}

/* Equivalent force control asks its numerical side at both ends of a step. With the time of the start for both the
 * error was 0.035. */
static void equivalent_force_control_counts_the_time(void **state)
{
    static const char text[] =
        "time: {step: 10 ms, substeps: 10, end: 15 s, control_rate: 1 kHz}\n"
        "method: {coupling: efc, sweeps: 3, feedforward: type-4, T1: 8 ms, T2: 5 ms, dead_time: 2 ms}\n"
        "reference: monolithic\n"
        "substructures:\n"
        "  storey:\n"
        "    rate: coarse\n"
        "    kind: assembled\n"
        "    nodes: {floor: {mass: 20 t}}\n"
        "    elements:\n"
        "      - {kind: spring, between: [ground, floor.x], stiffness: 1.2 MN/m}\n"
        "      - {kind: maxwell, between: [ground, floor.x], stiffness: 1 MN/m, damping: 40000}\n"
        "  brace: {role: physical, rate: fine, dofs: [x], actuators: {x: a1}, estimate: {stiffness: [[8e5]]}}\n"
        "interfaces: [{join: [storey.floor.x, brace.x]}]\n"
        "loads: [{on: storey.floor.x, kind: sine, amplitude: 15 kN, frequency: 0.8 Hz}]\n"
        "transfer: {a1: {}}\n"
        "rig:\n"
        "  backend: virtual\n"
        "  actuators: {a1: {plant: {kind: second-order, T1: 8 ms, T2: 5 ms, dead_time: 2 ms}}}\n"
        "  specimen: {kind: assembled, nodes: {end: {mass: 0}},\n"
        "             elements: [{kind: spring, between: [ground, end.x], stiffness: 8e5}]}\n"
        "limits: {displacement: 200 mm}\n";
    const struct yk_run_settings settings = yk_run_defaults();
    struct yk_model *e = recorded_parse(text, NULL, 0);
    struct recorded r;

    recorded_run(&r, e, &settings, NULL);
    assert_int_equal(r.status, YK_OK);
    print_message("efc          error %.2g\n", r.result.error_u);
    assert_true(r.result.error_u < 0.01);
    recorded_free(&r);
    yk_model_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newmark_keeps_its_order),
        cmocka_unit_test(every_integrator_counts_the_time),
        cmocka_unit_test(every_coupling_counts_the_time_of_both_sides),
        cmocka_unit_test(equivalent_force_control_counts_the_time),
    };

    return cmocka_run_group_tests_name("maxwell", tests, scratch_create, scratch_remove);
}
