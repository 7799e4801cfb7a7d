/* The kind `frame`: nodes in the plane or in space, members with named sections between them, rigid links, and the
 * elements of the kind `assembled`. */
#include "base/names.h"
#include "experiment/build.h"
#include "linalg/definite.h"

#include "substructure/frame.h"

#include <stdlib.h>
#include <string.h>

static const struct yk_param keys[] = {
    YK_NODE("sections", "map of name to section", YK_REQUIRED, "cross-sections with their material"),
    YK_NODE("nodes", "map of name to coordinates or node", YK_REQUIRED,
            "points: two coordinates make a plane frame (x, y, rz), three one in space"),
    YK_NODE("members", "list of members", YK_REQUIRED, "beams and trusses between nodes"),
    YK_NODE("fixed", "list of names", 0,
            "degrees of freedom held at every node, such as [x] for a bridge seen from above"),
    YK_NODE("links", "list of rigid links", 0, "nodes that move as one rigid body"),
    YK_NODE("elements", "list of elements", 0, "springs, dampers and nonlinear laws between degrees of freedom"),
    YK_KEYS_BASES_AND_DAMPING,
    YK_PARAM_END,
};

static const struct yk_param node_keys[] = {
    YK_NODE("at", "list of two or three lengths", YK_REQUIRED, "coordinates"),
    YK_NODE("fixed", "list of names, or all", 0, "degrees of freedom held at zero (supports)"),
    YK_NODE("mass", "number or map of degree of freedom to kg", 0, "lumped: one number for every translation, or each"),
    YK_PARAM_END,
};

struct member {
    char *section, *name;
    int theory, mass, divide;
    struct yk_reals up;
};

static const struct yk_param member_keys[] = {
    YK_NODE("between", "list of nodes", YK_REQUIRED,
            "two ends; more nodes make a chain of members through all of them"),
    YK_TEXT(struct member, section, YK_REQUIRED, "name of its section"),
    YK_CHOICE(struct member, theory, "euler-bernoulli|timoshenko|truss", 0,
              "beam without or with shear deformation and rotary inertia, or axial force only"),
    YK_COUNT(struct member, divide, 1, 1, 1000, "elements of equal length between two nodes"),
    YK_CHOICE(struct member, mass, "consistent|lumped", 0, "full mass matrix, or masses at the nodes"),
    YK_NODE("release", "map", 0, "what its ends do not transmit (hinges)"),
    YK_REALS(struct member, up, YK_NUMBER, 0, -1e12, 1e12,
             "direction of z of the section; default global z, for members along z global y"),
    YK_TEXT(struct member, name, 0, "nodes that divide it are called name-1, name-2, ...; default first-second"),
    YK_PARAM_END,
};

static const struct yk_param release_keys[] = {
    YK_NODE("start", "list of names", 0, "at its first node: x, y, z, rx, ry, rz in the axes of the member"),
    YK_NODE("end", "list of names", 0, "at its last node"),
    YK_PARAM_END,
};

struct link {
    char *master;
};

static const struct yk_param link_keys[] = {
    YK_TEXT(struct link, master, YK_REQUIRED, "node whose motion counts"),
    YK_NODE("slaves", "list of nodes", YK_REQUIRED, "nodes that move with it"),
    YK_NODE("dofs", "list of names", 0, "only these degrees of freedom of the slaves are tied; default all"),
    YK_PARAM_END,
};

/* What is read, before it becomes matrices. */
struct reading {
    const struct yk_experiment *e;
    const struct yk_node *sections; /* of the file */
    struct yk_section *section;     /* the same, read */
    struct yk_frame frame;
    struct yk_names *index; /* of the nodes */
    struct whole {          /* members, however many elements they are divided into */
        char *name;
        size_t ends[2];
        double EA; /* 0: an axial force is not transmitted */
    } * wholes;
    size_t whole_count;
};

/* ---- names ----------------------------------------------------------------------------------------------------- */

struct cursor {
    const struct reading *r;
    size_t at;
};

static const char *next_node(void *self)
{
    struct cursor *c = self;

    return c->at < c->r->frame.node_count ? c->r->frame.nodes[c->at++].name : NULL;
}

static const char *next_section(void *self)
{
    struct cursor *c = self;

    return c->at < c->r->sections->count ? c->r->sections->items[c->at++]->key : NULL;
}

