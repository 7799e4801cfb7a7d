/* The virtual rig: its actuators, and specimen models with their setups. */
#include "experiment/channels.h"
#include "experiment/virtual.h"

#include "experiment/components.h"
#include "experiment/setup.h"

#include <stdlib.h>
#include <string.h>

/* The name of the first that moves it. */
static const char *first_actuator(const struct yk_specimen_plan *plan)
{
    const struct yk_node *all = yk_node_get(plan->map, "actuators");

    return all->items[0]->text;
}

/* How the actuators of a specimen really move it, where the rig says. */
static const struct yk_node *real_setup(const struct yk_model *e, const struct yk_specimen_plan *plan)
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

enum yk_status yk_build_check_specimens(const struct yk_station_plan *plan, const struct yk_node *rig,
                                        struct yk_err *err)
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

/* Which of its degrees of freedom the actuators from `first` on move, and which ones they load. */
static enum yk_status sort_actuators(const struct yk_specimen_plan *plan, const struct yk_station_parts *parts,
                                     size_t first, struct yk_virtual_specimen *specimen, struct yk_err *err)
{
    const size_t dofs = plan->dofs.n;

    specimen->movers = calloc(plan->count + 1, sizeof *specimen->movers);
    specimen->loaders = calloc(plan->count + plan->loaded + 1, sizeof *specimen->loaders);
    if (!specimen->movers || !specimen->loaders)
        return yk_fail(err, YK_E_MEMORY, "out of memory for a specimen");
    for (size_t i = 0; i < plan->count; i++) {
        if (parts->actuators[plan->first + i].limits.kind != YK_BY_FORCE) {
            specimen->movers[specimen->count++] = first + i;
            continue;
        }
        specimen->loaders[specimen->loaded_count] = first + i; /* without a setup: degree of freedom i */
        specimen->loaded[specimen->loaded_count++] = specimen->moved[i];
    }
    if (specimen->loaded_count) {
        specimen->moved_count = specimen->count;
        for (size_t i = 0; i < specimen->count; i++)
            specimen->moved[i] = specimen->moved[specimen->movers[i] - first];
    }
    for (size_t i = 0; i < plan->loaded; i++) {
        specimen->loaders[specimen->loaded_count] = first + plan->count + i;
        specimen->loaded[specimen->loaded_count++] = specimen->loaded[dofs + i];
    }
    return YK_OK;
}

/* The model that plays a specimen, and how the actuators move it. */
static enum yk_status build_specimen(const struct yk_model *e, const struct yk_station_plan *station,
                                     const struct yk_station_parts *parts, const struct yk_specimen_plan *plan,
                                     size_t first, struct yk_virtual_specimen *specimen, struct yk_calibration *real,
                                     struct yk_err *err)
{
    struct yk_dofs own = {0};
    const struct yk_node *node, *setup;
    enum yk_status st;

    if ((st = yk_build_find_specimen(e, plan->map, &node, err)) ||
        (st = yk_build_specimen_model(e, node, &own, &specimen->model, err))) {
        yk_dofs_free(&own);
        return st;
    }
    specimen->where = node->where;
    specimen->names = own.names;
    specimen->moved_count = plan->dofs.n;
    specimen->moved = calloc(plan->dofs.n, sizeof *specimen->moved);
    specimen->loaded = calloc(plan->dofs.n + plan->loaded, sizeof *specimen->loaded);
    st = specimen->moved && specimen->loaded
             ? yk_build_find_moved(plan->map, node, &plan->dofs, &own, specimen->moved, err)
             : yk_fail(err, YK_E_MEMORY, "out of memory for a specimen");
    if (!st)
        st = yk_build_find_moved(plan->map, node, &plan->loads, &own, specimen->loaded + plan->dofs.n, err);
    if (!st)
        st = sort_actuators(plan, parts, first, specimen, err);
    yk_dofs_forget(&own);
    if (st)
        return st;
    if (!(setup = real_setup(e, plan)) && !(setup = yk_node_get(plan->map, "setup")))
        return YK_OK;
    return yk_build_setup(setup, yk_node_get(e->tree, "channels"), &plan->dofs, plan->count,
                          station->names + plan->first, &specimen->setup, real + plan->first, e->mem, err);
}

/* Is the actuator moved by the rig of the section (NULL: of any)? */
bool yk_build_is_of(const struct yk_model *e, const struct yk_node *section, const char *name)
{
    return !section || yk_build_rig_of(e, name) == section;
}

/* Devices that count as the file says: by `channels` where the file names the virtual rig, and by the setups. */
static enum yk_status calibrate(const struct yk_model *e, const struct yk_station_parts *parts,
                                struct yk_virtual_rig *rig, const struct yk_calibration *told,
                                const struct yk_calibration *real, const size_t *global, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < rig->count && !st; i++) {
        struct yk_virtual_actuator *a = &rig->actuators[i];
        const enum yk_command_kind kind = parts->actuators[global[i]].limits.kind;
        struct yk_calibration device = real[global[i]], counts = yk_calibration_none();

        device.sent.command = device.read[kind];
        if (!(st = yk_build_channels_of_virtual(e, parts, global[i], &counts, err))) {
            a->told = yk_calibration_chain(&counts, &told[global[i]]);
            a->real = yk_calibration_chain(&counts, &device);
            a->calibrated = !yk_calibration_is_none(&a->told) || !yk_calibration_is_none(&a->real);
        }
    }
    return st;
}

/* The virtual rig of a section, or (NULL) of all of them together. */
enum yk_status yk_build_virtual_rig(const struct yk_model *e, const struct yk_station_plan *plan,
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
        real[i] = yk_calibration_none();
    for (size_t i = 0; i < plan->actuator_count && !st; i++)
        if (yk_build_is_of(e, section, plan->names[i])) {
            names[rig->count] = plan->names[i];
            global[rig->count] = i;
            st = yk_build_virtual_actuator(e, plan->actuators[i], plan->names[i], &parts->actuators[i],
                                           &rig->actuators[rig->count], err);
            rig->count++;
        }
    for (size_t k = 0, first = 0; k < plan->specimen_count && !st; k++)
        if (yk_build_is_of(e, section, plan->names[plan->specimens[k].first])) {
            st = build_specimen(e, plan, parts, &plan->specimens[k], first, &rig->specimens[rig->specimen_count], real,
                                err);
            first += plan->specimens[k].count + plan->specimens[k].loaded;
            rig->specimen_count++;
        }
    if (!st)
        st = calibrate(e, parts, rig, told, real, global, err);
    if (!st && !(st = yk_build_joint_plants(e, section, names, rig, err)))
        st = yk_build_virtual_sensors(e, section, names, rig, err);
end:
    free(real);
    free(names);
    free(global);
    return st;
}
