/* Matrix Market files: banner, comments, size line, entries counted from 1.
 *
 * Coordinate files become sparse matrices, array files (column by column) dense ones. Symmetric and skew-symmetric
 * files hold one triangle. Read leniently where writers differ: case of the banner, blank lines and comments anywhere,
 * line endings, leading blanks, the upper instead of the lower triangle. What could change the matrix silently is
 * refused. */
#include "scan.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* A matrix may have many empty columns, but a short file cannot ask for gigabytes of them. */
enum { FREE_SIZE = 1000000, SIZE_PER_ENTRY = 16 };

enum field { REAL, INTEGER, PATTERN };
enum symmetry { GENERAL, SYMMETRIC, SKEW };

struct market {
    struct yk_lines lines;
    bool coordinate;
    enum field field;
    enum symmetry symmetry;
    size_t rows, cols;
    double declared; /* values the file should hold */

    /* what it holds: triplets of a coordinate file, values alone of an array */
    struct yk_growing values;
    int *row, *col;
    size_t room;
    int lower, upper; /* lines where the first entry below and above the diagonal stands */
};

/* The next line that is neither blank nor a comment. */
static bool next_line(struct market *m, struct yk_piece *line)
{
    while (yk_lines_next(&m->lines, line))
        if (line->begin < line->end && *line->begin != '%')
            return true;
    return false;
}

static enum yk_status fail_here(const struct market *m, const char *what, struct yk_piece token, struct yk_err *err)
{
    return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&m->lines), "%s, not '%s'", what, yk_quote(token).text);
}

static enum yk_status read_symmetry(struct market *m, struct yk_piece word, struct yk_err *err)
{
    if (yk_piece_is(word, "general"))
        m->symmetry = GENERAL;
    else if (yk_piece_is(word, "symmetric"))
        m->symmetry = SYMMETRIC;
    else if (yk_piece_is(word, "skew-symmetric"))
        m->symmetry = SKEW;
    else if (yk_piece_is(word, "hermitian"))
        return yk_fail_at(err, YK_E_UNSUPPORTED, yk_lines_where(&m->lines),
                          "hermitian matrices are not supported; a real one is called symmetric");
    else
        return fail_here(m, "the symmetry must be general, symmetric or skew-symmetric", word, err);
    if (m->field == PATTERN && m->symmetry == SKEW)
        return fail_here(m, "a pattern is general or symmetric", word, err);
    return YK_OK;
}

static enum yk_status read_field(struct market *m, struct yk_piece word, struct yk_err *err)
{
    if (yk_piece_is(word, "real") || yk_piece_is(word, "double"))
        m->field = REAL;
    else if (yk_piece_is(word, "integer"))
        m->field = INTEGER;
    else if (yk_piece_is(word, "pattern") && m->coordinate)
        m->field = PATTERN;
    else if (yk_piece_is(word, "complex"))
        return yk_fail_at(err, YK_E_UNSUPPORTED, yk_lines_where(&m->lines),
                          "complex matrices are not supported; write the real part alone as 'real'");
    else
        return fail_here(m,
                         m->coordinate ? "the field must be real, integer or pattern"
                                       : "the field must be real or "
                                         "integer",
                         word, err);
    return YK_OK;
}

/* %%MatrixMarket matrix coordinate|array field symmetry */
static enum yk_status read_banner(struct market *m, struct yk_err *err)
{
    struct yk_piece line = {m->lines.p, m->lines.p}, word;
    enum yk_status st;

    while (line.begin == line.end)
        if (!yk_lines_next(&m->lines, &line))
            return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&m->lines), "the file is empty");
    yk_token_next(&line, &word);
    if (!yk_piece_is(word, "%%MatrixMarket"))
        return fail_here(m, "a Matrix Market file starts with %%MatrixMarket", word, err);
    yk_token_next(&line, &word);
    if (!yk_piece_is(word, "matrix"))
        return fail_here(m, "the object must be a matrix", word, err);
    yk_token_next(&line, &word);
    m->coordinate = yk_piece_is(word, "coordinate");
    if (!m->coordinate && !yk_piece_is(word, "array"))
        return fail_here(m, "the format must be coordinate or array", word, err);
    yk_token_next(&line, &word);
    if ((st = read_field(m, word, err)))
        return st;
    yk_token_next(&line, &word);
    return read_symmetry(m, word, err);
}

/* A whole number from `min` to 2^31 - 1. */
static enum yk_status read_count(struct market *m, struct yk_piece token, double min, const char *what, double *count,
                                 struct yk_err *err)
{
    enum yk_status st = yk_token_real(&m->lines, token, count, err);

