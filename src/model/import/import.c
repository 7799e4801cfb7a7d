/* An import: entries and names from the files of a model, then matrices.
 *
 * Programs write a symmetric matrix by one triangle or whole, and a triangle of theirs need not be one of ours, since
 * the order of the degrees of freedom differs. So it is found out: where no entry off the diagonal has a partner across
 * it, partners are added; where every one has, the matrix is whole; a mixture is refused. */
#include "model/import/import.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A short file cannot ask for gigabytes. */
enum { FREE_ORDER = 1000000, ORDER_PER_ENTRY = 16 };

enum { NAME_LENGTH = 39 };

#define HUGE_STIFFNESS 1e30 /* a support, as penalty: no structure has that */

static const char *const part_words[YK_PART_COUNT] = {"stiffness", "mass", "damping"};

struct triplets {
    int *row, *col;
    double *value;
    size_t n, room;
    bool given, full;
};

struct label {
    int64_t node;
    int direction;
    int index; /* before sorting */
};

struct place {
    char *node;
    double x[3];
};

struct yk_import {
    struct triplets part[YK_PART_COUNT];
    size_t order; /* beyond the largest index of an entry */

    struct label *labels; /* nodes by number, in the order of their appearance */
    size_t label_count, label_room;
    int *slots; /* hash table of labels, index + 1 */
    size_t slot_count;

    char **names; /* or names by equation, from a map */
    size_t name_count, name_room;

    struct place *places;
    size_t place_count, place_room;
};

static enum yk_status no_memory(struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory for an imported model");
}

/* Room for one more in a list of `size`d items. */
static bool grow(void *list, size_t *room, size_t n, size_t size)
{
    void **items = list, *more;

    if (n < *room)
        return true;
    if (!(more = realloc(*items, (*room ? 2 * *room : 64) * size)))
        return false;
    *items = more;
    *room = *room ? 2 * *room : 64;
    return true;
}

static void release(struct yk_import *im)
{
    for (int p = 0; p < YK_PART_COUNT; p++) {
        free(im->part[p].row);
        free(im->part[p].col);
        free(im->part[p].value);
    }
    for (size_t i = 0; i < im->name_count; i++)
        free(im->names[i]);
    for (size_t i = 0; i < im->place_count; i++)
        free(im->places[i].node);
    free(im->names);
    free(im->places);
    free(im->labels);
    free(im->slots);
    *im = (struct yk_import){0};
}

/* ---- entries --------------------------------------------------------------------------------------------------- */

enum yk_status yk_import_entry(struct yk_import *im, enum yk_part part, int row, int col, double value,
                               struct yk_err *err)
{
    struct triplets *t = &im->part[part];

    t->given = true;
    im->order = (size_t)row >= im->order ? (size_t)row + 1 : im->order;
    im->order = (size_t)col >= im->order ? (size_t)col + 1 : im->order;
    if (value == 0)
        return YK_OK;
    if (t->n == t->room) {
        const size_t room = t->room ? 2 * t->room : 256;
        int *r = realloc(t->row, room * sizeof *r), *c = r ? realloc(t->col, room * sizeof *c) : NULL;
        double *v = c ? realloc(t->value, room * sizeof *v) : NULL;

        t->row = r ? r : t->row;
        t->col = c ? c : t->col;
        if (!v)
            return no_memory(err);
        t->value = v;
        t->room = room;
    }
    t->row[t->n] = row;
    t->col[t->n] = col;
    t->value[t->n++] = value;
    return YK_OK;
}

void yk_import_full(struct yk_import *im, enum yk_part part)
{
    im->part[part].full = true;
}

enum yk_status yk_import_coordinate(struct yk_import *im, const struct yk_lines *lines, const struct yk_span field[3],
                                    enum yk_part part, struct yk_err *err)
{
    const int64_t most = im->name_count ? (int64_t)im->name_count : INT_MAX - 1;
    int64_t row, col;
    double value;
    enum yk_status st;

