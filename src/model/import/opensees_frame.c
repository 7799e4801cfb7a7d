/* A frame of OpenSees as an experiment file: nodes, supports, masses, fibre sections, hinges, beams, from the commands
 * that make them. docs/importing.md has what is taken. What is not known is refused with its line; what belongs to the
 * analysis is left out and listed.
 *
 * The file knows no units: lengths are multiples of L, forces of F, time is in seconds, so masses are multiples of
 * F s2/L. Everything is written in SI. */
#include "model/import.h"
#include "model/import/opensees_commands.h"

#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct node {
    int64_t tag;
    double at[3], mass[6];
    bool fixed[6];
    int line;
    int members, springs, ties;     /* how many name it */
    const struct node *tied;        /* the node that shares its translations */
    const struct yk_command *hinge; /* it is the inner end of this spring, and no node of its own */
    const struct node *outer;       /* the other end of the hinge */
};

struct frame {
    struct yk_commands commands;
    double L, F;
    int ndm, ndf;
    struct node *nodes; /* sorted by tag */
    size_t node_count;
    FILE *out;
    enum yk_status st; /* of the first failure; what follows it is not written */
    struct yk_err *err;
};

static const char *const directions[2][6] = {{"x", "y", "rz"}, {"x", "y", "z", "rx", "ry", "rz"}};

static const char *direction(const struct frame *f, int i)
{
    return i < f->ndf ? directions[f->ndm == 3][i] : "?";
}

static bool turns(const struct frame *f, int i)
{
    return i >= f->ndm;
}

/* ---- failures and words ---- */

static void refuse(struct frame *f, const struct yk_command *c, const char *what, struct yk_span word)
{
    if (!f->st)
        f->st =
            yk_fail_at(f->err, YK_E_INPUT, (struct yk_where){f->commands.name, c->line, 0}, "%s: %s'%s'%s",
                       yk_quote(c->word[0]).text, what, yk_quote(word).text,
                       memchr(word.begin, '$', (size_t)(word.end - word.begin)) ||
                               memchr(word.begin, '[', (size_t)(word.end - word.begin))
                           ? "; variables are not known here: record the commands with tools/opensees/yoke_record.tcl"
                           : "");
}

static bool has(struct frame *f, const struct yk_command *c, size_t count)
{
    if (c->count >= count)
        return true;
    refuse(f, c, "too few words after ", c->word[c->count - 1]);
    return false;
}

static double number(struct frame *f, const struct yk_command *c, size_t i)
{
    double value = 0;

    if (f->st || !has(f, c, i + 1))
        return 0;
    if (yk_number_scan(c->word[i].begin, c->word[i].end, &value) == c->word[i].end && isfinite(value))
        return value;
    refuse(f, c, "a number is expected, not ", c->word[i]);
    return 0;
}

/* A number from a word on, and what it is without one. */
static double optional(struct frame *f, const struct yk_command *c, size_t i, double fallback)
{
    return i < c->count ? number(f, c, i) : fallback;
}

static int64_t whole(struct frame *f, const struct yk_command *c, size_t i)
{
    const double value = number(f, c, i);

    if (!f->st && (value != floor(value) || fabs(value) > 1e15))
        refuse(f, c, "a whole number is expected, not ", c->word[i]);
    return f->st ? 0 : (int64_t)value;
}

/* Position of an option such as -mass among the words; 0: it is not there. */
static size_t option(const struct yk_command *c, const char *name)
{
    for (size_t i = 1; i < c->count; i++)
        if (yk_span_is(c->word[i], name))
            return i;
    return 0;
}

/* Words up to the first option. */
static size_t before_options(const struct yk_command *c)
{
    size_t i = 1;

    while (i < c->count && !(*c->word[i].begin == '-' && c->word[i].end - c->word[i].begin > 1 &&
                             ((c->word[i].begin[1] | 32) >= 'a' && (c->word[i].begin[1] | 32) <= 'z')))
        i++;
    return i;
}

static bool is(const struct yk_command *c, const char *name, const char *kind)
{
    return yk_span_is(c->word[0], name) && (!kind || (c->count > 1 && yk_span_is(c->word[1], kind)));
}

/* The command that made something by its tag, at word `at`. */
static const struct yk_command *find(struct frame *f, const struct yk_command *user, const char *name, size_t at,
                                     int64_t tag)
{
    double value;

    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct yk_command *c = &f->commands.list[i];

        if (is(c, name, NULL) && c->count > at &&
            yk_number_scan(c->word[at].begin, c->word[at].end, &value) == c->word[at].end && value == (double)tag)
            return c;
    }
    if (!f->st)
        f->st = yk_fail_at(f->err, YK_E_INPUT, (struct yk_where){f->commands.name, user->line, 0},
                           "%s: there is no %s %" PRId64, yk_quote(user->word[0]).text, name, tag);
    return NULL;
}

/* ---- nodes ---- */

static int by_tag(const void *a, const void *b)
{
    const struct node *x = a, *y = b;

    return x->tag < y->tag ? -1 : x->tag > y->tag;
}

static struct node *node_of(struct frame *f, const struct yk_command *c, size_t i)
{
    const struct node wanted = {.tag = whole(f, c, i)};
    struct node *node = f->st || !f->nodes ? NULL : bsearch(&wanted, f->nodes, f->node_count, sizeof wanted, by_tag);

    if (!node && !f->st)
        refuse(f, c, "there is no node ", c->word[i]);
    return node;
}

static double mass_unit(const struct frame *f, int i)
{
    return f->F / f->L * (turns(f, i) ? f->L * f->L : 1);
}

