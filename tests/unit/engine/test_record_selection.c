/* The section `record`: the channels it names are recorded and no others, as often as it says, with the very bits of a
 * recording of everything; elements and sums are what mechanics says they are. */
#include "support/check.h"
#include "support/own_shm.h"
#include "support/planned.h"
#include "support/program.h"
#include "support/scratch.h"

#include "engine/engine.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- a run with all its rows ---- */

struct table {
    size_t rows, width;
    double *x;
    struct yk_channel *channels;
};
struct outcome {
    struct table streams[YK_STREAMS];
    struct yk_run_channels channels;
    struct yk_run_result result;
};

static void read_stream(struct yk_recording *recording, const char *name, struct table *t)
{
    const int stream = yk_recording_stream(recording, name);

    if (stream < 0)
        return;
    t->rows = yk_recording_rows(recording, stream);
    t->width = yk_recording_channels(recording, stream);
    t->x = malloc((t->rows * t->width + 1) * sizeof *t->x);
    t->channels = calloc(t->width, sizeof *t->channels);
    assert_true(t->x && t->channels);
    assert_ok(yk_recording_read(recording, stream, 0, t->rows, t->x, &err));
    for (size_t i = 0; i < t->width; i++)
        t->channels[i] = *yk_recording_channel(recording, stream, i);
}

static void run_experiment(const struct yk_model *e, struct yk_telemetry *telemetry, struct outcome *o)
{
    const struct yk_recording_info info = {.title = "t", .experiment = "", .experiment_path = "t.yaml", .build = "b"};
    struct yk_run_settings settings = yk_run_defaults();
    struct yk_run_control control = {0};
    struct yk_stream streams[YK_STREAMS];
    struct yk_recorder *recorder;
    struct yk_recording *recording;
    char path[640];

    settings.telemetry = telemetry;
    snprintf(path, sizeof path, "%s", scratch_path("run.h5"));
    if (!o->channels.streams[0].count)
        assert_ok(planned_channels(e, &o->channels, &err));
    assert_ok(yk_recorder_open(&recorder, path, &info, streams, yk_run_streams(&o->channels, streams), &err));
    assert_ok(planned_run(e, &settings, recorder, &control, &o->result, &err));
    assert_ok(yk_recorder_close(recorder, true, "{}", &err));
    assert_ok(yk_recording_open(&recording, path, &err));
    read_stream(recording, "system", &o->streams[YK_STREAM_SYSTEM]);
    read_stream(recording, "fine", &o->streams[YK_STREAM_FINE]);
    read_stream(recording, "ticks", &o->streams[YK_STREAM_TICKS]);
    yk_recording_close(recording);
}

/* The text, with the section `record` behind it. */
static struct yk_model *parse(const char *text, const char *record, const char *set)
{
    struct yk_model *e = NULL;
    char *whole = NULL;

    assert_true(asprintf(&whole, "%s%s", text, record) > 0);
    assert_ok(yk_model_load(&e, scratch_write("t.yaml", whole), &set, set ? 1 : 0, &err));
    free(whole);
    return e;
}

static void run_text(const char *text, const char *record, const char *set, struct outcome *o)
{
    struct yk_model *e = parse(text, record, set);

    *o = (struct outcome){0};
    run_experiment(e, NULL, o);
    yk_model_close(e);
}

static void free_outcome(struct outcome *o)
{
    for (int k = 0; k < YK_STREAMS; k++) {
        free(o->streams[k].x);
        free(o->streams[k].channels);
    }
    yk_run_channels_free(&o->channels);
    yk_run_result_free(&o->result);
}

/* Column of a channel, or -1. */
static long column(const struct table *t, const char *name)
{
    for (size_t i = 0; i < t->width; i++)
        if (strcmp(t->channels[i].name, name) == 0)
            return (long)i;
    return -1;
}

