/* The words of `yoke calibrate`. */
#ifndef YOKE_CALIBRATE_OPTIONS_H
#define YOKE_CALIBRATE_OPTIONS_H

#include <yoke/command.h>

extern const struct yk_command command_calibrate;

struct calibrate_options {
    const char *out, *plot;
    struct yk_text_list set;
    long threads;
    bool json;
};

#endif
