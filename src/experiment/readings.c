/* Readings of a rig, channel by channel: scale, range, filter, and sums of sensors. From the section `channels`, and
 * from the deprecated section `readings` of a rig, whose gain and offset come after the scale of the backend. */
#include "experiment/channels.h"

#include "experiment/components.h"
#include "transfer/station.h"

#include <stdlib.h>
#include <string.h>

struct reading {
    double gain, offset, filter;
    struct yk_reals range;
    int action, filter_order;
    char *raw;
};

#define AFTER_SCALE                                                                                                    \
    YK_REALS(struct reading, range, YK_NUMBER, 0, -1e30, 1e30,                                                         \
             "least and largest value that the sensor can measure, as in [-10 kN, 10 kN]; beyond them the reading is " \
             "wrong"),                                                                                                 \
        YK_NODE("action", "hold, ramp, cut or warn", 0,                                                                \
                "what the actuators do beyond the range; default `limits.on_trip`"),                                   \
        YK_REAL(struct reading, filter, YK_FREQUENCY, 0, 0, 1e6,                                                       \
                "cut-off of a Butterworth low-pass; 0: none. `yoke check` prints its delay; that of a force is "       \
                "compensated together with that of the actuator"),                                                     \
        YK_COUNT(struct reading, filter_order, 2, 1, 16, YK_WHEN("filter", "order of the low-pass")),                  \
        YK_NODE("from", "map of sensor to factor", 0,                                                                  \
                "measure this quantity of the actuator by sensors of the rig: the sum of each corrected sensor times " \
                "its factor, in SI units per unit of the sensor. At most 8 sensors")

const struct yk_param yk_keys_reading[] = {
    YK_REAL(struct reading, gain, YK_NUMBER, 1, -1e30, 1e30, "deprecated: scale in the section `channels`"),
    YK_REAL(struct reading, offset, YK_NUMBER, 0, -1e30, 1e30, "deprecated, likewise"),
    AFTER_SCALE,
    YK_PARAM_END,
};

const struct yk_param yk_keys_channel[] = {
    YK_TEXT(
        struct reading, raw, 0,
        "unit of the raw number, for people: count, V, mA. Each backend says what it delivers (docs/calibration.md)"),
    YK_NODE("scale", "number with unit", 0, "value of one raw unit, as 0.1 um, 25 kN/V; default 1"),
    YK_NODE("offset", "number with unit", 0, "value at raw 0; default 0. A tare of `yoke rig` is subtracted from it"),
    YK_NODE("sign", "1 or -1", 0, "-1: the device counts the other way; default 1"),
    AFTER_SCALE,
    YK_NODE("certificate", "a certificate", 0,
            "who calibrated the sensor, when, and how well: sensor, serial, certificate, date, due and uncertainty"),
    YK_PARAM_END,
};

/* The quantities of an actuator, as in enum yk_command_kind. */
static const enum yk_quantity quantities[YK_COMMAND_KINDS] = {[YK_BY_DISPLACEMENT] = YK_DISPLACEMENT,
                                                              [YK_BY_VELOCITY] = YK_VELOCITY,
                                                              [YK_BY_ACCELERATION] = YK_ACCELERATION,
                                                              [YK_BY_FORCE] = YK_FORCE};
const struct yk_param yk_keys_readings[] = {
    YK_NODE("displacement", "a reading", 0, "of the actuator"),
    YK_NODE("velocity", "a reading", 0, "likewise"),
    YK_NODE("acceleration", "a reading", 0, "likewise"),
    YK_NODE("force", "a reading", 0, "likewise; its load cell"),
    YK_PARAM_END,
};

static long find_sensor(const struct yk_station_parts *parts, const char *name)
{
    for (size_t k = 0; k < parts->sensor_count; k++)
        if (strcmp(parts->sensors[k].name, name) == 0)
            return (long)k;
    return -1;
}

static long find_actuator(const struct yk_station_parts *parts, const char *name)
{
    for (size_t i = 0; i < parts->count; i++)
        if (strcmp(parts->actuators[i].name, name) == 0)
            return (long)i;
    return -1;
}

static enum yk_status read_from(const struct yk_node *map, const struct yk_station_parts *parts,
                                struct yk_correction *c, struct yk_err *err)
{
    enum yk_status st = yk_field_type(map, YK_MAP, "a map of sensors to factors", err);

    if (!st && (map->count == 0 || map->count > YK_FROM_MOST))
        st = yk_fail_at(err, YK_E_RANGE, map->where, "'from' names %zu sensors, allowed are 1 .. %d", map->count,
                        YK_FROM_MOST);
    for (size_t k = 0; !st && k < map->count; k++) {
        const struct yk_node *item = map->items[k];
        const long sensor = find_sensor(parts, item->key);

        if (sensor < 0)
            return yk_fail_at(err, YK_E_INPUT, item->key_where, "the rig has no sensor '%s'", item->key);
        c->from[k].sensor = (size_t)sensor;
        if (!(st = yk_field_real(item, YK_NUMBER, -1e30, 1e30, &c->from[k].factor, err)))
            c->from_count++;
    }
    return st;
}

