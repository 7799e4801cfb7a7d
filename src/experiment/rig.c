/* The rig of a station: the section `rig`, for the virtual one the plants, sensors and specimens. */
#include "experiment/blocks.h"
#include "experiment/setup.h"

#include "rig/calibrated_rig.h"
#include "rig/virtual/rig.h"
#include <yoke/plugin.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sensors {
    double displacement_noise, displacement_bias, displacement_gain, displacement_quantum, displacement_saturation,
        displacement_dropout;
    double force_noise, force_bias, force_gain, force_quantum, force_saturation, force_dropout;
    double filter, filter_stop, filter_ripple, filter_attenuation;
    double acceleration_noise, acceleration_bias, acceleration_gain;
    double displacement_skew, force_skew, acceleration_skew;
    int filter_on, filter_kind, filter_order;
    int seed;
};

const struct yk_param yk_keys_rig[] = {
    YK_NODE("backend", "name", YK_REQUIRED, "the backend; see `yoke list backends`, or plugin"),
    YK_NODE("settings", "map", 0, "settings of the backend; for a plugin, also its `library`"),
    YK_NODE(
        "actuators", "map of name to actuator", 0,
        "plant and sensors of each actuator; for the virtual rig, which checks, analyses and `yoke serve` use, too"),
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

struct actuator {
    double moving_mass;
};

const struct yk_param yk_keys_actuator[] = {
    YK_NODE("plant", "map with kind and settings", YK_REQUIRED, "see `yoke list plants`"),
    YK_NODE("limits", "map", 0, "capacity of the actuator: stroke, speed, force, friction, backlash"),
    YK_NODE("sensors", "map", 0, "noise, errors and filters of the sensors"),
    YK_REAL(struct actuator, moving_mass, YK_MASS, 0, 0, 1e12,
            "mass of piston and fixture; the load cell measures its inertia, too"),
    YK_PARAM_END,
};

const struct yk_param yk_keys_sensors[] = {
    YK_REAL(struct sensors, displacement_noise, YK_DISPLACEMENT, 0, 0, 1e3, "root mean square of white noise"),
    YK_REAL(struct sensors, displacement_bias, YK_DISPLACEMENT, 0, -1e3, 1e3, "reading at zero"),
    YK_REAL(struct sensors, displacement_gain, YK_NUMBER, 1, -1e3, 1e3, "reading for a unit; 1: calibrated"),
    YK_REAL(struct sensors, displacement_saturation, YK_DISPLACEMENT, 0, 0, 1e3,
            "largest reading to either side; 0: any"),
    YK_REAL(struct sensors, displacement_quantum, YK_DISPLACEMENT, 0, 0, 1e3, "step of the converter; 0: none"),
    YK_REAL(struct sensors, displacement_dropout, YK_NUMBER, 0, 0, 1,
            "probability that a reading is missing and the last one is repeated"),
    YK_REAL(struct sensors, force_noise, YK_FORCE, 0, 0, 1e12, "root mean square of white noise"),
    YK_REAL(struct sensors, force_bias, YK_FORCE, 0, -1e12, 1e12, "reading at zero"),
    YK_REAL(struct sensors, force_gain, YK_NUMBER, 1, -1e3, 1e3, "reading for a unit; 1: calibrated"),
    YK_REAL(struct sensors, force_saturation, YK_FORCE, 0, 0, 1e15, "largest reading to either side; 0: any"),
    YK_REAL(struct sensors, force_quantum, YK_FORCE, 0, 0, 1e12, "step of the converter; 0: none"),
    YK_REAL(struct sensors, force_dropout, YK_NUMBER, 0, 0, 1,
            "probability that a reading is missing and the last one is repeated"),
    YK_REAL(struct sensors, acceleration_noise, YK_ACCELERATION, 0, 0, 1e6, "root mean square of white noise"),
    YK_REAL(struct sensors, acceleration_bias, YK_ACCELERATION, 0, -1e6, 1e6, "reading at zero"),
    YK_REAL(struct sensors, acceleration_gain, YK_NUMBER, 1, -1e3, 1e3, "reading for a unit; 1: calibrated"),
    YK_REAL(struct sensors, displacement_skew, YK_TIME, 0, 0, 1e3,
            "time by which it is sampled before the end of the tick, as by a multiplexed converter; at most one tick"),
    YK_REAL(struct sensors, force_skew, YK_TIME, 0, 0, 1e3,
            "the same; one tick means that the reading comes one tick late"),
    YK_REAL(struct sensors, acceleration_skew, YK_TIME, 0, 0, 1e3, "the same"),
    YK_REAL(struct sensors, filter, YK_FREQUENCY, 0, 0, 1e6,
            "cut-off or pass edge of a low-pass filter; 0: none. The delay of the force is compensated together with "
            "that of the actuator"),
    YK_CHOICE(
        struct sensors, filter_on, "force|displacement|both|all", 0,
        YK_WHEN(
            "filter",
            "filtered readings; all: the acceleration, too. A filtered displacement is also late for the controller")),
    YK_CHOICE(struct sensors, filter_kind, "butterworth|elliptic", 0, YK_WHEN("filter", "of the filter")),
    YK_COUNT(struct sensors, filter_order, 2, 1, 16,
             YK_WHEN("filter,filter_kind=butterworth",
                     "order of a Butterworth filter; the order of an elliptic filter follows from its edges")),
    YK_REAL(struct sensors, filter_stop, YK_FREQUENCY, 0, 0, 1e6,
            YK_WHEN("filter,filter_kind=elliptic", "stop edge of an elliptic filter; 0: 1.5 times the pass edge")),
    YK_REAL(struct sensors, filter_ripple, YK_NUMBER, 0.1, 1e-6, 10,
            YK_WHEN("filter,filter_kind=elliptic", "ripple of an elliptic filter in its pass band [dB]")),
    YK_REAL(struct sensors, filter_attenuation, YK_NUMBER, 60, 1, 200,
            YK_WHEN("filter,filter_kind=elliptic", "attenuation of an elliptic filter in its stop band [dB]")),
    YK_COUNT(struct sensors, seed, 1, 0, 1000000000, "seed of the random numbers"),
    YK_PARAM_END,
};

YK_BLOCK_FIND(plant)
YK_BLOCK_NAMES(rig)

static enum yk_status read_plant(const struct yk_experiment *e, const struct yk_node *map, enum yk_sense sense,
                                 struct yk_virtual_actuator *a, struct yk_err *err)
{
    enum yk_status st = find_plant(e, map, &a->plant, err);

    if (st)
        return st;
    a->where = map->where;
    const struct yk_block_kind b = {a->plant->name, a->plant->params, a->plant->size};
    return yk_block_read(e->directory, sense, map, &b, yk_keys_block, &a->plant_self, err);
}

static enum yk_status make_filter(const struct sensors *s, double tick, struct yk_filter *filter, struct yk_err *err)
{
    if (s->filter == 0)
        return YK_OK;
    if (s->filter_kind == 0)
        return yk_filter_butterworth(filter, s->filter_order, s->filter, tick, s->filter_order <= 2, err);
    return yk_filter_elliptic(filter, s->filter, s->filter_stop > 0 ? s->filter_stop : 1.5 * s->filter,
                              s->filter_ripple, s->filter_attenuation, tick, err);
}

static enum yk_status check_gain(const struct yk_node *map, const char *key, double gain, struct yk_err *err)
{
    if (gain != 0)
        return YK_OK;
    return yk_fail_at(err, YK_E_RANGE, yk_node_get(map, key)->where,
                      "%s = 0: such a sensor reads nothing; 1 is calibrated, below 0 reversed", key);
}

static enum yk_status check_skew(const struct yk_node *map, const char *key, double skew, double tick,
                                 struct yk_err *err)
{
    if (skew <= tick * (1 + 1e-9))
        return YK_OK;
    return yk_fail_at(err, YK_E_RANGE, yk_node_get(map, key)->where, "%s = %g s is more than the tick of %g s", key,
                      skew, tick);
}

static enum yk_status read_sensors(const struct yk_node *map, enum yk_sense sense, double tick,
                                   struct yk_virtual_actuator *a, struct yk_err *err)
{
    const struct yk_field_context context = {"", YK_FORCE, sense};
    struct sensors s = {0};
    enum yk_status st;

    if (map && (st = yk_field_type(map, YK_MAP, "a map", err)))
        return st;
    map = map ? map : &yk_block_nothing;
    if ((st = yk_field_known(map, yk_keys_sensors, NULL, err)) ||
        (st = yk_field_settings(map, yk_keys_sensors, &s, &context, err)) ||
        (st = check_gain(map, "displacement_gain", s.displacement_gain, err)) ||
        (st = check_gain(map, "force_gain", s.force_gain, err)) ||
        (st = check_gain(map, "acceleration_gain", s.acceleration_gain, err)) ||
        (st = check_skew(map, "displacement_skew", s.displacement_skew, tick, err)) ||
        (st = check_skew(map, "force_skew", s.force_skew, tick, err)) ||
        (st = check_skew(map, "acceleration_skew", s.acceleration_skew, tick, err)))
        return st;
    a->displacement = (struct yk_sensor){.gain = s.displacement_gain,
                                         .saturation = s.displacement_saturation,
                                         .bias = s.displacement_bias,
                                         .noise = s.displacement_noise,
                                         .quantum = s.displacement_quantum,
                                         .dropout = s.displacement_dropout,
                                         .skew = fmin(1, s.displacement_skew / tick),
                                         .seed = s.seed};
    a->force = (struct yk_sensor){.gain = s.force_gain,
                                  .saturation = s.force_saturation,
                                  .bias = s.force_bias,
                                  .noise = s.force_noise,
                                  .quantum = s.force_quantum,
                                  .dropout = s.force_dropout,
                                  .skew = fmin(1, s.force_skew / tick),
                                  .seed = s.seed + 1};
    a->acceleration = (struct yk_sensor){.gain = s.acceleration_gain,
                                         .bias = s.acceleration_bias,
                                         .noise = s.acceleration_noise,
                                         .skew = fmin(1, s.acceleration_skew / tick),
                                         .seed = s.seed + 2};
    if ((s.filter_on != 0 && (st = make_filter(&s, tick, &a->displacement.filter, err))) ||
        (s.filter_on != 1 && (st = make_filter(&s, tick, &a->force.filter, err))) ||
        (s.filter_on == 3 && (st = make_filter(&s, tick, &a->acceleration.filter, err))))
        return yk_fail_within(err, map->where, "sensors: ");
    return YK_OK;
}

/* Friction acts on plants that forces move, or uses up a force that is limited. */
static enum yk_status check_friction(const struct yk_node *map, const struct yk_virtual_actuator *a, struct yk_err *err)
{
    const struct yk_plant_limits *l = &a->limits;
    const char *key = l->friction > 0 ? "friction" : "viscous";
    const double value = l->friction > 0 ? l->friction : l->viscous;

    if (value == 0 || l->force > 0 || (a->plant->yields && a->plant->yields(a->plant_self)))
        return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, yk_node_get(map, key)->where,
                      "%s = %g %s has no effect: a %s is not moved by forces, and no force of limits is there to use "
                      "up; take tt1 with model: loops or hydraulic, or set limits.force",
                      key, value, l->friction > 0 ? "N" : "N s/m", a->plant->name);
}

