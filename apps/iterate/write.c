/* Results of an iteration: table.csv, pictures, report.html. */
#include "iterate.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/figure.h>
#include <yoke/file.h>
#include <yoke/page.h>

enum { SERIES = 24, WORDS = 80, DRAWN = 1000 };

static char *in_folder(const struct runs *r, const char *name)
{
    char *path;

    return asprintf(&path, "%s/%s", r->folder, name) < 0 ? NULL : path;
}

/* ---- the table ---- */

static bool print_table(FILE *out, const void *self)
{
    const struct runs *r = self;

    fputs("run,rung,load factor,frequency [Hz],error,peak [m],work [J],model misses,blend,force at rest [N],status\n",
          out);
    for (size_t k = 0; k < r->count; k++) {
        const struct told *t = &r->told[k];

        fprintf(out, "%zu,%d,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%s\n", k + 1, t->rung, t->factor, t->frequency,
                t->error, t->peak, t->work, t->fit, t->blend, t->rest_force, t->status);
    }
    return !ferror(out);
}

/* ---- pictures ---- */

/* The error of each run, a curve for each rung, and the tolerance. */
static enum yk_status draw_convergence(const struct runs *r, struct yk_err *err)
{
    struct yk_plot_series series[SERIES];
    static char names[SERIES][WORDS];
    double *x = calloc(2 * r->count + 4, sizeof *x), *y = x + r->count + 2, ends[2] = {0.5, (double)r->count + 0.5},
           line[2] = {r->s->tolerance, r->s->tolerance};
    char *path = in_folder(r, "convergence.svg");
    size_t count = 0;

    if (!x || !path) {
        free(x);
        free(path);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    for (size_t k = 0; k < r->count; k++) {
        const struct told *t = &r->told[k];

        x[k] = (double)k + 1;
        y[k] = t->error;
        if (!count || t->rung != r->told[k - 1].rung) {
            if (count == SERIES - 1)
                break;
            snprintf(names[count], WORDS, t->factor > 0 ? "load x %g" : "runs", t->factor);
            series[count] = (struct yk_plot_series){
                .name = names[count], .style = YK_PLOT_LINE_POINTS, .x = x + k, .y = y + k, .origin = YK_PLOT_MEASURED};
            count++;
        }
        series[count - 1].n++;
    }
    series[count++] =
        (struct yk_plot_series){.name = "tolerance", .style = YK_PLOT_GUIDE, .n = 2, .x = ends, .y = line};
    const struct yk_plot_panel panel = {.x = {.label = "run", .bounded = true, .min = ends[0], .max = ends[1]},
                                        .y = {.label = "error of the interface", .log = true},
                                        .series = series,
                                        .count = count};
    const enum yk_status st = yk_figure_write(
        &(struct yk_figure){.title = yk_parts_title(r->parts), .panels = &panel, .count = 1}, path, err);

    free(x);
    free(path);
    return st;
}

static enum yk_status draw_curve(const struct runs *r, const struct outcome *out, struct yk_err *err)
{
    const size_t n = out->curve_count;
    double *f = calloc(2 * n + 4 * YK_FOLDS, sizeof *f), *a = f + n, *fold_f = a + n, *fold_a = fold_f + YK_FOLDS;
    char *path = in_folder(r, "response.svg");
    struct yk_plot_series series[2];

    if (!f || !path) {
        free(f);
        free(path);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    for (size_t k = 0; k < n; k++) {
        f[k] = out->curve[k].w;
        a[k] = 1e3 * out->curve[k].amplitude;
    }
    for (size_t k = 0; k < out->fold_count; k++) {
        fold_f[k] = out->folds[k].w / 6.283185307179586;
        fold_a[k] = 1e3 * out->curve[out->folds[k].after].amplitude;
    }
    series[0] = (struct yk_plot_series){
        .name = "measured, first harmonic", .style = YK_PLOT_LINE, .n = n, .x = f, .y = a, .origin = YK_PLOT_MEASURED};
    series[1] = (struct yk_plot_series){
        .name = "folds", .style = YK_PLOT_POINTS, .n = out->fold_count, .x = fold_f, .y = fold_a};
    const struct yk_plot_panel panel = {.x = {.label = "frequency [Hz]"},
                                        .y = {.label = "amplitude [mm]"},
                                        .series = series,
                                        .count = out->fold_count ? 2 : 1};
    const enum yk_status st = yk_figure_write(
        &(struct yk_figure){.title = yk_parts_title(r->parts), .panels = &panel, .count = 1}, path, err);

    free(f);
    free(path);
    return st;
}

/* The best run: what was measured over what the structure does, and the loop of the specimen. */
static enum yk_status draw_response(const struct runs *r, const struct outcome *out, struct yk_err *err)
{
    const size_t every = out->samples / DRAWN + 1, n = (out->samples + every - 1) / every, q = r->dofs;
    double *t = calloc(4 * n + 1, sizeof *t), *x = t + n, *F = x + n, *target = F + n;
    char *path = in_folder(r, "response.svg");
    struct yk_plot_series motion[2], loop;

