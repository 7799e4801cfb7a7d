/* Actuators that are commanded by velocity or acceleration: how they are led back and held. docs/theory/transfer.md,
 * section 8; the targets themselves are in test_other_commands.c. */
#include "support/check.h"

#include "transfer/place.h"

#define OMEGA 1.7
#define TICK  1e-3

/* The command adds omega e, or omega^2 e + 2 omega e'; e' is a mean over eight ticks. */
static void an_error_is_led_back_critically_damped(void **state)
{
    static const double measured[] = {0.01, 0.013, 0.011};

    for (int kind = 0; kind < 2; kind++) {
        const enum yk_command_kind command = kind ? YK_BY_ACCELERATION : YK_BY_VELOCITY;
        double rate, slope = 0, before = 0;
        struct yk_place p;

        yk_place_reset(&p, 0);
        yk_place_target(&p, command, 0.01, 0.02, 0, 0, &rate);
        for (int k = 0; k < 3; k++) {
            const double share = 0.25 * (k + 1), error = 0.02 * share - measured[k];

            slope += ((error - before) / TICK - slope) / 8;
            before = error;
            assert_near(yk_place_lead(&p, command, share, measured[k], OMEGA, TICK),
                        kind ? OMEGA * OMEGA * error + 2 * OMEGA * slope : OMEGA * error, 1e-14);
        }
    }
}

/* A ramp is followed by its own rate, and the same correction of place and speed. */
static void a_place_is_held_along_its_path(void **state)
{
    const struct yk_kept_place path = {.x = 0.2, .v = 0.03, .a = -0.5};
    const struct yk_reading now = {.displacement = 0.19};

    assert_near(yk_place_hold(YK_BY_VELOCITY, &path, &now, 0.05, OMEGA), 0.03 + OMEGA * 0.01, 1e-15);
    assert_near(yk_place_hold(YK_BY_ACCELERATION, &path, &now, 0.05, OMEGA),
                -0.5 + OMEGA * OMEGA * 0.01 + 2 * OMEGA * (0.03 - 0.05), 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_is_led_back_critically_damped),
        cmocka_unit_test(a_place_is_held_along_its_path),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
