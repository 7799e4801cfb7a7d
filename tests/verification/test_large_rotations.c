/* A cantilever whipped round by a load at its tip, from the experiment file to its motion: in the plane, in the same
 * plane of space, and in an oblique plane of space. The three motions are one. */
#include "support/check.h"
#include "support/dofs.h"

#include "state/state.h"

#include <math.h>
#include <stdlib.h>

enum { ELEMENTS = 5, STEPS = 150 };

/* The member lies along `along`, the load acts along `across`; both are unit vectors. In the plane z is left out. */
static struct yk_model *build(bool plane, const double along[3], const double across[3])
{
    static const char axis[] = "xyz";
    struct yk_model *e = NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    fprintf(
        out,
        "time: {step: 2 ms, end: %.17g}\nmethod: {integrator: newmark-newton, tolerance: 1e-12}\nsubstructures:\n  f:\n"
        "    kind: frame\n    rayleigh: {mass: 2}\n"
        "    sections: {s: {E: 210 GPa, A: 1e-3, Iz: 1e-8%s, density: 7850}}\n    nodes:\n",
        STEPS * 2e-3, plane ? "" : ", Iy: 1e-8, J: 1e-8");
    for (int i = 0; i <= ELEMENTS; i++) {
        const double s = 2.0 * i / ELEMENTS;

        fprintf(out, "      n%d: {at: [%.17g, %.17g", i, s * along[0], s * along[1]);
        if (!plane)
            fprintf(out, ", %.17g", s * along[2]);
        fprintf(out, "], fixed: %s, mass: {%srz: 0.02}}\n", i ? "[]" : "all", plane ? "" : "rx: 0.02, ry: 0.02, ");
    }
    fputs("    members:\n", out);
    for (int i = 0; i < ELEMENTS; i++)
        fprintf(out, "    - {between: [n%d, n%d], section: s, geometry: corotational, mass: lumped}\n", i, i + 1);
    fputs("loads:\n", out);
    for (int i = 0; i < (plane ? 2 : 3); i++)
        if (across[i] != 0)
            fprintf(out, "- {on: f.n%d.%c, kind: constant, amplitude: %.17g}\n", ELEMENTS, axis[i], 3000 * across[i]);
    fclose(out);
    assert_ok(yk_model_parse(&e, "test.yaml", text, size, NULL, 0, &err));
    free(text);
    return e;
}

/* Displacements of the tip along, across and its rotation about the normal, after every step. */
static void follow(bool plane, const double along[3], const double across[3], double tip[STEPS][3])
{
    static const char *const names[] = {"x", "y", "z", "rx", "ry", "rz"};
    struct yk_model *e = build(plane, along, across);
    const struct yk_substructure *s = &e->substructures[0];
    const size_t n = s->system->n;
    double *u = calloc(3 * n, sizeof *u);
    const double normal[3] = {along[1] * across[2] - along[2] * across[1], along[2] * across[0] - along[0] * across[2],
                              along[0] * across[1] - along[1] * across[0]};
    struct yk_state motion;

    assert_ok(yk_state_open(&motion, e, 0, &err));
    assert_int_equal(yk_state_start(&motion), YK_OK);
    for (int step = 0; step < STEPS; step++) {
        double all[6] = {0};

        assert_int_equal(yk_state_step(&motion), YK_OK);
        yk_state_now(&motion, 0, u, u + n, u + 2 * n);
        for (int i = 0; i < 6; i++) {
            char name[16];

            snprintf(name, sizeof name, "n%d.%s", ELEMENTS, names[i]);
            if (!plane || i < 2 || i == 5)
                all[i] = u[row_of(s, name)];
        }
        tip[step][0] = tip[step][1] = tip[step][2] = 0;
        for (int i = 0; i < 3; i++) {
            tip[step][0] += along[i] * all[i];
            tip[step][1] += across[i] * all[i];
            tip[step][2] += normal[i] * all[3 + i];
        }
    }
    yk_state_close(&motion);
    yk_model_close(e);
    free(u);
}

static void whip_in_space_is_that_in_the_plane_whichever_way_it_lies(void **state)
{
    static double plane[STEPS][3], space[2][STEPS][3];
    double farthest = 0;

    follow(true, (double[]){1, 0, 0}, (double[]){0, 1, 0}, plane);
    follow(false, (double[]){1, 0, 0}, (double[]){0, 1, 0}, space[0]);
    follow(false, (double[]){2.0 / 3, -1.0 / 3, 2.0 / 3}, (double[]){2.0 / 3, 2.0 / 3, -1.0 / 3}, space[1]);
    for (int step = 0; step < STEPS; step++)
        for (int i = 0; i < 3; i++) {
            assert_near(space[0][step][i], plane[step][i], 1e-9);
            assert_near(space[1][step][i], plane[step][i], 1e-9);
            farthest = fmax(farthest, fabs(plane[step][2]));
        }
    assert_true(farthest > 1.5); /* rad: otherwise nothing was turned far */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whip_in_space_is_that_in_the_plane_whichever_way_it_lies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
