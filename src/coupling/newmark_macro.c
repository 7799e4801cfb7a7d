/* Newmark coupling with a multiplier that is linear in a system step. docs/theory/couplings-newmark.md, eq. (27).
 * Units: N, m, s. */
#include "coupling/newmark_macro.h"

#include <string.h>

void yk_newmark_macro_layout(struct yk_newmark_macro *s, const struct yk_coupled *c, struct yk_arena *mem)
{
    yk_newmark_sides_layout(&s->pair, c, mem);
    yk_arena_array(mem, &s->Y, 3 * c->side[YK_FINE].n * c->rows);
    yk_arena_array(mem, &s->known, c->side[YK_FINE].n);
    if (c->side[YK_FINE].system->rate)
        yk_arena_array(mem, &s->pair.ramped, c->side[YK_FINE].n * (c->rows * (size_t)c->substeps + 1));
    yk_path_layout(&s->path, &c->side[YK_FINE], c->rows, c->substeps, mem);
}

/* Column r of Y: B from rest, without load and with its initial tangents, under the ramp of row r. */
static void ramp(struct yk_newmark_macro *s, size_t r)
{
    const struct yk_newmark_side *B = &s->pair.side[YK_FINE];
    const struct yk_system *sys = B->side->system;
    double *column = s->Y + 3 * B->n * r, *unit = s->pair.lambda;
    struct yk_newmark_motion m = {column, column + B->n, column + 2 * B->n};
    const int ss = s->pair.c->substeps;

    memset(unit, 0, B->rows * sizeof *unit);
    for (int j = 0; j < ss; j++) {
        yk_newmark_side_predict(B, &m);
        if (s->pair.ramped)
            memcpy(s->pair.ramped + ((size_t)j * B->rows + r) * B->n, B->ahead, B->n * sizeof *m.v);
        memset(m.a, 0, B->n * sizeof *m.a);
        yk_matrix_add_product(&sys->K, -1, m.u, m.a);
        yk_matrix_add_product(&sys->C, -1, m.v, m.a);
        unit[r] = (j + 1.0) / ss;
        yk_side_push(B->side, B->rows, 1, unit, m.a);
        yk_factor_solve(B->D, m.a);
        yk_newmark_side_correct(B, &m);
        yk_path_link(&s->path, j, r, m.u, m.v);
    }
}

enum yk_status yk_newmark_macro_init(struct yk_newmark_macro *s, struct yk_coupled *c, struct yk_arena *mem,
                                     struct yk_err *err)
{
    struct yk_newmark_side *B = &s->pair.side[YK_FINE];
    enum yk_status st = yk_newmark_sides_init(&s->pair, c, mem, err);

    if (st)
        return st;
    memset(B->H, 0, c->rows * c->rows * sizeof *B->H); /* here: what the whole ramp does, not one substep */
    for (size_t r = 0; r < c->rows; r++) {
        ramp(s, r);
        yk_side_gap(B->side, 1, s->Y + (3 * r + 1) * B->n, B->H + r * c->rows);
    }
    return yk_tie_factor(&s->H, c->rows, s->pair.side[YK_COARSE].H, B->H, mem, err);
}

void yk_newmark_macro_fini(struct yk_newmark_macro *s)
{
    yk_newmark_sides_fini(&s->pair);
    yk_factor_destroy(s->H);
}

enum yk_status yk_newmark_macro_start(void *self)
{
    yk_newmark_sides_start(self);
    return YK_OK;
}

YK_RT enum yk_status yk_newmark_macro_coarse(void *self, int phase)
{
    struct yk_newmark_macro *s = self;
    struct yk_newmark_motion *m = &s->pair.m[YK_COARSE];

    yk_newmark_side_free(&s->pair.side[YK_COARSE], yk_newmark_sides_time(&s->pair, 1), m);
    return YK_OK;
}

YK_RT void yk_newmark_macro_begin(struct yk_newmark_macro *s)
{
    const struct yk_newmark_side *B = &s->pair.side[YK_FINE];

    memset(s->known, 0, B->n * sizeof *s->known);
    yk_side_push(B->side, B->rows, 1, s->pair.lambda, s->known);
}

YK_RT void yk_newmark_macro_absorb(struct yk_newmark_macro *s, int substep, const double *gain, const double *loss)
{
    const struct yk_newmark_side *B = &s->pair.side[YK_FINE];
    struct yk_newmark_motion *m = &s->pair.m[YK_FINE];
    const double left = (s->pair.c->substeps - 1 - substep) * s->pair.part;
    const double *restrict p = B->side->p, *restrict known = s->known;
    double *restrict a = m->a;

    if (gain)
        for (size_t i = 0; i < B->n; i++)
            a[i] = p[i] + left * known[i] + (gain[i] - loss[i]);
    else
        yk_combine(B->n, p, left, known, a);
    if (B->ahead)
        yk_combine(B->n, a, 1, B->more, m->a);
    yk_factor_solve(B->D, m->a);
    yk_newmark_side_correct(B, m);
    if (s->path.count)
        yk_path_follow(&s->path, B->side, substep, yk_newmark_sides_after(&s->pair, substep), m->u, m->v);
}

/* The multiplier that closes the velocity gap, and the corrections it makes. */
YK_RT enum yk_status yk_newmark_macro_sync(void *self, int phase)
{
    struct yk_newmark_macro *s = self;
    const struct yk_newmark_side *A = &s->pair.side[YK_COARSE], *B = &s->pair.side[YK_FINE];
    struct yk_newmark_motion *mA = &s->pair.m[YK_COARSE], *mB = &s->pair.m[YK_FINE];

    memset(s->pair.lambda, 0, A->rows * sizeof(double));
    yk_newmark_side_gap(A, mA, s->pair.lambda);
    yk_side_gap(B->side, 1, mB->v, s->pair.lambda);
    yk_factor_solve(s->H, s->pair.lambda);
    yk_newmark_side_link(A, s->pair.lambda, mA);
    yk_tie_add(3 * B->n, B->rows, s->Y, 1, s->pair.lambda, mB->u);
    yk_side_commit(A->side, yk_newmark_sides_time(&s->pair, 1), mA->u, mA->v);
    yk_path_commit(&s->path, B->side, s->pair.lambda);
    return YK_OK;
}

enum yk_status yk_newmark_macro_resume(void *self)
{
    return YK_OK; /* states and multiplier are all there is */
}

/* B has the motion that the ramp of the multiplier leaves after all substeps. */
enum yk_status yk_newmark_macro_link(const void *self, int side, size_t dof, double *weight, struct yk_err *err)
{
    const struct yk_newmark_macro *s = self;

    if (side == YK_COARSE)
        return yk_newmark_sides_link(self, side, dof, weight, err);
    for (size_t r = 0; r < s->pair.c->rows; r++)
        weight[r] = s->Y[3 * s->pair.side[YK_FINE].n * r + dof];
    return YK_OK;
}
