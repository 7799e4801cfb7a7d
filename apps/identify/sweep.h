/* Shared by the two forms of `yoke identify` on a rig: one actuator, and several together. */
#ifndef YOKE_IDENTIFY_SWEEP_H
#define YOKE_IDENTIFY_SWEEP_H

#include "options.h"
#include <yoke/figure.h>
#include <yoke/identification.h>
#include <yoke/parts.h>

struct sweep_ask {
    struct yk_sweep sweep;
    bool mounted, json;
    const char *out, *plot;
    struct yk_parts *parts;
    double tick_s;
};
/* Writes the section `transfer` to ask->out and says so. `write` returns false where it cannot. */
int sweep_write(const struct sweep_ask *ask, bool (*write)(const void *self, FILE *out), const void *self);
int sweep_draw(const struct sweep_ask *ask, const struct yk_figure *figure);
/* Identifies several actuators, given by their indices; order 0: chosen by the fit. Returns the exit code. */
int sweep_joint(const struct sweep_ask *ask, size_t count, const size_t *actuators, size_t order);

#endif
