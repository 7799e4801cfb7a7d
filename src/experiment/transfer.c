/* The transfer system of a station: the chain of every actuator. */
#include "experiment/build.h"
#include "experiment/components.h"
#include "experiment/signals.h"

#include "transfer/station.h"
#include <yoke/plugin.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TARGETS_AHEAD = 100 };

struct transfer {
    double delay;
};

struct chain {
    int path, command;
    double drift;
    bool feed_forward;
};

const struct yk_param yk_keys_chain[] = {
    YK_NODE("compensator", "map with kind, delay and settings", 0, "default none; see `yoke list compensators`"),
    YK_NODE("estimator", "map with kind and settings", 0,
            "measures the delay during the run; see `yoke list estimators`"),
    YK_NODE("feedback", "map with kind and settings", 0,
            "which force goes back to the method; default: that of the last tick"),
    YK_NODE("passivity", "map with kind and settings", 0,
            "takes out the energy that the transfer generates; default none: docs/theory/energy.md"),
    YK_NODE("controller", "map with kind and settings", 0, "default none; see `yoke list controllers`"),
    YK_CHOICE(struct chain, path, "line|quadratic|cubic", YK_PATH_LINE,
              "how the command moves between targets: a straight line, a parabola through the last three, or a cubic "
              "through the last two and their velocities"),
    YK_CHOICE(struct chain, command, YK_COMMAND_CHOICES, YK_BY_DISPLACEMENT,
              "quantity of the command, in which the actuator is compensated, controlled and tracked. `prescribed` "
              "actuators need force"),
    YK_REAL(struct chain, drift, YK_FREQUENCY, 0.1, 0, 1e3,
            "with which the measured displacement is led back to its target beside commands of velocity or "
            "acceleration, which would drift otherwise; 0: not at all"),
    YK_FLAG(struct chain, feed_forward, false,
            "also send velocity and acceleration of the command and the measured force to the rig"),
    YK_NODE("switch", "map", 0,
            "force control as a second mode, for a specimen that stiffens: see docs/control-modes.md"),
    YK_PARAM_END,
};

const struct yk_param yk_keys_switch[] = {
    YK_REAL(struct yk_switch, stiffness, YK_STIFFNESS, YK_REQUIRED, 1e-9, 1e15,
            "of the specimen where force control is in force: force for a displacement"),
    YK_REAL(struct yk_switch, time, YK_TIME, YK_REQUIRED, 1e-6, 1e3,
            "time constant with which force control takes back an error of the displacement on a specimen of that "
            "stiffness; several times the lag of the drive in force control"),
    YK_REAL(
        struct yk_switch, lag, YK_TIME, 0, 0, 1,
        "of the drive in force control: the force that it finds at the change leads the measured one by this time, so "
        "that it goes on as fast as it went"),
    YK_REAL(struct yk_switch, above, YK_FORCE, 0, 0, 1e15,
            "measured force, of either sign, above which a run goes over to force control; 0: by request only"),
    YK_REAL(struct yk_switch, below, YK_FORCE, 0, 0, 1e15,
            "measured force below which a run comes back to displacement control; less than `above`"),
    YK_REAL(struct yk_switch, command_rate, YK_FORCE_RATE, YK_REQUIRED, 1e-9, 1e18,
            "limits.command_rate in force control"),
    YK_REAL(struct yk_switch, position_error, YK_FORCE, 0, 0, 1e15,
            "limits.position_error in force control; 0: no limit"),
    YK_REAL(struct yk_switch, tracking_error, YK_FORCE, 0, 0, 1e15,
            "limits.tracking_error in force control: command minus measured force; 0: no limit"),
    YK_REAL(struct yk_switch, confirm, YK_TIME, 0.1, 1e-6, 1e3,
            "time in which the drive must confirm a change; later it trips, and a console withdraws the request"),
    YK_PARAM_END,
};

const struct yk_param yk_keys_component[] = {
    YK_NODE("kind", "name, or plugin", YK_REQUIRED, "name of the component; its settings are written next to it"),
    YK_PARAM_END,
};

