/* How the actuators of a hybrid experiment track: delays by least squares, amplitude, errors and the indices of
 * track.c, from a run. */
#include "analyze/analyze.h"
#include "state/state.h"

#include <yoke/deviation.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static enum yk_status take_log(const struct yk_model *model, size_t n, const struct yk_delay_log *log,
                               struct yk_err *err)
{
    struct yk_state m;
    enum yk_status st = yk_model_state(model, &m, err);

    if (st)
        return st;
    st = yk_state_start(&m);
    for (long k = 0; !st; k++) {
        const struct yk_actuator_state s = yk_station_state(m.station, n);

        log->target[k] = s.target;
        log->command[k] = s.command;
        log->measured[k] = s.tracked;
        if (k == model->steps)
            break;
        if ((st = yk_state_step(&m)))
            yk_fail_at(err, st, YK_IN_FILE(model->path), "the motion diverged at step %ld", m.step);
    }
    yk_state_close(&m);
    return st;
}

enum yk_status yk_evaluate_delays(size_t n, double dt, double longest, const struct yk_delay_log *log,
                                  struct yk_delay_report *r, struct yk_err *err)
{
    struct yk_deviation d = {0};
    double measured = 0;
    enum yk_status st;

    for (size_t k = 0; k < n; k++) {
        yk_deviation_add(&d, log->target[k], log->measured[k]);
        measured += log->measured[k] * log->measured[k];
    }
    r->peak = d.peak;
    r->nrms = yk_deviation_nrms(&d, NAN);
    r->amplitude = NAN;
    r->command = r->target = (struct yk_delay_fit){NAN, NAN, NAN};
    if (d.square > 0) { /* it was told to move */
        r->amplitude = sqrt(measured / d.square);
        if ((st = yk_delay_fit(n, dt, log->command, log->measured, longest, &r->command, err)) ||
            (st = yk_delay_fit(n, dt, log->target, log->measured, longest, &r->target, err)))
            return st;
    }
    return yk_track_signals(n, dt, log->target, log->measured, &r->track, err);
}

enum yk_status yk_measure_delays(const struct yk_model *model, struct yk_delay_report **reports, size_t *count,
                                 struct yk_err *err)
{
    const size_t samples = (size_t)model->steps + 1;
    double *memory = malloc(3 * samples * sizeof *memory);
    const struct yk_delay_log log = {memory, memory ? memory + samples : NULL, memory ? memory + 2 * samples : NULL};
    enum yk_status st = YK_OK;

    *count = yk_station_count(model->station);
    *reports = calloc(*count + 1, sizeof **reports);
    if (!memory || !*reports)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    else if (*count == 0)
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(model->path),
                        "no substructure is physical: there is no actuator to measure");
    for (size_t n = 0; n < *count && !st; n++) {
        struct yk_delay_report *r = &(*reports)[n];

        snprintf(r->actuator, sizeof r->actuator, "%s", yk_station_name(model->station, n));
        r->turns = yk_station_turns(model->station, n);
        if (!(st = take_log(model, n, &log, err)))
            st = yk_evaluate_delays(samples, model->time.step, yk_delay_longest(samples, model->time.step), &log, r,
                                    err);
    }
    free(memory);
    if (st) {
        free(*reports);
        *reports = NULL;
        *count = 0;
    }
    return st;
}
