/* Exact solution of a linear system, by the matrix exponential. docs/theory/integrators.md, eq. (28).
 *
 *     y1 = exp(hA) y + sum_i W_i f(t + c_i h),   A = [0 I; -M^-1 K  -M^-1 C]
 *
 * The load is taken as the polynomial through the four Gauss nodes of the step; the homogeneous part is exact for any
 * step. Error of the load term O(h^8) per unit time of a smooth load. The ends of the step are no nodes: a load may
 * jump there. Its value at the end is asked for as well, for the acceleration. Units: N, m, s; h = step. */
#include "integrator/step.h"

#include <stdlib.h>
#include <string.h>

enum { NODES = 4, LARGEST = 400 };

struct exact {
    YK_STEP;       /* the state is (u, v) */
    double *f;     /* load at the last end of a step */
    double *r, *y; /* y = (u, v) of the new state */
    double *E, *W; /* 2n x 2n; NODES blocks of 2n x n */
    double *load;  /* NODES load vectors */
};

static void layout(void *self, const struct yk_system *system, struct yk_arena *mem)
{
    struct exact *s = self;
    const size_t n = system->n;

    yk_step_layout(&s->state, mem, n, 2, (double **[]){&s->u, &s->v});
    yk_arena_each(mem, n, 3, (double **[]){&s->f, &s->a, &s->r});
    yk_arena_array(mem, &s->y, 2 * n);
    yk_arena_array(mem, &s->load, NODES * n);
    if (n <= LARGEST) {
        yk_arena_array(mem, &s->E, 4 * n * n);
        yk_arena_array(mem, &s->W, NODES * 2 * n * n);
    }
}

/* Coefficients of the Lagrange polynomials through the nodes: poly[i][k] multiplies (t/h)^k. */
static void lagrange(const double *c, double poly[NODES][NODES])
{
    for (int i = 0; i < NODES; i++) {
        memset(poly[i], 0, sizeof poly[i]);
        poly[i][0] = 1;
        for (int j = 0, degree = 0; j < NODES; j++) {
            if (j == i)
                continue;
            for (int k = ++degree; k >= 0; k--) /* times (x - c_j)/(c_i - c_j) */
                poly[i][k] = ((k > 0 ? poly[i][k - 1] : 0) - c[j] * poly[i][k]) / (c[i] - c[j]);
        }
    }
}

/* The nodes, and the end. */
static const double *nodes(void)
{
    static const double c[NODES + 1] = {0.06943184420297371239, 0.33000947820757186760, 0.66999052179242813240,
                                        0.93056815579702628761, 1};

    return c;
}

/* X = [hA hB 0 ..; 0 0 I ..; ..]: exp(X) holds exp(hA) and h phi_k(hA) B in its first rows. */
static enum yk_status exponential(struct exact *s, double *X, double *expX, size_t N, struct yk_err *err)
{
    const size_t n = s->system->n;
    double *column = s->y; /* preparation: the work vector is free */
    double *dense = calloc(n * n, sizeof *dense);

    if (!dense)
        return yk_fail(err, YK_E_MEMORY, "exact: out of memory for %zu degrees of freedom", n);
    for (size_t j = 0; j < n; j++)
        X[j + (n + j) * N] = s->h;
    for (int block = 0; block < 3; block++) { /* -h M^-1 K, -h M^-1 C, h M^-1 */
        if (block < 2)
            yk_matrix_to_dense(block ? &s->system->C : &s->system->K, dense);
        for (size_t j = 0; j < n; j++) {
            for (size_t i = 0; i < n; i++)
                column[i] = block < 2 ? -dense[i + j * n] : (double)(i == j);
            yk_factor_solve(s->M, column);
            for (size_t i = 0; i < n; i++)
                X[n + i + (block * n + j) * N] = s->h * column[i];
        }
    }
    free(dense);
    for (size_t i = 2 * n; i + n < N; i++)
        X[i + (i + n) * N] = 1;
    return yk_expm(N, X, expX, err);
}

static enum yk_status init(void *self, struct yk_system *system, double dt, struct yk_arena *mem, struct yk_err *err)
{
    struct exact *s = self;
    const size_t n = system->n, N = (2 + NODES) * n;
    double poly[NODES][NODES], *X, *expX;
    enum yk_status st;

