/* Rows in memory. */
#include "engine/rows.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_wanted(const char *name, const char *const *patterns, size_t count)
{
    for (size_t i = 0; patterns && i < count; i++)
        if (fnmatch(patterns[i], name, 0) == 0)
            return true;
    return !patterns;
}

enum yk_status yk_rows_open(struct yk_rows *r, const struct yk_stream *stream, const char *const *patterns,
                            size_t pattern_count, struct yk_err *err)
{
    size_t size;
    FILE *names, *units;

    *r = (struct yk_rows){.from = calloc(stream->count + 1, sizeof *r->from)};
    names = open_memstream(&r->names, &size);
    units = open_memstream(&r->units, &size);
    for (size_t i = 0; i < stream->count && r->from && names && units; i++)
        if (i == 0 || is_wanted(stream->channels[i].name, patterns, pattern_count)) {
            fprintf(names, "%s%s", r->width ? "\n" : "", stream->channels[i].name);
            fprintf(units, "%s%s", r->width ? "\n" : "", stream->channels[i].unit);
            r->from[r->width++] = i;
        }
    if (r->width == 1 && stream->count > 1)
        r->width = 0; /* a time alone */
    const bool written = names && units && !ferror(names) && !ferror(units);

    if (names)
        fclose(names);
    if (units)
        fclose(units);
    return r->from && written ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}

void yk_rows_close(struct yk_rows *r)
{
    free(r->from);
    free(r->x);
    free(r->names);
    free(r->units);
    *r = (struct yk_rows){0};
}

static bool make_room(struct yk_rows *r, size_t room)
{
    double *larger = room <= r->room ? r->x : realloc(r->x, room * r->width * sizeof *r->x);

    if (!larger)
        return false;
    r->x = larger;
    r->room = room > r->room ? room : r->room;
    return true;
}

bool yk_rows_add(struct yk_rows *r, const double *row)
{
    double *to;

    if (!r->width)
        return true;
    if (r->count == r->room && !make_room(r, r->room ? 2 * r->room : 256))
        return false;
    to = r->x + r->count++ * r->width;
    for (size_t i = 0; i < r->width; i++)
        to[i] = row[r->from[i]];
    return true;
}

enum yk_status yk_rows_copy(struct yk_rows *to, const struct yk_rows *from, struct yk_err *err)
{
    *to = (struct yk_rows){.width = from->width};
    if (!from->width)
        return YK_OK;
    to->from = malloc(from->width * sizeof *to->from);
    to->names = strdup(from->names);
    to->units = strdup(from->units);
    if (!to->from || !to->names || !to->units)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    memcpy(to->from, from->from, from->width * sizeof *to->from);
    if (!make_room(to, from->count + 1))
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu rows", from->count);
    if (from->count)
        memcpy(to->x, from->x, from->count * from->width * sizeof *to->x);
    to->count = from->count;
    return YK_OK;
}
