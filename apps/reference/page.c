/* The reference of the experiment file, in Markdown, from the tables the reader uses. */
#include "reference.h"

#include <math.h>
#include <string.h>
#include <yoke/families.h>
#include <yoke/keys.h>

static void print_type(FILE *out, const struct yk_param *p)
{
    static const char *const words[] = {[YK_PARAM_REAL] = "number",        [YK_PARAM_COUNT] = "whole number",
                                        [YK_PARAM_FLAG] = "true or false", [YK_PARAM_REALS] = "list of numbers",
                                        [YK_PARAM_FILE] = "file",          [YK_PARAM_SERIES] = "file",
                                        [YK_PARAM_TEXT] = "text",          [YK_PARAM_WHOLE] = "whole number"};
    const char *unit = yk_quantity_unit(p->quantity);

    if (p->type == YK_PARAM_NODE) {
        fputs(p->choices, out);
        return;
    }
    if (p->type == YK_PARAM_POINTS) {
        fprintf(out, "list of points [force, deformation]%s%s%s", *p->choices ? ", or `" : "", p->choices,
                *p->choices ? "`" : "");
        return;
    }
    if (p->type == YK_PARAM_CHOICE) {
        for (const char *c = p->choices; c; c = yk_choice_next(c))
            fprintf(out, "%s`%.*s`", c == p->choices ? "" : ", ", (int)strcspn(c, "|"), c);
        return;
    }
    fputs(words[p->type], out);
    if (*unit)
        fprintf(out, " [%s]", unit);
}

static void print_default(FILE *out, const struct yk_param *p)
{
    const bool number = p->type == YK_PARAM_REAL || p->type == YK_PARAM_COUNT || p->type == YK_PARAM_WHOLE;

    if (isnan(p->fallback))
        fputs("required", out);
    else if ((p->type == YK_PARAM_CHOICE && p->fallback < 0) || (number && p->fallback < p->min))
        fputs("automatic", out); /* no value of its range: it follows from others */
    else if (p->type == YK_PARAM_CHOICE) {
        const char *choice = yk_choice_at(p->choices, (int)p->fallback);

        fprintf(out, "`%.*s`", (int)strcspn(choice, "|"), choice);
    } else if (p->type == YK_PARAM_FLAG)
        fputs(p->fallback > 0 ? "true" : "false", out);
    else if (p->type == YK_PARAM_POINTS)
        fprintf(out, "`%s`", p->choices);
    else if (number)
        fprintf(out, "%.6g", p->fallback);
}

static void print_range(FILE *out, const struct yk_param *p)
{
    if (p->type != YK_PARAM_REAL && p->type != YK_PARAM_COUNT && p->type != YK_PARAM_WHOLE && p->type != YK_PARAM_REALS)
        return;
    if (p->min == YK_TINY && p->max >= 1e6)
        fputs("positive", out);
    else if (p->min > -1e6 && p->max >= 1e6)
        fprintf(out, "from %.4g", p->min);
    else if (p->min == YK_TINY)
        fprintf(out, "above 0, to %.6g", p->max);
    else if (p->min > -1e6)
        fprintf(out, "%.6g .. %.6g", p->min, p->max);
}

static void print_table(FILE *out, const struct yk_param *params)
{
    if (!params || !params->name) {
        fputs("No settings.\n\n", out);
        return;
    }
    fputs("| key | value | default | range | meaning |\n|---|---|---|---|---|\n", out);
    for (const struct yk_param *p = params; p->name; p++) {
        fprintf(out, "| `%s` | ", p->name);
        print_type(out, p);
        fputs(" | ", out);
        print_default(out, p);
        fputs(" | ", out);
        print_range(out, p);
        fprintf(out, " | %s |\n", p->help);
    }
    fputc('\n', out);
}

/* "The integrator X": heading, summary and settings of one registered thing. */
static void entry(FILE *out, const char *name, const char *summary, const char *reference,
                  const struct yk_param *params)
{
    fprintf(out, "### `%s`\n\n%s%s%s%s.\n\n", name, summary, *reference ? " (" : "", reference, *reference ? ")" : "");
    print_table(out, params);
}

static void print_sections(FILE *out, const struct yk_keys_section *s)
{
    for (; s->title; s++) {
        fprintf(out, "## %s\n\n%s%s", s->title, s->text, *s->text ? "\n\n" : "");
        print_table(out, s->keys);
    }
}

static void print_keys(FILE *out)
{
    const struct yk_keys_section *kind;
    const char *name;

    print_sections(out, yk_sections_before);
    for (size_t k = 0; (kind = yk_sections_of_kind(k, &name)); k++)
        print_sections(out, kind);
    print_sections(out, yk_sections_after);
}

static void print_families(FILE *out)
{
    static const struct {
        const char *family, *heading;
    } parts[] = {
        {"integrators", "Integrators"},
        {"couplings", "Couplings"},
        {"laws", "Element laws"},
        {"signals", "Signals\n\nUnits are those of forces; if the signal is a ground motion, they are those of "
                    "accelerations."},
        {"compensators", "Compensators"},
        {"estimators", "Delay estimators"},
        {"controllers", "Controllers"},
        {"plants", "Plants"},
        {"setups", "Setups"},
        {"backends", "Backends\n\nWhat connects Yoke to a rig. Their settings are written in `rig.settings`. See "
                     "docs/backends.md."},
        {"substructures", "Substructures with their own equations"},
    };

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct yk_family *family = yk_family_find(parts[i].family);
        struct yk_family_entry e;

        fprintf(out, "## %s\n\n", parts[i].heading);
        for (size_t k = 0; family && family->at(k, &e); k++)
            entry(out, e.name, e.summary, e.reference, e.params);
    }
}

void reference_plugin(const struct yk_plugin *plugin, FILE *out)
{
    const struct yk_plugin_offer o = yk_plugin_offer(plugin);

    entry(out, o.name, o.summary, o.reference, o.params);
}

void reference_print(FILE *out)
{
    fputs("# The experiment file\n\n"
          "Generated by `yoke reference` from the tables that the reader uses; do not edit. Whole files to start from "
          "are in\n"
          "docs/tutorial.md (section 10: a hybrid test) and examples/.\n\n"
          "An experiment file is YAML. Bare numbers are SI (kg, m, s, N, rad); a value may carry a unit instead, such "
          "as\n"
          "`16 ms`, `14.8 kN/m`, `0.4 g` or `3000 rpm`; its dimension is checked. Unknown keys are errors, and so\n"
          "are settings that have no effect next to the others. Names "
          "of data\n"
          "files are relative to the experiment file. `yoke run FILE --set KEY=VALUE` replaces a value, such as "
          "time.step or loads.0.peak (lists\n"
          "count from 0); another `method.integrator` or `method.coupling` keeps settings that mean the same to both "
          "methods and starts\nfrom its own defaults otherwise. A degree of freedom whose name "
          "starts with theta, phi, psi, rot, rx, ry or rz is a rotation: "
          "its\n"
          "channels are in rad.\n\n",
          out);
    print_keys(out);
    print_families(out);
}
