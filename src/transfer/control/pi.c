/* Proportional and integral control. docs/theory/control.md, eq. (34), (36). Default gains: Chien, Hrones and Reswick,
 * set-point without overshoot, for the actuator of the TT1 rig. Units: m, s. */
#include "transfer/control/pid_law.h"

static enum yk_status init(void *self, double h, struct yk_arena *mem, struct yk_err *err)
{
    struct yk_pid *s = self;

    s->Td = s->N = 0;
    s->derivative = YK_PID_ON_ERROR;
    return yk_pid_init(s, h, mem, err);
}

static const struct yk_param params[] = {
    YK_REAL(struct yk_pid, K, YK_NUMBER, 1.937, 1e-9, 1e9, "gain"),
    YK_REAL(struct yk_pid, Ti, YK_TIME, 0.07079, 1e-9, 1e9, "integral time"),
    YK_PID_RULE,
    YK_PARAM_END,
};

const struct yk_controller_ops yk_controller_pi = {
    .name = "pi",
    .summary = "proportional-integral controller",
    .reference = "Chien, Hrones and Reswick 1952 (gains)",
    .params = params,
    .size = sizeof(struct yk_pid),
    .init = init,
    .reset = yk_pid_reset,
    .step = yk_pid_step,
    .clipped = yk_pid_clipped,
};
