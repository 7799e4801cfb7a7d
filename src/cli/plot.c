/* yoke plot: channels of recordings as a picture. */
#include "base/number.h"
#include "cli/cli.h"
#include "yaml/fields.h"

#include "record/record.h"
#include "report/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 16, MOST_CHANNELS = 64, MOST_PANELS = 20, BLOCK_ROWS = 4096 };
/* Points of a curve: the four that matter of each of the 800 columns of dots that a picture has. */
enum { MOST_POINTS = 3200 };

/* What the command line asks for. */
struct wanted {
    const char *x, *output, *title, *from_text, *to_text;
    struct text_list y;
    double from, to; /* s */
    bool fine, ticks;
};

/* A channel of a recording, between the two instants. */
struct curve {
    const struct yk_channel *channel;
    int index;
    double *values;
};

/* One recording: the time, the x axis, then what each panel shows. */
struct source {
    char *path, *label;
    struct yk_recording *recording;
    int stream;
    size_t count, rows;
    struct curve curves[2 + MOST_CHANNELS];
};

/* Panels share the curves of a source: panel p has the channels [first[p], first[p + 1]). */
struct layout {
    size_t panels, first[MOST_PANELS + 1];
    char *text, *names[MOST_CHANNELS];
};

/* ---- which channels ---- */

static int split_panels(const struct wanted *w, struct layout *l)
{
    size_t length = 1, count = 0;

    for (size_t p = 0; p < w->y.count; p++)
        length += strlen(w->y.text[p]) + 1;
    if (w->y.count > MOST_PANELS)
        return usage_error(&command_plot, "at most %d panels", MOST_PANELS);
    if (!(l->text = calloc(length, 1)))
        return 1;
    for (char *at = l->text; l->panels < w->y.count; at += strlen(w->y.text[l->panels++]) + 1) {
        l->first[l->panels] = count;
        strcpy(at, w->y.text[l->panels]);
        for (char *rest = at, *name; (name = strsep(&rest, ","));) {
            if (count == MOST_CHANNELS || !*name)
                return usage_error(&command_plot, *name ? "at most %d channels" : "an empty name in --y",
                                   MOST_CHANNELS);
            l->names[count++] = name;
        }
    }
    l->first[l->panels] = count;
    return 0;
}

struct channel_walk {
    const struct source *source;
    size_t next;
};

static const char *next_channel(void *self)
{
    struct channel_walk *w = self;
    const struct source *s = w->source;

    return w->next < yk_recording_channels(s->recording, s->stream)
               ? yk_recording_channel(s->recording, s->stream, w->next++)->name
               : NULL;
}

static int unknown_channel(const struct source *s, const char *name)
{
    struct channel_walk walk = {s, 0};
    char suggestion[160];

    fprintf(stderr, "yoke: %s has no channel '%s'%s\n", s->path, name,
            yk_suggest(name, next_channel, &walk, "; `yoke plot DIR` lists them", suggestion, sizeof suggestion));
    return 2;
}

static int pick(struct source *s, const char *name)
{
    struct curve *c = &s->curves[s->count];

    if ((c->index = yk_recording_find(s->recording, s->stream, name)) < 0)
        return unknown_channel(s, name);
    c->channel = yk_recording_channel(s->recording, s->stream, (size_t)c->index);
    s->count++;
    return 0;
}

static char *with_unit(const char *text, const char *unit)
{
    char *label = NULL;

    return asprintf(&label, *unit ? "%s [%s]" : "%s", text, unit) < 0 ? NULL : label;
}

static int list_channels(const struct source *s)
{
    const size_t count = yk_recording_channels(s->recording, s->stream);
    size_t width = 0;

    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(yk_recording_channel(s->recording, s->stream, i)->name);

        width = length > width ? length : width;
    }
    fprintf(stderr, "yoke plot: no channels given, use --y NAME[,NAME...]; %s has\n", s->path);
    for (size_t i = 0; i < count; i++) {
        const struct yk_channel *c = yk_recording_channel(s->recording, s->stream, i);
        char *words = with_unit(c->long_name, c->unit);

        fprintf(stderr, "  %-*s%s%s\n", *c->long_name ? (int)width : 0, c->name, *c->long_name ? "  " : "",
                words && *c->long_name ? words : "");
        free(words);
    }
    return 2;
}