const struct yk_param yk_keys_compensated[] = {
    YK_NODE("kind", "name, or plugin", YK_REQUIRED, "name of the component; its settings are written next to it"),
    YK_REAL(struct transfer, delay, YK_TIME, 0, 0, 10, "delay of the actuator, which is compensated"),
    YK_PARAM_END,
};

YK_COMPONENT_FIND(compensator)
YK_COMPONENT_FIND(controller)
YK_COMPONENT_FIND(estimator)

/* Quantity of an actuator's thresholds of motion: that of its command. YK_NUMBER: a displacement. */
static enum yk_quantity commanded(const struct yk_actuator *a)
{
    static const enum yk_quantity kinds[YK_COMMAND_KINDS] = {YK_NUMBER, YK_VELOCITY, YK_ACCELERATION, YK_FORCE};

    return kinds[a->limits.kind];
}

/* A real setting of a component, by name; NAN: it has none. */
static double setting_of(const struct yk_param *p, const void *self, const char *name)
{
    for (; p->name; p++)
        if (strcmp(p->name, name) == 0 && p->type == YK_PARAM_REAL)
            return *(const double *)((const char *)self + p->offset);
    return NAN;
}

/* Refuses a delay much longer than the past targets from which the compensator extrapolates. */
static enum yk_status check_horizon(const struct yk_model *e, const struct yk_node *delay, const struct yk_actuator *a,
                                    struct yk_err *err)
{
    const double between = yk_fine_step(e) / (e->coupling ? e->coupling->stages : e->integrator->stages),
                 spacing = fmax(between, setting_of(a->compensator.ops->params, a->compensator.self, "apart"));

    if (a->delay <= MOST_TARGETS_AHEAD * spacing)
        return YK_OK;
    return yk_fail_at(err, YK_E_RANGE, delay->where,
                      "delay = %g s is %.0f times the %g s between two targets, and %s extrapolates from the last few "
                      "of them: at most %d; use a longer time.step or a faster actuator",
                      a->delay, a->delay / spacing, spacing, a->compensator.ops->name, MOST_TARGETS_AHEAD);
}

/* A method for several actuators cannot stand in the chain of one. */
static enum yk_status refuse_joint(const struct yk_node *map, const char *family, const char *name, struct yk_err *err)
{
    return yk_fail_at(err, YK_E_INPUT, yk_node_get(map, "kind")->where,
                      "%s %s serves several actuators together; write transfer: { joint: [ { actuators: [...], %s: "
                      "... } ] }",
                      family, name, family);
}

static enum yk_status read_compensator(const struct yk_model *e, const struct yk_node *map, struct yk_actuator *a,
                                       struct yk_err *err)
{
    static const struct yk_field_context context = {.directory = "", .force_means = YK_FORCE};
    struct transfer transfer = {0};
    enum yk_status st = find_compensator(e, map, &a->compensator.ops, err);

    if (st)
        return st;
    const char *name = a->compensator.ops->name;
    if (a->compensator.ops->joint)
        return refuse_joint(map, "compensator", name, err);
    const struct yk_component_kind b = YK_COMPONENT_KIND(a->compensator.ops, commanded(a));
    if ((st = yk_component_read(e->directory, yk_component_sense(a->limits.turns), map ? map : &yk_component_nothing,
                                &b, yk_keys_compensated, &a->compensator.self, err)) ||
        !map)
        return st;
    if (a->compensator.ops->reached && !e->integrator)
        return yk_fail_at(err, YK_E_UNSUPPORTED, yk_node_get(map, "kind")->where,
                          "compensator %s needs the acceleration at the previous target, which couplings do not know "
                          "within a step; use an integrator, or compensator lagrange or velocity",
                          name);
    if (a->compensator.ops->reached && a->limits.kind != YK_BY_DISPLACEMENT)
        return yk_fail_at(err, YK_E_UNSUPPORTED, yk_node_get(map, "kind")->where,
                          "compensator %s predicts displacements from the acceleration of the method, and actuator "
                          "'%s' is commanded by %s; use lagrange or velocity",
                          name, a->name, yk_command_word(a->limits.kind));
    a->compensator.where = map->where;
    if ((st = yk_field_settings(map, yk_keys_compensated, &transfer, &context, err)))
        return st;
    a->delay = strcmp(name, "none") == 0 ? 0 : transfer.delay;
    return check_horizon(e, yk_node_get(map, "delay"), a, err);
}

