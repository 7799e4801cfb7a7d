/* The fidelity report of `yoke reduce`: a page in Markdown with pictures, and the same numbers in JSON. */
#include "reduction.h"
#include <yoke/figure.h>
#include <yoke/file.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON ---- */

static json_t *numbers(const double *x, size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, yk_json_number(x[i]));
    return list;
}

static json_t *mac_json(const struct yk_fidelity *f)
{
    json_t *rows = json_array();

    for (size_t j = 0; j < f->modes; j++) {
        json_t *row = json_array();

        for (size_t k = 0; k < f->modes; k++)
            json_array_append_new(row, yk_json_number(f->mac[j + k * f->modes]));
        json_array_append_new(rows, row);
    }
    return json_pack("{s:o, s:o, s:o, s:o}", "least_diagonal", yk_json_number(f->least_diagonal), "least_in_cluster",
                     yk_json_number(f->least_in_cluster), "largest_off_diagonal",
                     yk_json_number(f->largest_off_diagonal), "matrix", rows);
}

static json_t *response_json(const struct reduction *r)
{
    const struct yk_fidelity *f = &r->fidelity;
    const size_t m = r->count;

    if (!f->full_u)
        return json_null();
    return json_pack("{s:f, s:I, s:o, s:o, s:o, s:o, s:o}", "dt_s", f->dt, "steps", (json_int_t)f->steps, "rms_m",
                     yk_json_number(f->rms), "mse_m2", yk_json_number(f->mse), "nmse", yk_json_number(f->nmse),
                     "last_full_m", numbers(f->full_u + f->steps * m, m), "last_reduced_m",
                     numbers(f->reduced_u + f->steps * m, m));
}

static json_t *whole_json(const struct whole *w)
{
    if (!w->made)
        return json_null();
    return json_pack("{s:f, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "dt_s", w->dt, "steps", (json_int_t)w->steps,
                     "rms_m", yk_json_number(w->rms), "mse_m2", yk_json_number(w->mse), "nmse", yk_json_number(w->nmse),
                     "full_s", yk_json_number(w->full_s), "reduced_s", yk_json_number(w->reduced_s), "last_full_m",
                     numbers(w->full_u + w->steps * w->count, w->count), "last_reduced_m",
                     numbers(w->reduced_u + w->steps * w->count, w->count));
}

double mass_share(const struct reduction *r, size_t motion)
{
    double share = NAN;

    return yk_reduced_mass_share(&r->reduced, motion, &share, NULL) ? NAN : share;
}

const char *motion_name(const struct reduction *r, size_t motion)
{
    const char *name = r->reduced.ground.names[motion];
    const bool axis = strspn(name, "xyz") == 1 && !name[1];

    return axis || !*name ? name : NULL;
}

static json_t *ground_json(const struct reduction *r)
{
    const struct yk_ground *g = &r->reduced.ground;
    json_t *list = json_array();

    for (size_t k = 0; k < g->count; k++)
        if (motion_name(r, k))
            json_array_append_new(list,
                                  json_pack("{s:s, s:o, s:o}", "direction", motion_name(r, k), "mass_kg",
                                            yk_json_number(g->mass[k]), "share", yk_json_number(mass_share(r, k))));
    return list;
}

static json_t *fidelity_json(const struct reduction *r)
{
    const struct yk_fidelity *f = &r->fidelity;

    if (!r->compared)
        return json_null();
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "rigid_modes", (json_int_t)f->rigid,
                     "left_out", (json_int_t)f->left_out, "limit_Hz", yk_json_number(f->limit_Hz), "full_Hz",
                     numbers(f->full_Hz, f->modes), "reduced_Hz", numbers(f->reduced_Hz, f->modes), "worst_error",
                     yk_json_number(f->worst_error), "frequency_nmse", yk_json_number(f->frequency_nmse),
                     "exact_below_Hz", yk_json_number(f->exact_below_Hz), "mac", mac_json(f), "response",
                     response_json(r));
}

static double kept_Hz(const struct yk_reduced *r, size_t k)
{
    return sqrt(fmax(r->w2[k], 0)) / (2 * M_PI);
}

