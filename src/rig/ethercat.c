/* A rig on an EtherCAT bus: drives of CiA 402 and terminals, docs/backend-ethercat.md.
 *
 * A tick sends one frame with the commands of all actuators and waits for it; the readings are those that the slaves
 * had when it passed them. With clocks the drives act at SYNC0, all together, and the loop follows the reference clock.
 * From `open` on the slaves hear a frame in every tick: a thread sends them while no run does. */
#include "rig/ethercat.h"

#include "ethercat/drive.h"
#include "ethercat/setup.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define LOCK_STEP_WAIT_S 1.0
#define SILENCE_S        0.02
#define WATCHDOG_S       0.02
#define STEP_S           1.0  /* a drive takes a step of its ladder within this */
#define RESET_S          10.0 /* and the reset of a fault */
#define SETTLE_S         5.0  /* of the clocks */
#define COPY             0.3  /* of a tick after SYNC0: the slaves have copied their inputs */
#define LATEST           0.95 /* of a tick: the second frame is back, or late */

enum {
    SILENT_TICKS = 5,
    WATCHDOG_TICKS = 10,
    ASKED_AT_ONCE = 8, /* slaves whose state goes with one frame */
    STOPS = 3,         /* frames with a quick stop at once */
    GOOD_BEFORE_OP = 20
};

/* objects of CiA 402 */
enum {
    CONTROL = 0x6040,
    STATUS = 0x6041,
    MODE = 0x6060,
    MODE_SHOWN = 0x6061,
    POSITION = 0x6064,
    ERROR_CODE = 0x603F,
    INTERPOLATION = 0x60C2,
    AXIS = 0x0800
};

/* Where a number lies in the process image. */
struct place {
    size_t bit;
    enum yk_ec_type type;
    int bits; /* 0: nowhere */
};

struct channel {
    const struct yk_ec_channel *told;
    struct place at, status;
    size_t item; /* actuator, sensor or line */
    int drive;   /* that moves it; -1: none */
    bool is_output;
};

struct drive {
    size_t slave;
    struct place control, status, mode, actual, error;
    uint8_t wanted; /* mode */
    uint16_t sent;
};

struct ethercat_rig {
    struct yk_ec_setup setup; /* first: the settings */
    struct yk_ec_master master;
    const struct yk_rig_plan *plan;
    size_t channel_count, drive_count;
    struct channel *channels;
    struct drive *drives;
    enum yk_drive_goal goal;
    bool follows; /* commands go out; otherwise the drives stay where they are */

    int64_t period_ns, wait_ns, silence_ns;
    int64_t due_ns; /* when the last tick was due */
    int64_t good_ns;
    struct yk_ec_phase phase;
    bool paced, aligned; /* pace was called for this tick; and for the first of the run */
    bool operates, lost, finding;
    char words[256]; /* why it was lost, or what is wrong */
    size_t said;

    struct yk_reading *readings;
    double *sensors;
    uint32_t lines;

    bool keeps;
    atomic_bool stop_keeping;
    pthread_t keeper;
};

/* ---- numbers in the image ---- */

YK_RT static double get(const uint8_t *image, const struct place *p)
{
    const uint64_t raw = yk_bits_get(image, p->bit, p->bits);
    float f;
    double d;

    switch (p->type) {
    case YK_EC_F32:
        memcpy(&f, &(uint32_t){(uint32_t)raw}, sizeof f);
        return f;
    case YK_EC_F64:
        memcpy(&d, &raw, sizeof d);
        return d;
    case YK_EC_I8:
    case YK_EC_I16:
    case YK_EC_I32:
    case YK_EC_I64:
        return (double)((int64_t)(raw << (64 - p->bits)) >> (64 - p->bits));
    default:
        return (double)raw;
    }
}

/* The nearest number of the type; what is beyond its range becomes its end. */
YK_RT static uint64_t nearest(double value, enum yk_ec_type type, int bits)
{
    const bool is_signed = type == YK_EC_I8 || type == YK_EC_I16 || type == YK_EC_I32 || type == YK_EC_I64;
    const double most = ldexp(1, bits - is_signed), least = is_signed ? -most : 0;

    if (!(value > least)) /* no number, too */
        return is_signed && value <= least ? (uint64_t)1 << (bits - 1) : 0;
    value = nearbyint(value);
    if (value >= most)
        return (bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1) >> is_signed;
    return value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
}

YK_RT static void put(uint8_t *image, const struct place *p, double value)
{
    uint64_t raw = 0;

    if (p->type == YK_EC_F32) {
        const float f = (float)value;

        memcpy(&raw, &f, sizeof f);
    } else if (p->type == YK_EC_F64) {
        memcpy(&raw, &value, sizeof value);
    } else {
        raw = nearest(value, p->type, p->bits);
    }
    yk_bits_put(image, p->bit, p->bits, raw);
}

YK_RT static uint16_t word(const struct ethercat_rig *r, const struct place *p)
{
    return p->bits ? (uint16_t)yk_bits_get(r->master.inputs, p->bit, p->bits) : 0;
}