    if (st)
        return st;
    if (!(*count >= min && *count <= INT_MAX && *count == floor(*count)))
        return yk_fail_at(err, YK_E_RANGE, yk_lines_where(&m->lines), "%s '%s' is not a whole number from %g to %d",
                          what, yk_quote(token).text, min, INT_MAX);
    return YK_OK;
}

static size_t split(struct yk_piece line, struct yk_piece *token, size_t most)
{
    struct yk_piece extra;
    size_t n = 0;

    while (n < most && yk_token_next(&line, &token[n]))
        n++;
    return n == most && yk_token_next(&line, &extra) ? most + 1 : n;
}

static enum yk_status read_size(struct market *m, struct yk_err *err)
{
    const size_t wanted = m->coordinate ? 3 : 2;
    struct yk_piece line, token[3];
    double rows, cols;
    enum yk_status st;

    if (!next_line(m, &line))
        return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&m->lines), "the file ends before the line of sizes");
    if (split(line, token, wanted) != wanted)
        return fail_here(m,
                         m->coordinate ? "the line of sizes must be 'rows columns entries'"
                                       : "the line of sizes must be 'rows columns'",
                         line, err);
    if ((st = read_count(m, token[0], 1, "the number of rows", &rows, err)) ||
        (st = read_count(m, token[1], 1, "the number of columns", &cols, err)))
        return st;
    if (m->symmetry != GENERAL && rows != cols)
        return fail_here(m, "a symmetric matrix must be square", line, err);
    m->rows = (size_t)rows;
    m->cols = (size_t)cols;
    if (m->coordinate)
        return read_count(m, token[2], 0, "the number of entries", &m->declared, err);
    m->declared = m->symmetry == SYMMETRIC ? rows * (rows + 1) / 2
                  : m->symmetry == SKEW    ? rows * (rows - 1) / 2
                                           : rows * cols;
    return YK_OK;
}

static enum yk_status check_more(const struct market *m, struct yk_err *err)
{
    if ((double)m->values.n < m->declared)
        return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&m->lines), "more entries than the %.0f of the line of sizes",
                      m->declared);
}

static enum yk_status read_value(struct market *m, struct yk_piece token, double *value, struct yk_err *err)
{
    enum yk_status st = yk_token_real(&m->lines, token, value, err);

    if (!st && m->field == INTEGER && *value != floor(*value))
        st = fail_here(m, "the banner says integer", token, err);
    return st;
}

static enum yk_status read_index(struct market *m, struct yk_piece token, size_t size, const char *what, int *index,
                                 struct yk_err *err)
{
    double number;
    enum yk_status st = yk_token_real(&m->lines, token, &number, err);

    if (st)
        return st;
    if (!(number >= 1 && number <= (double)size && number == floor(number)))
        return yk_fail_at(err, YK_E_RANGE, yk_lines_where(&m->lines), "%s '%s' is outside 1 .. %zu", what,
                          yk_quote(token).text, size);
    *index = (int)number - 1;
    return YK_OK;
}

/* One triangle is stored: entries on both sides of the diagonal would count twice. */
static enum yk_status check_triangle(struct market *m, int i, int j, double value, struct yk_err *err)
{
    if (m->symmetry == GENERAL)
        return YK_OK;
    if (i > j && !m->lower)
        m->lower = m->lines.line;
    if (i < j && !m->upper)
        m->upper = m->lines.line;
    if (m->lower && m->upper)
        return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&m->lines),
                          "entries on both sides of the diagonal (lines %d and %d), but a symmetric file holds one "
                          "triangle; is the matrix 'general'?",
                          m->lower, m->upper);
    if (m->symmetry == SKEW && i == j && value != 0)
        return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&m->lines),
                          "the diagonal of a skew-symmetric matrix is zero, not %g", value);
    return YK_OK;
}

static enum yk_status push_entry(struct market *m, int i, int j, double value, struct yk_err *err)
{
    if (m->values.n == m->room) {
        size_t room = m->room ? 2 * m->room : 64;
        int *row = realloc(m->row, room * sizeof *row);
        int *col = row ? realloc(m->col, room * sizeof *col) : NULL;

        m->row = row ? row : m->row;
        m->col = col ? col : m->col;
        if (!col)
            return yk_fail_at(err, YK_E_MEMORY, YK_IN_FILE(m->lines.name), "no memory for %zu entries", room);
        m->room = room;
    }
    m->row[m->values.n] = i;
    m->col[m->values.n] = j;
    return yk_growing_push(&m->values, value, err);
}

