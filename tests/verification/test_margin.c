/* The margin of a hybrid loop against the closed form of a delayed spring. docs/theory/delay.md, section 1. */
#include "support/check.h"
#include "support/planned.h"

#include "analyze/analyze.h"
#include "state/state.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

/* All stiffness physical, T = 0.5 s, 5 % damping, an ideal actuator: 0.2 ms steps, 10 kHz. */
static const char spring[] =
    "time: {step: 0.2 ms, end: 2 s, control_rate: 10 kHz}\nmethod: {integrator: lsrt2}\nsubstructures:\n"
    "  mass: {dofs: [x], mass: 1, damping: 1.2566370614359172, stiffness: 0}\n"
    "  spring: {role: physical, dofs: [x], actuators: {x: a}, estimate: {stiffness: 157.91367041742973}}\n"
    "interfaces: [{join: [mass.x, spring.x]}]\ntransfer: {a: {controller: {kind: none}}}\n"
    "rig: {backend: virtual, actuators: {a: {plant: {kind: ideal}}},\n"
    "  specimen: {dofs: [x], mass: 0, stiffness: 157.91367041742973}}\n"
    "loads: [{on: mass.x, kind: sine, amplitude: 1, frequency: 1 Hz}]\n";

static struct yk_model *read_spring(const char *const *settings, size_t count)
{
    struct yk_model *e = NULL;

    assert_ok(yk_model_parse(&e, "spring.yaml", spring, sizeof spring - 1, settings, count, &err));
    return e;
}

static void critical_delay_of_a_spring_is_that_of_the_closed_form(void **state)
{
    struct yk_model *e = read_spring(NULL, 0);
    struct yk_margin m;

    assert_true(yk_model_is_hybrid(e));
    assert_ok(planned_margin(e, 0, &m, &err));
    assert_true(m.by_matrix && m.stable);
    assert_near(1e3 * m.margin_s, 7.97100, 0.002); /* ms; W from (W/w)^4 + (2 xi W/w)^2 = 1 */
    assert_near(m.decay, 0.05 * 4 * M_PI, 0.01);
    assert_near(m.decay, m.decay_model, 1e-3);
    yk_model_close(e);
}

static void a_late_actuator_beyond_the_critical_delay_is_unstable(void **state)
{
    static const char *const late[] = {"rig.actuators.a.plant={kind: delay, delay: 9 ms}"};
    struct yk_model *e = read_spring(late, 1);
    struct yk_margin m;

    assert_ok(planned_margin(e, 0, &m, &err));
    assert_false(m.stable);
    assert_true(m.decay < 0);
    yk_model_close(e);
}

/* A limit of one actuator must not stop the vibrations that are judged: to a loop that stands still there is no margin.
 */
static void limits_of_an_actuator_do_not_touch_the_judgement(void **state)
{
    static const char *const limited[] = {"limits={actuators: {a: {displacement: 1e-9, force: 1e-9}}}"};
    struct yk_model *e = read_spring(limited, 1);
    struct yk_margin m;

    assert_ok(planned_margin(e, 0, &m, &err));
    assert_true(m.stable);
    assert_near(1e3 * m.margin_s, 7.97100, 0.002);
    yk_model_close(e);
}

/* Nothing is believed of the spring: the mass is loose, and what sets the duration is the model of the rig. The method
 * does not know the tangent then, which is all that differs. */
static void a_loose_structure_has_the_margin_of_its_specimen(void **state)
{
    static const char *const loose[] = {"substructures.spring={role: physical, dofs: [x], actuators: {x: a}}"};
    struct yk_model *e = read_spring(loose, 1);
    struct yk_margin m;

    assert_ok(planned_margin(e, 0, &m, &err));
    assert_true(m.by_matrix && m.stable);
    assert_near(1e3 * m.margin_s, 7.97100, 0.05);
    yk_model_close(e);
}

