/* Prepares the slaves of a bus for a run: identity, process data, objects, clocks, watchdogs, SAFEOP. */
#include "rig/ethercat_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOCK_STEP_WAIT_S 1.0
#define SILENCE_S        0.02
#define WATCHDOG_S       0.02
#define SETTLE_S         5.0 /* of the clocks */

enum { SILENT_TICKS = 5, WATCHDOG_TICKS = 10 };

/* objects of CiA 402 */
enum {
    CONTROL = 0x6040,
    STATUS = 0x6041,
    MODE = 0x6060,
    MODE_SHOWN = 0x6061,
    POSITION = 0x6064,
    ERROR_CODE = 0x603F,
    LIMITS = 0x607D,
    INTERPOLATION = 0x60C2,
    AXIS = 0x0800
};

static enum yk_status compare_bus(struct yk_ec_rig *r, struct yk_err *err)
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
static enum yk_status try_to_write(struct yk_ec_rig *r, size_t k, uint16_t index, uint8_t subindex, uint64_t value,
                                   size_t bytes, struct yk_err *err)
{
    const enum yk_status st = yk_ec_download(&r->master, k, index, subindex, value, bytes, err);

    return st == YK_E_UNSUPPORTED ? YK_OK : st;
}

/* The period of the targets as value times ten to an exponent, in seconds. */
static enum yk_status set_interpolation(struct yk_ec_rig *r, size_t k, uint16_t axis, struct yk_err *err)
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

/* Software limits of the drive itself, in counts: written, and read back, since a drive may round, ignore or refuse
 * them. */
static enum yk_status write_limits(struct yk_ec_rig *r, const struct yk_ec_channel *c, struct yk_err *err)
{
    const uint16_t index = (uint16_t)(LIMITS + AXIS * r->setup.slaves[c->slave].axis);
    const double ends[] = {c->least, c->most};
    enum yk_status st = YK_OK;

    for (uint8_t i = 0; i < 2 && !st; i++) {
        const int32_t counts = (int32_t)(i ? floor(ends[i]) : ceil(ends[i])); /* not beyond what was asked for */

        if ((st = yk_ec_download(&r->master, c->slave, index, (uint8_t)(i + 1), (uint32_t)counts, 4, err)) ||
            (st = yk_ec_upload(&r->master, c->slave, index, (uint8_t)(i + 1), err)))
            return st;
        const int32_t kept = (int32_t)yk_le32(r->master.sdo.data);
        if (r->master.sdo.size != 4 || kept != counts)
            st = yk_fail(err, YK_E_IO,
                         "EtherCAT: %s has not kept its software limit 0x%04X:%d: %d counts were written, %d read back",
                         r->master.slaves[c->slave].name, index, i + 1, counts, kept);
    }
    return st;
}

static bool uses_sync(const struct yk_ec_rig *r, size_t k)
{
    return r->setup.clock && r->setup.slaves[k].sync && r->master.slaves[k].has_clock &&
           (r->setup.slaves[k].drive || r->master.slaves[k].sii.assign_activate);
}

/* Objects of slave k before SAFEOP. */
static enum yk_status write_objects(struct yk_ec_rig *r, size_t k, struct yk_err *err)
{
    const struct yk_ec_slave_setup *told = &r->setup.slaves[k];
    const uint16_t axis = (uint16_t)(AXIS * told->axis);
    enum yk_status st = YK_OK;

