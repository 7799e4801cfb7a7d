/* From channels to curves: units of display, words, spectra, differences; then the figure. */
#include "plot.h"

#include <yoke/deviation.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points of a curve: the four that matter of each of the 800 columns of dots that a picture has. */
enum { MOST_POINTS = 3200, MOST_SERIES = PLOT_RUNS * PLOT_CHANNELS };
#define QUIET 0.03 /* of the peak of a spectrum: where nothing larger follows, it is not drawn */

/* A unit of display; panels of the same sort show a quantity in the same. */
struct shown_unit {
    const char *si;
    int sort;
    double largest;
    struct yk_display_unit display;
};

/* A drawing under way: everything the figure points to. */
struct drawing {
    const struct plot_request *q;
    const struct plot_page *page;
    const struct plot_source *sources;
    size_t runs, count, unit_count;
    struct yk_plot_series series[MOST_SERIES];
    double *points[MOST_SERIES];
    char *names[MOST_SERIES], *labels[PLOT_PANELS][3]; /* x, y, title */
    struct shown_unit units[4 * PLOT_CHANNELS];
    struct yk_plot_panel panels[PLOT_PANELS];
    double highest_Hz; /* of what spectra show */
};

/* ---- units ---- */

/* Panels that may share a unit: motions, their differences, their spectra. */
static int sort_of(enum plot_view view)
{
    return view == PLOT_AS_SPECTRUM ? 2 : view == PLOT_AS_DIFFERENCE || view == PLOT_AS_DEVIATION ? 1 : 0;
}

static struct shown_unit *unit_of(struct drawing *d, const char *si, enum plot_view view)
{
    const size_t most = sizeof d->units / sizeof *d->units;

    for (size_t i = 0; i < d->unit_count; i++)
        if (d->units[i].sort == sort_of(view) && strcmp(d->units[i].si, si) == 0)
            return &d->units[i];
    if (d->unit_count == most)
        return &d->units[most - 1];
    d->units[d->unit_count] = (struct shown_unit){.si = si, .sort = sort_of(view), .display = {.factor = 1}};
    return &d->units[d->unit_count++];
}

/* The unit that the user names for the quantity, otherwise the one with a fitting prefix. */
static void choose_units(struct drawing *d)
{
    for (size_t i = 0; i < d->unit_count; i++) {
        struct shown_unit *u = &d->units[i];
        bool named = false;

        for (size_t k = 0; k < d->q->unit_count && *u->si && !named; k++)
            if (yk_unit_factor(u->si, d->q->units[k], &u->display.factor, NULL) == YK_OK) {
                snprintf(u->display.text, sizeof u->display.text, "%s", d->q->units[k]);
                named = true;
            }
        if (!named)
            u->display = yk_unit_for_display(u->si, u->largest);
    }
}

/* "m/s²" for "m/s2" */
static void put_powers(const char *unit, char *text, size_t size)
{
    static const char *const powers[] = {"²", "³", "⁴"};
    size_t used = 0;

    for (const char *c = unit; *c && used + 4 < size; c++) {
        const bool power = c > unit && *c >= '2' && *c <= '4' && strchr(" /*", c[1]) && strchr(" /*", c[-1]) == NULL;

        used += (size_t)snprintf(text + used, size - used, "%.*s", power ? 3 : 1, power ? powers[*c - '2'] : c);
    }
    text[used] = 0;
}

static char *with_unit(const char *text, const char *unit)
{
    char *label = NULL, powers[64];

    put_powers(unit, powers, sizeof powers);
    return asprintf(&label, *unit ? "%s [%s]" : "%s", text, powers) < 0 ? NULL : label;
}

/* ---- values ---- */

/* A curve before it is scaled; the arrays are its own. */
struct raw {
    size_t n;
    double *x, *y;
};

static bool make_room(struct raw *r, size_t n)
{
    r->n = n;
    r->x = malloc((n + 1) * sizeof *r->x);
    r->y = malloc((n + 1) * sizeof *r->y);
    return r->x && r->y;
}

static void drop(struct raw *r)
{
    free(r->x);
    free(r->y);
}

