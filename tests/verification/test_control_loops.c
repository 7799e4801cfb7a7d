/* The loops of a TT1 actuator from inside: limits and load of the motor, the cascade behind the identified model, the
 * margins of the tuned loops, and how the inverse of internal model control has to be made discrete.
 * Expected values: independent program, and the data sheet of the rig. */
#include "support/actuator.h"
#include "support/check.h"
#include "transfer/dynamics.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#define TWO_PI 6.283185307179586
#define TICK   (1.0 / 1024)

/* Gains as the source prints them; derivative without filter. */
static const struct part pi = {"pi", {{"K", 1.937}, {"Ti", 0.07079}}};
static const struct part pid = {"pid", {{"K", 3.320}, {"Ti", 0.05899}, {"Td", 0.006305}, {"N", 0}}};
static const struct part tt1 = {"tt1", {{NULL, 0}}}, loops = {"tt1", {{"model", 1}}}, none = {"none", {{NULL, 0}}};

/* ---- motor and screw ---- */

/* A number among the settings of an open plant. */
static double setting_of(const struct plant *p, const char *name)
{
    const struct yk_param *s = p->ops->params;

    while (strcmp(s->name, name) != 0)
        s++;
    assert_int_equal(s->type, YK_PARAM_REAL);
    return *(const double *)((const char *)p->self + s->offset);
}

/* State of the plant after a second of drive under a force. */
static struct yk_plant_output after_a_second(const struct part *part, double drive, double force)
{
    struct yk_plant_output out;
    struct plant p;

    plant_open(&p, part, TICK);
    for (int k = 0; k < 1024; k++)
        p.ops->step(p.self, drive, force, &out);
    plant_close(&p);
    return out;
}

/* 314 rad/s on a lead of 10 mm are 499.7 mm/s, not the 540 mm/s of the catalogue. */
static void the_fastest_motion_is_that_of_the_motor(void **state)
{
    static const struct part one = {"tt1", {{"model", 1}, {"speed_limit", 1}}};

    assert_near(1e3 * after_a_second(&loops, 10, 0).v, 499.7, 0.05);
    assert_near(1e3 * after_a_second(&one, 10, 0).v, 1.59155, 5e-6); /* mm per rad */
}

/* The acceleration of a motor that gives all its torque against a force. */
static double full_torque(const struct part *part, double force)
{
    struct yk_plant_output out = {0};
    struct plant p;

    plant_open(&p, part, TICK);
    for (int k = 0; k < 15; k++) /* past the dead time */
        p.ops->step(p.self, 10, k < 10 ? 0 : force, &out);
    plant_close(&p);
    return out.a;
}

/* The force against which it can just stand. */
static double largest_thrust(const struct part *part)
{
    double weak = 0, strong = 8300;

    while (strong - weak > 1e-3) {
        const double force = 0.5 * (weak + strong);

        *(full_torque(part, force) > 0 ? &weak : &strong) = force;
    }
    return weak;
}

/* 4.00 N m through the screw are 2513 N, not the 8300 N of the catalogue. */
static void the_largest_thrust_is_that_of_the_motor(void **state)
{
    assert_near(largest_thrust(&loops), 2513, 0.5);
}

/* The actuators of the rig with two masses: 3000 turns a minute of 10 mm are 0.5 m/s, 4 N m are 2.5 kN at best and 2 kN
 * with an efficiency of 80 %. */
static void actuators_of_the_second_rig(void **state)
{
    static const struct part fast = {"tt1", {{"model", 1}, {"speed_limit", 50 * TWO_PI}}},
                             worn = {"tt1", {{"model", 1}, {"efficiency", 0.8}}};

    assert_near(after_a_second(&fast, 10, 0).v, 0.5, 1e-6);
    assert_near(1e-3 * largest_thrust(&loops), 2.5, 0.05);
    assert_near(1e-3 * largest_thrust(&worn), 2, 0.05);
}

/* A force slows a motor down that already gives all its torque, by F R^2/J. Half of the specimen of the first test
 * feels like 3.79e-4 kg m2, and the motor has 4.03e-4. */