    if ((st = yk_field_integer(lines, field[0], "row", 1, most, &row, err)) ||
        (st = yk_field_integer(lines, field[1], "column", 1, most, &col, err)) ||
        (st = yk_token_real(lines, field[2], &value, err)))
        return st;
    return yk_import_entry(im, part, (int)row - 1, (int)col - 1, value, err);
}

/* ---- names ----------------------------------------------------------------------------------------------------- */

static size_t hash(int64_t node, int direction)
{
    return (size_t)(((uint64_t)node * 64 + (uint64_t)direction) * 0x9E3779B97F4A7C15u >> 20);
}

static bool rehash(struct yk_import *im)
{
    const size_t count = im->slot_count ? 2 * im->slot_count : 1024;
    int *slots = calloc(count, sizeof *slots);

    if (!slots)
        return false;
    for (size_t i = 0; i < im->label_count; i++) {
        size_t at = hash(im->labels[i].node, im->labels[i].direction) % count;

        while (slots[at])
            at = (at + 1) % count;
        slots[at] = (int)i + 1;
    }
    free(im->slots);
    im->slots = slots;
    im->slot_count = count;
    return true;
}

enum yk_status yk_import_label(struct yk_import *im, int64_t node, int direction, int *index, struct yk_err *err)
{
    size_t at;

    if (2 * im->label_count >= im->slot_count && !rehash(im))
        return no_memory(err);
    for (at = hash(node, direction) % im->slot_count; im->slots[at]; at = (at + 1) % im->slot_count) {
        const struct label *l = &im->labels[im->slots[at] - 1];

        if (l->node == node && l->direction == direction) {
            *index = im->slots[at] - 1;
            return YK_OK;
        }
    }
    if (im->label_count >= INT_MAX / 2 || !grow(&im->labels, &im->label_room, im->label_count, sizeof *im->labels))
        return no_memory(err);
    *index = (int)im->label_count;
    im->labels[im->label_count++] = (struct label){node, direction, *index};
    im->slots[at] = *index + 1;
    return YK_OK;
}

const char *yk_direction_name(int direction, char *text, size_t size)
{
    static const char *const words[] = {"q", "x", "y", "z", "rx", "ry", "rz"};

    if (direction >= 0 && direction <= 6)
        return words[direction];
    snprintf(text, size, "d%d", direction);
    return text;
}

/* A label made fit for a name: letters, digits, '_' and '-', fewer than 40. */
static char *clean_name(struct yk_span label)
{
    const size_t length = (size_t)(label.end - label.begin);
    char *name = strndup(label.begin, length < NAME_LENGTH ? length : NAME_LENGTH);

    for (char *p = name; p && *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '-')
            *p = '_';
    return name;
}

enum yk_status yk_import_name(struct yk_import *im, size_t index, struct yk_span node, const char *direction,
                              struct yk_err *err)
{
    while (im->name_count <= index) {
        if (!grow(&im->names, &im->name_room, im->name_count, sizeof *im->names))
            return no_memory(err);
        im->names[im->name_count++] = NULL;
    }
    if (im->names[index])
        return YK_OK;
    char *clean = clean_name(node);
    if (!clean || asprintf(&im->names[index], "%s.%s", clean, direction) < 0)
        im->names[index] = NULL;
    free(clean);
    return im->names[index] ? YK_OK : no_memory(err);
}

size_t yk_import_named(const struct yk_import *im)
{
    return im->name_count;
}

enum yk_status yk_import_place(struct yk_import *im, struct yk_span node, const double *place, struct yk_err *err)
{
    char *name = clean_name(node);

    if (!name || !grow(&im->places, &im->place_room, im->place_count, sizeof *im->places)) {
        free(name);
        return no_memory(err);
    }
    im->places[im->place_count++] = (struct place){name, {place[0], place[1], place[2]}};
    return YK_OK;
}

