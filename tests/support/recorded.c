#include "support/recorded.h"
#include "support/planned.h"

#include "support/check.h"
#include "support/scratch.h"

#include <math.h>
#include <stdlib.h>

struct yk_model *recorded_parse(const char *text, const char *const *set, size_t count)
{
    struct yk_model *e = NULL;

    assert_ok(yk_model_parse(&e, "recorded.yaml", text, strlen(text), set, count, &err));
    return e;
}

static void read_back(struct recorded *r, const char *path)
{
    static const char *const names[] = {"system", "fine"};
    struct yk_recording *recording;

    assert_ok(yk_recording_open(&recording, path, &err));
    for (int k = 0; k < 2; k++) {
        const int stream = yk_recording_stream(recording, names[k]);

        if (stream < 0)
            continue;
        r->width[k] = yk_recording_channels(recording, stream);
        r->count[k] = yk_recording_rows(recording, stream);
        r->rows[k] = malloc(r->width[k] * (r->count[k] + 1) * sizeof(double));
        assert_non_null(r->rows[k]);
        assert_ok(yk_recording_read(recording, stream, 0, r->count[k], r->rows[k], &err));
    }
    yk_recording_close(recording);
}

void recorded_run(struct recorded *r, const struct yk_model *e, const struct yk_run_settings *settings,
                  struct yk_run_control *control)
{
    static const struct yk_recording_info info = {.title = "test",
                                                  .experiment = "",
                                                  .experiment_path = "recorded.yaml",
                                                  .overrides = "",
                                                  .build = "build",
                                                  .method = "method"};
    struct yk_run_control own = {0};
    struct yk_run_channels channels;
    struct yk_recorder *recorder;
    char path[600];

    *r = (struct recorded){0};
    snprintf(path, sizeof path, "%s", scratch_path("recorded.h5"));
    assert_ok(planned_channels(e, &channels, &err));
    struct yk_stream streams[YK_STREAMS];
    const size_t stream_count = yk_run_streams(&channels, streams);
    assert_ok(yk_recorder_open(&recorder, path, &info, streams, stream_count, &err));
    r->status = planned_run(e, settings, recorder, control ? control : &own, &r->result, &r->err);
    r->dropped = yk_recorder_dropped(recorder, 0);
    assert_ok(yk_recorder_close(recorder, true, "{}", &err));
    yk_run_channels_free(&channels);
    if (!r->status)
        read_back(r, path);
}

double recorded_last(const struct recorded *r, const struct yk_model *e, const char *channel)
{
    struct yk_run_channels channels;
    double value = NAN;

    assert_ok(planned_channels(e, &channels, &err));
    const struct yk_stream *rows = &channels.streams[YK_STREAM_SYSTEM];

    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(rows->channels[i].name, channel) == 0)
            value = r->rows[0][(r->count[0] - 1) * r->width[0] + i];
    yk_run_channels_free(&channels);
    return value;
}

void recorded_free(struct recorded *r)
{
    yk_run_result_free(&r->result);
    free(r->rows[0]);
    free(r->rows[1]);
}

void recorded_assert_same(const struct recorded *a, const struct recorded *b, const char *what)
{
    for (int k = 0; k < 2; k++) {
        if (a->count[k] != b->count[k] || a->width[k] != b->width[k] ||
            (a->count[k] && memcmp(a->rows[k], b->rows[k], a->count[k] * a->width[k] * sizeof(double)) != 0)) {
            print_error("%s: stream %d differs (%zu and %zu rows)\n", what, k, a->count[k], b->count[k]);
            fail();
        }
    }
}

void check_refused_settings(const char *text, const struct refused_setting *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct yk_model *e = NULL;
        struct yk_err err = {0};
        const enum yk_status st = yk_model_parse(&e, "rig.yaml", text, strlen(text), &cases[i].set, 1, &err);

        if (!st || !strstr(yk_err_line(&err).text, cases[i].words))
            print_error("%s: '%s', wanted '%s'\n", cases[i].set, yk_err_line(&err).text, cases[i].words);
        assert_true(st != YK_OK);
        assert_non_null(strstr(yk_err_line(&err).text, cases[i].words));
        yk_model_close(e);
    }
}
