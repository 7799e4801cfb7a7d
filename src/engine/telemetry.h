/* Telemetry: the present state of a run, in shared memory that any process may read, for dashboards and tools.
 *
 * The loop posts one row a step and never waits: readers cannot disturb it, since they map the memory read-only. A
 * reader gets the newest complete row, or none. docs/backends.md has the layout. */
#ifndef YOKE_TELEMETRY_H
#define YOKE_TELEMETRY_H

#include "record/record.h"
#include <stdint.h>

enum {
    YK_TELEMETRY_VERSION = 2,
    YK_TELEMETRY_TITLE = 128, /* characters, with the end */
    YK_TELEMETRY_STATES = 16, /* most states */
    YK_TELEMETRY_STATE = 24,  /* characters of the name of one */
    YK_TELEMETRY_CHANNELS = 65536
};

/* What stays the same during a run. Texts are copied (truncated if too long). */
struct yk_telemetry_info {
    const char *title;
    size_t count; /* channels */
    const struct yk_channel *channels;
    const char *const *states; /* names of the states by number, NULL at the end; at most YK_TELEMETRY_STATES */
    double period_s;           /* of the rows */
    int64_t steps;             /* of the whole run; 0: unknown */
};

/* What changes with every row. */
struct yk_telemetry_now {
    int64_t step;
    int64_t posted_ns; /* yk_clock_now_ns when it was posted; filled by yk_telemetry_post */
    int64_t late_ns;   /* of this step: how late it began */
    int64_t took_ns;   /* how long it computed */
    int64_t largest_late_ns, largest_took_ns;
    int64_t missed;   /* deadlines so far */
    int64_t state;    /* index into states */
    int64_t degraded; /* 1: the machine does not meet the needs of real time */
};

/* ---- the writer ---- */

struct yk_telemetry; /* opaque: owns shared memory */
/* `name`: letters, digits, - _ . */
enum yk_status yk_telemetry_create(struct yk_telemetry **telemetry, const char *name,
                                   const struct yk_telemetry_info *info, struct yk_err *err);
void yk_telemetry_post(struct yk_telemetry *telemetry, const struct yk_telemetry_now *now, const double *row) YK_RT;
/* Was the shared memory truncated? Nobody can watch then; posting does no harm. */
bool yk_telemetry_is_cut(const struct yk_telemetry *telemetry); /* NULL is fine, here and below */
void yk_telemetry_destroy(struct yk_telemetry *telemetry);

/* ---- a reader, in any process ---- */

struct yk_telemetry_view; /* opaque */
enum yk_status yk_telemetry_open(struct yk_telemetry_view **view, const char *name, struct yk_err *err);
/* Lives as long as the view. */
const struct yk_telemetry_info *yk_telemetry_about(const struct yk_telemetry_view *view);
/* The newest row; false where none was posted yet. */
bool yk_telemetry_read(struct yk_telemetry_view *view, struct yk_telemetry_now *now, double *row);
/* Does the process that made it still run? */
bool yk_telemetry_is_live(const struct yk_telemetry_view *view);
/* Was the shared memory truncated? The run may continue, but cannot be watched. */
bool yk_telemetry_view_is_cut(const struct yk_telemetry_view *view);
/* Was it made by the user of this process? */
bool yk_telemetry_is_mine(const struct yk_telemetry_view *view);
void yk_telemetry_close(struct yk_telemetry_view *view);
/* Names of what can be opened, sorted: malloc'd list of malloc'd names, NULL at the end; NULL when out of memory. */
char **yk_telemetry_list(void);

#endif
