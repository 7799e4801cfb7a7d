/* A run that is watched: a live one through its telemetry, or a recording. It collects the rows into a history, keeps
 * what happened, and answers what viewers ask for. All functions may be called by any thread.
 * docs/dashboard-protocol.md
 */
#ifndef YOKE_DASH_FEED_H
#define YOKE_DASH_FEED_H

#include "message.h"

#include <yoke/recording.h>

#include <jansson.h>

struct yk_feed; /* opaque */

/* A run in progress, by the name of its telemetry. */
enum yk_status yk_feed_open_live(struct yk_feed **feed, const char *name, struct yk_err *err);
/* A recording: the folder of run.h5. `id` is what viewers call it. */
enum yk_status yk_feed_open_recording(struct yk_feed **feed, const char *folder, const char *id, struct yk_err *err);
void yk_feed_close(struct yk_feed *feed);

/* Takes what the run has written since the last call. Called by one thread, often. */
void yk_feed_collect(struct yk_feed *feed);

const char *yk_feed_id(const struct yk_feed *feed);
const char *yk_feed_name(const struct yk_feed *feed);   /* of a live run, "" of a recording */
const char *yk_feed_folder(const struct yk_feed *feed); /* of the recording; "": none */
/* Does the run go on? */
bool yk_feed_is_live(struct yk_feed *feed);
/* Grows whenever the state of the run has changed. */
unsigned long yk_feed_changes(struct yk_feed *feed);

/* JSON of the protocol; malloc'd texts, NULL when out of memory. */
char *yk_feed_description(struct yk_feed *feed);
json_t *yk_feed_status(struct yk_feed *feed); /* a new object */
/* {"events": [...]} from number *next on, which becomes the number after the last; NULL where there is none. */
char *yk_feed_events(struct yk_feed *feed, size_t *next);
/* Adds an event, such as "control". */
void yk_feed_tell(struct yk_feed *feed, const char *kind, const char *words);
/* Adds an event and a line to notes.txt beside the recording; false where that could not be written. */
bool yk_feed_note(struct yk_feed *feed, const char *words);

/* ---- streams and channels; they do not change ---- */

size_t yk_feed_streams(const struct yk_feed *feed);
size_t yk_feed_channels(const struct yk_feed *feed); /* of all streams */
/* The stream of a channel, and its column there. */
size_t yk_feed_place(const struct yk_feed *feed, uint32_t channel, size_t *column);
/* The limit of the actuator for the quantity of a channel; 0: none. */
double yk_feed_limit(const struct yk_feed *feed, uint32_t channel);
/* The channel with the state of the supervisor; false where there is none. */
bool yk_feed_state_channel(const struct yk_feed *feed, uint32_t *channel);
/* Rows of a capture at most. */
size_t yk_feed_longest(const struct yk_feed *feed);

/* ---- frames, malloc'd; NULL when there is nothing ---- */

/* The place of a viewer in a stream. */
struct yk_cursor {
    int level;
    uint64_t next; /* column */
};
/* Channels of one stream, of the last window_s seconds (of a recording: of all of it), in at most `points` columns. */
void *yk_feed_window(struct yk_feed *feed, size_t stream, const uint32_t *channels, size_t count, double window_s,
                     size_t points, struct yk_cursor *cursor, size_t *size);
/* The columns since then. */
void *yk_feed_append(struct yk_feed *feed, size_t stream, const uint32_t *channels, size_t count,
                     struct yk_cursor *cursor, size_t *size);
/* Between two times. */
void *yk_feed_between(struct yk_feed *feed, size_t stream, const struct yk_message *wish, const uint32_t *channels,
                      size_t count, size_t *size);
/* Single rows [first, first + rows) of channels of one stream: for the scope. */
void *yk_feed_rows(struct yk_feed *feed, const struct yk_frame *frame, uint64_t first, size_t rows, size_t *size);
/* Single values of a channel from row *next on: at most `most` of them, into `to`; returns how many. *next becomes the
 * number after the last one; it jumps where rows are no longer kept. */
size_t yk_feed_values(struct yk_feed *feed, uint32_t channel, uint64_t *next, double *to, size_t most);
/* Rows of a stream so far, and the time of one that is kept. */
uint64_t yk_feed_row_count(struct yk_feed *feed, size_t stream);
double yk_feed_row_time(struct yk_feed *feed, size_t stream, uint64_t row);

/* The state in which a run ended, by its summary; "incomplete" where it has none. */
const char *yk_recorded_state(const json_t *summary);

#endif
