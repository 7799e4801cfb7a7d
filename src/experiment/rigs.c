/* Which rig moves an actuator, and the further sensors and lines of rigs. */
#include "experiment/build.h"

#include "rig/virtual/rig.h"
#include "transfer/station.h"
#include "yaml/include.h"

#include <yoke/fields.h>

#include <stdlib.h>
#include <string.h>

/* ---- sections ---- */

size_t yk_build_rig_count(const struct yk_model *e)
{
    const struct yk_node *rigs = yk_node_get(e->tree, "rigs");

    return rigs ? (rigs->type == YK_MAP ? rigs->count : 0) : yk_node_get(e->tree, "rig") != NULL;
}

const struct yk_node *yk_build_rig_at(const struct yk_model *e, size_t k)
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

const struct yk_node *yk_build_rig_of(const struct yk_model *e, const char *actuator)
{
    if (!yk_node_get(e->tree, "rigs"))
        return yk_node_get(e->tree, "rig");
    for (size_t k = 0; k < yk_build_rig_count(e); k++)
        if (names_actuator(yk_build_rig_at(e, k), actuator))
            return yk_build_rig_at(e, k);
    return NULL;
}

/* `model: FILE` of a recorded plant: the section `plant` of that file. */
static enum yk_status include_model(struct yk_model *e, struct yk_node *plant, struct yk_err *err)
{
    struct yk_node *model = yk_node_get(plant, "model"), *kind = yk_node_get(plant, "kind");
    char *own;

    if (!model || !kind || kind->type != YK_SCALAR || strcmp(kind->text, "recorded") != 0 ||
        !yk_field_names_file(model))
        return YK_OK;
    if (!(own = strdup("plant")))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    free(model->key);
    model->key = own;
    const enum yk_status st = yk_tree_include(plant, "plant", e->directory, &e->included, &e->text, err);
    model = yk_node_get(plant, "plant"); /* under its own name again */
    if (!(own = strdup("model")))
        return st ? st : yk_fail(err, YK_E_MEMORY, "out of memory");
    free(model->key);
    model->key = own;
    return st;
}

enum yk_status yk_build_include_actuators(struct yk_model *e, struct yk_err *err)
{
    static const char *const sections[] = {"plant", "sensors"};
    enum yk_status st = YK_OK;

    for (size_t k = 0; k < yk_build_rig_count(e); k++) {
        const struct yk_node *rig = yk_build_rig_at(e, k);
        const struct yk_node *all = rig->type == YK_MAP ? yk_node_get(rig, "actuators") : NULL;

        for (size_t i = 0; all && all->type == YK_MAP && i < all->count; i++)
            for (size_t s = 0; s < 2 && !st && all->items[i]->type == YK_MAP; s++) {
                const struct yk_node *node = yk_node_get(all->items[i], sections[s]);

                if (node && yk_field_names_file(node))
                    st = yk_tree_include(all->items[i], sections[s], e->directory, &e->included, &e->text, err);
                else if (node && s == 0 && node->type == YK_MAP)
                    st = include_model(e, yk_node_get(all->items[i], "plant"), err);
            }
    }
    return st;
}

/* ---- sensors and lines ---- */

struct sensor {
    char *unit, *measures;
    bool heartbeat;
    double hangs;
    double gain, bias, noise, quantum, dropout;
    int seed;
};

const struct yk_param yk_keys_sensor[] = {
    YK_TEXT(struct sensor, unit, 0, "of its readings, for people; none where it is left out"),
    YK_TEXT(
        struct sensor, measures, 0,
        "what it sees on the virtual rig: a1.displacement, a1.velocity, a1.acceleration or a1.force of an actuator, "
        "or u, v, a of a degree of freedom of the model of a specimen, as in tip.x.a"),
    YK_FLAG(
        struct sensor, heartbeat, false,
        "its reading is a counter of the PLC, which must change within limits.heartbeat; the virtual rig counts 20 in "
        "a second (docs/plc.md)"),
    YK_REAL(struct sensor, hangs, YK_TIME, 0, 0, 1e9,
            "of a heartbeat of the virtual rig: from this time on it stands still; 0: never"),
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
    double opens, hangs, period, answers;
};

