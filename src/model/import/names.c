/* Names for matrices that have none: a table of nodes gives each row a node, a direction and a place.
 *
 *     node, direction, x, y, z        one line for each row of the matrices; coordinates may be left out
 *     node, x, y, z, directions       one line for each node, with the directions "x y rz" of its rows in their order
 *
 * Lines with # are comments; a first line of words is a header. */
#include "model/import/import.h"

#include <yoke/text.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 6, MOST_DIRECTIONS = 7, MOST_FACTORED = 3000 };
static const char *const directions[MOST_DIRECTIONS] = {"x", "y", "z", "rx", "ry", "rz", "q"};

struct table {
    char **names;
    double *place;
    size_t n, room;
};

/* Fields between commas or semicolons, or else between blanks; the last one has the rest. */
static size_t split(struct yk_piece line, struct yk_piece *field)
{
    const char *mark = memchr(line.begin, ',', (size_t)(line.end - line.begin));
    const char separator = mark ? ',' : memchr(line.begin, ';', (size_t)(line.end - line.begin)) ? ';' : ' ';
    size_t count = 0;

    while (count < FIELDS && line.begin < line.end) {
        const char *end = line.begin;

        while (end < line.end && (separator == ' ' ? !yk_is_blank(*end) : *end != separator))
            end++;
        field[count++] = yk_piece_trim((struct yk_piece){line.begin, end});
        line = yk_piece_trim((struct yk_piece){end < line.end ? end + 1 : end, line.end});
    }
    return count;
}

static struct yk_piece unquoted(struct yk_piece p)
{
    const bool quoted = p.end - p.begin > 1 && *p.begin == '"' && p.end[-1] == '"';

    return quoted ? yk_piece_trim((struct yk_piece){p.begin + 1, p.end - 1}) : p;
}

static enum yk_status add(struct table *t, struct yk_piece node, struct yk_piece direction, const double *place,
                          struct yk_where where, struct yk_err *err)
{
    size_t known = 0;

    while (known < MOST_DIRECTIONS && !yk_piece_is(direction, directions[known]))
        known++;
    if (known == MOST_DIRECTIONS)
        return yk_fail_at(err, YK_E_INPUT, where, "'%s' is no direction; there are x, y, z, rx, ry, rz and q",
                          yk_quote(direction).text);
    if (node.begin == node.end)
        return yk_fail_at(err, YK_E_INPUT, where, "a line without a node");
    if (t->n == t->room) {
        const size_t room = 2 * t->room + 64;
        char **names = realloc(t->names, room * sizeof *names);
        double *places = names ? realloc(t->place, 3 * room * sizeof *places) : NULL;

        t->names = names ? names : t->names;
        t->place = places ? places : t->place;
        if (!places)
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        t->room = room;
    }
    if (asprintf(&t->names[t->n], "%.*s.%s", (int)(node.end - node.begin), node.begin, directions[known]) < 0)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    memcpy(t->place + 3 * t->n++, place, 3 * sizeof *place);
    return YK_OK;
}

static enum yk_status read_place(const struct yk_lines *lines, const struct yk_piece *field, size_t count,
                                 double *place, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (size_t k = 0; k < 3; k++)
        place[k] = count == 0 ? NAN : 0; /* a third coordinate may be left out */
    for (size_t k = 0; k < count && k < 3 && !st; k++)
        st = yk_token_real(lines, field[k], &place[k], err);
    return st;
}

static enum yk_status read_line(struct table *t, const struct yk_lines *lines, const struct yk_piece *field,
                                size_t count, struct yk_err *err)
{
    const struct yk_where where = yk_lines_where(lines);
    double place[3];
    enum yk_status st;

    if (count < 2)
        return yk_fail_at(err, YK_E_INPUT, where, "'node, direction' or 'node, x, y, z, directions' is expected");
    if (!yk_field_is_number(field[1])) {
        st = read_place(lines, field + 2, count - 2, place, err);
        return st ? st : add(t, unquoted(field[0]), unquoted(field[1]), place, where, err);
    }
    if (count != 5)
        return yk_fail_at(err, YK_E_INPUT, where,
                          "'node, x, y, z, directions' is expected, such as: 7, 0, 3.5, 0, x y rz");
    if ((st = read_place(lines, field + 1, 3, place, err)))
        return st;
    struct yk_piece rest = unquoted(field[4]), direction;

    if (rest.begin == rest.end)
        return yk_fail_at(err, YK_E_INPUT, where, "a node without directions");
    while (!st && yk_token_next(&rest, &direction))
        st = add(t, unquoted(field[0]), direction, place, where, err);
    return st;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static enum yk_status check_twice(const struct table *t, const struct yk_text *text, struct yk_err *err)
{
    char **sorted = malloc((t->n + 1) * sizeof *sorted);
    enum yk_status st = sorted ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    for (size_t i = 0; i < t->n && !st; i++)
        sorted[i] = t->names[i];
    if (!st)
        qsort(sorted, t->n, sizeof *sorted, by_name);
    for (size_t i = 1; i < t->n && !st; i++)
        if (strcmp(sorted[i], sorted[i - 1]) == 0)
            st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(text->name), "%s stands there twice", sorted[i]);
    free(sorted);
    return st;
}

