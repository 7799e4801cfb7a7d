/* Shared by the files of a feed. */
#ifndef YOKE_DASH_FEED_PARTS_H
#define YOKE_DASH_FEED_PARTS_H

#include "feed.h"
#include "history.h"

#include <yoke/gauge.h>
#include <yoke/telemetry.h>

#include <pthread.h>

enum {
    YK_FEED_STREAMS = YK_TELEMETRY_STREAMS,
    YK_FEED_BLOCK = 1 << 16, /* doubles that are read at once */
};

struct yk_event_told {
    char wall[40];
    double time_s;
    char kind[16];
    char *words; /* malloc'd */
};

/* A state of the supervisor and when it began, by the clock of the station; -1: not known. */
struct yk_state_change {
    double time_s;
    int state;
};

struct yk_feed {
    char id[600], name[80], folder[600];
    size_t stream_count;
    struct yk_stream streams[YK_FEED_STREAMS]; /* names and channels are its own */
    size_t first_channel[YK_FEED_STREAMS + 1]; /* number of the first channel of each stream */
    struct yk_channel *channels;
    char stream_names[YK_FEED_STREAMS][YK_TELEMETRY_STREAM];
    double period_s[YK_FEED_STREAMS];
    json_t *about; /* the description */
    const char **actuators;
    size_t actuator_count;
    struct yk_recording *recording; /* of a recording */
    double *block;

    pthread_mutex_t lock;
    struct yk_telemetry_view *view;       /* of a live run */
    uint64_t next[YK_FEED_STREAMS], lost; /* on the tapes */
    struct yk_history *history[YK_FEED_STREAMS];
    struct yk_gauges gauges;
    struct yk_telemetry_now now;
    struct yk_telemetry_told told;
    struct yk_telemetry_track tracks[YK_TELEMETRY_TRACKED];
    bool has_now, live, gone; /* gone: ended without saying so */
    double last_time[YK_FEED_STREAMS];
    int64_t began_ns, began_step; /* when it was first seen */
    int64_t told_missed;
    uint64_t told_lost;
    unsigned long changes;
    struct yk_event_told *events;
    size_t event_count;
    struct yk_state_change *states; /* of a recording */
    size_t state_count;
    double station_end_s;
};

/* An event; `wall` may be "". With the lock held, or before others know the feed. */
void yk_feed_tell_at(struct yk_feed *feed, const char *wall, double time_s, const char *kind, const char *words);
/* Events of a recording (feed_recorded.c): the states in its rows while they are read, and then all of it. */
void yk_feed_follow_states(struct yk_feed *feed, size_t stream, const double *rows, size_t count);
void yk_feed_tell_recorded(struct yk_feed *feed);

/* "running", or "lost" where the run ended without saying so; with the lock held. */
const char *yk_feed_state(const struct yk_feed *feed);
/* Makes the description and the gauges, from what the run says of itself and the texts of its recording (may be NULL).
 */
enum yk_status yk_feed_describe(struct yk_feed *feed, const char *title, const char *description,
                                const struct yk_recording *recording, struct yk_err *err);

#endif
