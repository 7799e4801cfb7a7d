/* Members of a frame that are nonlinear: with fibres, with hinges at their ends, or with a geometry that is not linear.
 * They leave the stiffness matrix and become members of the structure. */
#include "experiment/frame_parts.h"

#include "substructure/member/elastic.h"
#include "substructure/member/placed.h"

#include <stdlib.h>
#include <string.h>

const struct yk_param yk_keys_hinges[] = {
    YK_NODE("start", "map of axis to hinge", 0, "at its first node"),
    YK_NODE("end", "map of axis to hinge", 0, "at its last node"),
    YK_PARAM_END,
};

struct axes {
    char *rz, *ry;
};
const struct yk_param yk_keys_hinge_axes[] = {
    YK_TEXT(struct axes, rz, 0, "one of `hinges` of the frame, about z of the section"),
    YK_TEXT(struct axes, ry, 0, "the same about y, in space"),
    YK_PARAM_END,
};

struct rigid {
    int kind, stiffness;
    double yield, hardening;
};
const struct yk_param yk_keys_rigid_hinge[] = {
    YK_CHOICE(struct rigid, kind, "bilinear", YK_REQUIRED, "the law of a hinge that is rigid before it yields"),
    YK_CHOICE(struct rigid, stiffness, "rigid", YK_REQUIRED, "the elastic member keeps its stiffness"),
    YK_REAL(struct rigid, yield, YK_MOMENT, YK_REQUIRED, YK_TINY, 1e15, "moment at which it yields"),
    YK_REAL(struct rigid, hardening, YK_NUMBER, 0, 0, 1,
            "stiffness of the member in double curvature after yield, over the elastic one; below 1"),
    YK_PARAM_END,
};

/* ---- laws ------------------------------------------------------------------------------------------------------ */

static bool is_rigid(const struct yk_node *map)
{
    const struct yk_node *stiffness = map->type == YK_MAP ? yk_node_get(map, "stiffness") : NULL;

    return stiffness && stiffness->type == YK_SCALAR && strcmp(stiffness->text, "rigid") == 0;
}

static enum yk_status read_rigid(const struct yk_frame_reading *r, const struct yk_node *map, struct yk_hinge *hinge,
                                 struct yk_err *err)
{
    const struct yk_field_context context = yk_build_context(r->e);
    struct rigid rigid;
    enum yk_status st;

    if ((st = yk_field_known(map, yk_keys_rigid_hinge, NULL, err)) ||
        (st = yk_field_settings(map, yk_keys_rigid_hinge, &rigid, &context, err)))
        return st;
    if (!(rigid.hardening < 1))
        return yk_fail_at(err, YK_E_RANGE, yk_node_get(map, "hardening")->where, "hardening = %g is not below 1",
                          rigid.hardening);
    *hinge = (struct yk_hinge){.yield = rigid.yield, .hardening = rigid.hardening};
    return YK_OK;
}

/* A hinge of the frame; its law is freed by the caller even after a failure. */
static enum yk_status read_hinge(const struct yk_frame_reading *r, const struct yk_node *map, struct yk_frame_law *law,
                                 struct yk_hinge *hinge, struct yk_err *err)
{
    enum yk_status st;

    if (is_rigid(map))
        return read_rigid(r, map, hinge, err);
    if (!(st = yk_frame_read_law(r, map, "a hinge", YK_ABOUT, law, err)))
        *hinge = (struct yk_hinge){.law = law->ops, .settings = law->settings};
    return st;
}

static enum yk_status check_laws(const struct yk_frame_reading *r, const struct yk_node *laws, const char *what,
                                 bool fibres, struct yk_err *err)
{
    enum yk_status st = laws ? yk_field_type(laws, YK_MAP, what, err) : YK_OK;

    for (size_t i = 0; laws && i < laws->count && !st; i++) {
        struct yk_frame_law law = {0};
        struct yk_hinge hinge;

        if ((st = yk_check_name(laws->items[i], laws->items[i]->key, err)))
            break;
        st = fibres ? yk_frame_read_law(r, laws->items[i], "a material", YK_FIBRE, &law, err)
                    : read_hinge(r, laws->items[i], &law, &hinge, err);
        yk_frame_free_law(&law);
    }
    return st;
}

enum yk_status yk_frame_check_laws(const struct yk_frame_reading *r, struct yk_err *err)
{
    const enum yk_status st = check_laws(r, r->materials, "a map of materials", true, err);

    return st ? st : check_laws(r, r->hinges, "a map of hinges", false, err);
}

/* ---- what an entry of `members` says --------------------------------------------------------------------------- */

