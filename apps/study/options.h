/* Options of `yoke study`. */
#ifndef YOKE_STUDY_OPTIONS_H
#define YOKE_STUDY_OPTIONS_H

#include <yoke/command.h>

extern const struct yk_command command_study;

struct study_options {
    struct yk_text_list set, vary, results, require, records;
    const char *tune, *shard, *sample, *folder, *ida, *im, *collapse;
    double flat;
    long runs, jobs; /* 0: not given */
    long seed;
    bool quiet, force;
};

#endif
