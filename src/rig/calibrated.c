/* Between station and backend: commands in m become what the devices count, their readings become m and N.
 * docs/theory/test-rigs.md, eq. (6). */
#include "rig/calibrated_rig.h"

#include <stdlib.h>

static enum yk_status open(void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    struct yk_calibrated_rig *r = self;
    struct yk_rig_plan raw = *plan;

    r->count = plan->count;
    r->command = yk_arena_doubles(plan->mem, plan->count);
    r->read = yk_arena_take(plan->mem, plan->count * sizeof *r->read);
    if (!r->command || !r->read)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rig");
    for (size_t i = 0; i < plan->count; i++)
        r->command[i] = yk_calibration_device(&r->calibration[i], plan->x0[i]);
    raw.x0 = r->command;
    return r->rig->open(r->rig_self, &raw, err);
}

static void close(void *self)
{
    struct yk_calibrated_rig *r = self;

    if (r->rig_self)
        r->rig->close(r->rig_self);
    free(r->rig_self);
    free(r->calibration);
    *r = (struct yk_calibrated_rig){0};
}

static double worst_wait_s(const void *self)
{
    const struct yk_calibrated_rig *r = self;

    return r->rig->worst_wait_s ? r->rig->worst_wait_s(r->rig_self) : 0;
}

YK_RT static void translate(const struct yk_calibrated_rig *r, struct yk_reading *readings)
{
    for (size_t i = 0; i < r->count; i++)
        readings[i] = yk_calibration_si(&r->calibration[i], r->read[i]);
}

static enum yk_status rest(void *self, const double *x, struct yk_reading *readings, struct yk_err *err)
{
    struct yk_calibrated_rig *r = self;
    enum yk_status st;

    for (size_t i = 0; i < r->count; i++)
        r->command[i] = yk_calibration_device(&r->calibration[i], x[i]);
    st = r->rig->rest(r->rig_self, r->command, r->read, err);
    translate(r, readings);
    return st;
}

YK_RT static enum yk_rig_answer exchange(void *self, const double *command, struct yk_reading *readings)
{
    struct yk_calibrated_rig *r = self;

    for (size_t i = 0; i < r->count; i++)
        r->command[i] = yk_calibration_device(&r->calibration[i], command[i]);
    const enum yk_rig_answer answer = r->rig->exchange(r->rig_self, r->command, r->read);
    translate(r, readings);
    return answer;
}

YK_RT static void cut(void *self)
{
    struct yk_calibrated_rig *r = self;

    if (r->rig->cut)
        r->rig->cut(r->rig_self);
}

const struct yk_rig_ops yk_rig_calibrated = {
    .name = "calibrated",
    .summary = "translates between metres and newtons and what the devices of a rig count",
    .reference = "docs/theory/test-rigs.md, eq. (6)",
    .size = sizeof(struct yk_calibrated_rig),
    .open = open,
    .close = close,
    .worst_wait_s = worst_wait_s,
    .rest = rest,
    .exchange = exchange,
    .cut = cut,
};
