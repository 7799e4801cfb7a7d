/* A structure of matrices and elements: M a = f - C v - K u - sum_e B_e f_e(d_e, w_e), d_e = u[to] - u[from].
 *
 * Linear elements are part of C and K. Nonlinear laws are evaluated only where they act. Units: N, m, s. */
#include <yoke/substructure.h>

#include "linalg/definite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct structure {
    struct yk_system system;
    struct yk_matrix C, K; /* linear part; the system's own are the tangents in the initial state */
    struct yk_element *elements;
    size_t count;
    double *committed, *trial, *marked; /* internal variables of all elements, one after the other */
    size_t variables;
    /* energy account: state of the last call */
    double *f, *u, *v, *work;
    double *element_force;
};

static double extension(const struct yk_element *e, const double *u)
{
    return (e->to >= 0 ? u[e->to] : 0) - (e->from >= 0 ? u[e->from] : 0);
}

/* adds `value` along the element: + at its second end, - at its first */
static void scatter(const struct yk_element *e, double value, double *p)
{
    if (e->to >= 0)
        p[e->to] += value;
    if (e->from >= 0)
        p[e->from] -= value;
}

YK_RT static void force(void *self, double t, const double *f, const double *u, const double *v, double *p)
{
    struct structure *s = self;
    double *trial = s->trial;
    const double *committed = s->committed;

    memcpy(p, f, s->system.n * sizeof *p);
    yk_matrix_add_product(&s->K, -1, u, p);
    yk_matrix_add_product(&s->C, -1, v, p);
    for (size_t i = 0; i < s->count; i++) {
        const struct yk_element *e = &s->elements[i];

        scatter(e, -e->law->force(e->settings, committed, extension(e, u), extension(e, v), trial), p);
        committed += e->law->count;
        trial += e->law->count;
    }
}

YK_RT static void commit(void *self, const double *u, const double *v)
{
    struct structure *s = self;
    size_t at = 0;

    for (size_t i = 0; i < s->count; i++) {
        const struct yk_element *e = &s->elements[i];

        if (e->law->count) {
            e->law->force(e->settings, s->committed + at, extension(e, u), extension(e, v), s->trial + at);
            memcpy(s->committed + at, s->trial + at, e->law->count * sizeof *s->trial);
        }
        at += e->law->count;
    }
}

YK_RT static void mark(void *self)
{
    struct structure *s = self;

    memcpy(s->marked, s->committed, s->variables * sizeof *s->marked);
}

YK_RT static void go_back(void *self)
{
    struct structure *s = self;

    memcpy(s->committed, s->marked, s->variables * sizeof *s->committed);
}

/* adds value * B B^T of the element to a dense n x n matrix */
static void scatter_square(const struct yk_element *e, double value, size_t n, double *A)
{
    const size_t i = (size_t)e->to, j = (size_t)e->from;

    if (e->to >= 0)
        A[i + i * n] += value;
    if (e->from >= 0)
        A[j + j * n] += value;
    if (e->to >= 0 && e->from >= 0) {
        A[i + j * n] -= value;
        A[j + i * n] -= value;
    }
}

YK_RT static void tangent(void *self, const double *u, const double *v, double *K, double *C)
{
    struct structure *s = self;
    const size_t n = s->system.n;
    const double *committed = s->committed;

    yk_matrix_to_dense(&s->K, K);
    yk_matrix_to_dense(&s->C, C);
    for (size_t i = 0; i < s->count; i++) {
        const struct yk_element *e = &s->elements[i];
        double k = 0, c = 0;

        e->law->tangent(e->settings, committed, extension(e, u), extension(e, v), &k, &c);
        scatter_square(e, k, n, K);
        scatter_square(e, c, n, C);
        committed += e->law->count;
    }
}

