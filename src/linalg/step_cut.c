#include "linalg/step_cut.h"

#include <yoke/linalg.h>

#include <math.h>

YK_RT void yk_step_cut_begin(struct yk_step_cut *c, double work)
{
    *c = (struct yk_step_cut){.part = 1, .enough = 0.1 * work, .at = {0, 1}, .works = {work, 0}};
}

YK_RT bool yk_step_cut_again(struct yk_step_cut *c, double work)
{
    const int side = work < 0 ? 1 : 0;

    if (c->count == YK_STEP_CUTS || fabs(work) <= c->enough || (c->count == 0 && side == 0))
        return false;
    c->at[side] = c->part;
    c->works[side] = work;
    if (c->count > 0 && side == c->side)
        c->works[1 - side] /= 2;
    c->side = side;
    c->part = c->at[0] + (c->at[1] - c->at[0]) * fmin(fmax(c->works[0] / (c->works[0] - c->works[1]), 0.05), 0.95);
    c->count++;
    return true;
}

YK_RT void yk_step_begin(struct yk_step_cut *c, size_t n, const double *r, double *step)
{
    const double work = yk_dot(n, r, step);

    for (size_t i = 0; i < n && work < 0; i++)
        step[i] = -step[i];
    yk_step_cut_begin(c, fabs(work));
}

YK_RT bool yk_step_again(struct yk_step_cut *c, size_t n, const double *r, const double *step, double *x)
{
    const double before = c->part;

    if (!yk_step_cut_again(c, yk_dot(n, r, step)))
        return false;
    for (size_t i = 0; i < n; i++)
        x[i] += (c->part - before) * step[i];
    return true;
}