json_t *reduction_json(const struct reduction *r)
{
    const struct yk_reduced *m = &r->reduced;
    json_t *kept = json_array();

    for (size_t k = 0; k < m->modes; k++)
        json_array_append_new(kept, yk_json_number(kept_Hz(m, k)));
    return json_pack("{s:s, s:s, s:I, s:I, s:I, s:o, s:{s:o, s:o, s:I, s:I}, s:o, s:o, s:o, s:{s:o, s:o}, "
                     "s:o, s:i}",
                     "substructure", r->name, "method", m->method, "full", (json_int_t)m->full, "modes",
                     (json_int_t)m->modes, "interface", (json_int_t)m->interface_count, "kept_Hz", kept, "check",
                     "residual", yk_json_number(m->check.residual), "shift_Hz", yk_json_number(m->check.shift_Hz),
                     "counted", (json_int_t)m->check.counted, "found", (json_int_t)m->check.found, "fidelity",
                     fidelity_json(r), "ground", ground_json(r), "whole", whole_json(&r->whole), "seconds", "reduce",
                     yk_json_number(r->reduce_s), "compare", yk_json_number(r->compare_s), "memory_MB",
                     yk_json_number(r->memory_MB), "processes", r->processes);
}

/* ---- pictures ---- */

static bool draw(const struct yk_figure *figure, const char *folder, const char *name, const char *what)
{
    struct yk_err err = {0};
    char *path = NULL;
    bool good;

    if (asprintf(&path, "%s/%s-%s.svg", folder, name, what) < 0)
        return false;
    good = yk_figure_write(figure, path, &err) == YK_OK;
    if (!good)
        yk_command_fail(&err);
    free(path);
    return good;
}

static bool draw_mac(const struct reduction *r, const char *folder)
{
    const struct yk_fidelity *f = &r->fidelity;
    const double last = (double)f->modes;
    double *z = calloc(f->modes * f->modes + 1, sizeof *z);
    bool good = z != NULL;

    for (size_t j = 0; good && j < f->modes; j++)
        for (size_t k = 0; k < f->modes; k++)
            z[j * f->modes + k] = f->mac[j + k * f->modes];
    if (good) {
        const struct yk_plot_heat heat = {.label = "MAC",
                                          .rows = f->modes,
                                          .columns = f->modes,
                                          .x_min = 1,
                                          .x_max = last,
                                          .y_min = 1,
                                          .y_max = last,
                                          .z = z,
                                          .z_max = 1};
        const struct yk_plot_axis x = {"mode of the full model", false, true, 0.5, last + 0.5};
        const struct yk_plot_axis y = {"mode of the reduced model", false, true, 0.5, last + 0.5};
        const struct yk_plot_panel panel = {.x = x, .y = y, .heat = &heat, .equal_aspect = true};

        good = draw(&(struct yk_figure){.title = "Modal assurance criterion", .panels = &panel, .count = 1}, folder,
                    r->name, "mac");
    }
    free(z);
    return good;
}

static bool draw_frequencies(const struct reduction *r, const char *folder)
{
    const struct yk_fidelity *f = &r->fidelity;
    double *x = calloc(2 * f->modes + 1, sizeof *x), *error = x + f->modes;
    bool good = x != NULL;

    for (size_t k = 0; good && k < f->modes; k++) {
        x[k] = (double)k + 1;
        error[k] = 100 * (f->reduced_Hz[k] / f->full_Hz[k] - 1);
    }
    if (good) {
        const struct yk_plot_series series[] = {
            {.name = "full", .style = YK_PLOT_LINE_POINTS, .n = f->modes, .x = x, .y = f->full_Hz},
            {.name = "reduced", .style = YK_PLOT_POINTS, .n = f->modes, .x = x, .y = f->reduced_Hz},
            {.name = "error", .style = YK_PLOT_BARS, .n = f->modes, .x = x, .y = error}};
        const struct yk_plot_axis number = {"elastic mode", false, true, 0, (double)f->modes + 1};
        const struct yk_plot_panel panels[] = {{.x = number, .y.label = "frequency [Hz]", .series = series, .count = 2},
                                               {.x = number, .y.label = "error [%]", .series = series + 2, .count = 1}};

        good = draw(&(struct yk_figure){.title = "Frequencies, full and reduced", .panels = panels, .count = 2}, folder,
                    r->name, "frequencies");
    }
    free(x);
    return good;
}

