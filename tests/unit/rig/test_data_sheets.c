/* Actuators by their data sheets: each limit case by its closed form, and the equations of valve and oil beside another
 * formulation of them, with both chambers, by another method. docs/theory/control.md, eq. (16a)-(16p). */
#include "support/actuator.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

#define TWO_PI 6.283185307179586
static const double h = 1.0 / 1024;

/* 105 kN, 63 l/min at 70 bar */
#define AREA   5e-3
#define SUPPLY 21e6
#define FLOW   1.05e-3
#define DROP   7e6
#define MASS   60.0
#define STROKE 0.125
#define OIL                                                                                                            \
    {"area", AREA}, {"stroke", STROKE}, {"valve_flow", FLOW}, {"valve_bandwidth", 100},                                \
    {                                                                                                                  \
        "piston_mass", MASS                                                                                            \
    }
static const struct part oil = {"hydraulic", {OIL}};
#define UNLOADED (FLOW * sqrt(SUPPLY / DROP) / AREA)
#define COLUMN   (AREA * sqrt(4 * 700e6 / (1.1 * 2 * AREA * STROKE) / MASS)) /* rad/s */

/* 6.8 kN at 20 A, 0.5 m/s at 190 V */
#define CONSTANT   0.6
#define RATIO      (0.01 / TWO_PI)
#define INERTIA    8e-4
#define CURRENT    20.0
#define VOLTAGE    190.0
#define RESISTANCE 1.5
#define EFFICIENCY 0.9
#define MOTOR                                                                                                          \
    {"motor_constant", CONSTANT}, {"screw", 0.01}, {"inertia", INERTIA}, {"current_limit", CURRENT},                   \
        {"voltage", VOLTAGE}, {"resistance", RESISTANCE},                                                              \
    {                                                                                                                  \
        "stroke", 0.15                                                                                                 \
    }
static const struct part motor = {"electric", {MOTOR}};

static struct yk_plant_sheet sheet_of(const struct part *part)
{
    struct yk_plant_sheet s;
    struct plant p;

    plant_open(&p, part, h);
    p.ops->sheet(p.self, &s);
    plant_close(&p);
    return s;
}

/* The speed from -from, under a command that opens everything, against a force. */
static double speed_against(const struct part *part, double from, double command, double force, int ticks)
{
    struct yk_plant_output out;
    struct plant p;

    plant_open(&p, part, h);
    p.ops->reset(p.self, from);
    for (int k = 0; k < ticks; k++)
        p.ops->step(p.self, command, force, &out);
    plant_close(&p);
    return out.v;
}

/* ---- hydraulic ---- */

/* With a long stroke: the valve is fully open and the pressure constant after a while. */
static void the_largest_speed_falls_with_the_root_of_the_pressure_left(void **state)
{
    static const struct part far = {
        "hydraulic", {OIL, {"oil_volume", 1.4e-3}, {"stroke", 10}, {"loop_gain", 50}, {"oil_damping", 0.5}}};
    const struct part *long_stroke = &far;
    const struct yk_plant_sheet s = sheet_of(&oil);

    for (int i = 0; i < 19; i += 3) {
        const double load = i / 20.0, v = UNLOADED * sqrt(1 - load);

        assert_near_relative(speed_against(long_stroke, -9, 9, load * AREA * SUPPLY, 1000), v, 1e-6);
        assert_near_relative(s.speed[i], v, 1e-12);
    }
    assert_near_relative(s.force, AREA * SUPPLY, 1e-12);
    assert_near(s.speed[YK_SHEET_POINTS - 1], 0, 1e-12);
    /* more than it can carry pushes it back */
    assert_true(speed_against(long_stroke, 0, 9, 1.05 * AREA * SUPPLY, 1000) < -0.01);
}

/* A ramp is followed late by 1/loop_gain: no pressure is needed, so the valve is linear. */
static void a_ramp_is_late_by_the_loop_gain(void **state)
{
    static const double gains[] = {0, 20, 40};

    for (size_t i = 0; i < 3; i++) {
        const struct part part = {"hydraulic", {OIL, {"loop_gain", gains[i]}}};
        const double by_rule = 0.4 / (1 / (2 * 0.2 * COLUMN) + 1 / (2 * 0.8 * TWO_PI * 100)),
                     gain = gains[i] > 0 ? gains[i] : by_rule;
        const struct yk_plant_sheet s = sheet_of(&part);
        struct yk_plant_output out;
        struct plant p;

        assert_near_relative(s.delay_s, 1 / gain, 1e-9);
        assert_near_relative(s.column_Hz, COLUMN / TWO_PI, 1e-12);
        plant_open(&p, &part, h);
        for (int k = 0; k < 2000; k++)
            p.ops->step(p.self, 0.05 * (k * h - 1), 0, &out);
        /* a held command is half a tick late beside */
        assert_near(0.05 * (1999 * h + h - 1) - out.x, 0.05 * (1 / gain + 0.5 * h), 0.05 * 2e-5);
        plant_close(&p);
    }
}