static double value(const struct table *t, size_t row, const char *name)
{
    const long i = column(t, name);

    if (i < 0)
        fail_msg("no channel %s", name);
    return t->x[row * t->width + (size_t)i];
}

/* Every recorded value is that of the complete recording, bit by bit. */
static void assert_part_of(const struct table *part, const struct table *whole, size_t every, const char *what)
{
    assert_int_equal(part->rows, (whole->rows + every - 1) / every);
    for (size_t i = 0; i < part->width; i++) {
        const long from = column(whole, part->channels[i].name);

        if (from < 0)
            fail_msg("%s: %s is not in the complete recording", what, part->channels[i].name);
        for (size_t k = 0; k < part->rows; k++)
            if (memcmp(&part->x[k * part->width + i], &whole->x[k * every * whole->width + (size_t)from],
                       sizeof(double)) != 0)
                fail_msg("%s: %s differs in row %zu", what, part->channels[i].name, k);
    }
}

/* ---- structures ---- */

#define ISOLATED                                                                                                       \
    "time: { step: 2 ms, end: 2 s }\n"                                                                                 \
    "method: { integrator: lsrt2 }\n"                                                                                  \
    "substructures:\n"                                                                                                 \
    "  building:\n"                                                                                                    \
    "    kind: assembled\n"                                                                                            \
    "    nodes: { base: { mass: 30 t }, floor1: { mass: 24 t }, floor2: { mass: 20 t } }\n"                            \
    "    elements:\n"                                                                                                  \
    "      - { kind: bouc-wen, name: isolator, between: [ground, base.x], kh: 640 kN/m, k0: 6 MN/m, beta: 60,"         \
    " gamma: 60 }\n"                                                                                                   \
    "      - { kind: spring, between: [base.x, floor1.x], stiffness: 40 MN/m }\n"                                      \
    "      - { kind: spring, between: [floor1.x, floor2.x], stiffness: 30 MN/m }\n"                                    \
    "      - { kind: damper, name: damper, between: [floor1.x, floor2.x], damping: 90 kN s/m }\n"                      \
    "loads: [ { ground: building, kind: earthquake, peak: 0.4 g, rise: 0.2 s, strong: 1 s, decay: 0.3 s, seed: 3 } "   \
    "]\n"

#define TORN(b, more)                                                                                                  \
    "time: {step: 4 ms, substeps: 2, end: 0.4, control_rate: 2000 Hz}\n"                                               \
    "method: {coupling: gc}\n"                                                                                         \
    "substructures:\n"                                                                                                 \
    "  A: {kind: assembled, nodes: {n: {mass: 2}, m: {mass: 1}}, rate: coarse,\n"                                      \
    "      elements: [{kind: bouc-wen, between: [ground, n.x], kh: 100, k0: 200, beta: 60, gamma: 60},\n"              \
    "                 {kind: spring, between: [n.x, m.x], stiffness: 100},\n"                                          \
    "                 {kind: damper, between: [n.x, m.x], damping: 9}]}\n" b "interfaces: [{join: [A.m.x, B.x]}]\n"    \
    "loads: [{on: A.n.x, kind: sine, amplitude: 2 N, frequency: 1.5 Hz}]\n" more
#define MODELS                                                                                                         \
    TORN("  B: {dofs: [x], rate: fine, mass: [1], damping: [9], stiffness: [50]}\n", "reference: monolithic\n")
#define SPECIMEN                                                                                                       \
    TORN("  B: {role: physical, dofs: [x], rate: fine, actuators: {x: a1}, estimate: {mass: [1], stiffness: [50]}}\n", \
         "transfer: {a1: {compensator: {kind: lagrange, order: 2, delay: 1 ms}}}\n"                                    \
         "rig: {backend: virtual, actuators: {a1: {plant: {kind: delay, delay: 1 ms}, sensors: {force_noise: 1 mN}}}," \
         "\n      specimen: {dofs: [x], mass: [0], stiffness: [50]}}\n"                                                \
         "limits: {displacement: 10, force: 1e6}\n")