/* ---- words, made without the heap ---- */

YK_RT static void say_text(struct ethercat_rig *r, const char *text)
{
    while (*text && r->said + 1 < sizeof r->words)
        r->words[r->said++] = *text++;
    r->words[r->said] = 0;
}

/* The first words of a new reason. */
YK_RT static void begin_with(struct ethercat_rig *r, const char *text)
{
    r->said = 0;
    say_text(r, text);
}

YK_RT static void say_number(struct ethercat_rig *r, unsigned value, unsigned base)
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

/* ---- what goes out ---- */

/* The target that leaves a drive where it is: its position, or no speed and no torque. */
YK_RT static uint64_t stay(const struct ethercat_rig *r, const struct channel *c)
{
    const struct place *actual = c->drive >= 0 ? &r->drives[c->drive].actual : NULL;

    return actual && actual->bits ? yk_bits_get(r->master.inputs, actual->bit, actual->bits) : 0;
}

YK_RT static bool is_following(const struct ethercat_rig *r, const struct drive *d)
{
    const uint16_t status = word(r, &d->status);

    return yk_drive_state(status) == YK_DRIVE_ENABLED && status & YK_DRIVE_FOLLOWS;
}

YK_RT static double output_of(const struct channel *c, const struct yk_rig_out *out)
{
    switch (c->told->role) {
    case YK_EC_ROLE_COMMAND:
        return out->command[c->item];
    case YK_EC_ROLE_FEED_VELOCITY:
        return out->ahead ? out->ahead[c->item].velocity : c->told->offset;
    case YK_EC_ROLE_FEED_FORCE:
        return out->ahead ? out->ahead[c->item].force : c->told->offset;
    default:
        return out->lines >> c->item & 1;
    }
}

/* `out` NULL: lines stay as they are. */
YK_RT static void fill_outputs(struct ethercat_rig *r, const struct yk_rig_out *out)
{
    uint8_t *image = r->master.outputs;

    for (size_t i = 0; i < r->drive_count; i++) {
        struct drive *d = &r->drives[i];

        d->sent = yk_drive_control(word(r, &d->status), r->goal, d->sent);
        yk_bits_put(image, d->control.bit, d->control.bits, d->sent);
        if (d->mode.bits)
            yk_bits_put(image, d->mode.bit, d->mode.bits, d->wanted);
    }
    for (size_t i = 0; i < r->channel_count; i++) {
        const struct channel *c = &r->channels[i];
        const bool is_line = c->told->role == YK_EC_ROLE_LINE;

        if (!c->is_output || (is_line && !out))
            continue;
        if (!is_line && (!out || !r->follows || (c->drive >= 0 && !is_following(r, &r->drives[c->drive]))))
            yk_bits_put(image, c->at.bit, c->at.bits, stay(r, c));
        else
            put(image, &c->at, (output_of(c, out) - c->told->offset) / c->told->scale);
    }
}

/* ---- what comes in ---- */

YK_RT static void take_inputs(struct ethercat_rig *r)
{
    enum { ERROR = 1 << 6, INVALID = 1 << 14 };

    for (size_t i = 0; i < r->channel_count; i++) {
        const struct channel *c = &r->channels[i];
        double value;

        if (c->is_output)
            continue;
        value = c->told->scale * get(r->master.inputs, &c->at) + c->told->offset;
        if (word(r, &c->status) & (ERROR | INVALID))
            value = NAN;
        switch (c->told->role) {
        case YK_EC_ROLE_DISPLACEMENT:
            r->readings[c->item].displacement = value;
            break;
        case YK_EC_ROLE_VELOCITY:
            r->readings[c->item].velocity = value;
            break;
        case YK_EC_ROLE_ACCELERATION:
            r->readings[c->item].acceleration = value;
            break;
        case YK_EC_ROLE_FORCE:
            r->readings[c->item].force = value;
            break;
        case YK_EC_ROLE_SENSOR:
            r->sensors[c->item] = value;
            break;
        default:
            r->lines = (r->lines & ~(UINT32_C(1) << c->item)) | (uint32_t)(value != 0) << c->item;
            break;
        }
    }
}

YK_RT static void hand_over(const struct ethercat_rig *r, struct yk_rig_in *in)
{
    memcpy(in->readings, r->readings, r->plan->count * sizeof *in->readings);
    if (r->plan->sensor_count)
        memcpy(in->sensors, r->sensors, r->plan->sensor_count * sizeof *in->sensors);
    in->lines = r->lines;
}

/* ---- ticks outside a run ---- */

YK_RT static int64_t now(const struct ethercat_rig *r)
{
    return r->master.wire.ops->now(&r->master.wire);
}

/* The phase of a frame that came back: what it would have been if it had been sent when it was due. */
YK_RT static void follow_clock(struct ethercat_rig *r, int64_t sent_ns)
{
    const int64_t late = sent_ns - r->due_ns;

    if (r->master.time && late < r->period_ns / 10)
        yk_ec_phase_update(&r->phase, r->master.time - (uint64_t)late);
}