/* A channel while it is read: its keys and units, and its correction. */
struct channel {
    const struct yk_param *keys;
    enum yk_quantity quantity; /* an actuator's in SI units, a sensor's in its own unit */
    enum yk_sense sense;
    bool of_sensor;
    struct yk_correction *c;
};

/* The keys for the quantity of the channel; at most `most`. */
static void fit_keys(const struct channel *to, struct yk_param *keys, size_t most)
{
    size_t k = 0;

    for (; k + 1 < most && to->keys[k].name; k++) {
        keys[k] = to->keys[k];
        if (strcmp(keys[k].name, "range") == 0 ||
            (strcmp(keys[k].name, "offset") == 0 && keys[k].type == YK_PARAM_REAL))
            keys[k].quantity = to->quantity;
        if (strcmp(keys[k].name, "action") == 0)
            keys[k] = (struct yk_param)YK_CHOICE(struct reading, action, YK_ACTION_CHOICES, -1, "");
    }
    keys[k] = (struct yk_param)YK_PARAM_END;
}

static enum yk_status take_range(const struct yk_node *range, const struct reading *r, struct yk_correction *c,
                                 struct yk_err *err)
{
    if (!range)
        return YK_OK;
    if (!(r->range.n == 2 && r->range.x[0] < r->range.x[1]))
        return yk_fail_at(err, YK_E_RANGE, range->where, "range needs two values, the lower one first");
    c->low = r->range.x[0];
    c->high = r->range.x[1];
    return YK_OK;
}

/* A sum has no raw number: an old gain goes into its factors, an old offset is where it starts. */
static enum yk_status take_from(const struct yk_node *map, const struct yk_station_parts *parts,
                                const struct channel *to, const struct reading *r, struct yk_err *err)
{
    const struct yk_node *from = yk_node_get(map, "from"), *scale = yk_node_get(map, "scale");
    enum yk_status st;

    scale = scale ? scale : yk_node_get(map, "sign");
    if (!from)
        return YK_OK;
    if (to->of_sensor)
        return yk_fail_at(err, YK_E_INPUT, from->key_where,
                          "'from' is for the quantities of an actuator; '%s' is a sensor", map->key);
    if (scale)
        return yk_fail_at(err, YK_E_INPUT, scale->key_where,
                          "%s has no effect on '%s', which is a sum of sensors: put it into their factors", scale->key,
                          map->key);
    if ((st = read_from(from, parts, to->c, err)))
        return st;
    to->c->from_start = r->offset;
    for (size_t k = 0; k < to->c->from_count; k++)
        to->c->from[k].factor *= r->gain;
    return YK_OK;
}

static enum yk_status read_channel(const struct yk_node *map, const struct yk_station_parts *parts,
                                   const struct channel *to, struct yk_err *err)
{
    const struct yk_field_context context = {.directory = "", .force_means = YK_FORCE, .sense = to->sense};
    struct yk_param keys[16];
    struct yk_correction *c = to->c;
    struct reading r = {.gain = 1};
    enum yk_status st;

    fit_keys(to, keys, sizeof keys / sizeof *keys);
    if ((st = yk_field_type(map, YK_MAP, "a map", err)) || (st = yk_field_known(map, keys, NULL, err)) ||
        (st = yk_field_settings(map, keys, &r, &context, err)))
        goto end;
    if (to->keys == yk_keys_reading && c->used)
        st = yk_fail_at(err, YK_E_INPUT, map->key_where, "'%s' is in the section `channels`, too; leave it out here",
                        map->key);
    /* scales of the section `channels` come with their rig */
    c->used = to->keys == yk_keys_reading || yk_node_get(map, "range") || yk_node_get(map, "from") || r.filter > 0;
    c->label.action = r.action;
    if (to->keys == yk_keys_reading)
        c->scale = (struct yk_scale){r.gain, r.offset};
    if (!st && r.gain == 0)
        st = yk_fail_at(err, YK_E_RANGE, yk_node_get(map, "gain")->where,
                        "gain = 0 would make every reading the same; it must not be 0");
    if (!st && !(st = take_range(yk_node_get(map, "range"), &r, c, err)))
        st = take_from(map, parts, to, &r, err);
    if (!st && r.filter > 0 &&
        (st = yk_filter_butterworth(&c->filter, r.filter_order, r.filter, parts->tick, r.filter_order <= 2, err)))
        yk_fail_within(err, yk_node_get(map, "filter")->where, "%s", "");
end:
    yk_param_free(to->keys, &r);
    return st;
}