/* The first of the keys that stands in the map; NULL: none of them does. */
static const struct yk_node *first_of(const struct yk_node *map, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < map->count; i++)
        for (size_t k = 0; k < count; k++)
            if (strcmp(map->items[i]->key, keys[k]) == 0)
                return map->items[i];
    return NULL;
}

static enum yk_status read_fibre_element(const struct yk_node *map, const struct yk_frame_entry *m,
                                         struct yk_frame_how *how, struct yk_err *err)
{
    static const char *const integration[] = {"formulation", "points", "rule", "iterations"};
    static const char *const elastic[] = {"hinges", "release", "bowing"};
    const struct yk_node *wrong = how->fibres && m->theory != YK_TRUSS ? NULL : first_of(map, integration, 4);

    if (wrong && !how->fibres)
        return yk_fail_at(err, YK_E_INPUT, wrong->key_where,
                          "%s is for members with fibres, but section '%s' has none; give the section `fibres`, or "
                          "leave %s out",
                          wrong->key, m->section, wrong->key);
    if (wrong)
        return yk_fail_at(err, YK_E_INPUT, wrong->key_where,
                          "%s has no effect with theory: truss, whose strain is the same everywhere", wrong->key);
    if (!how->fibres)
        return YK_OK;
    if ((wrong = first_of(map, elastic, 3)))
        return yk_fail_at(err, YK_E_INPUT, wrong->key_where, "%s does not go with fibres, which section '%s' has: %s",
                          wrong->key, m->section,
                          strcmp(wrong->key, "bowing") == 0 ? "use `divide` for the deflection between the ends"
                                                            : "use a section without fibres, with E, A and Iz");
    if (m->theory == YK_TIMOSHENKO)
        return yk_fail_at(err, YK_E_INPUT, yk_node_get(map, "theory")->where,
                          "theory: timoshenko does not go with fibres, which section '%s' has: plane sections stay "
                          "normal to the axis; use euler-bernoulli or truss",
                          m->section);
    how->element =
        yk_fibre_element_defaults(m->theory == YK_TRUSS ? YK_FIBRE_TRUSS : (enum yk_fibre_formulation)m->formulation);
    if (m->theory == YK_TRUSS)
        return YK_OK;
    const struct yk_fibre_summary *sum = yk_fibre_section_summary(how->fibres);
    if (!sum->plane && !(sum->EIy > 1e-9 * sum->EA * sum->width * sum->width)) /* the rest is rounding */
        return yk_fail_at(err, YK_E_INPUT, yk_node_get(map, "section")->where,
                          "section '%s' has no bending stiffness about y, which a beam in space needs: divide its "
                          "patches along z, too",
                          m->section);
    if (yk_node_get(map, "rule"))
        how->element.rule = (enum yk_quadrature)m->rule;
    how->element.points = (size_t)m->points;
    how->element.iterations = (size_t)m->iterations;
    if (how->element.rule == YK_GAUSS_LOBATTO && m->points < 3)
        return yk_fail_at(err, YK_E_RANGE, yk_node_get(map, "points")->where,
                          "points = %d is outside 3 .. %d of rule: lobatto", m->points, YK_MOST_POINTS);
    return YK_OK;
}

static enum yk_status read_geometry(const struct yk_node *map, const struct yk_frame_entry *m, struct yk_frame_how *how,
                                    struct yk_err *err)
{
    how->geometry = (enum yk_geometry)m->geometry;
    how->bowing = m->bowing;
    if (!m->bowing)
        return YK_OK;
    if (how->geometry != YK_GEOMETRY_P_DELTA)
        return yk_fail_at(err, YK_E_INPUT, yk_node_get(map, "bowing")->key_where,
                          "bowing needs geometry: p-delta, but geometry is %s",
                          how->geometry == YK_GEOMETRY_LINEAR ? "linear" : "corotational; use `divide` there");
    if (m->theory == YK_TRUSS)
        return yk_fail_at(err, YK_E_INPUT, yk_node_get(map, "bowing")->key_where,
                          "bowing has no effect with theory: truss, which does not bend");
    for (size_t i = 0; i < 2; i++) /* there the end of the beam turns otherwise than the joint */
        if (yk_node_get(map, i ? "release" : "hinges"))
            return yk_fail_at(err, YK_E_UNSUPPORTED, yk_node_get(map, "bowing")->key_where,
                              "bowing is for members without hinges and releases; use `divide` here");
    return YK_OK;
}

