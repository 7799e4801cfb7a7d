/* The expression language. Expected values: an independent prototype and arithmetic; columns of mistakes as the page
 * docs/expressions.md has them. */
#include "support/check.h"

#include <yoke/expression.h>

#include <math.h>
#include <stdlib.h>

enum { ROWS = 5, CHANNELS = 7, TEXTS = 20000, ALL_TEXTS = 100000 };

static const char *const names[CHANNELS] = {"time", "a.u", "b.u", "a.f", "frame.a-b.M1", "frame.a.x.r", "frame.b.x.r"};
static const char *const units[CHANNELS] = {"s", "m", "m", "N", "N m", "N", "N"};
static const struct yk_expression_scope scope = {CHANNELS, names, units, 0.1};
static const double rows[ROWS][CHANNELS] = {{0, 0, 0, 0, 5, 1, 2},
                                            {0.1, 0.01, 0.004, 1000, 6, 3, 4},
                                            {0.2, 0.03, 0.01, 2000, 7, 5, 6},
                                            {0.3, 0.02, 0.03, -500, 8, 7, 8},
                                            {0.4, -0.01, 0, -1000, 9, 9, 10}};

static void evaluate(const char *text, double *out, const char *unit)
{
    struct yk_expression *e;
    struct yk_err err_ = {0};

    if (yk_expression_compile(&e, text, &scope, &err_))
        fail_msg("%s: column %d: %s", text, err_.column, err_.wording);
    if (unit)
        assert_string_equal(yk_expression_unit(e), unit);
    assert_ok(yk_expression_run(e, ROWS, CHANNELS, rows[0], out, &err));
    yk_expression_free(e);
}

static const struct {
    const char *text, *unit;
    double last;
} values[] = {
    {"-2^2", "", -4},
    {"2^3^2", "", 512},
    {"2^-1", "", 0.5},
    {"8 / 4 / 2", "", 1},
    {"7 - 2 - 1", "", 4},
    {"1 < 2 and not 3 < 2", "", 1},
    {"0 or 2 > 3", "", 0},
    {"5 mm + 1 cm", "m", 0.015},
    {"2 [kN/m] * 3 mm", "N", 6},
    {"20 %", "", 0.2},
    {"(a.u - b.u) / 3.0 m", "", -1.0 / 300},
    {"a.u-b.u", "m", -0.01},
    {"frame.a-b.M1 / 2", "N m", 4.5},
    {"frame.*.x.r", "N", 19},
    {"max(frame.*.x.r)", "N", 10},
    {"min(frame.*.x.r, 3 N)", "N", 3},
    {"sum(1, 2, 3)", "", 6},
    {"\"frame.a-b.M1\"", "N m", 9},
    {"2*frame.?.x.r", "N", 38},
    {"frame.[ab].x.r*2", "N", 38},
    {"sqrt(4 [m2])", "m", 2},
    {"a.f / a.u [kN/mm]", "kN/mm", 0.1},
    {"integral(a.f * derivative(a.u))", "N m", 70},
    {"rms(a.u)", "m", 0.01732051},
    {"lowpass(a.u, 2 Hz)", "m", 0.018457548},
    {"delay(a.u, 0.2 s)", "m", 0.03},
    {"peak(a.u - b.u) / 3.5 m * 100", "", 0.5714286},
    {"mean(a.u)", "m", 0.01},
    {"first(frame.a.x.r)", "N", 1},
    {"clamp(a.u, 0 m, 1 m)", "m", 0},
    {"if(a.u < 0, -a.u, a.u)", "m", 0.01},
    {"abs(a.u) == 10 mm", "", 1},
    {"atan2(1, 1) * 4 - pi", "", 0},
    {"hypot(3 m, 4 m)", "m", 5},
    {"a.f * derivative(a.u)", "W", 300},
    {"floor(2.7) + ceil(2.2) + sign(-3)", "", 4},
    {"a.u > 0", "", 0},
    {"exp(log(2)) + log10(100)", "", 4},
};

