/* The partitioned Newmark family against an independent prototype (split mass and pier surrogates) and against what its
 * sources claim: order, energy, work at the interface, stability of explicit sides. */
#include "support/check.h"
#include "support/coupled.h"

#include <math.h>

static void sine_load(void *self, double t, double *f)
{
    f[0] = sin(2 * t);
}

/* u of the split mass under sin 2t from u = v = 1 */
static double exact_u(double t)
{
    return cos(t) + 5.0 / 3 * sin(t) - sin(2 * t) / 3;
}
static double exact_v(double t)
{
    return -sin(t) + 5.0 / 3 * cos(t) - 2.0 / 3 * cos(2 * t);
}

static void advance(struct yk_coupling *c, long steps)
{
    for (long k = 0; k < steps; k++)
        assert_int_equal(yk_coupling_step(c), YK_OK);
}

/* The split mass with the load on B, at t = 2. */
struct end {
    double uA, vA, uB, vB, lambda;
};
static struct end loaded_split_mass(const char *name, double b1, double dt, int ss)
{
    struct torn t;
    struct yk_coupling c;
    struct yk_kinematics a, b;
    struct end end;

    torn_split_mass(&t, b1, 1, 1, dt, ss);
    torn_load(&t, YK_FINE, (struct yk_loading){sine_load, NULL});
    torn_open(&c, &t, name, NULL, NULL, 0, 1);
    advance(&c, lround(2 / dt));
    c.ops->now(c.self, YK_COARSE, &a);
    c.ops->now(c.self, YK_FINE, &b);
    end = (struct end){a.u[0], a.v[0], b.u[0], b.v[0], c.ops->lambda(c.self)[0]};
    yk_coupling_destroy(&c);
    torn_free(&t);
    return end;
}

static void states_of_the_split_mass(void **state)
{
    static const struct {
        const char *name;
        int ss;
        double uA, v, uB, force; /* force: the prototype counts the multiplier with the other sign */
    } rows[] = {{"gc", 1, 1.351586987057, -1.167103547942, 1.351586987057, 1.7938461670},
                {"gc", 10, 1.351417400236, -1.167641413381, 1.351419936154, 1.7937793220},
                {"pm", 1, 1.351508337544, -1.167086477891, 1.351536044079, 1.7938114975},
                {"pm", 10, 1.351361632427, -1.167565990918, 1.351393902565, 1.7937693071},
                {"mph", 1, 1.351586987057, -1.167103547942, 1.351586987057, 1.7938461670},
                {"mph", 10, 1.351607696071, -1.167111645889, 1.351616838363, 1.7939009294},
                {"ph", 1, 1.351586987057, -1.167103547942, 1.351586987057, 1.7938461670},
                {"ph", 10, 1.351607696071, -1.167111645889, 1.351616838363, 1.7939009294}};

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct end end = loaded_split_mass(rows[r].name, 10, 0.01, rows[r].ss);

        assert_near(end.uA, rows[r].uA, 1e-9);
        assert_near(end.vA, rows[r].v, 1e-9);
        assert_near(end.vB, rows[r].v, 1e-9);
        assert_near(end.uB, rows[r].uB, 1e-9);
        assert_near(end.lambda, -rows[r].force, 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(states_of_the_split_mass)};
    (void)exact_u;
    (void)exact_v;

    return cmocka_run_group_tests(tests, NULL, NULL);
}
