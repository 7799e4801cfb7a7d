/* Operations on an imported model before it becomes a substructure: hold, scale, condense.
 *
 * Condensation of the massless part s (m: with mass): u_s = -K_ss^-1 K_sm u_m, so that
 *     K = K_mm - K_ms K_ss^-1 K_sm,   C = T^T C T,   T = [1; -K_ss^-1 K_sm],
 * exact for K, and for damping proportional to it. docs/importing.md */
#include "base/rotation.h"

#include "model/import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CONDENSED = 6000 }; /* the result is full: 288 MB */

void yk_imported_free(struct yk_imported *model)
{
    for (int p = 0; p < YK_PART_COUNT; p++)
        yk_matrix_fini(&model->part[p]);
    for (size_t i = 0; model->dofs && i < model->n; i++)
        free(model->dofs[i]);
    free(model->dofs);
    free(model->place);
    free(model->drag);
    free(model->anchors.at);
    *model = (struct yk_imported){0};
}

static enum yk_status no_memory(struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory for an imported model");
}

/* Calls for every stored entry of a matrix. */
struct walk {
    const struct yk_matrix *A;
    size_t j, k;
};

static bool next_entry(struct walk *w, size_t *i, size_t *j, double **value)
{
    const struct yk_matrix *A = w->A;

    if (A->form == YK_SPARSE)
        while (w->j < A->cols && w->k >= (size_t)A->col[w->j + 1])
            w->j++;
    else if (w->k >= (A->form == YK_DENSE ? A->rows * A->cols : A->rows))
        return false;
    if (w->j >= A->cols)
        return false;
    *i = A->form == YK_SPARSE ? (size_t)A->row[w->k] : A->form == YK_DENSE ? w->k % A->rows : w->k;
    *j = A->form == YK_SPARSE ? w->j : A->form == YK_DENSE ? w->k / A->rows : w->k;
    *value = &A->x[w->k++];
    return true;
}

/* The rows and columns with new numbers, -1 where they are left out. */
static enum yk_status pick(const struct yk_matrix *A, const int *row_to, size_t rows, const int *col_to, size_t cols,
                           struct yk_matrix *out, struct yk_err *err)
{
    const size_t room = (A->form == YK_SPARSE  ? (size_t)A->col[A->cols]
                         : A->form == YK_DENSE ? A->rows * A->cols
                                               : A->rows) +
                        1;
    int *row = malloc(room * sizeof *row), *col = malloc(room * sizeof *col);
    double *x = malloc(room * sizeof *x), *value;
    struct walk w = {A, 0, 0};
    size_t n = 0, i, j;
    enum yk_status st = row && col && x ? YK_OK : no_memory(err);

    while (!st && next_entry(&w, &i, &j, &value))
        if (row_to[i] >= 0 && col_to[j] >= 0 && *value != 0) {
            row[n] = row_to[i];
            col[n] = col_to[j];
            x[n++] = *value;
        }
    if (!st)
        st = yk_matrix_from_triplets(out, rows, cols, n, row, col, x, err);
    free(row);
    free(col);
    free(x);
    return st;
}

/* Names, places and drag of those that stay. */
static void keep_names(struct yk_imported *model, const int *to)
{
    for (size_t i = 0; i < model->n; i++) {
        if (to[i] < 0) {
            if (model->dofs)
                free(model->dofs[i]);
            continue;
        }
        if (model->dofs)
            model->dofs[to[i]] = model->dofs[i];
        if (model->place)
            memmove(model->place + 3 * to[i], model->place + 3 * i, 3 * sizeof *model->place);
        if (model->drag)
            memmove(model->drag + 3 * to[i], model->drag + 3 * i, 3 * sizeof *model->drag);
    }
}

/* Numbers from 0 for those that are not held. */
static size_t number(size_t n, const bool *held, int *to)
{
    int kept = 0;

    for (size_t i = 0; i < n; i++)
        to[i] = held[i] ? -1 : kept++;
    return (size_t)kept;
}

/* 0, 1, 2 for a translation along x, y, z by its name, else -1 */
static int axis_of(const char *dof)
{
    const char *const axes = "xyz", *dot = strrchr(dof, '.'), *name = dot ? dot + 1 : dof;
    const char *axis = *name && !name[1] ? strchr(axes, *name) : NULL;

    return axis ? (int)(axis - axes) : -1;
}

/* Held DoFs move with the ground, and a consistent mass couples them with the free ones: frames.md, eq. (11). */
static enum yk_status add_drag(struct yk_imported *model, const bool *held, struct yk_err *err)
{
    struct walk w = {&model->part[YK_PART_MASS], 0, 0};
    double *value;
    size_t i, j;

    if (!model->dofs || model->part[YK_PART_MASS].rows == 0)
        return YK_OK;
    if (!model->drag && !(model->drag = calloc(3 * model->n, sizeof *model->drag)))
        return no_memory(err);
    while (next_entry(&w, &i, &j, &value))
        if (!held[i] && held[j] && axis_of(model->dofs[j]) >= 0)
            model->drag[3 * i + (size_t)axis_of(model->dofs[j])] += *value;
    return YK_OK;
}