/* Adds the work of the elements from the last account to (u, v), and what they store. */
YK_RT static void account_elements(struct structure *s, const double *u, const double *v, struct yk_energy *energy)
{
    size_t at = 0;

    for (size_t i = 0; i < s->count; i++) {
        const struct yk_element *e = &s->elements[i];
        const double d = extension(e, u);
        const double now = e->law->force(e->settings, s->committed + at, d, extension(e, v), s->trial + at);

        if (e->law->stored)
            energy->stored += e->law->stored(e->settings, d);
        else if (energy->started)
            energy->dissipated += 0.5 * (now + s->element_force[i]) * (d - extension(e, s->u));
        s->element_force[i] = now;
        at += e->law->count;
    }
}

YK_RT static void account(void *self, const double *f, const double *u, const double *v, struct yk_energy *energy)
{
    struct structure *s = self;
    const size_t n = s->system.n;

    if (!energy->started)
        energy->dissipated = energy->work = 0;
    memset(s->work, 0, n * sizeof *s->work);
    yk_matrix_add_product(&s->system.M, 0.5, v, s->work);
    energy->kinetic = yk_dot(n, v, s->work);
    memset(s->work, 0, n * sizeof *s->work);
    yk_matrix_add_product(&s->K, 0.5, u, s->work);
    energy->stored = yk_dot(n, u, s->work);
    account_elements(s, u, v, energy);
    if (energy->started) {
        for (size_t i = 0; i < n; i++)
            energy->work += 0.5 * (f[i] + s->f[i]) * (u[i] - s->u[i]);
        for (size_t i = 0; i < n; i++) /* the rate of damping, averaged over the step */
            s->v[i] = 0.5 * (s->v[i] + v[i]);
        memset(s->work, 0, n * sizeof *s->work);
        yk_matrix_add_product(&s->C, 1, s->v, s->work);
        for (size_t i = 0; i < n; i++)
            energy->dissipated += s->work[i] * (u[i] - s->u[i]);
    }
    memcpy(s->f, f, n * sizeof *f);
    memcpy(s->u, u, n * sizeof *u);
    memcpy(s->v, v, n * sizeof *v);
    energy->started = true;
}

YK_RT static void rest(void *self, const double *u)
{
    struct structure *s = self;
    size_t at = 0;

    for (size_t i = 0; i < s->count; i++) {
        const struct yk_element *e = &s->elements[i];

        if (e->law->rest)
            e->law->rest(e->settings, extension(e, u), s->committed + at);
        at += e->law->count;
    }
}

static void destroy(void *self)
{
    struct structure *s = self;

    for (size_t i = 0; i < s->count; i++)
        free(s->elements[i].settings);
    free(s->elements);
    yk_matrix_fini(&s->C);
    yk_matrix_fini(&s->K);
    free(s->committed);
    free(s->trial);
    free(s->marked);
    free(s->f);
    free(s->element_force);
}

static const struct yk_system_ops ops_without_memory = {
    .force = force, .tangent = tangent, .account = account, .destroy = destroy};
static const struct yk_system_ops ops_with_memory = {.force = force,
                                                     .rest = rest,
                                                     .commit = commit,
                                                     .mark = mark,
                                                     .rewind = go_back,
                                                     .tangent = tangent,
                                                     .account = account,
                                                     .destroy = destroy};

void yk_structure_parts_free(struct yk_structure_parts *parts)
{
    for (size_t i = 0; i < parts->element_count; i++)
        free(parts->elements[i].settings);
    free(parts->elements);
    yk_matrix_fini(&parts->M);
    yk_matrix_fini(&parts->C);
    yk_matrix_fini(&parts->K);
    free(parts->u0);
    free(parts->v0);
    *parts = (struct yk_structure_parts){0};
}

static enum yk_status check_matrix(const struct yk_matrix *A, const char *name, size_t n, bool symmetric,
                                   struct yk_err *err)
{
    size_t i, j;

