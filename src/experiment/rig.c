/* The rig of a station: the section `rig` or several of them, and the backend of each. */
#include "experiment/backend.h"
#include "experiment/channels.h"
#include "experiment/setup.h"
#include "experiment/virtual.h"

#include "rig/several.h"
#include "rig/virtual/rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct yk_param yk_keys_rig[] = {
    YK_NODE("backend", "name", YK_REQUIRED, "the backend; see `yoke list backends`, or plugin"),
    YK_NODE("settings", "map", 0, "settings of the backend; for a plugin, also its `library`"),
    YK_NODE(
        "actuators", "map of name to actuator", 0,
        "plant and sensors of each actuator; for the virtual rig, which checks, analyses and `yoke serve` use, too. In "
        "`rigs`, a list of names if there is no such description"),
    YK_NODE("joint", "list of maps with actuators and plant", 0,
            "plants of several interacting actuators, instead of one plant each"),
    {.name = "playout",
     .type = YK_PARAM_REAL,
     .quantity = YK_TIME,
     .max = 10,
     .help = "of a distant site over UDP: wall time after which a reading is used, more than the message needs both "
             "ways; the "
             "virtual rig waits as long (docs/sites.md)"},
    YK_NODE("sensors", "map of name to sensor", 0, "sensors beside those of the actuators; they are recorded"),
    YK_NODE("readings", "map of actuator to readings, and of sensor to reading", 0,
            "deprecated: write scale, offset, range and filter into the section `channels`"),
    YK_NODE("lines", "map of name to line", 0, "digital inputs and outputs: interlocks, emergency stop, lamps"),
    YK_NODE("specimen", "a substructure", 0,
            "the specimen model, with the same names of degrees of freedom as the substructure (of node.dof, one part "
            "is enough); it may be massless"),
    YK_NODE("setup", "map", 0,
            "how the actuators of the virtual rig are really connected; default: as in the substructure"),
    YK_NODE("specimens", "map of physical substructure to model", 0,
            "one specimen model each, if there are several specimens"),
    YK_NODE("setups", "map of physical substructure to map", 0, "one setup each, if there are several specimens"),
    YK_PARAM_END,
};

/* The calibration of each device, from the setups of the substructures. */
static enum yk_status read_calibration(const struct yk_model *e, const struct yk_station_plan *plan,
                                       const struct yk_station_parts *parts, struct yk_calibration *calibration,
                                       struct yk_err *err)
{
    const struct yk_node *channels = yk_node_get(e->tree, "channels");
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < plan->actuator_count; i++)
        calibration[i] = yk_calibration_none();
    for (size_t k = 0; k < plan->specimen_count && !st; k++) {
        const struct yk_specimen_plan *s = &plan->specimens[k];
        const struct yk_node *map = yk_node_get(s->map, "setup"), *old = map ? yk_node_get(map, "calibrate") : NULL;
        struct yk_setup *setup = NULL;

        if (map)
            st = yk_build_setup(map, channels, &s->dofs, s->count, plan->names + s->first, &setup,
                                calibration + s->first, NULL, err);
        yk_setup_destroy(setup);
        if (old && !st)
            yk_note(e->notes, old->key_where,
                    "calibrate of a setup is read for the last time: write it into the section channels, as channels: "
                    "{ a1.displacement: { scale: 12.5 mm/V, sign: -1 }, a1.command: { scale: 12.5 mm/V, sign: -1 }, "
                    "a1.force: { scale: 5 kN/V } }");
    }
    for (size_t i = 0; i < plan->actuator_count; i++)
        calibration[i].sent.command = calibration[i].read[parts->actuators[i].limits.kind];
    return st;
}

/* Adds the delays of the sensor filters: of the force, and of the quantity that the actuator is commanded in. */
static void tell_filter(struct yk_actuator *actuator, const struct yk_virtual_actuator *a)
{
    const double late[YK_COMMAND_KINDS] = {[YK_BY_DISPLACEMENT] = a->displacement.filter.delay_s,
                                           [YK_BY_ACCELERATION] = a->acceleration.filter.delay_s,
                                           [YK_BY_FORCE] = a->force.filter.delay_s};

    actuator->filter_delay += a->force.filter.delay_s;
    actuator->seen_delay += late[actuator->limits.kind];
}

