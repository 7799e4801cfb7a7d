/* Devices that count where they stand by themselves: the first command leaves them there, and one that parts from its
 * command trips. Runs on a rig that does not say that it simulates, paced on a virtual clock; 1 kHz. */
#include "support/between.h"
#include "support/check.h"
#include "support/recorded.h"
#include "support/scratch.h"
#include "support/spring_specimen.h"

#include <math.h>

static const char text[] =
    "title: device\n"
    "time: {step: 10 ms, end: 2 s, control_rate: 1000 Hz}\n" SPRING_SPECIMEN
    "limits: {displacement: 100 mm, command_rate: 2 m/s, force: 8 kN, trip_ramp: 0.2, end_ramp: 0.2}\n";

/* A device whose zero is `apart` from that of the measured displacement; from `slips` on it counts `slipped` more. */
static double apart, slipped;
static long slips;

static enum yk_rig_answer exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    const double moved = out->command[0] - apart; /* the rig itself counts as the displacement does */
    const struct yk_rig_out sent = {.command = &moved, .ahead = out->ahead, .lines = out->lines};

    return between_exchange(self, &sent, in);
}

static double position(const void *self, size_t i)
{
    const struct between *b = self;

    return (b->tick ? b->last[i].displacement : b->wire[i].home) + apart + (b->tick >= slips ? slipped : 0);
}

static void run(double by, long from, double further, struct between *b, struct recorded *r)
{
    struct yk_rig_ops ops = between_ops;

    apart = by;
    slips = from;
    slipped = further;
    ops.exchange = exchange;
    ops.position = position;
    *b = (struct between){.clock = yk_clock_virtual(1), .real = true};
    between_run(b, &ops, recorded_parse(text, NULL, 0), r);
}

/* The commands of the rig are those without the difference, from the first one on. */
static void a_small_difference_is_carried(void **state)
{
    struct between plain, b;
    struct recorded without, r;

    run(0, 1000000, 0, &plain, &without);
    assert_int_equal(yk_status_exit_code(without.result.status), 0);
    run(0.8e-3, 1000000, 0, &b, &r);
    assert_int_equal(yk_status_exit_code(r.result.status), 0);
    assert_near(b.wire[0].first, plain.wire[0].first, 1e-12);
    assert_near(b.wire[0].reach, plain.wire[0].reach, 1e-9);
    assert_near(b.wire[0].rate, plain.wire[0].rate, 1e-6);
    recorded_free(&without);
    recorded_free(&r);
}

static void a_large_difference_is_refused_before_anything_moves(void **state)
{
    struct between b;
    struct recorded r;

    run(40e-3, 1000000, 0, &b, &r);
    assert_int_equal(yk_status_exit_code(r.status), 2);
    assert_non_null(strstr(yk_err_line(&r.err).text, "the device of actuator a1 stands at 0.04 m"));
    assert_non_null(
        strstr(yk_err_line(&r.err).text, "they differ by 0.04 m, more than limits.position_error = 0.001 m"));
    assert_int_equal(b.tick, 0);
    recorded_free(&r);
}

static void a_device_that_parts_from_its_command_trips(void **state)
{
    struct between b;
    struct recorded r;

    run(0, 700, 60e-3, &b, &r);
    assert_int_equal(yk_status_exit_code(r.result.status), 3);
    assert_non_null(strstr(r.result.reason, "from its command by its own counting"));
    recorded_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_difference_is_carried),
        cmocka_unit_test(a_large_difference_is_refused_before_anything_moves),
        cmocka_unit_test(a_device_that_parts_from_its_command_trips),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
