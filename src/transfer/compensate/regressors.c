/* Terms of the adaptive compensators. docs/theory/delay.md, eq. (14). */
#include "transfer/compensate/regressors.h"

enum { ORDER = 3 }; /* of the polynomial whose derivatives a target has */

enum yk_status yk_regressors_init(struct yk_regressors *s, const char *name, double dt, int stages, double T,
                                  double apart, struct yk_arena *mem, struct yk_err *err)
{
    enum yk_status st;

    s->T = T;
    yk_past_weights(&s->newest, ORDER, 0);
    if ((st = yk_past_init(&s->past, name, dt, stages, YK_PAST_STEP, apart, mem, err)) ||
        (st = yk_past_init(&s->commands, name, dt, 1, YK_PAST_STEP, apart, mem, err)) ||
        (st = yk_past_init(&s->measured, name, dt, 1, YK_PAST_STEP, apart, mem, err)))
        return st;
    yk_regressors_reset(s, 0);
    return YK_OK;
}

YK_RT void yk_regressors_reset(struct yk_regressors *s, double x0)
{
    yk_past_reset(&s->past, x0);
    yk_past_reset(&s->commands, x0);
    yk_past_reset(&s->measured, x0);
    s->end = false;
}

YK_RT void yk_regressors_target(struct yk_regressors *s, const struct yk_target *target, double *phi)
{
    const double *row = yk_past_push(&s->past, target), ratio = s->T / s->past.D;

    s->end = target->stage + 1 == target->stages;
    phi[0] = row[0];
    phi[1] = ratio * yk_past_sum(ORDER, s->newest.w[1], row, 1);
    phi[2] = ratio * ratio * yk_past_sum(ORDER, s->newest.w[2], row, 1);
}

YK_RT void yk_regressors_commanded(struct yk_regressors *s, double command)
{
    if (s->end)
        yk_past_push(&s->commands, &(struct yk_target){.x = command});
}

/* Central differences about the sample before */
YK_RT bool yk_regressors_pair(struct yk_regressors *s, double measured, double *psi, double *command)
{
    const double ratio = s->T / s->past.D, *m = s->measured.row;

    if (!s->end)
        return false;
    s->end = false; /* once a target */
    if (!isfinite(measured))
        measured = s->measured.ring[s->measured.newest[0]];
    yk_past_push(&s->measured, &(struct yk_target){.x = measured});
    psi[0] = m[1];
    psi[1] = 0.5 * ratio * (m[0] - m[2]);
    psi[2] = ratio * ratio * (m[0] - 2 * m[1] + m[2]);
    *command = s->commands.row[1];
    return true;
}
