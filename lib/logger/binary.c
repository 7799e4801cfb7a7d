/* Binary files of loggers as the text that they would be: TDMS (National Instruments) and MATLAB 5. One reader then
 * finds columns, units, time, gaps. docs/measured.md, section 1. */
#include "binary.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void yk_log_sheet_free(struct yk_log_sheet *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->channel[i].x);
    free(s->channel);
    *s = (struct yk_log_sheet){0};
}

struct yk_log_channel *yk_log_sheet_add(struct yk_log_sheet *s, const char *name)
{
    struct yk_log_channel *more =
        s->count < YK_LOG_CHANNELS ? realloc(s->channel, (s->count + 1) * sizeof *more) : NULL;

    if (!more)
        return NULL;
    s->channel = more;
    more[s->count] = (struct yk_log_channel){0};
    snprintf(more[s->count].name, sizeof more->name, "%s", name);
    return &more[s->count++];
}

bool yk_log_channel_room(struct yk_log_channel *c, size_t more)
{
    if (c->n + more > c->room) {
        const size_t room = 2 * c->room > c->n + more ? 2 * c->room : c->n + more;
        double *x = room < SIZE_MAX / sizeof *x ? realloc(c->x, room * sizeof *x) : NULL;

        if (!x)
            return false;
        c->x = x;
        c->room = room;
    }
    return true;
}

/* The length that most channels have is that of the table: of equally many, the longer. */
static size_t common_length(const struct yk_log_sheet *s)
{
    size_t best = 0, most = 0;

    for (size_t i = 0; i < s->count; i++) {
        size_t alike = 0;

        for (size_t k = 0; k < s->count; k++)
            alike += s->channel[k].n == s->channel[i].n;
        if (s->channel[i].n > 1 && (alike > most || (alike == most && s->channel[i].n > best))) {
            best = s->channel[i].n;
            most = alike;
        }
    }
    return best;
}

/* Titles are cut at what separates fields and brackets units. */
static void put_title(FILE *out, const struct yk_log_channel *c)
{
    for (const char *p = c->name; *p; p++)
        fputc(strchr(",;\t\r\n\"[]()", *p) ? ' ' : *p, out);
    if (*c->unit)
        fprintf(out, " [%s]", c->unit);
}

/* A field `run.force` is called force, unless two are. */
static void shorten(struct yk_log_sheet *s, size_t rows)
{
    for (size_t i = 0; i < s->count; i++) {
        const char *dot = strrchr(s->channel[i].name, '.');
        bool alone = dot != NULL && s->channel[i].n == rows;

        for (size_t k = 0; k < s->count && alone; k++) {
            const char *other = strrchr(s->channel[k].name, '.');

            alone = k == i || s->channel[k].n != rows ||
                    strcmp(other ? other : s->channel[k].name, other ? dot : dot + 1) != 0;
        }
        if (alone)
            memmove(s->channel[i].name, dot + 1, strlen(dot));
    }
}

enum yk_status yk_log_sheet_text(struct yk_log_sheet *s, struct yk_text *text, struct yk_err *err)
{
    const size_t rows = common_length(s);
    size_t size = 0, written = 0;
    char *data = NULL;
    FILE *out = rows ? open_memstream(&data, &size) : NULL;

    if (!rows)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(text->name), "there is no column of numbers");
    if (!out)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    shorten(s, rows);
    if (s->interval_s > 0)
        fprintf(out, "Sampling Interval: %.17g\n", s->interval_s);
    for (size_t i = 0; i < s->count; i++) {
        if (s->channel[i].n == rows) {
            fputs(written++ ? "," : "", out);
            put_title(out, &s->channel[i]);
        }
    }
    if (written == 1)
        fputs(",row", out);
    for (size_t k = 0; k < rows; k++) {
        const char *comma = "\n";

        for (size_t i = 0; i < s->count; i++)
            if (s->channel[i].n == rows) {
                fprintf(out, "%s%.17g", comma, s->channel[i].x[k]);
                comma = ",";
            }
        if (written == 1)
            fprintf(out, ",%zu", k);
    }
    fputs("\n", out);
    if (fclose(out)) {
        free(data);
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu rows", rows);
    }
    free(text->data);
    text->data = data;
    text->size = size;
    return YK_OK;
}

/* ---- numbers of a file ---- */

static uint64_t take_bits(const unsigned char *p, size_t size, bool big)
{
    uint64_t bits = 0;

    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)p[big ? size - 1 - i : i] << (8 * i);
    return bits;
}

bool yk_log_take(struct yk_log_bytes *b, size_t size, uint64_t *bits)
{
    if ((size_t)(b->end - b->p) < size)
        return false;
    *bits = take_bits(b->p, size, b->big);
    b->p += size;
    return true;
}

size_t yk_log_kind_size(enum yk_log_kind kind)
{
    return (const size_t[]){1, 2, 4, 8, 1, 2, 4, 8, 4, 8}[kind];
}

double yk_log_number_at(const unsigned char *p, enum yk_log_kind kind, bool big)
{
    const size_t size = yk_log_kind_size(kind);
    const uint64_t bits = take_bits(p, size, big);
    float f;
    double d;
    const uint32_t half = (uint32_t)bits;

    switch (kind) {
    case YK_LOG_F32:
        memcpy(&f, &half, sizeof f);
        return f;
    case YK_LOG_F64:
        memcpy(&d, &bits, sizeof d);
        return d;
    case YK_LOG_I8:
        return (int8_t)bits;
    case YK_LOG_I16:
        return (int16_t)bits;
    case YK_LOG_I32:
        return (int32_t)bits;
    case YK_LOG_I64:
        return (double)(int64_t)bits;
    default:
        return (double)bits;
    }
}

static bool begins(const struct yk_text *text, const char *with, size_t n, size_t least)
{
    return text->size >= least && memcmp(text->data, with, n) == 0;
}

bool yk_log_is_binary(const struct yk_text *text)
{
    return begins(text, "TDSm", 4, 4) || begins(text, "MATLAB 5.0 MAT-file", 19, 128) ||
           begins(text, "\x89HDF\r\n\x1a\n", 8, 8);
}

enum yk_status yk_log_unpack(struct yk_text *text, struct yk_err *err)
{
    if (!yk_log_is_binary(text))
        return YK_OK;
    if (*text->data == 'T')
        return yk_log_tdms(text, err);
    if (*text->data == 'M')
        return yk_log_mat(text, err);
    return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(text->name),
                      "an HDF5 file, perhaps of MATLAB 7.3; save it with -v7, or as a table of text");
}
