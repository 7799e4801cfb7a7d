/* LSRT3: three-stage Rosenbrock method. docs/theory/integrators.md, eq. (22), dense output eq. (26).
 *
 * gamma is a root of 6 g^3 - 18 g^2 + 9 g - 1 = 0; the middle one, 0.4358665, is L-stable. The other two are offered
 * for study: 0.1589839 is unstable on the imaginary axis and 2.4051496 weakly so. Order 3 with the exact Jacobian of
 * every step, order 2 with any other. */
#include "integrator/rosenbrock.h"

struct lsrt3 {
    struct yk_rosenbrock core;
    int gamma;
};

/* Newton's method on the cubic from a start close to the root. */
static double root(double g)
{
    for (int i = 0; i < 20; i++)
        g -= (((6 * g - 18) * g + 9) * g - 1) / ((18 * g - 36) * g + 9);
    return g;
}

YK_RT static void weights(const struct yk_rosenbrock_tableau *tableau, double xi, double *b, double *db)
{
    const double g = tableau->gamma, d = 4 - 8 * g;

    b[0] = (4 - 2 * g - 3 * xi) * xi / d;
    b[1] = 0;
    b[2] = (3 * xi - 6 * g) * xi / d;
    db[0] = (4 - 2 * g - 6 * xi) / d;
    db[1] = 0;
    db[2] = (6 * xi - 6 * g) / d;
}

static enum yk_status init(void *self, struct yk_system *system, double dt, struct yk_arena *mem, struct yk_err *err)
{
    struct lsrt3 *s = self;
    const double g = root((double[]){0.4358665, 0.158984, 2.40515}[s->gamma]);

    s->core.tableau = (struct yk_rosenbrock_tableau){
        .stages = 3,
        .gamma = g,
        .alpha = {{0}, {1.0 / 3}, {1.0 / 3, 1.0 / 3}},
        .gamma_ij = {{0}, {g * (1 - 2 * g) / (3 * g - 1)}, {(2 * g - 1) / 3, 1.0 / 3 - 2 * g}},
        .b = {0.25, 0, 0.75},
    };
    s->core.weights = weights;
    return yk_rosenbrock_init(&s->core, system, dt, mem, err);
}

static const struct yk_param params[] = {
    YK_CHOICE(struct lsrt3, gamma, "middle|small|large", 0,
              "root of the order condition; only the middle one is stable"),
    YK_ROSENBROCK_JACOBIAN,
    YK_PARAM_END,
};

const struct yk_integrator_ops yk_integrator_lsrt3 = {
    .name = "lsrt3",
    .summary = "three-stage Rosenbrock method, L-stable, exact Jacobian for order 3",
    .reference = "Bursi et al. 2008",
    .order = 3,
    .stages = 3,
    .params = params,
    .size = sizeof(struct lsrt3),
    .init = init,
    YK_ROSENBROCK_FUNCTIONS,
};