static enum yk_status find_hinge(const struct yk_frame_reading *r, const struct yk_node *name, bool released,
                                 const struct yk_node **hinge, struct yk_err *err)
{
    enum yk_status st;

    if (!name)
        return YK_OK;
    if ((st = yk_field_type(name, YK_SCALAR, "the name of a hinge", err)))
        return st;
    if (strcmp(name->key, "ry") == 0 && r->frame.plane)
        return yk_fail_at(err, YK_E_INPUT, name->key_where, "a plane frame has no hinges about ry, only about rz");
    if (released)
        return yk_fail_at(err, YK_E_INPUT, name->key_where, "%s is both released and a hinge; leave one of them out",
                          name->key);
    return yk_frame_find_named(r->hinges, name->where, "hinge", name->text, hinge, err);
}

static enum yk_status read_hinges(const struct yk_frame_reading *r, const struct yk_node *map,
                                  const struct yk_beam *beam, struct yk_frame_how *how, struct yk_err *err)
{
    static const char *const ends[2] = {"start", "end"};
    const struct yk_node *hinges = yk_node_get(map, "hinges");
    enum yk_status st = YK_OK;

    if (!hinges)
        return YK_OK;
    if ((st = yk_field_type(hinges, YK_MAP, "a map of start and end", err)) ||
        (st = yk_field_known(hinges, yk_keys_hinges, NULL, err)))
        return st;
    if (beam->theory == YK_TRUSS)
        return yk_fail_at(err, YK_E_INPUT, hinges->key_where,
                          "hinges have no effect with theory: truss, which transmits no moment");
    for (int i = 0; i < 2 && !st; i++) {
        const struct yk_node *end = yk_node_get(hinges, ends[i]);

        if (end && !(st = yk_field_type(end, YK_MAP, "a map of axis to hinge, such as { rz: name }", err)) &&
            !(st = yk_field_known(end, yk_keys_hinge_axes, NULL, err)) &&
            !(st = find_hinge(r, yk_node_get(end, "rz"), beam->release[i] >> 5 & 1, &how->hinges[i][YK_HINGE_RZ], err)))
            st = find_hinge(r, yk_node_get(end, "ry"), beam->release[i] >> 4 & 1, &how->hinges[i][YK_HINGE_RY], err);
    }
    return st;
}

enum yk_status yk_frame_read_how(const struct yk_frame_reading *r, const struct yk_node *map,
                                 const struct yk_frame_entry *entry, const struct yk_beam *beam,
                                 struct yk_frame_how *how, struct yk_err *err)
{
    const struct yk_frame_section *section = NULL;
    enum yk_status st = yk_frame_find_section(r, map->where, entry->section, &section, err);

    if (st)
        return st;
    *how = (struct yk_frame_how){.fibres = section->fibres};
    if ((st = read_fibre_element(map, entry, how, err)) || (st = read_geometry(map, entry, how, err)))
        return st;
    return read_hinges(r, map, beam, how, err);
}

/* ---- members --------------------------------------------------------------------------------------------------- */

static enum yk_status make_hinged(const struct yk_frame_reading *r, const struct yk_frame_how *how,
                                  const struct yk_beam *beam, struct yk_basic *basic, struct yk_err *err)
{
    struct yk_frame_law laws[2][2] = {{{0}}};
    struct yk_hinge hinges[2][2] = {{{0}}};
    enum yk_status st = YK_OK;

    for (int i = 0; i < 4 && !st; i++)
        if (how->hinges[i / 2][i % 2])
            st = read_hinge(r, how->hinges[i / 2][i % 2], &laws[i / 2][i % 2], &hinges[i / 2][i % 2], err);
    if (!st)
        st = yk_hinged_basic(basic, beam, hinges, err);
    for (int i = 0; i < 4; i++)
        yk_frame_free_law(&laws[i / 2][i % 2]);
    return st;
}

static enum yk_status make(const struct yk_frame_reading *r, const struct yk_frame_how *how, bool hinged,
                           const struct yk_beam *beam, struct yk_member *member, struct yk_err *err)
{
    struct yk_fibre_element element = how->element;
    enum yk_status st = yk_member_init(member, beam, how->geometry, how->bowing, err);

    if (st)
        return st;
    if (hinged)
        return make_hinged(r, how, beam, &member->basic, err);
    if (!how->fibres)
        return yk_elastic_basic(&member->basic, beam, err);
    element.L = member->L;
    element.GJ = r->frame.plane ? 0 : beam->section.G * beam->section.J;
    element.section = how->fibres;
    return yk_fibre_basic(&member->basic, &element, err);
}

enum yk_status yk_frame_add_pieces(struct yk_frame_reading *r, const struct yk_frame_how *how, size_t first,
                                   struct yk_err *err)
{
    const size_t last = r->frame.member_count - 1;
    enum yk_status st = YK_OK;

