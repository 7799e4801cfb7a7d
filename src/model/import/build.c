/* From entries and names to the matrices of a model.
 *
 * Programs write a symmetric matrix by one triangle or whole, and a triangle of theirs need not be one of ours, since
 * the order of the degrees of freedom differs. So it is found out: where no entry off the diagonal has a partner across
 * it, partners are added; where every one has, the matrix is whole; a mixture is refused. */
#include "model/import/collect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A short file cannot ask for gigabytes. */
enum { FREE_ORDER = 1000000, ORDER_PER_ENTRY = 16 };

#define HUGE_STIFFNESS 1e30 /* a support, as penalty: no structure has that */

const char *const yk_part_words[YK_PART_COUNT] = {"stiffness", "mass", "damping"};

/* ---- matrices -------------------------------------------------------------------------------------------------- */

static int by_label(const void *a, const void *b)
{
    const struct yk_dof_label *one = a, *two = b;

    if (one->node != two->node)
        return one->node < two->node ? -1 : 1;
    return one->direction < two->direction ? -1 : one->direction > two->direction;
}

/* Sorts the labels; entries follow them. */
static enum yk_status order_labels(struct yk_import *im, struct yk_err *err)
{
    int *to = malloc((im->label_count + 1) * sizeof *to);

    if (!to)
        return yk_import_no_memory(err);
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

static enum yk_status mirror(struct yk_import *im, enum yk_matrix_part part, struct yk_err *err)
{
    struct yk_triplets *t = &im->part[part];
    const size_t stored = t->n;
    enum yk_status st = YK_OK;

    for (size_t k = 0; k < stored && !st; k++)
        if (t->row[k] != t->col[k])
            st = yk_import_entry(im, part, t->col[k], t->row[k], t->value[k], err);
    return st;
}

static enum yk_status build_part(struct yk_import *im, enum yk_matrix_part part, struct yk_imported *model,
                                 struct yk_err *err)
{
    struct yk_triplets *t = &im->part[part];
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
                       yk_part_words[part], dof_text(model, with[0], a, sizeof a),
                       dof_text(model, with[1], b, sizeof b), dof_text(model, without[0], c, sizeof c),
                       dof_text(model, without[1], d, sizeof d));
    if ((st = mirror(im, part, err)))
        return st;
    yk_matrix_fini(A);
    return yk_matrix_from_triplets(A, model->n, model->n, t->n, t->row, t->col, t->value, err);
}

/* ---- names ----------------------------------------------------------------------------------------------------- */

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
    enum yk_status st = YK_OK;
    size_t first = 0; /* of a run of equal names; it keeps its own */

    if (!list)
        return yk_import_no_memory(err);
    for (size_t i = 0; i < model->n; i++)
        list[i] = (struct numbered){model->dofs[i], i};
    if (model->n)
        qsort(list, model->n, sizeof *list, by_name);
    for (size_t i = 1; !st && i < model->n; i++) {
        char *old = model->dofs[list[i].at], *dot = strrchr(old, '.'), *name;

        if (strcmp(list[first].name, old) != 0) {
            first = i;
        } else if (asprintf(&name, "%.*s_%zu%s", (int)(dot - old), old, i - first + 1, dot) < 0) {
            st = yk_import_no_memory(err);
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
        return yk_import_no_memory(err);
    for (size_t i = 0; i < model->n; i++) {
        if (i < im->name_count && im->names[i]) {
            model->dofs[i] = im->names[i];
            im->names[i] = NULL;
        } else if (im->label_count) {
            const struct yk_dof_label *l = &im->labels[i];

            if (asprintf(&model->dofs[i], "%lld.%s", (long long)l->node,
                         yk_direction_name(l->direction, direction, sizeof direction)) < 0)
                return yk_import_no_memory(err);
        } else if (asprintf(&model->dofs[i], "equation%zu.q", i + 1) < 0) {
            return yk_import_no_memory(err);
        }
    }
    return tell_apart(model, err);
}

/* ---- places ---------------------------------------------------------------------------------------------------- */

static int by_node(const void *a, const void *b)
{
    return strcmp(((const struct yk_node_place *)a)->node, ((const struct yk_node_place *)b)->node);
}

/* The node of a name: up to the last dot, and without the number that tells equal names apart. */
static const struct yk_node_place *find_place(const struct yk_import *im, const char *dof)
{
    char node[64];
    const char *dot = strrchr(dof, '.');
    struct yk_node_place key = {.node = node};
    const struct yk_node_place *found;
    char *bar;

    snprintf(node, sizeof node, "%.*s", (int)(dot ? dot - dof : (long)strlen(dof)), dof);
    found = bsearch(&key, im->places, im->place_count, sizeof key, by_node);
    if (!found && (bar = strrchr(node, '_'))) {
        *bar = 0;
        found = bsearch(&key, im->places, im->place_count, sizeof key, by_node);
    }
    return found;
}

enum yk_status yk_import_place_dofs(struct yk_import *im, struct yk_imported *model, struct yk_err *err)
{
    if (!im->place_count || !model->dofs)
        return YK_OK;
    if (!model->place && !(model->place = malloc(3 * (model->n + 1) * sizeof *model->place)))
        return yk_import_no_memory(err);
    qsort(im->places, im->place_count, sizeof *im->places, by_node);
    for (size_t i = 0; i < model->n; i++) {
        const struct yk_node_place *p = find_place(im, model->dofs[i]);

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
        return yk_import_no_memory(err);
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
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(name), "holds no matrix");
    if (order > FREE_ORDER && order / ORDER_PER_ENTRY > entries)
        return yk_fail_at(err, YK_E_RANGE, YK_IN_FILE(name), "an order of %zu for only %zu entries", order, entries);
    if (im->order > order)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(name),
                          "row or column %zu, but only %zu degrees of freedom have names", im->order, order);
    return YK_OK;
}

static enum yk_status build(struct yk_import *im, const char *name, struct yk_imported *model, struct yk_err *err)
{
    enum yk_status st;

    if ((st = check_order(im, name, model->n, err)) || (st = order_labels(im, err)) ||
        (st = name_dofs(im, model, err)) || (st = yk_import_place_dofs(im, model, err)))
        return st;
    for (int p = 0; p < YK_PART_COUNT && !st; p++)
        if (im->part[p].given && (st = build_part(im, (enum yk_matrix_part)p, model, err)))
            yk_fail_within(err, (struct yk_where){name, 0, 0}, "%s", "");
    for (int p = 0; p < YK_PART_COUNT && !st; p++)
        if (!yk_matrix_is_finite(&model->part[p]))
            st = yk_fail_at(err, YK_E_RANGE, YK_IN_FILE(name), "%s has an entry that is too large", yk_part_words[p]);
    return st ? st : drop_huge(model, err);
}

enum yk_status yk_import_build(struct yk_import *im, const char *name, struct yk_imported *model, struct yk_err *err)
{
    enum yk_status st;

    *model = (struct yk_imported){.n = im->label_count ? im->label_count : im->name_count ? im->name_count : im->order};
    if ((st = build(im, name, model, err)))
        yk_imported_free(model);
    return st;
}