    if (!t || !path) {
        free(t);
        free(path);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    for (size_t k = 0; k < n; k++) {
        const size_t at = k * every;

        t[k] = (double)(at + 1) * r->h;
        x[k] = 1e3 * out->x[at * q];
        F[k] = 1e-3 * out->F[at * q];
        target[k] = out->target ? 1e3 * out->target[at * q] : 0;
    }
    motion[0] = (struct yk_plot_series){
        .name = "structure with the forces measured", .style = YK_PLOT_REFERENCE, .n = n, .x = t, .y = target};
    motion[1] = (struct yk_plot_series){
        .name = "measured", .style = YK_PLOT_LINE, .n = n, .x = t, .y = x, .origin = YK_PLOT_MEASURED};
    loop = (struct yk_plot_series){
        .name = "specimen", .style = YK_PLOT_LINE, .n = n, .x = x, .y = F, .origin = YK_PLOT_MEASURED};
    const struct yk_plot_panel panels[] = {{.x = {.label = "time [s]"},
                                            .y = {.label = "displacement [mm]"},
                                            .series = out->target ? motion : motion + 1,
                                            .count = out->target ? 2 : 1},
                                           {.x = {.label = "displacement of the specimen [mm]"},
                                            .y = {.label = "force [kN]"},
                                            .series = &loop,
                                            .count = 1}};
    const enum yk_status st = yk_figure_write(
        &(struct yk_figure){.title = yk_parts_title(r->parts), .panels = panels, .count = 2}, path, err);

    free(t);
    free(path);
    return st;
}

/* ---- the report ---- */

static enum yk_status write_page(const struct runs *r, const struct outcome *out, const char *verdict,
                                 struct yk_err *err)
{
    static const char *const columns[] = {"error [%]", "peak [mm]", "work [J]", "model misses [%]"};
    struct yk_score_row *rows = calloc(r->count + 1, sizeof *rows);
    double *values = calloc(4 * r->count + 1, sizeof *values);
    char(*names)[2][48] = calloc(r->count + 1, sizeof *names), settings[1200], *page = in_folder(r, "report.html"),
    *pictures[] = {in_folder(r, "convergence.svg"), in_folder(r, "response.svg")};
    enum yk_status st = YK_OK;
    size_t used = 0;