static enum yk_status read_entry(struct market *m, struct yk_piece line, struct yk_err *err)
{
    const size_t wanted = m->field == PATTERN ? 2 : 3;
    struct yk_piece token[3];
    double value = 1;
    enum yk_status st;
    int i, j;

    if ((st = check_more(m, err)))
        return st;
    if (split(line, token, wanted) != wanted)
        return fail_here(m,
                         m->field == PATTERN ? "an entry must be 'row column'" : "an entry must be 'row column value'",
                         line, err);
    if ((st = read_index(m, token[0], m->rows, "row", &i, err)) ||
        (st = read_index(m, token[1], m->cols, "column", &j, err)) ||
        (m->field != PATTERN && (st = read_value(m, token[2], &value, err))) ||
        (st = check_triangle(m, i, j, value, err)))
        return st;
    return push_entry(m, i, j, value, err);
}

static enum yk_status read_array_line(struct market *m, struct yk_piece line, struct yk_err *err)
{
    struct yk_piece token;
    enum yk_status st;
    double value;

    while (yk_token_next(&line, &token))
        if ((st = check_more(m, err)) || (st = read_value(m, token, &value, err)) ||
            (st = yk_growing_push(&m->values, value, err)))
            return st;
    return YK_OK;
}

static enum yk_status read_entries(struct market *m, struct yk_err *err)
{
    struct yk_piece line;
    enum yk_status st;

    while (next_line(m, &line))
        if ((st = m->coordinate ? read_entry(m, line, err) : read_array_line(m, line, err)))
            return st;
    if ((double)m->values.n < m->declared)
        return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&m->lines), "the file ends after %zu of %.0f entries",
                          m->values.n, m->declared);
    return YK_OK;
}

/* Writes the other triangle after the one that was read. */
static enum yk_status mirror(struct market *m, struct yk_err *err)
{
    const double sign = m->symmetry == SKEW ? -1 : 1;
    const size_t stored = m->values.n;

    for (size_t k = 0; m->symmetry != GENERAL && k < stored; k++) {
        enum yk_status st =
            m->row[k] == m->col[k] ? YK_OK : push_entry(m, m->col[k], m->row[k], sign * m->values.x[k], err);
        if (st)
            return st;
    }
    return YK_OK;
}

static enum yk_status store_sparse(struct market *m, struct yk_matrix *out, struct yk_err *err)
{
    const size_t larger = m->rows > m->cols ? m->rows : m->cols;
    enum yk_status st;

    if (larger > FREE_SIZE && larger / SIZE_PER_ENTRY > m->values.n)
        return yk_fail_at(err, YK_E_RANGE, yk_lines_where(&m->lines), "a size of %zu x %zu for only %zu entries",
                          m->rows, m->cols, m->values.n);
    if ((st = mirror(m, err)))
        return st;
    return yk_matrix_from_triplets(out, m->rows, m->cols, m->values.n, m->row, m->col, m->values.x, err);
}

/* Column by column; of a symmetric matrix the part from the diagonal down, of a skew one below the diagonal. */
static enum yk_status store_dense(struct market *m, struct yk_matrix *out, struct yk_err *err)
{
    const double sign = m->symmetry == SKEW ? -1 : 1;
    const double *value = m->values.x;
    const size_t n = m->rows;
    enum yk_status st;

    if ((st = yk_matrix_init(out, YK_DENSE, m->rows, m->cols, err)))
        return st;
    for (size_t j = 0; j < m->cols; j++)
        for (size_t i = m->symmetry == GENERAL ? 0 : m->symmetry == SYMMETRIC ? j : j + 1; i < n; i++, value++) {
            if (m->symmetry != GENERAL)
                out->x[j + i * n] = sign * *value;
            out->x[i + j * n] = *value;
        }
    return YK_OK;
}

enum yk_status yk_read_matrix_market(const struct yk_text *text, struct yk_matrix *out, struct yk_err *err)
{
    struct market m = {.rows = 0};
    enum yk_status st;

    yk_lines_begin(&m.lines, text);
    if (!(st = read_banner(&m, err)) && !(st = read_size(&m, err)) && !(st = read_entries(&m, err)))
        st = m.coordinate ? store_sparse(&m, out, err) : store_dense(&m, out, err);
    yk_growing_free(&m.values);
    free(m.row);
    free(m.col);
    return st;
}
