/* The Rosenbrock stages of one side, docs/theory/couplings.md, eq. (5)-(8). Units: N, m, s; h = step of the side. */
#include "coupling/side_stages.h"

#include <stdlib.h>
#include <string.h>

void yk_side_stages_layout(struct yk_side_stages *b, const struct yk_side *side, size_t rows, struct yk_arena *mem)
{
    const size_t n = side->n;

    b->n = n;
    b->rows = rows;
    yk_arena_array(mem, &b->su, n);
    yk_arena_array(mem, &b->sv, n);
    yk_arena_array(mem, &b->rhs, n);
    yk_arena_array(mem, &b->share, 2 * rows);
    yk_arena_pointers(mem, &b->side, &b->c);
}

/* A := Q A = A - G^T H^-1 G M^-1 A, dense with n rows */
YK_RT static void hold_interface(struct yk_side_stages *b, const struct yk_matrix *matrix)
{
    const size_t rows = b->rows;
    double *q = b->share, *share = b->share + rows, *A = matrix->x;

    for (size_t j = 0; j < matrix->cols; j++, A += b->n) {
        memset(b->share, 0, 2 * rows * sizeof *b->share);
        yk_matrix_add_transposed_product(&b->side->MiGt, 1, A, q);
        for (size_t k = 0; k < rows; k++)
            for (size_t r = 0; r < rows; r++)
                share[r] += b->c->Hinv[r + k * rows] * q[k];
        yk_side_push(b->side, rows, -1, share, A);
    }
}

/* ---- in modes ----
 *
 * There M = I and A = D + E S E^T, where A is K or C and D is diagonal, so that
 *
 *     Q A = D + E S E^T - G^T H^-1 (D G^T)^T - G^T H^-1 G E S E^T
 *
 * is diagonal but for few columns, those of E, G^T, D_K G^T and D_C G^T: docs/theory/modal.md, eq. (6). */

/* How many of these columns there are; 0: the matrices are not in modes, or that many would not be few. */
static size_t columns_held(const struct yk_side_stages *b)
{
    const struct yk_system *s = b->side->system;
    const size_t columns = s->K.columns + 3 * b->rows;

    return s->path == YK_SOLVE_MODAL && columns <= YK_THIN_MOST ? columns : 0;
}

static enum yk_status list_columns(struct yk_side_stages *b, struct yk_err *err)
{
    const struct yk_system *s = b->side->system;
    const size_t n = b->n, rows = b->rows, touched = s->K.columns;
    double *Gt, *at;

    if (!(b->columns = malloc((n * columns_held(b) + 1) * sizeof *b->columns)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for the Jacobian of a side");
    if (touched)
        memcpy(b->columns, s->K.E, n * touched * sizeof *b->columns);
    Gt = b->columns + n * touched;
    yk_matrix_to_dense(&b->side->Gt, Gt);
    at = Gt + n * rows;
    for (size_t k = 0; k < n * rows; k++) {
        at[k] = s->K.x[k % n] * Gt[k];
        at[n * rows + k] = s->C.x[k % n] * Gt[k];
    }
    return YK_OK;
}

/* Q A; D_A G^T are the columns from `own` on. */
static enum yk_status held_in_modes(struct yk_side_stages *b, struct yk_matrix *to, const struct yk_matrix *A,
                                    size_t own, struct yk_err *err)
{
    const size_t n = b->n, rows = b->rows, touched = A->columns, all = columns_held(b);
    const double *Hinv = b->c->Hinv, *E = b->columns, *Gt = E + n * touched;
    double *S;
    enum yk_status st = yk_matrix_init_thin(to, n, all, b->columns, err);

    if (st)
        return st;
    memcpy(to->x, A->x, n * sizeof *to->x);
    S = to->x + n;
    for (size_t j = 0; j < touched; j++)
        memcpy(S + j * all, A->x + n + j * touched, touched * sizeof *S);
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < rows; k++) {
            double *row = S + touched + r; /* of column r of G^T */

            row[(own + k) * all] = -Hinv[r + k * rows];
            for (size_t i = 0; i < touched; i++) {
                const double share = Hinv[r + k * rows] * yk_dot(n, Gt + k * n, E + i * n);

                for (size_t j = 0; j < touched; j++)
                    row[j * all] -= share * A->x[n + i + j * touched];
            }
        }
    return YK_OK;
}

/* ---- preparation ---- */

static enum yk_status held_copy(struct yk_side_stages *b, struct yk_matrix *to, const struct yk_matrix *from,
                                struct yk_err *err)
{
    enum yk_status st = yk_matrix_init(to, YK_DENSE, from->rows, from->cols, err);