static enum yk_status find_node(const struct reading *r, struct yk_where where, const char *name, size_t *node,
                                struct yk_err *err)
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

static enum yk_status find_section(const struct reading *r, struct yk_where where, const char *name,
                                   const struct yk_section **section, struct yk_err *err)
{
    char hint[96];

    for (size_t i = 0; i < r->sections->count; i++)
        if (strcmp(r->sections->items[i]->key, name) == 0) {
            *section = &r->section[i];
            return YK_OK;
        }
    return yk_fail_at(err, YK_E_INPUT, where, "there is no section '%s'%s", name,
                      yk_suggest(name, next_section, &(struct cursor){r, 0}, "", hint, sizeof hint));
}

/* One of the frame's degrees of freedom by name. */
static enum yk_status find_dof(const struct reading *r, struct yk_where where, const char *name, int *dof,
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
static enum yk_status read_dofs(const struct reading *r, const struct yk_node *list, unsigned *bits, struct yk_err *err)
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

/* ---- sections and nodes ---------------------------------------------------------------------------------------- */

static enum yk_status read_sections(struct reading *r, struct yk_err *err)
{
    const struct yk_field_context context = yk_build_context(r->e);
    enum yk_status st;

    if ((st = yk_field_type(r->sections, YK_MAP, "a map of sections", err)))
        return st;
    if (!(r->section = calloc(r->sections->count + 1, sizeof *r->section)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < r->sections->count && !st; i++) {
        const struct yk_node *node = r->sections->items[i];

        if (!(st = yk_field_type(node, YK_MAP, "a section as a map", err)) &&
            !(st = yk_check_name(node, node->key, err)) && !(st = yk_field_known(node, yk_section_params, NULL, err)))
            st = yk_field_settings(node, yk_section_params, &r->section[i], &context, err);
    }
    return st;
}

static enum yk_status read_coordinates(struct reading *r, const struct yk_node *at, struct yk_frame_node *node,
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

static enum yk_status read_mass(const struct reading *r, const struct yk_node *mass, struct yk_frame_node *node,
                                struct yk_err *err)
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

static enum yk_status read_node(struct reading *r, const struct yk_node *map, struct yk_err *err)
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
                        (st = yk_field_known(map, node_keys, NULL, err))))
        return st;
    if (!at)
        return yk_fail_at(err, YK_E_INPUT, map->where, "missing 'at' (coordinates of node '%s')", map->key);
    if ((st = read_coordinates(r, at, &node, err)) || (fixed && (st = read_dofs(r, fixed, &node.fixed, err))) ||
        (mass && (st = read_mass(r, mass, &node, err))))
        return st;
    return yk_frame_add_node(&r->frame, &node, err);
}

static enum yk_status read_nodes(struct reading *r, const struct yk_node *nodes, struct yk_err *err)
{
    enum yk_status st = yk_field_type(nodes, YK_MAP, "a map of nodes", err);

    if (!st && nodes->count == 0)
        return yk_fail_at(err, YK_E_INPUT, nodes->where, "nodes is empty: at least two are needed");
    for (size_t i = 0; !st && i < nodes->count; i++)
        st = read_node(r, nodes->items[i], err);
    return st;
}

/* ---- members and links ----------------------------------------------------------------------------------------- */

static enum yk_status read_release(const struct reading *r, const struct yk_node *release, unsigned *bits,
                                   struct yk_err *err)
{
    const struct yk_node *ends[2];
    enum yk_status st;

    if ((st = yk_field_type(release, YK_MAP, "a map of start and end", err)) ||
        (st = yk_field_known(release, release_keys, NULL, err)))
        return st;
    ends[0] = yk_node_get(release, "start");
    ends[1] = yk_node_get(release, "end");
    for (int i = 0; i < 2 && !st; i++)
        if (ends[i])
            st = read_dofs(r, ends[i], &bits[i], err);
    return st;
}

/* What the members of one entry have in common. */
static enum yk_status read_beam(const struct reading *r, const struct yk_node *map, const struct member *m,
                                struct yk_beam *beam, struct yk_err *err)
{
    const struct yk_node *up = yk_node_get(map, "up"), *release = yk_node_get(map, "release");
    const struct yk_section *section = NULL;
    enum yk_status st;

