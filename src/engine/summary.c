/* summary.json and the words for a method. */
#include "engine/engine.h"
#include "experiment/static_path.h"

#include "base/json.h"
#include "transfer/station.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double scalar(const struct yk_param *p, const void *settings)
{
    const char *field = (const char *)settings + p->offset;

    return p->type == YK_PARAM_REAL || p->type == YK_PARAM_WHOLE ? *(const double *)field
           : p->type == YK_PARAM_FLAG                            ? *(const bool *)field
                                                                 : *(const int *)field;
}

/* A default outside the range stands for: another setting counts. */
static bool is_unset(const struct yk_param *p, const void *settings)
{
    return p->type != YK_PARAM_CHOICE && p->type != YK_PARAM_FLAG && scalar(p, settings) < p->min;
}

/* Do the other settings leave it without effect? */
static bool is_idle(const struct yk_param *params, const struct yk_param *p, const void *settings)
{
    char why[160];

    return !yk_param_counts(params, p, settings, why, sizeof why);
}

char *yk_method_text(const struct yk_model *model)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const char *separator = " (";
    const struct yk_param *params = yk_model_params(model);

    if (!out)
        return NULL;
    fputs(yk_model_method(model), out);
    for (const struct yk_param *p = params; p && p->name; p++) {
        if (is_unset(p, model->settings) || is_idle(params, p, model->settings))
            continue;
        if (p->type == YK_PARAM_CHOICE) {
            const char *choice = yk_choice_at(p->choices, (int)scalar(p, model->settings));

            fprintf(out, "%s%s = %.*s", separator, p->name, (int)strcspn(choice, "|"), choice);
        } else {
            fprintf(out, "%s%s = %g", separator, p->name, scalar(p, model->settings));
        }
        separator = ", ";
    }
    fputs(separator[0] == ',' ? ")" : "", out);
    return fclose(out) ? NULL : text;
}

static json_t *timing_object(const struct yk_timing *timing)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "median_s", yk_json_number(yk_timing_percentile(timing, 0.5)),
                     "p90_s", yk_json_number(yk_timing_percentile(timing, 0.9)), "p99_s",
                     yk_json_number(yk_timing_percentile(timing, 0.99)), "p999_s",
                     yk_json_number(yk_timing_percentile(timing, 0.999)), "largest_s",
                     yk_json_number(1e-9 * (double)timing->largest_ns));
}

/* A timing with its histogram. */
static json_t *distribution_object(const struct yk_timing *timing)
{
    double upper_s[YK_TIMING_BINS];
    uint64_t counts[YK_TIMING_BINS];
    const size_t bins = yk_timing_histogram(timing, upper_s, counts);
    json_t *all = timing_object(timing), *upper = json_array(), *count = json_array();

    for (size_t i = 0; i < bins; i++) {
        json_array_append_new(upper, yk_json_number(upper_s[i]));
        json_array_append_new(count, json_integer((json_int_t)counts[i]));
    }
    json_object_set_new(all, "histogram", json_pack("{s:o, s:o}", "upper_s", upper, "counts", count));
    return all;
}

static json_t *energy_object(const struct yk_run_result *r)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "kinetic_J", yk_json_number(r->energy.kinetic), "stored_J",
                     yk_json_number(r->energy.stored), "dissipated_J", yk_json_number(r->energy.dissipated), "work_J",
                     yk_json_number(r->energy.work), "error_max_J", yk_json_number(r->energy_error), "error_relative",
                     yk_json_number(r->energy_scale > 0 ? r->energy_error / r->energy_scale : 0));
}

static json_t *frequency_object(const struct yk_tracked *t)
{
    return t->has_track
               ? json_pack("{s:o, s:o, s:o}", "amplitude", yk_json_number(t->track.amplitude), "delay_s",
                           yk_json_number(t->track.delay_s), "frequency_Hz", yk_json_number(t->track.frequency_Hz))
               : json_null();
}

/* Names of figures in the unit that an actuator is commanded in: "peak_m", "peak_m_per_s2", "peak_N". */
struct named {
    char peak[32], roughness[32], area[32];
};

