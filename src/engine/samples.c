/* The rows of a run: what the recorder and the telemetry are given, and what the summary keeps of it. */
#include "engine/samples.h"

#include "engine/channels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A displacement beyond this is a divergence, whatever the structure [m or rad]. */
#define FAR_AWAY 1e20

/* Energy of all substructures; returns the place behind it in the row. */
static double *close_energy(struct yk_samples *s, const struct yk_energy *sum, double *at)
{
    struct yk_run_result *result = s->result;

    if (s->motion->step == 0)
        s->start_energy = sum->kinetic + sum->stored;
    *at++ = sum->kinetic;
    *at++ = sum->stored;
    *at++ = sum->dissipated;
    *at++ = sum->work;
    *at++ = sum->kinetic + sum->stored + sum->dissipated - sum->work - s->start_energy;
    result->energy = *sum;
    result->energy_error = fmax(result->energy_error, fabs(at[-1]));
    result->energy_scale = fmax(result->energy_scale, fmax(sum->kinetic + sum->stored, fabs(sum->work)));
    return at;
}

/* Gaps of the interface rows, from the u and v in the row. */
static void measure_drift(struct yk_samples *s)
{
    for (size_t i = 0; i < s->e->row_count; i++) {
        const struct yk_row *row = &s->e->rows[i];
        double gap_u = 0, gap_v = 0;

        for (size_t j = 0; j < row->count; j++) {
            const double *at = s->row + s->column[row->substructure[j]] + 3 * row->dof[j];

            gap_u += row->coefficient[j] * at[0];
            gap_v += row->coefficient[j] * at[1];
        }
        s->result->drift_u = fmax(s->result->drift_u, fabs(gap_u));
        s->result->drift_v = fmax(s->result->drift_v, fabs(gap_v));
    }
}

/* The signals of the loads; returns the place behind them in the row. */
static double *sample_signals(const struct yk_samples *s, double t, double *at)
{
    for (size_t i = 0; i < s->e->load_count; i++)
        if (yk_is_first_of_entry(s->e, i))
            *at++ = s->e->loads[i].signal->value(s->e->loads[i].settings, t);
    return at;
}

/* What the actuators did last; returns the place behind it in the row. */
static double *sample_actuators(const struct yk_samples *s, double *at)
{
    for (size_t i = 0; i < yk_station_count(s->e->station); i++) {
        const struct yk_actuator_state now = yk_station_state(s->e->station, i);

        *at++ = now.target;
        *at++ = now.command;
        *at++ = now.displacement;
        *at++ = now.force;
        *at++ = now.delay;
        if (yk_station_estimates_gain(s->e->station, i))
            *at++ = now.gain;
        if (yk_station_matches(s->e->station, i))
            *at++ = now.matched;
    }
    return at;
}

bool yk_samples_step(struct yk_samples *s)
{
    const double t = s->row[0] = (double)s->motion->step * s->e->time.step;
    const size_t multipliers = yk_motion_multipliers(s->motion);
    double *at = s->row + 1;
    size_t dof = 0;
    struct yk_energy sum = {0};
    bool near = true;

    for (size_t k = 0; k < s->e->substructure_count; k++) {
        struct yk_system *system = s->e->substructures[k].system;

        yk_motion_now(s->motion, k, s->u, s->v, s->a);
        s->column[k] = (size_t)(at - s->row);
        for (size_t i = 0; i < system->n; i++, at += 3) {
            at[0] = s->u[i];
            at[1] = s->v[i];
            at[2] = s->a[i];
            near = near && fabs(s->u[i]) < FAR_AWAY;
        }
        yk_experiment_load_at(s->e, k, t, s->f);
        system->ops->account(system->self, s->f, s->u, s->v, &s->account[k]);
        sum.kinetic += s->account[k].kinetic;
        sum.stored += s->account[k].stored;
        sum.dissipated += s->account[k].dissipated;
        sum.work += s->account[k].work;
        for (size_t i = 0; s->reference->own && i < system->n; i++)
            yk_reference_compare(s->reference, s->motion->step, dof++, s->u[i], s->v[i]);
    }
    measure_drift(s);
    if (multipliers)
        memcpy(at, yk_motion_lambda(s->motion), multipliers * sizeof *at);
    at = close_energy(s, &sum, sample_actuators(s, sample_signals(s, t, at + multipliers)));
    if (s->reference->own)
        memcpy(at, yk_reference_at(s->reference, s->motion->step), s->reference->dofs * sizeof *at);
    for (size_t i = 1; i < s->width; i++)
        s->result->peaks[i] = fmax(s->result->peaks[i], fabs(s->row[i]));
    return near;
}

void yk_samples_fine(struct yk_samples *s, double t)
{
    double *at = s->fine_row;

    *at++ = t;
    for (size_t k = 0; k < s->e->substructure_count; k++)
        if (s->e->fine[k]) {
            yk_motion_now(s->motion, k, s->u, s->v, s->a);
            for (size_t i = 0; i < s->e->substructures[k].system->n; i++) {
                *at++ = s->u[i];
                *at++ = s->v[i];
            }
        }
}

void yk_samples_tick(struct yk_samples *s, const struct yk_supervisor *supervisor)
{
    const struct yk_station *station = s->e->station;
    double *at = s->tick_row;

    *at++ = s->ticks * yk_station_pace(station).tick;
    *at++ = (double)supervisor->state;
    for (size_t i = 0; i < yk_station_count(station); i++) {
        const struct yk_reading now = yk_station_reading(station, i);

        *at++ = supervisor->guards[i].sent;
        *at++ = now.displacement;
        *at++ = now.force;
        *at++ = now.acceleration;
    }
}

enum yk_status yk_samples_open(struct yk_samples *s, struct yk_err *err)
{
    const struct yk_experiment *e = s->e;
    size_t most = 1;

    for (size_t k = 0; k < e->substructure_count; k++)
        most = e->substructures[k].system->n > most ? e->substructures[k].system->n : most;
    s->width = 1 + 3 * yk_dof_count(e, false) + yk_motion_multipliers(s->motion) + yk_signal_count(e) +
               yk_actuator_channel_count(e) + YK_ENERGIES + (e->reference ? yk_dof_count(e, false) : 0);
    s->u = calloc(4 * most, sizeof *s->u);
    s->row = calloc(s->width, sizeof *s->row);
    s->fine_row = calloc(1 + 2 * yk_dof_count(e, true), sizeof *s->fine_row);
    s->tick_row = calloc(YK_TICK_CHANNELS(yk_station_count(e->station)), sizeof *s->tick_row);
    s->column = calloc(e->substructure_count, sizeof *s->column);
    s->account = calloc(e->substructure_count, sizeof *s->account);
    s->result->peaks = calloc(s->width, sizeof *s->result->peaks);
    if (!s->u || !s->row || !s->fine_row || !s->tick_row || !s->column || !s->account || !s->result->peaks)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    s->v = s->u + most;
    s->a = s->u + 2 * most;
    s->f = s->u + 3 * most;
    return YK_OK;
}

void yk_samples_close(struct yk_samples *s)
{
    free(s->u);
    free(s->row);
    free(s->fine_row);
    free(s->tick_row);
    free(s->column);
    free(s->account);
}
