/* Shared by the source files of the signals. */
#ifndef YOKE_MODEL_SIGNAL_TABLE_H
#define YOKE_MODEL_SIGNAL_TABLE_H

#include <yoke/signal.h>

#include <stdint.h>

#define YK_PI 3.14159265358979323846

/* Bounds of a value that may be anything, and of a time or frequency that must be positive. */
#define YK_HUGE 1e300

/* Uniform numbers in [0, 1), docs/theory/signals.md, eq. (11). */
static inline double yk_uniform(uint32_t *state)
{
    *state = 1664525u * *state + 1013904223u;
    return *state / 4294967296.0;
}

#endif
