/* The section `channels`:
 *
 *     channels:
 *       a1.displacement: { raw: count, scale: 0.1 um }
 *       a1.force: { raw: V, scale: 25 kN/V, offset: -120 N, sign: -1, range: [-250 kN, 250 kN], filter: 200 Hz }
 *       a1.command: { raw: count, scale: 0.1 um }
 *       sensor.strain: { raw: mV, scale: 0.002 }
 *
 * This file reads how raw numbers become SI units; readings.c reads range and filter, certificates.c the certificate,
 * zeros.c the zeros that `yoke rig` takes. Until the next version, `scale` and `offset` may also be written into the
 * settings of a backend, the entries of `calibrate` of a setup, and `gain` and `offset` of `rig.readings`. */
#include "experiment/channels.h"

#include "rig/message.h"
#include "transfer/station.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SCALE 1e15 /* the largest command, 1e15 N, in the smallest counts fits into 32 bits of floating point */

/* ---- scales of a rig ---- */

enum yk_status yk_rig_scales_make(struct yk_rig_scales *s, const struct yk_rig_names *names, struct yk_err *err)
{
    const size_t sensors = names->sensors ? names->sensors->count : 0;

    *s = (struct yk_rig_scales){.actuators = calloc(names->count + 1, sizeof *s->actuators),
                                .sensors = calloc(sensors + 1, sizeof *s->sensors)};
    if (!s->actuators || !s->sensors)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rig");
    for (size_t i = 0; i < names->count; i++)
        s->actuators[i] = yk_calibration_none();
    for (size_t k = 0; k < sensors; k++)
        s->sensors[k] = YK_RAW_IS_SI;
    return YK_OK;
}

struct yk_scale *yk_rig_scale_at(const struct yk_rig_names *names, bool command, size_t index)
{
    static const enum yk_command_kind read[YK_WIRE_PER_READING] = {YK_BY_DISPLACEMENT, YK_BY_FORCE, YK_BY_ACCELERATION,
                                                                   YK_BY_VELOCITY};
    struct yk_rig_scales *s = names->scales;
    const size_t n = names->count;

    if (command && index < n)
        return &s->actuators[index].sent.command;
    if (command)
        return &s->actuators[(index - n - 1) / YK_WIRE_PER_AHEAD].sent.ahead[(index - n - 1) % YK_WIRE_PER_AHEAD];
    if (index < YK_WIRE_PER_READING * n)
        return &s->actuators[index / YK_WIRE_PER_READING].read[read[index % YK_WIRE_PER_READING]];
    return &s->sensors[index - YK_WIRE_PER_READING * n];
}

/* ---- reading ---- */

/* 12.5 mm/V is a length for each raw unit, and so is 12.5 mm: the value without its raw unit. */
static enum yk_status read_per_raw(const struct yk_node *node, enum yk_quantity quantity, double *scale,
                                   struct yk_err *err)
{
    const char *slash = node->type == YK_SCALAR ? strrchr(node->text, '/') : NULL;
    struct yk_err unread = {0};
    char text[64];

    if (!slash || (size_t)(slash - node->text) >= sizeof text ||
        !yk_quantity_parse(node->text, quantity, scale, &unread))
        return yk_field_real(node, quantity, -MOST_SCALE, MOST_SCALE, scale, err);
    snprintf(text, sizeof text, "%.*s", (int)(slash - node->text), node->text);
    if (!yk_quantity_parse(text, quantity, scale, &unread) && fabs(*scale) <= MOST_SCALE)
        return YK_OK;
    return yk_field_real(node, quantity, -MOST_SCALE, MOST_SCALE, scale, err);
}

static enum yk_status read_scale(const struct yk_node *map, enum yk_quantity quantity, struct yk_scale *scale,
                                 struct yk_err *err)
{
    const struct yk_node *s = yk_node_get(map, "scale"), *o = yk_node_get(map, "offset"),
                         *sign = yk_node_get(map, "sign");
    enum yk_status st = YK_OK;

