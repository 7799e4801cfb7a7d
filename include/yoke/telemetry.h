/* Telemetry: the state and the rows that a run publishes in shared memory while it is paced, or with --live. For
 * dashboards and tools, in any process; they read only and cannot disturb the run.
 *
 *     struct yk_telemetry_view *view;
 *     struct yk_telemetry_now now;
 *
 *     if (yk_telemetry_open(&view, "frame", &err))
 *         return yk_command_fail(&err);
 *     while (yk_telemetry_is_live(view)) {
 *         if (yk_telemetry_read(view, &now, NULL, NULL))
 *             printf("step %lld\n", (long long)now.step);
 *         usleep(100000);
 *     }
 *     yk_telemetry_close(view);
 *
 * A view belongs to one thread at a time. A reader that is too slow loses rows at its own end and knows how many.
 * docs/backends.md has the layout of the memory, docs/dashboard-protocol.md the members of the description. */
#ifndef YOKE_TELEMETRY_H
#define YOKE_TELEMETRY_H

#include <yoke/recording.h>
#include <yoke/rig_state.h>

enum {
    YK_TELEMETRY_STREAMS = 4,  /* most streams */
    YK_TELEMETRY_STREAM = 16,  /* characters of the name of one, with the end */
    YK_TELEMETRY_OCTAVES = 32, /* bins of lateness: the upper end of bin i is 2^(i + 4) ns */
    YK_TELEMETRY_TRACKED = 64, /* most actuators whose tracking is posted */
    YK_TELEMETRY_WORDS = 256,  /* bytes of the words of a trip, with the end */
    YK_TELEMETRY_REASON = 320  /* of the reason of a verdict, likewise */
};

/* Constant during a run. */
struct yk_telemetry_info {
    const char *title;
    const char *folder;      /* of the recording; "" or NULL: none */
    const char *description; /* JSON: actuators with their limits, structure, rates; NULL: none */
    size_t stream_count;     /* 1 .. YK_TELEMETRY_STREAMS; the first one has the rows of the system steps */
    const struct yk_stream *streams;
    const char *const *states; /* names of the states by number, NULL at the end */
    double period_s;           /* of the system steps */
    int64_t steps;             /* of the whole run; 0: unknown, as of the console of a rig */
    size_t tracked;            /* actuators; at most YK_TELEMETRY_TRACKED of them are posted */
};

/* The state of a run. */
struct yk_telemetry_now {
    int64_t step;
    int64_t posted_ns; /* yk_clock_now_ns (yoke/clock.h) when it was posted */
    int64_t late_ns;   /* of this beat: how late it began */
    int64_t took_ns;   /* how long the last step computed */
    int64_t largest_late_ns, largest_took_ns;
    int64_t missed;   /* deadlines so far */
    int64_t state;    /* enum yk_rig_state; index into states */
    int64_t degraded; /* 1: the machine does not meet the needs of real time */
    int64_t paced;    /* 1: in real time */
    int64_t ended;    /* 1: the loop has ended, and the actuators are at rest */
    int64_t warnings;
    double beat_s;       /* wall time of a beat */
    double scale;        /* wall time for a second of the test */
    double energy_error; /* largest so far, over the largest energy */
    double drift_u, drift_v;
    double error_u;                         /* NRMS against the reference so far; NaN: there is none */
    int64_t lateness[YK_TELEMETRY_OCTAVES]; /* beats by how late they began */
};

/* How well an actuator follows so far. */
struct yk_telemetry_track {
    double nrms, delay_s;       /* tracking error; residual delay */
    double lead_s, estimated_s; /* delay that is compensated; that is estimated, NaN where nothing does */
    double growth;              /* factor by which tracking errors have amplified the motion */
};

/* A limit that was exceeded. */
struct yk_telemetry_trip {
    bool tripped;                   /* false: none was, and the rest says nothing */
    const char *limit, *action;     /* its key in the experiment file, what was done about it: constant texts */
    char actuator[YK_CHANNEL_NAME]; /* "": of none */
    double value;                   /* that exceeded it [SI] */
    char words[YK_TELEMETRY_WORDS]; /* "force of a1, 8.4 kN, passed its limit of 8.3 kN" */
};
/* Limits and verdict of a run so far, in words. */
struct yk_telemetry_told {
    struct yk_telemetry_trip trip, warning; /* the first ones */
    const char *level;                      /* of the verdict so far: "good", "doubtful", "unusable" */
    char reason[YK_TELEMETRY_REASON];       /* its first reason; "": there is none */
};

struct yk_telemetry_view; /* opaque */
/* A run by its name, that of its file without folder and ending (yk_control_name). Fails where none is published. */
enum yk_status yk_telemetry_open(struct yk_telemetry_view **view, const char *name, struct yk_err *err);
void yk_telemetry_close(struct yk_telemetry_view *view); /* NULL is fine */
/* Lives as long as the view. */
const struct yk_telemetry_info *yk_telemetry_about(const struct yk_telemetry_view *view);

/* The newest state; false where none was posted yet. `tracks`: room for info.tracked; they and `told` may be NULL.
 * Texts end and numbers are within their ranges, whatever the memory holds. */
bool yk_telemetry_read(struct yk_telemetry_view *view, struct yk_telemetry_now *now, struct yk_telemetry_track *tracks,
                       struct yk_telemetry_told *told);
/* Rows of a stream from number *next on, at most `most`; returns how many, and moves *next behind them. Rows that were
 * overwritten before they could be read are added to *lost. */
size_t yk_telemetry_rows(const struct yk_telemetry_view *view, size_t stream, uint64_t *next, uint64_t *lost,
                         double *rows, size_t most);
/* How many rows of a stream were written, and how many of them the memory can hold. */
uint64_t yk_telemetry_written(const struct yk_telemetry_view *view, size_t stream);
size_t yk_telemetry_held(const struct yk_telemetry_view *view, size_t stream);
/* The newest row of a stream; false where there is none. */
bool yk_telemetry_newest(const struct yk_telemetry_view *view, size_t stream, double *row);

/* Does the process that made it still run? */
bool yk_telemetry_is_live(const struct yk_telemetry_view *view);
/* Was the shared memory truncated? The run may continue, but cannot be watched. */
bool yk_telemetry_view_is_cut(const struct yk_telemetry_view *view);
/* Was it made by the user of this process? */
bool yk_telemetry_is_mine(const struct yk_telemetry_view *view);
/* From now on truncated shared memory no longer kills this process with SIGBUS. Called once, before other threads. */
void yk_telemetry_protect(void);

/* Names of what can be opened, sorted: malloc'd list of malloc'd names, NULL at the end; NULL when out of memory. */
char **yk_telemetry_list(void);
void yk_telemetry_list_free(char **names);

#endif
