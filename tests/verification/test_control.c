/* Plants and controllers of the TT1 rig and of a hydraulic actuator: results of an independent program, and of the
 * continuous loops, which the sampled ones approach as the tick goes to zero. */
#include "support/actuator.h"
#include "support/check.h"
#include "transfer/control/internal_model.h"

#include <complex.h>
#include <math.h>

#define TWO_PI 6.283185307179586
#define TICK   (1.0 / 1024)

/* Gains as the source prints them; derivative without filter. */
static const struct part pi = {"pi", {{"K", 1.937}, {"Ti", 0.07079}}};
static const struct part pid = {"pid", {{"K", 3.320}, {"Ti", 0.05899}, {"Td", 0.006305}, {"N", 0}}};
static const struct part imc5 = {"imc", {{"filter", 0.005}}};
static const struct part imc6 = {"imc", {{"filter", 0.006}}};
static const struct part tt1 = {"tt1", {{NULL, 0}}};

/* ---- plant ---- */

static void exact_discretisation_of_tt1(void **state)
{
    static const double A1[4] = {0.9994781332766807, 0.0005110605160836237, -1.88858084923313, 0.8880820804655137};
    static const double B1[2] = {0.0005149780825715685, 1.8636515820232524};
    static const double A2[4] = {0.9996617552831876, 0.00041462458487641124, -1.5322100337931366, 0.9092858786499333};
    static const double B2[2] = {0.00033377988655049575, 1.5119848613470672};
    const struct yk_second_order model = yk_second_order_lags(0.9868, 0.05397, 0.005014, 0.009331);
    struct yk_second_order_plant p;
    struct yk_arena mem = {0};

    assert_ok(yk_second_order_init(&p, &model, TICK, &mem, &err));
    assert_int_equal(p.line.whole, 9);
    assert_near(p.line.rest, 0.554944, 1e-9);
    for (int i = 0; i < 4; i++) {
        assert_near_relative(p.A[0][i], A1[i], 1e-12);
        assert_near_relative(p.A[1][i], A2[i], 1e-12);
    }
    for (int i = 0; i < 2; i++) {
        assert_near_relative(p.B[0][i], B1[i], 1e-12);
        assert_near_relative(p.B[1][i], B2[i], 1e-12);
    }
    yk_arena_free(&mem);
}

static void open_loop_step_of_tt1(void **state)
{
    static const struct {
        int tick;
        double y;
    } want[] = {{10, 3.3378e-4},  {16, 0.04748595},  {32, 0.26331649},
                {64, 0.58061481}, {128, 0.85921732}, {256, 0.97421302}};
    struct plant p;
    size_t next = 0;

    plant_open(&p, &tt1, TICK);
    for (int k = 1; k <= 256; k++) {
        const double y = plant_step(&p, 1);

        if (k == want[next].tick)
            assert_near(y, want[next++].y, 1e-8);
    }
    plant_close(&p);
}

/* The three loops behind the identified model give it back within its printed digits. */
static void loops_of_tt1_agree_with_the_measured_model(void **state)
{
    static const struct part loops = {"tt1", {{"model", 1}}};
    struct plant a, b;

    plant_open(&a, &tt1, TICK);
    plant_open(&b, &loops, TICK);
    for (int k = 0; k < 1024; k++) /* small enough for the torque */
        assert_near(plant_step(&b, 1e-3), plant_step(&a, 1e-3), 1e-4 * 1e-3);
    plant_close(&a);
    plant_close(&b);
}

/* ---- tuning ---- */