/* One degree of freedom of two motions, and their difference. */
static bool draw_motion(const struct reduction *r, const char *folder, const char *what, const char *title,
                        const double *full, const double *few, size_t count, size_t steps, double dt)
{
    double *t = calloc(4 * (steps + 1), sizeof *t), *a = t + steps + 1, *b = a + steps + 1, *c = b + steps + 1;
    bool good = t != NULL;

    for (size_t k = 0; good && k <= steps; k++) {
        t[k] = (double)k * dt;
        a[k] = 1e3 * full[k * count];
        b[k] = 1e3 * few[k * count];
        c[k] = 1e3 * (b[k] - a[k]);
    }
    if (good) {
        const struct yk_plot_series series[] = {
            {.name = "full", .style = YK_PLOT_REFERENCE, .n = steps + 1, .x = t, .y = a},
            {.name = "reduced", .style = YK_PLOT_LINE, .n = steps + 1, .x = t, .y = b},
            {.name = "difference", .style = YK_PLOT_LINE, .n = steps + 1, .x = t, .y = c}};
        const struct yk_plot_panel panels[] = {
            {.x.label = "time [s]", .y.label = "displacement [mm]", .series = series, .count = 2},
            {.x.label = "time [s]", .y.label = "reduced - full [um]", .series = series + 2, .count = 1}};

        good = draw(&(struct yk_figure){.title = title, .panels = panels, .count = 2}, folder, r->name, what);
    }
    free(t);
    return good;
}

static bool draw_response(const struct reduction *r, const char *folder)
{
    const struct yk_fidelity *f = &r->fidelity;
    char *title = NULL;
    bool good = asprintf(&title, "Response of %s to noise on the interface", r->reduced.names[r->reduced.modes]) >= 0;

    good = good && draw_motion(r, folder, "response", title, f->full_u, f->reduced_u, r->count, f->steps, f->dt);
    free(title);
    return good;
}

static bool draw_whole(const struct reduction *r, const char *folder)
{
    const struct whole *w = &r->whole;
    char *title = NULL;
    bool good = asprintf(&title, "The whole experiment: motion of %s", w->first) >= 0;

    good = good && draw_motion(r, folder, "whole", title, w->full_u, w->reduced_u, w->count, w->steps, w->dt);
    free(title);
    return good;
}

/* ---- page ---- */

static void write_reduction(FILE *out, const struct reduction *r)
{
    const struct yk_reduced *m = &r->reduced;

    fprintf(out, "# Reduction of `%s`\n\n", r->name);
    fprintf(out, "%zu degrees of freedom to %zu coordinates by %s: %zu modes and %zu interface displacements.\n\n",
            m->full, m->n, m->method, m->modes, m->interface_count);
    fputs("Interface:", out);
    for (size_t k = 0; k < m->interface_count; k++)
        fprintf(out, "%s `%s`", k ? "," : "", m->names[m->modes + k]);
    fputs(".\n\n", out);
    if (m->modes)
        fprintf(out,
                "Kept modes: %.6g to %.6g Hz. Residual |K phi - w2 M phi| at most %.2g of |K phi|. Sturm count below "
                "%.6g Hz: %zu counted, %zu found.\n\n",
                kept_Hz(m, 0), kept_Hz(m, m->modes - 1), m->check.residual, m->check.shift_Hz, m->check.counted,
                m->check.found);
    fprintf(out, "The reduction took %.3g s and the comparison %.3g s. Peak memory: %.0f MB.\n\n", r->reduce_s,
            r->compare_s, r->memory_MB);
}

static void write_ground(FILE *out, const struct reduction *r)
{
    const struct yk_ground *g = &r->reduced.ground;
    bool any = false;

    for (size_t k = 0; k < g->count; k++) {
        if (!motion_name(r, k))
            continue;
        if (!any)
            fputs("## Ground motion\n\nEffective mass of all modes, and the fraction that the reduced model keeps. "
                  "Below 90 % an earthquake in that direction needs more modes.\n\n"
                  "| direction | effective mass | kept |\n|---|---|---|\n",
                  out);
        any = true;
        fprintf(out, "| %s | %s | %.2f %% |\n", *motion_name(r, k) ? motion_name(r, k) : "all",
                yk_quantity_format(g->mass[k], YK_MASS, 4).text, 100 * mass_share(r, k));
    }
    if (any)
        fputc('\n', out);
}

