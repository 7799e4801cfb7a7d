/* The options of `yoke list`. */
#ifndef YOKE_LIST_OPTIONS_H
#define YOKE_LIST_OPTIONS_H

#include <yoke/command.h>

struct list_options {
    bool json;
};

extern const struct yk_command command_list;

#endif