    if (told->drive) { /* a drive that gets its mode with every frame may refuse it here */
        const uint64_t mode = (uint64_t)yk_ec_drive_mode((enum yk_ec_drive)told->drive);

        st = yk_ec_download(&r->master, k, (uint16_t)(MODE + axis), 0, mode, 1, err);
        if (st == YK_E_UNSUPPORTED && yk_ec_find(&r->master, k, (uint16_t)(MODE + axis), 0, true))
            st = YK_OK;
    }
    if (told->drive && !st)
        st = set_interpolation(r, k, axis, err);
    for (unsigned sm = 0x1C32; sm <= 0x1C33 && uses_sync(r, k) && !st && r->master.slaves[k].sii.mail_out_size; sm++)
        if (!(st = try_to_write(r, k, (uint16_t)sm, 1, 2, 2, err)))
            st = try_to_write(r, k, (uint16_t)sm, 2, (uint64_t)r->period_ns, 4, err);
    for (size_t i = 0; i < told->sdo_count && !st; i++) {
        const struct yk_ec_sdo_value *v = &told->sdos[i];
        const struct yk_ec_place at = {0, v->type, yk_ec_type_bits(v->type)};
        uint8_t bytes[8] = {0};

        yk_ec_place_put(bytes, &at, v->value);
        st = yk_ec_download(&r->master, k, v->index, v->subindex, yk_le64(bytes), ((size_t)at.bits + 7) / 8, err);
    }
    return st;
}

static struct yk_ec_place place_of(const struct yk_ec_rig *r, size_t k, const struct yk_ec_placed *p)
{
    const struct yk_ec_slave *s = &r->master.slaves[k];

    if (!p)
        return (struct yk_ec_place){0};
    return (struct yk_ec_place){8 * (p->to_slave ? s->out_at : s->in_at) + p->bit, p->entry.type, p->entry.bits};
}

static struct yk_ec_place find(const struct yk_ec_rig *r, size_t k, unsigned index, uint8_t subindex, bool to_slave)
{
    return place_of(r, k, yk_ec_find(&r->master, k, (uint16_t)index, subindex, to_slave));
}

static enum yk_status find_drives(struct yk_ec_rig *r, struct yk_err *err)
{
    for (size_t k = 0; k < r->master.count; k++) {
        const struct yk_ec_slave_setup *told = &r->setup.slaves[k];
        const unsigned axis = AXIS * (unsigned)told->axis;
        struct yk_ec_axis d = {.slave = k, .mode_command = (uint8_t)yk_ec_drive_mode((enum yk_ec_drive)told->drive)};

        d.mode_sent = d.mode_command;

        if (!told->drive)
            continue;
        d.control = find(r, k, CONTROL + axis, 0, true);
        d.status = find(r, k, STATUS + axis, 0, false);
        d.mode = find(r, k, MODE + axis, 0, true);
        d.mode_shown = find(r, k, MODE_SHOWN + axis, 0, false);
        if (told->drive == YK_EC_CSP)
            d.actual = find(r, k, POSITION + axis, 0, false);
        d.error = find(r, k, ERROR_CODE + axis, 0, false);
        if (d.control.bits != 16 || d.status.bits != 16)
            return yk_fail(err, YK_E_INPUT,
                           "EtherCAT: %s is a drive, but its process data lack the control word 0x%04X:0 or the status "
                           "word 0x%04X:0",
                           r->master.slaves[k].name, CONTROL + axis, STATUS + axis);
        if (d.mode.bits && !d.mode_shown.bits)
            return yk_fail(err, YK_E_INPUT,
                           "EtherCAT: %s gets its mode with every frame, 0x%04X:0, but does not show it: add "
                           "0x%04X:0:i8 to its inputs",
                           r->master.slaves[k].name, MODE + axis, MODE_SHOWN + axis);
        r->drives[r->drive_count++] = d;
    }
    return YK_OK;
}

/* ---- channels ---- */

/* Finds the actuator, sensor or line of the plan that a channel belongs to. */
static bool find_item(const struct yk_rig_plan *plan, const struct yk_ec_channel *c, size_t *item)
{
    const size_t count = c->role == YK_EC_ROLE_SENSOR ? plan->sensor_count
                         : c->role == YK_EC_ROLE_LINE ? plan->line_count
                                                      : plan->count;

    for (*item = 0; *item < count; ++*item)
        if (strcmp(c->role == YK_EC_ROLE_SENSOR ? plan->sensors[*item].name
                   : c->role == YK_EC_ROLE_LINE ? plan->lines[*item].name
                                                : plan->names[*item],
                   c->of) == 0)
            return true;
    return false;
}

