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
    struct yk_matrix P;        /* n_A x n_B: G_A^T (G_A G_A^T)^-1 G_B; P^T f is what the share of a load does to B */
    struct yk_load_set *share; /* P^T f_A(t) */
    double *f;                 /* load of A at one instant */
    double *f1, *f2;           /* its share (n_B) at the end of the step, at a fine instant */
};

static void layout(void *self, const struct yk_coupled *c, struct yk_arena *mem)
{
    struct ph *s = self;

    yk_newmark_macro_layout(&s->macro, c, mem);
    yk_arena_array(mem, &s->f, c->side[YK_COARSE].n);
    yk_arena_array(mem, &s->f1, c->side[YK_FINE].n);
    yk_arena_array(mem, &s->f2, c->side[YK_FINE].n);
}

/* Column by column: G_A^T (G_A G_A^T)^-1 times a column of G_B. */
static enum yk_status project(struct ph *s, const struct yk_coupled *c, struct yk_err *err)
{
    const struct yk_side *A = &c->side[YK_COARSE], *B = &c->side[YK_FINE];
    const size_t rows = c->rows;
    struct yk_matrix GGt = {0};
    struct yk_factor *factor = NULL;
    enum yk_status st;

    if ((st = yk_matrix_init(&s->P, YK_DENSE, A->n, B->n, err)) ||
        (st = yk_matrix_init(&GGt, YK_DENSE, rows, rows, err)))
        return st;
    for (size_t r = 0; r < rows; r++) {
        for (size_t i = 0; i < A->n; i++)
            s->f[i] = yk_matrix_get(&A->Gt, i, r);
        yk_side_gap(A, 1, s->f, GGt.x + r * rows);
    }
    if ((st = yk_factor_create(&factor, &GGt, NULL, err)))
        yk_fail_within(err, YK_NOWHERE,
                       "ph: the interface rows are not independent on the coarse side, so its load does not determine "
                       "how to share the multiplier; use mph: ");
    for (size_t j = 0; j < B->n && !st; j++) {
        double *column = GGt.x; /* no longer needed */

        for (size_t r = 0; r < rows; r++)
            column[r] = yk_matrix_get(&B->Gt, j, r);
        yk_factor_solve(factor, column);
        yk_side_push(A, rows, 1, column, s->P.x + j * A->n);
    }
    yk_factor_destroy(factor);
    yk_matrix_fini(&GGt);
    return st;
}

static enum yk_status init(void *self, struct yk_coupled *c, struct yk_arena *mem, struct yk_err *err)
{
    struct ph *s = self;
    enum yk_status st;

    if ((st = yk_newmark_macro_init(&s->macro, c, mem, err)) || (st = project(s, c, err)))
        return st;
    return yk_load_set_project(&s->share, c->side[YK_COARSE].loads, &s->P, err);
}

static void fini(void *self)
{
    struct ph *s = self;

    yk_newmark_macro_fini(&s->macro);
    yk_matrix_fini(&s->P);
    yk_load_set_destroy(s->share);
}

/* share = G_B^T (G_A G_A^T)^-1 G_A f_A(t) */
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

/* The share at the beginning of a step is that at the end of the one before. */
static enum yk_status resume(void *self)
{
    struct ph *s = self;

    load_share(s, yk_newmark_sides_time(&s->macro.pair, 0), s->f1);
    return YK_OK;
}

static enum yk_status start(void *self)
{
    yk_newmark_sides_start(self);
    return resume(self);
}

YK_RT static enum yk_status coarse(void *self, int phase)
{
    struct ph *s = self;
    double *known = s->macro.known;

    /* what fades within the step: the multiplier and, in mu, the share at the beginning less that at the end */
    yk_newmark_macro_begin(&s->macro);
    yk_combine(s->P.cols, known, 1, s->f1, known);
    load_share(s, yk_newmark_sides_time(&s->macro.pair, 1), s->f1);
    yk_combine(s->P.cols, known, -1, s->f1, known);
    return yk_newmark_macro_coarse(self, phase);
}

YK_RT static enum yk_status fine_absorb(void *self, int phase, int substep, int stage)
{
    struct ph *s = self;
    const struct yk_coupled *c = s->macro.pair.c;
    const double left = (c->substeps - 1 - substep) * s->macro.pair.part;

    if (substep == c->substeps - 1) { /* mu vanishes at the end */
        yk_newmark_macro_absorb(&s->macro, substep, NULL, NULL);
        return YK_OK;
    }
    load_share(s, ((double)c->step + 1 - left) * c->dt, s->f2);
    yk_newmark_macro_absorb(&s->macro, substep, s->f1, s->f2);
    return YK_OK;
}

static const struct yk_coupling_evidence evidence = {
    YK_NEWMARK_MACRO_EVIDENCE,
    .loads = {0, 1},
};

const struct yk_coupling_ops yk_coupling_ph = {
    .name = "ph",
    .summary = "staggered Newmark, velocity continuity at coarse instants, coarse side in equilibrium at fine instants",
    .reference = "Prakash and Hjelmstad 2004",
    .exchange = "load of the coarse side at fine instants before, free interface velocities after the fine substeps",
    .startup = "self-starting",
    .caps = YK_COUPLING_CONSTANT_MASS | YK_COUPLING_RETRACES,
    .size = sizeof(struct ph),
    YK_OWN_PREPARATION,
    .coarse = coarse,
    .fine_absorb = fine_absorb,
    .resume = resume,
    YK_NEWMARK_MACRO_FUNCTIONS,
    .evidence = &evidence,
};
