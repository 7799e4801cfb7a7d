/* Kinematics of a setup of any kind: targets of devices, motion from readings, forces both ways, checks.
 * docs/theory/test-rigs.md, eq. (6)-(10).
 *
 * Linear kinds: J and its pseudo-inverse are formed once. Others: Gauss-Newton for positions, (J^T J) factored as
 * needed; with as many actuators as degrees of freedom that is Newton's method. Units: N, m, rad, s. */
#include "transfer/setup.h"

#include <yoke/arena.h>
#include <yoke/linalg.h>

#include "transfer/setup/signs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 12 };
#define CLOSE     1e-13 /* m or rad: far below any sensor, above rounding in rigs of some metres                 */
#define RANK_LOSS 1e-12 /* eigenvalue of the scaled J^T J: a motion whose strokes cancel to 1e-6 of their size */

struct yk_setup {
    const struct yk_setup_ops *ops;
    void *self;
    size_t n, m; /* degrees of freedom, actuators */
    bool linear;
    struct yk_arena own; /* where it was created without an arena */
    double *J, *P;       /* m x n; n x m: (J^T J)^-1 J^T of linear kinds */
    double *s, *rest;    /* m: strokes or forces; what a position leaves over */
    double *guess, *du;  /* n */
    struct yk_lu gram;   /* J^T J, factored */
};

/* ---- products ---- */

/* y = J x */
YK_RT static void product(const struct yk_setup *s, const double *x, double *y)
{
    memset(y, 0, s->m * sizeof *y);
    for (size_t j = 0; j < s->n; j++)
        for (size_t i = 0; i < s->m; i++)
            y[i] += s->J[i + j * s->m] * x[j];
}

/* x = J^T y */
YK_RT static void transposed(const struct yk_setup *s, const double *y, double *x)
{
    for (size_t j = 0; j < s->n; j++)
        x[j] = yk_dot(s->m, s->J + j * s->m, y);
}

YK_RT static enum yk_status factor_gram(struct yk_setup *s)
{
    for (size_t j = 0; j < s->n; j++)
        for (size_t i = 0; i < s->n; i++)
            s->gram.a[i + j * s->n] = yk_dot(s->m, s->J + i * s->m, s->J + j * s->m);
    return yk_lu_factor(&s->gram);
}

/* x = (J^T J)^-1 J^T y: least squares */
YK_RT static void solve(struct yk_setup *s, const double *y, double *x)
{
    if (!s->linear) {
        transposed(s, y, x);
        yk_lu_solve(&s->gram, x);
        return;
    }
    memset(x, 0, s->n * sizeof *x);
    for (size_t i = 0; i < s->m; i++)
        for (size_t j = 0; j < s->n; j++)
            x[j] += s->P[j + i * s->n] * y[i];
}

/* J, and what solve needs, in displacement u; strokes into s->rest. */
YK_RT static enum yk_status stand_at(struct yk_setup *s, const double *u)
{
    if (s->linear)
        return YK_OK;
    s->ops->strokes(s->self, u, s->rest, s->J);
    return factor_gram(s);
}

/* ---- motion ---- */

YK_RT void yk_setup_targets(struct yk_setup *s, const double *u, const double *v, const double *a, double *y,
                            double *y_v, double *y_a)
{
    if (s->linear) {
        product(s, u, y);
    } else {
        s->ops->strokes(s->self, u, y, s->J);
        s->ops->curvature(s->self, u, v, s->rest);
    }
    product(s, v, y_v);
    product(s, a, y_a);
    for (size_t i = 0; i < s->m; i++)
        y_a[i] += s->linear ? 0 : s->rest[i];
}

/* The displacement whose strokes come closest to s->s, from s->guess on. */
YK_RT static enum yk_status locate(struct yk_setup *s)
{
    for (int k = 0; k < ITERATIONS; k++) {
        double step = 0;

        if (stand_at(s, s->guess))
            return YK_E_DIVERGED;
        for (size_t i = 0; i < s->m; i++)
            s->rest[i] = s->s[i] - s->rest[i];
        solve(s, s->rest, s->du);
        if (!yk_all_finite(s->n, s->du))
            return YK_E_DIVERGED;
        for (size_t j = 0; j < s->n; j++) {
            s->guess[j] += s->du[j];
            step = fmax(step, fabs(s->du[j]));
        }
        if (step <= CLOSE)
            return YK_OK;
    }
    return YK_E_DIVERGED;
}