/* ---- the bits ---- */

static const char few[] = "record:\n"
                          "  channels: [\"*.u\", \"lambda.*\", \"*.force\", energy.work, \"!A.m.x.u\"]\n"
                          "  every: 3\n"
                          "  fine: { channels: \"*.v\", every: 5 }\n";
static const char few_ticks[] = "  ticks: { channels: [\"*.force\", state], every: 4 }\n";
static const char sums[] = "  derived: { gap: A.m.x.u - B.x.u, shear: A.*.r }\n";

static void compare_case(const char *text, bool ticks, const char *method)
{
    struct outcome whole, part;
    char record[600];

    snprintf(record, sizeof record, "%s%s%s", few, ticks ? few_ticks : "", sums);
    run_text(text, "", method, &whole);
    run_text(text, record, method, &part);
    /* sums and elements are not in a recording that nobody asked for them: checked below */
    struct table *s = &part.streams[YK_STREAM_SYSTEM];
    const size_t width = s->width;
    assert_int_equal(column(s, "gap"), (long)width - 2);
    assert_int_equal(column(&whole.streams[YK_STREAM_SYSTEM], "A.elements.0.force"), -1);
    for (size_t i = 0; i < s->rows; i++)
        assert_true(value(s, i, "gap") == value(&whole.streams[0], 3 * i, "A.m.x.u") - value(s, i, "B.x.u"));
    assert_int_equal(column(s, "A.m.x.u"), -1);
    assert_int_equal(column(s, "A.n.x.v"), -1);
    assert_true(column(s, "lambda.0") > 0);
    struct outcome all;
    snprintf(record, sizeof record, "record: { channels: \"*\", fine: { channels: \"*\" }%s }\n",
             ticks ? ", ticks: { channels: \"*\" }" : "");
    run_text(text, record, method, &all);
    s->width -= 2; /* the sums */
    for (size_t i = 0; i < s->rows; i++)
        memmove(s->x + i * s->width, s->x + i * width, s->width * sizeof *s->x);
    assert_part_of(s, &all.streams[0], 3, method);
    assert_part_of(&part.streams[1], &all.streams[1], 5, method);
    assert_int_equal(part.streams[1].width, 2);
    if (ticks) {
        assert_part_of(&part.streams[2], &all.streams[2], 4, method);
        assert_int_equal(part.streams[2].width, 3);
    }
    for (int k = 0; k < YK_STREAMS; k++) /* and the looks at elements change nothing */
        if (whole.streams[k].rows)
            assert_part_of(&whole.streams[k], &all.streams[k], 1, method);
    free_outcome(&whole);
    free_outcome(&part);
    free_outcome(&all);
}

static void what_is_recorded_has_the_bits_of_a_complete_recording_under_every_coupling(void **state)
{
    int models = 0, specimens = 0;

    for (const struct yk_coupling_ops *const *ops = yk_couplings; *ops; ops++) {
        const bool efc = (*ops)->caps & YK_COUPLING_SPECIMENS;
        char method[160];
        struct yk_model *e = NULL;
        struct yk_err err;

        snprintf(method, sizeof method, "method={coupling: %s%s, stability: warn}", (*ops)->name,
                 efc ? ", Kp: 0, Ki: 2, correction: displacement" : "");
        for (int with = 0; with < 2; with++) {
            const char *text = with ? SPECIMEN : MODELS;
            struct yk_state m;

            if ((*ops)->caps & YK_COUPLING_NO_SUBSTEPS)
                continue; /* others stand for them */
            if (yk_model_parse(&e, "t.yaml", text, strlen(text), (const char *const[]){method}, 1, &err))
                continue;
            if (!yk_state_open(&m, e, 0, &err)) {
                yk_state_close(&m);
                compare_case(text, with, method);
                models += !with;
                specimens += with;
            }
            yk_model_close(e);
        }
    }
    print_message("%d couplings of models, %d with a specimen\n", models, specimens);
    assert_true(models >= 10 && specimens >= 10);
}

