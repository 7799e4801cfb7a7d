/* The station of an experiment: the actuators of all specimens with their chains, their rig and their limits. */
#include "base/rotation.h"
#include "experiment/setup.h"

#include "transfer/physical.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Force evaluations in each fine step, or in each step of one domain. */
static int stages_of(const struct yk_model *e)
{
    return e->coupling ? e->coupling->stages : e->integrator->stages;
}

/* A whole number of ticks between two forces. */
static enum yk_status check_ticks(const struct yk_model *e, struct yk_err *err)
{
    const double between = yk_fine_step(e) / stages_of(e), ticks = between * e->time.control_rate;
    const double whole = fmax(round(ticks), 1);

    if (fabs(ticks - whole) <= 1e-6)
        return YK_OK;
    return yk_fail_at(err, YK_E_RANGE, yk_node_get(yk_node_get(e->tree, "time"), "control_rate")->where,
                      "control_rate = %g Hz makes %g ticks between two forces of %s, which are %g s apart; a whole "
                      "number is needed, for example %g Hz",
                      e->time.control_rate, ticks, yk_model_method(e), between, whole / between);
}

/* Can the method ask a specimen for its forces: each stage once, one after the other in time? */
static enum yk_status check_method(const struct yk_model *e, const struct yk_node *map, struct yk_err *err)
{
    const struct yk_node *rate = yk_node_get(map, "rate");

    if (e->coupling && !(rate && rate->type == YK_SCALAR && strcmp(rate->text, "fine") == 0))
        return yk_fail_at(err, YK_E_UNSUPPORTED, rate ? rate->where : map->where,
                          "'%s' is physical: in a coupling it must have rate: fine, the side whose forces are "
                          "evaluated one after the other",
                          map->key);
    if (e->integrator && e->integrator->caps & (YK_INTEG_ITERATES | YK_INTEG_MODELS_ONLY | YK_INTEG_LINEAR_ONLY))
        return yk_fail_at(err, YK_E_UNSUPPORTED, e->method_where,
                          "%s evaluates a force more than once at the same instant, which a specimen cannot do; use "
                          "lsrt2, alpha-os, chang, cr, kr-alpha or central-difference",
                          e->integrator->name);
    if (!(e->time.control_rate > 0))
        return yk_fail_at(err, YK_E_INPUT, map->where,
                          "'%s' is physical: time.control_rate is needed, for example 1000 Hz", map->key);
    return check_ticks(e, err);
}

/* Requires an estimate if the method computes its coefficients from the specimen. Zeros are allowed. */
static enum yk_status check_estimate(const struct yk_model *e, const struct yk_node *map, struct yk_err *err)
{
    const struct yk_node *estimate = yk_node_get(map, "estimate");
    const bool needed =
        e->coupling ? e->coupling->caps & YK_COUPLING_SPECIMENS : e->integrator->caps & YK_INTEG_NEEDS_K0;

    if (!needed || (estimate && estimate->type == YK_MAP &&
                    (yk_node_get(estimate, "stiffness") || (e->coupling && yk_node_get(estimate, "mass")))))
        return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, estimate ? estimate->where : map->where,
                      "%s computes its coefficients from the stiffness: '%s' needs an estimate: { stiffness: ... } of "
                      "the specimen; zeros for a bare mass",
                      yk_model_method(e), map->key);
}

enum yk_status yk_build_find_actuator(const struct yk_node *map, const char *section, const struct yk_node *node,
                                      const char *name, const struct yk_node **entry, struct yk_err *err)
{
    *entry = map ? yk_node_get(map, name) : NULL;
    if (!*entry)
        return yk_fail_at(err, YK_E_INPUT, node->where, "actuator '%s' is not in %s%s; add `%s: { %s: { ... } }`", name,
                          section, map ? "" : ", which is missing", section, name);
    return yk_field_type(*entry, YK_MAP, "a map", err);
}

