/* SMC (U.S. Geological Survey): 11 lines of text, 48 integers (8I10), 50 reals (5E15), comments, then values in 8
 * fields of 10, in cm/s2. Headers count from 1: integers 16 comments, 17 values; reals 2 samples per second, 32 peak.
 */
#include "parts.h"

#include <math.h>

enum { TEXT = 11, INTEGERS = 48, REALS = 50, COMMENTS = 15, COUNT = 16, RATE = 1, PEAK = 31 };
#define MISSING 1.7e38

static bool stops(struct yk_piece line)
{
    const struct yk_piece words = yk_piece_trim(line);

    return words.begin < words.end && (*words.begin == '|' || *words.begin == '*');
}

enum yk_status motion_smc(struct found *found, struct yk_err *err)
{
    const struct lines *lines = found->lines;
    const struct yk_piece title = motion_line(lines, 0);
    double integers[INTEGERS], reals[REALS];
    enum yk_status st;
    size_t next;

    if (!motion_behind(title, "ACCELEROGRAM"))
        return motion_refuse(found, 0,
                             motion_behind(title, "VELOCITY")       ? "velocity"
                             : motion_behind(title, "DISPLACEMENT") ? "displacement"
                                                                    : "response spectrum",
                             err);
    if ((st = motion_header(lines, TEXT, 8, 10, integers, INTEGERS, "the integer header", err)) ||
        (st = motion_header(lines, TEXT + INTEGERS / 8, 5, 15, reals, REALS, "the real header", err)))
        return st;
    const size_t after = TEXT + INTEGERS / 8 + REALS / 5;
    if (!(integers[COMMENTS] >= 0 && integers[COMMENTS] < 1e6))
        return yk_fail_at(err, YK_E_RANGE, motion_place(lines, TEXT + COMMENTS / 8),
                          "%g is not a number of comment lines", integers[COMMENTS]);
    if (!(reals[RATE] > 0 && reals[RATE] < 0.9 * MISSING))
        return yk_fail_at(err, YK_E_UNSUPPORTED, motion_place(lines, TEXT + INTEGERS / 8),
                          "samples per second are missing: the values are not equally spaced in time");
    found->motion->step_s = 1 / reals[RATE];
    found->declared = integers[COUNT];
    found->declared_at = TEXT + COUNT / 8;
    found->unit = 0.01;
    if (fabs(reals[PEAK]) < 0.9 * MISSING)
        found->peak = reals[PEAK];
    return motion_fixed(found, after + (size_t)integers[COMMENTS], 8, 10, stops, &next, err);
}
