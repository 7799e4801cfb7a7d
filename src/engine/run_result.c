/* Result of a run: why it ended, how well the actuators followed, the counts of its rigs. */
#include "engine/engine.h"
#include "state/state.h"

#include "engine/loop.h"
#include "rig/remote.h"
#include "rig/several.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void yk_loop_stop(struct yk_loop *r, enum yk_status status, const char *why)
{
    r->result->status = status;
    snprintf(r->result->reason, sizeof r->result->reason, "%s at step %ld (t = %g s)", why, r->state.step,
             (double)r->state.step * r->model->time.step);
}

/* Appends to the reason to stop: its details, or a later event. */
static void add_reason(struct yk_loop *r, const char *when, const char *what)
{
    const size_t length = strlen(r->result->reason);

    snprintf(r->result->reason + length, sizeof r->result->reason - length, "%s%s", when, what);
}

/* Names of the actuators, for messages. */
static const char *const *names_of(const struct yk_loop *r)
{
    return r->state.station ? yk_station_names(r->state.station) : NULL;
}

static const char *trip_words(struct yk_loop *r)
{
    yk_trip_text(&r->beat.supervisor->trip, names_of(r), r->words, sizeof r->words);
    return r->words;
}

/* A second breach, which has stopped the ramp home. */
static void add_second(struct yk_loop *r)
{
    if (!r->beat.supervisor->second.tripped)
        return;
    yk_trip_text(&r->beat.supervisor->second, names_of(r), r->words, sizeof r->words);
    add_reason(r, "; the ramp home was stopped: ", r->words);
}

/* The motion is too large, or a method that iterates found no equilibrium although nothing has moved far. */
static void stop_diverged(struct yk_loop *r, enum yk_status st, bool near)
{
    const struct yk_integrator_ops *method = r->model->integrator;
    const bool unsettled = st && near && method && method->caps & YK_INTEG_ITERATES;
    int evaluations;
    double change;

    if (unsettled)
        snprintf(r->words, sizeof r->words, "the iteration of %s did not converge", method->name);
    yk_loop_stop(r, YK_E_DIVERGED, unsettled ? r->words : "the motion diverged");
    if (!unsettled || !r->state.domain || !method->unsettled)
        return;
    method->unsettled(r->state.domain->integrator.self, &evaluations, &change);
    if (!isfinite(change)) /* a tangent that cannot be factored */
        return;
    snprintf(r->words, sizeof r->words,
             "after %d force evaluations the acceleration still changed by %.2g of its size; try a smaller step, more "
             "iterations or a larger tolerance",
             evaluations, change);
    add_reason(r, ": ", r->words);
}

void yk_loop_judge(struct yk_loop *r, enum yk_status st, bool near)
{
    struct yk_supervisor *v = r->beat.supervisor;
    const bool last = !r->settings->driver && r->state.step == r->model->steps;

    if (r->record_failed)
        yk_supervisor_raise(v, YK_LIMIT_RECORDING, SIZE_MAX, 0);
    if (!r->gave_up && (st || !near))
        yk_supervisor_raise(v, YK_LIMIT_DIVERGED, SIZE_MAX, 0);
    if (v->trip.tripped && v->trip.kind == YK_LIMIT_DIVERGED)
        stop_diverged(r, st, near);
    else if (v->trip.tripped && v->trip.kind == YK_LIMIT_RECORDING)
        yk_loop_stop(r, r->state.station ? YK_E_STOPPED : YK_E_IO, "the recording failed");
    else if (v->trip.tripped)
        yk_loop_stop(r, YK_E_STOPPED, trip_words(r));
    else if (v->state != YK_STATE_RUNNING && v->state != YK_STATE_PAUSED && !last)
        yk_loop_stop(r, YK_E_STOPPED, "stopped by request");
    if (r->result->status && yk_state_fault(&r->state, r->words, sizeof r->words))
        add_reason(r, ": ", r->words);
}

static void keep_tracking(const struct yk_loop *r)
{
    struct yk_station *station = r->state.station;
    size_t n = yk_station_count(station);

    n = n < YK_TRACKED ? n : YK_TRACKED;
    for (size_t i = 0; i < n; i++) {
        struct yk_tracked *t = &r->result->tracked[i];

        snprintf(t->actuator, sizeof t->actuator, "%s", yk_station_name(station, i));
        t->indices = yk_station_tracking(station, i);
        t->compensated = yk_station_compensated(station, i);
        const struct yk_actuator_state now = yk_station_state(station, i);
        t->passive = yk_station_is_passive(station, i);
        t->generated = now.generated;
        t->paid = now.paid;
    }
    r->result->tracked_count = n;
}