    if ((st = find_section(r, yk_node_get(map, "section")->where, m->section, &section, err)))
        return st;
    *beam =
        (struct yk_beam){.section = *section, .theory = (enum yk_theory)m->theory, .spread = (enum yk_spread)m->mass};
    if (up && m->up.n != 3)
        return yk_fail_at(err, YK_E_INPUT, up->where, "up has %zu components, a direction in space has three", m->up.n);
    if (up)
        memcpy(beam->up, m->up.x, sizeof beam->up);
    return release ? read_release(r, release, beam->release, err) : YK_OK;
}

/* A member for its channels; takes the name over. */
static enum yk_status keep_whole(struct reading *r, char *name, const struct yk_beam *beam, const size_t *ends,
                                 struct yk_err *err)
{
    const unsigned released = (beam->release[0] | beam->release[1]) & 1u; /* along the member */
    struct whole *larger = r->wholes;

    if ((r->whole_count & (r->whole_count - 1)) == 0) /* the room doubles at powers of two */
        larger = realloc(r->wholes, (r->whole_count ? 2 * r->whole_count : 1) * sizeof *larger);
    if (!larger) {
        free(name);
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu members", r->whole_count + 1);
    }
    r->wholes = larger;
    larger[r->whole_count++] =
        (struct whole){name, {ends[0], ends[1]}, released ? 0 : beam->section.E * beam->section.A};
    return YK_OK;
}

/* The piece of a chain between two of its nodes. */
static enum yk_status add_member(struct reading *r, const struct yk_node *map, const struct member *m,
                                 const struct yk_beam *beam, const size_t *ends, struct yk_err *err)
{
    const struct yk_frame_node *nodes = r->frame.nodes;
    const bool chain = yk_node_get(map, "between")->count > 2;
    char *name = NULL;
    enum yk_status st;

    if ((m->name && !chain ? asprintf(&name, "%s", m->name)
         : m->name         ? asprintf(&name, "%s-%s", m->name, nodes[ends[0]].name)
                           : asprintf(&name, "%s-%s", nodes[ends[0]].name, nodes[ends[1]].name)) < 0)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = yk_frame_add_member(&r->frame, ends[0], ends[1], beam, m->divide, name, err))) {
        yk_fail_within(err, map->where, "member %s: ", name);
        free(name);
        return st;
    }
    return keep_whole(r, name, beam, ends, err);
}

static enum yk_status add_chain(struct reading *r, const struct yk_node *map, const struct member *m,
                                const struct yk_beam *beam, struct yk_err *err)
{
    const struct yk_node *between = yk_node_get(map, "between");
    size_t ends[2] = {0, 0};
    enum yk_status st;

    if (between->type != YK_LIST || between->count < 2)
        return yk_fail_at(err, YK_E_INPUT, between->where, "between must name the two nodes of the member, or a chain");
    for (size_t i = 0; i < between->count; i++) {
        struct yk_beam piece = *beam;

        ends[0] = ends[1];
        if ((st = yk_field_type(between->items[i], YK_SCALAR, "the name of a node", err)) ||
            (st = find_node(r, between->items[i]->where, between->items[i]->text, &ends[1], err)))
            return st;
        if (i == 0)
            continue;
        if (i > 1)
            piece.release[0] = 0;
        if (i + 1 < between->count)
            piece.release[1] = 0;
        if ((st = add_member(r, map, m, &piece, ends, err)))
            return st;
    }
    return YK_OK;
}

static enum yk_status read_member(struct reading *r, const struct yk_node *map, struct yk_err *err)
{
    const struct yk_field_context context = yk_build_context(r->e);
    struct member m = {0};
    struct yk_beam beam;
    enum yk_status st;

    if ((st = yk_field_type(map, YK_MAP, "a member as a map", err)) ||
        (st = yk_field_known(map, member_keys, NULL, err)) ||
        (st = yk_field_settings(map, member_keys, &m, &context, err)))
        return st;
    if (m.name && (st = yk_check_name(yk_node_get(map, "name"), m.name, err)))
        goto end;
    if (!(st = read_beam(r, map, &m, &beam, err)))
        st = add_chain(r, map, &m, &beam, err);
end:
    yk_param_free(member_keys, &m);
    return st;
}

static enum yk_status add_links(struct reading *r, const struct yk_node *map, const char *master, struct yk_err *err)
{
    const struct yk_node *slaves = yk_node_get(map, "slaves"), *dofs = yk_node_get(map, "dofs");
    struct yk_frame_link link = {.dofs = ~0u};
    enum yk_status st;

