/* A structure of matrices, elements and members: M a = f - C v - K u - sum_e B_e f_e(d_e, w_e) - sum_m r_m(u), d_e =
 * u[to] - u[from] plus what turns, sum arm sin(u), and B_e = dd_e/du. docs/theory/test-rigs.md, eq. (20)-(22); members:
 * docs/theory/nonlinear-frames.md.
 *
 * Linear elements are part of C and K. Nonlinear laws are evaluated only where they act. An end of an element may move
 * as prescribed, which adds to d_e and w_e; what has no motion of its own (commit, tangent, account) takes that of the
 * last force. Units: N, m, s. */
#include "substructure/structure.h"
#include "substructure/probe.h"

#include <stdlib.h>
#include <string.h>

/* Adds the motion of the bases at time t to the extensions of the elements. */
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
    double *trial = s->memory[s->trial].x;
    const double *committed = yk_structure_committed(s)->x;

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
    if (s->members.count) {
        yk_members_evaluate(s, u, s->members.keep);
        yk_members_add_force(s, &s->memory[s->trial], -1, p);
        if (s->members.damping > 0)
            yk_members_add_product(s, yk_structure_committed(s), -s->members.damping, v, p);
    }
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

/* The members at the end of a step: their state there, and what damping did with the stiffness of its beginning. */
YK_RT static void commit_members(struct yk_structure *s, const double *u, const double *v)
{
    struct yk_members *m = &s->members;
    struct yk_memory *trial = &s->memory[s->trial];

    yk_members_evaluate(s, u, m->keep);
    if (m->damping > 0) {
        memset(trial->damping, 0, s->system.n * sizeof *trial->damping);
        yk_members_add_product(s, yk_structure_committed(s), m->damping, v, trial->damping);
    }
    m->keep = m->asked || m->damping > 0;
    m->asked = false;
    m->bounded += trial->bounded;
    m->last = trial->bounded ? trial->last : m->last;
}

YK_RT static bool is_held(const struct yk_structure *s, int block)
{
    bool held = block == s->marked;

    for (int k = 0; k < YK_CHAINS; k++)
        held |= block == s->committed[k];
    return held;
}

/* The next trial goes to a block that nobody holds. */
YK_RT static void drop_trial(struct yk_structure *s)
{
    for (s->trial = 0; is_held(s, s->trial); s->trial++)
        ;
    s->memory[s->trial].known = false;
    s->fresh = false;
}

YK_RT static void commit(void *self, double t, const double *u, const double *v)
{
    struct yk_structure *s = self;
    const bool fresh = s->fresh && s->t == t;
    const double *committed = yk_structure_committed(s)->x;
    struct yk_memory *trial = &s->memory[s->trial];
    size_t at = 0;

    s->t = t;
    const double h = yk_structure_elapsed(s);

    for (size_t i = 0; i < s->count; i++) {
        const struct yk_element *e = &s->elements[i];
        const double d = yk_element_extension(e, u), w = yk_element_rate(e, u, v);

        if (e->law->count && (!fresh || s->evaluated[2 * i] != d || s->evaluated[2 * i + 1] != w))
            e->law->force(e->settings, committed + at, d, w, h, trial->x + at);
        at += e->law->count;
    }
    if (s->members.count)
        commit_members(s, u, v);
    trial->time = t;
    s->committed[s->sequence] = s->trial;
    drop_trial(s);
}

YK_RT static void mark(void *self)
{
    struct yk_structure *s = self;

    s->marked = s->committed[s->sequence];
}

YK_RT static void go_back(void *self)
{
    struct yk_structure *s = self;

    s->committed[s->sequence] = s->marked;
    drop_trial(s);
}

YK_RT static void follow(void *self, int k)
{
    struct yk_structure *s = self;

    s->sequence = k;
    drop_trial(s);
}

/* A stiffness between two degrees of freedom, or from one to a base, in the order of its patch; the next place. */
YK_RT static const size_t *add_between(const struct yk_element *e, double k, const size_t *place, double *A)
{
    if (e->to < 0 || e->from < 0) {
        if (e->to >= 0 || e->from >= 0)
            A[*place++] += k;
        return place;
    }
    A[place[0]] += k;
    A[place[1]] -= k;
    A[place[2]] -= k;
    A[place[3]] += k;
    return place + 4;
}

