/* The time of logger files: dates, jitter, gaps and pauses. docs/measured.md, section 1. Units: s. */
#include "log.h"

#include <yoke/number.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY           86400.0
#define EVEN          0.1 /* of a step: jitter below is a matter of digits and clocks */
#define GAP           5.0 /* steps: a new record begins */
#define SHORTEST_S    2.0 /* record that is kept beside others */
#define COARSE_STAMPS 0.5 /* share of equal times from which on the sampling interval of the header counts */

/* ---- dates ---- */

static bool take_number(const char **p, const char *end, int most, int *number)
{
    int n = 0;

    for (*number = 0; *p < end && **p >= '0' && **p <= '9' && n < most; n++)
        *number = 10 * *number + *(*p)++ - '0';
    return n > 0;
}

/* HH:MM:SS.mmm, with AM or PM, with a zone that is passed over */
static bool take_clock(const char **p, const char *end, double *s)
{
    int hour, minute, second = 0;
    double part = 0, weight = 0.1;

    if (!take_number(p, end, 2, &hour) || *p >= end || *(*p)++ != ':' || !take_number(p, end, 2, &minute))
        return false;
    if (*p < end && **p == ':') {
        ++*p;
        if (!take_number(p, end, 2, &second))
            return false;
        if (*p < end && (**p == '.' || **p == ','))
            for (++*p; *p < end && **p >= '0' && **p <= '9'; weight /= 10)
                part += weight * (*(*p)++ - '0');
    }
    struct yk_piece rest = yk_piece_trim((struct yk_piece){*p, end});

    if (yk_piece_is(rest, "PM") || yk_piece_is(rest, "AM")) {
        hour = hour % 12 + (yk_piece_is(rest, "PM") ? 12 : 0);
        *p = end;
    } else if (rest.begin < end && (*rest.begin == 'Z' || *rest.begin == '+' || *rest.begin == '-')) {
        *p = end;
    }
    *s = 3600.0 * hour + 60.0 * minute + second + part;
    return *p == end && hour < 24 && minute < 60 && second < 61;
}

bool yk_log_stamp(struct yk_piece field, struct yk_log_stamp *stamp)
{
    const char *p = field.begin, *end = field.end;
    int first, second, third;

    *stamp = (struct yk_log_stamp){0};
    if (field.end - field.begin < 5 || field.end - field.begin > 40)
        return false;
    if (take_clock(&p, end, &stamp->s))
        return true;
    p = field.begin;
    if (!take_number(&p, end, 4, &first) || p >= end || !(*p == '/' || *p == '-' || *p == '.'))
        return false;
    const char mark = *p++;
    if (!take_number(&p, end, 2, &second) || p >= end || *p++ != mark || !take_number(&p, end, 4, &third))
        return false;
    stamp->is_date = true;
    if (first > 31) { /* ISO 8601 */
        stamp->y = first;
        stamp->a = third;
        stamp->b = second;
    } else {
        stamp->y = third;
        stamp->a = first;
        stamp->b = second;
    }
    if (stamp->a > 31 || stamp->b > 31 || (p < end && *p != ' ' && *p != 'T' && *p != '_'))
        return false;
    while (p < end && (*p == ' ' || *p == 'T' || *p == '_'))
        p++;
    return p == end || take_clock(&p, end, &stamp->s);
}

/* Days since an epoch of the Gregorian calendar. */
static double days(int y, int m, int d)
{
    const int a = (14 - m) / 12, year = y + 4800 - a, month = m + 12 * a - 3;

    return d + (153 * month + 2) / 5 + 365.0 * year + year / 4 - year / 100 + year / 400;
}

/* Is the first number the day? From values above 12; it does not matter while the date stays the same. */
static enum yk_status find_order(const char *name, const struct yk_log_rows *rows, const char *order, const char *hint,
                                 bool *day_first, struct yk_err *err)
{
    const struct yk_log_stamp *s = rows->stamp;
    bool changes = false, first = false, second = false;

    for (size_t k = 0; k < rows->n; k++) {
        changes |= s[k].a != s[0].a || s[k].b != s[0].b;
        first |= s[k].a > 12;
        second |= s[k].b > 12;
    }
    *day_first = order ? strcmp(order, "dmy") == 0 : first;
    if (first && second)
        return yk_fail_at(err, YK_E_INPUT, (struct yk_where){name, rows->line[0], 0},
                          "dates have a day above 12 at either place");
    if (order && ((*day_first && second) || (!*day_first && first)))
        return yk_fail_at(err, YK_E_INPUT, (struct yk_where){name, rows->line[0], 0},
                          "dates have a month above 12 with --date %s", order);
    if (changes && !first && !second && !order)
        return yk_fail_at(err, YK_E_INPUT, (struct yk_where){name, rows->line[0], 0},
                          "which number of the date is the day? %s", hint);
    if (second)
        *day_first = false;
    return YK_OK;
}

