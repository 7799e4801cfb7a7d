/* The words of `yoke replay`. */
#ifndef YOKE_REPLAY_OPTIONS_H
#define YOKE_REPLAY_OPTIONS_H

#include <yoke/command.h>

extern const struct yk_command command_replay;

/* NULL: not given. */
struct replay_options {
    const char *csv, *columns, *plant, *compensators, *estimators, *experiment, *plot;
    double cutoff_Hz;
    struct yk_text_list delays;
    bool json;
};

#endif
