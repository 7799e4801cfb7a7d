/* COSMOS V1 and V2 (format v01.20): text, integer and real headers of declared lengths, comments, then values of a
 * declared width up to "End-of-data". Headers count from 1: integers 2 kind of data, 3 unit; reals 62 step [ms], 64
 * peak. Several channels may follow each other. */
#include "parts.h"

#include <yoke/number.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>

enum { INTEGERS = 3, REALS = 64, KIND = 1, UNIT = 2, STEP = 61, PEAK = 63 };

/* "(8F10.5)", "(5E15.6)", "(1P,6E12.4)": fields on a line, and their width. */
static bool layout_of(struct yk_piece line, size_t *per_line, size_t *width)
{
    const char *p = motion_behind(line, "Format="), *q;

    for (; p && p < line.end; p++)
        if (isalpha((unsigned char)*p) && p > line.begin && isdigit((unsigned char)p[-1]) && p + 1 < line.end &&
            isdigit((unsigned char)p[1])) {
            for (q = p; isdigit((unsigned char)q[-1]); q--)
                ;
            for (*per_line = 0; q < p; q++)
                *per_line = 10 * *per_line + (size_t)(*q - '0');
            for (*width = 0, q = p + 1; q < line.end && isdigit((unsigned char)*q); q++)
                *width = 10 * *width + (size_t)(*q - '0');
            return *per_line >= 1 && *per_line <= 1000 && *width >= 1 && *width <= 1000;
        }
    return false;
}

static bool stops(struct yk_piece line)
{
    return yk_piece_starts(line, "End-of-data") || yk_piece_starts(line, "/&");
}

static bool begins(struct yk_piece line)
{
    return motion_behind(line, "(Format v") != NULL;
}

/* The line where a channel begins, by its number from 1; those of acceleration count, if there are any. */
static size_t choose(struct found *found, size_t wanted)
{
    const struct lines *lines = found->lines;
    size_t count = 0, at = 0;

    for (size_t i = 0; i < lines->count; i++)
        if (begins(lines->line[i]) && motion_behind(lines->line[i], "accel")) {
            at = ++count == wanted ? i : at;
        }
    found->motion->channels = count ? count : 1;
    if (count > 1 && !found->ask->channel)
        motion_note(found->motion, "the file has %zu channels; the first is read", count);
    return at;
}

/* A header of numbers, "100 Integer-header values follow on 10 lines, Format= (10I8)": *next is the line after it. */
static enum yk_status read_numbers(const struct found *found, size_t *next, const char *name, double *value,
                                   size_t needed, struct yk_err *err)
{
    const struct lines *lines = found->lines;
    const struct yk_piece line = motion_line(lines, *next);
    size_t per_line, width;
    double count, rows = 0;
    const char *p = motion_number(line.begin, line.end, &count), *on = motion_behind(line, " on");
    enum yk_status st;

    if (*next >= lines->count)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(lines->name), "the file ends before its %s values: it is cut",
                          name);
    if (!p || !motion_behind(line, name) || !on || !motion_number(on, line.end, &rows) ||
        !layout_of(line, &per_line, &width) || !(count >= (double)needed && count < 1e6 && rows >= 1 && rows < 1e6))
        return yk_fail_at(err, YK_E_INPUT, motion_place(lines, *next),
                          "the line should announce at least %zu %s values, their lines and format", needed, name);
    st = motion_header(lines, *next + 1, per_line, width, value, needed, name, err);
    *next += 1 + (size_t)rows;
    return st;
}

/* "24 acceleration pts, approx 0 secs, units=cm/sec2(04),Format=(8F10.5)" */
static enum yk_status read_values(struct found *found, size_t from, struct yk_err *err)
{
    const struct yk_piece line = motion_line(found->lines, from);
    size_t per_line, width, next;

    found->declared_at = from;
    if (!motion_behind(line, "pts") || !motion_number(line.begin, line.end, &found->declared) ||
        !layout_of(line, &per_line, &width))
        return yk_fail_at(err, YK_E_INPUT, motion_place(found->lines, from),
                          from >= found->lines->count ? "the file ends before its values: it is cut"
                                                      : "the line should announce the number of points and their "
                                                        "format");
    if (!motion_behind(line, "accel"))
        return motion_refuse(found, from, motion_behind(line, "vel") ? "velocity" : "displacement", err);
    return motion_fixed(found, from + 1, per_line, width, stops, &next, err);
}

static enum yk_status take_unit(struct found *found, double unit, size_t line, struct yk_err *err)
{
    static const struct {
        int code;
        double factor;
    } codes[] = {{2, STANDARD_GRAVITY}, {4, 0.01}, {10, 0.01}, {11, 1e-3 * STANDARD_GRAVITY}};

    if (unit == 50)
        return yk_fail_at(err, YK_E_UNSUPPORTED, motion_place(found->lines, line),
                          "the values are raw counts (V0); a record in physical units (V1 or V2) is needed");
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (unit == codes[i].code) {
            found->unit = codes[i].factor;
            return YK_OK;
        }
    return yk_fail_at(err, YK_E_UNIT, motion_place(found->lines, line),
                      "unit %g of the integer header is unknown; known are 2 (g), 4 (cm/s2), 10 (gal), 11 (mg)", unit);
}

enum yk_status motion_cosmos(struct found *found, struct yk_err *err)
{
    const struct lines *lines = found->lines;
    const size_t first = choose(found, found->ask->channel ? (size_t)found->ask->channel : 1);
    const char *with = motion_behind(motion_line(lines, first), "with");
    double integers[INTEGERS], reals[REALS], text_lines, comments;
    enum yk_status st;
    size_t at;

    if (!with || !motion_number(with, motion_line(lines, first).end, &text_lines) ||
        !(text_lines >= 1 && text_lines < 1e4))
        return yk_fail_at(err, YK_E_INPUT, motion_place(lines, first),
                          "the first line should say how many lines of text there are: \"with 13 text lines\"");
    at = first + (size_t)text_lines;
    const size_t numbers = at;
    if ((st = read_numbers(found, &at, "Integer-header", integers, INTEGERS, err)))
        return st;
    if (integers[KIND] != 1)
        return motion_refuse(found, numbers + 1,
                             integers[KIND] == 2   ? "velocity"
                             : integers[KIND] == 3 ? "displacement"
                                                   : "quantity other than acceleration",
                             err);
    if ((st = take_unit(found, integers[UNIT], numbers + 1, err)) ||
        (st = read_numbers(found, &at, "Real-header", reals, REALS, err)))
        return st;
    found->motion->step_s = 1e-3 * reals[STEP];
    if (fabs(reals[PEAK]) < 1e30 && reals[PEAK] != -999)
        found->peak = reals[PEAK];
    const struct yk_piece line = motion_line(lines, at);
    if (!motion_behind(line, "Comment") || !motion_number(line.begin, line.end, &comments) ||
        !(comments >= 0 && comments < 1e6))
        return yk_fail_at(err, YK_E_INPUT, motion_place(lines, at),
                          at >= lines->count ? "the file ends before its comments: it is cut"
                                             : "the line should say how many lines of comments follow");
    return read_values(found, at + 1 + (size_t)comments, err);
}
