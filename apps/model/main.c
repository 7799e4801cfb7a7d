/* yoke model: properties of the matrices of the substructures, with their mode shapes. */
#include "opensees/opensees.h"
#include "options.h"
#include "shapes.h"
#include <yoke/figure.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_MODES = 6 };

static const char *const axes[YK_AXES] = {"x", "y", "z"};

/* ---- text ---- */

static void print_mass(const struct yk_inspection *x)
{
    const char *comma = "";

    printf("  moving mass   ");
    for (int a = 0; a < YK_AXES; a++)
        if (isfinite(x->mass_kg[a])) {
            printf("%s%s: %s", comma, axes[a], yk_quantity_format(x->mass_kg[a], YK_MASS, 6).text);
            comma = ", ";
        }
    puts(*comma ? "" : "unknown: some degrees of freedom are named neither x, y, z nor like a rotation");
}

static void print_checks(const struct yk_substructure *s, const struct yk_inspection *x)
{
    printf("  mass          symmetric to %.1e, ", x->asymmetry_mass);
    if (x->mass_definite)
        puts("positive definite");
    else
        printf("NOT positive definite: %s has no inertia\n", s->dofs[x->mass_lost]);
    printf("  stiffness     symmetric to %.1e, ", x->asymmetry_stiffness);
    if (x->modes == 0)
        puts("not checked further");
    else if (x->negative)
        printf("NEGATIVE in %zu of the lowest %zu modes\n", x->negative, x->modes);
    else if (x->rigid)
        printf("semidefinite: %zu rigid-body mode%s\n", x->rigid, x->rigid == 1 ? "" : "s");
    else
        puts("positive definite");
}

static void print_inspection(const struct yk_parts *parts, size_t at, const struct yk_inspection *x)
{
    const struct yk_substructure *s = yk_part(parts, at);

    printf("%s: %zu degree%s of freedom", s->name, x->n, x->n == 1 ? "" : "s");
    if (x->nodes)
        printf(" at %zu node%s", x->nodes, x->nodes == 1 ? "" : "s");
    puts(yk_part_is_specimen(parts, at) ? ", specimen: its estimate"
         : s->system->linear            ? ""
                                        : ", nonlinear: initial tangent");
    print_mass(x);
    print_checks(s, x);
    for (size_t k = 0; k < x->modes; k++) {
        char frequency[32] = "runs away"; /* negative stiffness: no vibration */

        if (isfinite(x->frequency_Hz[k]))
            snprintf(frequency, sizeof frequency, "%.6g Hz", x->frequency_Hz[k]);
        printf("  mode %-8zu %15s   moves most: %s%s\n", k + 1, frequency, s->dofs[x->largest[k]],
               k < x->rigid ? "   (rigid body)" : "");
    }
}

/* ---- the command ---- */

/* Otherwise something is wrong with the model: exit code 4. Of a specimen only estimates are known. */
static bool is_sound(const struct yk_parts *parts, size_t k, const struct yk_inspection *x)
{
    return yk_part_is_specimen(parts, k) || (x->mass_definite && x->modes && !x->negative);
}

static int inspect_one(const struct yk_parts *parts, size_t k, const struct model_options *q, json_t *list, bool *sound)
{
    const struct yk_substructure *s = yk_part(parts, k);
    struct yk_inspection x;
    struct yk_err err = {0};
    int code = 0;

    if (yk_inspect(&x, s, (size_t)q->modes, &err))
        return yk_command_fail(&err);
    *sound &= is_sound(parts, k, &x);
    if (list) {
        json_t *one = yk_inspection_json(s, &x);

        json_object_set_new(one, "sections", yk_part_sections(parts, k));
        json_array_append_new(list, one);
    } else {
        print_inspection(parts, k, &x);
        yk_part_print_sections(parts, k, "  ", stdout);
    }
    if (q->plot && x.modes == 0)
        code = yk_misuse(&command_model, "%s has no modes to draw", s->name);
    else if (q->plot && draw_modes(parts, k, &x, q->plot, &err))
        code = yk_command_fail(&err);
    else if (q->plot && !list)
        printf("picture: %s\n", q->plot);
    if (!code && q->vtk && (x.modes == 0 || export_modes(parts, k, &x, q->vtk, &err)))
        code = x.modes ? yk_command_fail(&err) : yk_misuse(&command_model, "%s has no modes to export", s->name);
    yk_inspection_free(&x);
    return code;
}