static bool is_physical(const struct yk_node *substructure)
{
    const struct yk_node *role = yk_node_get(substructure, "role");

    return role && role->type == YK_SCALAR && strcmp(role->text, "physical") == 0;
}

/* An actuator, named at a node. */
static enum yk_status add_named(struct yk_station_plan *plan, const struct yk_node *node, const char *name,
                                struct yk_err *err)
{
    enum yk_status st = yk_check_name(node, name, err);

    if (st)
        return st;
    for (size_t i = 0; i < plan->actuator_count; i++)
        if (strcmp(plan->names[i], name) == 0)
            return yk_fail_at(err, YK_E_INPUT, node->type == YK_SCALAR ? node->where : node->key_where,
                              "actuator '%s' already moves another degree of freedom; each needs its own actuator",
                              name);
    plan->names[plan->actuator_count] = name;
    plan->actuators[plan->actuator_count++] = node;
    return YK_OK;
}

static enum yk_status add_actuator(struct yk_station_plan *plan, const struct yk_node *name, struct yk_err *err)
{
    enum yk_status st = yk_field_type(name, YK_SCALAR, "the name of an actuator", err);

    return st ? st : add_named(plan, name, name->text, err);
}

static enum yk_status plan_specimen(const struct yk_model *e, const struct yk_node *map, struct yk_station_plan *plan,
                                    struct yk_err *err)
{
    const struct yk_node *dofs = yk_node_get(map, "dofs"), *actuators = yk_node_get(map, "actuators");
    struct yk_specimen_plan *s = &plan->specimens[plan->specimen_count];
    enum yk_status st;

    if ((st = yk_field_known(map, yk_keys_physical, yk_keys_substructure, err)) || (st = check_method(e, map, err)) ||
        (st = check_estimate(e, map, err)))
        return st;
    if (!dofs || !actuators)
        return yk_fail_at(err, YK_E_INPUT, map->where, "'%s' is physical: '%s' is needed", map->key,
                          dofs ? "actuators" : "dofs");
    plan->specimen_count++;
    s->map = map;
    if ((st = yk_dofs_read(dofs, &s->dofs, err)))
        return st;
    s->first = plan->actuator_count;
    if (actuators->type == YK_LIST) {
        if (!yk_node_get(map, "setup"))
            return yk_fail_at(err, YK_E_INPUT, actuators->where,
                              "a list of actuators needs a 'setup' that says how they are connected; or name one "
                              "actuator for each degree of freedom: { %s: ... }",
                              s->dofs.names[0]);
        for (size_t i = 0; i < actuators->count && !st; i++)
            st = add_actuator(plan, actuators->items[i], err);
        s->count = plan->actuator_count - s->first;
        return st || s->count ? st : yk_fail_at(err, YK_E_INPUT, actuators->where, "the list of actuators is empty");
    }
    if ((st = yk_field_type(actuators, YK_MAP, "a map of degree of freedom to actuator", err)))
        return st;
    s->count = s->dofs.n;
    for (size_t i = 0; i < s->dofs.n && !st; i++) {
        const struct yk_node *name = yk_node_get(actuators, s->dofs.names[i]);

        st = name ? add_actuator(plan, name, err)
                  : yk_fail_at(err, YK_E_INPUT, actuators->where, "no actuator moves '%s'", s->dofs.names[i]);
    }
    for (size_t i = 0; i < actuators->count && !st; i++)
        if (yk_dofs_find(&s->dofs, actuators->items[i]->key) < 0)
            st = yk_dofs_missing(actuators->items[i]->key_where, actuators->items[i]->key, &s->dofs, err);
    return st;
}

/* Adds the actuators with prescribed loads after those that move the specimen. */
static enum yk_status plan_prescribed(const struct yk_model *e, const struct yk_node *map, struct yk_station_plan *plan,
                                      struct yk_err *err)
{
    const struct yk_node *all = yk_node_get(map, "prescribed");
    struct yk_specimen_plan *s = &plan->specimens[plan->specimen_count - 1];
    enum yk_status st;

