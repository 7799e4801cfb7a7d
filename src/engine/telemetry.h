/* Telemetry: what a run is doing, in shared memory that any process may read, for dashboards and tools.
 *
 * The loop writes every row of every stream on a tape (base/tape.h) and its state on a board (base/board.h), and never
 * waits: readers map the memory read-only and cannot disturb it. A reader that is too slow loses rows at its own end
 * and knows how many. docs/backends.md has the layout. */
#ifndef YOKE_TELEMETRY_H
#define YOKE_TELEMETRY_H

#include "record/record.h"
#include "transfer/supervisor.h"
#include <stdint.h>

enum {
    YK_TELEMETRY_VERSION = 3,
    YK_TELEMETRY_TITLE = 128,  /* characters, with the end */
    YK_TELEMETRY_FOLDER = 512, /* likewise */
    YK_TELEMETRY_STATES = 16,  /* most states */
    YK_TELEMETRY_STATE = 24,   /* characters of the name of one */
    YK_TELEMETRY_STREAMS = 4,  /* most streams */
    YK_TELEMETRY_STREAM = 16,  /* characters of the name of one */
    YK_TELEMETRY_OCTAVES = 32, /* bins of lateness: the upper end of bin i is 2^(i + 4) ns */
    YK_TELEMETRY_TRACKED = 64, /* most actuators whose tracking is posted */
    YK_TELEMETRY_CHANNELS = 65536
};

/* What stays the same during a run. Texts are copied (truncated if too long, but for the description). */
struct yk_telemetry_info {
    const char *title;
    const char *folder;      /* of the recording; NULL: none */
    const char *description; /* JSON for those who show the run, see yk_run_description; NULL: none */
    size_t stream_count;     /* 1 .. YK_TELEMETRY_STREAMS; the first one has the rows of the system steps */
    const struct yk_stream *streams;
    const char *const *states; /* names of the states by number, NULL at the end; at most YK_TELEMETRY_STATES */
    double period_s;           /* of the system steps */
    int64_t steps;             /* of the whole run; 0: unknown */
    size_t tracked;            /* actuators; at most YK_TELEMETRY_TRACKED of them are posted */
};

/* How well an actuator follows so far. */
struct yk_telemetry_track {
    double nrms, delay_s;       /* tracking error; residual delay */
    double lead_s, estimated_s; /* delay that is compensated; that is estimated, NaN where nothing does */
    double growth;              /* factor by which tracking errors have amplified the motion */
};

/* What changes. */
struct yk_telemetry_now {
    int64_t step;
    int64_t posted_ns; /* yk_clock_now_ns when it was posted; filled by yk_telemetry_post */
    int64_t late_ns;   /* of this beat: how late it began */
    int64_t took_ns;   /* how long the last step computed */
    int64_t largest_late_ns, largest_took_ns;
    int64_t missed;   /* deadlines so far */
    int64_t state;    /* index into states */
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
    struct yk_trip trip, warning;           /* the first ones; `tripped` is false where there was none */
};

/* ---- the writer ---- */

struct yk_telemetry; /* opaque: owns shared memory */
/* `name`: letters, digits, - _ . */
enum yk_status yk_telemetry_create(struct yk_telemetry **telemetry, const char *name,
                                   const struct yk_telemetry_info *info, struct yk_err *err);
/* The state; `tracks`: one for each of the actuators that are posted, may be NULL where there are none. */
void yk_telemetry_post(struct yk_telemetry *telemetry, const struct yk_telemetry_now *now,
                       const struct yk_telemetry_track *tracks) YK_RT;
/* A row of a stream; streams that it was not made with are left out. */
void yk_telemetry_row(struct yk_telemetry *telemetry, size_t stream, const double *row) YK_RT;
/* How many actuators are posted. */
size_t yk_telemetry_tracked(const struct yk_telemetry *telemetry) YK_RT;
/* Was the shared memory truncated? Nobody can watch then; posting does no harm. */
bool yk_telemetry_is_cut(const struct yk_telemetry *telemetry); /* NULL is fine, here and below */
void yk_telemetry_destroy(struct yk_telemetry *telemetry);

/* ---- a reader, in any process ---- */

struct yk_telemetry_view; /* opaque */
enum yk_status yk_telemetry_open(struct yk_telemetry_view **view, const char *name, struct yk_err *err);
/* Lives as long as the view. */
const struct yk_telemetry_info *yk_telemetry_about(const struct yk_telemetry_view *view);
/* The newest state; false where none was posted yet. `tracks` (may be NULL): room for info.tracked. Trips are safe to
 * be put into words, whatever the memory holds. */
bool yk_telemetry_read(struct yk_telemetry_view *view, struct yk_telemetry_now *now, struct yk_telemetry_track *tracks);
/* The rows of a stream after number *next, see yk_tape_read. */
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
void yk_telemetry_close(struct yk_telemetry_view *view);
/* Names of what can be opened, sorted: malloc'd list of malloc'd names, NULL at the end; NULL when out of memory. */
char **yk_telemetry_list(void);
void yk_telemetry_list_free(char **names);

#endif