#define X(id, word, direction, help) "|" word
static const char roles[] = YK_LINE_LIST(X);
#undef X

#define IN                           "input, "
#define OUT                          "output, "
#define X(id, word, direction, help) "; " word ": " direction help
static const char role_help[] = YK_LINE_LIST(X);
#undef X
#undef IN
#undef OUT

const struct yk_param yk_keys_line[] = {
    {.name = "role",
     .type = YK_PARAM_CHOICE,
     .offset = offsetof(struct line, role),
     .fallback = YK_REQUIRED,
     .choices = roles + 1,
     .help = role_help + 2},
    YK_FLAG(struct line, inverted, false,
            "an input trips at level 1, an output is on at level 0; otherwise a broken wire trips and switches off"),
    YK_REAL(struct line, opens, YK_TIME, 0, 0, 1e9,
            "of an input of the virtual rig: from this time on it trips, counted from where the rig was put to rest; "
            "0: never"),
    YK_REAL(
        struct line, period, YK_TIME, 0.05, 0, 1e3,
        "of a heartbeat or a watchdog: wall time between two changes of its level; 0: every tick. A heartbeat_in has "
        "it on the virtual rig only"),
    YK_REAL(
        struct line, hangs, YK_TIME, 0, 0, 1e9,
        "of an input of the virtual rig: from this time on its level does not change any more, as that of a PLC that "
        "hangs; 0: never"),
    YK_REAL(struct line, answers, YK_TIME, 0.2, 0, 1e5,
            "of an acknowledgement of the virtual rig: time after which it follows its order"),
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
    for (size_t i = 0; i < parts->sensor_count && !st && s.heartbeat; i++)
        if (parts->sensors[i].heartbeat)
            st = yk_fail_at(err, YK_E_INPUT, yk_node_get(node, "heartbeat")->key_where,
                            "'%s' is a heartbeat already: only one counter is watched, others are lines with the role "
                            "heartbeat_in",
                            parts->sensors[i].name);
    if (!st && s.hangs > 0 && !s.heartbeat)
        st = yk_fail_at(err, YK_E_INPUT, yk_node_get(node, "hangs")->key_where,
                        "hangs has no effect on '%s', which is no heartbeat", node->key);
    if (!st) {
        *to = (struct yk_station_sensor){
            .name = strdup(node->key), .unit = strdup(s.unit ? s.unit : ""), .action = -1, .heartbeat = s.heartbeat};
        parts->sensor_count++;
        st = to->name && to->unit ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    yk_param_free(yk_keys_sensor, &s);
    return st;
}

/* Keys that say nothing about a line of this role. */
static enum yk_status check_line(const struct yk_node *node, enum yk_line_role role, struct yk_err *err)
{
    const bool output = yk_line_is_output(role), answers = role == YK_LINE_LOW_ON || role == YK_LINE_HIGH_ON;
    const struct {
        const char *key;
        bool fits;
        const char *why;
    } keys[] = {{"opens", !output, "an output"},
                {"hangs", !output, "an output"},
                {"period", yk_line_toggles(role), "neither a heartbeat nor a watchdog"},
                {"answers", answers, "not an acknowledgement"}};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct yk_node *key = yk_node_get(node, keys[i].key);

        if (key && !keys[i].fits)
            return yk_fail_at(err, YK_E_INPUT, key->key_where, "%s has no effect on '%s', which is %s", keys[i].key,
                              node->key, keys[i].why);
    }
    return YK_OK;
}

/* A pressure that nothing acknowledges, or that has no lower step, is not ordered; nor is one acknowledged that nothing
 * orders. */
