/* The offline engine: as fast as it can; the sample of every step goes through the recorder's ring. */
#include <yoke/clock.h>
#include <yoke/engine.h>

#include "engine/channels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A displacement beyond this is a divergence, whatever the structure [m or rad]. */
#define FAR_AWAY 1e20

enum { REFERENCE_SUBSTEPS = 10 };

/* A run under way. */
struct run {
    const struct yk_experiment *e;
    struct yk_motion motion;
    struct yk_experiment *own_copy; /* the reference has a structure of its own, since hysteresis has memory */
    struct yk_domain reference;
    struct yk_recorder *recorder;
    struct yk_run_result *result;
    double *u, *v, *a, *f; /* of one substructure */
    double *row, *fine_row;
    size_t width;
    struct yk_energy *account; /* of each substructure */
    double start_energy;
    bool record_failed;
    double sum_u, sum_v, sum_du, sum_dv; /* squares, for the errors against the reference */
};

/* The accurate solution of the untorn structure: exact for linear models, otherwise LSRT3 with substeps. */
static enum yk_status open_reference(struct run *r, struct yk_err *err)
{
    struct yk_system *system;
    enum yk_status st = yk_experiment_copy(r->e, true, &r->own_copy, err);

    if (st)
        return st;
    if (!(system = r->own_copy->assembly.system))
        return yk_fail(err, YK_E_UNSUPPORTED,
                       "%s: reference: monolithic needs a structure that can be put together; a mass that "
                       "depends on the configuration is joined",
                       r->e->path);
    const bool exact = system->linear && system->n <= 400;
    const struct yk_integrator_ops *ops = yk_integrator_find(exact ? "exact" : "lsrt3");
    void *settings = calloc(1, ops->size);
    if (!settings)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    yk_param_defaults(ops->params, settings);
    st = yk_domain_create(&r->reference, ops, settings, system,
                          (struct yk_loading){yk_load_set_at, r->own_copy->load_set},
                          r->e->time.step / REFERENCE_SUBSTEPS, err);
    free(settings);
    return st ? st : yk_domain_start(&r->reference, system->u0, system->v0);
}

static enum yk_status advance_reference(struct run *r)
{
    enum yk_status st = YK_OK;

    for (int i = 0; i < REFERENCE_SUBSTEPS && !st; i++)
        st = yk_domain_step(&r->reference);
    return st;
}

/* u_ref of one substructure into the row; sums of squares for the errors. */
static double *compare(struct run *r, size_t k, double *at)
{
    const struct yk_matrix *map = &r->own_copy->assembly.map[k];
    const size_t n = r->e->substructures[k].system->n;
    double *ref_v = r->a; /* free by now */
    struct yk_kinematics ref;

    yk_domain_now(&r->reference, &ref);
    memset(at, 0, n * sizeof *at);
    memset(ref_v, 0, n * sizeof *ref_v);
    yk_matrix_add_transposed_product(map, 1, ref.u, at);
    yk_matrix_add_transposed_product(map, 1, ref.v, ref_v);
    for (size_t i = 0; i < n; i++) {
        const double du = r->u[i] - at[i], dv = r->v[i] - ref_v[i];

        r->sum_u += at[i] * at[i];
        r->sum_v += ref_v[i] * ref_v[i];
        r->sum_du += du * du;
        r->sum_dv += dv * dv;
        r->result->error_u_max = fmax(r->result->error_u_max, fabs(du));
    }
    return at + n;
}

/* Energy of all substructures; returns the place behind it in the row. */
static double *close_energy(struct run *r, const struct yk_energy *sum, double *at)
{
    struct yk_run_result *result = r->result;

    if (r->motion.step == 0)
        r->start_energy = sum->kinetic + sum->stored;
    *at++ = sum->kinetic;
    *at++ = sum->stored;
    *at++ = sum->dissipated;
    *at++ = sum->work;
    *at++ = sum->kinetic + sum->stored + sum->dissipated - sum->work - r->start_energy;
    result->energy = *sum;
    result->energy_error = fmax(result->energy_error, fabs(at[-1]));
    result->energy_scale = fmax(result->energy_scale, fmax(sum->kinetic + sum->stored, fabs(sum->work)));
    return at;
}

/* Gaps of the interface rows, from the u and v in the row. */
static void measure_drift(struct run *r, const size_t *column)
{
    for (size_t i = 0; i < r->e->row_count; i++) {
        const struct yk_row *row = &r->e->rows[i];
        double gap_u = 0, gap_v = 0;

        for (size_t j = 0; j < row->count; j++) {
            const double *at = r->row + column[row->substructure[j]] + 3 * row->dof[j];

            gap_u += row->coefficient[j] * at[0];
            gap_v += row->coefficient[j] * at[1];
        }
        r->result->drift_u = fmax(r->result->drift_u, fabs(gap_u));
        r->result->drift_v = fmax(r->result->drift_v, fabs(gap_v));
    }
}

