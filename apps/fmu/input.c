/* Inputs over time, from a file of comma-separated values: the names of `time` and of inputs, then rows. */
#include "parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/file.h>

enum { MOST_FIELDS = 4096 };

/* The next field of a line, without blanks and quotes around it; NULL: there is none. *rest goes behind its comma. */
static char *next_field(char **rest)
{
    char *field = strsep(rest, ","), *end;

    if (!field)
        return NULL;
    field += strspn(field, " \t\"");
    for (end = field + strlen(field); end > field && strchr(" \t\"\r\n", end[-1]); end--)
        ;
    *end = 0;
    return field;
}

/* Column 0 is the time; column k goes to input column[k]. */
static enum yk_status read_names(struct courses *c, const struct alone *a, char *line, struct yk_where where,
                                 struct yk_err *err)
{
    char *rest = line, *name;

    for (c->width = 0; (name = next_field(&rest)); c->width++) {
        size_t k = 0;

        if (c->width == MOST_FIELDS)
            return yk_fail_at(err, YK_E_INPUT, where, "more than %d columns", MOST_FIELDS);
        if (c->width == 0) {
            if (strcmp(name, "time") != 0)
                return yk_fail_at(err, YK_E_INPUT, where, "the first column is '%s'; it must be time [s]", name);
            continue;
        }
        while (k < a->inputs && strcmp(a->in_names[k], name) != 0)
            k++;
        if (k == a->inputs)
            return yk_fail_at(err, YK_E_INPUT, where, "the FMU has no input '%s'; see `yoke fmu info`", name);
        c->column[c->width] = k;
    }
    return YK_OK;
}

static enum yk_status read_row(struct courses *c, char *line, struct yk_where where, struct yk_err *err)
{
    char *rest = line, *field, *end = line;
    double *wider = realloc(c->rows, (c->count + 1) * c->width * sizeof *wider), *row;
    size_t k = 0;

    if (!wider)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    c->rows = wider;
    row = c->rows + c->count * c->width;
    for (; (field = next_field(&rest)); k++) {
        const double x = strcmp(field, "true") == 0 ? 1 : strcmp(field, "false") == 0 ? 0 : strtod(field, &end);

        if (k == c->width)
            break;
        if (*field == 0 || (strcmp(field, "true") != 0 && strcmp(field, "false") != 0 && *end) || !isfinite(x))
            return yk_fail_at(err, YK_E_INPUT, where, "'%.40s' in column %zu is no number", field, k + 1);
        row[k] = x;
    }
    if (k != c->width || field)
        return yk_fail_at(err, YK_E_INPUT, where, "this row has %s values than the %zu names of the first line",
                          field ? "more" : "fewer", c->width);
    if (c->count && row[0] < row[-(ptrdiff_t)c->width])
        return yk_fail_at(err, YK_E_INPUT, where, "the time %g s is before that of the last row", row[0]);
    c->count++;
    return YK_OK;
}

enum yk_status read_courses(struct courses *c, const struct alone *a, const char *path, struct yk_err *err)
{
    enum yk_status st = yk_file_check(path, err);
    char *line = NULL;
    size_t room = 0;
    FILE *in;

    if (st)
        return st;
    if (!(in = fopen(path, "re")))
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "cannot be opened: %s", strerror(errno));
    if (!(c->column = calloc(MOST_FIELDS, sizeof *c->column)))
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    for (int number = 1; !st && getline(&line, &room, in) >= 0; number++) {
        const struct yk_where where = {path, number, 1};

        if (!c->width)
            st = read_names(c, a, line, where, err);
        else if (line[strspn(line, " \t\r\n")])
            st = read_row(c, line, where, err);
    }
    if (!st && !c->count)
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "has no rows of inputs");
    free(line);
    fclose(in);
    return st;
}

/* On straight lines between rows; inputs that are discrete keep the value of the last row. Two rows of one time are a
 * jump, and the second one counts from there on; `before`: what runs straight has its value just before t. */
void set_courses(const struct courses *c, const struct alone *a, double t, bool before, double *in)
{
    size_t low = 0, last = 0; /* rows: where the line begins; the last one that is not after t */

    if (!c->count)
        return;
    for (size_t k = 1; k < c->count; k++) {
        const double at = c->rows[k * c->width];

        low = (before ? at < t : at <= t) ? k : low;
        last = at <= t ? k : last;
    }
    const double *p = c->rows + low * c->width, *q = low + 1 < c->count ? p + c->width : p;
    const double s = q[0] > p[0] ? fmin(1, fmax(0, (t - p[0]) / (q[0] - p[0]))) : 0;
    for (size_t k = 1; k < c->width; k++) {
        const size_t i = c->column[k];

        in[i] = a->discrete[i] ? c->rows[last * c->width + k] : p[k] + s * (q[k] - p[k]);
    }
}
