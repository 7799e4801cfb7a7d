/* A load from a table of a logger: time and one other column. Rows stand at their own times, however uneven, with
 * straight lines between them (docs/theory/signals.md, eq. (13)), so none is moved, left out or added.
 * docs/measured.md, section 1. */
#include "binary.h"

#include <yoke/number.h>
#include <yoke/series.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct table {
    struct yk_log_layout layout;
    double step_s;         /* rows are so far apart; 0: there is a column of times */
    long time, value;      /* columns; time: -1 with a step */
    bool dates;            /* times are dates */
    double seconds, scale; /* SI for one unit of time and of the value */
    bool named;            /* the file says the unit of the value */
    struct yk_log_rows rows;
    int paused;             /* line in which the recording paused; 0: it did not */
    struct yk_piece *field; /* of a row: LOG_COLUMNS + 2 */
};

static struct yk_where place(const struct table *t, int line)
{
    return (struct yk_where){t->layout.text.name, line, 0};
}

static bool is_stamp(const struct table *t, size_t column)
{
    struct yk_log_stamp stamp;
    double value;

    return !yk_log_number(&t->layout, t->field[column], &value) && yk_log_stamp(t->field[column], &stamp);
}

/* ---- columns ---- */

static enum yk_status refuse_count(const struct table *t, int line, size_t values, struct yk_err *err)
{
    if (t->step_s > 0)
        return yk_fail_at(err, YK_E_INPUT, place(t, line),
                          "%zu values in the row, but with a time step of %g s there must be one column", values,
                          t->step_s);
    return yk_fail_at(err, YK_E_INPUT, place(t, line), "%zu values in the row, time and value are expected%s", values,
                      values == 1  ? "; one column needs a time step"
                      : values > 2 ? "; name one of several columns behind the file, such as lab.csv:Force"
                                   : "");
}

static enum yk_status refuse_name(const struct table *t, const char *sought, struct yk_err *err)
{
    char names[200] = "", name[YK_LOG_NAME], unit[YK_LOG_UNIT];
    size_t used = 0;

    for (size_t c = 0; c < t->layout.fields && used < sizeof names; c++) {
        yk_log_title(&t->layout, c, name, unit);
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%.40s", used ? ", " : "", *name ? name : "-");
    }
    return yk_fail_at(err, YK_E_INPUT, place(t, t->layout.first_line + 1),
                      "there is no column '%.60s'; there are %s, or the numbers 1 to %zu", sought, names,
                      t->layout.fields);
}

/* A row that is none: the field that is no number. */
static enum yk_status refuse_row(const struct table *t, const struct yk_lines *lines, size_t fields, struct yk_err *err)
{
    double value;

    for (size_t c = 0; c < fields; c++)
        if (!yk_log_number(&t->layout, t->field[c], &value)) {
            const enum yk_status st = yk_token_real(lines, t->field[c], &value, err);

            return st ? st : yk_fail_at(err, YK_E_INPUT, yk_lines_where(lines), "column %zu is not a number", c + 1);
        }
    return YK_OK;
}

/* By title, else by number; -1: none. */
static long find_column(const struct table *t, const char *sought)
{
    char name[YK_LOG_NAME], unit[YK_LOG_UNIT], *end;
    const long number = strtol(sought, &end, 10);

    for (size_t c = 0; c < t->layout.fields; c++) {
        yk_log_title(&t->layout, c, name, unit);
        if (*name && strcasecmp(name, sought) == 0)
            return (long)c;
    }
    return *sought && !*end && number >= 1 && number <= (long)t->layout.fields ? number - 1 : -1;
}

/* A title, else dates, else the first column. */
static long find_time(const struct table *t, const bool *is_value)
{
    char name[YK_LOG_NAME], unit[YK_LOG_UNIT];
    long dates = -1, first = -1;

    for (size_t c = 0; c < t->layout.fields; c++) {
        yk_log_title(&t->layout, c, name, unit);
        if (is_value[c] && *name && yk_log_means(name, "time"))
            return (long)c;
        dates = dates < 0 && is_value[c] && is_stamp(t, c) ? (long)c : dates;
        first = first < 0 && is_value[c] ? (long)c : first;
    }
    return dates >= 0 ? dates : first;
}

