/* yoke plot: recordings as a picture: chosen channels, or an overview. */
#include "cli/plot.h"
#include "base/number.h"

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
        return usage_error(&command_plot, "--from '%s' is not a time in s", q->from_text);
    if (q->to_text && yk_number_list(q->to_text, &q->to, 1) != 1)
        return usage_error(&command_plot, "--to '%s' is not a time in s", q->to_text);
    if (!(q->from < q->to))
        return usage_error(&command_plot, "--from %g is not before --to %g", q->from, q->to);
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
            return usage_error(&command_plot, *unit ? "at most %d units" : "an empty unit in --unit", PLOT_UNITS);
        if (yk_unit_factor(unit, unit, &one, &err))
            return usage_error(&command_plot, "--unit: %s", yk_err_line(&err).text);
        q->units[q->unit_count++] = unit;
    }
    return 0;
}

static int check_request(struct plot_request *q, const struct words *words)
{
    const bool named = q->y.count || q->xy.count;
    struct yk_err err = {0};
    int code;

    if (words->count < 1 || words->count > PLOT_RUNS - 1)
        return usage_error(&command_plot, words->count ? "at most %d recordings" : "which recording?", PLOT_RUNS - 1);
    if (q->fine && q->ticks)
        return usage_error(&command_plot, "--fine and --ticks exclude each other");
    if (q->spectrum && (q->xy.count || strcmp(q->x, "time") != 0))
        return usage_error(&command_plot, "--spectrum and --x or --xy exclude each other");
    if (q->width_text && strcmp(q->width_text, "one") != 0 && strcmp(q->width_text, "two") != 0)
        return usage_error(&command_plot, "--width '%s' is not one or two (columns of a journal)", q->width_text);
    if (!q->list && (named || q->spectrum || q->compare || words->count > 1) && !q->output)
        return usage_error(&command_plot, "no output file: give -o FILE.svg");
    if (q->output && yk_figure_check_path(q->output, &err))
        return report_failure(&err);
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

/* Where there are too few samples for a spectrum: an overview does without; 2 if a spectrum was asked for. */
static int drop_spectra(const struct plot_request *q, struct plot_page *page)
{
    size_t kept = 0;

    for (size_t p = 0; p < page->count; p++)
        if (page->panels[p].view != PLOT_AS_SPECTRUM)
            page->panels[kept++] = page->panels[p];
    page->count = kept;
    return q->spectrum || !kept ? 2 : 0;
}

static int load(const struct plot_request *q, const struct words *words, struct plot_source *sources, size_t runs,
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

static int plot(struct plot_request *q, const struct words *words)
{
    const size_t runs = (size_t)words->count + (q->compare ? 1 : 0);
    struct plot_source *sources = calloc(runs, sizeof *sources);
    struct plot_page *page = calloc(1, sizeof *page);
    char *beside = NULL;
    int code = sources && page ? load(q, words, sources, runs, page) : 1;

    for (size_t r = 0; r < runs && !code && q->list; r++)
        plot_list(&sources[r]);
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
    const struct option_spec specs[] = {{"--x", OPTION_TEXT, &q.x},
                                        {"--y", OPTION_LIST, &q.y},
                                        {"--xy", OPTION_LIST, &q.xy},
                                        {"--spectrum", OPTION_FLAG, &q.spectrum},
                                        {"--compare", OPTION_TEXT, &q.compare},
                                        {"--unit", OPTION_TEXT, &q.unit_text},
                                        {"--output|-o", OPTION_TEXT, &q.output},
                                        {"--title", OPTION_TEXT, &q.title},
                                        {"--width", OPTION_TEXT, &q.width_text},
                                        {"--from", OPTION_TEXT, &q.from_text},
                                        {"--to", OPTION_TEXT, &q.to_text},
                                        {"--fine", OPTION_FLAG, &q.fine},
                                        {"--ticks", OPTION_FLAG, &q.ticks},
                                        {"--list", OPTION_FLAG, &q.list},
                                        {0}};
    struct words words;
    int code;

    if (!take_options(&command_plot, argc, argv, specs, &words))
        return 2;
    if (!(code = check_request(&q, &words)))
        code = plot(&q, &words);
    free(q.unit_words);
    return code;
}

const struct command command_plot = {
    .name = "plot",
    .summary = "draw recordings (needs gnuplot)",
    .options = "--x --y --xy --spectrum --compare --unit --output --title --width --from --to --fine --ticks --list",
    .help =
        "usage: yoke plot DIR [-o OUT.svg]\n"
        "       yoke plot DIR... --y NAME[,NAME...] [--y ...] [--xy X,Y] -o OUT.svg [option]...\n"
        "       yoke plot DIR... --compare DIR2 [--y ...] -o OUT.svg\n\n"
        "Draws one or more recordings in one figure. DIR is the folder of a run, or a recording. Without --y or "
        "--xy it draws\n"
        "an overview of the run: largest displacements, load, actuator, energy, spectrum (DIR/overview.svg, unless "
        "-o says\n"
        "otherwise). Each --y and each --xy makes one panel. Curves are named in words and drawn in units such as mm "
        "and kN.\n"
        "Computed curves are blue, measured ones vermilion; what others should follow (a target, a reference) is "
        "wide and\n"
        "pale. The data (OUT.csv) and the gnuplot script (OUT.gp) are written next to OUT.svg; edit the script and "
        "run it\n"
        "again to change the figure. Long recordings are thinned for drawing, with their peaks preserved.\n\n"
        "  --y NAMES          channels of a panel, separated by commas\n"
        "  --xy X,NAMES       a panel of channels over the channel X: loops of force and displacement\n"
        "  --x NAME           the channel of the horizontal axis for all --y (default: time)\n"
        "  --spectrum         amplitudes over the frequency instead of values over time\n"
        "  --compare DIR2     draw another recording wide and pale behind, and the difference below; print how far "
        "they are\n"
        "                     apart. The recordings may have different rates.\n"
        "  --unit UNITS       units of display, separated by commas: mm,kN,deg (default: a prefix that fits)\n"
        "  -o, --output FILE  the figure: .svg, .png or .pdf\n"
        "  --title TEXT       replace the title of the experiment; '' for none\n"
        "  --width WIDTH      one or two columns of a journal: 88 or 180 mm wide, letters of 9 points (default: "
        "two)\n"
        "  --from T, --to T   draw only this part of the run [s]\n"
        "  --fine             draw the samples of the fine steps, if the run has any\n"
        "  --ticks            draw the samples of the control ticks, for a run with specimens\n"
        "  --list             list the channels instead, with their words and units\n\n"
        "examples:\n"
        "  yoke plot out/oscillator\n"
        "  yoke plot out/oscillator --y oscillator.x.u --y energy.kinetic,energy.stored -o oscillator.svg\n"
        "  yoke plot out/oscillator --xy oscillator.x.u,oscillator.x.v -o phase.svg --from 1 --to 3\n"
        "  yoke plot out/oscillator --spectrum --y oscillator.x.u -o spectrum.pdf --width one\n",
    .run = run,
};
