/* A hybrid test on a machine that was measured: which compensator is best. Expected figures: an independent prototype
 * with the joint linear model of three recordings (K 1.0044, T 22.27 ms, tau 4.493 ms), its tolerance of 0.5 %: what
 * the sweep suggests as "the delay" leaves ten times the error of the delay that a slow structure feels. */
#include "support/check.h"
#include "support/scratch.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/logger.h>
#include <yoke/measured.h>
#include <yoke/yoke.h>

#define EXAMPLE YOKE_SOURCE "/examples/measured-machine/measured-machine.yaml"
#define PLANT   "{ kind: first-order, gain: 1.0044, time_constant: 22.27 ms, dead_time: 4.493 ms }"

/* Error of the displacement [%] and peak of the reference [mm]. */
static void rehearse(const char *plant, const char *compensator, double *error, double *peak)
{
    char one[900], two[200];
    const char *const overrides[] = {one, two, "rig.actuators.jack.sensors={}"};
    struct yk_model *model = NULL;
    char *summary = NULL;

    snprintf(one, sizeof one, "rig.actuators.jack.plant=%s", plant);
    snprintf(two, sizeof two, "transfer.jack.compensator={ kind: %s }", compensator);
    assert_ok(yk_model_open(&model, EXAMPLE, overrides, 3, &err));
    assert_ok(yk_model_run(model, NULL, &summary, &err));
    json_t *all = json_loads(summary, 0, NULL);
    *error = 100 * json_real_value(json_object_get(json_object_get(all, "errors"), "displacement_nrms"));
    *peak = 1e3 * json_real_value(json_object_get(json_object_get(all, "peaks"), "reference.frame.x.u"));
    json_decref(all);
    yk_free(summary);
    yk_model_close(model);
}

static void the_delay_of_the_sweep_is_the_wrong_one(void **state)
{
    static const struct {
        const char *compensator;
        double error;
    } cases[] = {
        {"none", 192},
        {"lagrange, order: 3, delay: 17.1 ms", 36.6},
        {"lagrange, order: 3, delay: 21.3 ms", 17.5},
        {"lagrange, order: 3, delay: 26.8 ms", 3.4},
        {"model-inverse, model: first, gain: 1.0044, time_constant: 22.27 ms, delay: 27.263 ms",
         3.2}, /* half a tick late */
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double error, peak;

        rehearse(PLANT, cases[i].compensator, &error, &peak);
        assert_near(error, cases[i].error, 0.5);
        assert_near(peak, 3.8933, 0.001);
    }
}

/* The file that `yoke identify` wrote runs as it is, and the inverse of the lag beats every delay; half a tick less is
 * exact. */
static void the_identified_file_runs_as_it_is(void **state)
{
    double inverse, slow, sweep, exact, peak;

    rehearse("actuator.yaml",
             "model-inverse, model: first, gain: 1.00548, time_constant: 22.3089 ms, delay: 26.8589 ms", &inverse,
             &peak);
    rehearse("actuator.yaml",
             "model-inverse, model: first, gain: 1.00548, time_constant: 22.3089 ms, delay: 26.3589 ms", &exact, &peak);
    rehearse("actuator.yaml", "lagrange, order: 3, delay: 26.8 ms", &slow, &peak);
    rehearse("actuator.yaml", "lagrange, order: 3, delay: 17.1 ms", &sweep, &peak);
    assert_true(exact < inverse && inverse < slow && slow < 0.15 * sweep);
    assert_true(inverse < 3);
}

/* Rows 6000 to 44000 of the May sweep less the joint model, less their mean. */
static void write_residual(const char *path)
{
    static const struct yk_log_role roles[] = {{"command", YK_DISPLACEMENT, false},
                                               {"displacement", YK_DISPLACEMENT, false}};
    const struct yk_rational joint = {
        .poles = 1, .gain = 1.0044, .dead_time_s = 4.493e-3, .a = {1, 22.27e-3}, .b = {1}};
    struct yk_fit_quality quality;
    double mean = 0, square = 0;
    struct yk_log log;

    assert_ok(yk_log_read(&log, YOKE_SOURCE "/data/measured/utfsm/chirp-may-0.5A.csv.gz",
                          &(struct yk_log_ask){.roles = roles, .count = 2}, &err));
    const struct yk_actuator_record r = {"may", log.rows, log.column[0].x, log.column[1].x, log.step_s, 0};
    double *e = malloc(log.rows * sizeof *e);
    assert_ok(yk_model_quality(&joint, &r, &quality, e, &err));
    for (int k = 6000; k < 44000; k++)
        mean += e[k] / 38000;
    FILE *out = fopen(path, "w");
    fprintf(out, "time [s],residual [m]\n");
    for (int k = 6000; k < 44000; k++) {
        square += pow(e[k] - mean, 2) / 38000;
        fprintf(out, "%.9g,%.9g\n", 1e-3 * (k - 6000), e[k] - mean);
    }
    fclose(out);
    assert_near(1e6 * sqrt(square), 21, 0.5);
    free(e);
    yk_log_free(&log);
}

static void the_residual_of_the_machine_can_be_played_on_its_reading(void **state)
{
    static const struct {
        const char *compensator;
        double error, tolerance;
    } cases[] = {
        {"none", 190, 1},
        {"lagrange, order: 3, delay: 17.1 ms", 36.0, 1},
        {"lagrange, order: 3, delay: 21.3 ms", 17.0, 0.5},
        {"lagrange, order: 3, delay: 26.8 ms", 3.6, 0.5},
        {"model-inverse, model: first, gain: 1.0044, time_constant: 22.27 ms, delay: 27.263 ms", 3.6, 0.5},
    };
    char *model = strdup(scratch_path("joint.yaml")), *residual = strdup(scratch_path("residual.csv")), plant[700];
    FILE *out = fopen(model, "w");

    fprintf(out, "plant: " PLANT "\n");
    fclose(out);
    write_residual(residual);
    snprintf(plant, sizeof plant, "{ kind: recorded, model: %s, residual: %s, residual_scale: 1, residual_from: 0 s }",
             model, residual);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double error, peak;

        rehearse(plant, cases[i].compensator, &error, &peak);
        print_message("%s: %.2f\n", cases[i].compensator, error);
        assert_near(error, cases[i].error, cases[i].tolerance);
    }
    free(model);
    free(residual);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_delay_of_the_sweep_is_the_wrong_one),
        cmocka_unit_test(the_identified_file_runs_as_it_is),
        cmocka_unit_test(the_residual_of_the_machine_can_be_played_on_its_reading),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
