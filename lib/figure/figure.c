/* Figures: the data as CSV (figure_data.c), a gnuplot script in the house style (figure_script.c), and the picture that
 * gnuplot draws from them. */
#include "figure_parts.h"
#include "gnuplot.h"
#include <yoke/file.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TIMEOUT_S 60.0

/* ---- names of the files ---- */

static void free_files(struct yk_figure_files *f)
{
    free(f->folder);
    free(f->base);
    free(f->data);
    free(f->script);
    free(f->output);
}

static const char *find_ending(const char *path)
{
    static const char *const endings[] = {".svg", ".png", ".pdf"};
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const size_t length = strlen(base);

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (length > 4 && strcmp(base + length - 4, endings[i]) == 0)
            return endings[i];
    return NULL;
}

enum yk_status yk_figure_check_path(const char *path, struct yk_err *err)
{
    if (!find_ending(path))
        return yk_fail(err, YK_E_INPUT, "a picture must have a name that ends in .svg, .png or .pdf, not '%.200s'",
                       path);
    for (const unsigned char *c = (const unsigned char *)path; *c; c++)
        if (*c < ' ' || *c == 0x7f)
            return yk_fail(err, YK_E_INPUT, "the name of a picture has a control character");
    return YK_OK;
}

/* "folder/base.ending"; NULL when out of memory */
static char *join(const char *folder, const char *base, const char *ending)
{
    char *path = NULL;

    return asprintf(&path, "%s/%s%s", folder, base, ending) < 0 ? NULL : path;
}

static enum yk_status name_files(struct yk_figure_files *f, const char *path, struct yk_err *err)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    enum yk_status st = yk_figure_check_path(path, err);

    *f = (struct yk_figure_files){0};
    if (st)
        return st;
    f->ending = find_ending(path);
    f->folder = slash == path ? strdup("/") : slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
    f->base = strndup(base, strlen(base) - strlen(f->ending));
    f->output = strdup(path);
    if (!f->folder || !f->base || !f->output)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    f->data = join(f->folder, f->base, ".csv");
    f->script = join(f->folder, f->base, ".gp");
    return f->data && f->script ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}

/* ---- writing ---- */

static enum yk_status check_panels(const struct yk_figure *figure, struct yk_err *err)
{
    if (figure->count < 1 || figure->count > YK_FIGURE_PANELS)
        return yk_fail(err, YK_E_RANGE, "a figure has 1 to %d panels, not %zu", YK_FIGURE_PANELS, figure->count);
    for (size_t i = 0; i < figure->count; i++) {
        const struct yk_plot_panel *p = &figure->panels[i];
        double low, high;

        if (p->heat && ((p->x.log && !(p->heat->x_min > 0)) || (p->y.log && !(p->heat->y_min > 0))))
            return yk_fail(err, YK_E_RANGE, "panel %zu: a logarithmic axis of a map must begin above zero", i + 1);
        if (!p->heat && !yk_figure_data_range(p, true, &low, &high))
            return yk_fail(err, YK_E_INPUT, "panel %zu has no finite%s value to draw", i + 1,
                           p->x.log || p->y.log ? ", positive" : "");
    }
    return YK_OK;
}

/* Closes a file that was written; removes it when something went wrong. */
static enum yk_status close_file(FILE *out, const char *path, struct yk_err *err)
{
    const bool good = !ferror(out);

    if (fclose(out) == 0 && good)
        return YK_OK;
    const int error = errno;
    unlink(path);
    return yk_fail(err, YK_E_IO, "cannot write %s: %s", path, strerror(error));
}

/* fig.svg takes fig.csv and fig.gp with it: what stands there must be of an earlier figure. */
static enum yk_status check_files(const struct yk_figure_files *f, struct yk_err *err)
{
    char line[sizeof YK_FIGURE_HEADING] = "";
    FILE *script = fopen(f->script, "r");
    const bool ours = script && fgets(line, sizeof line, script) && strcmp(line, YK_FIGURE_HEADING) == 0;

    if (script)
        fclose(script);
    if (!ours && (script || access(f->data, F_OK) == 0))
        return yk_fail(err, YK_E_INPUT, "%s exists and is not part of a figure; choose another name for the picture",
                       script ? f->script : f->data);
    return YK_OK;
}

