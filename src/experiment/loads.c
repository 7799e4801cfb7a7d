/* The section `loads`: a signal on a degree of freedom, or as motion of the ground. */
#include "experiment/build.h"

#include "transfer/station.h"

#include <yoke/plugin.h>

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

static enum yk_status find_signal(const struct yk_experiment *e, const struct yk_node *node,
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

enum yk_status yk_build_signal(const struct yk_experiment *e, const struct yk_node *node, const struct yk_param *keys,
                               enum yk_quantity means, const struct yk_signal_ops **signal, void **settings,
                               struct yk_err *err)
{
    const struct yk_field_context context = {.directory = e->directory, .notes = e->notes, .force_means = means};
    enum yk_status st;

    *settings = NULL;
    if ((st = find_signal(e, node, signal, err)) ||
        (st = yk_build_known(node, node->key, yk_is_plugin(yk_node_get(node, "kind")), keys, (*signal)->params, err)))
        return st;
    if (!(*settings = calloc(1, (*signal)->settings_size + 1)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = yk_field_settings(node, (*signal)->params, *settings, &context, err)))
        return st;
    if ((*signal)->prepare && (st = (*signal)->prepare(*settings, e->time.end, err)))
        yk_fail_within(err, node->where, "%s", "");
    return st;
}

/* One load on one substructure; `dof` < 0: ground motion. */
static enum yk_status add_load(struct yk_experiment *e, const struct yk_node *node, size_t entry, size_t substructure,
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

/* What stands on a table that is commanded by acceleration moves in absolute coordinates. */
static enum yk_status check_absolute(const struct yk_experiment *e, const struct yk_node *load, struct yk_err *err)
{
    for (size_t i = 0; i < yk_station_count(e->station); i++)
        if (yk_command_is_rate(yk_station_kind(e->station, i)))
            return yk_fail_at(err, YK_E_UNSUPPORTED, load->where,
                              "actuator '%s' is commanded by %s, which is that of absolute displacements, and a ground "
                              "motion makes them relative; load the lowest storey with k u_g + c v_g instead",
                              yk_station_name(e->station, i), yk_command_word(yk_station_kind(e->station, i)));
    return YK_OK;
}

static enum yk_status add_ground(struct yk_experiment *e, const struct yk_node *node, size_t entry,
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

enum yk_status yk_build_loads(struct yk_experiment *e, struct yk_err *err)
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

/* Physical substructures cannot be moved before the run, and a configuration-dependent mass knows no forces. */
static enum yk_status check_models(const struct yk_experiment *e, const struct yk_node *load, struct yk_err *err)
{
    const struct yk_node *section = yk_node_get(e->tree, "substructures");

    for (size_t k = 0; k < e->substructure_count; k++) {
        const struct yk_node *role = yk_node_get(section->items[k], "role");

        if (role && strcmp(role->text, "physical") == 0)
            return yk_fail_at(err, YK_E_UNSUPPORTED, load->where,
                              "a permanent load is in equilibrium before the run begins, but specimen '%s' cannot be "
                              "moved before it; apply the load at the start of the run instead: kind: ramp, amplitude, "
                              "to: several periods, without 'permanent'",
                              e->substructures[k].name);
        if (e->substructures[k].system->mass_divided_out)
            return yk_fail_at(err, YK_E_UNSUPPORTED, load->where,
                              "a permanent load needs models of matrices and elements; '%s' is none",
                              e->substructures[k].name);
    }
    return YK_OK;
}

enum yk_status yk_build_equilibrium(struct yk_experiment *e, struct yk_err *err)
{
    const struct yk_node *section = yk_node_get(e->tree, "loads"), *first = NULL;
    double *f = calloc(e->assembly.system ? e->assembly.system->n : 1, sizeof *f);
    enum yk_status st = f ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    for (size_t i = 0; i < e->load_count && !st; i++) {
        const struct yk_load *load = &e->loads[i];
        const struct yk_node *node = section->items[load->entry];
        struct duration duration;

        if ((st = yk_field_settings(node, duration_keys, &duration,
                                    &(struct yk_field_context){.directory = "", .force_means = YK_FORCE}, err)) ||
            !duration.permanent || (st = check_models(e, node, err)))
            continue;
        first = first ? first : node;
        yk_matrix_add_product(&e->assembly.map[load->substructure], load->signal->value(load->settings, 0),
                              load->direction, f);
    }
    if (!st && first && (st = yk_assembly_settle(&e->assembly, e->substructures, f, err)))
        yk_fail_within(err, first->where, "%s", "");
    free(f);
    return st;
}
