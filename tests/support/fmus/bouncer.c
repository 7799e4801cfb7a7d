/* Model exchange with an event: a mass falls on the moving foot and bounces, y'' = -g, w := -e (w - v) + v where
 * y < x. Its force on the foot is a soft spring, so that there is one. */
#include "model.h"

enum { X = 1, V, F, G, E, Y, W, DY, DW };

static void start(struct model *m)
{
    m->x[G] = 10;
    m->x[E] = 0.5;
    m->x[Y] = 1;
}

static void evaluate(struct model *m)
{
    m->x[F] = m->x[X];
    m->x[DY] = m->x[W];
    m->x[DW] = -m->x[G];
}

static void indicators(const struct model *m, double *values)
{
    values[0] = m->x[Y] - m->x[X];
}

static bool event(struct model *m)
{
    if (m->x[Y] > m->x[X] || m->x[W] > m->x[V])
        return false;
    m->x[W] = m->x[V] - m->x[E] * (m->x[W] - m->x[V]);
    return true;
}

const struct model_behaviour model_behaviour = {.states = {Y, W},
                                                .derivatives = {DY, DW},
                                                .state_count = 2,
                                                .indicator_count = 1,
                                                .start = start,
                                                .evaluate = evaluate,
                                                .indicators = indicators,
                                                .event = event};