YK_RT static void sparse_tangent(void *self, const double *u, const double *v, double *K, double *C)
{
    struct yk_structure *s = self;
    const size_t *place = s->place;
    const double h = yk_structure_elapsed(s), *committed = yk_structure_committed(s)->x;
    double *trial = s->memory[s->trial].x;
    size_t at = 0;

    s->fresh = false; /* what turns exactly is evaluated again */
    memcpy(K, s->Kx, s->system.pattern.entries * sizeof *K);
    memcpy(C, s->Cx, s->system.pattern.entries * sizeof *C);
    for (size_t e = 0; e < s->count; e++) {
        const struct yk_element *el = &s->elements[e];
        struct yk_element_patch p;

        if (!el->lever_count) {
            double k = 0, c = 0;

            el->law->tangent(el->settings, committed + at, yk_element_extension(el, u), yk_element_rate(el, u, v), h,
                             &k, &c);
            if (c != 0)
                add_between(el, c, place, C);
            place = add_between(el, k, place, K);
            at += el->law->count;
            continue;
        }
        yk_element_patch_take(&s->elements[e], committed + at, trial + at, u, v, h, &p);
        for (size_t i = 0; i < p.n; i++)
            for (size_t j = 0; j < p.n; j++, place++) {
                K[*place] += p.K[i][j];
                C[*place] += p.C[i][j];
            }
        at += s->elements[e].law->count;
    }
    if (s->members.count) {
        yk_members_add_tangents(s, yk_members_tangents(s, u), 1, place, K);
        if (s->members.damping > 0)
            yk_members_add_tangents(s, yk_structure_committed(s), s->members.damping, place, C);
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
    double *x = s->memory[0].x;

    memset(s->committed, 0, sizeof s->committed); /* all sequences begin with block 0 */
    s->marked = s->sequence = 0;
    s->memory[0].time = s->t = 0;
    drop_trial(s);
    for (size_t i = 0; i < s->count; i++) {
        const struct yk_element *e = &s->elements[i];

        if (e->law->rest)
            e->law->rest(e->settings, yk_element_extension(e, u), x);
        x += e->law->count;
    }
    if (s->members.count)
        yk_members_rest(s, u);
}

static const char *carry(void *self, const double *u)
{
    rest(self, u);
    return yk_members_carry(self, u);
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
    yk_members_free(&s->members);
    free(s->Kx);
    free(s->Cx);
    free(s->place);
    yk_matrix_fini(&s->C);
    yk_matrix_fini(&s->K);
}

#define STRUCTURE                                                                                                      \
    .force = force, .tangent = tangent, .sparse_tangent = sparse_tangent, .beyond = beyond,                            \
    .account = yk_structure_account, .destroy = destroy
#define REMEMBERING .rest = rest, .commit = commit, .mark = mark, .rewind = go_back, .follow = follow

enum { FORGETFUL, WITH_MEMORY, WITH_MEMBERS, KINDS };
static const struct yk_system_ops ops[KINDS] = {[FORGETFUL] = {STRUCTURE},
                                                [WITH_MEMORY] = {STRUCTURE, REMEMBERING},
                                                [WITH_MEMBERS] = {STRUCTURE, REMEMBERING, .carry = carry}};

bool yk_is_structure(const struct yk_system *system)
{
    return system->ops >= ops && system->ops < ops + KINDS;
}

void yk_structure_parts_free(struct yk_structure_parts *parts)
{
    for (size_t i = 0; i < parts->element_count; i++)
        free(parts->elements[i].settings);
    free(parts->elements);
    for (size_t i = 0; i < parts->member_count; i++)
        yk_structure_member_free(&parts->members[i]);
    free(parts->members);
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
    enum yk_status st;

    for (size_t i = 0; i < s->count; i++)
        s->variables += s->elements[i].law->count;
    yk_arena_array(mem, &s->element_force, 3 * s->count);
    yk_arena_array(mem, &s->evaluated, 2 * s->count);
    yk_arena_array(mem, &s->unused, s->variables);
    if (s->members.count && (st = yk_members_init(s, mem, err)))
        return st;
    for (int k = 0; k < YK_CHAINS + 2; k++) {
        yk_arena_array(mem, &s->memory[k].x, s->members.count ? s->members.first + s->members.kept : s->variables);
        yk_arena_array(mem, &s->memory[k].u, s->members.count ? s->system.n : 0);
        yk_arena_array(mem, &s->memory[k].damping, s->members.damping > 0 ? s->system.n : 0);
    }
    if (mem->failed)
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu elements and %zu members", s->count, s->members.count);
    s->element_extension = s->element_force + s->count;
    s->element_shift = s->element_extension + s->count;
    yk_arena_pointers(mem, &s->element_extension, &s->element_shift);
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
    s->system.ops = &ops[FORGETFUL];
    s->K = parts->K;
    s->C = parts->C;
    s->elements = parts->elements;
    s->count = parts->element_count;
    s->members =
        (struct yk_members){.items = parts->members, .count = parts->member_count, .damping = parts->committed_damping};
    s->bases = parts->bases;
    s->base_count = parts->base_count;
    *parts = (struct yk_structure_parts){0};
    if (!s->system.u0)
        s->system.u0 = calloc(n, sizeof(double));
    if (!s->system.v0)
        s->system.v0 = calloc(n, sizeof(double));
    yk_arena_array(mem, &s->f, 4 * n);
    yk_arena_array(mem, &s->z, 2 * s->base_count);
    if (!s->system.u0 || !s->system.v0 || !s->f || !s->z) {
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
        goto fail;
    }
    s->u = s->f + n;
    s->v = s->f + 2 * n;
    s->work = s->f + 3 * n;
    s->z_rate = s->z + s->base_count;
    yk_arena_pointers(mem, &s->u, &s->v, &s->work, &s->z_rate, &s->system.self, &s->system.linear_K,
                      &s->system.linear_C);
    move_bases(s, 0);
    for (size_t i = 0; i < s->count; i++) /* methods keep the tangents of bases that stand: dampers at their stiffest */
        s->elements[i].shift_rate = 0;
    if ((st = yk_structure_fold(s, s->f, mem, err)) || (st = yk_matrix_compact(&s->system.M, err)) ||
        (st = yk_matrix_compact(&s->K, err)) || (st = yk_matrix_compact(&s->C, err)) ||
        (st = allocate_variables(s, mem, err)))
        goto fail;
    s->stiff = yk_matrix_nonzeros(&s->K) > 0;
    s->damped = yk_matrix_nonzeros(&s->C) > 0;
    s->system.linear = s->count + s->members.count == 0;
    s->system.rate = s->members.damping > 0;
    for (size_t i = 0; i < s->count; i++)
        s->system.rate |= s->elements[i].law->rate && !s->elements[i].law->linear;
    s->system.linear_K = &s->K;
    s->system.linear_C = &s->C;
    s->system.ops = &ops[s->members.count ? WITH_MEMBERS : s->variables ? WITH_MEMORY : FORGETFUL];
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
