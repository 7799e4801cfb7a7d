/* Quantities with units: conversion factors from the SI brochure and NIST SP 811, and every refusal. */
#include "support/check.h"

#include <yoke/units.h>

#include <math.h>
#include <stdlib.h>

static double parsed(const char *text, enum yk_quantity quantity)
{
    struct yk_err err = {0};
    double si = NAN;

    if (yk_quantity_parse(text, quantity, &si, &err))
        print_error("'%s': %s\n", text, yk_err_line(&err).text);
    return si;
}

static void bare_number_is_si(void **state)
{
    for (int q = 0; q < YK_QUANTITY_COUNT; q++) {
        assert_true(parsed("1e-3", q) == 1e-3);
        assert_true(parsed("  -.5  ", q) == -0.5);
        assert_true(parsed("+12.E2", q) == 1200);
    }
}

static void powers_of_ten_are_exact(void **state)
{
    assert_true(parsed("16 ms", YK_TIME) == 0.016);
    assert_true(parsed("14.8 kN/m", YK_STIFFNESS) == 14800);
    assert_true(parsed("250 us", YK_TIME) == 250e-6);
    assert_true(parsed("250 µs", YK_TIME) == 250e-6);
    assert_true(parsed("250 μs", YK_TIME) == 250e-6); /* the Greek letter */
    assert_true(parsed("7 mm/ms", YK_VELOCITY) == 7);
    assert_true(parsed("3 kHz", YK_FREQUENCY) == 3000);
    assert_true(parsed("2 t", YK_MASS) == 2000);
    assert_true(parsed("1 in", YK_LENGTH) == 0.0254);
    assert_true(parsed("5 %", YK_NUMBER) == 0.05);
    assert_true(parsed("10 GN", YK_FORCE) == 1e10);
    assert_true(parsed("3 nm", YK_LENGTH) == 3e-9);
    assert_true(parsed("210 bar", YK_PRESSURE) == 21e6);
    assert_near_relative(parsed("63 l/min", YK_FLOW), 1.05e-3, 4e-16);
    assert_true(parsed("2.5 l", YK_VOLUME) == 2.5e-3);
}

static void non_decimal_units_have_their_defined_values(void **state)
{
    const double eps = 4e-16;

    assert_near_relative(parsed("0.4 g", YK_ACCELERATION), 0.4 * 9.80665, eps);
    assert_near_relative(parsed("1 lbf", YK_FORCE), 4.4482216152605, eps);
    assert_near_relative(parsed("1 kip", YK_FORCE), 4448.2216152605, eps);
    assert_near_relative(parsed("1 kip/in", YK_STIFFNESS), 175126.83524647636, eps);
    assert_near_relative(parsed("1 ft", YK_LENGTH), 0.3048, eps);
    assert_near_relative(parsed("2 min", YK_TIME), 120, eps);
    assert_near_relative(parsed("2 h", YK_TIME), 7200, eps);
    assert_near_relative(parsed("180 deg", YK_DISPLACEMENT), 3.14159265358979, 1e-14);
    assert_near_relative(parsed("180°", YK_DISPLACEMENT), 3.14159265358979, 1e-14);
    assert_near_relative(parsed("5 mrad", YK_DISPLACEMENT), 0.005, eps);
}

static void speed_of_rotation_is_a_frequency_or_an_angular_velocity(void **state)
{
    assert_near_relative(parsed("3000 rpm", YK_FREQUENCY), 50, 4e-16);
    assert_near_relative(parsed("3000 rpm", YK_VELOCITY), 314.15926535897933, 4e-16);
    assert_near_relative(parsed("6.283185307179586 rad/s", YK_FREQUENCY), 1, 4e-16);
    assert_near_relative(parsed("360 deg/s", YK_FREQUENCY), 1, 4e-16);
    assert_true(parsed("2 1/s", YK_FREQUENCY) == 2);
    assert_true(parsed("2 rad/s", YK_PER_TIME) == 2);
}

