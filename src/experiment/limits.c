/* The section `limits`: values for all actuators and for each, in m and N, or in rad and N m for rotary actuators. */
#include "experiment/build.h"
#include "experiment/signals.h"

#include "transfer/pose.h"
#include "transfer/station.h"

#include <stdlib.h>
#include <string.h>

/* A limit as a map. */
struct limit {
    double limit;
    int action;
};

const struct yk_param yk_keys_limit[] = {
    YK_NODE("limit", "as above", YK_REQUIRED, "the limit itself"),
    YK_NODE("action", "hold, ramp, cut or warn", 0, "what the actuators do after this trip; default `on_trip`"),
    YK_PARAM_END,
};

/* ---- units ---- */

static size_t count_turning(const struct yk_station_parts *parts)
{
    size_t count = 0;

    for (size_t i = 0; i < parts->count; i++)
        count += parts->actuators[i].limits.turns;
    return count;
}

/* Limits that are counted in the quantity of the command. */
static bool is_of_command(enum yk_limit_kind kind)
{
    return kind == YK_LIMIT_COMMAND_RATE || kind == YK_LIMIT_POSITION_ERROR || kind == YK_LIMIT_TRACKING_ERROR;
}

/* A limit of an actuator that is commanded by something else than displacement. */
static struct yk_param in_command(struct yk_param p, enum yk_limit_kind kind, enum yk_command_kind command)
{
    static const enum yk_quantity quantities[YK_COMMAND_KINDS][2] = {
        [YK_BY_DISPLACEMENT] = {YK_DISPLACEMENT, YK_VELOCITY},
        [YK_BY_VELOCITY] = {YK_VELOCITY, YK_ACCELERATION},
        [YK_BY_ACCELERATION] = {YK_ACCELERATION, YK_JERK},
        [YK_BY_FORCE] = {YK_FORCE, YK_FORCE_RATE}};

    if (command != YK_BY_DISPLACEMENT && is_of_command(kind)) {
        p.quantity = quantities[command][kind == YK_LIMIT_COMMAND_RATE];
        p.max = 1e18;
    }
    return p;
}

/* A limit in the units of rotary or of linear actuators. */
static struct yk_param in_angles(struct yk_param p, bool turns)
{
    p.quantity = yk_quantity_of(p.quantity == YK_LENGTH ? YK_DISPLACEMENT : p.quantity, turns ? YK_ABOUT : YK_ALONG);
    return p;
}

static bool is_of_one(const struct yk_param *p)
{
    return p - yk_limits_params < YK_LIMITS_OF_ONE;
}

/* Is it another quantity where an actuator turns? */
static bool depends(const struct yk_param *p)
{
    return is_of_one(p) && p->quantity != YK_NUMBER && p->quantity != YK_TIME;
}

/* ---- for all actuators ---- */

/* `force: {limit: 8 kN, action: cut}` */
static enum yk_status read_map(const struct yk_node *map, const struct yk_param *p, int *action,
                               struct yk_limits *limits, struct yk_err *err)
{
    static const struct yk_field_context context = {.directory = "", .force_means = YK_FORCE};
    struct yk_param keys[] = {*p, YK_CHOICE(struct limit, action, YK_ACTION_CHOICES, -1, ""), YK_PARAM_END};
    struct limit limit;
    enum yk_status st;

    keys[0].name = "limit";
    keys[0].offset = offsetof(struct limit, limit);
    keys[0].fallback = YK_REQUIRED;
    if ((st = yk_field_known(map, keys, NULL, err)) || (st = yk_field_settings(map, keys, &limit, &context, err)))
        return st;
    *(double *)((char *)limits + p->offset) = limit.limit;
    if (limit.action >= 0)
        *action = limit.action;
    return YK_OK;
}

/* Reads the limits for all actuators, from `first` of the table on. */
static enum yk_status read_common(const struct yk_node *map, const struct yk_param *first, bool turn,
                                  struct yk_limits *limits, struct yk_err *err)
{
    static const struct yk_field_context context = {.directory = "", .force_means = YK_FORCE};
    enum yk_status st = YK_OK;

