/* Two actuators on one mass that translates and rotates, or several such masses. docs/theory/test-rigs.md, eq. (2)-(5).
 *
 *     linear  s1 = h + e theta,   s2 = h - e theta:   h = (s1 + s2)/2,  theta = (s1 - s2)/(2 e)
 *     exact   s = |p| - R,  p = (A + h +- e sin theta,  w + e (1 - cos theta)),  A = sqrt(R^2 - w^2)
 *
 * e: half the lever between the actuators; R: length of an actuator between its fixed pivot and the mass at rest; w:
 * how far further out than the end of the lever the pivot sits, at rest. Each pair of actuators, in their order,
 * belongs to two degrees of freedom: translation, then rotation. Units: m, rad. */
#include "transfer/setup.h"

#include "base/rotation.h"

#include <math.h>
#include <string.h>

enum { LINEAR, EXACT };

struct pair {
    double lever, radius, offset;
    int geometry;
    size_t n;        /* degrees of freedom, and actuators */
    double e, along; /* half the lever; A */
};

static enum yk_status check_order(const struct yk_setup_plan *plan, struct yk_err *err)
{
    for (size_t i = 0; i < plan->dofs; i += 2)
        if (yk_is_rotation(plan->dof_names[i]) && !yk_is_rotation(plan->dof_names[i + 1]))
            return yk_fail(err, YK_E_INPUT, "a pair moves a translation and then a rotation, but here '%s' before '%s'",
                           plan->dof_names[i], plan->dof_names[i + 1]);
    return YK_OK;
}

static enum yk_status init(void *self, const struct yk_setup_plan *plan, struct yk_err *err)
{
    struct pair *p = self;
    enum yk_status st;

    if (plan->dofs != plan->actuators || plan->dofs % 2)
        return yk_fail(err, YK_E_INPUT,
                       "%zu actuators for %zu degrees of freedom: a pair needs two and two (translation, rotation)",
                       plan->actuators, plan->dofs);
    if ((st = check_order(plan, err)))
        return st;
    if (!(p->lever > 0 && isfinite(p->lever)))
        return yk_fail(err, YK_E_RANGE, "lever = %g m must be positive", p->lever);
    if (p->geometry == EXACT && !(p->radius > fabs(p->offset)))
        return yk_fail(err, YK_E_RANGE,
                       "radius = %g m must be larger than offset = %g m: with geometry: exact give the length of the "
                       "actuators at rest",
                       p->radius, p->offset);
    p->n = plan->dofs;
    p->e = 0.5 * p->lever;
    p->along = sqrt((p->radius - p->offset) * (p->radius + p->offset));
    return YK_OK;
}

static bool linear(const void *self)
{
    return ((const struct pair *)self)->geometry == LINEAR;
}

YK_RT static void strokes(const void *self, const double *u, double *s, double *J)
{
    const struct pair *p = self;
    const size_t n = p->n;

    memset(J, 0, n * n * sizeof *J);
    for (size_t k = 0; k < n; k += 2) {
        const double h = u[k], theta = u[k + 1], half = sin(0.5 * theta), sn = sin(theta), cs = 1 - 2 * half * half;
        const double y = p->offset + 2 * p->e * half * half; /* 1 - cos without cancellation */

        for (size_t i = k; i < k + 2; i++) {
            const double arm = i == k ? p->e : -p->e, x = p->along + h + arm * sn, length = sqrt(x * x + y * y);
            const bool bent = p->geometry == EXACT;

            s[i] = bent ? length - p->radius : h + arm * theta;
            J[i + k * n] = bent ? x / length : 1;
            J[i + (k + 1) * n] = bent ? (x * arm * cs + y * p->e * sn) / length : arm;
        }
    }
}

/* s'' = n . p'' + (|p'|^2 - s'^2)/|p|, n = p/|p|, with h'' = theta'' = 0 */
YK_RT static void curvature(const void *self, const double *u, const double *v, double *a)
{
    const struct pair *p = self;

    for (size_t i = 0; i < p->n; i++) {
        const size_t k = i - i % 2;
        const double arm = i % 2 ? -p->e : p->e, sn = sin(u[k + 1]), cs = cos(u[k + 1]), rate = v[k + 1];
        const double x = p->along + u[k] + arm * sn, y = p->offset + p->e * (1 - cs), length = sqrt(x * x + y * y);
        const double x1 = v[k] + arm * cs * rate, y1 = p->e * sn * rate;
        const double x2 = -arm * sn * rate * rate, y2 = p->e * cs * rate * rate;
        const double across = (x * y1 - y * x1) / length; /* |p'|^2 - s'^2 is its square */

        a[i] = (x * x2 + y * y2 + across * across) / length;
    }
}

static const struct yk_param params[] = {
    YK_REAL(struct pair, lever, YK_LENGTH, YK_REQUIRED, YK_TINY, 1e6, "distance between the two actuators of a mass"),
    YK_CHOICE(struct pair, geometry, "linear|exact", LINEAR,
              "linear: small rotations; exact: actuators that rotate about their pivots"),
    YK_REAL(struct pair, radius, YK_LENGTH, 0, 0, 1e6,
            YK_WHEN("geometry=exact", "with exact: distance from the fixed pivot of an actuator to the mass")),
    YK_REAL(
        struct pair, offset, YK_LENGTH, 0, -1e6, 1e6,
        YK_WHEN("geometry=exact", "with exact: distance by which each pivot is further out than the end of the lever")),
    YK_PARAM_END,
};

const struct yk_setup_ops yk_setup_pair = {
    .name = "pair",
    .summary = "two actuators on a mass that translates and rotates: mean and difference of their strokes",
    .reference = "docs/theory/test-rigs.md, eq. (2)-(5)",
    .params = params,
    .size = sizeof(struct pair),
    .init = init,
    .linear = linear,
    .strokes = strokes,
    .curvature = curvature,
};
