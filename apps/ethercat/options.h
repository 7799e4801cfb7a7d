/* The options of `yoke ethercat`. */
#ifndef YOKE_ETHERCAT_OPTIONS_H
#define YOKE_ETHERCAT_OPTIONS_H

#include <yoke/command.h>

struct ethercat_options {
    const char *file;
    bool json;
};

extern const struct yk_command command_ethercat;

#endif
