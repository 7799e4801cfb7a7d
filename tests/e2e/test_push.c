/* `yoke push` as a user runs it: pushover, arc-length, protocols, capacity, performance point, results of frames.
 *
 * Expected values: an independent prototype; its frame agrees with OpenSees 3.8.0 on the cyclic paths of the same
 * portal, and the frame of linear members and the two bars have closed forms. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/yoke.h>

#define COLUMN                                                                                                         \
    "column: { kind: bilinear, stiffness: 300 MN m/rad, yield_slip: 8.6666666666666667e-4, hardening: 0.02 }\n"
#define BEAM "beam: { kind: bilinear, stiffness: 400 MN m/rad, yield_slip: 4.5e-4, hardening: 0.01 }\n"
#define SOFT_COLUMN                                                                                                    \
    "column: { kind: pinching, positive: [[260 kN m, 8.6666666666666667e-4], [310 kN m, 0.02], [120 kN m, 0.08]] }\n"
#define SOFT_BEAM "beam: { kind: pinching, positive: [[180 kN m, 4.5e-4], [220 kN m, 0.02], [90 kN m, 0.08]] }\n"
/* the same backbones */
#define IMK_COLUMN                                                                                                     \
    "column: { kind: imk, stiffness: 300 MN m/rad, yield: 260 kN m, plastic: 0.019133333333333333, capping: "          \
    "1.1923076923076923, post_capping: 0.09789473684210526, residual: 0.46153846153846154 }\n"
#define IMK_BEAM                                                                                                       \
    "beam: { kind: imk, stiffness: 400 MN m/rad, yield: 180 kN m, plastic: 0.01955, capping: 1.2222222222222222, "     \
    "post_capping: 0.10153846153846154, residual: 0.5, lambda_S: 2, lambda_K: 3 }\n"

static const char *geometry = "p-delta", *beam_geometry = "linear";

/* A portal with hinges under its weight, and these stages. */
static const char *portal(const char *column, const char *beam, const char *stages)
{
    char text[4000];

    snprintf(
        text, sizeof text,
        "title: portal\ntime: { step: 2 ms, end: 0.1 s }\nmethod: { integrator: newmark-newton }\n"
        "substructures:\n  portal:\n    kind: frame\n    sections:\n"
        "      column: { E: 200 GPa, A: 0.011 m2, Iz: 2e-4 m4 }\n"
        "      beam: { E: 200 GPa, A: 0.012 m2, Iz: 2.75e-4 m4 }\n"
        "    hinges:\n      %s      %s"
        "    nodes:\n      left: { at: [0, 0], fixed: all }\n      right: { at: [6 m, 0], fixed: all }\n"
        "      top: { at: [0, 3.5 m], mass: { x: 60 t, y: 60 t } }\n"
        "      far: { at: [6 m, 3.5 m], mass: { x: 60 t, y: 60 t } }\n"
        "    members:\n"
        "      - { between: [left, top], section: column, geometry: %s, hinges: { start: { rz: column }, end: { rz: "
        "column } } }\n"
        "      - { between: [right, far], section: column, geometry: %s, hinges: { start: { rz: column }, end: { rz: "
        "column } } }\n"
        "      - { between: [top, far], section: beam, geometry: %s, hinges: { start: { rz: beam }, end: { rz: beam } "
        "} }\n"
        "loads:\n  - { on: portal.top.y, kind: constant, amplitude: -600 kN, permanent: true }\n"
        "  - { on: portal.far.y, kind: constant, amplitude: -600 kN, permanent: true }\n"
        "statics:\n  - { gravity: all }\n%s",
        column, beam, geometry, geometry, beam_geometry, stages);
    return scratch_write("portal.yaml", text);
}

struct pushed {
    int code;
    json_t *json;
    struct yk_record *record;
    struct yk_kept_rows rows;
};

static struct pushed push(const char *file, const char *first, const char *second)
{
    struct pushed out = {0};
    struct program p;

    program_run(&p, "push", file, "-o", scratch_path("push"), "--force", "--json", first, second);
    out.code = p.code;
    if (!(out.json = json_loads(p.out, 0, NULL)))
        fail_msg("%s%s", p.out, p.err);
    program_free(&p);
    if (p.code != 2)
        assert_ok(yk_record_read(&out.record, scratch_path("push/run.h5"), &err));
    if (out.record)
        out.rows = yk_record_rows(out.record, "system");
    return out;
}

