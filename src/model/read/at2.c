/* Ground motions in the PEER AT2 layout: a few header lines, then accelerations in free format.
 *
 * The count and the step are sought in the first ten lines, since files differ in where they stand:
 *     NPTS=  5590, DT= .01000 SEC        4000    0.0100    NPTS, DT        npts= 12000, dt= .00500
 * The line that names the unit may come before or after them. Data are numbers with E or D exponents, separated by
 * blanks, commas or only by their signs. 1 g = 9.80665 m/s2. */
#include "scan.h"

#include <yoke/number.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_LINES = 10, COUNT_MAX = 1000000000, STEP_MAX_S = 1000000 };

struct at2 {
    struct yk_lines lines;
    double count, dt_s; /* 0 while unknown                      */
    double unit;        /* of the file in m/s2, 0 while unknown */
    struct yk_growing y;
};

/* Units that may follow "UNITS OF"; `other`: the quantity of a unit that is no acceleration. */
static const struct {
    const char *text;
    double factor;
    const char *other;
} record_units[] = {
    {"g", 9.80665, NULL},        {"g's", 9.80665, NULL},     {"gal", 0.01, NULL},         {"cm/s/s", 0.01, NULL},
    {"cm/s2", 0.01, NULL},       {"cm/s^2", 0.01, NULL},     {"cm/s**2", 0.01, NULL},     {"cm/sec2", 0.01, NULL},
    {"cm/sec/sec", 0.01, NULL},  {"cm/sec^2", 0.01, NULL},   {"cm/sec**2", 0.01, NULL},   {"m/s/s", 1, NULL},
    {"m/s2", 1, NULL},           {"m/s^2", 1, NULL},         {"m/s**2", 1, NULL},         {"m/sec2", 1, NULL},
    {"m/sec/sec", 1, NULL},      {"cm/s", 0, "a velocity"},  {"cm/sec", 0, "a velocity"}, {"m/s", 0, "a velocity"},
    {"cm", 0, "a displacement"}, {"m", 0, "a displacement"},
};

/* Rest of the line behind `word`, in any case, as a word of its own; NULL: the line does not have it. */
static const char *after_word(struct yk_piece line, const char *word)
{
    size_t length = strlen(word);

    for (const char *p = line.begin; (size_t)(line.end - p) >= length; p++) {
        bool starts = p == line.begin || !isalnum((unsigned char)p[-1]);

        if (starts && yk_piece_starts((struct yk_piece){p, line.end}, word) &&
            (p + length == line.end || !isalnum((unsigned char)p[length])))
            return p + length;
    }
    return NULL;
}

/* The number right after a keyword and its '=' or ':', and a bracketed unit between them. */
static bool number_after(struct yk_piece line, const char *word, double *value)
{
    const char *p = after_word(line, word);

    if (!p)
        return false;
    if (p < line.end && *p == '(') {
        p = memchr(p, ')', (size_t)(line.end - p));
        if (!p)
            return false;
        p++;
    }
    while (p < line.end && (yk_is_blank(*p) || *p == '=' || *p == ':'))
        p++;
    return yk_number_scan(p, line.end, value) != NULL;
}

/* "4000 0.0100 NPTS, DT": two numbers, then their names in the same order. */
static bool numbers_before(struct yk_piece line, double *count, double *dt)
{
    const char *npts = after_word(line, "NPTS"), *step = after_word(line, "DT");
    const char *p = line.begin;
    double value[2];

    if (!npts || !step)
        return false;
    for (int i = 0; i < 2; i++) {
        p = yk_number_scan(p, line.end, &value[i]);
        if (!p)
            return false;
        while (p < line.end && (yk_is_blank(*p) || *p == ','))
            p++;
    }
    *count = value[npts < step ? 0 : 1];
    *dt = value[npts < step ? 1 : 0];
    return true;
}

static enum yk_status take_count(struct at2 *a, double count, struct yk_err *err)
{
    if (!(count >= 1 && count <= COUNT_MAX && count == floor(count)))
        return yk_fail_at(err, YK_E_RANGE, yk_lines_where(&a->lines), "NPTS = %g is not a whole number from 1 to %d",
                          count, COUNT_MAX);
    a->count = count;
    return YK_OK;
}

static enum yk_status take_step(struct at2 *a, double dt, struct yk_err *err)
{
    if (!(dt > 0 && dt <= STEP_MAX_S))
        return yk_fail_at(err, YK_E_RANGE, yk_lines_where(&a->lines), "DT = %g s is outside 0 .. %d s", dt, STEP_MAX_S);
    a->dt_s = dt;
    return YK_OK;
}

static enum yk_status read_counts(struct at2 *a, struct yk_piece line, struct yk_err *err)
{
    double count, dt;
    enum yk_status st = YK_OK;

    if (numbers_before(line, &count, &dt)) {
        st = take_count(a, count, err);
        return st ? st : take_step(a, dt, err);
    }
    if (number_after(line, "NPTS", &count))
        st = take_count(a, count, err);
    if (!st && number_after(line, "DT", &dt))
        st = take_step(a, dt, err);
    return st;
}

/* "... IN UNITS OF G": the word after UNITS, without what punctuates it. */
static enum yk_status read_units(struct at2 *a, struct yk_piece line, struct yk_err *err)
{
    const char *p = after_word(line, "UNITS"), *end;