static void gains_of_tt1(void **state)
{
    struct yk_tangent t;

    assert_ok(yk_tangent_lags(0.9868, 0.05397, 0.005014, 0.009331, &t, &err));
    assert_near(t.a, 0.180742, 1e-6);
    assert_near(t.L, 0.012609, 1e-6);
    const struct yk_pid_gains three = yk_tune(YK_TUNE_CHR_PID, &t), two = yk_tune(YK_TUNE_CHR_PI, &t);
    assert_near(three.K, 3.31965, 1e-5);
    assert_near(three.Ti, 0.058984, 1e-12);
    assert_near(three.Td, 0.0063044, 1e-7);
    assert_near(two.K, 1.93647, 1e-5);
    assert_near(two.Ti, 0.0707808, 1e-12);
    /* printed in the source, from the unrounded model */
    assert_near_relative(three.K, 3.320, 5e-4);
    assert_near_relative(three.Ti, 0.05899, 5e-4);
    assert_near_relative(three.Td, 0.006305, 5e-4);
    assert_near_relative(two.K, 1.937, 5e-4);
    assert_near_relative(two.Ti, 0.07079, 5e-4);
}

/* The T of the rule is the sum of the lags. The time to 63.2 % less L, which is its T for a servo, would be 55.94 ms;
 * to 1 - 1/e it is 55.95 ms. */
static void the_time_to_63_per_cent_is_another_one(void **state)
{
    const double h = 1e-6;
    struct yk_tangent t;
    struct plant p;
    long k = 1;

    assert_ok(yk_tangent_lags(0.9868, 0.05397, 0.005014, 0.009331, &t, &err));
    plant_open(&p, &tt1, h);
    while (plant_step(&p, 1) < 0.632 * 0.9868)
        k++;
    plant_close(&p);
    assert_near((double)k * h - t.L, 0.05594, 5e-6);
    assert_near(t.T, 0.058984, 1e-12);
    assert_ok(yk_tangent_servo(0.9868, 1 / sqrt(0.05397 * 0.005014), 0.058984 / (2 * sqrt(0.05397 * 0.005014)),
                               0.009331, &t, &err));
    assert_near(t.T, 0.05595449, 1e-8);
}

static void gains_of_the_hydraulic_plant(void **state)
{
    struct yk_tangent t;

    assert_ok(yk_tangent_servo(1, 80, 0.80, 0.009, &t, &err));
    assert_near(t.a, 0.43845, 1e-5);
    assert_near(t.L, 0.01293, 1e-5);
    assert_near(t.T + t.L, 0.03232, 1e-5);
    const struct yk_pid_gains g = yk_tune(YK_TUNE_CHR_PID, &t);
    assert_near(g.K, 1.36846, 2e-5);
    assert_near(g.Ti, 0.01939, 1e-5);
    assert_near(g.Td, 0.006463, 1e-6);
}

/* ---- discrete inverse ---- */

static void tustin_inverse_of_tt1(void **state)
{
    static const struct {
        double T, n[3], d[2];
    } want[] = {{0.005, {10.0810288472, -18.1920683229, 8.1431241938}, {-1.6441281139, 0.6757893137}},
                {0.006, {7.2130383473, -13.016537143, 5.8264556095}, {-1.6989765202, 0.721630304}}};
    const struct yk_second_order model = yk_second_order_lags(0.9868, 0.05397, 0.005014, 0.009331);

    for (int i = 0; i < 2; i++) {
        struct yk_inverse f;

        yk_inverse_init(&f, &model, want[i].T, TICK);
        for (int j = 0; j < 3; j++)
            assert_near(f.n[j], want[i].n[j], 1e-9);
        assert_near(f.d[1], want[i].d[0], 1e-9);
        assert_near(f.d[2], want[i].d[1], 1e-9);
    }
}

/* ---- step and disturbance ---- */

enum { TICKS = 410, DISTURBED = 205, SAMPLES = 9 };

static void check_samples(const struct part *controller, const double want[SAMPLES], const double drive[3])
{
    static const int tick[SAMPLES] = {16, 32, 64, 128, 204, 205, 240, 300, 400};
    struct loop l;
    int next = 0;

    loop_open(&l, &tt1, controller, TICK);
    for (int k = 0; k <= 400; k++) {
        const double y = loop_step(&l, 1, k >= DISTURBED ? -0.3 : 0);

        if (drive && k < 3)
            assert_near(l.u, drive[k], 1e-7);
        if (k == tick[next])
            assert_near(y, want[next++], 1e-8);
    }
    loop_close(&l);
}

