/* The section `interfaces`, and the names of degrees of freedom across substructures. */
#include "base/names.h"
#include "experiment/build.h"

#include "transfer/physical.h"

#include <stdlib.h>
#include <string.h>

struct extra {
    char *name;
    double mass_fraction;
};

const struct yk_param yk_keys_interface[] = {
    YK_NODE("join", "list of two names", 0, "two degrees of freedom that are tied, [A.x, B.x]: A.x - B.x = 0"),
    YK_NODE("row", "map of name to factor", 0, "a general row, {A.x: 1, B.y: -0.5}: the sum is zero"),
    YK_TEXT(struct extra, name, 0, "name of its multiplier: channel lambda.<name>; default its number from 0"),
    YK_REAL(struct extra, mass_fraction, YK_NUMBER, 0, 0, 0.999999,
            "fraction of the mass at the first degree of freedom of a join that is moved to the second"),
    YK_PARAM_END,
};

struct cursor {
    const struct yk_model *e;
    const struct yk_substructure *s;
    size_t at;
};

static const char *next_substructure(void *self)
{
    struct cursor *c = self;

    return c->at < c->e->substructure_count ? c->e->substructures[c->at++].name : NULL;
}

static const char *next_dof(void *self)
{
    struct cursor *c = self;

    return c->at < c->s->system->n ? c->s->dofs[c->at++] : NULL;
}

enum yk_status yk_build_find_substructure(const struct yk_model *e, struct yk_where where, const char *name,
                                          size_t *substructure, struct yk_err *err)
{
    char hint[96];

    for (*substructure = 0; *substructure < e->substructure_count; ++*substructure)
        if (strcmp(e->substructures[*substructure].name, name) == 0)
            return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, where, "there is no substructure '%s'%s", name,
                      yk_suggest(name, next_substructure, &(struct cursor){.e = e}, "", hint, sizeof hint));
}

enum yk_status yk_build_find_dof(const struct yk_model *e, struct yk_where where, const char *name,
                                 size_t *substructure, size_t *dof, struct yk_err *err)
{
    const char *dot = strchr(name, '.');
    char *first, hint[96];
    enum yk_status st;

    if (!dot)
        return yk_fail_at(err, YK_E_INPUT, where,
                          "'%s' must name a substructure and a degree of freedom, such as "
                          "frame.x",
                          name);
    if (!(first = strndup(name, (size_t)(dot - name))))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    st = yk_build_find_substructure(e, where, first, substructure, err);
    free(first);
    if (st)
        return st;
    const struct yk_substructure *s = &e->substructures[*substructure];
    const long at = yk_names_find(&e->parts[*substructure].dof_index, s->dofs, sizeof *s->dofs, s->system->n, dot + 1);
    *dof = (size_t)at;
    if (at >= 0)
        return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, where, "%s has no degree of freedom '%s'%s", s->name, dot + 1,
                      yk_suggest(dot + 1, next_dof, &(struct cursor){.s = s}, "", hint, sizeof hint));
}

static enum yk_status read_join(const struct yk_model *e, const struct yk_node *join, struct yk_row *row,
                                struct yk_err *err)
{
    if (join->type != YK_LIST || join->count != 2)
        return yk_fail_at(err, YK_E_INPUT, join->where, "join must name two degrees of freedom, such as [A.x, B.x]");
    for (size_t i = 0; i < 2; i++) {
        enum yk_status st;

        if ((st = yk_field_type(join->items[i], YK_SCALAR, "a name", err)) ||
            (st = yk_build_find_dof(e, join->items[i]->where, join->items[i]->text, &row->substructure[i], &row->dof[i],
                                    err)))
            return st;
        row->coefficient[i] = i ? -1 : 1;
    }
    if (row->substructure[0] == row->substructure[1] && row->dof[0] == row->dof[1])
        return yk_fail_at(err, YK_E_INPUT, join->where, "'%s' is joined with itself", join->items[0]->text);
    return YK_OK;
}

static enum yk_status read_row(const struct yk_model *e, const struct yk_node *map, struct yk_row *row,
                               struct yk_err *err)
{
    for (size_t i = 0; i < map->count; i++) {
        enum yk_status st;

        if ((st = yk_build_find_dof(e, map->items[i]->key_where, map->items[i]->key, &row->substructure[i],
                                    &row->dof[i], err)) ||
            (st = yk_field_real(map->items[i], YK_NUMBER, -1e12, 1e12, &row->coefficient[i], err)))
            return st;
        if (row->coefficient[i] == 0)
            return yk_fail_at(err, YK_E_RANGE, map->items[i]->where, "factor of %s is zero; leave it out",
                              map->items[i]->key);
    }
    return YK_OK;
}

static enum yk_status read_interface(const struct yk_model *e, const struct yk_node *node, struct yk_row *row,
                                     struct extra *extra, struct yk_err *err)
{
    const struct yk_node *join, *general;
    enum yk_status st;
    size_t count;