/* One tick, at its time; inputs count even where the slaves do not take outputs yet. */
static enum yk_ec_result step(struct ethercat_rig *r)
{
    struct yk_ec_master *m = &r->master;
    const int64_t at = now(r);

    r->due_ns += r->period_ns + (int64_t)r->phase.correction_ns;
    if (r->due_ns < at) /* after a stall: by whole periods */
        r->due_ns += (at - r->due_ns + r->period_ns - 1) / r->period_ns * r->period_ns;
    m->wire.ops->pause(&m->wire, r->due_ns);
    fill_outputs(r, NULL);
    const int64_t sent = now(r);
    const enum yk_ec_result result = yk_ec_cycle(m, sent + r->wait_ns, (uint16_t)(2 * m->expected_writes));
    follow_clock(r, sent);
    return result;
}

static void *keep(void *self)
{
    struct ethercat_rig *r = self;

    while (!atomic_load(&r->stop_keeping))
        step(r);
    return NULL;
}

static void stop_keeping(struct ethercat_rig *r)
{
    if (!r->keeps)
        return;
    atomic_store(&r->stop_keeping, true);
    pthread_join(r->keeper, NULL);
    r->keeps = false;
}

/* Only slaves with a clock would miss the frames. */
static void start_keeping(struct ethercat_rig *r)
{
    if (!r->master.clock_runs || !r->master.wire.timed)
        return;
    atomic_store(&r->stop_keeping, false);
    r->keeps = pthread_create(&r->keeper, NULL, keep, r) == 0;
}

/* ---- opening ---- */

static enum yk_status compare_bus(struct ethercat_rig *r, struct yk_err *err)
{
    struct yk_ec_master *m = &r->master;

    for (size_t k = 0; k < m->count && k < r->setup.slave_count; k++) {
        const struct yk_ec_sii *is = &m->slaves[k].sii;
        const struct yk_ec_slave_setup *told = &r->setup.slaves[k];

        if (is->vendor != told->vendor || is->product != told->product ||
            (told->revision && is->revision != told->revision))
            return yk_fail(err, YK_E_INPUT,
                           "EtherCAT: slave %zu is '%s' (vendor 0x%X, product 0x%X, revision 0x%X), but the file has "
                           "'%s' there (0x%X, 0x%X, 0x%X); nothing was moved. `yoke ethercat scan` lists the bus",
                           k + 1, is->name, is->vendor, is->product, is->revision, told->name, told->vendor,
                           told->product, told->revision);
        const size_t used = strlen(m->slaves[k].name), room = sizeof m->slaves[k].name - used;

        if (strlen(told->name) + 4 <= room) {
            strcat(m->slaves[k].name, " (");
            strcat(m->slaves[k].name, told->name);
            strcat(m->slaves[k].name, ")");
        }
    }
    if (m->count == r->setup.slave_count)
        return YK_OK;
    return yk_fail(err, YK_E_INPUT, "EtherCAT: the bus has %zu slaves, but the file has %zu%s%s", m->count,
                   r->setup.slave_count, m->count < r->setup.slave_count ? "; the first that is missing is " : "",
                   m->count < r->setup.slave_count ? r->setup.slaves[m->count].name : "");
}

/* An object that a slave need not have. */
static enum yk_status try_to_write(struct ethercat_rig *r, size_t k, uint16_t index, uint8_t subindex, uint64_t value,
                                   size_t bytes, struct yk_err *err)
{
    const enum yk_status st = yk_ec_download(&r->master, k, index, subindex, value, bytes, err);

    return st == YK_E_UNSUPPORTED ? YK_OK : st;
}

/* The period of the targets as value times ten to an exponent, in seconds. */
static enum yk_status set_interpolation(struct ethercat_rig *r, size_t k, uint16_t axis, struct yk_err *err)
{
    int64_t value = r->period_ns;
    int exponent = -9;
    enum yk_status st;

    while (value % 10 == 0) {
        value /= 10;
        exponent++;
    }
    if (value > 255)
        return YK_OK; /* it cannot be told; the drive keeps its own */
    if ((st = try_to_write(r, k, (uint16_t)(INTERPOLATION + axis), 1, (uint64_t)value, 1, err)))
        return st;
    return try_to_write(r, k, (uint16_t)(INTERPOLATION + axis), 2, (uint8_t)exponent, 1, err);
}

static bool uses_sync(const struct ethercat_rig *r, size_t k)
{
    return r->setup.clock && r->setup.slaves[k].sync && r->master.slaves[k].has_clock &&
           (r->setup.slaves[k].drive || r->master.slaves[k].sii.assign_activate);
}

/* Objects of slave k before SAFEOP. */
static enum yk_status write_objects(struct ethercat_rig *r, size_t k, struct yk_err *err)
{
    const struct yk_ec_slave_setup *told = &r->setup.slaves[k];
    const uint16_t axis = (uint16_t)(AXIS * told->axis);
    enum yk_status st = YK_OK;