/* The valve stays shut, a push makes the piston swing on the oil. */
static void the_oil_column_swings_at_its_frequency(void **state)
{
    const struct part part = {"hydraulic", {OIL, {"loop_gain", 1e-6}, {"oil_damping", 0.02}}};
    const double fine = 1e-5, xi = 0.02 / (1 + 0.01);
    struct yk_plant_output out;
    double first = 0, last = 0, before = 0, top[2] = {0};
    int crossings = 0;
    struct plant p;

    plant_open(&p, &part, fine);
    for (int k = 0; k < 20000; k++) {
        p.ops->step(p.self, 0, k < 10 ? -1000 : 0, &out);
        if (k > 20 && before < 0 && out.v >= 0) {
            last = fine * (k - out.v / (out.v - before));
            first = crossings++ ? first : last;
        }
        if (k > 20)
            top[k > 10000] = fmax(top[k > 10000], fabs(out.v));
        before = out.v;
    }
    plant_close(&p);
    /* the corner of the damper takes xi/10 of the frequency */
    assert_near_relative(TWO_PI * (crossings - 1) / (last - first), COLUMN * (sqrt(1 - xi * xi) - 0.1 * xi), 1e-4);
    /* and dies out by its damping ratio; the corner of the damper takes a hundredth of it */
    assert_near_relative(log(top[0] / top[1]) / (0.1 * COLUMN), xi, 0.02);
}

/* Leakage under a load keeps the valve open: x = u - y/gain with y the opening that feeds the leakage. */
static void leakage_gives_way_to_a_load(void **state)
{
    const double leak = 2e-5, force = 60e3, pressure = force / AREA, gain = 40;
    const struct part part = {"hydraulic", {OIL, {"leakage", leak}, {"loop_gain", gain}}};
    const double opening = leak * pressure / SUPPLY / (FLOW * sqrt((SUPPLY - pressure) / DROP));
    struct yk_plant_output out;
    struct plant p;

    plant_open(&p, &part, h);
    for (int k = 0; k < 4000; k++)
        p.ops->step(p.self, 0.01, force, &out);
    assert_near_relative(0.01 - out.x, opening * UNLOADED / gain, 1e-6);
    plant_close(&p);
}

/* Small sines: 3 dB down at the bandwidth of the data sheet. */
static void small_motions_have_the_bandwidth_of_the_sheet(void **state)
{
    static const struct part none = {"none", {{NULL, 0}}};
    const struct part *parts[] = {&oil, &motor};

    for (int i = 0; i < 2; i++) {
        const struct yk_plant_sheet s = sheet_of(parts[i]);
        const int per_period = 2000;
        const double tick = 1 / (s.bandwidth_Hz * per_period);
        struct loop l;

        loop_open(&l, parts[i], &none, tick);
        const struct response r = loop_response(&l, s.bandwidth_Hz, tick, 2);
        assert_near(r.gain, sqrt(0.5), 5e-3);
        loop_close(&l);
    }
}

static void a_loop_that_oscillates_is_refused(void **state)
{
    const struct part wild = {"hydraulic", {OIL, {"loop_gain", 600}}};
    const struct yk_plant_ops *ops = yk_plant_find("hydraulic");
    void *self = part_settings(ops->params, ops->size, &wild);

    assert_refused_in_arena(ops->init(self, h, &mem, &err), YK_E_RANGE, "loop_gain = 600 1/s is too large");
    free(self);
}

/* It stands at the stop, and comes back from it. */
static void the_stops_hold(void **state)
{
    const struct part *parts[] = {&oil, &motor};
    const double stroke[] = {STROKE, 0.15};

    for (int i = 0; i < 2; i++) {
        struct yk_actuator_use use;
        struct yk_plant_output out;
        struct plant p;

        plant_open(&p, parts[i], h);
        for (int k = 0; k < 2000; k++)
            p.ops->step(p.self, 0.2, 0, &out);
        assert_near(out.x, stroke[i], 1e-12);
        assert_near(out.v, 0, 1e-12);
        p.ops->use(p.self, &use);
        assert_near(use.share[YK_USE_STROKE], 1, 1e-9);
        for (int k = 0; k < 4000; k++)
            p.ops->step(p.self, 0.01, 0, &out);
        assert_near(out.x, 0.01, 1e-6);
        plant_close(&p);
    }
}