    for (const struct yk_param *p = first; p->name && !st; p++) {
        const struct yk_param one[] = {in_angles(*p, turn), YK_PARAM_END};
        const struct yk_node *node = yk_node_get(map, p->name);

        if (node && node->type == YK_MAP && p - yk_limits_params < YK_LIMIT_BAD_READING)
            st = read_map(node, one, &limits->action[p - yk_limits_params], limits, err);
        else if (node)
            st = yk_field_settings(map, one, limits, &context, err);
    }
    return st;
}

/* ---- for each ---- */

static enum yk_status read_own(const struct yk_node *map, struct yk_own_limits *own, struct yk_err *err)
{
    static const struct yk_field_context context = {.directory = "", .force_means = YK_FORCE};
    struct yk_param keys[YK_LIMITS_OF_ONE + 1] = {[YK_LIMITS_OF_ONE] = YK_PARAM_END};
    struct yk_own_limits given = {.turns = own->turns, .kind = own->kind};
    enum yk_status st;

    for (size_t k = 0; k < YK_LIMITS_OF_ONE; k++) {
        keys[k] = in_angles(in_command(yk_limits_params[k], (enum yk_limit_kind)k, own->kind), own->turns);
        keys[k].offset = offsetof(struct yk_own_limits, limit) + k * sizeof *given.limit;
    }
    if ((st = yk_field_type(map, YK_MAP, "a map of limits", err)) || (st = yk_field_known(map, keys, NULL, err)) ||
        (st = yk_field_settings(map, keys, &given, &context, err)))
        return st;
    for (size_t k = 0; k < YK_LIMITS_OF_ONE; k++) {
        const bool said = yk_node_get(map, keys[k].name);

        own->limit[k] = said && given.limit[k] == 0 ? -1 : said ? given.limit[k] : 0; /* 0 in a file: none */
    }
    return YK_OK;
}

/* Limits of the second mode: those of the actuator, except for its own ones in the quantity of the command. Some are
 * required, so that a change of mode makes no step. */
static enum yk_status take_second(const struct yk_model *e, const struct yk_limits *all, struct yk_actuator *a,
                                  struct yk_err *err)
{
    const struct yk_node *map = yk_node_get(yk_node_get(yk_node_get(e->tree, "transfer"), a->name), "switch");
    struct yk_own_limits *own = &a->second.limits;

    if (!a->second.has)
        return YK_OK;
    memcpy(own->limit, a->limits.limit, sizeof own->limit);
    own->limit[YK_LIMIT_COMMAND_RATE] = a->second.command_rate;
    own->limit[YK_LIMIT_POSITION_ERROR] = a->second.position_error > 0 ? a->second.position_error : -1;
    own->limit[YK_LIMIT_TRACKING_ERROR] = a->second.tracking_error > 0 ? a->second.tracking_error : -1;
    const double force = yk_limit_of_command(all, own);

    if (!yk_has_limit(all, &a->limits, YK_LIMIT_ACCELERATION) || !yk_has_limit(all, &a->limits, YK_LIMIT_COMMAND_RATE))
        return yk_fail_at(err, YK_E_INPUT, map->key_where,
                          "actuator '%s' has a second control mode and needs limits.acceleration and "
                          "limits.command_rate: with them its command is led back to the target when it returns to "
                          "displacement control",
                          a->name);
    if (force > 0 && a->second.above >= force)
        return yk_fail_at(err, YK_E_RANGE, yk_node_get(map, "above")->where,
                          "above = %g N is not below limits.force = %g N, at which the test is stopped",
                          a->second.above, force);
    return YK_OK;
}

/* A limit for all, in m or N, has no meaning for a rotary actuator in a mixed rig. */
static enum yk_status check_mixed(const struct yk_node *map, const struct yk_limits *limits,
                                  const struct yk_station_parts *parts, struct yk_err *err)
{
    for (const struct yk_param *p = yk_limits_params; is_of_one(p); p++)
        for (size_t i = 0; i < parts->count && depends(p); i++) {
            const struct yk_actuator *a = &parts->actuators[i];
            const size_t k = (size_t)(p - yk_limits_params);

            if (yk_node_get(map, p->name) && limits->limit[k] > 0 && a->limits.turns && a->limits.limit[k] == 0)
                return yk_fail_at(
                    err, YK_E_INPUT, yk_node_get(map, p->name)->key_where,
                    "%s is for linear actuators, but %s is rotary; set its own limit: actuators: { %s: { %s: ... } }",
                    p->name, a->name, a->name, p->name);
        }
    return YK_OK;
}

