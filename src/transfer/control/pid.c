/* Proportional, integral and derivative control. docs/theory/control.md, eq. (34)-(37). Default gains: Chien, Hrones
 * and Reswick, set-point without overshoot, for the actuator of the TT1 rig. Units: m, s. */
#include "transfer/control/pid_law.h"

static const struct yk_param params[] = {
    YK_REAL(struct yk_pid, K, YK_NUMBER, 3.320, 1e-9, 1e9, "gain"),
    YK_REAL(struct yk_pid, Ti, YK_TIME, 0.05899, 1e-9, 1e9, "integral time"),
    YK_REAL(struct yk_pid, Td, YK_TIME, 0.006305, 0, 1e9, "derivative time"),
    YK_REAL(struct yk_pid, N, YK_NUMBER, 10, 0, 1e9,
            YK_WHEN("Td", "filter of the derivative, time constant Td/N; 0: no filter")),
    YK_CHOICE(
        struct yk_pid, derivative, "error|measurement", YK_PID_ON_ERROR,
        YK_WHEN(
            "Td",
            "what is differentiated: the error, or only the measurement, so that a step of the target causes no kick")),
    YK_PID_RULE,
    YK_PARAM_END,
};

const struct yk_controller_ops yk_controller_pid = {
    .name = "pid",
    .summary = "proportional-integral-derivative controller",
    .reference = "Chien, Hrones and Reswick 1952 (gains)",
    .params = params,
    .size = sizeof(struct yk_pid),
    .init = yk_pid_init,
    .reset = yk_pid_reset,
    .step = yk_pid_step,
    .clipped = yk_pid_clipped,
};
