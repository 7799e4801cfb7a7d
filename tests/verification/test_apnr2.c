/* APNR2 on the split mass against the independent prototype. */
#include "support/check.h"
#include "support/coupled.h"

#include <math.h>

static void sine_load(void *self, double t, double *f)
{
    f[0] = sin(2 * t);
}

static void states_of_the_split_mass(void **state)
{
    static const struct {
        double gamma, uA, vA, uB, vB;
    } rows[] = {{0.29289321881345254, 1.3516446819, -1.1671247863, 1.3517212889, -1.1669947786},
                {1.7071067811865475, 1.3515440338, -1.1660422905, 1.3479720270, -1.1706931585},
                {0.25, 1.3516449790, -1.1671292744, 1.3517245320, -1.1669951917},
                {0.5, 1.3516354030, -1.1670884173, 1.3516231782, -1.1670914493}};

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct torn t;
        struct yk_coupling c;
        struct yk_kinematics a, b;

        torn_split_mass(&t, 10, 1, 1, 0.01, 1);
        torn_load(&t, YK_FINE, (struct yk_loading){sine_load, NULL});
        torn_open(&c, &t, "apnr2", (const char *[]){"gamma"}, &rows[r].gamma, 1, 1);
        for (int k = 0; k < 200; k++)
            assert_int_equal(yk_coupling_step(&c), YK_OK);
        c.ops->now(c.self, YK_COARSE, &a);
        c.ops->now(c.self, YK_FINE, &b);
        assert_near(a.u[0], rows[r].uA, 1e-9);
        assert_near(a.v[0], rows[r].vA, 1e-9);
        assert_near(b.u[0], rows[r].uB, 1e-9);
        assert_near(b.v[0], rows[r].vB, 1e-9);
        yk_coupling_destroy(&c);
        torn_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(states_of_the_split_mass)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
