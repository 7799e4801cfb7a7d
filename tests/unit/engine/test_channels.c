/* The table of channels: what is added there appears wherever channels are shown, and nothing else has to be told. */
#include "engine/channel_families.h"

#include "support/check.h"
#include "support/own_shm.h"
#include "support/planned.h"
#include "support/program.h"
#include "support/recorded.h"
#include "support/scratch.h"

#include <hdf5.h>
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>
#include <yoke/export.h>

/* ---- a family more ---- */

YK_RT static double twice_u(const struct yk_view *v, size_t item)
{
    return 2 * v->u[item];
}

static size_t all_dofs(const struct yk_channels *c)
{
    return c->dof_count;
}

static void of_added(const struct yk_channels *c, size_t item, struct yk_channel_owner *owner)
{
    snprintf(owner->name, sizeof owner->name, "dof%zu", item);
    snprintf(owner->words, sizeof owner->words, "degree of freedom %zu", item);
}

static const struct yk_channel_row added_rows[] = {
    {.name = "twice", .kind = "test", .words = "twice its way", .quantity = YK_LENGTH, .value = twice_u}, {0}};
static const struct yk_channel_family added = {
    .stream = YK_STREAM_SYSTEM, .count = all_dofs, .owner = of_added, .prefix = "added.", .rows = added_rows};

/* Stands in the place of that of the library: its families, and one more. */
const struct yk_channel_family *const yk_channel_families[] = {
#define FAMILY(name) &yk_channels_of_##name,
#include "engine/channels.def"
#undef FAMILY
    &added, NULL};

/* ---- a run with everything that shows channels ---- */

#define SPECIMEN YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml"
#define PACED    YOKE_SOURCE "/examples/paced-split-mass/paced-split-mass.yaml"

static struct yk_model *load_short(const char *path)
{
    struct yk_model *e = NULL;

    assert_ok(yk_model_load(&e, path, (const char *const[]){"time.end=0.4 s"}, 1, &err));
    return e;
}

struct shown {
    char folder[600], file[640];
    struct yk_run_channels channels;
    struct yk_run_result result;
    char *summary;
    struct yk_telemetry_view *view;
    double *row; /* of the telemetry */
};

static void run_shown(struct shown *s, const struct yk_model *e)
{
    const struct yk_recording_info info = {.title = "t", .experiment = "", .experiment_path = "t.yaml", .build = "b"};
    struct yk_run_settings settings = yk_run_defaults();
    struct yk_run_control control = {0};
    struct yk_stream streams[YK_STREAMS];
    struct yk_telemetry_now now;
    struct yk_recorder *recorder;
    char name[64];

    snprintf(name, sizeof name, "channels-%d", (int)getpid());
    snprintf(s->folder, sizeof s->folder, "%s", scratch_path(""));
    snprintf(s->file, sizeof s->file, "%s", scratch_path("run.h5"));
    assert_ok(planned_channels(e, &s->channels, &err));
    const struct yk_stream *system = &s->channels.streams[YK_STREAM_SYSTEM];
    const struct yk_telemetry_info about = {.title = "t", .stream_count = 1, .streams = system};
    assert_ok(yk_telemetry_create(&settings.telemetry, name, &about, &err));
    assert_ok(yk_telemetry_open(&s->view, name, &err));
    assert_ok(yk_recorder_open(&recorder, s->file, &info, streams, yk_run_streams(&s->channels, streams), &err));
    assert_ok(planned_run(e, &settings, recorder, &control, &s->result, &err));
    assert_non_null(s->summary = yk_run_summary(e, &s->channels, &s->result));
    assert_ok(yk_recorder_close(recorder, true, s->summary, &err));
    assert_non_null(s->row = calloc(system->count, sizeof *s->row));
    assert_true(yk_telemetry_read(s->view, &now, NULL, NULL));
    assert_true(yk_telemetry_newest(s->view, 0, s->row));
    yk_telemetry_destroy(settings.telemetry);
}

static void free_shown(struct shown *s)
{
    yk_run_channels_free(&s->channels);
    yk_run_result_free(&s->result);
    yk_telemetry_close(s->view);
    free(s->summary);
    free(s->row);
}

static int index_of(const struct yk_channel *channels, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(channels[i].name, name) == 0)
            return (int)i;
    fail_msg("no channel %s", name);
    return -1;
}