static void take_masses(struct frame *f, const struct yk_command *c, size_t from, struct node *node)
{
    for (int k = 0; k < f->ndf && !f->st; k++)
        node->mass[k] = number(f, c, from + (size_t)k) * mass_unit(f, k);
}

static void read_nodes(struct frame *f)
{
    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct yk_command *c = &f->commands.list[i];
        struct node *node = &f->nodes[f->node_count];

        if (!is(c, "node", NULL))
            continue;
        *node = (struct node){.tag = whole(f, c, 1), .line = c->line};
        for (int k = 0; k < f->ndm; k++)
            node->at[k] = number(f, c, 2 + (size_t)k) * f->L;
        if (option(c, "-mass"))
            take_masses(f, c, option(c, "-mass") + 1, node);
        f->node_count++;
    }
    if (f->st)
        return;
    if (f->node_count == 0) {
        f->st = yk_fail_at(f->err, YK_E_INPUT, YK_IN_FILE(f->commands.name), "there are no nodes");
        return;
    }
    qsort(f->nodes, f->node_count, sizeof *f->nodes, by_tag);
    for (size_t i = 1; i < f->node_count && !f->st; i++)
        if (f->nodes[i].tag == f->nodes[i - 1].tag)
            f->st = yk_fail_at(f->err, YK_E_INPUT, (struct yk_where){f->commands.name, f->nodes[i].line, 0},
                               "there are two nodes %" PRId64, f->nodes[i].tag);
}

static void read_supports(struct frame *f)
{
    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct yk_command *c = &f->commands.list[i];
        const bool fix = is(c, "fix", NULL);
        struct node *node = fix || is(c, "mass", NULL) ? node_of(f, c, 1) : NULL;

        if (node && !fix)
            take_masses(f, c, 2, node);
        for (int k = 0; node && fix && k < f->ndf && !f->st; k++)
            node->fixed[k] |= number(f, c, 2 + (size_t)k) != 0;
    }
}

static void read_model(struct frame *f)
{
    f->ndm = f->ndf = 0;
    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct yk_command *c = &f->commands.list[i];

        if (!is(c, "model", NULL))
            continue;
        f->ndm = option(c, "-ndm") ? (int)fmin(fmax(number(f, c, option(c, "-ndm") + 1), -1), 9) : 0;
        f->ndf = option(c, "-ndf") ? (int)fmin(fmax(number(f, c, option(c, "-ndf") + 1), -1), 9) : f->ndm == 2 ? 3 : 6;
        if (!f->st && !(f->ndm == 2 && f->ndf == 3) && !(f->ndm == 3 && f->ndf == 6))
            f->st = yk_fail_at(f->err, YK_E_UNSUPPORTED, (struct yk_where){f->commands.name, c->line, 0},
                               "model: -ndm %d -ndf %d is not a frame; 2 and 3, or 3 and 6", f->ndm, f->ndf);
    }
    if (!f->st && f->ndm == 0)
        f->st = yk_fail_at(f->err, YK_E_INPUT, YK_IN_FILE(f->commands.name),
                           "there is no command 'model ... -ndm 2 -ndf 3' (or 3 and 6)");
}

/* ---- laws ---- */

/* Units of force and deformation of a law, by its place; `turned`: its ends are exchanged. */
struct place {
    double force, deformation;
    bool turned;
};

static void elastic(struct frame *f, const struct yk_command *c, struct place p)
{
    if (c->count > 4 && number(f, c, 4) != 0)
        refuse(f, c, "viscous damping is not taken: eta = ", c->word[4]);
    fprintf(f->out, "kind: spring, stiffness: %.12g", number(f, c, 3) * p.force / p.deformation);
}

static void elastic_plastic(struct frame *f, const struct yk_command *c, struct place p)
{
    const double positive = number(f, c, 4), negative = fabs(optional(f, c, 5, positive));

    fprintf(f->out, "kind: elastoplastic, stiffness: %.12g, yield_positive: %.12g, yield_negative: %.12g",
            number(f, c, 3) * p.force / p.deformation, (p.turned ? negative : positive) * p.deformation,
            (p.turned ? positive : negative) * p.deformation);
    if (optional(f, c, 6, 0) != 0)
        fprintf(f->out, ", offset: %.12g", (p.turned ? -1 : 1) * number(f, c, 6) * p.deformation);
}

static void steel01(struct frame *f, const struct yk_command *c, struct place p)
{
    const double fy = number(f, c, 3), E = number(f, c, 4);

    if (optional(f, c, 6, 0) != 0 || optional(f, c, 8, 0) != 0)
        refuse(f, c, "isotropic hardening of Steel01 is not taken: ", c->word[optional(f, c, 6, 0) != 0 ? 6 : 8]);
    fprintf(f->out, "kind: bilinear, stiffness: %.12g, yield_slip: %.12g, hardening: %.12g",
            E * p.force / p.deformation, fy / E * p.deformation, number(f, c, 5));
}

static void steel02(struct frame *f, const struct yk_command *c, struct place p)
{
    static const char *const names[] = {"R0", "cR1", "cR2", "a1", "a2", "a3", "a4"};

    if (optional(f, c, 13, 0) != 0)
        refuse(f, c, "an initial stress is not taken: ", c->word[13]);
    fprintf(f->out, "kind: steel, E: %.12g, fy: %.12g, hardening: %.12g", number(f, c, 4) * p.force / p.deformation,
            number(f, c, 3) * p.force, number(f, c, 5));
    for (size_t i = 6; i < 13 && i < c->count; i++)
        fprintf(f->out, ", %s: %.12g", names[i - 6], number(f, c, i));
}

