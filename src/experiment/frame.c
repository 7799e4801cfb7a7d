/* The kind `frame`: nodes in the plane or in space, members with named sections between them, rigid links, and the
 * elements of the kind `assembled`. */
#include "experiment/frame_parts.h"
#include "linalg/definite.h"

#include <stdlib.h>
#include <string.h>

static const struct yk_param keys[] = {
    YK_NODE("materials", "map of name to material", 0, "laws between strain and stress, for sections with fibres"),
    YK_NODE("sections", "map of name to section", YK_REQUIRED, "cross-sections with their material"),
    YK_NODE("nodes", "map of name to coordinates or node", YK_REQUIRED,
            "points: two coordinates make a plane frame (x, y, rz), three one in space"),
    YK_NODE("members", "list of members", YK_REQUIRED, "beams and trusses between nodes"),
    YK_NODE("hinges", "map of name to hinge", 0, "laws between rotation and moment, for the ends of members"),
    YK_NODE("fixed", "list of names", 0,
            "degrees of freedom held at every node, such as [x] for a bridge seen from above"),
    YK_NODE("links", "list of rigid links", 0, "nodes that move as one rigid body"),
    YK_NODE("elements", "list of elements", 0, "springs, dampers and nonlinear laws between degrees of freedom"),
    YK_KEYS_BASES_AND_DAMPING,
    YK_PARAM_END,
};

static enum yk_status read_list(struct yk_frame_reading *r, const struct yk_node *list, const char *what,
                                enum yk_status (*read)(struct yk_frame_reading *, const struct yk_node *,
                                                       struct yk_err *),
                                struct yk_err *err)
{
    enum yk_status st = list ? yk_field_type(list, YK_LIST, what, err) : YK_OK;

    for (size_t i = 0; list && i < list->count && !st; i++)
        st = read(r, list->items[i], err);
    return st;
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

static enum yk_status finish(struct yk_frame_reading *r, const struct yk_node *map, struct yk_frame_model *model,
                             struct yk_structure_parts *parts, struct yk_dofs *d, struct yk_probes *probes,
                             struct yk_err *err)
{
    const struct yk_node *elements = yk_node_get(map, "elements");
    struct yk_ends ends = {0};
    enum yk_status st;

    if (!(st = yk_frame_name_dofs(&r->frame, model, d, &ends, err)) && !parts->massless &&
        (st = check_mass(&model->M, d, err)))
        yk_fail_within(err, map->where, "%s: ", map->key);
    parts->M = model->M;
    parts->K = model->K;
    model->M = model->K = (struct yk_matrix){0};
    if (!st && !(st = yk_frame_place(r, model, parts, err)) &&
        !(st = yk_matrix_init(&parts->C, YK_DIAGONAL, model->n, model->n, err)) &&
        !(st = yk_build_rest_state(parts, model->n, err)) && !(st = yk_build_bases(r->e, map, parts, err)) &&
        !(st = elements ? yk_build_elements(r->e, &ends, elements, parts, probes, err) : YK_OK) &&
        !(st = yk_dofs_initial(map, d, parts->u0, parts->v0, err)))
        st = yk_build_damping(r->e, map, parts, err);
    if (!st)
        st = yk_frame_probe_members(r, model, probes, err);
    yk_dofs_free(&ends.dofs);
    free(ends.ties);
    return st;
}

/* Nodes that are held in more than all nodes are (`fixed` of the whole frame). None where memory runs out, since only
 * drawings need them. */
static void find_supports(const struct yk_frame *f, struct yk_supports *held)
{
    const unsigned seen = f->plane ? 1u | 2u | 32u : 63u; /* x, y, rz of a plane frame */
    unsigned common = seen;

    for (size_t i = 0; i < f->node_count; i++)
        common &= f->nodes[i].fixed;
    held->items = malloc((f->node_count + 1) * sizeof *held->items);
    for (size_t i = 0; held->items && i < f->node_count; i++)
        if (f->nodes[i].fixed & seen & ~common) {
            struct yk_support *s = &held->items[held->count++];

            memcpy(s->at, f->nodes[i].at, sizeof s->at);
            s->held = f->nodes[i].fixed & seen;
        }
}

static enum yk_status read_frame(struct yk_frame_reading *r, const struct yk_node *map, struct yk_err *err)
{
    const struct yk_field_context context = yk_build_context(r->e);
    enum yk_status st;

