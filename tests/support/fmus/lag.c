/* A plant: x' = (u - x)/T, solved exactly for a held u. */
#include "model.h"

#include <math.h>

enum { U = 1, X, T };

static void start(struct model *m)
{
    m->x[T] = 0.01;
}

static void evaluate(struct model *m)
{
}

static int step(struct model *m, double t, double h)
{
    m->x[X] = m->x[U] + (m->x[X] - m->x[U]) * exp(-h / m->x[T]);
    return 0;
}

const struct model_behaviour model_behaviour = {.start = start, .evaluate = evaluate, .step = step};
