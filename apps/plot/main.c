/* yoke plot: recordings as a picture: chosen channels, or an overview. */
#include "plot.h"
#include <yoke/number.h>

#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROWS = 8 }; /* of a spectrum */

/* ---- options ---- */

static int read_times(struct plot_request *q)
{
    q->from = -INFINITY;
    q->to = INFINITY;
    if (q->from_text && yk_number_list(q->from_text, &q->from, 1) != 1)
        return yk_misuse(&command_plot, "--from '%s' is not a time in s", q->from_text);
    if (q->to_text && yk_number_list(q->to_text, &q->to, 1) != 1)
        return yk_misuse(&command_plot, "--to '%s' is not a time in s", q->to_text);
    if (!(q->from < q->to))
        return yk_misuse(&command_plot, "--from %g is not before --to %g", q->from, q->to);
    return 0;
}

static int read_units(struct plot_request *q)
{
    struct yk_err err = {0};
    double one;

    if (!q->unit_text)
        return 0;
    if (!(q->unit_words = strdup(q->unit_text)))
        return 1;
    for (char *rest = q->unit_words, *unit; (unit = strsep(&rest, ","));) {
        if (!*unit || q->unit_count == PLOT_UNITS)
            return yk_misuse(&command_plot, *unit ? "at most %d units" : "an empty unit in --unit", PLOT_UNITS);
        if (yk_unit_factor(unit, unit, &one, &err))
            return yk_misuse(&command_plot, "--unit: %s", yk_err_line(&err).text);
        q->units[q->unit_count++] = unit;
    }
    return 0;
}

static int check_request(struct plot_request *q, const struct yk_words *words)
{
    const bool named = q->y.count || q->xy.count;
    struct yk_err err = {0};
    int code;

    if (words->count < 1 || words->count > PLOT_RUNS - 1)
        return yk_misuse(&command_plot, words->count ? "at most %d recordings" : "which recording?", PLOT_RUNS - 1);
    if (q->sizing && (words->count > 1 || named || q->spectrum || q->compare || q->list || strcmp(q->x, "time") != 0))
        return yk_misuse(&command_plot, "--sizing takes one recording, and no other view of it");
    if (q->profile && (words->count > 1 || named || q->sizing || q->spectrum || q->compare || q->list))
        return yk_misuse(&command_plot, "--profile takes one recording, and no other view of it");
    if (q->fine && q->ticks)
        return yk_misuse(&command_plot, "--fine and --ticks exclude each other");
    if (q->spectrum && (q->xy.count || strcmp(q->x, "time") != 0))
        return yk_misuse(&command_plot, "--spectrum and --x or --xy exclude each other");
    if (q->width_text && strcmp(q->width_text, "one") != 0 && strcmp(q->width_text, "two") != 0)
        return yk_misuse(&command_plot, "--width '%s' is not one or two (columns of a journal)", q->width_text);
    if (!q->list && (named || q->sizing || q->profile || q->spectrum || q->compare || words->count > 1) && !q->output)
        return yk_misuse(&command_plot, "no output file: give -o FILE.svg");
    if (q->output && yk_figure_check_path(q->output, &err))
        return yk_command_fail(&err);
    return (code = read_times(q)) ? code : read_units(q);
}

/* ---- the command ---- */

/* "DIR/overview.svg", beside the recording; NULL when out of memory. */
static char *overview_path(const char *recording)
{
    char *copy = strdup(recording), *path = NULL;

    if (copy && asprintf(&path, "%s/overview.svg", dirname(copy)) < 0)
        path = NULL;
    free(copy);
    return path;
}

/* Removes spectra, for too few samples. 2: one was asked for, or no panel is left. */
static int drop_spectra(const struct plot_request *q, struct plot_page *page)
{
    size_t kept = 0;

    for (size_t p = 0; p < page->count; p++)
        if (page->panels[p].view != PLOT_AS_SPECTRUM)
            page->panels[kept++] = page->panels[p];
    page->count = kept;
    return q->spectrum || !kept ? 2 : 0;
}

static int load(const struct plot_request *q, const struct yk_words *words, struct plot_source *sources, size_t runs,
                struct plot_page *page)
{
    int code = 0;

    for (size_t r = 0; r < runs && !code; r++)
        code = plot_open(&sources[r], r < (size_t)words->count ? words->rest[r] : q->compare, q);
    if (code || q->list)
        return code;
    code = q->y.count || q->xy.count ? plot_name_panels(q, page) : plot_choose_panels(q, sources, runs, page);
    for (size_t r = 0; r < runs && !code; r++)
        for (size_t p = 0; p < page->count && !code; p++)
            for (size_t i = 0; i < page->panels[p].count && !code; i++)
                code = plot_pick(&sources[r], page->panels[p].names[i]) ? 0 : 2;
    for (size_t r = 0; r < runs && !code; r++) {
        code = plot_read(&sources[r], q);
        if (!code && sources[r].rows < LEAST_ROWS && (code = drop_spectra(q, page)))
            fprintf(stderr, "yoke: %s has %zu samples between --from and --to; a spectrum needs at least %d\n",
                    sources[r].path, sources[r].rows, LEAST_ROWS);
    }
    return code;
}

static int plot(struct plot_request *q, const struct yk_words *words)
{
    const size_t runs = (size_t)words->count + (q->compare ? 1 : 0);
    struct plot_source *sources = calloc(runs, sizeof *sources);
    struct plot_page *page = calloc(1, sizeof *page);
    char *beside = NULL;
    int code = sources && page ? load(q, words, sources, runs, page) : 1;

    for (size_t r = 0; r < runs && !code && q->list; r++)
        plot_list(&sources[r]);
    if (!code && !q->list && !q->output && !sources[0].recording)
        code = yk_misuse(&command_plot, "no output file: give -o FILE.svg");
    if (!code && !q->list && !q->output)
        q->output = beside = overview_path(sources[0].path);
    if (!code && !q->list)
        code = q->output ? plot_draw(q, page, sources, runs) : 1;
    if (!code && !q->list)
        printf("%s\n", q->output);
    for (size_t r = 0; sources && r < runs; r++)
        plot_close(&sources[r]);
    free(sources);
    if (page)
        free(page->words);
    free(page);
    free(beside);
    return code;
}

static int run(int argc, char **argv)
{
    struct plot_request q = {.x = "time"};
    struct yk_words words;
    int code;

    if (!yk_take_options(&command_plot, argc, argv, &q, &words))
        return 2;
    if (!(code = check_request(&q, &words)))
        code = q.sizing    ? plot_sizing(&q, words.rest[0])
               : q.profile ? plot_profile(&q, words.rest[0])
                           : plot(&q, &words);
    free(q.unit_words);
    return code;
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_plot, run, argc, argv);
}
