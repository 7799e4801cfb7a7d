/* Recordings that are drawn: open, choose channels, read a stretch of time. */
#include "plot.h"

#include <yoke/suggest.h>

#include <ctype.h>
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

static bool is_logged(const char *word)
{
    static const char *const endings[] = {".csv", ".txt", ".tsv", ".gz", ".tdms", ".mat"};
    const size_t length = strlen(word);

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (length > strlen(endings[i]) && strcmp(word + length - strlen(endings[i]), endings[i]) == 0)
            return true;
    return false;
}

/* A column to SI, if its unit is one of these; others stay as they are. */
static void to_si(struct yk_log *log, size_t column, struct yk_channel *channel)
{
    static const enum yk_quantity kinds[] = {YK_DISPLACEMENT, YK_FORCE, YK_VELOCITY,
                                             YK_ACCELERATION, YK_ANGLE, YK_TIME};
    struct yk_err ignored;
    double factor;
    char one[40];

    snprintf(channel->unit, sizeof channel->unit, "%.*s", (int)sizeof channel->unit - 1, log->column[column].unit);
    snprintf(one, sizeof one, "1 %s", log->column[column].unit);
    for (size_t i = 0; *log->column[column].unit && i < sizeof kinds / sizeof *kinds; i++)
        if (!yk_quantity_parse(one, kinds[i], &factor, &ignored)) {
            for (size_t k = 0; k < log->rows; k++)
                log->column[column].x[k] *= factor;
            snprintf(channel->unit, sizeof channel->unit, "%s", yk_quantity_unit(kinds[i]));
            return;
        }
}

/* The columns, in SI where their units are known. Records between gaps follow each other in time. */
static int open_log(struct plot_source *s, const char *word, const struct plot_request *q)
{
    struct yk_err err = {0};

    if (!(s->path = strdup(word)) || !(s->label = strdup(word)))
        return out_of_memory();
    if (yk_log_read(&s->log, word, &(struct yk_log_ask){.columns = q->columns}, &err))
        return yk_command_fail(&err);
    if (!(s->logged = calloc(s->log.count + 1, sizeof *s->logged)))
        return out_of_memory();
    s->logged[0] = (struct yk_channel){.name = "time", .unit = "s"};
    for (size_t c = 0; c < s->log.count; c++) {
        snprintf(s->logged[c + 1].name, sizeof s->logged->name, "%.*s", (int)sizeof s->logged->name - 1,
                 s->log.column[c].name);
        to_si(&s->log, c, &s->logged[c + 1]);
    }
    fputs(s->log.notes, stderr);
    return plot_pick(s, "time") ? 0 : 2;
}

int plot_open(struct plot_source *s, const char *word, const struct plot_request *q)
{
    struct yk_err err = {0};

    if (is_logged(word))
        return open_log(s, word, q);
    if (!(s->path = yk_command_recording(word)) || !(s->label = yk_command_label(word)))
        return out_of_memory();
    if (yk_recording_open(&s->recording, s->path, &err)) {
        yk_command_fail(&err);
        return 2;
    }
    s->stream = yk_command_stream(s->recording, s->path, q->fine, q->ticks);
    return s->stream < 0 || !plot_pick(s, "time") ? 2 : 0;
}

void plot_close(struct plot_source *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->curves[i].values);
        yk_expression_free(s->curves[i].expression);
        free(s->curves[i].own);
        free(s->curves[i].memory);
    }
    if (s->recording)
        yk_recording_close(s->recording);
    yk_log_free(&s->log);
    free(s->logged);
    free(s->path);
    free(s->label);
}

/* ---- channels ---- */

size_t plot_channels(const struct plot_source *s)
{
    return s->recording ? yk_recording_channels(s->recording, s->stream) : s->log.count + 1;
}

const struct yk_channel *plot_channel(const struct plot_source *s, size_t i)
{
    return s->recording ? yk_recording_channel(s->recording, s->stream, i) : &s->logged[i];
}

int plot_find(const struct plot_source *s, const char *name)
{
    if (s->recording)
        return yk_recording_find(s->recording, s->stream, name);
    for (size_t i = 0; i <= s->log.count; i++)
        if (strcmp(s->logged[i].name, name) == 0)
            return (int)i;
    return -1;
}

static uint64_t rows_of(const struct plot_source *s)
{
    return s->recording ? yk_recording_rows(s->recording, s->stream) : s->log.rows;
}

static enum yk_status read_block(const struct plot_source *s, uint64_t from, uint64_t count, double *block,
                                 struct yk_err *err)
{
    const size_t width = plot_channels(s);

    if (s->recording)
        return yk_recording_read(s->recording, s->stream, from, count, block, err);
    for (uint64_t k = 0; k < count; k++) {
        block[k * width] = s->log.time[from + k];
        for (size_t c = 1; c < width; c++)
            block[k * width + c] = s->log.column[c - 1].x[from + k];
    }
    return YK_OK;
}

struct channel_walk {
    const struct plot_source *source;
    size_t next;
};

static const char *next_channel(void *self)
{
    struct channel_walk *w = self;
    const struct plot_source *s = w->source;

    return w->next < plot_channels(s) ? plot_channel(s, w->next++)->name : NULL;
}

const struct plot_curve *plot_curve_of(const struct plot_source *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->curves[i].channel->name, name) == 0)
            return &s->curves[i];
    return NULL;
}

/* The time between the first two rows; 0 where there are none. */
static double step_of(const struct plot_source *s)
{
    const size_t width = plot_channels(s);
    double *rows = malloc(2 * width * sizeof *rows), step = 0;

    if (rows && rows_of(s) > 1 && !read_block(s, 0, 2, rows, NULL))
        step = rows[width] - rows[0];
    free(rows);
    return step;
}

