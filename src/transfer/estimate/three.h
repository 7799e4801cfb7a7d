/* The last three samples of command (or target) and measured displacement: values and central differences about the
 * middle one. */
#ifndef YOKE_ESTIMATE_THREE_H
#define YOKE_ESTIMATE_THREE_H

#include "transfer/estimate/bounds.h"

struct yk_three {
    double given[3], measured[3]; /* newest first */
};

static inline void yk_three_push(struct yk_three *s, double given, double measured)
{
    for (int i = 2; i > 0; i--) {
        s->given[i] = s->given[i - 1];
        s->measured[i] = s->measured[i - 1];
    }
    s->given[0] = given;
    s->measured[0] = measured;
}

/* Change from the oldest to the newest. */
static inline double yk_three_way(const double *x)
{
    return x[0] - x[2];
}

#endif
