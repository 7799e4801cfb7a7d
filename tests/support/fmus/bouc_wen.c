/* A spring with the hysteresis of Bouc and Wen, motion in, force out: F = a k x + (1 - a) k q,
 * q' = v (1 - |q/Y|^n (g sign(v q) + b)), b + g = 1. */
#include "model.h"

#include <math.h>

enum { X = 1, V, F, K, A, Y, Q, DQ };

static void start(struct model *m)
{
    m->x[K] = 1000;
    m->x[A] = 0.1;
    m->x[Y] = 0.01;
}

static void evaluate(struct model *m)
{
    const double v = m->x[V], q = m->x[Q], s = fabs(q / m->x[Y]);

    m->x[F] = m->x[A] * m->x[K] * m->x[X] + (1 - m->x[A]) * m->x[K] * q;
    m->x[DQ] = v * (1 - s * s * (0.5 * (v * q > 0 ? 1 : v * q < 0 ? -1 : 0) + 0.5));
}

static int step(struct model *m, double t, double h)
{
    return model_integrate(m, h, 8);
}

const struct model_behaviour model_behaviour = {
    .states = {Q}, .derivatives = {DQ}, .state_count = 1, .start = start, .evaluate = evaluate, .step = step};
