/* Actuators side by side on a stiff coupler that translates and rotates. docs/theory/test-rigs.md, eq. (5a), (5b).
 *
 *     s_i = x + a_i (cos theta - 1) - b_i sin theta
 *
 * (a_i, b_i): where actuator i holds the coupler, from the node: along the actuators and across; theta counts from the
 * first direction towards the second. The actuators keep their direction, so they are to be long against the motion.
 * Units: m, rad. */
#include "transfer/setup.h"

#include "base/rotation.h"

#include <math.h>

enum { X, THETA, DOFS };

struct coupler {
    struct yk_reals ends;
    size_t n; /* actuators */
};

static enum yk_status init(void *self, const struct yk_setup_plan *plan, struct yk_err *err)
{
    struct coupler *c = self;

    if (plan->dofs != DOFS || yk_is_rotation(plan->dof_names[X]) || !yk_is_rotation(plan->dof_names[THETA]))
        return yk_fail(err, YK_E_INPUT, "a coupler moves two degrees of freedom: a translation and then a rotation");
    if (c->ends.n != 2 * plan->actuators)
        return yk_fail(err, YK_E_RANGE, "ends has %zu numbers; %zu actuators need a pair each", c->ends.n,
                       plan->actuators);
    c->n = plan->actuators;
    return YK_OK;
}

static bool linear(const void *self)
{
    return false;
}

YK_RT static void strokes(const void *self, const double *u, double *s, double *J)
{
    const struct coupler *c = self;
    const double half = sin(0.5 * u[THETA]), sn = sin(u[THETA]), cs = cos(u[THETA]);

    for (size_t i = 0; i < c->n; i++) {
        const double a = c->ends.x[2 * i], b = c->ends.x[2 * i + 1];

        s[i] = u[X] - 2 * a * half * half - b * sn;
        J[i] = 1;
        J[i + c->n] = -a * sn - b * cs;
    }
}

YK_RT static void curvature(const void *self, const double *u, const double *v, double *a)
{
    const struct coupler *c = self;
    const double sn = sin(u[THETA]), cs = cos(u[THETA]), rate = v[THETA];

    for (size_t i = 0; i < c->n; i++)
        a[i] = (c->ends.x[2 * i + 1] * sn - c->ends.x[2 * i] * cs) * rate * rate;
}

static const struct yk_param params[] = {
    YK_REALS(struct coupler, ends, YK_LENGTH, YK_REQUIRED, -1e6, 1e6,
             "where each actuator holds the coupler, from the node: [along, across] of the actuators"),
    YK_PARAM_END,
};

const struct yk_setup_ops yk_setup_coupler = {
    .name = "coupler",
    .summary = "parallel actuators on a stiff coupler that translates and rotates, exact for large rotations",
    .reference = "Condori Uribe, Salmeron, Patino et al. 2023; docs/theory/test-rigs.md, eq. (5a)",
    .params = params,
    .size = sizeof(struct coupler),
    .init = init,
    .linear = linear,
    .strokes = strokes,
    .curvature = curvature,
};
