/* The viaduct's slow test (examples/viaduct/rig-*.yaml) in wall time: four steps of 2.5 ms, 200 times slower and 250
 * commands in each, are 2 s at 500 Hz. A paced run has the bits of the rehearsal. */
#include "support/check.h"
#include "support/recorded.h"
#include "support/scratch.h"

#include <stdlib.h>

static void check(const char *file, int threads)
{
    static const char *const set[] = {"time.end=10 ms", "limits.end_ramp=0", "limits.missed_deadlines=0",
                                      "limits.stall=0"};
    const struct yk_run_settings offline = yk_run_defaults();
    struct yk_run_settings paced = yk_run_defaults();
    struct recorded rehearsal, test;
    struct yk_model *e;

    paced.realtime = true;
    paced.threads = threads;
    assert_ok(yk_model_load(&e, file, set, 4, &err));
    recorded_run(&rehearsal, e, &offline, NULL);
    recorded_run(&test, e, &paced, NULL);
    assert_int_equal(test.status, YK_OK);
    assert_int_equal(test.result.steps, 4);
    assert_near(test.result.pace->period_s, 2e-3, 1e-12);
    assert_true(test.result.wall_s > 4 * 250 * 2e-3 - 2e-3); /* not before its time */
    if (test.result.pace->missed_by[YK_MISS_COARSE_LATE] == 0)
        recorded_assert_same(&rehearsal, &test, file);
    recorded_free(&rehearsal);
    recorded_free(&test);
    yk_model_close(e);
}

static void isolated_in_wall_time_equals_its_rehearsal(void **state)
{
    check(YOKE_SOURCE "/examples/viaduct/rig-isolated.yaml", 1);
}

static void as_built_on_two_threads_equals_its_rehearsal(void **state)
{
    check(YOKE_SOURCE "/examples/viaduct/rig-as-built.yaml", 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(isolated_in_wall_time_equals_its_rehearsal),
        cmocka_unit_test(as_built_on_two_threads_equals_its_rehearsal),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
