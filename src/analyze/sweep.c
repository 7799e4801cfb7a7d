/* A swept sine through an actuator, and frequency responses. docs/theory/control.md, eq. (53)-(55), (62), (63).
 * Units: m, s, Hz. */
#include "transfer/station.h"
#include <yoke/identification.h>
#include <yoke/linalg.h>

#include <complex.h>
#include <stdio.h>
#include <stdlib.h>

#define TWO_PI 6.283185307179586

enum { MOST_TICKS = 20000000 };
enum { HALVINGS = 3 }; /* of the amplitude of a sine that trips a limit */

struct yk_sweep yk_sweep_defaults(void)
{
    return (struct yk_sweep){.from_Hz = 0.1, .to_Hz = 20, .amplitude_m = 0.010, .duration_s = 60};
}

void yk_sweep_free(struct yk_sweep_record *record)
{
    free(record->command);
    free(record->measured);
    *record = (struct yk_sweep_record){0};
}

/* eq. (53) */
YK_RT double yk_sweep_at(const struct yk_sweep *s, double t)
{
    const double rate = (s->to_Hz - s->from_Hz) / s->duration_s, left = (s->duration_s - t) / (0.05 * s->duration_s);

    if (t >= s->duration_s)
        return 0;
    return s->amplitude_m * fmin(left, 1) * sin(TWO_PI * (s->from_Hz + 0.5 * rate * t) * t);
}

enum yk_status yk_sweep_check(const struct yk_sweep *s, double tick, struct yk_err *err)
{
    if (!(tick > 0 && isfinite(tick)))
        return yk_fail(err, YK_E_RANGE, "sweep: tick %g s is not positive", tick);
    if (!(s->from_Hz >= 0 && s->from_Hz < s->to_Hz && s->to_Hz < 0.5 / tick))
        return yk_fail(err, YK_E_RANGE,
                       "sweep from %g to %g Hz: it must rise, and end below %g Hz, half the control rate", s->from_Hz,
                       s->to_Hz, 0.5 / tick);
    if (!(s->amplitude_m > 0 && isfinite(s->amplitude_m)))
        return yk_fail(err, YK_E_RANGE, "sweep: amplitude %g m is not positive", s->amplitude_m);
    if (!(s->duration_s * s->to_Hz >= 10 && s->duration_s / tick < MOST_TICKS))
        return yk_fail(err, YK_E_RANGE, "sweep: duration %g s is outside %g .. %g s (10 / to, %d ticks)", s->duration_s,
                       10 / s->to_Hz, MOST_TICKS * tick, MOST_TICKS);
    return YK_OK;
}

/* Which actuator record i is of. */
static size_t watched(const struct yk_swept *w, size_t i)
{
    return w->watched ? w->watch[i] : w->actuator;
}

static size_t record_count(const struct yk_swept *w)
{
    return w->watched ? w->watched : 1;
}

size_t yk_sweep_ticks(const struct yk_sweep *s, double tick_s)
{
    return (size_t)((s->duration_s + fmax(0.1 * s->duration_s, 1)) / tick_s);
}

size_t yk_sweep_quiet(const struct yk_sweep *s, double tick_s)
{
    const double n = (double)yk_sweep_ticks(s, tick_s);

    return (size_t)(n - 0.5 * (n - s->duration_s / tick_s));
}

/* Tick by tick; then the offsets, from the second half of the rest at the end. */
static enum yk_status drive(struct yk_sweep_record *records, const struct yk_swept *w, const struct yk_sweep *s,
                            double *command, struct yk_rig_in *in, struct yk_err *err)
{
    const size_t n = records->n, quiet = yk_sweep_quiet(s, records->tick_s);
    enum yk_status st = w->rig->rest(w->self, command, in, err);

    for (size_t k = 0; k < n && !st; k++) {
        command[w->actuator] = yk_sweep_at(s, (double)k * records->tick_s);
        if (w->rig->exchange(w->self, &(struct yk_rig_out){.command = command}, in) == YK_RIG_LOST)
            return yk_fail(err, YK_E_IO, "sweep: the rig was lost after %g s", (double)k * records->tick_s);
        for (size_t i = 0; i < record_count(w); i++) {
            struct yk_sweep_record *r = &records[i];

            r->command[k] = command[w->actuator];
            r->measured[k] = in->readings[watched(w, i)].displacement;
            r->offset += k >= quiet ? r->measured[k] / (double)(n - quiet) : 0;
        }
    }
    for (size_t i = 0; i < record_count(w) && !st; i++)
        if (!yk_all_finite(n, records[i].measured))
            st = yk_fail(err, YK_E_DIVERGED, "sweep: the actuator diverged");
    return st;
}