enum yk_status yk_log_date(const char *name, struct yk_log_rows *rows, const char *order, const char *hint,
                           struct yk_err *err)
{
    const struct yk_log_stamp *s = rows->stamp;
    bool day_first;
    double first_day = 0, first_s = 0, midnight = 0; /* apart: seconds of centuries have no microseconds */
    enum yk_status st = find_order(name, rows, order, hint, &day_first, err);

    for (size_t k = 0; k < rows->n && !st; k++) {
        const int month = day_first ? s[k].b : s[k].a, day = day_first ? s[k].a : s[k].b;
        const double at = s[k].is_date ? days(s[k].y, month, day) : 0;

        if (!s[k].is_date && k > 0 && s[k].s < s[k - 1].s - 0.5 * DAY) /* a clock alone, past midnight */
            midnight += DAY;
        if (k == 0) {
            first_day = at;
            first_s = s[k].s;
        }
        rows->t[k] = DAY * (at - first_day) + midnight + (s[k].s - first_s);
    }
    return st;
}

/* ---- even rows ---- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Rows with the time of the row before are dropped, replace it, or count in its mean. */
static size_t drop_equal(struct yk_log_rows *rows, const char *equal, size_t roles)
{
    const bool last = equal && strcmp(equal, "last") == 0, mean = equal && strcmp(equal, "mean") == 0;
    size_t n = 0, same = 1;

    for (size_t k = 0; k < rows->n; k++) {
        if (n > 0 && rows->t[k] == rows->t[n - 1] && !rows->cut[k]) {
            same++;
            for (size_t c = 0; c < roles; c++)
                if (rows->x[c] && (last || mean))
                    rows->x[c][n - 1] += (rows->x[c][k] - rows->x[c][n - 1]) / (mean ? (double)same : 1);
            continue;
        }
        same = 1;
        rows->t[n] = rows->t[k];
        rows->line[n] = rows->line[k];
        rows->cut[n] = rows->cut[k];
        for (size_t c = 0; c < roles; c++)
            if (rows->x[c])
                rows->x[c][n] = rows->x[c][k];
        n++;
    }
    const size_t dropped = rows->n - n;
    rows->n = n;
    return dropped;
}

static enum yk_status find_step(const char *name, const struct yk_log_rows *rows, double *step, struct yk_err *err)
{
    double *d = malloc(rows->n * sizeof *d);
    size_t n = 0;

    if (!d)
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu rows", rows->n);
    for (size_t k = 1; k < rows->n; k++) {
        if (rows->t[k] < rows->t[k - 1] && !rows->cut[k]) {
            free(d);
            return yk_fail_at(err, YK_E_INPUT, (struct yk_where){name, rows->line[k], 0},
                              "time goes back, from %.9g to %.9g s", rows->t[k - 1], rows->t[k]);
        }
        if (!rows->cut[k])
            d[n++] = rows->t[k] - rows->t[k - 1];
    }
    qsort(d, n, sizeof *d, by_size);
    *step = n ? d[n / 2] : 0;
    free(d);
    return *step > 0 ? YK_OK
                     : yk_fail_at(err, YK_E_INPUT, (struct yk_where){name, rows->line[0], 0}, "time does not increase");
}

/* The largest distance of the rows from even ones, and its rms [steps]; *mean: the step that suits the record. */
static double unevenness(const struct yk_log_rows *rows, size_t from, size_t to, double step, double *mean, double *rms)
{
    double worst = 0, sum = 0;

    *mean = to - from > 1 ? (rows->t[to - 1] - rows->t[from]) / (double)(to - from - 1) : step;
    for (size_t k = from; k < to; k++) {
        const double off = (rows->t[k] - rows->t[from] - (double)(k - from) * *mean) / step;

        worst = fmax(worst, fabs(off));
        sum += off * off;
    }
    *rms = sqrt(sum / (double)(to - from));
    return worst;
}

/* Cubic through four rows around the time at; k: the row before it. */
static double cubic(const double *t, const double *x, size_t from, size_t to, size_t k, double at)
{
    const size_t four = to - from < 4 ? to - from : 4;
    size_t first = k > from ? k - 1 : from;
    double sum = 0;

    if (first + four > to)
        first = to - four;
    for (size_t i = 0; i < four; i++) {
        double w = 1;

        for (size_t j = 0; j < four; j++)
            if (j != i)
                w *= (at - t[first + j]) / (t[first + i] - t[first + j]);
        sum += w * x[first + i];
    }
    return sum;
}

static size_t rows_in(const struct yk_log_rows *rows, size_t from, size_t to, double step, bool even)
{
    return even ? to - from : (size_t)floor((rows->t[to - 1] - rows->t[from]) / step + 1e-6) + 1;
}

/* Appends a record to the log. */
static void put_record(const struct yk_log_rows *rows, size_t from, size_t to, bool even, double mean,
                       struct yk_log *log)
{
    const size_t n = rows_in(rows, from, to, log->step_s, even);

