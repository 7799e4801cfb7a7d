/* A physical substructure: its estimate, its actuators, connections and prescribed loads. The station: station.c. */
#include "experiment/setup.h"

#include "rig/virtual/rig.h"
#include "transfer/physical.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct yk_param yk_keys_physical[] = {
    YK_NODE("dofs", "list of names", YK_REQUIRED, "names of the degrees of freedom"),
    YK_NODE("actuators", "map of degree of freedom to actuator, or list", YK_REQUIRED,
            "the actuator of each degree of freedom, by its name in `transfer`; a list if there is a `setup`"),
    YK_NODE("prescribed", "map of actuator to load", 0,
            "actuators that load the specimen with a prescribed force, independent of the method: the axial load of a "
            "column"),
    YK_NODE("connection", "map of degree of freedom to stiffness [N/m]", 0,
            "computed spring between the structure and a degree of freedom whose actuator is commanded by force; "
            "default: a rigid connection"),
    YK_NODE("setup", "map", 0, "how the actuators are connected to the degrees of freedom; default: one actuator each"),
    YK_NODE("estimate", "map of mass, damping, stiffness", 0,
            "estimate of the specimen, from which methods take their matrices"),
    YK_PARAM_END,
};

const struct yk_param yk_keys_prescribed[] = {
    YK_NODE("dof", "degree of freedom", YK_REQUIRED,
            "of the model of the specimen, which it loads; none that an actuator moves, and it has a mass"),
    YK_NODE("kind", "name of a signal", YK_REQUIRED, "the force over time; see `yoke list signals`"),
    YK_PARAM_END,
};

const struct yk_param yk_keys_estimate[] = {
    YK_NODE("mass", "matrix [kg]", 0, "only the mass whose inertia the load cells do not measure"),
    YK_NODE("damping", "matrix [N s/m]", 0, "rows, a diagonal, or a file"),
    YK_NODE("stiffness", "matrix [N/m]", 0, "rows, a diagonal, or a file"),
    YK_PARAM_END,
};

enum yk_status yk_build_matrices(const struct yk_model *e, const struct yk_node *map, const struct yk_dofs *d,
                                 struct yk_matrix *M, struct yk_matrix *C, struct yk_matrix *K, struct yk_err *err)
{
    const size_t n = d->n;
    enum yk_sense *senses;
    const struct yk_field_context context = yk_build_context(e);
    const struct {
        const char *key;
        enum yk_quantity quantity;
        struct yk_matrix *to;
    } wanted[] = {{"mass", YK_MASS, M}, {"damping", YK_DAMPING, C}, {"stiffness", YK_STIFFNESS, K}};
    enum yk_status st = YK_OK;