static void closed_loop_samples(void **state)
{
    check_samples(&imc5,
                  (const double[]){0.35819103, 0.93302571, 0.99971095, 0.99999611, 0.99999902, 0.69999904, 0.98760769,
                                   0.99999742, 0.99999962},
                  (const double[]){10.08102885, 8.46346347, 7.13445138});
    check_samples(&imc6,
                  (const double[]){0.28197527, 0.87960525, 0.99860136, 0.99999587, 0.99999898, 0.69999899, 0.97551950,
                                   0.99999360, 0.99999961},
                  (const double[]){7.21303835, 6.45128400, 5.77838979});
    check_samples(&pid,
                  (const double[]){0.40876490, 0.99478542, 0.99625371, 1.00305499, 1.00070500, 0.70069136, 1.00296141,
                                   1.00162712, 1.00026738},
                  (const double[]){24.7549824, 3.37496165, 3.42992329});
    check_samples(&pi,
                  (const double[]){0.09439267, 0.55757004, 0.96864368, 0.96045271, 0.98551558, 0.68568592, 0.88103458,
                                   0.98284264, 0.99381782},
                  NULL);
}

/* Integral of |1 - y| before and after the disturbance by the trapezoidal rule, and the overshoot before. */
struct quality {
    double before, overshoot, after;
};

static struct quality judge(const struct part *plant, const struct part *controller)
{
    struct quality q = {0};
    struct loop l;

    loop_open(&l, plant, controller, TICK);
    for (int k = 0; k < TICKS; k++) {
        const double y = loop_step(&l, 1, k >= DISTURBED ? -0.3 : 0);

        const bool end = k == 0 || k == DISTURBED - 1 || k == DISTURBED || k == TICKS - 1;

        *(k < DISTURBED ? &q.before : &q.after) += (end ? 0.5 : 1) * TICK * fabs(1 - y);
        if (k < DISTURBED)
            q.overshoot = fmax(q.overshoot, y - 1);
    }
    loop_close(&l);
    return q;
}

/* 2 %, and half a unit of the last printed digit */
static void check_quality(const struct part *plant, const struct part *controller, const struct quality *want)
{
    const struct quality q = judge(plant, controller);

    assert_near(q.before, want->before, 0.02 * want->before);
    assert_near(q.overshoot, want->overshoot, 0.02 * want->overshoot + 5e-4);
    assert_near(q.after, want->after, 0.02 * want->after);
}

static void robustness_on_tt1(void **state)
{
    static const struct {
        struct part plant;
        struct quality pid, imc5, imc6;
    } row[] = {
        {{"tt1", {{NULL, 0}}}, {0.01845, 0.010, 0.00552}, {0.01933, 0, 0.00580}, {0.02133, 0, 0.00640}},
        {{"tt1", {{"gain", 1.5 * 0.9868}}},
         {0.02107, 0.309, 0.00632},
         {0.01959, 0.254, 0.00588},
         {0.02029, 0.210, 0.00609}},
        {{"tt1", {{"T1", 1.5 * 0.05397}}},
         {0.02929, 0.070, 0.00862},
         {0.03088, 0.068, 0.00907},
         {0.03346, 0.070, 0.00975}},
        {{"tt1", {{"dead_time", 1.5 * 0.009331}}},
         {0.02887, 0.257, 0.00866},
         {0.02860, 0.201, 0.00858},
         {0.02935, 0.166, 0.00880}},
        {{"tt1", {{"gain", 0.5 * 0.9868}}}, {0.03583, 0.002, 0.01061}, {0.03910, 0, 0.01178}, {0.04304, 0, 0.01302}},
        {{"tt1", {{"T1", 0.5 * 0.05397}}},
         {0.02919, 0.409, 0.00873},
         {0.02710, 0.372, 0.00837},
         {0.02666, 0.286, 0.00834}},
        {{"tt1", {{"dead_time", 0.5 * 0.009331}}},
         {0.01800, 0.003, 0.00537},
         {0.01933, 0, 0.00580},
         {0.02133, 0, 0.00640}},
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        check_quality(&row[i].plant, &pid, &row[i].pid);
        check_quality(&row[i].plant, &imc5, &row[i].imc5);
        check_quality(&row[i].plant, &imc6, &row[i].imc6);
    }
}

