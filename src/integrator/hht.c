/* HHT-alpha. docs/theory/integrators.md, eq. (8) and (10): am = 0, af = -alpha.
 * Order 2, unconditionally stable for -1/3 <= alpha <= 0, dissipates high frequencies. */
#include "integrator/newmark_family.h"

struct hht {
    struct yk_newmark_family core;
    double alpha;
};

static enum yk_status init(void *self, struct yk_system *system, double dt, struct yk_arena *mem, struct yk_err *err)
{
    struct hht *s = self;

    s->core.af = -s->alpha;
    s->core.beta = (1 - s->alpha) * (1 - s->alpha) / 4;
    s->core.gamma = 0.5 - s->alpha;
    return yk_newmark_init(&s->core, system, dt, mem, err);
}

static const struct yk_param params[] = {
    YK_REAL(struct hht, alpha, YK_NUMBER, -0.1, -1.0 / 3, 0, "dissipation: 0 none, -1/3 most"),
    YK_NEWMARK_ITERATION,
    YK_PARAM_END,
};

const struct yk_integrator_ops yk_integrator_hht = {
    .name = "hht",
    .summary = "HHT-alpha; modified Newton with the initial tangent",
    .reference = "Hilber, Hughes & Taylor 1977",
    .order = 2,
    .stages = 1,
    .caps = YK_INTEG_ITERATES,
    .params = params,
    .size = sizeof(struct hht),
    .init = init,
    YK_NEWMARK_FUNCTIONS,
};
