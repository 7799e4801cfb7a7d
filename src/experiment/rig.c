/* The rig of a station: the section `rig`, for the virtual one the plants, sensors and specimens. */
#include "experiment/blocks.h"
#include "experiment/build.h"

#include <yoke/virtual_rig.h>

#include <stdlib.h>
#include <string.h>

struct sensors {
    double displacement_noise, displacement_bias, displacement_quantum, displacement_dropout;
    double force_noise, force_bias, force_quantum, force_dropout;
    double filter;
    int seed;
};

const struct yk_param yk_keys_rig[] = {
    YK_NODE("backend", "name", YK_REQUIRED, "what plays the rig; see `yoke list backends`"),
    YK_NODE("settings", "map", 0, "of the backend"),
    YK_NODE("actuators", "map of name to actuator", YK_REQUIRED, "the plant and the sensors of each"),
    YK_NODE("specimen", "a substructure", 0, "the model that plays the specimen; it may be without mass"),
    YK_NODE("specimens", "map of physical substructure to model", 0, "the same where there are several"),
    YK_PARAM_END,
};

const struct yk_param yk_keys_actuator[] = {
    YK_NODE("plant", "map with kind and settings", YK_REQUIRED, "see `yoke list plants`"),
    YK_NODE("limits", "map", 0, "what keeps the actuator from doing what its plant says"),
    YK_NODE("sensors", "map", 0, "noise and errors of what is measured"),
    YK_PARAM_END,
};

const struct yk_param yk_keys_sensors[] = {
    YK_REAL(struct sensors, displacement_noise, YK_LENGTH, 0, 0, 1e3, "root mean square of white noise"),
    YK_REAL(struct sensors, displacement_bias, YK_LENGTH, 0, -1e3, 1e3, "reading at zero"),
    YK_REAL(struct sensors, displacement_quantum, YK_LENGTH, 0, 0, 1e3, "step of the converter; 0: none"),
    YK_REAL(struct sensors, displacement_dropout, YK_NUMBER, 0, 0, 1,
            "probability of a missing reading; the last is repeated"),
    YK_REAL(struct sensors, force_noise, YK_FORCE, 0, 0, 1e12, "root mean square of white noise"),
    YK_REAL(struct sensors, force_bias, YK_FORCE, 0, -1e12, 1e12, "reading at zero"),
    YK_REAL(struct sensors, force_quantum, YK_FORCE, 0, 0, 1e12, "step of the converter; 0: none"),
    YK_REAL(struct sensors, force_dropout, YK_NUMBER, 0, 0, 1,
            "probability of a missing reading; the last is repeated"),
    YK_REAL(struct sensors, filter, YK_FREQUENCY, 0, 0, 1e6,
            "cut-off of a second-order Butterworth filter on both; 0: none"),
    YK_COUNT(struct sensors, seed, 1, 0, 1000000000, "of the random numbers"),
    YK_PARAM_END,
};

YK_BLOCK_NAMES(plant)
YK_BLOCK_NAMES(rig)

static enum yk_status read_plant(const struct yk_node *map, struct yk_virtual_actuator *a, struct yk_err *err)
{
    const char *kind;
    enum yk_status st = yk_block_name(map, &kind, err);

    if (st)
        return st;
    if (!(a->plant = yk_plant_find(kind)))
        return YK_BLOCK_UNKNOWN(map, plant);
    a->where = map->where;
    const struct yk_block_kind b = {kind, a->plant->params, a->plant->size};
    return yk_block_read(map, &b, yk_keys_block, &a->plant_self, err);
}

static enum yk_status read_sensors(const struct yk_node *map, double tick, struct yk_virtual_actuator *a,
                                   struct yk_err *err)
{
    static const struct yk_field_context context = {"", YK_FORCE};
    struct sensors s = {0};
    enum yk_status st;

    if (map && (st = yk_field_type(map, YK_MAP, "a map", err)))
        return st;
    map = map ? map : &yk_block_nothing;
    if ((st = yk_field_known(map, yk_keys_sensors, NULL, err)) ||
        (st = yk_field_settings(map, yk_keys_sensors, &s, &context, err)))
        return st;
    a->displacement = (struct yk_sensor){.gain = 1,
                                         .bias = s.displacement_bias,
                                         .noise = s.displacement_noise,
                                         .quantum = s.displacement_quantum,
                                         .dropout = s.displacement_dropout,
                                         .seed = s.seed};
    a->force = (struct yk_sensor){.gain = 1,
                                  .bias = s.force_bias,
                                  .noise = s.force_noise,
                                  .quantum = s.force_quantum,
                                  .dropout = s.force_dropout,
                                  .seed = s.seed + 1};
    if (s.filter > 0 && ((st = yk_filter_butterworth(&a->displacement.filter, 2, s.filter, tick, true, err)) ||
                         (st = yk_filter_butterworth(&a->force.filter, 2, s.filter, tick, true, err))))
        return yk_fail_within(err, map->where, "sensors: ");
    return YK_OK;
}

static enum yk_status read_plant_limits(const struct yk_node *map, struct yk_plant_limits *limits, struct yk_err *err)
{
    static const struct yk_field_context context = {"", YK_FORCE};
    enum yk_status st;

