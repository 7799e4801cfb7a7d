/* Options of `yoke serve --ethercat`. */
#ifndef YOKE_SEGMENT_OPTIONS_H
#define YOKE_SEGMENT_OPTIONS_H

#include <yoke/command.h>

/* The command is `serve`, which hands over to this program; NULL where an option was not given. */
extern const struct yk_command command_segment;

/* The options that go with --ethercat alone: `yoke serve` shows them, too. */
struct segment_options {
    const char *interface, *drives, *resolution, *force, *range, *drift;
    struct yk_text_list faults;
};
extern const struct yk_option segment_rows[];

/* All of the program. */
struct segment_words {
    struct segment_options segment;
    struct yk_text_list set;
    const char *rig;
    bool own_clock;
};

#endif