/* Room for all ticks; what was made is freed by the caller. */
static bool make_records(struct yk_sweep_record *records, const struct yk_swept *w, const struct yk_sweep *s,
                         double tick)
{
    bool made = true;

    for (size_t i = 0; i < record_count(w); i++) {
        struct yk_sweep_record *r = &records[i];

        r->n = yk_sweep_ticks(s, tick);
        r->command = calloc(r->n, sizeof *r->command);
        r->measured = calloc(r->n, sizeof *r->measured);
        made = made && r->command && r->measured;
    }
    return made;
}

enum yk_status yk_sweep_run(struct yk_sweep_record *records, const struct yk_swept *swept, double tick_s,
                            const struct yk_sweep *sweep, struct yk_err *err)
{
    enum yk_status st = yk_sweep_check(sweep, tick_s, err);
    struct yk_reading *readings = calloc(swept->count, sizeof *readings);
    double *command = calloc(swept->count + swept->sensors + 1, sizeof *command);

    for (size_t i = 0; i < record_count(swept); i++)
        records[i] = (struct yk_sweep_record){.tick_s = tick_s};
    if (!st) {
        if (make_records(records, swept, sweep, tick_s) && readings && command)
            st = drive(records, swept, sweep, command,
                       &(struct yk_rig_in){.readings = readings, .sensors = command + swept->count}, err);
        else
            st = yk_fail(err, YK_E_MEMORY, "out of memory for a sweep of %zu ticks", records->n);
    }
    free(readings);
    free(command);
    for (size_t i = 0; i < record_count(swept) && st; i++)
        yk_sweep_free(&records[i]);
    return st;
}

/* ---- responses ---- */

void yk_sweep_frequencies(const struct yk_sweep *sweep, size_t count, double *frequency_Hz)
{
    const double low = fmax(sweep->from_Hz, 1e-3 * sweep->to_Hz),
                 high = sweep->to_Hz - 0.05 * (sweep->to_Hz - sweep->from_Hz);

    for (size_t i = 0; i < count; i++)
        frequency_Hz[i] = low * pow(high / low, (double)i / (double)(count - 1));
}

struct yk_response yk_response_of(double f, double complex H, const struct yk_response *before)
{
    const double expected = before ? -TWO_PI * f * before->delay_s : 0;
    const double phase = expected + remainder(carg(H) - expected, TWO_PI);

    return (struct yk_response){f, cabs(H), phase, f > 0 ? -phase / (TWO_PI * f) : 0};
}

/* eq. (54): both signals begin and end at rest, so that the ratio of their transforms is exact; eq. (55): less the
 * hold.
 */
double complex yk_sweep_transfer(const struct yk_sweep_record *r, double frequency_Hz)
{
    const double w = TWO_PI * frequency_Hz * r->tick_s, c1 = cos(w), s1 = sin(w);
    double c = 1, s = 0, u[2] = {0}, y[2] = {0};

    for (size_t k = 0; k < r->n; k++) { /* c - j s: e^{-j w k}, turned on, and set anew before rounding adds up */
        const double next = c * c1 - s * s1, moved = r->measured[k] - r->offset;

        u[0] += c * r->command[k];
        u[1] -= s * r->command[k];
        y[0] += c * moved;
        y[1] -= s * moved;
        s = s * c1 + c * s1;
        c = next;
        if (k % 256 == 255) {
            c = cos(w * (double)(k + 1));
            s = sin(w * (double)(k + 1));
        }
    }
    const double complex H = (y[0] + I * y[1]) / (u[0] + I * u[1]);
    return w > 0 ? H * cexp(-0.5 * I * w) * (0.5 * w / sin(0.5 * w)) : H;
}

