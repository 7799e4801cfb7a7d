/* ESM and ITACA: lines "KEY: value" up to the first line without a colon, then one value on each line. */
#include "parts.h"

#include <yoke/number.h>

#include <math.h>
#include <string.h>

static bool value_of(const struct lines *lines, size_t header, const char *key, struct yk_piece *value, size_t *at)
{
    for (*at = 0; *at < header; ++*at) {
        const struct yk_piece line = lines->line[*at];
        const char *colon = memchr(line.begin, ':', (size_t)(line.end - line.begin));

        if (yk_piece_is(yk_piece_trim((struct yk_piece){line.begin, colon}), key)) {
            *value = yk_piece_trim((struct yk_piece){colon + 1, line.end});
            return true;
        }
    }
    return false;
}

static enum yk_status number_of(const struct found *found, size_t header, const char *key, double *number, size_t *at,
                                struct yk_err *err)
{
    struct yk_piece value;

    if (value_of(found->lines, header, key, &value, at) && value.begin < value.end &&
        yk_number_scan(value.begin, value.end, number) == value.end && *number > 0)
        return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, *at < header ? motion_place(found->lines, *at) : YK_IN_FILE(found->lines->name),
                      "the header needs a line \"%s:\" with a number above 0", key);
}

static enum yk_status check_words(struct found *found, size_t header, struct yk_err *err)
{
    struct yk_piece value;
    size_t at;

    if (value_of(found->lines, header, "DATA_TYPE", &value, &at) && !yk_piece_is(value, "ACCELERATION"))
        return yk_piece_is(value, "VELOCITY")       ? motion_refuse(found, at, "velocity", err)
               : yk_piece_is(value, "DISPLACEMENT") ? motion_refuse(found, at, "displacement", err)
                                                    : motion_refuse(found, at, "quantity other than acceleration", err);
    if (!value_of(found->lines, header, "UNITS", &value, &at) || !motion_unit(value.begin, value.end, &found->unit))
        return yk_fail_at(err, YK_E_UNIT, at < header ? motion_place(found->lines, at) : YK_IN_FILE(found->lines->name),
                          "the header needs a line \"UNITS:\" with the unit of an acceleration, such as cm/s^2");
    if (value_of(found->lines, header, "LATE/NORMAL_TRIGGERED", &value, &at) && yk_piece_is(value, "LT"))
        motion_note(found->motion, "triggered late (line %zu): the beginning of the motion is missing", at + 1);
    return YK_OK;
}

enum yk_status motion_esm(struct found *found, struct yk_err *err)
{
    const struct lines *lines = found->lines;
    size_t header = 0, at;
    enum yk_status st;
    double peak;

    while (header < lines->count &&
           memchr(lines->line[header].begin, ':', (size_t)(lines->line[header].end - lines->line[header].begin)))
        header++;
    if ((st = number_of(found, header, "NDATA", &found->declared, &found->declared_at, err)) ||
        (st = number_of(found, header, "SAMPLING_INTERVAL_S", &found->motion->step_s, &at, err)) ||
        (st = check_words(found, header, err)))
        return st;
    struct yk_piece value;
    if (value_of(lines, header, "PGA_CM/S^2", &value, &at) && yk_number_scan(value.begin, value.end, &peak))
        found->peak = 0.01 * peak / found->unit;
    for (size_t i = header; i < lines->count && !st; i++) {
        const struct yk_piece token = yk_piece_trim(lines->line[i]);
        double number;

        if (token.begin == token.end)
            continue;
        if (yk_number_scan(token.begin, token.end, &number) != token.end || !isfinite(number))
            return yk_fail_at(err, YK_E_INPUT, motion_place(lines, i), "'%s' is no number of the record",
                              yk_quote(token).text);
        st = motion_add(found, number, err);
    }
    return st;
}
