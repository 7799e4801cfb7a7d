/* The law behind p, pi and pid: K (1 + 1/(Ti s) + Td s/(1 + Td s/N)). docs/theory/control.md, eq. (34)-(37). */
#ifndef YOKE_TRANSFER_CONTROL_PID_LAW_H
#define YOKE_TRANSFER_CONTROL_PID_LAW_H

#include <yoke/transfer.h>

enum { YK_PID_ON_ERROR, YK_PID_ON_MEASUREMENT };

struct yk_pid {
    double K, Ti, Td, N; /* Ti infinite: no integral; N = 0: derivative without filter */
    int derivative;      /* of the error or of the measured displacement */
    /* private */
    double h;
    double integral, before; /* before: its value when the last command was computed */
    double slope, last;      /* derivative part; its input a tick ago */
    double error, drive;
};
enum yk_status yk_pid_init(void *self, double h, struct yk_arena *mem, struct yk_err *err);
void yk_pid_reset(void *self, double x0) YK_RT;
double yk_pid_step(void *self, double command, double measured) YK_RT;
void yk_pid_clipped(void *self, double sent) YK_RT;

#endif
