/* The section `loads`: a signal on a degree of freedom, or as motion of the ground. */
#include "experiment/build.h"

#include "base/notes.h"
#include "base/rotation.h"
#include "transfer/station.h"

#include <yoke/plugin.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct duration {
    bool permanent;
};

const struct yk_param yk_keys_load[] = {
    YK_NODE("on", "substructure.dof", 0, "degree of freedom the force acts on"),
    YK_NODE("ground", "substructure, list of them, or all", 0, "the signal is a ground acceleration: force -M b a(t)"),
    YK_NODE(
        "influence", "map of degree of freedom to factor", 0,
        "b: displacement of each degree of freedom per unit of ground displacement; x stands for the x of every node"),
    YK_NODE("kind", "name of a signal", YK_REQUIRED, "see `yoke list signals`"),
    YK_FLAG(struct duration, permanent, 0,
            "the run starts in equilibrium with this load, such as the weight; needs a constant signal"),
    YK_PARAM_END,
};
static const struct yk_param duration_keys[] = {
    YK_FLAG(struct duration, permanent, 0, ""),
    YK_PARAM_END,
};

static const char *next_signal(void *self)
{
    const struct yk_signal_ops *const **at = self;

    return **at ? (*(*at)++)->name : NULL;
}

static enum yk_status find_signal(const struct yk_model *e, const struct yk_node *node,
                                  const struct yk_signal_ops **signal, struct yk_err *err)
{
    const struct yk_signal_ops *const *cursor = yk_signals;
    const struct yk_node *kind = yk_node_get(node, "kind");
    const struct yk_plugin *plugin;
    enum yk_status st;
    char hint[96];

    if (!kind)
        return yk_fail_at(err, YK_E_INPUT, node->where,
                          "missing 'kind': the signal of the load, see `yoke list signals`");
    if ((st = yk_field_type(kind, YK_SCALAR, "the name of a signal", err)))
        return st;
    if (yk_is_plugin(kind)) {
        if (!(st = yk_build_plugin(e, kind, node, "signals", &plugin, err)))
            *signal = plugin->signal;
        return st;
    }
    if (!(*signal = yk_signal_find(kind->text)))
        return yk_fail_at(err, YK_E_INPUT, kind->where, "there is no signal '%s'%s", kind->text,
                          yk_suggest(kind->text, next_signal, &cursor, "; see `yoke list signals`", hint, sizeof hint));
    return YK_OK;
}

enum yk_status yk_build_signal(const struct yk_model *e, const struct yk_node *node, const struct yk_param *keys,
                               enum yk_quantity means, const struct yk_signal_ops **signal, void **settings,
                               struct yk_err *err)
{
    const struct yk_field_context context = {.directory = e->directory, .notes = e->notes, .force_means = means};
    enum yk_status st;

    *settings = NULL;
    if ((st = find_signal(e, node, signal, err)) ||
        (st = yk_build_known(node, node->key, yk_is_plugin(yk_node_get(node, "kind")), keys, (*signal)->params, err)))
        return st;
    if (!(*settings = yk_param_block((*signal)->settings_size, (*signal)->user)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = yk_field_settings(node, (*signal)->params, *settings, &context, err)))
        return st;
    if ((*signal)->prepare && (st = (*signal)->prepare(*settings, e->time.end, err)))
        yk_fail_within(err, node->where, "%s", "");
    return st;
}

