/* A frame of OpenSees as an experiment file: nodes, supports, masses, fibre sections, hinges, beams, from the commands
 * that make them. docs/importing.md lists the commands that are read. Unknown ones are refused with their line;
 * commands of the analysis are left out and listed.
 *
 * The file knows no units: lengths are multiples of L, forces of F, time is in seconds, so masses are multiples of
 * F s2/L. Everything is written in SI. */
#include "frame.h"
#include "opensees.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define TINY 1e-9

static const char *const directions[2][6] = {{"x", "y", "rz"}, {"x", "y", "z", "rx", "ry", "rz"}};

const char *opensees_direction(const struct opensees_frame *f, int i)
{
    return i < f->ndf ? directions[f->ndm == 3][i] : "?";
}

bool opensees_turns(const struct opensees_frame *f, int i)
{
    return i >= f->ndm;
}

/* ---- reading ---- */

static int by_tag(const void *a, const void *b)
{
    const struct opensees_node *x = a, *y = b;

    return x->tag < y->tag ? -1 : x->tag > y->tag;
}

struct opensees_node *opensees_node_of(struct opensees_frame *f, const struct opensees_command *c, size_t i)
{
    const struct opensees_node wanted = {.tag = opensees_word_whole(f, c, i)};
    struct opensees_node *node =
        f->st || !f->nodes ? NULL : bsearch(&wanted, f->nodes, f->node_count, sizeof wanted, by_tag);

    if (!node && !f->st)
        opensees_word_refuse(f, c, "there is no node ", c->word[i]);
    return node;
}

static double mass_unit(const struct opensees_frame *f, int i)
{
    return f->F / f->L * (opensees_turns(f, i) ? f->L * f->L : 1);
}

static void take_masses(struct opensees_frame *f, const struct opensees_command *c, size_t from,
                        struct opensees_node *node)
{
    for (int k = 0; k < f->given && !f->st; k++)
        node->mass[k] = opensees_word_number(f, c, from + (size_t)k) * mass_unit(f, k);
}

static void read_nodes(struct opensees_frame *f)
{
    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct opensees_command *c = &f->commands.list[i];
        struct opensees_node *node = &f->nodes[f->node_count];

        if (!opensees_is(c, "node", NULL))
            continue;
        *node = (struct opensees_node){.tag = opensees_word_whole(f, c, 1), .line = c->line};
        for (int k = 0; k < f->ndm; k++)
            node->at[k] = opensees_word_number(f, c, 2 + (size_t)k) * f->L;
        if (opensees_option(c, "-mass"))
            take_masses(f, c, opensees_option(c, "-mass") + 1, node);
        for (int k = f->given; k < f->ndf; k++)
            node->fixed[k] = true;
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

static void read_supports(struct opensees_frame *f)
{
    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct opensees_command *c = &f->commands.list[i];
        const bool fix = opensees_is(c, "fix", NULL);
        struct opensees_node *node = fix || opensees_is(c, "mass", NULL) ? opensees_node_of(f, c, 1) : NULL;

        if (node && !fix)
            take_masses(f, c, 2, node);
        for (int k = 0; node && fix && k < f->given && !f->st; k++)
            node->fixed[k] |= opensees_word_number(f, c, 2 + (size_t)k) != 0;
    }
}

static void read_model(struct opensees_frame *f)
{
    f->ndm = f->ndf = 0;
    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct opensees_command *c = &f->commands.list[i];

        if (!opensees_is(c, "model", NULL))
            continue;
        f->ndm = opensees_option(c, "-ndm")
                     ? (int)fmin(fmax(opensees_word_number(f, c, opensees_option(c, "-ndm") + 1), -1), 9)
                     : 0;
        f->ndf = opensees_option(c, "-ndf")
                     ? (int)fmin(fmax(opensees_word_number(f, c, opensees_option(c, "-ndf") + 1), -1), 9)
                 : f->ndm == 2 ? 3
                               : 6;
        f->given = f->ndf;
        f->ndf = f->ndm == 2 ? 3 : 6;
        if (!f->st && !(f->ndm == 2 && (f->given == 2 || f->given == 3)) &&
            !(f->ndm == 3 && (f->given == 3 || f->given == 6)))
            f->st =
                yk_fail_at(f->err, YK_E_UNSUPPORTED, (struct yk_where){f->commands.name, c->line, 0},
                           "model: -ndm %d -ndf %d is not known here; 2 with 2 or 3, 3 with 3 or 6", f->ndm, f->given);
    }
    if (!f->st && f->ndm == 0)
        f->st = yk_fail_at(f->err, YK_E_INPUT, YK_IN_FILE(f->commands.name),
                           "there is no command 'model ... -ndm 2 -ndf 3' (or 2 and 2, 3 and 3, 3 and 6)");
}

/* ---- writing ---- */

