/* The rows of a run, for recorder and telemetry, and the peaks and errors of the summary. The table of channels alone
 * defines a row; this file updates its views. */
#include "engine/samples.h"
#include "state/state.h"
#include "substructure/probe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A displacement beyond this is a divergence, whatever the structure [m or rad]. */
#define FAR_AWAY 1e20

YK_RT static const struct yk_system *system_of(const struct yk_samples *s, size_t k)
{
    return s->state->substructures[k].system;
}

YK_RT static const struct yk_station *station_of(const struct yk_samples *s)
{
    return s->state->station;
}

/* The row of a stream, from its view. */
YK_RT static void take(struct yk_samples *s, enum yk_stream_number stream)
{
    yk_channels_row(&s->channels, stream, &s->view[stream], s->row[stream]);
    s->made[stream]++;
}

YK_RT bool yk_samples_due(const struct yk_samples *s, enum yk_stream_number stream)
{
    return s->channels.sets[stream].count && (s->made[stream] - 1) % s->channels.sets[stream].every == 0;
}

/* Restoring forces of substructure k, where they are recorded. */
YK_RT static void see_restoring(const struct yk_samples *s, struct yk_view *view, size_t k)
{
    const size_t first = s->channels.first[k];

    if (view->uses_r[k])
        yk_structure_restoring(system_of(s, k), view->u + first, view->v + first, view->r + first);
}

/* Forces and deformations of the elements that are looked at, and the work done on them since the last row. */
YK_RT static void see_elements(const struct yk_samples *s, struct yk_view *view)
{
    for (size_t i = 0; i < s->channels.element_count; i++) {
        struct yk_element_now *now = &view->elements[i];
        const struct yk_place *at = &s->channels.elements[i];
        const size_t first = s->channels.first[at->k];
        double force, deformation;

        if (!now->used)
            continue;
        yk_probe_now(&s->state->model->parts[at->k].probes.items[at->i], system_of(s, at->k), view->u + first,
                     view->v + first, &force, &deformation);
        if (now->started)
            now->energy += 0.5 * (force + now->force) * (deformation - now->deformation);
        now->force = force;
        now->deformation = deformation;
        now->started = true;
    }
}

/* The looks at members that are recorded. */
YK_RT static void see_members(const struct yk_samples *s, struct yk_view *view)
{
    for (size_t i = 0; i < view->seen_count; i++) {
        const struct yk_look_place *at = &s->channels.looks[view->seen[i]];

        view->looks[view->seen[i]].value =
            yk_look_now(system_of(s, at->k), &at->look, view->u + s->channels.first[at->k]);
    }
}

/* Is every displacement finite and not out of the world? */
YK_RT static bool is_near(const struct yk_samples *s, const struct yk_view *view)
{
    double largest = 0;
    bool near = true;

    for (size_t i = 0; i < s->channels.dof_count; i++) {
        near = near && fabs(view->u[i]) < FAR_AWAY;
        largest = fmax(largest, fabs(view->u[i]));
    }
    s->result->largest_u = fmax(s->result->largest_u, largest);
    return near;
}

/* Energy of all substructures. */
YK_RT static void see_energy(struct yk_samples *s, struct yk_view *view, const struct yk_snapshot *now)
{
    struct yk_run_result *result = s->result;
    const struct yk_energy *sum = &s->balance.sum;

    yk_balance_take(&s->balance, s->state, now);
    view->energy = result->energy = *sum;
    view->energy_error = s->balance.error;
    result->energy_error = fmax(result->energy_error, fabs(view->energy_error));
    result->energy_scale = fmax(result->energy_scale, fmax(sum->kinetic + sum->stored, fabs(sum->work)));
}

/* Gaps of the interface rows. */
YK_RT static void measure_drift(const struct yk_samples *s, const struct yk_snapshot *now)
{
    const struct yk_model *model = s->state->model;

    for (size_t i = 0; i < model->row_count; i++) {
        s->result->drift_u = fmax(s->result->drift_u, fabs(yk_snapshot_gap(now, &model->rows[i], now->u)));
        s->result->drift_v = fmax(s->result->drift_v, fabs(yk_snapshot_gap(now, &model->rows[i], now->v)));
    }
}