static enum yk_status need_channel(const struct yk_ec_setup *s, const char *of, enum yk_ec_role role, const char *what,
                                   struct yk_err *err)
{
    static const char *const words[YK_EC_ROLE_COUNT] = {
#define X(id, word) word,
        YK_EC_ROLES(X)
#undef X
    };

    for (size_t i = 0; i < s->channel_count; i++)
        if (s->channels[i].role == role && strcmp(s->channels[i].of, of) == 0)
            return YK_OK;
    return yk_fail_about(err, YK_E_INPUT, "channels", "EtherCAT: %s '%s' has no channel: add '%s%s%s'", what, of, of,
                         words[role] ? "." : "", words[role] ? words[role] : "");
}

enum yk_status yk_ec_setup_check(const struct yk_ec_setup *s, const struct yk_rig_plan *p, struct yk_err *err)
{
    enum yk_status st = YK_OK;
    size_t item;

    for (size_t i = 0; i < s->channel_count; i++)
        if (!find_item(p, &s->channels[i], &item))
            return yk_fail_about(err, YK_E_INPUT, "channels",
                                 "EtherCAT: the rig has no actuator, sensor or line '%s' for its channel",
                                 s->channels[i].of);
    for (size_t i = 0; i < p->count && !st; i++) { /* roles of readings have the order of the kinds */
        const enum yk_ec_role answer = (enum yk_ec_role)(p->kinds ? p->kinds[i] : YK_BY_DISPLACEMENT);

        if (!(st = need_channel(s, p->names[i], YK_EC_ROLE_COMMAND, "the command of", err)) &&
            !(st = need_channel(s, p->names[i], answer, "the reading that answers the command of", err)) &&
            !(st = need_channel(s, p->names[i], YK_EC_ROLE_DISPLACEMENT, "the displacement of", err)))
            st = need_channel(s, p->names[i], YK_EC_ROLE_FORCE, "the force of", err);
        if (!st && p->others && p->others[i] != (p->kinds ? p->kinds[i] : YK_BY_DISPLACEMENT))
            st = need_channel(s, p->names[i], YK_EC_ROLE_FORCE_COMMAND, "the command for force control of", err);
    }
    for (size_t i = 0; i < p->sensor_count && !st; i++)
        st = need_channel(s, p->sensors[i].name, YK_EC_ROLE_SENSOR, "sensor", err);
    for (size_t i = 0; i < p->line_count && !st; i++)
        st = need_channel(s, p->lines[i].name, YK_EC_ROLE_LINE, "line", err);
    return st;
}

/* A drive that also takes a force, in its cyclic mode of torque. It gets its mode with every frame, and shows it. */
static enum yk_status give_second(struct yk_ec_rig *r, const struct yk_ec_wired *c, struct yk_err *err)
{
    struct yk_ec_axis *d = c->drive >= 0 ? &r->drives[c->drive] : NULL;
    const struct yk_ec_slave_setup *told = &r->setup.slaves[c->told->slave];
    const unsigned axis = AXIS * (unsigned)told->axis;

    if (!d || told->drive != YK_EC_CSP)
        return yk_fail(err, YK_E_INPUT, "EtherCAT: %s.force_command needs a drive with drive: csp, and %s is none",
                       c->told->of, r->master.slaves[c->told->slave].name);
    if (!d->mode.bits || !d->mode_shown.bits)
        return yk_fail(err, YK_E_INPUT,
                       "EtherCAT: %s changes its control mode in a run: add 0x%04X:0:i8 to its outputs and 0x%04X:0:i8 "
                       "to its inputs",
                       r->master.slaves[d->slave].name, MODE + axis, MODE_SHOWN + axis);
    d->mode_second = (uint8_t)yk_ec_drive_mode(YK_EC_CST);
    d->item = c->item;
    return YK_OK;
}

