/* Readings that come late by whole ticks: each is that of so many ticks before, from the first on. */
#include "support/check.h"

#include "transfer/late.h"

#include <stdlib.h>

enum { ACTUATORS = 2, SENSORS = 2, LINES = 2 };

/* Reading of the rig in tick k; tick 0 is at rest. */
static double value(int k, int of)
{
    return k * k + 10.0 * of + 3;
}

static uint32_t levels(int k)
{
    return (uint32_t)(k % 3 == 0) | (uint32_t)(k % 4 == 0) << 1;
}

static void read_tick(int k, struct yk_rig_in *in)
{
    for (int i = 0; i < ACTUATORS; i++)
        in->readings[i] = (struct yk_reading){
            .displacement = value(k, i), .force = -value(k, i), .acceleration = 2 * value(k, i), .velocity = 0.5 * k};
    for (int i = 0; i < SENSORS; i++)
        in->sensors[i] = value(k, ACTUATORS + i);
    in->lines = levels(k);
}

static int then(int k, size_t late)
{
    return k > (int)late ? k - (int)late : 0;
}

static void everything_comes_as_late_as_its_own_delay(void **state)
{
    static const size_t of[] = {0, 3, /* */ 5, 1, /* */ 2, 4};
    struct yk_arena mem = {0};
    const struct yk_rig_plan plan = {.count = ACTUATORS, .sensor_count = SENSORS, .line_count = LINES, .mem = &mem};
    struct yk_reading readings[ACTUATORS];
    double sensors[SENSORS];
    struct yk_rig_in in = {.readings = readings, .sensors = sensors};
    struct yk_late late;

    assert_ok(yk_late_make(&late, of, &plan, &err));
    for (int round = 0; round < 2; round++) { /* a second reset forgets the first run */
        read_tick(0, &in);
        yk_late_reset(&late, &in);
        for (int k = 1; k < 40; k++) {
            read_tick(k, &in);
            yk_late_step(&late, &in);
            for (int i = 0; i < ACTUATORS; i++) {
                const int at = then(k, of[i]);

                assert_true(readings[i].displacement == value(at, i));
                assert_true(readings[i].force == -value(at, i));
                assert_true(readings[i].acceleration == 2 * value(at, i));
                assert_true(readings[i].velocity == 0.5 * at);
            }
            for (int i = 0; i < SENSORS; i++)
                assert_true(sensors[i] == value(then(k, of[ACTUATORS + i]), ACTUATORS + i));
            for (int i = 0; i < LINES; i++)
                assert_int_equal(in.lines >> i & 1, levels(then(k, of[ACTUATORS + SENSORS + i])) >> i & 1);
        }
    }
    yk_arena_free(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everything_comes_as_late_as_its_own_delay)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
