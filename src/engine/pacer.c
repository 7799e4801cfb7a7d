/* Beats at absolute deadlines: a beat that begins late does not shift the next one.
 *
 * If the beats stop for a period or more (another process had the processor, a step took too long), the deadlines move
 * on by whole periods: missed beats are not made up by commands faster than real time. */
#include "engine/pacer.h"

enum { LEAD_NS = 2000000 };    /* before the first beat */
enum { LISTEN_NS = 10000000 }; /* a look at what an operator asks for, in a long wait */

YK_RT int64_t yk_pacer_now(const struct yk_pacer *p)
{
    return p->clock ? p->clock->now_ns(p->clock) : yk_clock_now_ns();
}

void yk_pacer_sleep(struct yk_pacer *p, int64_t ns)
{
    const int64_t begin = yk_pacer_now(p);

    if (p->clock)
        p->clock->sleep_until(p->clock, begin + ns);
    else
        yk_clock_sleep_until(begin + ns);
    p->slept_ns += yk_pacer_now(p) - begin;
}

void yk_pacer_begin(struct yk_pacer *p, int64_t period_ns, struct yk_pace_report *report)
{
    p->period_ns = period_ns;
    p->report = report;
    p->since_ns = p->woke_ns = yk_pacer_now(p);
    p->stage = YK_LOOP_SAMPLE;
}

YK_RT void yk_pacer_period(struct yk_pacer *p, int64_t period_ns)
{
    if (p->period_ns == 0 || p->period_ns == period_ns)
        return;
    p->period_ns = period_ns;
    p->begin_ns = p->due_ns - (p->beat - 1) * period_ns;
}

YK_RT void yk_pacer_part(struct yk_pacer *p, enum yk_loop_part stage)
{
    const int64_t now = yk_pacer_now(p);

    p->spent_ns[p->stage] += now - p->since_ns;
    if (p->stage == YK_LOOP_RIG)
        p->rig_ns += now - p->since_ns;
    p->stage = stage;
    p->since_ns = now;
}

static int64_t thread_ns(const struct yk_pacer *p)
{
    return p->clock ? p->clock->thread_ns : yk_clock_thread_ns();
}

/* How long the processor was taken away from this beat: wall time in which the thread neither ran, nor slept, nor was
 * with the rig. */
static int64_t away_ns(const struct yk_pacer *p)
{
    const int64_t wall_ns = p->since_ns - p->woke_ns, ran_ns = thread_ns(p) - p->thread_ns,
                  away_ns = wall_ns - ran_ns - p->rig_ns - p->slept_ns;

    return away_ns > 0 ? away_ns : 0;
}

/* The cause that alone explains the delay: the late start, the rig, the time taken away (with the late start), or the
 * work if it took more than a period. If only several together explain it: the largest. */
static enum yk_miss_cause cause_of(const struct yk_pacer *p, int64_t over_ns)
{
    if (p->coarse_late)
        return YK_MISS_COARSE_LATE;
    if (p->late_ns >= over_ns)
        return YK_MISS_WOKE_LATE;
    if (p->rig_ns >= over_ns)
        return YK_MISS_RIG_LATE;
    const int64_t away = away_ns(p), work = p->since_ns - p->woke_ns - p->rig_ns - p->slept_ns - away;
    if (p->late_ns + away >= over_ns)
        return YK_MISS_INTERRUPTED;
    if (work > p->period_ns || (work >= p->late_ns && work >= p->rig_ns && work >= away))
        return YK_MISS_COMPUTED_LONG;
    if (p->rig_ns >= p->late_ns && p->rig_ns >= away)
        return YK_MISS_RIG_LATE;
    return p->late_ns >= away ? YK_MISS_WOKE_LATE : YK_MISS_INTERRUPTED;
}

static void note_miss(struct yk_pacer *p, long step, int64_t over_ns)
{
    struct yk_pace_report *r = p->report;
    const enum yk_miss_cause cause = cause_of(p, over_ns);

    if (r->missed < YK_MISSES)
        r->misses[r->missed] = (struct yk_miss){step, cause, over_ns};
    r->missed++;
    r->missed_by[cause]++;
}

