/* The command between two targets. docs/theory/transfer.md, eq. (4), (15), (16). With d the distance to the new
 * command, d' the one before, m and m' the slopes at both ends, and s the share of the time between:
 *
 *     line       c + s d
 *     quadratic  c + s d - s (1 - s) (d - d')/2                       through three commands
 *     cubic      c + s m + s^2 (3 d - 2 m - m') + s^3 (m + m' - 2 d)  through two, with their velocities
 *
 * Targets without velocity and past allow only a line, but its kinks excite the mass of a specimen. */
#include "transfer/path.h"

#include <math.h>

YK_RT void yk_path_reset(struct yk_path *p, double x)
{
    *p = (struct yk_path){.kind = p->kind, .from = x, .to = x, .last = {x, x}};
}

YK_RT void yk_path_set_target(struct yk_path *p, double to, double slope)
{
    p->before = p->to - p->from;
    p->from = p->to;
    p->to = to;
    p->leaves = p->arrives;
    p->arrives = slope;
}

YK_RT static double point(const struct yk_path *p, double s)
{
    const double d = p->to - p->from, m0 = p->leaves, m1 = p->arrives;

    if (p->kind == YK_PATH_QUADRATIC)
        return p->from + s * (d - 0.5 * (1 - s) * (d - p->before));
    if (p->kind == YK_PATH_CUBIC)
        return p->from + s * (m0 + s * (3 * d - 2 * m0 - m1 + s * (m0 + m1 - 2 * d)));
    return p->from + s * d;
}

YK_RT double yk_path_at(struct yk_path *p, double share)
{
    const double x = point(p, share), bend = x - 2 * p->last[0] + p->last[1];

    p->last[1] = p->last[0];
    p->last[0] = x;
    p->square += bend * bend;
    p->count++;
    return x;
}

double yk_path_roughness(const struct yk_path *p)
{
    return p->count ? sqrt(p->square / (double)p->count) : 0;
}
