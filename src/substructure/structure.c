/* A structure of matrices and elements: M a = f - C v - K u - sum_e B_e f_e(d_e, w_e), d_e = u[to] - u[from] plus
 * what turns, sum arm sin(u), and B_e = dd_e/du. docs/theory/test-rigs.md, eq. (20)-(22).
 *
 * Linear elements are part of C and K. Nonlinear laws are evaluated only where they act. An end of an element may move
 * as prescribed, which adds to d_e and w_e; what has no time of its own (commit, tangent, account) takes the motion of
 * the last force. Units: N, m, s. */
#include <yoke/substructure.h>

#include "linalg/definite.h"
#include "substructure/probe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct structure {
    struct yk_system system;
    struct yk_matrix C, K; /* linear part; the system's own are the tangents in the initial state */
    bool stiff, damped;    /* is there anything in K and C? */
    double *Kx, *Cx;       /* the same, as values in the pattern of the system */
    size_t *place;         /* of what each element adds to the tangents, in that pattern; by rows of its patch */
    struct yk_element *elements;
    size_t count;
    bool folded; /* the linear ones are part of the matrices; the others are in the arena: their shifts change */
    struct yk_base *bases;
    size_t base_count;
    double *z, *z_rate;                 /* motion of the bases */
    double *committed, *trial, *marked; /* internal variables of all elements, one after the other */
    double *memory;                     /* those of every sequence; `committed` is that of one */
    double *evaluated; /* extension and rate at which `trial` was found, from what is committed, if `fresh` */
    bool fresh;
    size_t variables;
    /* energy account: state of the last call */
    double *f, *u, *v, *work;
    double *element_force, *element_extension, *element_shift;
    double *unused; /* internal variables that a look at an element leaves behind */
};

bool yk_element_is_linear(const struct yk_element *e)
{
    bool linear = e->law->linear && e->from >= -1 && e->to >= -1;

    for (size_t i = 0; i < e->lever_count; i++)
        linear &= !e->levers[i].exact;
    return linear;
}

static inline double extension(const struct yk_element *e, const double *u)
{
    double d = (e->to >= 0 ? u[e->to] : 0) - (e->from >= 0 ? u[e->from] : 0) + e->shift;

    for (size_t i = 0; i < e->lever_count; i++) {
        const struct yk_lever *l = &e->levers[i];

        d += l->arm * (l->exact ? sin(u[l->dof]) : u[l->dof]);
    }
    return d;
}

/* dd/du of a lever */
static double slope(const struct yk_lever *l, const double *u)
{
    return l->exact ? l->arm * cos(u[l->dof]) : l->arm;
}

static inline double rate(const struct yk_element *e, const double *u, const double *v)
{
    double w = (e->to >= 0 ? v[e->to] : 0) - (e->from >= 0 ? v[e->from] : 0) + e->shift_rate;

    for (size_t i = 0; i < e->lever_count; i++)
        w += slope(&e->levers[i], u) * v[e->levers[i].dof];
    return w;
}

/* adds `value` along the element: + at its second end, - at its first, by their slopes at its levers */
static inline void scatter(const struct yk_element *e, const double *u, double value, double *p)
{
    if (e->to >= 0)
        p[e->to] += value;
    if (e->from >= 0)
        p[e->from] -= value;
    for (size_t i = 0; i < e->lever_count; i++)
        p[e->levers[i].dof] += value * slope(&e->levers[i], u);
}

/* What the bases add to the extensions at time t. */
YK_RT static void move_bases(struct structure *s, double t)
{
    for (size_t k = 0; k < s->base_count; k++)
        yk_base_at(&s->bases[k], t, &s->z[k], &s->z_rate[k]);
    for (size_t i = 0; s->base_count && i < s->count; i++) {
        struct yk_element *e = &s->elements[i];

        e->shift = (e->to < -1 ? s->z[-2 - e->to] : 0) - (e->from < -1 ? s->z[-2 - e->from] : 0);
        e->shift_rate = (e->to < -1 ? s->z_rate[-2 - e->to] : 0) - (e->from < -1 ? s->z_rate[-2 - e->from] : 0);
    }
}

