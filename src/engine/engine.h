/* The engine: advances an experiment, as fast as possible or paced in real time, and reports what happened. The loop is
 * the same; only the clock and the rig differ. */
#ifndef YOKE_ENGINE_H
#define YOKE_ENGINE_H

#include "analyze/analyze.h"
#include "analyze/course.h"
#include "base/clock.h"
#include "engine/telemetry.h"
#include "record/audit.h"
#include "record/record.h"
#include "state/state.h"
#include <jansson.h>
#include <stdatomic.h>
#include <stdint.h>
#include <yoke/yoke.h>

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
/* A coarser table: bin i counts durations below 2^(i + 4) ns that are not in an earlier one, the last bin all others.
 */
void yk_timing_octaves(const struct yk_timing *timing, int64_t *bins, int count) YK_RT;

/* The counts in bins of half a factor of two, from the first that has any to the last: how many bins, and the upper end
 * of each [s]. Both arrays have room for YK_TIMING_BINS. */
enum { YK_TIMING_BINS = YK_TIMING_BUCKETS / 4 };
size_t yk_timing_histogram(const struct yk_timing *timing, double *upper_s, uint64_t *counts);

/* ---- control: what another thread may watch and request during a run ---- */

/* Requests and remarks of operators, and remarks of the rig, in the order in which they came. */
enum { YK_JOURNAL = 64, YK_REMARK = 200, YK_BY = 64 };
enum { YK_NOTICE = YK_EVENTS + 1 };
struct yk_journal_entry {
    int event;       /* enum yk_event; YK_EVENTS: a remark of an operator; YK_NOTICE: one of the rig */
    long step, tick; /* of the run, and of its supervisor */
    int64_t wall_ns; /* of the clock of the machine */
    atomic_bool complete;
    char words[YK_REMARK]; /* of a remark */
    char by[YK_BY];        /* who; "": not known */
};
struct yk_journal {
    atomic_uint count; /* those that found no room are counted, too */
    struct yk_journal_entry entries[YK_JOURNAL];
};

struct yk_run_control {
    atomic_long step, tick;
    atomic_int state;     /* enum yk_rig_state */
    atomic_uint requests; /* by event, bit by bit; the run takes them at its next tick or step */
    atomic_uint mode;     /* a control mode that is asked for: 4 (1 + actuator) + enum yk_mode; 0: none */
    struct yk_journal journal;
};
/* An operator's event: pause, resume, step or abort. Any thread, and signal handlers. */
void yk_run_request(struct yk_run_control *control, enum yk_event event);
void yk_run_request_by(struct yk_run_control *control, enum yk_event event,
                       const char *by); /* who, such as "terminal" */
/* Asks for a control mode (enum yk_mode) of an actuator that has two; `words` are kept as a remark. */
void yk_run_request_mode(struct yk_run_control *control, size_t actuator, int mode, const char *words, const char *by);
/* A remark of an operator; control characters become spaces, what is too long is cut off. False: there is no room. */
bool yk_run_remark(struct yk_run_control *control, const char *words, const char *by);
/* A remark of the rig; from the loop. */
void yk_run_notice(struct yk_run_control *control, const char *words) YK_RT;
const char *yk_journal_kind(const struct yk_journal_entry *entry);    /* "pause", "note", "rig" */
size_t yk_journal_count(const struct yk_journal *journal);            /* entries that are there */
struct yk_journal *yk_journal_copy(const struct yk_journal *journal); /* malloc'd; NULL: it is empty */

/* ---- timing ---- */

/* Timed parts of the loop; the waits of a paced run belong to none. */
#define YK_LOOP_PART_LIST(X)                                                                                           \
    X(COARSE, "coarse")                                                                                                \
    X(FINE, "fine")                                                                                                    \
    X(SYNC, "sync")                                                                                                    \
    X(TRANSFER, "transfer")                                                                                            \
    X(RIG, "rig")                                                                                                      \
    X(SAMPLE, "sample")
enum yk_loop_part {
#define X(id, word) YK_LOOP_##id,
    YK_LOOP_PART_LIST(X)
#undef X
        YK_LOOP_PARTS
};
const char *yk_loop_part_text(enum yk_loop_part stage);

#define YK_MISS_LIST(X)                                                                                                \
    X(WOKE_LATE, "woke late")                                                                                          \
    X(INTERRUPTED, "interrupted")                                                                                      \
    X(COMPUTED_LONG, "computed long")                                                                                  \
    X(RIG_LATE, "rig late")                                                                                            \
    X(COARSE_LATE, "coarse side late")
enum yk_miss_cause {
#define X(id, word) YK_MISS_##id,
    YK_MISS_LIST(X)
#undef X
        YK_MISS_CAUSES
};
const char *yk_miss_text(enum yk_miss_cause cause);