    if ((st = yk_field_type(node, YK_MAP, "an interface as a map", err)) ||
        (st = yk_field_known(node, yk_keys_interface, NULL, err)))
        return st;
    join = yk_node_get(node, "join");
    general = yk_node_get(node, "row");
    if (!join == !general)
        return yk_fail_at(err, YK_E_INPUT, node->where, "an interface has either 'join' or 'row'");
    if (general && (general->type != YK_MAP || general->count < 2))
        return yk_fail_at(err, YK_E_INPUT, general->where,
                          "row must be a map of at least two degrees of freedom to factors");
    if ((st = yk_field_settings(node, yk_keys_interface, extra,
                                &(struct yk_field_context){.directory = "", .force_means = YK_FORCE}, err)))
        return st;
    count = join ? 2 : general->count;
    row->where = (join ? join : general)->where;
    row->substructure = calloc(count, sizeof *row->substructure);
    row->dof = calloc(count, sizeof *row->dof);
    row->coefficient = calloc(count, sizeof *row->coefficient);
    row->count = count;
    if (!row->substructure || !row->dof || !row->coefficient)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    return join ? read_join(e, join, row, err) : read_row(e, general, row, err);
}

/* Loads come after the interfaces, so inertia loads follow the mass. */
static enum yk_status move_mass(struct yk_model *e, const struct yk_node *node, const struct yk_row *row,
                                double fraction, double *moved, struct yk_err *err)
{
    const struct yk_node *key = yk_node_get(node, "mass_fraction");
    struct yk_substructure *from = &e->substructures[row->substructure[0]];
    double before;

    if (fraction == 0)
        return YK_OK;
    if (!yk_node_get(node, "join"))
        return yk_fail_at(err, YK_E_INPUT, key->where, "mass_fraction goes with join, not with a general row");
    before = yk_matrix_get(&from->system->M, row->dof[0], row->dof[0]);
    if (yk_transfer_mass(from, row->dof[0], &e->substructures[row->substructure[1]], row->dof[1], fraction, err))
        return yk_fail_within(err, key->where, "%s", "");
    *moved = before - yk_matrix_get(&from->system->M, row->dof[0], row->dof[0]);
    yk_build_ground_mass(e, row->substructure[0], row->dof[0], -*moved);
    yk_build_ground_mass(e, row->substructure[1], row->dof[1], *moved);
    return YK_OK;
}

bool yk_model_return_mass(struct yk_model *e)
{
    bool any = false;

    for (size_t i = 0; i < e->row_count; i++) {
        const struct yk_row *row = &e->rows[i];

        if (e->moved_mass[i] == 0)
            continue;
        yk_return_mass(&e->substructures[row->substructure[0]], row->dof[0], &e->substructures[row->substructure[1]],
                       row->dof[1], e->moved_mass[i]);
        yk_build_ground_mass(e, row->substructure[0], row->dof[0], e->moved_mass[i]);
        yk_build_ground_mass(e, row->substructure[1], row->dof[1], -e->moved_mass[i]);
        e->moved_mass[i] = 0;
        any = true;
    }
    return any;
}

static bool is_joined(const struct yk_model *e, size_t substructure, size_t dof)
{
    for (size_t r = 0; r < e->row_count; r++)
        for (size_t k = 0; k < e->rows[r].count; k++)
            if (e->rows[r].substructure[k] == substructure && e->rows[r].dof[k] == dof)
                return true;
    return false;
}

/* To the method a specimen has no inertia, unless its `estimate` gives a mass: it must be joined to something. */
static enum yk_status check_joined(const struct yk_model *e, struct yk_err *err)
{
    const struct yk_node *all = yk_node_get(e->tree, "substructures");

    for (size_t k = 0; k < e->substructure_count; k++) {
        const struct yk_substructure *s = &e->substructures[k];

        for (size_t i = 0; yk_is_physical(s->system) && i < s->system->n; i++)
            if (yk_matrix_get(&s->system->M, i, i) == 0 && !is_joined(e, k, i))
                return yk_fail_at(err, YK_E_INPUT, yk_node_get(all, s->name)->where,
                                  "'%s' of '%s' is in no interface, so nothing moves it; join it, or give it an "
                                  "estimate.mass",
                                  s->dofs[i], s->name);
    }
    return YK_OK;
}

enum yk_status yk_build_interfaces(struct yk_model *e, struct yk_err *err)
{
    const struct yk_node *section = yk_node_get(e->tree, "interfaces");
    enum yk_status st;

    if (!section)
        return check_joined(e, err);
    if ((st = yk_field_type(section, YK_LIST, "a list of interfaces", err)))
        return st;
    e->rows = calloc(section->count + 1, sizeof *e->rows);
    e->row_names = calloc(section->count + 1, sizeof *e->row_names);
    e->moved_mass = calloc(section->count + 1, sizeof *e->moved_mass);
    if (!e->rows || !e->row_names || !e->moved_mass)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < section->count && !st; i++) {
        struct extra extra = {0};

        st = read_interface(e, section->items[i], &e->rows[i], &extra, err);
        e->row_names[i] = extra.name;
        e->row_count++;
        if (!st)
            st = move_mass(e, section->items[i], &e->rows[i], extra.mass_fraction, &e->moved_mass[i], err);
    }
    return st ? st : check_joined(e, err);
}