    if (told->drive && !(st = yk_ec_download(&r->master, k, (uint16_t)(MODE + axis), 0,
                                             (uint64_t)yk_ec_drive_mode((enum yk_ec_drive)told->drive), 1, err)))
        st = set_interpolation(r, k, axis, err);
    for (unsigned sm = 0x1C32; sm <= 0x1C33 && uses_sync(r, k) && !st && r->master.slaves[k].sii.mail_out_size; sm++)
        if (!(st = try_to_write(r, k, (uint16_t)sm, 1, 2, 2, err)))
            st = try_to_write(r, k, (uint16_t)sm, 2, (uint64_t)r->period_ns, 4, err);
    for (size_t i = 0; i < told->sdo_count && !st; i++) {
        const struct yk_ec_sdo_value *v = &told->sdos[i];
        const struct place at = {0, v->type, yk_ec_type_bits(v->type)};
        uint8_t bytes[8] = {0};

        put(bytes, &at, v->value);
        st = yk_ec_download(&r->master, k, v->index, v->subindex, yk_le64(bytes), ((size_t)at.bits + 7) / 8, err);
    }
    return st;
}

static struct place place_of(const struct ethercat_rig *r, size_t k, const struct yk_ec_placed *p)
{
    const struct yk_ec_slave *s = &r->master.slaves[k];

    if (!p)
        return (struct place){0};
    return (struct place){8 * (p->to_slave ? s->out_at : s->in_at) + p->bit, p->entry.type, p->entry.bits};
}

static struct place find(const struct ethercat_rig *r, size_t k, unsigned index, uint8_t subindex, bool to_slave)
{
    return place_of(r, k, yk_ec_find(&r->master, k, (uint16_t)index, subindex, to_slave));
}

static enum yk_status find_drives(struct ethercat_rig *r, struct yk_err *err)
{
    for (size_t k = 0; k < r->master.count; k++) {
        const struct yk_ec_slave_setup *told = &r->setup.slaves[k];
        const unsigned axis = AXIS * (unsigned)told->axis;
        struct drive d = {.slave = k, .wanted = (uint8_t)yk_ec_drive_mode((enum yk_ec_drive)told->drive)};

        if (!told->drive)
            continue;
        d.control = find(r, k, CONTROL + axis, 0, true);
        d.status = find(r, k, STATUS + axis, 0, false);
        d.mode = find(r, k, MODE + axis, 0, true);
        if (told->drive == YK_EC_CSP)
            d.actual = find(r, k, POSITION + axis, 0, false);
        d.error = find(r, k, ERROR_CODE + axis, 0, false);
        if (d.control.bits != 16 || d.status.bits != 16)
            return yk_fail(err, YK_E_INPUT,
                           "EtherCAT: %s is a drive, but its process data lack the control word 0x%04X:0 or the status "
                           "word 0x%04X:0",
                           r->master.slaves[k].name, CONTROL + axis, STATUS + axis);
        r->drives[r->drive_count++] = d;
    }
    return YK_OK;
}

/* Which of the plan's it is. */
static bool find_item(const struct yk_rig_plan *plan, struct channel *c)
{
    const enum yk_ec_role role = c->told->role;
    const size_t count = role == YK_EC_ROLE_SENSOR ? plan->sensor_count
                         : role == YK_EC_ROLE_LINE ? plan->line_count
                                                   : plan->count;

    for (c->item = 0; c->item < count; c->item++)
        if (strcmp(role == YK_EC_ROLE_SENSOR ? plan->sensors[c->item].name
                   : role == YK_EC_ROLE_LINE ? plan->lines[c->item].name
                                             : plan->names[c->item],
                   c->told->of) == 0)
            return true;
    return false;
}

static enum yk_status find_channel(struct ethercat_rig *r, const struct yk_ec_channel *told, struct channel *c,
                                   struct yk_err *err)
{
    *c = (struct channel){.told = told, .drive = -1};
    if (!find_item(r->plan, c))
        return yk_fail(err, YK_E_INPUT, "EtherCAT: the rig has no actuator, sensor or line '%s' for its channel",
                       told->of);
    c->is_output = told->role == YK_EC_ROLE_LINE
                       ? yk_line_is_output(r->plan->lines[c->item].role)
                       : told->role >= YK_EC_ROLE_COMMAND && told->role <= YK_EC_ROLE_FEED_FORCE;
    c->at = find(r, told->slave, told->entry.index, told->entry.subindex, c->is_output);
    if (told->status.index)
        c->status = find(r, told->slave, told->status.index, told->status.subindex, false);
    if (!c->at.bits || c->at.type == YK_EC_GAP || (told->status.index && !c->status.bits))
        return yk_fail(err, YK_E_INPUT, "EtherCAT: %s has no entry %s among its %s, which channel %s needs",
                       r->master.slaves[told->slave].name,
                       yk_ec_entry_format(c->at.bits ? &told->status : &told->entry).text,
                       c->is_output ? "outputs" : "inputs", told->of);
    for (size_t i = 0; i < r->drive_count; i++)
        if (r->drives[i].slave == told->slave && told->role == YK_EC_ROLE_COMMAND)
            c->drive = (int)i;
    return YK_OK;
}