static enum yk_status read_controller(const struct yk_model *e, const struct yk_node *map, struct yk_actuator *a,
                                      struct yk_err *err)
{
    enum yk_status st = find_controller(e, map, &a->controller.ops, err);

    if (st)
        return st;
    if (a->controller.ops->joint)
        return refuse_joint(map, "controller", a->controller.ops->name, err);
    a->controller.where = map ? map->where : YK_NOWHERE;
    const struct yk_component_kind b = YK_COMPONENT_KIND(a->controller.ops, commanded(a));
    return yk_component_read(e->directory, yk_component_sense(a->limits.turns), map ? map : &yk_component_nothing, &b,
                             yk_keys_component, &a->controller.self, err);
}

static enum yk_status read_estimator(const struct yk_model *e, const struct yk_node *map, struct yk_actuator *a,
                                     struct yk_err *err)
{
    const char *kind;
    enum yk_status st = yk_component_name(map, &kind, err);

    if (st || strcmp(kind, "none") == 0 || (st = find_estimator(e, map, &a->estimator.ops, err)))
        return st;
    a->estimator.where = map->where;
    const struct yk_component_kind b = YK_COMPONENT_KIND(a->estimator.ops, commanded(a));
    return yk_component_read(e->directory, yk_component_sense(a->limits.turns), map, &b, yk_keys_component,
                             &a->estimator.self, err);
}

/* An estimator never leaves its bounds: a delay beyond them would be cut at once. */
static enum yk_status check_nominal(const struct yk_node *chain, const struct yk_actuator *a, struct yk_err *err)
{
    if (!a->estimator.ops)
        return YK_OK;
    const double most = setting_of(a->estimator.ops->params, a->estimator.self, "tau_max");
    if (isnan(most) || a->delay <= most)
        return YK_OK;
    return yk_fail_at(err, YK_E_RANGE, yk_node_get(yk_node_get(chain, "compensator"), "delay")->where,
                      "delay = %g s is longer than estimator %s accepts, tau_max = %g s", a->delay,
                      a->estimator.ops->name, most);
}

/* By how much the specimen is early on purpose, where the delay is as expected. */
static double lead_of(const struct yk_model *e, const struct yk_actuator *a)
{
    const double over[] = {a->feedback.bound - a->delay, (a->feedback.factor - 1) * a->delay,
                           a->feedback.steps * yk_fine_step(e)};

    return over[a->feedback.over];
}

/* Optimal feedback looks for the instant at which a specimen that is early crossed its target. */
static enum yk_status check_optimal(const struct yk_model *e, const struct yk_node *map, const struct yk_actuator *a,
                                    struct yk_err *err)
{
    const struct yk_node *bound = yk_node_get(map, "bound"), *window = yk_node_get(map, "window");
    const double lead = lead_of(e, a);

    if (strcmp(a->compensator.ops->name, "none") == 0)
        return yk_fail_at(
            err, YK_E_INPUT, map->key_where,
            "feedback optimal needs a compensator, whose lead it increases; see `yoke list compensators`");
    if (a->feedback.over == YK_OVER_BOUND && !(lead > 0))
        return yk_fail_at(err, YK_E_RANGE, bound ? bound->where : map->key_where,
                          "bound = %g s is not above the delay of %g s, so nothing is overcompensated; set it to the "
                          "largest expected delay",
                          a->feedback.bound, a->delay);
    if (a->feedback.window < lead)
        return yk_fail_at(err, YK_E_RANGE, window ? window->where : map->key_where,
                          "window = %g s is shorter than the %g s by which targets are crossed early; twice that is a "
                          "good choice",
                          a->feedback.window, lead);
    return YK_OK;
}