void yk_sweep_response(const struct yk_sweep_record *record, size_t count, const double *frequency_Hz,
                       struct yk_response *response)
{
    for (size_t i = 0; i < count; i++)
        response[i] =
            yk_response_of(frequency_Hz[i], yk_sweep_transfer(record, frequency_Hz[i]), i ? &response[i - 1] : NULL);
}

void yk_lags_response(const struct yk_lags *m, size_t count, const double *frequency_Hz, struct yk_response *response)
{
    for (size_t i = 0; i < count; i++) {
        const double complex s = I * TWO_PI * frequency_Hz[i];

        const double complex lag =
            m->damping > 0 ? m->T1 * m->T1 * s * s + 2 * m->damping * m->T1 * s + 1 : (m->T1 * s + 1) * (m->T2 * s + 1);

        response[i] =
            yk_response_of(frequency_Hz[i], m->gain * cexp(-m->dead_time * s) / lag, i ? &response[i - 1] : NULL);
    }
}

/* ---- target to measured ---- */

/* Sums of the normal equations for c0 + c1 cos + c2 sin of two signals. */
struct sums {
    double A[9], target[3], measured[3];
    double square; /* of the measured signal */
};

static void sums_add(struct sums *s, double angle, double target, double measured)
{
    const double basis[3] = {1, cos(angle), sin(angle)};

    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            s->A[3 * i + j] += basis[i] * basis[j];
        s->target[i] += basis[i] * target;
        s->measured[i] += basis[i] * measured;
    }
    s->square += measured * measured;
}

/* eq. (63); *other: rest of the measured signal, relative to the sine in it */
static enum yk_status sums_ratio(struct sums *s, double complex *ratio, double *other)
{
    const double samples = s->A[0], known[3] = {s->measured[0], s->measured[1], s->measured[2]};
    int pivot[3] = {0};
    struct yk_lu lu = {3, s->A, pivot};

    if (yk_lu_factor(&lu))
        return YK_E_SINGULAR;
    yk_lu_solve(&lu, s->target);
    yk_lu_solve(&lu, s->measured);
    *ratio = (s->measured[1] - I * s->measured[2]) / (s->target[1] - I * s->target[2]);
    *other =
        sqrt(fmax(s->square - yk_dot(3, known, s->measured), 0) / samples * 2) / hypot(s->measured[1], s->measured[2]);
    return YK_OK;
}

/* A sine at one frequency: two seconds and two periods of transients, then as much again to measure. */
static enum yk_status sine(struct yk_station *station, size_t actuator, double f, const struct yk_response *before,
                           struct yk_response_point *point, struct yk_err *err)
{
    const struct yk_pace pace = yk_station_pace(station);
    const double interval = pace.dt / pace.stages, amplitude = point->amplitude_m;
    const long settle = (long)ceil((2 + 2 / f) / interval), last = 2 * settle;
    struct sums sums = {0};
    double complex ratio;
    double *zero = calloc(yk_station_count(station), sizeof *zero);
    const enum yk_status st = zero ? yk_station_rest(station, zero, err)
                                   : yk_fail(err, YK_E_MEMORY, "out of memory for a frequency response");

    free(zero);
    if (st)
        return st;
    for (long k = 1; k <= last; k++) {
        const double t = (double)k * interval, angle = TWO_PI * f * t, x = amplitude * sin(angle);

        yk_station_set_target(station, actuator, x, TWO_PI * f * amplitude * cos(angle));
        yk_station_move(station, t);
        yk_station_reached(station, actuator, x, TWO_PI * f * amplitude * cos(angle), -TWO_PI * f * TWO_PI * f * x);
        if (k > settle)
            sums_add(&sums, angle, x,
                     yk_command_is_rate(yk_station_kind(station, actuator)) /* its targets are displacements */
                         ? yk_station_state(station, actuator).displacement
                         : yk_station_state(station, actuator).tracked);
        if (*yk_station_trip(station))
            return yk_fail(err, YK_E_RANGE, "frequency response at %g Hz: %s; lower the amplitude, now %g m", f,
                           yk_station_trip(station), amplitude);
    }
    if (sums_ratio(&sums, &ratio, &point->other) || !isfinite(creal(ratio)) || !isfinite(cimag(ratio)))
        return yk_fail(err, YK_E_DIVERGED, "frequency response at %g Hz: the loop of %s diverged", f,
                       yk_station_name(station, actuator));
    point->response = yk_response_of(f, ratio, before);
    return YK_OK;
}