static enum yk_status read_plant_limits(const struct yk_node *map, enum yk_sense sense, struct yk_virtual_actuator *a,
                                        struct yk_err *err)
{
    const struct yk_field_context context = {"", YK_FORCE, sense};
    enum yk_status st;

    if (map && ((st = yk_field_type(map, YK_MAP, "a map", err)) ||
                (st = yk_field_known(map, yk_plant_limits_params, NULL, err))))
        return st;
    st = yk_field_settings(map ? map : &yk_block_nothing, yk_plant_limits_params, &a->limits, &context, err);
    return st ? st : check_friction(map, a, err);
}

static enum yk_status read_actuator(const struct yk_experiment *e, const struct yk_node *name, enum yk_sense sense,
                                    struct yk_virtual_actuator *a, struct yk_err *err)
{
    const struct yk_field_context context = {"", YK_FORCE, sense};
    const struct yk_node *map;
    struct actuator settings;
    enum yk_status st;

    if ((st = yk_build_find_actuator(e, "rig", "actuators", name, &map, err)) ||
        (st = yk_field_known(map, yk_keys_actuator, NULL, err)) ||
        (st = yk_field_settings(map, yk_keys_actuator, &settings, &context, err)))
        return st;
    a->moving_mass = settings.moving_mass;
    if (!yk_node_get(map, "plant"))
        return yk_fail_at(err, YK_E_INPUT, map->where, "missing 'plant': what the actuator is, see `yoke list plants`");
    if ((st = read_plant(e, yk_node_get(map, "plant"), sense, a, err)) ||
        (st = read_plant_limits(yk_node_get(map, "limits"), sense, a, err)))
        return st;
    return read_sensors(yk_node_get(map, "sensors"), sense, 1 / e->time.control_rate, a, err);
}