static int by_place(const void *a, const void *b)
{
    const double *one = a, *two = b;

    for (int i = 0; i < 6; i++)
        if (one[i] != two[i])
            return one[i] < two[i] ? -1 : 1;
    return 0;
}

/* Lines from the remaining degrees of freedom to the held ones that they are tied to, for pictures. */
static enum yk_status add_anchors(struct yk_imported *model, const bool *held, struct yk_err *err)
{
    struct walk w = {&model->part[YK_PART_STIFFNESS], 0, 0};
    struct yk_anchors *anchors = &model->anchors;
    const size_t before = anchors->count;
    size_t i, j, room = before, kept = 0;
    double *value;

    while (model->place && model->part[YK_PART_STIFFNESS].rows && next_entry(&w, &i, &j, &value)) {
        const double *from = model->place + 3 * i, *to = model->place + 3 * j;

        if (held[i] || !held[j] || *value == 0 || !isfinite(from[0]) || !isfinite(to[0]) ||
            memcmp(from, to, 3 * sizeof *from) == 0)
            continue;
        if (anchors->count == room) {
            double(*more)[2][3] = realloc(anchors->at, (2 * room + 16) * sizeof *more);

            if (!more)
                return no_memory(err);
            anchors->at = more;
            room = 2 * room + 16;
        }
        memcpy(anchors->at[anchors->count][0], from, 3 * sizeof *from);
        memcpy(anchors->at[anchors->count++][1], to, 3 * sizeof *to);
    }
    if (anchors->count)
        qsort(anchors->at, anchors->count, sizeof *anchors->at, by_place);
    for (size_t k = 0; k < anchors->count; k++) /* each once */
        if (k == 0 || by_place(anchors->at[kept - 1], anchors->at[k]) != 0)
            memmove(anchors->at[kept++], anchors->at[k], sizeof *anchors->at);
    anchors->count = kept;
    return YK_OK;
}

enum yk_status yk_imported_hold(struct yk_imported *model, const bool *held, struct yk_err *err)
{
    int *to = malloc((model->n + 1) * sizeof *to);
    size_t kept = to ? number(model->n, held, to) : 0;
    enum yk_status st = to ? YK_OK : no_memory(err);

    if (!st && kept == 0)
        st = yk_fail(err, YK_E_INPUT, "every degree of freedom is held");
    if (!st && !(st = add_drag(model, held, err)))
        st = add_anchors(model, held, err);
    for (int p = 0; p < YK_PART_COUNT && !st; p++) {
        struct yk_matrix smaller;

        if (model->part[p].rows == 0 || (st = pick(&model->part[p], to, kept, to, kept, &smaller, err)))
            continue;
        yk_matrix_fini(&model->part[p]);
        model->part[p] = smaller;
    }
    if (!st) {
        keep_names(model, to);
        model->n = kept;
    }
    free(to);
    return st;
}

/* Energy is force times length, and a translation u [m] is the length times its number in the file. */
void yk_imported_scale(struct yk_imported *model, double length_m, double force_N)
{
    for (int p = 0; p < YK_PART_COUNT; p++) {
        struct walk w = {&model->part[p], 0, 0};
        double *value;
        size_t i, j;

        while (model->part[p].rows && next_entry(&w, &i, &j, &value)) {
            *value *= force_N * length_m;
            *value /= model->dofs && yk_is_rotation(model->dofs[i]) ? 1 : length_m;
            *value /= model->dofs && yk_is_rotation(model->dofs[j]) ? 1 : length_m;
        }
    }
    for (size_t i = 0; model->place && i < 3 * model->n; i++)
        model->place[i] *= length_m;
    for (size_t i = 0; i < 6 * model->anchors.count; i++)
        model->anchors.at[i / 6][i / 3 % 2][i % 3] *= length_m;
    for (size_t i = 0; model->drag && i < 3 * model->n; i++)
        model->drag[i] *= force_N / (model->dofs && yk_is_rotation(model->dofs[i / 3]) ? 1 : length_m);
}

/* ---- condensation ---------------------------------------------------------------------------------------------- */

struct condensation {
    size_t n, kept, gone;
    int *to_kept, *to_gone;    /* new numbers */
    struct yk_matrix coupling; /* K_sm */
    struct yk_factor *factor;  /* of K_ss */
    double *full, *product, *part;
};

static void condensation_fini(struct condensation *c)
{
    free(c->to_kept);
    free(c->to_gone);
    yk_matrix_fini(&c->coupling);
    yk_factor_destroy(c->factor);
    free(c->full);
    free(c->product);
    free(c->part);
}

/* Which rows of the mass are zero? */
static enum yk_status find_massless(const struct yk_imported *model, struct condensation *c, struct yk_err *err)
{
    struct walk w = {&model->part[YK_PART_MASS], 0, 0};
    bool *massless = calloc(model->n + 1, sizeof *massless), *massive = calloc(model->n + 1, sizeof *massive);
    double *value;
    size_t i, j;