/* Limits for all actuators are in m and m/s: an actuator with another kind of command has its own, or none. */
static void leave_out(struct yk_own_limits *own)
{
    for (int k = 0; k < YK_LIMITS_OF_ONE && own->kind != YK_BY_DISPLACEMENT; k++)
        if (is_of_command((enum yk_limit_kind)k) && own->limit[k] == 0)
            own->limit[k] = -1;
}

/* `sensors: { strain: 2000 }` or `{ strain: { limit: 2000, action: warn } }` */
static enum yk_status read_sensor_limits(const struct yk_node *map, struct yk_station_parts *parts, struct yk_err *err)
{
    static const struct yk_field_context context = {.directory = "", .force_means = YK_FORCE};
    static const struct yk_param keys[] = {YK_REAL(struct limit, limit, YK_NUMBER, YK_REQUIRED, 0, 1e300, ""),
                                           YK_CHOICE(struct limit, action, YK_ACTION_CHOICES, -1, ""), YK_PARAM_END};
    enum yk_status st = map ? yk_field_type(map, YK_MAP, "a map of sensors", err) : YK_OK;

    for (size_t i = 0; map && i < map->count && !st; i++) {
        const struct yk_node *item = map->items[i];
        struct limit limit = {.action = -1};
        size_t k = 0;

        while (k < parts->sensor_count && strcmp(parts->sensors[k].name, item->key) != 0)
            k++;
        if (k == parts->sensor_count)
            return yk_fail_at(err, YK_E_INPUT, item->key_where, "the rig has no sensor '%s'", item->key);
        if (item->type == YK_MAP)
            st = (st = yk_field_known(item, keys, NULL, err)) ? st
                                                              : yk_field_settings(item, keys, &limit, &context, err);
        else
            st = yk_field_real(item, YK_NUMBER, 0, 1e300, &limit.limit, err);
        parts->sensors[k].limit = limit.limit;
        parts->sensors[k].action = limit.action;
    }
    return st;
}

const struct yk_param yk_keys_console[] = {
    YK_REAL(struct yk_console_limits, speed, YK_VELOCITY, 0, 0, 1e6, "of moves and sweeps; 0: the default"),
    YK_REAL(struct yk_console_limits, force, YK_FORCE, 0, 0, 1e15, "reading of a load cell; 0: the default"),
    YK_REAL(struct yk_console_limits, travel, YK_LENGTH, 0, 0, 1e6,
            "way from where the drives were enabled, or from where a run begins; 0: the default"),
    YK_PARAM_END,
};

/* `console: { speed: 5 mm/s, force: 2 kN, travel: 10 mm }` */
static enum yk_status read_console(const struct yk_node *map, bool turn, struct yk_console_limits *console,
                                   struct yk_err *err)
{
    static const struct yk_field_context context = {.directory = "", .force_means = YK_FORCE};
    struct yk_param keys[sizeof yk_keys_console / sizeof *yk_keys_console];
    enum yk_status st;

    if (!map)
        return YK_OK;
    memcpy(keys, yk_keys_console, sizeof keys);
    for (struct yk_param *p = keys; p->name; p++)
        *p = in_angles(*p, turn);
    console->turns = turn;
    if ((st = yk_field_type(map, YK_MAP, "a map of limits", err)) || (st = yk_field_known(map, keys, NULL, err)))
        return st;
    return yk_field_settings(map, keys, console, &context, err);
}

/* The defaults, changed by the section (NULL: there is none). */
static enum yk_status read_known(const struct yk_node *map, const struct yk_param *first, bool turn,
                                 struct yk_limits *limits, struct yk_err *err)
{
    enum yk_status st;

    *limits = yk_limits_defaults();
    if (!map)
        return YK_OK;
    if ((st = yk_field_type(map, YK_MAP, "a map", err)) || (st = yk_field_known(map, yk_limits_params, NULL, err)))
        return st;
    return read_common(map, first, turn, limits, err);
}

