/* Tables of numbers as text: one row per line, values separated by commas, semicolons, tabs or blanks.
 *
 * '#' starts a comment, empty lines do not count, a first row of words is a header, and one separator may end a row. */
#include "scan.h"

#include <yoke/number.h>

#include <string.h>

void yk_rows_begin(struct yk_rows *rows, const struct yk_text *text)
{
    *rows = (struct yk_rows){.separator = 0};
    yk_lines_begin(&rows->lines, text);
}

void yk_rows_end(struct yk_rows *rows)
{
    yk_growing_free(&rows->row);
}

static bool is_mark(char c)
{
    return c == ',' || c == ';';
}

/* Takes a field and the separator after it off the front of `rest`; `*separator` is 0 at the end of the line. */
static struct yk_piece next_field(struct yk_piece *rest, char *separator)
{
    struct yk_piece field = {rest->begin, rest->begin};
    const char *p = rest->begin;

    while (p < rest->end && !yk_is_blank(*p) && !is_mark(*p))
        p++;
    field.end = p;
    *separator = p < rest->end ? ' ' : 0;
    while (p < rest->end && yk_is_blank(*p))
        p++;
    if (p < rest->end && is_mark(*p)) {
        *separator = *p++;
        while (p < rest->end && yk_is_blank(*p))
            p++;
    }
    rest->begin = p;
    return field;
}

/* No field of the row is a number, not even one that is not finite. */
static bool is_header(struct yk_piece rest)
{
    char separator;
    double value;

    while (rest.begin < rest.end) {
        struct yk_piece field = next_field(&rest, &separator);

        if (yk_number_scan(field.begin, field.end, &value) == field.end ||
            yk_number_is_not_finite(field.begin, field.end))
            return false;
    }
    return true;
}

static enum yk_status check_separator(struct yk_rows *rows, char separator, struct yk_err *err)
{
    if (separator == 0 || separator == rows->separator)
        return YK_OK;
    if (rows->separator)
        return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&rows->lines),
                          "both '%c' and '%c' separate values; use one, and '.' as the decimal mark", rows->separator,
                          separator);
    rows->separator = separator;
    return YK_OK;
}

static enum yk_status read_row(struct yk_rows *rows, struct yk_piece rest, struct yk_err *err)
{
    enum yk_status st;
    char separator;
    double value;

    rows->row.n = 0;
    while (rest.begin < rest.end) {
        struct yk_piece field = next_field(&rest, &separator);

        if (field.begin == field.end)
            return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&rows->lines), "value %zu of the row is empty",
                              rows->row.n + 1);
        if ((st = yk_token_real(&rows->lines, field, &value, err)) || (st = check_separator(rows, separator, err)) ||
            (st = yk_growing_push(&rows->row, value, err)))
            return st;
    }
    return YK_OK;
}

enum yk_status yk_rows_next(struct yk_rows *rows, bool *more, struct yk_err *err)
{
    struct yk_piece line;

    *more = false;
    while (yk_lines_next(&rows->lines, &line)) {
        const char *comment = memchr(line.begin, '#', (size_t)(line.end - line.begin));

        if (comment)
            line = yk_piece_trim((struct yk_piece){line.begin, comment});
        if (line.begin == line.end)
            continue;
        bool first = !rows->begun;
        rows->begun = true;
        if (first && is_header(line)) {
            rows->header = line;
            rows->header_line = rows->lines.line;
            continue;
        }
        *more = true;
        return read_row(rows, line, err);
    }
    return YK_OK;
}