/* The same on the fine side of a coupling, which a tenth of the mass has. */
static struct yk_model *read_coupled(const char *method, const char *specimen_mass)
{
    const char *const settings[] = {
        method,
        "time={step: 1 ms, substeps: 2, end: 2 s, control_rate: 8 kHz}",
        "substructures.mass.mass=0.9",
        "substructures.spring={role: physical, rate: fine, dofs: [x], actuators: {x: a}, "
        "estimate: {mass: 0.1, stiffness: 157.91367041742973}}",
        specimen_mass,
    };

    return read_spring(settings, sizeof settings / sizeof *settings);
}

/* The gap of displacements that such a method may leave, a state that stays, does not count. */
static void critical_delay_in_a_coupling_is_that_of_the_closed_form(void **state)
{
    static const char *const methods[] = {"method={coupling: gc}", "method={coupling: pm}",
                                          "method={coupling: plsrt2}"};

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        struct yk_model *e = read_coupled(methods[i], "rig.specimen.mass=0");
        struct yk_margin m;

        assert_ok(planned_margin(e, 0, &m, &err));
        assert_true(m.by_matrix && m.stable);
        assert_near(1e3 * m.margin_s, 7.97100, 0.12); /* ms; steps of 1 ms, and gc has damping of its own */
        yk_model_close(e);
    }
}

/* A specimen with that mass feeds its inertia back late: with more than half the time between two forces, 0.5 ms, it
 * grows from force to force, and with all of it no more. Runs with an actuator late by 0.35 ms diverge within 0.1 s,
 * with 0.25 ms and with 0.5 ms they do not. */
static void a_mass_in_the_loop_has_a_window_of_growth(void **state)
{
    static const char *const methods[] = {"method={coupling: gc}", "method={coupling: pm}"};

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        struct yk_model *e = read_coupled(methods[i], "rig.specimen.mass=0.1");
        struct yk_margin m;

        assert_ok(planned_margin(e, 0, &m, &err));
        assert_true(m.by_matrix && m.stable);
        assert_true(m.margin_s > 0.25e-3 && m.margin_s < 0.35e-3);
        yk_model_close(e);
    }
}

/* A fifth of the stiffness is physical: m x'' + c x' + (1 - a) k x + a k x(t - d) = 0 with a = 0.1975, xi = 0.1. With d
 * it loses its damping where a sin(w d) is about 2 xi, near a quarter of the period, and has it back beyond: growth
 * between 1.3232/w and 2.5565/w, from x^4 - (2 (1 - a) - 4 xi^2) x^2 + 1 - 2 a = 0, x = W/w, cos(W d) = (x^2 - 1 +
 * a)/a. With w = 12.695 1/s these are 104.2 and 201.4 ms, and no delay of 0.05 ms times a power of two lies between
 * them. */
static const char *const fifth[] = {
    "substructures.mass={dofs: [x], mass: 1, damping: 2.539, stiffness: 129.33}",
    "substructures.spring.estimate.stiffness=31.83",
    "rig.specimen.stiffness=31.83",
    "time={step: 2 ms, end: 2 s, control_rate: 10 kHz}",
};

static void a_window_of_growth_between_the_steps_of_the_search_is_found(void **state)
{
    struct yk_model *e = read_spring(fifth, 4);
    struct yk_margin m;

    assert_ok(planned_margin(e, 0, &m, &err));
    assert_true(m.by_matrix && m.stable);
    assert_near(1e3 * m.margin_s, 104.2, 0.3);
    yk_model_close(e);
}

