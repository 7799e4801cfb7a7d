/* The conversion between raw numbers and SI units. Expected values: by hand. */
#include "support/check.h"

#include "transfer/calibration.h"

/* A laser of 12.5 mm per mA whose zero is at 12 mA, mounted backwards, and a load cell of 2 N a unit with 5 N at 0. */
static struct yk_calibration backwards(void)
{
    struct yk_calibration c = yk_calibration_none();

    c.read[YK_BY_DISPLACEMENT] = c.sent.command = (struct yk_scale){-0.0125, 0.15};
    c.read[YK_BY_VELOCITY] = c.read[YK_BY_ACCELERATION] = (struct yk_scale){-0.0125, 0};
    c.read[YK_BY_FORCE] = (struct yk_scale){-2, 5};
    return c;
}

static void every_quantity_has_its_own_scale(void **state)
{
    const struct yk_calibration c = backwards();
    const struct yk_reading si = {.displacement = 0.05, .force = -7, .acceleration = 0.5, .velocity = 0.25},
                            raw = yk_calibration_raw(&c, si), back = yk_calibration_si(&c, raw);

    assert_near(raw.displacement, 8, 1e-13);
    assert_near(raw.force, 6, 1e-13);
    assert_near(raw.acceleration, -40, 1e-13);
    assert_near(raw.velocity, -20, 1e-13);
    assert_near(back.displacement, si.displacement, 1e-15);
    assert_near(back.force, si.force, 1e-14);
    assert_near(back.acceleration, si.acceleration, 1e-15);
    assert_near(back.velocity, si.velocity, 1e-15);
    assert_near(yk_scale_raw(&c.sent.command, 0.05), 12 - 4, 1e-13);
    assert_near(yk_scale_si(&c.sent.command, 8), 0.05, 1e-15);
}

static void two_conversions_become_one(void **state)
{
    const struct yk_scale volts = {20.0 / 65535, -10}, metres = {0.01, 0.002};
    const struct yk_scale both = yk_scale_chain(volts, metres), none = YK_RAW_IS_SI;

    for (double count = 0; count < 65536; count += 4369) {
        const double volt = yk_scale_si(&volts, count);

        assert_near(yk_scale_si(&both, count), yk_scale_si(&metres, volt), 1e-16);
    }
    const struct yk_scale first = yk_scale_chain(none, metres), last = yk_scale_chain(metres, none);
    assert_memory_equal(&first, &metres, sizeof first); /* without rounding */
    assert_memory_equal(&last, &metres, sizeof last);
    const struct yk_calibration c = backwards(), nothing = yk_calibration_none();
    assert_true(yk_calibration_is_none(&nothing) && !yk_calibration_is_none(&c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_quantity_has_its_own_scale),
                                       cmocka_unit_test(two_conversions_become_one)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
