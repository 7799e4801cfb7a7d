/* Runs for other programs: a whole one, recorded; and one that is made step by step. */
#include "engine/samples.h"

#include <stdlib.h>
#include <string.h>

/* ---- a whole run ---- */

enum yk_status yk_run_recorded(const struct yk_plan *plan, const char *path, const struct yk_run_channels *channels,
                               struct yk_run_result *result, struct yk_err *err)
{
    const struct yk_run_settings settings = yk_run_defaults();
    struct yk_run_control control = {0};

    return yk_run_recorded_so(plan, &settings, &control, NULL, path, channels, result, err);
}

enum yk_status yk_run_recorded_so(const struct yk_plan *plan, const struct yk_run_settings *settings,
                                  struct yk_run_control *control, const struct yk_provenance *provenance,
                                  const char *path, const struct yk_run_channels *channels,
                                  struct yk_run_result *result, struct yk_err *err)
{
    const struct yk_experiment *e = yk_plan_experiment(plan);
    struct yk_recorder *recorder = NULL;
    struct yk_stream streams[YK_STREAMS];
    char *method = yk_method_text(e), *description = path ? yk_run_description(e) : NULL, *summary;
    const struct yk_recording_info info = yk_run_info(e, method, description, provenance);
    enum yk_status st = method && (description || !path) ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory"), closed;

    *result = (struct yk_run_result){0};
    if (!st && path)
        st = yk_recorder_open(&recorder, path, &info, streams, yk_run_streams(channels, streams), err);
    if (!st)
        st = yk_run(plan, settings, recorder, control, result, err);
    result->provenance = provenance;
    if (recorder) {
        summary = st ? NULL : yk_run_summary(e, channels, result, 0);
        closed = yk_recorder_close(recorder, result->finished, summary ? summary : "{}", st ? NULL : err);
        st = st ? st : closed;
        free(summary);
    }
    free(description);
    free(method);
    return st;
}

static enum yk_status refuse_real_rig(const struct yk_plan *plan, struct yk_err *err)
{
    const struct yk_experiment *e = yk_plan_experiment(plan);
    void *self;

    if (!e->station || yk_station_rig(e->station, &self)->can & YK_RIG_SIMULATES)
        return YK_OK;
    return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(e->path),
                      "a program runs models and the virtual rig only; `yoke run` moves rigs outside this process");
}

enum yk_status yk_plan_run(const struct yk_plan *plan, const char *recording, char **summary, struct yk_err *err)
{
    struct yk_run_channels channels;
    struct yk_run_result result = {0};
    enum yk_status st;

    if (summary)
        *summary = NULL;
    if ((st = refuse_real_rig(plan, err)) || (st = yk_run_channels(plan, &channels, err)))
        return st;
    st = yk_run_recorded(plan, recording, &channels, &result, err);
    if (!st && summary && !(*summary = yk_run_summary(yk_plan_experiment(plan), &channels, &result, 0)))
        st = yk_fail(err, YK_E_MEMORY, "out of memory for the summary");
    if (!st && result.status)
        st = yk_fail(err, result.status, "%s", result.reason);
    yk_run_result_free(&result);
    yk_run_channels_free(&channels);
    return st;
}

/* ---- step by step ---- */

struct yk_session {
    const struct yk_plan *plan;
    struct yk_motion motion;
    struct yk_reference reference;
    struct yk_run_result result;
    struct yk_samples samples;
    struct yk_run_channels channels;
};

enum yk_status yk_session_open(struct yk_session **created, const struct yk_plan *plan, struct yk_err *err)
{
    const struct yk_experiment *e = yk_plan_experiment(plan);
    struct yk_session *s = calloc(1, sizeof *s);
    enum yk_status st;

    *created = NULL;
    if (!s)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    s->plan = plan;
    s->samples = (struct yk_samples){.motion = &s->motion, .reference = &s->reference, .result = &s->result};
    if (!(st = refuse_real_rig(plan, err)) && !(st = yk_run_channels(plan, &s->channels, err)) &&
        !(st = yk_plan_motion(plan, &s->motion, err)) && !(st = yk_samples_open(&s->samples, err)) &&
        !(e->reference && (st = yk_reference_open(&s->reference, plan, false, err))) &&
        (st = yk_motion_start(&s->motion)))
        yk_fail_at(err, st, YK_IN_FILE(e->path), "the force at t = 0 is not a finite number");
    if (st) {
        yk_session_close(s);
        return st;
    }
    yk_samples_step(&s->samples);
    *created = s;
    return YK_OK;
}

void yk_session_close(struct yk_session *s)
{
    if (!s)
        return;
    yk_reference_close(&s->reference);
    yk_samples_close(&s->samples);
    yk_motion_close(&s->motion);
    yk_run_result_free(&s->result);
    yk_run_channels_free(&s->channels);
    free(s);
}

bool yk_session_is_finished(const struct yk_session *s)
{
    return s->motion.step >= yk_plan_steps(s->plan);
}

enum yk_status yk_session_step(struct yk_session *s, struct yk_err *err)
{
    struct yk_station *station = s->motion.experiment->station;
    enum yk_status st = yk_motion_step(&s->motion);

    if (!st && s->reference.own)
        st = yk_reference_advance(&s->reference);
    if (!yk_samples_step(&s->samples) && !st)
        st = YK_E_DIVERGED;
    if (st)
        return yk_fail(err, st, "the motion diverged at step %ld", s->motion.step);
    if (station && *yk_station_trip(station))
        return yk_fail(err, YK_E_STOPPED, "%s", yk_station_trip(station));
    return YK_OK;
}

/* ---- channels ---- */

static const struct yk_stream *shown(const struct yk_session *s)
{
    return &s->channels.streams[YK_STREAM_SYSTEM];
}

size_t yk_session_channel_count(const struct yk_session *s)
{
    return shown(s)->count;
}

const char *yk_session_channel_name(const struct yk_session *s, size_t channel)
{
    return shown(s)->channels[channel].name;
}

const char *yk_session_channel_unit(const struct yk_session *s, size_t channel)
{
    return shown(s)->channels[channel].unit;
}

long yk_session_channel_find(const struct yk_session *s, const char *name)
{
    for (size_t i = 0; i < shown(s)->count; i++)
        if (strcmp(shown(s)->channels[i].name, name) == 0)
            return (long)i;
    return -1;
}

const double *yk_session_row(const struct yk_session *s)
{
    return s->samples.row[YK_STREAM_SYSTEM];
}
