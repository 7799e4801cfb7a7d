/* Sections and materials of an OpenSees frame: patches, layers, fibres, and what elastic members bring along. */
#include "frame.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static double area(const struct opensees_frame *f)
{
    return f->L * f->L;
}

/* A place in the section. OpenSees puts the axis of a member at the centre of the areas of its fibres. */
static void print_place(struct opensees_frame *f, const struct opensees_command *c, size_t at)
{
    fprintf(f->out, "[%.12g, %.12g]", (opensees_word_number(f, c, at) - f->centre[0]) * f->L,
            (opensees_word_number(f, c, at + 1) - f->centre[1]) * f->L);
}

static void print_pair(struct opensees_frame *f, const char *key, const struct opensees_command *c, size_t at)
{
    fprintf(f->out, ", %s: ", key);
    print_place(f, c, at);
}

/* ---- areas and their first moments ---- */

struct moments {
    double area, y, z, reach;
};

static void add_area(struct moments *m, double area, double y, double z)
{
    m->area += fabs(area);
    m->y += fabs(area) * y;
    m->z += fabs(area) * z;
    m->reach = fmax(m->reach, fmax(fabs(y), fabs(z)));
}

/* A part of a ring between two angles [degrees]; the whole one by default. */
static void add_ring(struct opensees_frame *f, const struct opensees_command *c, struct moments *m)
{
    const double degree = acos(-1.0) / 180, inner = opensees_word_number(f, c, 7),
                 outer = opensees_word_number(f, c, 8), from = opensees_word_optional(f, c, 9, 0) * degree,
                 to = opensees_word_optional(f, c, 10, 360) * degree, half = 0.5 * (to - from),
                 area = half * (outer * outer - inner * inner),
                 arm = area != 0 && half != 0 ? 2.0 / 3 * (pow(outer, 3) - pow(inner, 3)) /
                                                    (outer * outer - inner * inner) * sin(half) / half
                                              : 0;

    add_area(m, area, opensees_word_number(f, c, 5) + arm * cos(0.5 * (from + to)),
             opensees_word_number(f, c, 6) + arm * sin(0.5 * (from + to)));
    m->reach = fmax(m->reach, fabs(outer));
}

/* Two triangles. */
static void add_quadrilateral(struct opensees_frame *f, const struct opensees_command *c, struct moments *m)
{
    double y[4], z[4], area[2], at[2][2];

    for (size_t i = 0; i < 4; i++) {
        y[i] = opensees_word_number(f, c, 5 + 2 * i);
        z[i] = opensees_word_number(f, c, 6 + 2 * i);
    }
    for (size_t k = 0; k < 2; k++) {
        area[k] = 0.5 * ((y[k + 1] - y[0]) * (z[k + 2] - z[0]) - (y[k + 2] - y[0]) * (z[k + 1] - z[0]));
        at[k][0] = (y[0] + y[k + 1] + y[k + 2]) / 3;
        at[k][1] = (z[0] + z[k + 1] + z[k + 2]) / 3;
    }
    const double whole = area[0] + area[1];
    if (whole != 0)
        add_area(m, whole, (area[0] * at[0][0] + area[1] * at[1][0]) / whole,
                 (area[0] * at[0][1] + area[1] * at[1][1]) / whole);
}

static void add_layer(struct opensees_frame *f, const struct opensees_command *c, struct moments *m)
{
    const double bars = opensees_word_number(f, c, 3), area = opensees_word_number(f, c, 4);
    const double degree = acos(-1.0) / 180;

    if (!opensees_is(c, "layer", "circ")) {
        add_area(m, bars * area, 0.5 * (opensees_word_number(f, c, 5) + opensees_word_number(f, c, 7)),
                 0.5 * (opensees_word_number(f, c, 6) + opensees_word_number(f, c, 8)));
        return;
    }
    for (int i = 0; c->count > 9 && bars > 1 && bars < 1e6 && i < bars; i++) {
        const double from = opensees_word_number(f, c, 8) * degree, to = opensees_word_number(f, c, 9) * degree,
                     a = from + (to - from) * i / (bars - 1), radius = opensees_word_number(f, c, 7);

        add_area(m, area, opensees_word_number(f, c, 5) + radius * cos(a),
                 opensees_word_number(f, c, 6) + radius * sin(a));
    }
    if (c->count <= 9)
        add_area(m, bars * area, opensees_word_number(f, c, 5), opensees_word_number(f, c, 6));
}

