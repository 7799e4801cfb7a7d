/* Filters: coefficients and responses computed with an independent program (SciPy), and what holds for every design. */
#include "support/check.h"
#include "support/trap.h"

#include <complex.h>
#include <math.h>
#include <yoke/transfer.h>

#define TWO_PI 6.283185307179586

static const double h = 1.0 / 1024;
enum { POINTS = 5 };
static const int point[POINTS] = {0, 1, 5, 20, 60};

static double magnitude(const struct yk_filter *f, double frequency)
{
    const double complex z = cexp(-I * TWO_PI * frequency * h); /* one tick earlier */
    double complex H = 1;

    for (int i = 0; i < f->sections; i++)
        H *= (f->b[i][0] + z * (f->b[i][1] + z * f->b[i][2])) / (1 + z * (f->a[i][0] + z * f->a[i][1]));
    return cabs(H);
}

/* Response to an impulse at the points, and its centroid, which is the delay at frequency zero. */
static void check_impulse(struct yk_filter *f, const double want[POINTS], double delay)
{
    double first = 0, sum = 0;
    int next = 0;

    yk_filter_reset(f, 0);
    for (int k = 0; k < 20000; k++) {
        const double y = yk_filter_step(f, k == 0);

        if (next < POINTS && k == point[next]) {
            assert_near(y, want[next], 1e-12 + 1e-10 * fabs(want[next]));
            next++;
        }
        sum += y;
        first += k * h * y;
    }
    assert_near(sum, 1, 1e-10);
    assert_near(first, delay, 1e-9);
    assert_near(f->delay_s, delay, 1e-9);
}

static void butterworth_has_the_response_of_scipy(void **state)
{
    static const struct {
        int order;
        double cutoff, delay, y[POINTS];
    } want[] = {
        {1,
         30,
         0.00529017602175372,
         {0.0845002787139777, 0.154719963222476, 0.0737818063157259, 0.00459156006857642, 2.79247676878696e-06}},
        {2,
         30,
         0.00748143867730506,
         {0.00747922904769643, 0.0279789715976067, 0.0819741348225313, 0.00980602700678868, 0.000105944415715104}},
        {3,
         30,
         0.0105803520435075,
         {0.000653946374812348, 0.00368325541256542, 0.0399179755992256, 0.0330618095156168, 0.000670979591290844}},
        {4,
         100,
         0.00402760835935951,
         {0.00444963539428529, 0.0285100373332463, 0.229790076952915, -0.00055835536551417, 7.88362537595864e-07}},
        {5,
         20,
         0.0257194844866485,
         {7.17505924476242e-07, 6.89017142745866e-06, 0.000541757252420226, 0.0293645917624091, -0.010049778232845}},
        {8,
         200,
         0.00355376985417251,
         {0.00195460712472045, 0.0190375096403233, 0.357470752885302, 0.00231143628250569, -9.36807314741494e-06}},
        {16,
         50,
         0.0322197981015395,
         {2.21152669399429e-14, 6.38474099230924e-13, 3.49449807432723e-09, 0.00221602608926247, 0.0183040866452281}},
    };

    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct yk_filter f;

        assert_ok(yk_filter_butterworth(&f, want[i].order, want[i].cutoff, h, false, &err));
        check_impulse(&f, want[i].y, want[i].delay);
        assert_near(magnitude(&f, want[i].cutoff), sqrt(0.5), 1e-10);
    }
}

static void exact_butterworth_is_the_held_analogue_filter(void **state)
{
    struct yk_filter f;

    assert_ok(yk_filter_butterworth(&f, 2, 30, h, true, &err));
    assert_int_equal(f.sections, 1);
    assert_near(f.b[0][0], 0, 0);
    assert_near(f.b[0][1], 0.0155199180529455, 1e-14);
    assert_near(f.b[0][2], 0.0142291788457519, 1e-14);
    assert_near(f.a[0][0], -1.7410518051569, 1e-13);
    assert_near(f.a[0][1], 0.770800902055596, 1e-14);
    /* the delay of the analogue filter and half a tick of the hold, whose ripple adds a little */
    assert_near(f.delay_s, sqrt(2) / (TWO_PI * 30) + h / 2, 2e-8);

    assert_ok(yk_filter_butterworth(&f, 1, 30, h, true, &err));
    assert_near(f.b[0][1], 0.168128830537237, 1e-14);
    assert_near(f.a[0][0], -0.831871169462763, 1e-14);
}

static const struct ellipse {
    double pass, stop, ripple, attenuation;
    int order;
    double delay, y[POINTS];
} ellipses[] = {
    {20,
     30,
     0.5,
     40,
     5,
     0.0247867962237,
     {0.0029482893348501, 0.0056497427617607, 0.0062373929615475, 0.027539786152451, -0.012032659346512}},
    {20,
     30,
     0.1,
     60,
     7,
     0.0329205552509,
     {0.00042633234770246, 0.00082069658268294, 0.0013396955184198, 0.012449138005783, 0.011618393704676}},
    {50,
     60,
     1,
     50,
     6,
     0.00997924970857,
     {0.0042238858927423, 0.0035685920671957, 0.023040838828314, 0.06618766469951, 0.0085677624552675}},
    {20,
     200,
     3,
     20,
     1,
     0.00792890845431,
     {0.058010008940386, 0.10928969560624, 0.066734273694641, 0.010495071337208, 7.5627999546742e-05}},
    {100,
     130,
     0.01,
     120,
     13,
     0.0123389644713,
     {1.2942438285676e-05, 7.7416730349165e-05, 0.004515205996759, 0.017426531043136, -0.0057842115119313}},
};
enum { ELLIPSES = sizeof ellipses / sizeof *ellipses };