static void concrete(struct frame *f, const struct yk_command *c, struct place p)
{
    const bool tension = yk_span_is(c->word[1], "Concrete02");

    if (p.turned)
        refuse(f, c, "a hinge is not made of ", c->word[1]);
    fprintf(f->out, "kind: %s, fc: %.12g, ec: %.12g, fu: %.12g, eu: %.12g", tension ? "concrete-tension" : "concrete",
            fabs(number(f, c, 3)) * p.force, fabs(number(f, c, 4)) * p.deformation, fabs(number(f, c, 5)) * p.force,
            fabs(number(f, c, 6)) * p.deformation);
    if (tension)
        fprintf(f->out, ", lambda: %.12g, ft: %.12g, softening: %.12g", number(f, c, 7), number(f, c, 8) * p.force,
                number(f, c, 9) * p.force / p.deformation);
}

/* A side of Hysteretic: two or three points; of two, the second stands in the middle. */
static void hysteretic_side(struct frame *f, const struct yk_command *c, size_t from, size_t points, double sign,
                            struct place p)
{
    double y[3] = {0}, x[3] = {0};

    for (size_t i = 0; i < points; i++) {
        const size_t to = points == 2 ? 2 * i : i;

        y[to] = sign * number(f, c, from + 2 * i);
        x[to] = sign * number(f, c, from + 2 * i + 1);
        if (!f->st && !(y[to] >= 0 && x[to] >= 0))
            refuse(f, c, "this point lies on the other side: ", c->word[from + 2 * i + (x[to] < 0)]);
    }
    if (f->st)
        return;
    if (points == 2) {
        y[1] = 0.5 * (y[0] + y[2]);
        x[1] = 0.5 * (x[0] + x[2]);
    }
    fprintf(f->out, "[[%.12g, %.12g], [%.12g, %.12g], [%.12g, %.12g]]", y[0] * p.force, x[0] * p.deformation,
            y[1] * p.force, x[1] * p.deformation, y[2] * p.force, x[2] * p.deformation);
}

static void hysteretic(struct frame *f, const struct yk_command *c, struct place p)
{
    static const char *const names[] = {"px", "py", "D1", "D2", "beta"};
    const size_t points = c->count >= 19 ? 3 : 2, after = 3 + 4 * points;

    if (!has(f, c, after + 4))
        return;
    for (int k = 0; k < 2; k++) {
        const bool negative = (k == 1) != p.turned;

        fputs(k == 0 ? "kind: pinching, positive: " : ", negative: ", f->out);
        hysteretic_side(f, c, negative ? 3 + 2 * points : 3, points, negative ? -1 : 1, p);
    }
    for (size_t i = 0; i < 5 && after + i < c->count; i++)
        fprintf(f->out, ", %s: %.12g", names[i], number(f, c, after + i));
}

static const struct {
    const char *name;
    void (*print)(struct frame *f, const struct yk_command *c, struct place p);
} laws[] = {
    {"Elastic", elastic},     {"ElasticPP", elastic_plastic}, {"Steel01", steel01},       {"Steel02", steel02},
    {"Concrete01", concrete}, {"Concrete02", concrete},       {"Hysteretic", hysteretic},
};
enum { LAWS = sizeof laws / sizeof *laws };

static void print_law(struct frame *f, const struct yk_command *c, struct place p)
{
    for (size_t i = 0; c && i < LAWS; i++)
        if (is(c, "uniaxialMaterial", laws[i].name)) {
            laws[i].print(f, c, p);
            return;
        }
    if (c && has(f, c, 2))
        refuse(f, c, "Elastic, ElasticPP, Steel01, Steel02, Concrete01, Concrete02 and Hysteretic are known, not ",
               c->word[1]);
}

/* ---- sections ---- */

static double area(const struct frame *f)
{
    return f->L * f->L;
}

static void print_pair(struct frame *f, const char *key, const struct yk_command *c, size_t at)
{
    fprintf(f->out, ", %s: [%.12g, %.12g]", key, number(f, c, at) * f->L, number(f, c, at + 1) * f->L);
}

static void print_angles(struct frame *f, const struct yk_command *c, size_t at)
{
    const double degree = acos(-1.0) / 180;

    fprintf(f->out, ", angles: [%.12g, %.12g]", number(f, c, at) * degree, number(f, c, at + 1) * degree);
}

static void print_patch(struct frame *f, const struct yk_command *c)
{
    const bool quad = is(c, "patch", "quad") || is(c, "patch", "quadr"), circ = is(c, "patch", "circ");

    if (!quad && !circ && !is(c, "patch", "rect")) {
        refuse(f, c, "rect, quad and circ are known, not ", c->word[c->count > 1]);
        return;
    }
    fprintf(f->out, "patch: %s, material: m%" PRId64,
            quad   ? "quadrilateral"
            : circ ? "ring"
                   : "rectangle",
            whole(f, c, 2));
    if (circ) {
        print_pair(f, "centre", c, 5);
        print_pair(f, "radii", c, 7);
        print_angles(f, c, 9);
    } else if (quad) {
        fputs(", corners: [", f->out);
        for (size_t i = 0; i < 4; i++)
            fprintf(f->out, "%s[%.12g, %.12g]", i ? ", " : "", number(f, c, 5 + 2 * i) * f->L,
                    number(f, c, 6 + 2 * i) * f->L);
        fputs("]", f->out);
    } else {
        print_pair(f, "from", c, 5);
        print_pair(f, "to", c, 7);
    }
    fprintf(f->out, ", divide: [%" PRId64 ", %" PRId64 "]", whole(f, c, circ ? 4 : 3), whole(f, c, circ ? 3 : 4));
}

