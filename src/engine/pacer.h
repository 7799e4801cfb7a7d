/* Real time: absolute deadlines, how well they are met, and where the time goes. Offline runs use the same object
 * unpaced. */
#ifndef YOKE_PACER_H
#define YOKE_PACER_H

#include "base/clock.h"
#include "engine/engine.h"

struct yk_pacer {
    struct yk_clock *clock; /* NULL: the machine's, with hybrid pacing */
    int64_t spin_ns;
    int64_t period_ns; /* of a beat; 0: as fast as possible */
    int64_t begin_ns;  /* beat k is due at begin + k period */
    int64_t beat, due_ns, woke_ns;
    int64_t late_ns;               /* of this beat: how late it began */
    int64_t stall_ns;              /* how long the beats stopped before it; 0: they did not */
    bool coarse_late;              /* the next miss is the coarse side's */
    bool patient;                  /* missed deadlines are counted, and do not trip */
    int64_t patience_ns;           /* how long the rig may take for an exchange before that counts as a stall */
    int64_t slipped;               /* periods by which the deadlines were moved on, in all */
    int64_t (*listen)(void *self); /* called now and then in a long wait; returns the new period. May be NULL */
    void *listen_self;
    const struct yk_rig_ops *rig; /* whose clock the beats follow, if it has one; may be NULL */
    void *rig_self;

    /* the stop-watch */
    enum yk_loop_part stage;
    int64_t since_ns, spent_ns[YK_LOOP_PARTS]; /* in this step */
    int64_t rig_ns, slept_ns;                  /* in this beat */
    int64_t thread_ns;                         /* processor time of the thread when this beat began */

    struct yk_pace_report *report; /* the caller's */
};

/* Starts; period 0: unpaced. */
void yk_pacer_begin(struct yk_pacer *p, int64_t period_ns, struct yk_pace_report *report);
/* Changes the period: the next beat is due one new period after the last. */
void yk_pacer_period(struct yk_pacer *p, int64_t period_ns) YK_RT;
/* The time from now on belongs to `stage`. */
void yk_pacer_part(struct yk_pacer *p, enum yk_loop_part stage) YK_RT;
/* Waits for the next beat. True: the work of the last one was not done in time; `step` goes into the report. */
bool yk_pacer_beat(struct yk_pacer *p, long step);
/* Tells the supervisor what it has to know of that beat. */
void yk_pacer_judge(const struct yk_pacer *p, struct yk_supervisor *supervisor, bool missed) YK_RT;
/* When the next beat is due; far in the future if unpaced. */
int64_t yk_pacer_next(const struct yk_pacer *p) YK_RT;
/* The end of a system step: its times go into the histograms. */
void yk_pacer_step(struct yk_pacer *p) YK_RT;
/* For waits other than for a beat. */
int64_t yk_pacer_now(const struct yk_pacer *p) YK_RT;
void yk_pacer_sleep(struct yk_pacer *p, int64_t ns);

#endif
