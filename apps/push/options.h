/* Options of `yoke push`. */
#ifndef YOKE_PUSH_OPTIONS_H
#define YOKE_PUSH_OPTIONS_H

#include <yoke/command.h>

extern const struct yk_command command_push;

struct push_options {
    struct yk_text_list set;
    const char *output, *target;
    double kappa;
    long stage, modes;
    bool capacity, json, force;
};

#endif