static void a_channel_added_in_one_place_appears_everywhere(void **state)
{
    struct yk_model *e = load_short(SPECIMEN);
    struct shown s = {0};
    struct yk_recording *recording;
    char line[4096];
    double peak = 0;

    run_shown(&s, e);
    /* in the recording, with unit and words, and with its values */
    assert_ok(yk_recording_open(&recording, s.file, &err));
    const size_t width = yk_recording_channels(recording, 0), rows = yk_recording_rows(recording, 0);
    const int at = yk_recording_find(recording, 0, "added.dof1.twice");
    const int u = yk_recording_find(recording, 0, "specimen.x.u");
    assert_true(at > 0 && u > 0);
    const struct yk_channel *c = yk_recording_channel(recording, 0, (size_t)at);
    assert_string_equal(c->unit, "m");
    assert_string_equal(c->kind, "test");
    assert_string_equal(c->owner, "dof1");
    assert_string_equal(c->long_name, "degree of freedom 1, twice its way");
    double *table = malloc(rows * width * sizeof *table);
    assert_non_null(table);
    assert_ok(yk_recording_read(recording, 0, 0, rows, table, &err));
    for (size_t i = 0; i < rows; i++) {
        assert_true(table[i * width + (size_t)at] == 2 * table[i * width + (size_t)u]);
        peak = fmax(peak, fabs(table[i * width + (size_t)at]));
    }
    assert_true(peak > 0);
    /* in the telemetry: the last row */
    const struct yk_telemetry_info *about = yk_telemetry_about(s.view);
    const int posted = index_of(about->streams->channels, about->streams->count, "added.dof1.twice");
    assert_string_equal(about->streams->channels[posted].long_name, c->long_name);
    assert_true(s.row[posted] == table[(rows - 1) * width + (size_t)at]);
    /* in the summary: the peak */
    json_t *summary = json_loads(s.summary, 0, NULL);
    assert_true(json_number_value(json_object_get(json_object_get(summary, "peaks"), "added.dof1.twice")) == peak);
    json_decref(summary);
    /* in the table that is exported */
    assert_ok(yk_export_csv(recording, 0, scratch_path("run.csv"), &err));
    FILE *csv = fopen(scratch_path("run.csv"), "r");
    assert_non_null(csv);
    assert_non_null(fgets(line, sizeof line, csv));
    fclose(csv);
    assert_non_null(strstr(line, ",added.dof1.twice"));
    yk_recording_close(recording);
    free(table);
    /* in the list that `yoke plot --list` prints */
    assert_int_equal(program_code((const char *const[]){YOKE_PROGRAM, "plot", s.folder, "--list", NULL}), 0);
    assert_said("added.dof1.twice");
    assert_said("degree of freedom 1, twice its way [m]");
    free_shown(&s);
    yk_model_close(e);
}

/* ---- what the table says ---- */

static void every_channel_says_what_it_is_and_what_it_belongs_to(void **state)
{
    static const struct {
        const char *name, *unit, *kind, *owner, *words;
    } wanted[] = {
        {"time", "s", "time", "", "time"},
        {"frame.x.u", "m", "displacement", "frame.x", "frame, displacement"},
        {"frame.x.v", "m/s", "velocity", "frame.x", "frame, velocity"},
        {"frame.x.a", "m/s2", "acceleration", "frame.x", "frame, acceleration"},
        {"load.0", "N", "load", "0", "load 0, force"},
        {"a1.target", "m", "target", "a1", "actuator a1, target displacement"},
        {"a1.command", "m", "command", "a1", "actuator a1, command"},
        {"a1.displacement", "m", "measured displacement", "a1", "actuator a1, measured displacement"},
        {"a1.force", "N", "measured force", "a1", "actuator a1, measured force"},
        {"a1.delay", "s", "delay", "a1", "actuator a1, compensated delay"},
        {"energy.kinetic", "J", "energy", "", "kinetic energy"},
        {"energy.error", "J", "energy", "", "error of the energy balance"},
        {"reference.frame.x.u", "m", "reference", "frame.x", "frame, reference displacement"},
    };
    struct yk_model *e = load_short(SPECIMEN);
    struct yk_run_channels channels;

    assert_ok(planned_channels(e, &channels, &err));
    const struct yk_stream *system = &channels.streams[YK_STREAM_SYSTEM];
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const struct yk_channel *c = &system->channels[index_of(system->channels, system->count, wanted[i].name)];

        assert_string_equal(c->unit, wanted[i].unit);
        assert_string_equal(c->kind, wanted[i].kind);
        assert_string_equal(c->owner, wanted[i].owner);
        assert_string_equal(c->long_name, wanted[i].words);
    }
    yk_run_channels_free(&channels);
    yk_model_close(e);
}