/* A rig elsewhere filters as its description says, where there is one. */
static enum yk_status describe_filters(const struct yk_model *e, const struct yk_station_plan *plan,
                                       struct yk_station_parts *parts, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < plan->actuator_count && !st; i++) {
        const struct yk_node *all = yk_node_get(yk_build_rig_of(e, plan->names[i]), "actuators");
        struct yk_virtual_actuator a = {0};

        if (!all || all->type == YK_LIST)
            continue;
        if (!(st = yk_build_virtual_actuator(e, plan->actuators[i], plan->names[i], &parts->actuators[i], &a, err)))
            tell_filter(&parts->actuators[i], &a);
        yk_virtual_actuator_free(&a);
    }
    return st;
}

/* `playout` of a rig, in control ticks: no reading is used before. */
static enum yk_status read_playout(const struct yk_model *e, const struct yk_node *section, size_t *ticks,
                                   struct yk_err *err)
{
    const struct yk_node *node = yk_node_get(section, "playout");
    const char *backend = yk_node_get(section, "backend")->text;
    double wall_s;
    enum yk_status st;

    *ticks = 0;
    if (!node || (st = yk_field_real(node, YK_TIME, 0, 10, &wall_s, err)))
        return node ? st : YK_OK;
    *ticks = (size_t)ceil(wall_s * e->time.control_rate / (e->time.scale > 0 ? e->time.scale : 1) - 1e-9);
    if (*ticks && strcmp(backend, "udp") != 0 && strcmp(backend, yk_rig_virtual.name) != 0)
        return yk_fail_at(err, YK_E_UNSUPPORTED, node->where,
                          "a play-out is for the backends udp and virtual, not for %s", backend);
    return YK_OK;
}

/* Is the rig of this section simulated here? */
static bool is_played_here(const struct yk_model *e, const struct yk_node *section)
{
    return e->players == YK_PLAYED_BY_VIRTUAL_RIG ||
           strcmp(yk_node_get(section, "backend")->text, yk_rig_virtual.name) == 0;
}

/* Delays the readings by the play-outs of their rigs, and adds that delay to the compensation. */
static enum yk_status tell_playout(const struct yk_model *e, struct yk_station_parts *parts, struct yk_err *err)
{
    size_t sensor = 0, line = 0, ticks;
    enum yk_status st;

