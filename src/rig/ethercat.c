/* A rig on an EtherCAT bus: drives of CiA 402 and terminals, docs/backend-ethercat.md.
 *
 * A tick sends one frame with the commands of all actuators and waits for it; the readings are those that the slaves
 * had when it passed them. With clocks the drives act at SYNC0, all together, and the loop follows the reference clock.
 * From `open` on the slaves hear a frame in every tick: a thread sends them while no run does. */
#include "rig/ethercat_parts.h"

#include "base/clock.h"
#include "base/thread.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define STEP_S  1.0  /* a drive takes a step of its ladder within this */
#define RESET_S 10.0 /* and the reset of a fault */
#define COPY    0.3  /* of a tick after SYNC0: the slaves have copied their inputs */
#define LATEST  0.95 /* of a tick: the second frame is back, or late */

enum {
    ASKED_AT_ONCE = 8, /* slaves whose state goes with one frame */
    STOPS = 3,         /* frames with a quick stop at once */
    STILL = 10,        /* ticks without motion, after which a drive in its quick stop stands */
    UNHEARD = 3,       /* frames in a row without an answer: nobody is there to be stopped */
    GOOD_BEFORE_OP = 20
};

/* ---- words, made without the heap ---- */

YK_RT static void say_text(struct yk_ec_rig *r, const char *text)
{
    while (*text && r->said + 1 < YK_EC_WORDS)
        r->says[r->said++] = *text++;
    r->says[r->said] = 0;
}

/* The first words of a new reason. */
YK_RT static void begin_with(struct yk_ec_rig *r, const char *text)
{
    r->says = r->words;
    r->said = 0;
    say_text(r, text);
}

/* The first words of a new remark; the last one is overwritten where there is no room. */
YK_RT static void begin_notice(struct yk_ec_rig *r, const char *text)
{
    struct yk_ec_notices *n = &r->notices;

    yk_ec_capture_mark(r->capture);
    n->count += n->count < YK_EC_NOTICES;
    r->says = n->words[(n->first + n->count - 1) % YK_EC_NOTICES];
    r->said = 0;
    say_text(r, text);
}

YK_RT static const char *notice(void *self)
{
    struct yk_ec_notices *n = &((struct yk_ec_backend *)self)->rig->notices;
    const char *words = n->words[n->first];

    if (!n->count)
        return NULL;
    n->first = (n->first + 1) % YK_EC_NOTICES;
    n->count--;
    return words;
}

YK_RT static void say_number(struct yk_ec_rig *r, unsigned value, unsigned base)
{
    char digits[12], *at = digits + sizeof digits - 1;

    *at = 0;
    do
        *--at = "0123456789ABCDEF"[value % base];
    while ((value /= base) && at > digits);
    if (base == 16)
        say_text(r, "0x");
    say_text(r, at);
}

/* ---- ticks outside a run ---- */

YK_RT static int64_t now(const struct yk_ec_rig *r)
{
    return r->master.wire.ops->now(&r->master.wire);
}

/* The phase of a frame that came back: what it would have been if it had been sent when it was due. */
YK_RT static void follow_clock(struct yk_ec_rig *r, int64_t sent_ns)
{
    const int64_t late = sent_ns - r->due_ns;

    if (r->master.time && late < r->period_ns / 10)
        yk_ec_phase_update(&r->phase, r->master.time - (uint64_t)late);
}

/* One tick, at its time; inputs count even where the slaves do not take outputs yet. */
static enum yk_ec_result step(struct yk_ec_rig *r)
{
    struct yk_ec_master *m = &r->master;
    const int64_t at = now(r);

    r->due_ns += r->period_ns + (int64_t)r->phase.correction_ns;
    if (r->due_ns < at) /* after a stall: by whole periods */
        r->due_ns += (at - r->due_ns + r->period_ns - 1) / r->period_ns * r->period_ns;
    m->wire.ops->pause(&m->wire, r->due_ns);
    yk_ec_rig_fill(r, NULL);
    const int64_t sent = now(r);
    const enum yk_ec_result result = yk_ec_cycle(m, sent + r->wait_ns, (uint16_t)(2 * m->expected_writes));
    follow_clock(r, sent);
    return result;
}

static void *keep(void *self)
{
    struct yk_ec_rig *r = self;

    while (!atomic_load(&r->stop_keeping))
        step(r);
    atomic_store(&r->has_stopped, true);
    return NULL;
}