static void places_are_named_as_far_as_it_takes_to_tell_them_apart(void **state)
{
    static const char storeys[] =
        "time: { step: 1 ms, end: 0.1 s }\n"
        "method: { integrator: newmark }\n"
        "record: { channels: \"*\" }\n"
        "substructures:\n"
        "  tower:\n"
        "    kind: assembled\n"
        "    nodes: { floor1: { mass: 1 }, top_floor: { mass: 1 } }\n"
        "    elements: [ { kind: spring, between: [ground, floor1.x], stiffness: 1, name: col12 },\n"
        "                { kind: spring, between: [floor1.x, top_floor.x], stiffness: 1 } ]\n";
    static const char turning[] = "time: { step: 1 ms, end: 0.1 s }\n"
                                  "method: { integrator: newmark }\n"
                                  "record: { channels: \"*\" }\n"
                                  "substructures:\n"
                                  "  left: { dofs: [x, rz], mass: [1, 1], stiffness: [[1, 0], [0, 1]] }\n"
                                  "  right: { dofs: [x], mass: [1], stiffness: [[1]] }\n"
                                  "interfaces: [ { join: [left.x, right.x] } ]\n";
    static const struct {
        const char *file, *name, *words, *owner, *what;
    } cases[] = {
        {storeys, "tower.floor1.x.u", "floor 1, displacement", "floor 1", "displacement"},
        {storeys, "tower.top_floor.x.a", "top floor, acceleration", "top floor", "acceleration"},
        {storeys, "tower.col12.force", "element col 12, force", "element col 12", "force"},
        {storeys, "energy.work", "work of the loads", "", "work of the loads"},
        {turning, "left.x.u", "left x, displacement", "left x", "displacement"},
        {turning, "left.rz.u", "left rz, rotation", "left rz", "rotation"},
        {turning, "left.rz.v", "left rz, angular velocity", "left rz", "angular velocity"},
        {turning, "left.rz.r", "left rz, restoring moment", "left rz", "restoring moment"},
        {turning, "right.x.u", "right, displacement", "right", "displacement"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_model *e = NULL;
        struct yk_run_channels channels;
        char owner[YK_LONG_NAME], what[YK_LONG_NAME];

        assert_ok(yk_model_parse(&e, "words.yaml", cases[i].file, strlen(cases[i].file), NULL, 0, &err));
        assert_ok(planned_channels(e, &channels, &err));
        const struct yk_stream *system = &channels.streams[YK_STREAM_SYSTEM];
        const struct yk_channel *c = &system->channels[index_of(system->channels, system->count, cases[i].name)];
        assert_string_equal(yk_channel_words(c), cases[i].words);
        yk_channel_split(c, owner, what);
        assert_string_equal(owner, cases[i].owner);
        assert_string_equal(what, cases[i].what);
        yk_run_channels_free(&channels);
        yk_model_close(e);
    }
    const struct yk_channel bare = {.name = "a.x.u"};
    assert_string_equal(yk_channel_words(&bare), "a.x.u");
}

static void every_stream_begins_with_time_and_no_name_comes_twice(void **state)
{
    struct yk_model *e = load_short(PACED);
    struct yk_run_channels channels;

    assert_ok(planned_channels(e, &channels, &err));
    for (int k = 0; k < YK_STREAMS; k++) {
        const struct yk_stream *s = &channels.streams[k];

        assert_true(s->count > 1);
        assert_string_equal(s->channels[0].name, "time");
        for (size_t i = 0; i < s->count; i++) {
            assert_true(*s->channels[i].name && *s->channels[i].kind && *s->channels[i].long_name);
            for (size_t j = 0; j < i; j++)
                assert_string_not_equal(s->channels[i].name, s->channels[j].name);
        }
    }
    yk_run_channels_free(&channels);
    yk_model_close(e);
}

/* Recordings of earlier versions have names and units only. */
static void a_recording_without_words_is_read(void **state)
{
    static const char *const later[] = {"/system/kinds", "/system/owners", "/system/long_names"};
    struct yk_model *e = load_short(SPECIMEN);
    struct shown s = {0};
    struct yk_recording *recording;

    run_shown(&s, e);
    const hid_t file = H5Fopen(s.file, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    for (size_t i = 0; i < 3; i++)
        assert_true(H5Ldelete(file, later[i], H5P_DEFAULT) >= 0);
    H5Fclose(file);
    assert_ok(yk_recording_open(&recording, s.file, &err));
    const struct yk_channel *c =
        yk_recording_channel(recording, 0, (size_t)yk_recording_find(recording, 0, "a1.force"));
    assert_string_equal(c->unit, "N");
    assert_string_equal(c->long_name, "");
    yk_recording_close(recording);
    assert_int_equal(program_code((const char *const[]){YOKE_PROGRAM, "plot", s.folder, "--list", NULL}), 0);
    assert_said("a1.force ");
    free_shown(&s);
    yk_model_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_channel_added_in_one_place_appears_everywhere, scratch_create,
                                        scratch_remove),
        cmocka_unit_test(every_channel_says_what_it_is_and_what_it_belongs_to),
        cmocka_unit_test(places_are_named_as_far_as_it_takes_to_tell_them_apart),
        cmocka_unit_test(every_stream_begins_with_time_and_no_name_comes_twice),
        cmocka_unit_test_setup_teardown(a_recording_without_words_is_read, scratch_create, scratch_remove),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
