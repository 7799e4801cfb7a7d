/* A structure of matrices and elements: M a = f - C v - K u - sum_e B_e f_e(d_e, w_e), d_e = u[to] - u[from] plus
 * what turns, sum arm sin(u), and B_e = dd_e/du. docs/theory/test-rigs.md, eq. (20)-(22).
 *
 * Linear elements are part of C and K. Nonlinear laws are evaluated only where they act. An end of an element may move
 * as prescribed, which adds to d_e and w_e; what has no motion of its own (commit, tangent, account) takes that of the
 * last force. Units: N, m, s. */
#include "substructure/structure.h"
#include "substructure/probe.h"

#include <stdlib.h>
#include <string.h>

/* What the bases add to the extensions at time t. */
YK_RT static void move_bases(struct yk_structure *s, double t)
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
    struct yk_structure *s = self;
    double *trial = s->trial;
    const double *committed = s->committed;

    s->t = t;
    const double h = yk_structure_elapsed(s);

    move_bases(s, t);
    for (size_t i = 0; i < s->count; i++) {
        const struct yk_element *e = &s->elements[i];
        const double d = yk_element_extension(e, u), w = yk_element_rate(e, u, v);

        yk_element_scatter(e, u, -e->law->force(e->settings, committed, d, w, h, trial), p);
        s->evaluated[2 * i] = d;
        s->evaluated[2 * i + 1] = w;
        committed += e->law->count;
        trial += e->law->count;
    }
    s->fresh = true;
}

YK_RT static void force(void *self, double t, const double *f, const double *u, const double *v, double *p)
{
    struct yk_structure *s = self;

    memcpy(p, f, s->system.n * sizeof *p);
    if (s->stiff)
        yk_matrix_add_product(&s->K, -1, u, p);
    if (s->damped)
        yk_matrix_add_product(&s->C, -1, v, p);
    beyond(self, t, u, v, p);
}

YK_RT static void commit(void *self, double t, const double *u, const double *v)
{
    struct yk_structure *s = self;
    const bool fresh = s->fresh && s->t == t;
    size_t at = 0;

    s->t = t;
    const double h = yk_structure_elapsed(s);

    for (size_t i = 0; i < s->count; i++) {
        const struct yk_element *e = &s->elements[i];
        const double d = yk_element_extension(e, u), w = yk_element_rate(e, u, v);

        if (e->law->count) {
            if (!fresh || s->evaluated[2 * i] != d || s->evaluated[2 * i + 1] != w)
                e->law->force(e->settings, s->committed + at, d, w, h, s->trial + at);
            memcpy(s->committed + at, s->trial + at, e->law->count * sizeof *s->trial);
        }
        at += e->law->count;
    }
    s->committed[s->variables] = t;
    s->fresh = false;
}

YK_RT static void mark(void *self)
{
    struct yk_structure *s = self;

    memcpy(s->marked, s->committed, (s->variables + 1) * sizeof *s->marked);
}

YK_RT static void go_back(void *self)
{
    struct yk_structure *s = self;

    memcpy(s->committed, s->marked, (s->variables + 1) * sizeof *s->committed);
    s->fresh = false;
}

YK_RT static void follow(void *self, int k)
{
    struct yk_structure *s = self;

    s->committed = s->memory + (size_t)k * (s->variables + 1);
    s->fresh = false;
}

YK_RT static void sparse_tangent(void *self, const double *u, const double *v, double *K, double *C)
{
    struct yk_structure *s = self;
    const size_t *place = s->place;
    const double h = yk_structure_elapsed(s);
    size_t at = 0;

    s->fresh = false; /* what turns exactly is evaluated again */
    memcpy(K, s->Kx, s->system.pattern.entries * sizeof *K);
    memcpy(C, s->Cx, s->system.pattern.entries * sizeof *C);
    for (size_t e = 0; e < s->count; e++) {
        struct yk_patch p;

        yk_patch_take(&s->elements[e], s->committed + at, s->trial + at, u, v, h, &p);
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
    struct yk_structure *s = self;

    if (s->system.linear) {
        yk_matrix_to_dense(&s->K, K);
        yk_matrix_to_dense(&s->C, C);
        return;
    }
    sparse_tangent(self, u, v, K, C);
    yk_pattern_spread(&s->system.pattern, K);
    yk_pattern_spread(&s->system.pattern, C);
}

static void rest(void *self, const double *u)
{
    struct yk_structure *s = self;
    size_t at = 0;

    follow(s, 0);
    for (size_t i = 0; i < s->count; i++) {
        const struct yk_element *e = &s->elements[i];

        if (e->law->rest)
            e->law->rest(e->settings, yk_element_extension(e, u), s->committed + at);
        at += e->law->count;
    }
    s->committed[s->variables] = s->t = 0;
    for (size_t k = 1; k < YK_CHAINS; k++)
        memcpy(s->memory + k * (s->variables + 1), s->memory, (s->variables + 1) * sizeof *s->memory);
}

static void destroy(void *self)
{
    struct yk_structure *s = self;

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
                                                        .account = yk_structure_account,
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
                                                     .account = yk_structure_account,
                                                     .destroy = destroy};

bool yk_is_structure(const struct yk_system *system)
{
    return system->ops == &ops_without_memory || system->ops == &ops_with_memory;
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

static enum yk_status allocate_variables(struct yk_structure *s, struct yk_arena *mem, struct yk_err *err)
{
    for (size_t i = 0; i < s->count; i++)
        s->variables += s->elements[i].law->count;
    s->committed = s->memory = yk_arena_doubles(mem, YK_CHAINS * (s->variables + 1));
    s->trial = yk_arena_doubles(mem, s->variables);
    s->marked = yk_arena_doubles(mem, s->variables + 1);
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

enum yk_status yk_structure_create(struct yk_system **system, struct yk_structure_parts *parts, struct yk_arena *mem,
                                   struct yk_err *err)
{
    enum yk_status st = parts->unchecked ? YK_OK : yk_structure_check(parts, err);
    const size_t n = parts->M.rows;
    struct yk_arena own = {0};
    struct yk_structure *s = st ? NULL : yk_arena_take(mem = mem ? mem : &own, sizeof *s);

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
    if ((st = yk_structure_fold(s, s->f, mem, err)) || (st = yk_matrix_compact(&s->system.M, err)) ||
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
    if ((st = yk_structure_tangents(s, err)))
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
