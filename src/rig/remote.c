/* A session with a rig in another process.
 *
 * In lock-step the rig moves one tick for each command, and an exchange waits for the reading that answers it; the
 * command is sent again now and then, since a repeated one does no harm. A rig with its own clock moves and sends by
 * itself: an exchange takes the newest reading, and waits only if there is none. */
#include "rig/remote.h"

#include "base/clock.h"

#include <math.h>
#include <string.h>
#include <sys/random.h>

#define LOCK_STEP_WAIT_S 1.0
#define SILENCE_S        0.1 /* of a rig with a clock */

enum {
    RESENDS = 50,           /* in the wait of an exchange */
    SOONEST_NS = 200000,    /* but not sooner than this after the last */
    LATEST_NS = 5000000,    /* and not later than this */
    MOST_READ = 256,        /* messages in one exchange, so that a flood cannot hold it */
    GOODBYES = 3,           /* nobody answers them, nor a cut, and a lost one keeps the rig waiting */
    ASK_AGAIN_NS = 20000000 /* during preparation */
};

static const char *const refusals[YK_REFUSAL_REASONS] = {
    [YK_REFUSED_COUNT] = "it has another number of actuators",
    [YK_REFUSED_TICK] = "it has another control period",
    [YK_REFUSED_NAMES] = "its actuators, sensors or lines have other names or kinds, or another order",
    [YK_REFUSED_BUSY] = "it is in use",
    [YK_REFUSED_RIG] = "the rig itself has failed",
    [YK_REFUSED_SESSION] = "the session is over",
    [YK_REFUSED_SENSORS] = "it has another number of sensors",
    [YK_REFUSED_LINES] = "it has another number of lines",
};

/* A message of this side, with `count` values. */
YK_RT static void compose(struct yk_remote *r, enum yk_message_kind kind, const double *values, size_t count)
{
    r->out.kind = kind;
    r->out.session = r->session;
    r->out.sequence = ++r->sequence;
    r->out.answers = r->heard.last;
    r->out.count = (uint32_t)count;
    for (size_t i = 0; i < count; i++)
        r->out.values[i] = values[i];
}

YK_RT static void send_out(struct yk_remote *r)
{
    r->link.ops->send(&r->link, &r->out);
}

/* Ends a session by a cut or a goodbye, not both: shared memory shows the newest message only. */
YK_RT static void say_last(struct yk_remote *r, double lines)
{
    compose(r, r->was_cut ? YK_CUT : YK_BYE, &lines, r->was_cut);
    for (int i = 0; i < GOODBYES; i++)
        send_out(r);
}

/* Keeps a reading of a play-out, in whatever order it comes, until its tick. */
YK_RT static bool keep_late(struct yk_remote *r)
{
    const struct yk_message *m = &r->in;
    const bool near = m->answers <= r->sequence && r->sequence - m->answers < r->heard_of.slots;

    if (!yk_message_fits(m, &r->shape) || m->answers > r->sequence) {
        r->counts.far++;
        return false;
    }
    if (m->sequence > r->heard.last) /* for those that follow the last command */
        r->heard.last = m->sequence;
    if (near && yk_playout_put(&r->heard_of, m->answers, m))
        return true;
    r->counts.stale++;
    return false;
}

/* Takes the values of a reading. */
YK_RT static void take_values(struct yk_remote *r, const double *v)
{
    for (size_t i = 0; i < r->shape.actuators; i++, v += YK_WIRE_PER_READING)
        r->last[i] = (struct yk_reading){v[0], v[1], v[2], v[3]};
    memcpy(r->sensors, v, r->shape.sensors * sizeof *v);
    r->lines = yk_wire_lines(v[r->shape.sensors]);
    r->modes = r->shape.switches ? yk_wire_modes(v[r->shape.sensors + 1]) : 0;
}

/* Keeps a reading that is newer than the last one. From a rig with a clock, one that answers a command of before the
 * silence is kept but is no sign of life: somebody holds messages up. */
YK_RT static bool keep(struct yk_remote *r)
{
    const struct yk_message *m = &r->in;

    const uint64_t last = r->heard.last;
    enum yk_number number = YK_NUMBER_OLD;
    bool of_now = true;

    if (r->playout && m->answers > r->base)
        return keep_late(r);

    if (yk_message_fits(m, &r->shape)) { /* nor can it answer what was not sent */
        number = m->answers > r->sequence ? YK_NUMBER_FAR : yk_sequence_judge(&r->heard, m->sequence);
        of_now = m->answers >= r->sequence || r->sequence - m->answers <= r->oldest;
    }
    r->counts.stale += number == YK_NUMBER_OLD || !of_now;
    r->counts.far += number == YK_NUMBER_FAR;
    if (number != YK_NUMBER_NEW)
        return false;
    r->counts.missing += m->sequence - last - 1;
    take_values(r, m->values);
    return of_now;
}