static void product_and_quotient_are_written_in_many_ways(void **state)
{
    static const char *const damping[] = {"2 N s/m",   "2 N*s/m",    "2 N·s/m",       "2 N.s/m", "2N s / m",
                                          "2 N/m s",   "2 N s m^-1", "2 N s m-1",     "2 kg/s",  "2 N ⋅ s/m",
                                          "2 s N / m", "2 /m N s",   "2 kg m/s/s*s/m"};
    for (size_t i = 0; i < sizeof damping / sizeof damping[0]; i++)
        assert_true(parsed(damping[i], YK_DAMPING) == 2);
    assert_true(parsed("3 m/s2", YK_ACCELERATION) == 3);
    assert_true(parsed("3 m/s^2", YK_ACCELERATION) == 3);
    assert_true(parsed("3 m/s²", YK_ACCELERATION) == 3);
    assert_true(parsed("3 m/s/s", YK_ACCELERATION) == 3);
    assert_true(parsed("3 m s^-2", YK_ACCELERATION) == 3);
    assert_true(parsed("3 Pa m", YK_STIFFNESS) == 3);
    assert_true(parsed("3 W s", YK_ENERGY) == 3);
    assert_true(parsed("3 kNm", YK_FORCE) == 3000);
    assert_true(parsed("3 /m", YK_PER_LENGTH) == 3);
    assert_true(parsed("3 1/mm2", YK_PER_AREA) == 3e6);
    assert_true(parsed("4 mm/m", YK_NUMBER) == 0.004);
}

static void motion_is_translation_or_rotation(void **state)
{
    assert_true(parsed("2 kN/mm", YK_STIFFNESS) == 2e6);
    assert_true(parsed("2 kN m/rad", YK_STIFFNESS) == 2000);
    assert_true(parsed("2 kN m", YK_TURN_STIFFNESS) == 2000);
    assert_true(parsed("2 kg m2", YK_MASS) == 2);
    assert_true(parsed("2 N m s/rad", YK_DAMPING) == 2);
    assert_true(parsed("2 N m/rad3", YK_CUBIC) == 2);
    assert_true(parsed("2 N/m3", YK_CUBIC) == 2);
    assert_true(parsed("2 rad/s2", YK_ACCELERATION) == 2);
    assert_true(parsed("2 N m", YK_FORCE) == 2);
}

/* The kind of the degree of freedom decides the form of the quantity; off the diagonal of a matrix the two may meet. */
static void form_follows_the_degree_of_freedom(void **state)
{
    assert_int_equal(yk_quantity_of(YK_STIFFNESS, YK_ALONG), YK_PLAIN_STIFFNESS);
    assert_int_equal(yk_quantity_of(YK_MASS, YK_ABOUT), YK_INERTIA);
    assert_int_equal(yk_quantity_of(YK_CUBIC, YK_EITHER), YK_CUBIC);
    assert_int_equal(yk_quantity_of(YK_TIME, YK_ALONG), YK_TIME);
    assert_int_equal(yk_quantity_between(YK_STIFFNESS, YK_ALONG, YK_ABOUT), YK_CROSS_STIFFNESS);
    assert_int_equal(yk_quantity_between(YK_STIFFNESS, YK_ABOUT, YK_ABOUT), YK_TURN_STIFFNESS);
    assert_int_equal(yk_quantity_between(YK_DAMPING, YK_ABOUT, YK_EITHER), YK_ANY_DAMPING);
    assert_true(parsed("2 kN/rad", YK_CROSS_STIFFNESS) == 2000);
    assert_true(parsed("2 kN", YK_CROSS_STIFFNESS) == 2000);
    assert_true(parsed("2 kg m", YK_MASS_ARM) == 2);
    assert_true(parsed("2 kN", YK_ANY_STIFFNESS) == 2000);
}

