/* Which rig moves an actuator, and the further sensors and lines of rigs. */
#include "experiment/build.h"

#include "rig/virtual/rig.h"
#include "transfer/station.h"

#include <stdlib.h>
#include <string.h>

/* ---- sections ---- */

size_t yk_build_rig_count(const struct yk_experiment *e)
{
    const struct yk_node *rigs = yk_node_get(e->tree, "rigs");

    return rigs ? (rigs->type == YK_MAP ? rigs->count : 0) : yk_node_get(e->tree, "rig") != NULL;
}

const struct yk_node *yk_build_rig_at(const struct yk_experiment *e, size_t k)
{
    const struct yk_node *rigs = yk_node_get(e->tree, "rigs");

    return rigs ? rigs->items[k] : yk_node_get(e->tree, "rig");
}

/* `actuators` is a map of descriptions, or a list of names. */
static bool names_actuator(const struct yk_node *section, const char *name)
{
    const struct yk_node *all = yk_node_get(section, "actuators");

    for (size_t i = 0; all && all->type == YK_LIST && i < all->count; i++)
        if (all->items[i]->type == YK_SCALAR && strcmp(all->items[i]->text, name) == 0)
            return true;
    return all && all->type == YK_MAP && yk_node_get(all, name);
}

const struct yk_node *yk_build_rig_of(const struct yk_experiment *e, const char *actuator)
{
    if (!yk_node_get(e->tree, "rigs"))
        return yk_node_get(e->tree, "rig");
    for (size_t k = 0; k < yk_build_rig_count(e); k++)
        if (names_actuator(yk_build_rig_at(e, k), actuator))
            return yk_build_rig_at(e, k);
    return NULL;
}

/* ---- sensors and lines ---- */

struct sensor {
    char *unit, *measures;
    double gain, bias, noise, quantum, dropout;
    int seed;
};

const struct yk_param yk_keys_sensor[] = {
    YK_TEXT(struct sensor, unit, 0, "of its readings, for people; none where it is left out"),
    YK_TEXT(
        struct sensor, measures, 0,
        "what it sees on the virtual rig: a1.displacement, a1.velocity, a1.acceleration or a1.force of an actuator, "
        "or u, v, a of a degree of freedom of the model of a specimen, as in tip.x.a"),
    YK_REAL(struct sensor, gain, YK_NUMBER, 1, -1e30, 1e30, "reading for one SI unit of that"),
    YK_REAL(struct sensor, bias, YK_NUMBER, 0, -1e30, 1e30, "reading at zero"),
    YK_REAL(struct sensor, noise, YK_NUMBER, 0, 0, 1e30, "root mean square of white noise of the reading"),
    YK_REAL(struct sensor, quantum, YK_NUMBER, 0, 0, 1e30, "step of the converter; 0: none"),
    YK_REAL(struct sensor, dropout, YK_NUMBER, 0, 0, 1, "probability of a missing reading; the last is repeated"),
    YK_COUNT(struct sensor, seed, 1, 0, 1000000000, "of the random numbers"),
    YK_PARAM_END,
};

struct line {
    int role;
    bool inverted;
    double opens;
};

#define X(id, word, help) "|" word
static const char roles[] = YK_LINE_LIST(X);
#undef X

const struct yk_param yk_keys_line[] = {
    {.name = "role",
     .type = YK_PARAM_CHOICE,
     .offset = offsetof(struct line, role),
     .fallback = YK_REQUIRED,
     .choices = roles + 1,
     .help = "interlock: input, trips; emergency_stop: input, trips and disables the drive; input: recorded only; "
             "enable: output, on while the drive may move; run_lamp, warning_lamp, trip_lamp: outputs that follow the "
             "state"},
    YK_FLAG(struct line, inverted, false,
            "an input trips at level 1, an output is on at level 0; otherwise a broken wire trips and switches off"),
    YK_REAL(struct line, opens, YK_TIME, 0, 0, 1e9,
            "of an input of the virtual rig: from this time on it trips, counted from where the rig was put to rest; "
            "0: never"),
    YK_PARAM_END,
};