static void drop(struct pushed *p)
{
    yk_record_close(p->record);
    json_decref(p->json);
}

static size_t column_of(const struct pushed *p, const char *name)
{
    const char *at = p->rows.names;

    for (size_t i = 0; i < p->rows.channels; i++) {
        const size_t length = strcspn(at, "\n");

        if (length == strlen(name) && strncmp(at, name, length) == 0)
            return i;
        at += length + 1;
    }
    fail_msg("no channel %s", name);
    return 0;
}

static double value(const struct pushed *p, size_t row, const char *name)
{
    return p->rows.rows[row * p->rows.channels + column_of(p, name)];
}

static double last(const struct pushed *p, const char *name)
{
    return value(p, p->rows.count - 1, name);
}

static const json_t *event(const struct pushed *p, const char *words, size_t which)
{
    size_t i;
    json_t *one;

    json_array_foreach(json_object_get(p->json, "events"), i, one)
    {
        if (strstr(json_string_value(json_object_get(one, "words")), words) && which-- == 0)
            return one;
    }
    fail_msg("no event '%s'", words);
    return NULL;
}

static double of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* ---- displacement control -------------------------------------------------------------------------------------- */

static const double at[] = {0.007, 0.0175, 0.035, 0.07, 0.105, 0.14, 0.21, 0.28};
enum { PLACES = sizeof at / sizeof *at };

static void pushovers_follow_the_reference(void **state)
{
    static const struct {
        const char *column, *beam, *geometry;
        double force[PLACES];
    } cases[] = {
        {COLUMN,
         BEAM,
         "linear",
         {85743.3065, 214358.266, 272574.684, 323714.122, 373457.752, 416848.665, 503630.491, 590412.317}},
        {COLUMN,
         BEAM,
         "p-delta",
         {83380.2775, 208455.201, 260648.258, 299810.384, 337571.203, 368981.364, 431802.651, 494625.204}},
        {SOFT_COLUMN,
         SOFT_BEAM,
         "linear",
         {85743.3065, 214358.266, 261861.212, 287088.904, 290591.202, 258078.710, 193053.725, 128028.741}},
        {SOFT_COLUMN,
         SOFT_BEAM,
         "p-delta",
         {83380.2775, 208455.201, 249925.967, 263163.108, 254627.926, 210096.550, 121035.303, 31976.0454}},
        {IMK_COLUMN, /* deterioration needs a cycle */
         IMK_BEAM,
         "p-delta",
         {83380.2775, 208455.201, 249925.967, 263163.108, 254627.926, 210096.550, 121035.303, 31976.0454}},
        {SOFT_COLUMN,
         SOFT_BEAM,
         "corotational",
         {83426.8701, 208576.602, 250014.156, 263305.095, 254768.321, 210249.481, 121114.443, 31736.8839}},
    };

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        geometry = cases[c].geometry;
        struct pushed p =
            push(portal(cases[c].column, cases[c].beam, "  - { push: portal.top.x, to: 0.28 m, step: 1.75 mm }\n"),
                 NULL, NULL);

        assert_int_equal(p.code, 0);
        assert_int_equal(p.rows.count, 1 + 10 + 160);
        for (size_t i = 0; i < PLACES; i++) {
            const size_t row = 10 + (size_t)lround(at[i] / 1.75e-3);

            assert_near(value(&p, row, "push.control"), at[i], 1e-12);
            assert_near_relative(value(&p, row, "push.factor"), cases[c].force[i], 5e-9);
            assert_near_relative(value(&p, row, "base.x"), value(&p, row, "push.factor"), 1e-9);
        }
        drop(&p);
    }
    geometry = "p-delta";
}