YK_RT enum yk_status yk_setup_motion(struct yk_setup *s, const double *y, const double *y_v, const double *y_a,
                                     double *u, double *v, double *a)
{
    memcpy(s->s, y, s->m * sizeof *y);
    if (s->linear) {
        solve(s, s->s, s->guess);
        if (!yk_all_finite(s->n, s->guess))
            return YK_E_DIVERGED;
    } else {
        memcpy(s->guess, u, s->n * sizeof *u);
        if (locate(s))
            return YK_E_DIVERGED;
    }
    memcpy(u, s->guess, s->n * sizeof *u);
    if (y_v) {
        memcpy(s->s, y_v, s->m * sizeof *y_v);
        solve(s, s->s, v);
    }
    if (y_v && y_a) {
        memset(s->rest, 0, s->m * sizeof *s->rest);
        if (!s->linear)
            s->ops->curvature(s->self, u, v, s->rest);
        for (size_t i = 0; i < s->m; i++)
            s->s[i] = y_a[i] - s->rest[i];
        solve(s, s->s, a);
    }
    return YK_OK;
}

/* ---- forces ---- */

YK_RT void yk_setup_forces(struct yk_setup *s, const double *u, const double *z, double *r)
{
    if (!s->linear)
        s->ops->strokes(s->self, u, s->rest, s->J);
    memcpy(s->s, z, s->m * sizeof *z); /* r may be z */
    transposed(s, s->s, r);
}

/* f = J (J^T J)^-1 r: J^T f = r with the least sum of squares. If J loses its rank, the readings are NaN. */
YK_RT void yk_setup_readings(struct yk_setup *s, const double *u, const double *r, double *z)
{
    if (s->linear) {
        for (size_t i = 0; i < s->m; i++)
            z[i] = yk_dot(s->n, s->P + i * s->n, r);
    } else {
        const bool lost = stand_at(s, u) != YK_OK;

        memcpy(s->du, r, s->n * sizeof *r);
        yk_lu_solve(&s->gram, s->du);
        product(s, s->du, z);
        for (size_t i = 0; lost && i < s->m; i++)
            z[i] = NAN;
    }
}

/* ---- preparation ---- */

static void layout(struct yk_setup *s, struct yk_arena *mem)
{
    const size_t n = s->n, m = s->m;

    yk_arena_each(mem, n * m, 2, (double **[]){&s->J, &s->P});
    yk_arena_each(mem, m, 2, (double **[]){&s->s, &s->rest});
    yk_arena_each(mem, n, 2, (double **[]){&s->guess, &s->du});
    yk_lu_layout(&s->gram, n, mem);
}

/* "x = -0.2, theta = 1": the larger parts of a motion, the largest as one */
static void describe(const struct yk_setup_plan *plan, const double *motion, char *text, size_t size)
{
    double most = 0;
    size_t used = 0;

    for (size_t j = 0; j < plan->dofs; j++)
        if (fabs(motion[j]) > fabs(most))
            most = motion[j];
    text[0] = 0;
    for (size_t j = 0; j < plan->dofs && used < size; j++)
        if (fabs(motion[j]) > 1e-6 * fabs(most))
            used += (size_t)snprintf(text + used, size - used, "%s%s = %.4g", used ? ", " : "", plan->dof_names[j],
                                     motion[j] / most);
}

/* Every motion must move an actuator: J with columns of length one has full rank. */
static enum yk_status check_rank(const struct yk_setup *s, const struct yk_setup_plan *plan, struct yk_err *err)
{
    const size_t n = s->n, m = s->m;
    double *work = calloc(2 * n * n + 3 * n, sizeof *work), *gram = work, *modes, *w2, *one, *length;
    enum yk_status st = YK_OK;

    if (!work)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    modes = gram + n * n;
    w2 = modes + n * n;
    one = w2 + n;
    length = one + n;
    for (size_t j = 0; j < n; j++) {
        one[j] = 1;
        length[j] = sqrt(yk_dot(m, s->J + j * m, s->J + j * m));
        if (!(length[j] > 0 && isfinite(length[j])))
            st = yk_fail(err, YK_E_SINGULAR, "no actuator moves with %s", plan->dof_names[j]);
    }
    for (size_t j = 0; !st && j < n; j++)
        for (size_t i = 0; i < n; i++)
            gram[i + j * n] = yk_dot(m, s->J + i * m, s->J + j * m) / (length[i] * length[j]);
    const struct yk_matrix A = {.form = YK_DENSE, .rows = n, .cols = n, .x = gram},
                           I = {.form = YK_DIAGONAL, .rows = n, .cols = n, .x = one};
    if (!st && !(st = yk_eigen_symmetric(&A, &I, n, w2, modes, err)) && !(w2[0] > RANK_LOSS)) {
        char motion[256];

        for (size_t j = 0; j < n; j++)
            modes[j] /= length[j];
        describe(plan, modes, motion, sizeof motion);
        st = yk_fail(
            err, YK_E_SINGULAR,
            "the actuators do not control every motion: %s moves none of them; two rows or columns are dependent",
            motion);
    }
    free(work);
    return st;
}

