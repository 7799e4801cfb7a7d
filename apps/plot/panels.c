/* Which panels are drawn: those that the command line names, or those that show the most of a run. */
#include "plot.h"

#include <stdlib.h>
#include <string.h>

/* ---- named ---- */

/* The end of a name or expression: a comma that is not within brackets or quotes. */
static char *end_of(char *p)
{
    int depth = 0;

    for (char quote = '\0'; *p && (*p != ',' || depth > 0 || quote); p++) {
        if (*p == quote)
            quote = '\0';
        else if (!quote && (*p == '"' || *p == '\''))
            quote = *p;
        else if (!quote)
            depth += (*p == '(' || *p == '[') - (*p == ')' || *p == ']');
    }
    return p;
}

static int add_panel(struct plot_page *page, enum plot_view view, char *words)
{
    struct plot_panel *p = &page->panels[page->count];

    if (page->count == PLOT_PANELS)
        return yk_misuse(&command_plot, "at most %d panels", PLOT_PANELS);
    *p = (struct plot_panel){.view = view};
    for (char *rest = words; rest;) { /* commas within brackets belong to an expression */
        char *name = rest, *end = end_of(rest);

        rest = *end ? end + 1 : NULL;
        *end = '\0';
        if (!*name)
            return yk_misuse(&command_plot, "an empty name in --y or --xy");
        if (p->count == PLOT_CHANNELS)
            return yk_misuse(&command_plot, "at most %d channels in a panel", PLOT_CHANNELS);
        p->names[p->count++] = name;
    }
    if (view == PLOT_OVER_X && p->count < 2)
        return yk_misuse(&command_plot,
                         "--xy needs X,Y: the channel of the horizontal axis and at least one other, not only '%s'",
                         words);
    page->count++;
    return 0;
}

int plot_name_panels(const struct plot_request *q, struct plot_page *page)
{
    size_t length = 1;
    char *at;
    int code = 0;

    for (size_t i = 0; i < q->y.count; i++)
        length += strlen(q->y.text[i]) + strlen(q->x) + 2;
    for (size_t i = 0; i < q->xy.count; i++)
        length += strlen(q->xy.text[i]) + 1;
    if (!(at = page->words = calloc(length, 1)))
        return 1;
    for (size_t i = 0; i < q->y.count && !code; i++) {
        const bool over_time = strcmp(q->x, "time") == 0;
        const int used = sprintf(at, "%s%s%s", over_time ? "" : q->x, over_time ? "" : ",", q->y.text[i]);

        code = add_panel(page, !over_time ? PLOT_OVER_X : q->spectrum ? PLOT_AS_SPECTRUM : PLOT_OVER_TIME, at);
        at += used + 1;
    }
    for (size_t i = 0; i < q->xy.count && !code; i++) {
        strcpy(at, q->xy.text[i]);
        code = add_panel(page, PLOT_OVER_X, at);
        at += strlen(q->xy.text[i]) + 1;
    }
    for (size_t i = 0, named = page->count; i < named && q->compare && !code; i++)
        if (page->panels[i].view == PLOT_OVER_TIME) {
            if (page->count == PLOT_PANELS)
                return yk_misuse(&command_plot, "at most %d panels, with those of the differences", PLOT_PANELS);
            memmove(&page->panels[i + 2], &page->panels[i + 1], (page->count - i - 1) * sizeof *page->panels);
            page->panels[i + 1] = page->panels[i];
            page->panels[++i].view = PLOT_AS_DEVIATION;
            page->count++;
            named++;
        }
    return code;
}

/* ---- chosen ---- */

/* Channels of the first recording that all have. */
struct choice {
    struct plot_source *sources;
    size_t runs;
    double *peak;
};

static bool all_have(const struct choice *c, const char *name)
{
    for (size_t r = 0; r < c->runs; r++)
        if (plot_find(&c->sources[r], name) < 0)
            return false;
    return true;
}

/* The `most` channels of a kind with the largest peaks, among those of `owner` (NULL: any). Only channels with the
 * unit of the first one: displacements, not rotations beside them. Returns how many. */
static size_t find_largest(const struct choice *c, const char *kind, const char *owner, size_t most, const char **names)
{
    const struct plot_source *s = &c->sources[0];
    const char *unit = NULL;
    double least[PLOT_CHANNELS];
    size_t count = 0;

    for (size_t i = 0; i < plot_channels(s); i++) {
        const struct yk_channel *channel = plot_channel(s, i);
        size_t at;

        if (strcmp(channel->kind, kind) != 0 || (owner && strcmp(channel->owner, owner) != 0) ||
            (unit && strcmp(channel->unit, unit) != 0) || !all_have(c, channel->name))
            continue;
        unit = channel->unit;
        for (at = count; at > 0 && c->peak[i] > least[at - 1]; at--)
            if (at < most) {
                least[at] = least[at - 1];
                names[at] = names[at - 1];
            }
        if (at < most) {
            least[at] = c->peak[i];
            names[at] = channel->name;
            count += count < most;
        }
    }
    return count;
}