#define HYDRAULIC (80 / TWO_PI) /* Hz */
static const struct part hydraulic_pid = {"pid", {{"K", 1.36846}, {"Ti", 0.01939}, {"Td", 0.006463}, {"N", 0}}};
static const struct part hydraulic_imc = {
    "imc",
    {{"model", 1}, {"gain", 1}, {"frequency", HYDRAULIC}, {"damping", 0.8}, {"dead_time", 0.009}, {"filter", 0.005}}};

/* The hydraulic plant with its parameters times these factors. */
static struct part servo(double K, double w, double xi, double tau)
{
    return (struct part){
        "servo", {{"gain", K}, {"frequency", HYDRAULIC * w}, {"damping", 0.8 * xi}, {"dead_time", 0.009 * tau}}};
}

static void robustness_on_the_hydraulic_plant(void **state)
{
    static const struct {
        double K, w, xi, tau; /* factors */
        struct quality pid, imc;
    } row[] = {
        {1, 1, 1, 1, {0.02362, 0.242, 0.00709}, {0.01900, 0, 0.00570}},
        {1.5, 1, 1, 1, {0.03280, 0.560, 0.00998}, {0.01902, 0.245, 0.00571}},
        {1, 1.5, 1, 1, {0.02457, 0.307, 0.00731}, {0.02298, 0.140, 0.00688}},
        {1, 1, 1.5, 1, {0.02711, 0.171, 0.00808}, {0.02802, 0.094, 0.00844}},
        {1, 1, 1, 1.5, {0.04736, 0.549, 0.01428}, {0.02771, 0.194, 0.00831}},
        {1, 1, 0.5, 1, {0.08220, 0.622, 0.02843}, {0.03394, 0.280, 0.00951}},
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const struct part plant = servo(row[i].K, row[i].w, row[i].xi, row[i].tau);

        check_quality(&plant, &hydraulic_pid, &row[i].pid);
        check_quality(&plant, &hydraulic_imc, &row[i].imc);
    }
}

/* The tables in words: with a wrong plant IMC never overshoots more, and has the smaller error where gain or dead time
 * grow or the first lag is shorter; elsewhere PID is 5 to 9 % better. */
static void imc_and_pid_on_tt1(void **state)
{
    static const struct {
        struct part plant;
        bool imc;
    } row[] = {
        {{"tt1", {{"gain", 1.5 * 0.9868}}}, true},         {{"tt1", {{"dead_time", 1.5 * 0.009331}}}, true},
        {{"tt1", {{"T1", 0.5 * 0.05397}}}, true},          {{"tt1", {{NULL, 0}}}, false},
        {{"tt1", {{"T1", 1.5 * 0.05397}}}, false},         {{"tt1", {{"gain", 0.5 * 0.9868}}}, false},
        {{"tt1", {{"dead_time", 0.5 * 0.009331}}}, false},
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const struct quality three = judge(&row[i].plant, &pid), five = judge(&row[i].plant, &imc5),
                             six = judge(&row[i].plant, &imc6);

        assert_true(five.overshoot < three.overshoot && six.overshoot < three.overshoot + 5e-4);
        if (row[i].imc)
            assert_true(five.before < three.before && five.after < three.after);
        else
            assert_near(five.before / three.before, 1.07, 0.025);
    }
}

/* On a plant of higher order IMC is better nearly everywhere; PID where gain or dead time shrink or the damping grows,
 * and slightly. */
