/* Frames through the slaves of a simulated segment, and ticks of the rig behind them. */
#include "sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { THROUGH_NS = 620, BACK_NS = 600, CABLE_NS = 50 }; /* of a slave, there and back; of a cable */
enum { MORE = 0x8000, LENGTH_MASK = 0x07FF, DATAGRAMS_TYPE = 1, IN_A_TERMINAL = 4 };
enum { OVER_RANGE = 2 | 1 << 6, INVALID = 1 << 14 | 1 << 6, TOGGLE = 1 << 15, LITTLE_NS = 50000, SYNC_LOST = 0x001A };
enum { CSP = 8 };
#define START_NS 1000000000 /* lock-step begins here: 0 means never in registers */

/* ---- the line ---- */

/* Ports and path times, for the slaves that frames reach and those that they do not. */
static void wire_up(struct yk_sim_segment *g)
{
    int64_t to = 0, back = 0;

    for (size_t k = 0; k < g->count; k++) {
        struct yk_sim_slave *s = g->slaves[k];
        const bool first = k == g->reach && k > 0, last = k + 1 == g->reach || k + 1 == g->count;
        /* PDI and its watchdog well; for each port: link and communication, or the loop closed */
        const unsigned port0 = first ? 0x0100 : 0x0210, port1 = last ? 0x0400 : 0x0820;

        yk_le_put(s->memory + YK_EC_DL_STATUS, 0x5003 | port0 | port1, 2);
        s->clock.last = last;
        s->clock.to = to;
        to += THROUGH_NS + g->cable_ns[k];
    }
    for (size_t k = g->reach; k-- > 0;) {
        struct yk_sim_clock *c = &g->slaves[k]->clock;

        back = k + 1 == g->reach ? c->to + THROUGH_NS : back + BACK_NS; /* it leaves port 0 */
        if (k > 0)
            g->slaves[k - 1]->clock.back = back += g->cable_ns[k - 1];
    }
}

void yk_sim_segment_reach(struct yk_sim_segment *g, size_t count)
{
    const size_t reach = count < g->count ? count : g->count;

    if (reach > 0 && reach < g->reach) {
        uint8_t *lost = g->slaves[reach - 1]->memory + YK_EC_LOST_LINKS + 1;

        *lost += *lost < 255;
    }
    g->reach = reach;
    wire_up(g);
}

bool yk_sim_segment_append(struct yk_sim_segment *g, struct yk_sim_slave *s)
{
    if (!s || g->count == YK_SIM_SLAVES) {
        yk_sim_slave_destroy(s);
        return false;
    }
    s->serial = (uint32_t)g->count + 1;
    struct yk_sim_object *serial = yk_sim_object_find(s, 0x1018, 4);
    if (serial)
        serial->value = s->serial;
    g->cable_ns[g->count] = CABLE_NS;
    g->slaves[g->count++] = s;
    return true;
}

/* ---- the rig ---- */

static double signal_of(const struct yk_sim_segment *g, const struct yk_sim_object *o)
{
    const struct yk_reading *r = &g->in.readings[o->channel];

    switch (o->signal) {
    case YK_SIM_DISPLACEMENT:
        return r->displacement;
    case YK_SIM_FORCE:
        return r->force;
    case YK_SIM_VELOCITY:
        return r->velocity;
    case YK_SIM_ACCELERATION:
        return r->acceleration;
    case YK_SIM_SENSOR:
        return g->in.sensors[o->channel];
    default:
        return 0;
    }
}

/* A reading to its object, and to its status word: a new value each time. */
static void measure(const struct yk_sim_segment *g, struct yk_sim_slave *s, struct yk_sim_object *o)
{
    const double x = signal_of(g, o);
    const bool within = yk_sim_object_set(o, x);

    if (o->condition) {
        struct yk_sim_object *c = &s->objects[o->condition - 1];

        c->value = (~c->value & TOGGLE) | (isnan(x) ? INVALID : within ? 0 : OVER_RANGE);
    }
}

/* Readings to the objects of all slaves, and to what the master reads. */
static void put_inputs(struct yk_sim_segment *g)
{
    for (size_t k = 0; k < g->count; k++) {
        struct yk_sim_slave *s = g->slaves[k];

        for (size_t i = 0; i < s->object_count; i++) {
            struct yk_sim_object *o = &s->objects[i];

            if (o->signal >= YK_SIM_DISPLACEMENT && o->signal <= YK_SIM_SENSOR)
                measure(g, s, o);
            else if (o->signal == YK_SIM_LINE_IN)
                o->value = g->in.lines >> o->channel & 1;
        }
        struct yk_sim_object *error = yk_sim_object_find(s, 0x60F4, 0);
        if (error && yk_sim_object_value(s, 0x6060, 0) == CSP)
            error->value = (uint32_t)(yk_sim_object_value(s, 0x607A, 0) - yk_sim_object_value(s, 0x6064, 0));
        yk_sim_inputs_put(s);
    }
}

