/* Options of `yoke results`. */
#ifndef YOKE_RESULTS_OPTIONS_H
#define YOKE_RESULTS_OPTIONS_H

#include <yoke/command.h>

extern const struct yk_command command_results;

struct results_options {
    const char *csv;
    bool json, summary;
};

#endif