/* Hands over the newest readings, lines and modes. */
YK_RT static void hand_over(const struct yk_remote *r, struct yk_rig_in *in)
{
    memcpy(in->readings, r->last, r->shape.actuators * sizeof *in->readings);
    if (r->shape.sensors)
        memcpy(in->sensors, r->sensors, r->shape.sensors * sizeof *in->sensors);
    in->lines = r->lines;
    in->modes = r->modes;
}

/* Why the rig refuses, in words. */
YK_RT static void note_refusal(struct yk_remote *r)
{
    const double reason = r->in.values[0];
    const int known = reason >= 1 && reason < YK_REFUSAL_REASONS ? (int)reason : YK_REFUSED_RIG;

    yk_refuse_words(&r->in, r->words);
    if (!*r->words)
        strncpy(r->words, refusals[known], sizeof r->words - 1);
}

/* Marks the rig as lost for good, with the reason; the first one stays. */
YK_RT static void lose(struct yk_remote *r, const char *why)
{
    if (!*r->words)
        strncpy(r->words, why, sizeof r->words - 1);
    r->lost = true;
}

/* The next message of this session until `until`; true: a reading newer than the last, now in r->last. */
YK_RT static bool listen(struct yk_remote *r, int64_t until, bool *any)
{
    *any = r->link.ops->receive(&r->link, &r->in, until);
    if (r->link.broken)
        lose(r, "the link to the rig is gone");
    if (!*any || r->in.session != r->session)
        return false;
    if (r->in.kind == YK_REFUSE && r->in.values[0] == YK_REFUSED_BUSY)
        return false; /* a late answer to a HELLO; the session has begun since */
    if (r->in.kind == YK_REFUSE && !r->lost) {
        note_refusal(r);
        r->refused = r->in.values[0] == YK_REFUSED_RIG;
    }
    if (r->in.kind == YK_BYE || r->in.kind == YK_REFUSE)
        lose(r, "the rig has ended the session");
    return r->in.kind == YK_READING && keep(r);
}

/* ---- preparation ---- */

static enum yk_status explain_refusal(struct yk_remote *r, struct yk_err *err)
{
    const double reason = r->in.values[0];

    note_refusal(r);
    if (reason == YK_REFUSED_COUNT || reason == YK_REFUSED_TICK || reason == YK_REFUSED_SENSORS ||
        reason == YK_REFUSED_LINES)
        return yk_fail(err, YK_E_INPUT, "%s: the rig refuses: %s, %g%s", r->what, r->words, r->in.values[1],
                       reason == YK_REFUSED_TICK ? " s" : "");
    return yk_fail(err, YK_E_INPUT, "%s: the rig refuses: %s", r->what, r->words);
}

/* Last answer of the rig to a run that it did not welcome. */
enum heard { NOTHING, CHALLENGED, BUSY };

static enum yk_status nobody(const struct yk_remote *r, enum heard heard, struct yk_err *err)
{
    const struct yk_link_counts *c = &r->link.counts;
    const unsigned long long strange = c->forged + c->replayed;

    if (c->other_version)
        return yk_fail(err, YK_E_UNSUPPORTED, "%s: the rig uses protocol version %u, this program %d", r->what,
                       c->version, YK_WIRE_VERSION);
    if (heard == BUSY)
        return yk_fail(err, YK_E_IO, "%s: the rig stays in use by another session for %g s (patience)", r->what,
                       r->settings.patience);
    if (heard == CHALLENGED)
        return yk_fail(err, YK_E_IO,
                       "%s: the rig answers, but no session begins within %g s (patience): messages to the rig or from "
                       "it are lost, or take longer than 1 s",
                       r->what, r->settings.patience);
    if (strange)
        return yk_fail(err, YK_E_IO,
                       "%s: no rig answers within %g s (patience); %llu datagrams came that the rig did not make with "
                       "this key, or not for this run. Do both sides have the same key?",
                       r->what, r->settings.patience, strange);
    return yk_fail(
        err, YK_E_IO,
        "%s: no rig answers within %g s (patience); is `yoke serve` running? Both sides need the same protocol "
        "version, and if one side has a key, the other needs the same",
        r->what, r->settings.patience);
}

