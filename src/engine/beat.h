/* The beat of whatever moves a rig, a run or a console: its pace, the one place that waits, the exchange of a control
 * tick, and the state that is posted to those who watch. */
#ifndef YOKE_ENGINE_BEAT_H
#define YOKE_ENGINE_BEAT_H

#include "engine/pacer.h"
#include "engine/realtime.h"

struct yk_beat {
    const struct yk_run_settings *settings;
    struct yk_station *station;       /* NULL: nothing is moved */
    struct yk_supervisor *supervisor; /* of the station, or one without actuators */
    struct yk_pace_report *pace;      /* `scale` and `period_s` are set by the owner */
    struct yk_pacer pacer;
    struct yk_realtime rights;
    bool paced;         /* on the wall clock */
    bool paces_motions; /* those of the supervisor: ramps and holds on a rig outside this process, paced or not */

    void *owner;                     /* the run or the console */
    void (*take)(void *owner) YK_RT; /* requests of an operator, now and then in a long wait; NULL: there are none */
    void (*tell)(void *owner, struct yk_telemetry_now *now, bool ended) YK_RT; /* what the owner adds to a post */
    bool posts;                                                                /* there is somebody to post to */
    int64_t posted_ns;                                                         /* when the state was last posted */
    enum yk_rig_state posted;                                                  /* that state */
    struct yk_telemetry_posted telemetry;
    struct yk_telemetry_track tracks[YK_TELEMETRY_TRACKED];
};

/* Call when all memory is allocated: from here on the loop allocates nothing. coarse: the second thread, or NULL. */
void yk_beat_begin(struct yk_beat *beat, const pthread_t *coarse);
/* Gives the rights of the thread back. */
void yk_beat_end(struct yk_beat *beat);
/* The next beat: a control tick, or a fine step where nothing is moved. Where no clock is kept it begins at once, or
 * after idle_ns if there is nothing to do. */
void yk_beat_await(struct yk_beat *beat, long step, int64_t idle_ns);
/* One control tick of the rig: commands of the chains, or these; then the readings. */
void yk_beat_exchange(struct yk_beat *beat, const double *commands);
/* Posts the state; or only if it has changed, and now and then. */
void yk_beat_post(struct yk_beat *beat, bool ended) YK_RT;
void yk_beat_post_when_due(struct yk_beat *beat) YK_RT;
/* Wall time from one beat to the next: the supervisor counts with it. */
int64_t yk_beat_period(const struct yk_beat *beat) YK_RT;

#endif