static void a_fibre_has_strain_and_stress(void **state)
{
    struct yk_err err;
    double x;

    assert_int_equal(yk_quantity_of(YK_STIFFNESS, YK_FIBRE), YK_MODULUS);
    assert_int_equal(yk_quantity_of(YK_FORCE, YK_FIBRE), YK_STRESS);
    assert_int_equal(yk_quantity_of(YK_DISPLACEMENT, YK_FIBRE), YK_STRAIN);
    assert_int_equal(yk_quantity_of(YK_NUMBER, YK_FIBRE), YK_NUMBER);
    assert_true(parsed("200 GPa", YK_MODULUS) == 2e11);
    assert_true(parsed("450 N/mm2", YK_STRESS) == 450e6);
    assert_true(parsed("0.2 %", YK_STRAIN) == 0.002);
    assert_true(parsed("2 mm/m", YK_STRAIN) == 0.002);
    assert_int_equal(yk_quantity_parse("450 kN", YK_STRESS, &x, &err), YK_E_UNIT);
    assert_string_equal(err.wording, "'450 kN' is a force, but a stress is expected (Pa, MPa, GPa, N/m2)");
    assert_int_equal(yk_quantity_parse("2 mm", YK_STRAIN, &x, &err), YK_E_UNIT);
    assert_string_equal(err.wording,
                        "'2 mm' is a length, but a strain is expected (no unit, or %); did you mean '2 mm/m'?");
    assert_int_equal(yk_quantity_parse("200 GN/m", YK_MODULUS, &x, &err), YK_E_UNIT);
    assert_string_equal(err.wording, "'200 GN/m' is a stiffness, but a modulus of elasticity is expected "
                                     "(Pa, MPa, GPa, N/m2)");
}

static void forgotten_metre_is_noticed_and_suggested(void **state)
{
    static const struct {
        const char *text;
        enum yk_quantity quantity;
        const char *words;
    } cases[] = {
        {"18 MN", YK_STIFFNESS,
         "'18 MN' is a force, but a stiffness is expected (N/m, N m/rad); did you mean '18 MN/m' or '18 MN m/rad'?"},
        {"18 MN m", YK_STIFFNESS,
         "'18 MN m' is an energy or a moment, but a stiffness is expected (N/m, N m/rad); did you mean '18 MN/m' or "
         "'18 "
         "MN m/rad'?"},
        {"18 MN", YK_PLAIN_STIFFNESS, "(N/m); did you mean '18 MN/m'?"},
        {"18 MN m", YK_PLAIN_STIFFNESS, "(N/m); did you mean '18 MN/m'?"},
        {"18 MN/m", YK_TURN_STIFFNESS, "'18 MN/m' is a stiffness, but a rotational stiffness is expected (N m/rad)"},
        {"5 kN", YK_TURN_STIFFNESS, "did you mean '5 kN m/rad' or '5 kN m'?"},
        {"5 kN s", YK_PLAIN_DAMPING, "did you mean '5 kN s/m'?"},
        {"5 kN", YK_PLAIN_DAMPING, "did you mean '5 kN s/m'?"},
        {"36 t", YK_INERTIA, "did you mean '36 t m2'?"},
        {"36 t m2", YK_PLAIN_MASS, "'36 t m2' is a moment of inertia, but a mass is expected (kg, t)"},
        {"3 m", YK_SPEED, "did you mean '3 m/s'?"},
        {"3 m/s", YK_PLAIN_ACCELERATION, "did you mean '3 m/s2'?"},
        {"5 kN", YK_MOMENT, "did you mean '5 kN m'?"},
        {"3 m", YK_ANGLE, "'3 m' is a length, but an angle is expected (rad, deg)"},
        {"200 GPa m", YK_PRESSURE, "is a stiffness, but a pressure is expected"},
        {"2 1/s", YK_VELOCITY, "'2 1/s' is a rate, but a velocity is expected (m/s, rad/s)"},
        {"2 mm/V", YK_LENGTH, "but a length is expected (m)"},
        {"2 V", YK_STROKE_GAIN, "but a stroke for a unit of the device is expected (m, mm/V, deg/V)"},
    };
    static const struct {
        const char *text;
        enum yk_quantity quantity;
    } hopeless[] = {{"5 mm", YK_TIME}, {"2 deg", YK_LENGTH}, {"8 kN m", YK_PLAIN_FORCE}};
    double x;

    for (size_t i = 0; i < sizeof hopeless / sizeof *hopeless; i++) { /* not "did you mean '5 mm s/m'?" */
        struct yk_err err = {0};

        assert_int_equal(yk_quantity_parse(hopeless[i].text, hopeless[i].quantity, &x, &err), YK_E_UNIT);
        if (strstr(yk_err_line(&err).text, "did you mean"))
            fail_msg("%s", yk_err_line(&err).text);
    }
    assert_refused(yk_quantity_parse("2 s", YK_FREQUENCY, &x, &err), YK_E_UNIT, "did you mean '2/s'?");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(yk_quantity_parse(cases[i].text, cases[i].quantity, &x, &err), YK_E_UNIT, cases[i].words);
    assert_true(parsed("12.5 mm/V", YK_STROKE_GAIN) == 0.0125);
    assert_true(parsed("12.5 mm", YK_STROKE_GAIN) == 0.0125);
    assert_true(parsed("2 mm/mV", YK_STROKE_GAIN) == 2);
    assert_true(parsed("5 kN/V", YK_FORCE_GAIN) == 5000);
}