/* ---- specimens ---- */

/* How the actuators of a specimen really move it, where the rig says. */
static const struct yk_node *real_setup(const struct yk_experiment *e, const struct yk_specimen_plan *plan)
{
    const struct yk_node *rig = yk_node_get(e->tree, "rig"), *several = yk_node_get(rig, "setups");

    return several ? yk_node_get(several, plan->map->key) : yk_node_get(rig, "setup");
}

struct plan_cursor {
    const struct yk_station_plan *plan;
    size_t at;
};

static const char *next_physical(void *self)
{
    struct plan_cursor *c = self;

    return c->at < c->plan->specimen_count ? c->plan->specimens[c->at++].map->key : NULL;
}

/* `one`, or a map `each` whose keys are physical substructures. */
static enum yk_status check_each(const struct yk_station_plan *plan, const struct yk_node *rig, const char *one,
                                 const char *each, struct yk_err *err)
{
    const struct yk_node *single = yk_node_get(rig, one), *several = yk_node_get(rig, each);
    enum yk_status st = several ? yk_field_type(several, YK_MAP, "a map of physical substructures", err) : YK_OK;
    char hint[96];

    if (!st && single && several)
        return yk_fail_at(err, YK_E_INPUT, several->key_where,
                          "rig has '%s' and '%s'; the second is for several physical substructures", one, each);
    for (size_t i = 0; several && !st && i < several->count; i++) {
        const struct yk_node *item = several->items[i];
        size_t k = 0;

        while (k < plan->specimen_count && strcmp(plan->specimens[k].map->key, item->key) != 0)
            k++;
        if (k == plan->specimen_count)
            st = yk_fail_at(
                err, YK_E_INPUT, item->key_where, "'%s' in rig.%s is not a physical substructure%s", item->key, each,
                yk_suggest(item->key, next_physical, &(struct plan_cursor){plan, 0}, "", hint, sizeof hint));
    }
    return st;
}

