/* NASTRAN matrices: DMIG entries of a punch file (EXTSEOUT, PARAM,EXTOUT,DMIGPCH), in fields of 8 or 16 characters or
 * separated by commas:
 *     DMIG    KAAX           0       6       2       0                       2
 *     DMIG*   KAAX                           2               1
 *     *                      2               1 1.866666647D+07
 * The header says the form (6: symmetric, one triangle; 1: square) and the type; a column names its point and component
 * and is followed by point, component and value of its entries. K.., M.. and B.. are stiffness, mass and damping (K4..,
 * structural damping, and loads are passed over). GRID entries in the basic system give coordinates.
 *
 * Of every line the fields after the first come in groups of four, whatever the layout; a group of the entry itself is
 * (name, point, component, -), or (name, 0, form, type) and (type, -, -, columns) in the header. */
#include "model/import/import.h"

#include <yoke/number.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NARROW = 8, WIDE = 16, LINE_END = 72, GROUP = 4, MOST_FIELDS = 8 };
enum { SQUARE = 1, SYMMETRIC = 6 };

enum entry { NONE, MATRIX_HEADER, MATRIX_COLUMN, GRID };

struct nastran {
    struct yk_import *im;
    struct yk_lines lines;
    const char *text; /* where the file begins */
    enum yk_matrix_part wanted;

    enum entry entry;         /* that the lines belong to */
    enum yk_matrix_part part; /* YK_PART_ALL: a matrix that is passed over */
    int column;
    size_t groups; /* of the entry so far */
    char names[YK_PART_COUNT][16];
    struct yk_piece grid;
    double place[3];
    bool elsewhere; /* the point is not in the basic system */
};

struct card {
    struct yk_piece name, field[MOST_FIELDS];
    size_t count; /* fields, four or eight */
    bool continues;
};

/* ---- the fields of a line -------------------------------------------------------------------------------------- */

/* The first character at a column or behind it; a tab goes on to the next multiple of eight. */
static const char *at_column(struct yk_piece line, size_t column)
{
    size_t at = 0;

    while (line.begin < line.end && at < column)
        at = *line.begin++ == '\t' ? (at / NARROW + 1) * NARROW : at + 1;
    return line.begin;
}

static struct yk_piece column_of(struct yk_piece line, size_t from, size_t width)
{
    return yk_piece_trim((struct yk_piece){at_column(line, from), at_column(line, from + width)});
}

static bool is_wide(struct yk_piece name)
{
    return memchr(name.begin, '*', (size_t)(name.end - name.begin)) != NULL;
}

static void split_free(struct yk_piece line, struct card *c)
{
    for (size_t k = 0; k <= MOST_FIELDS; k++) {
        struct yk_piece field = {line.begin, line.begin};

        while (field.end < line.end && *field.end != ',')
            field.end++;
        line.begin = field.end < line.end ? field.end + 1 : field.end;
        if (k == 0)
            c->name = yk_piece_trim(field);
        else
            c->field[k - 1] = yk_piece_trim(field);
    }
    c->count = is_wide(c->name) ? GROUP : MOST_FIELDS; /* a mark of continuation may follow */
}

static void split(const struct nastran *n, struct yk_piece line, struct card *c)
{
    if (memchr(line.begin, ',', (size_t)(line.end - line.begin))) {
        split_free(line, c);
    } else {
        while (line.begin > n->text && yk_is_blank(line.begin[-1])) /* columns count from the margin */
            line.begin--;
        line.end = at_column(line, LINE_END);
        c->name = column_of(line, 0, NARROW);
        const bool wide = is_wide(c->name);

        c->count = wide ? GROUP : MOST_FIELDS;
        for (size_t k = 0; k < c->count; k++)
            c->field[k] = column_of(line, NARROW + k * (wide ? WIDE : NARROW), wide ? WIDE : NARROW);
    }
    c->continues = c->name.begin == c->name.end || *c->name.begin == '*' || *c->name.begin == '+';
}

static bool is_empty(struct yk_piece field)
{
    return field.begin == field.end;
}

