/* Simulated actuators: the plant, capacity and sensors of each under `rig.actuators`, and plants that several share. */
#include "experiment/virtual.h"

#include "experiment/components.h"

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
const struct yk_param yk_keys_joint_plant[] = {
    YK_NODE("actuators", "list of names", YK_REQUIRED, "whose plant it is, in this order"),
    YK_NODE("plant", "map with kind and settings", YK_REQUIRED, "a joint one; see `yoke list plants`"),
    YK_PARAM_END,
};
struct actuator {
    double moving_mass, velocity_feedforward, acceleration_feedforward, force_lag, mode_change;
};

const struct yk_param yk_keys_actuator[] = {
    YK_NODE("plant", "plant with its kind and settings, or a file", 0,
            "see `yoke list plants`; a file has a section `plant`, as `yoke identify --csv -o` writes it; required "
            "unless the actuator is in a joint plant"),
    YK_NODE("capacity", "map", 0, "what the actuator can do: stroke, speed, force, friction, backlash"),
    YK_NODE("limits", "map", 0, "older name of `capacity`"),
    YK_NODE("sensors", "map of sensor settings, or a file", 0,
            "noise, errors and filters of the sensors; a file has a section `sensors`"),
    YK_REAL(struct actuator, moving_mass, YK_MASS, 0, 0, 1e12,
            "mass of piston and fixture; the load cell measures its inertia, too"),
    YK_REAL(struct actuator, velocity_feedforward, YK_TIME, 0, -10, 10,
            "gain of the drive for the velocity that `feed_forward` sends; set it to the lag of the plant to cancel "
            "that lag"),
    YK_REAL(struct actuator, acceleration_feedforward, YK_NUMBER, 0, -100, 100,
            "gain of the drive for the acceleration that `feed_forward` sends [s2]"),
    YK_REAL(struct actuator, force_lag, YK_TIME, 0.01, 1e-6, 1e3,
            "of an actuator with `switch`: time constant of its force control on a specimen of the stiffness given "
            "there"),
    YK_REAL(
        struct actuator, mode_change, YK_TIME, 0, 0, 1e9,
        "of an actuator with `switch`: time that the drive takes to change its control mode; longer than `confirm`: "
        "a fault"),
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

/* The model of a recorded plant. */
static enum yk_status read_model(const struct yk_model *e, const struct yk_node *map, enum yk_sense sense,
                                 struct yk_virtual_actuator *a, struct yk_err *err)
{
    enum yk_status st;

    if (!map)
        return YK_OK; /* a response; `init` says if there is neither */
    if ((st = find_plant(e, map, &a->model, err)))
        return st;
    if (!a->model->init || a->model->model || a->model->fini)
        return yk_fail_at(err, YK_E_INPUT, yk_node_get(map, "kind")->where,
                          "plant %s cannot be the model of a recorded one", a->model->name);
    const struct yk_component_kind b = YK_COMPONENT_KIND(a->model, YK_NUMBER);
    if (!(st = yk_component_read(e->directory, sense, map, &b, yk_keys_component, &a->model_self, err)))
        a->plant->model(a->plant_self, a->model, a->model_self);
    return st;
}

static enum yk_status read_plant(const struct yk_model *e, const struct yk_node *map, enum yk_sense sense,
                                 struct yk_virtual_actuator *a, struct yk_err *err)
{
    enum yk_status st = find_plant(e, map, &a->plant, err);

    if (st)
        return st;
    if (a->plant->joint && !a->plant->init)
        return yk_fail_at(err, YK_E_INPUT, yk_node_get(map, "kind")->where,
                          "plant %s is one of several actuators; write joint: [ { actuators: [...], plant: ... } ] in "
                          "the rig",
                          a->plant->name);
    a->where = map->where;
    const struct yk_component_kind b = YK_COMPONENT_KIND(a->plant, YK_NUMBER);
    st = yk_component_read(e->directory, sense, map, &b, yk_keys_component, &a->plant_self, err);
    return st || !a->plant->model ? st : read_model(e, yk_node_get(map, "model"), sense, a, err);
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

/* The fields of a sensor from the settings of `what`; all of them, or those that an accelerometer has. */
#define SENSOR(s, what, tick, number)                                                                                  \
    .gain = (s).what##_gain, .bias = (s).what##_bias, .noise = (s).what##_noise,                                       \
    .skew = fmin(1, (s).what##_skew / (tick)), .seed = (s).seed + (number)
#define FULL_SENSOR(s, what, tick, number)                                                                             \
    ((struct yk_sensor){SENSOR(s, what, tick, number), .saturation = (s).what##_saturation,                            \
                        .quantum = (s).what##_quantum, .dropout = (s).what##_dropout})

static enum yk_status read_sensors(const struct yk_node *map, enum yk_sense sense, double tick,
                                   struct yk_virtual_actuator *a, struct yk_err *err)
{
    const struct yk_field_context context = {.directory = "", .force_means = YK_FORCE, .sense = sense};
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
    a->displacement = FULL_SENSOR(s, displacement, tick, 0);
    a->force = FULL_SENSOR(s, force, tick, 1);
    a->acceleration = (struct yk_sensor){SENSOR(s, acceleration, tick, 2)};
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
                      "is nothing to overcome; use hydraulic, electric or tt1 with model: loops, or set capacity.force",
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
    const struct yk_field_context context = {.directory = "", .force_means = YK_FORCE, .sense = sense};
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

/* Refuses capacities of motion and a moving mass for an actuator that is commanded by force. */
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

enum yk_status yk_build_virtual_actuator(const struct yk_model *e, const struct yk_node *node, const char *name,
                                         const struct yk_actuator *of, struct yk_virtual_actuator *a,
                                         struct yk_err *err)
{
    const struct yk_own_limits *own = &of->limits;
    const struct yk_switch *second = &of->second;
    const enum yk_sense sense = yk_component_sense(own->turns);
    const struct yk_field_context context = {.directory = "", .force_means = YK_FORCE, .sense = sense};
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
    a->admittance = second->has ? 1 / (second->stiffness * settings.force_lag) : 0;
    a->change_s = settings.mode_change;
    if (is_joined(section, name)) {
        a->where = map->where;
        if (second->has)
            return yk_fail_at(err, YK_E_UNSUPPORTED, map->where,
                              "actuator '%s' has a second control mode (switch), which a joint plant does not", name);
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
    if ((st = read_sensors(yk_node_get(map, "sensors"), sense, 1 / e->time.control_rate, a, err)))
        return st;
    if (a->plant && a->plant->noisy && a->plant->noisy(a->plant_self, true) && a->displacement.noise > 0) {
        a->displacement.noise = 0;
        yk_note(
            e->notes, yk_node_get(map, "sensors")->where,
            "displacement_noise is switched off: the residual of the recorded plant contains the noise of the sensor");
    }
    return YK_OK;
}

/* ---- plants of several actuators ---- */

/* The plant of several actuators; `names` are those of the rig. */
static enum yk_status read_joint_plant(const struct yk_model *e, const struct yk_node *map,
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
    const struct yk_component_kind b = YK_COMPONENT_KIND(joint->plant, YK_NUMBER);
    return yk_component_read(e->directory, YK_ALONG, plant, &b, yk_keys_component, &joint->plant_self, err);
}

enum yk_status yk_build_joint_plants(const struct yk_model *e, const struct yk_node *section, const char *const *names,
                                     struct yk_virtual_rig *rig, struct yk_err *err)
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
