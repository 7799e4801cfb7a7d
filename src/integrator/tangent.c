/* m M + c C + k K with the tangents of the state. */
#include "integrator/tangent.h"

#include <math.h>

void yk_tangent_layout(struct yk_tangent *t, const struct yk_system *system, struct yk_arena *mem)
{
    const size_t n = system->n;

    if (!yk_tangent_varies(system))
        return;
    yk_lu_layout(&t->lu, n, mem);
    t->M = yk_arena_doubles(mem, n * n);
    t->K = yk_arena_doubles(mem, n * n);
    t->C = yk_arena_doubles(mem, n * n);
}

void yk_tangent_init(struct yk_tangent *t, const struct yk_system *system)
{
    if (t->M)
        yk_matrix_to_dense(&system->M, t->M);
}

YK_RT void yk_tangent_take(struct yk_tangent *t, const struct yk_system *system, const double *u, const double *v)
{
    system->ops->tangent(system->self, u, v, t->K, t->C);
}

YK_RT enum yk_status yk_tangent_factor(struct yk_tangent *t, double m, double c, double k)
{
    const size_t entries = t->lu.n * t->lu.n;

    for (size_t i = 0; i < entries; i++)
        t->lu.a[i] = m * t->M[i] + c * t->C[i] + k * t->K[i];
    if (yk_lu_factor(&t->lu) == YK_OK)
        return YK_OK;
    t->lu.a[0] = NAN;
    return YK_E_SINGULAR;
}
