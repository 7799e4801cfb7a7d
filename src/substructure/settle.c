/* Equilibrium under permanent loads, docs/theory/frames.md, eq. (12): u with f - r(u, 0) = 0, by Newton's method; one
 * step where the structure is linear. Laws between degrees of freedom are at rest, without a past, in every position
 * that is tried: they are put in when the loads are on. Members with fibres or hinges carry the loads: these come in
 * ten equal increments, and the members remember each (docs/theory/nonlinear-frames.md, section 7). Units: N, m. */
#include "linalg/step_cut.h"

#include <yoke/substructure.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    INCREMENTS = 10,
    MOST_ROUNDS = 200,
    FULL_ROUNDS = 20, /* after these, steps that go too far are cut */
    MOST_DENSE = 2000 /* degrees of freedom of a tangent that has no pattern */
};

#define ACCURACY 1e-11 /* relative: of the force that is left, or of the last step */
#define GROWTH   0.01  /* 1/s: a motion that grows no faster may come of rounding */

static double norm(size_t n, const double *x)
{
    return sqrt(yk_dot(n, x, x));
}

/* Displacements of substructure k in state u of the whole. */
static void share(const struct yk_assembly *a, size_t k, size_t n, const double *u, double *own)
{
    memset(own, 0, n * sizeof *own);
    yk_matrix_add_transposed_product(&a->map[k], 1, u, own);
}

/* The motion that K resists least, by inverse iteration on K + a little M; x: 2 n. */
static enum yk_status free_motion(const struct yk_system *s, const struct yk_matrix *K, double *x, struct yk_err *err)
{
    double *next = x + s->n, size;
    struct yk_factor *held;
    enum yk_status st = yk_factor_sum(&held, 2, (double[]){1, 1e-6}, (const struct yk_matrix *[]){K, &s->M}, NULL, err);

    if (st)
        return st;
    for (size_t i = 0; i < s->n; i++)
        x[i] = 1 + 0.5 * sin((double)(i * i)); /* no symmetry that could hide the motion */
    for (int round = 0; round < 6; round++) {
        memset(next, 0, s->n * sizeof *next);
        yk_matrix_add_product(&s->M, 1, x, next);
        yk_factor_solve(held, next);
        size = norm(s->n, next);
        for (size_t i = 0; i < s->n; i++)
            x[i] = next[i] / size;
    }
    yk_factor_destroy(held);
    return YK_OK;
}

/* Names the degree of freedom that moves most in such a motion. */
static enum yk_status most_free(const struct yk_assembly *a, const struct yk_substructure *subs,
                                const struct yk_matrix *K, const char **substructure, const char **dof,
                                struct yk_err *err)
{
    const struct yk_system *s = a->system;
    double *x = malloc(2 * s->n * sizeof *x), most = 0;
    enum yk_status st = x ? free_motion(s, K, x, err) : yk_fail(err, YK_E_MEMORY, "out of memory");

    *substructure = subs[0].name;
    *dof = subs[0].dofs[0];
    for (size_t k = 0; k < a->count && !st; k++) {
        const size_t n = subs[k].system->n;
        double *own = malloc(n * sizeof *own);

        if (own)
            share(a, k, n, x, own);
        for (size_t i = 0; own && i < n; i++)
            if (fabs(own[i]) > most) {
                most = fabs(own[i]);
                *substructure = subs[k].name;
                *dof = subs[k].dofs[i];
            }
        free(own);
    }
    free(x);
    return st;
}

static enum yk_status free_to_move(const struct yk_assembly *a, const struct yk_substructure *subs, struct yk_err *err)
{
    const char *substructure, *dof;
    const enum yk_status st = most_free(a, subs, &a->system->K, &substructure, &dof, err);

    if (st)
        return st;
    return yk_fail(err, YK_E_SINGULAR,
                   "no equilibrium under the permanent loads: the structure is free to move, most of all at %s.%s; a "
                   "support is missing, or hinges make it a mechanism",
                   substructure, dof);
}

/* A matrix in the pattern of the system, or dense. */
static enum yk_status make_room(const struct yk_system *s, struct yk_matrix *A, struct yk_err *err)
{
    const struct yk_pattern *p = &s->pattern;
    double *zeros;
    enum yk_status st;