/* ---- matrices -------------------------------------------------------------------------------------------------- */

static int by_label(const void *a, const void *b)
{
    const struct label *one = a, *two = b;

    if (one->node != two->node)
        return one->node < two->node ? -1 : 1;
    return one->direction < two->direction ? -1 : one->direction > two->direction;
}

/* Sorts the labels; entries follow them. */
static enum yk_status order_labels(struct yk_import *im, struct yk_err *err)
{
    int *to = malloc((im->label_count + 1) * sizeof *to);

    if (!to)
        return no_memory(err);
    if (im->label_count)
        qsort(im->labels, im->label_count, sizeof *im->labels, by_label);
    for (size_t i = 0; i < im->label_count; i++)
        to[im->labels[i].index] = (int)i;
    for (int p = 0; p < YK_PART_COUNT; p++)
        for (size_t k = 0; im->label_count && k < im->part[p].n; k++) {
            im->part[p].row[k] = to[im->part[p].row[k]];
            im->part[p].col[k] = to[im->part[p].col[k]];
        }
    free(to);
    return YK_OK;
}

static bool has_entry(const struct yk_matrix *A, int row, int col)
{
    int low = A->col[col], high = A->col[col + 1];

    while (low < high) {
        const int middle = low + (high - low) / 2;

        if (A->row[middle] == row)
            return true;
        if (A->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static const char *dof_text(const struct yk_imported *model, int dof, char *text, size_t size)
{
    if (model->dofs)
        return model->dofs[dof];
    snprintf(text, size, "%d", dof + 1);
    return text;
}

/* Whole or one triangle? *with, *without: an entry that has a partner, and one that has none. */
static void count_partners(const struct yk_matrix *A, size_t *paired, size_t *single, int *with, int *without)
{
    for (int j = 0; j < (int)A->cols; j++)
        for (int k = A->col[j]; k < A->col[j + 1]; k++) {
            const bool partner = A->row[k] != j && has_entry(A, j, A->row[k]);

            if (A->row[k] == j)
                continue;
            ++*(partner ? paired : single);
            (partner ? with : without)[0] = A->row[k];
            (partner ? with : without)[1] = j;
        }
}

static enum yk_status mirror(struct yk_import *im, enum yk_part part, struct yk_err *err)
{
    struct triplets *t = &im->part[part];
    const size_t stored = t->n;
    enum yk_status st = YK_OK;

    for (size_t k = 0; k < stored && !st; k++)
        if (t->row[k] != t->col[k])
            st = yk_import_entry(im, part, t->col[k], t->row[k], t->value[k], err);
    return st;
}

static enum yk_status build_part(struct yk_import *im, enum yk_part part, struct yk_imported *model, struct yk_err *err)
{
    struct triplets *t = &im->part[part];
    struct yk_matrix *A = &model->part[part];
    enum yk_status st = yk_matrix_from_triplets(A, model->n, model->n, t->n, t->row, t->col, t->value, err);
    size_t paired = 0, single = 0;
    int with[2] = {0}, without[2] = {0};
    char a[24], b[24], c[24], d[24];

    if (st || t->full)
        return st;
    count_partners(A, &paired, &single, with, without);
    if (single == 0)
        return YK_OK;
    if (paired)
        return yk_fail(err, YK_E_INPUT,
                       "%s is neither one triangle nor a whole matrix: the entry (%s, %s) has a partner across the "
                       "diagonal, (%s, %s) has none",
                       part_words[part], dof_text(model, with[0], a, sizeof a), dof_text(model, with[1], b, sizeof b),
                       dof_text(model, without[0], c, sizeof c), dof_text(model, without[1], d, sizeof d));
    if ((st = mirror(im, part, err)))
        return st;
    yk_matrix_fini(A);
    return yk_matrix_from_triplets(A, model->n, model->n, t->n, t->row, t->col, t->value, err);
}

/* ---- the names of the model ------------------------------------------------------------------------------------ */

struct numbered {
    const char *name;
    size_t at;
};

static int by_name(const void *a, const void *b)
{
    const struct numbered *one = a, *two = b;
    const int order = strcmp(one->name, two->name);

    return order ? order : one->at < two->at ? -1 : one->at > two->at;
}

/* The second and further of equal names get a number behind the node: 2.x, 2_2.x, 2_3.x. */
static enum yk_status tell_apart(struct yk_imported *model, struct yk_err *err)
{
    struct numbered *list = malloc((model->n + 1) * sizeof *list);
    enum yk_status st = list ? YK_OK : no_memory(err);
    size_t first = 0; /* of a run of equal names; it keeps its own */

    for (size_t i = 0; !st && i < model->n; i++)
        list[i] = (struct numbered){model->dofs[i], i};
    if (!st && model->n)
        qsort(list, model->n, sizeof *list, by_name);
    for (size_t i = 1; !st && i < model->n; i++) {
        char *old = model->dofs[list[i].at], *dot = strrchr(old, '.'), *name;

        if (strcmp(list[first].name, old) != 0) {
            first = i;
        } else if (asprintf(&name, "%.*s_%zu%s", (int)(dot - old), old, i - first + 1, dot) < 0) {
            st = no_memory(err);
        } else {
            free(old);
            model->dofs[list[i].at] = name;
        }
    }
    free(list);
    return st;
}

static enum yk_status name_dofs(struct yk_import *im, struct yk_imported *model, struct yk_err *err)
{
    char direction[16];

    if (!im->label_count && !im->name_count)
        return YK_OK;
    if (!(model->dofs = calloc(model->n + 1, sizeof *model->dofs)))
        return no_memory(err);
    for (size_t i = 0; i < model->n; i++) {
        if (i < im->name_count && im->names[i]) {
            model->dofs[i] = im->names[i];
            im->names[i] = NULL;
        } else if (im->label_count) {
            const struct label *l = &im->labels[i];

            if (asprintf(&model->dofs[i], "%lld.%s", (long long)l->node,
                         yk_direction_name(l->direction, direction, sizeof direction)) < 0)
                return no_memory(err);
        } else if (asprintf(&model->dofs[i], "equation%zu.q", i + 1) < 0) {
            return no_memory(err);
        }
    }
    return tell_apart(model, err);
}

static int by_node(const void *a, const void *b)
{
    return strcmp(((const struct place *)a)->node, ((const struct place *)b)->node);
}

/* The node of a name: up to the last dot, and without the number that tells equal names apart. */
static const struct place *find_place(const struct yk_import *im, const char *dof)
{
    char node[64];
    const char *dot = strrchr(dof, '.');
    struct place key = {.node = node};
    const struct place *found;
    char *bar;

    snprintf(node, sizeof node, "%.*s", (int)(dot ? dot - dof : (long)strlen(dof)), dof);
    found = bsearch(&key, im->places, im->place_count, sizeof key, by_node);
    if (!found && (bar = strrchr(node, '_'))) {
        *bar = 0;
        found = bsearch(&key, im->places, im->place_count, sizeof key, by_node);
    }
    return found;
}

static enum yk_status place_dofs(struct yk_import *im, struct yk_imported *model, struct yk_err *err)
{
    if (!im->place_count || !model->dofs)
        return YK_OK;
    if (!model->place && !(model->place = malloc(3 * (model->n + 1) * sizeof *model->place)))
        return no_memory(err);
    qsort(im->places, im->place_count, sizeof *im->places, by_node);
    for (size_t i = 0; i < model->n; i++) {
        const struct place *p = find_place(im, model->dofs[i]);

        for (size_t k = 0; k < 3; k++)
            model->place[3 * i + k] = p ? p->x[k] : NAN;
    }
    return YK_OK;
}

/* ---- the whole ------------------------------------------------------------------------------------------------- */

/* Supports as huge numbers on the diagonal leave the model. */
static enum yk_status drop_huge(struct yk_imported *model, struct yk_err *err)
{
    const struct yk_matrix *K = &model->part[YK_PART_STIFFNESS];
    bool *held = K->rows ? calloc(model->n, sizeof *held) : NULL;
    size_t count = 0;
    enum yk_status st = YK_OK;

    if (!K->rows)
        return YK_OK;
    if (!held)
        return no_memory(err);
    for (size_t i = 0; i < model->n; i++) {
        held[i] = yk_matrix_get(K, i, i) >= HUGE_STIFFNESS;
        count += held[i];
    }
    if (count == model->n)
        st = yk_fail(err, YK_E_INPUT, "every degree of freedom is held by a stiffness of 1e30 or more");
    else if (count)
        st = yk_imported_hold(model, held, err);
    model->held = count;
    free(held);
    return st;
}

static enum yk_status check_order(const struct yk_import *im, const char *name, size_t order, struct yk_err *err)
{
    size_t entries = 0;

    for (int p = 0; p < YK_PART_COUNT; p++)
        entries += im->part[p].n;
    if (entries == 0)
        return yk_fail(err, YK_E_INPUT, "%s: holds no matrix", name);
    if (order > FREE_ORDER && order / ORDER_PER_ENTRY > entries)
        return yk_fail(err, YK_E_RANGE, "%s: an order of %zu for only %zu entries", name, order, entries);
    if (im->order > order)
        return yk_fail(err, YK_E_INPUT, "%s: row or column %zu, but only %zu degrees of freedom have names", name,
                       im->order, order);
    return YK_OK;
}

static enum yk_status build(struct yk_import *im, const char *name, struct yk_imported *model, struct yk_err *err)
{
    enum yk_status st;

    if ((st = check_order(im, name, model->n, err)) || (st = order_labels(im, err)) ||
        (st = name_dofs(im, model, err)) || (st = place_dofs(im, model, err)))
        return st;
    for (int p = 0; p < YK_PART_COUNT && !st; p++)
        if (im->part[p].given && (st = build_part(im, (enum yk_part)p, model, err)))
            yk_fail_within(err, (struct yk_where){name, 0, 0}, "%s", "");
    for (int p = 0; p < YK_PART_COUNT && !st; p++)
        if (!yk_matrix_is_finite(&model->part[p]))
            st = yk_fail(err, YK_E_RANGE, "%s: %s has an entry that is too large", name, part_words[p]);
    return st ? st : drop_huge(model, err);
}

static enum yk_status finish(struct yk_import *im, const char *name, struct yk_imported *model, struct yk_err *err)
{
    enum yk_status st;

    *model = (struct yk_imported){.n = im->label_count ? im->label_count : im->name_count ? im->name_count : im->order};
    if ((st = build(im, name, model, err)))
        yk_imported_free(model);
    return st;
}

enum yk_status yk_import_text(struct yk_imported *model, const struct yk_import_format *format, enum yk_part part,
                              const struct yk_text *text, const struct yk_text *map, struct yk_err *err)
{
    struct yk_import im = {0};
    enum yk_status st = map && format->read_map ? format->read_map(&im, map, err) : YK_OK;

    *model = (struct yk_imported){0};
    if (!st && !(st = format->read(&im, text, part, err)))
        st = finish(&im, text->name, model, err);
    release(&im);
    return st;
}

static enum yk_status read_file(struct yk_import *im, const struct yk_import_format *format, const char *path,
                                enum yk_part part, struct yk_err *err)
{
    struct yk_text text;
    enum yk_status st = yk_text_load(&text, path, err);

    if (st)
        return st;
    st = format->read(im, &text, part, err);
    yk_text_free(&text);
    return st;
}

static enum yk_status read_map(struct yk_import *im, const struct yk_import_format *format, const char *path,
                               struct yk_err *err)
{
    struct yk_text text;
    enum yk_status st;

    if (!format->read_map)
        return yk_fail(err, YK_E_INPUT, "%s: the format %s has no map beside its matrices", path, format->name);
    if ((st = yk_text_load(&text, path, err)))
        return st;
    st = format->read_map(im, &text, err);
    yk_text_free(&text);
    return st;
}

static enum yk_status add_coordinates(struct yk_imported *model, const char *path, struct yk_err *err)
{
    struct yk_text text;
    enum yk_status st = yk_text_load(&text, path, err);

    if (st)
        return st;
    st = yk_imported_place(model, &text, err);
    yk_text_free(&text);
    return st;
}

enum yk_status yk_imported_place(struct yk_imported *model, const struct yk_text *text, struct yk_err *err)
{
    struct yk_import im = {0};
    enum yk_status st = yk_import_coordinates(&im, text, err);

    if (!st)
        st = place_dofs(&im, model, err);
    release(&im);
    return st;
}

/* The matrices beside the first one: those that are there. */
static enum yk_status read_companions(struct yk_import *im, const struct yk_import_format *format, const char *path,
                                      struct yk_err *err)
{
    enum yk_status st;

    for (int p = 1; p < YK_PART_COUNT; p++)
        if (yk_import_is_part(path, format->part[p]) && !yk_import_is_part(path, format->part[0]))
            return yk_fail(err, YK_E_INPUT, "%s: is the %s; name the file of the stiffness (%s)", path, part_words[p],
                           format->part[0]);
    st = read_file(im, format, path, YK_PART_ALL, err);
    for (int p = 0; p < YK_PART_COUNT && !st; p++) {
        char *other = im->part[p].given ? NULL : yk_import_companion(path, format->part[0], format->part[p]);

        if (other)
            st = read_file(im, format, other, (enum yk_part)p, err);
        free(other);
    }
    return st;
}

/* The file that names the degrees of freedom: the one that is given, or else the one beside a matrix. */
static enum yk_status find_map(struct yk_import *im, const struct yk_import_files *files, struct yk_err *err)
{
    const struct yk_import_format *format = files->format;
    char *beside = NULL;
    enum yk_status st = YK_OK;

    for (int p = 0; p < YK_PART_COUNT && !beside && !files->map; p++)
        beside = yk_import_companion(files->model ? files->model : files->part[p], format->part[p], format->map);
    if (files->map || beside)
        st = read_map(im, format, files->map ? files->map : beside, err);
    free(beside);
    return st;
}

static const char *first_file(const struct yk_import_files *files)
{
    const char *first = files->model;

    for (int p = 0; p < YK_PART_COUNT && !first; p++)
        first = files->part[p];
    return first;
}

enum yk_status yk_import_model(struct yk_imported *model, const struct yk_import_files *files, struct yk_err *err)
{
    struct yk_import_files f = *files;
    const char *first = first_file(files);
    struct yk_import im = {0};
    enum yk_status st;

    *model = (struct yk_imported){0};
    if (!first)
        return yk_fail(err, YK_E_INPUT, "no file of a model was named");
    if (!f.format && !(f.format = yk_import_recognise(first)))
        return yk_fail(err, YK_E_INPUT, "%s: not a file of a known format; see `yoke list formats`", first);
    st = find_map(&im, &f, err);
    if (!st && f.model)
        st = read_companions(&im, f.format, f.model, err);
    for (int p = 0; p < YK_PART_COUNT && !st; p++)
        if (f.part[p] && !(st = read_file(&im, f.format, f.part[p], (enum yk_part)p, err)) && !im.part[p].given)
            st = yk_fail(err, YK_E_INPUT, "%s: holds no %s matrix", f.part[p], part_words[p]);
    if (!st)
        st = finish(&im, first, model, err);
    release(&im);
    if (!st && f.coordinates && (st = add_coordinates(model, f.coordinates, err)))
        yk_imported_free(model);
    return st;
}
