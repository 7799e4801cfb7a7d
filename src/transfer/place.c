/* Actuators that are commanded by velocity or acceleration. docs/theory/transfer.md, section 8, eq. (20)-(22).
 *
 * The method gives displacements x_j, a time D apart. The target of the command is their derivative at the newest one,
 * by backward differences of second order,
 *
 *     v_j = (3 x_j - 4 x_{j-1} + x_{j-2}) / (2 D),      a_j = (2 x_j - 5 x_{j-1} + 4 x_{j-2} - x_{j-3}) / D^2
 *
 * A command of this kind does not say where the actuator is: errors add up to a drift. The measured displacement is led
 * back to its target slowly, so that it does not disturb the motion. */
#include "transfer/place.h"

#define SMOOTH_TICKS 8.0 /* of the rate of the error */

YK_RT void yk_place_reset(struct yk_place *p, double x)
{
    *p = (struct yk_place){.x = {x, x, x, x}};
}

YK_RT double yk_place_target(struct yk_place *p, enum yk_command_kind kind, double D, double x, double v, double last,
                             double *rate)
{
    for (int k = 3; k > 0; k--)
        p->x[k] = p->x[k - 1];
    p->x[0] = x;
    p->speed = v;
    if (kind == YK_BY_VELOCITY) {
        *rate = (x - 2 * p->x[1] + p->x[2]) / (D * D);
        return (3 * x - 4 * p->x[1] + p->x[2]) / (2 * D);
    }
    const double a = (2 * x - 5 * p->x[1] + 4 * p->x[2] - p->x[3]) / (D * D);
    *rate = (a - last) / D;
    return a;
}

YK_RT double yk_place_lead(struct yk_place *p, enum yk_command_kind kind, double share, double measured, double omega,
                           double tick)
{
    const double error = p->x[1] + share * (p->x[0] - p->x[1]) - measured;

    p->drift += ((error - p->error) / tick - p->drift) / SMOOTH_TICKS;
    p->error = error;
    return kind == YK_BY_VELOCITY ? omega * error : omega * (omega * error + 2 * p->drift);
}

YK_RT double yk_place_hold(enum yk_command_kind kind, const struct yk_kept_place *path, const struct yk_reading *now,
                           double speed, double omega)
{
    const double error = path->x - now->displacement;

    return kind == YK_BY_VELOCITY ? path->v + omega * error : path->a + omega * (omega * error + 2 * (path->v - speed));
}
