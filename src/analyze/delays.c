/* How the actuators of a hybrid experiment track: delays by least squares, amplitude, errors and the indices of
 * track.c, from a run. */
#include <yoke/analyze.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Samples of one actuator at every step. */
struct log {
    double *target, *command, *measured;
};

static enum yk_status take_log(const struct yk_experiment *e, size_t n, const struct log *log, struct yk_err *err)
{
    struct yk_motion m;
    enum yk_status st = yk_motion_open(&m, e, 0, 1, err);

    if (st)
        return st;
    st = yk_motion_start(&m);
    for (long k = 0; !st; k++) {
        const struct yk_actuator_state s = yk_station_state(e->station, n);

        log->target[k] = s.target;
        log->command[k] = s.command;
        log->measured[k] = s.displacement;
        if (k == e->steps)
            break;
        if ((st = yk_motion_step(&m)))
            yk_fail(err, st, "%s: the motion diverged at step %ld", e->path, m.step);
    }
    yk_motion_close(&m);
    return st;
}

/* The delay from x to y, negative where y is early. */
static enum yk_status signed_delay(const struct yk_experiment *e, const double *x, const double *y, double *delay,
                                   struct yk_err *err)
{
    const size_t n = (size_t)e->steps + 1;
    const double longest = fmin(0.2, 0.1 * e->time.end);
    double late, early;
    enum yk_status st;

    if ((st = yk_delay_least_squares(n, e->time.step, x, y, longest, n / 10, &late, err)) ||
        (st = yk_delay_least_squares(n, e->time.step, y, x, longest, n / 10, &early, err)))
        return st;
    *delay = late >= early ? late : -early;
    return YK_OK;
}

static enum yk_status evaluate(const struct yk_experiment *e, const struct log *log, struct yk_delay_report *r,
                               struct yk_err *err)
{
    double target = 0, measured = 0, error = 0;
    enum yk_status st;

    for (long k = 0; k <= e->steps; k++) {
        const double d = log->target[k] - log->measured[k];

        target += log->target[k] * log->target[k];
        measured += log->measured[k] * log->measured[k];
        error += d * d;
        r->peak_m = fmax(r->peak_m, fabs(d));
    }
    r->amplitude = r->nrms = r->command_delay_s = r->target_delay_s = NAN;
    if (!(target > 0)) /* never told to move */
        return yk_track_signals((size_t)e->steps + 1, e->time.step, log->target, log->measured, &r->track, err);
    r->amplitude = sqrt(measured / target);
    r->nrms = sqrt(error / target);
    if ((st = signed_delay(e, log->command, log->measured, &r->command_delay_s, err)))
        return st;
    if ((st = signed_delay(e, log->target, log->measured, &r->target_delay_s, err)))
        return st;
    return yk_track_signals((size_t)e->steps + 1, e->time.step, log->target, log->measured, &r->track, err);
}

enum yk_status yk_measure_delays(const struct yk_experiment *e, struct yk_delay_report **reports, size_t *count,
                                 struct yk_err *err)
{
    const size_t samples = (size_t)e->steps + 1;
    double *memory = malloc(3 * samples * sizeof *memory);
    const struct log log = {memory, memory ? memory + samples : NULL, memory ? memory + 2 * samples : NULL};
    enum yk_status st = YK_OK;

    *count = yk_station_count(e->station);
    *reports = calloc(*count + 1, sizeof **reports);
    if (!memory || !*reports)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    else if (*count == 0)
        st = yk_fail(err, YK_E_INPUT, "%s: no substructure is physical: there is no actuator to measure", e->path);
    for (size_t n = 0; n < *count && !st; n++) {
        struct yk_delay_report *r = &(*reports)[n];

        snprintf(r->actuator, sizeof r->actuator, "%s", yk_station_name(e->station, n));
        if (!(st = take_log(e, n, &log, err)))
            st = evaluate(e, &log, r, err);
    }
    free(memory);
    if (st) {
        free(*reports);
        *reports = NULL;
        *count = 0;
    }
    return st;
}
