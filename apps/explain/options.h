/* Options of `yoke explain`. */
#ifndef EXPLAIN_OPTIONS_H
#define EXPLAIN_OPTIONS_H

#include <yoke/command.h>

struct explain_options {
    struct yk_text_list set;
    long jobs;
    bool json;
};
extern const struct yk_command command_explain;

#endif
