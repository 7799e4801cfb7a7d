/* Newmark with a full Newton iteration: the tangent is taken anew at every trial state. docs/theory/integrators.md, eq.
 * (6). The reference solution of nonlinear models; order 2 with the default beta = 1/4, gamma = 1/2. */
#include "integrator/newmark_family.h"

struct newmark_newton {
    struct yk_newmark_family core;
};

static enum yk_status init(void *self, struct yk_system *system, double dt, struct yk_arena *mem, struct yk_err *err)
{
    struct newmark_newton *s = self;

    s->core.refresh = true;
    return yk_newmark_init(&s->core, system, dt, mem, err);
}

static const struct yk_param params[] = {
    YK_NEWMARK_WEIGHTS(0.25),
    YK_COUNT(struct yk_newmark_family, iterations, 50, 2, 1000, "most force evaluations per step"),
    YK_REAL(struct yk_newmark_family, tolerance, YK_NUMBER, 1e-7, 1e-15, 1e-2,
            "unbalance at which the iteration ends, as an acceleration over the largest one; 1e-12: to rounding"),
    YK_PARAM_END,
};

const struct yk_integrator_ops yk_integrator_newmark_newton = {
    .name = "newmark-newton",
    .summary = "implicit Newmark with full Newton iteration: a reference for nonlinear models",
    .reference = "Newmark 1959",
    .order = 2,
    .stages = 1,
    .caps = YK_INTEG_ITERATES,
    .params = params,
    .size = sizeof(struct newmark_newton),
    .init = init,
    YK_NEWMARK_FUNCTIONS,
};