static struct named names_of(const char *unit)
{
    struct named n;
    char word[16] = "";

    for (size_t k = 0; *unit && k + 6 < sizeof word; unit++)
        k += (size_t)(*unit == '/' ? sprintf(word + k, "_per_") : sprintf(word + k, "%c", *unit == ' ' ? '_' : *unit));
    snprintf(n.peak, sizeof n.peak, "peak_%s", word);
    snprintf(n.roughness, sizeof n.roughness, "roughness_%s", word);
    snprintf(n.area, sizeof n.area, strchr(word, '_') ? "area_%s_squared" : "area_%s2", word);
    return n;
}

static json_t *synchronisation_object(const struct yk_tracked *t, const struct named *names)
{
    return t->has_track
               ? json_pack("{s:o, s:o, s:o}", "amplitude", yk_json_number(t->track.sync_amplitude), "phase_rad",
                           yk_json_number(t->track.sync_phase_rad), names->area, yk_json_number(t->track.sync_area_m2))
               : json_null();
}

enum yk_status yk_run_track(struct yk_run_result *result, const char *path, struct yk_err *err)
{
    struct yk_recording *recording;
    enum yk_status st;

    if (result->tracked_count == 0)
        return YK_OK;
    if ((st = yk_recording_open(&recording, path, err)))
        return st;
    for (size_t i = 0; i < result->tracked_count && !st; i++) {
        struct yk_tracked *t = &result->tracked[i];

        st = yk_track_recording(recording, t->actuator, &t->track, err);
        t->has_track = !st;
    }
    yk_recording_close(recording);
    return st;
}

/* By actuator; null where there is none. */
static json_t *tracking_object(const struct yk_model *model, const struct yk_run_result *r)
{
    json_t *all = r->tracked_count ? json_object() : json_null();

    for (size_t i = 0; i < r->tracked_count; i++) {
        const struct yk_tracked *t = &r->tracked[i];
        const char *unit = yk_station_unit(model->station, i);
        const struct named names = names_of(unit);

        json_object_set_new(
            all, t->actuator,
            json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "nrms",
                      yk_json_number(t->indices.nrms), "unit", unit, names.peak, yk_json_number(t->indices.peak),
                      "delay_s", yk_json_number(t->indices.delay_s), "delay_used_s",
                      yk_json_number(t->compensated.lead_s), "delay_estimated_s",
                      yk_json_number(t->compensated.estimated_s), "gain_estimated", yk_json_number(t->compensated.gain),
                      names.roughness, yk_json_number(t->indices.roughness), "frequency_domain", frequency_object(t),
                      "synchronisation", synchronisation_object(t, &names), "delay_share",
                      yk_json_number(r->loop.judged ? t->delay_share : (double)NAN), "implausible_force",
                      *t->implausible_force ? json_string(t->implausible_force) : json_null()));
        if (t->passive)
            json_object_set_new(json_object_get(all, t->actuator), "passivity",
                                json_pack("{s:o, s:o}", "generated_J", yk_json_number(t->generated), "paid_J",
                                          yk_json_number(t->paid)));
    }
    return all;
}

/* How the pace was kept; null where the run was not paced. */
static json_t *realtime_object(const struct yk_run_result *r)
{
    const struct yk_pace_report *p = r->pace;
    json_t *misses, *causes;

    if (!p || !p->paced)
        return json_null();
    misses = json_array();
    causes = json_object();
    for (int i = 0; i < YK_MISS_CAUSES; i++)
        json_object_set_new(causes, yk_miss_text((enum yk_miss_cause)i), json_integer(p->missed_by[i]));
    for (long i = 0; i < p->missed && i < YK_MISSES; i++)
        json_array_append_new(misses, json_pack("{s:I, s:s, s:o}", "step", (json_int_t)p->misses[i].step, "cause",
                                                yk_miss_text(p->misses[i].cause), "over_s",
                                                yk_json_number(1e-9 * (double)p->misses[i].over_ns)));
    return json_pack("{s:o, s:o, s:b, s:s, s:o, s:o, s:I, s:o}", "scale", yk_json_number(p->scale), "period_s",
                     yk_json_number(p->period_s), "degraded", *p->degraded != 0, "refused", p->degraded, "lateness",
                     distribution_object(&p->lateness), "causes", causes, "slipped_periods", (json_int_t)p->slipped,
                     "misses", misses);
}