/* One load on one substructure; `dof` < 0: ground motion. */
static enum yk_status add_load(struct yk_model *e, const struct yk_node *node, size_t entry, size_t substructure,
                               long dof, struct yk_err *err)
{
    const struct yk_substructure *s = &e->substructures[substructure];
    struct yk_load *loads = realloc(e->loads, (e->load_count + 1) * sizeof *loads);
    struct yk_load *load;
    enum yk_status st;

    if (!loads)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    e->loads = loads;
    load = &loads[e->load_count++];
    *load = (struct yk_load){.substructure = substructure, .entry = entry, .ground = dof < 0};
    if ((st = yk_build_signal(e, node, yk_keys_load,
                              dof < 0 ? yk_quantity_of(YK_ACCELERATION, yk_build_ground_sense(node, s))
                                      : yk_dofs_quantity(s->dofs[dof], YK_FORCE),
                              &load->signal, &load->settings, err)))
        return st;
    if (!(load->direction = calloc(s->system->n, sizeof *load->direction)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (dof < 0)
        return yk_build_ground_direction(e, node, substructure, load->direction, err);
    load->direction[dof] = 1;
    return YK_OK;
}

/* Refuses a ground motion if an actuator is commanded by velocity or acceleration: its displacements are absolute, not
 * relative to the ground. */
static enum yk_status check_absolute(const struct yk_model *e, const struct yk_node *load, struct yk_err *err)
{
    for (size_t i = 0; i < yk_station_count(e->station); i++)
        if (yk_command_is_rate(yk_station_kind(e->station, i)))
            return yk_fail_at(err, YK_E_UNSUPPORTED, load->where,
                              "actuator '%s' is commanded by %s, which is that of absolute displacements, and a ground "
                              "motion makes them relative; load the lowest storey with k u_g + c v_g instead",
                              yk_station_name(e->station, i), yk_command_word(yk_station_kind(e->station, i)));
    return YK_OK;
}

static enum yk_status add_ground(struct yk_model *e, const struct yk_node *node, size_t entry,
                                 const struct yk_node *ground, struct yk_err *err)
{
    const bool list = ground->type == YK_LIST, all = ground->type == YK_SCALAR && strcmp(ground->text, "all") == 0;
    const size_t count = all ? e->substructure_count : list ? ground->count : 1;
    enum yk_status st = YK_OK;

    if (count == 0)
        return yk_fail_at(err, YK_E_INPUT, ground->where, "ground names no substructure");
    for (size_t i = 0; i < count && !st; i++) {
        const struct yk_node *name = list ? ground->items[i] : ground;
        size_t substructure = i;

        if (!all && ((st = yk_field_type(name, YK_SCALAR, "the name of a substructure", err)) ||
                     (st = yk_build_find_substructure(e, name->where, name->text, &substructure, err))))
            return st;
        for (size_t k = 0; list && k < i; k++)
            if (strcmp(ground->items[k]->text, name->text) == 0)
                return yk_fail_at(err, YK_E_INPUT, name->where, "'%s' is named twice", name->text);
        st = add_load(e, node, entry, substructure, -1, err);
    }
    return st;
}

enum yk_status yk_build_loads(struct yk_model *e, struct yk_err *err)
{
    const struct yk_node *section = yk_node_get(e->tree, "loads");
    enum yk_status st = section ? yk_field_type(section, YK_LIST, "a list of loads", err) : YK_OK;

    for (size_t i = 0; section && i < section->count && !st; i++) {
        const struct yk_node *node = section->items[i], *on = yk_node_get(node, "on"),
                             *ground = yk_node_get(node, "ground");
        size_t substructure, dof;

        if ((st = yk_field_type(node, YK_MAP, "a load as a map", err)))
            return st;
        if (!on == !ground)
            return yk_fail_at(err, YK_E_INPUT, node->where,
                              "a load has either 'on' (a force) or 'ground' (an acceleration)");
        if (ground) {
            if ((st = check_absolute(e, node, err)))
                return st;
            st = add_ground(e, node, i, ground, err);
            continue;
        }
        if (yk_node_get(node, "influence"))
            return yk_fail_at(err, YK_E_INPUT, yk_node_get(node, "influence")->key_where,
                              "'influence' is for a ground motion, but 'on' is a force");
        if ((st = yk_field_type(on, YK_SCALAR, "substructure.dof", err)) ||
            (st = yk_build_find_dof(e, on->where, on->text, &substructure, &dof, err)))
            return st;
        st = add_load(e, node, i, substructure, (long)dof, err);
    }
    return st;
}

static bool is_specimen(const struct yk_model *e, size_t k)
{
    const struct yk_node *section = yk_node_get(e->tree, "substructures"),
                         *role = yk_node_get(section->items[k], "role");

    return role && strcmp(role->text, "physical") == 0;
}

/* Adds the permanent loads on models to f, of an assembly with these maps; NULL: none is added. *first: an entry of the
 * file with such a load; NULL: there is none. A configuration-dependent mass knows no forces. */
static enum yk_status add_permanent(const struct yk_model *e, const struct yk_matrix *const *map, double *f,
                                    const struct yk_node **first, struct yk_err *err)
{
    const struct yk_node *section = yk_node_get(e->tree, "loads");
    enum yk_status st = YK_OK;

    *first = NULL;
    for (size_t i = 0; !e->static_only && i < e->load_count && !st; i++) {
        const struct yk_load *load = &e->loads[i];
        const struct yk_node *node = section->items[load->entry];
        struct duration duration;

        if ((st = yk_field_settings(node, duration_keys, &duration,
                                    &(struct yk_field_context){.directory = "", .force_means = YK_FORCE}, err)) ||
            !duration.permanent)
            continue;
        for (size_t k = 0; k < e->substructure_count; k++)
            if (e->substructures[k].system->mass_divided_out)
                return yk_fail_at(err, YK_E_UNSUPPORTED, node->where,
                                  "a permanent load needs models of matrices and elements; '%s' is none",
                                  e->substructures[k].name);
        *first = *first ? *first : node;
        if (map && map[load->substructure])
            yk_matrix_add_product(map[load->substructure], load->signal->value(load->settings, 0), load->direction, f);
    }
    return st;
}

enum yk_status yk_build_equilibrium(struct yk_model *e, struct yk_err *err)
{
    const struct yk_matrix **map = calloc(e->substructure_count + 1, sizeof *map);
    double *f = calloc(e->assembly->system ? e->assembly->system->n : 1, sizeof *f);
    const struct yk_node *first = NULL;
    enum yk_status st = f && map ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
    bool specimens = false;

    for (size_t k = 0; k < e->substructure_count && !st; k++) {
        map[k] = e->assembly->map ? &e->assembly->map[k] : NULL;
        specimens |= is_specimen(e, k);
    }
    if (!st && !specimens && !(st = add_permanent(e, map, f, &first, err)) && first &&
        (st = yk_assembly_settle(e->assembly, e->substructures, f, NULL, err)))
        yk_fail_within(err, first->where, "%s", "");
    free(map);
    free(f);
    return st;
}

/* ---- beside a specimen ----------------------------------------------------------------------------------------- */

/* The models alone: their degrees of freedom that interfaces join to specimens are held. */
struct alone {
    struct yk_substructure *models;
    size_t *number, count; /* of each substructure among the models; SIZE_MAX: a specimen */
    struct yk_row *rows;
    size_t row_count;
    size_t (*held)[2], holds; /* model and degree of freedom */
    const struct yk_matrix **map;
    struct yk_assembly assembly;
};

static void free_alone(struct alone *a)
{
    for (size_t i = 0; i < a->row_count; i++)
        free(a->rows[i].substructure);
    yk_assembly_destroy(&a->assembly);
    free(a->models);
    free(a->number);
    free(a->rows);
    free(a->held);
    free(a->map);
}

/* A row between models, or one between a specimen and a degree of freedom of a model, which is held. */
static enum yk_status add_row(const struct yk_model *e, struct alone *a, const struct yk_row *row, struct yk_err *err)
{
    size_t *numbers = calloc(row->count + 1, sizeof *numbers), specimens = 0, at = 0;

    if (!numbers)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t j = 0; j < row->count; j++) {
        numbers[j] = a->number[row->substructure[j]];
        specimens += numbers[j] == SIZE_MAX;
        at = numbers[j] == SIZE_MAX ? at : j;
    }
    if (!specimens) {
        a->rows[a->row_count] = *row;
        a->rows[a->row_count++].substructure = numbers;
        return YK_OK;
    }
    free(numbers);
    if (row->count - specimens > 1)
        return yk_fail_at(
            err, YK_E_UNSUPPORTED, row->where,
            "beside a specimen, which is held while the permanent loads are applied, each row may join one "
            "degree of freedom of a model with it; %zu stand here",
            row->count - specimens);
    bool again = specimens == row->count;

    for (size_t i = 0; i < a->holds; i++)
        again |= a->held[i][0] == row->substructure[at] && a->held[i][1] == row->dof[at];
    if (!again) {
        a->held[a->holds][0] = row->substructure[at];
        a->held[a->holds++][1] = row->dof[at];
    }
    return YK_OK;
}

static enum yk_status stand_alone(struct yk_model *e, struct alone *a, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    a->models = calloc(e->substructure_count, sizeof *a->models);
    a->number = calloc(e->substructure_count, sizeof *a->number);
    a->map = calloc(e->substructure_count, sizeof *a->map);
    a->rows = calloc(e->row_count + 1, sizeof *a->rows);
    a->held = calloc(e->row_count + 1, sizeof *a->held);
    if (!a->models || !a->number || !a->map || !a->rows || !a->held)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t k = 0; k < e->substructure_count; k++) {
        a->number[k] = is_specimen(e, k) ? SIZE_MAX : a->count;
        if (a->number[k] != SIZE_MAX)
            a->models[a->count++] = e->substructures[k];
    }
    for (size_t i = 0; i < e->row_count && !st; i++)
        st = add_row(e, a, &e->rows[i], err);
    if (st || !a->count)
        return st;
    if ((st = yk_assembly_create(&a->assembly, a->models, a->count, a->rows, a->row_count, NULL, err)))
        return st;
    for (size_t k = 0; k < e->substructure_count; k++)
        a->map[k] = a->number[k] == SIZE_MAX ? NULL : &a->assembly.map[a->number[k]];
    return YK_OK;
}