static void add_patch(struct opensees_frame *f, const struct opensees_command *c, struct moments *m)
{
    if (opensees_is(c, "patch", "circ"))
        add_ring(f, c, m);
    else if (opensees_is(c, "patch", "rect"))
        add_area(m,
                 (opensees_word_number(f, c, 7) - opensees_word_number(f, c, 5)) *
                     (opensees_word_number(f, c, 8) - opensees_word_number(f, c, 6)),
                 0.5 * (opensees_word_number(f, c, 5) + opensees_word_number(f, c, 7)),
                 0.5 * (opensees_word_number(f, c, 6) + opensees_word_number(f, c, 8)));
    else
        add_quadrilateral(f, c, m);
}

static void add_fibre(struct opensees_frame *f, const struct opensees_command *c, struct moments *m)
{
    add_area(m, opensees_word_number(f, c, 3), opensees_word_number(f, c, 1), opensees_word_number(f, c, 2));
}

static void print_angles(struct opensees_frame *f, const struct opensees_command *c, size_t at)
{
    const double degree = acos(-1.0) / 180;

    fprintf(f->out, ", angles: [%.12g, %.12g]", opensees_word_number(f, c, at) * degree,
            opensees_word_number(f, c, at + 1) * degree);
}

static void print_patch(struct opensees_frame *f, const struct opensees_command *c)
{
    const bool quad = opensees_is(c, "patch", "quad") || opensees_is(c, "patch", "quadr"),
               circ = opensees_is(c, "patch", "circ");

    if (!quad && !circ && !opensees_is(c, "patch", "rect")) {
        opensees_word_refuse(f, c, "rect, quad and circ are known, not ", c->word[c->count > 1]);
        return;
    }
    fprintf(f->out, "patch: %s, material: m%" PRId64,
            quad   ? "quadrilateral"
            : circ ? "ring"
                   : "rectangle",
            opensees_word_whole(f, c, 2));
    if (circ) {
        print_pair(f, "centre", c, 5);
        fprintf(f->out, ", radii: [%.12g, %.12g]", opensees_word_number(f, c, 7) * f->L,
                opensees_word_number(f, c, 8) * f->L);
        print_angles(f, c, 9);
    } else if (quad) {
        fputs(", corners: [", f->out);
        for (size_t i = 0; i < 4; i++) {
            fputs(i ? ", " : "", f->out);
            print_place(f, c, 5 + 2 * i);
        }
        fputs("]", f->out);
    } else {
        print_pair(f, "from", c, 5);
        print_pair(f, "to", c, 7);
    }
    fprintf(f->out, ", divide: [%" PRId64 ", %" PRId64 "]", opensees_word_whole(f, c, circ ? 4 : 3),
            opensees_word_whole(f, c, circ ? 3 : 4));
}

static void print_layer(struct opensees_frame *f, const struct opensees_command *c)
{
    const bool circ = opensees_is(c, "layer", "circ");

    if (!circ && !opensees_is(c, "layer", "straight")) {
        opensees_word_refuse(f, c, "straight and circ are known, not ", c->word[c->count > 1]);
        return;
    }
    fprintf(f->out, "layer: %s, material: m%" PRId64, circ ? "circle" : "straight", opensees_word_whole(f, c, 2));
    print_pair(f, circ ? "centre" : "from", c, 5);
    if (!circ)
        print_pair(f, "to", c, 7);
    else {
        fprintf(f->out, ", radius: %.12g", opensees_word_number(f, c, 7) * f->L);
        if (c->count > 9 && fabs(opensees_word_number(f, c, 9) - opensees_word_number(f, c, 8)) >= 360)
            opensees_word_refuse(f, c, "a full circle puts two bars into one place; leave the angles out, not ",
                                 c->word[9]);
        if (c->count > 9)
            print_angles(f, c, 8);
    }
    fprintf(f->out, ", bars: %" PRId64 ", area: %.12g", opensees_word_whole(f, c, 3),
            opensees_word_number(f, c, 4) * area(f));
}

static void print_fibre(struct opensees_frame *f, const struct opensees_command *c)
{
    fprintf(f->out, "layer: straight, material: m%" PRId64, opensees_word_whole(f, c, 4));
    print_pair(f, "from", c, 1);
    print_pair(f, "to", c, 1);
    fprintf(f->out, ", bars: 1, area: %.12g", opensees_word_number(f, c, 3) * area(f));
}

