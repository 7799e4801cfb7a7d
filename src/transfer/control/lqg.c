/* State feedback with an observer for several actuators, designed from a model. docs/theory/control.md, eq. (72)-(76).
 *
 *     model     x' = A x + B u, y = C x; over a tick x+ = F x + H u
 *     observer  z = z- + L (y - C z-),   z- = F z + H u
 *     command   u = -K [z; q],   q+ = q + h (r - C z)
 *
 * K minimises the sum of |C z|^2 + integral |q|^2 + effort |u|^2, L the variance of z for noise of the commands and of
 * the readings: two discrete Riccati equations. At rest q holds what keeps the actuators there. Units: m, s; the
 * states have those of the user. Matrices are given row by row and kept by columns. */
#include "transfer/dynamics.h"
#include <yoke/linalg.h>

#include <stdlib.h>
#include <string.h>

enum { CONTINUOUS, DISCRETE };

struct lqg {
    struct yk_reals A, B, C;
    int time;
    double integral, effort, command_noise, reading_noise;
    /* private */
    size_t n, s; /* actuators, states */
    double h;
    double *F, *H, *c;     /* s x s, s x n, n x s */
    double *K, *L;         /* n x (s + n), s x n */
    double *rest;          /* (s + n) x n: state and integral at rest, for outputs of one */
    double *ahead, *z, *q; /* state before the reading and with it; integral */
    double *error, *u;     /* n; commands as they were sent */
};

/* to (rows x columns), by columns */
static void by_columns(const struct yk_reals *from, size_t rows, size_t columns, double *to)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            to[i + j * rows] = from->x[i * columns + j];
}

/* y = A x + keep y */
YK_RT static void product(size_t rows, size_t columns, const double *A, const double *x, double keep, double *y)
{
    for (size_t i = 0; i < rows; i++)
        y[i] *= keep;
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++)
            y[i] += A[i + j * rows] * x[j];
}

/* F, H: those given, or the exponential of [A B; 0 0] h. */
static enum yk_status hold(struct lqg *p, struct yk_err *err)
{
    const size_t s = p->s, n = p->n, all = s + n;
    double *G = calloc(2 * all * all, sizeof *G), *E = G + all * all;
    enum yk_status st = G ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for a controller");

    if (p->time == DISCRETE) {
        by_columns(&p->A, s, s, p->F);
        by_columns(&p->B, s, n, p->H);
        free(G);
        return YK_OK;
    }
    for (size_t i = 0; i < s && !st; i++) {
        for (size_t j = 0; j < s; j++)
            G[i + j * all] = p->h * p->A.x[i * s + j];
        for (size_t j = 0; j < n; j++)
            G[i + (s + j) * all] = p->h * p->B.x[i * n + j];
    }
    if (!st && !(st = yk_expm(all, G, E, err)))
        for (size_t j = 0; j < all; j++)
            memcpy(j < s ? p->F + j * s : p->H + (j - s) * s, E + j * all, s * sizeof *E);
    free(G);
    return st;
}

/* The gain (R + B^T X B)^-1 B^T X A of the regulator of x+ = A x + B u, order m, n commands, R = weight I; K n x m. */
static enum yk_status regulate(size_t m, size_t n, const double *A, const double *B, const double *Q, double weight,
                               double *K, struct yk_err *err)
{
    struct yk_arena mem = {0};
    double *G = yk_arena_take(&mem, m * m * sizeof *G), *X = yk_arena_take(&mem, m * m * sizeof *X),
           *XB = yk_arena_take(&mem, m * n * sizeof *XB);
    struct yk_lu R = {0};
    enum yk_status st;

    yk_lu_layout(&R, n, &mem);
    if (!(st = yk_arena_check(&mem, err))) {
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < m; j++)
                for (size_t k = 0; k < n; k++)
                    G[i + j * m] += B[i + k * m] * B[j + k * m] / weight;
        st = yk_riccati(m, A, G, Q, X, err);
    }
    if (!st) {
        for (size_t k = 0; k < n; k++)
            product(m, m, X, B + k * m, 0, XB + k * m);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                R.a[i + j * n] = i == j ? weight : 0;
                for (size_t k = 0; k < m; k++)
                    R.a[i + j * n] += B[k + i * m] * XB[k + j * m];
            }
        if (yk_lu_factor(&R))
            st = yk_fail(err, YK_E_SINGULAR, "the weights of the commands are singular");
    }
    for (size_t j = 0; j < m && !st; j++) {
        for (size_t i = 0; i < n; i++) {
            K[i + j * n] = 0;
            for (size_t k = 0; k < m; k++)
                K[i + j * n] += XB[k + i * m] * A[k + j * m];
        }
        yk_lu_solve(&R, K + j * n);
    }
    yk_arena_free(&mem);
    return st;
}