enum { YK_MISSES = 4096, YK_REFUSALS = 512 };
/* A deadline that was missed. */
struct yk_miss {
    long step; /* system step under way */
    enum yk_miss_cause cause;
    int64_t over_ns; /* by how much */
};

/* How the pace was kept. */
struct yk_pace_report {
    bool paced;                             /* on the wall clock */
    double scale, period_s;                 /* of wall time; of the beats, in wall time */
    char degraded[YK_REFUSALS];             /* what the machine or the rig refused; "": nothing */
    struct yk_timing lateness;              /* of every beat */
    struct yk_timing stages[YK_LOOP_PARTS]; /* of every step */
    long missed, missed_by[YK_MISS_CAUSES];
    long slipped;              /* periods by which the deadlines were moved on */
    long asked, answered_late; /* not paced, a rig in another process: ticks, and those with an answer after one tick */
    double longest_answer_s;
    struct yk_miss misses[YK_MISSES]; /* the first ones */
};

/* ---- a run ---- */

/* Who moves the specimens instead of the method of the file: a program elsewhere, or an operator. Its functions are
 * called between two control ticks, in the thread of the loop; limits, ramps, chains, recording and requests are those
 * of any run. Only the ticks are recorded, since the method computes nothing. */
enum yk_drive {
    YK_DRIVE_HOLD, /* the actuators stay where they are; in a run that is not paced, nothing happens */
    YK_DRIVE_MOVE, /* the specimens have got their targets (`set_target`) for the next step */
    YK_DRIVE_END,  /* ramp back and end */
};
struct yk_driver {
    void *self;
    double step; /* s between two targets; 0: time.step */
    /* The actuators stand at the start of this run. */
    void (*begin)(void *self, const struct yk_state *state);
    /* Decides what the actuators do until t, the end of the next step. A driver of a run that is not paced
     * may wait here for some milliseconds. */
    enum yk_drive (*next)(void *self, double t);
    /* Why it ended, where that is no regular end; "" otherwise. May be NULL. */
    const char *(*reason)(const void *self);
};

struct yk_reference;
struct yk_run_settings {
    int threads;            /* see yk_state_open */
    bool realtime;          /* paced, with real-time rights, and deadlines that trip; see yk_run_is_paced */
    bool approach;          /* the start ramp may begin at any position, see limits.position_error */
    int priority;           /* SCHED_FIFO level of the loop, the coarse side one below; 0: normal scheduling */
    int cpu, coarse_cpu;    /* cores; -1: any, -2: the last ones */
    double spin_s;          /* the last part of a wait, which polls the clock */
    struct yk_clock *clock; /* NULL: the machine's */
    const struct yk_reference *reference; /* computed ahead, shared with other runs; NULL: the run computes its own */
    struct yk_telemetry *telemetry;       /* NULL: none */
    const struct yk_driver *driver;       /* NULL: the method moves the specimens */
    const json_t *commissioning;          /* for the summary: yk_commissioning_check; NULL: none */
};
struct yk_run_settings yk_run_defaults(void);
/* Does a run take experiment->time.scale seconds of wall time for one of the test? Every run with `realtime`, and every
 * run whose rig does not simulate. */
bool yk_run_is_paced(const struct yk_model *model, const struct yk_run_settings *settings);

/* How well an actuator tracked. */
#define YK_MOST_OF_MARGIN 0.5 /* share of the delay at which the loop becomes unstable, from which a run warns */
enum { YK_TRACKED = 64 };     /* most actuators in the summary */
struct yk_tracked {
    char actuator[48];
    struct yk_tracking_indices indices;
    struct yk_compensated compensated; /* at the end */
    bool passive; /* passivity control, and what it did [J] */
    double generated, paid;
    double delay_share; /* what its residual delay is of the delay at which the loop becomes unstable; NAN: not known */
    char implausible_force[256]; /* what is wrong with its measured force; "": nothing */
    bool has_track;              /* false until yk_run_track */
    struct yk_track track;
};

/* The stability check of the loop with specimens before the run. */
struct yk_loop_report {
    bool judged;
    enum yk_loop_verdict verdict;
    double decay; /* 1/s, of the slowest motion; negative: growth */
    char words[640];
    /* Predicted with the virtual rig; NAN: not found. Delay that may be added, the whole one of an actuator at which
     * the loop becomes unstable [s], and factor on the measured forces. */
    double margin_s, unstable_at_s, gain;
};

