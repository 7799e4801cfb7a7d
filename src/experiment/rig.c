/* A physical substructure: its estimate, the sections `transfer`, `rig` and `limits`. */
#include "experiment/build.h"

#include <yoke/physical.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct transfer {
    double delay;
};

struct sensors {
    double displacement_noise, displacement_bias, displacement_quantum, displacement_dropout;
    double force_noise, force_bias, force_quantum, force_dropout;
    double filter;
    int seed;
};

const struct yk_param yk_keys_physical[] = {
    YK_NODE("dofs", "list of names", YK_REQUIRED, "names of the degrees of freedom"),
    YK_NODE("actuators", "map of degree of freedom to actuator", YK_REQUIRED,
            "which actuator moves it, by a name of `transfer`"),
    YK_NODE("estimate", "map of mass, damping, stiffness", 0,
            "what is believed of the specimen; methods take their matrices from it"),
    YK_PARAM_END,
};

const struct yk_param yk_keys_estimate[] = {
    YK_NODE("mass", "matrix [kg]", 0, "only what is not in the measured force"),
    YK_NODE("damping", "matrix [N s/m]", 0, "rows, a diagonal, or a file"),
    YK_NODE("stiffness", "matrix [N/m]", 0, "rows, a diagonal, or a file"),
    YK_PARAM_END,
};

const struct yk_param yk_keys_chain[] = {
    YK_NODE("compensator", "map with kind, delay and settings", 0, "default none; see `yoke list compensators`"),
    YK_NODE("estimator", "map with kind and settings", 0, "follows the delay; see `yoke list estimators`"),
    YK_NODE("controller", "map with kind and settings", 0, "default none; see `yoke list controllers`"),
    YK_PARAM_END,
};

const struct yk_param yk_keys_block[] = {
    YK_NODE("kind", "name", YK_REQUIRED, "of the method; its settings stand beside it"),
    YK_PARAM_END,
};

const struct yk_param yk_keys_compensated[] = {
    YK_NODE("kind", "name", YK_REQUIRED, "of the method; its settings stand beside it"),
    YK_REAL(struct transfer, delay, YK_TIME, 0, 0, 10, "delay of the actuator that is compensated"),
    YK_PARAM_END,
};

const struct yk_param yk_keys_rig[] = {
    YK_NODE("backend", "virtual", YK_REQUIRED, "what plays the rig"),
    YK_NODE("actuators", "map of name to actuator", YK_REQUIRED, "the plant and the sensors of each"),
    YK_NODE("specimen", "a substructure", YK_REQUIRED, "the model that plays the specimen; it may be without mass"),
    YK_PARAM_END,
};