/* ---- reading ---- */

static int open_source(struct source *s, const char *word, const struct wanted *w)
{
    struct yk_err err = {0};

    if (!(s->path = recording_path(word)) || !(s->label = recording_label(word))) {
        fputs("yoke: out of memory\n", stderr);
        return 1;
    }
    if (yk_recording_open(&s->recording, s->path, &err)) {
        report_failure(&err);
        return 2;
    }
    s->stream = find_stream(s->recording, s->path, w->fine, w->ticks);
    return s->stream < 0 ? 2 : 0;
}

static void close_source(struct source *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->curves[i].values);
    if (s->recording)
        yk_recording_close(s->recording);
    free(s->path);
    free(s->label);
}

/* Copies the picked channels of the rows whose time is expected. */
static void keep_rows(struct source *s, const struct wanted *w, const double *rows, size_t count)
{
    const size_t width = yk_recording_channels(s->recording, s->stream);

    for (size_t i = 0; i < count; i++) {
        const double t = rows[i * width + (size_t)s->curves[0].index];

        if (!(t >= w->from && t <= w->to))
            continue;
        for (size_t c = 0; c < s->count; c++)
            s->curves[c].values[s->rows] = rows[i * width + (size_t)s->curves[c].index];
        s->rows++;
    }
}

static int read_source(struct source *s, const struct wanted *w)
{
    const uint64_t total = yk_recording_rows(s->recording, s->stream);
    const size_t width = yk_recording_channels(s->recording, s->stream);
    double *block = malloc(BLOCK_ROWS * width * sizeof *block);
    bool memory = block;
    struct yk_err err = {0};
    int code = 0;

    for (size_t c = 0; c < s->count; c++)
        memory &= (s->curves[c].values = malloc((total + 1) * sizeof(double))) != NULL;
    if (!memory) {
        fputs("yoke: out of memory\n", stderr);
        code = 1;
    }
    for (uint64_t at = 0; at < total && !code; at += BLOCK_ROWS) {
        const uint64_t count = total - at < BLOCK_ROWS ? total - at : BLOCK_ROWS;

        if (yk_recording_read(s->recording, s->stream, at, count, block, &err))
            code = report_failure(&err);
        else
            keep_rows(s, w, block, count);
    }
    free(block);
    if (!code && s->rows == 0) {
        fprintf(stderr, "yoke: %s has no sample between --from and --to\n", s->path);
        code = 2;
    }
    return code;
}

static int load_source(struct source *s, const char *word, const struct wanted *w, const struct layout *l)
{
    int code = open_source(s, word, w);

    if (!code && l->panels == 0)
        code = list_channels(s);
    if (!code)
        code = pick(s, "time");
    if (!code)
        code = pick(s, w->x);
    for (size_t i = 0; i < l->first[l->panels] && !code; i++)
        code = pick(s, l->names[i]);
    return code ? code : read_source(s, w);
}

/* ---- drawing ---- */

/* A drawing under way: everything the figure points to. */
struct drawing {
    struct yk_plot_series series[MOST_RUNS * MOST_CHANNELS];
    double *thin[MOST_RUNS * MOST_CHANNELS]; /* fewer points of a long recording; NULL for a short one */
    char *names[MOST_RUNS * MOST_CHANNELS], *labels[MOST_PANELS + 1];
    struct yk_plot_panel panels[MOST_PANELS];
    size_t count;
};

/* What channels of a unit have in common, for the label of an axis. */
static const char *quantity(const char *unit)
{
    static const char *const words[][2] = {{"m", "displacement"}, {"rad", "rotation"},      {"m/s", "velocity"},
                                           {"rad/s", "velocity"}, {"m/s2", "acceleration"}, {"rad/s2", "acceleration"},
                                           {"N", "force"},        {"N m", "moment"},        {"J", "energy"},
                                           {"s", "time"}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], unit) == 0)
            return words[i][1];
    return "value";
}

static bool same_units(const struct curve *curves, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (strcmp(curves[i].channel->unit, curves[0].channel->unit) != 0)
            return false;
    return true;
}

