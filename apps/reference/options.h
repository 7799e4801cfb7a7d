/* The options of `yoke reference`. */
#ifndef YOKE_REFERENCE_OPTIONS_H
#define YOKE_REFERENCE_OPTIONS_H

#include <yoke/command.h>

struct reference_options {
    bool schema;
};

extern const struct yk_command command_reference;

#endif