/* A drive that is commanded by position stays where it is by its own position: 0x6064, or the displacement that it
 * measures itself, in the counts of the command. */
static enum yk_status find_positions(struct ethercat_rig *r, struct yk_err *err)
{
    for (size_t i = 0; i < r->channel_count; i++) {
        const struct channel *c = &r->channels[i];
        struct drive *d = c->drive >= 0 ? &r->drives[c->drive] : NULL;

        if (!d || r->setup.slaves[d->slave].drive != YK_EC_CSP || d->actual.bits == c->at.bits)
            continue;
        d->actual.bits = 0;
        for (size_t j = 0; j < r->channel_count; j++) {
            const struct channel *o = &r->channels[j];

            if (o->told->role == YK_EC_ROLE_DISPLACEMENT && o->told->slave == d->slave && o->item == c->item &&
                o->at.type == c->at.type && o->told->scale == c->told->scale && o->told->offset == c->told->offset)
                d->actual = o->at;
        }
        if (!d->actual.bits)
            return yk_fail(err, YK_E_INPUT,
                           "EtherCAT: %s must send its position, 0x%04X:0, in as many bits as its target has: it is "
                           "enabled where it stands",
                           r->master.slaves[d->slave].name, POSITION + AXIS * r->setup.slaves[d->slave].axis);
    }
    return YK_OK;
}

static enum yk_status need_channel(const struct ethercat_rig *r, size_t item, enum yk_ec_role role, const char *what,
                                   const char *name, struct yk_err *err)
{
    for (size_t i = 0; i < r->channel_count; i++)
        if (r->channels[i].item == item && r->channels[i].told->role == role)
            return YK_OK;
    return yk_fail(err, YK_E_INPUT, "EtherCAT: %s '%s' has no channel", what, name);
}

/* Every actuator has a command and the reading that it is commanded in; every sensor and line its channel. */
static enum yk_status check_channels(const struct ethercat_rig *r, struct yk_err *err)
{
    const struct yk_rig_plan *p = r->plan;
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < p->count && !st; i++) /* roles of readings have the order of the kinds */
        if (!(st = need_channel(r, i, YK_EC_ROLE_COMMAND, "the command of", p->names[i], err)))
            st = need_channel(r, i, (enum yk_ec_role)(p->kinds ? p->kinds[i] : YK_BY_DISPLACEMENT),
                              "the reading that answers the command of", p->names[i], err);
    for (size_t i = 0; i < p->sensor_count && !st; i++)
        st = need_channel(r, i, YK_EC_ROLE_SENSOR, "sensor", p->sensors[i].name, err);
    for (size_t i = 0; i < p->line_count && !st; i++)
        st = need_channel(r, i, YK_EC_ROLE_LINE, "line", p->lines[i].name, err);
    return st;
}

static enum yk_status find_channels(struct ethercat_rig *r, struct yk_err *err)
{
    enum yk_status st = find_drives(r, err);

    for (; r->channel_count < r->setup.channel_count && !st; r->channel_count++)
        st = find_channel(r, &r->setup.channels[r->channel_count], &r->channels[r->channel_count], err);
    if (st || (st = check_channels(r, err)))
        return st;
    return find_positions(r, err);
}

/* All slaves, one after the other. */
static enum yk_status all_to(struct ethercat_rig *r, enum yk_ec_state state, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (size_t k = 0; k < r->master.count && !st; k++)
        st = yk_ec_change_state(&r->master, k, state, r->setup.patience, err);
    return st;
}

static enum yk_status take_memory(struct ethercat_rig *r, const struct yk_rig_plan *plan, struct yk_err *err)
{
    r->plan = plan;
    r->drives = calloc(r->setup.slave_count + 1, sizeof *r->drives);
    r->channels = calloc(r->setup.channel_count + 1, sizeof *r->channels);
    r->readings = calloc(plan->count + 1, sizeof *r->readings);
    r->sensors = calloc(plan->sensor_count + 1, sizeof *r->sensors);
    if (r->drives && r->channels && r->readings && r->sensors)
        return YK_OK;
    return yk_fail(err, YK_E_MEMORY, "out of memory for the bus");
}

static void set_times(struct ethercat_rig *r)
{
    const struct yk_ec_setup *s = &r->setup;
    const double tick = r->plan->tick;
    const double silence = s->silence > 0 ? s->silence
                           : s->clock     ? fmax(SILENCE_S, SILENT_TICKS * tick)
                                          : LOCK_STEP_WAIT_S,
                 wait = s->wait > 0 ? s->wait
                        : s->clock  ? 0.5 * tick
                                    : LOCK_STEP_WAIT_S;

    r->period_ns = llround(1e9 * tick);
    r->silence_ns = llround(1e9 * silence);
    r->wait_ns = llround(1e9 * fmin(wait, silence));
    yk_ec_phase_init(&r->phase, (double)r->period_ns);
}

