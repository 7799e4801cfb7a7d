/* Options of `yoke reduce`. */
#ifndef YOKE_REDUCE_OPTIONS_H
#define YOKE_REDUCE_OPTIONS_H

#include <yoke/command.h>

extern const struct yk_command command_reduce;

struct reduce_options {
    struct yk_text_list substructures, interfaces, set;
    const char *method, *modes, *band, *response, *threads, *out;
    bool no_report, json;
};

#endif
