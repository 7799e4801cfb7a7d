/* The words of `yoke motion`. */
#ifndef YOKE_MOTION_OPTIONS_H
#define YOKE_MOTION_OPTIONS_H

#include <yoke/command.h>

extern const struct yk_command command_motion;

struct motion_options {
    const char *unit, *channel, *band, *damping, *periods, *ductility, *to, *target, *out, *levels, *runs, *collapsed,
        *capacities;
    double step, factor, first, hardening;
    long baseline, order;
    bool json;
};

#endif
