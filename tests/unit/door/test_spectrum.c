/* The first mode over the step: followed by continuity, whatever other roots are near. */
#include "support/check.h"

#include "analyze/first_mode.h"
#include "door/answers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Three storeys of 1 kg and 1 N/m: omega_1 = 2 sin(pi/14) 1/s. */
static const char frame[] =
    "time: {step: 0.1, end: 1}\nmethod: {integrator: newmark}\nsubstructures:\n"
    "  f: {dofs: [a, b, c], mass: [1, 1, 1], stiffness: [[2, -1, 0], [-1, 2, -1], [0, -1, 1]]}\n";

/* Trapezoidal rule: no damping, tan(phase/2) = omega h/2. */
static void check(const struct yk_model *e, double x, struct yk_first_mode *mode)
{
    const double omega = 2 * sin(M_PI / 14);
    struct yk_spectrum_point p = {0};

    assert_ok(yk_spectrum_at(e, x / omega, mode, &p, &err));
    assert_near(p.report.damping, 0, 1e-9);
    assert_near(p.report.frequency_error, 2 * atan(x / 2) / x - 1, 1e-6);
    free(p.re);
}

static void the_first_mode_keeps_its_root_where_those_of_others_come_near(void **state)
{
    struct yk_first_mode mode = {0}, other = {0};
    struct yk_model *e;

    assert_ok(yk_model_parse(&e, "frame.yaml", frame, strlen(frame), NULL, 0, &err));
    for (double x = 0.01; x < M_PI; x *= 1.05) /* omega h */
        check(e, x, &mode);
    check(e, 3, &other); /* at once */
    check(e, 0.2, &other);
    yk_model_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_mode_keeps_its_root_where_those_of_others_come_near),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