static void print_layer(struct frame *f, const struct yk_command *c)
{
    const bool circ = is(c, "layer", "circ");

    if (!circ && !is(c, "layer", "straight")) {
        refuse(f, c, "straight and circ are known, not ", c->word[c->count > 1]);
        return;
    }
    fprintf(f->out, "layer: %s, material: m%" PRId64, circ ? "circle" : "straight", whole(f, c, 2));
    print_pair(f, circ ? "centre" : "from", c, 5);
    if (!circ)
        print_pair(f, "to", c, 7);
    else {
        fprintf(f->out, ", radius: %.12g", number(f, c, 7) * f->L);
        if (c->count > 9 && fabs(number(f, c, 9) - number(f, c, 8)) >= 360)
            refuse(f, c, "a full circle puts two bars into one place; leave the angles out, not ", c->word[9]);
        if (c->count > 9)
            print_angles(f, c, 8);
    }
    fprintf(f->out, ", bars: %" PRId64 ", area: %.12g", whole(f, c, 3), number(f, c, 4) * area(f));
}

static void print_fibre(struct frame *f, const struct yk_command *c)
{
    fprintf(f->out, "layer: straight, material: m%" PRId64, whole(f, c, 4));
    print_pair(f, "from", c, 1);
    print_pair(f, "to", c, 1);
    fprintf(f->out, ", bars: 1, area: %.12g", number(f, c, 3) * area(f));
}

static const struct {
    const char *name;
    void (*print)(struct frame *f, const struct yk_command *c);
} fibres[] = {{"patch", print_patch}, {"layer", print_layer}, {"fiber", print_fibre}};

static void print_fibres(struct frame *f, size_t at)
{
    const struct yk_command *section = &f->commands.list[at];
    const size_t torsion = option(section, "-GJ");

    fprintf(f->out, "      s%" PRId64 ":\n", whole(f, section, 2));
    if (torsion)
        fprintf(f->out, "        G: 1\n        J: %.12g      # G J together\n",
                number(f, section, torsion + 1) * f->F * area(f));
    fputs("        fibres:\n", f->out);
    for (size_t i = at + 1; i < f->commands.count && !f->st; i++) {
        const struct yk_command *c = &f->commands.list[i];
        size_t k = 0;

        while (k < 3 && !is(c, fibres[k].name, NULL))
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

static void print_elastic(struct frame *f, const struct yk_command *c, struct elastic_words at)
{
    const double stress = f->F / area(f), fourth = area(f) * area(f);

    fprintf(f->out, "{ E: %.12g, A: %.12g", number(f, c, at.E) * stress, number(f, c, at.A) * area(f));
    if (at.Iz)
        fprintf(f->out, ", Iz: %.12g", number(f, c, at.Iz) * fourth);
    if (f->ndm == 3 && at.Iy)
        fprintf(f->out, ", Iy: %.12g, G: %.12g, J: %.12g", number(f, c, at.Iy) * fourth, number(f, c, at.G) * stress,
                number(f, c, at.J) * fourth);
    fputs(" }\n", f->out);
}

static bool is_elastic_section(const struct yk_command *c)
{
    return is(c, "section", "Elastic");
}

static bool is_truss(const struct yk_command *c)
{
    return is(c, "element", "truss") || is(c, "element", "Truss") || is(c, "element", "corotTruss");
}

/* An elastic beam that brings its section along: E, A, I at once. */
static bool has_own_section(const struct frame *f, const struct yk_command *c)
{
    return is(c, "element", "elasticBeamColumn") && before_options(c) >= (f->ndm == 3 ? 12u : 9u);
}

static bool same_words(struct yk_span a, struct yk_span b)
{
    return a.end - a.begin == b.end - b.begin && memcmp(a.begin, b.begin, (size_t)(a.end - a.begin)) == 0;
}

/* The first element that brings the same section along. */
static const struct yk_command *same_section(const struct frame *f, const struct yk_command *c)
{
    const size_t words = is_truss(c) ? 2 : f->ndm == 3 ? 6 : 3; /* from the sixth on */

    for (size_t i = 0; i < f->commands.count; i++) {
        const struct yk_command *other = &f->commands.list[i];
        size_t k = 5;

        if (other == c || is_truss(other) != is_truss(c) || !(is_truss(other) || has_own_section(f, other)))
            continue;
        while (k < 5 + words && k < c->count && k < other->count && same_words(c->word[k], other->word[k]))
            k++;
        if (k == 5 + words)
            return other < c ? other : c;
    }
    return c;
}

static void print_own_section(struct frame *f, const struct yk_command *c)
{
    static const struct elastic_words plane = {.A = 5, .E = 6, .Iz = 7},
                                      space = {.A = 5, .E = 6, .G = 7, .J = 8, .Iy = 9, .Iz = 10};
    const struct yk_command *material = is_truss(c) ? find(f, c, "uniaxialMaterial", 2, whole(f, c, 6)) : NULL;

    fprintf(f->out, "      e%" PRId64 ": ", whole(f, c, 2));
    if (!is_truss(c))
        print_elastic(f, c, f->ndm == 3 ? space : plane);
    else if (material && is(material, "uniaxialMaterial", "Elastic"))
        fprintf(f->out, "{ E: %.12g, A: %.12g }\n", number(f, material, 3) * f->F / area(f), number(f, c, 5) * area(f));
    else
        fprintf(f->out,
                "{ fibres: [ { layer: straight, material: m%" PRId64
                ", from: [0, 0], to: [0, 0], bars: 1, area: %.12g } ] }\n",
                whole(f, c, 6), number(f, c, 5) * area(f));
}

static void print_sections(struct frame *f)
{
    fputs("    sections:\n", f->out);
    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct yk_command *c = &f->commands.list[i];

        if (is(c, "section", NULL) && c->count > 1 && yk_span_starts(c->word[1], "Fiber"))
            print_fibres(f, i);
        else if (is_elastic_section(c)) {
            fprintf(f->out, "      s%" PRId64 ": ", whole(f, c, 2));
            print_elastic(f, c, (struct elastic_words){.E = 3, .A = 4, .Iz = 5, .Iy = 6, .G = 7, .J = 8});
        } else if (is(c, "section", NULL) && has(f, c, 2))
            refuse(f, c, "Fiber and Elastic are known, not ", c->word[1]);
        else if ((has_own_section(f, c) || is_truss(c)) && same_section(f, c) == c)
            print_own_section(f, c);
    }
}

/* The materials that sections use; those of springs stand there. */
static bool is_fibre_material(struct frame *f, int64_t tag)
{
    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct yk_command *c = &f->commands.list[i];
        const bool fibre = is(c, "fiber", NULL);

        if ((fibre || is(c, "patch", NULL) || is(c, "layer", NULL)) && whole(f, c, fibre ? 4 : 2) == tag)
            return true;
        if (is_truss(c) && whole(f, c, 6) == tag) {
            const struct yk_command *m = find(f, c, "uniaxialMaterial", 2, tag);

            if (m && !is(m, "uniaxialMaterial", "Elastic"))
                return true;
        }
    }
    return false;
}

