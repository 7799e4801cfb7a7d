/* Sweeps of an actuator and its frequency responses. docs/theory/control.md, eq. (53)-(56). For preparation only:
 * nothing here runs in the loop.
 *
 *     yk_sweep_run(&record, &swept, tick, &sweep, &err);     moves an actuator: command and reading at every tick
 *
 * The model that fits a sweep: yoke/identification.h. Actuators of a model without a rig: those of a stepping
 * (yoke/stepping.h). */
#ifndef YOKE_IDENTIFY_H
#define YOKE_IDENTIFY_H

#include <complex.h>
#include <yoke/station.h>

/* ---- the sweep ---- */

/* A sine whose frequency rises evenly in time; it fades in its last twentieth and is followed by a tenth of its
 * duration, one second at least, at rest. */
struct yk_sweep {
    double from_Hz, to_Hz; /* 0 <= from < to < half the control rate */
    double amplitude_m, duration_s;
};
struct yk_sweep yk_sweep_defaults(void); /* 0.1 to 20 Hz, 10 mm, 60 s */

enum yk_status yk_sweep_check(const struct yk_sweep *sweep, double tick_s, struct yk_err *err);
/* The command t after its beginning. */
double yk_sweep_at(const struct yk_sweep *sweep, double t) YK_RT;
/* How many ticks it takes with the rest at its end; the tick from which on the actuator has come to rest there. */
size_t yk_sweep_ticks(const struct yk_sweep *sweep, double tick_s);
size_t yk_sweep_quiet(const struct yk_sweep *sweep, double tick_s);

/* Sent command and measured displacement at the end of the same tick. */
struct yk_sweep_record {
    double tick_s;
    size_t n;
    double *command, *measured; /* m; owned */
    double offset;              /* of the reading, at rest after the sweep */
};

/* Sweeps one actuator of an open rig, without controller and compensator; the others stay at zero. The rig is brought
 * to rest first. */
struct yk_swept {
    const struct yk_rig_ops *rig;
    void *self;
    size_t count, actuator; /* of how many, which */
    size_t sensors;         /* of the rig, beside those of the actuators */
    size_t watched;         /* actuators whose displacements are recorded; 0: the one that is swept */
    const size_t *watch;    /* they are */
};
/* records: one for each watched actuator, with the same command */
enum yk_status yk_sweep_run(struct yk_sweep_record *records, const struct yk_swept *swept, double tick_s,
                            const struct yk_sweep *sweep, struct yk_err *err);
void yk_sweep_free(struct yk_sweep_record *record);

/* ---- frequency responses ---- */

struct yk_response {
    double frequency_Hz, magnitude;
    double phase_rad; /* continued from the frequency before; the first lies within half a turn */
    double delay_s;   /* -phase / (2 pi frequency) */
};

/* `count` frequencies evenly apart in their logarithm, up to where the sweep begins to fade. */
void yk_sweep_frequencies(const struct yk_sweep *sweep, size_t count, double *frequency_Hz);
/* From command to displacement, without the hold of a tick, at frequencies within the sweep. */
void yk_sweep_response(const struct yk_sweep_record *record, size_t count, const double *frequency_Hz,
                       struct yk_response *response);
double complex yk_sweep_transfer(const struct yk_sweep_record *record, double frequency_Hz);
/* Magnitude, phase and delay of H; the phase continues `before` (NULL: the first). */
struct yk_response yk_response_of(double frequency_Hz, double complex H, const struct yk_response *before);

/* From target to measured displacement: compensator, controller, plant, specimen and sensors of a station, at its step,
 * stages and tick. A sine of the amplitude is the target of one actuator, the others stay; magnitude and
 * phase are those of least squares at the due times, after transients. */
enum yk_status yk_frequency_response(struct yk_station *station, size_t actuator, double amplitude_m, size_t count,
                                     const double *frequency_Hz, struct yk_response *response, struct yk_err *err);

/* A point of such a response, or why there is none. */
struct yk_response_point {
    struct yk_response response; /* its frequency alone where the point is missing */
    double amplitude_m;          /* of its sine */
    double other;                /* rms of what is not the sine in the measured displacement, over rms of the sine */
    char missing[200];           /* "": it is there */
};
/* The share of a limit that a sine may use; the compensator adds to it. */
#define YK_SINE_SHARE 0.5
/* The amplitude up to which a sine stays within that share of the limits of an actuator. */
double yk_sine_amplitude(struct yk_station *station, size_t actuator, double frequency_Hz);
/* The same, with the amplitude lowered at each frequency where displacement, velocity, acceleration or rate would use
 * more than their share of the limits, and halved up to three times where a limit trips nevertheless. A point that
 * still trips, or diverges, is missing; the others stay. */
enum yk_status yk_frequency_points(struct yk_station *station, size_t actuator, double amplitude_m, size_t count,
                                   const double *frequency_Hz, struct yk_response_point *points, struct yk_err *err);

#endif
