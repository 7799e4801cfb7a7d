/* Every setting that carries a quantity refuses every unit of another dimension. The tables that the reader uses are
 * walked, so a new law, signal or sensor is tested without a word; what a setting may be in is stated here once more,
 * by the quantity and by what is known of the degree of freedom. */
#include "support/check.h"

#include "experiment/experiment.h"
#include "experiment/setup.h"
#include "rig/virtual/rig.h"
#include "transfer/setup.h"
#include "transfer/station.h"
#include <yoke/frame.h>

#include "experiment/build.h"

/* Units, each of its own dimension: the radian counts. */
static const char *const units[] = {"%",      "s",   "Hz",        "m",     "rad",      "m/s",  "rad/s",   "m/s2",
                                    "rad/s2", "kg",  "kg m",      "kg m2", "N",        "N m",  "N m/rad", "N/m",
                                    "N s/m",  "N s", "N m s/rad", "N/m3",  "N m/rad3", "J s",  "1/m",     "1/m2",
                                    "m2",     "m4",  "Pa",        "kg/m3", "W",        "mm/V", "kN/V",    "s/m"};
enum { UNITS = sizeof units / sizeof *units };

/* Units of a setting where the motion is along, about, or unknown; rates may be said in Hz, and so on. */
static const struct {
    enum yk_quantity quantity;
    const char *along, *about, *either;
} allowed[] = {
    {YK_NUMBER, "%", "%", "%"},
    {YK_TIME, "s", "s", "s"},
    {YK_FREQUENCY, "Hz|rad/s", "Hz|rad/s", "Hz|rad/s"},
    {YK_LENGTH, "m", "m", "m"},
    {YK_ANGLE, "rad", "rad", "rad"},
    {YK_DISPLACEMENT, "m", "rad", "m|rad"},
    {YK_VELOCITY, "m/s", "rad/s", "m/s|rad/s"},
    {YK_ACCELERATION, "m/s2", "rad/s2", "m/s2|rad/s2"},
    {YK_MASS, "kg", "kg m2", "kg|kg m2"},
    {YK_DAMPING, "N s/m", "N m s/rad|J s", "N s/m|N m s/rad"},
    {YK_STIFFNESS, "N/m", "N m/rad|N m", "N/m|N m/rad"},
    {YK_CUBIC, "N/m3", "N m/rad3|N m", "N/m3|N m/rad3"},
    {YK_FORCE, "N", "N m", "N|N m"},
    {YK_PER_TIME, "rad/s", "rad/s", "rad/s"},
    {YK_PER_LENGTH, "1/m", "1/m", "1/m"},
    {YK_PER_AREA, "1/m2", "1/m2", "1/m2"},
    {YK_PER_SPEED, "s/m", "s/m", "s/m"},
    {YK_AREA, "m2", "m2", "m2"},
    {YK_AREA_MOMENT, "m4", "m4", "m4"},
    {YK_PRESSURE, "Pa", "Pa", "Pa"},
    {YK_VOLUME, "l", "l", "l"},
    {YK_FLOW, "l/min", "l/min", "l/min"},
    {YK_DENSITY, "kg/m3", "kg/m3", "kg/m3"},
    {YK_TURN_RATE, "rad/s", "rad/s", "rad/s"},
    {YK_MOMENT, "N m", "N m", "N m"},
    {YK_PLAIN_FORCE, "N", "N", "N"},
    {YK_INERTIA, "kg m2", "kg m2", "kg m2"},
    {YK_PLAIN_MASS, "kg", "kg", "kg"},
    {YK_PLAIN_DAMPING, "N s/m", "N s/m", "N s/m"},
    {YK_TURN_DAMPING, "N m s/rad|J s", "N m s/rad|J s", "N m s/rad|J s"},
    {YK_PLAIN_STIFFNESS, "N/m", "N/m", "N/m"},
    {YK_PLAIN_ACCELERATION, "m/s2", "m/s2", "m/s2"},
    {YK_STROKE_GAIN, "m|rad|mm/V", "m|rad|mm/V", "m|rad|mm/V"},
    {YK_FORCE_GAIN, "N|N m|kN/V", "N|N m|kN/V", "N|N m|kN/V"},
};

