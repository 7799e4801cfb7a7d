/* Members, springs and links of an OpenSees frame. A rotational spring at the end of an elastic beam becomes a hinge of
 * the beam. */
#include "frame.h"

#include <inttypes.h>
#include <math.h>

/* ---- hinges ---- */

static bool is_beam(const struct opensees_command *c)
{
    return opensees_is(c, "element", "dispBeamColumn") || opensees_is(c, "element", "forceBeamColumn") ||
           opensees_is(c, "element", "nonlinearBeamColumn");
}

static bool is_member(const struct opensees_command *c)
{
    return is_beam(c) || opensees_is_truss(c) || opensees_is(c, "element", "elasticBeamColumn");
}

/* A rotational spring alone. */
static bool is_rotational(struct opensees_frame *f, const struct opensees_command *c)
{
    const size_t materials = opensees_option(c, "-mat"), along = opensees_option(c, "-dir");

    return f->ndm == 2 && opensees_is(c, "element", "zeroLength") && materials && along == materials + 2 &&
           c->count == along + 2 && opensees_word_whole(f, c, along + 1) == 6;
}

/* Who names which node. */
static void count_uses(struct opensees_frame *f)
{
    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct opensees_command *c = &f->commands.list[i];
        const bool member = is_member(c), spring = opensees_is(c, "element", NULL) && !member;
        const bool tie = opensees_is(c, "equalDOF", NULL),
                   link = opensees_is(c, "rigidLink", NULL) || opensees_is(c, "rigidDiaphragm", NULL);

        for (size_t k = 2; link && k < c->count && !f->st; k++) {
            struct opensees_node *n = opensees_node_of(f, c, k);

            if (n)
                n->ties++;
        }
        if (!member && !spring && !tie)
            continue;
        struct opensees_node *a = opensees_node_of(f, c, tie ? 1 : 3), *b = opensees_node_of(f, c, tie ? 2 : 4);
        for (int k = 0; k < 2 && a && b; k++) {
            struct opensees_node *n = k ? b : a;

            n->members += opensees_is(c, "element", "elasticBeamColumn") ? 1
                          : member                                       ? 2
                                                                         : 0; /* others take no hinge */
            n->springs += spring;
            n->ties += tie;
            if (tie && c->count == 5 && opensees_word_whole(f, c, 3) + opensees_word_whole(f, c, 4) == 3)
                n->tied = k ? a : b;
        }
    }
}

/* The usual hinge: a node without mass that shares its translations with a joint, a rotational spring between them, and
 * one elastic beam. The spring becomes a hinge of the beam, and the node goes. */
void opensees_find_hinges(struct opensees_frame *f)
{
    count_uses(f);
    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct opensees_command *c = &f->commands.list[i];

        if (!is_rotational(f, c))
            continue;
        for (size_t k = 0; k < 2 && !f->st; k++) {
            struct opensees_node *inner = opensees_node_of(f, c, 4 - k), *outer = opensees_node_of(f, c, 3 + k);
            bool free = inner && outer && !outer->hinge;

            for (int d = 0; free && d < 3; d++)
                free = inner->mass[d] == 0 && !inner->fixed[d];
            if (free && inner->members == 1 && inner->springs == 1 && inner->ties == 1 && inner->tied == outer) {
                inner->hinge = c;
                inner->outer = outer;
                break;
            }
        }
    }
}

static bool is_hinge(struct opensees_frame *f, const struct opensees_command *c, size_t first)
{
    const struct opensees_node *a = opensees_node_of(f, c, first), *b = opensees_node_of(f, c, first + 1);

    return a && b && ((a->hinge && a->outer == b) || (b->hinge && b->outer == a));
}

/* Yoke turns a hinge by the joint minus the inner end, OpenSees by the second node minus the first. */
static bool is_turned(struct opensees_frame *f, const struct opensees_node *inner)
{
    return opensees_word_whole(f, inner->hinge, 4) == inner->tag;
}

static int64_t hinge_material(struct opensees_frame *f, const struct opensees_node *inner)
{
    return opensees_word_whole(f, inner->hinge, opensees_option(inner->hinge, "-mat") + 1);
}

/* "h2": material 2; "h2t": the same with its ends exchanged. */
static void print_hinge_name(struct opensees_frame *f, const struct opensees_node *inner)
{
    fprintf(f->out, "h%" PRId64 "%s", hinge_material(f, inner), is_turned(f, inner) ? "t" : "");
}

