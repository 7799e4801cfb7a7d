/* A rig of one's own: every actuator is a first-order lag, and the specimen behind it a spring,
 *
 *     x' = (command - x) / lag,   force = stiffness x
 *
 * exact for a command that is held during a tick: x <- x + (1 - exp(-tick / lag)) (command - x). A real backend would
 * talk to its hardware in `exchange`, and wait no longer than it says. See README.md. Units: m, N, s. */
#include <yoke/plugin.h>

#include <math.h>
#include <stdlib.h>

struct lag_rig {
    double lag, stiffness; /* settings */
    size_t count;
    double approach; /* share of the way to the command in a tick */
    double *x;
};

static const struct yk_param params[] = {
    YK_REAL(struct lag_rig, lag, YK_TIME, YK_REQUIRED, YK_TINY, 10, "time constant of the actuators"),
    YK_REAL(struct lag_rig, stiffness, YK_STIFFNESS, YK_REQUIRED, 0, 1e12, "of the spring behind each"),
    YK_PARAM_END,
};

/* Set-up: memory, connections, whatever may fail. */
static enum yk_status open(void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    struct lag_rig *r = self;

    r->count = plan->count;
    r->approach = -expm1(-plan->tick / r->lag);
    r->x = calloc(plan->count, sizeof *r->x);
    return r->x ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for the rig");
}

/* Also called where `open` failed or was never reached. */
static void close(void *self)
{
    struct lag_rig *r = self;

    free(r->x);
    r->x = NULL;
}

static double worst_wait_s(const void *self)
{
    return 0;
}

static enum yk_status rest(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err)
{
    struct lag_rig *r = self;

    for (size_t i = 0; i < r->count; i++) {
        r->x[i] = x[i];
        in->readings[i] = (struct yk_reading){.displacement = x[i], .force = r->stiffness * x[i]};
    }
    return YK_OK;
}

/* In the loop, once a tick: no heap, no lock, no unbounded wait. */
YK_RT static enum yk_rig_answer exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    struct lag_rig *r = self;

    for (size_t i = 0; i < r->count; i++) {
        r->x[i] += r->approach * (out->command[i] - r->x[i]);
        in->readings[i] = (struct yk_reading){.displacement = r->x[i], .force = r->stiffness * r->x[i]};
    }
    return YK_RIG_FRESH;
}

/* It only computes, so a run may be faster than the wall clock. Leave this out for hardware. */
static enum yk_rig_world world(const void *self)
{
    return YK_RIG_COMPUTED;
}

static const struct yk_rig_ops rig = {
    .name = "lag-rig",
    .summary = "a lag and a spring for each actuator",
    .reference = "an example",
    .params = params,
    .size = sizeof(struct lag_rig),
    .open = open,
    .close = close,
    .worst_wait_s = worst_wait_s,
    .rest = rest,
    .exchange = exchange,
    .world = world,
};

const struct yk_plugin yk_plugin = {YK_PLUGIN_ABI, .rig = &rig};
