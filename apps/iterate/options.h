/* Options of `yoke iterate`. */
#ifndef ITERATE_OPTIONS_H
#define ITERATE_OPTIONS_H

#include <yoke/command.h>

struct iterate_options {
    struct yk_text_list set;
    const char *output, *resume, *uncommissioned;
    bool dry, force, json;
};
extern const struct yk_command command_iterate;

#endif