    if ((st = yk_field_known(map, keys, yk_keys_substructure, err)) ||
        (st = yk_field_settings(map, keys, r, &context, err)))
        return st;
    r->sections = yk_node_get(map, "sections");
    r->materials = yk_node_get(map, "materials");
    r->hinges = yk_node_get(map, "hinges");
    if ((st = yk_frame_check_laws(r, err)) || (st = yk_frame_read_sections(r, err)) ||
        (st = yk_frame_read_nodes(r, yk_node_get(map, "nodes"), err)) || (st = yk_frame_finish_sections(r, err)) ||
        (st = read_list(r, yk_node_get(map, "members"), "a list of members", yk_frame_read_member, err)) ||
        (st = yk_frame_check_names(r, map, err)) || (st = yk_frame_hold_all(r, yk_node_get(map, "fixed"), err)))
        return st;
    if ((st = read_list(r, yk_node_get(map, "links"), "a list of rigid links", yk_frame_read_link, err)))
        return st;
    return yk_build_refuse_loose(r->e, map, err);
}

static enum yk_status build(const struct yk_model *e, const struct yk_node *map, bool massless, struct yk_dofs *d,
                            struct yk_system **system, struct yk_part *extra, struct yk_err *err)
{
    struct yk_names index = {0};
    struct yk_frame_reading r = {.e = e, .index = &index};
    struct yk_structure_parts parts = {.massless = massless};
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
        extra->index = model.index;
        model.index = NULL;
        yk_frame_name_sections(&r, &extra->sections);
        find_supports(&r.frame, &extra->held);
        extra->frame = r.frame;
        r.frame = (struct yk_frame){0};
    }
    yk_frame_model_fini(&model);
    yk_frame_fini(&r.frame);
    yk_names_free(&index);
    yk_frame_free_sections(&r);
    yk_frame_free_pieces(&r);
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
    {"A section with fibres",
     "Its fibres give stiffness and strength, so that it takes no `E`, `A`, `Iy` and `Iz`. Each entry of `fibres` is "
     "a\n"
     "patch, a layer of bars, or a table of fibres. The axis of the member runs through y = z = 0. Each of "
     "`materials`\n"
     "is a law (`kind`, see `yoke list laws`) with stress and strain instead of force and extension. See\n"
     "docs/theory/nonlinear-frames.md.",
     yk_keys_fibre_section},
    {"`patch: rectangle`", "", yk_keys_rectangle},
    {"`patch: quadrilateral`", "", yk_keys_quadrilateral},
    {"`patch: ring`", "", yk_keys_ring},
    {"`layer: straight`", "", yk_keys_straight},
    {"`layer: circle`", "", yk_keys_circle},
    {"`file` of fibres", "", yk_keys_fibre_file},
    {"A node of a frame", "Or only its coordinates, as a list.", yk_keys_frame_node},
    {"A member", "", yk_keys_frame_member},
    {"`release`", "", yk_keys_frame_release},
    {"`hinges` of a member",
     "Each of `hinges` of the frame is a law (`kind`, see `yoke list laws`) with moment and rotation instead of\n"
     "force and extension, or rigid until it yields.",
     yk_keys_hinges},
    {"`start` and `end` of `hinges`", "", yk_keys_hinge_axes},
    {"A hinge that is rigid before it yields", "", yk_keys_rigid_hinge},
    {"A rigid link", "", yk_keys_frame_link},
    {"A base",
     "A point with a prescribed motion; elements can end at it. Elements at a base do not count in\n"
     "`rayleigh` and `modal_damping`.",
     yk_keys_base},
    {0},
};

const struct yk_builder_ops yk_builder_frame = {
    .name = "frame",
    .sections = sections,
    .build = build,
};