/* The label of a y axis: the channel itself, or what its channels have in common. */
static char *axis_label(const struct curve *curves, size_t count)
{
    const char *unit = curves[0].channel->unit;

    if (count == 1)
        return with_unit(curves[0].channel->name, unit);
    return same_units(curves, count) ? with_unit(quantity(unit), unit) : with_unit("value, units as named", "");
}

/* What the legend must tell apart: runs, channels, units. */
struct distinctions {
    bool runs, channels, units;
};

/* "run: channel [unit]", as far as it needs saying */
static char *series_name(const struct source *s, const struct curve *c, struct distinctions d)
{
    char *name = NULL, *label = with_unit(c->channel->name, d.units ? c->channel->unit : "");

    if (d.runs && !d.channels)
        name = strdup(s->label);
    else if (label && asprintf(&name, "%s%s%s", d.runs ? s->label : "", d.runs ? ": " : "", label) < 0)
        name = NULL;
    free(label);
    return name;
}

/* Points of a long recording that draw the same picture. */
static bool thin_out(struct drawing *d, struct yk_plot_series *series)
{
    size_t index[MOST_POINTS];
    const size_t count = yk_plot_thin(series->x, series->y, series->n, MOST_POINTS, index);
    double *thin = malloc(2 * count * sizeof *thin);

    if (!thin)
        return false;
    for (size_t i = 0; i < count; i++) {
        thin[i] = series->x[index[i]];
        thin[count + i] = series->y[index[i]];
    }
    d->thin[d->count] = thin;
    series->n = count;
    series->x = thin;
    series->y = thin + count;
    return true;
}

static bool add_series(struct drawing *d, const struct source *s, const struct curve *c, struct distinctions which)
{
    struct yk_plot_series *series = &d->series[d->count];

    *series = (struct yk_plot_series){
        .name = d->names[d->count] = series_name(s, c, which), .n = s->rows, .x = s->curves[1].values, .y = c->values};
    const bool good = series->name && (series->n <= MOST_POINTS || thin_out(d, series));
    d->count++;
    return good;
}

static bool add_panel(struct drawing *d, size_t panel, const struct layout *l, const struct source *sources,
                      size_t runs)
{
    const size_t first = 2 + l->first[panel], count = l->first[panel + 1] - l->first[panel];
    const struct curve *shown = &sources[0].curves[first];
    struct yk_plot_panel *p = &d->panels[panel];
    const size_t begin = d->count;
    const struct distinctions which = {runs > 1, count > 1, !same_units(shown, count)};
    bool good = (d->labels[panel] = axis_label(shown, count)) != NULL;

    for (size_t r = 0; r < runs; r++)
        for (size_t i = 0; i < count; i++)
            good &= add_series(d, &sources[r], &sources[r].curves[first + i], which);
    *p = (struct yk_plot_panel){.x.label = d->labels[MOST_PANELS],
                                .y.label = d->labels[panel],
                                .series = &d->series[begin],
                                .count = d->count - begin};
    return good;
}

static int draw(const struct wanted *w, const struct layout *l, const struct source *sources, size_t runs)
{
    struct drawing *d = calloc(1, sizeof *d);
    const char *title = w->title ? w->title : yk_recording_text(sources[0].recording, "title");
    struct yk_figure figure = {.title = title ? title : "", .count = l->panels};
    struct yk_err err = {0};
    const struct yk_channel *x = sources[0].curves[1].channel;
    bool good = d && (d->labels[MOST_PANELS] = with_unit(x->name, x->unit));
    int code = 1;

    for (size_t p = 0; p < l->panels && good; p++)
        good = add_panel(d, p, l, sources, runs);
    if (good) {
        figure.panels = d->panels;
        code = yk_figure_write(&figure, w->output, &err) ? report_failure(&err) : 0;
    } else {
        fputs("yoke: out of memory\n", stderr);
    }
    for (size_t i = 0; d && i < d->count; i++) {
        free(d->thin[i]);
        free(d->names[i]);
    }
    for (size_t p = 0; d && p <= MOST_PANELS; p++)
        free(d->labels[p]);
    free(d);
    return code;
}