/* Timeouts and sequence window, which depend on whether the rig has its own clock. */
static void begin(struct yk_remote *r, bool own_clock)
{
    const double tick = r->hello[1];
    const double asked = r->settings.silence > 0 ? r->settings.silence
                         : own_clock             ? SILENCE_S
                                                 : LOCK_STEP_WAIT_S,
                 silence = own_clock ? fmax(asked, YK_SILENT_TICKS * tick) : asked,
                 notice = r->peer_silence > 0 ? r->peer_silence : LOCK_STEP_WAIT_S,
                 wait = r->settings.wait > 0 ? r->settings.wait
                        : own_clock          ? 0.5 * tick
                        : r->simulated       ? LOCK_STEP_WAIT_S
                                             : fmin(notice, LOCK_STEP_WAIT_S);

    r->own_clock = own_clock;
    r->silence_ns = (int64_t)(1e9 * silence);
    r->wait_ns = (int64_t)(1e9 * fmin(wait, silence)); /* a longer one would find the rig lost */
    r->oldest = own_clock ? (uint64_t)ceil(silence / tick) : UINT64_MAX;
    if (!r->link.ops->exclusive) /* where it is, nobody else writes */
        r->heard.far = yk_sequence_far(own_clock, r->silence_ns, tick);
}

/* A message before the session; true: the rig welcomes this run. */
static bool hear_greeting(struct yk_remote *r, enum heard *heard)
{
    if (r->in.kind == YK_CHALLENGE) {
        const bool known = r->out.answers == r->in.sequence;

        *heard = CHALLENGED;
        r->out.answers = r->in.sequence;
        if (!known) /* otherwise it was answered, and is again with the next HELLO */
            send_out(r);
    }
    if (r->in.kind == YK_REFUSE && r->in.values[0] == YK_REFUSED_BUSY)
        *heard = BUSY;
    return r->in.kind == YK_WELCOME;
}

/* A new session: asks until there is an answer. */
static enum yk_status greet(struct yk_remote *r, struct yk_err *err)
{
    const int64_t until = yk_clock_now_ns() + (int64_t)(1e9 * r->settings.patience);
    enum heard heard = NOTHING;
    int64_t now;

    if (getrandom(&r->session, sizeof r->session, 0) != sizeof r->session)
        r->session = (uint32_t)yk_clock_now_ns();
    r->sequence = r->base = 0;
    yk_playout_clear(&r->sent);
    yk_playout_clear(&r->heard_of);
    r->heard = (struct yk_sequence){.far = UINT64_MAX};
    r->lost = r->was_cut = r->refused = false;
    r->words[0] = 0;
    compose(r, YK_HELLO, r->hello, YK_HELLO_VALUES);
    while ((now = yk_clock_now_ns()) < until) {
        const int64_t again = now + ASK_AGAIN_NS < until ? now + ASK_AGAIN_NS : until;

        send_out(r);
        while (r->link.ops->receive(&r->link, &r->in, again) && yk_clock_now_ns() < until) {
            if (r->in.session != r->session)
                continue;
            if (hear_greeting(r, &heard)) {
                r->simulated = r->in.values[1] == 1;
                begin(r, r->in.values[0] != 0);
                return YK_OK;
            }
            if (r->in.kind == YK_REFUSE && r->in.values[0] != YK_REFUSED_BUSY)
                return explain_refusal(r, err);
        }
    }
    return nobody(r, heard, err);
}

enum yk_status yk_remote_open(struct yk_remote *r, const struct yk_rig_plan *plan, const char *what, struct yk_err *err)
{
    enum yk_status st;

    r->what = what;
    r->shape = yk_wire_shape(plan);
    yk_wire_hello(plan, r->hello);
    r->counts = (struct yk_remote_counts){0};
    r->playout = plan->playout;
    r->peer_silence = plan->silence;
    if ((st = yk_wire_check(plan, err)) || (r->playout && ((st = yk_playout_make(&r->sent, r->playout, err)) ||
                                                           (st = yk_playout_make(&r->heard_of, r->playout, err)))))
        yk_fail_within(err, YK_NOWHERE, "%s: ", what);
    if (st || (st = greet(r, err))) {
        r->link.ops->close(&r->link);
        return st;
    }
    return YK_OK;
}