YK_RT static void see_reference(struct yk_samples *s, struct yk_view *view)
{
    if (!s->reference->own)
        return;
    view->reference = yk_reference_at(s->reference, s->state->step);
    for (size_t i = 0; i < s->channels.dof_count; i++)
        yk_reference_compare(s->reference, s->state->step, i, view->u[i], view->v[i]);
}

/* Members whose iterations came to their bounds in this step. */
YK_RT static void count_unconverged(struct yk_samples *s)
{
    struct yk_unconverged *seen = &s->result->unconverged;
    size_t members = 0;

    for (size_t k = 0; k < s->state->model->substructure_count; k++) {
        const struct yk_system *system = system_of(s, k);
        const char *member = NULL;

        members += yk_is_structure(system) ? yk_structure_unconverged(system, &member) : 0;
        if (member && members > s->unconverged) {
            seen->substructure = k;
            strncpy(seen->member, member, sizeof seen->member - 1);
        }
    }
    s->converged = members <= s->unconverged; /* fewer: the run went back to an earlier state */
    if (!s->converged) {
        seen->members += members - s->unconverged;
        seen->first = seen->steps++ ? seen->first : s->state->step;
        seen->last = s->state->step;
    }
    s->unconverged = members;
}

YK_RT bool yk_samples_step(struct yk_samples *s)
{
    const struct yk_model *model = s->state->model;
    const struct yk_channel_set *set = &s->channels.sets[YK_STREAM_SYSTEM];
    struct yk_view *view = &s->view[YK_STREAM_SYSTEM];
    const double *row = s->row[YK_STREAM_SYSTEM];
    struct yk_snapshot now = {s->channels.first, view->needed, view->u, view->v, view->a};

    view->time = (double)s->state->step * model->time.step;
    yk_snapshot_take(&now, s->state);
    for (size_t k = 0; k < model->substructure_count; k++)
        see_restoring(s, view, k);
    see_elements(s, view);
    see_members(s, view);
    see_energy(s, view, &now);
    see_reference(s, view);
    count_unconverged(s);
    measure_drift(s, &now);
    yk_course_step(&s->result->course, s->state, s->balance.sum.kinetic);
    if (s->channels.multiplier_count)
        memcpy(view->lambda, yk_state_lambda(s->state), s->channels.multiplier_count * sizeof *view->lambda);
    for (size_t i = 0; i < s->channels.signal_count; i++) {
        const struct yk_load *load = &model->loads[s->channels.loads[i]];

        view->signals[i] = load->signal->value(load->settings, view->time);
    }
    for (size_t i = 0; i < s->channels.actuator_count; i++)
        view->actuators[i].state = yk_station_state(station_of(s), i);
    if (station_of(s))
        view->sensors = yk_station_sensors(station_of(s));
    take(s, YK_STREAM_SYSTEM);
    for (size_t i = 1; i < set->count; i++)
        s->result->peaks[i] = fmax(s->result->peaks[i], fabs(row[i]));
    return is_near(s, view);
}

YK_RT void yk_samples_fine(struct yk_samples *s, double t)
{
    const struct yk_model *model = s->state->model;
    struct yk_view *view = &s->view[YK_STREAM_FINE];
    const size_t *first = s->channels.first;

    view->time = t;
    for (size_t k = 0; k < model->substructure_count; k++)
        if (model->substructures[k].fine) {
            yk_state_read(s->state, k, view->needed + first[k], view->u + first[k], view->v + first[k],
                          view->a + first[k]);
            see_restoring(s, view, k);
        }
    see_elements(s, view);
    see_members(s, view);
    take(s, YK_STREAM_FINE);
}

