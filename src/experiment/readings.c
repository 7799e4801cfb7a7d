/* The section `readings` of a rig: what is made of its raw readings, channel by channel. */
#include "experiment/build.h"

#include "experiment/components.h"
#include "transfer/station.h"

#include <stdlib.h>
#include <string.h>

struct reading {
    double gain, offset, filter;
    struct yk_reals range;
    int action, filter_order;
};

const struct yk_param yk_keys_reading[] = {
    YK_REAL(struct reading, gain, YK_NUMBER, 1, -1e30, 1e30, "factor of the reading that the rig sends"),
    YK_REAL(struct reading, offset, YK_NUMBER, 0, -1e30, 1e30,
            "added after the gain, in the unit of the channel; a tare is subtracted from it"),
    YK_REALS(struct reading, range, YK_NUMBER, 0, -1e30, 1e30,
             "least and largest value that the sensor can measure, as in [-10 kN, 10 kN]; beyond them the reading is "
             "wrong"),
    YK_NODE("action", "hold, ramp, cut or warn", 0, "what the actuators do beyond the range; default `limits.on_trip`"),
    YK_REAL(struct reading, filter, YK_FREQUENCY, 0, 0, 1e6,
            "cut-off of a Butterworth low-pass; 0: none. `yoke check` prints its delay; that of a force is compensated "
            "together with that of the actuator"),
    YK_COUNT(struct reading, filter_order, 2, 1, 16, YK_WHEN("filter", "order of the low-pass")),
    YK_NODE("from", "map of sensor to factor", 0,
            "measure this quantity of the actuator by sensors of the rig: the sum of each corrected sensor times its "
            "factor, in SI units per unit of the sensor. At most 8 sensors"),
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

/* One channel: an actuator's in SI units by its quantity, a sensor's in its own unit. */
static enum yk_status read_channel(const struct yk_node *map, const struct yk_station_parts *parts,
                                   enum yk_quantity quantity, enum yk_sense sense, bool of_sensor,
                                   struct yk_correction *c, struct yk_err *err)
{
    const struct yk_field_context context = {.directory = "", .force_means = YK_FORCE, .sense = sense};
    struct yk_param keys[sizeof yk_keys_reading / sizeof *yk_keys_reading];
    const struct yk_node *from, *range;
    struct reading r = {0};
    enum yk_status st;

    memcpy(keys, yk_keys_reading, sizeof keys);
    keys[1].quantity = keys[2].quantity = quantity; /* offset, range */
    keys[3] = (struct yk_param)YK_CHOICE(struct reading, action, YK_ACTION_CHOICES, -1, "");
    if ((st = yk_field_type(map, YK_MAP, "a map", err)) || (st = yk_field_known(map, keys, NULL, err)) ||
        (st = yk_field_settings(map, keys, &r, &context, err)))
        goto end;
    from = yk_node_get(map, "from");
    range = yk_node_get(map, "range");
    c->used = true;
    c->gain = r.gain;
    c->offset = r.offset;
    c->label.action = r.action;
    if (range && !(r.range.n == 2 && r.range.x[0] < r.range.x[1]))
        st = yk_fail_at(err, YK_E_RANGE, range->where, "range needs two values, the lower one first");
    else if (range)
        c->low = r.range.x[0], c->high = r.range.x[1];
    if (!st && r.gain == 0)
        st = yk_fail_at(err, YK_E_RANGE, yk_node_get(map, "gain")->where,
                        "gain = 0 would make every reading the same; it must not be 0");
    if (!st && from && of_sensor)
        st = yk_fail_at(err, YK_E_INPUT, from->key_where,
                        "'from' is for the quantities of an actuator; '%s' is a sensor", map->key);
    if (!st && from)
        st = read_from(from, parts, c, err);
    if (!st && r.filter > 0 &&
        (st = yk_filter_butterworth(&c->filter, r.filter_order, r.filter, parts->tick, r.filter_order <= 2, err)))
        yk_fail_within(err, yk_node_get(map, "filter")->where, "%s", "");
end:
    yk_param_free(yk_keys_reading, &r);
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
    static const char *const units[YK_COMMAND_KINDS][2] = {[YK_BY_DISPLACEMENT] = {"m", "rad"},
                                                           [YK_BY_VELOCITY] = {"m/s", "rad/s"},
                                                           [YK_BY_ACCELERATION] = {"m/s2", "rad/s2"},
                                                           [YK_BY_FORCE] = {"N", "N m"}};
    struct yk_actuator *a = &parts->actuators[i];
    struct yk_correction *of = parts->corrections + yk_channel_of(i, 0);
    enum yk_status st;

    if ((st = yk_field_type(map, YK_MAP, "a map of displacement, velocity, acceleration or force", err)) ||
        (st = yk_field_known(map, yk_keys_readings, NULL, err)))
        return st;
    for (size_t k = 0; k < map->count && !st; k++) {
        const int kind = yk_choice_index(YK_COMMAND_CHOICES, map->items[k]->key);

        if (!(st = name_channel(&of[kind], a->name, map->items[k]->key, units[kind][a->limits.turns], err)))
            st = read_channel(map->items[k], parts, quantities[kind], yk_component_sense(a->limits.turns), false,
                              &of[kind], err);
    }
    /* as with the filters of the sensors themselves */
    a->filter_delay += of[YK_BY_FORCE].filter.delay_s;
    a->seen_delay += of[a->limits.kind].filter.delay_s;
    return st;
}

static enum yk_status read_rig(const struct yk_experiment *e, const struct yk_node *rig, struct yk_station_parts *parts,
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
        struct yk_correction *c = &parts->corrections[YK_COMMAND_KINDS * parts->count + (size_t)sensor];
        if (!(st = name_channel(c, item->key, "", parts->sensors[sensor].unit, err)))
            st = read_channel(item, parts, YK_NUMBER, YK_EITHER, true, c, err);
    }
    return st;
}

enum yk_status yk_build_readings(const struct yk_experiment *e, struct yk_station_parts *parts, struct yk_err *err)
{
    const size_t channels = YK_COMMAND_KINDS * parts->count + parts->sensor_count;
    bool any = false;
    enum yk_status st = YK_OK;

    for (size_t k = 0; k < yk_build_rig_count(e); k++)
        any |= yk_node_get(yk_build_rig_at(e, k), "readings") != NULL;
    if (!any)
        return YK_OK;
    if (!(parts->corrections = calloc(channels + 1, sizeof *parts->corrections)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for the readings");
    for (size_t k = 0; k < channels; k++)
        parts->corrections[k].gain = 1;
    for (size_t k = 0; k < yk_build_rig_count(e) && !st; k++)
        st = read_rig(e, yk_build_rig_at(e, k), parts, err);
    return st;
}
