/* The section `substructures`: structures of matrices, assembled structures, and kinds with their own equations. */
#include "base/names.h"
#include "experiment/build.h"

#include "substructure/connected.h"
#include <yoke/plugin.h>
#include <yoke/reduction.h>

#include <stdlib.h>
#include <string.h>

struct common {
    int role, rate;
    char *kind;
};

const struct yk_param yk_keys_substructure[] = {
    YK_TEXT(struct common, kind, 0,
            "linear (default), assembled, frame, reduced, opensees, fmu, plugin, or a kind with its own equations"),
    YK_CHOICE(struct common, role, "numerical|physical", 0, "a model, or a specimen moved by actuators"),
    YK_CHOICE(struct common, rate, "coarse|fine", 0,
              "side of a coupling: coarse advances in system steps, fine in substeps"),
    YK_NODE("initial", "map", 0, "initial values by degree of freedom; the others start at zero"),
    YK_PARAM_END,
};

struct yk_field_context yk_build_context(const struct yk_model *e)
{
    return (struct yk_field_context){.directory = e->directory, .notes = e->notes, .force_means = YK_FORCE};
}

/* Says where the matrix that is at fault stands. */
enum yk_status yk_build_blame(const struct yk_node *map, struct yk_err *err)
{
    const struct yk_node *matrix = yk_node_get(map, err->subject);

    return yk_fail_within(err, matrix ? matrix->where : map->where, "%s: ", map->key);
}

/* ---- kinds with equations of their own ---- */

static enum yk_status build_kind(const struct yk_model *e, const struct yk_node *map, const struct yk_kind_ops *kind,
                                 bool plugin, struct yk_dofs *d, struct yk_system **system, struct yk_err *err)
{
    const struct yk_field_context context = yk_build_context(e);
    size_t n = 0;
    void *settings;
    double *state;
    enum yk_status st = YK_OK;

    while (kind->dofs[n])
        n++;
    settings = yk_param_block(kind->settings_size, kind->user);
    state = calloc(2 * n + 1, sizeof *state);
    d->names = calloc(n + 1, sizeof *d->names);
    if (!settings || !state || !d->names)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    for (; !st && d->n < n; d->n++)
        if (!(d->names[d->n] = strdup(kind->dofs[d->n])))
            st = yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!st)
        st = yk_build_known(map, map->key, plugin, kind->params, yk_keys_substructure, err);
    if (!st && !(st = yk_field_settings(map, kind->params, settings, &context, err))) {
        if (!(st = yk_dofs_initial(map, d, state, state + n, err)) &&
            (st = kind->create(settings, state, state + n, e->mem, system, err)))
            yk_fail_within(err, map->where, "%s: ", map->key);
        else if (!st)
            yk_arena_pointer(e->mem, &(*system)->self);
        yk_param_free(kind->params, settings);
    }
    free(settings);
    free(state);
    return st;
}

struct kind_cursor {
    bool named_plugin;
    const struct yk_builder_ops *const *model;
    const struct yk_kind_ops *const *at;
};

static const char *next_kind(void *self)
{
    struct kind_cursor *c = self;

    if (*c->model)
        return (*c->model++)->name;
    if (!c->named_plugin) {
        c->named_plugin = true;
        return "plugin";
    }
    return *c->at ? (*c->at++)->name : NULL;
}

void yk_part_free(struct yk_part *part)
{
    free(part->place);
    yk_names_free(&part->dof_index);
    free(part->support);
    if (part->ground)
        yk_ground_free(part->ground);
    free(part->ground);
    yk_matrix_fini(&part->coordinates);
    yk_probes_free(&part->probes);
    free(part->anchors.at);
    free(part->held.items);
    yk_frame_fini(&part->frame);
    free(part->index);
    for (size_t i = 0; i < part->sections.count; i++) {
        free(part->sections.items[i].name);
        yk_fibre_section_release(part->sections.items[i].fibres);
    }
    free(part->sections.items);
    yk_model_free_contents(part->source);
    *part = (struct yk_part){0};
}

/* A model by its kind. */
static enum yk_status build_model(const struct yk_model *e, const struct yk_node *map, bool massless, struct yk_dofs *d,
                                  struct yk_system **system, struct yk_part *extra, struct yk_err *err)
{
    const struct yk_node *kind = yk_node_get(map, "kind");
    const char *name = kind ? kind->text : "linear";
    const struct yk_builder_ops *model;
    const struct yk_kind_ops *own;
    const struct yk_plugin *plugin;
    enum yk_status st;
    char hint[96];