static void the_specimen_is_no_small_load(void **state)
{
    const double force = 100, mass = 0.5 * 298.9;
    struct plant p;

    plant_open(&p, &loops, TICK);
    const double inertia = setting_of(&p, "inertia");
    assert_near(mass * (full_torque(&loops, 0) - full_torque(&loops, force)) / force * inertia, 3.79e-4, 5e-7);
    assert_near(inertia, 4.03e-4, 1e-18);
    plant_close(&p);
}

/* Slow motion is late by the dead time and 1/g. With the identified loops 1/g = T1 + T2; the gain that is listed,
 * 0.015 of the largest speed per mm, makes it 2.1 (with 540 mm/s) or 2.3 times that (with 500 mm/s), and the listed
 * speed loop is seven times faster than the identified one. */
static void listed_gains_are_not_those_of_the_identified_model(void **state)
{
    static const double speed[] = {540, 500}, gain[] = {8.10, 7.50}, slower[] = {2.093, 2.261};
    struct plant p;
    struct loop l;

    plant_open(&p, &loops, TICK);
    const double listed = setting_of(&p, "inertia") * setting_of(&p, "speed_limit") /
                          (50 * setting_of(&p, "torque_limit")); /* J w_max/(K T_max) */
    assert_near(1e3 * listed, 0.633, 5e-4);
    assert_near(1e3 * setting_of(&p, "speed_time"), 4.588, 1e-12);
    assert_near(setting_of(&p, "inner_gain"), 16.954, 1e-12);
    assert_near(setting_of(&p, "inner_gain"), 1 / (0.05397 + 0.005014), 5e-4);
    assert_near(1e3 * setting_of(&p, "speed_time"), 1e3 * 0.05397 * 0.005014 / (0.05397 + 0.005014), 5e-4);
    for (int i = 0; i < 2; i++) {
        const struct part plant = {"tt1", {{"model", 1}, {"speed_time", listed}, {"inner_gain", 0.015 * speed[i]}}};

        assert_near(0.015 * speed[i], gain[i], 1e-12);
        loop_open(&l, &plant, &none, TICK);
        const double late = loop_response(&l, 0.0625, TICK, 4).delay - 0.009331 - TICK / 2;
        assert_near(late / (0.05397 + 0.005014), slower[i], 0.01);
        loop_close(&l);
    }
    plant_close(&p);
}

/* A step of the command kicks the drive by K Td/h = 21.4; not with a derivative of the measurement. */
static void a_step_kicks_the_derivative(void **state)
{
    static const struct part measured = {
        "pid", {{"K", 3.320}, {"Ti", 0.05899}, {"Td", 0.006305}, {"N", 0}, {"derivative", 1}}};
    struct loop l;

    loop_open(&l, &tt1, &pid, TICK);
    loop_step(&l, 1, 0);
    assert_near(l.u - 3.320, 21.4, 0.05);
    loop_close(&l);
    loop_open(&l, &tt1, &measured, TICK);
    loop_step(&l, 1, 0);
    assert_near(l.u, 3.320, 1e-12);
    loop_close(&l);
}

/* ---- margins ---- */

enum { FINE = 400000 }; /* ticks in a second, for what is nearly the continuous loop */

/* Frequency response of the closed loop at a period of `ticks`. */
static double complex closed_loop(const struct part *controller, long ticks)
{
    const double frequency = (double)FINE / (double)ticks;
    struct loop l;

    loop_open(&l, &tt1, controller, 1.0 / FINE);
    const struct response r = loop_response(&l, frequency, 1.0 / FINE, 1);
    loop_close(&l);
    return r.gain * cexp(-I * TWO_PI * frequency * r.delay);
}

/* Response of the open loop, without the half tick by which a held drive is late. */
static double complex open_loop(const struct part *controller, long ticks)
{
    const double complex T = closed_loop(controller, ticks);

    return T / (1 - T) * cexp(I * TWO_PI * 0.5 / (double)ticks);
}