    if (s && !(st = read_per_raw(s, quantity, &scale->scale, err)) && fabs(scale->scale) < 1 / MOST_SCALE)
        st = yk_fail_at(err, YK_E_RANGE, s->where, "scale = %s must not be 0, nor smaller than %g", s->text,
                        1 / MOST_SCALE);
    if (!st && o)
        st = yk_field_real(o, quantity, -MOST_SCALE, MOST_SCALE, &scale->offset, err);
    if (!st && sign && strcmp(sign->text ? sign->text : "", "1") != 0 &&
        strcmp(sign->text ? sign->text : "", "-1") != 0)
        st = yk_fail_at(err, YK_E_RANGE, sign->where, "sign = %s must be 1 or -1", sign->text ? sign->text : "map");
    if (!st && sign && *sign->text == '-')
        scale->scale = -scale->scale;
    return st;
}

enum yk_status yk_rig_scale(const struct yk_rig_names *names, const struct yk_node *map, const char *name, bool command,
                            size_t index, enum yk_quantity quantity, struct yk_err *err)
{
    struct yk_scale *scale = yk_rig_scale_at(names, command, index);
    const struct yk_node *given = yk_node_get(map, "scale");

    given = given ? given : yk_node_get(map, "offset");
    if (!given)
        return YK_OK;
    if (!yk_scale_is_none(scale))
        return yk_fail_at(err, YK_E_INPUT, given->key_where,
                          "%s of '%s' is given here and in the section `channels`; leave it out here", given->key,
                          name);
    if (!names->scales->old.file)
        names->scales->old = given->where;
    names->scales->given = given->where;
    return read_scale(map, quantity, scale, err);
}

/* Which value an entry of the section is, and what it measures; -1: it is of another rig. */
static long find_entry(const struct yk_node *map, const struct yk_rig_names *names, bool *command,
                       enum yk_quantity *quantity)
{
    static const char of_sensor[] = "sensor.";
    const bool sensor = strncmp(map->key, of_sensor, sizeof of_sensor - 1) == 0;
    const char *name = map->key + (sensor ? sizeof of_sensor - 1 : 0), *dot = strrchr(name, '.');
    struct yk_err unknown = {0};

    *command = !sensor && dot &&
               (strcmp(dot, ".command") == 0 || strcmp(dot, ".force_command") == 0 || strncmp(dot, ".feed_", 6) == 0);
    return sensor || dot ? yk_rig_signal(names, map, name, *command, quantity, &unknown) : -1;
}

enum yk_status yk_rig_channel_read(const struct yk_node *map, const struct yk_rig_names *names, struct yk_scale *scale,
                                   struct yk_err *err)
{
    enum yk_quantity quantity;
    bool command;

    if (find_entry(map, names, &command, &quantity) < 0)
        return YK_OK; /* of another rig; readings.c refuses a channel that no rig has */
    return read_scale(map, quantity, scale, err);
}

static enum yk_status read_entry(const struct yk_node *map, const struct yk_rig_names *names, struct yk_err *err)
{
    enum yk_quantity quantity;
    bool command;
    const long index = find_entry(map, names, &command, &quantity);

    return index < 0 ? YK_OK : yk_rig_channel_read(map, names, yk_rig_scale_at(names, command, (size_t)index), err);
}

enum yk_status yk_rig_scales_read(const struct yk_model *e, const struct yk_rig_names *names, struct yk_err *err)
{
    const struct yk_node *all = yk_node_get(e->tree, "channels");
    enum yk_status st = all ? yk_field_type(all, YK_MAP, "a map of channels", err) : YK_OK;

    for (size_t k = 0; all && k < all->count && !st; k++)
        if (!(st = yk_field_type(all->items[k], YK_MAP, "a map: { scale: 0.1 um }", err)))
            st = read_entry(all->items[k], names, err);
    if (all)
        names->scales->given = all->where;
    return st;
}

