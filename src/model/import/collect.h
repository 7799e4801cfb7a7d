/* An import on its way: what was read so far. Filled by the readers through import.h, made a model of by build.c. */
#ifndef YOKE_MODEL_COLLECT_H
#define YOKE_MODEL_COLLECT_H

#include "model/import/import.h"

struct yk_triplets {
    int *row, *col;
    double *value;
    size_t n, room;
    bool given, full;
};

struct yk_dof_label {
    int64_t node;
    int direction;
    int index; /* before sorting */
};

struct yk_node_place {
    char *node;
    double x[3];
};

struct yk_import {
    struct yk_triplets part[YK_PART_COUNT];
    size_t order; /* beyond the largest index of an entry */

    struct yk_dof_label *labels; /* nodes by number, in the order of their appearance */
    size_t label_count, label_room;
    int *slots; /* hash table of labels, index + 1 */
    size_t slot_count;

    char **names; /* or names by equation, from a map */
    size_t name_count, name_room;

    struct yk_node_place *places;
    size_t place_count, place_room;
};

extern const char *const yk_part_words[YK_PART_COUNT]; /* stiffness, mass, damping */

static inline enum yk_status yk_import_no_memory(struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory for an imported model");
}
void yk_import_release(struct yk_import *im);
/* The model; `name` is used in messages. Names and entries are taken from the import. */
enum yk_status yk_import_build(struct yk_import *im, const char *name, struct yk_imported *model, struct yk_err *err);
/* Coordinates of the degrees of freedom of a model, from those of the import. */
enum yk_status yk_import_place_dofs(struct yk_import *im, struct yk_imported *model, struct yk_err *err);

#endif