static enum yk_status find_columns(struct table *t, const char *column, struct yk_err *err)
{
    struct yk_lines lines = {.name = t->layout.text.name, .p = t->layout.first, .line = t->layout.first_line};
    bool is_value[LOG_COLUMNS + 1] = {false};
    struct yk_piece line;
    size_t values = 0;

    lines.end = t->layout.text.data + t->layout.text.size;
    if (!yk_log_line(&t->layout, &lines, &line))
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(t->layout.text.name), "no numbers in the file");
    const size_t n = yk_log_fields(&t->layout, line, t->field, LOG_COLUMNS);
    for (size_t c = 0; c < n && c < t->layout.fields; c++) {
        double value;

        is_value[c] = yk_log_number(&t->layout, t->field[c], &value) || is_stamp(t, c) ||
                      yk_number_is_not_finite(t->field[c].begin, t->field[c].end);
        values += is_value[c];
    }
    if (values == 1 && !(t->step_s > 0))
        t->step_s = t->layout.interval_s; /* of the header */
    t->time = t->step_s > 0 ? -1 : find_time(t, is_value);
    t->dates = t->time >= 0 && is_stamp(t, (size_t)t->time);
    if (column) {
        t->value = find_column(t, column);
        if (t->value >= 0 && t->value == t->time)
            return yk_fail_at(err, YK_E_INPUT, place(t, lines.line), "column '%.60s' has the times", column);
        return t->value < 0 ? refuse_name(t, column, err) : YK_OK;
    }
    const size_t wanted = t->step_s > 0 ? 1 : 2;
    if (values < wanted && n == wanted && t->field[n - 1].begin < t->field[n - 1].end)
        return refuse_row(t, &lines, n, err);
    if (values != wanted)
        return refuse_count(t, lines.line, values, err);
    for (t->value = 0; !is_value[t->value] || t->value == t->time;)
        t->value++;
    return YK_OK;
}

/* ---- units ---- */

/* SI for one unit of a column, 1 where the file names none. */
static enum yk_status find_unit(const struct table *t, long column, enum yk_quantity quantity, double *factor,
                                bool *named, struct yk_err *err)
{
    const int line = t->layout.unit_line ? t->layout.unit_line : t->layout.title_line;
    char name[YK_LOG_NAME], unit[YK_LOG_UNIT], text[40];

    *factor = 1;
    yk_log_title(&t->layout, (size_t)column, name, unit);
    *named = *unit != 0;
    if (!*unit)
        return YK_OK;
    snprintf(text, sizeof text, "1 %s", unit);
    if (yk_quantity_parse(text, quantity, factor, err))
        return yk_fail_within(err, place(t, line), "column %ld: ", column + 1);
    return YK_OK;
}

static enum yk_status find_units(struct table *t, enum yk_quantity quantity, struct yk_err *err)
{
    bool ignored;

    t->seconds = 1;
    /* one row of letters that are units as well, such as t, m: names, unless the first is a time */
    if (!t->layout.title.begin && t->layout.unit.begin && t->time >= 0 && !t->dates &&
        find_unit(t, t->time, YK_TIME, &t->seconds, &ignored, NULL)) {
        t->layout.title = t->layout.unit;
        t->layout.title_line = t->layout.unit_line;
        t->layout.unit = (struct yk_piece){NULL, NULL};
        t->layout.unit_line = 0;
    }
    if (t->time >= 0 && !t->dates) {
        const enum yk_status st = find_unit(t, t->time, YK_TIME, &t->seconds, &ignored, err);

        if (st)
            return st;
    }
    return find_unit(t, t->value, quantity, &t->scale, &t->named, err);
}

/* ---- rows ---- */

static bool ends_in_unit(struct yk_piece line)
{
    return line.begin < line.end && line.end[-1] == ']';
}

/* Lines above the table are titles and words. Those that look like rows belong to it, or to nothing that can be read;
 * units above another row of titles would be lost. */
static enum yk_status check_above(const struct table *t, struct yk_err *err)
{
    const size_t first = (size_t)(t->time >= 0 ? t->time : t->value);
    struct yk_piece line, before = {NULL, NULL};
    struct yk_lines lines;

