/* Sampled functions of time from files of any kind. Tables: lib/logger/series.c. */
#include "scan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void yk_series_free(struct yk_series *series)
{
    free(series->t);
    free(series->y);
    *series = (struct yk_series){0};
}

/* "lab.csv:Force": the file, and *column in `path`; a file of the whole name comes first. */
static void split_column(char *path, const char **column)
{
    char *colon = strrchr(path, ':');

    *column = NULL;
    if (!colon || access(path, F_OK) == 0)
        return;
    *colon = 0;
    if (access(path, F_OK) == 0)
        *column = colon + 1;
    else
        *colon = ':';
}

static enum yk_status read_table(char *path, double dt_s, enum yk_quantity quantity, struct yk_series *out,
                                 enum yk_unit_said *unit, struct yk_err *err)
{
    struct yk_text text;
    const char *column;
    bool named = false;
    enum yk_status st;

    split_column(path, &column);
    if ((st = yk_text_load(&text, path, err)))
        return st;
    const bool at2 = !column && (yk_looks_like_at2(&text) || yk_name_ends_in(path, ".at2"));
    if (at2 && dt_s > 0)
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "an AT2 file contains its step; leave `step` out");
    else if (at2)
        st = yk_read_at2(&text, out, &named, NULL, err);
    else
        st = yk_read_series_column(&text, column, dt_s, quantity, out, &named, err);
    if (unit)
        *unit = named ? YK_UNIT_SAID : at2 ? YK_UNIT_OF_AT2 : YK_UNIT_UNSAID;
    yk_text_free(&text);
    return st;
}

enum yk_status yk_read_series(const char *path, double dt_s, enum yk_quantity quantity, struct yk_series *out,
                              enum yk_unit_said *unit, struct yk_err *err)
{
    char *own;
    enum yk_status st;

    if (unit)
        *unit = YK_UNIT_UNSAID;
    if (yk_is_mat(path))
        return yk_read_series_mat(path, dt_s, out, err);
    if (!(own = strdup(path)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    st = read_table(own, dt_s, quantity, out, unit, err);
    free(own);
    return st;
}