    if (!p->col)
        return yk_matrix_init(A, YK_DENSE, s->n, s->n, err);
    if (!(zeros = calloc(p->entries + 1, sizeof *zeros)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    st = yk_matrix_copy(
        A, &(struct yk_matrix){.form = YK_SPARSE, .rows = s->n, .cols = s->n, .x = zeros, .col = p->col, .row = p->row},
        err);
    free(zeros);
    return st;
}

/* K and C in displacement u, without load. */
static enum yk_status tangents(struct yk_system *s, const double *u, struct yk_matrix *K, struct yk_matrix *C,
                               struct yk_err *err)
{
    double *zero = calloc(3 * s->n, sizeof *zero);
    enum yk_status st = zero ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (!st && !(st = make_room(s, K, err)) && !(st = make_room(s, C, err))) {
        yk_system_force(s, 0, zero, u, zero + s->n, zero + 2 * s->n);
        if (s->pattern.col)
            s->ops->sparse_tangent(s->self, u, zero + s->n, K->x, C->x);
        else
            s->ops->tangent(s->self, u, zero + s->n, K->x, C->x);
        if (!(st = yk_matrix_compact(K, err)))
            st = yk_matrix_compact(C, err);
    }
    free(zero);
    return st;
}

/* The tangents of a system become those at its start. */
static enum yk_status refresh(struct yk_system *s, struct yk_err *err)
{
    struct yk_matrix K = {0}, C = {0};
    enum yk_status st = tangents(s, s->u0, &K, &C, err);

    if (!st) {
        yk_matrix_fini(&s->K);
        yk_matrix_fini(&s->C);
        s->K = K;
        s->C = C;
        return YK_OK;
    }
    yk_matrix_fini(&K);
    yk_matrix_fini(&C);
    return st;
}

/* Rows and columns of what is held (NULL: nothing) become those of the unit matrix. */
static enum yk_status hold(struct yk_matrix *K, const bool *held, struct yk_err *err)
{
    struct yk_matrix dense = {0};
    enum yk_status st = held ? yk_matrix_init(&dense, YK_DENSE, K->rows, K->cols, err) : YK_OK;

    if (st || !held)
        return st;
    yk_matrix_to_dense(K, dense.x);
    for (size_t j = 0; j < K->cols; j++)
        for (size_t i = 0; i < K->rows; i++)
            if (held[i] || held[j])
                dense.x[i + j * K->rows] = i == j;
    yk_matrix_fini(K);
    *K = dense;
    return yk_matrix_compact(K, err);
}

/* p := K(u)^-1 p; *factor keeps that of a linear structure. */
static enum yk_status newton_step(struct yk_system *s, const bool *held, struct yk_factor **factor, const double *u,
                                  double *p, struct yk_err *err)
{
    struct yk_matrix K = {0}, C = {0};
    enum yk_status st = YK_OK;

    if (!s->linear) {
        yk_factor_destroy(*factor);
        *factor = NULL;
        if (!(st = tangents(s, u, &K, &C, err)) && !(st = hold(&K, held, err)))
            st = yk_factor_create(factor, &K, NULL, err);
        yk_matrix_fini(&K);
        yk_matrix_fini(&C);
    }
    if (!st)
        yk_factor_solve(*factor, p);
    return st;
}

/* u: to equilibrium with the loads f; work: 3 n, the second part zero. *left: the force that is not balanced. */
static enum yk_status search(struct yk_system *s, const struct yk_hold *held, struct yk_factor **K, const double *f,
                             double *u, double *work, double *left)
{
    const size_t n = s->n;
    const double load = norm(n, f);
    double *p = work, *v = work + n, *kept = work + 2 * n; /* p before it is solved for a step, then that step */
    struct yk_step_cut cut;

    for (int round = 0; round < MOST_ROUNDS; round++) {
        if (s->ops->rest)
            s->ops->rest(s->self, u);
        yk_system_force(s, 0, f, u, v, p);
        for (size_t i = 0; held && i < n; i++)
            if (held->at[i]) {
                held->force[i] = -p[i];
                p[i] = 0;
            }
        *left = norm(n, p);
        if (round > FULL_ROUNDS && yk_step_again(&cut, n, p, kept, u))
            continue;
        memcpy(kept, p, n * sizeof *kept);
        if (newton_step(s, held ? held->at : NULL, K, u, p, NULL))
            break;
        if (round >= FULL_ROUNDS) {
            yk_step_begin(&cut, n, kept, p);
            memcpy(kept, p, n * sizeof *kept);
        }
        for (size_t i = 0; i < n; i++)
            u[i] += p[i];
        if (!yk_all_finite(n, u))
            break;
        /* a stiff structure cannot show less force than the rounding of u makes */
        if (*left <= ACCURACY * load || norm(n, p) <= ACCURACY * norm(n, u))
            return YK_OK;
    }
    return YK_E_DIVERGED;
}

/* Does a part of the structure remember loads? */
static bool carries(const struct yk_assembly *a, const struct yk_substructure *subs)
{
    bool some = false;

    for (size_t k = 0; k < a->count; k++)
        some |= subs[k].system->ops->carry != NULL;
    return some;
}

/* Motions that grow by themselves with the stiffness K; none where K cannot be factored. */
static size_t growing(const struct yk_system *s, const struct yk_matrix *K)
{
    size_t count = 0;

    return yk_eigen_count(K, &s->M, -GROWTH * GROWTH, &count, NULL) ? 0 : count;
}

/* Equilibrium in u may be unstable: no structure stays there. A negative stiffness without any load is left alone. */
static enum yk_status check_stable(const struct yk_assembly *a, const struct yk_substructure *subs, const double *u,
                                   int percent, struct yk_err *err)
{
    struct yk_system *s = a->system;
    struct yk_matrix K = {0}, C = {0};
    const char *substructure, *dof;
    enum yk_status st = tangents(s, u, &K, &C, err);

    if (!st && growing(s, &K) > growing(s, &s->K) && !(st = most_free(a, subs, &K, &substructure, &dof, err)))
        st =
            yk_fail(err, YK_E_INPUT,
                    "the structure buckles at %d %% of the permanent loads or before: its stiffness is negative there, "
                    "most of all at %s.%s",
                    percent, substructure, dof);
    yk_matrix_fini(&K);
    yk_matrix_fini(&C);
    return st;
}

/* u: from zero to equilibrium, in increments where a part remembers loads; work: 4 n, zero. */
static enum yk_status load_up(const struct yk_assembly *a, const struct yk_substructure *subs,
                              const struct yk_hold *held, struct yk_factor **K, const double *f, double *u,
                              double *work, struct yk_err *err)
{
    struct yk_system *s = a->system;
    const bool carry = carries(a, subs);
    const int increments = carry ? INCREMENTS : 1;
    double *part = work + 3 * s->n, left = 0;
    enum yk_status st;

    for (int k = 1; k <= increments; k++) {
        const char *cannot = NULL;

        for (size_t i = 0; i < s->n; i++)
            part[i] = k * f[i] / increments;
        if (search(s, held, K, part, u, work, &left))
            return yk_fail(err, YK_E_INPUT,
                           "no equilibrium under the permanent loads was found at %d %% of them: %.3g N of %.3g N are "
                           "left; %s",
                           100 * k / increments, isfinite(left) ? left : norm(s->n, part), norm(s->n, f),
                           carry ? "the members cannot carry more" : "laws with memory do not carry permanent loads");
        if (carry && (cannot = s->ops->carry(s->self, u)))
            return yk_fail(err, YK_E_INPUT, "member %s cannot carry %d %% of the permanent loads", cannot,
                           100 * k / increments);
        if (carry && (st = check_stable(a, subs, u, 100 * k / increments, err)))
            return st;
    }
    return YK_OK;
}

/* Start values of the parts and of the whole move by u; nonlinear ones get the tangent they have there. */
static enum yk_status move(struct yk_assembly *a, struct yk_substructure *subs, const double *u, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (size_t i = 0; !a->borrowed && i < a->system->n; i++)
        a->system->u0[i] += u[i];
    for (size_t k = 0; k < a->count && !st; k++) {
        struct yk_system *own = subs[k].system;

        yk_matrix_add_transposed_product(&a->map[k], 1, u, own->u0);
        if (own->ops->rest)
            own->ops->rest(own->self, own->u0);
        if (!own->linear)
            st = refresh(own, err);
    }
    return !st && !a->borrowed && !a->system->linear ? refresh(a->system, err) : st;
}

enum yk_status yk_assembly_settle(struct yk_assembly *a, struct yk_substructure *subs, const double *f,
                                  const struct yk_hold *held, struct yk_err *err)
{
    struct yk_system *s = a->system;
    struct yk_factor *K = NULL;
    struct yk_matrix start = {0};
    double *u;
    enum yk_status st;

    if (!s->linear && !s->pattern.col && s->n > MOST_DENSE)
        return yk_fail(err, YK_E_UNSUPPORTED,
                       "permanent loads on a nonlinear structure of %zu degrees of freedom: at most %d", s->n,
                       MOST_DENSE);
    if ((st = yk_matrix_copy(&start, &s->K, err)) || (st = hold(&start, held ? held->at : NULL, err))) {
        yk_matrix_fini(&start);
        return st;
    }
    const bool stands = !yk_factor_create(&K, &start, NULL, NULL) && yk_factor_rcond(K) > 1e-14;

    yk_matrix_fini(&start);
    if (!stands) {
        yk_factor_destroy(K);
        return free_to_move(a, subs, err);
    }
    if ((u = calloc(5 * s->n, sizeof *u))) {
        if (!(st = load_up(a, subs, held, &K, f, u, u + s->n, err)))
            st = move(a, subs, u, err);
    } else {
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    free(u);
    yk_factor_destroy(K);
    return st;
}