/* Statistics of the wire to a rig in another process; numbers of messages. */
struct yk_wire_report {
    bool used;                 /* false: the rig is in this process, or a plugin that reports nothing */
    uint64_t held;             /* ticks without new readings                               */
    uint64_t missing;          /* readings that never came or came too late                */
    uint64_t stale;            /* readings that came twice or after a newer one           */
    uint64_t far;              /* readings whose number was too far ahead to be true       */
    uint64_t resent;           /* commands that were sent again (lock-step)                */
    uint64_t damaged;          /* not a message of this version                   */
    uint64_t forged, replayed; /* with a key: not of the rig, or not of now */
    uint64_t strangers;        /* UDP: from another address than the rig's       */
};

/* Steps in which the iteration of a nonlinear member came to its bound. */
struct yk_unconverged {
    unsigned long steps, members; /* how many, and the states of members in them */
    long first, last;             /* the first and the last of these steps */
    size_t substructure;          /* of the last one: a member that did */
    char member[64];
};

struct yk_provenance;
/* A point of a quasi-static test: mean readings over the pause after a step, or at the end of a way without pauses. */
struct yk_static_point {
    size_t leg; /* of the path */
    double target, displacement, force;
};

struct yk_run_result {
    enum yk_status status; /* YK_OK, YK_E_STOPPED, YK_E_DIVERGED, or a failure of the recording */
    char reason[640];      /* why it stopped; "" when it came to the end */
    long steps;            /* made */
    bool finished;
    uint64_t dropped; /* rows that found no room in the recorder */
    double wall_s;
    struct yk_timing timing;     /* of each step */
    struct yk_pace_report *pace; /* malloc'd */
    enum yk_rig_state state;     /* at the end */
    struct yk_trip trip;         /* the first trip, if any */
    unsigned long warnings;      /* of limits that only warn, and the first of them */
    char warning[256];
    char tripped[256];     /* what tripped, in words; "" where nothing did */
    struct yk_trip warned; /* the first warning, as data */
    struct yk_wire_report wire;
    const struct yk_provenance *provenance; /* the caller's, for the summary; NULL: none */
    struct yk_journal *journal;             /* a copy of that of the control, malloc'd; NULL: empty */
    const json_t *commissioning;            /* the caller's, for the summary: yk_commissioning_check; NULL: none */
    struct yk_audit_anchor audit;           /* the caller's: last line of this run in the audit log; line 0: none */
    int64_t began_ns;                       /* of the clock of the machine */
    struct yk_energy energy;
    double energy_scale;     /* largest total energy or work met [J] */
    double energy_error;     /* largest |kinetic + stored + dissipated - work - initial| [J] */
    double *peaks;           /* largest |value| of each channel, by channel; NULL until the run */
    double drift_u, drift_v; /* largest gap of an interface row, displacement and velocity */
    double largest_u;        /* largest displacement of all */
    struct yk_course course; /* for the verdict */
    struct yk_unconverged unconverged;
    size_t tracked_count;
    struct yk_tracked tracked[YK_TRACKED];
    size_t point_count;
    struct yk_static_point *points; /* malloc'd; NULL: no quasi-static test */
    bool has_reference;
    struct yk_loop_report loop;           /* the caller's; for the summary */
    double error_u, error_v, error_u_max; /* against the reference: NRMS of u and of v, largest |u - u_ref| */
    char reference_note[320]; /* which models the reference was made with, where some are reduced; "" elsewhere */
};
/* After a run whose `loop` is known: warns of actuators that were late by more than half of the delay at which the loop
 * becomes unstable. */
void yk_run_judge_delays(struct yk_run_result *result);
void yk_run_result_free(struct yk_run_result *result);

/* The channels of a run, by stream: rows of the system steps; of the fine steps, in coupled runs; of the control ticks,
 * in runs with specimens. A count of 0: no such rows. They follow from the table of channels.h. */
struct yk_run_channels {
    struct yk_stream streams[YK_STREAMS];
    long every[YK_STREAMS];   /* n-th row is recorded */
    size_t known[YK_STREAMS]; /* how many are recorded by default */
    bool few;                 /* they were too many: only essential ones are recorded */
};
/* The streams of a recording, in the order in which yk_run numbers them; those without channels are left out. Returns
 * how many. */
size_t yk_run_streams(const struct yk_run_channels *channels, struct yk_stream *streams);
/* Leaves what a run with a driver records: the ticks. */
void yk_run_channels_of_driver(struct yk_run_channels *channels);
void yk_run_channels_free(struct yk_run_channels *channels);
enum yk_status yk_run_channels(const struct yk_model *model, struct yk_run_channels *out, struct yk_err *err);

/* The same of all channels that there are, recorded or not. */
enum yk_status yk_run_channels_known(const struct yk_model *model, struct yk_run_channels *out, struct yk_err *err);

/* Can the run be made with these settings, and can method and reference be prepared? Call it before an older recording
 * is replaced; moves nothing. */