    if (!p)
        return YK_OK;
    while (p < line.end && (yk_is_blank(*p) || strchr("=:(", *p)))
        p++;
    if (yk_piece_starts((struct yk_piece){p, line.end}, "OF "))
        p += 3;
    while (p < line.end && yk_is_blank(*p))
        p++;
    for (end = p; end < line.end && !yk_is_blank(*end) && !strchr(",;)", *end); end++)
        ;
    while (end > p && end[-1] == '.')
        end--;
    for (size_t i = 0; i < sizeof record_units / sizeof record_units[0]; i++)
        if (yk_piece_is((struct yk_piece){p, end}, record_units[i].text)) {
            a->unit = record_units[i].factor;
            if (record_units[i].other)
                return yk_fail_at(err, YK_E_UNIT, yk_lines_where(&a->lines),
                                  "the record is %s in %s, but an acceleration is expected", record_units[i].other,
                                  record_units[i].text);
            return YK_OK;
        }
    return yk_fail_at(err, YK_E_UNIT, yk_lines_where(&a->lines),
                      "unknown unit '%s' of the record; known are g, cm/s2, m/s2",
                      yk_quote((struct yk_piece){p, end}).text);
}

static enum yk_status read_header(struct at2 *a, struct yk_err *err)
{
    struct yk_piece line;
    enum yk_status st;

    while (a->lines.line < HEADER_LINES && yk_lines_next(&a->lines, &line)) {
        if ((st = read_counts(a, line, err)) || (st = read_units(a, line, err)))
            return st;
        if (a->count > 0 && a->dt_s > 0)
            return YK_OK;
    }
    return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(a->lines.name),
                      "%s not found in the first %d lines; is this a PEER AT2 file?",
                      a->count > 0  ? "DT"
                      : a->dt_s > 0 ? "NPTS"
                                    : "NPTS and DT",
                      HEADER_LINES);
}

static enum yk_status read_data(struct at2 *a, struct yk_piece line, struct yk_err *err)
{
    const char *p = line.begin;
    enum yk_status st;
    double value;

    while (p < line.end) {
        const char *token = p, *stop;

        p = yk_number_scan(p, line.end, &value);
        bool ends = p && (p == line.end || yk_is_blank(*p) || *p == ',' || *p == '+' || *p == '-');
        if (!ends || !isfinite(value)) {
            for (stop = token; stop < line.end && !yk_is_blank(*stop) && *stop != ','; stop++)
                ;
            st = yk_token_real(&a->lines, (struct yk_piece){token, stop}, &value, err);
            return st ? st : YK_E_INPUT;
        }
        if ((st = yk_growing_push(&a->y, value, err)))
            return st;
        while (p < line.end && (yk_is_blank(*p) || *p == ','))
            p++;
    }
    return YK_OK;
}

/* Lines between the header and the first number may still name the unit. */
static enum yk_status read_body(struct at2 *a, struct yk_err *err)
{
    struct yk_piece line;
    enum yk_status st;
    double value;

    while (yk_lines_next(&a->lines, &line)) {
        bool text = a->y.n == 0 && !yk_number_scan(line.begin, line.end, &value);

        if ((st = text ? read_units(a, line, err) : read_data(a, line, err)))
            return st;
    }
    if (a->y.n == 0)
        return yk_fail_at(err, YK_E_INPUT, yk_lines_where(&a->lines), "the file ends before the first value");
    return YK_OK;
}

/* A record that was cut off, or that something was appended to, is another earthquake. */
static enum yk_status check_count(struct at2 *a, size_t *beyond, struct yk_err *err)
{
    const bool more = beyond && (double)a->y.n > a->count;

    if (beyond)
        *beyond = more ? a->y.n - (size_t)a->count : 0;
    if (more)
        a->y.n = (size_t)a->count;
    if ((double)a->y.n == a->count)
        return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(a->lines.name), "NPTS declares %.0f values, but the file has %zu: %s",
                      a->count, a->y.n,
                      (double)a->y.n < a->count ? "it is cut off; get the whole record, or correct NPTS"
                                                : "some of them do not belong to the record; remove them, or correct "
                                                  "NPTS");
}

/* Scales to m/s2, where the unit is known, and puts the times beside. */
static enum yk_status store(struct at2 *a, struct yk_series *out, struct yk_err *err)
{
    const double unit = a->unit > 0 ? a->unit : 1;
    double *t = malloc(a->y.n * sizeof *t);

    if (!t)
        return yk_fail_at(err, YK_E_MEMORY, YK_IN_FILE(a->lines.name), "no memory for %zu values", a->y.n);
    for (size_t i = 0; i < a->y.n; i++) {
        t[i] = a->dt_s * (double)i;
        a->y.x[i] *= unit;
        if (!isfinite(a->y.x[i])) {
            free(t);
            return yk_fail_at(err, YK_E_RANGE, YK_IN_FILE(a->lines.name), "value %zu is too large", i + 1);
        }
    }
    *out = (struct yk_series){.t = t, .y = a->y.x, .n = a->y.n};
    a->y = (struct yk_growing){0};
    return YK_OK;
}

enum yk_status yk_read_at2(const struct yk_text *text, struct yk_series *out, bool *named, size_t *beyond,
                           struct yk_err *err)
{
    struct at2 a = {.count = 0};
    enum yk_status st;

    yk_lines_begin(&a.lines, text);
    if (!(st = read_header(&a, err)) && !(st = read_body(&a, err)) && !(st = check_count(&a, beyond, err)))
        st = store(&a, out, err);
    *named = a.unit > 0;
    yk_growing_free(&a.y);
    return st;
}

bool yk_looks_like_at2(const struct yk_text *text)
{
    struct yk_lines lines;
    struct yk_piece line;

    yk_lines_begin(&lines, text);
    while (lines.line < HEADER_LINES && yk_lines_next(&lines, &line))
        if (after_word(line, "NPTS"))
            return true;
    return false;
}
