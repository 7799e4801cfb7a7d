/* The slaves of a simulated segment from the description that an experiment file gives of its bus: a run of that file
 * finds the bus that it expects.
 *
 * A slave with process data in the file has those. One without is taken by its product code from the kinds of this
 * simulation. Channels say which entry carries what. */
#include "sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { OUTPUTS = 0x1100, INPUTS = 0x1400, REVISION = 0x00010000 };
static const enum yk_sim_signal signals[] = {
    [YK_EC_ROLE_DISPLACEMENT] = YK_SIM_DISPLACEMENT,
    [YK_EC_ROLE_VELOCITY] = YK_SIM_VELOCITY,
    [YK_EC_ROLE_ACCELERATION] = YK_SIM_ACCELERATION,
    [YK_EC_ROLE_FORCE] = YK_SIM_FORCE,
    [YK_EC_ROLE_COMMAND] = YK_SIM_COMMAND,
    [YK_EC_ROLE_FEED_VELOCITY] = YK_SIM_AHEAD_VELOCITY,
    [YK_EC_ROLE_FEED_FORCE] = YK_SIM_AHEAD_FORCE,
    [YK_EC_ROLE_FORCE_COMMAND] = YK_SIM_FORCE_COMMAND,
    [YK_EC_ROLE_SENSOR] = YK_SIM_SENSOR,
};

/* Process data of one direction: PDOs, and objects for the entries that the slave does not have yet. */
static bool add_pdos(struct yk_sim_slave *s, int direction, const struct yk_ec_pdo *pdos, size_t count)
{
    struct yk_sim_map *m = &s->maps[direction];

    if (count > YK_SIM_PDOS)
        return false;
    if (!count)
        return true;
    m->sm = 2 + direction;
    m->start = direction == YK_SIM_OUT ? OUTPUTS : INPUTS;
    m->control = direction == YK_SIM_OUT ? YK_EC_SM_OUTPUTS : YK_EC_SM_INPUTS;
    m->configurable = true;
    for (size_t i = 0; i < count; i++) {
        struct yk_sim_pdo *p = &m->pdos[m->pdo_count++];

        p->index = m->assigned[m->assigned_count++] = pdos[i].index;
        for (size_t k = 0; k < pdos[i].count; k++) {
            const struct yk_ec_entry *e = &pdos[i].entries[k];
            struct yk_sim_object *o = yk_sim_object_find(s, e->index, e->subindex);

            p->entries[p->count++] = (uint32_t)e->index << 16 | (uint32_t)e->subindex << 8 | e->bits;
            if (!o && e->index)
                o = yk_sim_object_add(s, (struct yk_sim_object){.index = e->index,
                                                                .sub = e->subindex,
                                                                .type = yk_ec_type_code(e->type),
                                                                .access = YK_SIM_READ | YK_SIM_WRITE,
                                                                .scale = 1});
            if (!o && e->index)
                return false;
            if (o && yk_sim_type_bits(o->type) != e->bits)
                o->type = yk_ec_type_code(e->type); /* the file knows it better */
            if (o)
                o->access |= direction == YK_SIM_OUT ? YK_SIM_RX : YK_SIM_TX;
        }
    }
    return true;
}

/* Objects that are written before the run. */
static void add_sdos(struct yk_sim_slave *s, const struct yk_ec_slave_setup *told)
{
    for (size_t i = 0; i < told->sdo_count; i++)
        if (!yk_sim_object_find(s, told->sdos[i].index, told->sdos[i].subindex))
            yk_sim_object_add(s, (struct yk_sim_object){.index = told->sdos[i].index,
                                                        .sub = told->sdos[i].subindex,
                                                        .type = yk_ec_type_code(told->sdos[i].type),
                                                        .access = YK_SIM_READ | YK_SIM_WRITE,
                                                        .scale = 1});
}

static enum yk_status make_slave(const struct yk_ec_slave_setup *told, struct yk_sim_slave **slave, struct yk_err *err)
{
    const bool listed = told->output_count || told->input_count;
    struct yk_sim_slave *s = listed ? yk_sim_blank("YKX-1", told->product) : yk_sim_kind(told->product);

