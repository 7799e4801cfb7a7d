/* CalculiX matrices: *FREQUENCY, SOLVER=MATRIXSTORAGE writes job.sti and job.mas, "row column value" of one triangle,
 * and job.dof, "node.direction" of every row. Shells and beams are expanded into solids there, and the nodes of the
 * expansion carry the number of the node they come from, so names may repeat. */
#include "model/import/import.h"

#include <limits.h>

static enum yk_status read_matrix(struct yk_import *im, const struct yk_text *text, enum yk_matrix_part part,
                                  struct yk_err *err)
{
    const enum yk_matrix_part into = part == YK_PART_ALL ? YK_PART_STIFFNESS : part;
    struct yk_lines lines;
    struct yk_piece line, field[3];
    enum yk_status st;

    yk_lines_begin(&lines, text);
    while (yk_lines_next(&lines, &line)) {
        if (line.begin == line.end)
            continue;
        if (yk_fields_split(line, field, 3) != 3)
            return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&lines), "'row column value' is expected, not '%s'",
                              yk_quote(line).text);
        if ((st = yk_import_coordinate(im, &lines, field, into, err)))
            return st;
    }
    return YK_OK;
}

static enum yk_status read_dofs(struct yk_import *im, const struct yk_text *text, struct yk_err *err)
{
    struct yk_lines lines;
    struct yk_piece line;
    size_t count = 0;
    enum yk_status st;

    yk_lines_begin(&lines, text);
    while (yk_lines_next(&lines, &line)) {
        struct yk_piece node = {line.begin, line.begin}, direction = {line.end, line.end};
        int64_t number, axis;
        char word[16];

        if (line.begin == line.end)
            continue;
        while (node.end < line.end && *node.end != '.')
            node.end++;
        if (node.end < line.end)
            direction.begin = node.end + 1;
        if (node.begin == node.end || direction.begin == direction.end)
            return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&lines), "'node.direction' is expected, not '%s'",
                              yk_quote(line).text);
        if ((st = yk_field_integer(&lines, node, "node", 1, INT_MAX, &number, err)) ||
            (st = yk_field_integer(&lines, direction, "direction", 0, 99, &axis, err)) ||
            (st = yk_import_name(im, count++, node, yk_direction_name((int)axis, word, sizeof word), err)))
            return st;
    }
    return count ? YK_OK : yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(text->name), "names no degree of freedom");
}

const struct yk_import_format yk_import_calculix = {
    .name = "calculix",
    .summary = "CalculiX matrix storage: job.sti, job.mas and job.dof",
    .endings = ".sti|.mas",
    .part = {".sti", ".mas", NULL},
    .map = ".dof",
    .read = read_matrix,
    .read_map = read_dofs,
};