static enum yk_status check_names(const struct yk_setup_plan *plan, const struct yk_setup_sign *signs, size_t count,
                                  struct yk_err *err)
{
    if (plan->dofs == 0)
        return yk_fail(err, YK_E_INPUT, "the setup has no degrees of freedom");
    if (plan->actuators < plan->dofs)
        return yk_fail(err, YK_E_INPUT, "%zu actuator%s cannot control %zu degrees of freedom", plan->actuators,
                       plan->actuators == 1 ? "" : "s", plan->dofs);
    for (size_t i = 0; i < plan->actuators; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(plan->actuator_names[i], plan->actuator_names[k]) == 0)
                return yk_fail(err, YK_E_INPUT, "actuator %s is named twice", plan->actuator_names[i]);
    for (size_t k = 0; k < count; k++)
        if (signs[k].actuator >= plan->actuators || signs[k].dof >= plan->dofs || abs(signs[k].sign) != 1)
            return yk_fail(err, YK_E_RANGE,
                           "statement %zu about signs names actuator %zu and degree of freedom %zu, "
                           "sign %d; there are %zu and %zu, and signs are 1 or -1",
                           k + 1, signs[k].actuator, signs[k].dof, signs[k].sign, plan->actuators, plan->dofs);
    return YK_OK;
}

/* J at rest, the pseudo-inverse of linear kinds, and the checks that need J. */
static enum yk_status prepare(struct yk_setup *s, const struct yk_setup_parts *parts, struct yk_err *err)
{
    enum yk_status st;

    s->ops->strokes(s->self, s->guess, s->rest, s->J);
    if ((st = check_rank(s, &parts->plan, err)))
        return st;
    if (factor_gram(s))
        return yk_fail(err, YK_E_SINGULAR, "the actuators do not control every motion");
    for (size_t i = 0; i < s->m; i++) { /* column i of P: the answer to a unit stroke */
        for (size_t j = 0; j < s->n; j++)
            s->P[j + i * s->n] = s->J[i + j * s->m];
        yk_lu_solve(&s->gram, s->P + i * s->n);
    }
    double *D = calloc(s->m * s->n, sizeof *D);
    if (!D)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t k = 0; k < s->m * s->n; k++)
        D[k] = s->J[k] / (parts->per_unit ? parts->per_unit[k % s->m] : 1);
    st = yk_setup_check_signs(&parts->plan, D, parts->signs, parts->sign_count, err);
    free(D);
    return st;
}

enum yk_status yk_setup_create(struct yk_setup **created, const struct yk_setup_parts *parts, struct yk_arena *mem,
                               struct yk_err *err)
{
    struct yk_arena own = {0};
    struct yk_setup *s = yk_arena_take(mem = mem ? mem : &own, sizeof *s);
    enum yk_status st;

    *created = NULL;
    if (!s) {
        yk_arena_free(&own);
        yk_param_free(parts->ops->params, parts->self);
        free(parts->self);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    *s = (struct yk_setup){.ops = parts->ops, .self = parts->self, .n = parts->plan.dofs, .m = parts->plan.actuators};
    if (!(st = check_names(&parts->plan, parts->signs, parts->sign_count, err)) &&
        !(st = s->ops->init(s->self, &parts->plan, err))) {
        s->linear = !s->ops->linear || s->ops->linear(s->self);
        layout(s, mem);
        if (!(st = yk_arena_check(mem, err)))
            st = prepare(s, parts, err);
    }
    s->own = own;
    if (st) {
        yk_fail_within(err, YK_NOWHERE, "setup %s: ", parts->ops->name);
        yk_setup_destroy(s);
        return st;
    }
    *created = s;
    return YK_OK;
}

void yk_setup_destroy(struct yk_setup *s)
{
    struct yk_arena own;

    if (!s)
        return;
    own = s->own;
    if (s->ops->fini)
        s->ops->fini(s->self);
    yk_param_free(s->ops->params, s->self);
    free(s->self);
    yk_arena_free(&own);
}

size_t yk_setup_dofs(const struct yk_setup *s)
{
    return s->n;
}

size_t yk_setup_actuators(const struct yk_setup *s)
{
    return s->m;
}