    *slave = s;
    if (!s)
        return yk_fail(err, YK_E_UNSUPPORTED,
                       "slave %s: product 0x%X is none of the simulated kinds, so the file must list its process data "
                       "(`outputs`, `inputs`); `yoke ethercat scan` prints them",
                       told->name, told->product);
    if (told->axis)
        return yk_fail(err, YK_E_UNSUPPORTED, "slave %s: axis %d of a drive is not simulated, only 0", told->name,
                       told->axis);
    s->vendor = told->vendor;
    s->revision = told->revision ? told->revision : REVISION;
    s->drive = told->drive != YK_EC_NO_DRIVE;
    s->actuator = YK_SIM_NO_ACTUATOR;
    snprintf(s->name, sizeof s->name, "%.70s", told->name);
    if (listed) {
        yk_sim_give_mailbox(s, s->drive ? YK_SIM_DRIVE_PROFILE : YK_SIM_MODULAR_PROFILE);
        if (s->drive) {
            const unsigned mode = (unsigned)yk_ec_drive_mode((enum yk_ec_drive)told->drive);

            yk_sim_give_profile(s, mode);
            yk_sim_give_axis(s, &(struct yk_sim_settings){0}, mode, 0);
        }
        if (!add_pdos(s, YK_SIM_OUT, told->outputs, told->output_count) ||
            !add_pdos(s, YK_SIM_IN, told->inputs, told->input_count))
            return yk_fail(err, YK_E_RANGE, "slave %s: at most %d PDOs in each direction and %d objects are simulated",
                           told->name, YK_SIM_PDOS, YK_SIM_OBJECTS);
    }
    add_sdos(s, told);
    for (size_t i = 0; i < s->object_count; i++)
        s->objects[i].signal = YK_SIM_NOTHING; /* the channels say it */
    return YK_OK;
}

/* Which actuator, sensor or line of the plan; false: none of this name. */
static bool find_channel(const struct yk_rig_plan *p, const struct yk_ec_channel *c, size_t *i)
{
    const size_t count = c->role == YK_EC_ROLE_SENSOR ? p->sensor_count
                         : c->role == YK_EC_ROLE_LINE ? p->line_count
                                                      : p->count;

    for (*i = 0; *i < count; ++*i)
        if (strcmp(c->role == YK_EC_ROLE_SENSOR ? p->sensors[*i].name
                   : c->role == YK_EC_ROLE_LINE ? p->lines[*i].name
                                                : p->names[*i],
                   c->of) == 0)
            return true;
    return false;
}

static enum yk_status bind(struct yk_sim_segment *g, const struct yk_ec_channel *c, struct yk_err *err)
{
    struct yk_sim_slave *s = g->slaves[c->slave];
    struct yk_sim_object *o = yk_sim_object_find(s, c->entry.index, c->entry.subindex),
                         *status = yk_sim_object_find(s, c->status.index, c->status.subindex);
    size_t i;

    if (!find_channel(&g->plan, c, &i))
        return YK_OK; /* of another rig */
    if (!o)
        return yk_fail(err, YK_E_INPUT, "slave %s has no entry %s, which a channel of %s names", s->name,
                       yk_ec_entry_format(&c->entry).text, c->of);
    o->channel = (uint16_t)i;
    o->scale = 1 / c->scale;
    o->offset = c->offset;
    o->signal = (uint8_t)(c->role != YK_EC_ROLE_LINE                 ? signals[c->role]
                          : yk_line_is_output(g->plan.lines[i].role) ? YK_SIM_LINE_OUT
                                                                     : YK_SIM_LINE_IN);
    if (c->role == YK_EC_ROLE_COMMAND && s->drive)
        s->actuator = (uint16_t)i;
    if (c->role == YK_EC_ROLE_FORCE_COMMAND && s->drive)
        yk_sim_give_torque(s);
    if (c->role == YK_EC_ROLE_DISPLACEMENT && s->drive)
        yk_sim_set_counts(s, fabs(o->scale));
    if (status) {
        status->signal = YK_SIM_CONDITION;
        o->condition = (uint16_t)(status - s->objects + 1);
    }
    return YK_OK;
}

enum yk_status yk_sim_segment_describe(struct yk_sim_segment *g, const struct yk_ec_setup *setup, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (size_t k = 0; k < setup->slave_count && !st; k++) {
        struct yk_sim_slave *s;

        st = make_slave(&setup->slaves[k], &s, err);
        if (st)
            yk_sim_slave_destroy(s);
        else if (!yk_sim_segment_append(g, s))
            st = yk_fail(err, YK_E_RANGE, "the file describes %zu slaves; at most %d are simulated", setup->slave_count,
                         YK_SIM_SLAVES);
    }
    for (size_t i = 0; i < setup->channel_count && !st; i++)
        st = bind(g, &setup->channels[i], err);
    return st ? st : yk_sim_segment_begin(g, err);
}