/* eq. (74): the regulator of state and integral */
static enum yk_status design_feedback(struct lqg *p, struct yk_err *err)
{
    const size_t s = p->s, n = p->n, m = s + n;
    struct yk_arena mem = {0};
    double *A = yk_arena_take(&mem, m * m * sizeof *A), *B = yk_arena_take(&mem, m * n * sizeof *B),
           *Q = yk_arena_take(&mem, m * m * sizeof *Q);
    enum yk_status st = yk_arena_check(&mem, err);

    for (size_t j = 0; j < s && !st; j++) {
        memcpy(A + j * m, p->F + j * s, s * sizeof *A);
        for (size_t i = 0; i < n; i++)
            A[s + i + j * m] = -p->h * p->c[i + j * n];
        for (size_t i = 0; i < s; i++)
            for (size_t k = 0; k < n; k++)
                Q[i + j * m] += p->c[k + i * n] * p->c[k + j * n];
    }
    for (size_t k = 0; k < n && !st; k++) {
        memcpy(B + k * m, p->H + k * s, s * sizeof *B);
        A[(s + k) * (m + 1)] = 1;
        Q[(s + k) * (m + 1)] = p->integral;
    }
    if (!st)
        st = regulate(m, n, A, B, Q, p->effort, p->K, err);
    yk_arena_free(&mem);
    return st;
}

/* eq. (75): by duality, with L = F^-1 times the gain of the predictor, found without the inverse: the covariance P of
 * the prediction solves the same equation for the transposed system. */
static enum yk_status design_observer(struct lqg *p, struct yk_err *err)
{
    const size_t s = p->s, n = p->n;
    struct yk_arena mem = {0};
    double *At = yk_arena_take(&mem, s * s * sizeof *At), *G = yk_arena_take(&mem, s * s * sizeof *G),
           *Q = yk_arena_take(&mem, s * s * sizeof *Q), *P = yk_arena_take(&mem, s * s * sizeof *P),
           *PC = yk_arena_take(&mem, s * n * sizeof *PC), *row = yk_arena_take(&mem, n * sizeof *row);
    struct yk_lu S = {0};
    enum yk_status st;

    yk_lu_layout(&S, n, &mem);
    st = yk_arena_check(&mem, err);
    for (size_t i = 0; i < s && !st; i++)
        for (size_t j = 0; j < s; j++) {
            At[j + i * s] = p->F[i + j * s];
            for (size_t k = 0; k < n; k++) {
                G[i + j * s] += p->c[k + i * n] * p->c[k + j * n] / p->reading_noise;
                Q[i + j * s] += p->H[i + k * s] * p->H[j + k * s] * p->command_noise;
            }
        }
    if (!st && !(st = yk_riccati(s, At, G, Q, P, err))) {
        for (size_t i = 0; i < s; i++)
            for (size_t k = 0; k < n; k++)
                for (size_t j = 0; j < s; j++)
                    PC[i + k * s] += P[i + j * s] * p->c[k + j * n];
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n; k++) {
                S.a[i + k * n] = i == k ? p->reading_noise : 0;
                for (size_t j = 0; j < s; j++)
                    S.a[i + k * n] += p->c[i + j * n] * PC[j + k * s];
            }
        if (yk_lu_factor(&S))
            st = yk_fail(err, YK_E_SINGULAR, "the noise of the readings is singular");
    }
    for (size_t i = 0; i < s && !st; i++) { /* L = P C^T S^-1, S symmetric: row by row */
        for (size_t k = 0; k < n; k++)
            row[k] = PC[i + k * s];
        yk_lu_solve(&S, row);
        for (size_t k = 0; k < n; k++)
            p->L[i + k * s] = row[k];
    }
    yk_arena_free(&mem);
    return st;
}