/* The value of a curve at an instant, linear between its samples; *at is where the last search ended. */
static double value_at(const struct plot_source *s, const struct plot_curve *c, double t, size_t *at)
{
    const double *time = s->curves[0].values, slack = 1e-9 * (fabs(t) + 1e-3);

    if (t < time[0] - slack || t > time[s->rows - 1] + slack)
        return NAN;
    while (*at + 2 < s->rows && time[*at + 1] <= t)
        ++*at;
    if (s->rows < 2 || !(time[*at + 1] > time[*at]))
        return c->values[*at];
    const double share = fmin(fmax((t - time[*at]) / (time[*at + 1] - time[*at]), 0), 1);
    return c->values[*at] + share * (c->values[*at + 1] - c->values[*at]);
}

/* The amplitudes over the frequency, of samples that are evenly spaced in time. */
static bool take_spectrum(const struct plot_source *s, const struct plot_curve *c, struct raw *r)
{
    const double *time = s->curves[0].values, dt = (time[s->rows - 1] - time[0]) / (double)(s->rows - 1);
    double *even = malloc(s->rows * sizeof *even);
    size_t at = 0;
    bool good = even && make_room(r, yk_plot_spectrum_room(s->rows));

    for (size_t i = 0; good && i < s->rows; i++)
        even[i] = value_at(s, c, time[0] + (double)i * dt, &at);
    good = good && (r->n = yk_plot_spectrum(even, s->rows, dt, r->x, r->y)) > 0;
    free(even);
    return good;
}

static bool take_values(const struct drawing *d, const struct plot_panel *p, size_t run, size_t k, struct raw *r)
{
    const struct plot_source *s = &d->sources[run], *last = &d->sources[d->runs - 1];
    const struct plot_curve *c = plot_curve_of(s, p->names[k]), *other = plot_curve_of(last, p->names[k]);
    const struct plot_curve *second = p->view == PLOT_AS_DIFFERENCE ? plot_curve_of(s, p->names[1]) : NULL;
    const double *x = p->view == PLOT_OVER_X ? plot_curve_of(s, p->names[0])->values : s->curves[0].values;
    size_t at = 0;

    if (p->view == PLOT_AS_SPECTRUM)
        return take_spectrum(s, c, r);
    if (!make_room(r, s->rows))
        return false;
    memcpy(r->x, x, s->rows * sizeof *x);
    for (size_t i = 0; i < s->rows; i++)
        r->y[i] = p->view == PLOT_AS_DEVIATION ? c->values[i] - value_at(last, other, s->curves[0].values[i], &at)
                  : second                     ? c->values[i] - second->values[i]
                                               : c->values[i];
    return true;
}

/* Which of the channels of a panel are curves. */
static size_t first_curve(const struct plot_panel *p)
{
    return p->view == PLOT_OVER_X ? 1 : 0;
}

static size_t last_curve(const struct plot_panel *p)
{
    return p->view == PLOT_AS_DIFFERENCE ? 1 : p->count;
}

/* ---- words ---- */

static bool is_kind(const struct yk_channel *c, const char *kind)
{
    return strcmp(c->kind, kind) == 0;
}

static const struct yk_channel *channel_of(const struct drawing *d, const struct plot_panel *p, size_t k)
{
    return plot_curve_of(&d->sources[0], p->names[k])->channel;
}

/* Quantity of a unit, for the label of an axis. */
static const char *quantity(const char *unit)
{
    static const char *const words[][2] = {{"m", "displacement"},    {"rad", "rotation"},
                                           {"m/s", "velocity"},      {"rad/s", "angular velocity"},
                                           {"m/s2", "acceleration"}, {"rad/s2", "angular acceleration"},
                                           {"N", "force"},           {"N m", "moment"},
                                           {"J", "energy"},          {"s", "time"}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], unit) == 0)
            return words[i][1];
    return "value";
}

/* Owner, quantity and unit shared by all curves of a panel; "" where they differ. */
struct common {
    char owner[YK_LONG_NAME], what[YK_LONG_NAME];
    const char *unit; /* NULL: they differ */
    size_t curves;
};

static struct common common_of(const struct drawing *d, const struct plot_panel *p)
{
    struct common c = {0};