    c->to_kept = calloc(model->n + 1, sizeof *c->to_kept);
    c->to_gone = calloc(model->n + 1, sizeof *c->to_gone);
    if (massless && massive && c->to_kept && c->to_gone) {
        for (i = 0; i < model->n; i++)
            massless[i] = true;
        while (next_entry(&w, &i, &j, &value))
            if (*value != 0)
                massless[i] = massless[j] = false;
        for (i = 0; i < model->n; i++)
            massive[i] = !massless[i];
        c->kept = number(model->n, massless, c->to_kept);
        c->gone = number(model->n, massive, c->to_gone);
    }
    const bool good = massless && massive && c->to_kept && c->to_gone;
    free(massless);
    free(massive);
    return good ? YK_OK : no_memory(err);
}

static enum yk_status prepare(const struct yk_imported *model, struct condensation *c, struct yk_err *err)
{
    const struct yk_matrix *K = &model->part[YK_PART_STIFFNESS];
    struct yk_matrix own = {0};
    enum yk_status st;

    c->n = model->n;
    if (c->kept == 0)
        return yk_fail(err, YK_E_INPUT, "mass is zero: no degree of freedom is left");
    if (c->kept > MOST_CONDENSED)
        return yk_fail(err, YK_E_RANGE,
                       "%zu of %zu degrees of freedom have mass; beyond %d a model cannot be condensed", c->kept, c->n,
                       MOST_CONDENSED);
    c->full = calloc(c->n, sizeof *c->full);
    c->product = calloc(c->n, sizeof *c->product);
    c->part = calloc(c->n, sizeof *c->part);
    if (!c->full || !c->product || !c->part)
        return no_memory(err);
    if (!(st = pick(K, c->to_gone, c->gone, c->to_kept, c->kept, &c->coupling, err)) &&
        !(st = pick(K, c->to_gone, c->gone, c->to_gone, c->gone, &own, err)) &&
        (st = yk_factor_create(&c->factor, &own, NULL, err)))
        yk_fail_within(err, YK_NOWHERE,
                       "the degrees of freedom without mass cannot be condensed, nothing holds them: ");
    yk_matrix_fini(&own);
    return st;
}

/* full = T e_j */
static void unit_motion(struct condensation *c, size_t j)
{
    memset(c->part, 0, c->n * sizeof *c->part);
    for (int k = c->coupling.col[j]; k < c->coupling.col[j + 1]; k++)
        c->part[c->coupling.row[k]] = -c->coupling.x[k];
    yk_factor_solve(c->factor, c->part);
    for (size_t i = 0; i < c->n; i++)
        c->full[i] = c->to_kept[i] >= 0 ? (double)(c->to_kept[i] == (int)j) : c->part[c->to_gone[i]];
}

/* out = T^T A full */
static void project(struct condensation *c, const struct yk_matrix *A, double *out)
{
    memset(c->product, 0, c->n * sizeof *c->product);
    yk_matrix_add_product(A, 1, c->full, c->product);
    for (size_t i = 0; i < c->n; i++)
        if (c->to_gone[i] >= 0)
            c->part[c->to_gone[i]] = c->product[i];
        else
            out[c->to_kept[i]] = c->product[i];
    yk_factor_solve(c->factor, c->part); /* K_ss is symmetric */
    yk_matrix_add_transposed_product(&c->coupling, -1, c->part, out);
}

static enum yk_status condense_part(struct condensation *c, struct yk_matrix *A, struct yk_err *err)
{
    struct yk_matrix out;
    enum yk_status st = yk_matrix_init(&out, YK_DENSE, c->kept, c->kept, err);

    if (st)
        return st;
    for (size_t j = 0; j < c->kept; j++) {
        unit_motion(c, j);
        project(c, A, out.x + j * c->kept);
    }
    for (size_t j = 0; j < c->kept; j++) /* symmetric but for rounding */
        for (size_t i = 0; i < j; i++)
            out.x[i + j * c->kept] = out.x[j + i * c->kept] = 0.5 * (out.x[i + j * c->kept] + out.x[j + i * c->kept]);
    yk_matrix_fini(A);
    *A = out;
    return YK_OK;
}

enum yk_status yk_imported_condense(struct yk_imported *model, struct yk_err *err)
{
    struct yk_matrix *M = &model->part[YK_PART_MASS], smaller;
    struct condensation c = {0};
    enum yk_status st = find_massless(model, &c, err);

    if (!st && c.gone > 0 && !(st = prepare(model, &c, err))) {
        if (!(st = condense_part(&c, &model->part[YK_PART_STIFFNESS], err)) && model->part[YK_PART_DAMPING].rows)
            st = condense_part(&c, &model->part[YK_PART_DAMPING], err);
        if (!st && !(st = pick(M, c.to_kept, c.kept, c.to_kept, c.kept, &smaller, err))) {
            yk_matrix_fini(M);
            *M = smaller;
            keep_names(model, c.to_kept);
            model->n = c.kept;
        }
    }
    condensation_fini(&c);
    return st;
}