static void print_nodes(struct opensees_frame *f)
{
    fputs("    nodes:\n", f->out);
    for (size_t i = 0; i < f->node_count; i++) {
        const struct opensees_node *n = &f->nodes[i];
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
                fprintf(f->out, "%s%s", first ? ", fixed: [" : ", ", opensees_direction(f, k));
                first = 0;
            }
        fputs(held && held < f->ndf ? "]" : "", f->out);
        for (int k = 0; k < f->ndf; k++)
            if (n->mass[k] != 0)
                fprintf(f->out, "%s%s: %.12g", masses++ ? ", " : ", mass: { ", opensees_direction(f, k), n->mass[k]);
        fprintf(f->out, "%s }\n", masses ? " }" : "");
    }
}

static void print_damping(struct opensees_frame *f)
{
    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct opensees_command *c = &f->commands.list[i];

        if (!opensees_is(c, "rayleigh", NULL))
            continue;
        const double current = opensees_word_number(f, c, 2), initial = opensees_word_number(f, c, 3),
                     committed = opensees_word_number(f, c, 4);
        if (current != 0 || (initial != 0 && committed != 0))
            opensees_word_refuse(
                f, c,
                "damping by the stiffness at rest or the committed one is known, one of them, not by the present: ",
                c->word[current != 0 ? 2 : 4]);
        fprintf(f->out, "    rayleigh: { mass: %.12g, stiffness: %.12g%s }\n", opensees_word_number(f, c, 1),
                initial + committed, committed != 0 ? ", stiffness_of: committed" : "");
    }
}

/* Commands that make no part of a structure. Any other unknown command is refused. */
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

static bool among(struct yk_piece word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (yk_piece_is(word, list[i]))
            return true;
    return false;
}

static void list_left_out(struct opensees_frame *f)
{
    for (size_t i = 0; i < f->commands.count && !f->st; i++) {
        const struct opensees_command *c = &f->commands.list[i];

        if (among(c->word[0], taken, sizeof taken / sizeof *taken))
            continue;
        if (!among(c->word[0], left_out, sizeof left_out / sizeof *left_out))
            opensees_word_refuse(
                f, c,
                "this command is not known; variables and loops need tools/opensees/yoke_record.tcl: ", c->word[0]);
        else
            fprintf(f->out, "# left out, line %d: %s\n", c->line, yk_quote(c->word[0]).text);
    }
}

/* Degrees of freedom without mass, or with less than 1e-9 of the largest, get that: Yoke needs mass everywhere. */
static void add_masses(struct opensees_frame *f)
{
    double most[2] = {0}, span = 0;
    size_t count = 0;

    for (size_t i = 0; i < f->node_count; i++)
        for (int k = 0; k < f->ndf; k++) {
            double *m = &most[opensees_turns(f, k)];

            *m = fmax(*m, f->nodes[i].mass[k]);
            if (!opensees_turns(f, k))
                span = fmax(span, fabs(f->nodes[i].at[k] - f->nodes[0].at[k]));
        }
    most[1] = fmax(most[1], most[0] * span * span / (double)f->node_count / (double)f->node_count);
    for (size_t i = 0; i < f->node_count && most[0] > 0; i++)
        for (int k = 0; k < f->ndf; k++) {
            struct opensees_node *n = &f->nodes[i];
            const double least = TINY * most[opensees_turns(f, k)];

            if (n->hinge || n->fixed[k] || n->mass[k] >= least)
                continue;
            n->mass[k] = least;
            count++;
        }
    if (count)
        fprintf(f->out,
                "# %zu degrees of freedom have no mass in the script, or next to none; Yoke needs some: they have %g "
                "of the "
                "largest, %.3g kg and %.3g kg m2\n",
                count, TINY, TINY * most[0], TINY * most[1]);
}

static void print_massless(struct opensees_frame *f)
{
    bool any = false;

    for (size_t i = 0; i < f->node_count; i++)
        for (int k = 0; k < f->ndf; k++)
            if (!f->nodes[i].hinge && !f->nodes[i].fixed[k] && f->nodes[i].mass[k] == 0) {
                fprintf(f->out, "%s n%" PRId64 ".%s", any ? "," : "# without mass, which Yoke needs:", f->nodes[i].tag,
                        opensees_direction(f, k));
                any = true;
            }
    fputs(any ? "\n" : "", f->out);
}

static void print_frame(struct opensees_frame *f)
{
    fprintf(f->out, "# from %s; SI units\n", f->commands.name);
    list_left_out(f);
    opensees_check_forms(f);
    opensees_note_damping(f);
    opensees_find_hinges(f);
    opensees_lump_masses(f);
    add_masses(f);
    print_massless(f);
    fputs("time: { step: 2 ms, end: 10 s }\nmethod: { integrator: newmark-newton }\nsubstructures:\n  frame:\n"
          "    kind: frame\n",
          f->out);
    opensees_print_materials(f);
    opensees_print_sections(f);
    opensees_print_hinges(f);
    print_nodes(f);
    opensees_print_members(f);
    opensees_print_links(f);
    opensees_print_elements(f);
    print_damping(f);
    fputs("loads: []\n", f->out);
}

enum yk_status opensees_import(const struct yk_text *text, double length_m, double force_N, char **yaml,
                               struct yk_err *err)
{
    struct opensees_frame f = {.L = length_m, .F = force_N, .err = err};
    size_t size = 0;

    *yaml = NULL;
    if ((f.st = opensees_read(&f.commands, text, err)))
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
    opensees_free(&f.commands);
    return f.st;
}
