/* The kind `assembled`: nodes with masses and supports, and elements between their degrees of freedom. */
#include "experiment/build.h"

#include <stdlib.h>
#include <string.h>

static const struct yk_param keys[] = {
    YK_NODE("nodes", "map of name to node", YK_REQUIRED, "points with masses and degrees of freedom"),
    YK_NODE("elements", "list of elements", YK_REQUIRED,
            "springs, dampers and nonlinear laws between degrees of freedom"),
    YK_KEYS_BASES_AND_DAMPING,
    YK_PARAM_END,
};

static const struct yk_param node_keys[] = {
    YK_NODE("dofs", "list of names", 0, "degrees of freedom of the node; default [x]"),
    YK_NODE("mass", "number or map of degree of freedom to kg", YK_REQUIRED, "one mass for all, or one for each"),
    YK_NODE("fixed", "list of names", 0, "degrees of freedom held at zero (supports)"),
    YK_PARAM_END,
};

struct assembled {
    struct yk_ends all; /* every node.dof, in the order of the file */
    double *mass;
    size_t free_count;
    bool massless; /* masses may be zero */
};

static enum yk_status node_mass(const struct yk_node *node, const char *dof, bool massless, double *value,
                                struct yk_err *err)
{
    const struct yk_node *mass = yk_node_get(node, "mass");

    if (!mass)
        return yk_fail_at(err, YK_E_INPUT, node->where, "node '%s' has no mass", node->key);
    if (mass->type == YK_MAP) {
        const struct yk_node *own = yk_node_get(mass, dof);

        if (!own)
            return yk_fail_at(err, YK_E_INPUT, mass->where, "node '%s' gives no mass for '%s'", node->key, dof);
        mass = own;
    }
    enum yk_status st = yk_field_real(mass, yk_dofs_quantity(dof, YK_MASS), 0, 1e300, value, err);
    if (!st && !massless && !(*value > 0))
        return yk_fail_at(err, YK_E_SINGULAR, mass->where,
                          "mass of %s.%s is zero; every free degree of freedom needs mass", node->key, dof);
    return st;
}

static bool is_fixed(const struct yk_node *node, const char *dof)
{
    const struct yk_node *fixed = yk_node_get(node, "fixed");

    for (size_t i = 0; fixed && i < fixed->count; i++)
        if (fixed->items[i]->type == YK_SCALAR && strcmp(fixed->items[i]->text, dof) == 0)
            return true;
    return false;
}

static enum yk_status add_dof(struct assembled *a, const struct yk_node *node, const char *dof, struct yk_err *err)
{
    const size_t i = a->all.dofs.n;
    char **names = realloc(a->all.dofs.names, (i + 1) * sizeof *names);
    double *mass = realloc(a->mass, (i + 1) * sizeof *mass);
    struct yk_tie *ties = realloc(a->all.ties, (i + 1) * sizeof *ties);

    if (names)
        a->all.dofs.names = names;
    if (mass)
        a->mass = mass;
    if (ties)
        a->all.ties = ties;
    if (!names || !mass || !ties || asprintf(&names[i], "%s.%s", node->key, dof) < 0)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    a->all.dofs.n++;
    ties[i] = (struct yk_tie){.dof = is_fixed(node, dof) ? -1 : (long)a->free_count++};
    a->mass[i] = 1; /* of a fixed one: unused */
    return a->all.ties[i].dof < 0 ? YK_OK : node_mass(node, dof, a->massless, &a->mass[i], err);
}

/* `mass` and `fixed` may only name degrees of freedom of the node. */
static enum yk_status check_node_words(const struct yk_node *node, const struct yk_dofs *own, struct yk_err *err)
{
    const struct yk_node *fixed = yk_node_get(node, "fixed"), *mass = yk_node_get(node, "mass");
    enum yk_status st;

    if (fixed && (st = yk_field_type(fixed, YK_LIST, "a list of degrees of freedom", err)))
        return st;
    for (size_t i = 0; fixed && i < fixed->count; i++)
        if ((st = yk_field_type(fixed->items[i], YK_SCALAR, "a name", err)))
            return st;
        else if (yk_dofs_find(own, fixed->items[i]->text) < 0)
            return yk_dofs_missing(fixed->items[i]->where, fixed->items[i]->text, own, err);
    for (size_t i = 0; mass && mass->type == YK_MAP && i < mass->count; i++)
        if (yk_dofs_find(own, mass->items[i]->key) < 0)
            return yk_dofs_missing(mass->items[i]->key_where, mass->items[i]->key, own, err);
    return YK_OK;
}

