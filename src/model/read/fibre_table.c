/* Tables of fibres: y, z, area and the name of a material in every line. */
#include "model/read/scan.h"

#include <stdio.h>
#include <stdlib.h>

/* The next of the fields that commas or semicolons separate. */
static struct yk_piece next_field(struct yk_piece *rest)
{
    const char *end = rest->begin;

    while (end < rest->end && *end != ',' && *end != ';')
        end++;
    const struct yk_piece field = {rest->begin, end};
    rest->begin = end < rest->end ? end + 1 : end;
    return yk_piece_trim(field);
}

static enum yk_status read_row(const struct yk_lines *lines, struct yk_piece rest, struct yk_fibre_row *row,
                               struct yk_err *err)
{
    double *const value[3] = {&row->y, &row->z, &row->area};
    struct yk_piece name;
    enum yk_status st;

    row->where = yk_lines_where(lines);
    for (int i = 0; i < 3; i++) {
        const struct yk_piece field = next_field(&rest);

        if (field.begin == field.end)
            return yk_fail_at(err, YK_E_INPUT, row->where,
                              "a row needs four columns with commas between them: y, z [m], area [m2] and material");
        if ((st = yk_token_real(lines, field, value[i], err)))
            return st;
    }
    name = next_field(&rest);
    if (rest.begin != rest.end || name.begin == name.end || (size_t)(name.end - name.begin) >= sizeof row->material)
        return yk_fail_at(err, YK_E_INPUT, row->where,
                          "a row has four columns: y, z [m], area [m2] and the name of a material");
    if (!(row->area > 0))
        return yk_fail_at(err, YK_E_RANGE, row->where, "area = %g m2 must be positive", row->area);
    snprintf(row->material, sizeof row->material, "%.*s", (int)(name.end - name.begin), name.begin);
    return YK_OK;
}

enum yk_status yk_read_fibres(const struct yk_text *text, struct yk_fibre_row **rows, size_t *count, struct yk_err *err)
{
    struct yk_lines lines;
    struct yk_piece line;
    size_t room = 0;
    enum yk_status st = YK_OK;

    *rows = NULL;
    *count = 0;
    yk_lines_begin(&lines, text);
    while (!st && yk_lines_next(&lines, &line)) {
        struct yk_fibre_row *larger;

        if (line.begin == line.end || *line.begin == '#' || (*count == 0 && yk_piece_starts(line, "y")))
            continue;
        if (*count == room) {
            room = room ? 2 * room : 64;
            if (!(larger = realloc(*rows, room * sizeof **rows)))
                return yk_fail(err, YK_E_MEMORY, "out of memory for %zu fibres", room);
            *rows = larger;
        }
        if (!(st = read_row(&lines, line, &(*rows)[*count], err)))
            ++*count;
    }
    if (!st && *count == 0)
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(text->name), "the table has no fibres");
    return st;
}
