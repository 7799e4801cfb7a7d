/* The options of `yoke audit`. */
#ifndef YOKE_AUDIT_OPTIONS_H
#define YOKE_AUDIT_OPTIONS_H

#include <yoke/command.h>

struct audit_options {
    const char *against;
    long last; /* 0: not given */
    bool json;
};

extern const struct yk_command command_audit;

#endif