    if ((st = yk_field_type(slaves, YK_LIST, "a list of nodes", err)) ||
        (st = find_node(r, yk_node_get(map, "master")->where, master, &link.master, err)) ||
        (dofs && (st = read_dofs(r, dofs, &link.dofs, err))))
        return st;
    for (size_t i = 0; i < slaves->count; i++) {
        const struct yk_node *slave = slaves->items[i];

        if ((st = yk_field_type(slave, YK_SCALAR, "the name of a node", err)) ||
            (st = find_node(r, slave->where, slave->text, &link.slave, err)))
            return st;
        if (yk_frame_add_link(&r->frame, &link, err))
            return yk_fail_within(err, slave->where, "%s", "");
    }
    return YK_OK;
}

static enum yk_status read_link(struct reading *r, const struct yk_node *map, struct yk_err *err)
{
    const struct yk_field_context context = yk_build_context(r->e);
    struct link link = {0};
    enum yk_status st;

    if ((st = yk_field_type(map, YK_MAP, "a rigid link as a map", err)) ||
        (st = yk_field_known(map, link_keys, NULL, err)) ||
        (st = yk_field_settings(map, link_keys, &link, &context, err)))
        return st;
    st = add_links(r, map, link.master, err);
    yk_param_free(link_keys, &link);
    return st;
}

static enum yk_status read_list(struct reading *r, const struct yk_node *list, const char *what,
                                enum yk_status (*read)(struct reading *, const struct yk_node *, struct yk_err *),
                                struct yk_err *err)
{
    enum yk_status st = list ? yk_field_type(list, YK_LIST, what, err) : YK_OK;

    for (size_t i = 0; list && i < list->count && !st; i++)
        st = read(r, list->items[i], err);
    return st;
}

/* What is held at every node, also at those that divide members. */
static enum yk_status hold_all(struct reading *r, const struct yk_node *fixed, struct yk_err *err)
{
    unsigned bits = 0;
    const enum yk_status st = fixed ? read_dofs(r, fixed, &bits, err) : YK_OK;

    for (size_t i = 0; !st && i < r->frame.node_count; i++)
        r->frame.nodes[i].fixed |= bits;
    return st;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Nodes that divide members must not be called like others. */
static enum yk_status check_names(const struct reading *r, const struct yk_node *map, struct yk_err *err)
{
    const size_t n = r->frame.node_count;
    char **names = calloc(n + 1, sizeof *names);
    enum yk_status st = YK_OK;

    if (!names)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < n; i++)
        names[i] = r->frame.nodes[i].name;
    qsort(names, n, sizeof *names, by_name);
    for (size_t i = 1; i < n && !st; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            st = yk_fail_at(err, YK_E_INPUT, yk_node_get(map, "members")->where,
                            "two nodes are called '%s': give one of the members that are divided a `name`", names[i]);
    free(names);
    return st;
}

/* ---- matrices -------------------------------------------------------------------------------------------------- */

/* A tied degree of freedom as an element sees it: the one it follows, and the rotations that move it besides. */
static enum yk_status find_tie(const struct yk_frame *f, const struct yk_frame_model *model, size_t place,
                               struct yk_tie *tie, struct yk_err *err)
{
    struct yk_frame_terms terms;
    enum yk_status st = yk_frame_expand(f, place / YK_FRAME_DOFS, (int)(place % YK_FRAME_DOFS), &terms, err);

    for (size_t i = 0; i < terms.count && !st; i++) {
        const long row = model->index[terms.place[i]];
        size_t at = 0;

        if (i == 0) { /* the same direction of the master comes first */
            tie->dof = row;
            continue;
        }
        while (at < tie->count && (long)tie->levers[at].dof != row)
            at++;
        if (row < 0)
            continue;
        if (at == tie->count)
            tie->levers[tie->count++] = (struct yk_lever){.dof = (size_t)row};
        tie->levers[at].arm += terms.factor[i];
    }
    return st;
}

/* Names and places of the rows, and everything an element may end at. */
static enum yk_status name_dofs(const struct yk_frame *f, const struct yk_frame_model *model, struct yk_dofs *d,
                                struct yk_ends *ends, struct yk_err *err)
{
    const size_t places = f->node_count * YK_FRAME_DOFS;
    enum yk_status st;

