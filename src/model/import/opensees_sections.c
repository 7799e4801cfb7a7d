/* Sections and materials of an OpenSees frame: patches, layers, fibres, and what elastic members bring along. */
#include "model/import/opensees_frame.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static double area(const struct yk_opensees_frame *f)
{
    return f->L * f->L;
}

static void print_pair(struct yk_opensees_frame *f, const char *key, const struct yk_command *c, size_t at)
{
    fprintf(f->out, ", %s: [%.12g, %.12g]", key, yk_word_number(f, c, at) * f->L, yk_word_number(f, c, at + 1) * f->L);
}

static void print_angles(struct yk_opensees_frame *f, const struct yk_command *c, size_t at)
{
    const double degree = acos(-1.0) / 180;

    fprintf(f->out, ", angles: [%.12g, %.12g]", yk_word_number(f, c, at) * degree,
            yk_word_number(f, c, at + 1) * degree);
}

static void print_patch(struct yk_opensees_frame *f, const struct yk_command *c)
{
    const bool quad = yk_command_is(c, "patch", "quad") || yk_command_is(c, "patch", "quadr"),
               circ = yk_command_is(c, "patch", "circ");

    if (!quad && !circ && !yk_command_is(c, "patch", "rect")) {
        yk_word_refuse(f, c, "rect, quad and circ are known, not ", c->word[c->count > 1]);
        return;
    }
    fprintf(f->out, "patch: %s, material: m%" PRId64,
            quad   ? "quadrilateral"
            : circ ? "ring"
                   : "rectangle",
            yk_word_whole(f, c, 2));
    if (circ) {
        print_pair(f, "centre", c, 5);
        print_pair(f, "radii", c, 7);
        print_angles(f, c, 9);
    } else if (quad) {
        fputs(", corners: [", f->out);
        for (size_t i = 0; i < 4; i++)
            fprintf(f->out, "%s[%.12g, %.12g]", i ? ", " : "", yk_word_number(f, c, 5 + 2 * i) * f->L,
                    yk_word_number(f, c, 6 + 2 * i) * f->L);
        fputs("]", f->out);
    } else {
        print_pair(f, "from", c, 5);
        print_pair(f, "to", c, 7);
    }
    fprintf(f->out, ", divide: [%" PRId64 ", %" PRId64 "]", yk_word_whole(f, c, circ ? 4 : 3),
            yk_word_whole(f, c, circ ? 3 : 4));
}

static void print_layer(struct yk_opensees_frame *f, const struct yk_command *c)
{
    const bool circ = yk_command_is(c, "layer", "circ");

    if (!circ && !yk_command_is(c, "layer", "straight")) {
        yk_word_refuse(f, c, "straight and circ are known, not ", c->word[c->count > 1]);
        return;
    }
    fprintf(f->out, "layer: %s, material: m%" PRId64, circ ? "circle" : "straight", yk_word_whole(f, c, 2));
    print_pair(f, circ ? "centre" : "from", c, 5);
    if (!circ)
        print_pair(f, "to", c, 7);
    else {
        fprintf(f->out, ", radius: %.12g", yk_word_number(f, c, 7) * f->L);
        if (c->count > 9 && fabs(yk_word_number(f, c, 9) - yk_word_number(f, c, 8)) >= 360)
            yk_word_refuse(f, c, "a full circle puts two bars into one place; leave the angles out, not ", c->word[9]);
        if (c->count > 9)
            print_angles(f, c, 8);
    }
    fprintf(f->out, ", bars: %" PRId64 ", area: %.12g", yk_word_whole(f, c, 3), yk_word_number(f, c, 4) * area(f));
}

static void print_fibre(struct yk_opensees_frame *f, const struct yk_command *c)
{
    fprintf(f->out, "layer: straight, material: m%" PRId64, yk_word_whole(f, c, 4));
    print_pair(f, "from", c, 1);
    print_pair(f, "to", c, 1);
    fprintf(f->out, ", bars: 1, area: %.12g", yk_word_number(f, c, 3) * area(f));
}

static const struct {
    const char *name;
    void (*print)(struct yk_opensees_frame *f, const struct yk_command *c);
} fibres[] = {{"patch", print_patch}, {"layer", print_layer}, {"fiber", print_fibre}};

static void print_fibres(struct yk_opensees_frame *f, size_t at)
{
    const struct yk_command *section = &f->commands.list[at];
    const size_t torsion = yk_command_option(section, "-GJ");

    fprintf(f->out, "      s%" PRId64 ":\n", yk_word_whole(f, section, 2));
    if (torsion)
        fprintf(f->out, "        G: 1\n        J: %.12g      # G J together\n",
                yk_word_number(f, section, torsion + 1) * f->F * area(f));
    fputs("        fibres:\n", f->out);
    for (size_t i = at + 1; i < f->commands.count && !f->st; i++) {
        const struct yk_command *c = &f->commands.list[i];
        size_t k = 0;

        while (k < 3 && !yk_command_is(c, fibres[k].name, NULL))
            k++;
        if (k == 3)
            return;
        fputs("          - { ", f->out);
        fibres[k].print(f, c);
        fputs(" }\n", f->out);
    }
}

/* E, A, Iz and in space Iy, G, J from words at these places; 0: none. */
struct elastic_words {
    size_t E, A, Iz, Iy, G, J;
};

static void print_elastic(struct yk_opensees_frame *f, const struct yk_command *c, struct elastic_words at)
{
    const double stress = f->F / area(f), fourth = area(f) * area(f);

    fprintf(f->out, "{ E: %.12g, A: %.12g", yk_word_number(f, c, at.E) * stress, yk_word_number(f, c, at.A) * area(f));
    if (at.Iz)
        fprintf(f->out, ", Iz: %.12g", yk_word_number(f, c, at.Iz) * fourth);
    if (f->ndm == 3 && at.Iy)
        fprintf(f->out, ", Iy: %.12g, G: %.12g, J: %.12g", yk_word_number(f, c, at.Iy) * fourth,
                yk_word_number(f, c, at.G) * stress, yk_word_number(f, c, at.J) * fourth);
    fputs(" }\n", f->out);
}