enum yk_status yk_rig_scales_check(const struct yk_rig_names *names, const char *backend, struct yk_where where,
                                   struct yk_err *err)
{
    for (size_t i = 0; i < names->count; i++) {
        const struct yk_scale *to = &names->scales->actuators[i].sent.command,
                              *from = &names->scales->actuators[i].read[names->kinds[i]];
        const double by = fabs(to->offset - from->offset), near = 1e-9 * fmax(fabs(to->offset), fabs(from->offset));
        const char *word = yk_command_word(names->kinds[i]);

        if (fabs(to->scale - from->scale) <= 1e-9 * fabs(to->scale) && by > near)
            return yk_fail_at(err, YK_E_INPUT, where,
                              "%s: %s.command and %s.%s have the same scale and different offsets, %g and %g (SI "
                              "units). The first command is the measured %s: the device would step by %g at once. "
                              "Give both the same offset; a zero that the sensor alone has wrong is taken by `tare` of "
                              "`yoke rig`",
                              backend, names->names[i], names->names[i], word, to->offset, from->offset, word, by);
    }
    return YK_OK;
}

/* ---- where they go ---- */

void yk_build_chain_scales(const struct yk_station_parts *parts, size_t i, const struct yk_calibration *first)
{
    const struct yk_calibration second = {.sent = parts->sent[i]};
    const struct yk_calibration sent = yk_calibration_chain(first, &second);

    parts->sent[i] = sent.sent;
    for (size_t k = 0; k < YK_COMMAND_KINDS; k++) {
        struct yk_scale *s = &parts->corrections[yk_channel_of(i, (enum yk_command_kind)k)].scale;

        *s = yk_scale_chain(first->read[k], *s);
    }
}

void yk_rig_scales_apply(const struct yk_rig_names *names, const struct yk_station_parts *parts)
{
    for (size_t i = 0; i < names->count; i++)
        for (size_t g = 0; g < parts->count; g++)
            if (strcmp(parts->actuators[g].name, names->names[i]) == 0)
                yk_build_chain_scales(parts, g, &names->scales->actuators[i]);
    for (size_t k = 0; names->sensors && k < names->sensors->count; k++)
        for (size_t g = 0; g < parts->sensor_count; g++)
            if (strcmp(parts->sensors[g].name, names->sensors->items[k]->key) == 0) {
                struct yk_scale *s = &parts->corrections[YK_COMMAND_KINDS * parts->count + g].scale;

                *s = yk_scale_chain(names->scales->sensors[k], *s);
            }
}

/* Does the section itself name the virtual rig? */
static bool is_virtual(const struct yk_node *section)
{
    return strcmp(yk_node_get(section, "backend")->text, "virtual") == 0;
}

enum yk_status yk_build_channels_of_virtual(const struct yk_model *e, const struct yk_station_parts *parts,
                                            size_t actuator, struct yk_calibration *counts, struct yk_err *err)
{
    const char *name = parts->actuators[actuator].name;
    const struct yk_node *section = yk_build_rig_of(e, name);
    struct yk_rig_scales scales = {0};
    struct yk_rig_names names;
    enum yk_status st;

    *counts = yk_calibration_none();
    if (!is_virtual(section))
        return YK_OK;
    if (!(st = yk_rig_names_of(e, section, parts, &names, err)) && !(st = yk_rig_scales_make(&scales, &names, err))) {
        names.scales = &scales;
        st = yk_rig_scales_read(e, &names, err);
        for (size_t i = 0; i < names.count && !st; i++)
            if (strcmp(names.names[i], name) == 0)
                *counts = scales.actuators[i];
    }
    yk_rig_names_free(&names);
    yk_rig_scales_free(&scales);
    return st;
}

enum yk_status yk_build_channels_of_sensors(const struct yk_model *e, const struct yk_station_parts *parts,
                                            struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (size_t k = 0; k < yk_build_rig_count(e) && !st; k++) {
        const struct yk_node *section = yk_build_rig_at(e, k);
        struct yk_rig_scales scales = {0};
        struct yk_rig_names names;

        if (!is_virtual(section) || !yk_node_get(section, "sensors"))
            continue;
        if (!(st = yk_rig_names_of(e, section, parts, &names, err)) &&
            !(st = yk_rig_scales_make(&scales, &names, err))) {
            names.scales = &scales;
            if (!(st = yk_rig_scales_read(e, &names, err))) {
                for (size_t i = 0; i < names.count; i++) /* inside the virtual rig */
                    scales.actuators[i] = yk_calibration_none();
                yk_rig_scales_apply(&names, parts);
            }
        }
        yk_rig_names_free(&names);
        yk_rig_scales_free(&scales);
    }
    return st;
}