static void path_of_many_stages_is_that_of_the_file(void **state)
{
    static const double shear[] = {238235.7410, 277431.9475, -288602.5031, 333084.0634, -221772.7196};
    struct pushed p = push(portal(COLUMN, BEAM,
                                  "  - { push: portal.top.x, to: 0.02, step: 2.5 mm }\n"
                                  "  - { push: portal.top.x, to: -0.02, step: 4 mm }\n"
                                  "  - { push: portal.top.x, to: 0.05, step: 5 mm }\n"
                                  "  - { push: portal.top.x, to: 0.01, step: 6.7 mm }\n"
                                  "  - { push: portal.top.x, to: 0.03, step: 5 mm }\n"
                                  "  - { push: portal.top.x, to: -0.06, step: 5 mm }\n"
                                  "  - { push: portal.top.x, to: 0.10, step: 7 mm }\n"
                                  "  - { push: portal.top.x, to: 0, step: 10 mm }\n"),
                           NULL, NULL);
    const json_t *stages = json_object_get(p.json, "stages");

    assert_int_equal(p.code, 0);
    for (size_t i = 0; i < 5; i++) {
        const size_t number = i < 1 ? 1 : i < 2 ? 3 : i < 3 ? 6 : i < 4 ? 7 : 8;

        assert_near_relative(of(json_array_get(stages, number), "factor"), shear[i], 1e-9);
    }
    drop(&p);
}

static void events_and_periods_are_those_of_the_reference(void **state)
{
    struct pushed p =
        push(portal(COLUMN, BEAM, "  - { push: portal.top.x, to: 0.05 m, step: 0.1 mm }\n"), "--modes", "1");
    const json_t *stages = json_object_get(p.json, "stages");
    static const struct {
        const char *hinge;
        double x, factor;
    } yields[] = {{"left-top.hinge1", 0.0203998, 242993.69},
                  {"top-far.hinge1", 0.0204704, 243449.65},
                  {"top-far.hinge2", 0.0206836, 244576.75},
                  {"right-far.hinge1", 0.0206983, 244640.65}};

    assert_int_equal(json_array_size(json_object_get(p.json, "events")), 4); /* the tops of columns do not yield */
    for (size_t i = 0; i < 4; i++) {
        assert_near(of(event(&p, yields[i].hinge, 0), "displacement"), yields[i].x, 2e-7);
        assert_near(of(event(&p, yields[i].hinge, 0), "factor"), yields[i].factor, 0.01);
    }
    for (int loading = 0; loading < 2; loading++) {
        const char *way = loading ? "loading" : "unloading";
        const double gravity = json_number_value(json_array_get(
                         json_object_get(json_object_get(json_array_get(stages, 0), "periods_s"), way), 0)),
                     pushed = json_number_value(json_array_get(
                         json_object_get(json_object_get(json_array_get(stages, 1), "periods_s"), way), 0));

        assert_near(gravity, 0.628321761, 1e-8);
        assert_near(pushed, loading ? 2.1181793 : 0.6300046, 1e-6);
    }
    drop(&p);
}

static void located_event_is_at_its_kink(void **state)
{
    struct pushed p =
        push(portal(COLUMN, BEAM, "  - { push: portal.top.x, to: 0.03 m, step: 5 mm, locate: true }\n"), NULL, NULL);

    assert_near(of(event(&p, "left-top.hinge1 yields", 0), "displacement"), 0.0203988, 5e-6);
    assert_int_equal(p.rows.count, 11 + 6); /* and the path is that of whole steps */
    drop(&p);
}

static void push_stops_after_its_drop(void **state)
{
    struct pushed p = push(
        portal(SOFT_COLUMN, SOFT_BEAM, "  - { push: portal.top.x, to: 0.35 m, step: 1.75 mm, stop: { drop: 20 % } }\n"),
        NULL, NULL);

    assert_int_equal(p.code, 0);
    assert_near(of(event(&p, "peak", 0), "displacement"), 0.091, 1e-12);
    assert_near(of(event(&p, "peak", 0), "factor"), 270759.658, 1e-3);
    assert_near(of(event(&p, "fallen by 20 %", 0), "displacement"), 0.134882, 1e-6);
    assert_true(last(&p, "push.control") < 0.137);
    drop(&p);
}

/* ---- capacity -------------------------------------------------------------------------------------------------- */

static json_t *capacity(const char *to, const char *target, struct pushed *p)
{
    char stage[200];

    snprintf(stage, sizeof stage, "  - { push: portal.top.x, to: %s, step: 0.5 mm }\n", to);
    *p = push(portal(SOFT_COLUMN, SOFT_BEAM, stage), target ? "--target" : "--capacity", target);
    assert_int_equal(p->code, 0);
    return json_object_get(p->json, "capacity");
}

