/* PH: staggered Newmark coupling, conservative at any ratio of steps. docs/theory/couplings-newmark.md, eq. (27), (28).
 *
 *     lambda_j = (1 - j/ss) lambda_n + (j/ss) lambda_{n+1} + mu_j
 *     (G_A G_A^T) mu_j = -G_A [f_A(t_j) - (1 - j/ss) f_A(t_n) - (j/ss) f_A(t_{n+1})]
 *
 * mu_j keeps A in balance at the fine instants with its kinematics taken as linear in the step; it vanishes where A's
 * load is linear in time or off the interface, and the method is mph then. Order 2, no work at the interface, stable
 * where each side is. Units: N, m, s. */
#include "coupling/newmark_macro.h"

#include <string.h>

struct ph {
    struct yk_newmark_macro macro;
    struct yk_matrix P;        /* G_A^T (G_A G_A^T)^-1: P^T f is the share of a load on the interface */
    struct yk_load_set *share; /* P^T f_A(t) */
    double *f;                 /* load of A at one instant */
    double *f0, *f1, *f2;      /* its share (rows) at the beginning, at the end, at a fine instant; then mu */
};

static void layout(void *self, const struct yk_coupled *c, struct yk_arena *mem)
{
    struct ph *s = self;

    yk_newmark_macro_layout(&s->macro, c, mem);
    s->f = yk_arena_doubles(mem, c->side[YK_COARSE].n);
    s->f0 = yk_arena_doubles(mem, c->rows);
    s->f1 = yk_arena_doubles(mem, c->rows);
    s->f2 = yk_arena_doubles(mem, c->rows);
}

/* Column by column: G_A^T times a column of (G_A G_A^T)^-1. */
static enum yk_status project(struct ph *s, const struct yk_side *A, size_t rows, struct yk_err *err)
{
    struct yk_matrix GGt = {0};
    struct yk_factor *factor = NULL;
    enum yk_status st;

    if ((st = yk_matrix_init(&s->P, YK_DENSE, A->n, rows, err)) ||
        (st = yk_matrix_init(&GGt, YK_DENSE, rows, rows, err)))
        return st;
    yk_matrix_to_dense(&A->Gt, s->P.x);
    for (size_t r = 0; r < rows; r++)
        yk_side_gap(A, 1, s->P.x + r * A->n, GGt.x + r * rows);
    if ((st = yk_factor_create(&factor, &GGt, err)))
        yk_fail_within(
            err, YK_NOWHERE,
            "ph: the interface rows are not independent on the coarse side, so its load does not tell how to "
            "share the multiplier; use mph: ");
    memset(s->P.x, 0, A->n * rows * sizeof *s->P.x);
    for (size_t r = 0; r < rows && !st; r++) {
        memset(s->f0, 0, rows * sizeof *s->f0);
        s->f0[r] = 1;
        yk_factor_solve(factor, s->f0);
        yk_side_push(A, rows, 1, s->f0, s->P.x + r * A->n);
    }
    yk_factor_destroy(factor);
    yk_matrix_fini(&GGt);
    return st;
}

static enum yk_status init(void *self, struct yk_coupled *c, struct yk_err *err)
{
    struct ph *s = self;
    const struct yk_side *A = &c->side[YK_COARSE];
    enum yk_status st;

    if ((st = yk_newmark_macro_init(&s->macro, c, err)) || (st = project(s, A, c->rows, err)))
        return st;
    return yk_load_set_project(&s->share, A->loads, &s->P, err);
}

static void fini(void *self)
{
    struct ph *s = self;

    yk_newmark_macro_fini(&s->macro);
    yk_matrix_fini(&s->P);
    yk_load_set_destroy(s->share);
}

/* share = (G_A G_A^T)^-1 G_A f_A(t) */
YK_RT static void load_share(struct ph *s, double t, double *share)
{
    const struct yk_side *A = s->macro.pair.side[YK_COARSE].side;

    if (A->loading.self == A->loads) {
        yk_load_set_at(s->share, t, share);
        return;
    }
    A->loading.at(A->loading.self, t, s->f);
    memset(share, 0, s->P.cols * sizeof *share);
    yk_matrix_add_transposed_product(&s->P, 1, s->f, share);
}

YK_RT static enum yk_status coarse(void *self, int phase)
{
    struct ph *s = self;

    load_share(s, yk_newmark_pair_time(&s->macro.pair, 0), s->f0);
    load_share(s, yk_newmark_pair_time(&s->macro.pair, 1), s->f1);
    return yk_newmark_macro_coarse(self, phase);
}

YK_RT static enum yk_status fine_absorb(void *self, int phase, int substep, int stage)
{
    struct ph *s = self;
    const struct yk_coupled *c = s->macro.pair.c;
    const double x = (substep + 1.0) / c->substeps;

    load_share(s, ((double)c->step + x) * c->dt, s->f2);
    for (size_t r = 0; r < c->rows; r++)
        s->f2[r] = (1 - x) * s->f0[r] + x * s->f1[r] - s->f2[r];
    yk_newmark_macro_absorb(&s->macro, substep, s->f2);
    return YK_OK;
}

const struct yk_coupling_ops yk_coupling_ph = {
    .name = "ph",
    .summary = "staggered Newmark, velocity continuity at coarse instants, coarse side in balance at the fine ones",
    .reference = "Prakash and Hjelmstad 2004",
    .exchange = "load of the coarse side at fine instants before, free interface velocities after the fine substeps",
    .startup = "self-starting",
    .caps = YK_COUPLING_CONSTANT_MASS,
    .size = sizeof(struct ph),
    .layout = layout,
    .init = init,
    .fini = fini,
    .coarse = coarse,
    .fine_absorb = fine_absorb,
    YK_NEWMARK_MACRO_FUNCTIONS,
};