static void print_materials(struct frame *f)
{
    bool any = false;

    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct yk_command *c = &f->commands.list[i];

        if (!is(c, "uniaxialMaterial", NULL) || !is_fibre_material(f, whole(f, c, 2)))
            continue;
        fprintf(f->out, "%s      m%" PRId64 ": { ", any ? "" : "    materials:\n", whole(f, c, 2));
        print_law(f, c, (struct place){f->F / area(f), 1, false});
        fputs(" }\n", f->out);
        any = true;
    }
}

/* ---- hinges ---- */

static bool is_beam(const struct yk_command *c)
{
    return is(c, "element", "dispBeamColumn") || is(c, "element", "forceBeamColumn") ||
           is(c, "element", "nonlinearBeamColumn");
}

static bool is_member(const struct yk_command *c)
{
    return is_beam(c) || is_truss(c) || is(c, "element", "elasticBeamColumn");
}

/* A rotational spring alone. */
static bool is_rotational(struct frame *f, const struct yk_command *c)
{
    const size_t materials = option(c, "-mat"), along = option(c, "-dir");

    return f->ndm == 2 && is(c, "element", "zeroLength") && materials && along == materials + 2 &&
           c->count == along + 2 && whole(f, c, along + 1) == 6;
}

/* Who names which node. */
static void count_uses(struct frame *f)
{
    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct yk_command *c = &f->commands.list[i];
        const bool member = is_member(c), spring = is(c, "element", NULL) && !member;
        const bool tie = is(c, "equalDOF", NULL), link = is(c, "rigidLink", NULL) || is(c, "rigidDiaphragm", NULL);

        for (size_t k = 2; link && k < c->count && !f->st; k++) {
            struct node *n = node_of(f, c, k);

            if (n)
                n->ties++;
        }
        if (!member && !spring && !tie)
            continue;
        struct node *a = node_of(f, c, tie ? 1 : 3), *b = node_of(f, c, tie ? 2 : 4);
        for (int k = 0; k < 2 && a && b; k++) {
            struct node *n = k ? b : a;

            n->members += is(c, "element", "elasticBeamColumn") ? 1 : member ? 2 : 0; /* others take no hinge */
            n->springs += spring;
            n->ties += tie;
            if (tie && c->count == 5 && whole(f, c, 3) + whole(f, c, 4) == 3)
                n->tied = k ? a : b;
        }
    }
}

/* The usual hinge: a node without mass that shares its translations with a joint, a rotational spring between them, and
 * one elastic beam. The spring becomes a hinge of the beam, and the node goes. */
