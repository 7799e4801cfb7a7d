/* Recordings that are drawn: open, choose channels, read a stretch of time. */
#include "cli/plot.h"

#include "base/suggest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_ROWS = 4096 };

/* ---- open and close ---- */

static int out_of_memory(void)
{
    fputs("yoke: out of memory\n", stderr);
    return 1;
}

int plot_open(struct plot_source *s, const char *word, const struct plot_request *q)
{
    struct yk_err err = {0};

    if (!(s->path = recording_path(word)) || !(s->label = recording_label(word)))
        return out_of_memory();
    if (yk_recording_open(&s->recording, s->path, &err)) {
        report_failure(&err);
        return 2;
    }
    s->stream = find_stream(s->recording, s->path, q->fine, q->ticks);
    return s->stream < 0 || !plot_pick(s, "time") ? 2 : 0;
}

void plot_close(struct plot_source *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->curves[i].values);
    if (s->recording)
        yk_recording_close(s->recording);
    free(s->path);
    free(s->label);
}

/* ---- channels ---- */

struct channel_walk {
    const struct plot_source *source;
    size_t next;
};

static const char *next_channel(void *self)
{
    struct channel_walk *w = self;
    const struct plot_source *s = w->source;

    return w->next < yk_recording_channels(s->recording, s->stream)
               ? yk_recording_channel(s->recording, s->stream, w->next++)->name
               : NULL;
}

const struct plot_curve *plot_curve_of(const struct plot_source *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->curves[i].channel->name, name) == 0)
            return &s->curves[i];
    return NULL;
}

struct plot_curve *plot_pick(struct plot_source *s, const char *name)
{
    const struct plot_curve *known = plot_curve_of(s, name);
    struct plot_curve *c = known ? &s->curves[known - s->curves] : &s->curves[s->count];
    struct channel_walk walk = {s, 0};
    char suggestion[160];

    if (known)
        return c;
    if ((c->index = yk_recording_find(s->recording, s->stream, name)) < 0) {
        fprintf(stderr, "yoke: %s has no channel '%s'%s\n", s->path, name,
                yk_suggest(name, next_channel, &walk, "; `yoke plot DIR --list` lists them", suggestion,
                           sizeof suggestion));
        return NULL;
    }
    c->channel = yk_recording_channel(s->recording, s->stream, (size_t)c->index);
    s->count++;
    return c;
}

void plot_list(const struct plot_source *s)
{
    const size_t count = yk_recording_channels(s->recording, s->stream);
    int width = 0;

    for (size_t i = 0; i < count; i++) {
        const int length = (int)strlen(yk_recording_channel(s->recording, s->stream, i)->name);

        width = length > width ? length : width;
    }
    printf("%s\n", s->path);
    for (size_t i = 0; i < count; i++) {
        const struct yk_channel *c = yk_recording_channel(s->recording, s->stream, i);

        printf("  %-*s  %s%s%s%s\n", width, c->name, *c->long_name ? c->long_name : "",
               *c->unit ? (*c->long_name ? " [" : "[") : "", c->unit, *c->unit ? "]" : "");
    }
}

/* ---- values ---- */

/* Calls `take` with every row of the recording whose time is asked for. */
static int walk_rows(struct plot_source *s, const struct plot_request *q, void (*take)(void *self, const double *row),
                     void *self)
{
    const uint64_t total = yk_recording_rows(s->recording, s->stream);
    const size_t width = yk_recording_channels(s->recording, s->stream);
    double *block = malloc(BLOCK_ROWS * width * sizeof *block);
    struct yk_err err = {0};
    int code = block ? 0 : out_of_memory();

    for (uint64_t at = 0; at < total && !code; at += BLOCK_ROWS) {
        const uint64_t count = total - at < BLOCK_ROWS ? total - at : BLOCK_ROWS;

        if (yk_recording_read(s->recording, s->stream, at, count, block, &err))
            code = report_failure(&err);
        for (size_t i = 0; i < count && !code; i++) {
            const double *row = block + i * width, t = row[s->curves[0].index];

            if (t >= q->from && t <= q->to)
                take(self, row);
        }
    }
    free(block);
    return code;
}

static void keep_row(void *self, const double *row)
{
    struct plot_source *s = self;

    for (size_t c = 0; c < s->count; c++)
        s->curves[c].values[s->rows] = row[s->curves[c].index];
    s->rows++;
}

int plot_read(struct plot_source *s, const struct plot_request *q)
{
    const uint64_t total = yk_recording_rows(s->recording, s->stream);
    int code;

    for (size_t c = 0; c < s->count; c++)
        if (!(s->curves[c].values = malloc((total + 1) * sizeof(double))))
            return out_of_memory();
    if ((code = walk_rows(s, q, keep_row, s)))
        return code;
    if (s->rows == 0) {
        fprintf(stderr, "yoke: %s has no sample between --from and --to\n", s->path);
        return 2;
    }
    return 0;
}

struct peaks {
    size_t count;
    double *peak;
};

static void see_row(void *self, const double *row)
{
    const struct peaks *p = self;

    for (size_t i = 0; i < p->count; i++)
        p->peak[i] = fmax(p->peak[i], fabs(row[i]));
}

double *plot_peaks(struct plot_source *s, const struct plot_request *q)
{
    struct peaks p = {.count = yk_recording_channels(s->recording, s->stream)};

    if (!(p.peak = calloc(p.count + 1, sizeof *p.peak))) {
        out_of_memory();
        return NULL;
    }
    if (walk_rows(s, q, see_row, &p)) {
        free(p.peak);
        return NULL;
    }
    return p.peak;
}
