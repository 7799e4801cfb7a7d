/* The law behind p, pi and pid: K (1 + 1/(Ti s) + Td s/(1 + Td s/N)). docs/theory/control.md, eq. (34)-(37). */
#ifndef YOKE_TRANSFER_CONTROL_PID_LAW_H
#define YOKE_TRANSFER_CONTROL_PID_LAW_H

#include <yoke/transfer.h>

enum { YK_PID_ON_ERROR, YK_PID_ON_MEASUREMENT };
enum { YK_PID_FORWARD, YK_PID_TRAPEZOID };

struct yk_pid {
    double K, Ti, Td, N; /* Ti infinite: no integral; N = 0: derivative without filter */
    int derivative;      /* of the error or of the measured displacement */
    int rule;            /* of the integral: up to the tick before, or the trapezoid up to this one */
    /* private */
    double h;
    double integral, before; /* before: its value when the last command was computed */
    double slope, last;      /* derivative part; its input a tick ago */
    double error, output;
};
enum yk_status yk_pid_init(void *self, double h, struct yk_arena *mem, struct yk_err *err);
void yk_pid_reset(void *self, double x0) YK_RT;
double yk_pid_step(void *self, double command, double measured) YK_RT;
void yk_pid_clipped(void *self, double sent) YK_RT;

#define YK_PID_RULE                                                                                                    \
    YK_CHOICE(struct yk_pid, rule, "forward|trapezoid", YK_PID_FORWARD,                                                \
              "how the error is integrated: up to the tick before, or by trapezoids up to the present one")

#endif
