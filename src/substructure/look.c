/* Looks at the members of a structure. Units: N, m, rad, Pa. */
#include "substructure/member/fibre_element.h"
#include "substructure/member/hinged.h"
#include "substructure/probe.h"
#include "substructure/structure.h"
#include <yoke/fibre_section.h>
#include <yoke/look.h>

#include <stdio.h>

YK_RT static const struct yk_member *member_of(const struct yk_system *structure, const struct yk_look *look)
{
    const struct yk_structure *s = structure->self;

    return &s->members.items[look->member].member;
}

/* ---- which there are --------------------------------------------------------------------------------------------- */

struct listing {
    struct yk_look *to; /* NULL: counts */
    size_t count;
};

static void add(struct listing *l, struct yk_look look)
{
    if (l->to)
        l->to[l->count] = look;
    l->count++;
}

static void list_hinges(struct listing *l, const struct yk_member *m, size_t number)
{
    for (size_t end = 0; end < 2; end++)
        for (size_t axis = 0; axis < (m->plane ? 1 : 2); axis++)
            if (yk_hinged_basic_has(&m->basic, end, (enum yk_hinge_axis)axis))
                for (enum yk_look_kind kind = YK_LOOK_ROTATION; kind <= YK_LOOK_MOMENT; kind++)
                    add(l, (struct yk_look){.kind = kind, .member = number, .point = end, .component = axis});
}

static void list_fibres(struct listing *l, const struct yk_fibre_section *section, struct yk_look look)
{
    const size_t count = yk_fibre_section_summary(section)->given;

    for (look.number = 0; look.number < count; look.number++)
        for (enum yk_look_kind kind = YK_LOOK_FIBRE_STRAIN; kind <= YK_LOOK_FIBRE_STRESS; kind++) {
            look.kind = kind;
            yk_fibre_section_given(section, look.number, &look.fibre);
            add(l, look);
        }
}

static void list_sections(struct listing *l, const struct yk_member *m, size_t number, bool fibres)
{
    size_t points = 0;
    const struct yk_fibre_section *section =
        m->basic.ops->section ? m->basic.ops->section(m->basic.self, &points) : NULL;

    for (size_t p = 0; section && p < points; p++) {
        for (enum yk_look_kind kind = YK_LOOK_STRAIN; kind <= YK_LOOK_SECTION_FORCE; kind++)
            for (size_t i = 0; i < (m->plane ? 2 : 3); i++)
                add(l, (struct yk_look){.kind = kind, .member = number, .point = p, .component = i});
        if (fibres)
            list_fibres(l, section, (struct yk_look){.member = number, .point = p});
    }
}

