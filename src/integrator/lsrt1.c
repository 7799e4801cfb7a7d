/* LSRT1: one-stage Rosenbrock method. docs/theory/integrators.md, eq. (20). Order 1 (2 for gamma = 1/2 in linear
 * problems); A-stable for gamma >= 1/2, L-stable for gamma = 1. */
#include "integrator/rosenbrock.h"

struct lsrt1 {
    struct yk_rosenbrock core;
    double gamma;
};

/* The chord: y + xi k1 */
YK_RT static void weights(const struct yk_rosenbrock_tableau *tableau, double xi, double *b, double *db)
{
    b[0] = xi;
    db[0] = 1;
}

static enum yk_status init(void *self, struct yk_system *system, double dt, struct yk_arena *mem, struct yk_err *err)
{
    struct lsrt1 *s = self;

    s->core.tableau = (struct yk_rosenbrock_tableau){.stages = 1, .gamma = s->gamma, .b = {1}};
    s->core.weights = weights;
    return yk_rosenbrock_init(&s->core, system, dt, mem, err);
}

static const struct yk_param params[] = {
    YK_REAL(struct lsrt1, gamma, YK_NUMBER, 1, 0.5, 10,
            "diagonal coefficient: 1 is L-stable, 1/2 the trapezoidal rule"),
    YK_ROSENBROCK_JACOBIAN,
    YK_PARAM_END,
};

const struct yk_integrator_ops yk_integrator_lsrt1 = {
    .name = "lsrt1",
    .summary = "one-stage Rosenbrock method, L-stable",
    .reference = "Bursi et al. 2008",
    .order = 1,
    .stages = 1,
    .params = params,
    .size = sizeof(struct lsrt1),
    .init = init,
    YK_ROSENBROCK_FUNCTIONS,
};
