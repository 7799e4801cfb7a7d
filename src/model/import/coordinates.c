/* Coordinates of the nodes: rows "node x y z", as a table or in the *NODE blocks of an Abaqus or CalculiX input
 * file. */
#include "model/import/import.h"

static enum yk_status read_node(struct yk_import *im, const struct yk_lines *lines, struct yk_piece line,
                                struct yk_err *err)
{
    struct yk_piece field[4];
    const size_t count = yk_fields_split(line, field, 4);
    double place[3] = {0, 0, 0};
    enum yk_status st;

    if (count < 2 || count > 4)
        return yk_fail_at(err, YK_E_INPUT, yk_lines_where(lines), "'node x y z' is expected, not '%s'",
                          yk_quote(line).text);
    for (size_t k = 1; k < count; k++)
        if ((st = yk_token_real(lines, field[k], &place[k - 1], err)))
            return st;
    return yk_import_place(im, field[0], place, err);
}

/* A first line of words is a header. */
static bool is_header(struct yk_piece line)
{
    struct yk_piece field[2];

    return yk_fields_split(line, field, 2) < 2 || !yk_field_is_number(field[1]);
}

enum yk_status yk_import_coordinates(struct yk_import *im, const struct yk_text *text, struct yk_err *err)
{
    struct yk_lines lines;
    struct yk_piece line;
    bool nodes = true, begun = false; /* rows count until a keyword says otherwise */
    enum yk_status st = YK_OK;

    yk_lines_begin(&lines, text);
    while (!st && yk_lines_next(&lines, &line)) {
        if (line.begin == line.end || *line.begin == '#' || yk_piece_starts(line, "**"))
            continue;
        if (*line.begin == '*') {
            const struct yk_piece after = {line.begin + (line.end - line.begin < 5 ? 0 : 5), line.end};

            nodes = yk_piece_starts(line, "*NODE") &&
                    (after.begin == after.end || *after.begin == ',' || yk_piece_trim(after).begin == after.end ||
                     *yk_piece_trim(after).begin == ',');
        } else if (nodes && (begun || !is_header(line))) {
            st = read_node(im, &lines, line, err);
        }
        begun = true;
    }
    return st;
}
