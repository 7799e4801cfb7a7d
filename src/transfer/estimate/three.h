/* The last three samples of command and measured displacement: values and central differences about the middle one. */
#ifndef YOKE_ESTIMATE_THREE_H
#define YOKE_ESTIMATE_THREE_H

#include "transfer/estimate/bounds.h"

struct yk_three {
    double command[3], measured[3]; /* newest first */
    int count;
};

/* True once there are three. */
static inline bool yk_three_push(struct yk_three *s, const struct yk_tracking *sample)
{
    for (int i = 2; i > 0; i--) {
        s->command[i] = s->command[i - 1];
        s->measured[i] = s->measured[i - 1];
    }
    s->command[0] = sample->command;
    s->measured[0] = sample->measured;
    s->count += s->count < 3;
    return s->count == 3;
}

/* Change from the oldest to the newest. */
static inline double yk_three_way(const double *x)
{
    return x[0] - x[2];
}

#endif
