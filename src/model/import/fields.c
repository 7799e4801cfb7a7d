/* Fields of a line: separated by blanks, tabs or commas. */
#include "model/import/import.h"

#include <yoke/number.h>

#include <math.h>

bool yk_field_next(struct yk_piece *rest, struct yk_piece *field)
{
    const char *p = rest->begin;

    while (p < rest->end && yk_is_blank(*p))
        p++;
    if (p == rest->end)
        return false;
    field->begin = p;
    while (p < rest->end && !yk_is_blank(*p) && *p != ',')
        p++;
    field->end = p;
    while (p < rest->end && yk_is_blank(*p))
        p++;
    rest->begin = p < rest->end && *p == ',' ? p + 1 : p;
    return true;
}

size_t yk_fields_split(struct yk_piece line, struct yk_piece *field, size_t most)
{
    struct yk_piece extra;
    size_t n = 0;

    while (n < most && yk_field_next(&line, &field[n]))
        n++;
    return n == most && yk_field_next(&line, &extra) ? most + 1 : n;
}

bool yk_field_is_number(struct yk_piece field)
{
    double value;

    return yk_number_scan(field.begin, field.end, &value) == field.end;
}

enum yk_status yk_field_integer(const struct yk_lines *lines, struct yk_piece field, const char *what, int64_t min,
                                int64_t max, int64_t *value, struct yk_err *err)
{
    double number;

    if (yk_number_scan(field.begin, field.end, &number) != field.end || number != floor(number))
        return yk_fail_at(err, YK_E_INPUT, yk_lines_where(lines), "%s '%s' is not a whole number", what,
                          yk_quote(field).text);
    if (!(number >= (double)min && number <= (double)max))
        return yk_fail_at(err, YK_E_RANGE, yk_lines_where(lines), "%s %s is outside %lld .. %lld", what,
                          yk_quote(field).text, (long long)min, (long long)max);
    *value = (int64_t)number;
    return YK_OK;
}