static enum yk_status check_frequencies(const struct yk_pace *pace, size_t count, const double *f, struct yk_err *err)
{
    const double limit = 0.5 * pace->stages / pace->dt;

    for (size_t i = 0; i < count; i++)
        if (!(f[i] >= 1e-3 && f[i] < limit))
            return yk_fail(err, YK_E_RANGE,
                           "frequency response: %g Hz is outside 0.001 .. %g Hz, half the rate of the targets", f[i],
                           limit);
    return YK_OK;
}

double yk_sine_amplitude(struct yk_station *station, size_t actuator, double f)
{
    static const struct {
        enum yk_limit_kind kind;
        int power; /* of the angular frequency */
    } bounds[] = {
        {YK_LIMIT_DISPLACEMENT, 0}, {YK_LIMIT_VELOCITY, 1}, {YK_LIMIT_COMMAND_RATE, 1}, {YK_LIMIT_ACCELERATION, 2}};
    const struct yk_supervisor *supervisor = yk_station_supervisor(station);
    double largest = INFINITY;

    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        const double limit = yk_supervisor_limit(supervisor, bounds[i].kind, actuator);

        if (limit > 0)
            largest = fmin(largest, YK_SINE_SHARE * limit / pow(TWO_PI * f, bounds[i].power));
    }
    return largest;
}

static enum yk_status check_response(const struct yk_station *station, size_t actuator, double amplitude, size_t count,
                                     const double *frequency_Hz, struct yk_err *err)
{
    if (actuator >= yk_station_count(station))
        return yk_fail(err, YK_E_INPUT, "frequency response: there is no such actuator");
    if (!(amplitude > 0 && isfinite(amplitude)))
        return yk_fail(err, YK_E_RANGE, "frequency response: amplitude %g m is not positive", amplitude);
    const struct yk_pace pace = yk_station_pace(station);
    return check_frequencies(&pace, count, frequency_Hz, err);
}

enum yk_status yk_frequency_points(struct yk_station *station, size_t actuator, double amplitude_m, size_t count,
                                   const double *frequency_Hz, struct yk_response_point *points, struct yk_err *err)
{
    const struct yk_response *before = NULL;
    enum yk_status st = check_response(station, actuator, amplitude_m, count, frequency_Hz, err);

    for (size_t i = 0; i < count && !st; i++) {
        const double f = frequency_Hz[i];
        struct yk_response_point *p = &points[i];
        struct yk_err why = {0};

        *p = (struct yk_response_point){.response.frequency_Hz = f,
                                        .amplitude_m = fmin(amplitude_m, yk_sine_amplitude(station, actuator, f))};
        enum yk_status tried = sine(station, actuator, f, before, p, &why);

        for (int k = 0; k < HALVINGS && tried == YK_E_RANGE; k++) { /* it tripped */
            p->amplitude_m *= 0.5;
            tried = sine(station, actuator, f, before, p, &why);
        }
        if (tried)
            snprintf(p->missing, sizeof p->missing, "%.199s", yk_err_line(&why).text);
        else
            before = &p->response;
    }
    return st;
}

enum yk_status yk_frequency_response(struct yk_station *station, size_t actuator, double amplitude_m, size_t count,
                                     const double *frequency_Hz, struct yk_response *response, struct yk_err *err)
{
    enum yk_status st = check_response(station, actuator, amplitude_m, count, frequency_Hz, err);

    for (size_t i = 0; i < count && !st; i++) {
        struct yk_response_point p = {.amplitude_m = amplitude_m};

        if (!(st = sine(station, actuator, frequency_Hz[i], i ? &response[i - 1] : NULL, &p, err)))
            response[i] = p.response;
    }
    return st;
}
