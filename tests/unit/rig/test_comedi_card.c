/* Writes of the backend `comedi` to the card that is linked in the place of libcomedi (support/comedi/card.c): one
 * actuator of 10 mm for a volt, an enable line on channel 4. */
#include "support/check.h"

#include "rig/comedi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<comedilib.h>)
#include <comedilib.h>

static const struct yk_rig_line lines[] = {{"drive", YK_LINE_ENABLE, false, 0}};
static const struct yk_rig_plan plan = {.count = 1,
                                        .names = (const char *const[]){"a1"},
                                        .tick = 2e-3,
                                        .x0 = (const double[]){0},
                                        .line_count = 1,
                                        .lines = lines};

static struct yk_comedi_rig *rig_open(void)
{
    static const struct yk_comedi_point points[] = {
        {.name = "a1.force", .place = YK_COMEDI_INPUT, .channel = 1, .subdevice = -1, .index = 1},
        {.name = "a1.displacement", .place = YK_COMEDI_INPUT, .subdevice = -1},
        {.name = "drive", .place = YK_COMEDI_DIGITAL, .channel = 4, .subdevice = -1, .writes = true},
        {.name = "a1.command", .place = YK_COMEDI_OUTPUT, .subdevice = -1, .writes = true}};
    struct yk_comedi_rig *u = calloc(1, sizeof *u);

    assert_non_null(u);
    assert_non_null(u->points = malloc(sizeof points));
    memcpy(u->points, points, sizeof points);
    u->count = sizeof points / sizeof *points;
    assert_ok(yk_rig_comedi.open(u, &plan, &err));
    return u;
}

static void rig_close(struct yk_comedi_rig *u)
{
    yk_rig_comedi.close(u);
    free(u);
}

static enum yk_rig_answer move(struct yk_comedi_rig *u, double command, struct yk_reading *reading)
{
    struct yk_rig_in in = {.readings = reading};

    return yk_rig_comedi.exchange(u, &(struct yk_rig_out){.command = &command, .lines = 1}, &in);
}

/* Asks the card itself. */
static unsigned drive_level(void)
{
    lsampl_t data[2] = {0, 0};
    comedi_insn read = {.insn = INSN_BITS, .n = 2, .data = data, .subdev = 2, .chanspec = CR_PACK(4, 0, 0)};

    assert_int_equal(comedi_do_insnlist(comedi_open("/dev/comedi0"), &(comedi_insnlist){1, &read}), 1);
    return data[1] & 1;
}

static void the_drive_is_off_until_it_is_enabled_and_after_a_cut(void **state)
{
    struct yk_comedi_rig *u = rig_open();
    struct yk_reading reading;

    assert_int_equal(drive_level(), 0);
    assert_ok(yk_rig_comedi.rest(u, plan.x0, &(struct yk_rig_in){.readings = &reading}, &err));
    assert_int_equal(drive_level(), 0);
    assert_ok(yk_rig_comedi.enable(u, true, &(struct yk_rig_out){.command = plan.x0, .lines = 1}, &err));
    assert_int_equal(drive_level(), 1);
    yk_rig_comedi.cut(u, 0);
    assert_int_equal(drive_level(), 0);
    assert_int_equal(move(u, 1, &reading), YK_RIG_LOST); /* and nothing switches it on again */
    assert_int_equal(drive_level(), 0);
    rig_close(u);
}

static void a_command_beyond_the_range_is_not_written(void **state)
{
    struct yk_comedi_rig *u = rig_open();
    struct yk_reading reading;

    for (int k = 0; k < 40; k++) /* the lag loses a factor of e in each tick */
        assert_int_equal(move(u, 2, &reading), YK_RIG_FRESH);
    assert_near(reading.displacement, 2, 20.0 / 65535);
    assert_near(reading.force, 3.553 * 2, 3.553 * 20 / 65535);
    assert_int_equal(move(u, 10.01, &reading), YK_RIG_REFUSED);
    assert_string_equal(yk_rig_comedi.reason(u), "a1.command is beyond the range of its output");
    assert_int_equal(move(u, NAN, &reading), YK_RIG_REFUSED);
    assert_near(reading.displacement, 2, 20.0 / 65535); /* it has stayed */
    rig_close(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_drive_is_off_until_it_is_enabled_and_after_a_cut),
                                       cmocka_unit_test(a_command_beyond_the_range_is_not_written)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
    return 0; /* no libcomedi here */
}
#endif