/* eq. (76): z = F z + H u, y = C z, u = -K [z; q] for outputs of one: a system of s + 2 n equations. */
static enum yk_status find_rest(struct lqg *p, struct yk_err *err)
{
    const size_t s = p->s, n = p->n, m = s + 2 * n; /* z, q, u */
    struct yk_arena mem = {0};
    double *x = yk_arena_take(&mem, m * sizeof *x);
    struct yk_lu all = {0};
    enum yk_status st;

    yk_lu_layout(&all, m, &mem);
    if (!(st = yk_arena_check(&mem, err))) {
        for (size_t i = 0; i < s; i++) {
            for (size_t j = 0; j < s; j++)
                all.a[i + j * m] = p->F[i + j * s] - (i == j);
            for (size_t j = 0; j < n; j++)
                all.a[i + (s + n + j) * m] = p->H[i + j * s];
        }
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < s; j++)
                all.a[s + i + j * m] = p->c[i + j * n];
            for (size_t j = 0; j < s + n; j++)
                all.a[s + n + i + j * m] = p->K[i + j * n];
            all.a[s + n + i + (s + n + i) * m] = 1;
        }
        if (yk_lu_factor(&all))
            st = yk_fail(err, YK_E_SINGULAR, "lqg: not every position can be held by a command");
    }
    for (size_t j = 0; j < n && !st; j++) {
        memset(x, 0, m * sizeof *x);
        x[s + j] = 1;
        yk_lu_solve(&all, x);
        memcpy(p->rest + j * (s + n), x, (s + n) * sizeof *x);
    }
    yk_arena_free(&mem);
    return st;
}

YK_RT static void reset(void *self, const double *x0)
{
    struct lqg *p = self;
    const size_t m = p->s + p->n;

    for (size_t i = 0; i < p->s; i++) {
        p->ahead[i] = 0;
        for (size_t j = 0; j < p->n; j++)
            p->ahead[i] += p->rest[i + j * m] * x0[j];
    }
    for (size_t i = 0; i < p->n; i++) {
        p->q[i] = 0;
        for (size_t j = 0; j < p->n; j++)
            p->q[i] += p->rest[p->s + i + j * m] * x0[j];
    }
}

static enum yk_status check(const struct lqg *p, struct yk_err *err)
{
    if (p->s == 0 || p->s * p->s != p->A.n)
        return yk_fail(err, YK_E_RANGE, "lqg: A has %zu numbers; it must be square", p->A.n);
    if (p->B.n != p->s * p->n || p->C.n != p->s * p->n)
        return yk_fail(err, YK_E_RANGE, "lqg: B has %zu numbers and C %zu; %zu states and %zu actuators need %zu each",
                       p->B.n, p->C.n, p->s, p->n, p->s * p->n);
    return YK_OK;
}

static enum yk_status init(void *self, size_t n, double h, struct yk_arena *mem, struct yk_err *err)
{
    struct lqg *p = self;
    const double zero[64] = {0};
    enum yk_status st = yk_tick_check(h, "lqg", err);

    p->n = n;
    p->h = h;
    p->s = (size_t)lround(sqrt((double)p->A.n));
    if (st || (st = check(p, err)))
        return st;
    if (n > sizeof zero / sizeof *zero)
        return yk_fail(err, YK_E_RANGE, "lqg: more than %zu actuators", sizeof zero / sizeof *zero);
    const size_t s = p->s;
    yk_arena_array(mem, &p->F, s * s);
    yk_arena_array(mem, &p->H, s * n);
    yk_arena_array(mem, &p->c, s * n);
    yk_arena_array(mem, &p->K, n * (s + n));
    yk_arena_array(mem, &p->L, s * n);
    yk_arena_array(mem, &p->rest, (s + n) * n);
    yk_arena_array(mem, &p->ahead, s);
    yk_arena_array(mem, &p->z, s);
    yk_arena_each(mem, n, 3, (double **[]){&p->q, &p->error, &p->u});
    if ((st = yk_arena_check(mem, err)))
        return st;
    by_columns(&p->C, n, s, p->c);
    if ((st = hold(p, err)) || (st = design_feedback(p, err)) || (st = design_observer(p, err)) ||
        (st = find_rest(p, err)))
        return st;
    reset(p, zero);
    return YK_OK;
}

