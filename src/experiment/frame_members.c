/* The members of a frame: beams and trusses between nodes, alone or in chains. */
#include "experiment/frame_parts.h"

#include <stdlib.h>
#include <string.h>

const struct yk_param yk_keys_frame_member[] = {
    YK_NODE("between", "list of nodes", YK_REQUIRED,
            "two ends; more nodes make a chain of members through all of them"),
    YK_TEXT(struct yk_frame_entry, section, YK_REQUIRED, "name of its section"),
    YK_CHOICE(struct yk_frame_entry, theory, "euler-bernoulli|timoshenko|truss", 0,
              "beam without or with shear deformation and rotary inertia, or axial force only"),
    YK_COUNT(struct yk_frame_entry, divide, 1, 1, 1000, "elements of equal length between two nodes"),
    YK_CHOICE(struct yk_frame_entry, mass, "consistent|lumped", 0, "full mass matrix, or masses at the nodes"),
    YK_NODE("release", "map", 0, "what its ends do not transmit (hinges)"),
    YK_REALS(struct yk_frame_entry, up, YK_NUMBER, 0, -1e12, 1e12,
             "direction of z of the section; default global z, for members along z global y"),
    YK_CHOICE(struct yk_frame_entry, geometry, "linear|p-delta|corotational", YK_GEOMETRY_LINEAR,
              "equilibrium at rest, with the moment of the axial force (columns), or with large displacements"),
    YK_FLAG(
        struct yk_frame_entry, bowing, 0,
        "with p-delta: axial force acts on the deflection between the ends, too; not for fibres, hinges and releases"),
    YK_NODE("hinges", "map of start, end", 0, "nonlinear hinges at its ends, not with fibres"),
    YK_CHOICE(struct yk_frame_entry, formulation, "displacement|force", YK_FIBRE_DISPLACEMENT,
              "of a member with fibres: needs several elements (`divide`), or iterates in one"),
    YK_COUNT(struct yk_frame_entry, points, 5, 2, YK_MOST_POINTS,
             "sections along an element with fibres; lobatto: from 3"),
    YK_CHOICE(struct yk_frame_entry, rule, "legendre|lobatto", YK_GAUSS_LEGENDRE,
              "places of these sections: inside, or at the ends, too; with formulation: force the default is lobatto"),
    YK_COUNT(struct yk_frame_entry, iterations, 5, 3, 20,
             YK_WHEN("formulation=force", "at most, inside an element with formulation: force")),
    YK_TEXT(struct yk_frame_entry, name, 0,
            "nodes that divide it are called name-1, name-2, ...; default first-second"),
    YK_PARAM_END,
};

const struct yk_param yk_keys_frame_release[] = {
    YK_NODE("start", "list of names", 0, "at its first node: x, y, z, rx, ry, rz in the axes of the member"),
    YK_NODE("end", "list of names", 0, "at its last node"),
    YK_PARAM_END,
};

static enum yk_status read_release(const struct yk_frame_reading *r, const struct yk_node *release, unsigned *bits,
                                   struct yk_err *err)
{
    const struct yk_node *ends[2];
    enum yk_status st;

    if ((st = yk_field_type(release, YK_MAP, "a map of start and end", err)) ||
        (st = yk_field_known(release, yk_keys_frame_release, NULL, err)))
        return st;
    ends[0] = yk_node_get(release, "start");
    ends[1] = yk_node_get(release, "end");
    for (int i = 0; i < 2 && !st; i++)
        if (ends[i])
            st = yk_frame_read_dofs(r, ends[i], &bits[i], err);
    return st;
}

/* Reads the properties that the members of one entry share. */
static enum yk_status read_beam(const struct yk_frame_reading *r, const struct yk_node *map,
                                const struct yk_frame_entry *m, struct yk_beam *beam, struct yk_err *err)
{
    const struct yk_node *up = yk_node_get(map, "up"), *release = yk_node_get(map, "release");
    const struct yk_frame_section *section = NULL;
    enum yk_status st;

    if ((st = yk_frame_find_section(r, yk_node_get(map, "section")->where, m->section, &section, err)))
        return st;
    *beam = (struct yk_beam){
        .section = section->elastic, .theory = (enum yk_theory)m->theory, .spread = (enum yk_spread)m->mass};
    if (up && m->up.n != 3)
        return yk_fail_at(err, YK_E_INPUT, up->where, "up has %zu components, a direction in space has three", m->up.n);
    if (up)
        memcpy(beam->up, m->up.x, sizeof beam->up);
    return release ? read_release(r, release, beam->release, err) : YK_OK;
}

