/* A dense matrix from a table of numbers. */
#include "scan.h"

static enum yk_status read_values(struct yk_rows *rows, struct yk_growing *values, size_t *cols, struct yk_err *err)
{
    enum yk_status st;
    bool more;

    for (;;) {
        if ((st = yk_rows_next(rows, &more, err)) || !more)
            return st;
        if (values->n == 0)
            *cols = rows->row.n;
        if (rows->row.n != *cols)
            return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&rows->lines),
                              "%zu values in the row, but %zu in the first", rows->row.n, *cols);
        for (size_t j = 0; j < *cols; j++)
            if ((st = yk_growing_push(values, rows->row.x[j], err)))
                return st;
    }
}

/* From the order of the file, row by row, to column-major. */
static enum yk_status store(const struct yk_text *text, const struct yk_growing *values, size_t cols,
                            struct yk_matrix *out, struct yk_err *err)
{
    size_t rows = cols ? values->n / cols : 0;
    enum yk_status st;

    if (rows == 0)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(text->name), "no numbers in the file");
    if ((st = yk_matrix_init(out, YK_DENSE, rows, cols, err)))
        return st;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            out->x[i + j * rows] = values->x[i * cols + j];
    return YK_OK;
}

enum yk_status yk_read_csv_matrix(const struct yk_text *text, struct yk_matrix *out, struct yk_err *err)
{
    struct yk_growing values = {0};
    struct yk_rows rows;
    size_t cols = 0;

    yk_rows_begin(&rows, text);
    enum yk_status st = read_values(&rows, &values, &cols, err);
    if (!st)
        st = store(text, &values, cols, out, err);
    yk_rows_end(&rows);
    yk_growing_free(&values);
    return st;
}