static void and_with_reduced_models(void **state)
{
#define WALL_HEAD "time: { step: 1 ms, end: 0.2 s }\nmethod: { integrator: newmark }\nsubstructures:\n"
    static const char full[] = WALL_HEAD
        "  wall: { dofs: { count: 6, prefix: d }, mass: [2, 2, 2, 2, 2, 2], stiffness: [[20, -10, 0, 0, 0, 0],"
        " [-10, 20, -10, 0, 0, 0], [0, -10, 20, -10, 0, 0], [0, 0, -10, 20, -10, 0], [0, 0, 0, -10, 20, -10],"
        " [0, 0, 0, 0, -10, 10]] }\n"
        "loads: [ { on: wall.d6, kind: sine, amplitude: 2 N, frequency: 3 Hz } ]\n";
    static const char reduced[] = WALL_HEAD "  wall: { kind: reduced, file: out/wall.h5 }\n"
                                            "loads: [ { on: wall.d6, kind: sine, amplitude: 2 N, frequency: 3 Hz } ]\n"
                                            "reference: monolithic\n";
    struct outcome whole, part, all;
    char out[640];
    struct program p;

    snprintf(out, sizeof out, "%s", scratch_path("out"));
    program_run(&p, "reduce", scratch_write("wall.yaml", full), "--interface", "d6", "--modes", "2", "-o", out);
    if (p.code)
        print_error("%s\n", p.err);
    assert_int_equal(p.code, 0);
    program_free(&p);
    run_text(reduced, "", NULL, &whole);
    run_text(reduced, "record: { channels: [wall.d6.u, \"*.r\", \"reference.*\"], every: 7 }\n", NULL, &part);
    run_text(reduced, "record: { channels: \"*\" }\n", NULL, &all);
    assert_part_of(&part.streams[0], &all.streams[0], 7, "reduced");
    assert_part_of(&whole.streams[0], &all.streams[0], 1, "reduced");
    assert_int_equal(part.streams[0].width, 1 + 1 + 3 + 3); /* an interface and two modes */
    free_outcome(&whole);
    free_outcome(&part);
    free_outcome(&all);
}

static void telemetry_and_summary_have_the_chosen_channels_of_every_step(void **state)
{
    struct yk_model *e = parse(ISOLATED, "record: { channels: [\"*.u\"], every: 7 }\n", NULL);
    struct outcome o = {0}, whole;
    struct yk_telemetry *telemetry;
    struct yk_telemetry_view *view;
    struct yk_telemetry_now now;
    double row[8], peak = 0;
    char name[64];

    own_shm();
    snprintf(name, sizeof name, "selection-%d", (int)getpid());
    assert_ok(planned_channels(e, &o.channels, &err));
    const struct yk_stream *system = &o.channels.streams[YK_STREAM_SYSTEM];
    const struct yk_telemetry_info info = {.title = "t", .stream_count = 1, .streams = system};
    assert_int_equal(system->count, 4);
    assert_ok(yk_telemetry_create(&telemetry, name, &info, &err));
    assert_ok(yk_telemetry_open(&view, name, &err));
    run_experiment(e, telemetry, &o);
    run_text(ISOLATED, "", NULL, &whole);
    const struct table *w = &whole.streams[0];
    assert_true(yk_telemetry_read(view, &now, NULL, NULL));
    assert_true(yk_telemetry_newest(view, 0, row));
    assert_int_equal(now.step, 1000);
    assert_int_equal(o.streams[0].rows, 143); /* 0, 7, ..., 994 */
    assert_true(row[1] == value(w, 1000, "building.base.x.u"));
    for (size_t i = 0; i < w->rows; i++)
        peak = fmax(peak, fabs(value(w, i, "building.floor2.x.u")));
    char *summary = yk_run_summary(e, &o.channels, &o.result);
    json_t *json = json_loads(summary, 0, NULL), *peaks = json_object_get(json, "peaks");
    assert_int_equal(json_object_size(peaks), 3);
    assert_true(json_number_value(json_object_get(peaks, "building.floor2.x.u")) == peak);
    json_t *recorded = json_object_get(json, "recorded");
    assert_int_equal(json_integer_value(json_object_get(recorded, "channels")), 4);
    assert_int_equal(json_integer_value(json_object_get(recorded, "of")), 1 + 9 + 1 + 5);
    assert_int_equal(json_integer_value(json_object_get(recorded, "every")), 7);
    json_decref(json);
    free(summary);
    yk_telemetry_close(view);
    yk_telemetry_destroy(telemetry);
    free_outcome(&o);
    free_outcome(&whole);
    yk_model_close(e);
}

