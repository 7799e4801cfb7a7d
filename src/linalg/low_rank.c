/* A kept factor, corrected where few rows and columns change. */
#include "linalg/low_rank.h"

#include "linalg/blas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/arena.h>

/* place[i]: 1 + the number of row and column i among those that change, 0: it does not. */
static size_t number_changing(const struct yk_pattern *p, size_t *place, size_t *count)
{
    size_t rank = 0;

    *count = 0;
    for (size_t j = 0; j < p->n; j++)
        for (int k = p->col[j]; k < p->col[j + 1]; k++) {
            const size_t ends[] = {(size_t)p->row[k], j};

            if (!p->varies[k])
                continue;
            ++*count;
            for (int e = 0; e < 2; e++)
                if (!place[ends[e]])
                    place[ends[e]] = ++rank;
        }
    return rank;
}

size_t yk_low_rank_of(const struct yk_pattern *pattern, size_t *count)
{
    size_t *place = calloc(pattern->n + 1, sizeof *place);
    const size_t rank = place ? number_changing(pattern, place, count) : pattern->n;

    free(place);
    return rank;
}

static void list_changes(struct yk_low_rank *l, const struct yk_pattern *p, const size_t *place)
{
    size_t at = 0;

    for (size_t j = 0; j < p->n; j++) {
        if (place[j])
            l->dof[place[j] - 1] = j;
        for (int k = p->col[j]; k < p->col[j + 1]; k++)
            if (p->varies[k]) {
                l->entry[at] = (size_t)k;
                l->row[at] = place[p->row[k]] - 1;
                l->col[at++] = place[j] - 1;
            }
    }
}

/* Memory for a correction whose rank and count are known; zeroed. */
static enum yk_status make_room(struct yk_low_rank *l, struct yk_arena *mem, struct yk_err *err)
{
    l->dof = malloc((l->rank + 1) * sizeof *l->dof);
    l->entry = malloc((l->count + 1) * sizeof *l->entry);
    l->row = malloc((l->count + 1) * sizeof *l->row);
    l->col = malloc((l->count + 1) * sizeof *l->col);
    l->Z = yk_doubles(l->n * l->rank);
    l->W = yk_doubles(l->rank * l->rank);
    yk_arena_array(mem, &l->change, l->count);
    yk_arena_array(mem, &l->small, 2 * l->rank);
    l->seen = l->small ? l->small + l->rank : NULL;
    yk_arena_pointers(mem, &l->seen, &l->factor);
    yk_lu_layout(&l->lu, l->rank, mem);
    if (l->dof && l->entry && l->row && l->col && l->Z && l->W && !mem->failed)
        return YK_OK;
    yk_low_rank_fini(l);
    return yk_fail(err, YK_E_MEMORY, "out of memory for a correction of rank %zu", l->rank);
}

/* E^T x */
YK_RT static void see(const struct yk_low_rank *l, const double *x, double *seen)
{
    if (l->E) {
        memset(seen, 0, l->rank * sizeof *seen);
        yk_matrix_add_transposed_product(l->E, 1, x, seen);
        return;
    }
    for (size_t r = 0; r < l->rank; r++)
        seen[r] = x[l->dof[r]];
}

/* Z holds F. */
static void prepare(struct yk_low_rank *l)
{
    for (size_t r = 0; r < l->rank; r++) {
        yk_factor_solve(l->factor, l->Z + r * l->n);
        see(l, l->Z + r * l->n, l->W + r * l->rank);
    }
}

enum yk_status yk_low_rank_init(struct yk_low_rank *l, const struct yk_pattern *pattern, struct yk_factor *factor,
                                struct yk_arena *mem, struct yk_err *err)
{
    size_t *place = calloc(pattern->n + 1, sizeof *place);
    enum yk_status st;

    *l = (struct yk_low_rank){.n = pattern->n, .factor = factor};
    if (!place)
        return yk_fail(err, YK_E_MEMORY, "out of memory for a correction of the factor");
    l->rank = number_changing(pattern, place, &l->count);
    if (!(st = make_room(l, mem, err))) {
        list_changes(l, pattern, place);
        for (size_t r = 0; r < l->rank; r++)
            l->Z[l->dof[r] + r * l->n] = 1;
        prepare(l);
    }
    free(place);
    return st;
}

enum yk_status yk_low_rank_init_dense(struct yk_low_rank *l, const struct yk_matrix *F, const struct yk_matrix *E,
                                      const size_t *entry, size_t count, struct yk_factor *factor, struct yk_arena *mem,
                                      struct yk_err *err)
{
    enum yk_status st;

    *l = (struct yk_low_rank){.n = E->rows, .rank = E->cols, .count = count, .E = E, .factor = factor};
    if ((st = make_room(l, mem, err)))
        return st;
    for (size_t k = 0; k < count; k++) {
        l->entry[k] = entry[k];
        l->row[k] = entry[k] % l->rank;
        l->col[k] = entry[k] / l->rank;
    }
    memcpy(l->Z, F->x, l->n * l->rank * sizeof *l->Z);
    prepare(l);
    return YK_OK;
}

void yk_low_rank_fini(struct yk_low_rank *l)
{
    free(l->dof);
    free(l->entry);
    free(l->row);
    free(l->col);
    free(l->Z);
    free(l->W);
    l->dof = l->entry = l->row = l->col = NULL;
    l->Z = l->W = NULL;
}

YK_RT enum yk_status yk_low_rank_factor(struct yk_low_rank *l)
{
    const size_t rank = l->rank;
    double *G = l->lu.a;
    enum yk_status st;

    memset(G, 0, rank * rank * sizeof *G);
    for (size_t r = 0; r < rank; r++)
        G[r + r * rank] = 1;
    for (size_t r = 0; r < rank; r++)
        for (size_t k = 0; k < l->count; k++)
            G[l->row[k] + r * rank] += l->change[k] * l->W[l->col[k] + r * rank];
    if ((st = yk_lu_factor(&l->lu)))
        G[0] = NAN;
    return st;
}

YK_RT void yk_low_rank_solve(struct yk_low_rank *l, double *x)
{
    yk_factor_solve(l->factor, x);
    see(l, x, l->seen);
    memset(l->small, 0, l->rank * sizeof *l->small);
    for (size_t k = 0; k < l->count; k++)
        l->small[l->row[k]] += l->change[k] * l->seen[l->col[k]];
    yk_lu_solve(&l->lu, l->small);
    yk_add_columns(l->n, l->rank, l->n, -1, l->Z, l->small, x);
}