/* NASTRAN's numbers may leave out the E: 1.5-3. */
static enum yk_status read_real(const struct nastran *n, struct yk_piece field, double *value, struct yk_err *err)
{
    const char *end = yk_number_scan(field.begin, field.end, value);
    double exponent;

    if (end && end > field.begin && end < field.end && (*end == '+' || *end == '-') &&
        yk_number_scan(end, field.end, &exponent) == field.end && exponent == floor(exponent) &&
        isfinite(*value * pow(10, exponent))) {
        *value *= pow(10, exponent);
        return YK_OK;
    }
    return yk_token_real(&n->lines, field, value, err);
}

static enum yk_status read_label(struct nastran *n, struct yk_piece point, struct yk_piece component, int *index,
                                 struct yk_err *err)
{
    int64_t number, axis = 0;
    enum yk_status st;

    if ((st = yk_field_integer(&n->lines, point, "point", 1, INT_MAX, &number, err)) ||
        (!is_empty(component) && (st = yk_field_integer(&n->lines, component, "component", 0, 6, &axis, err))))
        return st;
    return yk_import_label(n->im, number, (int)axis, index, err);
}

/* ---- matrices -------------------------------------------------------------------------------------------------- */

static enum yk_matrix_part part_of(struct yk_piece name)
{
    static const struct {
        const char *word;
        enum yk_matrix_part part;
    } words[] = {{"K4", YK_PART_ALL}, {"K", YK_PART_STIFFNESS}, {"STIF", YK_PART_STIFFNESS},
                 {"M", YK_PART_MASS}, {"B", YK_PART_DAMPING},   {"DAMP", YK_PART_DAMPING}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (yk_piece_starts(name, words[i].word))
            return words[i].part;
    return YK_PART_ALL;
}

/* DMIG name 0 form type_in | type_out polar - columns */
static enum yk_status read_header(struct nastran *n, const struct card *c, struct yk_err *err)
{
    const enum yk_matrix_part part = part_of(c->field[0]);
    char *known = n->names[part == YK_PART_ALL ? 0 : part];
    const struct yk_quote name = yk_quote(c->field[0]);
    int64_t form, type;
    enum yk_status st;

    n->entry = MATRIX_HEADER;
    if (part == YK_PART_ALL || (n->wanted != YK_PART_ALL && n->wanted != part))
        return YK_OK;
    if ((st = yk_field_integer(&n->lines, c->field[2], "form of the matrix", 1, 9, &form, err)) ||
        (st = yk_field_integer(&n->lines, c->field[3], "type of the matrix", 1, 4, &type, err)))
        return st;
    if (form != SQUARE && form != SYMMETRIC)
        return yk_fail_at(err, YK_E_UNSUPPORTED, yk_lines_where(&n->lines),
                          "%s has form %lld; 1 (square) and 6 (symmetric) are read", name.text, (long long)form);
    if (type > 2)
        return yk_fail_at(err, YK_E_UNSUPPORTED, yk_lines_where(&n->lines), "%s is complex; real matrices are read",
                          name.text);
    if (*known && !yk_piece_is(c->field[0], known))
        return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&n->lines),
                          "both %s and %s could be the same matrix; leave one of them in the file", known, name.text);
    snprintf(known, sizeof n->names[0], "%.15s", name.text);
    if (form == SQUARE)
        yk_import_full(n->im, part);
    return YK_OK;
}

static enum yk_status read_column(struct nastran *n, const struct card *c, struct yk_err *err)
{
    n->entry = MATRIX_COLUMN;
    n->part = part_of(c->field[0]);
    if (n->part == YK_PART_ALL || (n->wanted != YK_PART_ALL && n->wanted != n->part)) {
        n->part = YK_PART_ALL;
        return YK_OK;
    }
    if (!*n->names[n->part] || !yk_piece_is(c->field[0], n->names[n->part]))
        return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&n->lines), "a column of %s before its header",
                          yk_quote(c->field[0]).text);
    return read_label(n, c->field[1], c->field[2], &n->column, err);
}

/* point, component, value, - */
static enum yk_status read_group(struct nastran *n, const struct yk_piece *field, struct yk_err *err)
{
    enum yk_status st;
    double value;
    int row;