    if (!all)
        return YK_OK;
    if (e->reference)
        return yk_fail_at(err, YK_E_UNSUPPORTED, all->key_where,
                          "reference: monolithic does not support prescribed loads yet; leave it out");
    if ((st = yk_field_type(all, YK_MAP, "a map of actuator to load", err)))
        return st;
    if (!(s->loads.names = calloc(all->count + 1, sizeof *s->loads.names)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < all->count; i++) {
        const struct yk_node *entry = all->items[i], *dof;

        if ((st = yk_field_type(entry, YK_MAP, "a map", err)))
            return st;
        if (!(dof = yk_node_get(entry, "dof")))
            return yk_fail_at(err, YK_E_INPUT, entry->where,
                              "missing 'dof': the degree of freedom of the specimen's model that '%s' loads",
                              entry->key);
        if ((st = yk_field_type(dof, YK_SCALAR, "a degree of freedom", err)) ||
            (st = add_named(plan, entry, entry->key, err)))
            return st;
        if (yk_dofs_find(&s->dofs, dof->text) >= 0)
            return yk_fail_at(err, YK_E_INPUT, dof->where, "'%s' is moved by an actuator, and cannot be loaded by '%s'",
                              dof->text, entry->key);
        if (!(s->loads.names[s->loads.n++] = strdup(dof->text)))
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        s->loaded++;
    }
    return YK_OK;
}

/* `joint: [ ... ]` of `transfer` */
static bool is_joint(const struct yk_node *item)
{
    return item->type == YK_LIST && strcmp(item->key, "joint") == 0;
}

/* Every entry of the map must be an actuator of a substructure: a forgotten one is a wrong name more often than not. */
static enum yk_status check_used(const struct yk_station_plan *plan, const struct yk_node *map, const char *section,
                                 struct yk_err *err)
{
    for (size_t i = 0; map && map->type == YK_MAP && i < map->count; i++) { /* its reader refuses what is none */
        size_t k = 0;

        while (k < plan->actuator_count && strcmp(plan->names[k], map->items[i]->key) != 0)
            k++;
        if (k == plan->actuator_count && !is_joint(map->items[i]))
            return yk_fail_at(err, YK_E_INPUT, map->items[i]->key_where,
                              "'%s' in %s moves no degree of freedom of a substructure", map->items[i]->key, section);
    }
    return YK_OK;
}

/* Every key of `limits.dofs` is a degree of freedom of a specimen. */
static enum yk_status check_poses(const struct yk_station_plan *plan, const struct yk_node *limits, struct yk_err *err)
{
    const struct yk_node *all = limits ? yk_node_get(limits, "dofs") : NULL;

    for (size_t i = 0; all && all->type == YK_MAP && i < all->count; i++) {
        const char *key = all->items[i]->key;
        bool found = false;

        for (size_t k = 0; k < plan->specimen_count; k++) {
            const char *name = plan->specimens[k].map->key;
            const size_t length = strlen(name);

            found |= strncmp(key, name, length) == 0 && key[length] == '.' &&
                     yk_dofs_find(&plan->specimens[k].dofs, key + length + 1) >= 0;
        }
        if (!found)
            return yk_fail_at(err, YK_E_INPUT, all->items[i]->key_where,
                              "'%s' is no degree of freedom of a physical substructure; write SUBSTRUCTURE.DOF", key);
    }
    return YK_OK;
}

void yk_build_station_plan_free(struct yk_station_plan *plan)
{
    for (size_t i = 0; i < plan->specimen_count; i++) {
        yk_dofs_free(&plan->specimens[i].dofs);
        yk_dofs_free(&plan->specimens[i].loads);
    }
    free(plan->specimens);
    free(plan->actuators);
    free(plan->names);
}

enum yk_status yk_build_station_plan(const struct yk_model *e, struct yk_station_plan *plan, struct yk_err *err)
{
    const struct yk_node *all = yk_node_get(e->tree, "substructures");
    size_t most = 1;
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < all->count; i++) {
        const struct yk_node *actuators = yk_node_get(all->items[i], "actuators"),
                             *prescribed = yk_node_get(all->items[i], "prescribed");

        most += (actuators ? actuators->count : 0) + (prescribed ? prescribed->count : 0);
    }
    plan->specimens = calloc(all->count, sizeof *plan->specimens);
    plan->actuators = calloc(most, sizeof(*plan->actuators));
    plan->names = calloc(most, sizeof *plan->names);
    if (!plan->specimens || !plan->actuators || !plan->names)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < all->count && !st; i++)
        if (is_physical(all->items[i]) && !(st = plan_specimen(e, all->items[i], plan, err)))
            st = plan_prescribed(e, all->items[i], plan, err);
    return st;
}