    if (A->rows != n || A->cols != n)
        return yk_fail(err, YK_E_INPUT,
                       "%s is %zu x %zu, but %zu x %zu is wanted (one row and column per degree of freedom)", name,
                       A->rows, A->cols, n, n);
    if (!yk_matrix_is_finite(A))
        return yk_fail(err, YK_E_INPUT, "%s holds a value that is not a finite number", name);
    if (symmetric && yk_matrix_asymmetry(A, &i, &j) > 1e-9)
        return yk_fail(err, YK_E_INPUT, "%s is not symmetric: entry (%zu, %zu) = %.9g but (%zu, %zu) = %.9g", name,
                       i + 1, j + 1, yk_matrix_get(A, i, j), j + 1, i + 1, yk_matrix_get(A, j, i));
    return YK_OK;
}

static enum yk_status check(const struct yk_structure_parts *parts, struct yk_err *err)
{
    const size_t n = parts->M.rows;
    enum yk_status st;
    size_t bad;

    if (n == 0)
        return yk_fail(err, YK_E_INPUT, "no degree of freedom is left to move");
    if ((st = check_matrix(&parts->M, "mass", n, true, err)) ||
        (st = check_matrix(&parts->K, "stiffness", n, true, err)) ||
        (st = check_matrix(&parts->C, "damping", n, false, err)))
        return st;
    for (size_t i = 0; parts->massless && i < n; i++)
        if (yk_matrix_get(&parts->M, i, i) < 0)
            return yk_fail(err, YK_E_RANGE, "mass of %s is negative: %g kg",
                           parts->names ? parts->names[i] : "specimen", yk_matrix_get(&parts->M, i, i));
    if (!parts->massless && !yk_matrix_is_definite(&parts->M, &bad)) {
        char number[24];

        snprintf(number, sizeof number, "%zu", bad + 1);
        return yk_fail(err, YK_E_SINGULAR,
                       "mass is not positive definite: degree of freedom %s has no inertia of its own (pivot <= 0); "
                       "every degree of freedom needs mass",
                       parts->names ? parts->names[bad] : number);
    }
    return YK_OK;
}

/* A + value * B B^T for every element, value by law tangent at rest: which = 0 stiffness, 1 damping; linear elements
 * only or all of them. */
static enum yk_status add_elements(struct yk_matrix *A, const struct yk_element *elements, size_t count, int which,
                                   bool only_linear, const double *u, const double *v, const double *committed,
                                   struct yk_err *err)
{
    const size_t n = A->rows;
    int *row = malloc((4 * count + 1) * sizeof *row), *col = malloc((4 * count + 1) * sizeof *col);
    double *value = malloc((4 * count + 1) * sizeof *value);
    struct yk_matrix B = {0}, sum = {0};
    enum yk_status st = YK_E_MEMORY;
    size_t entries = 0;

    if (!row || !col || !value) {
        yk_fail(err, st, "out of memory for %zu elements", count);
        goto end;
    }
    for (size_t i = 0; i < count; i++) {
        const struct yk_element *e = &elements[i];
        const long ends[2] = {e->from, e->to};
        double kc[2] = {0, 0};

        if (!only_linear || e->law->linear)
            e->law->tangent(e->settings, committed, extension(e, u), extension(e, v), &kc[0], &kc[1]);
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++)
                if (ends[a] >= 0 && ends[b] >= 0 && kc[which] != 0) {
                    row[entries] = (int)ends[a];
                    col[entries] = (int)ends[b];
                    value[entries++] = a == b ? kc[which] : -kc[which];
                }
        if (committed)
            committed += e->law->count;
    }
    if ((st = yk_matrix_from_triplets(&B, n, n, entries, row, col, value, err)) ||
        (st = yk_matrix_combine(&sum, 2, (double[]){1, 1}, (const struct yk_matrix *[]){A, &B}, err)))
        goto end;
    yk_matrix_fini(A);
    *A = sum;
end:
    yk_matrix_fini(&B);
    free(row);
    free(col);
    free(value);
    return st;
}

/* Moves the linear elements into the matrices and drops them. */
static enum yk_status fold_linear(struct structure *s, const double *zero, struct yk_err *err)
{
    size_t kept = 0;
    enum yk_status st;

