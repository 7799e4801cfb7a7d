/* Consistent start, closing multiplier and corrected path. docs/theory/couplings-newmark.md, eq. (23), (24), (39).
 * Units: N, m, s. */
#include "coupling/tie.h"

#include <string.h>

void yk_tie_start_layout(struct yk_tie_start *s, const struct yk_coupled *c, struct yk_arena *mem)
{
    for (int i = 0; i < YK_SIDES; i++)
        yk_arena_array(mem, &s->trace[i].q, c->rows);
    yk_arena_array(mem, &s->work, c->rows * (c->rows + 2));
}

void yk_tie_start(struct yk_tie_start *s, struct yk_coupled *c, double *const *a, double *lambda)
{
    for (int i = 0; i < YK_SIDES; i++) {
        struct yk_side *side = &c->side[i];

        yk_side_evaluate(side, 0, side->u0, side->v0);
        yk_side_trace(side, c->rows, &s->trace[i]);
    }
    yk_multiplier(c, &s->trace[YK_COARSE], &s->trace[YK_FINE], s->work, lambda);
    for (int i = 0; i < YK_SIDES; i++) {
        struct yk_side *side = &c->side[i];

        memcpy(a[i], side->p, side->n * sizeof(double));
        yk_side_push(side, c->rows, 1, lambda, a[i]);
        yk_factor_solve(side->M, a[i]);
    }
}

enum yk_status yk_tie_factor(struct yk_factor **H, size_t rows, const double *HA, const double *HB,
                             struct yk_arena *mem, struct yk_err *err)
{
    struct yk_matrix sum = {0};
    enum yk_status st;

    if ((st = yk_matrix_init(&sum, YK_DENSE, rows, rows, err)))
        return st;
    for (size_t i = 0; i < rows * rows; i++)
        sum.x[i] = -(HA[i] + HB[i]);
    if ((st = yk_factor_create(H, &sum, mem, err)))
        yk_fail_within(err, YK_NOWHERE, "the interface operator cannot be inverted: ");
    yk_matrix_fini(&sum);
    return st;
}

YK_RT void yk_tie_add(size_t n, size_t rows, const double *A, double scale, const double *x, double *y)
{
    const struct yk_matrix matrix = {.form = YK_DENSE, .rows = n, .cols = rows, .x = (double *)A};

    yk_matrix_add_product(&matrix, scale, x, y);
}

void yk_path_layout(struct yk_path *path, const struct yk_side *side, size_t rows, int count, struct yk_arena *mem)
{
    *path = (struct yk_path){.n = side->n, .rows = rows, .count = side->system->linear ? 0 : count};
    yk_arena_array(mem, &path->free, 2 * side->n * (size_t)path->count);
    yk_arena_array(mem, &path->link, 2 * side->n * (size_t)path->count * rows);
    yk_arena_array(mem, &path->reached, 2 * side->n);
    yk_arena_array(mem, &path->t, (size_t)path->count);
}

YK_RT static void put(size_t n, const double *u, const double *v, double *uv)
{
    memcpy(uv, u, n * sizeof *uv);
    memcpy(uv + n, v, n * sizeof *uv);
}

void yk_path_link(struct yk_path *path, int j, size_t r, const double *u, const double *v)
{
    if (j < path->count)
        put(path->n, u, v, path->link + 2 * path->n * ((size_t)j * path->rows + r));
}

YK_RT void yk_path_follow(struct yk_path *path, struct yk_side *side, int j, double t, const double *u, const double *v)
{
    const struct yk_system *system = side->system;

    put(path->n, u, v, path->free + 2 * path->n * (size_t)j);
    path->t[j] = t;
    if (!system->ops->mark)
        return;
    if (j == 0)
        system->ops->mark(system->self);
    yk_side_commit(side, t, u, v);
}

YK_RT void yk_path_commit(struct yk_path *path, struct yk_side *side, const double *lambda)
{
    const struct yk_system *system = side->system;
    const size_t two_n = 2 * path->n;

    if (path->count && system->ops->rewind)
        system->ops->rewind(system->self);
    for (size_t j = 0; j < (size_t)path->count; j++) {
        memcpy(path->reached, path->free + j * two_n, two_n * sizeof(double));
        yk_tie_add(two_n, path->rows, path->link + j * two_n * path->rows, 1, lambda, path->reached);
        yk_side_commit(side, path->t[j], path->reached, path->reached + path->n);
    }
}
