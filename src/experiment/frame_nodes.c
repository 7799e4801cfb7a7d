/* The nodes of a frame: points with supports and masses, rigid links between them, their degrees of freedom by name. */
#include "experiment/frame_parts.h"

#include <stdlib.h>
#include <string.h>

const struct yk_param yk_keys_frame_node[] = {
    YK_NODE("at", "list of two or three lengths", YK_REQUIRED, "coordinates"),
    YK_NODE("fixed", "list of names, or all", 0, "degrees of freedom held at zero (supports)"),
    YK_NODE("mass", "number or map of degree of freedom to kg", 0, "lumped: one number for every translation, or each"),
    YK_PARAM_END,
};

struct link {
    char *master;
};

const struct yk_param yk_keys_frame_link[] = {
    YK_TEXT(struct link, master, YK_REQUIRED, "node whose motion counts"),
    YK_NODE("slaves", "list of nodes", YK_REQUIRED, "nodes that move with it"),
    YK_NODE("dofs", "list of names", 0, "only these degrees of freedom of the slaves are tied; default all"),
    YK_PARAM_END,
};

struct cursor {
    const struct yk_frame_reading *r;
    size_t at;
};

static const char *next_node(void *self)
{
    struct cursor *c = self;

    return c->at < c->r->frame.node_count ? c->r->frame.nodes[c->at++].name : NULL;
}

enum yk_status yk_frame_find_node(const struct yk_frame_reading *r, struct yk_where where, const char *name,
                                  size_t *node, struct yk_err *err)
{
    char hint[96];

    const struct yk_frame_node *nodes = r->frame.nodes;
    const long at = nodes ? yk_names_find(r->index, &nodes->name, sizeof *nodes, r->frame.node_count, name) : -1;

    *node = (size_t)at;
    if (at >= 0)
        return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, where, "there is no node '%s'%s", name,
                      yk_suggest(name, next_node, &(struct cursor){r, 0}, "", hint, sizeof hint));
}

/* One of the frame's degrees of freedom by name. */
static enum yk_status find_dof(const struct yk_frame_reading *r, struct yk_where where, const char *name, int *dof,
                               struct yk_err *err)
{
    for (*dof = 0; *dof < YK_FRAME_DOFS; ++*dof)
        if (strcmp(yk_frame_dof_names[*dof], name) == 0 && (!r->frame.plane || *dof < 2 || *dof == 5))
            return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, where, "'%s' is no degree of freedom of a node %s: %s", name,
                      r->frame.plane ? "in the plane" : "in space",
                      r->frame.plane ? "x, y, rz" : "x, y, z, rx, ry, rz");
}

/* A list of degrees of freedom as bits. */
enum yk_status yk_frame_read_dofs(const struct yk_frame_reading *r, const struct yk_node *list, unsigned *bits,
                                  struct yk_err *err)
{
    enum yk_status st;
    int dof;

    *bits = 0;
    if (list->type == YK_SCALAR && strcmp(list->text, "all") == 0) {
        *bits = ~0u;
        return YK_OK;
    }
    if ((st = yk_field_type(list, YK_LIST, "a list of degrees of freedom", err)))
        return st;
    for (size_t i = 0; i < list->count; i++) {
        if ((st = yk_field_type(list->items[i], YK_SCALAR, "a name", err)) ||
            (st = find_dof(r, list->items[i]->where, list->items[i]->text, &dof, err)))
            return st;
        *bits |= 1u << dof;
    }
    return YK_OK;
}

static enum yk_status read_coordinates(struct yk_frame_reading *r, const struct yk_node *at, struct yk_frame_node *node,
                                       struct yk_err *err)
{
    enum yk_status st = yk_field_type(at, YK_LIST, "a list of coordinates", err);

    if (st)
        return st;
    if (at->count != 2 && at->count != 3)
        return yk_fail_at(err, YK_E_INPUT, at->where,
                          "node '%s' has %zu coordinates; two make a plane frame, three one "
                          "in space",
                          node->name, at->count);
    if (r->frame.node_count == 0)
        r->frame.plane = at->count == 2;
    if (r->frame.plane != (at->count == 2))
        return yk_fail_at(err, YK_E_INPUT, at->where, "node '%s' has %zu coordinates, the nodes before it have %d",
                          node->name, at->count, r->frame.plane ? 2 : 3);
    for (size_t i = 0; i < at->count && !st; i++)
        st = yk_field_real(at->items[i], YK_LENGTH, -1e12, 1e12, &node->at[i], err);
    return st;
}

static enum yk_status read_mass(const struct yk_frame_reading *r, const struct yk_node *mass,
                                struct yk_frame_node *node, struct yk_err *err)
{
    enum yk_status st = YK_OK;
    int dof;

    if (mass->type != YK_MAP) {
        st = yk_field_real(mass, YK_PLAIN_MASS, 0, 1e300, &node->mass[0], err);
        node->mass[1] = node->mass[2] = node->mass[0];
    }
    for (size_t i = 0; mass->type == YK_MAP && i < mass->count && !st; i++)
        if (!(st = find_dof(r, mass->items[i]->key_where, mass->items[i]->key, &dof, err)))
            st = yk_field_real(mass->items[i], yk_dofs_quantity(mass->items[i]->key, YK_MASS), 0, 1e300,
                               &node->mass[dof], err);
    return st;
}