static enum yk_status check_specimens(const struct yk_station_plan *plan, const struct yk_node *rig, struct yk_err *err)
{
    const struct yk_node *setup = yk_node_get(rig, "setup");
    enum yk_status st;

    if ((st = check_each(plan, rig, "specimen", "specimens", err)) ||
        (st = check_each(plan, rig, "setup", "setups", err)))
        return st;
    if (setup && plan->specimen_count > 1)
        return yk_fail_at(err, YK_E_INPUT, setup->key_where,
                          "rig.setup is that of one specimen, and there are %zu; use setups: { %s: ... }",
                          plan->specimen_count, plan->specimens[0].map->key);
    return YK_OK;
}

/* The model that plays a specimen, and how the actuators move it. */
static enum yk_status build_specimen(const struct yk_experiment *e, const struct yk_station_plan *station,
                                     const struct yk_specimen_plan *plan, struct yk_virtual_specimen *specimen,
                                     struct yk_calibration *real, struct yk_err *err)
{
    struct yk_dofs own = {0};
    const struct yk_node *node, *setup;
    enum yk_status st;

    specimen->first = plan->first;
    specimen->count = plan->count;
    if ((st = yk_build_find_specimen(e, plan->map, &node, err)) ||
        (st = yk_build_specimen_model(e, node, &own, &specimen->model, err))) {
        yk_dofs_free(&own);
        return st;
    }
    specimen->where = node->where;
    specimen->names = own.names;
    specimen->moved_count = plan->dofs.n;
    specimen->moved = calloc(plan->dofs.n, sizeof *specimen->moved);
    st = specimen->moved ? yk_build_find_moved(plan->map, node, &plan->dofs, &own, specimen->moved, err)
                         : yk_fail(err, YK_E_MEMORY, "out of memory");
    yk_dofs_forget(&own);
    if (st)
        return st;
    if (!(setup = real_setup(e, plan)) && !(setup = yk_node_get(plan->map, "setup")))
        return YK_OK;
    return yk_build_setup(setup, &plan->dofs, plan->count, station->names + plan->first, &specimen->setup,
                          real + plan->first, e->mem, err);
}