static enum yk_status name_channel(struct yk_correction *c, const char *owner, const char *quantity, const char *unit,
                                   struct yk_err *err)
{
    const size_t size = strlen(owner) + strlen(quantity) + 2;
    char *name = malloc(size);

    if (!name)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the readings");
    snprintf(name, size, "%s%s%s", owner, *quantity ? "." : "", quantity);
    c->label.name = name;
    c->label.unit = unit;
    return YK_OK;
}

/* `a1: { force: ..., displacement: ... }` */
static enum yk_status read_actuator(const struct yk_node *map, struct yk_station_parts *parts, size_t i,
                                    struct yk_err *err)
{
    struct yk_actuator *a = &parts->actuators[i];
    struct yk_correction *of = parts->corrections + yk_channel_of(i, 0);
    enum yk_status st;

    if ((st = yk_field_type(map, YK_MAP, "a map of displacement, velocity, acceleration or force", err)) ||
        (st = yk_field_known(map, yk_keys_readings, NULL, err)))
        return st;
    for (size_t k = 0; k < map->count && !st; k++) {
        const int kind = yk_choice_index(YK_COMMAND_CHOICES, map->items[k]->key);

        st = read_channel(
            map->items[k], parts,
            &(struct channel){yk_keys_reading, quantities[kind], yk_component_sense(a->limits.turns), false, &of[kind]},
            err);
    }
    return st;
}

static enum yk_status read_rig(const struct yk_model *e, const struct yk_node *rig, struct yk_station_parts *parts,
                               struct yk_err *err)
{
    const struct yk_node *all = yk_node_get(rig, "readings");
    enum yk_status st = all ? yk_field_type(all, YK_MAP, "a map of actuators and sensors", err) : YK_OK;

    for (size_t k = 0; all && k < all->count && !st; k++) {
        const struct yk_node *item = all->items[k];
        const long i = find_actuator(parts, item->key), sensor = find_sensor(parts, item->key);

        if (i >= 0 && sensor >= 0)
            return yk_fail_at(err, YK_E_INPUT, item->key_where, "'%s' is both an actuator and a sensor; rename one",
                              item->key);
        if ((i < 0 && sensor < 0) || (i >= 0 && yk_build_rig_of(e, item->key) != rig) ||
            (sensor >= 0 && !yk_node_get(yk_node_get(rig, "sensors"), item->key)))
            return yk_fail_at(err, YK_E_INPUT, item->key_where, "this rig has no actuator or sensor '%s'", item->key);
        if (i >= 0) {
            st = read_actuator(item, parts, (size_t)i, err);
            continue;
        }
        st = read_channel(item, parts,
                          &(struct channel){yk_keys_reading, YK_NUMBER, YK_EITHER, true,
                                            &parts->corrections[YK_COMMAND_KINDS * parts->count + (size_t)sensor]},
                          err);
    }
    return st;
}

/* ---- the section `channels` ---- */

/* Refuses keys of readings in a channel that is sent: it has a scale only. */
static enum yk_status check_sent(const struct yk_node *map, struct yk_err *err)
{
    static const char *const keys[] = {"range", "action", "filter", "filter_order", "from", "certificate"};

    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (yk_node_get(map, keys[k]))
            return yk_fail_at(err, YK_E_INPUT, yk_node_get(map, keys[k])->key_where,
                              "%s has no effect on '%s', which is sent to the rig", keys[k], map->key);
    return YK_OK;
}

/* "a1.force", "a1.command" or "sensor.strain"; its scale is read with its rig (channels.c). */
static enum yk_status read_item(const struct yk_node *map, const struct yk_station_parts *parts, struct yk_err *err)
{
    static const char *const sent = "command|feed_velocity|feed_acceleration|feed_force|force_command";
    const char *dot = strrchr(map->key, '.');
    const bool of_sensor = strncmp(map->key, "sensor.", 7) == 0;
    const long sensor = of_sensor ? find_sensor(parts, map->key + 7) : -1;
    char *owner = strndup(map->key, dot ? (size_t)(dot - map->key) : 0);
    const long i = owner && dot ? find_actuator(parts, owner) : -1;
    const int kind = i >= 0 ? yk_choice_index(YK_COMMAND_CHOICES, dot + 1) : -1;

