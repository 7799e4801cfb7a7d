/* The units of columns, from the header of a table of numbers. */
#include "scan.h"

#include <stdio.h>
#include <string.h>

/* Takes a name off the front: up to the next mark where the line has any, else up to the next blank. */
static bool next_name(struct yk_piece *rest, bool marks, struct yk_piece *name)
{
    const char *p = rest->begin;

    if (rest->begin >= rest->end)
        return false;
    while (p < rest->end && (marks ? *p != ',' && *p != ';' : !yk_is_blank(*p)))
        p++;
    *name = yk_piece_trim((struct yk_piece){rest->begin, p});
    if (name->end - name->begin >= 2 && *name->begin == '"' && name->end[-1] == '"')
        *name = yk_piece_trim((struct yk_piece){name->begin + 1, name->end - 1});
    rest->begin = p < rest->end ? p + 1 : p;
    while (!marks && rest->begin < rest->end && yk_is_blank(*rest->begin))
        rest->begin++;
    return true;
}

static bool has_marks(struct yk_piece line)
{
    const size_t n = line.begin ? (size_t)(line.end - line.begin) : 0;

    return n && (memchr(line.begin, ',', n) || memchr(line.begin, ';', n));
}

/* "command [mm]" is command, in mm. */
static struct yk_piece split_unit(struct yk_piece name, struct yk_piece *unit)
{
    const char *open = name.begin < name.end ? memchr(name.begin, '[', (size_t)(name.end - name.begin)) : NULL;

    *unit = (struct yk_piece){name.end, name.end};
    if (!open || name.end[-1] != ']')
        return name;
    *unit = yk_piece_trim((struct yk_piece){open + 1, name.end - 1});
    return yk_piece_trim((struct yk_piece){name.begin, open});
}

void yk_rows_unit(const struct yk_rows *rows, size_t column, char *unit, size_t size)
{
    struct yk_piece rest = rows->header, name, found;
    const bool marks = has_marks(rest);
    size_t count = 0;

    *unit = 0;
    while (next_name(&rest, marks, &name)) {
        const struct yk_piece bare = split_unit(name, &found);

        count += bare.begin < bare.end; /* "t [ms] F [kN]": the unit may stand apart */
        if (count == column + 1 && found.begin < found.end)
            snprintf(unit, size, "%.*s", (int)(found.end - found.begin), found.begin);
    }
}