static void find_hinges(struct frame *f)
{
    count_uses(f);
    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct yk_command *c = &f->commands.list[i];

        if (!is_rotational(f, c))
            continue;
        for (size_t k = 0; k < 2 && !f->st; k++) {
            struct node *inner = node_of(f, c, 4 - k), *outer = node_of(f, c, 3 + k);
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

static bool is_hinge(struct frame *f, const struct yk_command *c, size_t first)
{
    const struct node *a = node_of(f, c, first), *b = node_of(f, c, first + 1);

    return a && b && ((a->hinge && a->outer == b) || (b->hinge && b->outer == a));
}

/* Yoke turns a hinge by the joint minus the inner end, OpenSees by the second node minus the first. */
static bool is_turned(struct frame *f, const struct node *inner)
{
    return whole(f, inner->hinge, 4) == inner->tag;
}

static int64_t hinge_material(struct frame *f, const struct node *inner)
{
    return whole(f, inner->hinge, option(inner->hinge, "-mat") + 1);
}

/* "h2": material 2; "h2t": the same with its ends exchanged. */
static void print_hinge_name(struct frame *f, const struct node *inner)
{
    fprintf(f->out, "h%" PRId64 "%s", hinge_material(f, inner), is_turned(f, inner) ? "t" : "");
}

static bool is_printed(struct frame *f, size_t i)
{
    for (size_t k = 0; k < i && !f->st; k++)
        if (f->nodes[k].hinge && hinge_material(f, &f->nodes[k]) == hinge_material(f, &f->nodes[i]) &&
            is_turned(f, &f->nodes[k]) == is_turned(f, &f->nodes[i]))
            return true;
    return false;
}

static void print_hinges(struct frame *f)
{
    bool any = false;

    for (size_t i = 0; i < f->node_count && !f->st; i++) {
        const struct node *n = &f->nodes[i];

        if (!n->hinge || is_printed(f, i))
            continue;
        fputs(any ? "      " : "    hinges:\n      ", f->out);
        print_hinge_name(f, n);
        fputs(": { ", f->out);
        print_law(f, find(f, n->hinge, "uniaxialMaterial", 2, hinge_material(f, n)),
                  (struct place){f->F * f->L, 1, is_turned(f, n)});
        fputs(" }\n", f->out);
        any = true;
    }
}

/* ---- nodes, members, springs ---- */

static void print_nodes(struct frame *f)
{
    fputs("    nodes:\n", f->out);
    for (size_t i = 0; i < f->node_count; i++) {
        const struct node *n = &f->nodes[i];
        int held = 0, masses = 0;

        if (n->hinge)
            continue;
        fprintf(f->out, "      n%" PRId64 ": { at: [", n->tag);
        for (int k = 0; k < f->ndm; k++)
            fprintf(f->out, "%s%.12g", k ? ", " : "", n->at[k]);
        fputs("]", f->out);
        for (int k = 0; k < f->ndf; k++)
            held += n->fixed[k];
        if (held == f->ndf)
            fputs(", fixed: all", f->out);
        for (int k = 0, first = 1; k < f->ndf && held && held < f->ndf; k++)
            if (n->fixed[k]) {
                fprintf(f->out, "%s%s", first ? ", fixed: [" : ", ", direction(f, k));
                first = 0;
            }
        fputs(held && held < f->ndf ? "]" : "", f->out);
        for (int k = 0; k < f->ndf; k++)
            if (n->mass[k] != 0)
                fprintf(f->out, "%s%s: %.12g", masses++ ? ", " : ", mass: { ", direction(f, k), n->mass[k]);
        fprintf(f->out, "%s }\n", masses ? " }" : "");
    }
}

static double length(const struct node *a, const struct node *b)
{
    return sqrt((a->at[0] - b->at[0]) * (a->at[0] - b->at[0]) + (a->at[1] - b->at[1]) * (a->at[1] - b->at[1]) +
                (a->at[2] - b->at[2]) * (a->at[2] - b->at[2]));
}

static struct node *node_at(struct frame *f, const struct node *n)
{
    return &f->nodes[n - f->nodes];
}

/* -mass m, per length: half of it goes to either end, as OpenSees does. */
static void lump_masses(struct frame *f)
{
    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct yk_command *c = &f->commands.list[i];
        const size_t at = is(c, "element", NULL) ? option(c, "-mass") : option(c, "-rho");
        struct node *a, *b;

        if (!is(c, "element", NULL) || !at)
            continue;
        if (option(c, "-cMass"))
            refuse(f, c, "consistent masses of members are not taken: ", c->word[option(c, "-cMass")]);
        if (!(a = node_of(f, c, 3)) || !(b = node_of(f, c, 4)))
            return;
        const double half = 0.5 * number(f, c, at + 1) * f->F / f->L / f->L * length(a, b);
        a = a->hinge ? node_at(f, a->outer) : a;
        b = b->hinge ? node_at(f, b->outer) : b;
        for (int k = 0; k < f->ndm; k++) {
            a->mass[k] += half;
            b->mass[k] += half;
        }
    }
}

static void print_geometry(struct frame *f, const struct yk_command *c, size_t at)
{
    const struct yk_command *t = find(f, c, "geomTransf", 2, whole(f, c, at));

    if (!t)
        return;
    if (option(t, "-jntOffset"))
        refuse(f, t, "offsets of joints are not taken: ", t->word[option(t, "-jntOffset")]);
    if (is(t, "geomTransf", "PDelta"))
        fputs(", geometry: p-delta", f->out);
    else if (is(t, "geomTransf", "Corotational"))
        fputs(", geometry: corotational", f->out);
    else if (!is(t, "geomTransf", "Linear"))
        refuse(f, t, "Linear, PDelta and Corotational are known, not ", t->word[1]);
    if (f->ndm == 3)
        fprintf(f->out, ", up: [%.12g, %.12g, %.12g]", number(f, t, 3), number(f, t, 4), number(f, t, 5));
}

/* The rule of integration of a beam: section and points; *transformation: the word that names it. */
static void print_rule(struct frame *f, const struct yk_command *c, bool force, size_t *transformation)
{
    const size_t count = before_options(c);
    const struct yk_command *from = c, *section;
    size_t at = 6, points = 5; /* points, section, transformation */
    bool lobatto = force;

    *transformation = 7;
    if (count > 6 && (yk_span_is(c->word[6], "Lobatto") || yk_span_is(c->word[6], "Legendre"))) {
        lobatto = yk_span_is(c->word[6], "Lobatto"); /* transformation, rule, section, points */
        *transformation = 5;
        at = 7;
        points = 8;
    } else if (count == 7) { /* transformation, number of a rule */
        *transformation = 5;
        if (!(from = find(f, c, "beamIntegration", 2, whole(f, c, 6))))
            return;
        lobatto = is(from, "beamIntegration", "Lobatto");
        if (!lobatto && !is(from, "beamIntegration", "Legendre"))
            refuse(f, from, "Lobatto and Legendre are known, not ", from->word[1]);
        at = 3;
        points = 4;
    }
    section = find(f, c, "section", 2, whole(f, from, at));
    fprintf(f->out, "section: s%" PRId64, whole(f, from, at));
    if (!section || is_elastic_section(section))
        return;
    fprintf(f->out, ", formulation: %s, points: %" PRId64 ", rule: %s", force ? "force" : "displacement",
            whole(f, from, points), lobatto ? "lobatto" : "legendre");
    if (force && option(c, "-iter"))
        fprintf(f->out, ", iterations: %g", fmin(fmax(number(f, c, option(c, "-iter") + 1), 3), 20));
}

static void print_member(struct frame *f, const struct yk_command *c)
{
    const struct node *a = node_of(f, c, 3), *b = node_of(f, c, 4);
    size_t transformation = 0;

    if (!a || !b)
        return;
    fprintf(f->out, "      - { between: [n%" PRId64 ", n%" PRId64 "], name: e%" PRId64 ", ",
            a->hinge ? a->outer->tag : a->tag, b->hinge ? b->outer->tag : b->tag, whole(f, c, 2));
    if (is_beam(c))
        print_rule(f, c, !is(c, "element", "dispBeamColumn"), &transformation);
    else if (is_truss(c))
        fprintf(f->out, "section: e%" PRId64 ", theory: truss%s", whole(f, same_section(f, c), 2),
                is(c, "element", "corotTruss") ? ", geometry: corotational" : "");
    else {
        const bool own = has_own_section(f, c);

        fprintf(f->out, "section: %s%" PRId64, own ? "e" : "s", own ? whole(f, same_section(f, c), 2) : whole(f, c, 5));
        transformation = before_options(c) - 1;
    }
    if (transformation)
        print_geometry(f, c, transformation);
    for (int k = 0; k < 2; k++) {
        const struct node *n = k ? b : a;

        if (!n->hinge)
            continue;
        fprintf(f->out, "%s%s: { rz: ", k && a->hinge ? ", " : ", hinges: { ", k ? "end" : "start");
        print_hinge_name(f, n);
        fputs(k || !b->hinge ? " } }" : " }", f->out);
    }
    fputs(" }\n", f->out);
}

static void print_members(struct frame *f)
{
    fputs("    members:\n", f->out);
    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct yk_command *c = &f->commands.list[i];

        if (is_member(c))
            print_member(f, c);
        else if (is(c, "element", NULL) && !is(c, "element", "zeroLength") && has(f, c, 2))
            refuse(f, c,
                   "elasticBeamColumn, dispBeamColumn, forceBeamColumn, nonlinearBeamColumn, truss, corotTruss and "
                   "zeroLength are known, not ",
                   c->word[1]);
    }
}