static enum yk_status read_node(struct yk_frame_reading *r, const struct yk_node *map, struct yk_err *err)
{
    const bool short_form = map->type == YK_LIST;
    const struct yk_node *at = short_form ? map : yk_node_get(map, "at");
    const struct yk_node *fixed = short_form ? NULL : yk_node_get(map, "fixed");
    const struct yk_node *mass = short_form ? NULL : yk_node_get(map, "mass");
    struct yk_frame_node node = {.name = map->key};
    enum yk_status st;

    if ((st = yk_check_name(map, map->key, err)))
        return st;
    if (strcmp(map->key, "ground") == 0)
        return yk_fail_at(err, YK_E_INPUT, map->where, "'ground' is the ground and cannot be a node");
    if (!short_form && ((st = yk_field_type(map, YK_MAP, "coordinates or a map", err)) ||
                        (st = yk_field_known(map, yk_keys_frame_node, NULL, err))))
        return st;
    if (!at)
        return yk_fail_at(err, YK_E_INPUT, map->where, "missing 'at' (coordinates of node '%s')", map->key);
    if ((st = read_coordinates(r, at, &node, err)) ||
        (fixed && (st = yk_frame_read_dofs(r, fixed, &node.fixed, err))) ||
        (mass && (st = read_mass(r, mass, &node, err))))
        return st;
    return yk_frame_add_node(&r->frame, &node, err);
}

enum yk_status yk_frame_read_nodes(struct yk_frame_reading *r, const struct yk_node *nodes, struct yk_err *err)
{
    enum yk_status st = yk_field_type(nodes, YK_MAP, "a map of nodes", err);

    if (!st && nodes->count == 0)
        return yk_fail_at(err, YK_E_INPUT, nodes->where, "nodes is empty: at least two are needed");
    for (size_t i = 0; !st && i < nodes->count; i++)
        st = read_node(r, nodes->items[i], err);
    return st;
}

static enum yk_status add_links(struct yk_frame_reading *r, const struct yk_node *map, const char *master,
                                struct yk_err *err)
{
    const struct yk_node *slaves = yk_node_get(map, "slaves"), *dofs = yk_node_get(map, "dofs");
    struct yk_frame_link link = {.dofs = ~0u};
    enum yk_status st;

    if ((st = yk_field_type(slaves, YK_LIST, "a list of nodes", err)) ||
        (st = yk_frame_find_node(r, yk_node_get(map, "master")->where, master, &link.master, err)) ||
        (dofs && (st = yk_frame_read_dofs(r, dofs, &link.dofs, err))))
        return st;
    for (size_t i = 0; i < slaves->count; i++) {
        const struct yk_node *slave = slaves->items[i];

        if ((st = yk_field_type(slave, YK_SCALAR, "the name of a node", err)) ||
            (st = yk_frame_find_node(r, slave->where, slave->text, &link.slave, err)))
            return st;
        if (yk_frame_add_link(&r->frame, &link, err))
            return yk_fail_within(err, slave->where, "%s", "");
    }
    return YK_OK;
}

enum yk_status yk_frame_read_link(struct yk_frame_reading *r, const struct yk_node *map, struct yk_err *err)
{
    const struct yk_field_context context = yk_build_context(r->e);
    struct link link = {0};
    enum yk_status st;

    if ((st = yk_field_type(map, YK_MAP, "a rigid link as a map", err)) ||
        (st = yk_field_known(map, yk_keys_frame_link, NULL, err)) ||
        (st = yk_field_settings(map, yk_keys_frame_link, &link, &context, err)))
        return st;
    st = add_links(r, map, link.master, err);
    yk_param_free(yk_keys_frame_link, &link);
    return st;
}

/* Holds the degrees of freedom `fixed` at every node, also at those that divide members. */
enum yk_status yk_frame_hold_all(struct yk_frame_reading *r, const struct yk_node *fixed, struct yk_err *err)
{
    unsigned bits = 0;
    const enum yk_status st = fixed ? yk_frame_read_dofs(r, fixed, &bits, err) : YK_OK;

    for (size_t i = 0; !st && i < r->frame.node_count; i++)
        r->frame.nodes[i].fixed |= bits;
    return st;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* One of the names that occurs twice, or NULL; sorts them. */
static const char *repeated(char **names, size_t n)
{
    qsort(names, n, sizeof *names, by_name);
    for (size_t i = 1; i < n; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            return names[i];
    return NULL;
}

/* Nodes that divide members must not be called like others, and channels of nonlinear members need different names. */
enum yk_status yk_frame_check_names(const struct yk_frame_reading *r, const struct yk_node *map, struct yk_err *err)
{
    const size_t nodes = r->frame.node_count;
    char **names = calloc(nodes + r->whole_count + 1, sizeof *names);
    const char *twice;
    enum yk_status st = YK_OK;
    size_t n = 0;

    if (!names)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < nodes; i++)
        names[i] = r->frame.nodes[i].name;
    if ((twice = repeated(names, nodes)))
        st = yk_fail_at(err, YK_E_INPUT, yk_node_get(map, "members")->where,
                        "two nodes are called '%s': give one of the members that are divided a `name`", twice);
    for (size_t i = 0; i < r->whole_count; i++)
        if (r->wholes[i].nonlinear)
            names[n++] = r->wholes[i].name;
    if (!st && (twice = repeated(names, n)))
        st = yk_fail_at(err, YK_E_INPUT, yk_node_get(map, "members")->where,
                        "two nonlinear members are called '%s': give one of them another `name`", twice);
    free(names);
    return st;
}