/* The loop takes over: the thread sends no more. It ends its tick, which is short. The wait lets it have the processor:
 * of a machine with one, a loop of high priority would wait for ever. */
YK_RT static void release(struct yk_ec_rig *r)
{
    if (!r->keeps || atomic_load(&r->has_stopped))
        return;
    atomic_store(&r->stop_keeping, true);
    while (!atomic_load(&r->has_stopped))
        r->master.wire.ops->pause(&r->master.wire, now(r) + YK_CLOCK_SPIN_NS + r->period_ns / 4);
    r->good_ns = now(r);
}

static void stop_keeping(struct yk_ec_rig *r)
{
    if (!r->keeps)
        return;
    atomic_store(&r->stop_keeping, true);
    pthread_join(r->keeper, NULL);
    r->keeps = false;
}

/* Only slaves with a clock would miss the frames. */
static void start_keeping(struct yk_ec_rig *r)
{
    if (!r->master.clock_runs || !r->master.wire.timed)
        return;
    atomic_store(&r->stop_keeping, false);
    atomic_store(&r->has_stopped, false);
    r->keeps = yk_thread_start(&r->keeper, keep, r) == 0;
}

/* ---- stopping ---- */

/* Has a drive come to its stop? One that stays in its quick stop stands when its position does. */
static bool stands(const struct yk_ec_rig *r, struct yk_ec_axis *d)
{
    const enum yk_drive_state state = yk_drive_state(yk_ec_rig_word(r, &d->status));
    const struct yk_ec_place *p = &d->actual;

    if (state != YK_DRIVE_QUICK_STOP || !p->bits) {
        d->still = 0;
        return state != YK_DRIVE_ENABLED && state != YK_DRIVE_FAULT_REACTION && state != YK_DRIVE_QUICK_STOP;
    }
    const uint64_t at = yk_bits_get(r->master.inputs, p->bit, p->bits),
                   off = (at - d->stands_at + 1) << (64 - p->bits) >> (64 - p->bits);     /* 1: nowhere */
    const bool moves = p->type == YK_EC_F32 || p->type == YK_EC_F64 ? off != 1 : off > 2; /* more than a count */

    d->still = moves ? 0 : d->still + 1;
    if (moves)
        d->stands_at = at;
    return d->still >= STILL;
}

/* Quick stop until all drives stand, at most `stop_time`; their voltage is switched off only then, and after it the
 * lines: a drive without its enable would coast. False: nobody answers. */
static bool brake(struct yk_ec_rig *r, uint32_t lines)
{
    int64_t until = now(r) + llround(1e9 * r->setup.stop_time);
    int unheard = 0;
    bool stand = false, off = false;

    r->follows = false;
    r->goal = YK_DRIVE_STOP;
    while (!stand && now(r) < until && unheard < UNHEARD) {
        unheard = step(r) == YK_EC_ARRIVED ? 0 : unheard + 1;
        stand = !unheard;
        for (size_t i = 0; i < r->drive_count && !unheard; i++)
            stand &= stands(r, &r->drives[i]);
    }
    r->goal = YK_DRIVE_OFF;
    for (until = now(r) + llround(1e9 * STEP_S); !off && now(r) < until && unheard < UNHEARD;) {
        unheard = step(r) == YK_EC_ARRIVED ? 0 : unheard + 1;
        off = !unheard;
        for (size_t i = 0; i < r->drive_count; i++) {
            const enum yk_drive_state state = yk_drive_state(yk_ec_rig_word(r, &r->drives[i].status));

            off &= state == YK_DRIVE_DISABLED || state == YK_DRIVE_FAULT || state == YK_DRIVE_NOT_READY;
        }
    }
    yk_ec_rig_put_lines(r, lines);
    for (int i = 0; i < STOPS; i++) {
        yk_ec_rig_fill(r, NULL);
        yk_ec_send_outputs(&r->master);
    }
    return unheard < UNHEARD;
}

/* Sleeps until a cut, brakes, and keeps the slaves supplied with frames until it is told to end. */
static void *brake_on_cut(void *self)
{
    struct yk_ec_rig *r = self;

    while (sem_wait(&r->cut_now))
        ;
    if (r->was_cut)
        (void)brake(r, r->cut_lines);
    while (!atomic_load(&r->stop_keeping))
        step(r);
    return NULL;
}