    if (!rows || !values || !names || !page || !pictures[0] || !pictures[1])
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t k = 0; !st && k < r->count; k++) {
        const struct told *t = &r->told[k];
        const double all[] = {100 * t->error, 1e3 * t->peak, t->work, 100 * t->fit};

        memcpy(values + 4 * k, all, sizeof all);
        snprintf(names[k][0], sizeof names[k][0], "run %zu", k + 1);
        if (t->factor > 0)
            snprintf(names[k][1], sizeof names[k][1], "load x %g", t->factor);
        else
            snprintf(names[k][1], sizeof names[k][1], "%.5g Hz", t->frequency);
        rows[k] = (struct yk_score_row){names[k][0], names[k][1], values + 4 * k, t->blend < 1 ? "target blended" : ""};
    }
    used +=
        (size_t)snprintf(settings, sizeof settings,
                         "Verdict: %s. Error of the interface %.3g %%, tracking %.3g %%, work in the specimen %.4g J, "
                         "largest motion %.4g mm, %zu runs%s.",
                         verdict, 100 * out->error, 100 * out->tracking, r->work, 1e3 * r->largest, r->count,
                         r->o->dry ? ", all on the virtual rig" : "");
    for (size_t k = 0; k < r->remark_count && used < sizeof settings - 1; k++)
        used += (size_t)snprintf(settings + used, sizeof settings - used, " %s.", r->remarks[k]);
    const struct yk_score_picture shown[] = {{pictures[0], "Error of the interface after each run."},
                                             {pictures[1], "The response."}};
    const struct yk_score_page content = {
        .title = yk_parts_title(r->parts),
        .problem = "An iterated test: the specimen follows a given displacement, and its forces correct the next run; "
                   "nothing acts back during a run.",
        .settings = settings,
        .columns = columns,
        .column_count = 4,
        .legend =
            "error: what is left of the equations of motion of the interface; peak: largest displacement of the "
            "specimen; work: put into it during the run; model misses: force that the refitted model does not give.",
        .rows = rows,
        .row_count = r->count,
        .pictures = shown,
        .picture_count = 2};
    if (!st)
        st = yk_score_page_write(&content, page, err);
    free(rows);
    free(values);
    free(names);
    free(page);
    free(pictures[0]);
    free(pictures[1]);
    return st;
}

enum yk_status write_all(const struct runs *r, const struct outcome *out, const char *verdict, struct yk_err *err)
{
    char *table = in_folder(r, "table.csv");
    enum yk_status st = YK_OK;

    if (!table || !yk_file_replace(table, print_table, r))
        st = yk_fail(err, YK_E_IO, "cannot write %s: %s", table ? table : "table.csv", strerror(errno));
    free(table);
    if (st || !r->count)
        return st;
    if ((st = draw_convergence(r, err)))
        return st;
    if (out->curve_count)
        st = draw_curve(r, out, err);
    else if (out->x && out->F && out->samples)
        st = draw_response(r, out, err);
    else
        return YK_OK;
    return st ? st : write_page(r, out, verdict, err);
}

struct json_t *result_json(const struct runs *r, const struct outcome *out, const char *verdict)
{
    json_t *runs = json_array(), *folds = json_array(), *curve = json_array(), *remarks = json_array();

    for (size_t k = 0; k < r->count; k++) {
        const struct told *t = &r->told[k];

        json_array_append_new(runs, json_pack("{s:I, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "run",
                                              (json_int_t)k + 1, "rung", t->rung, "factor", yk_json_number(t->factor),
                                              "frequency_Hz", yk_json_number(t->frequency), "error",
                                              yk_json_number(t->error), "peak_m", yk_json_number(t->peak), "work_J",
                                              yk_json_number(t->work), "fit", yk_json_number(t->fit), "blend",
                                              yk_json_number(t->blend), "status", t->status));
    }
    for (size_t k = 0; k < out->fold_count; k++)
        json_array_append_new(folds, yk_json_number(out->folds[k].w / 6.283185307179586));
    for (size_t k = 0; k < out->curve_count; k++)
        json_array_append_new(curve, json_pack("{s:o, s:o}", "frequency_Hz", yk_json_number(out->curve[k].w),
                                               "amplitude_m", yk_json_number(out->curve[k].amplitude)));
    for (size_t k = 0; k < r->remark_count; k++)
        json_array_append_new(remarks, yk_json_any(r->remarks[k]));
    return json_pack("{s:o, s:s, s:s, s:s, s:b, s:o, s:{s:o, s:o, s:o}, s:o, s:o, s:{s:I, s:o}, s:o, s:o, s:o}",
                     "title", yk_json_any(yk_parts_title(r->parts)), "kind",
                     r->s->kind == KIND_RECORD ? "record" : "periodic", "end", yk_iteration_end_words(out->end),
                     "verdict", verdict, "dry", r->o->dry, "runs", runs, "error_account", "interface",
                     yk_json_number(out->error), "tracking", yk_json_number(out->tracking), "refit",
                     yk_json_number(out->refit), "folds_Hz", folds, "curve", curve, "budget", "runs",
                     (json_int_t)r->count, "work_J", yk_json_number(r->work), "largest_m", yk_json_number(r->largest),
                     "rest_force_N", yk_json_number(r->rest_force), "remarks", remarks);
}