/* The force that held a degree of freedom goes on as a constant load. */
static enum yk_status keep_force(struct yk_model *e, const struct yk_node *first, const size_t *held, double force,
                                 struct yk_err *err)
{
    const struct yk_signal_ops *constant = yk_signal_find("constant");
    const struct yk_substructure *s = &e->substructures[held[0]];
    struct yk_load *loads = realloc(e->loads, (e->load_count + 1) * sizeof *loads), *load;
    const struct yk_node *section = yk_node_get(e->tree, "loads");
    enum yk_status st;

    if (!loads)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    e->loads = loads;
    load = &loads[e->load_count];
    *load = (struct yk_load){.signal = constant, .substructure = held[0]};
    while (section->items[load->entry] != first)
        load->entry++;
    load->direction = calloc(s->system->n, sizeof *load->direction);
    if (!(st = yk_param_settings(constant->params, constant->settings_size, &load->settings, err)) &&
        !(st = yk_param_set(constant->params, load->settings, "amplitude", force, err)) && !load->direction)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    if (st) {
        yk_signal_free(constant, load->settings);
        free(load->direction);
        return st;
    }
    load->direction[held[1]] = 1;
    e->load_count++;
    yk_note(e->notes, first->where,
            "the specimen is held where it was installed while the permanent loads are applied; the force that holds "
            "%s.%s there, %.6g %s, goes on acting",
            s->name, s->dofs[held[1]], force, yk_is_rotation(s->dofs[held[1]]) ? "N m" : "N");
    return YK_OK;
}