static void choose(struct plot_page *page, enum plot_view view, const char *const *names, size_t count)
{
    struct plot_panel *p = &page->panels[page->count];

    if (!count || page->count == PLOT_PANELS)
        return;
    *p = (struct plot_panel){.view = view, .count = count};
    memcpy(p->names, names, count * sizeof *names);
    page->count++;
}

/* Target and measured displacement of the actuator that moves most, their difference, and its force over the way. */
static bool choose_actuator(const struct choice *c, struct plot_page *page)
{
    const struct plot_source *s = &c->sources[0];
    const char *way = NULL, *force = NULL, *pair[2] = {NULL, NULL};

    if (!find_largest(c, "measured displacement", NULL, 1, &way))
        return false;
    const char *owner = plot_channel(s, (size_t)plot_find(s, way))->owner;
    pair[1] = way;
    if (find_largest(c, "target", owner, 1, &pair[0]) || find_largest(c, "command", owner, 1, &pair[0])) {
        choose(page, PLOT_OVER_TIME, pair, 2);
        choose(page, PLOT_AS_DIFFERENCE, pair, 2);
    } else {
        choose(page, PLOT_OVER_TIME, pair + 1, 1);
    }
    if (find_largest(c, "measured force", owner, 1, &force))
        choose(page, PLOT_OVER_X, (const char *[]){way, force}, 2);
    return true;
}

static void choose_for_overview(const struct choice *c, struct plot_page *page)
{
    static const char *const energies[] = {"energy.kinetic", "energy.stored", "energy.dissipated", "energy.work"};
    const char *names[PLOT_CHANNELS], *top[3];
    const size_t largest = find_largest(c, "displacement", NULL, 3, top);
    size_t count;

    if (largest) {
        const char *owner = plot_pick(&c->sources[0], top[0])->channel->owner;

        if (find_largest(c, "reference", owner, 1, names)) {
            names[1] = names[0];
            names[0] = top[0];
            choose(page, PLOT_OVER_TIME, names, 2);
            choose(page, PLOT_AS_DIFFERENCE, names, 2);
        } else {
            choose(page, PLOT_OVER_TIME, top, largest);
        }
    }
    choose(page, PLOT_OVER_TIME, names, find_largest(c, "acceleration", NULL, 1, names));
    choose(page, PLOT_OVER_TIME, names, find_largest(c, "load", NULL, 2, names));
    if (!choose_actuator(c, page))
        choose(page, PLOT_OVER_TIME, names, find_largest(c, "multiplier", NULL, 3, names));
    count = 0;
    for (size_t i = 0; i < sizeof energies / sizeof *energies; i++)
        if (all_have(c, energies[i]))
            names[count++] = energies[i];
    choose(page, PLOT_OVER_TIME, names, count);
    choose(page, PLOT_AS_SPECTRUM, top, largest);
}

/* Spectra, or differences: of what moves, of what is measured. */
static void choose_by_kind(const struct choice *c, const struct plot_request *q, struct plot_page *page)
{
    static const char *const kinds[] = {"displacement", "acceleration", "measured force", "multiplier"};
    const char *names[PLOT_CHANNELS];

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t count = find_largest(c, kinds[i], NULL, q->compare ? 1 : 3, names);

        choose(page, q->spectrum ? PLOT_AS_SPECTRUM : PLOT_OVER_TIME, names, count);
        if (q->compare && !q->spectrum)
            choose(page, PLOT_AS_DEVIATION, names, count);
    }
}

int plot_choose_panels(const struct plot_request *q, struct plot_source *sources, size_t runs, struct plot_page *page)
{
    struct choice c = {sources, runs, plot_peaks(&sources[0], q)};
    const char *any[3];

    if (!c.peak)
        return 1;
    if (q->spectrum || q->compare)
        choose_by_kind(&c, q, page);
    else
        choose_for_overview(&c, page);
    if (!page->count) { /* a recording without kinds, or of other channels: the first few that all have */
        size_t count = 0;

        for (size_t i = 1; i < plot_channels(&sources[0]) && count < 3; i++) {
            any[count] = plot_channel(&sources[0], i)->name;
            count += all_have(&c, any[count]);
        }
        for (size_t i = 0; i < count; i++)
            choose(page, q->spectrum ? PLOT_AS_SPECTRUM : PLOT_OVER_TIME, &any[i], 1);
    }
    free(c.peak);
    page->columns = page->count > 2 ? 2 : 1;
    if (!page->count) {
        fprintf(stderr, "yoke: %s has no channel%s\n", sources[0].path,
                runs > 1 ? " that the other recording has too" : "");
        return 2;
    }
    return 0;
}