/* ---- elements and sums are what mechanics says ---- */

static void elements_obey_their_laws_and_forces_are_in_equilibrium(void **state)
{
    static const double mass[] = {30e3, 24e3, 20e3};
    static const char *const nodes[] = {"base", "floor1", "floor2"};
    struct outcome o;
    double worst = 0, largest = 0, work = 0;

    run_text(ISOLATED,
             "record: { channels: \"*\", derived: { base_shear: building.*.r, drift: building.floor1.x.u - "
             "building.base.x.u, spring: 40e6*building.floor1.x.u - 40e6*building.base.x.u } }\n",
             "method={integrator: newmark-newton}", &o);
    const struct table *t = &o.streams[0];
    for (size_t i = 0; i < t->rows; i++) {
        const double u1 = value(t, i, "building.floor1.x.u"), u2 = value(t, i, "building.floor2.x.u");
        const double d = u1 - value(t, i, "building.base.x.u"), d2 = u2 - u1;
        const double w2 = value(t, i, "building.floor2.x.v") - value(t, i, "building.floor1.x.v");
        const double shear = value(t, i, "base_shear");
        double inertia = 0;

        /* springs and dampers: f = k d, f = c w; the work on a spring is k d^2/2, since it starts at rest */
        assert_true(value(t, i, "building.elements.1.deformation") == d);
        assert_true(value(t, i, "drift") == d);
        assert_near(value(t, i, "building.elements.1.force"), 40e6 * d, 1e-9);
        assert_near(value(t, i, "spring"), 40e6 * d, 1e-6);
        assert_near(value(t, i, "building.elements.1.energy"), 20e6 * d * d, 1e-6);
        assert_near(value(t, i, "building.elements.2.force"), 30e6 * d2, 1e-9);
        assert_near(value(t, i, "building.damper.force"), 90e3 * w2, 1e-9);
        /* between the masses, forces cancel: what is left is what the ground feels, the force of the isolator */
        assert_near(shear, value(t, i, "building.isolator.force"), 1e-6);
        assert_near(value(t, i, "building.floor2.x.r"), 30e6 * d2 + 90e3 * w2, 1e-6);
        /* Newton: sum m (a + a_g) = -base shear */
        for (int k = 0; k < 3; k++) {
            char name[64];

            snprintf(name, sizeof name, "building.%s.x.a", nodes[k]);
            inertia += mass[k] * (value(t, i, name) + value(t, i, "load.0"));
        }
        worst = fmax(worst, fabs(inertia + shear));
        largest = fmax(largest, fabs(shear));
        work = value(t, i, "building.isolator.energy") + value(t, i, "building.damper.energy");
    }
    assert_true(largest > 50e3); /* it yields */
    print_message("sum m (a + a_g) + base shear: %.2g N of %.3g N\n", worst, largest);
    assert_true(worst < 1e-6 * largest);
    /* isolator and damper dissipate all that is dissipated */
    const size_t last = t->rows - 1;
    assert_near_relative(work, value(t, last, "energy.dissipated"), 2e-3);
    /* units and words */
    assert_string_equal(t->channels[column(t, "base_shear")].unit, "N");
    assert_string_equal(t->channels[column(t, "drift")].unit, "m");
    assert_string_equal(t->channels[column(t, "building.isolator.energy")].unit, "J");
    assert_string_equal(t->channels[column(t, "building.isolator.force")].long_name, "element isolator, force");
    assert_string_equal(t->channels[column(t, "building.elements.1.force")].long_name, "element 1, force");
    free_outcome(&o);
}

