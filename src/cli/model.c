/* yoke model: properties of the matrices of the substructures, with their mode shapes. */
#include "cli/model.h"
#include "program/answers.h"

#include "model/import.h"
#include "report/figure.h"
#include "transfer/physical.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_MODES = 6, MOST_MODES = 1000 };

static const char *const axes[YK_AXES] = {"x", "y", "z"};

struct request {
    const char *substructure, *modes, *plot, *vtk;
    bool json;
};

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

static void print_inspection(const struct yk_substructure *s, const struct yk_inspection *x)
{
    printf("%s: %zu degree%s of freedom", s->name, x->n, x->n == 1 ? "" : "s");
    if (x->nodes)
        printf(" at %zu node%s", x->nodes, x->nodes == 1 ? "" : "s");
    puts(yk_is_physical(s->system) ? ", specimen: its estimate"
         : s->system->linear       ? ""
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
static bool is_sound(const struct yk_substructure *s, const struct yk_inspection *x)
{
    return yk_is_physical(s->system) || (x->mass_definite && x->modes && !x->negative);
}

static int inspect_one(const struct yk_experiment *e, size_t k, const struct request *q, size_t modes, json_t *list,
                       bool *sound)
{
    const struct yk_substructure *s = &e->substructures[k];
    struct yk_inspection x;
    struct yk_err err = {0};
    int code = 0;

    if (yk_inspect(&x, s, modes, &err))
        return report_failure(&err);
    *sound &= is_sound(s, &x);
    if (list) {
        json_t *one = yk_inspection_json(s, &x);

        json_object_set_new(one, "sections", yk_sections_json(&e->sections[k]));
        json_array_append_new(list, one);
    } else {
        print_inspection(s, &x);
        yk_sections_print(&e->sections[k], "  ", stdout);
    }
    if (q->plot && x.modes == 0)
        code = usage_error(&command_model, "%s has no modes to draw", s->name);
    else if (q->plot && draw_modes(e, k, &x, q->plot, &err))
        code = report_failure(&err);
    else if (q->plot && !list)
        printf("picture: %s\n", q->plot);
    if (!code && q->vtk && (x.modes == 0 || export_modes(e, k, &x, q->vtk, &err)))
        code = x.modes ? report_failure(&err) : usage_error(&command_model, "%s has no modes to export", s->name);
    yk_inspection_free(&x);
    return code;
}

static int inspect(const struct yk_experiment *e, const struct request *q, size_t modes)
{
    json_t *list = q->json ? json_array() : NULL;
    bool found = false, sound = true;
    int code = 0;

    for (size_t k = 0; k < e->substructure_count && !code; k++) {
        if (q->substructure && strcmp(e->substructures[k].name, q->substructure) != 0)
            continue;
        found = true;
        code = inspect_one(e, k, q, modes, list, &sound);
    }
    if (!found)
        code = usage_error(&command_model, "there is no substructure '%s'", q->substructure);
    if (!code && list)
        code = print_json(json_pack("{s:O}", "substructures", list));
    json_decref(list);
    return code ? code : sound ? 0 : 4;
}

/* --plot draws one substructure: the only one that has modes, a specimen not among them. */
static int find_drawable(const struct yk_experiment *e, struct request *q)
{
    char list[400] = "";
    size_t count = 0;

    for (size_t k = 0; k < e->substructure_count; k++) {
        const struct yk_substructure *s = &e->substructures[k];

        if (yk_is_physical(s->system) || s->system->mass_divided_out)
            continue;
        q->substructure = s->name;
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s (%zu DoFs)", count++ ? ", " : "", s->name,
                 s->system->n);
    }
    if (count == 1)
        return 0;
    return usage_error(
        &command_model,
        count ? "--plot draws one substructure: --substructure NAME, one of: %s" : "there is no model to draw%s", list);
}

/* A frame of OpenSees as an experiment file, on the standard output. */
static int import(const struct words *files, const char *length, const char *force)
{
    double length_m = 1, force_N = 1;
    struct yk_text text = {0};
    struct yk_err err = {0};
    char *yaml = NULL;

    if (!parse_quantity(&command_model, "--length", length, YK_LENGTH, 1e-9, 1e9, &length_m) ||
        !parse_quantity(&command_model, "--force", force, YK_PLAIN_FORCE, 1e-9, 1e15, &force_N))
        return 2;
    if (files->count != 1)
        return usage_error(&command_model, "import takes one file, a list of OpenSees commands");
    if (yk_text_load(&text, files->rest[0], &err))
        return report_failure(&err);
    const enum yk_status st = yk_import_frame(&text, length_m, force_N, &yaml, &err);
    yk_text_free(&text);
    if (st)
        return report_failure(&err);
    const bool written = fputs(yaml, stdout) >= 0 && fflush(stdout) == 0;
    free(yaml);
    return written ? 0 : 1;
}

static int run(int argc, char **argv)
{
    const char *length = NULL, *force = NULL;
    struct text_list set = {0};
    struct request q = {0};
    const struct option_spec specs[] = {{"--substructure", OPTION_TEXT, &q.substructure},
                                        {"--modes", OPTION_TEXT, &q.modes},
                                        {"--plot", OPTION_TEXT, &q.plot},
                                        {"--vtk", OPTION_TEXT, &q.vtk},
                                        {"--set", OPTION_LIST, &set},
                                        {"--json", OPTION_FLAG, &q.json},
                                        {"--length", OPTION_TEXT, &length},
                                        {"--force", OPTION_TEXT, &force},
                                        {0}};
    long modes = DEFAULT_MODES;
    struct yk_experiment *e;
    struct yk_err err = {0};
    struct words words;
    int code;

    if (!take_options(&command_model, argc, argv, specs, &words))
        return 2;
    struct words file = {words.rest + 1, words.count - 1};
    if (words.count > 0 && strcmp(words.rest[0], "import") == 0)
        return import(&file, length, force);
    if (words.count == 0 || strcmp(words.rest[0], "info") != 0)
        return usage_error(&command_model,
                           "unknown request; use `yoke model info FILE` or `yoke model import COMMANDS`");
    if (length || force)
        return usage_error(&command_model, "%s is for `yoke model import`", length ? "--length" : "--force");
    if (!parse_count(&command_model, "--modes", q.modes, 1, MOST_MODES, &modes))
        return 2;
    if (q.plot && yk_figure_check_path(q.plot, &err))
        return report_failure(&err);
    if (!(e = rehearse_experiment(&command_model, &file, &set, &code)))
        return code;
    code = (q.plot || q.vtk) && !q.substructure ? find_drawable(e, &q) : 0;
    code = code ? code : inspect(e, &q, (size_t)modes);
    yk_experiment_destroy(e);
    return code;
}

const struct command command_model = {
    .name = "model",
    .summary = "check the matrices of a substructure: mass, rigid-body modes, frequencies, mode shapes; import a frame",
    .options = "info import --length --force --substructure --modes --plot --vtk --set --json",
    .help =
        "usage: yoke model info FILE [--substructure NAME] [--modes 6] [--plot FIG] [--vtk FILE] [--set KEY=VALUE]... "
        "[--json]\n"
        "       yoke model import COMMANDS [--length '1 mm'] [--force '1 kN'] > FILE\n\n"
        "Checks the matrices of the substructures, above all of imported ones: symmetry and definiteness of mass and\n"
        "stiffness, the moving mass along each axis (supports do not move), rigid-body modes, and the lowest "
        "frequencies\n"
        "with the degree of freedom that moves most; of sections with fibres their stiffness and elastic centroid. "
        "Exit code 4 if mass or\n"
        "stiffness is not definite.\n\n"
        "import: writes an experiment file from a list of OpenSees commands: a frame with hinges, fibre sections and\n"
        "P-Delta or corotational members, see docs/importing.md.\n\n"
        "  --length, --force    units of the commands; default 1 m and 1 N\n"
        "  --substructure NAME  check only this substructure; --plot needs it unless only one substructure is a model\n"
        "  --modes N            number of modes, lowest first\n"
        "  --vtk FILE           the mode shapes for ParaView (VTKHDF), if the nodes have coordinates\n"
        "  --plot FIG           draw the mode shapes (.svg, .png, .pdf), with data and gnuplot script in the same "
        "folder:\n"
        "                       in space if the coordinates of the nodes are known, otherwise over the degrees of "
        "freedom\n\n"
        "--json: {\"substructures\": [{\"name\", \"dofs\", \"nodes\", \"linear\", \"mass_kg\": {\"x\", \"y\", \"z\"}, "
        "\"asymmetry_mass\",\n"
        "         \"asymmetry_stiffness\", \"mass_definite\", \"rigid_modes\", \"negative_modes\",\n"
        "         \"modes\": [{\"frequency_Hz\", \"rigid\", \"largest\"}],\n"
        "         \"sections\": [{\"name\", \"fibres\", \"materials\", \"area_m2\", \"EA_N\", \"EIz_Nm2\", "
        "\"missing_EIz\",\n"
        "         \"EIy_Nm2\", \"missing_EIy\", \"centroid_y_m\", \"centroid_z_m\", \"eccentric\"}]}]}\n\n"
        "examples:\n"
        "  yoke model info examples/imported-frame/imported-frame.yaml\n"
        "  yoke model info examples/imported-frame/imported-frame.yaml --substructure frame --plot modes.svg\n"
        "  yoke model import frame.commands --length '1 mm' --force '1 kN' > frame.yaml\n",
    .run = run,
};
