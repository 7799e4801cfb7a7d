/* The state of an integrator: vectors of one length in one piece, so that they can be saved together. */
#ifndef YOKE_STATE_H
#define YOKE_STATE_H

#include <yoke/arena.h>
#include <yoke/system.h>

/* Takes `count` vectors of n doubles in one piece and points *to[i] at them. */
static inline struct yk_span yk_state_layout(struct yk_arena *mem, size_t n, size_t count, double **const *to)
{
    double *state = yk_arena_doubles(mem, count * n);

    for (size_t i = 0; i < count; i++)
        *to[i] = state ? state + i * n : NULL;
    return (struct yk_span){state, count * n};
}

#endif
