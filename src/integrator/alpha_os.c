/* Alpha operator splitting. docs/theory/integrators.md, eq. (11): the balance of HHT-alpha with the force taken once,
 * at the predictor, and corrected with the initial tangent. No iteration, so it suits specimens; for linear systems it
 * is HHT-alpha. Order 2, unconditionally stable while the tangent does not exceed the initial one. */
#include "integrator/newmark_family.h"

struct alpha_os {
    struct yk_newmark_family core;
    double alpha;
};

static enum yk_status init(void *self, struct yk_system *system, double dt, struct yk_arena *mem, struct yk_err *err)
{
    struct alpha_os *s = self;

    s->core.af = -s->alpha;
    s->core.beta = (1 - s->alpha) * (1 - s->alpha) / 4;
    s->core.gamma = 0.5 - s->alpha;
    s->core.iterations = 1;
    return yk_newmark_init(&s->core, system, dt, mem, err);
}

static const struct yk_param params[] = {
    YK_REAL(struct alpha_os, alpha, YK_NUMBER, -0.1, -1.0 / 3, 0, "dissipation: 0 none, -1/3 most"),
    YK_PARAM_END,
};

const struct yk_integrator_ops yk_integrator_alpha_os = {
    .name = "alpha-os",
    .summary = "alpha operator splitting: HHT-alpha with one force evaluation at the predictor",
    .reference = "Combescure & Pegon 1997",
    .order = 2,
    .stages = 1,
    .caps = YK_INTEG_NEEDS_K0,
    .params = params,
    .size = sizeof(struct alpha_os),
    .init = init,
    YK_NEWMARK_FUNCTIONS,
};