static const struct yk_field_context plain = {.directory = "", .force_means = YK_FORCE};

/* The settings of one; free with yk_param_free. */
static enum yk_status read_entry(const struct yk_node *node, const struct yk_param *keys, void *settings,
                                 struct yk_err *err)
{
    enum yk_status st;

    if ((st = yk_field_type(node, YK_MAP, "a map", err)) || (st = yk_check_name(node, node->key, err)) ||
        (st = yk_field_known(node, keys, NULL, err)))
        return st;
    return yk_field_settings(node, keys, settings, &plain, err);
}

static enum yk_status add_sensor(const struct yk_node *node, struct yk_station_parts *parts, struct yk_err *err)
{
    struct yk_station_sensor *to = &parts->sensors[parts->sensor_count];
    struct sensor s = {0};
    enum yk_status st = read_entry(node, yk_keys_sensor, &s, err);

    for (size_t i = 0; i < parts->sensor_count && !st; i++)
        if (strcmp(parts->sensors[i].name, node->key) == 0)
            st = yk_fail_at(err, YK_E_INPUT, node->key_where, "two rigs have a sensor '%s'", node->key);
    if (!st) {
        *to = (struct yk_station_sensor){.name = strdup(node->key), .unit = strdup(s.unit ? s.unit : ""), .action = -1};
        parts->sensor_count++;
        st = to->name && to->unit ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    yk_param_free(yk_keys_sensor, &s);
    return st;
}

static enum yk_status add_line(const struct yk_node *node, struct yk_station_parts *parts, struct yk_err *err)
{
    struct line l = {0};
    enum yk_status st = read_entry(node, yk_keys_line, &l, err);

    if (st)
        return st;
    if (parts->line_count == YK_LINES_MOST)
        return yk_fail_at(err, YK_E_RANGE, node->key_where, "more than %d lines", YK_LINES_MOST);
    if (l.opens > 0 && yk_line_is_output((enum yk_line_role)l.role))
        return yk_fail_at(err, YK_E_INPUT, yk_node_get(node, "opens")->key_where,
                          "opens has no effect on '%s', which is an output", node->key);
    for (size_t i = 0; i < parts->line_count; i++)
        if (strcmp(parts->lines[i].name, node->key) == 0)
            return yk_fail_at(err, YK_E_INPUT, node->key_where, "two rigs have a line '%s'", node->key);
    parts->lines[parts->line_count] = (struct yk_rig_line){strdup(node->key), (enum yk_line_role)l.role, l.inverted};
    return parts->lines[parts->line_count++].name ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}

enum yk_status yk_build_sensors(const struct yk_experiment *e, struct yk_station_parts *parts, struct yk_err *err)
{
    size_t sensors = 0;
    enum yk_status st = YK_OK;

    for (size_t k = 0; k < yk_build_rig_count(e); k++)
        if (yk_build_rig_at(e, k)->type == YK_MAP && yk_node_get(yk_build_rig_at(e, k), "sensors"))
            sensors += yk_node_get(yk_build_rig_at(e, k), "sensors")->count;
    parts->sensors = calloc(sensors + 1, sizeof *parts->sensors);
    parts->lines = calloc(YK_LINES_MOST, sizeof *parts->lines);
    if (!parts->sensors || !parts->lines)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t k = 0; k < yk_build_rig_count(e) && !st; k++) {
        const struct yk_node *rig = yk_build_rig_at(e, k), *list = yk_node_get(rig, "sensors"),
                             *lines = yk_node_get(rig, "lines");

        if ((st = yk_field_type(rig, YK_MAP, "a map", err)) ||
            (list && (st = yk_field_type(list, YK_MAP, "a map of sensors", err))) ||
            (lines && (st = yk_field_type(lines, YK_MAP, "a map of lines", err))))
            return st;
        for (size_t i = 0; list && i < list->count && !st; i++)
            st = add_sensor(list->items[i], parts, err);
        for (size_t i = 0; lines && i < lines->count && !st; i++)
            st = add_line(lines->items[i], parts, err);
    }
    return st;
}

