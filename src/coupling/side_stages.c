/* The Rosenbrock stages of one side, docs/theory/couplings.md, eq. (5)-(8). Units: N, m, s; h = step of the side. */
#include "coupling/side_stages.h"

#include <string.h>

void yk_side_stages_layout(struct yk_side_stages *b, const struct yk_side *side, size_t rows, struct yk_arena *mem)
{
    const size_t n = side->n;

    b->n = n;
    b->rows = rows;
    b->su = yk_arena_doubles(mem, n);
    b->sv = yk_arena_doubles(mem, n);
    b->rhs = yk_arena_doubles(mem, n);
    b->share = yk_arena_doubles(mem, 2 * rows);
}

/* A := Q A = A - G^T H^-1 G M^-1 A, dense n x n */
YK_RT static void hold_interface(struct yk_side_stages *b, double *A)
{
    const size_t n = b->n, rows = b->rows;
    double *q = b->share, *share = b->share + rows;

    for (size_t j = 0; j < n; j++, A += n) {
        memset(b->share, 0, 2 * rows * sizeof *b->share);
        yk_matrix_add_transposed_product(&b->side->MiGt, 1, A, q);
        for (size_t k = 0; k < rows; k++)
            for (size_t r = 0; r < rows; r++)
                share[r] += b->c->Hinv[r + k * rows] * q[k];
        yk_side_push(b->side, rows, -1, share, A);
    }
}

static enum yk_status dense_copy(struct yk_matrix *to, const struct yk_matrix *from, struct yk_err *err)
{
    enum yk_status st = yk_matrix_init(to, YK_DENSE, from->rows, from->cols, err);

    if (!st)
        yk_matrix_to_dense(from, to->x);
    return st;
}

enum yk_status yk_side_stages_init(struct yk_side_stages *b, struct yk_side *side, const struct yk_coupled *c, double h,
                                   double gamma, double b2, bool modified, struct yk_arena *mem, struct yk_err *err)
{
    struct yk_system *s = side->system;
    const double gh = gamma * h;
    enum yk_status st;

    b->side = side;
    b->c = c;
    b->h = h;
    b->gamma = gamma;
    b->b2 = b2;
    b->modified = modified;
    b->refresh = yk_tangent_varies(s);
    if (modified) {
        if ((st = dense_copy(&b->K, &s->K, err)) || (st = dense_copy(&b->C, &s->C, err)))
            return st;
        hold_interface(b, b->K.x);
        hold_interface(b, b->C.x);
    } else if ((st = yk_matrix_copy(&b->K, &s->K, err)) || (st = yk_matrix_copy(&b->C, &s->C, err))) {
        return st;
    }
    if ((st = yk_factor_sum(&b->D, 3, (double[]){1, gh, gh * gh}, (const struct yk_matrix *[]){&s->M, &b->C, &b->K},
                            mem, err)))
        return st;
    return b->refresh ? yk_tangent_init(&b->tangent, s, b->D, modified, mem, err) : YK_OK;
}

void yk_side_stages_fini(struct yk_side_stages *b)
{
    yk_tangent_fini(&b->tangent);
    yk_factor_destroy(b->D);
    yk_matrix_fini(&b->K);
    yk_matrix_fini(&b->C);
}

YK_RT void yk_side_stages_refresh(struct yk_side_stages *b, const double *y)
{
    const size_t n = b->n;
    const double gh = b->gamma * b->h;

    if (!b->refresh)
        return;
    yk_tangent_take(&b->tangent, b->side->system, y, y + n);
    if (b->modified) {
        hold_interface(b, b->tangent.K.x);
        hold_interface(b, b->tangent.C.x);
    }
    yk_tangent_factor(&b->tangent, 1, gh, gh * gh);
}

YK_RT static void add_product(struct yk_side_stages *b, bool stiffness, double alpha, const double *x, double *y)
{
    if (!b->refresh)
        yk_matrix_add_product(stiffness ? &b->K : &b->C, alpha, x, y);
    else
        (stiffness ? yk_tangent_add_stiffness : yk_tangent_add_damping)(&b->tangent, b->side->system, alpha, x, y);
}

/* With s = -(gamma/b2) k1 (0 in the first stage) and w = v + s_v (+ M^-1 G^T psi):
 * D kv = h (p + G^T lambda) - h K (s_u + gamma h w) - h C s_v,   ku = h w + gamma h kv */
YK_RT void yk_side_stages_slope(struct yk_side_stages *b, const double *y, const double *p, const double *lambda,
                                const double *psi, const double *k1, double *k)
{
    const size_t n = b->n;
    const double h = b->h, share = -b->gamma / b->b2;
    double *ku = k, *kv = k + n;

    for (size_t i = 0; i < n; i++) {
        b->su[i] = k1 ? share * k1[i] : 0;
        b->sv[i] = k1 ? share * k1[n + i] : 0;
        ku[i] = h * (y[n + i] + b->sv[i]);
    }
    if (psi)
        yk_matrix_add_product(&b->side->MiGt, h, psi, ku);
    memcpy(b->rhs, p, n * sizeof *p);
    yk_side_push(b->side, b->rows, 1, lambda, b->rhs);
    for (size_t i = 0; i < n; i++) {
        b->rhs[i] *= h;
        b->su[i] += b->gamma * ku[i];
    }
    add_product(b, true, -h, b->su, b->rhs);
    if (k1)
        add_product(b, false, -h, b->sv, b->rhs);
    memcpy(kv, b->rhs, n * sizeof *kv);
    if (b->refresh)
        yk_tangent_solve(&b->tangent, kv);
    else
        yk_factor_solve(b->D, kv);
    for (size_t i = 0; i < n; i++)
        ku[i] += b->gamma * h * kv[i];
}

YK_RT void yk_side_stages_predict(struct yk_side_stages *b, const double *dy, double *p)
{
    add_product(b, true, -1, dy, p);
    add_product(b, false, -1, dy + b->n, p);
}
