/* Models from OpenSees, as the scripts of tools/opensees write them:
 *     yoke-opensees 1
 *     node 2 0.0 3.0 0.0            tag and coordinates
 *     dof 1 2 x                     equation (from 1), node, direction
 *     matrix stiffness 3            then mass and, unless it is zero, damping; order
 *     1 1 1200.0                    every entry that is not zero
 *     end
 * '#' starts a comment. An equation may have several names, where one node follows another; the first stays. */
#include "model/import/import.h"

#include <limits.h>

struct opensees {
    struct yk_import *im;
    struct yk_lines lines;
    enum yk_matrix_part wanted, part; /* YK_PART_ALL: a matrix that is passed over */
    bool in_matrix, ended;
    int64_t most; /* equations: no file names more than it has characters */
};

static enum yk_status wrong(const struct opensees *o, const char *what, struct yk_piece line, struct yk_err *err)
{
    return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&o->lines), "%s is expected, not '%s'", what,
                      yk_quote(line).text);
}

static enum yk_status read_node(struct opensees *o, struct yk_piece line, const struct yk_piece *field, size_t count,
                                struct yk_err *err)
{
    double place[3] = {0, 0, 0};
    int64_t tag;
    enum yk_status st;

    if (count < 3 || count > 5)
        return wrong(o, "'node tag x y z'", line, err);
    if ((st = yk_field_integer(&o->lines, field[1], "node", INT_MIN, INT_MAX, &tag, err)))
        return st;
    for (size_t k = 2; k < count; k++)
        if ((st = yk_token_real(&o->lines, field[k], &place[k - 2], err)))
            return st;
    return yk_import_place(o->im, field[1], place, err);
}

static enum yk_status read_dof(struct opensees *o, struct yk_piece line, const struct yk_piece *field, size_t count,
                               struct yk_err *err)
{
    static const char *const words[] = {"x", "y", "z", "rx", "ry", "rz", "q"};
    int64_t equation, tag;
    enum yk_status st;

    if (count != 4)
        return wrong(o, "'dof equation node direction'", line, err);
    if ((st = yk_field_integer(&o->lines, field[1], "equation", 1, o->most, &equation, err)) ||
        (st = yk_field_integer(&o->lines, field[2], "node", INT_MIN, INT_MAX, &tag, err)))
        return st;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (yk_piece_is(field[3], words[i]))
            return yk_import_name(o->im, (size_t)equation - 1, field[2], words[i], err);
    return wrong(o, "a direction x, y, z, rx, ry, rz or q", field[3], err);
}

static enum yk_status begin_matrix(struct opensees *o, struct yk_piece line, const struct yk_piece *field, size_t count,
                                   struct yk_err *err)
{
    static const char *const words[YK_PART_COUNT] = {"stiffness", "mass", "damping"};
    int64_t order;
    int part = 0;
    enum yk_status st;

    while (count == 3 && part < YK_PART_COUNT && !yk_piece_is(field[1], words[part]))
        part++;
    if (count != 3 || part == YK_PART_COUNT)
        return wrong(o, "'matrix stiffness|mass|damping order'", line, err);
    if ((st = yk_field_integer(&o->lines, field[2], "order", 1, INT_MAX, &order, err)))
        return st;
    if ((size_t)order != yk_import_named(o->im))
        return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&o->lines),
                          "a matrix of order %lld, but %zu equations belong to nodes; use the constraint handler Plain "
                          "or Transformation",
                          (long long)order, yk_import_named(o->im));
    o->part = o->wanted == YK_PART_ALL || (int)o->wanted == part ? (enum yk_matrix_part)part : YK_PART_ALL;
    o->in_matrix = true;
    if (o->part == YK_PART_ALL)
        return YK_OK;
    yk_import_full(o->im, o->part);
    return yk_import_entry(o->im, o->part, 0, 0, 0, err); /* it is there, even if it is zero */
}

static enum yk_status read_line(struct opensees *o, struct yk_piece line, struct yk_err *err)
{
    struct yk_piece field[5];
    const size_t count = yk_fields_split(line, field, 5);

    if (count == 0 || *line.begin == '#')
        return YK_OK;
    if (o->ended)
        return wrong(o, "nothing after 'end'", line, err);
    if (yk_piece_is(field[0], "matrix"))
        return begin_matrix(o, line, field, count, err);
    if (yk_piece_is(field[0], "end")) {
        o->ended = true;
        return YK_OK;
    }
    if (o->in_matrix && count != 3)
        return wrong(o, "'row column value', a matrix or 'end'", line, err);
    if (o->in_matrix)
        return o->part == YK_PART_ALL ? YK_OK : yk_import_coordinate(o->im, &o->lines, field, o->part, err);
    if (yk_piece_is(field[0], "node"))
        return read_node(o, line, field, count, err);
    if (yk_piece_is(field[0], "dof"))
        return read_dof(o, line, field, count, err);
    return wrong(o, "'node', 'dof', 'matrix' or 'end'", line, err);
}

static bool has_banner(struct yk_lines *lines)
{
    struct yk_piece line, field[2];

    while (yk_lines_next(lines, &line))
        if (line.begin < line.end && *line.begin != '#')
            return yk_fields_split(line, field, 2) == 2 && yk_piece_is(field[0], "yoke-opensees");
    return false;
}

static enum yk_status read(struct yk_import *im, const struct yk_text *text, enum yk_matrix_part part,
                           struct yk_err *err)
{
    struct opensees o = {.im = im, .wanted = part, .most = (int64_t)text->size};
    struct yk_piece line;
    enum yk_status st = YK_OK;

    yk_lines_begin(&o.lines, text);
    if (!has_banner(&o.lines))
        return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&o.lines),
                          "the file must start with 'yoke-opensees 1'; write it with the scripts of tools/opensees");
    while (!st && yk_lines_next(&o.lines, &line))
        st = read_line(&o, line, err);
    if (!st && !o.ended)
        st = yk_fail_at(err, YK_E_INPUT, yk_lines_where(&o.lines), "the file ends before 'end'");
    return st;
}

static bool recognise(const struct yk_text *text)
{
    struct yk_lines lines;

    yk_lines_begin(&lines, text);
    return has_banner(&lines);
}

const struct yk_import_format yk_import_opensees = {
    .name = "opensees",
    .summary = "OpenSees models, exported by the scripts of tools/opensees",
    .endings = ".opensees",
    .recognise = recognise,
    .read = read,
};
