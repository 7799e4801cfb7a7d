/* A rig whose devices count otherwise: what they are sent, and what becomes of their readings. */
#include "support/check.h"

#include "rig/calibrated_rig.h"

#include <stdlib.h>

/* Two devices that answer with what they were sent, ten times it and its negative. */
struct echo {
    double last[2];
    bool opened, closed, cut;
};
static struct echo seen;

static void answer(const double *x, struct yk_reading *readings)
{
    for (int i = 0; i < 2; i++) {
        seen.last[i] = x[i];
        readings[i] = (struct yk_reading){.displacement = x[i], .force = 10 * x[i], .acceleration = -x[i]};
    }
}

static enum yk_status echo_open(void *self, const struct yk_rig_plan *plan, struct yk_err *e)
{
    seen = (struct echo){.last = {plan->x0[0], plan->x0[1]}, .opened = true};
    return YK_OK;
}

static void echo_close(void *self)
{
    seen.closed = true;
}

static enum yk_status echo_rest(void *self, const double *x, struct yk_rig_in *in, struct yk_err *e)
{
    answer(x, in->readings);
    return YK_OK;
}

YK_RT static enum yk_rig_answer echo_exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    answer(out->command, in->readings);
    return YK_RIG_HELD;
}

YK_RT static void echo_cut(void *self, uint32_t lines)
{
    seen.cut = true;
}

static double echo_wait(const void *self)
{
    return 0.25;
}

static const struct yk_rig_ops echo = {.name = "echo",
                                       .open = echo_open,
                                       .close = echo_close,
                                       .rest = echo_rest,
                                       .exchange = echo_exchange,
                                       .cut = echo_cut,
                                       .worst_wait_s = echo_wait};

/* The first counts 12.5 mm and 2 N a unit, backwards, zero at 150 mm and 5 N; the second metres and newtons. */
static void devices_are_sent_and_read_in_their_own_units(void **state)
{
    const struct yk_calibration c[2] = {{0.0125, 0.15, 2, 5, true}, {1, 0, 1, 0, false}};
    const double x0[] = {0.15, 0.02}, x[] = {0.05, -0.03};
    struct yk_arena mem = {0};
    const struct yk_rig_plan plan = {
        .count = 2, .names = (const char *const[]){"a", "b"}, .tick = 1e-3, .x0 = x0, .mem = &mem};
    struct yk_calibrated_rig *rig = calloc(1, sizeof *rig);
    struct yk_reading r[2];

    assert_non_null(rig);
    rig->rig = &echo;
    rig->rig_self = malloc(1);
    rig->calibration = malloc(sizeof c);
    assert_non_null(rig->calibration);
    memcpy(rig->calibration, c, sizeof c);
    assert_ok(yk_rig_calibrated.open(rig, &plan, &err));
    assert_true(seen.opened && seen.last[0] == 0 && seen.last[1] == 0.02);
    assert_ok(yk_rig_calibrated.rest(rig, x0, &(struct yk_rig_in){.readings = r}, &err));
    assert_near(r[0].displacement, 0.15, 1e-15);
    assert_near(r[0].force, 5, 1e-15);
    assert_int_equal(
        yk_rig_calibrated.exchange(rig, &(struct yk_rig_out){.command = x}, &(struct yk_rig_in){.readings = r}),
        YK_RIG_HELD);
    assert_near(seen.last[0], 12 - 4, 1e-13);
    assert_near(r[0].displacement, 0.05, 1e-15);
    assert_near(r[0].force, -2 * 80 + 5, 1e-12);
    assert_near(r[0].acceleration, 0.0125 * 8, 1e-14);
    assert_true(r[1].displacement == -0.03 && r[1].force == -0.3 && r[1].acceleration == 0.03);
    assert_true(yk_rig_calibrated.worst_wait_s(rig) == 0.25);
    yk_rig_calibrated.cut(rig, 0);
    yk_rig_calibrated.close(rig);
    assert_true(seen.cut && seen.closed);
    free(rig);
    yk_arena_free(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(devices_are_sent_and_read_in_their_own_units)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