/* Two bars in the plane, 3 m to either side and 4 m high: N = EA/L e u, and all together are the restoring force, which
 * comes from the stiffness matrix. A third one lies beside the second, whose name is taken then. */
static void members_of_frames_have_an_axial_force(void **state)
{
    static const char frame[] =
        "time: { step: 1 ms, end: 0.2 s }\n"
        "method: { integrator: newmark }\n"
        "substructures:\n"
        "  f:\n"
        "    kind: frame\n"
        "    sections: { s: { E: 2 GPa, A: 1e-3 m2, density: 10 kg/m3 } }\n"
        "    nodes: { a: { at: [-3, 0], fixed: all }, b: { at: [3, 0], fixed: all }, c: { at: [0, 4], mass: 5 } }\n"
        "    members: [ { between: [a, c], section: s, theory: truss, name: left },\n"
        "               { between: [b, c], section: s, theory: truss }, { between: [b, c], section: s, theory: truss } "
        "]\n"
        "loads: [ { on: f.c.x, kind: sine, amplitude: 2 kN, frequency: 3 Hz },\n"
        "         { on: f.c.y, kind: sine, amplitude: 5 kN, frequency: 4 Hz } ]\n";
    struct outcome o;
    double largest = 0;

    run_text(frame, "record: { channels: \"*\" }\n", NULL, &o);
    const struct table *t = &o.streams[0];
    for (size_t i = 0; i < t->rows; i++) {
        const double u = value(t, i, "f.c.x.u"), v = value(t, i, "f.c.y.u");
        const double left = value(t, i, "f.left.force"), right = value(t, i, "f.b-c.force");

        assert_near(value(t, i, "f.left.deformation"), 0.6 * u + 0.8 * v, 1e-15);
        assert_near(left, 2e9 * 1e-3 / 5 * (0.6 * u + 0.8 * v), 1e-9);
        assert_near(right, 2e9 * 1e-3 / 5 * (-0.6 * u + 0.8 * v), 1e-9);
        assert_true(value(t, i, "f.members.2.force") == right);
        assert_near(value(t, i, "f.c.x.r"), 0.6 * left - 2 * 0.6 * right, 1e-8);
        assert_near(value(t, i, "f.c.y.r"), 0.8 * left + 2 * 0.8 * right, 1e-8);
        largest = fmax(largest, fabs(left));
    }
    assert_true(largest > 100);
    assert_string_equal(t->channels[column(t, "f.left.force")].long_name, "member left, force");
    free_outcome(&o);
}

/* ---- how much ---- */

static void a_stream_of_which_nothing_is_chosen_is_left_out(void **state)
{
    struct outcome o;

    run_text(SPECIMEN, "record: { fine: { channels: [] }, ticks: { every: 2 } }\n", NULL, &o);
    assert_int_equal(o.streams[YK_STREAM_FINE].rows, 0);
    assert_true(o.streams[YK_STREAM_TICKS].rows > 100);
    assert_int_equal(o.streams[YK_STREAM_TICKS].width, 2 + 4);
    free_outcome(&o);
    run_text(MODELS, "record: { channels: [] }\n", NULL, &o);
    assert_int_equal(o.streams[YK_STREAM_SYSTEM].width, 1); /* time is always there */
    free_outcome(&o);
}