    yk_lines_begin(&lines, &t->layout.text);
    for (; yk_log_line(&t->layout, &lines, &line) && lines.line <= t->layout.first_line; before = line) {
        struct yk_lines next = lines;
        struct yk_piece row;
        size_t values;
        double value;
        const size_t core = yk_log_count(&t->layout, line, &values),
                     n = yk_log_fields(&t->layout, line, t->field, LOG_COLUMNS);
        const bool last = !yk_log_line(&t->layout, &next, &row) || next.line > t->layout.first_line;

        if (values > 0 && values == core && values == n)
            return refuse_count(t, lines.line, values, err);
        if (n != t->layout.fields)
            continue;
        if ((values > 0 && last) || (n > 1 && yk_log_number(&t->layout, t->field[first], &value)) ||
            (last && !t->layout.unit.begin && ends_in_unit(before) && !ends_in_unit(line)))
            return refuse_row(t, &lines, n, err);
    }
    return YK_OK;
}

static bool grow(void *array, size_t size, size_t room)
{
    void **at = array, *larger = realloc(*at, room * size);

    if (larger)
        *at = larger;
    return larger != NULL;
}

static enum yk_status make_room(struct table *t, struct yk_err *err)
{
    struct yk_log_rows *r = &t->rows;
    const size_t room = r->room ? 2 * r->room : 1024;

