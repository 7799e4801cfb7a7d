/* Between station and backend: converts commands in m to device units, and device readings to m and N.
 * docs/theory/test-rigs.md, eq. (6). */
#include "rig/calibrated_rig.h"

#include <math.h>
#include <stdlib.h>

/* Commands as the devices count them, into r->command. */
YK_RT static void count_as_devices(struct yk_calibrated_rig *r, const double *command)
{
    for (size_t i = 0; i < r->count; i++)
        r->command[i] =
            yk_calibration_command(&r->calibration[i], r->kinds ? r->kinds[i] : YK_BY_DISPLACEMENT, command[i]);
}

static enum yk_status open(void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    struct yk_calibrated_rig *r = self;
    struct yk_rig_plan raw = *plan;

    r->count = plan->count;
    r->command = calloc(plan->count, sizeof *r->command);
    r->read = calloc(plan->count, sizeof *r->read);
    if (!r->command || !r->read)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rig");
    r->kinds = plan->kinds;
    count_as_devices(r, plan->x0);
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
    free(r->command);
    free(r->read);
    *r = (struct yk_calibrated_rig){0};
}

static double worst_wait_s(const void *self)
{
    const struct yk_calibrated_rig *r = self;

    return r->rig->worst_wait_s ? r->rig->worst_wait_s(r->rig_self) : 0;
}

YK_RT static void translate(const struct yk_calibrated_rig *r, const struct yk_rig_in *raw, struct yk_rig_in *in)
{
    in->lines = raw->lines;
    for (size_t i = 0; i < r->count; i++)
        in->readings[i] = yk_calibration_si(&r->calibration[i], r->read[i]);
}

static enum yk_status rest(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err)
{
    struct yk_calibrated_rig *r = self;
    struct yk_rig_in raw = {.readings = r->read, .sensors = in->sensors};
    enum yk_status st;

    count_as_devices(r, x);
    st = r->rig->rest(r->rig_self, r->command, &raw, err);
    translate(r, &raw, in);
    return st;
}

YK_RT static enum yk_rig_answer exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    struct yk_calibrated_rig *r = self;
    struct yk_rig_in raw = {.readings = r->read, .sensors = in->sensors};

    count_as_devices(r, out->command);
    const struct yk_rig_out sent = {.command = r->command, .ahead = out->ahead, .lines = out->lines};
    const enum yk_rig_answer answer = r->rig->exchange(r->rig_self, &sent, &raw);
    translate(r, &raw, in);
    return answer;
}

static enum yk_status enable(void *self, bool on, const struct yk_rig_out *out, struct yk_err *err)
{
    struct yk_calibrated_rig *r = self;
    const struct yk_rig_out sent = {.command = r->command, .ahead = out->ahead, .lines = out->lines};

    count_as_devices(r, out->command);
    return r->rig->enable ? r->rig->enable(r->rig_self, on, &sent, err) : YK_OK;
}

YK_RT static const char *reason(const void *self)
{
    const struct yk_calibrated_rig *r = self;

    return r->rig->reason ? r->rig->reason(r->rig_self) : "";
}

static enum yk_status record(void *self, const char *folder, struct yk_err *err)
{
    struct yk_calibrated_rig *r = self;

    return r->rig->record ? r->rig->record(r->rig_self, folder, err) : YK_OK;
}

YK_RT static const char *notice(void *self)
{
    struct yk_calibrated_rig *r = self;

    return r->rig->notice ? r->rig->notice(r->rig_self) : NULL;
}

YK_RT static void cut(void *self, uint32_t lines)
{
    struct yk_calibrated_rig *r = self;

    if (r->rig->cut)
        r->rig->cut(r->rig_self, lines);
}

YK_RT static int64_t pace(void *self, int64_t due_ns)
{
    struct yk_calibrated_rig *r = self;

    return r->rig->pace ? r->rig->pace(r->rig_self, due_ns) : due_ns;
}

YK_RT static double position(const void *self, size_t i)
{
    const struct yk_calibrated_rig *r = self;

    return r->rig->position ? yk_calibration_stroke(&r->calibration[i], r->rig->position(r->rig_self, i)) : NAN;
}

static enum yk_rig_world world(const void *self)
{
    const struct yk_calibrated_rig *r = self;

    return yk_rig_world(r->rig, r->rig_self);
}

const struct yk_rig_ops yk_rig_calibrated = {
    .name = "calibrated",
    .summary = "converts between m and N and the units of the devices of a rig",
    .reference = "docs/theory/test-rigs.md, eq. (6)",
    .size = sizeof(struct yk_calibrated_rig),
    .open = open,
    .close = close,
    .worst_wait_s = worst_wait_s,
    .rest = rest,
    .enable = enable,
    .reason = reason,
    .notice = notice,
    .record = record,
    .exchange = exchange,
    .cut = cut,
    .pace = pace,
    .world = world,
    .position = position,
};
