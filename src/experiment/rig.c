/* The rig of a station: the section `rig`, for the virtual one the plants, sensors and specimens. */
#include "experiment/components.h"
#include "experiment/setup.h"

#include "rig/calibrated_rig.h"
#include "rig/several.h"
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
        "plant and sensors of each actuator; for the virtual rig, which checks, analyses and `yoke serve` use, too. In "
        "`rigs`, a list of names if there is no such description"),
    YK_NODE("joint", "list of maps with actuators and plant", 0,
            "plants of several interacting actuators, instead of one plant each"),
    YK_NODE("sensors", "map of name to sensor", 0, "sensors beside those of the actuators; they are recorded"),
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

const struct yk_param yk_keys_joint_plant[] = {
    YK_NODE("actuators", "list of names", YK_REQUIRED, "whose plant it is, in this order"),
    YK_NODE("plant", "map with kind and settings", YK_REQUIRED, "a joint one; see `yoke list plants`"),
    YK_PARAM_END,
};

struct actuator {
    double moving_mass, velocity_feedforward, acceleration_feedforward;
};

const struct yk_param yk_keys_actuator[] = {
    YK_NODE("plant", "map with kind and settings", 0,
            "see `yoke list plants`; required unless the actuator is in a joint plant"),
    YK_NODE("capacity", "map", 0, "what the actuator can do: stroke, speed, force, friction, backlash"),
    YK_NODE("limits", "map", 0, "older name of `capacity`"),
    YK_NODE("sensors", "map", 0, "noise, errors and filters of the sensors"),
    YK_REAL(struct actuator, moving_mass, YK_MASS, 0, 0, 1e12,
            "mass of piston and fixture; the load cell measures its inertia, too"),
    YK_REAL(struct actuator, velocity_feedforward, YK_TIME, 0, -10, 10,
            "gain of the drive for the velocity that `feed_forward` sends; set it to the lag of the plant to cancel "
            "that lag"),
    YK_REAL(struct actuator, acceleration_feedforward, YK_NUMBER, 0, -100, 100,
            "gain of the drive for the acceleration that `feed_forward` sends [s2]"),
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

YK_COMPONENT_FIND(plant)
YK_COMPONENT_NAMES(rig)

static enum yk_status read_plant(const struct yk_experiment *e, const struct yk_node *map, enum yk_sense sense,
                                 struct yk_virtual_actuator *a, struct yk_err *err)
{
    enum yk_status st = find_plant(e, map, &a->plant, err);

    if (st)
        return st;
    if (a->plant->joint)
        return yk_fail_at(err, YK_E_INPUT, yk_node_get(map, "kind")->where,
                          "plant %s is one of several actuators; write joint: [ { actuators: [...], plant: ... } ] in "
                          "the rig",
                          a->plant->name);
    a->where = map->where;
    const struct yk_component_kind b = {a->plant->name, a->plant->params, a->plant->size};
    return yk_component_read(e->directory, sense, map, &b, yk_keys_component, &a->plant_self, err);
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
    map = map ? map : &yk_component_nothing;
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

    if (value == 0 || l->force > 0 || !a->plant || (a->plant->yields && a->plant->yields(a->plant_self)))
        return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, yk_node_get(map, key)->where,
                      "%s = %g %s has no effect: a %s is not moved by forces, and capacity.force is not set, so there "
                      "is nothing to overcome; use tt1 with model: loops, or hydraulic, or set capacity.force",
                      key, value, l->friction > 0 ? "N" : "N s/m", a->plant->name);
}

/* The capacity of an actuator, under its own or its older name; NULL: not given. */
static const struct yk_node *capacity_of(const struct yk_node *actuator)
{
    const struct yk_node *given = yk_node_get(actuator, "capacity");

    return given ? given : yk_node_get(actuator, "limits");
}

static enum yk_status read_plant_limits(const struct yk_node *map, enum yk_sense sense, struct yk_virtual_actuator *a,
                                        struct yk_err *err)
{
    const struct yk_field_context context = {"", YK_FORCE, sense};
    enum yk_status st;

    if (map && ((st = yk_field_type(map, YK_MAP, "a map", err)) ||
                (st = yk_field_known(map, yk_plant_limits_params, NULL, err))))
        return st;
    st = yk_field_settings(map ? map : &yk_component_nothing, yk_plant_limits_params, &a->limits, &context, err);
    return st ? st : check_friction(map, a, err);
}