/* A mass on the piston, told as `load_mass`, is the same as a heavier piston. */
static void a_mass_of_the_specimen_is_a_heavier_piston(void **state)
{
    const double extra = 400;
    const struct part told = {"hydraulic", {OIL, {"load_mass", extra}}}, heavy = {"hydraulic",
                                                                                  {{"area", AREA},
                                                                                   {"stroke", STROKE},
                                                                                   {"valve_flow", FLOW},
                                                                                   {"valve_bandwidth", 100},
                                                                                   {"piston_mass", MASS + extra}}};
    struct yk_plant_output a = {0}, b;
    struct plant p, q;
    double most = 0;

    plant_open(&p, &told, h);
    plant_open(&q, &heavy, h);
    for (int k = 0; k < 3000; k++) {
        const double u = 0.01 * sin(TWO_PI * 2 * k * h);

        p.ops->step(p.self, u, extra * a.a, &a);
        q.ops->step(q.self, u, 0, &b);
        most = fmax(most, fabs(a.x - b.x));
    }
    assert_true(most < 1e-9);
    plant_close(&p);
    plant_close(&q);
}

/* eq. (16q): a mass that the plant does not carry comes back a tick late; its ratio to the one that it carries is the
 * growth in a tick. */
static void a_late_mass_grows_from_the_mass_of_the_plant_on(void **state)
{
    const double ratios[] = {0.9, 1.5};

    for (size_t i = 0; i < 2; i++) {
        struct yk_plant_output out = {0};
        struct yk_plant_sheet sheet;
        struct plant p;

        plant_open(&p, &oil, h);
        p.ops->sheet(p.self, &sheet);
        assert_near(sheet.mass, MASS, 1e-9);
        for (int k = 0; k < 400; k++)
            p.ops->step(p.self, 1e-3, ratios[i] * sheet.mass * out.a, &out);
        assert_true(ratios[i] < 1 ? fabs(out.a) < 0.1 : !(fabs(out.a) < 1e3));
        plant_close(&p);
    }
    assert_near(sheet_of(&motor).mass, INERTIA * EFFICIENCY / (RATIO * RATIO), 1e-6);
}

/* ---- another formulation: both chambers, Heun's method ---- */

struct chambers {
    double x, v, p[2], slow, y, rate;
};

/* Flow through an edge of the valve from one pressure to another. */
static double edge(double y, double from, double to)
{
    return FLOW / sqrt(0.5 * DROP) * y * (from >= to ? sqrt(from - to) : -sqrt(to - from));
}

static struct chambers slope(const struct chambers *c, double u, double load, double gain, double leak, double friction)
{
    const double half = 0.5 * 1.1 * 2 * AREA * STROKE, elastic = 700e6 / half, difference = c->p[0] - c->p[1],
                 B = 4 * 700e6 / (2 * half), cross = 2 * 0.2 * COLUMN / B,
                 lost = leak * difference / SUPPLY + cross * (difference - c->slow), w = TWO_PI * 100,
                 opening = fmin(1, fabs(gain * AREA / (FLOW * sqrt(3)) * (u - c->x))) * (u < c->x ? -1 : 1),
                 y = fmax(-1, fmin(1, c->y)), creep = 0.01 * UNLOADED;
    const double in = y > 0 ? edge(y, SUPPLY, c->p[0]) : edge(y, c->p[0], 0),
                 out = y > 0 ? edge(y, c->p[1], 0) : edge(y, SUPPLY, c->p[1]);

    return (struct chambers){c->v,
                             (AREA * difference - load - friction * c->v / hypot(c->v, creep)) / MASS,
                             {elastic * (in - AREA * c->v - lost), elastic * (AREA * c->v + lost - out)},
                             0.1 * COLUMN * (difference - c->slow),
                             c->rate,
                             w * w * (opening - c->y) - 2 * 0.8 * w * c->rate};
}

static struct chambers ahead(const struct chambers *c, const struct chambers *d, double dt)
{
    return (struct chambers){c->x + dt * d->x,       c->v + dt * d->v, {c->p[0] + dt * d->p[0], c->p[1] + dt * d->p[1]},
                             c->slow + dt * d->slow, c->y + dt * d->y, c->rate + dt * d->rate};
}