    if (!(parts->late = calloc(parts->count + parts->sensor_count + parts->line_count + 1, sizeof *parts->late)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rig");
    for (size_t i = 0; i < parts->count; i++) {
        const struct yk_node *section = yk_build_rig_of(e, parts->actuators[i].name);

        if ((st = read_playout(e, section, &ticks, err)))
            return st;
        parts->late[i] = is_played_here(e, section) ? ticks : 0;
        parts->actuators[i].playout = (double)ticks / e->time.control_rate;
        parts->actuators[i].filter_delay += parts->actuators[i].playout;
        parts->actuators[i].seen_delay += parts->actuators[i].playout;
    }
    for (size_t k = 0; k < yk_build_rig_count(e); k++) {
        const struct yk_node *section = yk_build_rig_at(e, k), *sensors = yk_node_get(section, "sensors"),
                             *lines = yk_node_get(section, "lines");

        if ((st = read_playout(e, section, &ticks, err)))
            return st;
        if (yk_build_rig_count(e) == 1)
            parts->playout = ticks;
        ticks = is_played_here(e, section) ? ticks : 0;
        for (size_t i = 0; sensors && i < sensors->count; i++)
            parts->late[parts->count + sensor++] = ticks;
        for (size_t i = 0; lines && i < lines->count; i++)
            parts->late[parts->count + parts->sensor_count + line++] = ticks;
    }
    return YK_OK;
}

/* Hands the calibration in the setups to the station, which converts the raw numbers of backends. The virtual rig
 * converts its own. */
static enum yk_status tell_calibration(const struct yk_model *e, const struct yk_station_plan *plan,
                                       const struct yk_calibration *told, struct yk_station_parts *parts,
                                       struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < plan->actuator_count && !st; i++) {
        const struct yk_rig_ops *rig;

        if (!(st = yk_build_find_backend(e, yk_build_rig_of(e, plan->names[i]), &rig, err)) && !rig->simulation)
            yk_build_chain_scales(parts, i, &told[i]);
    }
    return st;
}

/* Are all of them virtual? Then one virtual rig plays them together. */
static bool all_virtual(const struct yk_model *e)
{
    for (size_t k = 0; k < yk_build_rig_count(e) && e->players != YK_PLAYED_BY_VIRTUAL_RIG; k++)
        if (strcmp(yk_node_get(yk_build_rig_at(e, k), "backend")->text, yk_rig_virtual.name) != 0)
            return false;
    return true;
}

/* One rig of `rigs`: its actuators, sensors, lines and play-out. */
static enum yk_status fill_member(const struct yk_model *e, const struct yk_node *section, size_t actuators,
                                  const char *const *names, struct yk_rig_member *m, struct yk_err *err)
{
    size_t sensor = 0, line = 0, most = 1;

    for (size_t k = 0; k < yk_build_rig_count(e); k++) {
        const struct yk_node *sensors = yk_node_get(yk_build_rig_at(e, k), "sensors");

        most += sensors ? sensors->count : 0;
    }
    m->name = strdup(section->key);
    m->actuators = calloc(actuators + 1, sizeof *m->actuators);
    m->sensors = calloc(most, sizeof *m->sensors);
    m->lines = calloc(YK_LINES_MOST, sizeof *m->lines);
    if (!m->name || !m->actuators || !m->sensors || !m->lines)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rigs");
    for (size_t i = 0; i < actuators; i++)
        if (yk_build_is_of(e, section, names[i]))
            m->actuators[m->count++] = i;
    const enum yk_status st = read_playout(e, section, &m->playout, err);
    if (st)
        return st;
    for (size_t k = 0; k < yk_build_rig_count(e); k++) { /* they were read in this order */
        const struct yk_node *at = yk_build_rig_at(e, k), *sensors = yk_node_get(at, "sensors"),
                             *lines = yk_node_get(at, "lines");

        for (size_t i = 0; sensors && i < sensors->count; i++, sensor++)
            if (at == section)
                m->sensors[m->sensor_count++] = sensor;
        for (size_t i = 0; lines && i < lines->count; i++, line++)
            if (at == section)
                m->lines[m->line_count++] = line;
    }
    return m->count ? YK_OK
                    : yk_fail_at(err, YK_E_INPUT, section->key_where,
                                 "rig '%s' moves no actuator: name them in its 'actuators'", section->key);
}

enum yk_status yk_model_rig(const struct yk_model *e, const char *name, struct yk_rig_member *member,
                            struct yk_err *err)
{
    const struct yk_node *rigs = yk_node_get(e->tree, "rigs"),
                         *section = name ? yk_node_get(rigs, name) : yk_build_rig_at(e, 0);

    *member = (struct yk_rig_member){0};
    if (!section)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(e->path), "there is no rig '%s' in `rigs`", name);
    if (!name && yk_build_rig_count(e) > 1)
        return yk_fail_at(err, YK_E_INPUT, rigs->key_where,
                          "there are %zu rigs; say which one with --rig, for example %s", yk_build_rig_count(e),
                          section->key);
    return fill_member(e, section, yk_station_count(e->station), yk_station_names(e->station), member, err);
}

static enum yk_status build_member(const struct yk_model *e, const struct yk_node *section,
                                   const struct yk_station_plan *plan, const struct yk_station_parts *parts,
                                   const struct yk_calibration *told, struct yk_rig_member *m, struct yk_err *err)
{
    enum yk_status st;

    if ((st = fill_member(e, section, plan->actuator_count, plan->names, m, err)) ||
        (st = yk_build_section(e, section, parts, &m->rig, &m->self, err)))
        return st;
    if (m->rig->simulation)
        return yk_build_virtual_rig(e, plan, section, parts, m->self, told, err);
    return yk_build_needed_limits(e, parts, yk_node_get(section, "backend"), err);
}

/* Rigs on different backends, as one. */
static enum yk_status build_several(const struct yk_model *e, const struct yk_station_plan *plan,
                                    const struct yk_calibration *told, struct yk_station_parts *parts,
                                    struct yk_err *err)
{
    struct yk_several_rigs *several = calloc(1, sizeof *several);
    enum yk_status st = YK_OK;

    if (!several || !(several->members = calloc(yk_build_rig_count(e), sizeof *several->members))) {
        free(several);
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rigs");
    }
    parts->rig = &yk_rig_several;
    parts->rig_self = several;
    for (; several->count < yk_build_rig_count(e) && !st; several->count++)
        st = build_member(e, yk_build_rig_at(e, several->count), plan, parts, told, &several->members[several->count],
                          err);
    return st ? st : describe_filters(e, plan, parts, err);
}

