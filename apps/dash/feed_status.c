/* The status of a watched run, several times a second. docs/dashboard-protocol.md */
#include "feed_parts.h"

#include <yoke/clock.h>
#include <yoke/json.h>

#include <math.h>
#include <string.h>

/* ---- of a live run ---- */

static json_t *trip_object(const struct yk_telemetry_trip *t)
{
    if (!t->tripped)
        return json_null();
    return json_pack("{s:o, s:s, s:o, s:o, s:s}", "words", yk_json_any(t->words), "limit", t->limit, "actuator",
                     *t->actuator ? yk_json_any(t->actuator) : json_null(), "value", yk_json_number(t->value), "action",
                     t->action);
}

/* The bins from the first to the last that has any. */
static json_t *lateness_object(const struct yk_telemetry_now *now)
{
    json_t *upper = json_array(), *counts = json_array();
    int first = 0, end_ = YK_TELEMETRY_OCTAVES;

    while (first < end_ && !now->lateness[first])
        first++;
    while (end_ > first && !now->lateness[end_ - 1])
        end_--;
    for (int i = first; i < end_; i++) {
        json_array_append_new(upper, json_real(1e-9 * (double)(16ull << i)));
        json_array_append_new(counts, json_integer((json_int_t)now->lateness[i]));
    }
    return json_pack("{s:o, s:o}", "upper_s", upper, "counts", counts);
}

static json_t *timing_object(const struct yk_telemetry_now *now)
{
    return json_pack("{s:b, s:o, s:f, s:f, s:f, s:f, s:I, s:o}", "paced", now->paced != 0, "period_s",
                     yk_json_number(now->beat_s), "late_s", 1e-9 * (double)now->late_ns, "took_s",
                     1e-9 * (double)now->took_ns, "largest_late_s", 1e-9 * (double)now->largest_late_ns,
                     "largest_took_s", 1e-9 * (double)now->largest_took_ns, "missed", (json_int_t)now->missed,
                     "lateness", lateness_object(now));
}

static json_t *tracking_array(const struct yk_feed *f)
{
    const size_t count = f->view ? yk_telemetry_about(f->view)->tracked : 0;
    json_t *all = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(all, json_pack("{s:o, s:o, s:o, s:o, s:o}", "actuator", yk_json_any(f->actuators[i]),
                                             "nrms", yk_json_number(f->tracks[i].nrms), "delay_s",
                                             yk_json_number(f->tracks[i].delay_s), "compensated_s",
                                             yk_json_number(f->tracks[i].lead_s), "estimated_s",
                                             yk_json_number(f->tracks[i].estimated_s)));
    return all;
}

static json_t *quality_object(const struct yk_feed *f)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "energy_error", yk_json_number(f->now.energy_error), "drift_u",
                     yk_json_number(f->now.drift_u), "drift_v", yk_json_number(f->now.drift_v), "error_u",
                     yk_json_number(f->now.error_u), "tracking", tracking_array(f));
}

/* The verdict so far: of what grows with the run. */
static json_t *verdict_object(const struct yk_feed *f)
{
    return json_pack("{s:s, s:o}", "level", f->has_now ? f->told.level : "good", "reason",
                     *f->told.reason ? yk_json_any(f->told.reason) : json_null());
}

/* Wall time to the end. */
static double time_left(const struct yk_feed *f, double steps)
{
    const double left = steps - (double)f->now.step, step_s = json_number_value(json_object_get(f->about, "step_s"));
    const double done = (double)(f->now.step - f->began_step), took = 1e-9 * (double)(f->now.posted_ns - f->began_ns);

    if (!f->live || !f->has_now || left <= 0)
        return 0;
    if (f->now.paced)
        return left * step_s * f->now.scale;
    return done > 0 ? left * took / done : (double)NAN;
}

static const char *level_of(const struct yk_feed *f)
{
    const char *judged = f->has_now ? f->told.level : "";

    if (f->gone || (f->has_now && (f->told.trip.tripped || f->now.state == YK_STATE_TRIPPED)) ||
        strcmp(judged, "unusable") == 0)
        return "bad";
    if (f->has_now && (f->told.warning.tripped || f->now.degraded || strcmp(judged, "doubtful") == 0))
        return "warn";
    return f->has_now && (f->now.state == YK_STATE_RUNNING || f->now.state == YK_STATE_DONE) ? "ok" : "wait";
}

static json_t *live_status(const struct yk_feed *f)
{
    const double steps = json_number_value(json_object_get(f->about, "steps"));
    const size_t ticks = f->stream_count - 1;
    const bool has_ticks = strcmp(f->streams[ticks].name, "ticks") == 0;
    const struct yk_telemetry_trip *warning = &f->told.warning;

    return json_pack("{s:b, s:s, s:s, s:b, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:I}",
                     "live", f->live, "state", yk_feed_state(f), "level", level_of(f), "degraded", f->now.degraded != 0,
                     "step", (json_int_t)f->now.step, "steps", yk_json_number(steps), "time_s",
                     yk_json_number(f->last_time[0]), "end_s", json_incref(json_object_get(f->about, "end_s")),
                     "tick_time_s", has_ticks ? yk_json_number(f->last_time[ticks]) : json_null(), "left_s",
                     yk_json_number(time_left(f, steps)), "age_s",
                     f->has_now ? yk_json_number(1e-9 * (double)(yk_clock_now_ns() - f->now.posted_ns)) : json_null(),
                     "trip", trip_object(&f->told.trip), "warnings", (json_int_t)f->now.warnings, "warning",
                     warning->tripped ? yk_json_any(warning->words) : json_null(), "timing", timing_object(&f->now),
                     "quality", quality_object(f), "verdict", verdict_object(f), "gauges", yk_gauges_json(&f->gauges),
                     "lost", (json_int_t)f->lost);
}