static int inspect(const struct yk_parts *parts, const struct model_options *q)
{
    json_t *list = q->json ? json_array() : NULL;
    bool found = false, sound = true;
    int code = 0;

    for (size_t k = 0; k < yk_parts_count(parts) && !code; k++) {
        if (q->substructure && strcmp(yk_part(parts, k)->name, q->substructure) != 0)
            continue;
        found = true;
        code = inspect_one(parts, k, q, list, &sound);
    }
    if (!found)
        code = yk_misuse(&command_model, "there is no substructure '%s'", q->substructure);
    if (!code && list)
        code = yk_print_json(json_pack("{s:O}", "substructures", list));
    json_decref(list);
    return code ? code : sound ? 0 : 4;
}

/* --plot draws one substructure: the only one that has modes, a specimen not among them. */
static int find_drawable(const struct yk_parts *parts, struct model_options *q)
{
    char list[400] = "";
    size_t count = 0;

    for (size_t k = 0; k < yk_parts_count(parts); k++) {
        const struct yk_substructure *s = yk_part(parts, k);

        if (yk_part_is_specimen(parts, k) || s->system->mass_divided_out)
            continue;
        q->substructure = s->name;
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s (%zu DoFs)", count++ ? ", " : "", s->name,
                 s->system->n);
    }
    if (count == 1)
        return 0;
    return yk_misuse(
        &command_model,
        count ? "--plot draws one substructure: --substructure NAME, one of: %s" : "there is no model to draw%s", list);
}

/* A frame of OpenSees as an experiment file, on the standard output. */
static int import(const struct yk_words *files, const char *length, const char *force)
{
    double length_m = 1, force_N = 1;
    struct yk_text text = {0};
    struct yk_err err = {0};
    char *yaml = NULL;

    if (!yk_option_quantity(&command_model, "--length", length, YK_LENGTH, 1e-9, 1e9, &length_m) ||
        !yk_option_quantity(&command_model, "--force", force, YK_PLAIN_FORCE, 1e-9, 1e15, &force_N))
        return 2;
    if (files->count != 1)
        return yk_misuse(&command_model, "import takes one file, a list of OpenSees commands");
    if (yk_text_load(&text, files->rest[0], &err))
        return yk_command_fail(&err);
    const enum yk_status st = opensees_import(&text, length_m, force_N, &yaml, &err);
    yk_text_free(&text);
    if (st)
        return yk_command_fail(&err);
    const bool written = fputs(yaml, stdout) >= 0 && fflush(stdout) == 0;
    free(yaml);
    return written ? 0 : 1;
}

static int run(int argc, char **argv)
{
    struct model_options g = {.modes = DEFAULT_MODES};
    struct yk_parts *parts;
    struct yk_err err = {0};
    struct yk_words words;
    int code;

    if (!yk_take_options(&command_model, argc, argv, &g, &words))
        return 2;
    struct yk_words file = {words.rest + 1, words.count - 1};
    if (words.count > 0 && strcmp(words.rest[0], "import") == 0)
        return import(&file, g.length, g.force);
    if (words.count == 0 || strcmp(words.rest[0], "info") != 0)
        return yk_misuse(&command_model, "unknown request; use `yoke model info FILE` or `yoke model import COMMANDS`");
    if (g.length || g.force)
        return yk_misuse(&command_model, "%s is for `yoke model import`", g.length ? "--length" : "--force");
    if (g.plot && yk_figure_check_path(g.plot, &err))
        return yk_command_fail(&err);
    if (!(parts = yk_command_parts(&command_model, &file, &g.set, true, &code)))
        return code;
    code = (g.plot || g.vtk) && !g.substructure ? find_drawable(parts, &g) : 0;
    code = code ? code : inspect(parts, &g);
    yk_parts_close(parts);
    return code;
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_model, run, argc, argv);
}