    for (size_t k = first_curve(p); k < last_curve(p); k++) {
        const struct yk_channel *channel = channel_of(d, p, k);
        char owner[YK_LONG_NAME], what[YK_LONG_NAME];

        if (d->runs > 1 && is_kind(channel, "reference") && p->count > 1)
            continue; /* of several runs it is that of all */
        yk_channel_split(channel, owner, what);
        if (c.curves++ == 0) {
            memcpy(c.owner, owner, sizeof owner);
            memcpy(c.what, what, sizeof what);
            c.unit = channel->unit;
        }
        if (strcmp(owner, c.owner) != 0)
            *c.owner = 0;
        if (strcmp(what, c.what) != 0)
            *c.what = 0;
        if (c.unit && strcmp(channel->unit, c.unit) != 0)
            c.unit = NULL;
    }
    return c;
}

/* "run: channel [unit]", as far as it needs saying */
static char *series_name(struct drawing *d, const struct plot_panel *p, size_t run, size_t k, const struct common *c)
{
    const struct yk_channel *channel = channel_of(d, p, k);
    char owner[YK_LONG_NAME], what[YK_LONG_NAME], *name = NULL, *with;
    const char *words = yk_channel_words(channel);

    yk_channel_split(channel, owner, what);
    if (*c->what && *owner)
        words = owner;
    else if (*c->owner)
        words = what;
    if (d->runs > 1 && is_kind(channel, "reference"))
        return strdup("reference");
    if (d->runs > 1 && c->curves == 1)
        return strdup(d->sources[run].label);
    with = with_unit(words, c->unit ? "" : unit_of(d, channel->unit, p->view)->display.text);
    if (with && d->runs > 1 && asprintf(&name, "%s: %s", d->sources[run].label, with) < 0)
        name = NULL;
    if (d->runs > 1)
        free(with);
    return d->runs > 1 ? name : with;
}

/* Is a panel too small for all words beside its axis? They stand above it. */
static bool is_tight(const struct drawing *d)
{
    return d->page->columns > 1 || d->page->count > 2;
}

static char *y_label(struct drawing *d, const struct plot_panel *p, const struct common *c)
{
    const struct yk_channel *first = channel_of(d, p, first_curve(p));
    const char *unit = c->unit ? unit_of(d, c->unit, p->view)->display.text : "";
    char text[2 * YK_LONG_NAME];

    if (p->view == PLOT_AS_SPECTRUM)
        snprintf(text, sizeof text, "amplitude");
    else if (p->view == PLOT_AS_DEVIATION)
        snprintf(text, sizeof text, "difference");
    else if (p->view == PLOT_AS_DIFFERENCE)
        snprintf(text, sizeof text,
                 is_kind(first, "target")    ? "tracking error"
                 : is_kind(first, "command") ? "command - measured"
                                             : "error");
    else if (!c->unit)
        snprintf(text, sizeof text, "value, units as named");
    else if (c->curves == 1 && !is_tight(d))
        snprintf(text, sizeof text, "%s", yk_channel_words(first));
    else
        snprintf(text, sizeof text, "%s", *c->what ? c->what : quantity(c->unit));
    return with_unit(text, unit);
}

static char *x_label(struct drawing *d, const struct plot_panel *p)
{
    if (p->view == PLOT_AS_SPECTRUM)
        return strdup("frequency [Hz]");
    if (p->view != PLOT_OVER_X)
        return strdup("time [s]");
    const struct yk_channel *x = channel_of(d, p, 0);
    return with_unit(yk_channel_words(x), unit_of(d, x->unit, p->view)->display.text);
}

/* Above a panel, where the label of its axis and its legend do not say it all. */
static char *title_of(struct drawing *d, const struct plot_panel *p, const struct common *c)
{
    const struct yk_channel *first = channel_of(d, p, first_curve(p));
    const bool alone = c->curves == 1, small = is_tight(d);
    char *title = NULL;

    if (p->view == PLOT_AS_DIFFERENCE && is_kind(channel_of(d, p, 1), "reference"))
        return asprintf(&title, "%s, against the reference", yk_channel_words(first)) < 0 ? NULL : title;
    if (p->view == PLOT_AS_DIFFERENCE)
        return strdup(c->owner);
    if (p->view == PLOT_AS_SPECTRUM || p->view == PLOT_AS_DEVIATION) {
        const char *words = alone ? yk_channel_words(first) : *c->what ? c->what : *c->owner ? c->owner : "";

        return asprintf(&title, "%s%s", words,
                        p->view == PLOT_AS_DEVIATION ? ""
                        : *words                     ? ", spectrum"
                                                     : "spectrum") < 0
                   ? NULL
                   : title;
    }
    if (p->view == PLOT_OVER_X)
        return strdup("");
    return strdup(alone ? (small ? yk_channel_words(first) : "") : *c->what ? "" : c->owner);
}

