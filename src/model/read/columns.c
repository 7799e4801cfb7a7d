/* Some columns of a table of numbers, by the names of its header or by their numbers. */
#include "scan.h"

#include <yoke/number.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the header ---- */

/* Takes a name off the front: up to the next mark where the line has any, else up to the next blank. */
static bool next_name(struct yk_piece *rest, bool marks, struct yk_piece *name)
{
    const char *p = rest->begin;

    if (rest->begin >= rest->end)
        return false;
    while (p < rest->end && (marks ? *p != ',' && *p != ';' : !yk_is_blank(*p)))
        p++;
    *name = yk_piece_trim((struct yk_piece){rest->begin, p});
    if (name->end - name->begin >= 2 && *name->begin == '"' && name->end[-1] == '"')
        *name = yk_piece_trim((struct yk_piece){name->begin + 1, name->end - 1});
    rest->begin = p < rest->end ? p + 1 : p;
    while (!marks && rest->begin < rest->end && yk_is_blank(*rest->begin))
        rest->begin++;
    return true;
}

static bool has_marks(struct yk_piece line)
{
    const size_t n = line.begin ? (size_t)(line.end - line.begin) : 0;

    return n && (memchr(line.begin, ',', n) || memchr(line.begin, ';', n));
}

/* "command [mm]" is command, in mm. */
static struct yk_piece split_unit(struct yk_piece name, struct yk_piece *unit)
{
    const char *open = name.begin < name.end ? memchr(name.begin, '[', (size_t)(name.end - name.begin)) : NULL;

    *unit = (struct yk_piece){name.end, name.end};
    if (!open || name.end[-1] != ']')
        return name;
    *unit = yk_piece_trim((struct yk_piece){open + 1, name.end - 1});
    return yk_piece_trim((struct yk_piece){name.begin, open});
}

void yk_rows_unit(const struct yk_rows *rows, size_t column, char *unit, size_t size)
{
    struct yk_piece rest = rows->header, name, found;
    const bool marks = has_marks(rest);
    size_t count = 0;

    *unit = 0;
    while (next_name(&rest, marks, &name)) {
        const struct yk_piece bare = split_unit(name, &found);

        count += bare.begin < bare.end; /* "t [ms] F [kN]": the unit may stand apart */
        if (count == column + 1 && found.begin < found.end)
            snprintf(unit, size, "%.*s", (int)(found.end - found.begin), found.begin);
    }
}

static bool same(struct yk_piece span, const char *word)
{
    const size_t n = strlen(word);

    return (size_t)(span.end - span.begin) == n && memcmp(span.begin, word, n) == 0;
}

/* Index of the column called `sought`, its unit; -1: there is none. */
static long find_name(struct yk_piece header, const char *sought, struct yk_column *c)
{
    const bool marks = has_marks(header);
    struct yk_piece name, unit;

    for (long i = 0; next_name(&header, marks, &name); i++) {
        const struct yk_piece bare = split_unit(name, &unit);

        if (!same(bare, sought) && !same(name, sought))
            continue;
        snprintf(c->unit, sizeof c->unit, "%.*s", (int)(unit.end - unit.begin), unit.begin);
        return i;
    }
    return -1;
}

static long find_number(struct yk_piece header, const char *sought, size_t count, struct yk_column *c)
{
    const bool marks = has_marks(header);
    const char *end = sought + strlen(sought);
    struct yk_piece name, unit;
    double number;

    if (yk_number_scan(sought, end, &number) != end || !(number >= 1 && number <= (double)count) ||
        number != (double)(size_t)number)
        return -1;
    for (double i = 1; next_name(&header, marks, &name); i++)
        if (i == number) {
            split_unit(name, &unit);
            snprintf(c->unit, sizeof c->unit, "%.*s", (int)(unit.end - unit.begin), unit.begin);
        }
    return (long)number - 1;
}