static void values_and_units(void **state)
{
    double out[ROWS];

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        evaluate(values[i].text, out, values[i].unit);
        if (!(fabs(out[ROWS - 1] - values[i].last) <= 1e-6 * fabs(values[i].last) + 1e-12))
            fail_msg("%s is %.10g, expected %.10g", values[i].text, out[ROWS - 1], values[i].last);
    }
}

static void histories(void **state)
{
    static const struct {
        const char *text;
        double y[ROWS];
    } histories[] = {
        {"a.f / a.u [kN/mm]", {NAN, 0.1, 0.0666667, -0.025, 0.1}},
        {"integral(a.f * derivative(a.u))", {0, 5, 30, 52.5, 70}},
        {"rms(a.u)", {0, 0.00707107, 0.01825742, 0.01870829, 0.01732051}},
        {"lowpass(a.u, 2 Hz)", {0, 0.002065721, 0.011091945, 0.022285764, 0.018457548}},
        {"delay(a.u, 0.2 s)", {0, 0, 0, 0.01, 0.03}},
        {"peak(a.u - b.u) / 3.5 m * 100", {0, 0.1714286, 0.5714286, 0.5714286, 0.5714286}},
    };
    double out[ROWS];

    for (size_t i = 0; i < sizeof histories / sizeof histories[0]; i++) {
        evaluate(histories[i].text, out, NULL);
        for (int k = 0; k < ROWS; k++)
            if (!(isnan(histories[i].y[k]) ? isnan(out[k])
                                           : fabs(out[k] - histories[i].y[k]) <= 1e-6 * fabs(out[k]) + 1e-8))
                fail_msg("%s: sample %d is %.10g", histories[i].text, k, out[k]);
    }
}

static const struct {
    const char *text;
    int column;
    const char *words;
} mistakes[] = {
    {"a.u + a.f", 5, "cannot add m and N"},
    {"2 +", 4, "a value is expected"},
    {"(a.u - b.u", 11, "missing ')' for the '(' in column 1"},
    {"sqr(2)", 1, "sqrt"},
    {"a.w", 1, "a.u"},
    {"1 < 2 < 3", 7, "cannot be chained"},
    {"2 a.u", 3, "only a unit can follow a number; write 2*a.u"},
    {"max()", 5, "number of arguments"},
    {"hypot(a.u)", 10, "number of arguments"},
    {"2 ** 3", 4, "powers are written ^"},
    {"lowpass(a.u, time)", 14, "must be a constant"},
    {"sin(a.u)", 5, "pure number"},
    {"a.u ^ time", 7, "pure number"},
    {"a.u [N]", 6, "does not fit"},
    {"a.u $ 2", 5, "an operator is expected"},
    {"3 foo", 3, "unknown unit"},
    {"", 1, "a value is expected"},
    {"a.u)", 4, "too many"},
    {"frame.*.q", 1, "no channel matches"},
    {"max(a.u, a.f)", 10, "cannot compare m and N"},
    {"if(1, a.u, a.f)", 12, "cannot choose between m and N"},
    {"2 [kN", 3, "missing ']'"},
    {"\"a.u", 1, "missing quote"},
    {"lowpass(a.u, 9 Hz)", 14, "half the rate"},
    {"delay(a.u, 2 m)", 12, "must be a time"},
    {"\xc3\xa4 + 1", 1, "a value is expected"},
    {"1 + \"\xc3\xa4\" + $", 5, "there is no channel"},
};

static void mistakes_have_their_column(void **state)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        struct yk_expression *e;
        struct yk_err got = {0};

        if (!yk_expression_compile(&e, mistakes[i].text, &scope, &got) || got.column != mistakes[i].column ||
            !strstr(got.wording, mistakes[i].words))
            fail_msg("'%s': column %d: %s", mistakes[i].text, got.column, got.wording);
    }
    assert_string_equal(yk_expression_caret("a.u + a.f", 5).text, "a.u + a.f\n    ^\n");
}

