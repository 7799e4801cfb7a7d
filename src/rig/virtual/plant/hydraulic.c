/* Servo-hydraulic actuator by its data sheet: double-rod piston, symmetric four-way valve, position loop.
 * docs/theory/control.md, eq. (16c)-(16k). Linear only near rest: the flow of the valve falls with the load, the valve
 * opens no further than fully, the piston ends at its stops. Units: N, m, s, Pa, m3. */
#include "rig/virtual/plant/linear.h"
#include "rig/virtual/plant/runge_kutta.h"
#include "transfer/dynamics.h"

#define TWO_PI  6.283185307179586
#define DEAD    1.1  /* oil volume over the one that the piston sweeps */
#define RESERVE 0.4  /* default loop gain over the largest one */
#define CORNER  0.1  /* of the cross-port damper, over the frequency of the oil column */
#define CREEP   0.01 /* of the largest speed, below which friction fades */

struct hydraulic {
    double area, stroke, supply, valve_flow, valve_drop, valve_bandwidth, valve_damping;
    double oil_volume, bulk_modulus, oil_damping, leakage, piston_mass, load_mass, friction, viscous, loop_gain;
    /* private */
    double h, mass, B, column, open_flow, leak, cross, corner, valve_w, gain, creep;
    double command, load, accelerated;
    int substeps;
    double x[6]; /* displacement, velocity, load pressure, slow part of it, valve opening, its rate */
};
enum { X, V, P, P_SLOW, Y, Y_RATE, STATES };

/* eq. (16e) */
YK_RT static double flow_of(const struct hydraulic *s, double y, double pressure)
{
    const double drop = s->supply - (y > 0 ? pressure : -pressure);

    return s->valve_flow * y * copysign(sqrt(fabs(drop) / s->valve_drop), drop);
}

YK_RT static double friction_of(const struct hydraulic *s, double v)
{
    return s->friction * v / sqrt(v * v + s->creep * s->creep) + s->viscous * v;
}

YK_RT static double clip(double x, double limit)
{
    return fmax(-limit, fmin(x, limit));
}

/* eq. (16c)-(16g) */
YK_RT static void rate(const void *plant, const double *x, double *dx)
{
    const struct hydraulic *s = plant;
    const double opening = clip(s->gain * (s->command - x[X]), 1), lost = s->cross * (x[P] - x[P_SLOW]);

    dx[X] = x[V];
    dx[V] = (s->area * x[P] - s->load - friction_of(s, x[V])) / s->mass;
    dx[P] = s->B * (flow_of(s, clip(x[Y], 1), x[P]) - s->area * x[V] - s->leak * x[P] - lost);
    dx[P_SLOW] = s->corner * (x[P] - x[P_SLOW]);
    dx[Y] = x[Y_RATE];
    dx[Y_RATE] = s->valve_w * (s->valve_w * (opening - x[Y]) - 2 * s->valve_damping * x[Y_RATE]);
}

YK_RT static void reset(void *self, double x0)
{
    struct hydraulic *s = self;

    for (int i = 0; i < STATES; i++)
        s->x[i] = 0;
    s->x[X] = x0;
    s->accelerated = 0;
}

/* eq. (16h): X/U near rest is num/den. */
static void linearise(const struct hydraulic *s, double *num, double *den)
{
    const double w = s->valve_w, drive = s->B * s->area * w * w * s->loop_gain, f = s->corner,
                 valve[] = {w * w, 2 * s->valve_damping * w, 1},
                 oil[] = {s->B * s->leak * f, f + s->B * (s->leak + s->cross), 1},
                 body[] = {0, s->viscous / s->area, s->mass / s->area};
    double column[5] = {0, s->B * s->area * f, s->B * s->area};

    yk_linear_multiply(oil, 2, body, 2, column);
    num[0] = den[0] = drive * f;
    num[1] = den[1] = drive;
    yk_linear_multiply(valve, 2, column, 4, den);
}