/* Is the actuator in a joint plant of its rig? */
static bool is_joined(const struct yk_node *section, const char *name)
{
    const struct yk_node *joints = yk_node_get(section, "joint");

    for (size_t k = 0; joints && joints->type == YK_LIST && k < joints->count; k++) {
        const struct yk_node *all = yk_node_get(joints->items[k], "actuators");

        for (size_t i = 0; all && all->type == YK_LIST && i < all->count; i++)
            if (all->items[i]->type == YK_SCALAR && strcmp(all->items[i]->text, name) == 0)
                return true;
    }
    return false;
}

/* What moves by force has no way of its own to limit. */
static enum yk_status check_force(const struct yk_node *map, const struct yk_virtual_actuator *a, struct yk_err *err)
{
    static const char *const ways[] = {"stroke", "speed", "rate", "friction", "viscous", "backlash", "brake"};
    const struct yk_node *limits = capacity_of(map);

    for (size_t i = 0; limits && i < sizeof ways / sizeof *ways; i++)
        if (yk_node_get(limits, ways[i]))
            return yk_fail_at(err, YK_E_INPUT, yk_node_get(limits, ways[i])->key_where,
                              "%s has no effect on an actuator that is commanded by force; `force` limits it", ways[i]);
    if (a->moving_mass > 0)
        return yk_fail_at(err, YK_E_INPUT, yk_node_get(map, "moving_mass")->key_where,
                          "moving_mass has no effect on an actuator that is commanded by force");
    return YK_OK;
}

static enum yk_status read_actuator(const struct yk_experiment *e, const struct yk_node *node, const char *name,
                                    const struct yk_own_limits *own, struct yk_virtual_actuator *a, struct yk_err *err)
{
    const enum yk_sense sense = yk_component_sense(own->turns);
    const struct yk_field_context context = {"", YK_FORCE, sense};
    const struct yk_node *section = yk_build_rig_of(e, name), *all = yk_node_get(section, "actuators"), *map;
    struct actuator settings;
    enum yk_status st;

    if ((all && (st = yk_field_type(all, YK_MAP, "a map of actuators with their plants", err))) ||
        (st = yk_build_find_actuator(all, "rig.actuators", node, name, &map, err)) ||
        (st = yk_field_known(map, yk_keys_actuator, NULL, err)) ||
        (st = yk_field_settings(map, yk_keys_actuator, &settings, &context, err)))
        return st;
    a->moving_mass = settings.moving_mass;
    a->velocity_ahead = settings.velocity_feedforward;
    a->acceleration_ahead = settings.acceleration_feedforward;
    if (is_joined(section, name)) {
        a->where = map->where;
        if (yk_node_get(map, "plant"))
            return yk_fail_at(err, YK_E_INPUT, yk_node_get(map, "plant")->key_where,
                              "actuator '%s' has a plant of its own and is in a joint one; leave one of the two out",
                              name);
    } else if (!yk_node_get(map, "plant")) {
        return yk_fail_at(err, YK_E_INPUT, map->where, "missing 'plant': what the actuator is, see `yoke list plants`");
    } else if ((st = read_plant(e, yk_node_get(map, "plant"), sense, a, err))) {
        return st;
    }
    if (yk_node_get(map, "capacity") && yk_node_get(map, "limits"))
        return yk_fail_at(err, YK_E_INPUT, yk_node_get(map, "limits")->key_where,
                          "`limits` is the older name of `capacity`; leave one of the two out");
    if ((st = read_plant_limits(capacity_of(map), sense, a, err)) ||
        (own->kind == YK_BY_FORCE && (st = check_force(map, a, err))))
        return st;
    return read_sensors(yk_node_get(map, "sensors"), sense, 1 / e->time.control_rate, a, err);
}

/* ---- specimens ---- */

/* The name of the first that moves it. */
static const char *first_actuator(const struct yk_specimen_plan *plan)
{
    const struct yk_node *all = yk_node_get(plan->map, "actuators");

    return all->items[0]->text;
}

