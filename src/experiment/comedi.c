/* The channel map of the backend `comedi`. */
#include "experiment/channels.h"

#include "rig/comedi.h"

#include <math.h>
#include <stdlib.h>

const struct yk_param yk_keys_card_channel[] = {
    YK_NODE("output", "channel number", 0, "an analogue output: a command"),
    YK_NODE("input", "channel number", 0, "an analogue input: a reading"),
    YK_NODE("digital", "channel number", 0, "a digital line"),
    YK_COUNT(struct yk_comedi_point, subdevice, -1, -1, 63, "of the card; -1: the first one of its kind"),
    YK_COUNT(struct yk_comedi_point, range, 0, 0, 255, "voltage range: its number in the driver"),
    YK_CHOICE(struct yk_comedi_point, reference, "ground|common|differential|other", 0, "of the voltage"),
    YK_NODE("scale", "number with unit", 0, "deprecated: write it into the section `channels`"),
    YK_NODE("offset", "number with unit", 0, "deprecated, likewise"),
    YK_PARAM_END,
};

static enum yk_status read_point(const struct yk_node *map, const struct yk_rig_names *names, struct yk_comedi_point *p,
                                 struct yk_err *err)
{
    static const char *const keys[] = {"output", "input", "digital", NULL}; /* enum yk_comedi_place */
    static const char *const needs[] = {"a digital channel", "an output or an input"};
    struct yk_rig_entry means;
    int place;
    enum yk_status st;

    if ((st = yk_rig_place(map, keys, 65535, &place, &p->channel, err)))
        return st;
    p->name = map->key;
    p->where = yk_node_get(map, keys[place])->where;
    p->place = (enum yk_comedi_place)place;
    if ((st = yk_rig_entry(names, map, p->place == YK_COMEDI_DIGITAL, needs, &means, err)))
        return st;
    p->writes = means.writes;
    p->index = means.index;
    if (means.line)
        return YK_OK;
    if (p->writes != (p->place == YK_COMEDI_OUTPUT))
        return yk_fail_at(err, YK_E_INPUT, map->key_where, "'%s' is %s", map->key,
                          p->writes ? "written: it needs an output" : "read: it needs an input");
    if ((st = yk_rig_scale(names, map, map->key, p->writes, p->index, means.quantity, err)) || !p->writes)
        return st;
    const double most = names->most[p->index];

    if (most > 0) { /* of the command, in volts */
        const struct yk_scale *scale = &names->scales->actuators[p->index].sent.command;
        const double a = yk_scale_raw(scale, most), b = yk_scale_raw(scale, -most);

        p->least = fmin(a, b);
        p->most = fmax(a, b);
    }
    return YK_OK;
}

/* Two names on one channel: each would overwrite the other, or one is a mistake. */
static enum yk_status check_single(const struct yk_comedi_rig *u, struct yk_err *err)
{
    const struct yk_comedi_point *p = &u->points[u->count];

    for (const struct yk_comedi_point *q = u->points; q < p; q++)
        if (q->place == p->place && q->channel == p->channel && q->subdevice == p->subdevice)
            return yk_fail_at(err, YK_E_INPUT, p->where, "'%s' and '%s' have the same channel", q->name, p->name);
    return YK_OK;
}

enum yk_status yk_build_comedi(const struct yk_model *e, const struct yk_node *settings,
                               const struct yk_rig_names *names, void *self, struct yk_err *err)
{
    static const struct yk_field_context plain = {.directory = "", .force_means = YK_FORCE};
    struct yk_comedi_rig *u = self;
    const struct yk_node *all;
    enum yk_status st;

    if ((st = yk_rig_map(settings, "the channels of the card", &all, err)))
        return st;
    if (!(u->points = calloc(all->count + 1, sizeof *u->points)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for the channel map");
    for (; u->count < all->count; u->count++) {
        const struct yk_node *map = all->items[u->count];
        struct yk_comedi_point *p = &u->points[u->count];

        if ((st = yk_field_type(map, YK_MAP, "a map: { output: 0, scale: 10 mm }", err)) ||
            (st = yk_field_known(map, yk_keys_card_channel, NULL, err)) ||
            (st = yk_field_settings(map, yk_keys_card_channel, p, &plain, err)) ||
            (st = read_point(map, names, p, err)) || (st = check_single(u, err)))
            return st;
    }
    return YK_OK;
}
