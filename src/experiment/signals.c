/* Names of commands, readings, sensors and lines in the settings of a backend. */
#include "experiment/signals.h"

#include "experiment/components.h"
#include "experiment/virtual.h"
#include "rig/message.h"
#include "transfer/station.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double yk_limit_of_command(const struct yk_limits *all, const struct yk_own_limits *own)
{
    static const enum yk_limit_kind kinds[YK_COMMAND_KINDS] = {YK_LIMIT_DISPLACEMENT, YK_LIMIT_VELOCITY,
                                                               YK_LIMIT_ACCELERATION, YK_LIMIT_FORCE};
    const enum yk_limit_kind kind = kinds[own->kind];

    return !yk_has_limit(all, own, kind) ? 0 : own->limit[kind] > 0 ? own->limit[kind] : all->limit[kind];
}

/* The second mode of the next actuator. */
static enum yk_status note_second(struct yk_rig_names *names, const struct yk_switch *second, size_t all,
                                  struct yk_err *err)
{
    if (second->has && !names->others && !(names->others = calloc(all + 1, sizeof *names->others)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rig");
    if (second->has)
        names->others[names->count] = second->limits.kind;
    return YK_OK;
}

enum yk_status yk_rig_names_of(const struct yk_model *e, const struct yk_node *section,
                               const struct yk_station_parts *parts, struct yk_rig_names *names, struct yk_err *err)
{
    const struct yk_node *of = yk_node_get(e->tree, "rigs") ? section : NULL;

    const size_t all = parts ? parts->count : yk_station_count(e->station);
    enum yk_status st;

    *names = (struct yk_rig_names){.names = calloc(all + 1, sizeof *names->names),
                                   .kinds = calloc(all + 1, sizeof *names->kinds),
                                   .turns = calloc(all + 1, sizeof *names->turns),
                                   .most = calloc(all + 1, sizeof *names->most),
                                   .sensors = yk_node_get(section, "sensors"),
                                   .lines = yk_node_get(section, "lines")};
    if (!names->names || !names->kinds || !names->turns || !names->most) {
        yk_rig_names_free(names);
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rig");
    }
    for (size_t i = 0; i < all; i++) {
        const char *name = parts ? parts->actuators[i].name : yk_station_name(e->station, i);

        if (!yk_build_is_of(e, of, name))
            continue;
        names->names[names->count] = name;
        names->most[names->count] = parts ? yk_limit_of_command(&parts->limits, &parts->actuators[i].limits) : 0;
        names->feeds_forward |= parts ? parts->actuators[i].feeds_forward : yk_station_feeds_forward(e->station, i);
        if ((st = note_second(names, parts ? &parts->actuators[i].second : yk_station_second(e->station, i), all, err)))
            return st;
        names->kinds[names->count] = parts ? parts->actuators[i].limits.kind : yk_station_kind(e->station, i);
        names->turns[names->count++] = parts ? parts->actuators[i].limits.turns : yk_station_turns(e->station, i);
    }
    for (size_t i = 0; names->others && i < names->count; i++)
        if (names->others[i] != YK_BY_FORCE) /* it has no second mode */
            names->others[i] = names->kinds[i];
    return YK_OK;
}

void yk_rig_names_free(struct yk_rig_names *names)
{
    free(names->names);
    free(names->kinds);
    free(names->others);
    free(names->turns);
    free(names->most);
    *names = (struct yk_rig_names){0};
}

static long entry_of(const struct yk_node *map, const char *key)
{
    for (size_t i = 0; map && i < map->count; i++)
        if (strcmp(map->items[i]->key, key) == 0)
            return (long)i;
    return -1;
}

/* "a1.force": the actuator, and what follows the dot. */
static long split(const struct yk_rig_names *n, const char *name, const char **rest)
{
    const char *dot = strrchr(name, '.');
    const size_t length = dot ? (size_t)(dot - name) : 0;

    for (size_t i = 0; dot && i < n->count; i++)
        if (strlen(n->names[i]) == length && strncmp(n->names[i], name, length) == 0) {
            *rest = dot + 1;
            return (long)i;
        }
    return -1;
}

long yk_rig_signal(const struct yk_rig_names *n, const struct yk_node *node, const char *name, bool command,
                   enum yk_quantity *quantity, struct yk_err *err)
{
    static const enum yk_quantity kinds[YK_COMMAND_KINDS] = {YK_DISPLACEMENT, YK_VELOCITY, YK_ACCELERATION, YK_FORCE};
    static const struct {
        const char *word;
        enum yk_quantity quantity;
    } reads[YK_WIRE_PER_READING] = {{"displacement", YK_DISPLACEMENT},
                                    {"force", YK_FORCE},
                                    {"acceleration", YK_ACCELERATION},
                                    {"velocity", YK_VELOCITY}},
      feeds[YK_WIRE_PER_AHEAD] = {{"feed_displacement", YK_DISPLACEMENT},
                                  {"feed_velocity", YK_VELOCITY},
                                  {"feed_acceleration", YK_ACCELERATION},
                                  {"feed_force", YK_FORCE}};
    const char *rest = "";
    const long i = split(n, name, &rest), sensor = entry_of(n->sensors, name);

    *quantity = YK_NUMBER;
    for (size_t k = 0; i >= 0 && k < 4; k++)
        if (strcmp(rest, command ? feeds[k].word : reads[k].word) == 0) {
            *quantity =
                yk_quantity_of(command ? feeds[k].quantity : reads[k].quantity, yk_component_sense(n->turns[i]));
            return command ? (long)(n->count + 1 + YK_WIRE_PER_AHEAD * (size_t)i + k)
                           : (long)(YK_WIRE_PER_READING * (size_t)i + k);
        }
    if (command && i >= 0 && n->others && n->others[i] == YK_BY_FORCE && strcmp(rest, "force_command") == 0) {
        *quantity = yk_quantity_of(YK_FORCE, yk_component_sense(n->turns[i]));
        return (long)(n->count + 1 + YK_WIRE_PER_AHEAD * (size_t)i + YK_BY_FORCE);
    }
    if (command && i >= 0 && strcmp(rest, "command") == 0) {
        *quantity = yk_quantity_of(kinds[n->kinds[i]], yk_component_sense(n->turns[i]));
        return i;
    }
    if (!command && sensor >= 0)
        return (long)(YK_WIRE_PER_READING * n->count) + sensor;
    yk_fail_at(err, YK_E_INPUT, node->where, "'%s' is not known here: %s", name,
               command ? "command, feed_velocity, feed_acceleration or feed_force of an actuator, as a1.command"
                       : "displacement, force, acceleration or velocity of an actuator, as a1.force, or a sensor of "
                         "this rig");
    return -1;
}

long yk_rig_line(const struct yk_rig_names *n, const struct yk_node *node, const char *name, bool command,
                 struct yk_err *err)
{
    const long line = entry_of(n->lines, name);
    const struct yk_node *role = line >= 0 ? yk_node_get(n->lines->items[line], "role") : NULL;
    int known = -1, k = 0;

#define X(id, word, direction, help)                                                                                   \
    known = role && strcmp(role->text, word) == 0 ? k : known;                                                         \
    k++;
    YK_LINE_LIST(X)
#undef X
    if (known >= 0 && yk_line_is_output((enum yk_line_role)known) == command)
        return line;
    yk_fail_at(err, YK_E_INPUT, node->where, "'%s' is not an %s among the lines of this rig", name,
               command ? "output" : "input");
    return -1;
}

/* ---- maps of names to registers or channels ---- */

enum yk_status yk_rig_map(const struct yk_node *settings, const char *what, const struct yk_node **map,
                          struct yk_err *err)
{
    if (!(*map = yk_node_get(settings, "map")))
        return yk_fail_at(err, YK_E_INPUT, settings->where, "missing 'map': %s", what);
    return yk_field_type(*map, YK_MAP, "a map of names", err);
}

enum yk_status yk_rig_place(const struct yk_node *entry, const char *const *keys, double most, int *which, int *number,
                            struct yk_err *err)
{
    const struct yk_node *found = NULL;
    char words[80] = "";
    double value;
    enum yk_status st;

    for (int a = 0; keys[a]; a++) {
        const struct yk_node *node = yk_node_get(entry, keys[a]);
        const size_t used = strlen(words);

        snprintf(words + used, sizeof words - used, "%s%s", !a ? "" : keys[a + 1] ? ", " : " and ", keys[a]);
        if (node && found)
            return yk_fail_at(err, YK_E_INPUT, node->key_where, "'%s' has two places: %s and %s", entry->key,
                              found->key, node->key);
        if (node) {
            found = node;
            *which = a;
        }
    }
    if (!found)
        return yk_fail_at(err, YK_E_INPUT, entry->where, "'%s' needs one of %s", entry->key, words);
    if ((st = yk_field_real(found, YK_NUMBER, 0, most, &value, err)))
        return st;
    *number = (int)value;
    return *number == value
               ? YK_OK
               : yk_fail_at(err, YK_E_RANGE, found->where, "%s = %s must be a whole number", found->key, found->text);
}

enum yk_status yk_rig_entry(const struct yk_rig_names *names, const struct yk_node *entry, bool bits,
                            const char *const needs[2], struct yk_rig_entry *means, struct yk_err *err)
{
    const bool line = names->lines && yk_node_get(names->lines, entry->key);
    const char *dot = strrchr(entry->key, '.');
    struct yk_err output = {0};
    long index;

    if (bits != line)
        return yk_fail_at(err, YK_E_INPUT, entry->key_where,
                          line ? "'%s' is a line: it needs %s" : "'%s' is not a line of this rig: it needs %s",
                          entry->key, needs[!line]);
    *means = (struct yk_rig_entry){.line = line};
    means->writes =
        line ? yk_rig_line(names, entry, entry->key, true, &output) >= 0 : dot && strcmp(dot, ".command") == 0;
    index = line ? yk_rig_line(names, entry, entry->key, means->writes, err)
                 : yk_rig_signal(names, entry, entry->key, means->writes, &means->quantity, err);
    means->index = (size_t)index;
    return index < 0 ? YK_E_INPUT : YK_OK;
}
