/* The options of `yoke watch`. */
#ifndef YOKE_WATCH_OPTIONS_H
#define YOKE_WATCH_OPTIONS_H

#include <yoke/command.h>

extern const struct yk_command command_watch;

struct watch_options {
    struct yk_text_list channels;
    const char *plotjuggler;
    bool json, once, fine, ticks;
    double every_s, rate; /* 0: not given */
};

#endif