static void too_many_channels_leave_interfaces_specimens_and_loads(void **state)
{
    static char large[20000];
    char ones[2 * 1200 + 1] = "";
    struct outcome o;
    struct program p;

    for (int i = 0; i < 1200; i++)
        strcpy(ones + 2 * i, i < 1199 ? "1," : "1");
    snprintf(large, sizeof large,
             "time: { step: 1 ms, end: 20 ms }\n"
             "method: { integrator: central-difference }\n"
             "substructures:\n"
             "  bar: { dofs: { count: 1200, prefix: d }, mass: [%s], stiffness: [%s] }\n"
             "  end: { dofs: [x], mass: [1], stiffness: [1] }\n"
             "interfaces: [ { join: [bar.d7, end.x] } ]\n"
             "loads: [ { on: bar.d9, kind: sine, amplitude: 1 N, frequency: 1 Hz } ]\n",
             ones, ones);
    run_text(large, "", NULL, &o);
    assert_true(o.channels.few);
    assert_int_equal(o.channels.known[0], 1 + 3 * 1201 + 1 + 5);
    assert_int_equal(o.streams[0].width, 1 + 3 * 3 + 1 + 5);
    assert_true(column(&o.streams[0], "bar.d7.u") > 0 && column(&o.streams[0], "end.x.a") > 0);
    assert_true(column(&o.streams[0], "bar.d9.v") > 0 && column(&o.streams[0], "load.0") > 0);
    assert_int_equal(column(&o.streams[0], "bar.d8.u"), -1);
    free_outcome(&o);
    run_text(large, "record: { channels: \"*.u\" }\n", NULL, &o);
    assert_false(o.channels.few);
    assert_int_equal(o.streams[0].width, 1 + 1201);
    free_outcome(&o);
    /* and the run says so */
    program_run(&p, "run", scratch_write("large.yaml", large), "-q", "-o", scratch_path("large"));
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.out, "recorded: 16 of 3610 channels, those of interfaces, specimens and loads"));
    program_free(&p);
}

static void check_lists_all_channels_and_marks_what_is_recorded(void **state)
{
    struct program p;
    char text[4000];

    snprintf(text, sizeof text, "%s%s", ISOLATED, "record: { channels: [\"building.isolator.*\"] }\n");
    program_run(&p, "check", scratch_write("t.yaml", text), "--channels");
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.out, "system: 4 of 31 channels are recorded (x)\n"));
    assert_non_null(strstr(p.out, "  x building.isolator.force "));
    assert_non_null(strstr(p.out, "    building.base.x.u "));
    program_free(&p);
}

/* ---- refusals ---- */