/* ---- curves ---- */

/* Is it a curve that others should follow? The run compared with, a reference, a target beside its measurement. */
static bool is_reference(const struct drawing *d, const struct plot_panel *p, size_t run, size_t k)
{
    const struct yk_channel *c = channel_of(d, p, k);

    if (d->q->compare)
        return run + 1 == d->runs && p->view != PLOT_OVER_X;
    if ((p->view != PLOT_OVER_TIME && p->view != PLOT_OVER_X) || p->count < 2)
        return false;
    if (d->runs > 1)
        return is_kind(c, "reference");
    for (size_t i = 0; i < p->count && is_kind(c, "target"); i++)
        if (is_kind(channel_of(d, p, i), "measured displacement") && strcmp(channel_of(d, p, i)->owner, c->owner) == 0)
            return true;
    return is_kind(c, "reference");
}

/* Points that draw the same picture, in the units of display. */
static bool add_series(struct drawing *d, const struct plot_panel *p, size_t run, size_t k, const struct raw *r)
{
    const struct yk_channel *channel = channel_of(d, p, k);
    const double y_factor = unit_of(d, channel->unit, p->view)->display.factor;
    const double x_factor = p->view == PLOT_OVER_X ? unit_of(d, channel_of(d, p, 0)->unit, p->view)->display.factor : 1;
    const struct common common = common_of(d, p);
    struct yk_plot_series *series = &d->series[d->count];
    size_t *index = malloc(MOST_POINTS * sizeof *index), n = r->n;
    bool good = index && (d->names[d->count] = series_name(d, p, run, k, &common)) != NULL;

    while (p->view == PLOT_AS_SPECTRUM && n > 2 && r->x[n - 1] > d->highest_Hz)
        n--;
    if (good)
        n = yk_plot_thin(r->x, r->y, n, MOST_POINTS, index);
    good = good && (d->points[d->count] = malloc(2 * n * sizeof(double)));
    for (size_t i = 0; good && i < n; i++) {
        d->points[d->count][i] = x_factor * r->x[index[i]];
        d->points[d->count][n + i] = y_factor * r->y[index[i]];
    }
    if (good)
        *series = (struct yk_plot_series){
            .name = d->names[d->count],
            .style = is_reference(d, p, run, k) ? YK_PLOT_REFERENCE : YK_PLOT_LINE,
            .n = n,
            .x = d->points[d->count],
            .y = d->points[d->count] + n,
            .origin = strncmp(channel->kind, "measured", 8) == 0 || is_kind(channel, "sensor") ? YK_PLOT_MEASURED
                                                                                               : YK_PLOT_COMPUTED};
    d->count++;
    free(index);
    return good;
}

/* Calls `take` with every curve of every panel. */
static bool walk_curves(struct drawing *d, size_t panel,
                        bool (*take)(struct drawing *d, const struct plot_panel *p, size_t run, size_t k,
                                     const struct raw *r))
{
    const struct plot_panel *p = &d->page->panels[panel];
    const size_t runs = p->view == PLOT_AS_DEVIATION ? d->runs - 1 : d->runs;
    bool good = true;

    for (size_t run = 0; run < runs && good; run++)
        for (size_t k = first_curve(p); k < last_curve(p) && good; k++) {
            struct raw r = {0};

            if (run && p->count > 1 && is_kind(channel_of(d, p, k), "reference"))
                continue; /* all runs have the same */
            good = d->count < MOST_SERIES && take_values(d, p, run, k, &r) && take(d, p, run, k, &r);
            drop(&r);
        }
    return good;
}

/* How large it becomes, for the unit; how far a spectrum reaches. */
static bool measure(struct drawing *d, const struct plot_panel *p, size_t run, size_t k, const struct raw *r)
{
    struct shown_unit *u = unit_of(d, channel_of(d, p, k)->unit, p->view);
    double largest = 0;

    for (size_t i = 0; i < r->n; i++)
        largest = isfinite(r->y[i]) ? fmax(largest, fabs(r->y[i])) : largest;
    u->largest = fmax(u->largest, largest);
    if (p->view == PLOT_OVER_X)
        for (size_t i = 0; i < r->n; i++) {
            u = unit_of(d, channel_of(d, p, 0)->unit, p->view);
            u->largest = isfinite(r->x[i]) ? fmax(u->largest, fabs(r->x[i])) : u->largest;
        }
    for (size_t i = r->n; p->view == PLOT_AS_SPECTRUM && i-- > 0;)
        if (r->y[i] > QUIET * largest) {
            d->highest_Hz = fmax(d->highest_Hz, 1.2 * r->x[i]);
            break;
        }
    return true;
}