static void stop_braker(struct yk_ec_rig *r)
{
    if (!r->has_braker)
        return;
    atomic_store(&r->stop_keeping, true);
    sem_post(&r->cut_now);
    pthread_join(r->braker, NULL);
    sem_destroy(&r->cut_now);
    r->has_braker = false;
}

static enum yk_status start_braker(struct yk_ec_rig *r, struct yk_err *err)
{
    r->was_cut = false;
    if (!r->master.wire.timed)
        return YK_OK;
    atomic_store(&r->stop_keeping, false);
    sem_init(&r->cut_now, 0, 0);
    if (yk_thread_start(&r->braker, brake_on_cut, r))
        return yk_fail(err, YK_E_IO, "EtherCAT: no thread can be started");
    r->has_braker = true;
    return YK_OK;
}

/* ---- opening ---- */

static enum yk_status first_inputs(struct yk_ec_rig *r, struct yk_err *err)
{
    const int64_t until = now(r) + llround(1e9 * r->setup.patience);
    int good = 0;

    r->due_ns = now(r);
    do
        good = step(r) == YK_EC_ARRIVED ? good + 1 : 0;
    while (good < 3 && now(r) < until);
    return good >= 3 ? YK_OK
                     : yk_fail(err, YK_E_IO, "EtherCAT: no inputs in SAFEOP: working counter %d, expected %d",
                               r->master.wkc, r->master.expected);
}

YK_RT static struct yk_ec_rig *rig_of(const void *self)
{
    return ((const struct yk_ec_backend *)self)->rig;
}

static enum yk_status check(const void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    return yk_ec_setup_check(&((const struct yk_ec_backend *)self)->setup, plan, err);
}

static enum yk_status open(void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    struct yk_ec_backend *b = self;
    struct yk_ec_rig *r = b->rig = calloc(1, sizeof *r);
    enum yk_status st;

    if (!r)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the bus");
    r->setup = b->setup;
    r->master.wire = b->wire;
    b->wire = (struct yk_ec_wire){0};
    if ((st = yk_ec_rig_prepare(r, plan, err)) || (st = first_inputs(r, err)))
        return st;
    r->good_ns = now(r);
    start_keeping(r);
    return YK_OK;
}

static double worst_wait_s(const void *self)
{
    const struct yk_ec_rig *r = rig_of(self);
    const double once = 1e-9 * (double)r->wait_ns;

    return !r->setup.reads_twice ? once : r->setup.clock ? LATEST * r->plan.tick : 2 * once;
}

/* Drives stay as they are. */
static enum yk_status rest(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err)
{
    struct yk_ec_rig *r = rig_of(self);
    enum yk_ec_result result = YK_EC_MISSING;
    const bool kept = r->keeps && !atomic_load(&r->has_stopped);

    stop_keeping(r);
    stop_braker(r);
    for (int i = 0; i < 10 && result != YK_EC_ARRIVED; i++)
        result = r->setup.clock ? step(r) : yk_ec_read_inputs(&r->master, now(r) + r->wait_ns);
    yk_ec_rig_take(r);
    yk_ec_rig_hand_over(r, in);
    r->good_ns = now(r);
    if (kept)
        start_keeping(r);
    return result == YK_EC_ARRIVED ? YK_OK
                                   : yk_fail(err, YK_E_IO, "EtherCAT: no inputs: working counter %d, expected %d",
                                             r->master.wkc, r->master.expected);
}

/* ---- enabling ---- */

/* The loop of the run continues from here: its phase must be that of the clock. */
static enum yk_status lock(struct yk_ec_rig *r, struct yk_err *err)
{
    const int64_t until = now(r) + llround(1e9 * r->setup.patience) + 2 * YK_EC_LOCKED * r->period_ns;
    bool found = false;

    while (r->phase.locked < YK_EC_LOCKED) {
        if (now(r) > until)
            return yk_fail(
                err, YK_E_IO,
                "EtherCAT: the loop does not follow the reference clock: off by %.0f us; a busy machine, or a "
                "simulated segment in lock-step: `yoke serve --clock`, or rig.settings.clock: false",
                1e-3 * r->phase.error_ns);
        if (step(r) == YK_EC_ARRIVED && r->master.time && !found) { /* the first error is taken back at once */
            r->due_ns -= (int64_t)r->phase.error_ns;
            yk_ec_phase_init(&r->phase, (double)r->period_ns);
            found = true;
        }
    }
    return YK_OK;
}