/* One spring of a zeroLength element in each of its directions. */
static void print_springs(struct frame *f, const struct yk_command *c)
{
    const size_t materials = option(c, "-mat"), along = option(c, "-dir");
    const struct node *a = node_of(f, c, 3), *b = node_of(f, c, 4);

    if (!a || !b)
        return;
    if (!materials || along <= materials || option(c, "-orient")) {
        refuse(f, c, "-mat ... -dir ... without -orient is expected, not ", c->word[c->count - 1]);
        return;
    }
    for (size_t i = 1; materials + i < along && !f->st; i++) {
        const int64_t given = whole(f, c, along + i);
        const int k = f->ndm == 2 && given == 6 ? 2 : (int)(given >= 1 && given <= 6 ? given - 1 : 6);
        const struct yk_command *m = find(f, c, "uniaxialMaterial", 2, whole(f, c, materials + i));

        if (!f->st && (k >= f->ndf || (f->ndm == 2 && given == 3)))
            refuse(f, c, f->ndm == 2 ? "directions are 1, 2 and 6, not " : "directions are 1 to 6, not ",
                   c->word[along + i]);
        if (f->st)
            return;
        fprintf(f->out, "      - { name: e%" PRId64 "-%s, between: [n%" PRId64 ".%s, n%" PRId64 ".%s], ",
                whole(f, c, 2), direction(f, k), a->tag, direction(f, k), b->tag, direction(f, k));
        print_law(f, m, turns(f, k) ? (struct place){f->F * f->L, 1, false} : (struct place){f->F, f->L, false});
        fputs(" }\n", f->out);
    }
}

static void print_elements(struct frame *f)
{
    bool any = false;

    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct yk_command *c = &f->commands.list[i];

        if (!is(c, "element", "zeroLength") || is_hinge(f, c, 3))
            continue;
        fputs(any ? "" : "    elements:\n", f->out);
        any = true;
        print_springs(f, c);
    }
}

/* equalDOF, rigidLink and rigidDiaphragm tie nodes to one. */
static void print_link(struct frame *f, const struct yk_command *c)
{
    static const int floor[3][3] = {{1, 2, 3}, {0, 2, 4}, {0, 1, 5}};
    const bool equal = is(c, "equalDOF", NULL), rigid = is(c, "rigidLink", NULL);
    const struct node *master = node_of(f, c, equal ? 1 : 2);
    const size_t end = equal || rigid ? 1 : c->count - 3 + (c->count < 3) * 3;

    if (!master || !has(f, c, 4))
        return;
    fprintf(f->out, "      - { master: n%" PRId64 ", slaves: [", master->tag);
    for (size_t i = 0; i < end && !f->st; i++) {
        const struct node *slave = node_of(f, c, (equal ? 2 : 3) + i);

        if (slave)
            fprintf(f->out, "%sn%" PRId64, i ? ", " : "", slave->tag);
        if (slave && equal && length(master, slave) > 1e-9 * (1 + fabs(master->at[0]) + fabs(master->at[1])))
            refuse(f, c, "equal displacements of nodes in different places are not taken, as of ", c->word[2]);
    }
    fputs("]", f->out);
    if (rigid && !is(c, "rigidLink", "beam"))
        refuse(f, c, "beam is known, not ", c->word[1]);
    if (equal)
        for (size_t i = 3; i < c->count && !f->st; i++) {
            const int64_t k = whole(f, c, i);

            if (k < 1 || k > f->ndf)
                refuse(f, c, "a degree of freedom is expected, not ", c->word[i]);
            else
                fprintf(f->out, "%s%s", i == 3 ? ", dofs: [" : ", ", direction(f, (int)k - 1));
        }
    else if (!rigid) {
        const int64_t across = whole(f, c, 1);

        if (f->ndm != 3 || across < 1 || across > 3)
            refuse(f, c, "1, 2 or 3 in space is expected, not ", c->word[1]);
        else
            for (int k = 0; k < 3; k++)
                fprintf(f->out, "%s%s", k ? ", " : ", dofs: [", direction(f, floor[across - 1][k]));
    }
    fprintf(f->out, "%s }\n", rigid ? "" : "]");
}