enum yk_status yk_build_limits(const struct yk_model *e, struct yk_station_parts *parts, struct yk_err *err)
{
    const struct yk_node *map = yk_node_get(e->tree, "limits"), *each;
    const size_t turning = count_turning(parts);
    enum yk_status st;

    for (size_t i = 0; i < parts->count && !map; i++) {
        leave_out(&parts->actuators[i].limits);
        if ((st = take_second(e, &(struct yk_limits){0}, &parts->actuators[i], err)))
            return st;
    }
    if ((st = read_known(map, yk_limits_params, turning == parts->count, &parts->limits, err)) || !map)
        return st;
    if ((each = yk_node_get(map, "actuators")) && (st = yk_field_type(each, YK_MAP, "a map of actuators", err)))
        return st;
    for (size_t i = 0; each && i < parts->count && !st; i++) {
        const struct yk_node *own = yk_node_get(each, parts->actuators[i].name);

        st = own ? read_own(own, &parts->actuators[i].limits, err) : YK_OK;
    }
    for (size_t i = 0; i < parts->count; i++)
        leave_out(&parts->actuators[i].limits);
    for (size_t i = 0; i < parts->count && !st; i++)
        st = take_second(e, &parts->limits, &parts->actuators[i], err);
    if (st || (st = read_console(yk_node_get(map, "console"), turning == parts->count, &parts->limits.console, err)) ||
        (st = read_sensor_limits(yk_node_get(map, "sensors"), parts, err)))
        return st;
    return st || turning == 0 || turning == parts->count ? st : check_mixed(map, &parts->limits, parts, err);
}

enum yk_status yk_build_limits_of_models(struct yk_model *e, struct yk_err *err)
{
    return read_known(yk_node_get(e->tree, "limits"), yk_limits_params + YK_LIMITS_OF_ONE, false, &e->limits, err);
}

/* ---- for a platform ---- */

struct pose_limits {
    double displacement, command_rate, force;
};

const struct yk_param yk_keys_pose[] = {
    YK_REAL(struct pose_limits, displacement, YK_DISPLACEMENT, 0, 0, 1e6, "of the commanded and of the measured pose"),
    YK_REAL(struct pose_limits, command_rate, YK_VELOCITY, 0, 0, 1e6, "rate of the commanded pose"),
    YK_REAL(struct pose_limits, force, YK_FORCE, 0, 0, 1e15, "measured force or moment"),
    YK_PARAM_END,
};

/* `x: { displacement: 50 mm, force: 20 kN }` */
static enum yk_status read_pose(const struct yk_node *map, const char *dof, bool turns, struct yk_sensor_limit *limits,
                                struct yk_err *err)
{
    static const struct yk_field_context context = {.directory = "", .force_means = YK_FORCE};
    static const char *const words[] = {"displacement of %s", "rate of the command of %s", "force on %s"},
                             *const units[][2] = {{"m", "rad"}, {"m/s", "rad/s"}, {"N", "N m"}};
    struct yk_param keys[YK_POSE_LIMITS + 1];
    struct pose_limits given = {0};
    enum yk_status st;

    memcpy(keys, yk_keys_pose, sizeof keys);
    for (int k = 0; k < YK_POSE_LIMITS; k++)
        keys[k] = in_angles(keys[k], turns);
    if (map &&
        ((st = yk_field_type(map, YK_MAP, "a map of limits", err)) || (st = yk_field_known(map, keys, NULL, err)) ||
         (st = yk_field_settings(map, keys, &given, &context, err))))
        return st;
    const double values[YK_POSE_LIMITS] = {given.displacement, given.command_rate, given.force};