static enum yk_status write_files(const struct yk_figure *figure, const struct yk_figure_layout *layout,
                                  const struct yk_figure_files *f, struct yk_figure_table *t, struct yk_err *err)
{
    FILE *out = yk_file_create_stream(f->script);
    enum yk_status st;

    if (!out)
        return yk_fail(err, YK_E_IO, "cannot write %s: %s", f->script, strerror(errno));
    yk_figure_write_script(out, figure, layout, f, t);
    if ((st = close_file(out, f->script, err)))
        return st;
    if (!(out = yk_file_create_stream(f->data)))
        return yk_fail(err, YK_E_IO, "cannot write %s: %s", f->data, strerror(errno));
    yk_figure_write_data(out, t);
    return close_file(out, f->data, err);
}

static enum yk_status draw(const struct yk_figure *figure, const struct yk_figure_files *f, struct yk_err *err)
{
    char *script = NULL;
    enum yk_status st;

    if (asprintf(&script, "./%s.gp", f->base) < 0)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    unlink(f->output); /* a failure must not leave an older picture in its place */
    if ((st = yk_gnuplot_run(f->folder, script, figure->timeout_s > 0 ? figure->timeout_s : TIMEOUT_S, err))) {
        unlink(f->output);
        yk_fail_within(err, YK_NOWHERE, "no picture %s (data and script are in %s and %s): ", f->output, f->data,
                       f->script);
    }
    free(script);
    return st;
}

/* ---- contours ---- */

/* A figure with the contours of its maps as curves of their own. */
struct contoured {
    struct yk_figure figure;
    struct yk_plot_panel panels[YK_FIGURE_PANELS];
    struct yk_plot_series *series[YK_FIGURE_PANELS];
    double *points[YK_FIGURE_PANELS];
};

static void free_contours(struct contoured *c)
{
    for (size_t i = 0; i < YK_FIGURE_PANELS; i++) {
        free(c->series[i]);
        free(c->points[i]);
    }
}

static enum yk_status add_contours(struct contoured *c, const struct yk_figure *figure, struct yk_err *err)
{
    *c = (struct contoured){.figure = *figure};
    for (size_t i = 0; i < figure->count; i++) {
        const struct yk_plot_panel *p = &figure->panels[i];
        const size_t room = p->heat && p->heat->level_name ? yk_plot_contour_room(p->heat) : 0;

        c->panels[i] = *p;
        if (!room)
            continue;
        c->series[i] = calloc(p->count + 1, sizeof *c->series[i]);
        c->points[i] = malloc(2 * room * sizeof(double));
        if (!c->series[i] || !c->points[i])
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        for (size_t k = 0; k < p->count; k++)
            c->series[i][k] = p->series[k];
        const size_t n = yk_plot_contour(p, p->heat->level, c->points[i], c->points[i] + room);
        c->series[i][p->count] = (struct yk_plot_series){
            p->heat->level_name, YK_PLOT_CONTOUR, n, c->points[i], c->points[i] + room, 0, NULL};
        c->panels[i].series = c->series[i];
        c->panels[i].count += n > 0;
    }
    c->figure.panels = c->panels;
    return YK_OK;
}

/* ---- the whole ---- */

static enum yk_status write_all(const struct yk_figure *figure, const char *path, struct yk_err *err)
{
    struct yk_figure_layout *layout = malloc(sizeof *layout);
    struct yk_figure_files f = {0};
    size_t columns = 0;
    enum yk_status st;

    for (size_t i = 0; i < figure->count; i++)
        columns += 3 * figure->panels[i].count + 3;
    struct yk_figure_table t = {.columns = calloc(columns, sizeof *t.columns)};
    if (!t.columns || !layout)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    else if (!(st = name_files(&f, path, err)) && !(st = check_files(&f, err))) {
        yk_figure_lay_out(figure, layout);
        if (!(st = write_files(figure, layout, &f, &t, err)))
            st = draw(figure, &f, err);
    }
    free_files(&f);
    free(t.columns);
    free(layout);
    return st;
}

enum yk_status yk_figure_write(const struct yk_figure *figure, const char *path, struct yk_err *err)
{
    struct contoured *c;
    enum yk_status st;

    if ((st = check_panels(figure, err)))
        return st;
    if (!(c = malloc(sizeof *c)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!(st = add_contours(c, figure, err)))
        st = write_all(&c->figure, path, err);
    free_contours(c);
    free(c);
    return st;
}