static void elliptic_has_the_response_of_scipy(void **state)
{
    for (int i = 0; i < ELLIPSES; i++) {
        const struct ellipse *e = &ellipses[i];
        struct yk_filter f;

        assert_ok(yk_filter_elliptic(&f, e->pass, e->stop, e->ripple, e->attenuation, h, &err));
        assert_int_equal(f.sections, (e->order + 1) / 2);
        check_impulse(&f, e->y, e->delay);
    }
}

static void elliptic_keeps_its_specification(void **state)
{
    for (int i = 0; i < ELLIPSES; i++) {
        const struct ellipse *e = &ellipses[i];
        struct yk_filter f;
        double least = INFINITY, most = 0, passed = 0;

        assert_ok(yk_filter_elliptic(&f, e->pass, e->stop, e->ripple, e->attenuation, h, &err));
        for (int k = 0; k <= 20000; k++) {
            const double m = magnitude(&f, e->pass * k / 20000);

            least = fmin(least, m);
            most = fmax(most, m);
            passed = fmax(passed, magnitude(&f, e->stop + (512 - e->stop) * k / 20000));
        }
        assert_near(20 * log10(most / least), e->ripple, 1e-6 * (1 + e->ripple));
        assert_true(-20 * log10(passed / most) >= e->attenuation - 1e-6);
        assert_near(magnitude(&f, 0), 1, 1e-12);
    }
}

static void reset_holds_a_constant_and_steps_use_no_heap(void **state)
{
    struct yk_filter f[3] = {{0}};
    struct trap_counts counts;
    double worst = 0;

    assert_ok(yk_filter_butterworth(&f[0], 7, 40, h, false, &err));
    assert_ok(yk_filter_elliptic(&f[1], 20, 30, 0.5, 40, h, &err));
    assert_ok(yk_filter_butterworth(&f[2], 2, 30, h, true, &err));
    trap_begin();
    for (int i = 0; i < 3; i++) {
        yk_filter_reset(&f[i], 0.37);
        for (int k = 0; k < 10000; k++)
            worst = fmax(worst, fabs(yk_filter_step(&f[i], 0.37) - 0.37));
    }
    trap_end(&counts);
    assert_int_equal(counts.heap_calls, 0);
    assert_near(worst, 0, 1e-12);
}

static void an_empty_filter_passes_everything(void **state)
{
    struct yk_filter f = {0};

    yk_filter_reset(&f, 3);
    assert_near(yk_filter_step(&f, -1.25), -1.25, 0);
}

static void filters_that_cannot_be_are_refused(void **state)
{
    struct yk_filter f;

    assert_refused(yk_filter_butterworth(&f, 0, 30, h, false, &err), YK_E_RANGE, "order 0 is outside 1 .. 16");
    assert_refused(yk_filter_butterworth(&f, 17, 30, h, false, &err), YK_E_RANGE, "order 17");
    assert_refused(yk_filter_butterworth(&f, 3, 30, h, true, &err), YK_E_RANGE, "1 .. 2, as far as the exact form");
    assert_refused(yk_filter_butterworth(&f, 2, 512, h, false, &err), YK_E_RANGE, "half the sampling rate");
    assert_refused(yk_filter_butterworth(&f, 2, NAN, h, false, &err), YK_E_RANGE, "cut-off of nan");
    assert_refused(yk_filter_butterworth(&f, 2, 30, 0, false, &err), YK_E_RANGE, "tick h = 0");
    assert_refused(yk_filter_elliptic(&f, 30, 20, 1, 40, h, &err), YK_E_RANGE, "is not above pass edge");
    assert_refused(yk_filter_elliptic(&f, 20, 600, 1, 40, h, &err), YK_E_RANGE, "stop edge of 600 Hz");
    assert_refused(yk_filter_elliptic(&f, 20, 30, 0, 40, h, &err), YK_E_RANGE, "0 < ripple");
    assert_refused(yk_filter_elliptic(&f, 20, 20.001, 0.01, 120, h, &err), YK_E_RANGE, "widen the transition");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(butterworth_has_the_response_of_scipy),
        cmocka_unit_test(exact_butterworth_is_the_held_analogue_filter),
        cmocka_unit_test(elliptic_has_the_response_of_scipy),
        cmocka_unit_test(elliptic_keeps_its_specification),
        cmocka_unit_test(reset_holds_a_constant_and_steps_use_no_heap),
        cmocka_unit_test(an_empty_filter_passes_everything),
        cmocka_unit_test(filters_that_cannot_be_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
