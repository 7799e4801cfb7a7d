/* Frequency responses of the compensators that predict, docs/theory/delay.md: predicted over exact for a sine that is
 * sampled every step, and delayed by one. Expected numbers come from the formulas there, evaluated apart. */
#include "support/check.h"
#include "support/transfer.h"

#include <complex.h>
#include <math.h>

#define DT 0.01

/* Part of e^{j Om t/D} at step i, real (part 0) or imaginary (1), with derivatives. */
static void wave(double Om, int part, int i, double *x, double *v, double *a)
{
    const double complex z = cexp(I * Om * i), dz = I * Om / DT * z, ddz = I * Om / DT * dz;

    *x = part ? cimag(z) : creal(z);
    *v = part ? cimag(dz) : creal(dz);
    *a = part ? cimag(ddz) : creal(ddz);
}

/* Predicted over exact for a complex exponential, with eta = 1. */
static double complex response(const char *name, const struct setting *set, double Om)
{
    double out[2] = {0, 0};
    const int last = 12;

    for (int part = 0; part < 2; part++) {
        struct compensator c = compensator_open(name, set, DT, 1);

        for (int i = 0; i <= last; i++) {
            double x, v, a;

            wave(Om, part, i - 1, &x, &v, &a);
            compensator_reached(&c, 0, x, v, a);
            wave(Om, part, i, &x, &v, &a);
            out[part] = compensator_predict(&c, 0, x, v, DT);
        }
        compensator_close(&c);
    }
    return (out[0] + I * out[1]) / cexp(I * Om * (last + 1));
}

static const struct response_row {
    const char *name;
    struct setting set[2];
    double magnitude[5], phase[5], turn;
} responses[] = {
    {"explicit-newmark",
     {{NULL, 0}},
     {1.00020, 1.00319, 1.11803, 2.23607, 8.06226},
     {0.001317, 0.010127, 0.107149, 0.034444, -1.377553},
     1.0408},
    {"linear-acceleration",
     {{NULL, 0}},
     {0.99987, 0.99804, 0.95749, 1.83644, 14.57756},
     {0.000026, 0.000816, 0.070617, 0.643078, -0.800094},
     1.5826},
    {"velocity",
     {{"order", 2}},
     {1.00003, 1.00053, 1.02037, 1.27833, 3.11859},
     {0.000331, 0.002607, 0.035398, 0.134413, -0.295364},
     1.5708},
    {"velocity",
     {{"order", 3}},
     {0.99998, 0.99974, 0.99152, 0.95413, 3.02839},
     {0.000002, 0.000063, 0.005864, 0.156075, 0.509645},
     2.6006},
    {"lagrange",
     {{"order", 2}},
     {1.00015, 1.00238, 1.08620, 1.88039, 5.00656},
     {0.000987, 0.007587, 0.081698, 0.033169, -1.230153},
     1.0472},
    {"lagrange",
     {{"order", 3}},
     {0.99990, 0.99854, 0.96893, 1.55500, 8.70848},
     {0.000020, 0.000620, 0.052082, 0.517014, -0.771393},
     1.5708},
};

static void frequency_responses_match_the_table(void **state)
{
    static const double Om[] = {0.1, 0.2, 0.5, 1, 2};

    for (size_t i = 0; i < sizeof responses / sizeof *responses; i++)
        for (int k = 0; k < 5; k++) {
            const double complex H = response(responses[i].name, responses[i].set, Om[k]);

            assert_near(cabs(H), responses[i].magnitude[k], 1e-5);
            assert_near(carg(H), responses[i].phase[k], 1e-5);
        }
}

/* The sign of the phase error changes where the table says, and not before. */
static void phase_errors_turn_negative_where_the_table_says(void **state)
{
    for (size_t i = 0; i < sizeof responses / sizeof *responses; i++) {
        const struct response_row *r = &responses[i];

        for (double Om = 0.05; Om < r->turn - 1e-4; Om += 0.01)
            assert_true(carg(response(r->name, r->set, Om)) > 0);
        assert_true(carg(response(r->name, r->set, r->turn - 1e-4)) > 0);
        assert_true(carg(response(r->name, r->set, r->turn + 1e-4)) < 0);
    }
}

/* How fast an error falls when the frequency is halved: 2^power. */
static double power_of(double at, double at_half)
{
    return log2(fabs(at / at_half));
}

/* Magnitudes are off by Om^4; phases by Om^3 with order 2, by Om^5 with order 3. */
static void errors_of_the_responses_fall_with_their_order(void **state)
{
    static const int order[] = {2, 3, 2, 3, 2, 3};

    for (size_t i = 0; i < sizeof responses / sizeof *responses; i++) {
        const struct response_row *r = &responses[i];
        const double complex H = response(r->name, r->set, 0.08), half = response(r->name, r->set, 0.04);

        assert_near(power_of(cabs(H) - 1, cabs(half) - 1), 4, 0.05);
        assert_near(power_of(carg(H), carg(half)), order[i] == 2 ? 3 : 5, 0.05);
    }
}

/* Than the others of the same order, those with velocity magnify less below Om = 2, and are early for longer. */
static void velocity_improves_the_response(void **state)
{
    for (size_t i = 0; i < sizeof responses / sizeof *responses; i++) {
        const struct response_row *with = &responses[i % 2 ? 3 : 2], *r = &responses[i];

        if (r == with)
            continue;
        assert_true(with->turn > r->turn);
        for (double Om = 0.05; Om <= 2; Om += 0.05) {
            const double magnitude = cabs(response(r->name, r->set, Om));

            if (magnitude > 1)
                assert_true(cabs(response(with->name, with->set, Om)) < magnitude);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frequency_responses_match_the_table),
        cmocka_unit_test(phase_errors_turn_negative_where_the_table_says),
        cmocka_unit_test(errors_of_the_responses_fall_with_their_order),
        cmocka_unit_test(velocity_improves_the_response),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