/* z: the state with the reading */
YK_RT static void correct(const struct lqg *p, const double *measured, double *error, double *z)
{
    memcpy(error, measured, p->n * sizeof *error);
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < p->s; j++)
            error[i] -= p->c[i + j * p->n] * p->ahead[j];
    memcpy(z, p->ahead, p->s * sizeof *z);
    product(p->s, p->n, p->L, error, 1, z);
}

YK_RT static void estimate(const void *self, const double *measured, double *x)
{
    const struct lqg *p = self;

    correct(p, measured, p->error, p->z);
    product(p->n, p->s, p->c, p->z, 0, x);
}

YK_RT static void predict(struct lqg *p)
{
    product(p->s, p->s, p->F, p->z, 0, p->ahead);
    product(p->s, p->n, p->H, p->u, 1, p->ahead);
}

/* eq. (72), (73) */
YK_RT static void step(void *self, const double *command, const double *measured, double *sent)
{
    struct lqg *p = self;

    correct(p, measured, p->error, p->z);
    product(p->n, p->s, p->K, p->z, 0, p->u);
    product(p->n, p->n, p->K + p->n * p->s, p->q, 1, p->u);
    for (size_t i = 0; i < p->n; i++)
        sent[i] = p->u[i] = -p->u[i];
    product(p->n, p->s, p->c, p->z, 0, p->error);
    for (size_t i = 0; i < p->n; i++)
        p->q[i] += p->h * (command[i] - p->error[i]);
    predict(p);
}

/* The observer follows what was sent. */
YK_RT static void clipped(void *self, const double *sent)
{
    struct lqg *p = self;

    memcpy(p->u, sent, p->n * sizeof *p->u);
    predict(p);
}

static const struct yk_param params[] = {
    YK_REALS(struct lqg, A, YK_NUMBER, YK_REQUIRED, -1e12, 1e12, "rows of A: states by states"),
    YK_REALS(struct lqg, B, YK_NUMBER, YK_REQUIRED, -1e12, 1e12, "rows of B: states by actuators"),
    YK_REALS(struct lqg, C, YK_NUMBER, YK_REQUIRED, -1e12, 1e12, "rows of C: actuators by states"),
    YK_CHOICE(struct lqg, time, "continuous|discrete", CONTINUOUS,
              "x' = A x + B u, or the state after a tick is A x + B u"),
    YK_REAL(struct lqg, integral, YK_NUMBER, 1e6, YK_TINY, 1e30,
            "weight of the integrated error, against 1 of the outputs"),
    YK_REAL(struct lqg, effort, YK_NUMBER, 0.02, YK_TINY, 1e30, "weight of the commands, likewise"),
    YK_REAL(struct lqg, command_noise, YK_NUMBER, 1e-7, YK_TINY, 1e30, "variance of what disturbs the commands [m2]"),
    YK_REAL(struct lqg, reading_noise, YK_NUMBER, 1.5e-10, YK_TINY, 1e30, "variance of the readings [m2]"),
    YK_PARAM_END,
};

static const struct yk_joint_controller_ops joint = {
    .init = init, .reset = reset, .step = step, .clipped = clipped, .estimate = estimate};

const struct yk_controller_ops yk_controller_lqg = {
    .name = "lqg",
    .summary = "state feedback with integral action and observer for several actuators, designed from a model",
    .reference = "Anderson and Moore 1990; Condori Uribe, Salmeron, Patino et al. 2023",
    .params = params,
    .size = sizeof(struct lqg),
    .joint = &joint,
};
