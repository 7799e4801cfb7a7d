/* Options of `yoke bench`. */
#ifndef YOKE_TIMING_OPTIONS_H
#define YOKE_TIMING_OPTIONS_H

#include <yoke/command.h>

extern const struct yk_command command_bench;

struct timing_options {
    const char *model, *folder;
    bool json, list;
};

#endif
