/* The table of a study: table.csv as it is read, and the same as table.h5.
 *
 * A row is "run,settings...,results...,status,reason,check"; fields with commas or quotes stand in quotes. Numbers have
 * 17 digits, so that nothing is lost between the two forms; a figure that does not exist is empty. The check is the
 * CRC-64/XZ of the row before its last comma: a figure that a disk or an editor has changed does not become a finding.
 */
#include "parts.h"
#include <yoke/columns.h>
#include <yoke/file.h>
#include <yoke/number.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK "check"
enum { CHECK_DIGITS = 16 };

/* ---- rows as text ---- */

static void put_field(FILE *out, const char *text)
{
    if (!text[strcspn(text, ",\"\n\r")]) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, out); /* a row is a line */
    }
    fputc('"', out);
}

char *yk_csv_header(const struct yk_study *s)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fputs("run", out);
    for (size_t k = 0; k < s->design->count; k++) {
        fputc(',', out);
        put_field(out, s->design->vary[k].key);
    }
    for (size_t i = 0; i < s->result_count; i++) {
        fputc(',', out);
        put_field(out, s->results[i]);
    }
    fputs(",status,reason," CHECK "\n", out);
    return fclose(out) ? NULL : text;
}

char *yk_csv_row(size_t run, size_t keys, char *const *values, size_t results, const struct yk_outcome *o)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fprintf(out, "%zu", run);
    for (size_t k = 0; k < keys; k++) {
        fputc(',', out);
        put_field(out, values[k]);
    }
    for (size_t i = 0; i < results; i++)
        if (isnan(o->figures[i]))
            fputc(',', out);
        else
            fprintf(out, ",%.17g", o->figures[i]);
    fprintf(out, ",%s,", o->status);
    put_field(out, o->reason ? o->reason : "");
    fflush(out); /* text and size are now those of the row so far */
    fprintf(out, ",%016" PRIx64 "\n", yk_crc64(0, text, size));
    return fclose(out) ? NULL : text;
}

bool yk_csv_is_whole(const char *line, size_t length)
{
    char check[CHECK_DIGITS + 2];

    if (length < sizeof check - 1)
        return false;
    snprintf(check, sizeof check, ",%016" PRIx64, yk_crc64(0, line, length - (sizeof check - 1)));
    return memcmp(line + length - (sizeof check - 1), check, sizeof check - 1) == 0;
}

/* The field at *p, ended by a zero in its place; *p goes to the next one. NULL: the line has no more. */
static char *take_field(char **p)
{
    char *at = *p, *begin = at, *to = at;

    if (!at)
        return NULL;
    if (*at == '"') {
        for (at++; *at && !(*at == '"' && at[1] != '"'); at++) {
            at += *at == '"';
            *to++ = *at;
        }
        at += *at == '"';
    } else {
        at += strcspn(at, ",");
        to = at;
    }
    *p = *at == ',' ? at + 1 : NULL;
    *to = 0;
    return begin;
}

/* ---- reading ---- */

/* False: it is none. */
static bool take_figure(const char *text, double *x)
{
    const char *end = text + strlen(text);

    if (strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0)
        *x = *text == '-' ? -INFINITY : INFINITY;
    else if (!*text)
        *x = NAN;
    else
        return yk_number_scan(text, end, x) == end;
    return true;
}

static bool is_status(const char *text)
{
    static const char *const known[] = {"finished", "diverged", "stopped", "refused", "out of bounds"};

    for (size_t i = 0; text && i < sizeof known / sizeof *known; i++)
        if (strcmp(text, known[i]) == 0)
            return true;
    return false;
}

enum yk_status yk_table_damaged(const char *path, size_t line, struct yk_err *err)
{
    return yk_fail_at(err, YK_E_INPUT, (struct yk_where){path, (int)line, 1},
                      "this is not a row of a study's table, or it was changed; delete it and those below, and the "
                      "study makes them again");
}

static enum yk_status read_header(struct yk_table *t, char *line, const char *path, struct yk_err *err)
{
    const char *name;
    size_t columns = 1;

    for (const char *p = line; (p = strchr(p, ',')); p++)
        columns++;
    if (!(t->names = calloc(columns, sizeof *t->names)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    name = take_field(&line);
    if (!name || strcmp(name, "run") != 0)
        return yk_table_damaged(path, 1, err);
    for (columns = 0; line; columns++)
        t->names[columns] = take_field(&line);
    if (columns < t->keys + 3 || !t->names[columns - 1] || strcmp(t->names[columns - 1], CHECK) != 0)
        return yk_table_damaged(path, 1, err);
    t->results = columns - t->keys - 3;
    return YK_OK;
}

static enum yk_status read_row(struct yk_table *t, size_t row, char *line, const char *path, struct yk_err *err)
{
    const bool whole = yk_csv_is_whole(line, strlen(line));
    const char *run = take_field(&line), *figure = "";
    char *end;

    if (!whole)
        return yk_table_damaged(path, row + 2, err);
    if (!(t->values[row] = calloc(t->keys + 1, sizeof *t->values[row])))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    t->run[row] = strtoul(run, &end, 10);
    if (end == run || *end)
        return yk_table_damaged(path, row + 2, err);
    for (size_t k = 0; k < t->keys; k++)
        if (!(t->values[row][k] = take_field(&line)))
            return yk_table_damaged(path, row + 2, err);
    for (size_t i = 0; i < t->results; i++) {
        if (!(figure = take_field(&line)) || !take_figure(figure, &t->figures[row * t->results + i]))
            return yk_table_damaged(path, row + 2, err);
    }
    t->status[row] = take_field(&line);
    t->reason[row] = take_field(&line);
    return is_status(t->status[row]) && t->reason[row] && take_field(&line) && !line
               ? YK_OK
               : yk_table_damaged(path, row + 2, err);
}

enum yk_status yk_table_read(struct yk_table *t, const char *folder, size_t keys, struct yk_err *err)
{
    char *path = yk_study_path(folder, "table.csv"), *line, *next;
    enum yk_status st;

    *t = (struct yk_table){.keys = keys};
    if (!path)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = yk_study_slurp(path, &t->text, err))) {
        free(path);
        return st;
    }
    size_t most = 0;

