/* Entries, names and places as the readers of the formats give them: growing lists, and a hash table that finds the
 * degree of freedom of a node. build.c makes a model of them. */
#include "model/import/collect.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_LENGTH = 39 };

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

void yk_import_release(struct yk_import *im)
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

enum yk_status yk_import_entry(struct yk_import *im, enum yk_matrix_part part, int row, int col, double value,
                               struct yk_err *err)
{
    struct yk_triplets *t = &im->part[part];

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
            return yk_import_no_memory(err);
        t->value = v;
        t->room = room;
    }
    t->row[t->n] = row;
    t->col[t->n] = col;
    t->value[t->n++] = value;
    return YK_OK;
}

void yk_import_full(struct yk_import *im, enum yk_matrix_part part)
{
    im->part[part].full = true;
}

enum yk_status yk_import_coordinate(struct yk_import *im, const struct yk_lines *lines, const struct yk_piece field[3],
                                    enum yk_matrix_part part, struct yk_err *err)
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

/* ---- names and places ------------------------------------------------------------------------------------------ */

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
        return yk_import_no_memory(err);
    for (at = hash(node, direction) % im->slot_count; im->slots[at]; at = (at + 1) % im->slot_count) {
        const struct yk_dof_label *l = &im->labels[im->slots[at] - 1];

        if (l->node == node && l->direction == direction) {
            *index = im->slots[at] - 1;
            return YK_OK;
        }
    }
    if (im->label_count >= INT_MAX / 2 || !grow(&im->labels, &im->label_room, im->label_count, sizeof *im->labels))
        return yk_import_no_memory(err);
    *index = (int)im->label_count;
    im->labels[im->label_count++] = (struct yk_dof_label){node, direction, *index};
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
static char *clean_name(struct yk_piece label)
{
    const size_t length = (size_t)(label.end - label.begin);
    char *name = strndup(label.begin, length < NAME_LENGTH ? length : NAME_LENGTH);

    for (char *p = name; p && *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '-')
            *p = '_';
    return name;
}

enum yk_status yk_import_name(struct yk_import *im, size_t index, struct yk_piece node, const char *direction,
                              struct yk_err *err)
{
    while (im->name_count <= index) {
        if (!grow(&im->names, &im->name_room, im->name_count, sizeof *im->names))
            return yk_import_no_memory(err);
        im->names[im->name_count++] = NULL;
    }
    if (im->names[index])
        return YK_OK;
    char *clean = clean_name(node);
    if (!clean || asprintf(&im->names[index], "%s.%s", clean, direction) < 0)
        im->names[index] = NULL;
    free(clean);
    return im->names[index] ? YK_OK : yk_import_no_memory(err);
}

size_t yk_import_named(const struct yk_import *im)
{
    return im->name_count;
}

enum yk_status yk_import_place(struct yk_import *im, struct yk_piece node, const double *place, struct yk_err *err)
{
    char *name = clean_name(node);

    if (!name || !grow(&im->places, &im->place_room, im->place_count, sizeof *im->places)) {
        free(name);
        return yk_import_no_memory(err);
    }
    im->places[im->place_count++] = (struct yk_node_place){name, {place[0], place[1], place[2]}};
    return YK_OK;
}