static enum yk_status read_feedback(const struct yk_model *e, const struct yk_node *map, struct yk_actuator *a,
                                    struct yk_err *err)
{
    const struct yk_field_context context = {
        .directory = "", .force_means = YK_FORCE, .sense = yk_component_sense(a->limits.turns)};
    struct yk_feedback_settings *f = &a->feedback;
    enum yk_status st;

    if (map &&
        ((st = yk_field_type(map, YK_MAP, "a map", err)) || (st = yk_field_known(map, yk_feedback_params, NULL, err))))
        return st;
    if ((st = yk_field_settings(map ? map : &yk_component_nothing, yk_feedback_params, f, &context, err)) || !map)
        return st;
    if (f->source != YK_FORCE_LATEST && a->limits.kind != YK_BY_DISPLACEMENT)
        return yk_fail_at(err, YK_E_UNSUPPORTED, map->key_where,
                          "feedback looks for the force at a displacement, and actuator '%s' is commanded by %s; leave "
                          "it out",
                          a->name, yk_command_word(a->limits.kind));
    const bool models = f->source == YK_FORCE_IMPEDANCE || f->source == YK_FORCE_SMITH;
    const struct yk_node *stiffness = yk_node_get(map, "stiffness"), *damping = yk_node_get(map, "damping");
    if (!models && (stiffness || damping))
        return yk_fail_at(err, YK_E_INPUT, stiffness ? stiffness->where : damping->where,
                          "%s of a feedback is that of a model: it is for kind: impedance and kind: smith",
                          stiffness ? "stiffness" : "damping");
    if (models && !(f->stiffness > 0) && !(f->damping > 0))
        return yk_fail_at(err, YK_E_INPUT, map->key_where,
                          "feedback %s needs the stiffness of the specimen: the upper end of what it may be",
                          f->source == YK_FORCE_SMITH ? "smith" : "impedance");
    if (f->source == YK_FORCE_SMITH && !(f->delay > 0))
        return yk_fail_at(err, YK_E_INPUT, map->key_where, "feedback smith needs the delay of the actuator");
    const int order = f->x_order > f->r_order ? f->x_order : f->r_order;
    const struct yk_node *samples = yk_node_get(map, "samples");
    if (f->source == YK_FORCE_CORRECTED && f->samples < order + 1)
        return yk_fail_at(err, YK_E_RANGE, samples ? samples->where : map->key_where,
                          "samples = %d is too few for polynomials of order %d: at least %d", f->samples, order,
                          order + 1);
    return f->source == YK_FORCE_OPTIMAL ? check_optimal(e, map, a, err) : YK_OK;
}

static enum yk_status read_passivity(const struct yk_node *map, struct yk_actuator *a, struct yk_err *err)
{
    const struct yk_field_context context = {
        .directory = "", .force_means = YK_FORCE, .sense = yk_component_sense(a->limits.turns)};
    enum yk_status st;

    if (!map)
        return YK_OK;
    if ((st = yk_field_type(map, YK_MAP, "a map", err)) || (st = yk_field_known(map, yk_passivity_params, NULL, err)) ||
        (st = yk_field_settings(map, yk_passivity_params, &a->passivity, &context, err)))
        return st;
    if (a->passivity.kind != YK_PASSIVITY_NONE && a->limits.kind != YK_BY_DISPLACEMENT)
        return yk_fail_at(err, YK_E_UNSUPPORTED, map->key_where,
                          "passivity compares the way to a target with the way that was made, and actuator '%s' is "
                          "commanded by %s; leave it out",
                          a->name, yk_command_word(a->limits.kind));
    if (a->passivity.kind != YK_PASSIVITY_NONE && !(a->passivity.most > 0))
        return yk_fail_at(
            err, YK_E_INPUT, map->key_where,
            "passivity needs `most`, the largest damping that it may add: above the stiffness of the "
            "specimen times the delay that is left, below half of the mass at the interface over the step");
    return YK_OK;
}