static double finite_number(const struct yk_sim_object *o)
{
    const double x = yk_sim_object_number(o);

    return isfinite(x) ? x : 0;
}

/* Commands, feed-forward and lines from the objects of the slaves. */
static void gather(struct yk_sim_segment *g, const struct yk_sim_slave *s)
{
    if (s->drive && s->actuator != YK_SIM_NO_ACTUATOR)
        g->command[s->actuator] = s->drive_now.command;
    if (s->drive && s->actuator != YK_SIM_NO_ACTUATOR && s->drive_now.makes_force)
        g->modes |= UINT64_C(1) << s->actuator;
    for (size_t i = 0; i < s->object_count; i++) {
        const struct yk_sim_object *o = &s->objects[i];
        struct yk_ahead *ahead = &g->ahead[o->channel];
        const bool on = s->drive && s->drive_now.state == YK_SIM_ENABLED;

        if (o->signal == YK_SIM_COMMAND && !s->drive && (yk_sim_slave_state(s) == YK_EC_OP || s->fallen)) {
            /* an analogue output */
            g->command[o->channel] = finite_number(o);
            g->moving = true;
        } else if (o->signal == YK_SIM_LINE_OUT)
            g->lines = (g->lines & ~(1u << o->channel)) | (uint32_t)(o->value & 1) << o->channel;
        else if (o->signal == YK_SIM_FORCE_COMMAND)
            g->others[o->channel] = finite_number(o);
        else if (o->signal == YK_SIM_AHEAD_VELOCITY)
            ahead->velocity = on ? finite_number(o) : 0;
        else if (o->signal == YK_SIM_AHEAD_ACCELERATION)
            ahead->acceleration = on ? finite_number(o) : 0;
        else if (o->signal == YK_SIM_AHEAD_FORCE)
            ahead->force = on ? finite_number(o) : 0;
    }
}

/* At rest at its start, where a new master finds it. */
static void rest(struct yk_sim_segment *g)
{
    struct yk_err why = {0};

    for (size_t i = 0; i < g->plan.count; i++) {
        g->command[i] = g->plan.x0 ? g->plan.x0[i] : 0;
        g->in.readings[i] = (struct yk_reading){.displacement = g->command[i]};
    }
    for (size_t k = 0; k < g->count; k++)
        if (g->slaves[k]->drive && g->slaves[k]->actuator != YK_SIM_NO_ACTUATOR)
            yk_sim_drive_reset(g->slaves[k], g->command[g->slaves[k]->actuator]);
    g->failed = g->rig && g->rig->rest(g->rig_self, g->command, &g->in, &why);
    g->moving = false;
    put_inputs(g);
}

static void move(struct yk_sim_segment *g)
{
    const struct yk_rig_out out = {.command = g->command,
                                   .ahead = g->plan.feeds_forward ? g->ahead : NULL,
                                   .lines = g->lines,
                                   .others = g->plan.others ? g->others : NULL,
                                   .modes = g->modes};

    for (size_t i = 0; i < g->plan.count; i++) {
        g->ahead[i].displacement = g->command[i];
        if (!g->rig)
            g->in.readings[i].displacement = g->command[i];
    }
    g->motion++;
    atomic_fetch_add(&g->counts.ticks, 1);
    if (!g->rig || g->failed)
        return;
    const enum yk_rig_answer answer = g->rig->exchange(g->rig_self, &out, &g->in);
    g->failed = answer == YK_RIG_LOST || answer == YK_RIG_REFUSED;
}

/* The devices act on their outputs, the rig moves, and they measure. */
static void tick(struct yk_sim_segment *g)
{
    enum { HARDWARE = 0x5000 };
    const double T = 1e-9 * (double)g->tick_ns;

    g->modes = 0;
    for (size_t k = 0; k < g->count; k++) {
        struct yk_sim_slave *s = g->slaves[k];

        if (yk_sim_slave_state(s) == YK_EC_OP && s->fresh)
            yk_sim_outputs_take(s);
        s->fresh = s->twice = false;
        if (s->drive) {
            if (g->failed)
                yk_sim_drive_fail(s, HARDWARE, g->now);
            yk_sim_drive_cycle(s, T);
            g->moving |= s->drive_now.state == YK_SIM_ENABLED;
        }
        gather(g, s);
    }
    if (g->moving)
        move(g);
    put_inputs(g);
}