static void keep_findings(const struct yk_loop *r)
{
    for (size_t i = 0; i < r->result->tracked_count; i++) {
        struct yk_tracked *t = &r->result->tracked[i];

        yk_force_finding_text(&r->beat.supervisor->supervised[i].finding, t->actuator,
                              yk_station_turns(r->state.station, i), t->implausible_force, sizeof t->implausible_force);
    }
}

/* Adds the counts of the wire of a rig, and of the rigs inside it. */
static void add_wires(struct yk_wire_report *wire, const struct yk_rig_ops *rig, void *self)
{
    const struct yk_remote *remote = rig->session ? rig->session(self) : NULL;
    const struct yk_rig_ops *inner;
    const char *name;
    void *inside;

    if (remote) {
        const struct yk_remote_counts *c = &remote->counts;
        const struct yk_link_counts *l = &remote->link.counts;
        wire->used = true;
        wire->held += c->held;
        wire->missing += c->missing;
        wire->stale += c->stale;
        wire->far += c->far;
        wire->resent += c->resent;
        wire->damaged += l->damaged + l->foreign + l->other_version;
        wire->forged += l->forged;
        wire->replayed += l->replayed;
        wire->strangers += l->strangers;
    }
    for (size_t k = 0; rig->inner && (inner = rig->inner(self, k, &inside, &name)); k++)
        add_wires(wire, inner, inside);
}

static void keep_wire(const struct yk_loop *r)
{
    void *self;
    const struct yk_rig_ops *rig = yk_station_rig(r->state.station, &self);

    r->result->wire = (struct yk_wire_report){0};
    add_wires(&r->result->wire, rig, self);
}

static void keep_reference(const struct yk_reference *ref, struct yk_run_result *result)
{
    result->has_reference = true;
    result->error_u = yk_deviation_nrms(&ref->of_u, sqrt(ref->of_u.error));
    result->error_v = yk_deviation_nrms(&ref->of_v, sqrt(ref->of_v.error));
    result->error_u_max = ref->of_u.peak;
    if (ref->of->in_full)
        snprintf(result->reference_note, sizeof result->reference_note,
                 "computed with the full models, not with the reduced ones");
    else if (*ref->of->note)
        snprintf(result->reference_note, sizeof result->reference_note,
                 "computed with the reduced models, so it does not show the error of the reduction: %s", ref->of->note);
}

void yk_loop_keep_course(struct yk_loop *r)
{
    struct yk_run_result *result = r->result;

    keep_tracking(r);
    result->steps = r->state.step;
    result->finished = (r->settings->driver || r->state.step == r->model->steps) && !result->status;
}

void yk_run_judge_delays(struct yk_run_result *result)
{
    const double limit = result->loop.unstable_at_s;

    for (size_t i = 0; i < result->tracked_count; i++) {
        struct yk_tracked *t = &result->tracked[i];
        const double late = t->indices.delay_s + t->compensated.filter_s; /* the lead for a filter is no error */

        t->delay_share = result->loop.judged && limit > 0 ? late / limit : (double)NAN;
        if (!(t->delay_share > YK_MOST_OF_MARGIN))
            continue;
        if (result->warnings++ == 0)
            snprintf(result->warning, sizeof result->warning,
                     "actuator %s was %.3g ms late, more than half of the %.3g ms at which the loop becomes unstable",
                     t->actuator, 1e3 * late, 1e3 * limit);
    }
}

void yk_loop_keep_end(struct yk_loop *r, bool tripped)
{
    struct yk_run_result *result = r->result;

    if (r->state.station)
        keep_wire(r);
    if (!result->status && r->beat.supervisor->trip.tripped)
        yk_loop_stop(r, YK_E_STOPPED, trip_words(r));
    else if (!tripped && r->beat.supervisor->trip.tripped)
        add_reason(r, "; on the way back: ", trip_words(r));
    add_second(r);
    keep_findings(r);
    result->trip = r->beat.supervisor->trip;
    result->state = r->beat.supervisor->state;
    result->warnings = r->beat.supervisor->warnings;
    yk_trip_text(&r->beat.supervisor->warning, names_of(r), result->warning, sizeof result->warning);
    yk_trip_text(&result->trip, names_of(r), result->tripped, sizeof result->tripped);
    result->warned = r->beat.supervisor->warning;
    const char *noticed = r->state.station ? yk_station_noticed(r->state.station) : NULL; /* of the last tick */
    if (noticed)
        yk_run_notice(r->control, noticed);
    free(result->journal);
    result->journal = yk_journal_copy(&r->control->journal);
    if (r->reference.own)
        keep_reference(&r->reference, result);
}

void yk_run_result_free(struct yk_run_result *result)
{
    free(result->peaks);
    free(result->points);
    result->points = NULL;
    free(result->pace);
    free(result->journal);
    result->journal = NULL;
    result->peaks = NULL;
    result->pace = NULL;
}