/* ---- on the virtual rig ---- */

/* "a1.force", or "tip.x.a" of a model. */
static bool find_measured(const char *text, const char *const *names, const struct yk_virtual_rig *rig,
                          struct yk_virtual_sensor *to)
{
    const char *dot = strrchr(text, '.');
    const size_t length = dot ? (size_t)(dot - text) : 0;

    to->state = dot ? yk_choice_index(YK_COMMAND_CHOICES, dot + 1) : -1;
    for (size_t i = 0; to->state >= 0 && i < rig->count; i++)
        if (strlen(names[i]) == length && strncmp(names[i], text, length) == 0) {
            to->index = i;
            return true;
        }
    to->state = dot ? yk_choice_index("u|v|a", dot + 1) : -1;
    to->of_specimen = true;
    for (size_t k = 0; to->state >= 0 && k < rig->specimen_count; k++)
        for (size_t i = 0; i < rig->specimens[k].model->n; i++)
            if (strlen(rig->specimens[k].names[i]) == length &&
                strncmp(rig->specimens[k].names[i], text, length) == 0) {
                to->index = k;
                to->dof = i;
                return true;
            }
    return false;
}

static enum yk_status make_sensor(const struct yk_node *node, const char *const *names,
                                  const struct yk_virtual_rig *rig, struct yk_virtual_sensor *to, struct yk_err *err)
{
    struct sensor s = {0};
    enum yk_status st = read_entry(node, yk_keys_sensor, &s, err);

    if (!st && !s.measures)
        st = yk_fail_at(err, YK_E_INPUT, node->where,
                        "sensor '%s' needs 'measures' on the virtual rig: what it sees, for example %s.force",
                        node->key, names[0]);
    if (!st && !find_measured(s.measures, names, rig, to))
        st = yk_fail_at(err, YK_E_INPUT, yk_node_get(node, "measures")->where,
                        "'%s' is neither displacement, velocity, acceleration or force of an actuator of this rig "
                        "(%s.force) nor u, v or a of a degree of freedom of a model of it",
                        s.measures, names[0]);
    to->sensor = (struct yk_sensor){
        .gain = s.gain, .bias = s.bias, .noise = s.noise, .quantum = s.quantum, .dropout = s.dropout, .seed = s.seed};
    yk_param_free(yk_keys_sensor, &s);
    return st;
}

enum yk_status yk_build_virtual_sensors(const struct yk_experiment *e, const struct yk_node *section,
                                        const char *const *names, struct yk_virtual_rig *rig, struct yk_err *err)
{
    size_t sensors = 0, lines = 0;
    enum yk_status st = YK_OK;

    for (size_t k = 0; k < yk_build_rig_count(e); k++) {
        const struct yk_node *rig_k = yk_build_rig_at(e, k);

        sensors += yk_node_get(rig_k, "sensors") ? yk_node_get(rig_k, "sensors")->count : 0;
        lines += yk_node_get(rig_k, "lines") ? yk_node_get(rig_k, "lines")->count : 0;
    }
    rig->sensors = yk_arena_take(e->mem, (sensors + 1) * sizeof *rig->sensors);
    rig->lines = yk_arena_take(e->mem, (lines + 1) * sizeof *rig->lines);
    if (!rig->sensors || !rig->lines)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the virtual rig");
    sensors = lines = 0;
    for (size_t k = 0; k < yk_build_rig_count(e) && !st; k++) {
        const struct yk_node *rig_k = yk_build_rig_at(e, k), *list = yk_node_get(rig_k, "sensors"),
                             *inputs = yk_node_get(rig_k, "lines");

        if (section && rig_k != section)
            continue;
        for (size_t i = 0; list && i < list->count && !st; i++)
            st = make_sensor(list->items[i], names, rig, &rig->sensors[sensors++], err);
        for (size_t i = 0; inputs && i < inputs->count && !st; i++) {
            struct line l = {0};

            if (!(st = read_entry(inputs->items[i], yk_keys_line, &l, err)))
                rig->lines[lines++].opens = l.opens;
        }
    }
    return st;
}