size_t yk_looks_of(const struct yk_system *structure, bool fibres, struct yk_look *looks)
{
    const struct yk_structure *s = structure->self;
    struct listing l = {.to = looks};

    for (size_t i = 0; i < s->members.count; i++) {
        const struct yk_member *m = &s->members.items[i].member;

        for (size_t c = 0; c < (m->plane ? YK_BASIC_PLANE : YK_BASIC_SPACE); c++)
            add(&l, (struct yk_look){.kind = YK_LOOK_END_FORCE, .member = i, .component = c});
        list_hinges(&l, m, i);
        list_sections(&l, m, i, fibres);
    }
    return l.count;
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* Words of a quantity; the tables are by plane or space, and component. */
struct wording {
    const char *name, *words, *unit;
};
static const struct wording end_forces[2][YK_BASIC_SPACE] = {
    {{"N", "axial force", "N"}, {"M1", "moment at the first end", "N m"}, {"M2", "moment at the second end", "N m"}},
    {{"N", "axial force", "N"},
     {"Mz1", "moment about z at the first end", "N m"},
     {"Mz2", "moment about z at the second end", "N m"},
     {"My1", "moment about y at the first end", "N m"},
     {"My2", "moment about y at the second end", "N m"},
     {"T", "torque", "N m"}}};
static const struct wording strains[2][3] = {{{"strain", "strain on the axis", ""}, {"curvature", "curvature", "1/m"}},
                                             {{"strain", "strain on the axis", ""},
                                              {"curvature_z", "curvature about z", "1/m"},
                                              {"curvature_y", "curvature about y", "1/m"}}};
static const struct wording section_forces[2][3] = {
    {{"N", "axial force", "N"}, {"M", "moment", "N m"}},
    {{"N", "axial force", "N"}, {"Mz", "moment about z", "N m"}, {"My", "moment about y", "N m"}}};

static void describe_hinge(const struct yk_look *look, bool plane, struct yk_look_words *out)
{
    const char *axis = plane ? "" : look->component == YK_HINGE_RZ ? "z" : "y";
    const bool moment = look->kind == YK_LOOK_MOMENT;

    snprintf(out->name, sizeof out->name, "hinge%zu%s.%s", look->point + 1, axis, moment ? "moment" : "rotation");
    snprintf(out->words, sizeof out->words, "hinge at the %s end%s%s, %s", look->point ? "second" : "first",
             plane ? "" : " about ", axis, moment ? "moment" : "rotation");
    out->unit = moment ? "N m" : "rad";
}

static void describe_fibre(const struct yk_look *look, struct yk_look_words *out)
{
    const bool stress = look->kind == YK_LOOK_FIBRE_STRESS;
    const char *what = stress ? "stress" : "strain";

    snprintf(out->name, sizeof out->name, "p%zu.fibre%zu.%s", look->point + 1, look->number + 1, what);
    snprintf(out->words, sizeof out->words, "point %zu, fibre %zu, %s", look->point + 1, look->number + 1, what);
    out->unit = stress ? "Pa" : "";
}

static void describe_section(const struct yk_look *look, bool plane, struct yk_look_words *out)
{
    const struct wording *w =
        &(look->kind == YK_LOOK_STRAIN ? strains : section_forces)[plane ? 0 : 1][look->component];

    snprintf(out->name, sizeof out->name, "p%zu.%s", look->point + 1, w->name);
    snprintf(out->words, sizeof out->words, "point %zu, %s", look->point + 1, w->words);
    out->unit = w->unit;
}

void yk_look_describe(const struct yk_system *structure, const struct yk_look *look, struct yk_look_words *out)
{
    const bool plane = member_of(structure, look)->plane;
    const struct wording *end = &end_forces[plane ? 0 : 1][look->component];

    switch (look->kind) {
    case YK_LOOK_END_FORCE:
        snprintf(out->name, sizeof out->name, "%s", end->name);
        snprintf(out->words, sizeof out->words, "%s", end->words);
        out->unit = end->unit;
        break;
    case YK_LOOK_ROTATION:
    case YK_LOOK_MOMENT:
        describe_hinge(look, plane, out);
        break;
    case YK_LOOK_STRAIN:
    case YK_LOOK_SECTION_FORCE:
        describe_section(look, plane, out);
        break;
    default:
        describe_fibre(look, out);
    }
}

const char *yk_look_member(const struct yk_system *structure, const struct yk_look *look)
{
    const struct yk_structure *s = structure->self;

    return s->members.items[look->member].name;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

YK_RT double yk_look_now(const struct yk_system *structure, const struct yk_look *look, const double *u)
{
    const struct yk_member *m = member_of(structure, look);
    const double *memory = yk_members_look_at(structure->self, look->member, u);
    const double *own = yk_member_basic_memory(m, memory);
    double a[3], b[3];

    switch (look->kind) {
    case YK_LOOK_END_FORCE:
        return memory[look->component];
    case YK_LOOK_ROTATION:
    case YK_LOOK_MOMENT:
        yk_hinged_basic_look(&m->basic, own, look->point, (enum yk_hinge_axis)look->component, &a[0], &b[0]);
        return look->kind == YK_LOOK_ROTATION ? a[0] : b[0];
    case YK_LOOK_STRAIN:
    case YK_LOOK_SECTION_FORCE:
        yk_fibre_basic_point(&m->basic, own, look->point, a, b);
        return (look->kind == YK_LOOK_STRAIN ? a : b)[look->component];
    default:
        yk_fibre_basic_look(&m->basic, own, look->point, look->fibre, &a[0], &b[0]);
        return look->kind == YK_LOOK_FIBRE_STRAIN ? a[0] : b[0];
    }
}

void yk_look_touch(const struct yk_system *structure, const struct yk_look *look, unsigned char mark,
                   unsigned char *needed)
{
    const struct yk_structure *s = structure->self;
    const struct yk_structure_member *m = &s->members.items[look->member];

    for (size_t a = 0; a < m->n; a++)
        needed[m->dof[a]] |= mark;
}

struct yk_tally yk_tally_members(const struct yk_system *structure)
{
    const struct yk_structure *s = yk_is_structure(structure) ? structure->self : NULL;
    struct yk_tally tally = {.members = s ? s->members.count : 0, .evaluations = s ? s->members.evaluations : 0};

    for (size_t i = 0; i < tally.members; i++) {
        const struct yk_basic *basic = &s->members.items[i].member.basic;
        size_t points = 0;
        const struct yk_fibre_section *section = basic->ops->section ? basic->ops->section(basic->self, &points) : NULL;

        if (section) {
            tally.sections += points;
            tally.fibres += points * yk_fibre_section_summary(section)->fibres;
        }
        for (size_t end = 0; end < 2; end++)
            tally.hinges += (size_t)yk_hinged_basic_has(basic, end, YK_HINGE_RZ) +
                            (size_t)yk_hinged_basic_has(basic, end, YK_HINGE_RY);
    }
    return tally;
}
