/* Members that yield on the coarse side of every coupling, against the untorn structure, on one and on two threads; and
 * what a run says of members that do not converge. */
#include "support/check.h"
#include "support/planned.h"
#include "support/recorded.h"
#include "support/scratch.h"
#include "support/small_frame.h"

#include "state/state.h"
#include <yoke/coupling.h>

#include <math.h>
#include <stdlib.h>

static const char frame[] = SMALL_FRAME("2 ms");

/* The largest |value| of a channel. */
static double peak(const struct recorded *r, const struct yk_model *e, const char *channel)
{
    struct yk_run_channels c;
    double found = NAN;

    assert_ok(planned_channels(e, &c, &err));
    for (size_t i = 0; i < c.streams[0].count; i++)
        if (strcmp(c.streams[0].channels[i].name, channel) == 0)
            found = r->result.peaks[i];
    yk_run_channels_free(&c);
    return found;
}

/* Couplings of first order, by themselves or with substeps, differ more from the untorn structure. */
static void every_coupling_takes_members_on_its_coarse_side(void **state)
{
    int seen = 0;

    for (const struct yk_coupling_ops *const *ops = yk_couplings; *ops; ops++) {
        char method[96];
        const char *const set[] = {method,
                                   (*ops)->caps & YK_COUPLING_NO_SUBSTEPS ? "time.substeps=1" : "time.substeps=2",
                                   "reference=monolithic", "record.channels=[\"*\", \"*.p1.fibre8.*\"]"};
        struct yk_run_settings settings = yk_run_defaults();
        struct yk_model *e;
        struct recorded r[2];

        if ((*ops)->caps & YK_COUPLING_SPECIMENS)
            continue; /* works with specimens only */
        snprintf(method, sizeof method, "method={coupling: %s}", (*ops)->name);
        e = recorded_parse(frame, set, 4);
        for (int k = 0; k < 2; k++) {
            settings.threads = k + 1;
            recorded_run(&r[k], e, &settings, NULL);
            assert_int_equal(r[k].status, YK_OK);
            assert_true(r[k].result.finished);
        }
        recorded_assert_same(&r[0], &r[1], (*ops)->name);
        if (!(r[0].result.error_u < (yk_coupling_order(*ops, false) < 2 ? 0.1 : 5e-3)))
            fail_msg("%s: %g from the untorn structure", (*ops)->name, r[0].result.error_u);
        assert_true(peak(&r[0], e, "frame.a-b.p1.fibre8.strain") > 2e-3); /* it yields at 1.5e-3 */
        assert_true(peak(&r[0], e, "frame.b-c.hinge1.rotation") > 2e-3);
        assert_int_equal(r[0].result.unconverged.steps, 0);
        recorded_free(&r[0]);
        recorded_free(&r[1]);
        yk_model_close(e);
        seen++;
    }
    assert_true(seen > 8);
}

/* Long steps far beyond yield and few iterations: counted, named, told; and the limit ends the run. */
static void steps_that_do_not_converge_are_counted_and_may_end_the_run(void **state)
{
    static const char *const hard[] = {
        "loads=[{ground: frame, influence: {x: 1}, kind: sine, amplitude: 400 m/s2, frequency: 3 Hz}]",
        "time.step=8 ms", "substructures.frame.members.0.iterations=3",
        "limits.unconverged_steps={limit: 1, action: hold}"};
    const struct yk_run_settings settings = yk_run_defaults();

    for (int limited = 0; limited < 2; limited++) {
        struct yk_model *e = recorded_parse(frame, hard, 3 + (size_t)limited);
        struct yk_run_channels channels;
        struct recorded r;
        char *summary;

        recorded_run(&r, e, &settings, NULL);
        assert_int_equal(r.status, YK_OK);
        assert_int_equal(r.result.finished, !limited);
        assert_true(r.result.unconverged.steps > 0);
        assert_string_equal(r.result.unconverged.member, "a-b");
        if (limited)
            assert_int_equal(r.result.unconverged.first, r.result.steps);
        else
            assert_true(r.result.warnings >= r.result.unconverged.steps);
        assert_non_null(strstr(limited ? r.result.tripped : r.result.warning, "a member that did not converge"));
        assert_ok(planned_channels(e, &channels, &err));
        assert_non_null(summary = yk_run_summary(e, &channels, &r.result));
        assert_non_null(strstr(summary, "\"member\": \"a-b\""));
        free(summary);
        yk_run_channels_free(&channels);
        recorded_free(&r);
        yk_model_close(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_coupling_takes_members_on_its_coarse_side),
        cmocka_unit_test(steps_that_do_not_converge_are_counted_and_may_end_the_run),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
