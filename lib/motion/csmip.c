/* CSMIP V1 and V2: text lines (13 or 25), 7 lines of integers (16I5), 7 or 13 lines of reals (8F10), then a line that
 * says how many points there are, their step and unit, and values in fields of fixed width that may touch. A V2 file
 * goes on with velocity and displacement, which are skipped, and maybe with other channels after a line "/&". */
#include "parts.h"

#include <yoke/number.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>

enum { V1_TEXT = 13, V2_TEXT = 25, INTEGER_LINES = 7, V1_REAL_LINES = 7, V2_REAL_LINES = 13, PEAK_PLACE = 65 };

static bool begins(struct yk_piece line)
{
    const struct yk_piece words = yk_piece_trim(line);

    return yk_piece_starts(words, "Uncorrected accelerogram") || yk_piece_starts(words, "Corrected accelerogram");
}

/* Values end where a line of words comes, such as "24 points of veloc data", or at "/&". */
static bool stops(struct yk_piece line)
{
    if (yk_piece_starts(line, "/&") || begins(line))
        return true;
    for (const char *p = line.begin; p < line.end; p++)
        if (isalpha((unsigned char)*p) && !((*p == 'E' || *p == 'e' || *p == 'D' || *p == 'd') && p > line.begin &&
                                            (isdigit((unsigned char)p[-1]) || p[-1] == '.')))
            return true;
    return false;
}

static size_t choose(struct found *found, size_t wanted)
{
    const struct lines *lines = found->lines;
    size_t count = 0, at = 0;

    for (size_t i = 0; i < lines->count; i++)
        if (begins(lines->line[i]))
            at = ++count == wanted ? i : at;
    found->motion->channels = count;
    if (count > 1 && !found->ask->channel)
        motion_note(found->motion, "the file has %zu channels; the first is read", count);
    return at;
}

/* "in cm/sec2. (8f10.6)", "in units of g" */
static bool find_unit(struct yk_piece line, double *unit)
{
    const char *p = motion_behind(line, "units of"), *q;

    p = p ? p : motion_behind(line, " in ");
    while (p && p < line.end && yk_is_blank(*p))
        p++;
    for (q = p; q && q < line.end && !yk_is_blank(*q) && *q != '(' && *q != ','; q++)
        ;
    return p && motion_unit(p, q, unit);
}

/* "at .005 sec", "spaced at .010 sec", "at 200 pts/sec" */
static bool find_step(struct yk_piece line, double *step)
{
    for (const char *p = motion_behind(line, "at "); p; p = motion_behind((struct yk_piece){p, line.end}, "at ")) {
        struct yk_piece rest = yk_piece_trim((struct yk_piece){p, line.end});
        double value;
        const char *stop = yk_number_scan(rest.begin, rest.end, &value);

        if (!stop)
            continue;
        rest = yk_piece_trim((struct yk_piece){stop, line.end});
        const bool rate =
            motion_behind(rest, "/sec") && (yk_piece_starts(rest, "pts") || yk_piece_starts(rest, "points"));
        *step = rate ? 1 / value : value;
        return true;
    }
    return false;
}

/* "(8f10.6)": fields on a line and their width; 8 of 10 where it is not said. */
static void find_layout(struct yk_piece line, size_t *per_line, size_t *width)
{
    const char *p = line.end;
    double fields, size;

    *per_line = 8;
    *width = 10;
    while (p > line.begin && *--p != '(')
        ;
    if (p == line.begin)
        return;
    const char *stop = yk_number_scan(p + 1, line.end, &fields);
    if (stop && stop < line.end && isalpha((unsigned char)*stop) && yk_number_scan(stop + 1, line.end, &size) &&
        fields >= 1 && fields <= 100 && size >= 2 && size < 100) {
        *per_line = (size_t)fields;
        *width = (size_t)size;
    }
}

enum yk_status motion_csmip(struct found *found, struct yk_err *err)
{
    const struct lines *lines = found->lines;
    const size_t first = choose(found, found->ask->channel ? (size_t)found->ask->channel : 1);
    const bool v1 = yk_piece_starts(yk_piece_trim(motion_line(lines, first)), "Uncorrected");
    const size_t reals = first + (v1 ? V1_TEXT : V2_TEXT) + INTEGER_LINES,
                 data = reals + (v1 ? V1_REAL_LINES : V2_REAL_LINES);
    const struct yk_piece line = motion_line(lines, data);
    size_t per_line, width, next;
    enum yk_status st = motion_need(lines, data + 1, v1 ? "a CSMIP V1 header" : "a CSMIP V2 header", err);

    if (st)
        return st;
    found->declared_at = data;
    if (!motion_number(line.begin, line.end, &found->declared) || !find_step(line, &found->motion->step_s))
        return yk_fail_at(err, YK_E_INPUT, motion_place(lines, data),
                          "the line should say the number of points and their step: \"1000 points of accel data "
                          "equally spaced at .005 sec, in cm/sec2\"");
    if (!motion_behind(line, "accel"))
        return motion_refuse(found, data, motion_behind(line, "vel") ? "velocity" : "displacement", err);
    if (!find_unit(line, &found->unit))
        return yk_fail_at(err, YK_E_UNIT, motion_place(lines, data),
                          "the line does not name a known unit; known are g, g/10, cm/sec2, m/s2, mg");
    if (!v1 && !motion_field(motion_line(lines, reals + PEAK_PLACE / 8), PEAK_PLACE % 8, 10, &found->peak))
        found->peak = NAN;
    find_layout(line, &per_line, &width);
    st = motion_fixed(found, data + 1, per_line, width, stops, &next, err);
    return st;
}