static void imc_and_pid_on_the_hydraulic_plant(void **state)
{
    static const struct {
        double K, w, xi, tau; /* factors */
        bool imc;
    } row[] = {{1, 1, 1, 1, true},    {1.5, 1, 1, 1, true},  {1, 1.5, 1, 1, true},
               {1, 1, 1, 1.5, true},  {1, 1, 0.5, 1, true},  {1, 0.5, 1, 1, true},
               {0.5, 1, 1, 1, false}, {1, 1, 1, 0.5, false}, {1, 1, 1.5, 1, false}};

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const struct part plant = servo(row[i].K, row[i].w, row[i].xi, row[i].tau);
        const struct quality three = judge(&plant, &hydraulic_pid), five = judge(&plant, &hydraulic_imc);

        assert_true((five.before < three.before) == row[i].imc);
    }
}

/* ---- frequency response ---- */

static void delay_of_the_sampled_loops(void **state)
{
    static const struct {
        const struct part *controller;
        double delay_ms;
    } want[] = {{&pi, 35.24}, {&pid, 18.10}, {&imc6, 21.82}, {&imc5, 19.82}};

    for (int i = 0; i < 4; i++) {
        struct loop l;

        loop_open(&l, &tt1, want[i].controller, TICK);
        assert_near(1e3 * loop_response(&l, 1, TICK, 2).delay, want[i].delay_ms, 0.03);
        loop_close(&l);
    }
}

/* At low frequencies a loop is late by the first moment of its response: dead time and two filters with the right
 * model, Ti/(K K_m) with an integrator; and half a tick, by which a held drive is late. */
static void low_frequency_delays_of_the_loops(void **state)
{
    static const struct {
        const struct part *controller;
        double delay, printed_ms;
    } want[] = {{&imc6, 0.009331 + 2 * 0.006 + TICK / 2, 21.3 + 0.5},
                {&imc5, 0.009331 + 2 * 0.005 + TICK / 2, 19.3 + 0.5},
                {&pid, 0.05899 / (3.32 * 0.9868), 18.0},
                {&pi, 0.07079 / (1.937 * 0.9868), 37.1}};

    for (int i = 0; i < 4; i++) {
        struct loop l;

        loop_open(&l, &tt1, want[i].controller, TICK);
        assert_near(1e3 * loop_response(&l, 0.0625, TICK, 4).delay, 1e3 * want[i].delay, 0.05);
        assert_near(1e3 * want[i].delay, want[i].printed_ms, 0.1);
        loop_close(&l);
    }
}

/* Sufficient for stability with a wrong model: |G/M - 1| |F| < 1 at all frequencies; IMC-5 stands half as much gain or
 * dead time again, and the loops are stable. */
static void imc_is_robust_by_its_condition(void **state)
{
    static const struct part wrong[] = {
        {"second-order", {{"gain", 1.5 * 0.9868}, {"T1", 0.05397}, {"T2", 0.005014}, {"dead_time", 0.009331}}},
        {"second-order", {{"gain", 0.9868}, {"T1", 0.05397}, {"T2", 0.005014}, {"dead_time", 1.5 * 0.009331}}}};

    for (double w = 0.1; w < 1e5; w *= 1.001) {
        const double filter = 1 / (1 + 0.005 * 0.005 * w * w);

        assert_true(0.5 * filter < 1);
        assert_true(cabs(cexp(-0.5 * 0.009331 * w * I) - 1) * filter < 1);
    }
    for (int i = 0; i < 2; i++) {
        struct loop l;

        loop_open(&l, &wrong[i], &imc5, TICK);
        for (int k = 0; k < 2048; k++)
            loop_step(&l, 1, 0);
        assert_near(loop_step(&l, 1, 0), 1, 1e-6);
        loop_close(&l);
    }
}