/* The slave that is not in OP, if one is. */
YK_RT static const struct yk_ec_slave *find_fallen(const struct yk_ec_master *m, size_t first, size_t count)
{
    for (size_t k = first; k < first + count && k < m->count; k++)
        if (m->slaves[k].al_status != YK_EC_OP)
            return &m->slaves[k];
    return NULL;
}

static enum yk_status operate(struct yk_ec_rig *r, struct yk_err *err)
{
    struct yk_ec_master *m = &r->master;
    const int64_t until = now(r) + llround(1e9 * r->setup.patience) + GOOD_BEFORE_OP * r->period_ns;

    for (int good = 0; good < GOOD_BEFORE_OP;) {
        good = step(r) == YK_EC_ARRIVED ? good + 1 : 0;
        if (now(r) > until)
            return yk_fail(err, YK_E_IO, "EtherCAT: frames get lost: %llu of %llu",
                           (unsigned long long)m->counts.missing, (unsigned long long)m->counts.frames);
    }
    for (size_t k = 0; k < m->count; k++) {
        uint8_t data[2] = {YK_EC_OP, 0};

        step(r);
        if (yk_ec_exchange(m, YK_EC_FPWR, yk_ec_address(m->slaves[k].station, YK_EC_AL_CONTROL), data, 2) != 1)
            return yk_fail(err, YK_E_IO, "EtherCAT: %s does not answer", m->slaves[k].name);
    }
    do {
        if (step(r) == YK_EC_ARRIVED && m->al_or == YK_EC_OP && m->al_wkc == m->count)
            return YK_OK;
        if (m->al_or & YK_EC_STATE_ERROR)
            break;
    } while (now(r) < until);
    for (size_t k = 0; k < m->count; k++) {
        step(r);
        yk_ec_read_state(m, k);
    }
    const struct yk_ec_slave *s = find_fallen(m, 0, m->count);
    return yk_fail(err, YK_E_IO, "EtherCAT: %s does not reach OP: it is in %s, 0x%04X: %s", s ? s->name : "a slave",
                   yk_ec_state_name(s ? s->al_status : 0), s ? s->al_code : 0, yk_ec_al_words(s ? s->al_code : 0));
}

/* Enables all drives at standstill and waits until they follow their targets. */
static enum yk_status climb(struct yk_ec_rig *r, struct yk_err *err)
{
    int64_t since = now(r);
    enum yk_drive_state seen = YK_DRIVE_UNKNOWN;
    size_t i = 0;

    r->goal = YK_DRIVE_RECOVER;
    while (i < r->drive_count) {
        const struct yk_ec_axis *d = &r->drives[i];
        const uint16_t status = yk_ec_rig_word(r, &d->status);
        const enum yk_drive_state state = yk_drive_state(status);

        if (yk_ec_rig_follows(r, d)) {
            i++;
            since = now(r);
            continue;
        }
        if (state != seen)
            since = now(r);
        seen = state;
        if (1e-9 * (double)(now(r) - since) > (state == YK_DRIVE_FAULT ? RESET_S : STEP_S)) {
            if (!yk_ec_rig_mode_is_right(r, d))
                return yk_fail(err, YK_E_IO, "EtherCAT: drive %s shows mode %d instead of %d (status word 0x%04X)",
                               r->master.slaves[d->slave].name, (int8_t)yk_ec_rig_word(r, &d->mode_shown),
                               d->mode_command, status);
            return yk_fail(err, YK_E_IO, "EtherCAT: drive %s stays in '%s' (status word 0x%04X%s)",
                           r->master.slaves[d->slave].name, yk_drive_state_words(state), status,
                           state != YK_DRIVE_ENABLED   ? ""
                           : status & YK_DRIVE_FOLLOWS ? "; following error, bit 13"
                                                       : "; it does not follow its target, bit 12: a drive without "
                                                         "this bit needs follows: enabled");
        }
        step(r);
    }
    r->goal = YK_DRIVE_RUN;
    return YK_OK;
}

/* Drives off, then the lines, then the slaves to SAFEOP: as far as they can be heard. */
static void stand_down(struct yk_ec_rig *r, uint32_t lines)
{
    struct yk_ec_master *m = &r->master;

    const bool heard = brake(r, lines);

    for (size_t k = 0; k < m->count && heard; k++) {
        uint8_t data[2] = {YK_EC_SAFEOP, 0};

        yk_ec_exchange(m, YK_EC_FPWR, yk_ec_address(m->slaves[k].station, YK_EC_AL_CONTROL), data, 2);
    }
    r->operates = false;
}

