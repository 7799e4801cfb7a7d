/* A mass on a spring and a damper, whose foot is moved: F = k (x - y) + c (v - w), y' = w, m w' = F. */
#include "model.h"

enum { X = 1, V, F, M, C, K, Y, W, DY, DW };

static void start(struct model *m)
{
    m->x[M] = 50;
    m->x[C] = 60;
    m->x[K] = 2000;
}

static void evaluate(struct model *m)
{
    m->x[F] = m->x[K] * (m->x[X] - m->x[Y]) + m->x[C] * (m->x[V] - m->x[W]);
    m->x[DY] = m->x[W];
    m->x[DW] = m->x[F] / m->x[M];
}

static int step(struct model *m, double t, double h)
{
    return model_integrate(m, h, 32);
}

const struct model_behaviour model_behaviour = {.token = "{absorber}",
                                                .states = {Y, W},
                                                .derivatives = {DY, DW},
                                                .state_count = 2,
                                                .start = start,
                                                .evaluate = evaluate,
                                                .step = step};