static void idealisations_are_those_of_the_reference(void **state)
{
    static const struct {
        const char *to;
        double n2[2], asce[3];
        bool capped;
    } cases[] = {{"0.05", {255599.01, 0.022705669}, {244425.85, 0.020519987, 0.0318184}, false},
                 {"0.0905", {270913.20, 0.029363889}, {244443.20, 0.020521443, 0.0317555}, false},
                 {"0.13", {270913.20, 0.036084355}, {270913.20, 0.022743585, -0.0376436}, true}};

    for (size_t i = 0; i < 3; i++) {
        struct pushed p;
        const json_t *c = capacity(cases[i].to, NULL, &p), *n2 = json_object_get(c, "n2"),
                     *asce = json_object_get(c, "asce-41");

        assert_near(of(c, "mass_kg"), 120e3, 1e-6);
        assert_near(of(n2, "force_N"), cases[i].n2[0], 0.01);
        assert_near(of(n2, "displacement_m"), cases[i].n2[1], 2e-9);
        assert_near(of(asce, "force_N"), cases[i].asce[0], 0.01);
        assert_near(of(asce, "displacement_m"), cases[i].asce[1], 2e-9);
        assert_near(of(asce, "hardening"), cases[i].asce[2], 1e-7);
        assert_int_equal(json_is_true(json_object_get(asce, "capped")), cases[i].capped);
        drop(&p);
    }
}

static void performance_points_are_those_of_the_reference(void **state)
{
    struct pushed p;
    const json_t *found =
                     json_object_get(capacity("0.35", "ec8: { type: 1, ground: C, ag: 0.25 g }", &p), "performance"),
                 *n2 = json_object_get(found, "n2"), *spectrum = json_object_get(found, "spectrum");

    assert_near(of(n2, "displacement_m"), 0.07317285, 1e-8);
    assert_near(of(n2, "period_s"), 0.6830617, 1e-7);
    assert_near(of(n2, "qu"), 2.8104137, 1e-7);
    assert_near(of(n2, "first_period_s"), 0.7165759, 1e-7);
    assert_near(of(n2, "first_displacement_m"), 0.0767631, 1e-7);
    assert_int_equal(of(n2, "passes"), 13);
    assert_near(of(spectrum, "displacement_m"), 0.0631160, 1e-7);
    assert_near(of(spectrum, "acceleration_m_s2"), 2.1713295, 1e-7);
    assert_near(of(spectrum, "period_s"), 1.0712399, 1e-7);
    assert_near(of(spectrum, "damping"), 0.4402378, 1e-7);
    drop(&p);
    found = json_object_get(capacity("0.35", "ec8: { type: 1, ground: D, ag: 0.15 g }", &p), "performance");
    n2 = json_object_get(found, "n2");
    assert_near(of(n2, "first_qu"), 2.1990585, 1e-7);
    assert_near(of(n2, "first_displacement_m"), 0.0686720, 1e-7);
    drop(&p);
    found = json_object_get(capacity("0.35", "ec8: { type: 1, ground: C, ag: 0.5 g }", &p), "performance");
    assert_true(json_is_false(json_object_get(json_object_get(found, "n2"), "found")));
    assert_non_null(
        strstr(json_string_value(json_object_get(json_object_get(found, "spectrum"), "why")), "beyond capacity"));
    drop(&p);
}

/* ---- arc-length ------------------------------------------------------------------------------------------------ */

#define TWO_BARS                                                                                                       \
    "title: two bars\ntime: { step: 2 ms, end: 1 s }\nmethod: { integrator: newmark-newton }\nsubstructures:\n"        \
    "  arch:\n    kind: frame\n    sections: { bar: { E: 100 GPa, A: 1e-3 m2, Iz: 1e-8 m4 } }\n    nodes:\n"           \
    "      a: { at: [-2, 0], fixed: all }\n      b: { at: [2, 0], fixed: all }\n      c: [0, 0.2 m]\n    members:\n"   \
    "      - { between: [a, c], section: bar, theory: truss, geometry: corotational }\n"                               \
    "      - { between: [c, b], section: bar, theory: truss, geometry: corotational }\nstatics:\n"

