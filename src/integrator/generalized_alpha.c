/* Generalized-alpha with prescribed high-frequency dissipation. docs/theory/integrators.md, eq. (8)-(9).
 * Order 2, unconditionally stable, spectral radius rho_inf at infinite frequency. Forces of both ends are blended. */
#include "integrator/newmark_family.h"

struct generalized_alpha {
    struct yk_newmark_family core;
    double rho_inf;
};

static enum yk_status init(void *self, struct yk_system *system, double dt, struct yk_arena *mem, struct yk_err *err)
{
    struct generalized_alpha *s = self;
    const double r = s->rho_inf;

    s->core.am = (2 * r - 1) / (1 + r);
    s->core.af = r / (1 + r);
    s->core.beta = 1 / ((1 + r) * (1 + r));
    s->core.gamma = (3 - r) / (2 * (1 + r));
    return yk_newmark_init(&s->core, system, dt, mem, err);
}

static const struct yk_param params[] = {
    YK_REAL(struct generalized_alpha, rho_inf, YK_NUMBER, 0.8, 0, 1, "spectral radius at infinite frequency"),
    YK_NEWMARK_ITERATION,
    YK_PARAM_END,
};

const struct yk_integrator_ops yk_integrator_generalized_alpha = {
    .name = "generalized-alpha",
    .summary = "generalized-alpha, dissipation set by rho_inf; modified Newton with the initial tangent",
    .reference = "Chung & Hulbert 1993",
    .order = 2,
    .stages = 1,
    .caps = YK_INTEG_ITERATES,
    .params = params,
    .size = sizeof(struct generalized_alpha),
    .init = init,
    YK_NEWMARK_FUNCTIONS,
};