/* ---- the command ---- */

static int read_times(struct wanted *w)
{
    w->from = -INFINITY;
    w->to = INFINITY;
    if (w->from_text && yk_number_list(w->from_text, &w->from, 1) != 1)
        return usage_error(&command_plot, "--from '%s' is not a time in s", w->from_text);
    if (w->to_text && yk_number_list(w->to_text, &w->to, 1) != 1)
        return usage_error(&command_plot, "--to '%s' is not a time in s", w->to_text);
    if (!(w->from < w->to))
        return usage_error(&command_plot, "--from %g is not before --to %g", w->from, w->to);
    return 0;
}

static int plot(const struct wanted *w, const struct words *words)
{
    struct source *sources = calloc((size_t)words->count, sizeof *sources);
    struct layout l = {0};
    size_t runs = 0;
    int code = sources ? split_panels(w, &l) : 1;

    for (; runs < (size_t)words->count && !code; runs++)
        code = load_source(&sources[runs], words->rest[runs], w, &l);
    if (!code && !(code = draw(w, &l, sources, runs)))
        printf("%s\n", w->output);
    for (size_t r = 0; r < runs; r++)
        close_source(&sources[r]);
    free(sources);
    free(l.text);
    return code;
}

static int run(int argc, char **argv)
{
    struct wanted w = {.x = "time"};
    const struct option_spec specs[] = {{"--x", OPTION_TEXT, &w.x},
                                        {"--y", OPTION_LIST, &w.y},
                                        {"--output|-o", OPTION_TEXT, &w.output},
                                        {"--title", OPTION_TEXT, &w.title},
                                        {"--from", OPTION_TEXT, &w.from_text},
                                        {"--to", OPTION_TEXT, &w.to_text},
                                        {"--fine", OPTION_FLAG, &w.fine},
                                        {"--ticks", OPTION_FLAG, &w.ticks},
                                        {0}};
    struct yk_err err = {0};
    struct words words;
    int code;

    if (!take_options(&command_plot, argc, argv, specs, &words))
        return 2;
    if (words.count < 1 || words.count > MOST_RUNS)
        return usage_error(&command_plot, words.count ? "at most %d recordings" : "which recording?", MOST_RUNS);
    if (w.fine && w.ticks)
        return usage_error(&command_plot, "--fine and --ticks exclude each other");
    if (w.y.count && !w.output)
        return usage_error(&command_plot, "no output file: give -o FILE.svg");
    if (w.output && yk_figure_check_path(w.output, &err))
        return report_failure(&err);
    return (code = read_times(&w)) ? code : plot(&w, &words);
}

const struct command command_plot = {
    .name = "plot",
    .summary = "draw channels of a recording (needs gnuplot)",
    .options = "--x --y --output --title --from --to --fine --ticks",
    .help = "usage: yoke plot DIR... --y NAME[,NAME...] [--y ...] -o OUT.svg [--x NAME] [--title TEXT] [--from T] "
            "[--to T]\n\n"
            "Draws channels of one or more recordings in one figure. DIR is the folder of a run, or a recording. Each "
            "--y makes\n"
            "one panel. The data (OUT.csv) and the gnuplot script (OUT.gp) are written next to OUT.svg; edit the "
            "script and run it\n"
            "again to change the figure. Long recordings are thinned for drawing, with their peaks preserved.\n\n"
            "  --y NAMES          channels of a panel, separated by commas; without --y the channels are listed\n"
            "  --x NAME           channel of the horizontal axis (default: time)\n"
            "  -o, --output FILE  the figure: .svg, .png or .pdf\n"
            "  --title TEXT       replace the title of the experiment\n"
            "  --from T, --to T   draw only this part of the run [s]\n"
            "  --fine             draw the samples of the fine steps, if the run has any\n"
            "  --ticks            draw the samples of the control ticks, for a run with specimens\n\n"
            "examples:\n"
            "  yoke plot out/oscillator --y oscillator.x.u --y energy.kinetic,energy.stored -o oscillator.svg\n"
            "  yoke plot out/oscillator --x oscillator.x.u --y oscillator.x.v -o phase.svg --from 1 --to 3\n",
    .run = run,
};