/* The wire to a rig in another process; null where there is none. */
static json_t *wire_object(const struct yk_run_result *r)
{
    const struct yk_wire_report *w = &r->wire;

    if (!w->used)
        return json_null();
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "held_ticks", (json_int_t)w->held,
                     "missing_readings", (json_int_t)w->missing, "stale_readings", (json_int_t)w->stale, "far_ahead",
                     (json_int_t)w->far, "resent_commands", (json_int_t)w->resent, "damaged", (json_int_t)w->damaged,
                     "from_strangers", (json_int_t)w->strangers, "forged", (json_int_t)w->forged, "replayed",
                     (json_int_t)w->replayed);
}

/* How long a rig in another process took to answer in a run that was not paced; null elsewhere. */
static json_t *answers_object(const struct yk_pace_report *p)
{
    return p && p->asked
               ? json_pack("{s:I, s:I, s:o, s:o}", "ticks", (json_int_t)p->asked, "late", (json_int_t)p->answered_late,
                           "longest_s", yk_json_number(p->longest_answer_s), "period_s", yk_json_number(p->period_s))
               : json_null();
}

/* The trip: cause and tick; null if there was none. */
static json_t *trip_object(const struct yk_model *model, const struct yk_run_result *r)
{
    const bool of_one = model->station && r->trip.actuator < yk_station_count(model->station);

    if (!r->trip.tripped)
        return json_null();
    return json_pack("{s:s, s:o, s:o, s:o, s:s, s:I}", "cause", yk_limit_key(r->trip.kind), "actuator",
                     of_one ? yk_json_any(yk_station_name(model->station, r->trip.actuator)) : json_null(), "value",
                     yk_json_number(r->trip.value), "limit", yk_json_number(r->trip.limit), "action",
                     yk_action_text(r->trip.action), "tick", (json_int_t)r->trip.tick);
}

/* Requests and remarks of operators, and remarks of the rig. */
static void add_journal(json_t *events, const struct yk_run_result *r, double step_s)
{
    for (size_t i = 0; r->journal && i < yk_journal_count(r->journal); i++) {
        const struct yk_journal_entry *e = &r->journal->entries[i];

        if (atomic_load_explicit(&e->complete, memory_order_acquire))
            json_array_append_new(
                events,
                json_pack("{s:s, s:s, s:o, s:o, s:I, s:I, s:o, s:o}", "kind", yk_journal_kind(e), "cause",
                          e->event == YK_NOTICE ? "rig" : "operator", "by", yk_json_any(e->by), "words",
                          yk_json_any(*e->words ? e->words : "requested by the operator"), "tick", (json_int_t)e->tick,
                          "step", (json_int_t)e->step, "time_s", yk_json_number((double)e->step * step_s), "wall_s",
                          yk_json_number(1e-9 * (double)(e->wall_ns - r->began_ns))));
    }
}

/* Events of the run: requests and remarks of operators and of the rig, the first warning, the trip. */
static json_t *events_array(const struct yk_model *model, const struct yk_run_result *r)
{
    const struct {
        const char *kind, *words;
        const struct yk_trip *trip;
    } all[] = {{"warning", r->warning, &r->warned}, {"trip", r->tripped, &r->trip}};
    json_t *events = json_array();

    add_journal(events, r, model->time.step);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].trip->tripped)
            json_array_append_new(events, json_pack("{s:s, s:s, s:s, s:I}", "kind", all[i].kind, "cause",
                                                    yk_limit_key(all[i].trip->kind), "words", all[i].words, "tick",
                                                    (json_int_t)all[i].trip->tick));
    return events;
}

/* Timing of a step by part of the loop. */
static json_t *stages_object(const struct yk_run_result *r)
{
    json_t *stages = json_object();

    for (int i = 0; r->pace && i < YK_LOOP_PARTS; i++)
        if (r->pace->stages[i].count)
            json_object_set_new(stages, yk_loop_part_text((enum yk_loop_part)i), timing_object(&r->pace->stages[i]));
    return stages;
}