/* The elements that are not linear. */
YK_RT static void beyond(void *self, double t, const double *u, const double *v, double *p)
{
    struct structure *s = self;
    double *trial = s->trial;
    const double *committed = s->committed;

    move_bases(s, t);
    for (size_t i = 0; i < s->count; i++) {
        const struct yk_element *e = &s->elements[i];
        const double d = extension(e, u), w = rate(e, u, v);

        scatter(e, u, -e->law->force(e->settings, committed, d, w, trial), p);
        s->evaluated[2 * i] = d;
        s->evaluated[2 * i + 1] = w;
        committed += e->law->count;
        trial += e->law->count;
    }
    s->fresh = true;
}

YK_RT static void force(void *self, double t, const double *f, const double *u, const double *v, double *p)
{
    struct structure *s = self;

    memcpy(p, f, s->system.n * sizeof *p);
    if (s->stiff)
        yk_matrix_add_product(&s->K, -1, u, p);
    if (s->damped)
        yk_matrix_add_product(&s->C, -1, v, p);
    beyond(self, t, u, v, p);
}

YK_RT static void commit(void *self, const double *u, const double *v)
{
    struct structure *s = self;
    size_t at = 0;

    for (size_t i = 0; i < s->count; i++) {
        const struct yk_element *e = &s->elements[i];
        const double d = extension(e, u), w = rate(e, u, v);

        if (e->law->count) {
            if (!s->fresh || s->evaluated[2 * i] != d || s->evaluated[2 * i + 1] != w)
                e->law->force(e->settings, s->committed + at, d, w, s->trial + at);
            memcpy(s->committed + at, s->trial + at, e->law->count * sizeof *s->trial);
        }
        at += e->law->count;
    }
    s->fresh = false;
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
    s->fresh = false;
}

YK_RT static void follow(void *self, int k)
{
    struct structure *s = self;

    s->committed = s->memory + (size_t)k * s->variables;
    s->fresh = false;
}

/* What one element adds to K and C: eq. (22), on the degrees of freedom it touches. */
enum { TOUCHED = 2 + YK_LEVERS };
struct patch {
    size_t n, dof[TOUCHED];
    double K[TOUCHED][TOUCHED], C[TOUCHED][TOUCHED];
};

static void touch(struct patch *p, double *B, size_t dof, double slope_there)
{
    B[p->n] = slope_there;
    p->dof[p->n++] = dof;
}

/* K_ij = B_i (k B_j + c dw/du_j) + f dB_i/du_j,  C_ij = c B_i B_j,  B = dd/du */
static void take_patch(const struct yk_element *e, const double *committed, double *trial, const double *u,
                       const double *v, struct patch *p)
{
    const double d = extension(e, u), w = rate(e, u, v);
    double B[TOUCHED], k = 0, c = 0;

    p->n = 0;
    e->law->tangent(e->settings, committed, d, w, &k, &c);
    if (e->to >= 0)
        touch(p, B, (size_t)e->to, 1);
    if (e->from >= 0)
        touch(p, B, (size_t)e->from, -1);
    for (size_t i = 0; i < e->lever_count; i++)
        touch(p, B, e->levers[i].dof, slope(&e->levers[i], u));
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < p->n; j++) {
            p->K[i][j] = k * B[i] * B[j];
            p->C[i][j] = c * B[i] * B[j];
        }
    for (size_t j = p->n - e->lever_count; j < p->n; j++) {
        const struct yk_lever *l = &e->levers[j - (p->n - e->lever_count)];
        const double bend = l->exact ? -l->arm * sin(u[l->dof]) : 0; /* dB/du */

        if (bend == 0)
            continue;
        for (size_t i = 0; i < p->n; i++)
            p->K[i][j] += c * B[i] * bend * v[l->dof];
        p->K[j][j] += bend * e->law->force(e->settings, committed, d, w, trial);
    }
}

/* The degrees of freedom that an element touches, in the order of its patch. */
static size_t touched(const struct yk_element *e, size_t *dof)
{
    size_t n = 0;

    if (e->to >= 0)
        dof[n++] = (size_t)e->to;
    if (e->from >= 0)
        dof[n++] = (size_t)e->from;
    for (size_t i = 0; i < e->lever_count; i++)
        dof[n++] = e->levers[i].dof;
    return n;
}