static void write_fidelity(FILE *out, const struct reduction *r)
{
    const struct yk_fidelity *f = &r->fidelity;

    fprintf(
        out,
        "## Frequencies and shapes\n\n%zu rigid modes; %zu elastic modes compared. Largest frequency error %.4f %%; "
        "normalised mean square %.3g. ",
        f->rigid, f->modes, 100 * f->worst_error, f->frequency_nmse);
    if (isfinite(f->exact_below_Hz))
        fprintf(out, "Below %.5g Hz every error is under 0.1 %%: the reduced model can be used up to there.\n\n",
                f->exact_below_Hz);
    else
        fputs("Every error is under 0.1 %.\n\n", out);
    if (f->left_out)
        fprintf(out,
                "Not compared: %zu modes above %.5g Hz, the limit of the reduced model. It still has coordinates "
                "there, one for each interface displacement, but they cannot represent these modes.\n\n",
                f->left_out, f->limit_Hz);
    fputs("| mode | full [Hz] | reduced [Hz] | error [%] | MAC |\n|---|---|---|---|---|\n", out);
    for (size_t k = 0; k < f->modes; k++)
        fprintf(out, "| %zu | %.6g | %.6g | %.4f | %.6f |\n", k + 1, f->full_Hz[k], f->reduced_Hz[k],
                100 * (f->reduced_Hz[k] / f->full_Hz[k] - 1), f->mac[k + k * f->modes]);
    fprintf(
        out,
        "\nMAC: diagonal at least %.5f, elsewhere at most %.3f. Modes within 1 %% in frequency may mix; every reduced\n"
        "mode lies in their space with a share of at least %.5f.\n\n![frequencies](%s-frequencies.svg)\n\n"
        "![MAC](%s-mac.svg)\n\n",
        f->least_diagonal, f->largest_off_diagonal, f->least_in_cluster, r->name, r->name);
    if (f->full_u)
        fprintf(
            out,
            "## Response to noise\n\nNoise of 1 N rms on every interface degree of freedom, Newmark, %g s at %g ms: "
            "rms %.4g m, mean square error %.4g m2, normalised %.4g.\n\n![response](%s-response.svg)\n\n",
            (double)f->steps * f->dt, 1e3 * f->dt, f->rms, f->mse, f->nmse, r->name);
}

static void write_whole(FILE *out, const struct reduction *r)
{
    const struct whole *w = &r->whole;

    fprintf(out,
            "## The whole experiment\n\nThe full and the reduced model joined to the rest of the experiment, both "
            "untorn, Newmark with Newton's method, %g s at %g ms: rms %.5g m, mean square error %.4g m2, normalised "
            "%.4g. Time of the full model %.3g s, of the reduced one %.3g s.\n\n![whole](%s-whole.svg)\n",
            (double)w->steps * w->dt, 1e3 * w->dt, w->rms, w->mse, w->nmse, w->full_s, w->reduced_s, r->name);
}

static FILE *open_page(const char *folder, const char *name, const char *ending)
{
    char *path = NULL;
    FILE *out = NULL;

    if (asprintf(&path, "%s/%s.%s", folder, name, ending) >= 0 && !(out = yk_file_create_stream(path)))
        fprintf(stderr, "yoke: cannot write %s: %s\n", path, strerror(errno));
    free(path);
    return out;
}

static bool write_page(const struct reduction *r, const char *folder)
{
    FILE *out = open_page(folder, r->name, "md");

    if (!out)
        return false;
    write_reduction(out, r);
    write_ground(out, r);
    if (r->compared)
        write_fidelity(out, r);
    if (r->whole.made)
        write_whole(out, r);
    return fclose(out) == 0;
}

static bool write_json(const struct reduction *r, const char *folder)
{
    FILE *out = open_page(folder, r->name, "json");
    json_t *json = reduction_json(r);
    bool good = out && json && json_dumpf(json, out, JSON_INDENT(2) | JSON_PRESERVE_ORDER) == 0;

    json_decref(json);
    return out && fclose(out) == 0 && good;
}

bool reduction_report(const struct reduction *r, const char *folder)
{
    return write_page(r, folder) && write_json(r, folder) &&
           (!r->compared || r->fidelity.modes < 2 || (draw_mac(r, folder) && draw_frequencies(r, folder))) &&
           (!r->compared || !r->fidelity.full_u || draw_response(r, folder)) &&
           (!r->whole.made || draw_whole(r, folder));
}
