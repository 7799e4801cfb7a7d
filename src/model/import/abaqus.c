/* Abaqus matrices as text.
 *
 * *MATRIX OUTPUT writes job_STIF1.mtx, job_MASS1.mtx, job_DMPV1.mtx with rows "node, dof, node, dof, value" (FORMAT=
 * MATRIX INPUT) or "row column value" (COORDINATE); a symmetric matrix is one triangle. *SUBSTRUCTURE MATRIX OUTPUT and
 * *ELEMENT MATRIX OUTPUT, and CalculiX for substructures, write
 *     *USER ELEMENT, NODES=4, LINEAR
 *     ** ELEMENT NODES
 *     ** 101, 102, 103, 104
 *     1, 2                      the directions of the first node and of all that follow,
 *     3, 1, 2, 3                until those from the third on have others
 *     *MATRIX, TYPE=STIFFNESS   lower triangle, row by row, however the lines are broken
 * The matrices of several elements are added. */
#include "model/import/import.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ACTIVE = 64, MOST_ORDER = 20000 }; /* directions of a node; order of a packed matrix */

enum block { ROWS, NODES, PACKED, OTHER };

struct abaqus {
    struct yk_import *im;
    struct yk_lines lines;
    enum yk_matrix_part wanted, part; /* of the block that is read now; YK_PART_ALL: one that is passed over */
    enum block block;
    size_t columns; /* of the rows: 5 or 3, 0 while unknown */

    bool in_list;            /* the comment lines are those of the nodes */
    struct yk_growing nodes; /* of the user element */
    struct yk_growing
        active;   /* directions of its degrees of freedom, with the positions of the nodes: node, direction */
    size_t given; /* first node whose directions are not said yet */
    int64_t last[MOST_ACTIVE];
    size_t last_count;
    int *index; /* of its degrees of freedom */
    size_t order, row, col;
};

static enum yk_matrix_part part_of(struct yk_piece line)
{
    static const struct {
        const char *word;
        enum yk_matrix_part part;
    } words[] = {{"STIFFNESS", YK_PART_STIFFNESS}, {"MASS", YK_PART_MASS}, {"VISCOUS", YK_PART_DAMPING}};

    for (const char *p = line.begin; p < line.end; p++)
        for (size_t i = 0; *p == '=' && i < sizeof words / sizeof *words; i++)
            if (yk_piece_starts(yk_piece_trim((struct yk_piece){p + 1, line.end}), words[i].word))
                return words[i].part;
    return YK_PART_ALL;
}

/* ---- rows ------------------------------------------------------------------------------------------------------ */

static enum yk_status read_label(struct abaqus *a, struct yk_piece node, struct yk_piece direction, int *index,
                                 struct yk_err *err)
{
    int64_t number, axis;
    enum yk_status st;

    if ((st = yk_field_integer(&a->lines, node, "node", INT_MIN, INT_MAX, &number, err)) ||
        (st = yk_field_integer(&a->lines, direction, "degree of freedom", 0, 9999, &axis, err)))
        return st;
    return yk_import_label(a->im, number, (int)axis, index, err);
}

static enum yk_status read_row(struct abaqus *a, struct yk_piece line, struct yk_err *err)
{
    struct yk_piece field[5];
    const size_t count = yk_fields_split(line, field, 5);
    enum yk_status st;
    double value;
    int row, col;

    if ((count != 5 && count != 3) || (a->columns && count != a->columns))
        return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&a->lines), "'%s' is expected, not '%s'",
                          a->columns == 3 ? "row column value" : "node, dof, node, dof, value", yk_quote(line).text);
    a->columns = count;
    if (count == 3)
        return yk_import_coordinate(a->im, &a->lines, field, a->part, err);
    if ((st = read_label(a, field[0], field[1], &row, err)) || (st = read_label(a, field[2], field[3], &col, err)) ||
        (st = yk_token_real(&a->lines, field[4], &value, err)))
        return st;
    return yk_import_entry(a->im, a->part, row, col, value, err);
}

/* ---- user elements --------------------------------------------------------------------------------------------- */

/* "** 101, 102, 103": what is not a number ends the list. */
static enum yk_status read_node_list(struct abaqus *a, struct yk_piece line, struct yk_err *err)
{
    struct yk_piece field;
    enum yk_status st = YK_OK;

