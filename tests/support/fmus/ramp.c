/* A load: y = rate t. */
#include "model.h"

enum { OUT = 1, RATE };

static void start(struct model *m)
{
    m->x[RATE] = 2;
}

static void evaluate(struct model *m)
{
    m->x[OUT] = m->x[RATE] * m->t;
}

static int step(struct model *m, double t, double h)
{
    m->t = t + h;
    evaluate(m);
    return 0;
}

const struct model_behaviour model_behaviour = {.start = start, .evaluate = evaluate, .step = step};