    d->names = calloc(model->n + 1, sizeof *d->names);
    d->place = calloc(3 * model->n + 1, sizeof *d->place);
    ends->dofs.names = calloc(places + 1, sizeof *ends->dofs.names);
    ends->ties = calloc(places + 1, sizeof *ends->ties);
    if (!d->names || !d->place || !ends->dofs.names || !ends->ties)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t p = 0; p < places; p++) {
        const size_t at = ends->dofs.n;

        if (model->index[p] == YK_DOF_UNUSED)
            continue;
        if (asprintf(&ends->dofs.names[at], "%s.%s", f->nodes[p / YK_FRAME_DOFS].name,
                     yk_frame_dof_names[p % YK_FRAME_DOFS]) < 0)
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        ends->dofs.n++;
        ends->ties[at].dof = model->index[p];
        if (model->index[p] == YK_DOF_TIED && (st = find_tie(f, model, p, &ends->ties[at], err)))
            return st;
        if (model->index[p] < 0)
            continue;
        memcpy(d->place + 3 * d->n, f->nodes[p / YK_FRAME_DOFS].at, 3 * sizeof *d->place);
        if (!(d->names[d->n++] = strdup(ends->dofs.names[at])))
            return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    return YK_OK;
}

static enum yk_status check_mass(const struct yk_matrix *M, const struct yk_dofs *d, struct yk_err *err)
{
    size_t bad;

    if (yk_matrix_is_definite(M, &bad))
        return YK_OK;
    return yk_fail(
        err, YK_E_SINGULAR,
        "the mass matrix is singular at %s: nothing gives it inertia; give a section of its members a density, "
        "the node a mass there, or fix it",
        d->names[bad]);
}

/* The elongation of a member, e (u_2 - u_1) with e its direction, and its axial force: the mean of it along the member.
 */
static enum yk_status probe_member(const struct reading *r, const struct yk_frame_model *model, size_t number,
                                   struct yk_names *index, struct yk_probes *probes, struct yk_err *err)
{
    enum { MOST = 6 * YK_FRAME_TERMS };
    const struct whole *w = &r->wholes[number];
    const double *at[2] = {r->frame.nodes[w->ends[0]].at, r->frame.nodes[w->ends[1]].at};
    const double d[3] = {at[1][0] - at[0][0], at[1][1] - at[0][1], at[1][2] - at[0][2]};
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    struct yk_probe probe = {.stiffness = w->EA / length,
                             .ends = {{at[0][0], at[0][1], at[0][2]}, {at[1][0], at[1][1], at[1][2]}}};
    size_t dof[MOST];
    double factor[MOST];
    enum yk_status st = YK_OK;

    for (int i = 0; i < 6 && !st; i++) {
        struct yk_frame_terms terms;

        if (d[i % 3] == 0 || (st = yk_frame_expand(&r->frame, w->ends[i / 3], i % 3, &terms, err)))
            continue;
        for (size_t t = 0; t < terms.count; t++)
            if (model->index[terms.place[t]] >= 0) {
                dof[probe.terms] = (size_t)model->index[terms.place[t]];
                factor[probe.terms++] = (i < 3 ? -1 : 1) * d[i % 3] / length * terms.factor[t];
            }
    }
    if (st || !probe.terms) /* between supports nothing happens */
        return st;
    const bool taken =
        probes->count && yk_names_find(index, &probes->items[0].name, sizeof probe, probes->count, w->name) >= 0;
    if ((taken ? asprintf(&probe.name, "members.%zu", number) : asprintf(&probe.name, "%s", w->name)) < 0)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((probe.dof = malloc(probe.terms * sizeof *dof)) && (probe.factor = malloc(probe.terms * sizeof *factor))) {
        memcpy(probe.dof, dof, probe.terms * sizeof *dof);
        memcpy(probe.factor, factor, probe.terms * sizeof *factor);
        return yk_probes_add(probes, &probe, err);
    }
    free(probe.name);
    free(probe.dof);
    return yk_fail(err, YK_E_MEMORY, "out of memory");
}

static enum yk_status probe_members(const struct reading *r, const struct yk_frame_model *model,
                                    struct yk_probes *probes, struct yk_err *err)
{
    struct yk_names index = {0};
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < r->whole_count && !st; i++)
        st = probe_member(r, model, i, &index, probes, err);
    yk_names_free(&index);
    return st;
}