/* The rig behind the devices of the setups: `told` is their calibration in the file. */
static enum yk_status connect(const struct yk_model *e, const struct yk_station_plan *plan,
                              const struct yk_calibration *told, struct yk_station_parts *parts, struct yk_err *err)
{
    const struct yk_node *section = yk_build_rig_at(e, 0);
    struct yk_virtual_rig *rig;
    enum yk_status st;

    for (size_t k = 0; k < yk_build_rig_count(e);
         k++) /* one that is not asked for its settings may still have wrong ones */
        if ((st = yk_build_check_specimens(plan, yk_build_rig_at(e, k), err)))
            return st;
    if ((st = tell_calibration(e, plan, told, parts, err)))
        return st;
    if (yk_build_rig_count(e) > 1 && !all_virtual(e))
        return build_several(e, plan, told, parts, err);
    if ((st = yk_build_section(e, section, parts, &parts->rig, &parts->rig_self, err)))
        return st;
    for (size_t k = 1; k < yk_build_rig_count(e); k++) {
        const struct yk_rig_ops *same;

        if ((st = yk_build_find_backend(e, yk_build_rig_at(e, k), &same, err)))
            return st;
    }
    if (!(rig = yk_rig_simulation(parts->rig, parts->rig_self))) {
        if (!(parts->rig->can & YK_RIG_SIMULATES) &&
            (st = yk_build_needed_limits(e, parts, yk_node_get(section, "backend"), err)))
            return st;
        return describe_filters(e, plan, parts, err);
    }
    if (!(st = yk_build_virtual_rig(e, plan, NULL, parts, rig, told, err)))
        for (size_t i = 0; i < parts->count; i++)
            tell_filter(&parts->actuators[i], &rig->actuators[i]);
    return st;
}

/* Every actuator must belong to one rig, and all actuators of a specimen to the same. */
static enum yk_status check_rigs(const struct yk_model *e, const struct yk_station_plan *plan, struct yk_err *err)
{
    for (size_t k = 0; k < plan->specimen_count; k++) {
        const struct yk_specimen_plan *s = &plan->specimens[k];

        for (size_t i = s->first; i < s->first + s->count + s->loaded; i++) {
            const struct yk_node *rig = yk_build_rig_of(e, plan->names[i]);

            if (!rig)
                return yk_fail_at(err, YK_E_INPUT, plan->actuators[i]->where,
                                  "no rig of `rigs` has actuator '%s' among its 'actuators'", plan->names[i]);
            if (rig != yk_build_rig_of(e, plan->names[s->first]))
                return yk_fail_at(err, YK_E_UNSUPPORTED, plan->actuators[i]->where,
                                  "actuators '%s' and '%s' act on '%s', but belong to different rigs", plan->names[i],
                                  plan->names[s->first], s->map->key);
        }
    }
    return YK_OK;
}

enum yk_status yk_build_rig(const struct yk_model *e, const struct yk_station_plan *plan,
                            struct yk_station_parts *parts, struct yk_err *err)
{
    const struct yk_node *one = yk_node_get(e->tree, "rig"), *several = yk_node_get(e->tree, "rigs");
    struct yk_calibration *told;
    enum yk_status st;

    if (one && several)
        return yk_fail_at(err, YK_E_INPUT, several->key_where, "the file has both 'rig' and 'rigs'; use one of them");
    if (several && ((st = yk_field_type(several, YK_MAP, "a map of rigs", err)) || (st = check_rigs(e, plan, err))))
        return st;
    if (!yk_build_rig_count(e))
        return yk_fail_at(err, YK_E_INPUT, plan->specimens[0].map->where,
                          "'%s' is physical, but the file has no 'rig' for it", plan->specimens[0].map->key);
    for (size_t k = 0; k < yk_build_rig_count(e); k++) {
        const struct yk_node *map = yk_build_rig_at(e, k), *backend;

        if ((st = yk_field_type(map, YK_MAP, "a map", err)) || (st = yk_field_known(map, yk_keys_rig, NULL, err)))
            return st;
        if (!(backend = yk_node_get(map, "backend")))
            return yk_fail_at(err, YK_E_INPUT, map->where, "missing 'backend' in %s", map->key);
        if ((st = yk_field_type(backend, YK_SCALAR, "a name", err)))
            return st;
    }
    if (!(told = calloc(plan->actuator_count, sizeof *told)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rig");
    if (!(st = read_calibration(e, plan, parts, told, err)) && !(st = connect(e, plan, told, parts, err)))
        st = tell_playout(e, parts, err);
    free(told);
    return st;
}