void yk_remote_close(struct yk_remote *r)
{
    if (!r->link.ops)
        return;
    say_last(r, 0);
    r->link.ops->close(&r->link);
    yk_playout_free(&r->sent);
    yk_playout_free(&r->heard_of);
}

enum yk_rig_world yk_remote_world(const void *self)
{
    const struct yk_remote *r = self;

    return !r->simulated ? YK_RIG_REAL : r->own_clock ? YK_RIG_CLOCKED : YK_RIG_COMPUTED;
}

double yk_remote_worst_wait_s(const void *self)
{
    return 1e-9 * (double)((const struct yk_remote *)self)->wait_ns;
}

/* Asks the rig until it answers; false where it does not or the session is over. */
static bool ask(struct yk_remote *r, enum yk_message_kind kind, const double *values, size_t count)
{
    const int64_t until = yk_clock_now_ns() + (int64_t)(1e9 * r->settings.patience);
    bool any;

    compose(r, kind, values, count);
    r->base = r->sequence;
    for (int64_t now; (now = yk_clock_now_ns()) < until && !r->lost;) {
        send_out(r);
        do {
            if (listen(r, now + ASK_AGAIN_NS, &any) && r->in.answers >= r->sequence)
                return true;
        } while (any && !r->lost && yk_clock_now_ns() < until);
    }
    return false;
}

static enum yk_status refused(struct yk_remote *r, const char *otherwise, struct yk_err *err)
{
    if (!r->refused)
        return yk_fail(err, YK_E_IO, "%s: the rig %s", r->what, otherwise);
    r->refused = false;
    return yk_fail(err, YK_E_INPUT, "%s: the rig refuses: %s", r->what, r->words);
}

/* A rig that was lost, or that has ended a session without motion, gets a new one. */
enum yk_status yk_remote_rest(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err)
{
    struct yk_remote *r = self;
    bool stands = !r->lost && ask(r, YK_REST, x, r->shape.actuators);
    enum yk_status st;

    if (!stands && r->lost && !r->refused) {
        if ((st = greet(r, err))) {
            lose(r, "there is no session with the rig"); /* a run that goes on all the same is told so */
            return st;
        }
        stands = ask(r, YK_REST, x, r->shape.actuators);
    }
    r->unanswered_ns = 0;
    r->lost = !stands;
    if (!stands)
        return refused(r, "does not come to rest at the start", err);
    hand_over(r, in);
    return YK_OK;
}

enum yk_status yk_remote_enable(void *self, bool on, const struct yk_rig_out *out, struct yk_err *err)
{
    struct yk_remote *r = self;

    if (!r->lost && ask(r, YK_ENABLE, (const double[]){on, out->lines}, 2))
        return YK_OK;
    return on ? refused(r, "does not enable its drives", err) : YK_OK;
}

/* ---- in the loop ---- */

/* Lock-step: until the answer to the last command is there. */
YK_RT static bool await_answer(struct yk_remote *r, int64_t now, int64_t until)
{
    const int64_t share = r->wait_ns / RESENDS, pause = share < SOONEST_NS  ? SOONEST_NS
                                                        : share < LATEST_NS ? share
                                                                            : LATEST_NS;
    int64_t again = now + pause;

    for (int read = 0; read < MOST_READ && !r->lost;) {
        bool any;
        const bool fresh = listen(r, again < until ? again : until, &any);

        if (fresh && r->in.answers >= r->sequence)
            return true;
        read += any;
        now = yk_clock_now_ns();
        if (now >= until)
            return false;
        if (now >= again) {
            send_out(r);
            r->counts.resent++;
            again = now + pause;
        }
    }
    return false;
}

YK_RT static void compose_command(struct yk_remote *r, const struct yk_rig_out *out)
{
    double *v = r->out.values + r->shape.actuators;

    compose(r, YK_COMMAND, out->command, r->shape.actuators);
    *v++ = out->lines;
    for (size_t i = 0; r->shape.feeds_forward && i < r->shape.actuators; i++, v += YK_WIRE_PER_AHEAD) {
        v[0] = out->ahead[i].displacement;
        v[1] = out->ahead[i].velocity;
        v[2] = out->ahead[i].acceleration;
        v[3] = out->ahead[i].force;
    }
    if (r->shape.switches) {
        memcpy(v, out->others, r->shape.actuators * sizeof *v);
        v += r->shape.actuators;
        *v++ = (double)out->modes;
    }
    r->out.count = (uint32_t)(v - r->out.values);
}

