/* Newmark's method, any beta and gamma. docs/theory/integrators.md, eq. (3)-(7).
 *
 *     beta = 1/4, gamma = 1/2: constant average acceleration, order 2, unconditionally stable, no dissipation
 *     beta = 0,   gamma = 1/2: explicit, order 2, stable for h omega <= 2
 *
 * With velocity: predicted the force is taken at v + h a and the damping matrix stays out of the solve: what explicit
 * schemes do when the damping force can only be measured. That lowers the stability limit. */
#include "integrator/newmark_family.h"

struct newmark {
    struct yk_newmark_family core;
    int velocity;
};

static enum yk_status init(void *self, struct yk_system *system, double dt, struct yk_arena *mem, struct yk_err *err)
{
    struct newmark *s = self;

    s->core.predicted_velocity = s->velocity == 1;
    if (s->core.beta == 0 && s->velocity == 1)
        s->core.iterations = 1; /* nothing left to iterate on */
    return yk_newmark_init(&s->core, system, dt, mem, err);
}

static const struct yk_param params[] = {
    YK_NEWMARK_WEIGHTS(0),
    YK_CHOICE(struct newmark, velocity, "corrected|predicted", 0,
              "velocity at which the force is evaluated: that of the solution, or v + h a"),
    YK_NEWMARK_ITERATION,
    YK_PARAM_END,
};

const struct yk_integrator_ops yk_integrator_newmark = {
    .name = "newmark",
    .summary = "Newmark, any beta and gamma; modified Newton with the initial tangent",
    .reference = "Newmark 1959",
    .order = 2,
    .stages = 1,
    .caps = YK_INTEG_CONDITIONAL | YK_INTEG_ITERATES,
    .params = params,
    .size = sizeof(struct newmark),
    .init = init,
    .dense = yk_newmark_dense,
    YK_NEWMARK_FUNCTIONS,
};