static void what_makes_no_sense_is_refused_at_its_place(void **state)
{
    static const struct {
        const char *record, *words;
    } cases[] = {
        {"record:\n  channels: [building.base.x.w]\n",
         ":14:14: no channel of the system steps matches 'building.base.x.w'; did you mean 'building.base.x."},
        {"record:\n  channels: [\"*.u\", \"bridge.*\"]\n",
         ":14:22: no channel of the system steps matches 'bridge.*'; `yoke check FILE --channels` lists them"},
        {"record:\n  channels: \"!\"\n", ":14:14: an empty pattern"},
        {"record:\n  channels: { a: b }\n", ":14:3: a list of patterns is expected for channels, but this is a map"},
        {"record:\n  every: 0\n", ":14:10: every = 0"},
        {"record:\n  rate: 3\n", ":14:3: unknown key 'rate' in record"},
        {"record:\n  fine: { every: 2 }\n", ":14:3: record.fine is for coupled runs, which have fine steps"},
        {"record:\n  ticks: { every: 2 }\n", ":14:3: record.ticks is for runs with specimens"},
        {"record:\n  derived: { x: building.base.x.u - building.bse.x.u }\n",
         ":14:17: x: no channel of the system steps matches 'building.bse.x.u'; did you mean 'building.base.x.u'?"},
        {"record:\n  derived: { x: building.base.x.u - building.base.x.v }\n", ":14:17: x adds 'm' and 'm/s'"},
        {"record:\n  derived: { x: building.base.x.u building.base.x.v }\n", ":14:17: x: a sign between blanks"},
        {"record:\n  derived: { x: building.base.x.u - }\n", "ends where a channel is expected"},
        {"record:\n  derived: { x: building.base.x.u - - a }\n", "two signs follow each other"},
        {"record:\n  derived: { x: 3*  }\n", "x: a channel is missing after '3*'"},
        {"record:\n  derived: { x: 1e999*building.base.x.u }\n",
         "x: the factor of '1e999*building.base.x.u' is too large"},
        {"record:\n  derived: { \"x y\": building.base.x.u }\n", "'x y' cannot be a name"},
        {"record:\n  derived: { x: { sum: building.base.x.u, units: m } }\n", "unknown key 'units' in x"},
        {"record:\n  derived: { time: building.base.x.u }\n", "there is a channel 'time' already"},
    };

    int wrong = 0;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = NULL;
        struct program p;

        assert_true(asprintf(&text, "%s%s", ISOLATED, cases[i].record) > 0);
        const char *file = scratch_write("t.yaml", text);
        program_run(&p, "run", file, "-q", "-o", scratch_path("refused"));
        if (p.code != 2 || !strstr(p.err, cases[i].words)) {
            print_error("%s: code %d, %s; wanted %s\n", cases[i].record, p.code, p.err, cases[i].words);
            wrong++;
        }
        program_free(&p);
        assert_int_equal(access(scratch_path("refused"), F_OK), -1); /* nothing was begun */
        free(text);
    }
    assert_int_equal(wrong, 0);
    struct yk_model *e = NULL;
    static const char twice[] = "time: { step: 1, end: 2 }\nmethod: { integrator: newmark }\nsubstructures:\n  a:\n"
                                "    kind: assembled\n    nodes: { n: { mass: 1 } }\n    elements:\n"
                                "      - { kind: spring, name: s, between: [ground, n.x], stiffness: 1 }\n"
                                "      - { kind: spring, name: s, between: [ground, n.x], stiffness: 1 }\n";
    assert_refused(yk_model_parse(&e, "t.yaml", twice, strlen(twice), NULL, 0, &err), YK_E_INPUT,
                   "t.yaml:9:31: two elements are called 's'");
}

/* Terms of different units need the unit of the sum. */
static void a_sum_of_different_units_says_its_own(void **state)
{
    struct outcome o;

    run_text(ISOLATED, "record: { derived: { x: { sum: building.base.x.u + 0.25*building.base.x.v, unit: m } } }\n",
             NULL, &o);
    const struct table *t = &o.streams[0];
    assert_string_equal(t->channels[column(t, "x")].unit, "m");
    for (size_t i = 0; i < t->rows; i++)
        assert_true(value(t, i, "x") == value(t, i, "building.base.x.u") + 0.25 * value(t, i, "building.base.x.v"));
    free_outcome(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_recorded_has_the_bits_of_a_complete_recording_under_every_coupling),
        cmocka_unit_test(and_with_reduced_models),
        cmocka_unit_test(telemetry_and_summary_have_the_chosen_channels_of_every_step),
        cmocka_unit_test(elements_obey_their_laws_and_forces_are_in_equilibrium),
        cmocka_unit_test(members_of_frames_have_an_axial_force),
        cmocka_unit_test(a_stream_of_which_nothing_is_chosen_is_left_out),
        cmocka_unit_test(too_many_channels_leave_interfaces_specimens_and_loads),
        cmocka_unit_test(check_lists_all_channels_and_marks_what_is_recorded),
        cmocka_unit_test(what_makes_no_sense_is_refused_at_its_place),
        cmocka_unit_test(a_sum_of_different_units_says_its_own),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
