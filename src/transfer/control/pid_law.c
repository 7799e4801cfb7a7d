/* Proportional, integral and derivative action at a fixed tick. docs/theory/control.md, eq. (34)-(37). The integral is
 * a forward sum or that of trapezoids, the derivative a backward difference, filtered or not. Units: m, s. */
#include "transfer/control/pid_law.h"

#include "transfer/dynamics.h"

enum yk_status yk_pid_init(void *self, double h, struct yk_arena *mem, struct yk_err *err)
{
    struct yk_pid *s = self;
    enum yk_status st = yk_tick_check(h, "controller", err);

    s->h = h;
    if (!st)
        yk_pid_reset(s, 0);
    return st;
}

/* eq. (37): no error, and an output of x0. */
YK_RT void yk_pid_reset(void *self, double x0)
{
    struct yk_pid *s = self;

    s->integral = s->before = x0 / s->K;
    s->slope = 0;
    s->last = s->derivative == YK_PID_ON_MEASUREMENT ? -x0 : 0;
    s->error = 0;
    s->output = x0;
}

/* eq. (35) */
YK_RT static double differentiate(struct yk_pid *s, double x)
{
    const double change = x - s->last;

    s->last = x;
    if (s->Td == 0)
        return 0;
    if (s->N == 0)
        return s->slope = s->Td * change / s->h;
    return s->slope = s->Td / (s->Td + s->N * s->h) * (s->slope + s->N * change);
}

/* eq. (34) */
YK_RT double yk_pid_step(void *self, double command, double measured)
{
    struct yk_pid *s = self;

    const double last = s->error;

    s->error = command - measured;
    if (s->rule == YK_PID_TRAPEZOID) {
        s->before = s->integral;
        s->integral += s->h / s->Ti * 0.5 * (s->error + last);
    }
    const double slope = differentiate(s, s->derivative == YK_PID_ON_MEASUREMENT ? -measured : s->error);
    s->output = s->K * (s->error + s->integral + slope);
    if (s->rule == YK_PID_FORWARD) {
        s->before = s->integral;
        s->integral += s->h / s->Ti * s->error;
    }
    return s->output;
}

/* eq. (36): conditional integration; an error that pushes further into the limit is not summed. */
YK_RT void yk_pid_clipped(void *self, double sent)
{
    struct yk_pid *s = self;

    if ((s->output - sent) * s->error > 0)
        s->integral = s->before;
}