    free(owner);
    if (sensor >= 0)
        return read_channel(map, parts,
                            &(struct channel){yk_keys_channel, YK_NUMBER, YK_EITHER, true,
                                              &parts->corrections[YK_COMMAND_KINDS * parts->count + (size_t)sensor]},
                            err);
    if (kind >= 0)
        return read_channel(
            map, parts,
            &(struct channel){yk_keys_channel, quantities[kind], yk_component_sense(parts->actuators[i].limits.turns),
                              false, &parts->corrections[yk_channel_of((size_t)i, (enum yk_command_kind)kind)]},
            err);
    if (i >= 0 && yk_choice_index(sent, dot + 1) >= 0) {
        const enum yk_status st = yk_field_known(map, yk_keys_channel, NULL, err);

        return st ? st : check_sent(map, err);
    }
    return yk_fail_at(
        err, YK_E_INPUT, map->key_where,
        "'%s' is no channel of this rig: displacement, velocity, acceleration, force, command, "
        "feed_velocity, feed_acceleration, feed_force or force_command of an actuator, as a1.force, or sensor.NAME",
        map->key);
}

enum yk_status yk_build_readings(const struct yk_model *e, struct yk_station_parts *parts, struct yk_err *err)
{
    const size_t channels = YK_COMMAND_KINDS * parts->count + parts->sensor_count;
    const struct yk_node *all = yk_node_get(e->tree, "channels"), *old = NULL;
    enum yk_status st = all ? yk_field_type(all, YK_MAP, "a map of channels", err) : YK_OK;

    parts->corrections = calloc(channels + 1, sizeof *parts->corrections);
    parts->sent = calloc(parts->count + 1, sizeof *parts->sent);
    if (!parts->corrections || !parts->sent)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the readings");
    for (size_t k = 0; k < channels; k++)
        parts->corrections[k].scale = YK_RAW_IS_SI;
    for (size_t i = 0; i < parts->count; i++)
        parts->sent[i] = yk_calibration_none().sent;
    for (size_t k = 0; all && k < all->count && !st; k++)
        if (!(st = yk_field_type(all->items[k], YK_MAP, "a map: { scale: 0.1 um }", err)))
            st = read_item(all->items[k], parts, err);
    for (size_t k = 0; k < yk_build_rig_count(e) && !st; k++) {
        st = read_rig(e, yk_build_rig_at(e, k), parts, err);
        old = old ? old : yk_node_get(yk_build_rig_at(e, k), "readings");
    }
    for (size_t i = 0; i < parts->count; i++) { /* as with the filters of the sensors themselves */
        struct yk_actuator *a = &parts->actuators[i];

        a->filter_delay += parts->corrections[yk_channel_of(i, YK_BY_FORCE)].filter.delay_s;
        a->seen_delay += parts->corrections[yk_channel_of(i, a->limits.kind)].filter.delay_s;
    }
    if (!st && old)
        yk_note(e->notes, old->key_where,
                "readings of a rig are read for the last time: write them into the section channels, as channels: { "
                "a1.force: { scale: 5 kN, range: [-10 kN, 10 kN] } }");
    return st;
}

/* ---- after the rig ---- */

static enum yk_status name_all(struct yk_station_parts *parts, struct yk_err *err)
{
    static const char *const units[YK_COMMAND_KINDS][2] = {[YK_BY_DISPLACEMENT] = {"m", "rad"},
                                                           [YK_BY_VELOCITY] = {"m/s", "rad/s"},
                                                           [YK_BY_ACCELERATION] = {"m/s2", "rad/s2"},
                                                           [YK_BY_FORCE] = {"N", "N m"}};
    const size_t first = YK_COMMAND_KINDS * parts->count;
    enum yk_status st = YK_OK;

    for (size_t k = 0; k < first && !st; k++) {
        const struct yk_actuator *a = &parts->actuators[k / YK_COMMAND_KINDS];
        const enum yk_command_kind kind = k % YK_COMMAND_KINDS;

        st = name_channel(&parts->corrections[k], a->name, yk_command_word(kind), units[kind][a->limits.turns], err);
    }
    for (size_t k = 0; k < parts->sensor_count && !st; k++)
        st = name_channel(&parts->corrections[first + k], parts->sensors[k].name, "", parts->sensors[k].unit, err);
    return st;
}

enum yk_status yk_build_end_readings(const struct yk_model *e, struct yk_station_parts *parts, struct yk_err *err)
{
    const size_t channels = YK_COMMAND_KINDS * parts->count + parts->sensor_count;
    enum yk_status st = yk_build_channels_of_sensors(e, parts, err);
    bool any = false;

    for (size_t k = 0; k < channels; k++) {
        parts->corrections[k].used |= !yk_scale_is_none(&parts->corrections[k].scale);
        any |= parts->corrections[k].used;
    }
    for (size_t i = 0; i < parts->count; i++) {
        struct yk_calibration c = yk_calibration_none();

        c.sent = parts->sent[i];
        any |= !yk_calibration_is_none(&c);
    }
    if (any)
        return st ? st : name_all(parts, err);
    free(parts->corrections); /* readings stay as they are */
    parts->corrections = NULL;
    return st;
}