static void wrong_dimension_is_refused_by_name(void **state)
{
    double x;

    assert_refused(yk_quantity_parse("14.8 kg", YK_STIFFNESS, &x, &err), YK_E_UNIT,
                   "'14.8 kg' is a mass, but a stiffness is expected (N/m, N m/rad)");
    assert_refused(yk_quantity_parse("3 Hz", YK_VELOCITY, &x, &err), YK_E_UNIT,
                   "'3 Hz' is a frequency, but a velocity is expected (m/s, rad/s)");
    assert_refused(yk_quantity_parse("3 N", YK_ACCELERATION, &x, &err), YK_E_UNIT,
                   "'3 N' is a force, but an acceleration is expected (m/s2, rad/s2)");
    assert_refused(yk_quantity_parse("3 deg", YK_NUMBER, &x, &err), YK_E_UNIT,
                   "'3 deg' is an angle, but a number is expected (no unit, or %)");
    assert_refused(yk_quantity_parse("3 %", YK_DISPLACEMENT, &x, &err), YK_E_UNIT,
                   "'3 %' is a percentage, but a displacement is expected (m, rad)");
    assert_refused(yk_quantity_parse("0.4 g", YK_MASS, &x, &err), YK_E_UNIT,
                   "'0.4 g' is an acceleration, but a mass is expected (kg, kg m2)");
    assert_refused(yk_quantity_parse("3 kg2/rad", YK_TIME, &x, &err), YK_E_UNIT,
                   "'3 kg2/rad' is in kg2 rad-1, but a time is expected (s)");
    assert_refused(yk_quantity_parse("3 s/rad", YK_TIME, &x, &err), YK_E_UNIT,
                   "'3 s/rad' is in s rad-1, but a time is expected");
    assert_refused(yk_quantity_parse("3 rad Hz", YK_FREQUENCY, &x, &err), YK_E_UNIT, "but a frequency is expected");
}

static void unknown_unit_is_refused_with_a_suggestion(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"3 sec", "'3 sec': unknown unit 'sec'; did you mean 's'?"},
        {"3 KN", "unknown unit 'KN'; did you mean 'kN'?"},
        {"3 hz", "unknown unit 'hz'; did you mean 'Hz'?"},
        {"3 khz", "unknown unit 'khz'; did you mean 'kHz'?"},
        {"3 Nmm", "unknown unit 'Nmm'; did you mean 'N mm'?"},
        {"3 Ns/m", "unknown unit 'Ns'; did you mean 'N s'?"},
        {"3 psi", "unknown unit 'psi'; did you mean 'lbf/in2'?"},
        {"3 mg", "unknown unit 'mg'; did you mean 'kg'?"},
        {"3 furlong", "unknown unit 'furlong'; known are m, s, kg"},
    };
    double x;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_refused(yk_quantity_parse(cases[i].text, YK_DAMPING, &x, &err), YK_E_UNIT, cases[i].words);
}

static void what_is_not_a_finite_number_is_refused(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "'' is not a number"},
        {"   ", "is not a number"},
        {"m", "'m' is not a number"},
        {".", "'.' is not a number"},
        {"-", "'-' is not a number"},
        {"e5", "'e5' is not a number"},
        {"inf", "'inf' is not a finite number"},
        {"-Infinity", "'-Infinity' is not a finite number"},
        {"NaN", "'NaN' is not a finite number"},
        {"1e999", "'1e999' is not a finite number"},
    };
    double x = 7;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_refused(yk_quantity_parse(cases[i].text, YK_TIME, &x, &err), YK_E_INPUT, cases[i].words);
    assert_refused(yk_quantity_parse("1e308 h", YK_TIME, &x, &err), YK_E_RANGE, "'1e308 h' is too large");
    assert_true(x == 7);
}