/* Own clock: the newest reading; waits only where there is none. */
YK_RT static bool take_newest(struct yk_remote *r, int64_t until)
{
    bool fresh = false, any = true;

    for (int read = 0; read < MOST_READ && any && !r->lost; read++)
        fresh = listen(r, fresh ? 0 : until, &any) || fresh;
    return fresh;
}

/* Sends every command again that has no answer yet. */
YK_RT static void send_unanswered(struct yk_remote *r)
{
    const uint64_t oldest = r->sequence > r->sent.slots ? r->sequence - r->sent.slots + 1 : 1;

    for (uint64_t n = oldest > r->base ? oldest : r->base + 1; n <= r->sequence; n++) {
        const struct yk_message *m = yk_playout_get(&r->sent, n);

        if (m && !yk_playout_get(&r->heard_of, n)) {
            r->link.ops->send(&r->link, m);
            r->counts.resent++;
        }
    }
}

/* Play-out: the reading that answers the command of `playout` ticks before. In the first ticks it is the one at rest.
 */
YK_RT static bool await_late(struct yk_remote *r, int64_t now, int64_t until)
{
    const int64_t pause = r->wait_ns / RESENDS > LATEST_NS ? LATEST_NS : r->wait_ns / RESENDS;
    const uint64_t due = r->sequence > r->base + r->playout ? r->sequence - r->playout : 0;
    int64_t again = now + (pause > SOONEST_NS ? pause : SOONEST_NS);
    bool any = true;

    yk_playout_put(&r->sent, r->sequence, &r->out);
    for (int read = 0; read < MOST_READ && any && !r->lost; read++) /* whatever has come */
        listen(r, 0, &any);
    for (int read = 0; due && !yk_playout_get(&r->heard_of, due) && read < MOST_READ && !r->lost;) {
        listen(r, again < until ? again : until, &any);
        read += any;
        now = yk_clock_now_ns();
        if (now >= until)
            break;
        if (now >= again) {
            if (!r->own_clock)
                send_unanswered(r);
            again = now + (pause > SOONEST_NS ? pause : SOONEST_NS);
        }
    }
    const struct yk_message *reading = due ? yk_playout_get(&r->heard_of, due) : NULL;
    if (reading)
        take_values(r, reading->values);
    else
        r->counts.missing += due > 0;
    return reading || !due;
}

/* How long an exchange waits. A real rig that has fallen silent must not hold up the ramp that the limit of silence
 * starts. */
YK_RT static int64_t patience_of(const struct yk_remote *r)
{
    const int64_t half_tick = (int64_t)(0.5e9 * r->hello[1]);
    const bool ramps = r->unanswered_ns && !r->simulated && r->peer_silence > 0;

    return ramps && half_tick < r->wait_ns ? half_tick : r->wait_ns;
}

YK_RT enum yk_rig_answer yk_remote_exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    struct yk_remote *r = self;
    const int64_t now = yk_clock_now_ns(), until = r->lost ? 0 : now + patience_of(r);
    bool fresh = false;

    /* a rig that is not heard may still hear: the motion of a fault must reach it */
    compose_command(r, out);
    send_out(r);
    if (!r->lost)
        fresh = r->playout     ? await_late(r, now, until)
                : r->own_clock ? take_newest(r, until)
                               : await_answer(r, now, until);
    hand_over(r, in);
    if (fresh && !r->lost) {
        r->unanswered_ns = 0;
        return YK_RIG_FRESH;
    }
    r->counts.held++;
    if (r->refused) {
        r->refused = false;
        return YK_RIG_REFUSED;
    }
    if (!r->unanswered_ns)
        r->unanswered_ns = now;
    if (yk_clock_now_ns() - r->unanswered_ns >= r->silence_ns)
        lose(r,
             "no reading for longer than `silence`"); /* it goes to its safe position; a rest begins another session */
    return r->lost ? YK_RIG_LOST : YK_RIG_HELD;
}

struct yk_remote *yk_remote_session(void *self)
{
    struct yk_remote *r = self;

    if (r->link.ops && r->link.ops->update_counts)
        r->link.ops->update_counts(&r->link);
    return r;
}

YK_RT const char *yk_remote_reason(const void *self)
{
    return ((const struct yk_remote *)self)->words;
}

YK_RT void yk_remote_cut(void *self, uint32_t lines)
{
    struct yk_remote *r = self;

    r->was_cut = true;
    lose(r, "its drives were cut"); /* the session ends here */
    say_last(r, lines);
}
