/* Electro-mechanical actuator by its data sheet: motor, screw, speed loop of the drive, position loop.
 * docs/theory/control.md, eq. (16l)-(16p). Linear until current, voltage or stroke limit it. Units: N, m, s, rad, A, V.
 */
#include "rig/virtual/plant/linear.h"
#include "rig/virtual/plant/runge_kutta.h"
#include "transfer/dynamics.h"

#define TWO_PI 6.283185307179586
#define CREEP  0.01 /* of the largest speed, below which friction fades */

struct electric {
    double motor_constant, screw, inertia, current_limit, voltage, resistance, stroke;
    double mass, load_mass, efficiency, friction, viscous, speed_bandwidth, loop_gain;
    /* private */
    double h, ratio, J, fastest, speed_w, creep; /* ratio: m per rad; fastest: rad/s */
    double command, load, accelerated;
    int substeps;
    double x[2]; /* displacement, speed of the motor */
};

YK_RT static double clip(double x, double limit)
{
    return fmax(-limit, fmin(x, limit));
}

/* eq. (16n): the largest current in the direction of `sign`. */
YK_RT static double largest_current(const struct electric *s, double w, double sign)
{
    return fmax(0, fmin(s->current_limit, (s->voltage - sign * s->motor_constant * w) / s->resistance));
}

/* eq. (16l), (16m) */
YK_RT static double current_of(const struct electric *s, const double *x)
{
    const double wanted = s->loop_gain * (s->command - x[0]) / s->ratio,
                 current = s->J * s->speed_w * (wanted - x[1]) / s->motor_constant, sign = current < 0 ? -1 : 1;

    return clip(current, largest_current(s, x[1], sign));
}

YK_RT static void rate(const void *plant, const double *x, double *dx)
{
    const struct electric *s = plant;
    const double v = s->ratio * x[1],
                 force = s->load + s->friction * v / sqrt(v * v + s->creep * s->creep) + s->viscous * v;

    dx[0] = v;
    dx[1] = (s->motor_constant * current_of(s, x) - force * s->ratio / s->efficiency) / s->J;
}

YK_RT static void reset(void *self, double x0)
{
    struct electric *s = self;

    s->x[0] = x0;
    s->x[1] = s->accelerated = 0;
}

static enum yk_status init(void *self, double h, struct yk_arena *mem, struct yk_err *err)
{
    struct electric *s = self;
    enum yk_status st = yk_tick_check(h, "electric", err);

    if (st)
        return st;
    s->h = h;
    s->ratio = s->screw / TWO_PI;
    s->J = s->inertia + (s->mass + s->load_mass) * s->ratio * s->ratio / s->efficiency;
    s->fastest = s->voltage / s->motor_constant;
    s->speed_w = TWO_PI * s->speed_bandwidth;
    s->loop_gain = s->loop_gain > 0 ? s->loop_gain : 0.25 * s->speed_w;
    s->creep = CREEP * s->ratio * s->fastest;
    const double drag = (s->viscous + s->friction / s->creep) * s->ratio * s->ratio / (s->efficiency * s->J);

    const double winding = s->motor_constant * s->motor_constant / (s->resistance * s->J);

    if ((st = yk_rk4_substeps(h, fmax(s->speed_w + s->loop_gain, winding) + drag, "electric", &s->substeps, err)))
        return st;
    reset(s, 0);
    return YK_OK;
}

/* The force of a specimen with mass is that of the tick before; `load_mass` follows at once instead. */
YK_RT static void step(void *self, double u, double force, struct yk_plant_output *out)
{
    struct electric *s = self;
    double dx[2];

    s->command = u;
    s->load = force - s->load_mass * s->accelerated;
    for (int i = 0; i < s->substeps; i++) {
        yk_rk4(s, rate, 2, s->x, s->h / s->substeps);
        if (fabs(s->x[0]) > s->stroke) { /* the stops take the speed */
            s->x[0] = copysign(s->stroke, s->x[0]);
            s->x[1] = s->x[0] > 0 ? fmin(s->x[1], 0) : fmax(s->x[1], 0);
        }
    }
    rate(s, s->x, dx);
    s->accelerated = s->ratio * dx[1];
    *out = (struct yk_plant_output){s->x[0], dx[0], s->accelerated};
}

static bool yields(const void *self)
{
    (void)self;
    return true;
}

static double stall_of(const struct electric *s)
{
    return s->motor_constant * fmin(s->current_limit, s->voltage / s->resistance) * s->efficiency / s->ratio;
}

