/* The offline engine: advances an experiment as fast as it can, and accounts for what happened. */
#ifndef YOKE_ENGINE_H
#define YOKE_ENGINE_H

#include <stdatomic.h>
#include <stdint.h>
#include <yoke/analyze.h>
#include <yoke/experiment.h>
#include <yoke/record.h>

/* Durations in a fixed table of counters, eight to a factor of two: adding is a few instructions and never allocates.
 */
enum { YK_TIMING_BUCKETS = 512 };
struct yk_timing {
    uint64_t count, bucket[YK_TIMING_BUCKETS];
    int64_t largest_ns;
};
void yk_timing_add(struct yk_timing *timing, int64_t ns) YK_RT;
/* The duration that a fraction of the samples does not exceed (within the width of a bucket, 9 %) [s]. */
double yk_timing_percentile(const struct yk_timing *timing, double fraction);

/* What another thread may watch and ask for while a run goes on. */
struct yk_run_control {
    atomic_long step;
    atomic_bool stop; /* set it to end the run after the current step */
};

/* How well an actuator tracked. */
enum { YK_TRACKED = 64 }; /* most actuators in the summary */
struct yk_tracked {
    char actuator[48];
    struct yk_tracking_indices indices;
    double delay_used_s; /* compensated at the end */
    bool has_track;      /* false until yk_run_track */
    struct yk_track track;
};

struct yk_run_result {
    enum yk_status status; /* YK_OK, YK_E_STOPPED, YK_E_DIVERGED, or a failure of the recording */
    char reason[160];      /* why it stopped; "" when it came to the end */
    long steps;            /* made */
    bool finished;
    double wall_s;
    struct yk_timing timing; /* of each step */
    struct yk_energy energy;
    double energy_scale;     /* largest total energy or work met [J] */
    double energy_error;     /* largest |kinetic + stored + dissipated - work - initial| [J] */
    double *peaks;           /* largest |value| of each channel, by channel; NULL until the run */
    double drift_u, drift_v; /* largest gap of an interface row, displacement and velocity */
    size_t tracked_count;
    struct yk_tracked tracked[YK_TRACKED];
    bool has_reference;
    double error_u, error_v, error_u_max; /* against the reference: NRMS of u and of v, largest |u - u_ref| */
};

/* Channels of a run. System step: time, then u, v, a of every degree of freedom, multipliers, signals of the loads,
 * energies, and the reference if there is one. Fine step (coupled runs): time, then u, v of the fine degrees of
 * freedom; count 0 where there is none. */
struct yk_run_channels {
    struct yk_channel *channels;
    size_t count;
    struct yk_channel *fine;
    size_t fine_count;
};
void yk_run_channels_free(struct yk_run_channels *channels);
enum yk_status yk_run_channels(const struct yk_experiment *experiment, struct yk_run_channels *out, struct yk_err *err);

/* Runs to the end, a stop or a divergence; rows of the system step go to `recorder` (may be NULL), stream 0, those of
 * the fine step to stream 1. threads: see yk_motion_open. A failure to set up returns a status; what happens during the
 * run is in the result. Free result->peaks after use. */
enum yk_status yk_run_offline(const struct yk_experiment *experiment, int threads, struct yk_recorder *recorder,
                              struct yk_run_control *control, struct yk_run_result *result, struct yk_err *err);

/* What the closed recording of the run tells of the actuators, into result->tracked. */
enum yk_status yk_run_track(struct yk_run_result *result, const char *path, struct yk_err *err);
/* The text of summary.json; malloc'd. */
char *yk_run_summary(const struct yk_experiment *experiment, const struct yk_run_channels *channels,
                     const struct yk_run_result *result, uint64_t dropped);
/* "lsrt2 (gamma = 0.292893, ...)": the method with its settings; malloc'd. */
char *yk_method_text(const struct yk_experiment *experiment);
const char *yk_build_id(void);

#endif
