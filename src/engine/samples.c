/* The rows of a run: what the recorder and the telemetry are given, and what the summary keeps of it. What stands in a
 * row is said by the table of channels alone; here its views are kept up to date. */
#include "engine/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A displacement beyond this is a divergence, whatever the structure [m or rad]. */
#define FAR_AWAY 1e20

/* What changes is asked of the motion. */
YK_RT static struct yk_system *system_of(const struct yk_samples *s, size_t k)
{
    return s->motion->experiment->substructures[k].system;
}

YK_RT static const struct yk_station *station_of(const struct yk_samples *s)
{
    return s->motion->experiment->station;
}

/* The row of a stream, from its view. */
YK_RT static void take(struct yk_samples *s, enum yk_stream_number stream)
{
    yk_channels_row(&s->channels, stream, &s->view[stream], s->row[stream]);
}

/* Displacements, velocities and accelerations of substructure k. */
YK_RT static void see_motion(const struct yk_samples *s, struct yk_view *view, size_t k)
{
    const size_t first = s->channels.first[k];

    yk_motion_now(s->motion, k, view->u + first, view->v + first, view->a + first);
}

/* Is every displacement finite and not out of the world? */
YK_RT static bool is_near(const struct yk_samples *s, const struct yk_view *view)
{
    bool near = true;

    for (size_t i = 0; i < s->channels.dof_count; i++)
        near = near && fabs(view->u[i]) < FAR_AWAY;
    return near;
}

/* Energy of all substructures. */
YK_RT static void see_energy(struct yk_samples *s, struct yk_view *view)
{
    const struct yk_experiment *e = s->motion->experiment;
    struct yk_run_result *result = s->result;
    struct yk_energy sum = {0};

    for (size_t k = 0; k < e->substructure_count; k++) {
        const struct yk_system *system = system_of(s, k);
        const size_t first = s->channels.first[k];

        yk_experiment_load_at(e, k, view->time, s->f);
        system->ops->account(system->self, s->f, view->u + first, view->v + first, &s->account[k]);
        sum.kinetic += s->account[k].kinetic;
        sum.stored += s->account[k].stored;
        sum.dissipated += s->account[k].dissipated;
        sum.work += s->account[k].work;
    }
    if (s->motion->step == 0)
        s->start_energy = sum.kinetic + sum.stored;
    view->energy = result->energy = sum;
    view->energy_error = sum.kinetic + sum.stored + sum.dissipated - sum.work - s->start_energy;
    result->energy_error = fmax(result->energy_error, fabs(view->energy_error));
    result->energy_scale = fmax(result->energy_scale, fmax(sum.kinetic + sum.stored, fabs(sum.work)));
}

/* Gaps of the interface rows. */
YK_RT static void measure_drift(const struct yk_samples *s, const struct yk_view *view)
{
    const struct yk_experiment *e = s->motion->experiment;

    for (size_t i = 0; i < e->row_count; i++) {
        const struct yk_row *row = &e->rows[i];
        double gap_u = 0, gap_v = 0;

        for (size_t j = 0; j < row->count; j++) {
            const size_t at = s->channels.first[row->substructure[j]] + row->dof[j];

            gap_u += row->coefficient[j] * view->u[at];
            gap_v += row->coefficient[j] * view->v[at];
        }
        s->result->drift_u = fmax(s->result->drift_u, fabs(gap_u));
        s->result->drift_v = fmax(s->result->drift_v, fabs(gap_v));
    }
}

YK_RT static void see_reference(struct yk_samples *s, struct yk_view *view)
{
    if (!s->reference->own)
        return;
    view->reference = yk_reference_at(s->reference, s->motion->step);
    for (size_t i = 0; i < s->channels.dof_count; i++)
        yk_reference_compare(s->reference, s->motion->step, i, view->u[i], view->v[i]);
}

