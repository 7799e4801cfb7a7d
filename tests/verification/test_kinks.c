/* newmark-newton over kinks: chains of laws with corners, with steps so long that full steps of Newton's method go in
 * circles between two branches. Expected: equilibrium at the end of every step, M a = f - r, from the laws themselves.
 */
#include "support/check.h"
#include "support/dofs.h"

#include "state/state.h"
#include "substructure/probe.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 5 };

struct chain {
    const char *step;
    size_t n;
    double mass[MOST];
    const char *law[MOST]; /* from the ground on */
    double amplitude, hz;  /* of the force at the end */
};

static struct yk_model *build(const struct chain *c)
{
    struct yk_model *e = NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    fprintf(out,
            "time: {step: %s, end: 4}\nmethod: {integrator: newmark-newton, tolerance: 1e-12}\nsubstructures:\n  s:\n"
            "    kind: assembled\n    nodes:\n",
            c->step);
    for (size_t i = 0; i < c->n; i++)
        fprintf(out, "      n%zu: {mass: %g}\n", i, c->mass[i]);
    fputs("    elements:\n", out);
    for (size_t i = 0; i < c->n; i++) {
        char from[8] = "ground";

        if (i)
            snprintf(from, sizeof from, "n%zu.x", i - 1);
        fprintf(out, "    - {%s, between: [%s, n%zu.x]}\n", c->law[i], from, i);
    }
    fprintf(out, "loads: [{on: s.n%zu.x, kind: sine, amplitude: %.17g, frequency: %g}]\n", c->n - 1, c->amplitude,
            c->hz);
    fclose(out);
    assert_ok(yk_model_parse(&e, "test.yaml", text, size, NULL, 0, &err));
    free(text);
    return e;
}

static void check_balance(const struct chain *c)
{
    struct yk_model *e = build(c);
    struct yk_state motion;

    assert_ok(yk_state_open(&motion, e, 0, &err));
    assert_int_equal(yk_state_start(&motion), YK_OK);
    for (long k = 1; k <= e->steps; k++) {
        const struct yk_substructure *s = &motion.substructures[0];
        const double f = c->amplitude * sin(2 * acos(-1.0) * c->hz * (double)k * e->time.step);
        double u[MOST], v[MOST], a[MOST], r[MOST], rest[MOST] = {0};

        assert_int_equal(yk_state_step(&motion), YK_OK);
        yk_state_now(&motion, 0, u, v, a);
        yk_structure_restoring(s->system, u, rest, r);
        for (size_t i = 0; i < c->n; i++)
            assert_near(c->mass[i] * a[i] + r[i], i + 1 == c->n ? f : 0, 1e-9 * c->amplitude);
    }
    yk_state_close(&motion);
    yk_model_close(e);
}

static void bilinear_chains_are_in_balance_after_every_step(void **state)
{
    check_balance(&(struct chain){
        "5 ms",
        2,
        {30000, 30},
        {"kind: bilinear, stiffness: 7.26266e+07, yield_slip: 0.000753418, hardening: 0.05",
         "kind: bilinear, stiffness: 3.11687e+07, yield_slip: 0.000964906, hardening: 0.01"},
        61843,
        1,
    });
}

/* The laws soften beyond their second point, faster than the inertia of a step holds: the tangent is negative there. */
static void softening_chains_are_in_balance_after_every_step(void **state)
{
    check_balance(&(struct chain){
        "20 ms",
        1,
        {1000},
        {"kind: pinching, positive: [[478033, 0.000638283], [573640, 0.00306496], [289380, 0.0230272]], px: 0.761, "
         "py: 0.478, D1: 0.01, D2: 0.02"},
        451160,
        1,
    });
    check_balance(&(struct chain){
        "5 ms",
        2,
        {10000, 10},
        {"kind: pinching, positive: [[32747.2, 0.000391144], [39296.7, 0.00275245], [13949.4, 0.0106377]], px: 0.947, "
         "py: 0.256, D2: 0.02, beta: 0.3",
         "kind: pinching, positive: [[22026.4, 0.000272923], [26431.6, 0.00315558], [18521, 0.00430256]], px: 0.513, "
         "py: 0.317, D1: 0.01, beta: 0.3"},
        38215,
        1,
    });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bilinear_chains_are_in_balance_after_every_step),
        cmocka_unit_test(softening_chains_are_in_balance_after_every_step),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