    while (!st && yk_field_next(&line, &field)) {
        int64_t node;

        if (yk_field_integer(&a->lines, field, "node", INT_MIN, INT_MAX, &node, NULL)) {
            a->in_list = false;
            return YK_OK;
        }
        st = yk_growing_push(&a->nodes, (double)node, err);
    }
    return st;
}

static enum yk_status read_comment(struct abaqus *a, struct yk_piece line, struct yk_err *err)
{
    const struct yk_piece words = yk_piece_trim((struct yk_piece){line.begin + 2, line.end});

    if (a->block != NODES)
        return YK_OK;
    if (a->in_list)
        return read_node_list(a, words, err);
    a->in_list = yk_piece_starts(words, "ELEMENT NODES");
    return YK_OK;
}

/* The directions found last hold for the nodes up to position `end`. */
static enum yk_status spread(struct abaqus *a, size_t end, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (; a->given < end && !st; a->given++)
        for (size_t k = 0; k < a->last_count && !st; k++)
            if (!(st = yk_growing_push(&a->active, (double)a->given, err)))
                st = yk_growing_push(&a->active, (double)a->last[k], err);
    return st;
}

/* "1, 2" of the first line; "position, 1, 2" of the others. */
static enum yk_status read_directions(struct abaqus *a, struct yk_piece line, struct yk_err *err)
{
    struct yk_piece field;
    enum yk_status st = YK_OK;
    int64_t value;

    if (a->nodes.n == 0)
        return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&a->lines),
                          "directions before the comment '** ELEMENT NODES' and the nodes");
    if (a->last_count) {
        if (!yk_field_next(&line, &field) ||
            (st = yk_field_integer(&a->lines, field, "position of a node", (int64_t)a->given + 1, (int64_t)a->nodes.n,
                                   &value, err)) ||
            (st = spread(a, (size_t)value - 1, err)))
            return st;
    }
    for (a->last_count = 0; !st && yk_field_next(&line, &field);) {
        if (a->last_count == MOST_ACTIVE)
            return yk_fail_at(err, YK_E_RANGE, yk_lines_where(&a->lines), "more than %d directions at a node",
                              MOST_ACTIVE);
        if (!(st = yk_field_integer(&a->lines, field, "degree of freedom", 0, 9999, &value, err)))
            a->last[a->last_count++] = value;
    }
    return st;
}

/* The degrees of freedom of the element, in the order of its matrices. */
static enum yk_status close_element(struct abaqus *a, struct yk_err *err)
{
    enum yk_status st;

    if (a->index)
        return YK_OK;
    if ((st = spread(a, a->nodes.n, err)))
        return st;
    a->order = a->active.n / 2;
    if (a->order == 0 || a->order > MOST_ORDER)
        return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&a->lines),
                          "a matrix of %zu degrees of freedom; 1 .. %d are allowed", a->order, MOST_ORDER);
    if (!(a->index = calloc(a->order, sizeof *a->index)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < a->order && !st; i++)
        st = yk_import_label(a->im, (int64_t)a->nodes.x[(size_t)a->active.x[2 * i]], (int)a->active.x[2 * i + 1],
                             &a->index[i], err);
    return st;
}

static void open_element(struct abaqus *a)
{
    a->nodes.n = a->active.n = a->given = a->last_count = 0;
    a->in_list = false;
    free(a->index);
    a->index = NULL;
}

static enum yk_status read_packed(struct abaqus *a, struct yk_piece line, struct yk_err *err)
{
    struct yk_piece field;
    enum yk_status st;
    double value;

    while (yk_field_next(&line, &field)) {
        if (field.begin == field.end)
            continue;
        if (a->row == a->order)
            return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&a->lines),
                              "more values than the triangle of a matrix of order %zu has", a->order);
        if ((st = yk_token_real(&a->lines, field, &value, err)) ||
            (st = yk_import_entry(a->im, a->part, a->index[a->row], a->index[a->col], value, err)) ||
            (a->row != a->col &&
             (st = yk_import_entry(a->im, a->part, a->index[a->col], a->index[a->row], value, err))))
            return st;
        a->col = a->col == a->row ? 0 : a->col + 1;
        a->row += a->col == 0;
    }
    return YK_OK;
}

