/* Options of `yoke fmu`. */
#ifndef YOKE_FMU_OPTIONS_H
#define YOKE_FMU_OPTIONS_H

#include <yoke/command.h>

extern const struct yk_command command_fmu;

struct fmu_options {
    const char *end, *step, *folder, *input, *interface;
    struct yk_text_list set;
    bool json;
};

#endif