static const struct {
    const char *name;
    void (*print)(struct opensees_frame *f, const struct opensees_command *c);
    void (*add)(struct opensees_frame *f, const struct opensees_command *c, struct moments *m);
} fibres[] = {{"patch", print_patch, add_patch}, {"layer", print_layer, add_layer}, {"fiber", print_fibre, add_fibre}};

/* Which of them it is; 3: none. */
static size_t kind_of_fibre(const struct opensees_command *c)
{
    size_t k = 0;

    while (k < 3 && !opensees_is(c, fibres[k].name, NULL))
        k++;
    return k;
}

/* The centre of the areas, unless that is the origin but for rounding, or the section says -noCentroid. */
static void find_centre(struct opensees_frame *f, size_t at)
{
    struct moments m = {0};

    f->centre[0] = f->centre[1] = 0;
    if (opensees_option(&f->commands.list[at], "-noCentroid"))
        return;
    for (size_t i = at + 1; i < f->commands.count && !f->st; i++) {
        const size_t k = kind_of_fibre(&f->commands.list[i]);

        if (k == 3)
            break;
        fibres[k].add(f, &f->commands.list[i], &m);
    }
    if (m.area > 0 && fmax(fabs(m.y), fabs(m.z)) > 1e-9 * m.area * m.reach) {
        f->centre[0] = m.y / m.area;
        f->centre[1] = f->ndm == 3 ? m.z / m.area : 0;
        fprintf(f->out, "        # the axis is at the centre of the areas, [%.9g, %.9g] in the script\n", f->centre[0],
                f->centre[1]);
    }
}

static void print_fibres(struct opensees_frame *f, size_t at)
{
    const struct opensees_command *section = &f->commands.list[at];
    const size_t torsion = opensees_option(section, "-GJ");

    fprintf(f->out, "      s%" PRId64 ":\n", opensees_word_whole(f, section, 2));
    if (torsion)
        fprintf(f->out, "        G: 1\n        J: %.12g      # G J together\n",
                opensees_word_number(f, section, torsion + 1) * f->F * area(f));
    find_centre(f, at);
    fputs("        fibres:\n", f->out);
    for (size_t i = at + 1; i < f->commands.count && !f->st; i++) {
        const struct opensees_command *c = &f->commands.list[i];
        const size_t k = kind_of_fibre(c);

        if (k == 3)
            break;
        fputs("          - { ", f->out);
        fibres[k].print(f, c);
        fputs(" }\n", f->out);
    }
    f->centre[0] = f->centre[1] = 0;
}

/* E, A, Iz and in space Iy, G, J from words at these places; 0: none. */
struct elastic_words {
    size_t E, A, Iz, Iy, G, J;
};

static void print_elastic(struct opensees_frame *f, const struct opensees_command *c, struct elastic_words at)
{
    const double stress = f->F / area(f), fourth = area(f) * area(f);

    fprintf(f->out, "{ E: %.12g, A: %.12g", opensees_word_number(f, c, at.E) * stress,
            opensees_word_number(f, c, at.A) * area(f));
    if (at.Iz)
        fprintf(f->out, ", Iz: %.12g", opensees_word_number(f, c, at.Iz) * fourth);
    if (f->ndm == 3 && at.Iy)
        fprintf(f->out, ", Iy: %.12g, G: %.12g, J: %.12g", opensees_word_number(f, c, at.Iy) * fourth,
                opensees_word_number(f, c, at.G) * stress, opensees_word_number(f, c, at.J) * fourth);
    fputs(" }\n", f->out);
}

bool opensees_is_elastic_section(const struct opensees_command *c)
{
    return opensees_is(c, "section", "Elastic");
}

bool opensees_is_truss(const struct opensees_command *c)
{
    return opensees_is(c, "element", "truss") || opensees_is(c, "element", "Truss") ||
           opensees_is(c, "element", "corotTruss");
}

bool opensees_has_own_section(const struct opensees_frame *f, const struct opensees_command *c)
{
    return opensees_is(c, "element", "elasticBeamColumn") && opensees_plain(c) >= (f->ndm == 3 ? 12u : 9u);
}

static bool same_words(struct yk_piece a, struct yk_piece b)
{
    return a.end - a.begin == b.end - b.begin && memcmp(a.begin, b.begin, (size_t)(a.end - a.begin)) == 0;
}

