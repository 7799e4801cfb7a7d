/* SAP2000 matrices: job.TXK and job.TXM, "row column value" of one triangle below a line of headings, and job.TXE, one
 * line for each joint: its label and the equations of U1, U2, U3, R1, R2, R3. There 0 is a restrained or unused degree
 * of freedom; a negative number is one that a constraint ties to others (job.TXC), which is left without a name. */
#include "model/import/import.h"

enum { DIRECTIONS = 6 };

static enum yk_status read_matrix(struct yk_import *im, const struct yk_text *text, enum yk_matrix_part part,
                                  struct yk_err *err)
{
    const enum yk_matrix_part into = part == YK_PART_ALL ? YK_PART_STIFFNESS : part;
    struct yk_lines lines;
    struct yk_piece line, field[3];
    bool begun = false;
    enum yk_status st;

    yk_lines_begin(&lines, text);
    while (yk_lines_next(&lines, &line)) {
        const size_t count = yk_fields_split(line, field, 3);

        if (count == 0 || (!begun && !yk_field_is_number(field[0])))
            continue;
        begun = true;
        if (count != 3)
            return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&lines), "'row column value' is expected, not '%s'",
                              yk_quote(line).text);
        if ((st = yk_import_coordinate(im, &lines, field, into, err)))
            return st;
    }
    return YK_OK;
}

/* most: no file numbers more equations than it has characters. */
static enum yk_status read_joint(struct yk_import *im, const struct yk_lines *lines, const struct yk_piece *field,
                                 int64_t most, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (int d = 1; d <= DIRECTIONS && !st; d++) {
        int64_t equation;
        char word[16];

        if (!(st = yk_field_integer(lines, field[d], "equation", -most, most, &equation, err)) && equation > 0)
            st = yk_import_name(im, (size_t)equation - 1, field[0], yk_direction_name(d, word, sizeof word), err);
    }
    return st;
}

static enum yk_status read_equations(struct yk_import *im, const struct yk_text *text, struct yk_err *err)
{
    struct yk_lines lines;
    struct yk_piece line, field[DIRECTIONS + 1];
    bool begun = false;
    enum yk_status st;

    yk_lines_begin(&lines, text);
    while (yk_lines_next(&lines, &line)) {
        const size_t count = yk_fields_split(line, field, DIRECTIONS + 1);

        if (count == 0 || (!begun && (count < 2 || !yk_field_is_number(field[1]))))
            continue;
        begun = true;
        if (count != DIRECTIONS + 1)
            return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&lines),
                              "a joint and its six equations are expected, not '%s'", yk_quote(line).text);
        if ((st = read_joint(im, &lines, field, (int64_t)text->size, err)))
            return st;
    }
    return yk_import_named(im) ? YK_OK : yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(text->name), "numbers no equation");
}

const struct yk_import_format yk_import_sap2000 = {
    .name = "sap2000",
    .summary = "SAP2000 matrices: job.TXK, job.TXM and job.TXE",
    .endings = ".txk|.txm",
    .part = {".TXK", ".TXM", NULL},
    .map = ".TXE",
    .read = read_matrix,
    .read_map = read_equations,
};