static double distance_to_the_real_axis(double complex L)
{
    return cimag(L);
}

static double distance_to_the_circle(double complex L)
{
    return 1 - cabs(L);
}

/* The open loop where the distance changes its sign between 2 and 60 Hz: bisection over whole periods. */
static double complex crossing(const struct part *controller, double (*distance)(double complex L))
{
    long slow = FINE / 2, fast = FINE / 60;

    assert_true(distance(open_loop(controller, slow)) < 0 && distance(open_loop(controller, fast)) > 0);
    while (slow - fast > 1) {
        const long middle = (slow + fast) / 2;

        *(distance(open_loop(controller, middle)) < 0 ? &slow : &fast) = middle;
    }
    return open_loop(controller, slow);
}

/* The largest |1 - T| over whole periods, by a search in thirds: it has one peak between 2 and 60 Hz. */
static double largest_sensitivity(const struct part *controller)
{
    long slow = FINE / 2, fast = FINE / 60;

    while (slow - fast > 10) {
        const long a = fast + (slow - fast) / 3, b = slow - (slow - fast) / 3;

        if (cabs(1 - closed_loop(controller, a)) > cabs(1 - closed_loop(controller, b)))
            slow = b;
        else
            fast = a;
    }
    return cabs(1 - closed_loop(controller, (slow + fast) / 2));
}

static void margins_of_the_tuned_loops(void **state)
{
    static const struct {
        const struct part *controller;
        double gain, phase_deg, sensitivity;
    } want[] = {{&pi, 3.805, 68.96, 1.491}, {&pid, 2.870, 65.77, 1.606}};

    for (int i = 0; i < 2; i++) {
        const struct part *c = want[i].controller;

        assert_near(1 / cabs(crossing(c, distance_to_the_real_axis)), want[i].gain, 1e-3);
        assert_near(180 + carg(crossing(c, distance_to_the_circle)) * 360 / TWO_PI, want[i].phase_deg, 0.01);
        assert_near(largest_sensitivity(c), want[i].sensitivity, 1e-3);
    }
}

/* ---- the inverse in discrete time ---- */

struct discrete {
    double n[3], d[3];
};

/* The inverse (T1 s + 1)(T2 s + 1)/(K (T s + 1)^2) behind a hold: from the exact step of its filter, whose output x,
 * its rate v and a = b (u - x) - a1 v make K y = x + (T1 + T2) v + T1 T2 a. */
static struct discrete held(double T)
{
    const struct yk_second_order filter = yk_second_order_lags(1, T, T, 0);
    const double q1 = 0.05397 + 0.005014, q2 = 0.05397 * 0.005014, K = 0.9868;
    const double c[2] = {(1 - q2 * filter.b) / K, (q1 - q2 * filter.a1) / K}, direct = q2 * filter.b / K;
    double A[4], B[2];

    yk_second_order_discretise(&filter, TICK, A, B);
    const double trace = A[0] + A[3], det = A[0] * A[3] - A[1] * A[2];
    const double first = c[0] * B[0] + c[1] * B[1];
    const double second = c[0] * (A[0] * B[0] + A[1] * B[1]) + c[1] * (A[2] * B[0] + A[3] * B[1]);

    return (struct discrete){{direct, first - direct * trace, second - trace * first + direct * det}, {1, -trace, det}};
}

/* Poles and zeros mapped by exp(s h), static gain kept. */
static struct discrete matched(double T)
{
    const double a = exp(-TICK / 0.05397), b = exp(-TICK / 0.005014), p = exp(-TICK / T);
    const double scale = (1 - p) * (1 - p) / (0.9868 * (1 - a) * (1 - b));

    return (struct discrete){{scale, -scale * (a + b), scale * a * b}, {1, -2 * p, p * p}};
}

enum { TICKS = 400 };