/* What each device is believed to count, by the set-ups of the substructures. */
static enum yk_status read_calibration(const struct yk_station_plan *plan, struct yk_calibration *calibration,
                                       struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < plan->actuator_count; i++)
        yk_param_defaults(yk_calibration_params, &calibration[i]);
    for (size_t k = 0; k < plan->specimen_count && !st; k++) {
        const struct yk_specimen_plan *s = &plan->specimens[k];
        const struct yk_node *map = yk_node_get(s->map, "setup");
        struct yk_setup *setup = NULL;

        if (map)
            st = yk_build_setup(map, &s->dofs, s->count, plan->names + s->first, &setup, calibration + s->first, NULL,
                                err);
        yk_setup_destroy(setup);
    }
    return st;
}

static bool is_calibrated(const struct yk_calibration *c, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!yk_calibration_is_none(&c[i]))
            return true;
    return false;
}

static enum yk_status build_virtual(const struct yk_experiment *e, const struct yk_station_plan *plan,
                                    struct yk_virtual_rig *rig, const struct yk_calibration *told,
                                    struct yk_calibration *real, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    rig->actuators = yk_arena_take(e->mem, plan->actuator_count * sizeof *rig->actuators);
    rig->specimens = yk_arena_take(e->mem, plan->specimen_count * sizeof *rig->specimens);
    if (!rig->actuators || !rig->specimens)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the virtual rig");
    for (size_t i = 0; i < plan->actuator_count; i++)
        yk_param_defaults(yk_calibration_params, &real[i]);
    for (; rig->count < plan->actuator_count && !st; rig->count++)
        st = read_actuator(e, plan->actuators[rig->count], yk_block_sense(yk_build_turns(plan, rig->count)),
                           &rig->actuators[rig->count], err);
    for (; rig->specimen_count < plan->specimen_count && !st; rig->specimen_count++)
        st = build_specimen(e, plan, &plan->specimens[rig->specimen_count], &rig->specimens[rig->specimen_count], real,
                            err);
    for (size_t i = 0; i < rig->count; i++) {
        rig->actuators[i].told = told[i];
        rig->actuators[i].real = real[i];
        rig->actuators[i].calibrated = is_calibrated(&told[i], 1) || is_calibrated(&real[i], 1);
    }
    return st;
}

/* ---- the section ---- */

/* What the force comes late by; a delay that is estimated has that of the displacement in it. */
static void tell_filter(struct yk_actuator *actuator, const struct yk_virtual_actuator *a)
{
    actuator->filter_delay = a->force.filter.delay_s - (actuator->estimator.ops ? a->displacement.filter.delay_s : 0);
}

/* A rig elsewhere filters as its description says, where there is one. */
static enum yk_status describe_filters(const struct yk_experiment *e, const struct yk_station_plan *plan,
                                       struct yk_station_parts *parts, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (size_t i = 0; yk_node_get(yk_node_get(e->tree, "rig"), "actuators") && i < plan->actuator_count && !st; i++) {
        struct yk_virtual_actuator a = {0};

        if (!(st = read_actuator(e, plan->actuators[i], yk_block_sense(parts->actuators[i].limits.turns), &a, err)))
            tell_filter(&parts->actuators[i], &a);
        yk_virtual_actuator_free(&a);
    }
    return st;
}

/* The backend by its name, or from the library of a plugin. */
static enum yk_status find_backend(const struct yk_experiment *e, const struct yk_node *backend,
                                   const struct yk_node *settings, const struct yk_rig_ops **rig, struct yk_err *err)
{
    const struct yk_plugin *plugin;
    enum yk_status st;

    if (e->virtual_rig) {
        if (strcmp(backend->text, yk_rig_virtual.name) != 0 && !yk_node_get(yk_node_get(e->tree, "rig"), "actuators"))
            return yk_fail_at(err, YK_E_INPUT, backend->where,
                              "this is done with the virtual rig, not with %s: it needs rig.actuators and rig.specimen",
                              backend->text);
        *rig = &yk_rig_virtual;
        return YK_OK;
    }
    if (yk_is_plugin(backend)) {
        if (!settings)
            return yk_fail_at(err, YK_E_INPUT, backend->where,
                              "a plugin needs rig.settings with 'library', the shared object to load");
        if (!(st = yk_build_plugin(e, backend, settings, "backends", &plugin, err)))
            *rig = plugin->rig;
        return st;
    }
    if ((*rig = yk_rig_find(backend->text)))
        return YK_OK;
    return yk_block_unknown_name(backend, "backend", next_rig, &(const struct yk_rig_ops *const *){yk_rigs}, err);
}

