/* Strokes by any matrix, s = T u. docs/theory/test-rigs.md, eq. (1). Without rows T is the identity: one actuator for
 * each degree of freedom. Units: m, and m/rad in the columns of rotations. */
#include "transfer/setup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct matrix {
    size_t actuators, dofs;
    double *T; /* actuators x dofs */
};

static enum yk_status check_rows(const struct yk_setup_plan *plan, struct yk_err *err)
{
    for (size_t i = 0; i < plan->actuators; i++) {
        double most = 0;

        for (size_t j = 0; j < plan->dofs; j++) {
            const double x = plan->rows[i + j * plan->actuators];

            if (!isfinite(x))
                return yk_fail(err, YK_E_INPUT, "rows: the coefficient of %s for %s is not a finite number",
                               plan->dof_names[j], plan->actuator_names[i]);
            most = fmax(most, fabs(x));
        }
        if (!(most > 0))
            return yk_fail(err, YK_E_INPUT, "rows: no degree of freedom moves %s: its row is zero",
                           plan->actuator_names[i]);
    }
    return YK_OK;
}

static enum yk_status init(void *self, const struct yk_setup_plan *plan, struct yk_err *err)
{
    struct matrix *m = self;
    const size_t bytes = plan->actuators * plan->dofs * sizeof *m->T;
    enum yk_status st;

    if (!plan->rows && plan->actuators != plan->dofs)
        return yk_fail(err, YK_E_INPUT,
                       "%zu actuators for %zu degrees of freedom: describe in `rows` how they are connected",
                       plan->actuators, plan->dofs);
    if (plan->rows && (st = check_rows(plan, err)))
        return st;
    if (!(m->T = calloc(1, bytes)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    m->actuators = plan->actuators;
    m->dofs = plan->dofs;
    if (plan->rows)
        memcpy(m->T, plan->rows, bytes);
    for (size_t i = 0; !plan->rows && i < m->dofs; i++)
        m->T[i + i * m->dofs] = 1;
    return YK_OK;
}

static void fini(void *self)
{
    free(((struct matrix *)self)->T);
}

YK_RT static void strokes(const void *self, const double *u, double *s, double *J)
{
    const struct matrix *m = self;

    memcpy(J, m->T, m->actuators * m->dofs * sizeof *J);
    for (size_t i = 0; i < m->actuators; i++) {
        s[i] = 0;
        for (size_t j = 0; j < m->dofs; j++)
            s[i] += m->T[i + j * m->actuators] * u[j];
    }
}

static const struct yk_param params[] = {
    YK_NODE("rows", "map of actuator to map of degree of freedom to number", 0,
            "stroke per unit of each degree of freedom, zero if not named; default: one actuator for each"),
    YK_PARAM_END,
};

const struct yk_setup_ops yk_setup_matrix = {
    .name = "matrix",
    .summary =
        "strokes are linear combinations of the degrees of freedom; by default each stroke is one degree of freedom",
    .reference = "docs/theory/test-rigs.md, eq. (1)",
    .params = params,
    .size = sizeof(struct matrix),
    .init = init,
    .fini = fini,
    .strokes = strokes,
};