    for (const char *p = t->text; (p = strchr(p, '\n')); p++)
        most++;
    t->run = calloc(most + 1, sizeof *t->run);
    t->values = calloc(most + 1, sizeof *t->values);
    t->status = calloc(most + 1, sizeof *t->status);
    t->reason = calloc(most + 1, sizeof *t->reason);
    if (!t->run || !t->values || !t->status || !t->reason)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    for (line = t->text; !st && (next = strchr(line, '\n')); line = next + 1) {
        *next = 0;
        if (!t->names) {
            st = read_header(t, line, path, err);
            if (!st && !(t->figures = calloc((most + 1) * (t->results + 1), sizeof *t->figures)))
                st = yk_fail(err, YK_E_MEMORY, "out of memory");
        } else {
            st = read_row(t, t->rows++, line, path, err);
        }
    }
    if (!st && !t->names)
        st = yk_table_damaged(path, 1, err);
    free(path);
    return st;
}

void yk_table_free(struct yk_table *t)
{
    for (size_t i = 0; t->values && i < t->rows; i++)
        free(t->values[i]);
    free(t->values);
    free(t->run);
    free(t->figures);
    free(t->status);
    free(t->reason);
    free(t->names);
    free(t->text);
    *t = (struct yk_table){0};
}

bool yk_value_number(const char *text, double *x, const char **unit)
{
    const char *end = yk_number_scan(text, text + strlen(text), x);

    if (!end || !isfinite(*x))
        return false;
    *unit = end + strspn(end, " ");
    return true;
}

/* ---- HDF5 ---- */

/* The columns, with room for those whose values are not simply those of the table. */
struct columns {
    struct yk_column *column;
    size_t count;
    double *numbers; /* keys + results columns */
    const char **texts;
    uint64_t *run;
};

static void free_columns(struct columns *c)
{
    free(c->column);
    free(c->numbers);
    free(c->texts);
    free(c->run);
}

static struct yk_column setting_of(const struct yk_table *t, struct columns *c, size_t k)
{
    double *numbers = c->numbers + k * t->rows;
    const char **texts = c->texts + k * t->rows;
    bool plain = true;

    for (size_t i = 0; i < t->rows; i++) {
        const char *unit = "";

        texts[i] = t->values[i][k];
        plain = plain && yk_value_number(texts[i], &numbers[i], &unit) && !*unit;
    }
    return (struct yk_column){
        .group = "settings", .name = t->names[k], .numbers = plain ? numbers : NULL, .texts = plain ? NULL : texts};
}

static struct yk_column result_of(const struct yk_table *t, struct columns *c, size_t r)
{
    double *numbers = c->numbers + (t->keys + r) * t->rows;

    for (size_t i = 0; i < t->rows; i++)
        numbers[i] = t->figures[i * t->results + r];
    return (struct yk_column){.group = "results", .name = t->names[t->keys + r], .numbers = numbers};
}

static bool make_columns(const struct yk_table *t, struct columns *c)
{
    const size_t cells = (t->keys + t->results) * t->rows + 1;

    *c = (struct columns){.column = calloc(t->keys + t->results + 3, sizeof *c->column),
                          .numbers = calloc(cells, sizeof *c->numbers),
                          .texts = calloc(cells, sizeof *c->texts),
                          .run = calloc(t->rows + 1, sizeof *c->run)};
    if (!c->column || !c->numbers || !c->texts || !c->run)
        return false;
    for (size_t i = 0; i < t->rows; i++)
        c->run[i] = t->run[i];
    c->column[c->count++] = (struct yk_column){.name = "run", .counts = c->run};
    for (size_t k = 0; k < t->keys; k++)
        c->column[c->count++] = setting_of(t, c, k);
    for (size_t r = 0; r < t->results; r++)
        c->column[c->count++] = result_of(t, c, r);
    c->column[c->count++] = (struct yk_column){.name = "status", .texts = (const char *const *)t->status};
    c->column[c->count++] = (struct yk_column){.name = "reason", .texts = (const char *const *)t->reason};
    return true;
}

enum yk_status yk_table_write_h5(const struct yk_table *t, const char *folder, struct yk_err *err)
{
    char *path = yk_study_path(folder, "table.h5"), *card = NULL, *card_path = yk_study_path(folder, "study.json");
    struct columns columns = {0};
    enum yk_status st =
        path && card_path && make_columns(t, &columns) ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (!st && !(st = yk_study_slurp(card_path, &card, err)))
        st = yk_columns_write(path, columns.column, columns.count, t->rows, "study", card, err);
    free_columns(&columns);
    free(card);
    free(card_path);
    free(path);
    return st;
}