static void print_links(struct frame *f)
{
    bool any = false;

    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct yk_command *c = &f->commands.list[i];

        if (!is(c, "equalDOF", NULL) && !is(c, "rigidLink", NULL) && !is(c, "rigidDiaphragm", NULL))
            continue;
        if (is(c, "equalDOF", NULL) && is_hinge(f, c, 1))
            continue;
        fputs(any ? "" : "    links:\n", f->out);
        any = true;
        print_link(f, c);
    }
}

static void print_damping(struct frame *f)
{
    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct yk_command *c = &f->commands.list[i];

        if (!is(c, "rayleigh", NULL))
            continue;
        const double current = number(f, c, 2), initial = number(f, c, 3), committed = number(f, c, 4);
        if (current != 0 || (initial != 0 && committed != 0))
            refuse(f, c,
                   "damping by the stiffness at rest or the committed one is known, one of them, not by the present: ",
                   c->word[current != 0 ? 2 : 4]);
        fprintf(f->out, "    rayleigh: { mass: %.12g, stiffness: %.12g%s }\n", number(f, c, 1), initial + committed,
                committed != 0 ? ", stiffness_of: committed" : "");
    }
}

/* ---- the file ---- */

/* What makes no part of a structure. Everything else must be known. */
static const char *const left_out[] = {
    "algorithm", "analysis",     "analyze",  "constraints", "database",     "eigen",  "eleLoad", "integrator",
    "load",      "loadConst",    "numberer", "parameter",   "pattern",      "print",  "puts",    "recorder",
    "region",    "remove",       "reset",    "setTime",     "sp",           "system", "test",    "timeSeries",
    "wipe",      "wipeAnalysis", "file",     "logFile",     "setPrecision",
};
static const char *const taken[] = {
    "model",          "node",     "fix",        "mass",    "uniaxialMaterial", "section",  "patch",
    "layer",          "fiber",    "geomTransf", "element", "beamIntegration",  "equalDOF", "rigidLink",
    "rigidDiaphragm", "rayleigh",
};

static bool among(struct yk_span word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (yk_span_is(word, list[i]))
            return true;
    return false;
}

static void list_left_out(struct frame *f)
{
    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct yk_command *c = &f->commands.list[i];

        if (among(c->word[0], taken, sizeof taken / sizeof *taken))
            continue;
        if (!among(c->word[0], left_out, sizeof left_out / sizeof *left_out))
            refuse(f, c,
                   "this command is not known; variables and loops need tools/opensees/yoke_record.tcl: ", c->word[0]);
        else
            fprintf(f->out, "# left out, line %d: %s\n", c->line, yk_quote(c->word[0]).text);
    }
}

static void print_massless(struct frame *f)
{
    bool any = false;

    for (size_t i = 0; i < f->node_count; i++)
        for (int k = 0; k < f->ndf; k++)
            if (!f->nodes[i].hinge && !f->nodes[i].fixed[k] && f->nodes[i].mass[k] == 0) {
                fprintf(f->out, "%s n%" PRId64 ".%s", any ? "," : "# without mass, which Yoke needs:", f->nodes[i].tag,
                        direction(f, k));
                any = true;
            }
    fputs(any ? "\n" : "", f->out);
}

static void print_frame(struct frame *f)
{
    fprintf(f->out, "# from %s; SI units\n", f->commands.name);
    list_left_out(f);
    find_hinges(f);
    lump_masses(f);
    print_massless(f);
    fputs("time: { step: 2 ms, end: 10 s }\nmethod: { integrator: newmark-newton }\nsubstructures:\n  frame:\n"
          "    kind: frame\n",
          f->out);
    print_materials(f);
    print_sections(f);
    print_hinges(f);
    print_nodes(f);
    print_members(f);
    print_links(f);
    print_elements(f);
    print_damping(f);
    fputs("loads: []\n", f->out);
}

enum yk_status yk_import_frame(const struct yk_text *text, double length_m, double force_N, char **yaml,
                               struct yk_err *err)
{
    struct frame f = {.L = length_m, .F = force_N, .err = err};
    size_t size = 0;

    *yaml = NULL;
    if ((f.st = yk_commands_read(&f.commands, text, err)))
        return f.st;
    f.nodes = calloc(f.commands.count + 1, sizeof *f.nodes);
    f.out = open_memstream(yaml, &size);
    if (!f.nodes || !f.out)
        f.st = yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!f.st)
        read_model(&f);
    if (!f.st)
        read_nodes(&f);
    if (!f.st)
        read_supports(&f);
    if (!f.st)
        print_frame(&f);
    if (f.out && fclose(f.out) && !f.st)
        f.st = yk_fail(err, YK_E_MEMORY, "out of memory");
    if (f.st) {
        free(*yaml);
        *yaml = NULL;
    }
    free(f.nodes);
    yk_commands_free(&f.commands);
    return f.st;
}