/* How the actuators of a specimen really move it, where the rig says. */
static const struct yk_node *real_setup(const struct yk_experiment *e, const struct yk_specimen_plan *plan)
{
    const struct yk_node *rig = yk_build_rig_of(e, first_actuator(plan)), *several = yk_node_get(rig, "setups");

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
                          "rig.setup is for one specimen, but there are %zu; use setups: { %s: ... }",
                          plan->specimen_count, plan->specimens[0].map->key);
    return YK_OK;
}

/* The model that plays a specimen, and how the actuators move it. */
static enum yk_status build_specimen(const struct yk_experiment *e, const struct yk_station_plan *station,
                                     const struct yk_specimen_plan *plan, size_t first,
                                     struct yk_virtual_specimen *specimen, struct yk_calibration *real,
                                     struct yk_err *err)
{
    struct yk_dofs own = {0};
    const struct yk_node *node, *setup;
    enum yk_status st;

    specimen->first = first;
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
    if (!st && plan->loaded) {
        specimen->loaded_count = plan->loaded;
        specimen->loaded = calloc(plan->loaded, sizeof *specimen->loaded);
        st = specimen->loaded ? yk_build_find_moved(plan->map, node, &plan->loads, &own, specimen->loaded, err)
                              : yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    yk_dofs_forget(&own);
    if (st)
        return st;
    if (!(setup = real_setup(e, plan)) && !(setup = yk_node_get(plan->map, "setup")))
        return YK_OK;
    return yk_build_setup(setup, &plan->dofs, plan->count, station->names + plan->first, &specimen->setup,
                          real + plan->first, e->mem, err);
}

/* The calibration of each device, from the setups of the substructures. */
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

/* The plant of several actuators; `names` are those of the rig. */
static enum yk_status read_joint_plant(const struct yk_experiment *e, const struct yk_node *map,
                                       const struct yk_virtual_rig *rig, const char *const *names,
                                       struct yk_virtual_joint *joint, struct yk_err *err)
{
    const struct yk_node *all, *plant;
    enum yk_status st;