/* Refuses a second mode in a chain that assumes a displacement command, and thresholds in the wrong order. */
static enum yk_status check_switch(const struct yk_node *chain, const struct yk_node *map, const struct yk_actuator *a,
                                   struct yk_err *err)
{
    const struct yk_node *below = yk_node_get(map, "below");

    if (a->limits.kind != YK_BY_DISPLACEMENT)
        return yk_fail_at(err, YK_E_UNSUPPORTED, map->key_where,
                          "switch adds force control to displacement control, and actuator '%s' is commanded by %s",
                          a->name, yk_command_word(a->limits.kind));
    if (a->feeds_forward)
        return yk_fail_at(err, YK_E_UNSUPPORTED, yk_node_get(chain, "feed_forward")->key_where,
                          "feed_forward cannot go with a second control mode (switch)");
    if (strcmp(a->controller.ops->name, "none") != 0)
        return yk_fail_at(err, YK_E_UNSUPPORTED, yk_node_get(chain, "controller")->key_where,
                          "controller %s corrects displacements, and actuator '%s' has a second control mode (switch): "
                          "close the loop of the displacement in the drive and leave the controller out",
                          a->controller.ops->name, a->name);
    if (a->second.above > 0 ? !(a->second.below < a->second.above) : a->second.below > 0)
        return yk_fail_at(err, YK_E_RANGE, below ? below->where : map->where,
                          "below = %g N must be less than above = %g N", a->second.below, a->second.above);
    return YK_OK;
}

/* `switch: { above: 80 kN, below: 60 kN, stiffness: 40 kN/mm, time: 50 ms }` */
static enum yk_status read_switch(const struct yk_node *chain, struct yk_actuator *a, struct yk_err *err)
{
    const struct yk_field_context context = {
        .directory = "", .force_means = YK_FORCE, .sense = yk_component_sense(a->limits.turns)};
    const struct yk_node *map = yk_node_get(chain, "switch");
    enum yk_status st;

    if (!map)
        return YK_OK;
    if ((st = yk_field_type(map, YK_MAP, "a map", err)) || (st = yk_field_known(map, yk_keys_switch, NULL, err)) ||
        (st = yk_field_settings(map, yk_keys_switch, &a->second, &context, err)))
        return st;
    a->second.has = true;
    a->second.limits.turns = a->limits.turns;
    a->second.limits.kind = YK_BY_FORCE;
    return check_switch(chain, map, a, err);
}

enum yk_status yk_build_chain(const struct yk_model *e, const struct yk_node *node, const char *name,
                              struct yk_actuator *a, struct yk_err *err)
{
    static const struct yk_field_context context = {.directory = "", .force_means = YK_FORCE};
    const struct yk_node *chain;
    struct chain settings;
    enum yk_status st;

    if ((st = yk_build_find_actuator(yk_node_get(e->tree, "transfer"), "transfer", node, name, &chain, err)) ||
        (st = yk_field_known(chain, yk_keys_chain, NULL, err)) ||
        (st = yk_field_settings(chain, yk_keys_chain, &settings, &context, err)))
        return st;
    a->path = settings.path;
    a->drift = 2 * M_PI * settings.drift;
    a->limits.kind = (enum yk_command_kind)settings.command;
    a->feeds_forward = settings.feed_forward;
    if (yk_node_get(chain, "drift") && !yk_command_is_rate(a->limits.kind))
        return yk_fail_at(err, YK_E_INPUT, yk_node_get(chain, "drift")->key_where,
                          "drift has no effect on actuator '%s', which is commanded by %s", name,
                          yk_command_word(a->limits.kind));
    if (!(a->name = strdup(name)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = read_compensator(e, yk_node_get(chain, "compensator"), a, err)) ||
        (st = read_estimator(e, yk_node_get(chain, "estimator"), a, err)) || (st = check_nominal(chain, a, err)) ||
        (st = read_feedback(e, yk_node_get(chain, "feedback"), a, err)) ||
        (st = read_passivity(yk_node_get(chain, "passivity"), a, err)))
        return st;
    return (st = read_controller(e, yk_node_get(chain, "controller"), a, err)) ? st : read_switch(chain, a, err);
}