static enum yk_status find_channel(struct yk_ec_rig *r, const struct yk_ec_channel *told, struct yk_ec_wired *c,
                                   struct yk_err *err)
{
    *c = (struct yk_ec_wired){.told = told, .drive = -1};
    find_item(&r->plan, told, &c->item);
    c->is_output = told->role == YK_EC_ROLE_LINE
                       ? yk_line_is_output(r->plan.lines[c->item].role)
                       : told->role >= YK_EC_ROLE_COMMAND && told->role <= YK_EC_ROLE_FORCE_COMMAND;
    c->at = find(r, told->slave, told->entry.index, told->entry.subindex, c->is_output);
    if (told->status.index)
        c->status = find(r, told->slave, told->status.index, told->status.subindex, false);
    if (!c->at.bits || c->at.type == YK_EC_GAP || (told->status.index && !c->status.bits))
        return yk_fail(err, YK_E_INPUT, "EtherCAT: %s has no entry %s among its %s, which channel %s needs",
                       r->master.slaves[told->slave].name,
                       yk_ec_entry_format(c->at.bits ? &told->status : &told->entry).text,
                       c->is_output ? "outputs" : "inputs", told->of);
    for (size_t i = 0; i < r->drive_count; i++)
        if (r->drives[i].slave == told->slave &&
            (told->role == YK_EC_ROLE_COMMAND || told->role == YK_EC_ROLE_FORCE_COMMAND))
            c->drive = (int)i;
    return told->role == YK_EC_ROLE_FORCE_COMMAND ? give_second(r, c, err) : YK_OK;
}

/* A drive that is commanded by position stays where it is by its own position: 0x6064, or the displacement that it
 * measures itself, in the counts of the command. */
