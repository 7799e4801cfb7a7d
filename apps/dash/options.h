/* The options of `yoke dash`. */
#ifndef YOKE_DASH_OPTIONS_H
#define YOKE_DASH_OPTIONS_H

#include <yoke/command.h>

extern const struct yk_command command_dash;

struct dash_options {
    const char *address, *only;
    struct yk_text_list hosts;
    long port; /* -1: not given */
    bool read_only, no_learn;
};

#endif