static void arc_goes_over_limit_points(void **state)
{
    static const struct {
        size_t step;
        double w, P;
    } places[] = {{5, 0.0406130834, 28726.8213},
                  {10, 0.0892986616, 38020.0689},
                  {20, 0.1839174476, 7929.47077},
                  {40, 0.3719039010, -22163.2726}};
    struct pushed p = push(scratch_write("arc.yaml", TWO_BARS "  - { push: arch.c.y, to: -0.45, control: arc, length: "
                                                              "0.01, scale: 1e-6, pattern: { arch.c.y: -1 } }\n"),
                           NULL, NULL);

    assert_int_equal(p.code, 0);
    for (size_t i = 0; i < 4; i++) {
        assert_near(value(&p, places[i].step, "arch.c.y.u"), -places[i].w, 2e-10);
        assert_near_relative(value(&p, places[i].step, "push.factor"), places[i].P, 1e-8);
    }
    assert_near(of(event(&p, "limit point", 0), "displacement"), -0.0847214930, 1e-7);
    assert_near(of(event(&p, "limit point", 0), "factor"), 38108.71904, 1e-5);
    assert_near(of(event(&p, "limit point", 1), "displacement"), -0.3152785070, 1e-7);
    assert_near(of(event(&p, "limit point", 1), "factor"), -38108.71904, 1e-5);
    drop(&p);
}

static void displacement_control_gives_the_same_curve(void **state)
{
    static const double w[] = {0.05, 0.1, 0.15, 0.45}, P[] = {32431.79518, 37151.48668, 23252.28099, 68982.83741};
    struct pushed p =
        push(scratch_write("arc.yaml", TWO_BARS "  - { push: arch.c.y, to: -0.45, step: 10 mm, pattern: { "
                                                "arch.c.y: -1 } }\n"),
             NULL, NULL);

    assert_int_equal(p.code, 0);
    for (size_t i = 0; i < 4; i++)
        assert_near_relative(value(&p, (size_t)lround(w[i] / 0.01), "push.factor"), P[i], 1e-9);
    drop(&p);
}

/* ---- protocols ------------------------------------------------------------------------------------------------- */

static void protocols_have_the_cycles_of_their_documents(void **state)
{
    static const struct {
        const char *protocol;
        int cycles;
        double length, most;
    } cases[] = {{"{ kind: atc-24, yield: 12 mm, to: 72 mm }", 21, 2.484, 0.072},
                 {"{ kind: sac, to: 5 % }", 32, 1.79, 0.05},
                 {"{ kind: fema-461, target: 30 mm, to: 48 mm }", 24, 1.50696, 0.048},
                 {"{ kind: iso-16670, ultimate: 60 mm, to: 72 mm }", 23, 3.087, 0.072},
                 {"{ kind: cycles, amplitudes: [5 mm, 10 mm], cycles: [1, 2] }", 3, 0.1, 0.01}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char stage[200];

        snprintf(stage, sizeof stage, "  - { cycle: portal.top.x, protocol: %s, step: 20 mm }\n", cases[i].protocol);
        struct pushed p = push(portal(COLUMN, BEAM, stage), NULL, NULL);
        const json_t *protocol = json_object_get(json_array_get(json_object_get(p.json, "stages"), 1), "protocol");
        double most = 0;

        assert_int_equal(p.code, 0);
        assert_int_equal(of(protocol, "cycles"), cases[i].cycles);
        assert_near(of(protocol, "length_m"), cases[i].length, 1e-5);
        for (size_t row = 0; row < p.rows.count; row++)
            most = fmax(most, fabs(value(&p, row, "push.control")));
        assert_near(most, cases[i].most, 1e-12);
        assert_near(last(&p, "push.control"), 0, 1e-12);
        drop(&p);
    }
}

/* ---- results --------------------------------------------------------------------------------------------------- */

