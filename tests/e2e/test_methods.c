/* yoke analyze spectrum|order --methods: several methods in one table and picture, against closed forms. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define OSCILLATOR YOKE_SOURCE "/examples/oscillator/oscillator.yaml"
#define UNDAMPED   "substructures.oscillator.damping=[[0]]"

static json_t *answer(const char *const *words)
{
    json_t *root;

    assert_int_equal(program_code(words), 0);
    root = json_loads(program_said(), 0, NULL);
    assert_non_null(root);
    return root;
}

static double at(const json_t *object, const char *key, size_t i)
{
    return json_number_value(json_array_get(json_object_get(object, key), i));
}

/* Undamped, with x = h/T: average acceleration has 2/h atan(w h/2) for w, so the period is pi x / atan(pi x) times as
 * long, and no damping; central differences 2/h asin(w h/2), up to x = 1/pi. */
static void spectra_are_those_of_the_closed_forms(void **state)
{
    const char *figure = scratch_path("methods.svg");
    json_t *root = answer((const char *const[]){YOKE_PROGRAM, "analyze", "spectrum", OSCILLATOR, "--set", UNDAMPED,
                                                "--methods", "newmark, central-difference,gc", "--plot", figure,
                                                "--json", NULL}),
           *methods = json_object_get(root, "methods"), *newmark = json_array_get(methods, 0),
           *central = json_array_get(methods, 1), *x = json_object_get(json_object_get(root, "h_over_T"), "first_mode");

    assert_int_equal(json_array_size(methods), 2);
    assert_near_relative(json_number_value(json_object_get(root, "period_s")), M_PI, 1e-12);
    assert_true(json_is_null(json_object_get(newmark, "stable_to_h_over_T")));
    assert_near(json_number_value(json_object_get(central, "stable_to_h_over_T")), 1 / M_PI, 1e-4);
    for (size_t i = 0; i < json_array_size(x); i++) {
        const double s = M_PI * json_number_value(json_array_get(x, i));

        assert_near(at(newmark, "period_error_percent", i), 100 * (s / atan(s) - 1), 1e-8);
        assert_near(at(newmark, "damping_percent", i), 0, 1e-8);
        assert_near(at(central, "period_error_percent", i), 100 * (s / asin(s) - 1), 1e-6);
    }
    /* gc needs two sides */
    const json_t *left = json_array_get(json_object_get(root, "left_out"), 0);

    assert_string_equal(json_string_value(json_object_get(left, "method")), "gc");
    assert_non_null(strstr(json_string_value(json_object_get(left, "reason")), "no substructure has rate: fine"));
    assert_int_equal(access(figure, R_OK), 0);
    json_decref(root);
}

static void orders_are_those_of_the_methods(void **state)
{
    static const double orders[] = {2, 2, 3, 4};
    const char *figure = scratch_path("orders.svg");
    json_t *root = answer((const char *const[]){YOKE_PROGRAM, "analyze", "order", OSCILLATOR, "--methods",
                                                "newmark,{integrator: hht, alpha: -0.3},lsrt3,rk4", "--plot", figure,
                                                "--json", NULL}),
           *methods = json_object_get(root, "methods");

    assert_int_equal(json_array_size(methods), 4);
    for (size_t i = 0; i < 4; i++)
        assert_near(json_number_value(json_object_get(json_object_get(json_array_get(methods, i), "order"), "u")),
                    orders[i], 0.1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(methods, 1), "method")), "hht, alpha: -0.3");
    assert_int_equal(access(figure, R_OK), 0);
    json_decref(root);
}

static void mistakes_in_the_list_are_told(void **state)
{
    assert_int_equal(program_code((const char *const[]){YOKE_PROGRAM, "analyze", "spectrum", OSCILLATOR, "--methods",
                                                        "newmark,nemwark", NULL}),
                     2);
    assert_said("there is no integrator or coupling 'nemwark'");
    assert_int_equal(
        program_code((const char *const[]){YOKE_PROGRAM, "analyze", "order", OSCILLATOR, "--methods", "gc,pm", NULL}),
        2);
    assert_said("no method is left to compare");
    assert_int_equal(program_code((const char *const[]){YOKE_PROGRAM, "analyze", "spectrum", OSCILLATOR, "--methods",
                                                        "newmark", "--steps", "1,2", NULL}),
                     2);
    assert_said("leave out --steps and --scan");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spectra_are_those_of_the_closed_forms),
        cmocka_unit_test(orders_are_those_of_the_methods),
        cmocka_unit_test(mistakes_in_the_list_are_told),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