/* ---- thresholds ---- */

#define STROKE 0.1 /* m: the defaults of thresholds of motion are made for it */

/* A threshold of motion that the file leaves out is made for displacements. Other commands get the same share of their
 * limit. */
static enum yk_status set_thresholds(const struct yk_actuator *a, double limit, const struct yk_node *map,
                                     const struct yk_param *p, void *self, struct yk_err *err)
{
    for (; map && self && p->name; p++) {
        if (p->type != YK_PARAM_REAL || p->quantity != YK_DISPLACEMENT || !(p->fallback > 0) ||
            yk_node_get(map, p->name))
            continue;
        if (!(limit > 0))
            return yk_fail_at(err, YK_E_INPUT, map->where,
                              "%s needs '%s' for actuator '%s', which is commanded by %s: the %s below which it does "
                              "not learn. With a limit of the %s, the default is %g times that",
                              map->key, p->name, a->name, yk_command_word(a->limits.kind),
                              yk_command_word(a->limits.kind), yk_command_word(a->limits.kind), p->fallback / STROKE);
        *(double *)((char *)self + p->offset) = p->fallback / STROKE * limit;
    }
    return YK_OK;
}

enum yk_status yk_build_thresholds(const struct yk_model *e, const struct yk_station_parts *parts, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < parts->count && !st; i++) {
        const struct yk_actuator *a = &parts->actuators[i];
        const struct yk_node *chain = yk_node_get(yk_node_get(e->tree, "transfer"), a->name);
        const double limit = yk_limit_of_command(&parts->limits, &a->limits);

        if (a->limits.kind == YK_BY_DISPLACEMENT || !chain)
            continue;
        if (!(st = set_thresholds(a, limit, yk_node_get(chain, "compensator"), a->compensator.ops->params,
                                  a->compensator.self, err)) &&
            a->estimator.ops)
            st = set_thresholds(a, limit, yk_node_get(chain, "estimator"), a->estimator.ops->params, a->estimator.self,
                                err);
    }
    return st;
}

/* ---- several actuators together ---- */

const struct yk_param yk_keys_joint[] = {
    YK_NODE("actuators", "list of names", YK_REQUIRED, "the actuators that it serves, in this order"),
    YK_NODE("compensator", "map with kind and settings", 0, "a joint component instead of their own"),
    YK_NODE("controller", "map with kind and settings", 0, "likewise; see `yoke list controllers`"),
    YK_PARAM_END,
};

/* The actuators that the list names. */
static enum yk_status find_members(const struct yk_node *list, const struct yk_station_parts *parts,
                                   struct yk_joint *joint, struct yk_err *err)
{
    enum yk_status st = yk_field_type(list, YK_LIST, "a list of actuators", err);