/* How much of what there is goes into the recording. */
static json_t *recorded_object(const struct yk_run_channels *c)
{
    return json_pack("{s:I, s:I, s:I, s:b}", "channels", (json_int_t)c->streams[YK_STREAM_SYSTEM].count, "of",
                     (json_int_t)c->known[YK_STREAM_SYSTEM], "every", (json_int_t)c->every[YK_STREAM_SYSTEM],
                     "too_many_for_all", c->few);
}

static void widen(json_t *peaks, const char *substructure, const char *dof, char what, double value)
{
    char name[YK_CHANNEL_NAME];

    snprintf(name, sizeof name, "%s.%s.%c", substructure, dof, what);
    json_object_set_new(peaks, name, json_real(fmax(fabs(value), json_number_value(json_object_get(peaks, name)))));
}

static json_t *peaks_object(const struct yk_model *e, const struct yk_run_channels *channels,
                            const struct yk_run_result *r)
{
    const struct yk_stream *system = &channels->streams[YK_STREAM_SYSTEM];
    json_t *peaks = json_object();

    for (size_t i = 1; r->peaks && i < system->count; i++)
        json_object_set_new(peaks, system->channels[i].name, yk_json_number(r->peaks[i]));
    for (size_t i = 0; i < r->point_count; i++) { /* of a quasi-static test */
        const struct yk_static_leg *leg = &e->static_path->legs[r->points[i].leg];
        const struct yk_substructure *s = &e->substructures[leg->substructure];

        widen(peaks, s->name, s->dofs[leg->dof], 'u', r->points[i].displacement);
        widen(peaks, s->name, s->dofs[leg->dof], 'r', r->points[i].force);
    }
    return peaks;
}

/* Stability of the loop, judged before the run; null if it was not judged. */
static json_t *loop_object(const struct yk_loop_report *loop)
{
    static const char *const verdicts[] = {
        [YK_LOOP_UNDECIDED] = "undecided", [YK_LOOP_STABLE] = "stable", [YK_LOOP_UNSTABLE] = "unstable"};

    return loop->judged ? json_pack("{s:s, s:o, s:s, s:o, s:o, s:o}", "verdict", verdicts[loop->verdict], "decay_per_s",
                                    yk_json_number(loop->decay), "words", loop->words, "margin_s",
                                    yk_json_number(loop->margin_s), "unstable_at_s",
                                    yk_json_number(loop->unstable_at_s), "gain_margin", yk_json_number(loop->gain))
                        : json_null();
}

/* When, where and with what; null where the caller did not say. */
static json_t *provenance_object(const struct yk_provenance *p)
{
    return p ? json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "date", p->date, "host", yk_json_any(p->host),
                         "user", yk_json_any(p->user), "command", yk_json_any(p->command), "note", yk_json_any(p->note),
                         "cpu", yk_json_any(p->cpu), "blas", yk_json_any(p->blas), "libraries", p->libraries)
             : json_null();
}

/* Steps in which members did not converge; null if there were none. */
static json_t *unconverged_object(const struct yk_model *model, const struct yk_unconverged *u)
{
    return u->steps
               ? json_pack("{s:I, s:I, s:I, s:I, s:s, s:s}", "steps", (json_int_t)u->steps, "members",
                           (json_int_t)u->members, "first_step", (json_int_t)u->first, "last_step", (json_int_t)u->last,
                           "substructure", model->substructures[u->substructure].name, "member", u->member)
               : json_null();
}

/* The last line of the run in the audit log; null where nothing was logged. */
static json_t *audit_object(const struct yk_audit_anchor *anchor)
{
    return anchor->line ? json_pack("{s:I, s:s}", "line", (json_int_t)anchor->line, "hash", anchor->hash) : json_null();
}

static json_t *verdict_object(const struct yk_model *model, const struct yk_run_result *r)
{
    struct yk_measures measures;
    struct yk_judgement verdict;

    yk_run_verdict(model, r, &measures, &verdict);
    return yk_verdict_json(&verdict, &measures, model->station ? yk_station_names(model->station) : NULL);
}