static void memory_needs_samples_over_time_and_channels_are_told(void **state)
{
    const struct yk_expression_scope figures = {CHANNELS, names, units, 0};
    struct yk_expression *e;
    size_t used[4];

    assert_refused(yk_expression_compile(&e, "derivative(a.u)", &figures, &err), YK_E_INPUT, "samples over time");
    assert_ok(yk_expression_compile(&e, "(a.u - b.u)/(a.u + 1 m)", &figures, &err));
    assert_int_equal(yk_expression_channels(e, used, 4), 2);
    assert_int_equal(used[0], 1);
    assert_int_equal(used[1], 2);
    assert_int_equal(yk_expression_memory(e), 0);
    yk_expression_free(e);
}

static void constants_are_folded_and_sizes_are_bounded(void **state)
{
    char deep[2000], longer[6000] = "a.u";
    struct yk_expression *e;
    double y;

    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    assert_refused(yk_expression_compile(&e, deep, &scope, &err), YK_E_RANGE, "too deeply nested");
    for (int i = 0; i < 200; i++)
        strcat(longer, " + a.u");
    assert_refused(yk_expression_compile(&e, longer, &scope, &err), YK_E_RANGE, "too long");
    strcpy(longer, "1");
    for (int i = 0; i < 200; i++)
        strcat(longer, " + 2 * 3");
    assert_ok(yk_expression_compile(&e, longer, &scope, &err));
    y = yk_expression_value(e, NULL, NULL);
    assert_near(y, 1201, 0);
    yk_expression_free(e);
}

/* Random texts of words of the language: refused with a column inside the text, or compiled and run. */
static void random_texts_do_no_harm(void **state)
{
    static const char *const words[] = {"a.u",
                                        "b.u",
                                        "a.f",
                                        "frame.*.x.r",
                                        "(",
                                        ")",
                                        "+",
                                        "-",
                                        "*",
                                        "/",
                                        "^",
                                        "<",
                                        "and",
                                        "not",
                                        "or",
                                        ",",
                                        "max",
                                        "if",
                                        "delay",
                                        "2",
                                        "0.1",
                                        "mm",
                                        "s",
                                        "[",
                                        "]",
                                        "%",
                                        " ",
                                        "sqrt",
                                        "peak",
                                        "\"",
                                        "e",
                                        "1e9",
                                        "Hz",
                                        "lowpass",
                                        "==",
                                        ".",
                                        "$",
                                        "\xc2\xb5m",
                                        "frame.a-b.M1",
                                        "["};
    const int texts = getenv("YOKE_ALL_RUNS") ? ALL_TEXTS : TEXTS;
    unsigned long seed = 12345;
    int compiled = 0;

    for (int i = 0; i < texts; i++) {
        char text[200] = "";
        struct yk_expression *e;
        struct yk_err got = {0};
        size_t n;
        double out[ROWS];

        seed = seed * 6364136223846793005UL + 1442695040888963407UL;
        n = 1 + (seed >> 33) % 12;
        for (size_t k = 0; k < n; k++) {
            seed = seed * 6364136223846793005UL + 1442695040888963407UL;
            strcat(text, words[(seed >> 33) % (sizeof words / sizeof words[0])]);
        }
        if (yk_expression_compile(&e, text, &scope, &got)) {
            if (got.column < 1 || got.column > (int)strlen(text) + 1 || !*got.wording)
                fail_msg("'%s': column %d: %s", text, got.column, got.wording);
            continue;
        }
        assert_ok(yk_expression_run(e, ROWS, CHANNELS, rows[0], out, &err));
        yk_expression_free(e);
        compiled++;
    }
    assert_true(compiled > texts / 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_units),
        cmocka_unit_test(histories),
        cmocka_unit_test(mistakes_have_their_column),
        cmocka_unit_test(memory_needs_samples_over_time_and_channels_are_told),
        cmocka_unit_test(constants_are_folded_and_sizes_are_bounded),
        cmocka_unit_test(random_texts_do_no_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