/* The output lines with those that enable drives switched off. */
YK_RT static uint32_t off_lines(const struct yk_ec_rig *r)
{
    uint32_t lines = r->sent_lines;

    for (size_t i = 0; i < r->plan.line_count; i++)
        if (r->plan.lines[i].role == YK_LINE_ENABLE)
            lines = (lines & ~(UINT32_C(1) << i)) | (uint32_t)r->plan.lines[i].inverted << i;
    return lines;
}

/* Drives that do not say whether they follow: loudly. */
static void tell_unconfirmed(struct yk_ec_rig *r)
{
    for (size_t i = 0; i < r->drive_count; i++)
        if (r->setup.slaves[r->drives[i].slave].follows == YK_EC_FOLLOWS_ENABLED) {
            begin_notice(r, "drive ");
            say_text(r, r->master.slaves[r->drives[i].slave].name);
            say_text(r, " does not confirm that it follows its target (follows: enabled)");
        }
}

static enum yk_status enable(void *self, bool on, const struct yk_rig_out *out, struct yk_err *err)
{
    struct yk_ec_rig *r = rig_of(self);
    enum yk_status st = YK_OK;

    stop_keeping(r);
    stop_braker(r);
    if (!on) {
        stand_down(r, out->lines);
        return YK_OK;
    }
    for (size_t i = 0; i < r->drive_count; i++) {
        r->drives[i].mode_sent = r->drives[i].mode_command;
        r->drives[i].homes = 0;
    }
    yk_ec_rig_fill(r, out);
    r->operates = true;
    r->lost = r->finding = r->aligned = r->paced = false;
    begin_with(r, "");
    r->master.asked_count = 0;
    if ((r->setup.clock && (st = lock(r, err))) || (st = operate(r, err)) || (st = climb(r, err)) ||
        (st = start_braker(r, err))) {
        stand_down(r, off_lines(r));
        return st;
    }
    tell_unconfirmed(r);
    r->follows = true;
    r->good_ns = now(r);
    return YK_OK;
}

/* ---- a tick of a run ---- */

/* When the next tick is due, given when the loop means to begin it: the first continues the ticks before the run, the
 * others follow the reference clock. */
YK_RT static int64_t choose_due(struct yk_ec_rig *r, int64_t due_ns)
{
    if (!r->master.clock_runs)
        return due_ns;
    if (!r->aligned) {
        const int64_t behind = due_ns - r->due_ns;

        r->due_ns += (behind + r->period_ns - 1) / r->period_ns * r->period_ns;
    } else {
        r->due_ns = due_ns + (int64_t)r->phase.correction_ns;
    }
    r->aligned = r->paced = true;
    return r->due_ns;
}

YK_RT static int64_t pace(void *self, int64_t due_ns)
{
    release(rig_of(self)); /* whose ticks these were until now */
    return choose_due(rig_of(self), due_ns);
}

/* A run that has no pace of its own gets that of the clock. */
YK_RT static void await_tick(struct yk_ec_rig *r)
{
    if (r->master.clock_runs && !r->paced) {
        const int64_t at = now(r);

        choose_due(r, r->aligned ? r->due_ns + r->period_ns : at);
        if (r->due_ns < at)
            r->due_ns += (at - r->due_ns + r->period_ns - 1) / r->period_ns * r->period_ns;
        while (now(r) < r->due_ns && r->master.wire.ops->receive(&r->master.wire, r->master.in, r->due_ns))
            r->master.counts.stray++;
    }
    r->paced = false;
}

YK_RT static void lose(struct yk_ec_rig *r)
{
    r->lost = true;
    yk_ec_capture_mark(r->capture);
    r->goal = YK_DRIVE_STOP;
    r->follows = false;
    yk_ec_rig_fill(r, NULL);
    yk_ec_send_outputs(&r->master); /* what can still be heard stops now */
}

/* A slave fell back: which one, and why? Their states come with the next frames, some with each. */
YK_RT static bool find_out(struct yk_ec_rig *r)
{
    struct yk_ec_master *m = &r->master;
    const struct yk_ec_slave *s = r->finding ? find_fallen(m, m->asked, m->asked_count) : NULL;

    if (s) {
        begin_with(r, s->name);
        if (!s->al_status) {
            say_text(r, " does not answer any more");
        } else {
            say_text(r, " fell to ");
            say_text(r, yk_ec_state_name(s->al_status));
            say_text(r, ": ");
            say_number(r, s->al_code, 16);
            say_text(r, ", ");
            say_text(r, yk_ec_al_words(s->al_code));
        }
        return true;
    }
    begin_with(r, "a slave left OP; AL status of all ");
    say_number(r, m->al_or, 16);
    m->asked = r->finding ? m->asked + m->asked_count : 0;
    if (m->asked >= m->count)
        m->asked = 0;
    m->asked_count = m->count - m->asked < ASKED_AT_ONCE ? m->count - m->asked : ASKED_AT_ONCE;
    r->finding = true;
    return false;
}