/* One pair of roots is outside of the unit circle within the window, and none before and behind it. */
static void growing_motions_are_counted(void **state)
{
    static const struct {
        double delay_s;
        long growing;
    } cases[] = {{0, 0}, {50e-3, 0}, {103e-3, 0}, {105.5e-3, 2}, {150e-3, 2}, {200e-3, 2}, {203e-3, 0}, {300e-3, 0}};
    struct yk_model *e = read_spring(fifth, 4);
    struct yk_delayed_loop *loop;
    struct yk_model *model;

    assert_ok(yk_model_create(&model, e, 0, &err));
    assert_ok(planned_delayed_loop(model, 12.695, &loop, &err));
    assert_non_null(loop);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        long growing;

        assert_true(yk_delayed_loop_count(loop, cases[i].delay_s, &growing));
        assert_int_equal(growing, cases[i].growing);
    }
    yk_delayed_loop_close(loop);
    yk_model_close(model);
    yk_model_close(e);
}

/* A specimen 1e26 times stiffer than believed: the readings stop being numbers within a step, the station holds its
 * actuators, and what then stands still has not decayed. */
static void a_loop_whose_readings_burst_is_unstable(void **state)
{
    static const char text[] =
        "time: {step: 50 ms, substeps: 50, end: 1, control_rate: 1000 Hz}\n"
        "method: {coupling: efc, Kp: 0, Ki: 5}\n"
        "substructures:\n"
        "  n: {rate: coarse, dofs: [x, y], mass: [100, 100], stiffness: [3600, 3600]}\n"
        "  s: {role: physical, rate: fine, dofs: [x, y], actuators: {x: a1, y: a2},\n"
        "      estimate: {mass: [100, 100], stiffness: [3600, 3600]}}\n"
        "interfaces: [{join: [n.x, s.x]}, {join: [n.y, s.y]}]\n"
        "transfer: {a1: {}, a2: {}}\n"
        "rig:\n"
        "  backend: virtual\n"
        "  actuators: {a1: &servo {plant: {kind: servo, frequency: 16 Hz, damping: 0.9}}, a2: *servo}\n"
        "  specimen: {dofs: [x, y], mass: [100, 100], stiffness: [3600, 3600]}\n";
    static const char *const sets[] = {"rig.specimen.stiffness=[3600, 3600]", "rig.specimen.stiffness=[1e30, 3600]",
                                       "rig.specimen.stiffness=[-1e300, 3600]"};

    for (int i = 0; i < 3; i++) {
        struct yk_model *e = NULL;
        struct yk_margin margin;

        assert_ok(yk_model_parse(&e, "burst.yaml", text, strlen(text), &sets[i], 1, &err));
        assert_ok(planned_margin(e, 0, &margin, &err));
        assert_int_equal(margin.stable, i == 0);
        yk_model_close(e);
    }
}

/* A loop that adapts itself has no amplification matrix; its margin is that of simulations. */
static void loop_that_adapts_is_simulated(void **state)
{
    static const char *const adaptive[] = {"transfer.a.compensator={kind: ats}",
                                           "rig.actuators.a.plant={kind: delay, delay: 3 ms}"};
    struct yk_model *e = read_spring(adaptive, 2);
    struct yk_margin m;

    assert_ok(planned_margin(e, 0, &m, &err));
    assert_false(m.by_matrix);
    assert_true(m.stable);
    yk_model_close(e);
}

#define MANY_TICKS "time={step: 2 ms, end: 2 s, control_rate: 100 kHz}"

/* So many ticks that `yoke check` takes a short vibration. */
static void a_short_vibration_tells_the_margin_of_a_spring(void **state)
{
    struct yk_model *e = read_spring((const char *const[]){MANY_TICKS}, 1);
    struct yk_margin m;

    assert_ok(planned_margin(e, YK_MARGIN_CHECK, &m, &err));
    assert_true(m.brief && m.stable);
    assert_near(1e3 * m.margin_s, 7.97100, 0.12 * 7.97100); /* it is searched for within a tenth */
    assert_near(m.decay, 0.05 * 4 * M_PI, 0.01);
    yk_model_close(e);
}