const struct opensees_command *opensees_same_section(const struct opensees_frame *f, const struct opensees_command *c)
{
    const size_t words = opensees_is_truss(c) ? 2 : f->ndm == 3 ? 6 : 3; /* from the sixth on */

    for (size_t i = 0; i < f->commands.count; i++) {
        const struct opensees_command *other = &f->commands.list[i];
        size_t k = 5;

        if (other == c || opensees_is_truss(other) != opensees_is_truss(c) ||
            !(opensees_is_truss(other) || opensees_has_own_section(f, other)))
            continue;
        while (k < 5 + words && k < c->count && k < other->count && same_words(c->word[k], other->word[k]))
            k++;
        if (k == 5 + words)
            return other < c ? other : c;
    }
    return c;
}

static void print_own_section(struct opensees_frame *f, const struct opensees_command *c)
{
    static const struct elastic_words plane = {.A = 5, .E = 6, .Iz = 7},
                                      space = {.A = 5, .E = 6, .G = 7, .J = 8, .Iy = 9, .Iz = 10};
    const struct opensees_command *material =
        opensees_is_truss(c) ? opensees_find(f, c, "uniaxialMaterial", 2, opensees_word_whole(f, c, 6)) : NULL;

    fprintf(f->out, "      e%" PRId64 ": ", opensees_word_whole(f, c, 2));
    if (!opensees_is_truss(c))
        print_elastic(f, c, f->ndm == 3 ? space : plane);
    else if (material && opensees_is(material, "uniaxialMaterial", "Elastic"))
        fprintf(f->out, "{ E: %.12g, A: %.12g }\n", opensees_word_number(f, material, 3) * f->F / area(f),
                opensees_word_number(f, c, 5) * area(f));
    else
        fprintf(f->out,
                "{ fibres: [ { layer: straight, material: m%" PRId64
                ", from: [0, 0], to: [0, 0], bars: 1, area: %.12g } ] }\n",
                opensees_word_whole(f, c, 6), opensees_word_number(f, c, 5) * area(f));
}

void opensees_print_sections(struct opensees_frame *f)
{
    fputs("    sections:\n", f->out);
    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct opensees_command *c = &f->commands.list[i];

        if (opensees_is(c, "section", NULL) && c->count > 1 && yk_piece_starts(c->word[1], "Fiber"))
            print_fibres(f, i);
        else if (opensees_is_elastic_section(c)) {
            fprintf(f->out, "      s%" PRId64 ": ", opensees_word_whole(f, c, 2));
            print_elastic(f, c, (struct elastic_words){.E = 3, .A = 4, .Iz = 5, .Iy = 6, .G = 7, .J = 8});
        } else if (opensees_is(c, "section", NULL) && opensees_word_expect(f, c, 2))
            opensees_word_refuse(f, c, "Fiber and Elastic are known, not ", c->word[1]);
        else if ((opensees_has_own_section(f, c) || opensees_is_truss(c)) && opensees_same_section(f, c) == c)
            print_own_section(f, c);
    }
}

/* The materials that sections use; those of springs stand there. */
static bool is_fibre_material(struct opensees_frame *f, int64_t tag)
{
    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct opensees_command *c = &f->commands.list[i];
        const bool fibre = opensees_is(c, "fiber", NULL);

        if ((fibre || opensees_is(c, "patch", NULL) || opensees_is(c, "layer", NULL)) &&
            opensees_word_whole(f, c, fibre ? 4 : 2) == tag)
            return true;
        if (opensees_is_truss(c) && opensees_word_whole(f, c, 6) == tag) {
            const struct opensees_command *m = opensees_find(f, c, "uniaxialMaterial", 2, tag);

            if (m && !opensees_is(m, "uniaxialMaterial", "Elastic"))
                return true;
        }
    }
    return false;
}

void opensees_print_materials(struct opensees_frame *f)
{
    bool any = false;

    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct opensees_command *c = &f->commands.list[i];

        if (!opensees_is(c, "uniaxialMaterial", NULL) || !is_fibre_material(f, opensees_word_whole(f, c, 2)))
            continue;
        fprintf(f->out, "%s      m%" PRId64 ": { ", any ? "" : "    materials:\n", opensees_word_whole(f, c, 2));
        opensees_print_law(f, c, (struct opensees_place){f->F / area(f), 1, false});
        fputs(" }\n", f->out);
        any = true;
    }
}