    for (size_t j = 0, k = from; j < n; j++) {
        const double at = rows->t[from] + (double)j * (even ? mean : log->step_s);

        while (k + 2 < to && rows->t[k + 1] <= at)
            k++;
        log->time[log->rows + j] = at;
        for (size_t c = 0; c < log->count; c++)
            if (rows->x[c])
                log->column[c].x[log->rows + j] =
                    even ? rows->x[c][from + j] : cubic(rows->t, rows->x[c], from, to, k, at);
    }
    log->rows += n;
}

/* One even record takes the columns over as they are. */
static bool take_over(struct yk_log_rows *rows, struct yk_log *log)
{
    double mean, rms;

    if (unevenness(rows, 0, rows->n, log->step_s, &mean, &rms) > EVEN || !(log->first = malloc(2 * sizeof *log->first)))
        return false;
    log->first[0] = 0;
    log->first[1] = log->rows = rows->n;
    log->segments = 1;
    log->time = rows->t;
    for (size_t k = 1; k < rows->n; k++)
        log->time[k] = log->time[0] + (double)k * mean;
    rows->t = NULL;
    for (size_t c = 0; c < log->count; c++) {
        log->column[c].x = rows->x[c];
        rows->x[c] = NULL;
    }
    return true;
}

static enum yk_status reserve(const struct yk_log_rows *rows, struct yk_log *log, size_t room, size_t records,
                              struct yk_err *err)
{
    bool good = (log->time = malloc((room + 1) * sizeof *log->time)) != NULL &&
                (log->first = malloc((records + 1) * sizeof *log->first)) != NULL;

    for (size_t c = 0; c < log->count && good; c++)
        if (rows->x[c])
            good = (log->column[c].x = malloc((room + 1) * sizeof(double))) != NULL;
    return good ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for %zu rows", room);
}

/* One pass counts room and records (time is NULL), the next one fills them. */
static enum yk_status pass(const struct yk_log_rows *rows, struct yk_log *log, size_t *room, size_t *records,
                           struct yk_err *err)
{
    const double step = log->step_s;
    double worst_rms = 0;
    size_t uneven = 0, gaps = 0;
    enum yk_status st = YK_OK;

    *room = *records = 0;
    for (size_t from = 0, to; from < rows->n && !st; from = to) {
        double mean, rms;

        for (to = from + 1; to < rows->n && !rows->cut[to] && rows->t[to] - rows->t[to - 1] <= GAP * step; to++)
            ;
        const bool even = unevenness(rows, from, to, step, &mean, &rms) <= EVEN;

        gaps += to < rows->n;
        if (rows->t[to - 1] - rows->t[from] < SHORTEST_S && (from > 0 || to < rows->n)) {
            if (log->time)
                st = yk_log_note(log, err, "the record of lines %d to %d lasts %.3g s: left out", rows->line[from],
                                 rows->line[to - 1], rows->t[to - 1] - rows->t[from]);
            continue;
        }
        uneven += !even;
        worst_rms = fmax(worst_rms, even ? 0 : rms);
        *room += rows_in(rows, from, to, step, even);
        if (log->time) {
            log->first[log->segments++] = log->rows;
            put_record(rows, from, to, even, mean, log);
            log->first[log->segments] = log->rows;
        }
        ++*records;
    }
    if (log->time && gaps && !st)
        st = yk_log_note(log, err, "%zu gaps or pauses: %zu independent records", gaps, *records);
    if (log->time && uneven && !st)
        st = yk_log_note(log, err, "times are uneven (rms %.2g of a step): interpolated to %.6g Hz", worst_rms,
                         1 / step);
    return st;
}

enum yk_status yk_log_even(const char *name, struct yk_log_rows *rows, const char *equal, struct yk_log *log,
                           struct yk_err *err)
{
    const size_t dropped = drop_equal(rows, equal, log->count);
    size_t room = 0, records = 0;
    enum yk_status st = YK_OK;

    if (dropped && (st = yk_log_note(log, err, "%zu rows have the time of another row: %s", dropped,
                                     equal ? equal : "the first is kept")))
        return st;
    if (rows->n < 10)
        return yk_fail_at(err, YK_E_INPUT, (struct yk_where){name, rows->n ? rows->line[0] : 0, 0},
                          "%zu rows are too few; 10 are needed", rows->n);
    if ((st = find_step(name, rows, &log->step_s, err)) || (st = pass(rows, log, &room, &records, err)))
        return st;
    if (records == 0)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(name), "no record between gaps lasts %g s", SHORTEST_S);
    if (room > 4 * rows->n + 1000)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(name), "times are too uneven: %zu even rows instead of %zu", room,
                          rows->n);
    if (records > 1 || room != rows->n || !take_over(rows, log)) {
        if ((st = reserve(rows, log, room, records, err)))
            return st;
        st = pass(rows, log, &room, &records, err);
    }
    if (!st && log->segments == 1 && log->rows > 1 && rows->n == log->rows)
        log->step_s = (log->time[log->rows - 1] - log->time[0]) / (double)(log->rows - 1);
    return st;
}