YK_RT static void use(const void *self, struct yk_actuator_use *use)
{
    const struct electric *s = self;
    const double current = current_of(s, s->x), stall = stall_of(s),
                 most = largest_current(s, s->x[1], current < 0 ? -1 : 1);

    *use = (struct yk_actuator_use){
        .share = {[YK_USE_STROKE] = fabs(s->x[0]) / s->stroke,
                  [YK_USE_SPEED] = fabs(s->x[1]) / s->fastest,
                  [YK_USE_FORCE] = fabs(s->load) / stall,
                  [YK_USE_VALVE] = most > 0 ? fabs(current) / most : 1},
        .capacity = {[YK_USE_STROKE] = s->stroke,
                     [YK_USE_SPEED] = s->ratio * s->fastest,
                     [YK_USE_FORCE] = stall,
                     [YK_USE_VALVE] = 1},
    };
}

/* eq. (16o), (16p) */
static void sheet(const void *self, struct yk_plant_sheet *sheet)
{
    const struct electric *s = self;
    const double drag = s->viscous * s->ratio * s->ratio / (s->efficiency * s->J), drive = s->loop_gain * s->speed_w,
                 num[] = {drive, 0}, den[] = {drive, s->speed_w + drag, 1};

    *sheet = (struct yk_plant_sheet){.delay_s = yk_linear_delay(num, den),
                                     .bandwidth_Hz = yk_linear_bandwidth(num, 0, den, 2),
                                     .column_Hz = NAN,
                                     .area = NAN,
                                     .stroke = s->stroke,
                                     .force = stall_of(s),
                                     .mass = s->J * s->efficiency / (s->ratio * s->ratio),
                                     .load_mass = s->load_mass};
    for (int i = 0; i < YK_SHEET_POINTS; i++) {
        const double current =
            sheet->force * i / (YK_SHEET_POINTS - 1) * s->ratio / (s->efficiency * s->motor_constant);

        sheet->speed[i] = s->ratio * fmax(0, s->voltage - s->resistance * current) / s->motor_constant;
    }
}

static const struct yk_param params[] = {
    YK_REAL(struct electric, motor_constant, YK_FORCE_GAIN, YK_REQUIRED, 1e-9, 1e6,
            "torque for an ampere, N m/A; also the voltage for a speed of 1 rad/s"),
    YK_REAL(struct electric, screw, YK_LENGTH, YK_REQUIRED, 1e-6, 10, "travel for a turn of the motor"),
    YK_REAL(struct electric, inertia, YK_INERTIA, YK_REQUIRED, 1e-12, 1e6, "of motor, coupling and screw"),
    YK_REAL(struct electric, current_limit, YK_NUMBER, YK_REQUIRED, 1e-6, 1e6, "largest current, A"),
    YK_REAL(struct electric, voltage, YK_NUMBER, YK_REQUIRED, 1e-3, 1e6, "largest voltage at the motor, V"),
    YK_REAL(struct electric, resistance, YK_NUMBER, YK_REQUIRED, 1e-6, 1e6, "of the winding, Ohm"),
    YK_REAL(struct electric, stroke, YK_LENGTH, YK_REQUIRED, 1e-6, 100, "travel to either side of the middle"),
    YK_REAL(struct electric, mass, YK_PLAIN_MASS, 0, 0, 1e9, "rod, nut and what is bolted to them"),
    YK_REAL(
        struct electric, load_mass, YK_PLAIN_MASS, 0, 0, 1e12,
        "mass of the specimen that moves with the rod: necessary if it is not much smaller than that of motor and rod"),
    YK_REAL(struct electric, efficiency, YK_NUMBER, 0.9, 0.01, 1, "of the screw"),
    YK_REAL(struct electric, friction, YK_PLAIN_FORCE, 0, 0, 1e12, "friction of screw and guides"),
    YK_REAL(struct electric, viscous, YK_PLAIN_DAMPING, 0, 0, 1e12, "viscous friction of screw and guides"),
    YK_REAL(struct electric, speed_bandwidth, YK_FREQUENCY, 40, 0.01, 1e5, "of the speed loop of the drive"),
    YK_REAL(struct electric, loop_gain, YK_PER_TIME, 0, 0, 1e6,
            "speed for an error of the position; 0: a quarter of 2 pi speed_bandwidth, without overshoot"),
    YK_PARAM_END,
};

const struct yk_plant_ops yk_plant_electric = {
    .name = "electric",
    .summary = "electro-mechanical actuator by its data sheet: motor, screw, drive, position loop",
    .reference = "Leonhard, Control of Electrical Drives, 2001",
    .params = params,
    .size = sizeof(struct electric),
    .init = init,
    .reset = reset,
    .step = step,
    .yields = yields,
    .use = use,
    .sheet = sheet,
};