/* ---- keywords -------------------------------------------------------------------------------------------------- */

static enum yk_status end_block(struct abaqus *a, struct yk_err *err)
{
    if (a->block == PACKED && a->row < a->order)
        return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&a->lines),
                          "the matrix ends after row %zu of %zu of its triangle", a->row, a->order);
    return YK_OK;
}

static enum yk_status begin_matrix(struct abaqus *a, struct yk_piece line, struct yk_err *err)
{
    enum yk_status st = close_element(a, err);

    a->part = part_of(line);
    a->block = a->part == YK_PART_ALL || (a->wanted != YK_PART_ALL && a->wanted != a->part) ? OTHER : PACKED;
    a->row = a->col = 0;
    if (!st && a->block == PACKED)
        yk_import_full(a->im, a->part);
    return st;
}

/* "*USER ELEMENT" or "*User Element": does the keyword of the line have these letters, blanks aside? */
static bool keyword_is(struct yk_piece line, const char *word)
{
    const char *p = line.begin + 1;

    for (; *word; word++) {
        while (p < line.end && yk_is_blank(*p))
            p++;
        if (p == line.end || (*p | 0x20) != (*word | 0x20))
            return false;
        p++;
    }
    while (p < line.end && yk_is_blank(*p))
        p++;
    return p == line.end || *p == ',';
}

static enum yk_status read_keyword(struct abaqus *a, struct yk_piece line, struct yk_err *err)
{
    enum yk_status st = end_block(a, err);

    if (st)
        return st;
    if (keyword_is(line, "USERELEMENT")) {
        open_element(a);
        a->block = NODES;
    } else if (keyword_is(line, "MATRIX") && (a->index || a->nodes.n)) {
        return begin_matrix(a, line, err);
    } else if (keyword_is(line, "MATRIX")) {
        return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&a->lines), "a matrix before the nodes it belongs to");
    } else {
        a->block = keyword_is(line, "MATRIXINPUT") ? ROWS : OTHER;
    }
    return YK_OK;
}

static enum yk_status read_line(struct abaqus *a, struct yk_piece line, struct yk_err *err)
{
    if (line.begin == line.end)
        return YK_OK;
    if (yk_piece_starts(line, "**"))
        return read_comment(a, line, err);
    if (*line.begin == '*')
        return read_keyword(a, line, err);
    switch (a->block) {
    case ROWS:
        return read_row(a, line, err);
    case NODES:
        return read_directions(a, line, err);
    case PACKED:
        return read_packed(a, line, err);
    case OTHER:
        break;
    }
    return YK_OK;
}

static enum yk_status read(struct yk_import *im, const struct yk_text *text, enum yk_matrix_part part,
                           struct yk_err *err)
{
    struct abaqus a = {.im = im, .wanted = part, .part = part == YK_PART_ALL ? YK_PART_STIFFNESS : part};
    struct yk_piece line;
    enum yk_status st = YK_OK;

    yk_lines_begin(&a.lines, text);
    while (!st && yk_lines_next(&a.lines, &line))
        st = read_line(&a, line, err);
    if (!st)
        st = end_block(&a, err);
    yk_growing_free(&a.nodes);
    yk_growing_free(&a.active);
    free(a.index);
    return st;
}

/* Rows of numbers with commas, or keywords; Matrix Market files, which end in .mtx as well, start with %. */
static bool recognise(const struct yk_text *text)
{
    struct yk_lines lines;
    struct yk_piece line, field[5];

    yk_lines_begin(&lines, text);
    while (yk_lines_next(&lines, &line))
        if (line.begin < line.end && !yk_piece_starts(line, "**")) {
            const size_t count = yk_fields_split(line, field, 5);

            return *line.begin == '*' || (yk_name_ends_in(text->name, ".mtx") && (count == 5 || count == 3) &&
                                          strchr("-0123456789", *line.begin));
        }
    return false;
}

const struct yk_import_format yk_import_abaqus = {
    .name = "abaqus",
    .summary = "Abaqus matrices (MATRIX INPUT, COORDINATE) and substructures; CalculiX substructures: .mtx",
    .endings = ".mtx",
    .part = {"_STIF", "_MASS", "_DMPV"},
    .recognise = recognise,
    .read = read,
};