static enum yk_status check_pressure(const struct yk_node *lines, const struct yk_station_parts *parts,
                                     struct yk_err *err)
{
    static const struct {
        enum yk_line_role role, needs;
        const char *why;
    } rules[] = {
        {YK_LINE_PRESSURE_LOW, YK_LINE_LOW_ON, "an input with the role pressure_low_on, which acknowledges it"},
        {YK_LINE_PRESSURE_HIGH, YK_LINE_HIGH_ON, "an input with the role pressure_high_on, which acknowledges it"},
        {YK_LINE_PRESSURE_HIGH, YK_LINE_PRESSURE_LOW, "an output with the role pressure_low: low comes before high"},
        {YK_LINE_LOW_ON, YK_LINE_PRESSURE_LOW, "an output with the role pressure_low, which it acknowledges"},
        {YK_LINE_HIGH_ON, YK_LINE_PRESSURE_HIGH, "an output with the role pressure_high, which it acknowledges"},
    };

    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        const char *name = NULL;
        bool there = false;

        for (size_t k = 0; k < parts->line_count; k++) {
            if (parts->lines[k].role == rules[r].role && yk_node_get(lines, parts->lines[k].name))
                name = parts->lines[k].name;
            there |= parts->lines[k].role == rules[r].needs;
        }
        if (name && !there)
            return yk_fail_at(err, YK_E_INPUT, yk_node_get(lines, name)->key_where, "line '%s' needs %s", name,
                              rules[r].why);
    }
    return YK_OK;
}

static enum yk_status add_line(const struct yk_node *node, struct yk_station_parts *parts, struct yk_err *err)
{
    struct line l = {0};
    enum yk_status st = read_entry(node, yk_keys_line, &l, err);

    if (st)
        return st;
    if (parts->line_count == YK_LINES_MOST)
        return yk_fail_at(err, YK_E_RANGE, node->key_where, "more than %d lines", YK_LINES_MOST);
    if ((st = check_line(node, (enum yk_line_role)l.role, err)))
        return st;
    for (size_t i = 0; i < parts->line_count; i++)
        if (strcmp(parts->lines[i].name, node->key) == 0)
            return yk_fail_at(err, YK_E_INPUT, node->key_where, "two rigs have a line '%s'", node->key);
    parts->lines[parts->line_count] =
        (struct yk_rig_line){strdup(node->key), (enum yk_line_role)l.role, l.inverted, l.period};
    return parts->lines[parts->line_count++].name ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}

enum yk_status yk_build_sensors(const struct yk_model *e, struct yk_station_parts *parts, struct yk_err *err)
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
    for (size_t k = 0; k < yk_build_rig_count(e) && !st; k++)
        if (yk_node_get(yk_build_rig_at(e, k), "lines"))
            st = check_pressure(yk_node_get(yk_build_rig_at(e, k), "lines"), parts, err);
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

    to->beats = s.heartbeat && !s.measures;
    to->hangs = s.hangs;
    if (!st && !s.measures && !s.heartbeat)
        st = yk_fail_at(err, YK_E_INPUT, node->where,
                        "sensor '%s' needs 'measures' on the virtual rig: what it sees, for example %s.force",
                        node->key, names[0]);
    if (!st && s.measures && !find_measured(s.measures, names, rig, to))
        st = yk_fail_at(err, YK_E_INPUT, yk_node_get(node, "measures")->where,
                        "'%s' is neither displacement, velocity, acceleration or force of an actuator of this rig "
                        "(%s.force) nor u, v or a of a degree of freedom of a model of it",
                        s.measures, names[0]);
    to->sensor = (struct yk_sensor){
        .gain = s.gain, .bias = s.bias, .noise = s.noise, .quantum = s.quantum, .dropout = s.dropout, .seed = s.seed};
    yk_param_free(yk_keys_sensor, &s);
    return st;
}

enum yk_status yk_build_virtual_sensors(const struct yk_model *e, const struct yk_node *section,
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
                rig->lines[lines++] =
                    (struct yk_virtual_line){.opens = l.opens, .hangs = l.hangs, .answers = l.answers};
        }
    }
    return st;
}