    if (!(senses = yk_dofs_senses(d->names, n)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (int i = 0; i < 3 && !st; i++) {
        const struct yk_node *node = yk_node_get(map, wanted[i].key);

        st = node ? yk_field_matrix(node, wanted[i].quantity, n, senses, &context, wanted[i].to, err)
                  : yk_matrix_init(wanted[i].to, YK_DIAGONAL, n, n, err);
    }
    free(senses);
    return st;
}

static enum yk_status read_estimate(const struct yk_model *e, const struct yk_node *map, const struct yk_dofs *d,
                                    struct yk_physical_parts *parts, struct yk_err *err)
{
    enum yk_status st;

    if (map &&
        ((st = yk_field_type(map, YK_MAP, "a map", err)) || (st = yk_field_known(map, yk_keys_estimate, NULL, err))))
        return st;
    return yk_build_matrices(e, map, d, &parts->M, &parts->C, &parts->K, err);
}

/* The forces of the actuators that load it. */
static enum yk_status read_prescribed(const struct yk_model *e, const struct yk_node *map,
                                      const struct yk_specimen_plan *plan, struct yk_physical_parts *parts,
                                      struct yk_err *err)
{
    const struct yk_node *all = yk_node_get(map, "prescribed");
    enum yk_status st = YK_OK;

    if (!all)
        return YK_OK;
    if (!(parts->prescribed = calloc(all->count + 1, sizeof *parts->prescribed)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (; parts->prescribed_count < all->count && !st; parts->prescribed_count++) {
        struct yk_prescribed *p = &parts->prescribed[parts->prescribed_count];

        p->actuator = plan->first + plan->count + parts->prescribed_count;
        st = yk_build_signal(e, all->items[parts->prescribed_count], yk_keys_prescribed,
                             yk_quantity_of(YK_FORCE, yk_dofs_sense(plan->loads.names[parts->prescribed_count])),
                             &p->signal, &p->settings, err);
    }
    return st;
}

/* Its actuators, and how they move with it. */
static enum yk_status find_actuators(const struct yk_model *e, const struct yk_node *map,
                                     struct yk_physical_parts *parts, struct yk_err *err)
{
    struct yk_station_plan plan = {0};
    const struct yk_node *setup;
    enum yk_status st = yk_build_station_plan(e, &plan, err);

    for (size_t i = 0; i < plan.specimen_count && !st; i++)
        if (plan.specimens[i].map == map) {
            parts->first = plan.specimens[i].first;
            st = read_prescribed(e, map, &plan.specimens[i], parts, err);
            if (!st && (setup = yk_node_get(map, "setup")))
                st = yk_build_setup(setup, yk_node_get(e->tree, "channels"), &plan.specimens[i].dofs,
                                    plan.specimens[i].count, plan.names + parts->first, &parts->setup, NULL, e->mem,
                                    err);
        }
    yk_build_station_plan_free(&plan);
    return st;
}

/* The degrees of freedom whose actuators are commanded by force, and the springs to them. */
static enum yk_status read_connection(const struct yk_model *e, const struct yk_node *map, const struct yk_dofs *d,
                                      struct yk_physical_parts *parts, struct yk_err *err)
{
    const struct yk_node *all = yk_node_get(map, "connection");
    size_t *dofs = calloc(d->n, sizeof *dofs), count = 0;
    double *stiffness = calloc(d->n, sizeof *stiffness);
    enum yk_status st = dofs && stiffness ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (!st && all)
        st = yk_field_type(all, YK_MAP, "a map of degree of freedom to stiffness", err);
    for (size_t i = 0; i < d->n && !st && !parts->setup; i++) {
        const struct yk_node *own = all ? yk_node_get(all, d->names[i]) : NULL;

        if (yk_station_kind(e->station, parts->first + i) != YK_BY_FORCE)
            continue;
        dofs[count] = i;
        stiffness[count] = INFINITY;
        if (own)
            st = yk_field_real(own, yk_quantity_of(YK_STIFFNESS, yk_dofs_sense(d->names[i])), 1e-9, 1e18,
                               &stiffness[count], err);
        if (!st && !(yk_matrix_get(&parts->K, i, i) > 0))
            st = yk_fail_at(err, YK_E_RANGE, yk_node_get(yk_node_get(map, "estimate"), "stiffness")->where,
                            "the estimated stiffness of '%s', which is commanded by force, is %g, not above 0",
                            d->names[i], yk_matrix_get(&parts->K, i, i));
        count++;
    }
    for (size_t i = 0; all && i < all->count && !st; i++) {
        const long k = yk_dofs_find(d, all->items[i]->key);

        if (k < 0)
            st = yk_dofs_missing(all->items[i]->key_where, all->items[i]->key, d, err);
        else if (parts->setup || yk_station_kind(e->station, parts->first + (size_t)k) != YK_BY_FORCE)
            st = yk_fail_at(err, YK_E_INPUT, all->items[i]->key_where,
                            "the actuator of '%s' is not commanded by force, so a connection has no effect; model the "
                            "spring in a numerical substructure, or write transfer: { ...: { command: force } }",
                            all->items[i]->key);
    }
    if (!st && count &&
        (st = yk_compliance_init(&parts->compliance, count, dofs, stiffness, &parts->K, &parts->C, err)))
        yk_fail_within(err, map->where, "%s: ", map->key);
    free(dofs);
    free(stiffness);
    return st;
}

/* Refuses initial values if an actuator is not commanded by displacement: it begins at rest at zero. */
static enum yk_status check_rest(const struct yk_model *e, const struct yk_node *map, const struct yk_dofs *d,
                                 const struct yk_physical_parts *parts, struct yk_err *err)
{
    for (size_t i = 0; i < d->n; i++)
        for (size_t k = 0; k < (parts->setup ? yk_setup_actuators(parts->setup) : d->n); k++) {
            const enum yk_command_kind kind = yk_station_kind(e->station, parts->first + k);

            if (kind != YK_BY_DISPLACEMENT && (parts->setup || i == k) && (parts->u0[i] != 0 || parts->v0[i] != 0))
                return yk_fail_at(err, YK_E_UNSUPPORTED, yk_node_get(map, "initial")->where,
                                  "actuator '%s' is commanded by %s and begins at rest at zero: '%s' cannot have "
                                  "initial values",
                                  yk_station_name(e->station, parts->first + k), yk_command_word(kind), d->names[i]);
        }
    return YK_OK;
}

/* The limit that keeps actuator i from standing at x, and its value as `reach`; NULL: none. */
static const char *reach_of(const struct yk_model *e, size_t i, double x, double *reach)
{
    void *self;
    const struct yk_rig_ops *ops = yk_station_rig(e->station, &self);
    const struct yk_virtual_rig *rig = yk_rig_simulation(ops, self);
    const double limit = yk_supervisor_limit(yk_station_supervisor(e->station), YK_LIMIT_DISPLACEMENT, i),
                 stroke = rig ? rig->actuators[i].limits.stroke : 0;

    *reach = limit > 0 && fabs(x) > limit ? limit : stroke;
    return limit > 0 && fabs(x) > limit ? "limits.displacement" : stroke > 0 && fabs(x) > stroke ? "its stroke" : NULL;
}

/* Refuses an initial displacement that an actuator cannot reach. */
static enum yk_status check_start(const struct yk_model *e, const struct yk_node *map, size_t n,
                                  const struct yk_physical_parts *parts, struct yk_err *err)
{
    const size_t count = parts->setup ? yk_setup_actuators(parts->setup) : n;
    double *y = calloc(3 * count + n, sizeof *y), *zero = y + 3 * count, reach;
    enum yk_status st = y ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (y && parts->setup)
        yk_setup_targets(parts->setup, parts->u0, zero, zero, y, y + count, y + 2 * count);
    else if (y)
        memcpy(y, parts->u0, n * sizeof *y);
    for (size_t i = 0; !st && i < count; i++) {
        const char *what = reach_of(e, parts->first + i, y[i], &reach),
                   *unit = yk_station_turns(e->station, parts->first + i) ? "rad" : "m";

        if (what)
            st = yk_fail_at(err, YK_E_RANGE, yk_node_get(map, "initial")->where,
                            "actuator %s would begin at %g %s, beyond %s of %g %s",
                            yk_station_name(e->station, parts->first + i), y[i], unit, what, reach, unit);
    }
    free(y);
    return st;
}

/* A matrix of the degrees of freedom, in the coordinates of as many actuators, about u = 0: unit strokes one by one. */
static bool to_actuators(struct yk_setup *setup, const struct yk_matrix *A, double *out)
{
    const size_t n = A->rows;
    const double small = 1e-6; /* m: setups with exact geometry are nonlinear */
    double *y = calloc(4 * n, sizeof *y), *u = y + n, *r = y + 2 * n, *zero = y + 3 * n;
    bool good = y;

    for (size_t j = 0; j < n && good; j++) {
        memset(y, 0, 3 * n * sizeof *y);
        y[j] = small;
        if (setup)
            good = !yk_setup_motion(setup, y, NULL, NULL, u, NULL, NULL);
        else
            memcpy(u, y, n * sizeof *u);
        yk_matrix_add_product(A, 1 / small, u, r);
        if (setup)
            yk_setup_readings(setup, zero, r, out + j * n);
        else
            memcpy(out + j * n, r, n * sizeof *r);
    }
    free(y);
    return good;
}

/* Tells the station what the load cells should read. Under equivalent force control the estimate has all that they
 * feel, with other methods its mass is what they do not. How more actuators than degrees of freedom share a force is
 * not known. */
static enum yk_status expect_forces(const struct yk_model *e, size_t n, const struct yk_physical_parts *parts,
                                    struct yk_err *err)
{
    const bool felt = e->coupling && e->coupling->caps & YK_COUPLING_SPECIMENS;
    double *K = calloc(3 * n * n, sizeof *K), *C = K + n * n, *M = C + n * n;
    enum yk_status st = K ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (K && (!parts->setup || yk_setup_actuators(parts->setup) == n) && to_actuators(parts->setup, &parts->K, K) &&
        to_actuators(parts->setup, &parts->C, C) && (!felt || to_actuators(parts->setup, &parts->M, M)))
        st = yk_station_expect(e->station, parts->first, n, K, C, M, err);
    free(K);
    return st;
}

enum yk_status yk_build_physical(const struct yk_model *e, const struct yk_node *map, struct yk_dofs *d,
                                 struct yk_system **system, struct yk_err *err)
{
    struct yk_physical_parts parts = {.station = e->station};
    enum yk_status st;

    if ((st = yk_dofs_read(yk_node_get(map, "dofs"), d, err)))
        return st;
    parts.u0 = calloc(d->n, sizeof *parts.u0);
    parts.v0 = calloc(d->n, sizeof *parts.v0);
    if (!parts.u0 || !parts.v0)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    if (st || (st = find_actuators(e, map, &parts, err)) ||
        (st = read_estimate(e, yk_node_get(map, "estimate"), d, &parts, err)) ||
        (st = yk_dofs_initial(map, d, parts.u0, parts.v0, err)) || (st = check_rest(e, map, d, &parts, err)) ||
        (st = check_start(e, map, d->n, &parts, err)) || (st = expect_forces(e, d->n, &parts, err)) ||
        (st = read_connection(e, map, d, &parts, err)) ||
        (st = yk_build_pose_limits(e, map, d, parts.setup, parts.first, err))) {
        yk_physical_parts_free(&parts);
        return st;
    }
    return yk_physical_create(system, &parts, e->mem, err);
}

enum yk_status yk_build_unfelt_mass(const struct yk_model *e, const struct yk_node *map, const struct yk_dofs *d,
                                    struct yk_matrix *M, struct yk_err *err)
{
    const struct yk_node *dofs = yk_node_get(map, "dofs");
    struct yk_physical_parts parts = {0};
    struct yk_matrix spread = {0}, sum = {0};
    struct yk_dofs own = {0};
    enum yk_status st;

    if (!(st = yk_dofs_read(dofs, &own, err)) &&
        !(st = read_estimate(e, yk_node_get(map, "estimate"), &own, &parts, err)) &&
        !(st = yk_matrix_init(&spread, YK_DENSE, M->rows, M->rows, err))) {
        for (size_t j = 0; j < own.n; j++)
            for (size_t i = 0; i < own.n; i++)
                spread.x[yk_dofs_find(d, own.names[i]) + yk_dofs_find(d, own.names[j]) * (long)d->n] =
                    yk_matrix_get(&parts.M, i, j);
        if (!(st = yk_matrix_compact(&spread, err)))
            st = yk_matrix_combine(&sum, 2, (double[]){1, 1}, (const struct yk_matrix *[]){M, &spread}, err);
    }
    if (!st) {
        yk_matrix_fini(M);
        *M = sum;
    }
    yk_matrix_fini(&spread);
    yk_physical_parts_free(&parts);
    yk_dofs_free(&own);
    return st;
}

/* ---- passivity control ---- */

/* Mass of the structure at degree of freedom i of a substructure; 0: not known. */
static double mass_at(const struct yk_model *e, size_t k, size_t i)
{
    const struct yk_matrix *map = &e->assembly->map[k];
    double size = 0, mass = 0;

    for (size_t a = 0; a < map->rows; a++) {
        const double t = yk_matrix_get(map, a, i);

        size += t * t;
        mass += t * t * yk_matrix_get(&e->assembly->system->M, a, a);
    }
    return size > 0 ? mass / size : 0;
}

/* Noise of the readings of an actuator; a rig outside this process always has some. */
static bool is_noisy(const struct yk_model *e, const char *actuator)
{
    static const char *const keys[] = {"displacement_noise", "force_noise"};
    const struct yk_node *rig = yk_node_get(e->tree, "rig"), *all = rig ? yk_node_get(rig, "actuators") : NULL,
                         *own = all ? yk_node_get(all, actuator) : NULL,
                         *sensors = own ? yk_node_get(own, "sensors") : NULL;

    for (size_t k = 0; sensors && k < 2; k++) {
        const struct yk_node *noise = yk_node_get(sensors, keys[k]);

        if (noise && noise->text && strtod(noise->text, NULL) > 0)
            return true;
    }
    return !yk_station_simulates(e->station);
}

enum yk_status yk_build_check_passivity(const struct yk_model *e, struct yk_err *err)
{
    const double h = yk_fine_step(e);

    for (size_t k = 0; k < e->substructure_count; k++) {
        struct yk_system *system = e->substructures[k].system;
        size_t first, count;

        if (!yk_is_physical(system))
            continue;
        count = yk_physical_actuators(system, &first);
        for (size_t i = 0; i < count; i++) {
            const struct yk_passivity_settings *p = yk_station_passivity(e->station, first + i);
            const char *name = yk_station_name(e->station, first + i);
            const struct yk_node *chain = yk_node_get(yk_node_get(e->tree, "transfer"), name),
                                 *map = chain ? yk_node_get(chain, "passivity") : NULL;
            const double mass = count == system->n ? mass_at(e, k, i) : 0;

            if (p->kind == YK_PASSIVITY_NONE || !map)
                continue;
            if (mass > 0 && p->most * h > 0.5 * mass)
                return yk_fail_at(err, YK_E_RANGE, map->key_where,
                                  "passivity of %s: most = %.4g N s/m could make the loop unstable by itself: with "
                                  "%.4g kg at the interface and a force every %g s, %.4g N s/m are allowed",
                                  name, p->most, mass, h, 0.5 * mass / h);
            if (p->kind == YK_PASSIVITY_STRICT && p->allow == 0 && is_noisy(e, name))
                yk_note(e->notes, map->key_where,
                        "passivity of %s: strict with allow: 0 reacts to the noise of the readings; set `allow` above "
                        "three times the work of the noise, or use kind: normalised",
                        name);
        }
    }
    return YK_OK;
}
