/* Gauges of the dashboard from the rows of a run. */
#include "support/check.h"

#include <yoke/gauge.h>

#include <jansson.h>

static struct yk_channel ticks[] = {{.name = "time"},
                                    {.name = "a.sent"},
                                    {.name = "a.displacement"},
                                    {.name = "a.force"}},
                         steps[] = {
                             {.name = "time"}, {.name = "a.target"}, {.name = "a.displacement"}, {.name = "a.force"}};
static const struct yk_stream streams[] = {{.name = "system", .count = 4, .channels = steps},
                                           {.name = "ticks", .count = 4, .channels = ticks}};

static double shown(const struct yk_gauges *gauges, size_t i)
{
    json_t *all = yk_gauges_json(gauges);
    const double value = json_number_value(json_object_get(json_array_get(all, i), "value"));

    json_decref(all);
    return value;
}

static void open_one(struct yk_gauges *gauges, const char *command, const char *limit)
{
    json_t *description = json_pack("{s:f, s:f, s:[{s:s, s:s, s:i, s:[{s:s, s:s, s:s, s:s, s:f}]}]}", "control_rate_hz",
                                    1000.0, "scale", 1.0, "actuators", "name", "a", "command", command, "window", 4,
                                    "limits", "limit", limit, "words", limit, "unit", "", "action", "ramp", "max", 2.0);

    assert_ok(yk_gauges_open(gauges, description, streams, 2, &err));
    json_decref(description);
    assert_int_equal(gauges->count, 1);
}

/* x = t + t^2/2 s: over 4 ticks of 1 ms that end at t, the mean velocity is 1 + t - 2 ms. */
static void the_velocity_is_averaged_as_the_supervisor_does(void **state)
{
    struct yk_gauges gauges;

    open_one(&gauges, "displacement", "velocity");
    for (int k = 0; k <= 200; k++) {
        const double t = 1e-3 * k, row[] = {t, 99, t + 0.5 * t * t, 7};

        yk_gauges_row(&gauges, 1, row);
        assert_near(shown(&gauges, 0), k < 4 ? 0 : 1 + t - 2e-3, 1e-9);
    }
    yk_gauges_close(&gauges);
}

static void limits_of_an_actuator_in_force_control_are_seen_in_their_quantities(void **state)
{
    struct yk_gauges gauges;

    open_one(&gauges, "force", "displacement");
    yk_gauges_row(&gauges, 1, (const double[]){0, 5000, 1e-3, 4900});
    assert_near(shown(&gauges, 0), 1e-3, 0);
    yk_gauges_close(&gauges);
    open_one(&gauges, "force", "tracking_error");
    yk_gauges_row(&gauges, 0, (const double[]){0, 5000, 1e-3, 4900});
    assert_near(shown(&gauges, 0), 100, 0);
    yk_gauges_close(&gauges);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_velocity_is_averaged_as_the_supervisor_does),
        cmocka_unit_test(limits_of_an_actuator_in_force_control_are_seen_in_their_quantities),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