/* Large sines under a load that follows them, so that valve, pressure and friction all leave their linear range. */
static void valve_and_oil_agree_with_both_chambers(void **state)
{
    enum { FINE = 400 };
    const double gain = 80, leak = 3e-5, friction = 2000, tick = h / 4;
    const struct part part = {"hydraulic", {OIL, {"loop_gain", gain}, {"leakage", leak}, {"friction", friction}}};
    struct chambers c = {.p = {0.5 * SUPPLY, 0.5 * SUPPLY}};
    double most = 0, error = 0, pressure = 0, open = 0;
    struct yk_plant_output out;
    struct plant p;

    plant_open(&p, &part, tick);
    for (int k = 0; k < 3000; k++) {
        const double t = k * tick, u = 0.06 * sin(TWO_PI * 1.5 * t), load = 90e3 * sin(TWO_PI * 1.5 * t - 0.5);
        struct yk_actuator_use use;

        p.ops->step(p.self, u, load, &out);
        p.ops->use(p.self, &use);
        for (int i = 0; i < FINE; i++) {
            const struct chambers a = slope(&c, u, load, gain, leak, friction), next = ahead(&c, &a, tick / FINE),
                                  b = slope(&next, u, load, gain, leak, friction),
                                  half = ahead(&c, &a, 0.5 * tick / FINE);
            c = ahead(&half, &b, 0.5 * tick / FINE);
        }
        most = fmax(most, fabs(c.x));
        error = fmax(error, fabs(out.x - c.x));
        pressure = fmax(pressure, use.share[YK_USE_FORCE]);
        open = fmax(open, use.share[YK_USE_VALVE]);
        assert_near(c.p[0] + c.p[1], SUPPLY, 1e-4 * SUPPLY);
    }
    print_message("largest difference %.2g of %.3g m; pressure up to %.2f, valve up to %.2f\n", error, most, pressure,
                  open);
    assert_true(error < 1e-5 * most);
    assert_true(pressure > 0.8 && open == 1);
    plant_close(&p);
}

/* ---- electric ---- */

static void the_largest_speed_of_a_motor_is_that_of_its_voltage(void **state)
{
    const struct part far = {"electric", {MOTOR, {"stroke", 10}}};
    const double stall = CONSTANT * CURRENT * EFFICIENCY / RATIO;
    const struct yk_plant_sheet s = sheet_of(&motor);

    assert_near_relative(s.force, stall, 1e-12); /* 190 V would drive 127 A */
    for (int i = 0; i < 19; i += 3) {
        const double force = stall * i / 20, current = force * RATIO / (EFFICIENCY * CONSTANT);

        assert_near_relative(s.speed[i], RATIO * (VOLTAGE - RESISTANCE * current) / CONSTANT, 1e-12);
    }
    for (int i = 0; i < 19; i += 3)
        assert_near_relative(speed_against(&far, -9, 9, stall * i / 20, 2000), s.speed[i], 1e-6);
    assert_true(speed_against(&far, 0, 9, 1.05 * stall, 2000) < -0.01);
}

static void a_motor_is_late_and_soft_by_its_gains(void **state)
{
    const double w = TWO_PI * 40, gain = 0.25 * w, force = 3000;
    const struct yk_plant_sheet s = sheet_of(&motor);
    struct yk_plant_output out;
    struct plant p;
    double most = 0;

    assert_near_relative(s.delay_s, 1 / gain, 1e-12);
    plant_open(&p, &motor, h);
    for (int k = 0; k < 2000; k++)
        p.ops->step(p.self, 0.05 * (k * h - 1), 0, &out);
    assert_near(0.05 * (1999 * h + h - 1) - out.x, 0.05 * (1 / gain + 0.5 * h), 0.05 * 1e-6);
    p.ops->reset(p.self, 0);
    for (int k = 0; k < 2000; k++)
        p.ops->step(p.self, 0, force, &out);
    assert_near_relative(-out.x, force * RATIO * RATIO / (EFFICIENCY * INERTIA * w * gain), 1e-6);
    p.ops->reset(p.self, 0);
    for (int k = 0; k < 2000; k++) {
        p.ops->step(p.self, 1e-3, 0, &out);
        most = fmax(most, out.x);
    }
    assert_true(most <= 1e-3 * (1 + 1e-9)); /* both poles are at -2 gain */
    plant_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_speed_falls_with_the_root_of_the_pressure_left),
        cmocka_unit_test(a_ramp_is_late_by_the_loop_gain),
        cmocka_unit_test(the_oil_column_swings_at_its_frequency),
        cmocka_unit_test(leakage_gives_way_to_a_load),
        cmocka_unit_test(small_motions_have_the_bandwidth_of_the_sheet),
        cmocka_unit_test(a_loop_that_oscillates_is_refused),
        cmocka_unit_test(the_stops_hold),
        cmocka_unit_test(a_mass_of_the_specimen_is_a_heavier_piston),
        cmocka_unit_test(a_late_mass_grows_from_the_mass_of_the_plant_on),
        cmocka_unit_test(valve_and_oil_agree_with_both_chambers),
        cmocka_unit_test(the_largest_speed_of_a_motor_is_that_of_its_voltage),
        cmocka_unit_test(a_motor_is_late_and_soft_by_its_gains),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