static enum yk_status finish(const struct reading *r, const struct yk_node *map, struct yk_frame_model *model,
                             struct yk_structure_parts *parts, struct yk_dofs *d, struct yk_probes *probes,
                             struct yk_err *err)
{
    const struct yk_node *elements = yk_node_get(map, "elements");
    struct yk_ends ends = {0};
    enum yk_status st;

    if (!(st = name_dofs(&r->frame, model, d, &ends, err)) && (st = check_mass(&model->M, d, err)))
        yk_fail_within(err, map->where, "%s: ", map->key);
    parts->M = model->M;
    parts->K = model->K;
    model->M = model->K = (struct yk_matrix){0};
    if (!st && !(st = yk_matrix_init(&parts->C, YK_DIAGONAL, model->n, model->n, err)) &&
        !(st = yk_build_rest_state(parts, model->n, err)) && !(st = yk_build_bases(r->e, map, parts, err)) &&
        !(st = elements ? yk_build_elements(r->e, &ends, elements, parts, probes, err) : YK_OK) &&
        !(st = yk_dofs_initial(map, d, parts->u0, parts->v0, err)))
        st = yk_build_damping(r->e, map, parts, err);
    if (!st)
        st = probe_members(r, model, probes, err);
    yk_dofs_free(&ends.dofs);
    free(ends.ties);
    return st;
}

static enum yk_status read_frame(struct reading *r, const struct yk_node *map, struct yk_err *err)
{
    const struct yk_field_context context = yk_build_context(r->e);
    enum yk_status st;

    if ((st = yk_field_known(map, keys, yk_keys_substructure, err)) ||
        (st = yk_field_settings(map, keys, r, &context, err)))
        return st;
    r->sections = yk_node_get(map, "sections");
    if ((st = read_sections(r, err)) || (st = read_nodes(r, yk_node_get(map, "nodes"), err)) ||
        (st = read_list(r, yk_node_get(map, "members"), "a list of members", read_member, err)) ||
        (st = check_names(r, map, err)) || (st = hold_all(r, yk_node_get(map, "fixed"), err)))
        return st;
    if ((st = read_list(r, yk_node_get(map, "links"), "a list of rigid links", read_link, err)))
        return st;
    return yk_build_refuse_loose(r->e, map, err);
}

static enum yk_status build(const struct yk_experiment *e, const struct yk_node *map, bool massless, struct yk_dofs *d,
                            struct yk_system **system, struct yk_build_extra *extra, struct yk_err *err)
{
    struct yk_names index = {0};
    struct reading r = {.e = e, .index = &index};
    struct yk_structure_parts parts = {0};
    struct yk_frame_model model = {0};
    enum yk_status st = read_frame(&r, map, err);

    if (!st && (st = yk_frame_assemble(&r.frame, &model, err)))
        yk_fail_within(err, map->where, "%s: ", map->key);
    if (!st)
        st = finish(&r, map, &model, &parts, d, &extra->probes, err);
    if (st)
        yk_structure_parts_free(&parts);
    else if ((st = yk_structure_create(system, &parts, e->mem, err)))
        yk_fail_within(err, map->where, "%s: ", map->key);
    if (!st) {
        extra->support = model.support;
        model.support = NULL;
    }
    yk_frame_model_fini(&model);
    yk_frame_fini(&r.frame);
    yk_names_free(&index);
    free(r.section);
    for (size_t i = 0; i < r.whole_count; i++)
        free(r.wholes[i].name);
    free(r.wholes);
    return st;
}

static const struct yk_keys_section sections[] = {
    {"Kind `frame`",
     "Beams and trusses between nodes; two coordinates make a plane frame with the degrees of freedom `node.x`,\n"
     "`node.y`, `node.rz`, three one in space with `x`, `y`, `z`, `rx`, `ry`, `rz`. Those that are fixed, tied by "
     "a link or on\n"
     "which neither mass nor stiffness acts do not exist. See docs/theory/frames.md.",
     keys},
    {"A section", "x runs along the member, y and z are the axes of the section.", yk_section_params},
    {"A node of a frame", "Or only its coordinates, as a list.", node_keys},
    {"A member", "", member_keys},
    {"`release`", "", release_keys},
    {"A rigid link", "", link_keys},
    {"A base",
     "A point with a prescribed motion; elements can end at it. Elements at a base do not count in\n"
     "`rayleigh` and `modal_damping`.",
     yk_keys_base},
    {0},
};

const struct yk_model_ops yk_model_frame = {
    .name = "frame",
    .sections = sections,
    .build = build,
};
