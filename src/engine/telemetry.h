/* Telemetry: what a run is doing, in shared memory that any process may read (yoke/telemetry.h), and how it is written.
 *
 * The loop writes every row of every stream on a tape (base/tape.h) and its state on a board (base/board.h), and never
 * waits: readers map the memory read-only and cannot disturb it. docs/backends.md has the layout. */
#ifndef YOKE_ENGINE_TELEMETRY_H
#define YOKE_ENGINE_TELEMETRY_H

#include "record/record.h"
#include "transfer/supervisor.h"
#include <yoke/telemetry.h>

/* A post: the state of a run. now.posted_ns is filled by yk_telemetry_post. */
struct yk_telemetry_posted {
    struct yk_telemetry_now now;
    struct yk_trip trip, warning; /* the first ones; `tripped` is false where there was none */
    int64_t level;                /* of the verdict so far: enum yk_level */
    int64_t criterion;            /* of its first reason: 1 + enum yk_criterion; 0: there is none */
    int64_t culprit;              /* the actuator; -1: the whole test */
    double found, bound;          /* the number of that reason, and the bound of its level */
};

enum {
    YK_TELEMETRY_VERSION = 4,
    YK_TELEMETRY_TITLE = 128,  /* characters, with the end */
    YK_TELEMETRY_FOLDER = 512, /* bytes, with the end */
    YK_TELEMETRY_STATES = 16,  /* most states */
    YK_TELEMETRY_STATE = 24,   /* characters of the name of one */
    YK_TELEMETRY_CHANNELS = 65536
};

struct yk_telemetry; /* opaque: owns shared memory */
/* `name`: letters, digits, - _ . If another user has taken it, the run has a name of its own behind it, which readers
 * of the same user find by the plain one. Texts of the info are copied, truncated if too long, but for the description.
 */
enum yk_status yk_telemetry_create(struct yk_telemetry **telemetry, const char *name,
                                   const struct yk_telemetry_info *info, struct yk_err *err);
/* The state; `tracks`: one for each of the actuators that are posted, may be NULL where there are none. */
void yk_telemetry_post(struct yk_telemetry *telemetry, const struct yk_telemetry_posted *posted,
                       const struct yk_telemetry_track *tracks) YK_RT;
/* A row of a stream; streams that it was not made with are left out. */
void yk_telemetry_row(struct yk_telemetry *telemetry, size_t stream, const double *row) YK_RT;
/* How many actuators are posted. */
size_t yk_telemetry_tracked(const struct yk_telemetry *telemetry) YK_RT;
/* Was the shared memory truncated? Nobody can watch then; posting does no harm. */
bool yk_telemetry_is_cut(const struct yk_telemetry *telemetry); /* NULL is fine, here and below */
void yk_telemetry_destroy(struct yk_telemetry *telemetry);

#endif
