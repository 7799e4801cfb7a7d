/* The root of the first mode over the step. */
#include "analyze/first_mode.h"

#include <math.h>
#include <stdlib.h>

#define LOST   0.2  /* a root that is further from where it is expected is another one */
#define FIRST  0.05 /* omega dt of the first step, where every method is near the true root */
#define LONGER 1.15 /* the next step over the last one */

enum { MOST_ROOTS = 300 }; /* of a larger structure, the root is followed over the given steps only */

void yk_first_mode_follow(size_t n, const double *re, const double *im, double cycle_s, struct yk_first_mode *mode)
{
    const double angle = mode->omega * cycle_s / (1 + mode->period_error), modulus = exp(-mode->damping * angle);
    double distance = LOST;
    size_t best = n;

    for (size_t i = 0; i < n && angle < M_PI; i++) {
        const double d = hypot(re[i] - modulus * cos(angle), im[i] - modulus * sin(angle));

        if (im[i] > 0 && d < distance) {
            distance = d;
            best = i;
        }
    }
    if (best == n) {
        mode->damping = mode->period_error = NAN;
        return;
    }
    const double arg = atan2(im[best], re[best]);

    mode->damping = -log(hypot(re[best], im[best])) / arg;
    mode->period_error = mode->omega * cycle_s / arg - 1;
}

/* At one step; false in *small: there are too many roots to look at more steps than were asked for. */
static enum yk_status look(const struct yk_model *model, double dt, struct yk_first_mode *mode, bool *small,
                           struct yk_err *err)
{
    struct yk_cycle cycle;
    enum yk_status st = yk_model_cycle(model, dt, &cycle, err);

    if (st)
        return st;
    double *re = malloc(2 * cycle.n * sizeof *re);

    *small = cycle.n <= MOST_ROOTS;
    if (!re)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    else if (*small && !(st = yk_eigen_general(cycle.n, cycle.A, re, re + cycle.n, err)))
        yk_first_mode_follow(cycle.n, re, re + cycle.n, dt * cycle.steps, mode);
    free(re);
    free(cycle.A);
    return st;
}

static enum yk_status find_frequency(const struct yk_model *model, struct yk_first_mode *mode, struct yk_err *err)
{
    double *omega = NULL;
    size_t count = 0;
    const enum yk_status st = yk_natural_frequencies(model, &omega, &count, err);

    mode->omega = !st && count ? omega[0] : -1;
    free(omega);
    return st;
}

enum yk_status yk_first_mode_approach(const struct yk_model *model, double dt, struct yk_first_mode *mode,
                                      struct yk_err *err)
{
    enum yk_status st = mode->omega == 0 ? find_frequency(model, mode, err) : YK_OK;
    bool small = true;

    if (st || mode->omega < 0)
        return st;
    if (dt < mode->step)
        *mode = (struct yk_first_mode){.omega = mode->omega};
    double h = fmax(LONGER * mode->step, FIRST / mode->omega);
    for (; h < dt && mode->omega * h < M_PI && isfinite(mode->damping) && small && !st; h *= LONGER)
        st = look(model, h, mode, &small, err);
    mode->step = dt;
    return st;
}