YK_RT static void sparse_tangent(void *self, const double *u, const double *v, double *K, double *C)
{
    struct structure *s = self;
    const size_t *place = s->place;
    size_t at = 0;

    s->fresh = false; /* what turns exactly is evaluated again */
    memcpy(K, s->Kx, s->system.pattern.entries * sizeof *K);
    memcpy(C, s->Cx, s->system.pattern.entries * sizeof *C);
    for (size_t e = 0; e < s->count; e++) {
        struct patch p;

        take_patch(&s->elements[e], s->committed + at, s->trial + at, u, v, &p);
        for (size_t i = 0; i < p.n; i++)
            for (size_t j = 0; j < p.n; j++, place++) {
                K[*place] += p.K[i][j];
                C[*place] += p.C[i][j];
            }
        at += s->elements[e].law->count;
    }
}

YK_RT static void tangent(void *self, const double *u, const double *v, double *K, double *C)
{
    struct structure *s = self;

    if (s->system.linear) {
        yk_matrix_to_dense(&s->K, K);
        yk_matrix_to_dense(&s->C, C);
        return;
    }
    sparse_tangent(self, u, v, K, C);
    yk_pattern_spread(&s->system.pattern, K);
    yk_pattern_spread(&s->system.pattern, C);
}

/* Adds the work of the elements from the last account to (u, v), and what they store. */
YK_RT static void account_elements(struct structure *s, const double *u, const double *v, struct yk_energy *energy)
{
    size_t at = 0;

    s->fresh = false;
    for (size_t i = 0; i < s->count; i++) {
        const struct yk_element *e = &s->elements[i];
        const double d = extension(e, u);
        const double now = e->law->force(e->settings, s->committed + at, d, rate(e, u, v), s->trial + at);

        if (e->law->stored)
            energy->stored += e->law->stored(e->settings, d);
        else if (energy->started)
            energy->dissipated += 0.5 * (now + s->element_force[i]) * (d - s->element_extension[i]);
        if (energy->started)
            energy->work += 0.5 * (now + s->element_force[i]) * (e->shift - s->element_shift[i]);
        s->element_force[i] = now;
        s->element_extension[i] = d;
        s->element_shift[i] = e->shift;
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

static void rest(void *self, const double *u)
{
    struct structure *s = self;
    size_t at = 0;

    follow(s, 0);
    for (size_t i = 0; i < s->count; i++) {
        const struct yk_element *e = &s->elements[i];

        if (e->law->rest)
            e->law->rest(e->settings, extension(e, u), s->committed + at);
        at += e->law->count;
    }
    for (size_t k = 1; k < YK_CHAINS; k++)
        memcpy(s->memory + k * s->variables, s->memory, s->variables * sizeof *s->memory);
}

static void destroy(void *self)
{
    struct structure *s = self;

    for (size_t i = 0; i < s->count; i++)
        free(s->elements[i].settings);
    if (!s->folded)
        free(s->elements);
    for (size_t k = 0; k < s->base_count; k++)
        yk_base_free(&s->bases[k]);
    free(s->bases);
    free(s->Kx);
    free(s->Cx);
    free(s->place);
    yk_matrix_fini(&s->C);
    yk_matrix_fini(&s->K);
}

static const struct yk_system_ops ops_without_memory = {.force = force,
                                                        .tangent = tangent,
                                                        .sparse_tangent = sparse_tangent,
                                                        .beyond = beyond,
                                                        .account = account,
                                                        .destroy = destroy};
static const struct yk_system_ops ops_with_memory = {.force = force,
                                                     .rest = rest,
                                                     .commit = commit,
                                                     .mark = mark,
                                                     .rewind = go_back,
                                                     .follow = follow,
                                                     .tangent = tangent,
                                                     .sparse_tangent = sparse_tangent,
                                                     .beyond = beyond,
                                                     .account = account,
                                                     .destroy = destroy};

bool yk_is_structure(const struct yk_system *system)
{
    return system->ops == &ops_without_memory || system->ops == &ops_with_memory;
}

YK_RT void yk_probe_now(const struct yk_probe *probe, const struct yk_system *structure, const double *u,
                        const double *v, double *force, double *stretch)
{
    const struct structure *s = structure->self;

    if (probe->terms) {
        *stretch = 0;
        for (size_t j = 0; j < probe->terms; j++)
            *stretch += probe->factor[j] * u[probe->dof[j]];
        *force = probe->stiffness * *stretch;
        return;
    }
    const struct yk_element *e = probe->linear ? &probe->element : &s->elements[probe->number];
    const double *committed = probe->linear ? NULL : s->committed + probe->variables;
    double *left = probe->linear ? NULL : s->unused + probe->variables;

    *stretch = extension(e, u);
    *force = e->law->force(e->settings, committed, *stretch, rate(e, u, v), left);
}

void yk_probe_touch(const struct yk_probe *probe, const struct yk_system *structure, unsigned char mark,
                    unsigned char *needed)
{
    const struct structure *s = structure->self;
    size_t dof[TOUCHED];
    const size_t count = probe->terms ? 0 : touched(probe->linear ? &probe->element : &s->elements[probe->number], dof);

    for (size_t j = 0; j < count; j++)
        needed[dof[j]] |= mark;
    for (size_t j = 0; j < probe->terms; j++)
        needed[probe->dof[j]] |= mark;
}

YK_RT void yk_structure_restoring(const struct yk_system *structure, const double *u, const double *v, double *r)
{
    const struct structure *s = structure->self;
    size_t at = 0;

    memset(r, 0, s->system.n * sizeof *r);
    yk_matrix_add_product(&s->K, 1, u, r);
    yk_matrix_add_product(&s->C, 1, v, r);
    for (size_t i = 0; i < s->count; i++) {
        const struct yk_element *e = &s->elements[i];

        scatter(e, u, e->law->force(e->settings, s->committed + at, extension(e, u), rate(e, u, v), s->unused + at), r);
        at += e->law->count;
    }
}

void yk_structure_parts_free(struct yk_structure_parts *parts)
{
    for (size_t i = 0; i < parts->element_count; i++)
        free(parts->elements[i].settings);
    free(parts->elements);
    for (size_t k = 0; k < parts->base_count; k++)
        yk_base_free(&parts->bases[k]);
    free(parts->bases);
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
        return yk_fail_about(err, YK_E_INPUT, name,
                             "%s is %zu x %zu, but %zu x %zu is expected (one row and column per degree of freedom)",
                             name, A->rows, A->cols, n, n);
    if (!yk_matrix_is_finite(A))
        return yk_fail_about(err, YK_E_INPUT, name, "%s holds a value that is not a finite number", name);
    if (symmetric && yk_matrix_asymmetry(A, &i, &j) > 1e-9)
        return yk_fail_about(err, YK_E_INPUT, name,
                             "%s is not symmetric: entry (%zu, %zu) = %.9g but (%zu, %zu) = %.9g", name, i + 1, j + 1,
                             yk_matrix_get(A, i, j), j + 1, i + 1, yk_matrix_get(A, j, i));
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
            return yk_fail_about(err, YK_E_RANGE, "mass", "mass of %s is negative: %g kg",
                                 parts->names ? parts->names[i] : "specimen", yk_matrix_get(&parts->M, i, i));
    if (!parts->massless && !yk_matrix_is_definite(&parts->M, &bad)) {
        char number[24];

        snprintf(number, sizeof number, "%zu", bad + 1);
        return yk_fail_about(err, YK_E_SINGULAR, "mass",
                             "mass is not positive definite: degree of freedom %s has no inertia (pivot <= 0); "
                             "every degree of freedom needs mass",
                             parts->names ? parts->names[bad] : number);
    }
    return YK_OK;
}

enum which { STIFFNESS, DAMPING };

/* A plus the stiffness or damping of every element, or only of the linear ones, in the state (u, v). */
static enum yk_status add_elements(const struct structure *s, struct yk_matrix *A, enum which which, bool only_linear,
                                   const double *u, const double *v, struct yk_err *err)
{
    const size_t n = A->rows, most = TOUCHED * TOUCHED * s->count + 1;
    int *row = malloc(most * sizeof *row), *col = malloc(most * sizeof *col);
    double *value = malloc(most * sizeof *value);
    struct yk_matrix B = {0}, sum = {0};
    enum yk_status st = YK_E_MEMORY;
    const double *committed = s->committed; /* NULL while the linear ones are folded: they have no memory */
    double *trial = s->trial;
    size_t entries = 0;

    if (!row || !col || !value) {
        yk_fail(err, st, "out of memory for %zu elements", s->count);
        goto end;
    }
    for (size_t e = 0; e < s->count; e++) {
        struct patch p = {0};

        if (!only_linear || yk_element_is_linear(&s->elements[e]))
            take_patch(&s->elements[e], committed, trial, u, v, &p);
        for (size_t k = 0; k < p.n * p.n; k++) {
            const size_t i = k / p.n, j = k % p.n;
            const double x = which == STIFFNESS ? p.K[i][j] : p.C[i][j];

            if (x == 0)
                continue;
            row[entries] = (int)p.dof[i];
            col[entries] = (int)p.dof[j];
            value[entries++] = x;
        }
        if (committed) {
            committed += s->elements[e].law->count;
            trial += s->elements[e].law->count;
        }
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

/* Moves the linear elements into the matrices and drops them; the others move into the arena. */
static enum yk_status fold_linear(struct structure *s, const double *zero, struct yk_arena *mem, struct yk_err *err)
{
    struct yk_element *given = s->elements;
    size_t kept = 0;
    enum yk_status st;

    if ((st = add_elements(s, &s->K, STIFFNESS, true, zero, zero, err)) ||
        (st = add_elements(s, &s->C, DAMPING, true, zero, zero, err)))
        return st;
    for (size_t i = 0; i < s->count; i++) {
        if (yk_element_is_linear(&given[i]))
            free(given[i].settings);
        else
            given[kept++] = given[i];
    }
    s->count = kept;
    if (!(s->elements = yk_arena_take(mem, kept * sizeof *given))) {
        s->elements = given;
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu elements", kept);
    }
    if (kept)
        memcpy(s->elements, given, kept * sizeof *given);
    free(given);
    s->folded = true;
    return YK_OK;
}

static enum yk_status allocate_variables(struct structure *s, struct yk_arena *mem, struct yk_err *err)
{
    for (size_t i = 0; i < s->count; i++)
        s->variables += s->elements[i].law->count;
    s->committed = s->memory = yk_arena_doubles(mem, YK_CHAINS * s->variables);
    s->trial = yk_arena_doubles(mem, s->variables);
    s->marked = yk_arena_doubles(mem, s->variables);
    s->element_force = yk_arena_doubles(mem, 3 * s->count);
    s->evaluated = yk_arena_doubles(mem, 2 * s->count);
    s->unused = yk_arena_doubles(mem, s->variables);
    if (mem->failed)
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu elements", s->count);
    s->element_extension = s->element_force + s->count;
    s->element_shift = s->element_extension + s->count;
    rest(s, s->system.u0);
    return YK_OK;
}

/* Where the elements write their tangents: rows and columns, or NULL to count them; then their places. */
static size_t list_touched(const struct structure *s, int *row, int *col)
{
    size_t count = 0, dof[TOUCHED];

    for (size_t e = 0; e < s->count; e++) {
        const size_t n = touched(&s->elements[e], dof);

        for (size_t k = 0; row && k < n * n; k++) {
            row[count + k] = (int)dof[k / n];
            col[count + k] = (int)dof[k % n];
        }
        count += n * n;
    }
    return count;
}

/* Tangents that are not symmetric come from matrices that were given so, and from what turns exactly. */
static bool stays_symmetric(const struct structure *s)
{
    bool symmetric = yk_matrix_asymmetry(&s->system.M, NULL, NULL) <= YK_SYMMETRIC &&
                     yk_matrix_asymmetry(&s->C, NULL, NULL) <= YK_SYMMETRIC &&
                     yk_matrix_asymmetry(&s->K, NULL, NULL) <= YK_SYMMETRIC;

    for (size_t e = 0; e < s->count; e++)
        for (size_t i = 0; i < s->elements[e].lever_count; i++)
            symmetric &= !s->elements[e].levers[i].exact;
    return symmetric;
}

static enum yk_status make_pattern(struct structure *s, struct yk_err *err)
{
    struct yk_system *sys = &s->system;
    struct yk_pattern *p = &sys->pattern;
    const size_t count = list_touched(s, NULL, NULL);
    int *row = malloc((count + 1) * sizeof *row), *col = malloc((count + 1) * sizeof *col);
    enum yk_status st = YK_E_MEMORY;

    if (row && col) {
        list_touched(s, row, col);
        st = yk_pattern_init(p, sys->n, 3, (const struct yk_matrix *[]){&sys->M, &s->C, &s->K}, count, row, col, err);
    }
    if (!st) {
        s->Kx = malloc((p->entries + 1) * sizeof *s->Kx);
        s->Cx = malloc((p->entries + 1) * sizeof *s->Cx);
        s->place = malloc((count + 1) * sizeof *s->place);
        st = s->Kx && s->Cx && s->place ? YK_OK : YK_E_MEMORY;
    }
    if (st == YK_E_MEMORY)
        yk_fail(err, st, "out of memory for the tangents of %zu elements", s->count);
    if (!st) {
        yk_pattern_values(p, &s->K, s->Kx);
        yk_pattern_values(p, &s->C, s->Cx);
        for (size_t k = 0; k < count; k++) {
            s->place[k] = yk_pattern_find(p, (size_t)row[k], (size_t)col[k]);
            p->varies[s->place[k]] = 1;
        }
        p->symmetric = stays_symmetric(s);
    }
    free(row);
    free(col);
    return st;
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
    if (!(st = add_elements(s, &sys->K, STIFFNESS, false, sys->u0, sys->v0, err)) &&
        !(st = add_elements(s, &sys->C, DAMPING, false, sys->u0, sys->v0, err)))
        st = make_pattern(s, err);
    return st;
}

enum yk_status yk_structure_create(struct yk_system **system, struct yk_structure_parts *parts, struct yk_arena *mem,
                                   struct yk_err *err)
{
    enum yk_status st = parts->unchecked ? YK_OK : check(parts, err);
    const size_t n = parts->M.rows;
    struct yk_arena own = {0};
    struct structure *s = st ? NULL : yk_arena_take(mem = mem ? mem : &own, sizeof *s);

    *system = NULL;
    if (!s) {
        yk_arena_free(&own);
        yk_structure_parts_free(parts);
        return st ? st : yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    s->system = (struct yk_system){.n = n, .M = parts->M, .u0 = parts->u0, .v0 = parts->v0, .self = s};
    s->system.ops = &ops_without_memory;
    s->K = parts->K;
    s->C = parts->C;
    s->elements = parts->elements;
    s->count = parts->element_count;
    s->bases = parts->bases;
    s->base_count = parts->base_count;
    *parts = (struct yk_structure_parts){0};
    if (!s->system.u0)
        s->system.u0 = calloc(n, sizeof(double));
    if (!s->system.v0)
        s->system.v0 = calloc(n, sizeof(double));
    s->f = yk_arena_doubles(mem, 4 * n);
    s->z = yk_arena_doubles(mem, 2 * s->base_count);
    if (!s->system.u0 || !s->system.v0 || !s->f || !s->z) {
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
        goto fail;
    }
    s->u = s->f + n;
    s->v = s->f + 2 * n;
    s->work = s->f + 3 * n;
    s->z_rate = s->z + s->base_count;
    move_bases(s, 0);
    for (size_t i = 0; i < s->count; i++) /* methods keep the tangents of bases that stand: dampers at their stiffest */
        s->elements[i].shift_rate = 0;
    if ((st = fold_linear(s, s->f, mem, err)) || (st = yk_matrix_compact(&s->system.M, err)) ||
        (st = yk_matrix_compact(&s->K, err)) || (st = yk_matrix_compact(&s->C, err)) ||
        (st = allocate_variables(s, mem, err)))
        goto fail;
    s->stiff = yk_matrix_nonzeros(&s->K) > 0;
    s->damped = yk_matrix_nonzeros(&s->C) > 0;
    s->system.linear = s->count == 0;
    s->system.linear_K = &s->K;
    s->system.linear_C = &s->C;
    if (s->variables)
        s->system.ops = &ops_with_memory;
    if ((st = initial_tangent(s, err)))
        goto fail;
    s->system.own = own;
    *system = &s->system;
    return YK_OK;
fail:
    s->system.own = own;
    yk_system_destroy(&s->system);
    return st;
}

void yk_system_destroy(struct yk_system *system)
{
    struct yk_arena own;

    if (!system)
        return;
    own = system->own;
    system->ops->destroy(system->self);
    yk_matrix_fini(&system->M);
    yk_matrix_fini(&system->C);
    yk_matrix_fini(&system->K);
    yk_pattern_fini(&system->pattern);
    free(system->u0);
    free(system->v0);
    yk_arena_free(&own);
}