/* A new master takes all slaves back to INIT: the rig is at its start again. */
static void mind_session(struct yk_sim_segment *g)
{
    for (size_t k = 0; k < g->count; k++)
        if (yk_sim_slave_state(g->slaves[k]) != YK_EC_INIT)
            return;
    if (g->moving) {
        atomic_fetch_add(&g->counts.sessions, 1);
        rest(g);
    }
}

/* ---- time ---- */

/* The drive whose SYNC0 moves the rig; NULL: the timer does. */
static struct yk_sim_slave *conductor(const struct yk_sim_segment *g)
{
    for (size_t k = 0; k < g->count; k++)
        if (g->slaves[k]->drive && g->slaves[k]->clock.armed && yk_sim_slave_state(g->slaves[k]) >= YK_EC_SAFEOP)
            return g->slaves[k];
    return NULL;
}

int64_t yk_sim_segment_due(const struct yk_sim_segment *g)
{
    const struct yk_sim_slave *s = conductor(g);

    return s ? yk_sim_clock_sync_due(s, g->now) : g->due;
}

/* Drives at SYNC0 miss outputs that did not come, and a clock that ran away. */
static void watch_sync(struct yk_sim_segment *g, struct yk_sim_slave *s)
{
    const int64_t cycle = yk_le32(s->memory + YK_EC_SYNC0_CYCLE),
                  apart = yk_le32(s->memory + YK_EC_TIME_DIFFERENCE) & 0x7FFFFFFF;

    if (!s->drive || !s->clock.armed || yk_sim_slave_state(s) != YK_EC_OP)
        return;
    s->missed = s->fresh ? 0 : s->missed + 1;
    if (s->missed > (int)yk_sim_object_value(s, 0x10F1, 2) || apart > cycle / 5)
        yk_sim_slave_fall(s, SYNC_LOST, g->now);
}

static void count_falls(struct yk_sim_segment *g)
{
    for (size_t k = 0; k < g->count; k++) {
        struct yk_sim_slave *s = g->slaves[k];

        if (s->fallen && !s->fall_counted)
            atomic_fetch_add(&g->counts.falls, 1);
        s->fall_counted = s->fallen;
    }
}

static void advance_slaves(struct yk_sim_segment *g, int64_t now)
{
    g->now = now > g->now ? now : g->now;
    for (size_t k = 0; k < g->count; k++)
        yk_sim_slave_advance(g->slaves[k], g->now);
    count_falls(g);
    mind_session(g);
    yk_sim_faults_act(g);
}

void yk_sim_segment_advance(struct yk_sim_segment *g, int64_t now)
{
    struct yk_sim_slave *s = conductor(g);

    if (g->settings.own_clock && yk_sim_segment_due(g) <= now) { /* once: after a stall a rig does not move in leaps */
        advance_slaves(g, yk_sim_segment_due(g));
        for (size_t k = 0; k < g->count && s; k++)
            watch_sync(g, g->slaves[k]);
        tick(g);
        for (size_t k = 0; k < g->count; k++)
            if (g->slaves[k]->clock.armed && yk_sim_clock_sync_due(g->slaves[k], g->now) <= now)
                yk_sim_clock_sync_pass(g->slaves[k], now);
        g->due += g->tick_ns;
        if (g->due <= now)
            g->due = now + g->tick_ns;
    }
    advance_slaves(g, now);
}

/* ---- frames ---- */

/* The data length of the datagram at `at`; false: the chain of lengths does not fit in `end`. */
static bool measure_datagram(const uint8_t *bytes, size_t at, size_t end, size_t *length, bool *more)
{
    if (at + YK_EC_OVERHEAD > end)
        return false;
    const unsigned field = yk_le16(bytes + at + 6);

    *length = field & LENGTH_MASK;
    *more = field & MORE;
    return at + YK_EC_OVERHEAD + *length <= end;
}

/* Offset of the end of the datagrams; 0: not a frame of datagrams. */
static size_t end_of(const uint8_t *bytes, size_t size)
{
    size_t at = YK_EC_HEAD, length;
    bool more = true;

    if (size < YK_EC_HEAD || size > YK_EC_FRAME_MOST || bytes[12] != 0x88 || bytes[13] != 0xA4 ||
        yk_le16(bytes + 14) >> 12 != DATAGRAMS_TYPE)
        return 0;
    const size_t end = at + (yk_le16(bytes + 14) & LENGTH_MASK);
    if (end > size)
        return 0;
    for (; more; at += YK_EC_OVERHEAD + length)
        if (!measure_datagram(bytes, at, end, &length, &more))
            return 0;
    return at == end ? end : 0;
}