enum yk_status yk_run_check(const struct yk_model *model, const struct yk_run_settings *settings, struct yk_err *err);
/* Runs to the end, a stop or a divergence; rows of the system steps, the fine steps and the control ticks go to
 * `recorder` (may be NULL), which has the streams of yk_run_streams. A paced run never waits for the recorder: rows
 * that find no room are dropped and counted. Failures of the preparation return a status; what happens during the run
 * is in the result. Free the result after use. */
enum yk_status yk_run(const struct yk_model *model, const struct yk_run_settings *settings,
                      struct yk_recorder *recorder, struct yk_run_control *control, struct yk_run_result *result,
                      struct yk_err *err);

/* Wall time of the steps of a motion, from its start: of at most `most` steps and `seconds`, after `skip` untimed
 * ones. */
struct yk_step_times {
    long skip, most;
    double seconds;
    struct yk_timing whole, parts[3]; /* by enum yk_step_part; without a coupling all is fine */
};
enum yk_status yk_time_steps(struct yk_state *state, struct yk_step_times *times);

/* Runs and records to a file; path NULL: not recorded. `provenance` may be NULL. */
enum yk_status yk_run_recorded(const struct yk_model *model, const struct yk_run_settings *settings,
                               struct yk_run_control *control, const struct yk_provenance *provenance, const char *path,
                               const struct yk_run_channels *channels, struct yk_run_result *result,
                               struct yk_err *err);

/* The share of the available time that the method needs. Measured before a paced run; nothing moves. */
struct yk_compute_share {
    double coarse_s, fine_s, sync_s; /* medians: of a phase, of a fine step, of a meeting */
    double first_s;                  /* what must be done within the first fine period */
    double period_s;                 /* that period, in wall time */
    double share;                    /* first_s/period_s, or that of the coarse side in its phase where that is more */
};
enum yk_status yk_compute_share(const struct yk_model *model, int threads, struct yk_compute_share *share,
                                struct yk_err *err);

/* How long the reference solution of the model will take on this machine [s], from a short trial; 0: it has none.
 */
enum yk_status yk_reference_cost(const struct yk_model *model, double *seconds, struct yk_err *err);

/* Evaluates the tracking of the actuators from the closed recording, into result->tracked. */
enum yk_status yk_run_track(struct yk_run_result *result, const char *path, struct yk_err *err);
enum { YK_SHORTEST = 20 }; /* steps: a motion that is shorter has only begun, and is not judged */
/* Which loads act, when the last one ends, and how fast they are: for the verdict, once before a run. */
void yk_run_look_at_loads(const struct yk_model *model, struct yk_course_loads *seen);
/* The measures of a run so far, and the verdict by the bounds of its file. */
void yk_run_measure(const struct yk_model *model, const struct yk_run_result *result, struct yk_measures *m);
void yk_run_verdict(const struct yk_model *model, const struct yk_run_result *result, struct yk_measures *m,
                    struct yk_judgement *verdict);
/* {actuator: {stroke, speed, force: {demand, at_s, capacity, used}, valve: {used, at_s}, power_W, power_at_s, sheet:
 * {delay_s, bandwidth_Hz, oil_column_Hz, area_m2, flow_m3_s, force_N, moved_kg, speeds_m_s} or null}}; flow: that of the
 * largest speed; moved: specimen and fixture */
json_t *yk_demand_json(const struct yk_model *model, const struct yk_course *course);
const char *yk_use_word(enum yk_use use);
/* The text of summary.json; malloc'd. */
char *yk_run_summary(const struct yk_model *model, const struct yk_run_channels *channels,
                     const struct yk_run_result *result);
/* The zeros of the sensors: [{channel, unit, zero, command, deviation, seconds, date}]. */
json_t *yk_calibration_json(const struct yk_model *model);
/* The section `channels`: what raw numbers of the rig mean. */
json_t *yk_channel_scales_json(const struct yk_model *model);
/* The calibrations of the sensors: [{channel, sensor, serial, certificate, date, due, uncertainty, as_found, as_left,
 * overdue_days}]. */
json_t *yk_certificates_json(const struct yk_model *model);
/* Description of a run for pages about it, as JSON, malloc'd; NULL when out of memory: the structure (`sketch`), the
 * actuators with their limits, the limits of the run. docs/recording.md has the members. It is kept in the recording,
 * so that a page can be made without the experiment's files. */
char *yk_run_description(const struct yk_model *model);
/* "lsrt2 (gamma = 0.292893, ...)": the method with its settings; malloc'd. */
char *yk_method_text(const struct yk_model *model);
/* Information of a recording about its run, with the two texts above. `provenance` may be NULL. */
struct yk_recording_info yk_run_info(const struct yk_model *model, const char *method, const char *description,
                                     const struct yk_provenance *provenance);

#endif
