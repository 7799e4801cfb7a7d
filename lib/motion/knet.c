/* K-NET and KiK-net: 17 lines with a value from column 19 on, then integers; a value is the integer times
 * "Scale Factor", a(gal)/b. The mean of the record is removed: the instruments have an offset. */
#include "parts.h"

#include <yoke/number.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HEADER = 17, VALUE_COLUMN = 18 };

/* The header line that begins with `name`; HEADER: there is none. */
static size_t line_of(const struct lines *lines, const char *name)
{
    size_t i = 0;

    while (i < HEADER && !yk_piece_starts(motion_line(lines, i), name))
        i++;
    return i;
}

static enum yk_status number_of(const struct found *found, const char *name, size_t *at, double *value,
                                const char **after, struct yk_err *err)
{
    *at = line_of(found->lines, name);
    const struct yk_piece line = motion_line(found->lines, *at);

    if (*at < HEADER && line.end - line.begin > VALUE_COLUMN) {
        const struct yk_piece field = yk_piece_trim((struct yk_piece){line.begin + VALUE_COLUMN, line.end});

        *after = yk_number_scan(field.begin, field.end, value);
        if (*after && *value > 0)
            return YK_OK;
    }
    return yk_fail_at(err, YK_E_INPUT, *at < HEADER ? motion_place(found->lines, *at) : YK_IN_FILE(found->lines->name),
                      "the header needs a line \"%s\" with a number above 0 from column 19 on", name);
}

static enum yk_status read_integers(struct found *found, struct yk_err *err)
{
    const struct lines *lines = found->lines;

    for (size_t i = HEADER; i < lines->count; i++) {
        struct yk_piece rest = lines->line[i], token;

        while (yk_token_next(&rest, &token)) {
            double value;
            enum yk_status st;

            if (yk_number_scan(token.begin, token.end, &value) != token.end || !isfinite(value))
                return yk_fail_at(
                    err, YK_E_INPUT,
                    (struct yk_where){lines->name, (int)i + 1, (int)(token.begin - lines->line[i].begin) + 1},
                    "'%s' is no number of the record", yk_quote(token).text);
            if ((st = motion_add(found, value, err)))
                return st;
        }
    }
    return YK_OK;
}

enum yk_status motion_knet(struct found *found, struct yk_err *err)
{
    const struct lines *lines = found->lines;
    double rate, duration, gal, counts, peak;
    const char *after;
    enum yk_status st = motion_need(lines, HEADER, "a K-NET header", err);
    size_t at;

    if (st || (st = number_of(found, "Sampling Freq", &at, &rate, &after, err)) ||
        (st = number_of(found, "Duration Time", &found->declared_at, &duration, &after, err)) ||
        (st = number_of(found, "Scale Factor", &at, &gal, &after, err)))
        return st;
    const char *slash = memchr(after, '/', (size_t)(motion_line(lines, at).end - after));
    if (!slash || !yk_number_scan(slash + 1, motion_line(lines, at).end, &counts) || !(counts > 0))
        return yk_fail_at(err, YK_E_INPUT, motion_place(lines, at),
                          "the scale factor should be a(gal)/b, such as 3920(gal)/6182761");
    found->unit = 0.01 * gal / counts;
    if (!number_of(found, "Max. Acc.", &at, &peak, &after, NULL))
        found->peak = peak * counts / gal;
    at = line_of(lines, "Dir.");
    const struct yk_piece line = motion_line(lines, at);
    double direction;
    if (at < HEADER && line.end - line.begin > VALUE_COLUMN &&
        yk_number_scan(line.begin + VALUE_COLUMN, line.end, &direction) && direction >= 1 && direction <= 3)
        motion_note(found->motion, "direction %g of KiK-net: the sensor in the borehole, not at the surface",
                    direction);
    found->motion->step_s = 1 / rate;
    found->declared = round(duration * rate);
    found->remove_mean = true;
    return read_integers(found, err);
}
