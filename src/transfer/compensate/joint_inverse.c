/* The inverse of a plant of several actuators that is a matrix of transfer functions. docs/theory/delay.md, eq. (17i).
 *
 *     y_i = sum_j N_ij(s)/D_j(s) c_j     with c_j = D_j(s) w_j:   sum_j N_ij(s) w_j = y_i
 *
 * With backward differences for s, the newest w follow from the targets and the past w by a small system of equations
 * whose matrix is constant; the commands are differences of w. Zeros of the determinant of N must be on the left, as
 * they are of plants that can be inverted. Units: m, s. */
#include "transfer/compensate/past.h"
#include <yoke/linalg.h>

#include <string.h>

enum { MOST = 32 }; /* coefficients of a polynomial */

struct joint_inverse {
    struct yk_reals numerators, denominators;
    /* private */
    size_t n, up, down, age; /* actuators; coefficients of a numerator, of a denominator; w that are kept */
    struct yk_lu newest;
    double *taps, *out; /* weights of the last w: by i, j and age; by j and age */
    double *past, *w;   /* by actuator, the last w, newest first; n */
    double *rest;       /* n x n: w at rest, for targets of one */
};

/* Weights of w(k), w(k-1), ... in the sum of p_m D^m w, D w = (w(k) - w(k-1))/h; p by falling powers. */
static void differences(const double *p, size_t count, double h, double *weight)
{
    double row[MOST + 1] = {1}, scale = 1; /* (1 - q)^m, by rising powers of the shift q */

    memset(weight, 0, count * sizeof *weight);
    for (size_t m = 0; m < count; m++) {
        for (size_t k = 0; k <= m; k++)
            weight[k] += p[count - 1 - m] * scale * row[k];
        for (size_t k = m + 1; k > 0; k--)
            row[k] -= row[k - 1];
        scale /= h;
    }
}

static enum yk_status take_sizes(struct joint_inverse *s, size_t n, struct yk_err *err)
{
    s->n = n;
    s->up = s->numerators.n / (n * n);
    s->down = s->denominators.n / n;
    s->age = s->up > s->down ? s->up : s->down;
    if (!s->up || s->up > MOST || s->up * n * n != s->numerators.n)
        return yk_fail(err, YK_E_RANGE,
                       "joint-inverse: numerators has %zu numbers; %zu actuators need %zu rows of 1 to %d each",
                       s->numerators.n, n, n * n, MOST);
    if (!s->down || s->down > MOST || s->down * n != s->denominators.n)
        return yk_fail(err, YK_E_RANGE,
                       "joint-inverse: denominators has %zu numbers; %zu actuators need %zu rows of 1 to %d each",
                       s->denominators.n, n, n, MOST);
    return YK_OK;
}

static enum yk_status find_rest(struct joint_inverse *s, struct yk_err *err)
{
    const size_t n = s->n;
    struct yk_arena mem = {0};
    struct yk_lu lu = {0};
    enum yk_status st;

    yk_lu_layout(&lu, n, &mem);
    st = yk_arena_check(&mem, err);
    for (size_t i = 0; i < n && !st; i++)
        for (size_t j = 0; j < n; j++)
            lu.a[i + j * n] = s->numerators.x[(i * n + j + 1) * s->up - 1];
    if (!st && yk_lu_factor(&lu))
        st = yk_fail(err, YK_E_SINGULAR, "joint-inverse: the numerators are singular at s = 0");
    for (size_t j = 0; j < n && !st; j++) {
        s->rest[j + j * n] = 1;
        yk_lu_solve(&lu, s->rest + j * n);
    }
    yk_arena_free(&mem);
    return st;
}

YK_RT static void reset(void *self, const double *x0)
{
    struct joint_inverse *s = self;

    for (size_t i = 0; i < s->n; i++) {
        double w = 0;

        for (size_t j = 0; j < s->n; j++)
            w += s->rest[i + j * s->n] * x0[j];
        for (size_t k = 0; k < s->age; k++)
            s->past[i * s->age + k] = w;
    }
}

static enum yk_status init(void *self, size_t n, double dt, int stages, struct yk_arena *mem, struct yk_err *err)
{
    struct joint_inverse *s = self;
    enum yk_status st;

    if ((st = yk_past_check("joint-inverse", dt, stages, err)) || (st = take_sizes(s, n, err)))
        return st;
    if (stages != 1)
        return yk_fail(err, YK_E_UNSUPPORTED, "joint-inverse needs one target a step, and this method has %d", stages);
    yk_lu_layout(&s->newest, n, mem);
    yk_arena_array(mem, &s->taps, n * n * s->up);
    yk_arena_array(mem, &s->out, n * s->down);
    yk_arena_array(mem, &s->past, n * s->age);
    yk_arena_array(mem, &s->w, n);
    yk_arena_array(mem, &s->rest, n * n);
    if ((st = yk_arena_check(mem, err)) || (st = find_rest(s, err)))
        return st;
    for (size_t i = 0; i < n * n; i++)
        differences(s->numerators.x + i * s->up, s->up, dt, s->taps + i * s->up);
    for (size_t j = 0; j < n; j++)
        differences(s->denominators.x + j * s->down, s->down, dt, s->out + j * s->down);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            s->newest.a[i + j * n] = s->taps[(i * n + j) * s->up];
    if (yk_lu_factor(&s->newest))
        return yk_fail(err, YK_E_SINGULAR,
                       "joint-inverse: the numerators are singular: the actuators cannot be told apart");
    return YK_OK;
}

/* eq. (17i) */
YK_RT static void predict(void *self, const struct yk_target *targets, const double *delays, double *commands)
{
    struct joint_inverse *s = self;
    const size_t n = s->n;

    for (size_t i = 0; i < n; i++) {
        s->w[i] = targets[i].x;
        for (size_t j = 0; j < n; j++)
            for (size_t k = 1; k < s->up; k++)
                s->w[i] -= s->taps[(i * n + j) * s->up + k] * s->past[j * s->age + k - 1];
    }
    yk_lu_solve(&s->newest, s->w);
    for (size_t j = 0; j < n; j++) {
        double *w = s->past + j * s->age;

        memmove(w + 1, w, (s->age - 1) * sizeof *w);
        w[0] = s->w[j];
        commands[j] = 0;
        for (size_t k = 0; k < s->down; k++)
            commands[j] += s->out[j * s->down + k] * w[k];
    }
}

static const struct yk_param params[] = {
    YK_REALS(struct joint_inverse, numerators, YK_NUMBER, YK_REQUIRED, -1e300, 1e300,
             "rows N_11, N_12, ..., N_nn: coefficients of s by falling powers, all rows of one length"),
    YK_REALS(struct joint_inverse, denominators, YK_NUMBER, YK_REQUIRED, -1e300, 1e300,
             "rows D_1, ..., D_n, one for each command, likewise"),
    YK_PARAM_END,
};

static const struct yk_joint_compensator_ops joint = {.init = init, .reset = reset, .predict = predict};

const struct yk_compensator_ops yk_compensator_joint_inverse = {
    .name = "joint-inverse",
    .summary = "inverse of several actuators that interact, given as transfer functions",
    .reference = "docs/theory/delay.md, eq. (17i)",
    .params = params,
    .size = sizeof(struct joint_inverse),
    .joint = &joint,
};
