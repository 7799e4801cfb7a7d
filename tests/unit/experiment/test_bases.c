/* Bases: points that move as prescribed. Motion against a closed form, energy, rates, refusals. */
#include "support/check.h"

#include "state/state.h"

#include <math.h>

#define FILE_WITH(bases, elements)                                                                                     \
    "time: { step: 1 ms, end: 1 s }\n"                                                                                 \
    "method: { integrator: newmark-newton }\n"                                                                         \
    "substructures:\n"                                                                                                 \
    "  s:\n"                                                                                                           \
    "    kind: assembled\n"                                                                                            \
    "    nodes: { n: { mass: 1 } }\n"                                                                                  \
    "    bases: " bases "\n"                                                                                           \
    "    elements: " elements "\n"

static enum yk_status parse(const char *text, struct yk_model **e, struct yk_err *err)
{
    return yk_model_parse(e, "bases.yaml", text, strlen(text), NULL, 0, err);
}

/* u'' + u = z, z = sin 2t from rest: u = (2 sin t - sin 2t) / 3; either end may stand on the base. */
static void spring_follows_its_base(void **state)
{
    static const char *const files[] = {
        FILE_WITH("{ b: { motion: [ { kind: sine, amplitude: 1, frequency: 0.3183098861837907 } ] } }",
                  "[ { kind: spring, between: [b, n.x], stiffness: 1 } ]"),
        FILE_WITH("{ b: { motion: [ { kind: sine, amplitude: 1, frequency: 0.3183098861837907 } ] } }",
                  "[ { kind: spring, between: [n.x, b], stiffness: 1 } ]")};

    for (int k = 0; k < 2; k++) {
        struct yk_model *e;
        struct yk_state motion;
        double u, v, a;

        assert_ok(parse(files[k], &e, &err));
        assert_ok(yk_state_open(&motion, e, 0, &err));
        assert_int_equal(yk_state_start(&motion), YK_OK);
        for (long i = 0; i < e->steps; i++)
            assert_int_equal(yk_state_step(&motion), YK_OK);
        yk_state_now(&motion, 0, &u, &v, &a);
        assert_near(u, (2 * sin(1) - sin(2)) / 3, 1e-6);
        assert_near(v, (2 * cos(1) - 2 * cos(2)) / 3, 1e-6);
        yk_state_close(&motion);
        yk_model_close(e);
    }
}

/* The work of a base is stored or dissipated. */
static void work_of_a_base_is_accounted(void **state)
{
    static const char text[] = FILE_WITH("{ b: { fade_in: 100 ms, motion: [ { kind: sine, amplitude: 1, frequency: 1 },"
                                         " { kind: noise, rms: 0.1, high: 20, lines: 20 } ] } }",
                                         "[ { kind: spring, between: [b, n.x], stiffness: 30 },"
                                         " { kind: saturating-damper, between: [b, n.x], limit: 2, knee: 1 } ]");
    struct yk_model *e;
    struct yk_state motion;
    struct yk_energy energy = {0};
    const double zero = 0;
    double u, v, a;

    assert_ok(parse(text, &e, &err));
    assert_ok(yk_state_open(&motion, e, 0, &err));
    struct yk_system *s = motion.substructures[0].system;

    assert_false(s->linear);
    assert_int_equal(yk_state_start(&motion), YK_OK);
    for (long i = 0; i <= e->steps; i++) {
        yk_state_now(&motion, 0, &u, &v, &a);
        s->ops->account(s->self, &zero, &u, &v, &energy);
        if (i < e->steps)
            assert_int_equal(yk_state_step(&motion), YK_OK);
    }
    assert_true(energy.work > 1 && energy.dissipated > 0.1);
    assert_near(energy.kinetic + energy.stored + energy.dissipated, energy.work, 1e-3 * energy.work);
    yk_state_close(&motion);
    yk_model_close(e);
}

/* Rates against differences of displacements: a damper alone feels dz/dt, a spring alone z. */
#define MOTION                                                                                                         \
    "{ b: { fade_in: 0.3, motion: [ { kind: multi-sine, amplitudes: [1, 2], frequencies: [1, 3], phases: [0.1, 0.2] "  \
    "},"                                                                                                               \
    " { kind: noise, rms: 1, low: 2, high: 22, lines: 20 }, { kind: sine, amplitude: 3, frequency: 2, phase: 1 },"     \
    " { kind: half-sine, amplitude: 1, duration: 2 } ] } }"

static double force_at(struct yk_model *e, double t)
{
    const double zero = 0;
    double p;

    yk_system_force(e->substructures[0].system, t, &zero, &zero, &zero, &p);
    return p;
}

static void rates_are_derivatives(void **state)
{
    static const char spring[] = FILE_WITH(MOTION, "[ { kind: spring, between: [b, n.x], stiffness: 1 } ]");
    static const char damper[] = FILE_WITH(MOTION, "[ { kind: damper, between: [b, n.x], damping: 1 } ]");
    const double h = 1e-5;
    struct yk_model *z, *rate;

    assert_ok(parse(spring, &z, &err));
    assert_ok(parse(damper, &rate, &err));
    for (double t = 0.05; t < 1; t += 0.1)
        assert_near(force_at(rate, t), (force_at(z, t + h) - force_at(z, t - h)) / (2 * h), 1e-3);
    yk_model_close(z);
    yk_model_close(rate);
}

static void bases_that_mean_nothing_are_refused(void **state)
{
    struct yk_model *e;

    assert_refused(parse(FILE_WITH("{ b: { } }", "[ { kind: spring, between: [b, n.x], stiffness: 1 } ]"), &e, &err),
                   YK_E_INPUT, "missing 'motion'");
    assert_refused(parse(FILE_WITH("{ b: { motion: [ { kind: sinus } ] } }",
                                   "[ { kind: spring, between: [b, n.x], stiffness: 1 } ]"),
                         &e, &err),
                   YK_E_INPUT, "there is no signal 'sinus'");
    assert_refused(parse(FILE_WITH("{ b: { motion: [ { kind: sine, amplitude: 1 N, frequency: 1 } ] } }",
                                   "[ { kind: spring, between: [b, n.x], stiffness: 1 } ]"),
                         &e, &err),
                   YK_E_UNIT, "a displacement is expected");
    assert_refused(parse(FILE_WITH("{ b: { motion: [ { kind: sine, amplitude: 1, frequency: 1 } ] } }",
                                   "[ { kind: spring, between: [b, ground], stiffness: 1 } ]"),
                         &e, &err),
                   YK_E_INPUT, "both ends of the element are the same or held");
    assert_refused(
        parse(FILE_WITH("{ b: { motion: [ ], fade: 1 } }", "[ { kind: spring, between: [b, n.x], stiffness: 1 } ]"), &e,
              &err),
        YK_E_INPUT, "fade");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spring_follows_its_base),
        cmocka_unit_test(work_of_a_base_is_accounted),
        cmocka_unit_test(rates_are_derivatives),
        cmocka_unit_test(bases_that_mean_nothing_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