/* The first part of a long wait, in which requests of operators are taken. A request may shorten the period: then the
 * beat comes at once, but at least the new period after the last one. */
static void listen(struct yk_pacer *p)
{
    while (p->listen && p->due_ns - yk_pacer_now(p) > LISTEN_NS) {
        yk_pacer_sleep(p, LISTEN_NS);
        const int64_t period = p->listen(p->listen_self), now = yk_pacer_now(p);

        if (period < p->period_ns) {
            const int64_t soonest = p->due_ns - p->period_ns + period;

            p->due_ns = soonest > now ? soonest : now;
            yk_pacer_period(p, period);
        }
    }
}

bool yk_pacer_beat(struct yk_pacer *p, long step)
{
    const enum yk_loop_part stage = p->stage;

    yk_pacer_part(p, stage);
    if (p->period_ns == 0)
        return false;
    if (p->beat == 0) /* what came before, such as a rig that was waited for, is no delay */
        p->begin_ns = p->since_ns + LEAD_NS;
    const int64_t now = p->since_ns, due = p->begin_ns + p->beat++ * p->period_ns, over = now - due;
    const bool missed = over > 0;

    p->due_ns = due;
    p->stall_ns = 0;
    if (missed)
        note_miss(p, step, over);
    if (over >= p->period_ns) {
        const int64_t periods = over / p->period_ns;

        p->begin_ns += periods * p->period_ns;
        p->due_ns += periods * p->period_ns;
        p->slipped += periods;
        p->report->slipped += periods;
        p->stall_ns = over - (p->rig_ns < p->patience_ns ? p->rig_ns : p->patience_ns);
    }
    if (p->rig && p->rig->pace) { /* it has a clock of its own */
        const int64_t due_there = p->rig->pace(p->rig_self, p->due_ns);

        p->begin_ns += due_there - p->due_ns;
        p->due_ns = due_there;
    }
    listen(p);
    if (p->clock) {
        p->clock->sleep_until(p->clock, p->due_ns);
        p->woke_ns = p->clock->now_ns(p->clock);
    } else {
        p->woke_ns = yk_clock_pace(p->due_ns, p->spin_ns);
    }
    p->thread_ns = thread_ns(p); /* belongs to the wait */
    p->late_ns = p->woke_ns - p->due_ns;
    p->since_ns = p->woke_ns; /* the wait belongs to nobody */
    p->rig_ns = p->slept_ns = 0;
    p->coarse_late = false;
    yk_timing_add(&p->report->lateness, p->late_ns);
    return missed;
}

YK_RT void yk_pacer_judge(const struct yk_pacer *p, struct yk_supervisor *v, bool missed)
{
    const double longest = v->limits.limit[YK_LIMIT_STALL], stall_s = 1e-9 * (double)p->stall_ns;

    yk_supervisor_deadline(v, missed && !p->patient);
    if (longest > 0 && stall_s > longest && yk_supervisor_chained(v))
        yk_supervisor_raise(v, YK_LIMIT_STALL, SIZE_MAX, stall_s);
}

YK_RT int64_t yk_pacer_next(const struct yk_pacer *p)
{
    return p->period_ns ? p->begin_ns + p->beat * p->period_ns : INT64_MAX;
}

YK_RT void yk_pacer_step(struct yk_pacer *p)
{
    yk_pacer_part(p, p->stage);
    for (int i = 0; i < YK_LOOP_PARTS; i++) {
        if (p->spent_ns[i] > 0)
            yk_timing_add(&p->report->stages[i], p->spent_ns[i]);
        p->spent_ns[i] = 0;
    }
}

const char *yk_loop_part_text(enum yk_loop_part stage)
{
    static const char *const words[] = {
#define X(id, word) word,
        YK_LOOP_PART_LIST(X)
#undef X
    };

    return words[stage];
}

const char *yk_miss_text(enum yk_miss_cause cause)
{
    static const char *const words[] = {
#define X(id, word) word,
        YK_MISS_LIST(X)
#undef X
    };

    return words[cause];
}
