/* The options of `yoke report`. */
#ifndef YOKE_REPORT_OPTIONS_H
#define YOKE_REPORT_OPTIONS_H

#include <yoke/command.h>

extern const struct yk_command command_report;

struct report_options {
    const char *output;
    bool own; /* the recording is that of the run which starts this program */
};

#endif