/* An actuator that moves a rotation by itself counts in rad. */
static bool is_rotary(const struct yk_station_plan *plan, size_t actuator)
{
    for (size_t k = 0; k < plan->specimen_count; k++) {
        const struct yk_specimen_plan *s = &plan->specimens[k];

        if (actuator >= s->first + s->count && actuator < s->first + s->count + s->loaded)
            return yk_is_rotation(s->loads.names[actuator - s->first - s->count]);
        if (actuator >= s->first && actuator < s->first + s->count)
            return !yk_node_get(s->map, "setup") && yk_is_rotation(s->dofs.names[actuator - s->first]);
    }
    return false;
}

/* Does equivalent force control or a setup stand in the way of other commands than displacements? */
static enum yk_status check_kind(const struct yk_model *e, const struct yk_specimen_plan *s, const char *name,
                                 enum yk_command_kind kind, struct yk_where where, struct yk_err *err)
{
    const struct yk_node *estimate = yk_node_get(s->map, "estimate");

    if (kind == YK_BY_DISPLACEMENT)
        return YK_OK;
    if (e->coupling && e->coupling->caps & YK_COUPLING_SPECIMENS)
        return yk_fail_at(err, YK_E_UNSUPPORTED, where,
                          "%s moves its specimens by displacement: the command of actuator '%s' must be displacement",
                          e->coupling->name, name);
    if (yk_command_is_rate(kind) && e->time.scale != 1)
        return yk_fail_at(
            err, YK_E_UNSUPPORTED, where,
            "actuator '%s' is commanded by %s, which is that of the real motion: time.scale = %g must be 1", name,
            yk_command_word(kind), e->time.scale);
    if (kind == YK_BY_FORCE && yk_node_get(s->map, "setup"))
        return yk_fail_at(err, YK_E_UNSUPPORTED, where,
                          "actuator '%s' is commanded by force, which needs one actuator for each degree of freedom; "
                          "leave `setup` out, or command it by displacement",
                          name);
    if (kind == YK_BY_FORCE && !(estimate && estimate->type == YK_MAP && yk_node_get(estimate, "stiffness")))
        return yk_fail_at(err, YK_E_INPUT, where,
                          "actuator '%s' moves a degree of freedom and is commanded by force: '%s' needs an estimate: "
                          "{ stiffness: ... }, from which the force for a displacement is computed",
                          name, s->map->key);
    return YK_OK;
}

/* Does anything stand in the way of a second control mode? */
static enum yk_status check_second(const struct yk_model *e, const struct yk_specimen_plan *s, const char *name,
                                   bool moves, struct yk_where where, struct yk_err *err)
{
    const char *why = e->coupling && e->coupling->caps & YK_COUPLING_SPECIMENS ? e->coupling->name
                      : yk_node_get(s->map, "setup")                           ? "a setup"
                      : !moves                                                 ? "a prescribed load"
                                                                               : NULL;

    return why ? yk_fail_at(err, YK_E_UNSUPPORTED, where,
                            "actuator '%s' has a second control mode (switch), which cannot go with %s", name, why)
               : YK_OK;
}