static const char frame[] =
    "title: frame\ntime: { step: 2 ms, end: 1 s }\nmethod: { integrator: newmark-newton }\nsubstructures:\n"
    "  frame:\n    kind: frame\n    sections:\n      column: { E: 200 GPa, A: 0.011 m2, Iz: 2e-4 m4 }\n"
    "      beam: { E: 200 GPa, A: 0.012 m2, Iz: 2.75e-4 m4 }\n    nodes:\n      a: { at: [0, 0], fixed: all }\n"
    "      b: { at: [6, 0], fixed: all }\n      c: [0, 3.5 m]\n      d: [6, 3.5 m]\n      e: [0, 6.5 m]\n      f: [6, "
    "6.5 m]\n"
    "    members:\n      - { between: [a, c], section: column }\n      - { between: [b, d], section: column }\n"
    "      - { between: [c, e], section: column }\n      - { between: [d, f], section: column }\n"
    "      - { between: [c, d], section: beam }\n      - { between: [e, f], section: beam }\nloads:\n"
    "  - { on: frame.c.y, kind: constant, amplitude: -200 kN, permanent: true }\n"
    "  - { on: frame.d.y, kind: constant, amplitude: -200 kN, permanent: true }\n"
    "  - { on: frame.e.y, kind: constant, amplitude: -200 kN, permanent: true }\n"
    "  - { on: frame.f.y, kind: constant, amplitude: -200 kN, permanent: true }\n"
    "  - { on: frame.c.x, kind: constant, amplitude: 60 kN, permanent: true }\n"
    "  - { on: frame.e.x, kind: constant, amplitude: 90 kN, permanent: true }\nstatics:\n  - { gravity: all }\n";

static void linear_frame_has_its_reactions_and_end_forces(void **state)
{
    static const struct {
        const char *name;
        double value, tolerance;
    } expected[] = {{"floor.floor1.x.u", 0.011570458386, 1e-12},
                    {"floor.roof.x.u", 0.020638795045, 1e-12},
                    {"drift.1.x", 0.00330584525, 1e-11},
                    {"drift.2.x", 0.00302277889, 1e-11},
                    {"drift.max", 0.00330584525, 1e-11},
                    {"base.x", 150e3, 1e-5},
                    {"base.y", -800e3, 1e-5},
                    {"shear.1.x", 150e3, 1e-5},
                    {"shear.2.x", 90e3, 1e-5},
                    {"overturning", 795e3, 1e-4},
                    {"frame.a.reaction.x", -75225.3952, 1e-4},
                    {"frame.a.reaction.y", 321854.0591, 1e-4},
                    {"frame.a.reaction.rz", 163568.0857, 1e-4},
                    {"frame.b.reaction.x", -74774.6048, 1e-4},
                    {"frame.b.reaction.y", 478145.9409, 1e-4},
                    {"frame.b.reaction.rz", 162556.2687, 1e-4},
                    {"frame.a-c.N1", -321854.059, 1e-3},
                    {"frame.a-c.V1", 75225.395, 1e-3},
                    {"frame.a-c.M1", 163568.086, 1e-3},
                    {"frame.a-c.M2", 99720.797, 1e-3},
                    {"frame.d-f.N1", -227873.659, 1e-3},
                    {"frame.d-f.V1", 45013.546, 1e-3},
                    {"frame.d-f.M1", 51483.187, 1e-3},
                    {"frame.d-f.M2", 83557.451, 1e-3},
                    {"frame.c-d.N1", -29761.059, 1e-3},
                    {"frame.c-d.V1", -50272.282, 1e-3},
                    {"frame.c-d.M1", -150995.658, 1e-3},
                    {"frame.c-d.M2", -150638.035, 1e-3},
                    {"frame.e-f.V2", 27873.659, 1e-3}};
    struct pushed p = push(scratch_write("frame.yaml", frame), NULL, NULL);

    assert_int_equal(p.code, 0);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_near(last(&p, expected[i].name), expected[i].value, expected[i].tolerance);
    drop(&p);
}

/* Forces of members at a joint are those of the loads; reactions and loads add up to nothing, about the deformed shape
 * for moments. */