    if (!grow(&r->t, sizeof *r->t, room) || !grow(&r->line, sizeof *r->line, room) ||
        !grow(&r->x[0], sizeof(double), room) || (t->dates && !grow(&r->stamp, sizeof *r->stamp, room)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu rows", room);
    r->room = room;
    return YK_OK;
}

/* Words behind the values are passed over, unless they say that the recording paused. */
static enum yk_status check_rest(struct table *t, const struct yk_lines *lines, struct yk_piece row, size_t found,
                                 struct yk_err *err)
{
    size_t values;
    double value;

    if (t->paused)
        return yk_fail_at(err, YK_E_INPUT, place(t, t->paused),
                          "the recording paused here: a load is one record; cut out the part to use");
    for (size_t c = t->layout.fields; c < found; c++) {
        if (yk_log_number(&t->layout, t->field[c], &value)) {
            yk_log_count(&t->layout, row, &values);
            return refuse_count(t, lines->line, values, err);
        }
        for (const char *p = t->field[c].begin; p < t->field[c].end; p++)
            if (yk_piece_starts((struct yk_piece){p, t->field[c].end}, "pause"))
                t->paused = lines->line;
    }
    return YK_OK;
}

static enum yk_status take_value(const struct table *t, const struct yk_lines *lines, struct yk_piece row, long column,
                                 size_t found, double factor, double *value, struct yk_err *err)
{
    size_t values;

    yk_log_count(&t->layout, row, &values);
    if ((size_t)column >= found || t->field[column].begin == t->field[column].end)
        return refuse_count(t, lines->line, values, err);
    if (!yk_log_number(&t->layout, t->field[column], value) || !isfinite(*value)) {
        enum yk_status st = yk_token_real(lines, t->field[column], value, err);

        return st ? st : yk_fail_at(err, YK_E_INPUT, yk_lines_where(lines), "column %ld is not a number", column + 1);
    }
    *value *= factor;
    return YK_OK;
}

static enum yk_status take_row(struct table *t, const struct yk_lines *lines, struct yk_piece row, struct yk_err *err)
{
    struct yk_log_rows *r = &t->rows;
    const size_t found = yk_log_fields(&t->layout, row, t->field, LOG_COLUMNS + 1), k = r->n;
    enum yk_status st = check_rest(t, lines, row, found, err);

    r->line[k] = lines->line;
    if (st)
        return st;
    if (t->time < 0)
        r->t[k] = t->step_s * (double)k;
    else if (t->dates && ((size_t)t->time >= found || !yk_log_stamp(t->field[t->time], &r->stamp[k])))
        return yk_fail_at(err, YK_E_INPUT, yk_lines_where(lines), "column %ld is not a date", t->time + 1);
    else if (!t->dates && (st = take_value(t, lines, row, t->time, found, t->seconds, &r->t[k], err)))
        return st;
    if ((st = take_value(t, lines, row, t->value, found, t->scale, &r->x[0][k], err)))
        return st;
    if (t->time >= 0 && !t->dates && k > 0 && !(r->t[k] > r->t[k - 1]))
        return yk_fail_at(err, YK_E_INPUT, yk_lines_where(lines),
                          "time does not increase: %g s after %g s in the row before", r->t[k], r->t[k - 1]);
    r->n++;
    return YK_OK;
}

/* Dates become seconds; where they are too coarse to tell rows apart, the interval of the header counts. */
static enum yk_status take_dates(struct table *t, struct yk_err *err)
{
    struct yk_log_rows *r = &t->rows;
    size_t equal = 0;
    const enum yk_status st = yk_log_date(t->layout.text.name, r, NULL, "write it as 2026-01-31", err);

    for (size_t k = 1; k < r->n && !st; k++)
        equal += r->t[k] == r->t[k - 1];
    for (size_t k = 0; k < r->n && !st && t->layout.interval_s > 0 && 2 * equal > r->n; k++)
        r->t[k] = (double)k * t->layout.interval_s;
    for (size_t k = 1; k < r->n && !st; k++)
        if (!(r->t[k] > r->t[k - 1]))
            return yk_fail_at(err, YK_E_INPUT, place(t, r->line[k]),
                              "time does not increase: %g s after %g s in the row before", r->t[k], r->t[k - 1]);
    return st;
}

static enum yk_status read_rows(struct table *t, struct yk_err *err)
{
    struct yk_lines lines = {.name = t->layout.text.name, .p = t->layout.first, .line = t->layout.first_line};
    struct yk_piece line;
    enum yk_status st = YK_OK;

    lines.end = t->layout.text.data + t->layout.text.size;
    while (!st && yk_log_line(&t->layout, &lines, &line))
        if (t->rows.n < t->rows.room || !(st = make_room(t, err)))
            st = take_row(t, &lines, line, err);
    return st || !t->dates ? st : take_dates(t, err);
}

static enum yk_status parse(struct table *t, const char *column, enum yk_quantity quantity, struct yk_err *err)
{
    const struct yk_log_ask ask = {0};
    enum yk_status st;

    if (!(t->field = malloc((LOG_COLUMNS + 2) * sizeof *t->field)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = yk_log_find_table(&t->layout, &ask, err)) || (st = find_columns(t, column, err)) ||
        (st = check_above(t, err)) || (st = find_units(t, quantity, err)))
        return st;
    return read_rows(t, err);
}

enum yk_status yk_read_series_column(const struct yk_text *text, const char *column, double dt_s,
                                     enum yk_quantity quantity, struct yk_series *out, bool *named, struct yk_err *err)
{
    const bool packed = yk_text_is_packed(text) || yk_log_is_binary(text);
    struct table t = {.layout = {.text = *text, .plain = true}, .step_s = dt_s};
    struct yk_text *own = &t.layout.text;
    enum yk_status st = YK_OK;

    if (packed) {
        if (!(own->data = malloc(text->size + 1)))
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        memcpy(own->data, text->data, text->size);
        own->data[text->size] = 0;
        st = yk_text_unpack(own, err);
        st = st ? st : yk_log_unpack(own, err);
    }
    st = st ? st : parse(&t, column, quantity, err);
    if (packed)
        yk_text_free(own);
    free(t.field);
    free(t.rows.stamp);
    free(t.rows.line);
    if (st) {
        free(t.rows.t);
        free(t.rows.x[0]);
        return st;
    }
    if (named)
        *named = t.named;
    *out = (struct yk_series){.t = t.rows.t, .y = t.rows.x[0], .n = t.rows.n};
    return YK_OK;
}

enum yk_status yk_read_series_csv(const struct yk_text *text, double dt_s, enum yk_quantity quantity,
                                  struct yk_series *out, bool *named, struct yk_err *err)
{
    return yk_read_series_column(text, NULL, dt_s, quantity, out, named, err);
}