static bool is_printed(struct opensees_frame *f, size_t i)
{
    for (size_t k = 0; k < i && !f->st; k++)
        if (f->nodes[k].hinge && hinge_material(f, &f->nodes[k]) == hinge_material(f, &f->nodes[i]) &&
            is_turned(f, &f->nodes[k]) == is_turned(f, &f->nodes[i]))
            return true;
    return false;
}

void opensees_print_hinges(struct opensees_frame *f)
{
    bool any = false;

    for (size_t i = 0; i < f->node_count && !f->st; i++) {
        const struct opensees_node *n = &f->nodes[i];

        if (!n->hinge || is_printed(f, i))
            continue;
        fputs(any ? "      " : "    hinges:\n      ", f->out);
        print_hinge_name(f, n);
        fputs(": { ", f->out);
        opensees_print_law(f, opensees_find(f, n->hinge, "uniaxialMaterial", 2, hinge_material(f, n)),
                           (struct opensees_place){f->F * f->L, 1, is_turned(f, n)});
        fputs(" }\n", f->out);
        any = true;
    }
}

/* ---- members ---- */

static double length(const struct opensees_node *a, const struct opensees_node *b)
{
    return sqrt((a->at[0] - b->at[0]) * (a->at[0] - b->at[0]) + (a->at[1] - b->at[1]) * (a->at[1] - b->at[1]) +
                (a->at[2] - b->at[2]) * (a->at[2] - b->at[2]));
}

void opensees_lump_masses(struct opensees_frame *f)
{
    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct opensees_command *c = &f->commands.list[i];
        const size_t at = opensees_is(c, "element", NULL) ? opensees_option(c, "-mass") : opensees_option(c, "-rho");
        struct opensees_node *a, *b;

        if (!opensees_is(c, "element", NULL) || !at)
            continue;
        if (opensees_option(c, "-cMass"))
            opensees_word_refuse(f, c,
                                 "consistent masses of members are not taken: ", c->word[opensees_option(c, "-cMass")]);
        if (!(a = opensees_node_of(f, c, 3)) || !(b = opensees_node_of(f, c, 4)))
            return;
        const double half = 0.5 * opensees_word_number(f, c, at + 1) * f->F / f->L / f->L * length(a, b);
        a = a->hinge ? a->outer : a;
        b = b->hinge ? b->outer : b;
        for (int k = 0; k < f->ndm; k++) {
            a->mass[k] += half;
            b->mass[k] += half;
        }
    }
}

static void print_geometry(struct opensees_frame *f, const struct opensees_command *c, size_t at)
{
    const struct opensees_command *t = opensees_find(f, c, "geomTransf", 2, opensees_word_whole(f, c, at));

    if (!t)
        return;
    if (opensees_option(t, "-jntOffset"))
        opensees_word_refuse(f, t, "offsets of joints are not taken: ", t->word[opensees_option(t, "-jntOffset")]);
    if (opensees_is(t, "geomTransf", "PDelta"))
        fputs(", geometry: p-delta", f->out);
    else if (opensees_is(t, "geomTransf", "Corotational"))
        fputs(", geometry: corotational", f->out);
    else if (!opensees_is(t, "geomTransf", "Linear"))
        opensees_word_refuse(f, t, "Linear, PDelta and Corotational are known, not ", t->word[1]);
    if (f->ndm == 3)
        fprintf(f->out, ", up: [%.12g, %.12g, %.12g]", opensees_word_number(f, t, 3), opensees_word_number(f, t, 4),
                opensees_word_number(f, t, 5));
}