/* The signals of the loads; returns the place behind them in the row. */
static double *sample_signals(const struct run *r, double t, double *at)
{
    for (size_t i = 0; i < r->e->load_count; i++)
        if (yk_is_first_of_entry(r->e, i))
            *at++ = r->e->loads[i].signal->value(r->e->loads[i].settings, t);
    return at;
}

/* What the actuators did last; returns the place behind it in the row. */
static double *sample_actuators(const struct run *r, double *at)
{
    for (size_t i = 0; i < yk_station_count(r->e->station); i++) {
        const struct yk_actuator_state s = yk_station_state(r->e->station, i);

        *at++ = s.target;
        *at++ = s.command;
        *at++ = s.displacement;
        *at++ = s.force;
        *at++ = s.delay;
    }
    return at;
}

/* Fills the row of the current step; keeps peaks, energy, drift and errors. False when something is no longer finite.
 */
static bool sample(struct run *r, size_t *column)
{
    const double t = r->row[0] = (double)r->motion.step * r->e->time.step;
    const size_t multipliers = yk_motion_multipliers(&r->motion);
    double *at = r->row + 1, *reference = r->row + r->width - (r->own_copy ? yk_dof_count(r->e, false) : 0);
    struct yk_energy sum = {0};
    bool near = true;

    for (size_t k = 0; k < r->e->substructure_count; k++) {
        struct yk_system *system = r->e->substructures[k].system;

        yk_motion_now(&r->motion, k, r->u, r->v, r->a);
        column[k] = (size_t)(at - r->row);
        for (size_t i = 0; i < system->n; i++, at += 3) {
            at[0] = r->u[i];
            at[1] = r->v[i];
            at[2] = r->a[i];
            near = near && fabs(r->u[i]) < FAR_AWAY;
        }
        yk_experiment_load_at(r->e, k, t, r->f);
        system->ops->account(system->self, r->f, r->u, r->v, &r->account[k]);
        sum.kinetic += r->account[k].kinetic;
        sum.stored += r->account[k].stored;
        sum.dissipated += r->account[k].dissipated;
        sum.work += r->account[k].work;
        if (r->own_copy)
            reference = compare(r, k, reference);
    }
    measure_drift(r, column);
    if (multipliers)
        memcpy(at, yk_motion_lambda(&r->motion), multipliers * sizeof *at);
    close_energy(r, &sum, sample_actuators(r, sample_signals(r, t, at + multipliers)));
    for (size_t i = 1; i < r->width; i++)
        r->result->peaks[i] = fmax(r->result->peaks[i], fabs(r->row[i]));
    return near;
}

/* After a fine substep, and once at the start: a row of the fine stream. */
static void sample_fine(void *self, double t)
{
    struct run *r = self;
    double *at = r->fine_row;

    if (!r->recorder)
        return;
    *at++ = t;
    for (size_t k = 0; k < r->e->substructure_count; k++)
        if (r->e->fine[k]) {
            yk_motion_now(&r->motion, k, r->u, r->v, r->a);
            for (size_t i = 0; i < r->e->substructures[k].system->n; i++) {
                *at++ = r->u[i];
                *at++ = r->v[i];
            }
        }
    r->record_failed = r->record_failed || yk_recorder_push_waiting(r->recorder, 1, r->fine_row);
}

static void stop(struct run *r, enum yk_status status, const char *why)
{
    r->result->status = status;
    snprintf(r->result->reason, sizeof r->result->reason, "%s at step %ld (t = %g s)", why, r->motion.step,
             (double)r->motion.step * r->e->time.step);
}

static void keep_tracking(const struct run *r)
{
    struct yk_station *station = r->e->station;
    size_t n = yk_station_count(station);

    n = n < YK_TRACKED ? n : YK_TRACKED;
    for (size_t i = 0; i < n; i++) {
        struct yk_tracked *t = &r->result->tracked[i];

        snprintf(t->actuator, sizeof t->actuator, "%s", yk_station_name(station, i));
        t->indices = yk_station_tracking(station, i);
        t->delay_used_s = yk_station_state(station, i).delay;
    }
    r->result->tracked_count = n;
}