/* Two modes, both with a part of the spring; the actuator is late already. The matrix says what the margin is. */
static void a_short_vibration_tells_the_margin_that_the_matrix_tells(void **state)
{
    static const char *const settings[] = {
        MANY_TICKS,
        "substructures.mass={dofs: [x, y], mass: [1, 0.5], damping: [[0.5, -0.1], [-0.1, 0.2]], "
        "stiffness: [[100, -100], [-100, 150]]}",
        "rig.actuators.a.plant={kind: delay, delay: 1 ms}",
    };
    struct yk_model *e = read_spring(settings, 3);
    struct yk_margin brief, whole;

    assert_ok(planned_margin(e, YK_MARGIN_CHECK, &brief, &err));
    assert_ok(planned_margin(e, 0, &whole, &err));
    assert_true(brief.brief && brief.stable && whole.by_matrix && whole.stable);
    print_message("margin %g ms, short %g ms; decay %g, short %g\n", 1e3 * whole.margin_s, 1e3 * brief.margin_s,
                  whole.decay, brief.decay);
    assert_near(brief.margin_s, whole.margin_s, 0.15 * whole.margin_s);
    assert_near(brief.decay, whole.decay, 0.1 * whole.decay);
    yk_model_close(e);
}

static void measured_delay_is_that_of_the_actuator(void **state)
{
    static const char *const late[] = {"rig.actuators.a.plant={kind: delay, delay: 3 ms}"};
    struct yk_model *e = read_spring(late, 1);
    struct yk_delay_report *r;
    size_t count;

    assert_ok(planned_delays(e, &r, &count, &err));
    assert_int_equal(count, 1);
    assert_string_equal(r[0].actuator, "a");
    assert_near(1e3 * r[0].target.delay_s, 3, 0.15); /* ms; a tick is 0.1 ms */
    assert_near(r[0].amplitude, 1, 0.01);
    free(r);
    yk_model_close(e);
}

static double cpu_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* CPU time of 2,000 steps of 10 ticks. */
static double time_steps(const struct yk_model *model)
{
    struct yk_state m;
    double begin;

    assert_ok(yk_model_state(model, &m, &err));
    assert_ok(yk_state_start(&m));
    begin = cpu_s();
    for (int i = 0; i < 2000; i++)
        assert_ok(yk_state_step(&m));
    begin = cpu_s() - begin;
    yk_state_close(&m);
    return begin;
}

/* One set of answers tells of every delay. With an amplification matrix for each of the 50 delays that the search looks
 * at, the ratio is 20 to 30. */
static void margin_of_a_small_loop_costs_as_much_as_a_few_runs(void **state)
{
    static const char *const coarse[] = {"time={step: 10 ms, end: 20 s, control_rate: 1 kHz}",
                                         "substructures.mass.damping=5",
                                         "rig.actuators.a.plant={kind: delay, delay: 5 ms}",
                                         "transfer.a.compensator={kind: velocity, order: 2, delay: 5 ms}"};
    const struct yk_judging how = {.margin = true, .no_model = true};
    struct yk_model *e = read_spring(coarse, 4);
    struct yk_model *model;
    struct yk_margin m;
    double least = INFINITY;

    assert_ok(yk_model_create(&model, e, 0, &err));
    for (int i = 0; i < 5; i++) {
        const double run = time_steps(model);

        assert_ok(yk_hybrid_judge(model, &how, &m, &err));
        assert_true(m.stable && m.by_matrix && isfinite(m.margin_s));
        least = fmin(least, m.spent_s / run);
    }
    print_message("a margin takes the time of %g runs\n", least);
    assert_true(least < 6);
    yk_model_close(model);
    yk_model_close(e);
}

/* Critical delay of the spring with s times its stiffness: W from W^4 + (c W)^2 = (s k)^2, tan(W d) = c/W. */
static double critical_delay(double s)
{
    const double c = 1.2566370614359172, k = s * 157.91367041742973,
                 W = sqrt(0.5 * (sqrt(c * c * c * c + 4 * k * k) - c * c));

    return atan2(c, W) / W;
}