/* Translates for a backend whose devices do not count in m and N. */
static enum yk_status translate(const struct yk_station_plan *plan, const struct yk_calibration *told,
                                struct yk_station_parts *parts, struct yk_err *err)
{
    struct yk_calibrated_rig *rig;
    struct yk_calibration *calibration;

    if (!is_calibrated(told, plan->actuator_count))
        return YK_OK;
    rig = calloc(1, sizeof *rig);
    calibration = calloc(plan->actuator_count, sizeof *calibration);
    if (!rig || !calibration) {
        free(rig);
        free(calibration);
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rig");
    }
    memcpy(calibration, told, plan->actuator_count * sizeof *calibration);
    *rig = (struct yk_calibrated_rig){.rig = parts->rig, .rig_self = parts->rig_self, .calibration = calibration};
    parts->rig = &yk_rig_calibrated;
    parts->rig_self = rig;
    return YK_OK;
}

/* The rig behind the devices of the set-ups: `told` is what they are believed to count, `real` what they do. */
static enum yk_status connect(const struct yk_experiment *e, const struct yk_station_plan *plan,
                              struct yk_station_parts *parts, struct yk_err *err)
{
    struct yk_calibration *told = calloc(2 * plan->actuator_count, sizeof *told);
    struct yk_virtual_rig *rig = parts->rig_self;
    enum yk_status st;

    if (!told)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rig");
    if (!(st = read_calibration(plan, told, err)) && parts->rig != &yk_rig_virtual) {
        if (!(st = describe_filters(e, plan, parts, err)))
            st = translate(plan, told, parts, err);
    } else if (!st && !(st = build_virtual(e, plan, rig, told, told + plan->actuator_count, err))) {
        for (size_t i = 0; i < parts->count; i++)
            tell_filter(&parts->actuators[i], &rig->actuators[i]);
    }
    free(told);
    return st;
}

enum yk_status yk_build_rig(const struct yk_experiment *e, const struct yk_station_plan *plan,
                            struct yk_station_parts *parts, struct yk_err *err)
{
    const struct yk_node *map = yk_node_get(e->tree, "rig"), *backend, *settings;
    enum yk_status st;

    if (!map)
        return yk_fail_at(err, YK_E_INPUT, plan->specimens[0].map->where,
                          "'%s' is physical, but there is no 'rig' to play it", plan->specimens[0].map->key);
    if ((st = yk_field_type(map, YK_MAP, "a map", err)) || (st = yk_field_known(map, yk_keys_rig, NULL, err)) ||
        (st = check_specimens(plan, map, err)))
        return st;
    if (!(backend = yk_node_get(map, "backend")))
        return yk_fail_at(err, YK_E_INPUT, map->where, "missing 'backend' in rig");
    if ((st = yk_field_type(backend, YK_SCALAR, "a name", err)))
        return st;
    settings = yk_node_get(map, "settings");
    if ((settings && (st = yk_field_type(settings, YK_MAP, "a map", err))) ||
        (st = find_backend(e, backend, settings, &parts->rig, err)))
        return st;
    if (e->virtual_rig || !settings) /* those of another backend do not concern the virtual one */
        settings = &yk_block_nothing;
    const struct yk_block_kind kind = {parts->rig->name, parts->rig->params, parts->rig->size};
    if ((st = yk_block_read(e->directory, YK_EITHER, settings, &kind, yk_is_plugin(backend) ? yk_keys_plugin : NULL,
                            &parts->rig_self, err)))
        return yk_fail_within(err, settings->where.file ? YK_NOWHERE : backend->where, "%s", "");
    if (parts->rig != &yk_rig_virtual && (st = yk_build_needed_limits(e, parts, backend, err)))
        return st;
    return connect(e, plan, parts, err);
}