    for (size_t i = first; i <= last && !st; i++) {
        struct yk_beam *beam = &r->frame.members[i].beam;
        struct yk_frame_how own = *how;
        struct yk_frame_piece piece = {.number = i}, *larger;
        bool hinged = false;

        for (int k = 0; k < 4; k++) {
            if (k / 2 == 0 ? i > first : i < last)
                own.hinges[k / 2][k % 2] = NULL;
            hinged |= own.hinges[k / 2][k % 2] != NULL;
        }
        if (!hinged && !own.fibres && own.geometry == YK_GEOMETRY_LINEAR)
            continue;
        if (!(larger = realloc(r->pieces, (r->piece_count + 1) * sizeof *larger)))
            return yk_fail(err, YK_E_MEMORY, "out of memory for %zu members", r->piece_count + 1);
        r->pieces = larger;
        if ((st = make(r, &own, hinged, beam, &piece.member, err)))
            return st;
        beam->outside = true;
        r->frame.members[i].geometry = own.geometry;
        if (!(piece.name = strdup(r->frame.members[i].name)))
            st = yk_fail(err, YK_E_MEMORY, "out of memory");
        r->pieces[r->piece_count++] = piece;
    }
    return st;
}

void yk_frame_free_pieces(struct yk_frame_reading *r)
{
    for (size_t i = 0; i < r->piece_count; i++) {
        yk_member_fini(&r->pieces[i].member);
        free(r->pieces[i].name);
    }
    free(r->pieces);
    r->pieces = NULL;
    r->piece_count = 0;
}

/* ---- places ---------------------------------------------------------------------------------------------------- */

/* The column of T for a row of the structure, which is added where it is new. */
static double *column(struct yk_structure_member *m, size_t dof)
{
    size_t at = 0;

    while (at < m->n && m->dof[at] != dof)
        at++;
    if (at == m->n) {
        m->dof[m->n++] = dof;
        memset(m->T + at * YK_MEMBER_DOFS, 0, YK_MEMBER_DOFS * sizeof *m->T);
    }
    return m->T + at * YK_MEMBER_DOFS;
}

static enum yk_status place(const struct yk_frame_reading *r, const struct yk_frame_model *model,
                            const struct yk_frame_piece *piece, struct yk_structure_member *m, struct yk_err *err)
{
    enum { MOST = YK_MEMBER_DOFS * YK_FRAME_TERMS };
    const size_t *ends = r->frame.members[piece->number].ends;
    enum yk_status st = YK_OK;

    m->dof = calloc(MOST, sizeof *m->dof);
    m->T = calloc((size_t)MOST * YK_MEMBER_DOFS, sizeof *m->T);
    if (!m->dof || !m->T)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < YK_MEMBER_DOFS && !st; i++) {
        const int dof = (int)(i % YK_FRAME_DOFS);
        struct yk_frame_terms terms = {0};

        if (!r->frame.plane || dof < 2 || dof == 5)
            st = yk_frame_expand(&r->frame, ends[i / YK_FRAME_DOFS], dof, &terms, err);
        for (size_t t = 0; t < terms.count && !st; t++)
            if (model->index[terms.place[t]] >= 0)
                column(m, (size_t)model->index[terms.place[t]])[i] += terms.factor[t];
    }
    return st;
}

/* A part of a divided member may be called like another member: the second gets a number. */
static enum yk_status make_unique(struct yk_structure_parts *parts, struct yk_names *index, char **name,
                                  struct yk_err *err)
{
    const struct yk_structure_member *first = parts->members;

    if (!*name || yk_names_find(index, &first->name, sizeof *first, parts->member_count, *name) < 0)
        return YK_OK;
    free(*name);
    if (asprintf(name, "members.%zu", parts->member_count) >= 0)
        return YK_OK;
    *name = NULL;
    return yk_fail(err, YK_E_MEMORY, "out of memory");
}

enum yk_status yk_frame_place(struct yk_frame_reading *r, const struct yk_frame_model *model,
                              struct yk_structure_parts *parts, struct yk_err *err)
{
    struct yk_names index = {0};
    enum yk_status st = YK_OK;

    if (!r->piece_count)
        return YK_OK;
    if (!(parts->members = calloc(r->piece_count, sizeof *parts->members)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu members", r->piece_count);
    for (size_t i = 0; i < r->piece_count && !st; i++) {
        struct yk_structure_member placed = {0}, *m = &parts->members[parts->member_count];

        st = place(r, model, &r->pieces[i], &placed, err);
        *m = placed;
        if (!st && !m->n) { /* between supports nothing happens */
            yk_structure_member_free(m);
            continue;
        }
        if (!st)
            st = make_unique(parts, &index, &r->pieces[i].name, err);
        parts->member_count++;
        m->member = r->pieces[i].member;
        m->name = r->pieces[i].name;
        r->pieces[i].name = NULL;
        r->pieces[i].member = (struct yk_member){0};
    }
    yk_names_free(&index);
    return st;
}