static bool in_list(const char *list, const char *unit)
{
    const size_t length = strlen(unit);

    for (const char *at = list; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
        if (strncmp(at, unit, length) == 0 && (at[length] == '|' || !at[length]))
            return true;
    return false;
}

static bool may_be(enum yk_quantity quantity, enum yk_sense sense, const char *unit)
{
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        if (allowed[i].quantity == quantity)
            return in_list(sense == YK_ALONG   ? allowed[i].along
                           : sense == YK_ABOUT ? allowed[i].about
                                               : allowed[i].either,
                           unit);
    fail_msg("the test does not know quantity %d (%s)", quantity, yk_quantity_name(quantity));
    return false;
}

static int tried;

/* The status of the experiment with one setting: a place and "KEY: 1 UNIT" put into the text or its overrides. */
static bool is_refused(const char *path, const char *pattern, bool in_text, const char *setting)
{
    char text[2048];
    struct yk_model *e = NULL;
    struct yk_err err = {0};
    enum yk_status st;

    snprintf(text, sizeof text, pattern, setting);
    if (in_text)
        st = yk_model_parse(&e, "t.yaml", text, strlen(text), NULL, 0, &err);
    else
        st = yk_model_load(&e, path, (const char *const[]){text}, 1, &err);
    yk_model_close(e);
    tried++;
    return st == YK_E_UNIT;
}

/* Tries one setting with every unit. */
static int try_setting(const char *path, const char *pattern, bool in_text, const char *key, const char *value,
                       enum yk_quantity quantity, enum yk_sense sense)
{
    int bad = 0;

    for (size_t u = 0; u < UNITS; u++) {
        char setting[160];
        const bool right = may_be(quantity, sense, units[u]);

        snprintf(setting, sizeof setting, value, key, units[u]);
        if (is_refused(path, pattern, in_text, setting) == right) {
            print_error("%s in '%s' was %s\n", setting, pattern, right ? "refused" : "accepted");
            bad++;
        }
    }
    return bad;
}

/* Every real setting of a table; `force` is what YK_FORCE stands for. */
static int try_table(const char *path, const char *pattern, bool in_text, const struct yk_param *params,
                     enum yk_quantity force, enum yk_sense sense)
{
    int bad = 0;

    for (const struct yk_param *p = params; p && p->name; p++)
        if ((p->type == YK_PARAM_REAL || p->type == YK_PARAM_REALS) && !p->when)
            bad += try_setting(path, pattern, in_text, p->name, p->type == YK_PARAM_REAL ? "%s: 1 %s" : "%s: [1 %s]",
                               p->quantity == YK_FORCE ? force : p->quantity, sense);
        else if (p->type == YK_PARAM_POINTS) {
            bad += try_setting(path, pattern, in_text, p->name, "%s: [[1 %s, 1]]", force, sense);
            bad += try_setting(path, pattern, in_text, p->name, "%s: [[1, 1 %s]]", YK_DISPLACEMENT, sense);
        }
    return bad;
}

#define HEAD "time: {step: 0.1, end: 1}\nmethod: {integrator: lsrt2}\nsubstructures:\n"
#define TAIL                                                                                                           \
    "    elements:\n    - {kind: spring, between: [ground, n.%s], stiffness: 1}\n    - {kind: %s, between: [n.%s, "    \
    "ground], %%s}\n"

static void laws_know_how_their_ends_move(void **state)
{
    static const struct {
        const char *dof;
        enum yk_sense sense;
    } ends[] = {{"x", YK_ALONG}, {"rz", YK_ABOUT}, {"w", YK_EITHER}};
    int bad = 0;

    for (size_t i = 0; yk_laws[i]; i++)
        for (size_t k = 0; k < 3; k++) {
            char pattern[512];

            snprintf(pattern, sizeof pattern,
                     HEAD "  s:\n    kind: assembled\n    nodes: {n: {dofs: [%s], mass: 1}}\n" TAIL, ends[k].dof,
                     ends[k].dof, yk_laws[i]->name, ends[k].dof);
            bad += try_table(NULL, pattern, true, yk_laws[i]->params, YK_FORCE, ends[k].sense);
        }
    assert_int_equal(bad, 0);
    assert_true(tried > 1000);
}

static void signals_know_what_they_drive(void **state)
{
    static const struct {
        const char *load;
        enum yk_quantity force;
        enum yk_sense sense;
    } loads[] = {{"on: s.x", YK_FORCE, YK_ALONG},
                 {"on: s.theta", YK_FORCE, YK_ABOUT},
                 {"on: s.w", YK_FORCE, YK_EITHER},
                 {"ground: s, influence: {x: 1}", YK_ACCELERATION, YK_ALONG},
                 {"ground: s, influence: {theta: 1}", YK_ACCELERATION, YK_ABOUT}};
    int bad = 0;

    for (size_t i = 0; yk_signals[i]; i++)
        for (size_t k = 0; k < sizeof loads / sizeof *loads; k++) {
            char pattern[512];

            snprintf(
                pattern, sizeof pattern,
                HEAD
                "  s: {dofs: [x, theta, w], mass: [1, 1, 1], stiffness: [1, 1, 1]}\nloads: [{%s, kind: %s, %%s}]\n",
                loads[k].load, yk_signals[i]->name);
            bad += try_table(NULL, pattern, true, yk_signals[i]->params, loads[k].force, loads[k].sense);
        }
    assert_int_equal(bad, 0);
}

/* Masses, matrices, start values, levers, coordinates: what no table describes. */
static void parts_of_structures_know_their_dimension(void **state)
{
#define ASSEMBLED(nodes, more)                                                                                         \
    HEAD "  s:\n    kind: assembled\n    nodes: {" nodes "}\n    elements: [{kind: spring, between: [ground, n.x], "   \
         "stiffness: 1}" more "]\n"
#define FRAME(node, more)                                                                                              \
    HEAD "  s:\n    kind: frame\n    sections: {q: {E: 2e11, A: 1e-3, Iz: 1e-6, density: 7850}}\n    nodes: {a: {at: " \
         "[0, 0], fixed: all}, b: {" node "}}\n    members: [{between: [a, b], section: q}]\n" more
#define LINEAR(more) HEAD "  s: {dofs: [x, theta, w], " more "}\n"
    static const struct {
        const char *pattern, *value;
        enum yk_quantity quantity;
        enum yk_sense sense;
    } cases[] = {
        {ASSEMBLED("n: {%s}", ""), "%s: 1 %s", YK_MASS, YK_ALONG},
        {ASSEMBLED("n: {dofs: [x, rz], mass: {x: 1, %s}}", ""), "rz: 1 %.0s%s", YK_MASS, YK_ABOUT},
        {ASSEMBLED("n: {dofs: [x, w], mass: {x: 1, %s}}", ""), "w: 1 %.0s%s", YK_MASS, YK_EITHER},
        {ASSEMBLED("n: {dofs: [x, rz], mass: 1}",
                   ", {kind: spring, stiffness: 1, between: [ground, n.x], levers: {%s}}"),
         "n.rz: 1 %.0s%s", YK_LENGTH, YK_EITHER},
        {ASSEMBLED("n: {dofs: [x, rz], mass: 1}", ", {kind: spring, between: [ground, n.x], levers: {n.rz: 1}, %s}"),
         "stiffness: 1 %.0s%s", YK_STIFFNESS, YK_ALONG},
        {FRAME("at: [2, 0], %s", ""), "%s: 1 %s", YK_MASS, YK_ALONG},
        {FRAME("at: [2, 0], mass: {%s}", ""), "rz: 1 %.0s%s", YK_MASS, YK_ABOUT},
        {FRAME("%s", ""), "at: [2, 1 %.0s%s]", YK_LENGTH, YK_EITHER},
        {FRAME("at: [2, 0]", "    elements: [{kind: spring, between: [ground, b.rz], %s}]\n"), "stiffness: 1 %.0s%s",
         YK_STIFFNESS, YK_ABOUT},
        {FRAME("at: [2, 0]", "    initial: {displacement: {%s}}\n"), "b.x: 1 %.0s%s", YK_DISPLACEMENT, YK_ALONG},
        {FRAME("at: [2, 0]", "    initial: {velocity: {%s}}\n"), "b.rz: 1 %.0s%s", YK_VELOCITY, YK_ABOUT},
        {FRAME("at: [2, 0]", "    rayleigh: {%s}\n"), "mass: 1 %.0s%s", YK_PER_TIME, YK_EITHER},
        {FRAME("at: [2, 0]", "    rayleigh: {%s}\n"), "stiffness: 1 %.0s%s", YK_TIME, YK_EITHER},
        {LINEAR("mass: [1, 1, 1], %s"), "stiffness: [1 %.0s%s, 1, 1]", YK_STIFFNESS, YK_ALONG},
        {LINEAR("mass: [1, 1, 1], %s"), "stiffness: [1, 1 %.0s%s, 1]", YK_STIFFNESS, YK_ABOUT},
        {LINEAR("mass: [1, 1, 1], %s"), "stiffness: [1, 1, 1 %.0s%s]", YK_STIFFNESS, YK_EITHER},
        {LINEAR("stiffness: [1, 1, 1], %s"), "mass: [1 %.0s%s, 1, 1]", YK_MASS, YK_ALONG},
        {LINEAR("mass: [1, 1, 1], stiffness: [1, 1, 1], %s"), "damping: [1, 1 %.0s%s, 1]", YK_DAMPING, YK_ABOUT},
        {LINEAR("mass: [1, 1, 1], stiffness: [1, 1, 1], units: {%s}"), "length: 1 %.0s%s", YK_LENGTH, YK_EITHER},
        {LINEAR("mass: [1, 1, 1], stiffness: [1, 1, 1], units: {%s}"), "force: 1 %.0s%s", YK_PLAIN_FORCE, YK_EITHER},
        {"time: {end: 1, %s}\nmethod: {integrator: lsrt2}\nsubstructures: {s: {dofs: [x], mass: [1], stiffness: "
         "[1]}}\n",
         "step: 1 %.0s%s", YK_TIME, YK_EITHER},
    };
    int bad = 0;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        bad += try_setting(NULL, cases[i].pattern, true, "mass", cases[i].value, cases[i].quantity, cases[i].sense);
    bad += try_table(NULL, HEAD "  s: {kind: frame, nodes: {}, members: [], sections: {q: {%s}}}\n", true,
                     yk_section_params, YK_FORCE, YK_EITHER);
    for (size_t i = 0; yk_kinds[i]; i++) {
        char pattern[256];

        snprintf(pattern, sizeof pattern, HEAD "  s: {kind: %s, %%s}\n", yk_kinds[i]->name);
        bad += try_table(NULL, pattern, true, yk_kinds[i]->params, YK_FORCE, YK_EITHER);
    }
    assert_int_equal(bad, 0);
}

/* Off the diagonal a translation and a rotation meet: N, which nothing else is. */
static void entries_between_a_translation_and_a_rotation_are_in_between(void **state)
{
    static const struct {
        const char *row, *right;
    } cases[] = {{"stiffness: [[1, 1 %s, 0], [0, 1, 0], [0, 0, 1]]", "N"},
                 {"stiffness: [[1, 0, 1 %s], [0, 1, 0], [0, 0, 1]]", "N/m|N|N m/rad|N m"},
                 {"damping: [[1, 1 %s, 0], [0, 1, 0], [0, 0, 1]]", "N s"}};

    for (size_t i = 0; i < 3; i++)
        for (size_t u = 0; u < UNITS; u++) {
            char setting[160];

            snprintf(setting, sizeof setting, cases[i].row, units[u]);
            assert_int_equal(
                is_refused(NULL,
                           i < 2 ? LINEAR("mass: [1, 1, 1], %s") : LINEAR("mass: [1, 1, 1], stiffness: [1, 1, 1], %s"),
                           true, setting),
                !in_list(cases[i].right, units[u]));
        }
}

/* An actuator that moves a translation, and what stands around it. */
static void rigs_know_their_dimension(void **state)
{
    static const char file[] = YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml";
    char pattern[256];
    int bad = 0;

    bad += try_table(file, "limits={%s}", false, yk_limits_params, YK_FORCE, YK_ALONG);
    bad += try_table(file, "rig.actuators.a1.sensors={%s}", false, yk_keys_sensors, YK_FORCE, YK_ALONG);
    bad += try_table(file, "rig.actuators.a1.limits={%s}", false, yk_plant_limits_params, YK_FORCE, YK_ALONG);
    bad += try_table(file, "transfer.a1.feedback={%s}", false, yk_feedback_params, YK_FORCE, YK_ALONG);
    bad += try_table(file, "substructures.specimen.setup={kind: matrix, rows: {a1: {x: 1}}, calibrate: {a1: {%s}}}",
                     false, yk_keys_calibrate, YK_FORCE, YK_EITHER);
    bad += try_setting(file, "substructures.specimen.setup={kind: matrix, rows: {a1: {%s}}}", false, "x", "%s: 1 %s",
                       YK_NUMBER, YK_EITHER);
    bad += try_setting(file, "substructures.specimen.estimate={%s}", false, "stiffness", "%s: [[1 %s]]", YK_STIFFNESS,
                       YK_ALONG);
    for (size_t i = 0; yk_plants[i]; i++) {
        snprintf(pattern, sizeof pattern,
                 yk_plants[i]->joint
                     ? "rig={backend: virtual, actuators: {a1: {}}, joint: [{actuators: [a1], plant: {kind: %s, "
                       "%%s}}], specimen: {dofs: [x], mass: [0], stiffness: [1]}}"
                     : "rig.actuators.a1.plant={kind: %s, %%s}",
                 yk_plants[i]->name);
        bad += try_table(file, pattern, false, yk_plants[i]->params, YK_FORCE, YK_ALONG);
    }
    for (size_t i = 0; yk_compensators[i]; i++) {
        if (strcmp(yk_compensators[i]->name, "none") == 0)
            continue; /* it switches the rest of its map off */
        snprintf(pattern, sizeof pattern,
                 yk_compensators[i]->joint
                     ? "transfer={a1: {}, joint: [{actuators: [a1], compensator: {kind: %s, %%s}}]}"
                     : "transfer.a1.compensator={kind: %s, delay: 20 ms, %%s}",
                 yk_compensators[i]->name);
        bad += try_table(file, pattern, false, yk_compensators[i]->params, YK_FORCE, YK_ALONG);
    }
    for (size_t i = 0; yk_estimators[i]; i++) {
        snprintf(pattern, sizeof pattern, "transfer.a1.estimator={kind: %s, %%s}", yk_estimators[i]->name);
        bad += try_table(file, pattern, false, yk_estimators[i]->params, YK_FORCE, YK_ALONG);
    }
    for (size_t i = 0; yk_controllers[i]; i++) {
        if (strcmp(yk_controllers[i]->name, "none") == 0)
            continue;
        snprintf(pattern, sizeof pattern,
                 yk_controllers[i]->joint ? "transfer={a1: {}, joint: [{actuators: [a1], controller: {kind: %s, %%s}}]}"
                                          : "transfer.a1.controller={kind: %s, %%s}",
                 yk_controllers[i]->name);
        bad += try_table(file, pattern, false, yk_controllers[i]->params, YK_FORCE, YK_ALONG);
    }
    assert_int_equal(bad, 0);
}

/* The same rig where the actuator turns. */
static void actuators_that_turn_count_in_radians(void **state)
{
    static const char *const sections[] = {
        "rig: {backend: virtual, actuators: {a1: {plant: {kind: delay, delay: 10 ms}, sensors: {%s}}}",
        "rig: {backend: virtual, actuators: {a1: {plant: {kind: delay, delay: 10 ms}, limits: {%s}}}"};
    const struct yk_param *const tables[] = {yk_keys_sensors, yk_plant_limits_params};
    int bad = 0;

    for (size_t i = 0; i < 2; i++) {
        char pattern[1024];

        snprintf(
            pattern, sizeof pattern,
            "time: {step: 0.01, end: 1, control_rate: 1000}\nmethod: {integrator: lsrt2}\nsubstructures:\n"
            "  f: {dofs: [rz], mass: [10], stiffness: [1000]}\n"
            "  s: {role: physical, dofs: [rz], actuators: {rz: a1}}\ninterfaces: [{join: [f.rz, s.rz]}]\n"
            "transfer: {a1: {compensator: {kind: none}}}\n%s, specimen: {dofs: [rz], mass: [0], stiffness: [100]}}\n",
            sections[i]);
        bad += try_table(NULL, pattern, true, tables[i], YK_FORCE, YK_ABOUT);
    }
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_know_how_their_ends_move),
        cmocka_unit_test(signals_know_what_they_drive),
        cmocka_unit_test(parts_of_structures_know_their_dimension),
        cmocka_unit_test(entries_between_a_translation_and_a_rotation_are_in_between),
        cmocka_unit_test(rigs_know_their_dimension),
        cmocka_unit_test(actuators_that_turn_count_in_radians),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