static enum yk_status read_node(struct assembled *a, const struct yk_node *node, struct yk_err *err)
{
    const struct yk_node *dofs = yk_node_get(node, "dofs");
    struct yk_dofs own = {0};
    enum yk_status st;

    if ((st = yk_field_type(node, YK_MAP, "a map", err)) || (st = yk_check_name(node, node->key, err)) ||
        (st = yk_field_known(node, node_keys, NULL, err)))
        return st;
    if (strcmp(node->key, "ground") == 0)
        return yk_fail_at(err, YK_E_INPUT, node->where, "'ground' is the ground and cannot be a node");
    if (dofs) {
        st = yk_dofs_read(dofs, &own, err);
    } else {
        own.names = calloc(1, sizeof *own.names);
        if (!own.names || !(own.names[own.n++] = strdup("x")))
            st = yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    if (!st)
        st = check_node_words(node, &own, err);
    for (size_t i = 0; i < own.n && !st; i++)
        st = add_dof(a, node, own.names[i], err);
    yk_dofs_free(&own);
    return st;
}

static enum yk_status assembled_matrices(const struct yk_model *e, const struct yk_node *map, const struct assembled *a,
                                         struct yk_structure_parts *parts, struct yk_dofs *d, struct yk_probes *probes,
                                         struct yk_err *err)
{
    const size_t n = a->free_count;
    enum yk_status st;

    if (n == 0)
        return yk_fail_at(err, YK_E_INPUT, map->where, "%s: every degree of freedom is fixed", map->key);
    if ((st = yk_matrix_init(&parts->M, YK_DIAGONAL, n, n, err)) ||
        (st = yk_matrix_init(&parts->C, YK_DIAGONAL, n, n, err)) ||
        (st = yk_matrix_init(&parts->K, YK_DIAGONAL, n, n, err)) || (st = yk_build_rest_state(parts, n, err)))
        return st;
    if (!(d->names = calloc(n, sizeof *d->names)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < a->all.dofs.n; i++)
        if (a->all.ties[i].dof >= 0) {
            parts->M.x[a->all.ties[i].dof] = a->mass[i];
            if (!(d->names[d->n++] = strdup(a->all.dofs.names[i])))
                return yk_fail(err, YK_E_MEMORY, "out of memory");
        }
    if ((st = yk_build_bases(e, map, parts, err)) ||
        (st = yk_build_elements(e, &a->all, yk_node_get(map, "elements"), parts, probes, err)) ||
        (st = yk_dofs_initial(map, d, parts->u0, parts->v0, err)))
        return st;
    return yk_build_damping(e, map, parts, err);
}

static enum yk_status build(const struct yk_model *e, const struct yk_node *map, bool massless, struct yk_dofs *d,
                            struct yk_system **system, struct yk_part *extra, struct yk_err *err)
{
    const struct yk_field_context context = yk_build_context(e);
    const struct yk_node *nodes = yk_node_get(map, "nodes");
    struct yk_structure_parts parts = {0};
    struct assembled a = {.massless = massless};
    enum yk_status st;

    if ((st = yk_field_known(map, keys, yk_keys_substructure, err)) ||
        (st = yk_field_settings(map, keys, &parts, &context, err)) ||
        (st = yk_field_type(nodes, YK_MAP, "a map of nodes", err)))
        return st;
    if (nodes->count == 0)
        return yk_fail_at(err, YK_E_INPUT, nodes->where, "nodes is empty: at least one is needed");
    parts.massless = massless;
    for (size_t i = 0; i < nodes->count && !st; i++)
        st = read_node(&a, nodes->items[i], err);
    if (!st)
        st = assembled_matrices(e, map, &a, &parts, d, &extra->probes, err);
    if (!st && !massless) /* the specimen of a rig is held by actuators */
        st = yk_build_refuse_loose(e, map, err);
    yk_dofs_free(&a.all.dofs);
    free(a.mass);
    free(a.all.ties);
    if (st) {
        yk_structure_parts_free(&parts);
        return st;
    }
    if ((st = yk_structure_create(system, &parts, e->mem, err)))
        yk_fail_within(err, map->where, "%s: ", map->key);
    return st;
}

static const struct yk_keys_section sections[] = {
    {"Kind `assembled`", "Nodes with masses, and elements between their degrees of freedom, named `node.dof`.", keys},
    {"A node", "", node_keys},
    {"An element", "The settings of its law are written next to these keys.", yk_keys_element},
    {0},
};

const struct yk_builder_ops yk_builder_assembled = {
    .name = "assembled",
    .sections = sections,
    .build = build,
};
