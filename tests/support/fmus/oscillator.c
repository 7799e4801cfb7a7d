/* A mass on a spring and a damper with a degree of freedom of its own: m w' = f - k s - c w, s' = w. */
#include "model.h"

enum { FORCE = 1, S, W, DS, DW, M, C, K };

static void start(struct model *m)
{
    m->x[M] = 50;
    m->x[C] = 60;
    m->x[K] = 2000;
}

static void evaluate(struct model *m)
{
    m->x[DS] = m->x[W];
    m->x[DW] = (m->x[FORCE] - m->x[K] * m->x[S] - m->x[C] * m->x[W]) / m->x[M];
}

const struct model_behaviour model_behaviour = {
    .states = {S, W}, .derivatives = {DS, DW}, .state_count = 2, .start = start, .evaluate = evaluate};