    if (st)
        return st;
    yk_matrix_to_dense(from, to->x);
    hold_interface(b, to);
    return YK_OK;
}

/* Q K, Q C, and Q E of the columns whose tangents change. */
static enum yk_status hold_tangents(struct yk_side_stages *b, struct yk_err *err)
{
    const struct yk_system *s = b->side->system;
    const size_t touched = s->K.columns, rows = b->rows;
    enum yk_status st;

    if (s->changing.cols && (st = held_copy(b, &b->E, &s->changing, err)))
        return st;
    if (!columns_held(b))
        return (st = held_copy(b, &b->K, &s->K, err)) ? st : held_copy(b, &b->C, &s->C, err);
    if ((st = list_columns(b, err)) || (st = held_in_modes(b, &b->K, &s->K, touched + rows, err)))
        return st;
    return held_in_modes(b, &b->C, &s->C, touched + 2 * rows, err);
}

/* D with the initial tangents. */
static enum yk_status factor(struct yk_side_stages *b, struct yk_arena *mem, struct yk_err *err)
{
    struct yk_system *s = b->side->system;
    const double gh = b->gamma * b->h;
    enum yk_status st;

    if (!b->modified)
        return yk_system_factor(&b->D, s, 1, gh, gh * gh, mem, err);
    st = yk_factor_sum(&b->D, 3, (double[]){1, gh, gh * gh}, (const struct yk_matrix *[]){&s->M, &b->C, &b->K}, mem,
                       err);
    s->solving =
        (struct yk_solving){.path = columns_held(b) ? YK_SOLVE_MODAL : YK_SOLVE_DENSE, .modal = s->solving.modal};
    return st;
}

enum yk_status yk_side_stages_init(struct yk_side_stages *b, struct yk_side *side, const struct yk_coupled *c, double h,
                                   double gamma, double b2, bool modified, struct yk_arena *mem, struct yk_err *err)
{
    struct yk_system *s = side->system;
    const struct yk_held held = {&b->K, &b->C, &b->E};
    enum yk_status st;

    b->side = side;
    b->c = c;
    b->h = h;
    b->gamma = gamma;
    b->b2 = b2;
    b->modified = modified;
    b->refresh = yk_tangent_varies(s);
    if (modified)
        st = hold_tangents(b, err);
    else if (!(st = yk_matrix_copy(&b->K, &s->K, err)))
        st = yk_matrix_copy(&b->C, &s->C, err);
    if (st || (st = factor(b, mem, err)))
        return st;
    return b->refresh ? yk_tangent_init(&b->tangent, s, b->D, modified ? &held : NULL, mem, err) : YK_OK;
}

void yk_side_stages_fini(struct yk_side_stages *b)
{
    yk_tangent_fini(&b->tangent);
    yk_factor_destroy(b->D);
    yk_matrix_fini(&b->K);
    yk_matrix_fini(&b->C);
    yk_matrix_fini(&b->E);
    free(b->columns);
}

YK_RT void yk_side_stages_refresh(struct yk_side_stages *b, const double *y)
{
    const size_t n = b->n;
    const double gh = b->gamma * b->h;

    if (!b->refresh)
        return;
    yk_tangent_take(&b->tangent, b->side->system, y, y + n);
    if (b->modified && !b->tangent.E) {
        hold_interface(b, &b->tangent.K);
        hold_interface(b, &b->tangent.C);
    }
    yk_tangent_factor(&b->tangent, 1, gh, gh * gh);
}

YK_RT static void add_product(struct yk_side_stages *b, bool stiffness, double alpha, const double *x, double *y)
{
    if (!b->refresh)
        yk_matrix_add_product(stiffness ? &b->K : &b->C, alpha, x, y);
    else
        (stiffness ? yk_tangent_add_stiffness : yk_tangent_add_damping)(&b->tangent, alpha, x, y);
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
