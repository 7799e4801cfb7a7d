/* Interfaces as wide as their sides: what a multiplier does to a side goes through the factor of that side, which is
 * sparse, rather than through a full matrix. `path: dense` has nothing sparse and takes the full matrix. */
#include "support/check.h"

#include <yoke/coupling.h>
#include <yoke/stepping.h>
#include <yoke/yoke.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MASSES = 160, STEPS = 400 };

/* Two chains joined at every mass, the second with hysteresis at its foot. */
static char *describe(const char *coupling, int substeps, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    fprintf(out, "time: {step: 1 ms, substeps: %d, end: 1}\nmethod: {coupling: %s, path: %s}\nsubstructures:\n",
            substeps, coupling, path);
    for (int side = 0; side < 2; side++) {
        fprintf(out, "  %s:\n    kind: assembled\n    rate: %s\n    nodes:\n", side ? "b" : "a",
                side ? "fine" : "coarse");
        for (int i = 0; i < MASSES; i++)
            fprintf(out, "      m%d: {mass: %d}\n", i, side ? 700 : 1000);
        fprintf(out, "    elements:\n      - {kind: %s, between: [ground, m0.x]}\n",
                side ? "bouc-wen, kh: 1e6, k0: 4e7, beta: 400, gamma: 400" : "spring, stiffness: 1e8");
        for (int i = 1; i < MASSES; i++)
            fprintf(out, "      - {kind: spring, between: [m%d.x, m%d.x], stiffness: %d}\n", i - 1, i,
                    side ? 80000000 : 100000000);
    }
    fprintf(out, "interfaces:\n");
    for (int i = 0; i < MASSES; i++)
        fprintf(out, "  - {join: [a.m%d.x, b.m%d.x]}\n", i, i);
    fprintf(out, "loads: [{on: a.m9.x, kind: sine, amplitude: 400 kN, frequency: 3}]\n");
    fclose(out);
    return text;
}

/* u of both sides after all steps; false: the coupling is not made for this. */
static bool follow(const char *coupling, int substeps, const char *path, double *u)
{
    char *text = describe(coupling, substeps, path);
    const struct yk_model_source source = {.path = "wide.yaml", .text = text, .size = strlen(text), .rehearse = true};
    struct yk_stepping *stepping = NULL;
    struct yk_model *model = NULL;
    struct yk_err err = {0};
    double v[2 * MASSES];

    if (yk_model_read(&model, &source, &err) || yk_stepping_open(&stepping, model, &err)) {
        yk_model_close(model);
        free(text);
        return false;
    }
    for (int k = 0; k < STEPS; k++)
        assert_int_equal(yk_stepping_step(stepping), YK_OK);
    for (size_t side = 0; side < 2; side++)
        assert_int_equal(yk_stepping_motion(stepping, side, u + side * MASSES, v, v + MASSES), YK_OK);
    yk_stepping_close(stepping);
    yk_model_close(model);
    free(text);
    return true;
}

static void a_multiplier_does_the_same_through_the_factor(void **state)
{
    static const char *const couplings[] = {"gc", "mph", "pm", "ph"};
    int compared = 0;

    for (size_t i = 0; i < sizeof couplings / sizeof *couplings; i++)
        for (int substeps = 1; substeps <= 3; substeps += 2) {
            double full[2 * MASSES], sparse[2 * MASSES], peak = 0, off = 0;

            if (!follow(couplings[i], substeps, "dense", full))
                continue;
            assert_true(follow(couplings[i], substeps, "auto", sparse));
            for (int k = 0; k < 2 * MASSES; k++) {
                peak = fmax(peak, fabs(full[k]));
                off = fmax(off, fabs(full[k] - sparse[k]));
            }
            if (!(off < 1e-10 * peak) || !(peak > 1e-3))
                print_error("%s, %d substeps: %.2e off, peak %.2e\n", couplings[i], substeps, off, peak);
            assert_true(off < 1e-10 * peak && peak > 1e-3);
            compared++;
        }
    assert_true(compared >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_multiplier_does_the_same_through_the_factor),
    };
    return cmocka_run_group_tests_name("wide interfaces", tests, NULL, NULL);
}
