/* Options of `yoke check --size`. */
#ifndef SIZE_OPTIONS_H
#define SIZE_OPTIONS_H

#include <stddef.h>
#include <yoke/command.h>

struct size_options {
    const char *table, *plot;
    double reserve;
    bool size;
};
extern const struct yk_option size_rows[];

struct size_words {
    struct size_options size;
    struct yk_text_list set;
    bool json;
};
extern const struct yk_command command_size;

#endif