/* Do the slaves wait for another frame before the rig moves? */
static bool outputs_complete(const struct yk_sim_segment *g)
{
    bool any = false, waits = false, again = false;

    for (size_t k = 0; k < g->reach; k++) {
        const struct yk_sim_slave *s = g->slaves[k];

        if (s->maps[YK_SIM_OUT].sm < 0 || !s->maps[YK_SIM_OUT].bits || yk_sim_slave_state(s) < YK_EC_SAFEOP ||
            s->fallen)
            continue;
        any |= s->fresh;
        waits |= !s->fresh;
        again |= s->twice;
    }
    return any && (!waits || again);
}

/* Do the bytes hold a datagram that passes this test? */
static bool any_datagram(const uint8_t *bytes, size_t end, unsigned first, unsigned last)
{
    size_t length = 0;
    bool more;

    for (size_t at = YK_EC_HEAD; at < end && measure_datagram(bytes, at, end, &length, &more);
         at += YK_EC_OVERHEAD + length)
        if (bytes[at] >= first && bytes[at] <= last)
            return true;
    return false;
}

/* Passes the frame through slaves up to `reach`, and lets them take what it writes. */
static void pass(struct yk_sim_segment *g, uint8_t *bytes, size_t end, size_t reach)
{
    size_t length = 0;
    bool more;

    for (size_t k = 0; k < reach; k++)
        for (size_t at = YK_EC_HEAD; at < end; at += YK_EC_OVERHEAD + length) {
            measure_datagram(bytes, at, end, &length, &more);
            yk_sim_memory_pass(g->slaves[k], bytes + at, length, g->now);
        }
    for (size_t k = 0; k < reach; k++)
        yk_sim_memory_commit(g->slaves[k], g->now);
    if (reach)
        bytes[6] |= YK_EC_MAC_MARK;
}

bool yk_sim_segment_frame(struct yk_sim_segment *g, uint8_t *bytes, size_t size)
{
    const size_t end = end_of(bytes, size);
    const struct yk_sim_fault *damage = yk_sim_fault_on(g, YK_SIM_FAULT_DAMAGED);
    size_t reach = g->reach;

    atomic_fetch_add(&g->counts.frames, 1);
    if (!end) {
        atomic_fetch_add(&g->counts.foreign, 1);
        return false;
    }
    if (!reach)
        return false;
    if (damage && (size_t)damage->slave < reach)
        reach = (size_t)damage->slave;
    pass(g, bytes, end, reach);
    for (size_t k = reach; damage && k < g->reach; k++) { /* the first sees a bad check sum, the others pass it on */
        uint8_t *count = g->slaves[k]->memory + (k == reach ? YK_EC_PORT_ERRORS : YK_EC_FORWARDED_ERRORS);

        *count += *count < 255;
    }
    mind_session(g);
    if (!g->settings.own_clock && outputs_complete(g))
        tick(g);
    return !damage;
}

void yk_sim_segment_take(struct yk_sim_segment *g, uint8_t *bytes, size_t size, yk_sim_send send, void *to)
{
    const size_t end = end_of(bytes, size);

    if (!g->settings.own_clock) {
        const int64_t T = g->tick_ns, little = T / 8 < LITTLE_NS ? T / 8 : LITTLE_NS;

        yk_sim_segment_advance(g,
                               any_datagram(bytes, end, YK_EC_LWR, YK_EC_LRW) ? (g->now / T + 1) * T : g->now + little);
    }
    if (!yk_sim_segment_frame(g, bytes, size) || yk_sim_fault_on(g, YK_SIM_FAULT_LOST))
        return;
    const int wrong =
        (yk_sim_fault_on(g, YK_SIM_FAULT_WKC_HIGH) ? 1 : 0) - (yk_sim_fault_on(g, YK_SIM_FAULT_WKC_LOW) ? 1 : 0);
    size_t length = 0;
    bool more;
    for (size_t at = YK_EC_HEAD; wrong && at < end; at += YK_EC_OVERHEAD + length) {
        measure_datagram(bytes, at, end, &length, &more);
        uint8_t *wkc = bytes + at + YK_EC_DATAGRAM_HEAD + length;
        if (bytes[at] >= YK_EC_LRD && bytes[at] <= YK_EC_LRW)
            yk_le_put(wkc, yk_le16(wkc) + (uint64_t)(int64_t)wrong, 2);
    }
    if (g->late_size)
        send(to, g->late, g->late_size);
    g->late_size = 0;
    if (yk_sim_fault_on(g, YK_SIM_FAULT_LATE)) {
        memcpy(g->late, bytes, size);
        g->late_size = size;
        return;
    }
    send(to, bytes, size);
    if (yk_sim_fault_on(g, YK_SIM_FAULT_DUPLICATE))
        send(to, bytes, size);
}