/* The servo of the adaptive tests: 16.01 ms were printed, which is its delay at 1 Hz and not at T = 0.5 s. */
static void delay_of_the_servo(void **state)
{
    static const struct part plant = {"servo", {{"frequency", 100 / TWO_PI}, {"damping", 0.8}}},
                             none = {"none", {{NULL, 0}}};
    static const double frequency[] = {1, 2}, delay_ms[] = {16.0092, 16.0361}, h = 1.0 / 100000;

    for (int i = 0; i < 2; i++) {
        const double w = TWO_PI * frequency[i];
        struct loop l;

        assert_near(1e3 * atan2(160 * w, 1e4 - w * w) / w, delay_ms[i], 5e-5);
        loop_open(&l, &plant, &none, h);
        assert_near(1e3 * (loop_response(&l, frequency[i], h, 1).delay - h / 2), delay_ms[i], 0.002);
        loop_close(&l);
    }
}

/* The tick is so short that its half, by which a held drive is late, stays below the tolerance. */
static void frequency_response_of_the_loops(void **state)
{
    static const double frequency[5] = {1, 2, 5, 10, 20}, h = 1.0 / 200000;
    static const struct {
        const struct part *controller;
        double gain[5], delay_ms[5];
    } want[] = {
        {&pi, {0.9754, 0.9383, 0.8868, 0.7458, 0.3102}, {35.154, 32.273, 29.263, 29.708, 26.350}},
        {&pid, {1.0001, 0.9987, 0.9752, 0.9034, 0.7500}, {18.080, 18.223, 18.328, 17.819, 17.230}},
        {&imc6, {0.9986, 0.9943, 0.9657, 0.8756, 0.6376}, {21.325, 21.308, 21.192, 20.807, 19.613}},
        {&imc5, {0.9990, 0.9961, 0.9759, 0.9102, 0.7170}, {19.328, 19.318, 19.250, 19.020, 18.259}},
    };

    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++) {
            struct loop l;

            loop_open(&l, &tt1, want[i].controller, h);
            const struct response r = loop_response(&l, frequency[j], h, 1);
            assert_near(r.gain, want[i].gain[j], 1e-3);
            assert_near(1e3 * r.delay, want[i].delay_ms[j], 0.01);
            loop_close(&l);
        }
}

/* Published figures of the nominal benchmark plant with its specimen. */
static void frequency_response_of_the_benchmark_actuator(void **state)
{
    static const struct {
        double frequency, gain, delay_ms;
    } want[] = {{0.1, 1.0075, 25.1}, {3.6, 0.916, 23.7}, {10, 0.633, 19.0}, {20, 0.406, 14.3}};
    static const struct part plant = {"rths-hydraulic", {{NULL, 0}}}, none = {"none", {{NULL, 0}}};
    const double h = 1.0 / 36000;

    for (int i = 0; i < 4; i++) {
        struct loop l;

        loop_open(&l, &plant, &none, h);
        const struct response r = loop_response(&l, want[i].frequency, h, 1);
        assert_near(r.gain, want[i].gain, 6e-4);
        assert_near(1e3 * r.delay, want[i].delay_ms, 0.06 + 0.5e3 * h);
        loop_close(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_discretisation_of_tt1),
        cmocka_unit_test(open_loop_step_of_tt1),
        cmocka_unit_test(loops_of_tt1_agree_with_the_measured_model),
        cmocka_unit_test(gains_of_tt1),
        cmocka_unit_test(the_time_to_63_per_cent_is_another_one),
        cmocka_unit_test(gains_of_the_hydraulic_plant),
        cmocka_unit_test(tustin_inverse_of_tt1),
        cmocka_unit_test(closed_loop_samples),
        cmocka_unit_test(robustness_on_tt1),
        cmocka_unit_test(robustness_on_the_hydraulic_plant),
        cmocka_unit_test(imc_and_pid_on_tt1),
        cmocka_unit_test(imc_and_pid_on_the_hydraulic_plant),
        cmocka_unit_test(delay_of_the_sampled_loops),
        cmocka_unit_test(low_frequency_delays_of_the_loops),
        cmocka_unit_test(imc_is_robust_by_its_condition),
        cmocka_unit_test(delay_of_the_servo),
        cmocka_unit_test(frequency_response_of_the_loops),
        cmocka_unit_test(frequency_response_of_the_benchmark_actuator),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