    if (n->part == YK_PART_ALL || is_empty(field[0]))
        return YK_OK;
    if ((st = read_label(n, field[0], field[1], &row, err)) || (st = read_real(n, field[2], &value, err)))
        return st;
    return yk_import_entry(n->im, n->part, row, n->column, value, err);
}

/* ---- points ---------------------------------------------------------------------------------------------------- */

/* GRID: (point, system, x, y) (z, ...) */
static enum yk_status read_grid(struct nastran *n, const struct yk_piece *field, struct yk_err *err)
{
    enum yk_status st = YK_OK;
    int64_t system = 0;

    if (n->groups == 0) {
        n->grid = field[0];
        n->place[0] = n->place[1] = n->place[2] = 0;
        if (!is_empty(field[1]) &&
            (st = yk_field_integer(&n->lines, field[1], "coordinate system", 0, INT_MAX, &system, err)))
            return st;
        n->elsewhere = system != 0;
        for (size_t k = 0; k < 2 && !st; k++)
            if (!is_empty(field[2 + k]))
                st = read_real(n, field[2 + k], &n->place[k], err);
        return st;
    }
    if (n->groups > 1 || n->elsewhere)
        return YK_OK;
    if (!is_empty(field[0]) && (st = read_real(n, field[0], &n->place[2], err)))
        return st;
    return yk_import_place(n->im, n->grid, n->place, err);
}

/* ---- the whole ------------------------------------------------------------------------------------------------- */

static enum yk_status begin_entry(struct nastran *n, const struct card *c, struct yk_err *err)
{
    int64_t point;

    n->entry = NONE;
    n->groups = 0;
    if (yk_piece_is(c->name, "GRID") || yk_piece_is(c->name, "GRID*"))
        n->entry = GRID;
    if (!yk_piece_is(c->name, "DMIG") && !yk_piece_is(c->name, "DMIG*"))
        return YK_OK;
    if (is_empty(c->field[0]) || yk_field_integer(&n->lines, c->field[1], "point", 0, INT_MAX, &point, err))
        return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&n->lines), "DMIG needs a name and a point");
    return point == 0 ? read_header(n, c, err) : read_column(n, c, err);
}

static enum yk_status read_line(struct nastran *n, struct yk_piece line, struct yk_err *err)
{
    struct card c = {.count = 0};
    enum yk_status st = YK_OK;
    const char *remark;

    if (line.begin < line.end && (remark = memchr(line.begin, '$', (size_t)(line.end - line.begin))))
        line = yk_piece_trim((struct yk_piece){line.begin, remark});
    if (line.begin == line.end)
        return YK_OK;
    split(n, line, &c);
    if (!c.continues && (st = begin_entry(n, &c, err)))
        return st;
    for (size_t k = 0; k < c.count && !st; k += GROUP, n->groups++) {
        if (n->entry == GRID)
            st = read_grid(n, c.field + k, err);
        else if (n->entry == MATRIX_COLUMN && n->groups > 0)
            st = read_group(n, c.field + k, err);
    }
    return st;
}

static enum yk_status read(struct yk_import *im, const struct yk_text *text, enum yk_matrix_part part,
                           struct yk_err *err)
{
    struct nastran n = {.im = im, .wanted = part};
    struct yk_piece line;
    enum yk_status st = YK_OK;

    yk_lines_begin(&n.lines, text);
    n.text = n.lines.p;
    while (!st && yk_lines_next(&n.lines, &line))
        st = read_line(&n, line, err);
    return st;
}

/* A line starts with DMIG. */
static bool recognise(const struct yk_text *text)
{
    struct yk_lines lines;
    struct yk_piece line;

    yk_lines_begin(&lines, text);
    while (yk_lines_next(&lines, &line))
        if (yk_piece_starts(line, "DMIG"))
            return true;
    return false;
}

const struct yk_import_format yk_import_nastran = {
    .name = "nastran",
    .summary = "NASTRAN DMIG entries of a punch file",
    .endings = ".pch|.dmig|.bdf",
    .recognise = recognise,
    .read = read,
};