    if ((st = yk_field_type(map, YK_MAP, "a substructure as a map", err)) ||
        (kind && (st = yk_field_type(kind, YK_SCALAR, "the name of a kind", err))))
        return st;
    if ((model = yk_builder_find(name)))
        return model->build(e, map, massless || e->static_only, d, system, extra, err);
    if (yk_is_plugin(kind))
        return (st = yk_build_plugin(e, kind, map, "substructures", &plugin, err))
                   ? st
                   : build_kind(e, map, plugin->kind, true, d, system, err);
    if ((own = yk_kind_find(name)))
        return build_kind(e, map, own, false, d, system, err);
    return yk_fail_at(err, YK_E_INPUT, kind ? kind->where : map->where, "there is no kind of substructure '%s'%s", name,
                      yk_suggest(name, next_kind, &(struct kind_cursor){false, yk_builders, yk_kinds},
                                 "; see `yoke list substructures`", hint, sizeof hint));
}

enum yk_status yk_build_specimen_model(const struct yk_model *e, const struct yk_node *node, struct yk_dofs *d,
                                       struct yk_system **system, struct yk_err *err)
{
    struct yk_part extra = {0}; /* a specimen's own inertia is in what its load cells measure */
    const enum yk_status st = build_model(e, node, true, d, system, &extra, err);

    yk_part_free(&extra);
    return st;
}

/* Renames the degrees of freedom that the model shares with the substructure: "x" instead of "body.x". */
static enum yk_status rename_moved(const struct yk_node *map, const struct yk_node *specimen, struct yk_dofs *own,
                                   struct yk_err *err)
{
    struct yk_dofs dofs = {0};
    enum yk_status st = yk_dofs_read(yk_node_get(map, "dofs"), &dofs, err);
    size_t *moved = calloc(dofs.n + 1, sizeof *moved);

    if (!st && !moved)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!st)
        st = yk_build_find_moved(map, specimen, &dofs, own, moved, err);
    for (size_t i = 0; i < dofs.n && !st; i++) { /* the names change hands */
        char *name = own->names[moved[i]];

        own->names[moved[i]] = dofs.names[i];
        dofs.names[i] = name;
    }
    free(moved);
    yk_names_free(own->index);
    yk_dofs_free(&dofs);
    return st;
}

/* The springs of `connection`, with the names of the substructure for their ends; those of the specimen are called
 * "specimen.x" then. */
static enum yk_status connect_stand_in(const struct yk_model *e, const struct yk_node *map, struct yk_dofs *d,
                                       struct yk_system **system, struct yk_err *err)
{
    const struct yk_node *all = yk_node_get(map, "connection");
    const size_t count = all ? all->count : 0;
    char **names = realloc(d->names, (d->n + count + 1) * sizeof *names);
    size_t *dofs = calloc(count + 1, sizeof *dofs);
    double *stiffness = calloc(count + 1, sizeof *stiffness);
    enum yk_status st = YK_OK;

    d->names = names ? names : d->names;
    if (!names || !dofs || !stiffness)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t k = 0; k < count && !st; k++) {
        const struct yk_node *item = all->items[k];
        const long at = yk_dofs_find(d, item->key);
        char name[256];

        snprintf(name, sizeof name, "specimen.%s", item->key);
        dofs[k] = at < 0 ? 0 : (size_t)at;
        st = at < 0 ? yk_dofs_missing(item->key_where, item->key, d, err)
                    : yk_field_real(item, yk_dofs_quantity(item->key, YK_STIFFNESS), 1e-9, 1e18, &stiffness[k], err);
        if (!st && !(names[d->n + k] = names[dofs[k]], names[dofs[k]] = strdup(name)))
            st = yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    if (!st && count) {
        yk_names_free(d->index);
        free(d->place); /* the ends of the springs are nowhere */
        d->place = NULL;
        d->n += count;
        st = yk_connected_create(system, *system, count, dofs, stiffness, e->mem, err);
    }
    free(dofs);
    free(stiffness);
    return st;
}

/* The model of the rig instead of a specimen, with the specimen's start values and all of its mass: that which load
 * cells do not feel is in the estimate, except under equivalent force control, whose estimate has what they feel. */
static enum yk_status build_stand_in(const struct yk_model *e, const struct yk_node *map, struct yk_dofs *d,
                                     struct yk_system **system, struct yk_err *err)
{
    const bool felt = e->coupling && e->coupling->caps & YK_COUPLING_SPECIMENS;
    const struct yk_node *specimen;
    enum yk_status st;

    if ((st = yk_build_find_specimen(e, map, &specimen, err)) ||
        (st = yk_build_specimen_model(e, specimen, d, system, err)))
        return st;
    if ((st = rename_moved(map, specimen, d, err)) || (st = connect_stand_in(e, map, d, system, err)) ||
        (!felt && (st = yk_build_unfelt_mass(e, map, d, &(*system)->M, err))) ||
        (st = yk_dofs_initial(map, d, (*system)->u0, (*system)->v0, err)))
        if (*system)
            yk_system_destroy(*system);
    return st;
}

