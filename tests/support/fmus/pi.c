/* A controller: u = r + gain (r - y) + sum of (r - y) h over Ti, as the built-in one of kind pi computes it: the
 * integral takes the error of this tick before it is used. */
#include "model.h"

enum { R = 1, MEASURED, U, GAIN, TI, SUM };

static void start(struct model *m)
{
    m->x[GAIN] = 0.5;
    m->x[TI] = 0.1;
}

static void evaluate(struct model *m)
{
}

static int step(struct model *m, double t, double h)
{
    const double e = m->x[R] - m->x[MEASURED];

    m->x[SUM] += e * h / m->x[TI];
    m->x[U] = m->x[R] + m->x[GAIN] * (e + m->x[SUM]);
    return 0;
}

const struct model_behaviour model_behaviour = {.start = start, .evaluate = evaluate, .step = step};