/* ---- of a recording, from its summary ---- */

static json_t *copy_of(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);

    return value ? json_incref(value) : json_null();
}

static json_t *recorded_trip(const json_t *summary)
{
    const json_t *trip = json_object_get(summary, "trip");

    return json_is_object(trip) ? json_pack("{s:o, s:o, s:o, s:o, s:o}", "words", copy_of(summary, "stop_reason"),
                                            "limit", copy_of(trip, "cause"), "actuator", copy_of(trip, "actuator"),
                                            "value", copy_of(trip, "value"), "action", copy_of(trip, "action"))
                                : json_null();
}

static json_t *recorded_tracking(json_t *summary)
{
    json_t *all = json_array(), *tracking = json_object_get(summary, "tracking");

    for (void *at = json_object_iter(tracking); at; at = json_object_iter_next(tracking, at)) {
        const json_t *entry = json_object_iter_value(at);

        json_array_append_new(all, json_pack("{s:s, s:o, s:o, s:o, s:o}", "actuator", json_object_iter_key(at), "nrms",
                                             copy_of(entry, "nrms"), "delay_s", copy_of(entry, "delay_s"),
                                             "compensated_s", copy_of(entry, "delay_used_s"), "estimated_s",
                                             copy_of(entry, "delay_estimated_s")));
    }
    return all;
}

static json_t *recorded_timing(const json_t *summary)
{
    const json_t *realtime = json_object_get(summary, "realtime"), *late = json_object_get(realtime, "lateness"),
                 *timing = json_object_get(summary, "timing"), *histogram = json_object_get(late, "histogram");

    return json_pack(
        "{s:b, s:o, s:n, s:n, s:o, s:o, s:o, s:o}", "paced", json_is_object(realtime), "period_s",
        copy_of(realtime, "period_s"), "late_s", "took_s", "largest_late_s", copy_of(late, "largest_s"),
        "largest_took_s", copy_of(timing, "largest_s"), "missed", copy_of(summary, "missed_deadlines"), "lateness",
        json_is_object(histogram) ? json_incref((json_t *)histogram) : json_pack("{s:[], s:[]}", "upper_s", "counts"));
}

/* null: of an older program */
static json_t *recorded_verdict(const json_t *summary)
{
    const json_t *verdict = json_object_get(summary, "verdict"),
                 *first = json_array_get(json_object_get(verdict, "reasons"), 0);

    return json_is_object(verdict)
               ? json_pack("{s:o, s:o}", "level", copy_of(verdict, "level"), "reason", copy_of(first, "text"))
               : json_null();
}

static const char *recorded_level(const json_t *summary, const char *state)
{
    const char *judged = yk_json_text(json_object_get(summary, "verdict"), "level");

    if (!json_is_object(summary))
        return "warn";
    if (json_is_object(json_object_get(summary, "trip")) || strcmp(state, "tripped") == 0 ||
        strcmp(judged, "unusable") == 0)
        return "bad";
    return json_is_true(json_object_get(summary, "finished")) && strcmp(judged, "doubtful") != 0 ? "ok" : "warn";
}

static json_t *recorded_status(const struct yk_feed *f)
{
    json_t *summary = json_object_get(f->about, "summary");
    const char *state = yk_recorded_state(summary);
    const json_t *drift = json_object_get(summary, "drift");
    json_t *realtime = json_object_get(summary, "realtime");

    return json_pack(
        "{s:b, s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:n, s:f, s:n, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o, s:o, "
        "s:o}, s:o, s:o, s:i}",
        "live", false, "state", state, "level", recorded_level(summary, state), "degraded",
        json_is_true(json_object_get(realtime, "degraded")), "step", copy_of(summary, "steps"), "steps",
        copy_of(f->about, "steps"), "time_s", yk_json_number(f->last_time[0]), "end_s", copy_of(f->about, "end_s"),
        "tick_time_s", "left_s", 0.0, "age_s", "trip", recorded_trip(summary), "warnings", copy_of(summary, "warnings"),
        "warning", *yk_json_text(summary, "first_warning") ? copy_of(summary, "first_warning") : json_null(), "timing",
        recorded_timing(summary), "quality", "energy_error",
        copy_of(json_object_get(summary, "energy"), "error_relative"), "drift_u", copy_of(drift, "displacement"),
        "drift_v", copy_of(drift, "velocity"), "error_u",
        copy_of(json_object_get(summary, "errors"), "displacement_nrms"), "tracking", recorded_tracking(summary),
        "verdict", recorded_verdict(summary), "gauges", yk_gauges_json(&f->gauges), "lost", 0);
}

json_t *yk_feed_status(struct yk_feed *f)
{
    json_t *status;

    pthread_mutex_lock(&f->lock);
    status = f->view ? live_status(f) : recorded_status(f);
    pthread_mutex_unlock(&f->lock);
    return status;
}