/* The rule of integration of a beam: section and points; *transformation: the word that names it. */
static void print_rule(struct opensees_frame *f, const struct opensees_command *c, bool force, size_t *transformation)
{
    const size_t count = opensees_plain(c);
    const struct opensees_command *from = c, *section;
    size_t at = 6, points = 5; /* points, section, transformation */
    bool lobatto = force;

    *transformation = 7;
    if (count > 6 && (yk_piece_is(c->word[6], "Lobatto") || yk_piece_is(c->word[6], "Legendre"))) {
        lobatto = yk_piece_is(c->word[6], "Lobatto"); /* transformation, rule, section, points */
        *transformation = 5;
        at = 7;
        points = 8;
    } else if (count == 7) { /* transformation, number of a rule */
        *transformation = 5;
        if (!(from = opensees_find(f, c, "beamIntegration", 2, opensees_word_whole(f, c, 6))))
            return;
        lobatto = opensees_is(from, "beamIntegration", "Lobatto");
        if (!lobatto && !opensees_is(from, "beamIntegration", "Legendre"))
            opensees_word_refuse(f, from, "Lobatto and Legendre are known, not ", from->word[1]);
        at = 3;
        points = 4;
    }
    const size_t named = opensees_option(c, "-integration");
    if (named) {
        lobatto = yk_piece_is(c->word[named + 1], "Lobatto");
        if (!lobatto && !yk_piece_is(c->word[named + 1], "Legendre"))
            opensees_word_refuse(f, c, "Lobatto and Legendre are known, not ", c->word[named + 1]);
    }
    section = opensees_find(f, c, "section", 2, opensees_word_whole(f, from, at));
    fprintf(f->out, "section: s%" PRId64, opensees_word_whole(f, from, at));
    if (!section || opensees_is_elastic_section(section))
        return;
    fprintf(f->out, ", formulation: %s, points: %" PRId64 ", rule: %s", force ? "force" : "displacement",
            opensees_word_whole(f, from, points), lobatto ? "lobatto" : "legendre");
    if (force && opensees_option(c, "-iter"))
        fprintf(f->out, ", iterations: %g",
                fmin(fmax(opensees_word_number(f, c, opensees_option(c, "-iter") + 1), 3), 20));
}

static void print_member(struct opensees_frame *f, const struct opensees_command *c)
{
    const struct opensees_node *a = opensees_node_of(f, c, 3), *b = opensees_node_of(f, c, 4);
    size_t transformation = 0;

    if (!a || !b)
        return;
    fprintf(f->out, "      - { between: [n%" PRId64 ", n%" PRId64 "], name: e%" PRId64 ", ",
            a->hinge ? a->outer->tag : a->tag, b->hinge ? b->outer->tag : b->tag, opensees_word_whole(f, c, 2));
    if (is_beam(c))
        print_rule(f, c, !opensees_is(c, "element", "dispBeamColumn"), &transformation);
    else if (opensees_is_truss(c))
        fprintf(f->out, "section: e%" PRId64 ", theory: truss%s",
                opensees_word_whole(f, opensees_same_section(f, c), 2),
                opensees_is(c, "element", "corotTruss") ? ", geometry: corotational" : "");
    else {
        const bool own = opensees_has_own_section(f, c);

        fprintf(f->out, "section: %s%" PRId64, own ? "e" : "s",
                own ? opensees_word_whole(f, opensees_same_section(f, c), 2) : opensees_word_whole(f, c, 5));
        transformation = opensees_plain(c) - 1;
    }
    if (transformation)
        print_geometry(f, c, transformation);
    for (int k = 0; k < 2; k++) {
        const struct opensees_node *n = k ? b : a;

        if (!n->hinge)
            continue;
        fprintf(f->out, "%s%s: { rz: ", k && a->hinge ? ", " : ", hinges: { ", k ? "end" : "start");
        print_hinge_name(f, n);
        fputs(k || !b->hinge ? " } }" : " }", f->out);
    }
    fputs(" }\n", f->out);
}

void opensees_print_members(struct opensees_frame *f)
{
    fputs("    members:\n", f->out);
    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct opensees_command *c = &f->commands.list[i];

        if (is_member(c))
            print_member(f, c);
        else if (opensees_is(c, "element", NULL) && !opensees_is(c, "element", "zeroLength") &&
                 opensees_word_expect(f, c, 2))
            opensees_word_refuse(
                f, c,
                "elasticBeamColumn, dispBeamColumn, forceBeamColumn, nonlinearBeamColumn, truss, corotTruss and "
                "zeroLength are known, not ",
                c->word[1]);
    }
}

/* ---- springs and links ---- */