    if ((st = yk_field_type(map, YK_MAP, "a map", err)) || (st = yk_field_known(map, yk_keys_joint_plant, NULL, err)))
        return st;
    if (!(all = yk_node_get(map, "actuators")) || !(plant = yk_node_get(map, "plant")))
        return yk_fail_at(err, YK_E_INPUT, map->where, "missing '%s'", all ? "plant" : "actuators");
    if ((st = yk_field_type(all, YK_LIST, "a list of actuators", err)) ||
        (st = find_plant(e, plant, &joint->plant, err)))
        return st;
    joint->where = plant->where;
    if (!joint->plant->joint)
        return yk_fail_at(err, YK_E_INPUT, yk_node_get(plant, "kind")->where,
                          "plant %s is that of one actuator; give it to each of them", joint->plant->name);
    if (!(joint->members = calloc(all->count + 1, sizeof *joint->members)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (; joint->count < all->count; joint->count++) {
        const struct yk_node *name = all->items[joint->count];
        size_t i = 0;

        if ((st = yk_field_type(name, YK_SCALAR, "the name of an actuator", err)))
            return st;
        while (i < rig->count && strcmp(names[i], name->text) != 0)
            i++;
        for (size_t k = 0; k < joint->count && i < rig->count; k++)
            i = joint->members[k] == i ? rig->count : i;
        if (i == rig->count)
            return yk_fail_at(err, YK_E_INPUT, name->where, "'%s' is not an actuator of this rig, or is named twice",
                              name->text);
        joint->members[joint->count] = i;
    }
    const struct yk_component_kind b = {joint->plant->name, joint->plant->params, joint->plant->size};
    return yk_component_read(e->directory, YK_ALONG, plant, &b, yk_keys_component, &joint->plant_self, err);
}

static enum yk_status build_joint_plants(const struct yk_experiment *e, const struct yk_node *section,
                                         const char *const *names, struct yk_virtual_rig *rig, struct yk_err *err)
{
    size_t most = 0;
    enum yk_status st = YK_OK;

    for (size_t k = 0; k < yk_build_rig_count(e); k++)
        most += yk_node_get(yk_build_rig_at(e, k), "joint") ? yk_node_get(yk_build_rig_at(e, k), "joint")->count : 0;
    if (!most)
        return YK_OK;
    if (!(rig->joints = yk_arena_take(e->mem, most * sizeof *rig->joints)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for the virtual rig");
    for (size_t k = 0; k < yk_build_rig_count(e) && !st; k++) {
        const struct yk_node *list = yk_node_get(yk_build_rig_at(e, k), "joint");

        if (!list || (section && yk_build_rig_at(e, k) != section))
            continue;
        if ((st = yk_field_type(list, YK_LIST, "a list of maps with actuators and plant", err)))
            return st;
        for (size_t i = 0; i < list->count && !st; i++) {
            st = read_joint_plant(e, list->items[i], rig, names, &rig->joints[rig->joint_count], err);
            rig->joint_count += rig->joints[rig->joint_count].plant != NULL;
        }
    }
    return st;
}

/* Is the actuator moved by the rig of the section (NULL: of any)? */
static bool is_of(const struct yk_experiment *e, const struct yk_node *section, const char *name)
{
    return !section || yk_build_rig_of(e, name) == section;
}

/* The virtual rig of a section, or (NULL) of all of them together. */
static enum yk_status build_virtual(const struct yk_experiment *e, const struct yk_station_plan *plan,
                                    const struct yk_node *section, const struct yk_station_parts *parts,
                                    struct yk_virtual_rig *rig, const struct yk_calibration *told, struct yk_err *err)
{
    struct yk_calibration *real = calloc(plan->actuator_count + 1, sizeof *real);
    const char **names = calloc(plan->actuator_count + 1, sizeof *names);
    size_t *global = calloc(plan->actuator_count + 1, sizeof *global);
    enum yk_status st = YK_OK;

    rig->actuators = yk_arena_take(e->mem, plan->actuator_count * sizeof *rig->actuators);
    rig->specimens = yk_arena_take(e->mem, plan->specimen_count * sizeof *rig->specimens);
    if (!rig->actuators || !rig->specimens || !real || !names || !global) {
        st = yk_fail(err, YK_E_MEMORY, "out of memory for the virtual rig");
        goto end;
    }
    for (size_t i = 0; i < plan->actuator_count; i++)
        yk_param_defaults(yk_calibration_params, &real[i]);
    for (size_t i = 0; i < plan->actuator_count && !st; i++)
        if (is_of(e, section, plan->names[i])) {
            names[rig->count] = plan->names[i];
            global[rig->count] = i;
            st = read_actuator(e, plan->actuators[i], plan->names[i], &parts->actuators[i].limits,
                               &rig->actuators[rig->count], err);
            rig->count++;
        }
    for (size_t k = 0, first = 0; k < plan->specimen_count && !st; k++)
        if (is_of(e, section, plan->names[plan->specimens[k].first])) {
            st = build_specimen(e, plan, &plan->specimens[k], first, &rig->specimens[rig->specimen_count], real, err);
            first += plan->specimens[k].count + plan->specimens[k].loaded;
            rig->specimen_count++;
        }
    for (size_t i = 0; i < rig->count; i++) {
        rig->actuators[i].told = told[global[i]];
        rig->actuators[i].real = real[global[i]];
        rig->actuators[i].calibrated = is_calibrated(&told[global[i]], 1) || is_calibrated(&real[global[i]], 1);
    }
    if (!st && !(st = build_joint_plants(e, section, names, rig, err)))
        st = yk_build_virtual_sensors(e, section, names, rig, err);
end:
    free(real);
    free(names);
    free(global);
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

    for (size_t i = 0; i < plan->actuator_count && !st; i++) {
        const struct yk_node *all = yk_node_get(yk_build_rig_of(e, plan->names[i]), "actuators");
        struct yk_virtual_actuator a = {0};

        if (!all || all->type == YK_LIST)
            continue;
        if (!(st = read_actuator(e, plan->actuators[i], plan->names[i], &parts->actuators[i].limits, &a, err)))
            tell_filter(&parts->actuators[i], &a);
        yk_virtual_actuator_free(&a);
    }
    return st;
}

/* The backend by its name, or from the library of a plugin. */
static enum yk_status find_backend(const struct yk_experiment *e, const struct yk_node *section,
                                   const struct yk_rig_ops **rig, struct yk_err *err)
{
    const struct yk_node *backend = yk_node_get(section, "backend"), *settings = yk_node_get(section, "settings"),
                         *actuators = yk_node_get(section, "actuators");
    const struct yk_plugin *plugin;
    enum yk_status st;

    if (e->players == YK_PLAYED_BY_VIRTUAL_RIG) {
        if (strcmp(backend->text, yk_rig_virtual.name) != 0 && (!actuators || actuators->type == YK_LIST))
            return yk_fail_at(err, YK_E_INPUT, backend->where,
                              "this uses the virtual rig instead of %s and needs rig.actuators and rig.specimen",
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
    return yk_component_unknown_name(backend, "backend", next_rig, &(const struct yk_rig_ops *const *){yk_rigs}, err);
}

/* Can the backend do what the file asks of it? */
static enum yk_status check_abilities(const struct yk_experiment *e, const struct yk_node *section,
                                      const struct yk_station_parts *parts, const struct yk_rig_ops *rig,
                                      struct yk_err *err)
{
    const struct yk_node *backend = yk_node_get(section, "backend"), *sensors = yk_node_get(section, "sensors"),
                         *lines = yk_node_get(section, "lines");
    const char *cannot = NULL;

    if (sensors && sensors->count && !(rig->can & YK_RIG_SENSORS))
        cannot = "no sensors beside those of its actuators";
    if (lines && lines->count && !(rig->can & YK_RIG_LINES))
        cannot = "no digital lines";
    for (size_t i = 0; i < parts->count; i++) {
        if (!is_of(e, yk_node_get(e->tree, "rigs") ? section : NULL, parts->actuators[i].name))
            continue;
        if (parts->actuators[i].limits.kind != YK_BY_DISPLACEMENT && !(rig->can & YK_RIG_COMMANDS))
            cannot = "commands of displacement only";
        if (parts->actuators[i].feeds_forward && !(rig->can & YK_RIG_FEED_FORWARD))
            cannot = "no feed-forward";
    }
    return cannot ? yk_fail_at(err, YK_E_UNSUPPORTED, backend->where, "backend %s has %s", rig->name, cannot) : YK_OK;
}

/* A section, read but for what it plays. */
static enum yk_status read_section(const struct yk_experiment *e, const struct yk_node *section,
                                   const struct yk_station_parts *parts, const struct yk_rig_ops **rig, void **self,
                                   struct yk_err *err)
{
    const struct yk_node *backend = yk_node_get(section, "backend"), *settings = yk_node_get(section, "settings");
    enum yk_status st;

    if ((settings && (st = yk_field_type(settings, YK_MAP, "a map", err))) ||
        (st = find_backend(e, section, rig, err)) || (st = check_abilities(e, section, parts, *rig, err)))
        return st;
    if (e->players == YK_PLAYED_BY_VIRTUAL_RIG ||
        !settings) /* those of another backend do not concern the virtual one */
        settings = &yk_component_nothing;
    const struct yk_component_kind kind = {(*rig)->name, (*rig)->params, (*rig)->size};
    if ((st = yk_component_read(e->directory, YK_EITHER, settings, &kind, yk_is_plugin(backend) ? yk_keys_plugin : NULL,
                                self, err)))
        return yk_fail_within(err, settings->where.file ? YK_NOWHERE : backend->where, "%s", "");
    return YK_OK;
}

/* Translates for a backend whose devices do not count in m and N; `told` of its actuators. */
static enum yk_status translate(size_t count, const struct yk_calibration *told, const struct yk_rig_ops **ops,
                                void **self, struct yk_err *err)
{
    struct yk_calibrated_rig *rig;
    struct yk_calibration *calibration;

    if (!is_calibrated(told, count))
        return YK_OK;
    rig = calloc(1, sizeof *rig);
    calibration = calloc(count, sizeof *calibration);
    if (!rig || !calibration) {
        free(rig);
        free(calibration);
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rig");
    }
    memcpy(calibration, told, count * sizeof *calibration);
    *rig = (struct yk_calibrated_rig){.rig = *ops, .rig_self = *self, .calibration = calibration};
    *ops = &yk_rig_calibrated;
    *self = rig;
    return YK_OK;
}

/* Are all of them virtual? Then one virtual rig plays them together. */
static bool all_virtual(const struct yk_experiment *e)
{
    for (size_t k = 0; k < yk_build_rig_count(e) && e->players != YK_PLAYED_BY_VIRTUAL_RIG; k++)
        if (strcmp(yk_node_get(yk_build_rig_at(e, k), "backend")->text, yk_rig_virtual.name) != 0)
            return false;
    return true;
}

/* What a rig of several moves and has. */
static enum yk_status fill_member(const struct yk_experiment *e, const struct yk_node *section, size_t actuators,
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
        if (is_of(e, section, names[i]))
            m->actuators[m->count++] = i;
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

enum yk_status yk_experiment_rig(const struct yk_experiment *e, const char *name, struct yk_rig_member *member,
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

static enum yk_status build_member(const struct yk_experiment *e, const struct yk_node *section,
                                   const struct yk_station_plan *plan, const struct yk_station_parts *parts,
                                   const struct yk_calibration *told, struct yk_rig_member *m, struct yk_err *err)
{
    struct yk_calibration *own;
    enum yk_status st;

    if ((st = fill_member(e, section, plan->actuator_count, plan->names, m, err)) ||
        (st = read_section(e, section, parts, &m->rig, &m->self, err)))
        return st;
    if (m->rig == &yk_rig_virtual)
        return build_virtual(e, plan, section, parts, m->self, told, err);
    if ((st = yk_build_needed_limits(e, parts, yk_node_get(section, "backend"), err)))
        return st;
    if (!(own = calloc(m->count, sizeof *own)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rigs");
    for (size_t i = 0; i < m->count; i++)
        own[i] = told[m->actuators[i]];
    st = translate(m->count, own, &m->rig, &m->self, err);
    free(own);
    return st;
}

/* Rigs on different backends, as one. */
static enum yk_status build_several(const struct yk_experiment *e, const struct yk_station_plan *plan,
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
static enum yk_status connect(const struct yk_experiment *e, const struct yk_station_plan *plan,
                              const struct yk_calibration *told, struct yk_station_parts *parts, struct yk_err *err)
{
    const struct yk_node *section = yk_build_rig_at(e, 0);
    struct yk_virtual_rig *rig;
    enum yk_status st;

    for (size_t k = 0; k < yk_build_rig_count(e);
         k++) /* one that is not asked for its settings may still have wrong ones */
        if ((st = check_specimens(plan, yk_build_rig_at(e, k), err)))
            return st;
    if (yk_build_rig_count(e) > 1 && !all_virtual(e))
        return build_several(e, plan, told, parts, err);
    if ((st = read_section(e, section, parts, &parts->rig, &parts->rig_self, err)))
        return st;
    for (size_t k = 1; k < yk_build_rig_count(e); k++) {
        const struct yk_rig_ops *same;

        if ((st = find_backend(e, yk_build_rig_at(e, k), &same, err)))
            return st;
    }
    if (parts->rig != &yk_rig_virtual) {
        if ((st = yk_build_needed_limits(e, parts, yk_node_get(section, "backend"), err)) ||
            (st = describe_filters(e, plan, parts, err)))
            return st;
        return translate(plan->actuator_count, told, &parts->rig, &parts->rig_self, err);
    }
    rig = parts->rig_self;
    if (!(st = build_virtual(e, plan, NULL, parts, rig, told, err)))
        for (size_t i = 0; i < parts->count; i++)
            tell_filter(&parts->actuators[i], &rig->actuators[i]);
    return st;
}

/* Every actuator belongs to one rig, and those of a specimen to the same. */
static enum yk_status check_rigs(const struct yk_experiment *e, const struct yk_station_plan *plan, struct yk_err *err)
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

enum yk_status yk_build_rig(const struct yk_experiment *e, const struct yk_station_plan *plan,
                            struct yk_station_parts *parts, struct yk_err *err)
{
    const struct yk_node *one = yk_node_get(e->tree, "rig"), *several = yk_node_get(e->tree, "rigs");
    struct yk_calibration *told;
    enum yk_status st;

    if (one && several)
        return yk_fail_at(err, YK_E_INPUT, several->key_where,
                          "there is a 'rig' and there are 'rigs'; use one of both");
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
    if (!(st = read_calibration(plan, told, err)))
        st = connect(e, plan, told, parts, err);
    free(told);
    return st;
}