static void rows_are_in_equilibrium(void **state)
{
    static const char *const shapes[] = {"linear", "p-delta", "corotational"};

    for (size_t g = 0; g < 3; g++) {
        geometry = shapes[g];
        beam_geometry = g == 2 ? "corotational" : "linear";
        struct pushed p = push(portal(COLUMN, BEAM, "  - { push: portal.top.x, to: 0.1 m, step: 5 mm }\n"), NULL, NULL);

        for (size_t row = 11; row < p.rows.count; row++) {
            const double factor = value(&p, row, "push.factor"), x = value(&p, row, "portal.top.x.u"),
                         y = value(&p, row, "portal.top.y.u"), far = value(&p, row, "portal.far.x.u");
            const double arm = g ? x : 0, other = g ? far : 0, height = 3.5 + (g == 2 ? y : 0);

            assert_near(value(&p, row, "base.x"), factor, 1e-9 * 1.2e6);
            assert_near(value(&p, row, "base.y"), -1.2e6, 1e-9 * 1.2e6);
            /* about the middle of the bay: the loads turn against the reactions; a linear beam does not shift its force
             */
            assert_near(value(&p, row, "overturning"),
                        factor * height + 600e3 * (arm - 3) + 600e3 * (other + 3) +
                            (g == 1 ? value(&p, row, "portal.top-far.V1") * (arm - other) : 0),
                        1e-8 * 4.2e6);
        }
        drop(&p);
    }
    geometry = "p-delta";
    beam_geometry = "linear";
}

static void floors_can_be_named(void **state)
{
    char text[4000];

    snprintf(text, sizeof text, "%sfloors: { ground: [a, b], first: [c, d], top: [frame.e] }\n", frame);
    struct pushed p = push(scratch_write("frame.yaml", text), NULL, NULL);

    assert_near(last(&p, "floor.top.x.u"), last(&p, "frame.e.x.u"), 1e-15);
    drop(&p);
    snprintf(text, sizeof text, "%sfloors: { ground: [a, b], first: [c, nowhere] }\n", frame);
    p = push(scratch_write("frame.yaml", text), NULL, NULL);
    assert_int_equal(p.code, 2);
    assert_non_null(
        strstr(json_string_value(json_object_get(json_object_get(p.json, "error"), "message")), "no node 'nowhere'"));
    drop(&p);
}

/* ---- beside a specimen, and messages --------------------------------------------------------------------------- */

static void specimen_is_held_under_gravity(void **state)
{
    char text[3000];
    struct pushed p;

    /* 3 MN/m beside 2 MN/m of the specimen; the weight leans on it until it is held */
    snprintf(
        text, sizeof text,
        "title: held\ntime: { step: 1 ms, end: 1 s, control_rate: 1 kHz }\nmethod: { integrator: alpha-os }\n"
        "substructures:\n  tower:\n    kind: assembled\n    nodes: { a: { mass: 20000 } }\n    elements:\n"
        "      - { kind: spring, between: [ground, a.x], stiffness: 3 MN/m }\n"
        "  brace:\n    role: physical\n    dofs: [x]\n    actuators: { x: a1 }\n    estimate: { stiffness: [[1500000]] "
        "}\n"
        "interfaces:\n  - { join: [tower.a.x, brace.x] }\nloads:\n"
        "  - { on: tower.a.x, kind: constant, amplitude: 100 kN, permanent: true }\n"
        "  - { on: tower.a.x, kind: half-sine, amplitude: 20 kN, duration: 50 ms }\n"
        "transfer:\n  a1: {}\nrig:\n  backend: virtual\n  actuators: { a1: { plant: { kind: ideal } } }\n  specimen:\n "
        "   kind: assembled\n"
        "    nodes: { end: { mass: 0 } }\n    elements:\n"
        "      - { kind: spring, between: [ground, end.x], stiffness: 2 MN/m }\n"
        "limits: { displacement: 100 mm }\n"
        "statics:\n  - { gravity: all }\n  - { push: tower.a.x, to: 10 mm, step: 1 mm }\n");
    /* a run keeps that force, too: the weight changes nothing of its motion */
    double peak[2];
    struct program runs;

    for (int k = 0; k < 2; k++) {
        char weight[60];

        snprintf(weight, sizeof weight, "loads.0.amplitude=%s", k ? "100 kN" : "0 N");
        program_run(&runs, "run", scratch_write("held.yaml", text), "-o", scratch_path("held"), "--quiet",
                    "--no-report", "--set", weight);
        assert_int_equal(runs.code, 0);
        if (k)
            assert_non_null(strstr(runs.err, "the force that holds tower.a.x there, -100000 N"));
        program_free(&runs);
        json_t *summary = json_load_file(scratch_path("held/summary.json"), 0, NULL);

        peak[k] = json_number_value(json_object_get(json_object_get(summary, "peaks"), "tower.a.x.u"));
        json_decref(summary);
    }
    assert_true(peak[0] > 1e-4);
    assert_near_relative(peak[1], peak[0], 1e-9);
    p = push(scratch_write("held.yaml", text), NULL, NULL);
    assert_int_equal(p.code, 0);
    assert_near(value(&p, 10, "tower.a.x.u"), 0, 1e-12);
    assert_near(last(&p, "push.factor"), 5e6 * 0.01, 1e-6); /* the force that held it stays */
    drop(&p);
}