/* ---- preparation ---- */

void yk_sim_segment_start(struct yk_sim_segment *g)
{
    for (size_t k = 0; k < g->count; k++) {
        struct yk_sim_slave *s = g->slaves[k];

        yk_sim_sii_build(s);
        s->clock.ppm = g->settings.ppm + (k ? (double)(7 * k % 23) - 11 : 0); /* each has its own quartz and start */
        s->clock.local = (int64_t)(1234567891 * (k + 1));
        yk_sim_slave_power_on(s, g->now);
    }
    g->reach = g->count;
    wire_up(g);
    rest(g);
    yk_sim_faults_act(g);
}

static bool append_all(struct yk_sim_segment *g)
{
    const struct yk_rig_plan *p = &g->plan;
    const size_t channels = (g->settings.exact ? 0 : p->count) + p->sensor_count;
    size_t lines[2] = {0, 0};
    bool fits = yk_sim_segment_append(g, yk_sim_coupler());

    for (size_t i = 0; i < p->line_count; i++)
        lines[yk_line_is_output(p->lines[i].role)]++;
    for (size_t i = 0; i < p->count; i++)
        fits = yk_sim_segment_append(g, yk_sim_drive(&g->settings, p, i)) && fits;
    for (size_t i = 0; i < channels; i += IN_A_TERMINAL)
        fits = yk_sim_segment_append(g, yk_sim_analogue(&g->settings, p, i,
                                                        channels - i < IN_A_TERMINAL ? channels - i : IN_A_TERMINAL)) &&
               fits;
    for (int outputs = 0; outputs < 2; outputs++)
        if (lines[outputs])
            fits = yk_sim_segment_append(g, yk_sim_digital(p, outputs)) && fits;
    return fits;
}

enum yk_status yk_sim_segment_create(struct yk_sim_segment **segment, const struct yk_sim_settings *settings,
                                     const struct yk_rig_ops *rig, void *rig_self, const struct yk_rig_plan *plan,
                                     struct yk_err *err)
{
    struct yk_sim_segment *g = calloc(1, sizeof *g);
    const size_t most = plan->count > plan->sensor_count ? plan->count : plan->sensor_count;

    *segment = NULL;
    if (!g)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    g->settings = *settings;
    g->rig = rig;
    g->rig_self = rig_self;
    g->plan = *plan;
    g->tick_ns = llround(1e9 * plan->tick);
    g->now = START_NS;
    g->due = g->now + g->tick_ns;
    g->command = calloc(plan->count + most + 2, sizeof *g->command);
    g->others = g->command ? g->command + plan->count + 1 : NULL;
    g->ahead = calloc(most + 1, sizeof *g->ahead);
    g->in.readings = calloc(most + 1, sizeof *g->in.readings);
    g->in.sensors = calloc(plan->sensor_count + 1, sizeof *g->in.sensors);
    enum yk_status st = YK_OK;
    if (!g->command || !g->ahead || !g->in.readings || !g->in.sensors)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    else if (g->tick_ns < 1000)
        st = yk_fail(err, YK_E_RANGE, "a control period of %g s; at least 1e-6 s", plan->tick);
    if (st) {
        yk_sim_segment_destroy(g);
        return st;
    }
    *segment = g;
    return YK_OK;
}

enum yk_status yk_sim_segment_begin(struct yk_sim_segment *g, struct yk_err *err)
{
    for (size_t i = 0; i < g->settings.fault_count; i++)
        if (g->settings.faults[i].slave >= (int)g->count)
            return yk_fail(err, YK_E_RANGE, "a fault names slave %d; the segment has slaves 1 to %zu",
                           g->settings.faults[i].slave + 1, g->count);
    yk_sim_segment_start(g);
    return YK_OK;
}

enum yk_status yk_sim_segment_populate(struct yk_sim_segment *g, struct yk_err *err)
{
    if (!append_all(g))
        return yk_fail(err, YK_E_RANGE, "the rig needs more than %d slaves", YK_SIM_SLAVES);
    return yk_sim_segment_begin(g, err);
}

void yk_sim_segment_destroy(struct yk_sim_segment *g)
{
    if (!g)
        return;
    for (size_t k = 0; k < g->count; k++)
        yk_sim_slave_destroy(g->slaves[k]);
    free(g->command);
    free(g->ahead);
    free(g->in.readings);
    free(g->in.sensors);
    free(g);
}