/* The bus ends early: behind which slave? */
YK_RT static void tell_break(struct yk_ec_rig *r)
{
    const struct yk_ec_master *m = &r->master;

    begin_with(r, "the bus ends ");
    if (m->al_wkc) {
        say_text(r, "behind ");
        say_text(r, m->slaves[m->al_wkc - 1].name);
    } else {
        say_text(r, "at the master");
    }
    say_text(r, ": the cable is broken, or ");
    say_text(r, m->slaves[m->al_wkc].name);
    say_text(r, " has no power; slaves that are gone: ");
    say_number(r, (unsigned)(m->count - m->al_wkc), 10);
}

YK_RT static void tell_count(struct yk_ec_rig *r)
{
    begin_with(r, "working counter ");
    say_number(r, r->master.wkc, 10);
    say_text(r, " instead of ");
    say_number(r, r->master.expected, 10);
    if (r->master.wkc > r->master.expected)
        say_text(r, ": another master, or a slave that was added");
}

/* "drive slave 2 (axis)", and what is the matter with it. */
YK_RT static void say_drive(struct yk_ec_rig *r, const struct yk_ec_axis *d, const char *what)
{
    say_text(r, "drive ");
    say_text(r, r->master.slaves[d->slave].name);
    say_text(r, what);
}

YK_RT static void say_status(struct yk_ec_rig *r, const struct yk_ec_axis *d)
{
    say_text(r, ", status word ");
    say_number(r, yk_ec_rig_word(r, &d->status), 16);
    if (d->error.bits) {
        say_text(r, ", error ");
        say_number(r, yk_ec_rig_word(r, &d->error), 16);
    }
}

/* Does an enabled drive deviate from its command? `words` say how. */
YK_RT static bool is_off_course(struct yk_ec_rig *r, const struct yk_ec_axis *d)
{
    const struct yk_ec_slave_setup *told = &r->setup.slaves[d->slave];
    const uint16_t status = yk_ec_rig_word(r, &d->status);

    if (d->homes)
        return false;
    if (!yk_ec_rig_mode_is_right(r, d)) {
        begin_with(r, "");
        say_drive(r, d, " shows mode ");
        say_number(r, yk_ec_rig_word(r, &d->mode_shown), 10);
        say_text(r, " instead of ");
        say_number(r, d->mode_command, 10);
    } else if (told->drive == YK_EC_CSP && status & YK_DRIVE_LAGS && !yk_ec_rig_is_second(r, d)) {
        begin_with(r, "");
        say_drive(r, d, " reports a following error (bit 13)");
    } else if (told->on_limit == YK_EC_LIMIT_TRIPS && status & YK_DRIVE_LIMITED) {
        begin_with(r, "");
        say_drive(r, d, " has reached an internal limit (bit 11)");
    } else {
        return false;
    }
    say_status(r, d);
    return true;
}

/* A drive that left its operation or its course; one that does not follow its target yet is only late. */
YK_RT static bool find_stopped(struct yk_ec_rig *r, bool *late)
{
    for (size_t i = 0; i < r->drive_count; i++) {
        const struct yk_ec_axis *d = &r->drives[i];
        const enum yk_drive_state state = yk_drive_state(yk_ec_rig_word(r, &d->status));

        if (state == YK_DRIVE_ENABLED) {
            if (is_off_course(r, d))
                return true;
            *late |= !yk_ec_rig_follows(r, d);
            continue;
        }
        begin_with(r, "");
        say_drive(r, d, " left its operation: ");
        say_text(r, yk_drive_state_words(state));
        say_status(r, d);
        return true;
    }
    if (*late)
        begin_with(r, "a drive does not follow its target");
    return false;
}