/* Step response of internal model control with such an inverse: the plants are those of the library. */
static void step_with(const struct discrete *q, double y[TICKS])
{
    struct plant plant, model;
    double x = 0, xm = 0, w0 = 0, w1 = 0;

    plant_open(&plant, &tt1, TICK);
    plant_open(&model, &tt1, TICK);
    for (int k = 0; k < TICKS; k++) {
        const double e = 1 - (x - xm), u = q->n[0] * e + w0;

        w0 = q->n[1] * e - q->d[1] * u + w1;
        w1 = q->n[2] * e - q->d[2] * u;
        y[k] = x;
        xm = plant_step(&model, u);
        x = plant_step(&plant, u);
    }
    plant_close(&plant);
    plant_close(&model);
}

static double largest(const double y[TICKS])
{
    double peak = 0;

    for (int k = 0; k < TICKS; k++)
        peak = fmax(peak, y[k]);
    return peak;
}

/* Largest distance from the ideal step response e^{-tau s}/(T s + 1)^2. */
static double from_ideal(const double y[TICKS], double T)
{
    double worst = 0;

    for (int k = 0; k < TICKS; k++) {
        const double t = (k * TICK - 0.009331) / T;

        worst = fmax(worst, fabs(y[k] - (t > 0 ? 1 - exp(-t) * (1 + t) : 0)));
    }
    return worst;
}

static void the_held_inverse_has_the_known_coefficients(void **state)
{
    static const double n[] = {10.9690141873, -19.816548135, 8.8794337465}, d[] = {1, -1.6451551248, 0.6766338462};
    const struct discrete q = held(0.005);

    for (int i = 0; i < 3; i++) {
        assert_near(q.n[i], n[i], 1e-9);
        assert_near(q.d[i], d[i], 1e-9);
    }
}

/* It no longer cancels the sampled plant: overshoot, and a tail with the slow lag of the plant. Why it is not used. */
static void a_held_inverse_overshoots(void **state)
{
    static const double T[] = {0.005, 0.006}, overshoot[] = {5.07, 2.84};
    double y[TICKS];

    for (int i = 0; i < 2; i++) {
        const struct discrete q = held(T[i]);

        step_with(&q, y);
        assert_near(100 * (largest(y) - 1), overshoot[i], 0.005);
        assert_near(1e3 * 100 * TICK / log((y[100] - 1) / (y[200] - 1)), 54, 0.5);
    }
}

/* Tustin's rule and matched poles leave 0.0006 and 0.0011 at 5 ms, and no overshoot. (To one more digit 0.00062 and
 * 0.00106; with 6 ms it is less.) The controller is the one by Tustin's rule. */
static void the_inverse_of_the_controller_comes_near_the_ideal(void **state)
{
    static const double T[] = {0.005, 0.006}, tustin[] = {6.246e-4, 3.653e-4}, by_poles[] = {1.0560e-3, 5.584e-4};
    double y[TICKS];

    for (int i = 0; i < 2; i++) {
        const struct part imc = {"imc", {{"filter", T[i]}}};
        const struct discrete q = matched(T[i]);
        struct loop l;

        loop_open(&l, &tt1, &imc, TICK);
        for (int k = 0; k < TICKS; k++)
            y[k] = loop_step(&l, 1, 0);
        loop_close(&l);
        assert_near(from_ideal(y, T[i]), tustin[i], 1e-7);
        assert_true(largest(y) <= 1);
        step_with(&q, y);
        assert_near(from_ideal(y, T[i]), by_poles[i], 1e-7);
        assert_true(largest(y) <= 1 + 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fastest_motion_is_that_of_the_motor),
        cmocka_unit_test(the_largest_thrust_is_that_of_the_motor),
        cmocka_unit_test(actuators_of_the_second_rig),
        cmocka_unit_test(the_specimen_is_no_small_load),
        cmocka_unit_test(listed_gains_are_not_those_of_the_identified_model),
        cmocka_unit_test(a_step_kicks_the_derivative),
        cmocka_unit_test(margins_of_the_tuned_loops),
        cmocka_unit_test(the_held_inverse_has_the_known_coefficients),
        cmocka_unit_test(a_held_inverse_overshoots),
        cmocka_unit_test(the_inverse_of_the_controller_comes_near_the_ideal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