bool yk_opensees_is_elastic_section(const struct yk_command *c)
{
    return yk_command_is(c, "section", "Elastic");
}

bool yk_opensees_is_truss(const struct yk_command *c)
{
    return yk_command_is(c, "element", "truss") || yk_command_is(c, "element", "Truss") ||
           yk_command_is(c, "element", "corotTruss");
}

bool yk_opensees_has_own_section(const struct yk_opensees_frame *f, const struct yk_command *c)
{
    return yk_command_is(c, "element", "elasticBeamColumn") && yk_command_plain(c) >= (f->ndm == 3 ? 12u : 9u);
}

static bool same_words(struct yk_span a, struct yk_span b)
{
    return a.end - a.begin == b.end - b.begin && memcmp(a.begin, b.begin, (size_t)(a.end - a.begin)) == 0;
}

const struct yk_command *yk_opensees_same_section(const struct yk_opensees_frame *f, const struct yk_command *c)
{
    const size_t words = yk_opensees_is_truss(c) ? 2 : f->ndm == 3 ? 6 : 3; /* from the sixth on */

    for (size_t i = 0; i < f->commands.count; i++) {
        const struct yk_command *other = &f->commands.list[i];
        size_t k = 5;

        if (other == c || yk_opensees_is_truss(other) != yk_opensees_is_truss(c) ||
            !(yk_opensees_is_truss(other) || yk_opensees_has_own_section(f, other)))
            continue;
        while (k < 5 + words && k < c->count && k < other->count && same_words(c->word[k], other->word[k]))
            k++;
        if (k == 5 + words)
            return other < c ? other : c;
    }
    return c;
}

static void print_own_section(struct yk_opensees_frame *f, const struct yk_command *c)
{
    static const struct elastic_words plane = {.A = 5, .E = 6, .Iz = 7},
                                      space = {.A = 5, .E = 6, .G = 7, .J = 8, .Iy = 9, .Iz = 10};
    const struct yk_command *material =
        yk_opensees_is_truss(c) ? yk_command_find(f, c, "uniaxialMaterial", 2, yk_word_whole(f, c, 6)) : NULL;

    fprintf(f->out, "      e%" PRId64 ": ", yk_word_whole(f, c, 2));
    if (!yk_opensees_is_truss(c))
        print_elastic(f, c, f->ndm == 3 ? space : plane);
    else if (material && yk_command_is(material, "uniaxialMaterial", "Elastic"))
        fprintf(f->out, "{ E: %.12g, A: %.12g }\n", yk_word_number(f, material, 3) * f->F / area(f),
                yk_word_number(f, c, 5) * area(f));
    else
        fprintf(f->out,
                "{ fibres: [ { layer: straight, material: m%" PRId64
                ", from: [0, 0], to: [0, 0], bars: 1, area: %.12g } ] }\n",
                yk_word_whole(f, c, 6), yk_word_number(f, c, 5) * area(f));
}

void yk_opensees_print_sections(struct yk_opensees_frame *f)
{
    fputs("    sections:\n", f->out);
    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct yk_command *c = &f->commands.list[i];

        if (yk_command_is(c, "section", NULL) && c->count > 1 && yk_span_starts(c->word[1], "Fiber"))
            print_fibres(f, i);
        else if (yk_opensees_is_elastic_section(c)) {
            fprintf(f->out, "      s%" PRId64 ": ", yk_word_whole(f, c, 2));
            print_elastic(f, c, (struct elastic_words){.E = 3, .A = 4, .Iz = 5, .Iy = 6, .G = 7, .J = 8});
        } else if (yk_command_is(c, "section", NULL) && yk_word_expect(f, c, 2))
            yk_word_refuse(f, c, "Fiber and Elastic are known, not ", c->word[1]);
        else if ((yk_opensees_has_own_section(f, c) || yk_opensees_is_truss(c)) && yk_opensees_same_section(f, c) == c)
            print_own_section(f, c);
    }
}

/* The materials that sections use; those of springs stand there. */
static bool is_fibre_material(struct yk_opensees_frame *f, int64_t tag)
{
    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct yk_command *c = &f->commands.list[i];
        const bool fibre = yk_command_is(c, "fiber", NULL);

        if ((fibre || yk_command_is(c, "patch", NULL) || yk_command_is(c, "layer", NULL)) &&
            yk_word_whole(f, c, fibre ? 4 : 2) == tag)
            return true;
        if (yk_opensees_is_truss(c) && yk_word_whole(f, c, 6) == tag) {
            const struct yk_command *m = yk_command_find(f, c, "uniaxialMaterial", 2, tag);

            if (m && !yk_command_is(m, "uniaxialMaterial", "Elastic"))
                return true;
        }
    }
    return false;
}

void yk_opensees_print_materials(struct yk_opensees_frame *f)
{
    bool any = false;

    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct yk_command *c = &f->commands.list[i];

        if (!yk_command_is(c, "uniaxialMaterial", NULL) || !is_fibre_material(f, yk_word_whole(f, c, 2)))
            continue;
        fprintf(f->out, "%s      m%" PRId64 ": { ", any ? "" : "    materials:\n", yk_word_whole(f, c, 2));
        yk_opensees_print_law(f, c, (struct yk_opensees_place){f->F / area(f), 1, false});
        fputs(" }\n", f->out);
        any = true;
    }
}