/* Steps until the end or a reason to stop. */
static void loop(struct run *r, struct yk_run_control *control, size_t *column)
{
    enum yk_status st = YK_OK;

    if (r->motion.problem)
        sample_fine(r, 0);
    for (;;) {
        const bool near = sample(r, column);

        const char *trip = yk_station_trip(r->e->station);

        if (r->recorder && (r->record_failed || yk_recorder_push_waiting(r->recorder, 0, r->row)))
            stop(r, YK_E_IO, "the recording failed");
        else if (st || !near)
            stop(r, YK_E_DIVERGED, "the motion diverged");
        else if (*trip)
            stop(r, YK_E_STOPPED, trip);
        else if (r->motion.step < r->e->steps && atomic_load_explicit(&control->stop, memory_order_relaxed))
            stop(r, YK_E_STOPPED, "stopped by request");
        if (r->result->status || r->motion.step == r->e->steps)
            return;
        const int64_t begin = yk_clock_now_ns();
        st = yk_motion_step(&r->motion);
        yk_timing_add(&r->result->timing, yk_clock_now_ns() - begin);
        atomic_store_explicit(&control->step, r->motion.step, memory_order_relaxed);
        if (r->own_copy && advance_reference(r)) {
            stop(r, YK_E_DIVERGED, "the reference solution diverged");
            return;
        }
    }
}

static enum yk_status allocate(struct run *r, struct yk_err *err)
{
    const struct yk_experiment *e = r->e;
    size_t most = 1;

    for (size_t k = 0; k < e->substructure_count; k++)
        most = e->substructures[k].system->n > most ? e->substructures[k].system->n : most;
    r->width = 1 + 3 * yk_dof_count(e, false) + yk_motion_multipliers(&r->motion) + yk_signal_count(e) +
               YK_ACTUATOR_CHANNELS * yk_station_count(e->station) + YK_ENERGIES +
               (e->reference ? yk_dof_count(e, false) : 0);
    r->u = calloc(4 * most, sizeof *r->u);
    r->row = calloc(r->width, sizeof *r->row);
    r->fine_row = calloc(1 + 2 * yk_dof_count(e, true), sizeof *r->fine_row);
    r->account = calloc(e->substructure_count, sizeof *r->account);
    r->result->peaks = calloc(r->width, sizeof *r->result->peaks);
    if (!r->u || !r->row || !r->fine_row || !r->account || !r->result->peaks)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    r->v = r->u + most;
    r->a = r->u + 2 * most;
    r->f = r->u + 3 * most;
    return YK_OK;
}

static enum yk_status open_run(struct run *r, int threads, struct yk_err *err)
{
    enum yk_status st;

    if ((st = yk_motion_open(&r->motion, r->e, 0, threads, err)) || (st = allocate(r, err)))
        return st;
    if (yk_motion_start(&r->motion))
        return yk_fail(err, YK_E_DIVERGED, "%s: the force at t = 0 is not a finite number", r->e->path);
    r->motion.coupling.on_fine = sample_fine;
    r->motion.coupling.on_fine_self = r;
    return r->e->reference ? open_reference(r, err) : YK_OK;
}

static void close_run(struct run *r)
{
    if (r->reference.integrator.ops)
        yk_domain_destroy(&r->reference);
    yk_experiment_destroy(r->own_copy);
    yk_motion_close(&r->motion);
    free(r->u);
    free(r->row);
    free(r->fine_row);
    free(r->account);
}

enum yk_status yk_run_offline(const struct yk_experiment *experiment, int threads, struct yk_recorder *recorder,
                              struct yk_run_control *control, struct yk_run_result *result, struct yk_err *err)
{
    struct run r = {.e = experiment, .recorder = recorder, .result = result};
    size_t *column = calloc(experiment->substructure_count, sizeof *column);
    const int64_t begin = yk_clock_now_ns();
    enum yk_status st;

    *result = (struct yk_run_result){0};
    st = column ? open_run(&r, threads, err) : yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!st) {
        loop(&r, control, column);
        keep_tracking(&r);
        if (experiment->station) /* however the run ended, the actuators come to rest */
            yk_station_retire(experiment->station);
        result->steps = r.motion.step;
        result->finished = r.motion.step == experiment->steps && !result->status;
        if (r.own_copy) {
            result->has_reference = true;
            result->error_u = sqrt(r.sum_du / (r.sum_u > 0 ? r.sum_u : 1));
            result->error_v = sqrt(r.sum_dv / (r.sum_v > 0 ? r.sum_v : 1));
        }
    }
    result->wall_s = 1e-9 * (double)(yk_clock_now_ns() - begin);
    free(column);
    close_run(&r);
    return st;
}