/* Clocks, SyncManagers, FMMUs and SYNC0 of all. */
static enum yk_status set_up_cycle(struct ethercat_rig *r, struct yk_err *err)
{
    struct yk_ec_master *m = &r->master;
    const double watchdog =
        r->setup.watchdog > 0 ? r->setup.watchdog : fmax(WATCHDOG_S, WATCHDOG_TICKS * r->plan->tick);
    enum yk_status st = YK_OK;

    if (r->setup.clock && !m->has_clock)
        return yk_fail(err, YK_E_INPUT, "EtherCAT: no slave has a distributed clock; set clock: false");
    if (r->setup.clock)
        st = yk_ec_start_clocks(m, SETTLE_S, err);
    for (size_t k = 0; k < m->count && !st; k++)
        st = yk_ec_configure(m, k, watchdog, err);
    for (size_t k = 0; k < m->count && !st; k++)
        if (uses_sync(r, k))
            st = yk_ec_start_sync(m, k, (uint32_t)r->period_ns, (uint32_t)(r->setup.shift * (double)r->period_ns), err);
    return st;
}

/* The mode that a drive shows must be the one that was asked for. */
static enum yk_status check_modes(struct ethercat_rig *r, struct yk_err *err)
{
    for (size_t i = 0; i < r->drive_count; i++) {
        const struct drive *d = &r->drives[i];
        const unsigned axis = AXIS * (unsigned)r->setup.slaves[d->slave].axis;
        const enum yk_status st = yk_ec_upload(&r->master, d->slave, (uint16_t)(MODE_SHOWN + axis), 0, err);

        if (st && st != YK_E_UNSUPPORTED)
            return st;
        if (!st && !d->mode.bits && r->master.sdo.data[0] != d->wanted)
            return yk_fail(err, YK_E_IO, "EtherCAT: %s shows mode %d instead of %d", r->master.slaves[d->slave].name,
                           (int8_t)r->master.sdo.data[0], d->wanted);
    }
    return YK_OK;
}

static enum yk_status first_inputs(struct ethercat_rig *r, struct yk_err *err)
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

static enum yk_status open(void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    struct ethercat_rig *r = self;
    struct yk_ec_master *m = &r->master;
    enum yk_status st;

    if ((st = take_memory(r, plan, err)) || (!m->wire.ops && (st = yk_ec_wire_open(&m->wire, r->setup.interface, err))))
        return st;
    set_times(r);
    if ((st = yk_ec_discover(m, r->setup.patience, err)) || (st = compare_bus(r, err)))
        return st;
    for (size_t k = 0; k < m->count && !st; k++)
        if (!(st = yk_ec_open_mailbox(m, k, err)) &&
            !(st = yk_ec_change_state(m, k, YK_EC_PREOP, r->setup.patience, err)) &&
            !(st = yk_ec_map(m, k, &r->setup.slaves[k], err)))
            st = write_objects(r, k, err);
    if (st || (st = yk_ec_lay_out(m, err)) || (st = find_channels(r, err)) || (st = set_up_cycle(r, err)) ||
        (st = all_to(r, YK_EC_SAFEOP, err)) || (st = check_modes(r, err)) || (st = first_inputs(r, err)))
        return st;
    start_keeping(r);
    return YK_OK;
}

static double worst_wait_s(const void *self)
{
    const struct ethercat_rig *r = self;
    const double once = 1e-9 * (double)r->wait_ns;

    return !r->setup.reads_twice ? once : r->setup.clock ? LATEST * r->plan->tick : 2 * once;
}

/* Drives stay as they are. */
static enum yk_status rest(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err)
{
    struct ethercat_rig *r = self;
    enum yk_ec_result result = YK_EC_MISSING;
    const bool kept = r->keeps;

    stop_keeping(r);
    for (int i = 0; i < 10 && result != YK_EC_ARRIVED; i++)
        result = r->setup.clock ? step(r) : yk_ec_read_inputs(&r->master, now(r) + r->wait_ns);
    take_inputs(r);
    hand_over(r, in);
    if (kept)
        start_keeping(r);
    return result == YK_EC_ARRIVED ? YK_OK
                                   : yk_fail(err, YK_E_IO, "EtherCAT: no inputs: working counter %d, expected %d",
                                             r->master.wkc, r->master.expected);
}

/* ---- enabling ---- */

/* The loop of the run continues from here: its phase must be that of the clock. */
static enum yk_status lock(struct ethercat_rig *r, struct yk_err *err)
{
    const int64_t until = now(r) + llround(1e9 * r->setup.patience) + 2 * YK_EC_LOCKED * r->period_ns;
    bool found = false;

