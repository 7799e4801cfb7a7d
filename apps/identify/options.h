/* Options of `yoke identify`. */
#ifndef YOKE_IDENTIFY_OPTIONS_H
#define YOKE_IDENTIFY_OPTIONS_H

#include <yoke/command.h>

extern const struct yk_command command_identify;
/* The same with --csv: an actuator from recordings. */
extern const struct yk_command command_measured;

/* The options that go with --csv alone: `yoke identify` shows them, too. NULL, 0: not given. */
struct measured_options {
    const char *csv, *columns, *command, *measured, *band, *orders, *date, *decimal, *equal, *frf, *residual,
        *structure;
    struct yk_text_list hold_out;
};
extern const struct yk_option measured_rows[];

struct identify_options {
    const char *actuator, *actuators, *from, *to, *amplitude, *duration, *order, *out, *plot;
    struct yk_text_list set;
    bool joint, mounted, json;
    struct measured_options recorded;
};

/* All words with --csv. */
struct measured_words {
    struct measured_options of;
    struct yk_text_list joint;
    const char *actuator, *out, *plot;
    bool json;
};

#endif