/* A curve that is computed from channels: "(a.u - b.u) / 3.0 m". */
static enum yk_status compute(const struct plot_source *s, const char *text, struct plot_curve *c, struct yk_err *err)
{
    const size_t count = plot_channels(s);
    const char **words = calloc(2 * count + 1, sizeof *words);
    enum yk_status st = words ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    for (size_t i = 0; i < count && !st; i++) {
        words[i] = plot_channel(s, i)->name;
        words[count + i] = plot_channel(s, i)->unit;
    }
    if (!st && strlen(text) >= YK_CHANNEL_NAME)
        st = yk_fail(err, YK_E_INPUT, "the expression is longer than %d characters", YK_CHANNEL_NAME - 1);
    if (!st)
        st = yk_expression_compile(&c->expression, text,
                                   &(struct yk_expression_scope){count, words, words + count, step_of(s)}, err);
    free(words);
    if (st)
        return st;
    c->own = calloc(1, sizeof *c->own);
    c->memory = calloc(yk_expression_memory(c->expression) + 1, sizeof *c->memory);
    if (!c->own || !c->memory)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    snprintf(c->own->name, sizeof c->own->name, "%s", text);
    snprintf(c->own->unit, sizeof c->own->unit, "%.*s", YK_UNIT_NAME - 1, yk_expression_unit(c->expression));
    snprintf(c->own->kind, sizeof c->own->kind, "derived");
    c->channel = c->own;
    return YK_OK;
}

/* The text is more than a name, so that a mistake in it is one of an expression. */
static bool is_expression(const char *text)
{
    return strpbrk(text, " ()+*/^<>=[]\"'") || isdigit((unsigned char)*text);
}

struct plot_curve *plot_pick(struct plot_source *s, const char *name)
{
    const struct plot_curve *known = plot_curve_of(s, name);
    struct plot_curve *c = known ? &s->curves[known - s->curves] : &s->curves[s->count];
    struct channel_walk walk = {s, 0};
    char suggestion[160];

    if (known)
        return c;
    c->index = plot_find(s, name);
    if (c->index < 0) {
        struct yk_err err = {0};

        if (!compute(s, name, c, &err)) {
            s->count++;
            return c;
        }
        if (is_expression(name)) {
            fprintf(stderr, "yoke: --y: column %d: %s\n%s", err.column, err.wording,
                    err.column ? yk_expression_caret(name, err.column).text : "");
            return NULL;
        }
        fprintf(stderr, "yoke: %s has no channel '%s'%s\n", s->path, name,
                yk_suggest(name, next_channel, &walk, "; `yoke plot DIR --list` lists them", suggestion,
                           sizeof suggestion));
        return NULL;
    }
    c->channel = plot_channel(s, (size_t)c->index);
    s->count++;
    return c;
}

void plot_list(const struct plot_source *s)
{
    const size_t count = plot_channels(s);
    int width = 0;

    for (size_t i = 0; i < count; i++) {
        const int length = (int)strlen(plot_channel(s, i)->name);

        width = length > width ? length : width;
    }
    printf("%s\n", s->path);
    for (size_t i = 0; i < count; i++) {
        const struct yk_channel *c = plot_channel(s, i);

        printf("  %-*s  %s%s%s%s\n", width, c->name, *c->long_name ? c->long_name : "",
               *c->unit ? (*c->long_name ? " [" : "[") : "", c->unit, *c->unit ? "]" : "");
    }
}

/* ---- values ---- */

static double value_of(struct plot_curve *c, const double *row)
{
    return c->expression ? yk_expression_value(c->expression, row, c->memory) : row[c->index];
}

/* Expressions with a memory see the rows before the first one, too. */
static void skip_row(struct plot_source *s, const double *row)
{
    for (size_t c = 0; c < s->count; c++)
        if (s->curves[c].memory)
            value_of(&s->curves[c], row);
}

/* Calls `take` with every row of the recording whose time is asked for. */
static int walk_rows(struct plot_source *s, const struct plot_request *q, void (*take)(void *self, const double *row),
                     void *self)
{
    const uint64_t total = rows_of(s);
    const size_t width = plot_channels(s);
    double *block = malloc(BLOCK_ROWS * width * sizeof *block);
    struct yk_err err = {0};
    int code = block ? 0 : out_of_memory();

    for (uint64_t at = 0; at < total && !code; at += BLOCK_ROWS) {
        const uint64_t count = total - at < BLOCK_ROWS ? total - at : BLOCK_ROWS;

        if (read_block(s, at, count, block, &err))
            code = yk_command_fail(&err);
        for (size_t i = 0; i < count && !code; i++) {
            const double *row = block + i * width, t = row[s->curves[0].index];

            if (t >= q->from && t <= q->to)
                take(self, row);
            else if (t < q->from)
                skip_row(s, row);
        }
    }
    free(block);
    return code;
}

static void keep_row(void *self, const double *row)
{
    struct plot_source *s = self;

    for (size_t c = 0; c < s->count; c++)
        s->curves[c].values[s->rows] = value_of(&s->curves[c], row);
    s->rows++;
}

int plot_read(struct plot_source *s, const struct plot_request *q)
{
    const uint64_t total = rows_of(s);
    int code;

    for (size_t c = 0; c < s->count; c++) {
        if (s->curves[c].expression)
            yk_expression_rest(s->curves[c].expression, s->curves[c].memory);
        if (!(s->curves[c].values = malloc((total + 1) * sizeof(double))))
            return out_of_memory();
    }
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
    struct peaks p = {.count = plot_channels(s)};

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