enum yk_status yk_imported_name(struct yk_imported *model, const struct yk_text *text, struct yk_err *err)
{
    struct table t = {0};
    struct yk_lines lines;
    struct yk_piece line, field[FIELDS];
    bool begun = false;
    enum yk_status st = YK_OK;

    yk_lines_begin(&lines, text);
    while (!st && yk_lines_next(&lines, &line)) {
        if (line.begin == line.end || *line.begin == '#')
            continue;
        const size_t count = split(line, field);
        const bool header = !begun && count > 1 && (yk_piece_is(field[1], "direction") || yk_piece_is(field[1], "x")) &&
                            yk_piece_is(field[0], "node");

        begun = true;
        st = header ? YK_OK : read_line(&t, &lines, field, count, err);
    }
    if (!st && t.n == 0)
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(text->name), "there is no node");
    if (!st && model->n && t.n != model->n)
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(text->name), "%zu rows are named, but the matrices have %zu", t.n,
                        model->n);
    if (!st)
        st = check_twice(&t, text, err);
    if (st) {
        for (size_t i = 0; i < t.n; i++)
            free(t.names[i]);
        free(t.names);
        free(t.place);
        return st;
    }
    bool placed = false;

    for (size_t i = 0; i < 3 * t.n; i++)
        placed |= isfinite(t.place[i]);
    if (!placed) {
        free(t.place);
        t.place = NULL;
    }
    model->dofs = t.names;
    model->place = t.place;
    model->n = t.n;
    return YK_OK;
}

/* ---- do the names belong to the matrices? ---- */

/* The largest force that a common motion along an axis needs, over the largest stiffness. */
static double resistance(const struct yk_imported *model, const char *axis, double *work)
{
    const struct yk_matrix *K = &model->part[YK_PART_STIFFNESS];
    double *u = work, *f = work + model->n, most = 0, largest = 0;
    bool any = false;

    memset(f, 0, model->n * sizeof *f);
    for (size_t i = 0; i < model->n; i++) {
        const char *dot = strrchr(model->dofs[i], '.');

        u[i] = dot && strcmp(dot + 1, axis) == 0;
        any |= u[i] != 0;
        largest = fmax(largest, fabs(yk_matrix_get(K, i, i)));
    }
    if (!any)
        return INFINITY;
    yk_matrix_add_product(K, 1, u, f);
    for (size_t i = 0; i < model->n; i++)
        most = fmax(most, fabs(f[i]));
    return largest > 0 ? most / largest : 0;
}

enum yk_status yk_imported_check_names(const struct yk_imported *model, struct yk_err *err)
{
    const struct yk_matrix *K = &model->part[YK_PART_STIFFNESS];
    struct yk_factor *factor = NULL;
    double *work, least = INFINITY;

    if (!model->n || K->rows != model->n || model->n > MOST_FACTORED)
        return YK_OK;
    const bool stands = !yk_factor_create(&factor, K, NULL, NULL) && yk_factor_rcond(factor) > 1e-13;

    yk_factor_destroy(factor);
    if (stands)
        return YK_OK;
    if (!(work = malloc(2 * model->n * sizeof *work)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t k = 0; k < 3; k++)
        least = fmin(least, resistance(model, directions[k], work));
    free(work);
    if (least <= 1e-6 || !isfinite(least))
        return YK_OK;
    return yk_fail(err, YK_E_INPUT,
                   "the stiffness lets the structure move freely, but a common motion along x, y or z of these names "
                   "needs forces (%.2g of the largest stiffness at least): are they in the order of the matrices?",
                   least);
}