/* Bits of the status words that only warn, each time that one rises. */
YK_RT static void notice_bits(struct yk_ec_rig *r)
{
    static const struct {
        uint16_t bit;
        const char *words;
    } bits[] = {{YK_DRIVE_WARNS, " warns (bit 7)"}, {YK_DRIVE_LIMITED, " has reached an internal limit (bit 11)"}};

    for (size_t i = 0; i < r->drive_count; i++) {
        struct yk_ec_axis *d = &r->drives[i];
        const uint16_t status = yk_ec_rig_word(r, &d->status), rising = status & (uint16_t)~d->told;

        for (size_t k = 0; k < sizeof bits / sizeof *bits; k++)
            if (rising & bits[k].bit) {
                begin_notice(r, "");
                say_drive(r, d, bits[k].words);
                say_status(r, d);
            }
        d->told = status;
    }
}

/* Emergency messages that came with the frames. */
YK_RT static void notice_emergencies(struct yk_ec_rig *r)
{
    for (size_t k = 0; k < r->master.count; k++) {
        const struct yk_ec_emergency *e = &r->master.slaves[k].emergency;

        if (r->emergencies[k] == e->count)
            continue;
        r->emergencies[k] = e->count;
        begin_notice(r, "emergency of ");
        say_text(r, r->master.slaves[k].name);
        say_text(r, ": ");
        say_number(r, e->code, 16);
        say_text(r, ", ");
        say_text(r, e->code ? yk_ec_emergency_words(e->code) : "error reset");
        say_text(r, "; error register ");
        say_number(r, e->reg, 16);
    }
}

/* Judges a cycle: *well, or `words` say what is wrong. True: the bus is lost for good. */
YK_RT static bool judge(struct yk_ec_rig *r, enum yk_ec_result result, bool *well)
{
    const struct yk_ec_master *m = &r->master;
    bool late = false;

    *well = false;
    if (result == YK_EC_MISSING) {
        begin_with(r,
                   m->wire.down ? "the network interface is down" : "no frame comes back: a cable, or the first slave");
        return m->wire.down;
    }
    if (m->wkc > m->expected) {
        tell_count(r);
        return true;
    }
    if (m->al_wkc < m->count) {
        tell_break(r);
        return false;
    }
    if (r->operates && (m->al_or != YK_EC_OP || r->finding)) {
        if (find_out(r))
            return true;
        if (m->al_or != YK_EC_OP)
            return false;
        r->finding = false; /* it came back */
        r->master.asked_count = 0;
    }
    if (result == YK_EC_MISCOUNT) {
        tell_count(r);
        return false;
    }
    if (r->operates && find_stopped(r, &late))
        return true;
    *well = !late;
    return false;
}

/* Readings of this tick: the drives have acted. */
YK_RT static enum yk_ec_result read_again(struct yk_ec_rig *r, int64_t sent)
{
    int64_t until = now(r) + r->wait_ns;

    if (r->master.clock_runs) {
        const int64_t then = sent + (int64_t)((r->setup.shift + COPY) * (double)r->period_ns);

        while (now(r) < then && r->master.wire.ops->receive(&r->master.wire, r->master.in, then))
            r->master.counts.stray++;
        until = sent + (int64_t)(LATEST * (double)r->period_ns);
    }
    return yk_ec_read_inputs(&r->master, until);
}

/* Permitted shortfall of the working counter. Before the drives are enabled slaves need not take outputs; on a lost bus
 * any is permitted, to stop the drives that still answer. */
YK_RT static uint16_t may_lack(const struct yk_ec_rig *r)
{
    return r->lost ? r->master.expected : r->operates ? 0 : (uint16_t)(2 * r->master.expected_writes);
}

YK_RT static enum yk_rig_answer exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    struct yk_ec_rig *r = rig_of(self);
    bool well;

    release(r);
    await_tick(r);
    if (out->homing)
        yk_ec_rig_home(r, out->homing);
    yk_ec_rig_fill(r, out);
    const int64_t sent = now(r);
    enum yk_ec_result result = yk_ec_cycle(&r->master, sent + r->wait_ns, may_lack(r));

    follow_clock(r, sent);
    if (result == YK_EC_ARRIVED)
        notice_bits(r);
    notice_emergencies(r);
    if (yk_ec_capture_failed(r->capture))
        begin_notice(r, "the file with the frames of the bus cannot be written to its end");
    if (result == YK_EC_ARRIVED && r->setup.reads_twice && !r->lost)
        result = read_again(r, sent);
    if (!r->lost && (judge(r, result, &well) || (!well && now(r) - r->good_ns > r->silence_ns)))
        lose(r);
    if (!r->lost && well) {
        r->good_ns = now(r);
        yk_ec_rig_take(r);
    }
    if (out->homing) /* of the same frame as the readings */
        in->homing = yk_ec_rig_home(r, out->homing);
    yk_ec_rig_hand_over(r, in);
    return r->lost ? YK_RIG_LOST : well ? YK_RIG_FRESH : YK_RIG_HELD;
}