/* Each is one degree of freedom of the assembly: `place`. */
static enum yk_status find_held(const struct yk_model *e, const struct alone *a, bool *at, size_t *place,
                                struct yk_err *err)
{
    for (size_t i = 0; i < a->holds; i++) {
        const struct yk_matrix *map = a->map[a->held[i][0]];
        size_t places = 0;

        for (size_t j = 0; j < a->assembly.system->n; j++)
            if (yk_matrix_get(map, j, a->held[i][1]) != 0) {
                place[i] = j;
                places++;
            }
        if (places != 1)
            return yk_fail(err, YK_E_UNSUPPORTED,
                           "permanent loads beside a specimen: %s.%s follows %zu degrees of freedom; join the specimen "
                           "with one that is free",
                           e->substructures[a->held[i][0]].name, e->substructures[a->held[i][0]].dofs[a->held[i][1]],
                           places);
        at[place[i]] = true;
    }
    return YK_OK;
}

static enum yk_status settle_alone(struct yk_model *e, struct alone *a, struct yk_err *err)
{
    const size_t n = a->assembly.system->n;
    double *f = calloc(2 * n + 1, sizeof *f);
    struct yk_hold held = {.at = calloc(n + 1, sizeof(bool)), .force = f + n};
    size_t *place = calloc(a->holds + 1, sizeof *place);
    const struct yk_node *first = NULL;
    enum yk_status st = f && held.at && place ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (!st && !(st = find_held(e, a, held.at, place, err)) && !(st = add_permanent(e, a->map, f, &first, err)) &&
        (st = yk_assembly_settle(&a->assembly, a->models, f, &held, err)))
        yk_fail_within(err, first->where, "%s", "");
    for (size_t i = 0; i < a->holds && !st; i++)
        st = keep_force(e, first, a->held[i],
                        held.force[place[i]] / yk_matrix_get(a->map[a->held[i][0]], place[i], a->held[i][1]), err);
    free(place);
    free(held.at);
    free(f);
    return st;
}

enum yk_status yk_build_held_equilibrium(struct yk_model *e, struct yk_err *err)
{
    struct alone a = {0};
    const struct yk_node *first = NULL;
    bool specimens = false;
    enum yk_status st;

    for (size_t k = 0; k < e->substructure_count; k++)
        specimens |= is_specimen(e, k);
    if (!specimens || (st = add_permanent(e, NULL, NULL, &first, err)) || !first)
        return !specimens ? YK_OK : st;
    if (!(st = stand_alone(e, &a, err)) && a.count)
        st = settle_alone(e, &a, err);
    free_alone(&a);
    return st;
}