static enum yk_status build_one(const struct yk_model *e, const struct yk_node *map, struct yk_dofs *d,
                                struct yk_system **system, struct yk_part *extra, struct yk_err *err)
{
    const struct yk_node *role = yk_node_get(map, "role");
    enum yk_status st;

    if ((st = yk_field_type(map, YK_MAP, "a substructure as a map", err)) || (st = yk_check_name(map, map->key, err)) ||
        (role && (st = yk_field_type(role, YK_SCALAR, "a role", err))))
        return st;
    if (!role || strcmp(role->text, "numerical") == 0)
        return build_model(e, map, false, d, system, extra, err);
    if (strcmp(role->text, "physical") != 0)
        return yk_fail_at(err, YK_E_INPUT, role->where, "role = '%s' is not one of: numerical, physical", role->text);
    return yk_has_models_only(e) ? build_stand_in(e, map, d, system, err) : yk_build_physical(e, map, d, system, err);
}

static enum yk_status read_rate(const struct yk_node *map, bool *fine, struct yk_err *err)
{
    const struct yk_node *rate = yk_node_get(map, "rate");
    enum yk_status st;

    *fine = false;
    if (!rate)
        return YK_OK;
    if ((st = yk_field_type(rate, YK_SCALAR, "coarse or fine", err)))
        return st;
    *fine = strcmp(rate->text, "fine") == 0;
    if (!*fine && strcmp(rate->text, "coarse") != 0)
        return yk_fail_at(err, YK_E_INPUT, rate->where, "rate = '%s' is not one of: coarse, fine", rate->text);
    return YK_OK;
}

/* A system that keeps its past to itself has one. Some couplings need as many as their coarse side has sequences, and
 * some go along a path of the fine side twice. */
static enum yk_status check_memory(const struct yk_model *e, const struct yk_node *node, const struct yk_system *s,
                                   bool fine, struct yk_err *err)
{
    const struct yk_coupling_ops *c = e->coupling;

    if (!c || !s->ops->commit)
        return YK_OK;
    if (!fine && c->chains > 1 && !s->ops->follow)
        return yk_fail_at(err, YK_E_UNSUPPORTED, node->key_where,
                          "%s has one memory, but %s advances its coarse side in %d interleaved sequences, each with "
                          "its own history: put it on the other side (rate: fine), use gc, or give its kind 'follow'",
                          node->key, c->name, c->chains);
    if (fine && c->caps & YK_COUPLING_RETRACES && !(s->ops->mark && s->ops->rewind))
        return yk_fail_at(
            err, YK_E_UNSUPPORTED, node->key_where,
            "%s cannot go back, but %s corrects the path of its fine side afterwards: put it on the other "
            "side (rate: coarse), use gc, or give its kind 'mark' and 'rewind'",
            node->key, c->name);
    return YK_OK;
}

enum yk_status yk_build_substructures(struct yk_model *e, struct yk_err *err)
{
    const struct yk_node *section = yk_node_get(e->tree, "substructures");
    enum yk_status st;

    if ((st = yk_field_type(section, YK_MAP, "a map of substructures", err)))
        return st;
    if (section->count == 0)
        return yk_fail_at(err, YK_E_INPUT, section->where, "substructures is empty: at least one is needed");
    e->substructures = yk_arena_take(e->mem, section->count * sizeof *e->substructures);
    e->parts = calloc(section->count, sizeof *e->parts);
    if (!e->substructures || !e->parts)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = yk_has_models_only(e) ? yk_build_limits_of_models(e, err) : yk_build_station(e, err)))
        return st;
    for (size_t i = 0; i < section->count && !st; i++) {
        struct yk_substructure *s = &e->substructures[i];
        struct yk_part *part = &e->parts[i];
        struct yk_dofs d = {0};

        yk_arena_pointer(e->mem, &s->system);
        if (!(st = read_rate(section->items[i], &s->fine, err)))
            st = build_one(e, section->items[i], &d, &s->system, part, err);
        if (!st && !(s->name = strdup(section->items[i]->key))) {
            yk_system_destroy(s->system);
            st = yk_fail(err, YK_E_MEMORY, "out of memory");
        }
        if (st) {
            yk_part_free(part);
            yk_dofs_free(&d);
            break;
        }
        s->dofs = d.names;
        part->place = d.place;
        d.place = NULL;
        yk_dofs_forget(&d);
        st = check_memory(e, section->items[i], s->system, s->fine, err);
        e->substructure_count++;
    }
    return st;
}
