/* Delays of what was measured: of the actuators of a recording, and of two signals. What cannot be judged is
 * refused: samples that are not evenly spaced, signals that do not move, a delay at the end of the range. */
#include "measured.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/recording.h>

#define UNEVEN 0.1 /* of a step: more than clocks and rounded digits jitter */

/* Index of the first sample that is not where evenly spaced ones are; n: none. */
static size_t find_uneven(size_t n, const double *t, double *dt)
{
    *dt = n > 1 ? (t[n - 1] - t[0]) / (double)(n - 1) : 0;
    for (size_t k = 1; k < n; k++)
        if (!(t[k] > t[k - 1]) || !(fabs(t[k] - t[0] - (double)k * *dt) <= UNEVEN * *dt))
            return k;
    return n;
}

static enum yk_status check_fit(const struct yk_delay_fit *fit, double longest, double dt, struct yk_err *err)
{
    if (fabs(fit->delay_s) > longest - 0.01 * dt)
        return yk_fail(
            err, YK_E_RANGE,
            "the best delay lies at the end of the range, %g s: raise --longest, unless the two signals are unrelated",
            longest);
    return YK_OK;
}

/* ---- recordings ---- */

/* The actuators are those with a channel "<name>.target". */
static size_t find_actuators(const struct yk_recording *recording, int stream, struct yk_delay_report *reports)
{
    static const char ending[] = ".target";
    size_t count = 0;

    for (size_t i = 0; i < yk_recording_channels(recording, stream); i++) {
        const struct yk_channel *c = yk_recording_channel(recording, stream, i);
        const size_t length = strlen(c->name), tail = sizeof ending - 1;

        if (length <= tail || strcmp(c->name + length - tail, ending) != 0)
            continue;
        snprintf(reports[count].actuator, sizeof reports->actuator, "%.*s", (int)(length - tail), c->name);
        reports[count++].turns = strcmp(c->unit, "rad") == 0;
    }
    return count;
}

static enum yk_status report_one(struct yk_recording *recording, int stream, double dt, double longest,
                                 struct yk_delay_report *r, struct yk_err *err)
{
    const size_t n = yk_recording_rows(recording, stream);
    struct yk_delay_log log = {0};
    enum yk_status st;

    if (!(st = yk_take_channel(recording, stream, r->actuator, ".target", &log.target, err)) &&
        !(st = yk_take_channel(recording, stream, r->actuator, ".command", &log.command, err)) &&
        !(st = yk_take_channel(recording, stream, r->actuator, yk_tracked_channel(recording, stream, r->actuator),
                               &log.measured, err)) &&
        !(st = yk_evaluate_delays(n, dt, longest, &log, r, err)) && !(st = check_fit(&r->command, longest, dt, err)))
        st = check_fit(&r->target, longest, dt, err);
    free(log.target);
    free(log.command);
    free(log.measured);
    return st;
}

static enum yk_status report_all(struct yk_recording *recording, double longest, struct yk_delay_report *reports,
                                 size_t count, struct yk_err *err)
{
    const int stream = yk_recording_stream(recording, "system");
    const size_t n = yk_recording_rows(recording, stream);
    double *time = NULL, dt = 0;
    bool moved = false;
    enum yk_status st = yk_take_channel(recording, stream, "", "time", &time, err);

    if (!st && n > 0 && find_uneven(n, time, &dt) < n)
        st = yk_fail(err, YK_E_INPUT, "its samples are not evenly spaced");
    free(time);
    if (!(longest > 0))
        longest = yk_delay_longest(n, dt);
    for (size_t i = 0; i < count && !st; i++) {
        if ((st = report_one(recording, stream, dt, longest, &reports[i], err)))
            yk_fail_within(err, (struct yk_where){0}, "actuator %s: ", reports[i].actuator);
        moved |= isfinite(reports[i].command.delay_s);
    }
    if (!st && !moved)
        st = yk_fail(err, YK_E_INPUT, "no actuator moved on command: constant signals have no delay");
    return st;
}

enum yk_status recorded_delays(struct yk_recording *recording, const char *path, double longest,
                               struct yk_delay_report **reports, size_t *count, struct yk_err *err)
{
    const int stream = yk_recording_stream(recording, "system");
    enum yk_status st = YK_OK;

    *count = 0;
    *reports = NULL;
    if (stream < 0)
        return yk_fail(err, YK_E_INPUT, "the recording has no system steps: no method led this run");
    if (!(*reports = calloc(yk_recording_channels(recording, stream) + 1, sizeof **reports)))
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    else if ((*count = find_actuators(recording, stream, *reports)) == 0)
        st = yk_fail(err, YK_E_INPUT, "the run had no specimen: there is no actuator to measure");
    else
        st = report_all(recording, longest, *reports, *count, err);
    if (st) {
        free(*reports);
        *reports = NULL;
        *count = 0;
        yk_fail_within(err, (struct yk_where){.file = path}, "%s", "");
    }
    return st;
}

/* ---- two signals ---- */

enum yk_status signals_delay(size_t n, double dt, const double *command, const double *measured, double longest,
                             struct yk_delay_fit *fit, struct yk_track *track, struct yk_err *err)
{
    enum yk_status st;

    if (!(longest > 0))
        longest = yk_delay_longest(n, dt);
    if ((st = yk_delay_fit(n, dt, command, measured, longest, fit, err)) || (st = check_fit(fit, longest, dt, err)))
        return st;
    return yk_track_signals(n, dt, command, measured, track, err);
}