    while (r->phase.locked < YK_EC_LOCKED) {
        if (now(r) > until)
            return yk_fail(err, YK_E_IO, "EtherCAT: the loop does not follow the reference clock: off by %.0f us",
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

static enum yk_status operate(struct ethercat_rig *r, struct yk_err *err)
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

/* Until all drives are enabled and follow their targets, which are where they stand. */
static enum yk_status climb(struct ethercat_rig *r, struct yk_err *err)
{
    int64_t since = now(r);
    enum yk_drive_state seen = YK_DRIVE_UNKNOWN;
    size_t i = 0;

    r->goal = YK_DRIVE_RECOVER;
    while (i < r->drive_count) {
        const struct drive *d = &r->drives[i];
        const uint16_t status = word(r, &d->status);
        const enum yk_drive_state state = yk_drive_state(status);

        if (is_following(r, d)) {
            i++;
            since = now(r);
            continue;
        }
        if (state != seen)
            since = now(r);
        seen = state;
        if (1e-9 * (double)(now(r) - since) > (state == YK_DRIVE_FAULT ? RESET_S : STEP_S))
            return yk_fail(err, YK_E_IO, "EtherCAT: drive %s stays in '%s' (status word 0x%04X%s)",
                           r->master.slaves[d->slave].name, yk_drive_state_words(state), status,
                           state == YK_DRIVE_ENABLED ? "; it does not follow its target" : "");
        step(r);
    }
    r->goal = YK_DRIVE_RUN;
    return YK_OK;
}

/* Drives off, slaves to SAFEOP: as far as they can be heard. */
static void stand_down(struct ethercat_rig *r)
{
    struct yk_ec_master *m = &r->master;
    const int64_t until = now(r) + llround(1e9 * STEP_S);
    bool off = false;

    r->follows = false;
    r->goal = YK_DRIVE_STOP;
    while (!off && now(r) < until && step(r) == YK_EC_ARRIVED) {
        off = true;
        for (size_t i = 0; i < r->drive_count; i++) {
            const enum yk_drive_state state = yk_drive_state(word(r, &r->drives[i].status));

            off &= state == YK_DRIVE_DISABLED || state == YK_DRIVE_FAULT || state == YK_DRIVE_NOT_READY;
        }
    }
    r->goal = YK_DRIVE_OFF;
    for (size_t k = 0; k < m->count && off; k++) {
        uint8_t data[2] = {YK_EC_SAFEOP, 0};

        yk_ec_exchange(m, YK_EC_FPWR, yk_ec_address(m->slaves[k].station, YK_EC_AL_CONTROL), data, 2);
    }
    r->operates = false;
}

static enum yk_status enable(void *self, bool on, const struct yk_rig_out *out, struct yk_err *err)
{
    struct ethercat_rig *r = self;
    enum yk_status st = YK_OK;

    stop_keeping(r);
    fill_outputs(r, out);
    if (!on) {
        stand_down(r);
        return YK_OK;
    }
    r->operates = true;
    r->lost = r->finding = r->aligned = r->paced = false;
    begin_with(r, "");
    r->master.asked_count = 0;
    if ((r->setup.clock && (st = lock(r, err))) || (st = operate(r, err)) || (st = climb(r, err))) {
        stand_down(r);
        return st;
    }
    r->follows = true;
    r->good_ns = now(r);
    return YK_OK;
}

/* ---- a tick of a run ---- */

/* When the next tick is due, given when the loop means to begin it: the first continues the ticks before the run, the
 * others follow the reference clock. */
YK_RT static int64_t pace(void *self, int64_t due_ns)
{
    struct ethercat_rig *r = self;

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

/* A run that has no pace of its own gets that of the clock. */
YK_RT static void await_tick(struct ethercat_rig *r)
{
    if (r->master.clock_runs && !r->paced) {
        const int64_t at = now(r);

        pace(r, r->aligned ? r->due_ns + r->period_ns : at);
        if (r->due_ns < at)
            r->due_ns += (at - r->due_ns + r->period_ns - 1) / r->period_ns * r->period_ns;
        while (now(r) < r->due_ns && r->master.wire.ops->receive(&r->master.wire, r->master.in, r->due_ns))
            r->master.counts.stray++;
    }
    r->paced = false;
}

YK_RT static void lose(struct ethercat_rig *r)
{
    r->lost = true;
    r->goal = YK_DRIVE_STOP;
    r->follows = false;
    fill_outputs(r, NULL);
    yk_ec_send_outputs(&r->master); /* what can still be heard stops now */
}

/* A slave fell back: which one, and why? Their states come with the next frames, some with each. */
YK_RT static bool find_out(struct ethercat_rig *r)
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
    m->asked = r->finding ? m->asked + m->asked_count : 0;
    if (m->asked >= m->count)
        m->asked = 0;
    m->asked_count = m->count - m->asked < ASKED_AT_ONCE ? m->count - m->asked : ASKED_AT_ONCE;
    r->finding = true;
    return false;
}

/* The bus ends early: behind which slave? */
YK_RT static void tell_break(struct ethercat_rig *r)
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

YK_RT static void tell_count(struct ethercat_rig *r)
{
    begin_with(r, "working counter ");
    say_number(r, r->master.wkc, 10);
    say_text(r, " instead of ");
    say_number(r, r->master.expected, 10);
    if (r->master.wkc > r->master.expected)
        say_text(r, ": another master, or a slave that was added");
}

/* A drive that left its operation; one that does not follow its target yet is only late. */
YK_RT static bool find_stopped(struct ethercat_rig *r, bool *late)
{
    for (size_t i = 0; i < r->drive_count; i++) {
        const struct drive *d = &r->drives[i];
        const uint16_t status = word(r, &d->status);
        const enum yk_drive_state state = yk_drive_state(status);

        if (state == YK_DRIVE_ENABLED) {
            *late |= !(status & YK_DRIVE_FOLLOWS);
            continue;
        }
        begin_with(r, "drive ");
        say_text(r, r->master.slaves[d->slave].name);
        say_text(r, " left its operation: ");
        say_text(r, yk_drive_state_words(state));
        say_text(r, ", status word ");
        say_number(r, status, 16);
        if (d->error.bits) {
            say_text(r, ", error ");
            say_number(r, word(r, &d->error), 16);
        }
        return true;
    }
    if (*late) {
        begin_with(r, "a drive does not follow its target");
    }
    return false;
}

/* Is all well? Otherwise `words` tell what is wrong; true: for good. */
YK_RT static bool judge(struct ethercat_rig *r, enum yk_ec_result result, bool *well)
{
    const struct yk_ec_master *m = &r->master;
    bool late = false;

    *well = false;
    if (result == YK_EC_MISSING) {
        begin_with(r, "");
        say_text(r,
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
    if (m->al_or != YK_EC_OP || r->finding) {
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
    if (find_stopped(r, &late))
        return true;
    *well = !late;
    return false;
}

/* Readings of this tick: the drives have acted. */
YK_RT static enum yk_ec_result read_again(struct ethercat_rig *r, int64_t sent)
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

YK_RT static enum yk_rig_answer exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    struct ethercat_rig *r = self;
    bool well;

    await_tick(r);
    fill_outputs(r, out);
    const int64_t sent = now(r);
    /* of a lost bus, drives that can still be heard are led to their stop */
    enum yk_ec_result result = yk_ec_cycle(&r->master, sent + r->wait_ns, r->lost ? r->master.expected : 0);

    follow_clock(r, sent);
    if (result == YK_EC_ARRIVED && r->setup.reads_twice && !r->lost)
        result = read_again(r, sent);
    if (!r->lost && (judge(r, result, &well) || (!well && now(r) - r->good_ns > r->silence_ns)))
        lose(r);
    if (!r->lost && well) {
        r->good_ns = now(r);
        take_inputs(r);
    }
    hand_over(r, in);
    return r->lost ? YK_RIG_LOST : well ? YK_RIG_FRESH : YK_RIG_HELD;
}

YK_RT static const char *reason(const void *self)
{
    return ((const struct ethercat_rig *)self)->words;
}

YK_RT static void cut(void *self, uint32_t lines)
{
    struct ethercat_rig *r = self;

    r->goal = YK_DRIVE_STOP;
    r->follows = false;
    for (int i = 0; i < STOPS; i++) {
        fill_outputs(r, &(struct yk_rig_out){.lines = lines});
        yk_ec_send_outputs(&r->master);
    }
}

static void close(void *self)
{
    struct ethercat_rig *r = self;
    struct yk_ec_master *m = &r->master;

    stop_keeping(r);
    if (m->wire.ops && m->slaves) {
        uint8_t off[2] = {0}, init[2] = {YK_EC_INIT | YK_EC_STATE_ERROR, 0};

        if (r->operates)
            stand_down(r);
        yk_ec_exchange(m, YK_EC_BWR, yk_ec_address(0, YK_EC_AL_CONTROL), init, 2);
        yk_ec_exchange(m, YK_EC_BWR, yk_ec_address(0, YK_EC_SYNC_ACTIVATE), off, 1);
    }
    yk_ec_wire_close(&m->wire);
    yk_ec_forget(m);
    free(r->drives);
    free(r->channels);
    free(r->readings);
    free(r->sensors);
    yk_ec_setup_free(&r->setup);
    r->drives = NULL;
    r->channels = NULL;
    r->readings = NULL;
    r->sensors = NULL;
}

void yk_rig_ethercat_use(void *self, struct yk_ec_wire wire)
{
    ((struct ethercat_rig *)self)->master.wire = wire;
}

const struct yk_ec_master *yk_rig_ethercat_master(const void *self)
{
    return &((const struct ethercat_rig *)self)->master;
}

const struct yk_ec_phase *yk_rig_ethercat_phase(const void *self)
{
    return &((const struct ethercat_rig *)self)->phase;
}

const struct yk_rig_ops yk_rig_ethercat = {
    .name = "ethercat",
    .summary = "drives and terminals on an EtherCAT bus; `yoke serve --ethercat` simulates one",
    .reference = "docs/backend-ethercat.md",
    .params = yk_ec_params,
    .size = sizeof(struct ethercat_rig),
    .can = YK_RIG_EVERYTHING,
    .open = open,
    .close = close,
    .worst_wait_s = worst_wait_s,
    .rest = rest,
    .enable = enable,
    .exchange = exchange,
    .reason = reason,
    .cut = cut,
    .pace = pace,
};