YK_RT static const char *reason(const void *self)
{
    return rig_of(self)->words;
}

static enum yk_status record(void *self, const char *folder, struct yk_err *err)
{
    const struct yk_ec_rig *r = rig_of(self);
    char path[4096];

    if (!r->capture)
        return YK_OK;
    snprintf(path, sizeof path, "%s/bus-%s.pcapng", folder, r->setup.interface);
    return yk_ec_capture_write(r->capture, path, r->setup.interface, err);
}

YK_RT static void cut(void *self, uint32_t lines)
{
    struct yk_ec_rig *r = rig_of(self);
    uint32_t enables = 0;

    for (size_t i = 0; i < r->plan.line_count; i++)
        enables |= (uint32_t)(r->plan.lines[i].role == YK_LINE_ENABLE) << i;
    r->goal = YK_DRIVE_STOP;
    r->follows = false;
    yk_ec_rig_put_lines(r, (lines & ~enables) | (r->sent_lines & enables)); /* lamps at once, enables later */
    for (int i = 0; i < STOPS; i++) {
        yk_ec_rig_fill(r, NULL);
        yk_ec_send_outputs(&r->master);
    }
    yk_ec_capture_mark(r->capture);
    r->cut_lines = lines;
    r->was_cut = true;
    if (r->has_braker)
        sem_post(&r->cut_now);
}

/* As far as the slaves can be heard: drives off, SYNC0 off, INIT. */
static void leave(struct yk_ec_rig *r)
{
    struct yk_ec_master *m = &r->master;
    uint8_t off[2] = {0}, init[2] = {YK_EC_INIT | YK_EC_STATE_ERROR, 0};

    if (r->operates)
        stand_down(r, r->was_cut ? r->cut_lines : off_lines(r));
    if (yk_ec_exchange(m, YK_EC_BWR, yk_ec_address(0, YK_EC_AL_CONTROL), init, 2) >= 0)
        yk_ec_exchange(m, YK_EC_BWR, yk_ec_address(0, YK_EC_SYNC_ACTIVATE), off, 1);
}

YK_RT static double position(const void *self, size_t i)
{
    return rig_of(self)->positions[i];
}

static void close(void *self)
{
    struct yk_ec_backend *b = self;
    struct yk_ec_rig *r = b->rig;

    if (r) {
        stop_keeping(r);
        stop_braker(r);
        if (r->master.wire.ops && r->master.slaves)
            leave(r);
        yk_ec_wire_close(&r->master.wire);
        yk_claim_drop(&r->claim);
        yk_ec_forget(&r->master);
        free(r->drives);
        free(r->channels);
        free(r->readings);
        free(r->positions);
        free(r->sensors);
        free(r->emergencies);
    }
    free(r);
    yk_ec_wire_close(&b->wire);
    yk_ec_setup_free(&b->setup);
    b->rig = NULL;
}

void yk_rig_ethercat_use(void *self, struct yk_ec_wire wire)
{
    struct yk_ec_backend *b = self;

    yk_ec_wire_close(&b->wire);
    b->wire = wire;
}

const struct yk_ec_master *yk_rig_ethercat_master(const void *self)
{
    return &rig_of(self)->master;
}

const struct yk_ec_phase *yk_rig_ethercat_phase(const void *self)
{
    return &rig_of(self)->phase;
}

const struct yk_rig_ops yk_rig_ethercat = {
    .name = "ethercat",
    .summary = "drives and terminals on an EtherCAT bus; `yoke serve --ethercat` simulates one",
    .reference = "docs/backend-ethercat.md",
    .params = yk_ec_params,
    .size = sizeof(struct yk_ec_backend),
    .can = YK_RIG_EVERYTHING | YK_RIG_SWITCHES,
    .open = open,
    .close = close,
    .worst_wait_s = worst_wait_s,
    .rest = rest,
    .enable = enable,
    .exchange = exchange,
    .reason = reason,
    .notice = notice,
    .record = record,
    .cut = cut,
    .pace = pace,
    .position = position,
    .check = check,
};