YK_RT void yk_samples_tick(struct yk_samples *s, const struct yk_supervisor *supervisor)
{
    struct yk_view *view = &s->view[YK_STREAM_TICKS];

    view->time = s->ticks * yk_station_pace(station_of(s)).tick;
    view->supervisor = (double)supervisor->state;
    view->sensors = yk_station_sensors(station_of(s));
    view->lines = yk_station_lines(station_of(s));
    for (size_t i = 0; i < s->channels.actuator_count; i++) {
        const struct yk_supervised *g = &supervisor->supervised[i];

        view->actuators[i].sent = g->second.on ? yk_supervised_command(g, false) : g->sent;
        view->actuators[i].sent_second = yk_supervised_command(g, true);
        view->actuators[i].mode = g->second.on;
        view->actuators[i].reading = yk_station_reading(station_of(s), i);
    }
    take(s, YK_STREAM_TICKS);
}

/* ---- preparation ---- */

static enum yk_status open_view(struct yk_samples *s, enum yk_stream_number stream, struct yk_err *err)
{
    const struct yk_channels *c = &s->channels;
    const size_t dofs = stream == YK_STREAM_TICKS ? 0 : c->dof_count;
    struct yk_view *view = &s->view[stream];

    view->channels = c;
    view->stream = stream;
    view->u = calloc(4 * dofs + 1, sizeof *view->u);
    view->needed = calloc(c->dof_count + 1, sizeof *view->needed);
    view->uses_r = calloc(c->model->substructure_count, sizeof *view->uses_r);
    view->elements = calloc(c->element_count + 1, sizeof *view->elements);
    view->looks = calloc(c->look_count + 1, sizeof *view->looks);
    view->seen = calloc(c->look_count + 1, sizeof *view->seen);
    view->lambda = calloc(c->multiplier_count + 1, sizeof *view->lambda);
    view->signals = calloc(c->signal_count + 1, sizeof *view->signals);
    view->actuators = calloc(c->actuator_count + 1, sizeof *view->actuators);
    view->from = calloc(c->sets[stream].count + 1, sizeof *view->from);
    s->row[stream] = calloc(c->sets[stream].count + 1, sizeof *s->row[stream]);
    if (!view->u || !view->needed || !view->from || !view->uses_r || !view->elements || !view->looks || !view->seen ||
        !view->lambda || !view->signals || !view->actuators || !s->row[stream])
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    view->v = view->u + dofs;
    view->a = view->v + dofs;
    view->r = view->a + dofs;
    yk_channels_use(c, view);
    return YK_OK;
}

/* Marks values needed by the summary besides the channels: for interface gaps, and errors against the reference. */
static void want_for_summary(const struct yk_samples *s, unsigned char *needed)
{
    const struct yk_channels *c = &s->channels;

    for (size_t i = 0; i < c->model->row_count; i++)
        for (size_t j = 0; j < c->model->rows[i].count; j++)
            needed[c->first[c->model->rows[i].substructure[j]] + c->model->rows[i].dof[j]] |= YK_READ_U | YK_READ_V;
    for (size_t i = 0; c->model->reference && i < c->dof_count; i++)
        needed[i] |= YK_READ_U | YK_READ_V;
}

enum yk_status yk_samples_open(struct yk_samples *s, struct yk_err *err)
{
    size_t streams = 0;
    enum yk_status st = yk_channels_open(&s->channels, s->state, err);

    for (int stream = 0; stream < YK_STREAMS && !st; stream++) {
        s->number[stream] = streams;
        streams += s->channels.sets[stream].count > 0;
        st = open_view(s, stream, err);
    }
    if (!st)
        want_for_summary(s, s->view[YK_STREAM_SYSTEM].needed);
    if (st || (st = yk_balance_open(&s->balance, s->state->model, err)))
        return st;
    s->result->peaks = calloc(s->channels.sets[YK_STREAM_SYSTEM].count, sizeof *s->result->peaks);
    return s->result->peaks ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}

void yk_samples_close(struct yk_samples *s)
{
    for (int stream = 0; stream < YK_STREAMS; stream++) {
        free(s->view[stream].u);
        free(s->view[stream].needed);
        free(s->view[stream].from);
        free(s->view[stream].uses_r);
        free(s->view[stream].elements);
        free(s->view[stream].looks);
        free(s->view[stream].seen);
        free(s->view[stream].lambda);
        free(s->view[stream].signals);
        free(s->view[stream].actuators);
        free(s->row[stream]);
    }
    yk_balance_close(&s->balance);
    yk_channels_close(&s->channels);
}
