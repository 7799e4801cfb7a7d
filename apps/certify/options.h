/* Options of `yoke check --certify` and `yoke check --cuts`. */
#ifndef CERTIFY_OPTIONS_H
#define CERTIFY_OPTIONS_H

#include <stddef.h>
#include <yoke/command.h>

struct certify_options {
    const char *output;
    bool certify, cuts, changing;
};
extern const struct yk_option certify_rows[];

struct certify_words {
    struct certify_options certify;
    struct yk_text_list set;
    double budget_s;
    bool json;
};
extern const struct yk_command command_certify;

#endif