/* Points of a quasi-static test: {every, points: [{leg, target, displacement, force}]}, every n-th of very many; null:
 * it was none. */
static json_t *static_object(const struct yk_run_result *r)
{
    enum { MOST_POINTS = 20000 };
    json_t *points = r->points ? json_array() : NULL;
    const size_t every = r->point_count / MOST_POINTS + 1;

    for (size_t i = 0; points && i < r->point_count; i += every)
        json_array_append_new(points, json_pack("{s:I, s:f, s:f, s:f}", "leg", (json_int_t)r->points[i].leg, "target",
                                                r->points[i].target, "displacement", r->points[i].displacement, "force",
                                                r->points[i].force));
    return points ? json_pack("{s:I, s:o}", "every", (json_int_t)every, "points", points) : json_null();
}

char *yk_run_summary(const struct yk_model *model, const struct yk_run_channels *channels, const struct yk_run_result *r)
{
    char *method = yk_method_text(model), *text;
    json_t *summary = json_pack(
        "{s:s, s:s, s:s, s:I, s:f, s:b, s:s, s:f, s:o, s:o, s:I, s:o, s:s, s:o, s:I, s:s, s:I, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:o}",
        "title", model->title, "method", method ? method : "", "build", yk_build_id(), "steps", (json_int_t)r->steps,
        "step_s", model->time.step, "finished", r->finished, "stop_reason", r->reason, "wall_s", r->wall_s, "timing",
        distribution_object(&r->timing), "stages", stages_object(r), "missed_deadlines",
        (json_int_t)(r->pace ? r->pace->missed : 0), "realtime", realtime_object(r), "state",
        yk_rig_state_text(r->state), "trip", trip_object(model, r), "warnings", (json_int_t)r->warnings,
        "first_warning", r->warning, "dropped_samples", (json_int_t)r->dropped, "drift",
        model->row_count ? json_pack("{s:o, s:o}", "displacement", yk_json_number(r->drift_u), "velocity",
                                     yk_json_number(r->drift_v))
                         : json_null(),
        "energy", energy_object(r), "tracking", tracking_object(model, r), "hybrid_loop", loop_object(&r->loop),
        "errors",
        r->has_reference
            ? json_pack("{s:o, s:o, s:o, s:o}", "displacement_nrms", yk_json_number(r->error_u), "velocity_nrms",
                        yk_json_number(r->error_v), "displacement_max", yk_json_number(r->error_u_max), "reference",
                        *r->reference_note ? json_string(r->reference_note) : json_null())
            : json_null(),
        "peaks", peaks_object(model, channels, r), "notes", yk_json_notes(model->notes));

    free(method);
    if (summary)
        json_object_set_new(summary, "verdict", verdict_object(model, r));
    if (summary)
        json_object_set_new(summary, "demand", model->station ? yk_demand_json(model, &r->course) : json_null());
    if (summary)
        json_object_set_new(summary, "unconverged", unconverged_object(model, &r->unconverged));
    if (summary)
        json_object_set_new(summary, "recorded", recorded_object(channels));
    if (summary)
        json_object_set_new(summary, "events", events_array(model, r));
    if (summary)
        json_object_set_new(summary, "static", static_object(r));
    if (summary)
        json_object_set_new(summary, "wire", wire_object(r));
    if (summary)
        json_object_set_new(summary, "answers", answers_object(r->pace));
    if (summary)
        json_object_set_new(summary, "calibration", yk_calibration_json(model));
    if (summary)
        json_object_set_new(summary, "channel_scales", yk_channel_scales_json(model));
    if (summary)
        json_object_set_new(summary, "certificates", yk_certificates_json(model));
    if (summary)
        json_object_set_new(summary, "commissioning",
                            r->commissioning ? json_incref((json_t *)r->commissioning) : json_null());
    if (summary)
        json_object_set_new(summary, "audit", audit_object(&r->audit));
    if (summary)
        json_object_set_new(summary, "provenance", provenance_object(r->provenance));
    text = summary ? json_dumps(summary, JSON_INDENT(2) | JSON_PRESERVE_ORDER) : NULL;
    json_decref(summary);
    return text;
}
