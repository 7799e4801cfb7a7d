/* Names of commands, readings, sensors and lines in the settings of a backend. */
#include "experiment/signals.h"

#include "experiment/components.h"
#include "experiment/virtual.h"
#include "rig/message.h"
#include "transfer/station.h"

#include <stdlib.h>
#include <string.h>

enum yk_status yk_rig_names_of(const struct yk_experiment *e, const struct yk_node *section,
                               const struct yk_station_parts *parts, struct yk_rig_names *names, struct yk_err *err)
{
    const struct yk_node *of = yk_node_get(e->tree, "rigs") ? section : NULL;

    const size_t all = parts ? parts->count : yk_station_count(e->station);

    *names = (struct yk_rig_names){.names = calloc(all + 1, sizeof *names->names),
                                   .kinds = calloc(all + 1, sizeof *names->kinds),
                                   .turns = calloc(all + 1, sizeof *names->turns),
                                   .sensors = yk_node_get(section, "sensors"),
                                   .lines = yk_node_get(section, "lines")};
    if (!names->names || !names->kinds || !names->turns) {
        yk_rig_names_free(names);
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rig");
    }
    for (size_t i = 0; i < all; i++) {
        const char *name = parts ? parts->actuators[i].name : yk_station_name(e->station, i);

        if (!yk_build_is_of(e, of, name))
            continue;
        names->names[names->count] = name;
        names->kinds[names->count] = parts ? parts->actuators[i].limits.kind : yk_station_kind(e->station, i);
        names->turns[names->count++] = parts ? parts->actuators[i].limits.turns : yk_station_turns(e->station, i);
    }
    return YK_OK;
}

void yk_rig_names_free(struct yk_rig_names *names)
{
    free(names->names);
    free(names->kinds);
    free(names->turns);
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

#define X(id, word, help)                                                                                              \
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

enum yk_status yk_rig_scale(const struct yk_node *map, enum yk_quantity quantity, double *scale, double *offset,
                            struct yk_err *err)
{
    const struct yk_node *s = yk_node_get(map, "scale"), *o = yk_node_get(map, "offset");
    enum yk_status st = YK_OK;

    *scale = 1;
    *offset = 0;
    if (s && !(st = yk_field_real(s, quantity, -1e30, 1e30, scale, err)) && *scale == 0)
        st = yk_fail_at(err, YK_E_RANGE, s->where, "scale = %s must not be 0", s->text);
    if (!st && o)
        st = yk_field_real(o, quantity, -1e30, 1e30, offset, err);
    return st;
}