YK_RT bool yk_samples_step(struct yk_samples *s)
{
    const struct yk_experiment *e = s->motion->experiment;
    const struct yk_channel_set *set = &s->channels.sets[YK_STREAM_SYSTEM];
    struct yk_view *view = &s->view[YK_STREAM_SYSTEM];
    const double *row = s->row[YK_STREAM_SYSTEM];

    view->time = (double)s->motion->step * e->time.step;
    for (size_t k = 0; k < e->substructure_count; k++)
        see_motion(s, view, k);
    see_energy(s, view);
    see_reference(s, view);
    measure_drift(s, view);
    if (s->channels.multiplier_count)
        memcpy(view->lambda, yk_motion_lambda(s->motion), s->channels.multiplier_count * sizeof *view->lambda);
    for (size_t i = 0; i < s->channels.signal_count; i++) {
        const struct yk_load *load = &e->loads[s->channels.loads[i]];

        view->signals[i] = load->signal->value(load->settings, view->time);
    }
    for (size_t i = 0; i < s->channels.actuator_count; i++)
        view->actuators[i].state = yk_station_state(station_of(s), i);
    take(s, YK_STREAM_SYSTEM);
    for (size_t i = 1; i < set->count; i++)
        s->result->peaks[i] = fmax(s->result->peaks[i], fabs(row[i]));
    return is_near(s, view);
}

YK_RT void yk_samples_fine(struct yk_samples *s, double t)
{
    const struct yk_experiment *e = s->motion->experiment;
    struct yk_view *view = &s->view[YK_STREAM_FINE];

    view->time = t;
    for (size_t k = 0; k < e->substructure_count; k++)
        if (e->fine[k])
            see_motion(s, view, k);
    take(s, YK_STREAM_FINE);
}

YK_RT void yk_samples_tick(struct yk_samples *s, const struct yk_supervisor *supervisor)
{
    struct yk_view *view = &s->view[YK_STREAM_TICKS];

    view->time = s->ticks * yk_station_pace(station_of(s)).tick;
    view->supervisor = (double)supervisor->state;
    for (size_t i = 0; i < s->channels.actuator_count; i++) {
        view->actuators[i].sent = supervisor->guards[i].sent;
        view->actuators[i].reading = yk_station_reading(station_of(s), i);
    }
    take(s, YK_STREAM_TICKS);
}

/* ---- set-up ---- */

static enum yk_status open_view(struct yk_samples *s, enum yk_stream_number stream, struct yk_err *err)
{
    const struct yk_channels *c = &s->channels;
    const size_t dofs = stream == YK_STREAM_TICKS ? 0 : c->dof_count;
    struct yk_view *view = &s->view[stream];

    view->channels = c;
    view->u = calloc(3 * dofs + 1, sizeof *view->u);
    view->lambda = calloc(c->multiplier_count + 1, sizeof *view->lambda);
    view->signals = calloc(c->signal_count + 1, sizeof *view->signals);
    view->actuators = calloc(c->actuator_count + 1, sizeof *view->actuators);
    s->row[stream] = calloc(c->sets[stream].count + 1, sizeof *s->row[stream]);
    if (!view->u || !view->lambda || !view->signals || !view->actuators || !s->row[stream])
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    view->v = view->u + dofs;
    view->a = view->v + dofs;
    return YK_OK;
}

enum yk_status yk_samples_open(struct yk_samples *s, struct yk_err *err)
{
    const struct yk_experiment *e = s->motion->experiment;
    size_t most = 1, streams = 0;
    enum yk_status st = yk_channels_open(&s->channels, s->motion, err);

    for (size_t k = 0; k < e->substructure_count; k++)
        most = system_of(s, k)->n > most ? system_of(s, k)->n : most;
    for (int stream = 0; stream < YK_STREAMS && !st; stream++) {
        s->number[stream] = streams;
        streams += s->channels.sets[stream].count > 0;
        st = open_view(s, stream, err);
    }
    if (st)
        return st;
    s->f = calloc(most, sizeof *s->f);
    s->account = calloc(e->substructure_count, sizeof *s->account);
    s->result->peaks = calloc(s->channels.sets[YK_STREAM_SYSTEM].count, sizeof *s->result->peaks);
    return s->f && s->account && s->result->peaks ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}

void yk_samples_close(struct yk_samples *s)
{
    for (int stream = 0; stream < YK_STREAMS; stream++) {
        free(s->view[stream].u);
        free(s->view[stream].lambda);
        free(s->view[stream].signals);
        free(s->view[stream].actuators);
        free(s->row[stream]);
    }
    free(s->f);
    free(s->account);
    yk_channels_close(&s->channels);
}