    for (int k = 0; k < YK_POSE_LIMITS; k++) {
        char name[96];

        snprintf(name, sizeof name, words[k], dof);
        limits[k] = (struct yk_sensor_limit){strdup(name), units[k][turns], values[k], -1, false};
        if (!limits[k].name)
            return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    return YK_OK;
}

enum yk_status yk_build_pose_limits(const struct yk_model *e, const struct yk_node *specimen,
                                    const struct yk_dofs *dofs, struct yk_setup *setup, size_t first,
                                    struct yk_err *err)
{
    const struct yk_node *limits = yk_node_get(e->tree, "limits"), *all = limits ? yk_node_get(limits, "dofs") : NULL;
    struct yk_pose pose = {.setup = setup, .dofs = dofs->n, .first = first, .commanded = true};
    bool any = false;
    enum yk_status st = all ? yk_field_type(all, YK_MAP, "a map of degrees of freedom", err) : YK_OK;

    if (!all || st)
        return st;
    if (!(pose.limits = calloc(YK_POSE_LIMITS * dofs->n, sizeof *pose.limits)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; setup && i < yk_setup_actuators(setup); i++)
        pose.commanded &= yk_station_kind(e->station, first + i) == YK_BY_DISPLACEMENT;
    for (size_t i = 0; i < dofs->n && !st; i++) {
        char name[256];

        snprintf(name, sizeof name, "%s.%s", specimen->key, dofs->names[i]);
        const struct yk_node *own = yk_node_get(all, name);
        any |= own != NULL;
        if (own && !setup)
            st = yk_fail_at(err, YK_E_INPUT, own->key_where,
                            "'%s' has an actuator for each degree of freedom and no setup: limit the actuators instead",
                            specimen->key);
        else
            st = read_pose(own, name, yk_dofs_sense(dofs->names[i]) == YK_ABOUT, &pose.limits[YK_POSE_LIMITS * i], err);
    }
    if (!st && any)
        return yk_station_limit_pose(e->station, &pose, err);
    yk_pose_free(&pose);
    return st;
}

/* ---- what a rig outside this process needs ---- */

const enum yk_limit_kind yk_needed_limits[YK_NEEDED_LIMITS] = {YK_LIMIT_DISPLACEMENT, YK_LIMIT_COMMAND_RATE,
                                                               YK_LIMIT_FORCE, YK_LIMIT_TRACKING_ERROR};

bool yk_has_limit(const struct yk_limits *all, const struct yk_own_limits *own, enum yk_limit_kind kind)
{
    return own->limit[kind] > 0 || (own->limit[kind] == 0 && all->limit[kind] > 0);
}

/* Adds "command_rate and force of a1" to a text. */
static void tell_missing(const struct yk_limits *all, const struct yk_own_limits *own, const char *name, char *text,
                         size_t size)
{
    int missing = 0, told = 0;

    for (int k = 0; k < YK_NEEDED_LIMITS; k++)
        missing += !yk_has_limit(all, own, yk_needed_limits[k]);
    for (int k = 0; k < YK_NEEDED_LIMITS; k++)
        if (!yk_has_limit(all, own, yk_needed_limits[k])) {
            const size_t used = strlen(text);

            told++;
            snprintf(text + used, size - used, "%s%s",
                     told == 1         ? used ? "; " : ""
                     : told == missing ? " and "
                                       : ", ",
                     yk_limit_key(yk_needed_limits[k]));
        }
    if (missing) {
        const size_t used = strlen(text);

        snprintf(text + used, size - used, " of %s", name);
    }
}

enum yk_status yk_build_needed_limits(const struct yk_model *e, const struct yk_station_parts *parts,
                                      const struct yk_node *backend, struct yk_err *err)
{
    const struct yk_node *map = yk_node_get(e->tree, "limits");
    char missing[512] = "";

    for (size_t i = 0; i < parts->count; i++)
        tell_missing(&parts->limits, &parts->actuators[i].limits, parts->actuators[i].name, missing, sizeof missing);
    if (!*missing)
        return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, map ? map->key_where : backend->where,
                      "a rig outside this process (%s) needs limits of every actuator; missing: %s. `yoke check %s` "
                      "rehearses the test on the virtual rig and proposes them",
                      backend->text, missing, e->path);
}

void yk_limits_missing(const struct yk_model *e, char *text, size_t size)
{
    const struct yk_supervisor *s = yk_station_supervisor(e->station);

    *text = 0;
    for (size_t i = 0; s && i < s->count; i++)
        tell_missing(&s->limits, &s->supervised[i].own, yk_station_name(e->station, i), text, size);
}