/* eq. (16d), (16i): from the data sheet to the coefficients. */
static void prepare(struct hydraulic *s)
{
    s->mass = s->piston_mass + s->load_mass;
    s->oil_volume = s->oil_volume > 0 ? s->oil_volume : DEAD * 2 * s->area * s->stroke;
    s->B = 4 * s->bulk_modulus / s->oil_volume;
    s->column = s->area * sqrt(s->B / s->mass);
    s->open_flow = s->valve_flow * sqrt(s->supply / s->valve_drop);
    s->leak = s->leakage / s->supply;
    s->cross = 2 * s->oil_damping * s->column / s->B;
    s->corner = CORNER * s->column;
    s->valve_w = TWO_PI * s->valve_bandwidth;
    s->creep = CREEP * s->open_flow / s->area;
    if (!(s->loop_gain > 0))
        s->loop_gain = RESERVE / (1 / (2 * s->oil_damping * s->column) + 1 / (2 * s->valve_damping * s->valve_w));
    s->gain = s->loop_gain * s->area / s->open_flow;
}

static enum yk_status init(void *self, double h, struct yk_arena *mem, struct yk_err *err)
{
    struct hydraulic *s = self;
    double num[2] = {0}, den[7] = {0};
    enum yk_status st = yk_tick_check(h, "hydraulic", err);

    if (st)
        return st;
    s->h = h;
    prepare(s);
    const double fastest =
        s->column + s->B * (s->leak + s->cross) + s->valve_w + (s->viscous + s->friction / s->creep) / s->mass;

    linearise(s, num, den);
    if (!yk_linear_is_stable(den, 6))
        return yk_fail(err, YK_E_RANGE,
                       "hydraulic: the actuator oscillates by itself: loop_gain = %g 1/s is too large for the valve "
                       "(%g Hz) and the oil column (%.3g Hz, damping %g); lower it, or leave it out",
                       s->loop_gain, s->valve_bandwidth, s->column / TWO_PI, s->oil_damping);
    if ((st = yk_rk4_substeps(h, fastest, "hydraulic", &s->substeps, err)))
        return st;
    reset(s, 0);
    return YK_OK;
}

/* The stops take the speed. */
YK_RT static void stop(struct hydraulic *s)
{
    if (fabs(s->x[X]) <= s->stroke)
        return;
    s->x[X] = copysign(s->stroke, s->x[X]);
    s->x[V] = s->x[X] > 0 ? fmin(s->x[V], 0) : fmax(s->x[V], 0);
}

/* The force of a specimen with mass is that of the tick before; `load_mass` follows at once instead. */
YK_RT static void step(void *self, double u, double force, struct yk_plant_output *out)
{
    struct hydraulic *s = self;
    double dx[STATES];

    s->command = u;
    s->load = force - s->load_mass * s->accelerated;
    for (int i = 0; i < s->substeps; i++) {
        yk_rk4(s, rate, STATES, s->x, s->h / s->substeps);
        stop(s);
    }
    rate(s, s->x, dx);
    s->accelerated = dx[V];
    *out = (struct yk_plant_output){s->x[X], s->x[V], dx[V]};
}

static bool yields(const void *self)
{
    (void)self;
    return true;
}

YK_RT static void use(const void *self, struct yk_actuator_use *use)
{
    const struct hydraulic *s = self;
    const double fastest = s->open_flow / s->area;

    *use = (struct yk_actuator_use){
        .share = {[YK_USE_STROKE] = fabs(s->x[X]) / s->stroke,
                  [YK_USE_SPEED] = fmin(fabs(s->x[V]) / fastest, 0.99),
                  [YK_USE_FORCE] = fabs(s->x[P]) / s->supply,
                  [YK_USE_VALVE] = fabs(clip(s->x[Y], 1))},
        .capacity = {[YK_USE_STROKE] = s->stroke,
                     [YK_USE_SPEED] = fastest,
                     [YK_USE_FORCE] = s->area * s->supply,
                     [YK_USE_VALVE] = 1},
    };
}