/* One spring of a zeroLength element in each of its directions. */
static void print_springs(struct opensees_frame *f, const struct opensees_command *c)
{
    const size_t materials = opensees_option(c, "-mat"), along = opensees_option(c, "-dir");
    const struct opensees_node *a = opensees_node_of(f, c, 3), *b = opensees_node_of(f, c, 4);

    if (!a || !b)
        return;
    if (!materials || along <= materials || opensees_option(c, "-orient")) {
        opensees_word_refuse(f, c, "-mat ... -dir ... without -orient is expected, not ", c->word[c->count - 1]);
        return;
    }
    for (size_t i = 1; materials + i < along && !f->st; i++) {
        const int64_t given = opensees_word_whole(f, c, along + i);
        const int k = f->ndm == 2 && given == 6 ? 2 : (int)(given >= 1 && given <= 6 ? given - 1 : 6);
        const struct opensees_command *m =
            opensees_find(f, c, "uniaxialMaterial", 2, opensees_word_whole(f, c, materials + i));

        if (!f->st && (k >= f->ndf || (f->ndm == 2 && given == 3)))
            opensees_word_refuse(f, c, f->ndm == 2 ? "directions are 1, 2 and 6, not " : "directions are 1 to 6, not ",
                                 c->word[along + i]);
        if (f->st)
            return;
        fprintf(f->out, "      - { name: e%" PRId64 "-%s, between: [n%" PRId64 ".%s, n%" PRId64 ".%s], ",
                opensees_word_whole(f, c, 2), opensees_direction(f, k), a->tag, opensees_direction(f, k), b->tag,
                opensees_direction(f, k));
        opensees_print_law(f, m,
                           opensees_turns(f, k) ? (struct opensees_place){f->F * f->L, 1, false}
                                                : (struct opensees_place){f->F, f->L, false});
        fputs(" }\n", f->out);
    }
}

void opensees_print_elements(struct opensees_frame *f)
{
    bool any = false;

    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct opensees_command *c = &f->commands.list[i];

        if (!opensees_is(c, "element", "zeroLength") || is_hinge(f, c, 3))
            continue;
        fputs(any ? "" : "    elements:\n", f->out);
        any = true;
        print_springs(f, c);
    }
}

/* equalDOF, rigidLink and rigidDiaphragm tie nodes to one. */
static void print_link(struct opensees_frame *f, const struct opensees_command *c)
{
    static const int floor[3][3] = {{1, 2, 3}, {0, 2, 4}, {0, 1, 5}};
    const bool equal = opensees_is(c, "equalDOF", NULL), rigid = opensees_is(c, "rigidLink", NULL);
    const struct opensees_node *master = opensees_node_of(f, c, equal ? 1 : 2);
    const size_t end = equal || rigid ? 1 : c->count - 3 + (c->count < 3) * 3;

    if (!master || !opensees_word_expect(f, c, 4))
        return;
    fprintf(f->out, "      - { master: n%" PRId64 ", slaves: [", master->tag);
    for (size_t i = 0; i < end && !f->st; i++) {
        const struct opensees_node *slave = opensees_node_of(f, c, (equal ? 2 : 3) + i);

        if (slave)
            fprintf(f->out, "%sn%" PRId64, i ? ", " : "", slave->tag);
        if (slave && equal && length(master, slave) > 1e-9 * (1 + fabs(master->at[0]) + fabs(master->at[1])))
            opensees_word_refuse(f, c, "equal displacements of nodes in different places are not taken, as of ",
                                 c->word[2]);
    }
    fputs("]", f->out);
    if (rigid && !opensees_is(c, "rigidLink", "beam"))
        opensees_word_refuse(f, c, "beam is known, not ", c->word[1]);
    if (equal)
        for (size_t i = 3; i < c->count && !f->st; i++) {
            const int64_t k = opensees_word_whole(f, c, i);

            if (k < 1 || k > f->ndf)
                opensees_word_refuse(f, c, "a degree of freedom is expected, not ", c->word[i]);
            else
                fprintf(f->out, "%s%s", i == 3 ? ", dofs: [" : ", ", opensees_direction(f, (int)k - 1));
        }
    else if (!rigid) {
        const int64_t across = opensees_word_whole(f, c, 1);

        if (f->ndm != 3 || across < 1 || across > 3)
            opensees_word_refuse(f, c, "1, 2 or 3 in space is expected, not ", c->word[1]);
        else
            for (int k = 0; k < 3; k++)
                fprintf(f->out, "%s%s", k ? ", " : ", dofs: [", opensees_direction(f, floor[across - 1][k]));
    }
    fprintf(f->out, "%s }\n", rigid ? "" : "]");
}

void opensees_print_links(struct opensees_frame *f)
{
    bool any = false;

    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct opensees_command *c = &f->commands.list[i];

        if (!opensees_is(c, "equalDOF", NULL) && !opensees_is(c, "rigidLink", NULL) &&
            !opensees_is(c, "rigidDiaphragm", NULL))
            continue;
        if (opensees_is(c, "equalDOF", NULL) && is_hinge(f, c, 1))
            continue;
        fputs(any ? "" : "    links:\n", f->out);
        any = true;
        print_link(f, c);
    }
}
