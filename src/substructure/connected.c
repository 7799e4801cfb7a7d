/* A system and springs at its degrees of freedom: with u the states of the system and w the ends of the springs,
 *
 *     p_u = p(u, v) + k (w - u),        p_w = f_w - k (w - u)
 *
 * The specimen of a test in force control, as a model (docs/theory/transfer.md, section 7). Units: N, m, s. */
#include "substructure/connected.h"

#include <stdlib.h>
#include <string.h>

struct connected {
    struct yk_system system;
    struct yk_system_ops ops;
    struct yk_system *inner;
    size_t count, *dofs;
    double *stiffness;
    double *K, *C; /* tangents of the system alone */
    double *f, *w; /* at the last account: on the ends, and where they were */
};

YK_RT static void force(void *self, double t, const double *f, const double *u, const double *v, double *p)
{
    struct connected *s = self;

    yk_system_force(s->inner, t, f, u, v, p);
    for (size_t k = 0; k < s->count; k++) {
        const size_t w = s->inner->n + k;
        const double pull = s->stiffness[k] * (u[w] - u[s->dofs[k]]);

        p[s->dofs[k]] += pull;
        p[w] = f[w] - pull;
    }
}

static void rest(void *self, const double *u)
{
    struct connected *s = self;

    s->inner->ops->rest(s->inner->self, u);
}

YK_RT static void commit(void *self, double t, const double *u, const double *v)
{
    struct connected *s = self;

    s->inner->ops->commit(s->inner->self, t, u, v);
}

YK_RT static void mark(void *self)
{
    struct connected *s = self;

    s->inner->ops->mark(s->inner->self);
}

YK_RT static void rewind_to_mark(void *self)
{
    struct connected *s = self;

    s->inner->ops->rewind(s->inner->self);
}

YK_RT static void follow(void *self, int k)
{
    struct connected *s = self;

    s->inner->ops->follow(s->inner->self, k);
}

/* Puts a matrix of the system, n x n, into one of all degrees of freedom. */
YK_RT static void spread(const struct connected *s, const double *from, double *to)
{
    const size_t n = s->inner->n, all = n + s->count;

    memset(to, 0, all * all * sizeof *to);
    for (size_t j = 0; j < n; j++)
        memcpy(to + j * all, from + j * n, n * sizeof *to);
}

YK_RT static void add_springs(const struct connected *s, double *K)
{
    const size_t n = s->inner->n, all = n + s->count;

    for (size_t k = 0; k < s->count; k++) {
        const size_t d = s->dofs[k], w = n + k;

        K[d + d * all] += s->stiffness[k];
        K[w + w * all] += s->stiffness[k];
        K[d + w * all] -= s->stiffness[k];
        K[w + d * all] -= s->stiffness[k];
    }
}

YK_RT static void tangent(void *self, const double *u, const double *v, double *K, double *C)
{
    struct connected *s = self;

    s->inner->ops->tangent(s->inner->self, u, v, s->K, s->C);
    spread(s, s->K, K);
    spread(s, s->C, C);
    add_springs(s, K);
}

YK_RT static void account(void *self, const double *f, const double *u, const double *v, struct yk_energy *energy)
{
    struct connected *s = self;
    const bool started = energy->started;

    s->inner->ops->account(s->inner->self, f, u, v, energy);
    for (size_t k = 0; k < s->count; k++) {
        const size_t w = s->inner->n + k;
        const double pulled = u[w] - u[s->dofs[k]];

        energy->stored += 0.5 * s->stiffness[k] * pulled * pulled;
        if (started)
            energy->work += 0.5 * (s->f[k] + f[w]) * (u[w] - s->w[k]);
        s->f[k] = f[w];
        s->w[k] = u[w];
    }
}

static void destroy(void *self)
{
    struct connected *s = self;

    yk_system_destroy(s->inner);
    free(s->dofs);
    free(s->stiffness);
}

/* The functions that the inner system has. */
static struct yk_system_ops abilities(const struct yk_system_ops *inner)
{
    return (struct yk_system_ops){.force = force,
                                  .rest = inner->rest ? rest : NULL,
                                  .commit = inner->commit ? commit : NULL,
                                  .mark = inner->mark ? mark : NULL,
                                  .rewind = inner->rewind ? rewind_to_mark : NULL,
                                  .follow = inner->follow ? follow : NULL,
                                  .tangent = tangent,
                                  .account = account,
                                  .destroy = destroy};
}

/* M, C and K of all. */
static enum yk_status fill_matrices(struct connected *s, struct yk_err *err)
{
    const struct yk_matrix *const from[] = {&s->inner->M, &s->inner->C, &s->inner->K};
    struct yk_matrix *const to[] = {&s->system.M, &s->system.C, &s->system.K};
    enum yk_status st = YK_OK;

    for (int i = 0; i < 3 && !st; i++)
        if (!(st = yk_matrix_init(to[i], YK_DENSE, s->system.n, s->system.n, err))) {
            yk_matrix_to_dense(from[i], s->K);
            spread(s, s->K, to[i]->x);
            if (i == 2)
                add_springs(s, to[i]->x);
        }
    return st;
}

enum yk_status yk_connected_create(struct yk_system **system, struct yk_system *inner, size_t count, const size_t *dofs,
                                   const double *stiffness, struct yk_arena *mem, struct yk_err *err)
{
    const size_t n = inner->n, all = n + count;
    struct connected *s = yk_arena_take(mem, sizeof *s);
    enum yk_status st = YK_OK;

    *system = NULL;
    if (!s || !yk_arena_array(mem, &s->K, 2 * n * n + 2 * count) || inner->mass_divided_out) {
        const bool divided = inner->mass_divided_out;

        yk_system_destroy(inner);
        return divided ? yk_fail(err, YK_E_UNSUPPORTED, "a specimen of this kind cannot be connected by a spring")
                       : yk_fail(err, YK_E_MEMORY, "out of memory for a specimen");
    }
    s->C = s->K + n * n;
    s->f = s->C + n * n;
    s->w = s->f + count;
    yk_arena_pointers(mem, &s->C, &s->f, &s->w, &s->inner, &s->system.ops, &s->system.self);
    s->ops = abilities(inner->ops);
    s->inner = inner;
    s->count = count;
    s->dofs = calloc(count, sizeof *s->dofs);
    s->stiffness = calloc(count, sizeof *s->stiffness);
    s->system = (struct yk_system){.n = n + count,
                                   .linear = inner->linear,
                                   .constant_tangents = inner->constant_tangents,
                                   .u0 = calloc(all, sizeof(double)),
                                   .v0 = calloc(all, sizeof(double)),
                                   .ops = &s->ops,
                                   .self = s};
    if (!s->dofs || !s->stiffness || !s->system.u0 || !s->system.v0) {
        st = yk_fail(err, YK_E_MEMORY, "out of memory for a specimen");
    } else {
        memcpy(s->dofs, dofs, count * sizeof *dofs);
        memcpy(s->stiffness, stiffness, count * sizeof *stiffness);
        memcpy(s->system.u0, inner->u0, n * sizeof(double));
        memcpy(s->system.v0, inner->v0, n * sizeof(double));
        for (size_t k = 0; k < count; k++) {
            s->system.u0[n + k] = inner->u0[dofs[k]];
            s->system.v0[n + k] = inner->v0[dofs[k]];
        }
        st = fill_matrices(s, err);
    }
    if (st)
        yk_system_destroy(&s->system);
    else
        *system = &s->system;
    return st;
}