/* Checks the commands of the actuators; prescribed loads need force commands. */
static enum yk_status check_commands(const struct yk_model *e, const struct yk_specimen_plan *s,
                                     const struct yk_station_plan *plan, const struct yk_station_parts *parts,
                                     struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (size_t i = s->first; i < s->first + s->count + s->loaded && !st; i++) {
        const enum yk_command_kind kind = parts->actuators[i].limits.kind;
        const struct yk_where where = plan->actuators[i]->where;

        if (parts->actuators[i].second.has)
            st = check_second(e, s, plan->names[i], i < s->first + s->count, where, err);
        if (st)
            break;
        if (i < s->first + s->count)
            st = check_kind(e, s, plan->names[i], kind, where, err);
        else if (kind != YK_BY_FORCE)
            st = yk_fail_at(err, YK_E_UNSUPPORTED, where,
                            "actuator '%s' is prescribed, so its command is a force: write transfer: { %s: { command: "
                            "force } }",
                            plan->names[i], plan->names[i]);
    }
    return st;
}

static enum yk_status fill_station(const struct yk_model *e, const struct yk_station_plan *plan,
                                   struct yk_station_parts *parts, struct yk_err *err)
{
    const struct yk_node *limits = yk_node_get(e->tree, "limits");
    enum yk_status st = YK_OK;

    if (!(parts->actuators = calloc(plan->actuator_count, sizeof *parts->actuators)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < plan->actuator_count; i++)
        parts->actuators[i].limits.turns = is_rotary(plan, i);
    for (; parts->count < plan->actuator_count && !st; parts->count++)
        st = yk_build_chain(e, plan->actuators[parts->count], plan->names[parts->count],
                            &parts->actuators[parts->count], err);
    for (size_t k = 0; k < plan->specimen_count && !st; k++)
        st = check_commands(e, &plan->specimens[k], plan, parts, err);
    if (!st)
        st = check_used(plan, yk_node_get(e->tree, "transfer"), "transfer", err);
    for (size_t k = 0; k < yk_build_rig_count(e) && !st; k++)
        st = check_used(plan, yk_node_get(yk_build_rig_at(e, k), "actuators"),
                        yk_node_get(e->tree, "rigs") ? "actuators of rigs" : "rig.actuators", err);
    if (st || (st = check_used(plan, limits ? yk_node_get(limits, "actuators") : NULL, "limits.actuators", err)) ||
        (st = check_poses(plan, limits, err)) || (st = yk_build_joints(e, parts, err)) ||
        (st = yk_build_sensors(e, parts, err)) || (st = yk_build_readings(e, parts, err)) ||
        (st = yk_build_limits(e, parts, err)) || (st = yk_build_thresholds(e, parts, err)))
        return st;
    return (st = yk_build_rig(e, plan, parts, err)) ? st : yk_build_end_readings(e, parts, err);
}

enum yk_status yk_build_station(struct yk_model *e, struct yk_err *err)
{
    struct yk_station_parts parts = {.tick = 1 / e->time.control_rate, .scale = e->time.scale};
    struct yk_station_plan plan = {0};
    enum yk_status st = yk_build_station_plan(e, &plan, err);

    if (!st && plan.specimen_count > 0) {
        if (!(st = fill_station(e, &plan, &parts, err)) && !(st = yk_station_create(&e->station, &parts, e->mem, err)))
            if (!(st = yk_build_zeros(e, err)))
                st = yk_build_certificates(e, err);
        yk_station_parts_free(&parts);
    } else if (!st) {
        st = yk_build_limits_of_models(e, err);
    }
    yk_build_station_plan_free(&plan);
    return st;
}

enum yk_status yk_build_connect(struct yk_model *e, struct yk_err *err)
{
    enum yk_status st = e->station ? yk_station_open(e->station, err) : YK_OK;

    return st || !e->station ? st : yk_station_prepare(e->station, yk_fine_step(e), stages_of(e), err);
}
