/* One actuator of the TT1 rig: ball screw, brushless motor, drive with a speed loop, inner displacement loop.
 * docs/theory/control.md, eq. (10)-(13). Units: m, rad, s, N, N m.
 *
 * `measured` is the transfer function identified on the rig, eq. (10), exact for a held command; the specimen does not
 * act back. `loops` is the cascade behind it, with the limits of speed and torque and the specimen as a load on the
 * motor, by Runge-Kutta substeps. Within its limits and unloaded it agrees with `measured` to the rounding of the
 * identified numbers. The static gain acts on the command, so that x is the travel of the screw, which does the work.
 */
#include "rig/virtual/plant/runge_kutta.h"
#include "transfer/dynamics.h"

#define TWO_PI 6.283185307179586

enum { MEASURED, LOOPS };

struct tt1 {
    int model;
    double gain, dead_time;
    double T1, T2;                                                     /* measured */
    double speed_time, inner_gain, lead, inertia, viscous, efficiency; /* loops */
    double speed_limit, torque_limit;
    /* private */
    struct yk_second_order_plant plant;
    struct yk_delay_line line;
    double h, ratio; /* ratio: m per rad */
    double held, load;
    double x[2]; /* travel, motor speed */
    int substeps[2];
};

YK_RT static double clip(double x, double limit)
{
    return fmax(-limit, fmin(x, limit));
}

/* eq. (11)-(13): inner loop, speed loop, motor */
YK_RT static void rate(const void *plant, const double *x, double *dx)
{
    const struct tt1 *s = plant;
    const double demand = clip(s->inner_gain * (s->gain * s->held - x[0]) / s->ratio, s->speed_limit);
    const double gain = s->inertia / s->speed_time - s->viscous;
    const double torque = clip(gain * demand - gain * x[1], s->torque_limit);

    dx[0] = s->ratio * x[1];
    dx[1] = (torque - s->load - s->viscous * x[1]) / s->inertia;
}

static enum yk_status init_loops(struct tt1 *s, double h, struct yk_arena *mem, struct yk_err *err)
{
    const double fastest = 1 / s->speed_time + s->inner_gain;
    enum yk_status st;

    if (!(s->viscous * s->speed_time < s->inertia))
        return yk_fail(err, YK_E_RANGE, "tt1: viscous = %g N m s is not below inertia/speed_time = %g N m s",
                       s->viscous, s->inertia / s->speed_time);
    if ((st = yk_delay_line_init(&s->line, s->dead_time, h, mem, err)))
        return st;
    s->ratio = s->lead / TWO_PI;
    if ((st = yk_rk4_substeps(s->line.rest * h, fastest, "tt1", &s->substeps[0], err)))
        return st;
    return yk_rk4_substeps((1 - s->line.rest) * h, fastest, "tt1", &s->substeps[1], err);
}

YK_RT static void reset(void *self, double x0)
{
    struct tt1 *s = self;

    if (s->model == MEASURED) {
        yk_second_order_reset(&s->plant, x0);
        return;
    }
    s->x[0] = x0;
    s->x[1] = 0;
    yk_delay_line_reset(&s->line, x0 / s->gain);
}

static enum yk_status init(void *self, double h, struct yk_arena *mem, struct yk_err *err)
{
    struct tt1 *s = self;
    const struct yk_second_order model = yk_second_order_lags(s->gain, s->T1, s->T2, s->dead_time);
    enum yk_status st = yk_tick_check(h, "tt1", err);

    s->h = h;
    if (!st)
        st = s->model == MEASURED ? yk_second_order_init(&s->plant, &model, h, mem, err) : init_loops(s, h, mem, err);
    if (!st)
        reset(s, 0);
    return st;
}

/* The command of `age` ticks ago is held for the time t. */
YK_RT static void run(struct tt1 *s, size_t age, double t, int substeps)
{
    s->held = yk_delay_line_get(&s->line, age);
    for (int i = 0; i < substeps && t > 0; i++)
        yk_rk4(s, rate, 2, s->x, t / substeps);
}

YK_RT static void step_loops(struct tt1 *s, double u, double force, struct yk_plant_output *out)
{
    double dx[2];

    s->load = force * s->ratio / s->efficiency;
    yk_delay_line_push(&s->line, u);
    run(s, s->line.whole + 1, s->line.rest * s->h, s->substeps[0]);
    run(s, s->line.whole, (1 - s->line.rest) * s->h, s->substeps[1]);
    rate(s, s->x, dx);
    out->x = s->x[0];
    out->v = dx[0];
    out->a = s->ratio * dx[1];
}

YK_RT static void step(void *self, double u, double force, struct yk_plant_output *out)
{
    struct tt1 *s = self;

    if (s->model == MEASURED)
        yk_second_order_step(&s->plant, u, out);
    else
        step_loops(s, u, force, out);
}

static bool yields(const void *self)
{
    return ((const struct tt1 *)self)->model == LOOPS;
}

static const struct yk_param params[] = {
    YK_CHOICE(struct tt1, model, "measured|loops", MEASURED, "identified transfer function, or its three loops"),
    YK_REAL(struct tt1, gain, YK_NUMBER, 0.9868, 1e-6, 1e6, "static gain"),
    YK_REAL(struct tt1, dead_time, YK_TIME, 0.009331, 0, 100, "dead time before the motion begins"),
    YK_REAL(struct tt1, T1, YK_TIME, 0.05397, 1e-9, 1e6,
            YK_WHEN("model=measured", "measured: time constant of one lag")),
    YK_REAL(struct tt1, T2, YK_TIME, 0.005014, 1e-9, 1e6,
            YK_WHEN("model=measured", "measured: time constant of the other")),
    YK_REAL(struct tt1, speed_time, YK_TIME, 0.004588, 1e-9, 1e6,
            YK_WHEN("model=loops", "loops: time constant of the speed loop")),
    YK_REAL(struct tt1, inner_gain, YK_PER_TIME, 16.954, 1e-6, 1e9,
            YK_WHEN("model=loops", "loops: speed per displacement error")),
    YK_REAL(struct tt1, lead, YK_LENGTH, 0.010, 1e-9, 10,
            YK_WHEN("model=loops", "loops: travel of the screw per turn")),
    YK_REAL(struct tt1, inertia, YK_INERTIA, 0.403e-3, 1e-12, 1e9,
            YK_WHEN("model=loops", "loops: moment of inertia of motor and screw, kg m2")),
    YK_REAL(struct tt1, viscous, YK_TURN_DAMPING, 0, 0, 1e9,
            YK_WHEN("model=loops", "loops: friction torque per speed of the motor, N m s")),
    YK_REAL(struct tt1, efficiency, YK_NUMBER, 1, 0.01, 1,
            YK_WHEN("model=loops", "loops: efficiency of the screw under the force of the specimen")),
    YK_REAL(struct tt1, speed_limit, YK_TURN_RATE, 314, 1e-9, 1e12,
            YK_WHEN("model=loops", "loops: largest speed of the motor, rad/s")),
    YK_REAL(struct tt1, torque_limit, YK_MOMENT, 4.00, 1e-9, 1e12,
            YK_WHEN("model=loops", "loops: largest torque of the motor, N m")),
    YK_PARAM_END,
};

const struct yk_plant_ops yk_plant_tt1 = {
    .name = "tt1",
    .summary = "electro-mechanical actuator of the TT1 rig",
    .reference = "identified on the rig, University of Trento",
    .params = params,
    .size = sizeof(struct tt1),
    .init = init,
    .reset = reset,
    .step = step,
    .yields = yields,
};