/* eq. (16j), (16k) */
static void sheet(const void *self, struct yk_plant_sheet *sheet)
{
    const struct hydraulic *s = self;
    double num[2] = {0}, den[7] = {0};

    linearise(s, num, den);
    *sheet = (struct yk_plant_sheet){.delay_s = yk_linear_delay(num, den),
                                     .bandwidth_Hz = yk_linear_bandwidth(num, 1, den, 6),
                                     .column_Hz = s->column / TWO_PI,
                                     .area = s->area,
                                     .stroke = s->stroke,
                                     .force = s->area * s->supply,
                                     .mass = s->mass,
                                     .load_mass = s->load_mass};
    for (int i = 0; i < YK_SHEET_POINTS; i++)
        sheet->speed[i] = s->open_flow / s->area * sqrt(1 - (double)i / (YK_SHEET_POINTS - 1));
}

static const struct yk_param params[] = {
    YK_REAL(struct hydraulic, area, YK_AREA, YK_REQUIRED, 1e-8, 100, "area of the piston, the same on both sides"),
    YK_REAL(struct hydraulic, stroke, YK_LENGTH, YK_REQUIRED, 1e-6, 100, "travel to either side of the middle"),
    YK_REAL(struct hydraulic, supply, YK_PRESSURE, 21e6, 1e3, 1e9, "supply pressure, less that of the return line"),
    YK_REAL(struct hydraulic, valve_flow, YK_FLOW, YK_REQUIRED, 1e-9, 100,
            "flow of the fully open valve at `valve_drop`"),
    YK_REAL(struct hydraulic, valve_drop, YK_PRESSURE, 7e6, 1e3, 1e9,
            "pressure drop over both edges of the valve at which `valve_flow` holds"),
    YK_REAL(struct hydraulic, valve_bandwidth, YK_FREQUENCY, YK_REQUIRED, 0.1, 1e5,
            "frequency at which the valve lags by 90 degrees"),
    YK_REAL(struct hydraulic, valve_damping, YK_NUMBER, 0.8, 0.3, 5, "damping ratio of the valve"),
    YK_REAL(struct hydraulic, oil_volume, YK_VOLUME, 0, 0, 100,
            "oil in both chambers and up to the valve; 0: 1.1 times the volume that the piston sweeps"),
    YK_REAL(struct hydraulic, bulk_modulus, YK_PRESSURE, 700e6, 1e6, 1e10, "of the oil with its air, and of the hoses"),
    YK_REAL(struct hydraulic, oil_damping, YK_NUMBER, 0.2, 1e-3, 0.5,
            "damping ratio of the oil column, by a flow that follows fast changes of pressure alone"),
    YK_REAL(struct hydraulic, leakage, YK_FLOW, 0, 0, 100, "flow past the piston at the supply pressure"),
    YK_REAL(struct hydraulic, piston_mass, YK_PLAIN_MASS, YK_REQUIRED, 1e-6, 1e9,
            "piston, rod and what is bolted to it"),
    YK_REAL(struct hydraulic, load_mass, YK_PLAIN_MASS, 0, 0, 1e12,
            "mass of the specimen that moves with the piston: necessary if it is not much smaller than `piston_mass`"),
    YK_REAL(struct hydraulic, friction, YK_PLAIN_FORCE, 0, 0, 1e12, "friction of the seals"),
    YK_REAL(struct hydraulic, viscous, YK_PLAIN_DAMPING, 0, 0, 1e12, "viscous friction of the seals"),
    YK_REAL(struct hydraulic, loop_gain, YK_PER_TIME, 0, 0, 1e6,
            "speed for an error of the position; 0: 0.4 of what valve and oil column allow"),
    YK_PARAM_END,
};

const struct yk_plant_ops yk_plant_hydraulic = {
    .name = "hydraulic",
    .summary = "servo-hydraulic actuator by its data sheet: piston, valve, oil, position loop",
    .reference = "Merritt, Hydraulic Control Systems, 1967",
    .params = params,
    .size = sizeof(struct hydraulic),
    .init = init,
    .reset = reset,
    .step = step,
    .yields = yields,
    .use = use,
    .sheet = sheet,
};
