/* LSRT2: two-stage Rosenbrock method. docs/theory/integrators.md, eq. (21), dense output eq. (25).
 *
 *     alpha_21 = 1/(2 b2),   gamma_21 = -gamma/b2,   b = (1 - b2, b2)
 *
 * Order 2 for any matrix used as Jacobian; L-stable for gamma = 1 -/+ sqrt(2)/2, conservative for 1/4 and 1/2, unstable
 * below 1/4. b2 = 1 makes equal stages; b2 = 2 makes the first stage a quarter of the step. */
#include "integrator/rosenbrock.h"

struct lsrt2 {
    struct yk_rosenbrock core;
    double gamma, b2;
};

/* eq. (25) for equal stages; for another b2 the slopes are exchanged into the pair (k1, k2') with y1 = y + k2' */
YK_RT static void weights(const struct yk_rosenbrock_tableau *tableau, double xi, double *b, double *db)
{
    const double d = 1 - 2 * tableau->gamma, b2 = tableau->b[1];
    const double e1 = (1 - xi) * xi / d, e2 = (xi - 2 * tableau->gamma) * xi / d;
    const double de1 = (1 - 2 * xi) / d, de2 = (2 * xi - 2 * tableau->gamma) / d;

    b[0] = e1 + (1 - b2) * e2;
    b[1] = b2 * e2;
    db[0] = de1 + (1 - b2) * de2;
    db[1] = b2 * de2;
}

static enum yk_status init(void *self, struct yk_system *system, double dt, struct yk_arena *mem, struct yk_err *err)
{
    struct lsrt2 *s = self;

    s->core.tableau = (struct yk_rosenbrock_tableau){
        .stages = 2,
        .gamma = s->gamma,
        .alpha = {{0}, {1 / (2 * s->b2)}},
        .gamma_ij = {{0}, {-s->gamma / s->b2}},
        .b = {1 - s->b2, s->b2},
    };
    s->core.weights = weights;
    return yk_rosenbrock_init(&s->core, system, dt, mem, err);
}

static const struct yk_param params[] = {
    YK_REAL(struct lsrt2, gamma, YK_NUMBER, 0.29289321881345254, 0.25, 10,
            "diagonal coefficient: 1 - sqrt(2)/2 or 1 + sqrt(2)/2 are L-stable, 1/4 and 1/2 conserve energy"),
    YK_REAL(struct lsrt2, b2, YK_NUMBER, 1, 0.5, 10,
            "weight of the second slope: 1 equal stages, 2 a short first stage"),
    YK_ROSENBROCK_JACOBIAN,
    YK_PARAM_END,
};

const struct yk_integrator_ops yk_integrator_lsrt2 = {
    .name = "lsrt2",
    .summary = "two-stage Rosenbrock method, L-stable, any Jacobian",
    .reference = "Bursi et al. 2008",
    .order = 2,
    .stages = 2,
    .params = params,
    .size = sizeof(struct lsrt2),
    .init = init,
    YK_ROSENBROCK_FUNCTIONS,
};