static void junk_is_refused(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"3 m m2s", "'s' is not understood; put a blank, '*' or '/' between units"},
        {"3 m/", "the unit ends where another factor is expected"},
        {"3 m//s", "'/s' is not a unit"},
        {"3 N/(m/s)", "brackets are not understood"},
        {"3 4", "'4' is not a unit"},
        {"0x10", "unknown unit 'x'"},
        {"3, m", "', m' is not a unit"},
        {"3 m^", "the power of 'm' is not a whole number from -9 to 9, zero excluded"},
        {"3 m0", "the power of 'm'"},
        {"3 m12", "the power of 'm'"},
        {"3 m^1.5", "'5' is not a unit"},
        {"1,5 m", "',5 m' is not a unit"},
        {"3 m-", "'-' is not understood"},
    };
    double x;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_refused(yk_quantity_parse(cases[i].text, YK_TIME, &x, &err), YK_E_UNIT, cases[i].words);
}

static void endless_powers_are_refused(void **state)
{
    char text[2000] = "1";
    double x;

    for (int i = 0; i < 150; i++)
        strcat(text, " kg9");
    assert_refused(yk_quantity_parse(text, YK_MASS, &x, &err), YK_E_UNIT, "the powers in the unit are too high");
}

static void digits_round_as_strtod_does(void **state)
{
    static const char *const texts[] = {"0.1",
                                        "123456789012345678",
                                        "9007199254740993",
                                        "2.2250738585072011e-308",
                                        "4.9e-324",
                                        "1.7976931348623157e308",
                                        "0.000000000000000000000000000000000000000001234567",
                                        "179769313486231570000000000000000000000000000000000000000000000000000000001",
                                        "0e999",
                                        "1e-999"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_true(parsed(texts[i], YK_NUMBER) == strtod(texts[i], NULL));
    for (int i = 1; i < 20000; i++) {
        char text[40];

        snprintf(text, sizeof text, "%.*g", 12 + i % 6, sin(i) * pow(10, i % 40 - 20));
        assert_true(parsed(text, YK_NUMBER) == strtod(text, NULL));
    }
}

static void every_quantity_accepts_its_own_unit(void **state)
{
    char text[40];

    for (int q = 0; q < YK_QUANTITY_COUNT; q++) {
        assert_true(yk_quantity_name(q)[0] != 0);
        snprintf(text, sizeof text, "2.5 %s", yk_quantity_unit(q));
        assert_true(parsed(text, q) == 2.5);
    }
    assert_string_equal(yk_quantity_name(YK_STIFFNESS), "stiffness");
    assert_string_equal(yk_quantity_unit(YK_STIFFNESS), "N/m");
}

static void a_quantity_is_printed_with_the_prefix_that_an_engineer_uses(void **state)
{
    static const struct {
        double si;
        enum yk_quantity quantity;
        int digits;
        const char *text;
    } cases[] = {
        {36e3, YK_MASS, 4, "36 t"},
        {999, YK_MASS, 3, "999 kg"},
        {1.25e9, YK_MASS, 3, "1.25e+06 t"},
        {36.4e6, YK_MASS, 3, "36400 t"},
        {0.0035, YK_MASS, 3, "0.0035 kg"},
        {-18e6, YK_STIFFNESS, 3, "-18 MN/m"},
        {14800, YK_STIFFNESS, 3, "14.8 kN/m"},
        {0.5, YK_STIFFNESS, 3, "0.5 N/m"},
        {1e13, YK_STIFFNESS, 3, "10000 GN/m"},
        {0.000349, YK_LENGTH, 3, "0.349 mm"},
        {3.49e-8, YK_LENGTH, 3, "3.49e-05 mm"},
        {250e-6, YK_TIME, 3, "250 us"},
        {0.016, YK_TIME, 4, "16 ms"},
        {1, YK_TIME, 4, "1 s"},
        {1500, YK_LENGTH, 2, "1500 m"},
        {1234.56, YK_LENGTH, 6, "1234.56 m"},
        {999.96, YK_FORCE, 3, "1 kN"},
        {0.35, YK_FREQUENCY, 3, "0.35 Hz"},
        {210e9, YK_PRESSURE, 3, "210 GPa"},
        {0, YK_FORCE, 3, "0 N"},
        {0.05, YK_NUMBER, 3, "0.05"},
        {INFINITY, YK_FORCE, 3, "inf N"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(yk_quantity_format(cases[i].si, cases[i].quantity, cases[i].digits).text, cases[i].text);
}

static void an_axis_has_the_unit_that_an_engineer_uses(void **state)
{
    static const struct {
        const char *unit;
        double largest;
        const char *text;
        double factor;
    } cases[] = {{"m", 0.035, "mm", 1000},
                 {"m", -0.5, "mm", 1000},
                 {"m", 2, "m", 1},
                 {"m", 0, "m", 1},
                 {"N", 5000, "kN", 1e-3},
                 {"N", 900, "N", 1},
                 {"N", 2e7, "MN", 1e-6},
                 {"N m", 1.2e4, "kN m", 1e-3},
                 {"m/s2", 0.5, "m/s2", 1},
                 {"m/s", 0.02, "mm/s", 1000},
                 {"J", 4e3, "kJ", 1e-3},
                 {"s", 0.02, "ms", 1000},
                 {"", 5, "", 1},
                 {"rad", 0.5, "rad", 1},
                 {"furlong", 1e6, "furlong", 1},
                 {"m", NAN, "m", 1},
                 {"m", INFINITY, "m", 1}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct yk_display_unit shown = yk_unit_for_display(cases[i].unit, cases[i].largest);

        assert_string_equal(shown.text, cases[i].text);
        assert_true(shown.factor == cases[i].factor);
    }
}

static void one_unit_is_converted_to_another(void **state)
{
    struct yk_err err = {0};
    double factor = 0;

    assert_int_equal(yk_unit_factor("m", "mm", &factor, NULL), YK_OK);
    assert_true(factor == 1000);
    assert_int_equal(yk_unit_factor("m/s2", "g", &factor, NULL), YK_OK);
    assert_true(factor == 1 / 9.80665);
    assert_int_equal(yk_unit_factor("rad", "deg", &factor, NULL), YK_OK);
    assert_true(fabs(factor - 57.295779513082320877) < 1e-13);
    assert_int_equal(yk_unit_factor("N m", "kN m", &factor, NULL), YK_OK);
    assert_true(factor == 1e-3);
    assert_int_equal(yk_unit_factor("m", "kN", &factor, &err), YK_E_UNIT);
    assert_string_equal(err.wording, "'m' is a length, 'kN' is a force");
    assert_int_equal(yk_unit_factor("m", "parsec", &factor, &err), YK_E_UNIT);
    assert_int_equal(yk_unit_factor("m", "", &factor, &err), YK_E_UNIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bare_number_is_si),
        cmocka_unit_test(powers_of_ten_are_exact),
        cmocka_unit_test(non_decimal_units_have_their_defined_values),
        cmocka_unit_test(speed_of_rotation_is_a_frequency_or_an_angular_velocity),
        cmocka_unit_test(product_and_quotient_are_written_in_many_ways),
        cmocka_unit_test(motion_is_translation_or_rotation),
        cmocka_unit_test(form_follows_the_degree_of_freedom),
        cmocka_unit_test(a_fibre_has_strain_and_stress),
        cmocka_unit_test(forgotten_metre_is_noticed_and_suggested),
        cmocka_unit_test(wrong_dimension_is_refused_by_name),
        cmocka_unit_test(unknown_unit_is_refused_with_a_suggestion),
        cmocka_unit_test(what_is_not_a_finite_number_is_refused),
        cmocka_unit_test(junk_is_refused),
        cmocka_unit_test(endless_powers_are_refused),
        cmocka_unit_test(digits_round_as_strtod_does),
        cmocka_unit_test(every_quantity_accepts_its_own_unit),
        cmocka_unit_test(a_quantity_is_printed_with_the_prefix_that_an_engineer_uses),
        cmocka_unit_test(an_axis_has_the_unit_that_an_engineer_uses),
        cmocka_unit_test(one_unit_is_converted_to_another),
    };
    return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