/* The factor at which a delay is the critical one. */
static double critical_gain(double delay)
{
    double low = 1, high = 100;

    while (high - low > 1e-9)
        *(critical_delay(0.5 * (low + high)) > delay ? &low : &high) = 0.5 * (low + high);
    return low;
}

static void margins_of_other_rigs_are_those_of_the_closed_form(void **state)
{
    static const double delays[] = {2e-3, 4e-3, 5.5e-3};

    for (size_t i = 0; i < sizeof delays / sizeof *delays; i++) {
        const double d = delays[i], expected[] = {[YK_SOFTER] = critical_delay(0.7) - d,
                                                  [YK_STIFFER] = critical_delay(1.3) - d,
                                                  [YK_SLOWER] = critical_delay(1) - 1.3 * d,
                                                  [YK_FASTER] = critical_delay(1) - 0.7 * d};
        char late[80];
        const char *const settings[] = {late};
        struct yk_robustness r;
        struct yk_model *e;
        struct yk_model *model;

        snprintf(late, sizeof late, "rig.actuators.a.plant={kind: delay, delay: %g ms}", 1e3 * d);
        e = read_spring(settings, 1);
        assert_ok(yk_model_create(&model, e, 0, &err));
        assert_ok(yk_hybrid_robustness(model, &(struct yk_judging){.periods = YK_MARGIN_CHECK}, &r, &err));
        for (int k = 0; k < YK_VARIATIONS; k++) {
            assert_true(r.of[k].complete);
            if (expected[k] < 0)
                assert_int_equal(r.of[k].verdict, YK_LOOP_UNSTABLE);
            else
                assert_near(1e3 * r.of[k].margin_s, 1e3 * expected[k], 0.02);
        }
        assert_true(r.gain_complete && r.gain <= r.gain_growth);
        assert_near(r.gain, critical_gain(d), 0.03 * r.gain);
        yk_model_close(model);
        yk_model_close(e);
    }
}

/* A budget that does not suffice leaves the rest undecided, and the search ends. */
static void margins_of_other_rigs_keep_their_budget(void **state)
{
    struct yk_model *e = read_spring(NULL, 0);
    struct yk_robustness r;
    struct yk_model *model;

    assert_ok(yk_model_create(&model, e, 0, &err));
    assert_ok(
        yk_hybrid_robustness(model, &(struct yk_judging){.periods = YK_MARGIN_CHECK, .budget_s = 1e-6}, &r, &err));
    assert_false(r.gain_complete);
    assert_int_equal(r.of[YK_FASTER].verdict, YK_LOOP_UNDECIDED);
    yk_model_close(model);
    yk_model_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(critical_delay_of_a_spring_is_that_of_the_closed_form),
        cmocka_unit_test(a_late_actuator_beyond_the_critical_delay_is_unstable),
        cmocka_unit_test(limits_of_an_actuator_do_not_touch_the_judgement),
        cmocka_unit_test(a_loose_structure_has_the_margin_of_its_specimen),
        cmocka_unit_test(critical_delay_in_a_coupling_is_that_of_the_closed_form),
        cmocka_unit_test(a_loop_whose_readings_burst_is_unstable),
        cmocka_unit_test(a_mass_in_the_loop_has_a_window_of_growth),
        cmocka_unit_test(a_window_of_growth_between_the_steps_of_the_search_is_found),
        cmocka_unit_test(growing_motions_are_counted),
        cmocka_unit_test(loop_that_adapts_is_simulated),
        cmocka_unit_test(a_short_vibration_tells_the_margin_of_a_spring),
        cmocka_unit_test(a_short_vibration_tells_the_margin_that_the_matrix_tells),
        cmocka_unit_test(measured_delay_is_that_of_the_actuator),
        cmocka_unit_test(margins_of_other_rigs_are_those_of_the_closed_form),
        cmocka_unit_test(margins_of_other_rigs_keep_their_budget),
        cmocka_unit_test(margin_of_a_small_loop_costs_as_much_as_a_few_runs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