static void refusals_say_what_to_do(void **state)
{
    static const struct {
        const char *stage, *words;
    } cases[] = {{"  - { push: portal.tp.x, to: 1 mm }\n", "did you mean"},
                 {"  - { push: portal.top.x }\n", "to"},
                 {"  - { push: portal.top.x, to: 1 mm, stp: 1 }\n", "unknown key 'stp'"},
                 {"  - { push: portal.top.x, to: 1 kN }\n", "kN"},
                 {"  - { push: portal.top.x, to: 1 mm, pattern: even }\n", "uniform, triangle or mode"},
                 {"  - { cycle: portal.top.x, step: 1 mm, protocol: { kind: atc-24, to: 1 mm } }\n", "needs yield"},
                 {"  - { cycle: portal.top.x, step: 1 mm, protocol: { kind: atc24, yield: 1 mm } }\n", "atc-24"},
                 {"  - { wait: 1 s }\n", "gravity, push or cycle"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pushed p = push(portal(COLUMN, BEAM, cases[i].stage), NULL, NULL);
        const json_t *error = json_object_get(p.json, "error");

        assert_int_equal(p.code, 2);
        if (!strstr(json_string_value(json_object_get(error, "message")), cases[i].words))
            fail_msg("%s: %s", cases[i].stage, json_string_value(json_object_get(error, "message")));
        assert_true(of(error, "line") > 20);
        drop(&p);
    }
}

static void weight_that_cannot_be_carried_ends_with_4(void **state)
{
    struct pushed p = push(portal(SOFT_COLUMN, SOFT_BEAM, ""), "--set", "loads.0.amplitude=-60 MN");
    const char *reason = json_string_value(json_object_get(p.json, "reason"));

    if (p.code == 0) { /* the symmetric frame stands: push it aside */
        drop(&p);
        p = push(portal(SOFT_COLUMN, SOFT_BEAM,
                        "  - { push: portal.top.x, to: 3.4 m, step: 1 mm, control: arc, steps: 5 }\n"),
                 NULL, NULL);
        assert_int_equal(p.code, 3);
        reason = json_string_value(json_object_get(p.json, "reason"));
        assert_non_null(strstr(reason, "5 steps are made"));
    } else {
        assert_int_equal(p.code, 4);
        assert_non_null(strstr(reason, "no equilibrium"));
    }
    drop(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pushovers_follow_the_reference),
        cmocka_unit_test(path_of_many_stages_is_that_of_the_file),
        cmocka_unit_test(events_and_periods_are_those_of_the_reference),
        cmocka_unit_test(located_event_is_at_its_kink),
        cmocka_unit_test(push_stops_after_its_drop),
        cmocka_unit_test(idealisations_are_those_of_the_reference),
        cmocka_unit_test(performance_points_are_those_of_the_reference),
        cmocka_unit_test(arc_goes_over_limit_points),
        cmocka_unit_test(displacement_control_gives_the_same_curve),
        cmocka_unit_test(protocols_have_the_cycles_of_their_documents),
        cmocka_unit_test(linear_frame_has_its_reactions_and_end_forces),
        cmocka_unit_test(rows_are_in_equilibrium),
        cmocka_unit_test(floors_can_be_named),
        cmocka_unit_test(specimen_is_held_under_gravity),
        cmocka_unit_test(refusals_say_what_to_do),
        cmocka_unit_test(weight_that_cannot_be_carried_ends_with_4),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
