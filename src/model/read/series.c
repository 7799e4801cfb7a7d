/* Sampled functions of time from tables of numbers: two columns time, value, or one column with a time step. */
#include "scan.h"

#include <yoke/units.h>

#include <stdio.h>
#include <stdlib.h>

void yk_series_free(struct yk_series *series)
{
    free(series->t);
    free(series->y);
    *series = (struct yk_series){0};
}

/* Takes time and value off a row; the time of a single column is a whole multiple of the step. */
static enum yk_status take_row(struct yk_rows *rows, double dt_s, size_t index, double *t, double *y,
                               struct yk_err *err)
{
    const double *x = rows->row.x;
    const size_t n = rows->row.n;

    if (dt_s > 0 && n == 1) {
        *t = dt_s * (double)index;
        *y = x[0];
        return YK_OK;
    }
    if (!(dt_s > 0) && n == 2) {
        *t = x[0];
        *y = x[1];
        return YK_OK;
    }
    if (dt_s > 0)
        return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&rows->lines),
                          "%zu values in the row, but with a time step of %g s there must be one column", n, dt_s);
    return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&rows->lines),
                      "%zu values in the row, time and value are expected%s", n,
                      n == 1 ? "; one column needs a time step" : "");
}

/* SI per unit of a column, 1 where its header names none. */
static enum yk_status find_factor(const struct yk_rows *rows, size_t column, enum yk_quantity quantity, double *factor,
                                  bool *named, struct yk_err *err)
{
    char unit[24], text[32];

    *factor = 1;
    yk_rows_unit(rows, column, unit, sizeof unit);
    *named = *unit;
    if (!*unit)
        return YK_OK;
    snprintf(text, sizeof text, "1 %s", unit);
    if (yk_quantity_parse(text, quantity, factor, err))
        return yk_fail_within(err, (struct yk_where){rows->lines.name, rows->header_line, 0},
                              "column %zu: ", column + 1);
    return YK_OK;
}

static enum yk_status read_rows(struct yk_rows *rows, double dt_s, enum yk_quantity quantity, struct yk_growing *t,
                                struct yk_growing *y, bool *named, struct yk_err *err)
{
    enum yk_status st;
    double time = 0, value = 0, per_time = 1, per_value = 1;
    bool more, ignored;

    for (;;) {
        if ((st = yk_rows_next(rows, &more, err)) || !more)
            return st;
        if ((st = take_row(rows, dt_s, t->n, &time, &value, err)) ||
            (t->n == 0 && !(dt_s > 0) && (st = find_factor(rows, 0, YK_TIME, &per_time, &ignored, err))) ||
            (t->n == 0 && (st = find_factor(rows, dt_s > 0 ? 0 : 1, quantity, &per_value, named, err))))
            return st;
        time *= per_time;
        if (t->n > 0 && !(time > t->x[t->n - 1]))
            return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&rows->lines),
                              "time does not increase: %g s after %g s in the row before", time, t->x[t->n - 1]);
        if ((st = yk_growing_push(t, time, err)) || (st = yk_growing_push(y, value * per_value, err)))
            return st;
    }
}

enum yk_status yk_read_series_csv(const struct yk_text *text, double dt_s, enum yk_quantity quantity,
                                  struct yk_series *out, bool *named, struct yk_err *err)
{
    struct yk_growing t = {0}, y = {0};
    struct yk_rows rows;
    bool own = false;

    yk_rows_begin(&rows, text);
    enum yk_status st = read_rows(&rows, dt_s, quantity, &t, &y, &own, err);
    yk_rows_end(&rows);
    if (!st && y.n == 0)
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(text->name), "no numbers in the file");
    if (st) {
        yk_growing_free(&t);
        yk_growing_free(&y);
        return st;
    }
    if (named)
        *named = own;
    *out = (struct yk_series){.t = t.x, .y = y.x, .n = y.n};
    return YK_OK;
}

enum yk_status yk_read_series(const char *path, double dt_s, enum yk_quantity quantity, struct yk_series *out,
                              enum yk_unit_said *unit, struct yk_err *err)
{
    struct yk_text text;
    bool named = false;
    enum yk_status st;

    if (unit)
        *unit = YK_UNIT_UNSAID;
    if (yk_is_mat(path))
        return yk_read_series_mat(path, dt_s, out, err);
    if ((st = yk_text_load(&text, path, err)))
        return st;
    const bool at2 = yk_looks_like_at2(&text) || yk_name_ends_in(path, ".at2");
    if (at2 && dt_s > 0)
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "an AT2 file contains its step; leave `step` out");
    else if (at2)
        st = yk_read_at2(&text, out, &named, NULL, err);
    else
        st = yk_read_series_csv(&text, dt_s, quantity, out, &named, err);
    if (unit)
        *unit = named ? YK_UNIT_SAID : at2 ? YK_UNIT_OF_AT2 : YK_UNIT_UNSAID;
    yk_text_free(&text);
    return st;
}
