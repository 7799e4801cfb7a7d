/* Options of `yoke new`. Answers are texts here; questions.c reads them, whether they were typed or given as options.
 */
#ifndef NEW_OPTIONS_H
#define NEW_OPTIONS_H

#include <stddef.h>
#include <yoke/command.h>

struct new_options {
    const char *storeys, *mass, *stiffness, *period, *damping;
    const char *mass_matrix, *stiffness_matrix, *at;
    const char *specimen, *share, *specimen_stiffness, *specimen_damping, *yield_force;
    const char *record, *unit, *record_step, *peak, *rate, *table;
    const char *from;
    bool list, json, ask, defaults;
};
extern const struct yk_command command_new;

#endif