    if ((st = add_elements(&s->K, s->elements, s->count, 0, true, zero, zero, NULL, err)) ||
        (st = add_elements(&s->C, s->elements, s->count, 1, true, zero, zero, NULL, err)))
        return st;
    for (size_t i = 0; i < s->count; i++) {
        if (s->elements[i].law->linear)
            free(s->elements[i].settings);
        else
            s->elements[kept++] = s->elements[i];
    }
    s->count = kept;
    return YK_OK;
}

static enum yk_status allocate_variables(struct structure *s, struct yk_err *err)
{
    for (size_t i = 0; i < s->count; i++)
        s->variables += s->elements[i].law->count;
    s->committed = calloc(s->variables + 1, sizeof(double));
    s->trial = calloc(s->variables + 1, sizeof(double));
    s->marked = calloc(s->variables + 1, sizeof(double));
    s->element_force = calloc(s->count + 1, sizeof(double));
    if (!s->committed || !s->trial || !s->marked || !s->element_force)
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu elements", s->count);
    rest(s, s->system.u0);
    return YK_OK;
}

/* Tangents in the initial state: what the integrators form their matrices from. */
static enum yk_status initial_tangent(struct structure *s, struct yk_err *err)
{
    struct yk_system *sys = &s->system;
    enum yk_status st;

    if ((st = yk_matrix_copy(&sys->K, &s->K, err)) || (st = yk_matrix_copy(&sys->C, &s->C, err)))
        return st;
    if (sys->linear)
        return YK_OK;
    if (!(st = add_elements(&sys->K, s->elements, s->count, 0, false, sys->u0, sys->v0, s->committed, err)))
        st = add_elements(&sys->C, s->elements, s->count, 1, false, sys->u0, sys->v0, s->committed, err);
    return st;
}

enum yk_status yk_structure_create(struct yk_system **system, struct yk_structure_parts *parts, struct yk_err *err)
{
    enum yk_status st = parts->unchecked ? YK_OK : check(parts, err);
    const size_t n = parts->M.rows;
    struct structure *s = st ? NULL : calloc(1, sizeof *s);

    *system = NULL;
    if (!s) {
        yk_structure_parts_free(parts);
        return st ? st : yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    s->system = (struct yk_system){.n = n, .M = parts->M, .u0 = parts->u0, .v0 = parts->v0, .self = s};
    s->system.ops = &ops_without_memory;
    s->K = parts->K;
    s->C = parts->C;
    s->elements = parts->elements;
    s->count = parts->element_count;
    *parts = (struct yk_structure_parts){0};
    if (!s->system.u0)
        s->system.u0 = calloc(n, sizeof(double));
    if (!s->system.v0)
        s->system.v0 = calloc(n, sizeof(double));
    s->f = calloc(4 * n, sizeof(double));
    if (!s->system.u0 || !s->system.v0 || !s->f) {
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
        goto fail;
    }
    s->u = s->f + n;
    s->v = s->f + 2 * n;
    s->work = s->f + 3 * n;
    if ((st = fold_linear(s, s->f, err)) || (st = yk_matrix_compact(&s->system.M, err)) ||
        (st = yk_matrix_compact(&s->K, err)) || (st = yk_matrix_compact(&s->C, err)) ||
        (st = allocate_variables(s, err)))
        goto fail;
    s->system.linear = s->count == 0;
    if (s->variables)
        s->system.ops = &ops_with_memory;
    if ((st = initial_tangent(s, err)))
        goto fail;
    *system = &s->system;
    return YK_OK;
fail:
    yk_system_destroy(&s->system);
    return st;
}

void yk_system_destroy(struct yk_system *system)
{
    if (!system)
        return;
    system->ops->destroy(system->self);
    yk_matrix_fini(&system->M);
    yk_matrix_fini(&system->C);
    yk_matrix_fini(&system->K);
    free(system->u0);
    free(system->v0);
    free(system); /* the first member of self */
}
