#include "support/duffing.h"

#include "support/check.h"

#include <stdlib.h>

struct duffing {
    struct yk_system system;
    double k3;
};

static void force(void *self, double t, const double *f, const double *u, const double *v, double *p)
{
    const struct duffing *s = self;

    memcpy(p, f, s->system.n * sizeof *p);
    yk_matrix_add_product(&s->system.K, -1, u, p);
    yk_matrix_add_product(&s->system.C, -1, v, p);
    for (size_t i = 0; i < s->system.n; i++)
        p[i] -= s->k3 * u[i] * u[i] * u[i];
}

static void tangent(void *self, const double *u, const double *v, double *K, double *C)
{
    const struct duffing *s = self;

    yk_matrix_to_dense(&s->system.K, K);
    yk_matrix_to_dense(&s->system.C, C);
    for (size_t i = 0; i < s->system.n; i++)
        K[i * (s->system.n + 1)] += 3 * s->k3 * u[i] * u[i];
}

static void destroy(void *self)
{
}

static const struct yk_system_ops ops = {.force = force, .tangent = tangent, .destroy = destroy};

struct yk_system *duffing_create(struct yk_matrix M, struct yk_matrix C, struct yk_matrix K, double k3, bool linear,
                                 const double *u0, const double *v0)
{
    struct yk_arena own = {0};
    struct duffing *s = yk_arena_take(&own, sizeof *s);

    assert_non_null(s);
    s->k3 = k3;
    s->system =
        (struct yk_system){.n = M.rows, .M = M, .C = C, .K = K, .linear = linear, .ops = &ops, .self = s, .own = own};
    s->system.u0 = calloc(M.rows, sizeof(double));
    s->system.v0 = calloc(M.rows, sizeof(double));
    assert_true(s->system.u0 && s->system.v0);
    if (u0)
        memcpy(s->system.u0, u0, M.rows * sizeof *u0);
    if (v0)
        memcpy(s->system.v0, v0, M.rows * sizeof *v0);
    return &s->system;
}