/* A member for its channels; takes the name over. */
static enum yk_status keep_whole(struct yk_frame_reading *r, char *name, const struct yk_beam *beam, const size_t *ends,
                                 bool nonlinear, struct yk_err *err)
{
    const unsigned released = (beam->release[0] | beam->release[1]) & 1u; /* along the member */
    struct yk_frame_whole *larger = r->wholes;

    if ((r->whole_count & (r->whole_count - 1)) == 0) /* the room doubles at powers of two */
        larger = realloc(r->wholes, (r->whole_count ? 2 * r->whole_count : 1) * sizeof *larger);
    if (!larger) {
        free(name);
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu members", r->whole_count + 1);
    }
    r->wholes = larger;
    larger[r->whole_count++] =
        (struct yk_frame_whole){name, {ends[0], ends[1]}, released ? 0 : beam->section.E * beam->section.A, nonlinear};
    return YK_OK;
}

/* The piece of a chain between two of its nodes. */
static enum yk_status add_member(struct yk_frame_reading *r, const struct yk_node *map, const struct yk_frame_entry *m,
                                 const struct yk_beam *beam, const struct yk_frame_how *how, const size_t *ends,
                                 struct yk_err *err)
{
    const struct yk_frame_node *nodes = r->frame.nodes;
    const size_t first = r->frame.member_count, pieces = r->piece_count;
    const bool chain = yk_node_get(map, "between")->count > 2;
    char *name = NULL;
    enum yk_status st;

    if ((m->name && !chain ? asprintf(&name, "%s", m->name)
         : m->name         ? asprintf(&name, "%s-%s", m->name, nodes[ends[0]].name)
                           : asprintf(&name, "%s-%s", nodes[ends[0]].name, nodes[ends[1]].name)) < 0)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = yk_frame_add_member(&r->frame, ends[0], ends[1], beam, m->divide, name, err)) ||
        (st = yk_frame_add_pieces(r, how, first, err))) {
        yk_fail_within(err, map->where, "member %s: ", name);
        free(name);
        return st;
    }
    return keep_whole(r, name, beam, ends, r->piece_count > pieces, err);
}

static enum yk_status add_chain(struct yk_frame_reading *r, const struct yk_node *map, const struct yk_frame_entry *m,
                                const struct yk_beam *beam, const struct yk_frame_how *how, struct yk_err *err)
{
    const struct yk_node *between = yk_node_get(map, "between");
    size_t ends[2] = {0, 0};
    enum yk_status st;

    if (between->type != YK_LIST || between->count < 2)
        return yk_fail_at(err, YK_E_INPUT, between->where, "between must name the two nodes of the member, or a chain");
    for (size_t i = 0; i < between->count; i++) {
        struct yk_beam piece = *beam;
        struct yk_frame_how piece_how = *how;

        ends[0] = ends[1];
        if ((st = yk_field_type(between->items[i], YK_SCALAR, "the name of a node", err)) ||
            (st = yk_frame_find_node(r, between->items[i]->where, between->items[i]->text, &ends[1], err)))
            return st;
        if (i == 0)
            continue;
        for (int end = 0; end < 2; end++)
            if (end == 0 ? i > 1 : i + 1 < between->count) {
                piece.release[end] = 0;
                piece_how.hinges[end][YK_HINGE_RZ] = piece_how.hinges[end][YK_HINGE_RY] = NULL;
            }
        if ((st = add_member(r, map, m, &piece, &piece_how, ends, err)))
            return st;
    }
    return YK_OK;
}

enum yk_status yk_frame_read_member(struct yk_frame_reading *r, const struct yk_node *map, struct yk_err *err)
{
    const struct yk_field_context context = yk_build_context(r->e);
    struct yk_frame_entry m = {0};
    struct yk_frame_how how;
    struct yk_beam beam;
    enum yk_status st;

    if ((st = yk_field_type(map, YK_MAP, "a member as a map", err)) ||
        (st = yk_field_known(map, yk_keys_frame_member, NULL, err)) ||
        (st = yk_field_settings(map, yk_keys_frame_member, &m, &context, err)))
        return st;
    if (m.name && (st = yk_check_name(yk_node_get(map, "name"), m.name, err)))
        goto end;
    if (!(st = read_beam(r, map, &m, &beam, err)) && !(st = yk_frame_read_how(r, map, &m, &beam, &how, err)))
        st = add_chain(r, map, &m, &beam, &how, err);
end:
    yk_param_free(yk_keys_frame_member, &m);
    return st;
}