static bool add_panel(struct drawing *d, size_t panel)
{
    const struct plot_panel *p = &d->page->panels[panel];
    const struct common common = common_of(d, p);
    const size_t begin = d->count;
    char **labels = d->labels[panel];
    bool good = (labels[0] = x_label(d, p)) && (labels[1] = y_label(d, p, &common)) &&
                (labels[2] = title_of(d, p, &common)) && walk_curves(d, panel, add_series);

    d->panels[panel] = (struct yk_plot_panel){.title = labels[2],
                                              .x.label = labels[0],
                                              .y.label = labels[1],
                                              .series = &d->series[begin],
                                              .count = d->count - begin};
    return good;
}

/* ---- numbers of a comparison ---- */

/* One line for each channel: how far the runs are apart. */
static bool print_deviations(struct drawing *d)
{
    for (size_t i = 0; i < d->page->count; i++) {
        const struct plot_panel *p = &d->page->panels[i];

        for (size_t run = 0; p->view == PLOT_AS_DEVIATION && run + 1 < d->runs; run++)
            for (size_t k = 0; k < p->count; k++) {
                const struct plot_curve *c = plot_curve_of(&d->sources[run], p->names[k]);
                const struct shown_unit *u = unit_of(d, c->channel->unit, p->view);
                struct yk_deviation apart = {0};
                struct raw r = {0};

                if (!take_values(d, p, run, k, &r)) {
                    drop(&r);
                    return false;
                }
                for (size_t s = 0; s < r.n; s++)
                    if (isfinite(r.y[s]))
                        yk_deviation_add(&apart, c->values[s] - r.y[s], c->values[s]);
                printf("%s: %s: largest difference %.4g%s%s, %.3g %% NRMS\n", d->sources[run].label,
                       yk_channel_words(c->channel), u->display.factor * apart.peak, *u->display.text ? " " : "",
                       u->display.text, 100 * yk_deviation_nrms(&apart, 0));
                drop(&r);
            }
    }
    return true;
}

/* ---- the figure ---- */

static void free_drawing(struct drawing *d)
{
    for (size_t i = 0; i < d->count; i++) {
        free(d->points[i]);
        free(d->names[i]);
    }
    for (size_t p = 0; p < PLOT_PANELS; p++)
        for (int i = 0; i < 3; i++)
            free(d->labels[p][i]);
    free(d);
}

int plot_draw(const struct plot_request *q, const struct plot_page *page, const struct plot_source *sources,
              size_t runs)
{
    struct drawing *d = calloc(1, sizeof *d);
    const bool narrow = q->width_text && strcmp(q->width_text, "one") == 0;
    const char *title = q->title               ? q->title
                        : narrow               ? ""
                        : sources[0].recording ? yk_recording_text(sources[0].recording, "title")
                                               : sources[0].label;
    struct yk_err err = {0};
    bool good = d != NULL;
    int code = 1;

    if (d) {
        d->q = q;
        d->page = page;
        d->sources = sources;
        d->runs = runs;
    }
    for (size_t p = 0; p < page->count && good; p++)
        good = walk_curves(d, p, measure);
    if (good)
        choose_units(d);
    for (size_t p = 0; p < page->count && good; p++)
        good = add_panel(d, p);
    if (good) {
        const struct yk_figure figure = {.title = title,
                                         .panels = d->panels,
                                         .count = page->count,
                                         .columns = narrow ? 1 : page->columns,
                                         .width = narrow ? YK_PLOT_ONE_COLUMN : YK_PLOT_TWO_COLUMNS,
                                         .own_legends = page->columns > 1,
                                         .own_scales = true};

        code = yk_figure_write(&figure, q->output, &err) ? yk_command_fail(&err) : 0;
        good = print_deviations(d);
    }
    if (!good)
        fputs("yoke: out of memory, or too many curves\n", stderr);
    if (d)
        free_drawing(d);
    return good ? code : 1;
}