static enum yk_status find_positions(struct yk_ec_rig *r, struct yk_err *err)
{
    for (size_t i = 0; i < r->channel_count; i++) {
        const struct yk_ec_wired *c = &r->channels[i];
        struct yk_ec_axis *d = c->drive >= 0 && c->told->role == YK_EC_ROLE_COMMAND ? &r->drives[c->drive] : NULL;

        if (!d || r->setup.slaves[d->slave].drive != YK_EC_CSP || d->actual.bits == c->at.bits)
            continue;
        d->actual.bits = 0;
        for (size_t j = 0; j < r->channel_count; j++) {
            const struct yk_ec_wired *o = &r->channels[j];

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

static enum yk_status find_channels(struct yk_ec_rig *r, struct yk_err *err)
{
    enum yk_status st = find_drives(r, err);

    for (; r->channel_count < r->setup.channel_count && !st; r->channel_count++)
        st = find_channel(r, &r->setup.channels[r->channel_count], &r->channels[r->channel_count], err);
    return st ? st : find_positions(r, err);
}

/* Brings all slaves to a state, one after the other. */
static enum yk_status all_to(struct yk_ec_rig *r, enum yk_ec_state state, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (size_t k = 0; k < r->master.count && !st; k++)
        st = yk_ec_change_state(&r->master, k, state, r->setup.patience, err);
    return st;
}

static enum yk_status take_memory(struct yk_ec_rig *r, const struct yk_rig_plan *plan, struct yk_err *err)
{
    r->plan = *plan;
    r->drives = calloc(r->setup.slave_count + 1, sizeof *r->drives);
    r->channels = calloc(r->setup.channel_count + 1, sizeof *r->channels);
    r->readings = calloc(plan->count + 1, sizeof *r->readings);
    r->positions = calloc(plan->count + 1, sizeof *r->positions);
    r->sensors = calloc(plan->sensor_count + 1, sizeof *r->sensors);
    r->emergencies = calloc(r->setup.slave_count + 1, sizeof *r->emergencies);
    if (r->drives && r->channels && r->readings && r->positions && r->sensors && r->emergencies)
        return YK_OK;
    return yk_fail(err, YK_E_MEMORY, "out of memory for the bus");
}

static void set_times(struct yk_ec_rig *r)
{
    const struct yk_ec_setup *s = &r->setup;
    const double tick = r->plan.tick;
    const double silence = s->silence > 0 ? s->silence
                           : s->clock     ? fmax(SILENCE_S, SILENT_TICKS * tick)
                                          : LOCK_STEP_WAIT_S,
                 notice = r->plan.silence > 0 ? fmin(r->plan.silence, LOCK_STEP_WAIT_S) : LOCK_STEP_WAIT_S,
                 wait = s->wait > 0 ? s->wait
                        : s->clock  ? 0.5 * tick
                                    : notice;

    r->period_ns = llround(1e9 * tick);
    r->silence_ns = llround(1e9 * silence);
    r->wait_ns = llround(1e9 * fmin(wait, silence));
    yk_ec_phase_init(&r->phase, (double)r->period_ns);
}

/* Clocks, SyncManagers, FMMUs and SYNC0 of all. */
static enum yk_status set_up_cycle(struct yk_ec_rig *r, struct yk_err *err)
{
    struct yk_ec_master *m = &r->master;
    const double watchdog = r->setup.watchdog > 0 ? r->setup.watchdog : fmax(WATCHDOG_S, WATCHDOG_TICKS * r->plan.tick);
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

/* The mode that a drive shows must be the one that was asked for. One that gets it with every frame shows it later. */
static enum yk_status check_modes(struct yk_ec_rig *r, struct yk_err *err)
{
    for (size_t i = 0; i < r->drive_count; i++) {
        const struct yk_ec_axis *d = &r->drives[i];
        const unsigned axis = AXIS * (unsigned)r->setup.slaves[d->slave].axis;
        const enum yk_status st = yk_ec_upload(&r->master, d->slave, (uint16_t)(MODE_SHOWN + axis), 0, err);

        if (st && st != YK_E_UNSUPPORTED)
            return st;
        if (!st && !d->mode.bits && r->master.sdo.data[0] != d->mode_command)
            return yk_fail(err, YK_E_IO, "EtherCAT: %s shows mode %d instead of %d", r->master.slaves[d->slave].name,
                           (int8_t)r->master.sdo.data[0], d->mode_command);
    }
    return YK_OK;
}

enum yk_status yk_ec_rig_prepare(struct yk_ec_rig *r, const struct yk_rig_plan *plan, struct yk_err *err)
{
    struct yk_ec_master *m = &r->master;
    enum yk_status st;

    if ((st = yk_ec_setup_check(&r->setup, plan, err)) || (st = take_memory(r, plan, err)) ||
        (!m->wire.ops && ((st = yk_ec_claim(&r->claim, r->setup.interface, err)) ||
                          (st = yk_ec_wire_open(&m->wire, r->setup.interface, err)))))
        return st;
    if (r->setup.frames &&
        (st = yk_ec_capture_begin(&r->capture, &m->wire, (enum yk_ec_capture_mode)r->setup.frames, err)))
        return st;
    set_times(r);
    if ((st = yk_ec_discover(m, r->setup.patience, err)) || (st = compare_bus(r, err)))
        return st;
    for (size_t k = 0; k < m->count && !st; k++)
        if (!(st = yk_ec_open_mailbox(m, k, err)) &&
            !(st = yk_ec_change_state(m, k, YK_EC_PREOP, r->setup.patience, err)) &&
            !(st = yk_ec_map(m, k, &r->setup.slaves[k], err)))
            st = write_objects(r, k, err);
    for (size_t i = 0; i < r->setup.channel_count && !st; i++)
        if (r->setup.channels[i].limited)
            st = write_limits(r, &r->setup.channels[i], err);
    if (st || (st = yk_ec_lay_out(m, err)) || (st = find_channels(r, err)) || (st = set_up_cycle(r, err)) ||
        (st = all_to(r, YK_EC_SAFEOP, err)))
        return st;
    return check_modes(r, err);
}