    if (n > LARGEST)
        return yk_fail(err, YK_E_RANGE, "exact: %zu degrees of freedom are more than %d; reduce the model or use lsrt3",
                       n, LARGEST);
    if ((st = yk_step_init(self, system, dt, mem, err)))
        return st;
    X = calloc(N * N, sizeof *X);
    expX = calloc(N * N, sizeof *expX);
    st = X && expX ? exponential(s, X, expX, N, err) : yk_fail(err, YK_E_MEMORY, "exact: out of memory");
    lagrange(nodes(), poly);
    for (size_t j = 0; j < 2 * n && !st; j++)
        memcpy(s->E + j * 2 * n, expX + j * N, 2 * n * sizeof(double));
    for (int i = 0; i < NODES && !st; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t r = 0; r < 2 * n; r++) {
                double sum = 0, factorial = 1;
                for (int k = 0; k < NODES; k++, factorial *= k)
                    sum += poly[i][k] * factorial * expX[r + (2 * n + (size_t)k * n + j) * N];
                s->W[((size_t)i * n + j) * 2 * n + r] = sum;
            }
    free(X);
    free(expX);
    return st;
}

/* r = K u + C v */
YK_RT static void restoring(struct exact *s)
{
    memset(s->r, 0, s->system->n * sizeof *s->r);
    yk_matrix_add_product(&s->system->K, 1, s->u, s->r);
    yk_matrix_add_product(&s->system->C, 1, s->v, s->r);
}

/* M a = f - r */
YK_RT static void accelerate(struct exact *s)
{
    restoring(s);
    for (size_t i = 0; i < s->system->n; i++)
        s->a[i] = s->f[i] - s->r[i];
    yk_factor_solve(s->M, s->a);
}

YK_RT static void start(void *self, const double *u, const double *v, const double *p)
{
    struct exact *s = self;
    const size_t n = s->system->n;

    memmove(s->u, u, n * sizeof *u);
    memmove(s->v, v, n * sizeof *v);
    restoring(s);
    for (size_t i = 0; i < n; i++)
        s->f[i] = p[i] + s->r[i];
    accelerate(s);
}

/* Only the load is taken: any state will do. */
YK_RT static void target(void *self, int stage, struct yk_kinematics *want)
{
    struct exact *s = self;

    *want = (struct yk_kinematics){.c = nodes()[stage], .u = s->u, .v = s->v};
}

YK_RT static enum yk_status absorb(void *self, int stage, const double *f)
{
    struct exact *s = self;
    const size_t n = s->system->n;
    const struct yk_matrix E = {.form = YK_DENSE, .rows = 2 * n, .cols = n, .x = s->E};
    const struct yk_matrix Ev = {.form = YK_DENSE, .rows = 2 * n, .cols = n, .x = s->E + 2 * n * n};
    const struct yk_matrix W = {.form = YK_DENSE, .rows = 2 * n, .cols = NODES * n, .x = s->W};

    memcpy(stage < NODES ? s->load + (size_t)stage * n : s->f, f, n * sizeof *f);
    if (stage < NODES)
        return YK_OK;
    memset(s->y, 0, 2 * n * sizeof *s->y);
    yk_matrix_add_product(&E, 1, s->u, s->y);
    yk_matrix_add_product(&Ev, 1, s->v, s->y);
    yk_matrix_add_product(&W, 1, s->load, s->y);
    memcpy(s->u, s->y, n * sizeof *s->u);
    memcpy(s->v, s->y + n, n * sizeof *s->v);
    accelerate(s);
    return YK_OK;
}

YK_RT static void resume(void *self, const double *p)
{
    struct exact *s = self;

    start(self, s->u, s->v, p);
}

const struct yk_integrator_ops yk_integrator_exact = {
    .name = "exact",
    .summary = "matrix exponential: the exact response of a linear model, a reference",
    .reference = "Lawson 1967",
    .order = 8,
    .stages = NODES + 1,
    .caps = YK_INTEG_LINEAR_ONLY | YK_INTEG_LOADS,
    .size = sizeof(struct exact),
    .layout = layout,
    .init = init,
    .fini = yk_step_fini,
    .start = start,
    .target = target,
    .absorb = absorb,
    .resume = resume,
    YK_STEP_FUNCTIONS,
};