static long find_column(struct yk_piece header, const char *sought, size_t count, struct yk_column *c)
{
    const long i = find_name(header, sought, c);

    return i >= 0 ? i : find_number(header, sought, count, c);
}

static enum yk_status refuse(const struct yk_rows *rows, const char *sought, struct yk_err *err)
{
    const size_t n = rows->row.n;
    struct yk_where where = yk_lines_where(&rows->lines);
    struct yk_piece rest = rows->header, name, unit;
    const bool marks = has_marks(rest);
    char names[160] = "";
    size_t used = 0;

    if (!rows->header_line)
        return yk_fail_at(err, YK_E_INPUT, where, "there is no column '%s': without a header, columns are 1 to %zu",
                          sought, n);
    while (used < sizeof names && next_name(&rest, marks, &name)) {
        const struct yk_quote bare = yk_quote(split_unit(name, &unit));

        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", bare.text);
    }
    where.line = rows->header_line;
    return yk_fail_at(err, YK_E_INPUT, where, "there is no column '%s'; there are %s, or the numbers 1 to %zu", sought,
                      names, n);
}

/* ---- the numbers ---- */

static enum yk_status find_all(const struct yk_rows *rows, const struct yk_columns *c, long *at, struct yk_err *err)
{
    for (size_t i = 0; i < c->count; i++) {
        struct yk_column *one = &c->column[i];

        at[i] = find_column(rows->header, one->name, rows->row.n, one);
        if (at[i] < 0 && one->other)
            at[i] = find_column(rows->header, one->other, rows->row.n, one);
        if (at[i] < 0 || (size_t)at[i] >= rows->row.n)
            return refuse(rows, one->name, err);
    }
    return YK_OK;
}

static enum yk_status make_room(struct yk_columns *c, size_t *room, struct yk_err *err)
{
    const size_t more = *room ? 2 * *room : 1024;
    int *line = realloc(c->line, more * sizeof *line);

    if (line)
        c->line = line;
    for (size_t i = 0; i < c->count && line; i++) {
        double *x = realloc(c->column[i].x, more * sizeof *x);

        if (!x)
            line = NULL;
        else
            c->column[i].x = x;
    }
    *room = more;
    return line ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for %zu rows", more);
}

static enum yk_status read_all(struct yk_rows *rows, struct yk_columns *c, long *at, struct yk_err *err)
{
    size_t width = 0, room = 0;
    enum yk_status st;
    bool more;

    for (;; c->rows++) {
        if ((st = yk_rows_next(rows, &more, err)) || !more)
            return st;
        if (c->rows == 0 && (st = find_all(rows, c, at, err)))
            return st;
        if (c->rows == 0)
            width = rows->row.n;
        if (rows->row.n != width)
            return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&rows->lines),
                              "%zu values in the row, but %zu in the first", rows->row.n, width);
        if (c->rows == room && (st = make_room(c, &room, err)))
            return st;
        c->line[c->rows] = rows->lines.line;
        for (size_t i = 0; i < c->count; i++)
            c->column[i].x[c->rows] = rows->row.x[at[i]];
    }
}

enum yk_status yk_read_columns(const struct yk_text *text, struct yk_columns *columns, struct yk_err *err)
{
    long *at = calloc(columns->count + 1, sizeof *at);
    struct yk_rows rows;
    enum yk_status st;

    columns->rows = 0;
    columns->line = NULL;
    for (size_t i = 0; i < columns->count; i++)
        columns->column[i].x = NULL;
    if (!at)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    yk_rows_begin(&rows, text);
    st = read_all(&rows, columns, at, err);
    yk_rows_end(&rows);
    free(at);
    if (!st && columns->rows == 0)
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(text->name), "no numbers in the file");
    if (st)
        yk_columns_free(columns);
    return st;
}

void yk_columns_free(struct yk_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++) {
        free(columns->column[i].x);
        columns->column[i].x = NULL;
    }
    free(columns->line);
    columns->line = NULL;
    columns->rows = 0;
}