    if (map && ((st = yk_field_type(map, YK_MAP, "a map", err)) ||
                (st = yk_field_known(map, yk_plant_limits_params, NULL, err))))
        return st;
    return yk_field_settings(map ? map : &yk_block_nothing, yk_plant_limits_params, limits, &context, err);
}

static enum yk_status read_actuator(const struct yk_experiment *e, const struct yk_node *name,
                                    struct yk_virtual_actuator *a, struct yk_err *err)
{
    const struct yk_node *map;
    enum yk_status st;

    if ((st = yk_build_find_actuator(e, "rig", "actuators", name, &map, err)) ||
        (st = yk_field_known(map, yk_keys_actuator, NULL, err)))
        return st;
    if (!yk_node_get(map, "plant"))
        return yk_fail_at(err, YK_E_INPUT, map->where, "missing 'plant': what the actuator is, see `yoke list plants`");
    if ((st = read_plant(yk_node_get(map, "plant"), a, err)) ||
        (st = read_plant_limits(yk_node_get(map, "limits"), &a->limits, err)))
        return st;
    return read_sensors(yk_node_get(map, "sensors"), 1 / e->time.control_rate, a, err);
}

/* ---- specimens ---- */

enum yk_status yk_build_find_specimen(const struct yk_experiment *e, const struct yk_node *physical,
                                      const struct yk_node **specimen, struct yk_err *err)
{
    const struct yk_node *rig = yk_node_get(e->tree, "rig");
    const struct yk_node *several = rig ? yk_node_get(rig, "specimens") : NULL;

    *specimen = several ? yk_node_get(several, physical->key) : rig ? yk_node_get(rig, "specimen") : NULL;
    if (!*specimen)
        return yk_fail_at(err, YK_E_INPUT, physical->where, "'%s' is physical, but there is no %s to play it",
                          physical->key, several ? "entry of its name in rig.specimens" : "rig.specimen");
    return YK_OK;
}

/* The model that plays a specimen, with the degrees of freedom of the substructure in the same order. */
static enum yk_status build_specimen(const struct yk_experiment *e, const struct yk_specimen_plan *plan,
                                     struct yk_virtual_specimen *specimen, struct yk_err *err)
{
    struct yk_dofs own = {0};
    const struct yk_node *node;
    enum yk_status st;

    specimen->first = plan->first;
    if ((st = yk_build_find_specimen(e, plan->map, &node, err)) ||
        (st = yk_build_specimen_model(e, node, &own, &specimen->model, err)))
        return st;
    bool same = own.n == plan->dofs.n;
    for (size_t i = 0; same && i < own.n; i++)
        same = strcmp(own.names[i], plan->dofs.names[i]) == 0;
    if (!same || specimen->model->mass_divided_out)
        st = yk_fail_at(err, YK_E_UNSUPPORTED, node->where,
                        "the specimen of the virtual rig must have the degrees of freedom of "
                        "'%s', in the same order: every one is moved by an actuator",
                        plan->map->key);
    yk_dofs_free(&own);
    return st;
}

static enum yk_status build_virtual(const struct yk_experiment *e, const struct yk_station_plan *plan,
                                    struct yk_virtual_rig *rig, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    rig->actuators = calloc(plan->actuator_count, sizeof *rig->actuators);
    rig->specimens = calloc(plan->specimen_count, sizeof *rig->specimens);
    if (!rig->actuators || !rig->specimens)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the virtual rig");
    for (; rig->count < plan->actuator_count && !st; rig->count++)
        st = read_actuator(e, plan->actuators[rig->count], &rig->actuators[rig->count], err);
    for (; rig->specimen_count < plan->specimen_count && !st; rig->specimen_count++)
        st = build_specimen(e, &plan->specimens[rig->specimen_count], &rig->specimens[rig->specimen_count], err);
    return st;
}

/* ---- the section ---- */

enum yk_status yk_build_rig(const struct yk_experiment *e, const struct yk_station_plan *plan,
                            struct yk_station_parts *parts, struct yk_err *err)
{
    const struct yk_node *map = yk_node_get(e->tree, "rig"), *backend, *settings;
    enum yk_status st;

    if (!map)
        return yk_fail_at(err, YK_E_INPUT, plan->specimens[0].map->where,
                          "'%s' is physical, but there is no 'rig' to play it", plan->specimens[0].map->key);
    if ((st = yk_field_type(map, YK_MAP, "a map", err)) || (st = yk_field_known(map, yk_keys_rig, NULL, err)))
        return st;
    if (!(backend = yk_node_get(map, "backend")))
        return yk_fail_at(err, YK_E_INPUT, map->where, "missing 'backend' in rig");
    if ((st = yk_field_type(backend, YK_SCALAR, "a name", err)))
        return st;
    if (!(parts->rig = yk_rig_find(backend->text)))
        return yk_block_unknown_name(backend, "backend", next_rig, &(const struct yk_rig_ops *const *){yk_rigs}, err);
    settings = yk_node_get(map, "settings");
    const struct yk_block_kind kind = {parts->rig->name, parts->rig->params, parts->rig->size};
    if ((st = yk_block_read(settings ? settings : &yk_block_nothing, &kind, NULL, &parts->rig_self, err)) ||
        parts->rig != &yk_rig_virtual)
        return st;
    return build_virtual(e, plan, parts->rig_self, err);
}