const struct yk_param yk_keys_actuator[] = {
    YK_NODE("plant", "map with kind and settings", YK_REQUIRED, "see `yoke list plants`"),
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

const struct yk_param yk_keys_limits[] = {
    YK_REAL(struct yk_limits, displacement, YK_LENGTH, 0, 0, 1e6, "of a command; 0: none"),
    YK_REAL(struct yk_limits, force, YK_FORCE, 0, 0, 1e15, "of a load cell; 0: none"),
    YK_CHOICE(struct yk_limits, on_trip, "hold|ramp", 1, "what the actuators do when a limit trips; the run ends"),
    YK_PARAM_END,
};

/* ---- one method of a family ---- */

/* What the four families have in common. */
struct block {
    const char *kind; /* "imc" */
    const struct yk_param *params;
    size_t size;
};

/* Settings of a block from its map; `own` are keys beside them. `kind: none` switches the rest of the map off. */
static enum yk_status read_block(const struct yk_node *map, const struct block *b, const struct yk_param *own,
                                 void **self, struct yk_err *err)
{
    static const struct yk_field_context context = {"", YK_FORCE};
    enum yk_status st = YK_OK;

    if (strcmp(b->kind, "none") != 0)
        st = yk_field_known(map, own, b->params, err);
    if (st)
        return st;
    if (!(*self = calloc(1, b->size + 1)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    return yk_field_settings(map, b->params, *self, &context, err);
}

/* The name in `kind` of an optional map; "none" where there is no map. */
static enum yk_status read_kind(const struct yk_node *map, const char **kind, struct yk_err *err)
{
    const struct yk_node *node;
    enum yk_status st;

    *kind = "none";
    if (!map)
        return YK_OK;
    if ((st = yk_field_type(map, YK_MAP, "a map", err)))
        return st;
    if (!(node = yk_node_get(map, "kind")))
        return yk_fail_at(err, YK_E_INPUT, map->where, "%s needs 'kind'; see `yoke list %ss`", map->key, map->key);
    if ((st = yk_field_type(node, YK_SCALAR, "a name", err)))
        return st;
    *kind = node->text;
    return YK_OK;
}

/* Names of a family, one by one. */
#define NEXT(family)                                                                                                   \
    static const char *next_##family(void *self)                                                                       \
    {                                                                                                                  \
        const struct yk_##family##_ops *const **at = self;                                                             \
                                                                                                                       \
        return **at ? (*(*at)++)->name : NULL;                                                                         \
    }
NEXT(compensator)
NEXT(controller)
NEXT(estimator)
NEXT(plant)

static enum yk_status unknown_kind(const struct yk_node *map, const char *family, const char *(*next)(void *),
                                   void *table, struct yk_err *err)
{
    const struct yk_node *kind = yk_node_get(map, "kind");
    char otherwise[64], hint[96];

    snprintf(otherwise, sizeof otherwise, "; see `yoke list %ss`", family);
    return yk_fail_at(err, YK_E_INPUT, kind->where, "there is no %s '%s'%s", family, kind->text,
                      yk_suggest(kind->text, next, table, otherwise, hint, sizeof hint));
}
#define UNKNOWN_KIND(map, family)                                                                                      \
    unknown_kind(map, #family, next_##family, &(const struct yk_##family##_ops *const *){yk_##family##s}, err)

/* An empty map, for defaults where a section is left out. */
static const struct yk_node nothing = {.type = YK_MAP};

static enum yk_status read_compensator(const struct yk_node *map, struct yk_actuator *a, struct yk_err *err)
{
    static const struct yk_field_context context = {"", YK_FORCE};
    struct transfer transfer = {0};
    const char *kind;
    enum yk_status st = read_kind(map, &kind, err);

    if (st)
        return st;
    if (!(a->compensator = yk_compensator_find(kind)))
        return UNKNOWN_KIND(map, compensator);
    if (a->compensator->reached)
        return yk_fail_at(err, YK_E_UNSUPPORTED, yk_node_get(map, "kind")->where,
                          "compensator %s predicts from accelerations, which this version does not hand to it; use "
                          "lagrange or velocity",
                          kind);
    const struct block b = {kind, a->compensator->params, a->compensator->size};
    if ((st = read_block(map ? map : &nothing, &b, yk_keys_compensated, &a->compensator_self, err)) || !map)
        return st;
    a->where.compensator = map->where;
    if (!(st = yk_field_settings(map, yk_keys_compensated, &transfer, &context, err)))
        a->delay = strcmp(kind, "none") == 0 ? 0 : transfer.delay;
    return st;
}

static enum yk_status read_controller(const struct yk_node *map, struct yk_actuator *a, struct yk_err *err)
{
    const char *kind;
    enum yk_status st = read_kind(map, &kind, err);

    if (st)
        return st;
    if (!(a->controller = yk_controller_find(kind)))
        return UNKNOWN_KIND(map, controller);
    a->where.controller = map ? map->where : YK_NOWHERE;
    const struct block b = {kind, a->controller->params, a->controller->size};
    return read_block(map ? map : &nothing, &b, yk_keys_block, &a->controller_self, err);
}

static enum yk_status read_estimator(const struct yk_node *map, struct yk_actuator *a, struct yk_err *err)
{
    const char *kind;
    enum yk_status st = read_kind(map, &kind, err);

    if (st || strcmp(kind, "none") == 0)
        return st;
    if (!(a->estimator = yk_estimator_find(kind)))
        return UNKNOWN_KIND(map, estimator);
    a->where.estimator = map->where;
    const struct block b = {kind, a->estimator->params, a->estimator->size};
    return read_block(map, &b, yk_keys_block, &a->estimator_self, err);
}

static enum yk_status read_plant(const struct yk_node *map, struct yk_actuator *a, struct yk_err *err)
{
    const char *kind;
    enum yk_status st = read_kind(map, &kind, err);

    if (st)
        return st;
    if (!(a->plant = yk_plant_find(kind)))
        return UNKNOWN_KIND(map, plant);
    a->where.plant = map->where;
    const struct block b = {kind, a->plant->params, a->plant->size};
    return read_block(map, &b, yk_keys_block, &a->plant_self, err);
}

static enum yk_status read_sensors(const struct yk_node *map, double tick, struct yk_actuator *a, struct yk_err *err)
{
    static const struct yk_field_context context = {"", YK_FORCE};
    struct sensors s = {0};
    enum yk_status st;

    if (map && (st = yk_field_type(map, YK_MAP, "a map", err)))
        return st;
    map = map ? map : &nothing;
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

/* ---- one actuator ---- */

static enum yk_status find_entry(const struct yk_experiment *e, const char *section, const char *below,
                                 const char *name, const struct yk_node *asked, const struct yk_node **entry,
                                 struct yk_err *err)
{
    const struct yk_node *map = yk_node_get(e->tree, section);

    if (map && below)
        map = yk_node_get(map, below);
    *entry = map ? yk_node_get(map, name) : NULL;
    if (!*entry)
        return yk_fail_at(err, YK_E_INPUT, asked->where, "actuator '%s' is not in %s%s%s%s", name, section,
                          below ? "." : "", below ? below : "", map ? "" : ", which is missing");
    return yk_field_type(*entry, YK_MAP, "a map", err);
}

static enum yk_status read_actuator(const struct yk_experiment *e, const struct yk_node *name, struct yk_actuator *a,
                                    struct yk_err *err)
{
    const struct yk_node *chain, *actuator;
    enum yk_status st;

    if ((st = yk_field_type(name, YK_SCALAR, "the name of an actuator", err)) ||
        (st = yk_check_name(name, name->text, err)) ||
        (st = find_entry(e, "transfer", NULL, name->text, name, &chain, err)) ||
        (st = find_entry(e, "rig", "actuators", name->text, name, &actuator, err)) ||
        (st = yk_field_known(chain, yk_keys_chain, NULL, err)) ||
        (st = yk_field_known(actuator, yk_keys_actuator, NULL, err)))
        return st;
    if (!(a->name = strdup(name->text)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!yk_node_get(actuator, "plant"))
        return yk_fail_at(err, YK_E_INPUT, actuator->where,
                          "missing 'plant': what the actuator is, see `yoke list plants`");
    if ((st = read_compensator(yk_node_get(chain, "compensator"), a, err)) ||
        (st = read_estimator(yk_node_get(chain, "estimator"), a, err)) ||
        (st = read_controller(yk_node_get(chain, "controller"), a, err)) ||
        (st = read_plant(yk_node_get(actuator, "plant"), a, err)))
        return st;
    return read_sensors(yk_node_get(actuator, "sensors"), 1 / e->time.control_rate, a, err);
}

static bool moves_something(const struct yk_experiment *e, const char *actuator)
{
    const struct yk_node *all = yk_node_get(e->tree, "substructures");

    for (size_t i = 0; i < all->count; i++) {
        const struct yk_node *map = yk_node_get(all->items[i], "actuators");

        for (size_t k = 0; map && k < map->count; k++)
            if (map->items[k]->type == YK_SCALAR && strcmp(map->items[k]->text, actuator) == 0)
                return true;
    }
    return false;
}

/* Every entry of the map must be an actuator of a substructure: a forgotten one is a wrong name more often than not. */
static enum yk_status check_used(const struct yk_experiment *e, const struct yk_node *map, const char *section,
                                 struct yk_err *err)
{
    for (size_t i = 0; map && i < map->count; i++)
        if (!moves_something(e, map->items[i]->key))
            return yk_fail_at(err, YK_E_INPUT, map->items[i]->key_where,
                              "'%s' in %s moves no degree of freedom of a substructure", map->items[i]->key, section);
    return YK_OK;
}

/* ---- the substructure ---- */

static enum yk_status read_estimate(const struct yk_experiment *e, const struct yk_node *map, size_t n,
                                    struct yk_physical_parts *parts, struct yk_err *err)
{
    const struct yk_field_context context = yk_build_context(e);
    const struct {
        const char *key;
        enum yk_quantity quantity;
        struct yk_matrix *to;
    } wanted[] = {
        {"mass", YK_MASS, &parts->M}, {"damping", YK_DAMPING, &parts->C}, {"stiffness", YK_STIFFNESS, &parts->K}};
    enum yk_status st = YK_OK;

    if (map &&
        ((st = yk_field_type(map, YK_MAP, "a map", err)) || (st = yk_field_known(map, yk_keys_estimate, NULL, err))))
        return st;
    for (int i = 0; i < 3 && !st; i++) {
        const struct yk_node *node = yk_node_get(map, wanted[i].key);

        st = node ? yk_field_matrix(node, wanted[i].quantity, n, &context, wanted[i].to, err)
                  : yk_matrix_init(wanted[i].to, YK_DIAGONAL, n, n, err);
    }
    return st;
}

/* The model that plays the specimen, with the degrees of freedom of the substructure in the same order. */
static enum yk_status build_specimen(const struct yk_experiment *e, const struct yk_dofs *d,
                                     const struct yk_node *asked, struct yk_system **specimen, struct yk_err *err)
{
    const struct yk_node *rig = yk_node_get(e->tree, "rig"), *backend, *node;
    struct yk_dofs own = {0};
    enum yk_status st;

    if (!rig)
        return yk_fail_at(err, YK_E_INPUT, asked->where, "'%s' is physical, but there is no 'rig' to play it",
                          asked->key);
    if ((st = yk_field_type(rig, YK_MAP, "a map", err)) || (st = yk_field_known(rig, yk_keys_rig, NULL, err)))
        return st;
    backend = yk_node_get(rig, "backend");
    node = yk_node_get(rig, "specimen");
    if (!backend || !node)
        return yk_fail_at(err, YK_E_INPUT, rig->where, "missing '%s' in rig", backend ? "specimen" : "backend");
    if ((st = yk_field_type(backend, YK_SCALAR, "a name", err)))
        return st;
    if (strcmp(backend->text, "virtual") != 0)
        return yk_fail_at(err, YK_E_UNSUPPORTED, backend->where,
                          "backend: %s is not supported by this version; only virtual is", backend->text);
    if (!(st = yk_build_specimen_model(e, node, &own, specimen, err))) {
        bool same = own.n == d->n;

        for (size_t i = 0; same && i < d->n; i++)
            same = strcmp(own.names[i], d->names[i]) == 0;
        if (!same || (*specimen)->mass_divided_out) {
            yk_system_destroy(*specimen);
            *specimen = NULL;
            st = yk_fail_at(err, YK_E_UNSUPPORTED, node->where,
                            "the specimen of the virtual rig must have the degrees of freedom of "
                            "'%s', in the same order: every one is moved by an actuator",
                            asked->key);
        }
    }
    yk_dofs_free(&own);
    return st;
}

static enum yk_status read_limits(const struct yk_experiment *e, struct yk_limits *limits, struct yk_err *err)
{
    static const struct yk_field_context context = {"", YK_FORCE};
    const struct yk_node *map = yk_node_get(e->tree, "limits");
    enum yk_status st;

    if (map &&
        ((st = yk_field_type(map, YK_MAP, "a map", err)) || (st = yk_field_known(map, yk_keys_limits, NULL, err))))
        return st;
    return yk_field_settings(map ? map : &nothing, yk_keys_limits, limits, &context, err);
}

/* A whole number of ticks between two forces. */
static enum yk_status check_ticks(const struct yk_experiment *e, struct yk_err *err)
{
    const double between = e->time.step / e->integrator->stages, ticks = between * e->time.control_rate;
    const double whole = fmax(round(ticks), 1);

    if (fabs(ticks - whole) <= 1e-6)
        return YK_OK;
    return yk_fail_at(err, YK_E_RANGE, yk_node_get(yk_node_get(e->tree, "time"), "control_rate")->where,
                      "control_rate = %g Hz makes %g ticks between two forces of %s, which are %g s apart; a whole "
                      "number is needed, for example %g Hz",
                      e->time.control_rate, ticks, e->integrator->name, between, whole / between);
}

/* Can the method ask a specimen for its forces: each stage once, one after the other in time? */
static enum yk_status check_method(const struct yk_experiment *e, const struct yk_node *map, struct yk_err *err)
{
    if (e->coupling)
        return yk_fail_at(err, YK_E_UNSUPPORTED, map->where,
                          "'%s' is physical: couplings do not move specimens in this version; use "
                          "method.integrator",
                          map->key);
    if (e->integrator->caps & (YK_INTEG_ITERATES | YK_INTEG_MODELS_ONLY | YK_INTEG_LINEAR_ONLY))
        return yk_fail_at(err, YK_E_UNSUPPORTED, e->method_where,
                          "%s asks for a force more than once in the same instant, which a "
                          "specimen cannot give; use lsrt2, alpha-os, chang, cr, kr-alpha or central-difference",
                          e->integrator->name);
    if (!(e->time.control_rate > 0))
        return yk_fail_at(err, YK_E_INPUT, map->where,
                          "'%s' is physical: time.control_rate is needed, for example 1000 Hz", map->key);
    return check_ticks(e, err);
}

enum yk_status yk_build_physical(const struct yk_experiment *e, const struct yk_node *map, struct yk_dofs *d,
                                 struct yk_system **system, struct yk_err *err)
{
    const struct yk_node *dofs = yk_node_get(map, "dofs"), *actuators = yk_node_get(map, "actuators");
    struct yk_physical_parts parts = {.dt = e->time.step, .stages = e->integrator ? e->integrator->stages : 1};
    enum yk_status st;

    if ((st = yk_field_known(map, yk_keys_physical, yk_keys_substructure, err)) || (st = check_method(e, map, err)))
        return st;
    if (!dofs || !actuators)
        return yk_fail_at(err, YK_E_INPUT, map->where, "'%s' is physical: '%s' is needed", map->key,
                          dofs ? "actuators" : "dofs");
    if ((st = yk_field_type(actuators, YK_MAP, "a map of degree of freedom to actuator", err)) ||
        (st = yk_dofs_read(dofs, d, err)))
        return st;
    parts.tick = 1 / e->time.control_rate;
    st = read_estimate(e, yk_node_get(map, "estimate"), d->n, &parts, err);
    parts.actuators = calloc(d->n, sizeof *parts.actuators);
    parts.u0 = calloc(d->n, sizeof *parts.u0);
    parts.v0 = calloc(d->n, sizeof *parts.v0);
    if (!st && (!parts.actuators || !parts.u0 || !parts.v0))
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < d->n && !st; i++) {
        const struct yk_node *name = yk_node_get(actuators, d->names[i]);

        st = name ? read_actuator(e, name, &parts.actuators[i], err)
                  : yk_fail_at(err, YK_E_INPUT, actuators->where, "no actuator moves '%s'", d->names[i]);
    }
    for (size_t i = 0; i < actuators->count && !st; i++)
        if (yk_dofs_find(d, actuators->items[i]->key) < 0)
            st = yk_dofs_missing(actuators->items[i]->key_where, actuators->items[i]->key, d, err);
    if (st || (st = check_used(e, yk_node_get(e->tree, "transfer"), "transfer", err)) ||
        (st = check_used(e, yk_node_get(yk_node_get(e->tree, "rig"), "actuators"), "rig.actuators", err)) ||
        (st = yk_dofs_initial(map, d, parts.u0, parts.v0, err)) || (st = read_limits(e, &parts.limits, err)) ||
        (st = build_specimen(e, d, map, &parts.specimen, err))) {
        yk_physical_parts_free(&parts);
        return st;
    }
    return yk_physical_create(system, &parts, err);
}
