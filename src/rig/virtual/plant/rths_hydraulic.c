/* Servo-hydraulic actuator with natural velocity feedback: valve of second order, oil column, moving mass; linear but
 * for its force limit. `hydraulic` is one by its data sheet. docs/theory/control.md, eq. (14)-(16). Defaults are the
 * nominal plant of the benchmark of real-time hybrid simulation with its specimen inside: with `specimen: inside` mass,
 * damping and stiffness are those of piston and specimen together, and the force of the specimen does not act a second
 * time; with `apart` they are those of the piston alone. Runge-Kutta substeps, because the force saturates. Units: N,
 * m, s. */
#include "rig/virtual/plant/linear.h"
#include "rig/virtual/plant/runge_kutta.h"
#include "transfer/dynamics.h"

enum { APART, INSIDE };

struct hydraulic {
    double gain, valve, velocity_feedback, leakage, beta1, beta2;
    double mass, damping, stiffness, force_limit;
    int specimen;
    /* private */
    double h, command, load;
    int substeps;
    double x[5]; /* valve output, its rate, force of the oil, displacement, velocity */
};

/* eq. (14)-(16) */
YK_RT static void rate(const void *plant, const double *x, double *dx)
{
    const struct hydraulic *s = plant;
    const double force = fmax(-s->force_limit, fmin(x[2], s->force_limit));

    dx[0] = x[1];
    dx[1] = s->valve * (s->gain * s->command - x[3]) - s->beta1 * x[1] - s->beta2 * x[0];
    dx[2] = x[0] - s->velocity_feedback * x[4] - s->leakage * x[2];
    dx[3] = x[4];
    dx[4] = (force - s->load - s->damping * x[4] - s->stiffness * x[3]) / s->mass;
}

/* At rest: the force carries the spring, the valve feeds the leakage. */
YK_RT static void reset(void *self, double x0)
{
    struct hydraulic *s = self;
    const double force = s->stiffness * x0;

    s->x[0] = s->leakage * force;
    s->x[1] = 0;
    s->x[2] = force;
    s->x[3] = x0;
    s->x[4] = 0;
}

/* Is every pole of (s^2 + beta1 s + beta2) (m s^3 + (c + a3 m) s^2 + (k + a3 c + a2) s + a3 k) + valve on the left?
 * That is (14)-(16) without limit and load. */
static bool is_stable(const struct hydraulic *s)
{
    const double P[] = {s->beta2, s->beta1, 1},
                 Q[] = {s->leakage * s->stiffness, s->stiffness + s->leakage * s->damping + s->velocity_feedback,
                        s->damping + s->leakage * s->mass, s->mass};
    double p[6] = {s->valve};

    yk_linear_multiply(P, 2, Q, 3, p);
    return yk_linear_is_stable(p, 5);
}

static enum yk_status init(void *self, double h, struct yk_arena *mem, struct yk_err *err)
{
    struct hydraulic *s = self;
    const double body = sqrt((s->stiffness + s->velocity_feedback) / s->mass) + s->damping / s->mass;
    const double fastest = fmax(body, fmax(sqrt(s->beta2), s->beta1)) + s->leakage;
    enum yk_status st = yk_tick_check(h, "rths-hydraulic", err);

    s->h = h;
    if (!st && !is_stable(s))
        st = yk_fail(
            err, YK_E_RANGE,
            "rths-hydraulic: the actuator oscillates by itself: valve = %g N/(m s3) is too large for beta1, beta2, "
            "velocity_feedback and the mass; lower it",
            s->valve);
    if (st || (st = yk_rk4_substeps(h, fastest, "rths-hydraulic", &s->substeps, err)))
        return st;
    reset(s, 0);
    return YK_OK;
}

YK_RT static void step(void *self, double u, double force, struct yk_plant_output *out)
{
    struct hydraulic *s = self;
    double dx[5];

    s->command = u;
    s->load = s->specimen == APART ? force : 0;
    for (int i = 0; i < s->substeps; i++)
        yk_rk4(s, rate, 5, s->x, s->h / s->substeps);
    rate(s, s->x, dx);
    *out = (struct yk_plant_output){s->x[3], s->x[4], dx[4]};
}

static bool yields(const void *self)
{
    return ((const struct hydraulic *)self)->specimen == APART;
}

YK_RT static void use(const void *self, struct yk_actuator_use *use)
{
    const struct hydraulic *s = self;

    use->share[YK_USE_FORCE] = fabs(s->x[2]) / s->force_limit;
    use->capacity[YK_USE_FORCE] = s->force_limit;
}

static const struct yk_param params[] = {
    YK_REAL(struct hydraulic, gain, YK_NUMBER, 1.0261, 1e-6, 1e6, "gain of the command"),
    YK_REAL(struct hydraulic, valve, YK_NUMBER, 2.1283e13, YK_TINY, 1e300, "a1 beta0 of the valve, N/(m s3)"),
    YK_REAL(struct hydraulic, velocity_feedback, YK_STIFFNESS, 4.2297e6, 0, 1e15,
            "a2: force lost per second and velocity of the piston"),
    YK_REAL(struct hydraulic, leakage, YK_PER_TIME, 3.3, 0, 1e9, "a3: part of the force lost per second"),
    YK_REAL(struct hydraulic, beta1, YK_PER_TIME, 425, 0, 1e9, "damping of the valve"),
    YK_REAL(struct hydraulic, beta2, YK_NUMBER, 9.9976e4, YK_TINY, 1e18, "square of the valve's frequency, 1/s2"),
    YK_REAL(struct hydraulic, mass, YK_MASS, 29.13, 1e-9, 1e12, "moving mass"),
    YK_REAL(struct hydraulic, damping, YK_DAMPING, 114.22, 0, 1e15, "damping of the moving mass"),
    YK_REAL(struct hydraulic, stiffness, YK_STIFFNESS, 1.19e6, 0, 1e15, "stiffness that resists the moving mass"),
    YK_REAL(struct hydraulic, force_limit, YK_FORCE, 8900, YK_TINY, 1e15, "largest force of the actuator"),
    YK_CHOICE(struct hydraulic, specimen, "apart|inside", APART,
              "do mass, damping and stiffness contain those of the specimen?"),
    YK_PARAM_END,
};

const struct yk_plant_ops yk_plant_rths_hydraulic = {
    .name = "rths-hydraulic",
    .summary = "servo-hydraulic actuator of a benchmark problem: 8.9 kN, about 25 ms late",
    .reference = "Dyke, Spencer, Quast and Sain 1995; Silva, Gomez, Maghareh, Dyke and Spencer 2020",
    .params = params,
    .size = sizeof(struct hydraulic),
    .init = init,
    .reset = reset,
    .step = step,
    .yields = yields,
    .use = use,
};
