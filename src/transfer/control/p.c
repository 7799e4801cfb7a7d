/* Proportional control. docs/theory/control.md, eq. (34) without integral and derivative. A constant keeps the output
 * at the displacement of the last reset. Units: m. */
#include "transfer/control/pid_law.h"

static enum yk_status init(void *self, double h, struct yk_arena *mem, struct yk_err *err)
{
    struct yk_pid *s = self;

    s->Ti = INFINITY;
    s->Td = s->N = 0;
    s->derivative = YK_PID_ON_ERROR;
    return yk_pid_init(s, h, mem, err);
}

static const struct yk_param params[] = {
    YK_REAL(struct yk_pid, K, YK_NUMBER, 1, 1e-9, 1e9, "gain"),
    YK_PARAM_END,
};

const struct yk_controller_ops yk_controller_p = {
    .name = "p",
    .summary = "proportional controller",
    .reference = "",
    .params = params,
    .size = sizeof(struct yk_pid),
    .init = init,
    .reset = yk_pid_reset,
    .step = yk_pid_step,
};
