/* Options of `yoke reproduce`. */
#ifndef YOKE_REPRODUCE_OPTIONS_H
#define YOKE_REPRODUCE_OPTIONS_H

#include <yoke/command.h>

extern const struct yk_command command_reproduce;

struct wish {
    const char *papers, *folder; /* where the cases are, where their pages go */
    bool pictures, sensitivity;
};

struct reproduce_options {
    struct wish wish;
    const char *papers, *markdown, *errata;
    long jobs;
    bool list, all, quick, no_pictures, vocabulary, json;
};

#endif