    if (st)
        return st;
    if (!(joint->members = calloc(list->count + 1, sizeof *joint->members)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (; joint->count < list->count; joint->count++) {
        const struct yk_node *name = list->items[joint->count];
        size_t i = 0;

        if ((st = yk_field_type(name, YK_SCALAR, "the name of an actuator", err)))
            return st;
        while (i < parts->count && strcmp(parts->actuators[i].name, name->text) != 0)
            i++;
        if (i == parts->count)
            return yk_fail_at(err, YK_E_INPUT, name->where, "'%s' moves no degree of freedom of a substructure",
                              name->text);
        joint->members[joint->count] = i;
    }
    return joint->count ? YK_OK : yk_fail_at(err, YK_E_INPUT, list->where, "the list of actuators is empty");
}

/* An actuator with a joint compensator or controller cannot have one in its own chain as well. */
static enum yk_status check_alone(const struct yk_node *map, const struct yk_station_parts *parts,
                                  const struct yk_joint *joint, bool compensator, struct yk_err *err)
{
    for (size_t k = 0; k < joint->count; k++) {
        const struct yk_actuator *a = &parts->actuators[joint->members[k]];
        const char *own = compensator ? a->compensator.ops->name : a->controller.ops->name;

        if (a->second.has)
            return yk_fail_at(err, YK_E_UNSUPPORTED, map->key_where,
                              "actuator '%s' has a second control mode (switch), which joint components do not know",
                              a->name);

        if (strcmp(own, "none") != 0)
            return yk_fail_at(err, YK_E_INPUT, map->key_where,
                              "actuator '%s' has a %s of its own, %s; leave one of the two out", a->name, map->key,
                              own);
        for (size_t other = 0; other < parts->joint_count; other++)
            for (size_t m = 0; m < parts->joints[other].count; m++)
                if (parts->joints[other].members[m] == joint->members[k] &&
                    (compensator ? (void *)parts->joints[other].compensator.ops
                                 : (void *)parts->joints[other].controller.ops))
                    return yk_fail_at(err, YK_E_INPUT, map->key_where, "actuator '%s' is in two joint %ss", a->name,
                                      map->key);
    }
    return YK_OK;
}

#define READ_JOINT(family)                                                                                             \
    static enum yk_status read_joint_##family(const struct yk_model *e, const struct yk_node *map,                     \
                                              struct yk_joint *joint, struct yk_err *err)                              \
    {                                                                                                                  \
        enum yk_status st = map ? find_##family(e, map, &joint->family.ops, err) : YK_OK;                              \
                                                                                                                       \
        if (st || !map)                                                                                                \
            return st;                                                                                                 \
        const struct yk_component_kind b = YK_COMPONENT_KIND(joint->family.ops, YK_NUMBER);                            \
        if (!joint->family.ops->joint)                                                                                 \
            return yk_fail_at(err, YK_E_INPUT, yk_node_get(map, "kind")->where,                                        \
                              "%s %s serves one actuator; give it to each of them in `transfer`", #family, b.name);    \
        joint->family.where = map->where;                                                                              \
        return yk_component_read(e->directory, YK_ALONG, map, &b, yk_keys_component, &joint->family.self, err);        \
    }
READ_JOINT(compensator)
READ_JOINT(controller)

static enum yk_status read_joint(const struct yk_model *e, const struct yk_node *map, struct yk_station_parts *parts,
                                 struct yk_err *err)
{
    struct yk_joint *joint = &parts->joints[parts->joint_count];
    const struct yk_node *compensator, *controller;
    enum yk_status st;

    if ((st = yk_field_type(map, YK_MAP, "a map", err)) || (st = yk_field_known(map, yk_keys_joint, NULL, err)))
        return st;
    compensator = yk_node_get(map, "compensator");
    controller = yk_node_get(map, "controller");
    if (!yk_node_get(map, "actuators"))
        return yk_fail_at(err, YK_E_INPUT, map->where, "missing 'actuators': the actuators that it serves");
    if (!compensator && !controller)
        return yk_fail_at(err, YK_E_INPUT, map->where, "it has neither a controller nor a compensator");
    if ((st = find_members(yk_node_get(map, "actuators"), parts, joint, err)) ||
        (compensator && (st = check_alone(compensator, parts, joint, true, err))) ||
        (controller && (st = check_alone(controller, parts, joint, false, err))) ||
        (st = read_joint_compensator(e, compensator, joint, err)))
        return st;
    return read_joint_controller(e, controller, joint, err);
}

enum yk_status yk_build_joints(const struct yk_model *e, struct yk_station_parts *parts, struct yk_err *err)
{
    const struct yk_node *list = yk_node_get(yk_node_get(e->tree, "transfer"), "joint");
    enum yk_status st = YK_OK;

    if (!list || list->type != YK_LIST) /* an actuator may have that name */
        return YK_OK;
    if (!(parts->joints = calloc(list->count + 1, sizeof *parts->joints)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < list->count && !st; i++) {
        st = read_joint(e, list->items[i], parts, err);
        parts->joint_count++;
    }
    return st;
}
