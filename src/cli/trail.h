/* Entries of a command in the audit log: none for simulated rigs, all for the others. */
#ifndef YOKE_TRAIL_H
#define YOKE_TRAIL_H

#include "experiment/experiment.h"
#include "record/audit.h"

struct trail {
    struct yk_audit *log; /* NULL: a simulation, nothing is written */
    char run[64];
    unsigned long lost; /* entries that could not be written */
};

/* Opens the log if the rig of the experiment does not simulate. False after a message: a rig does not move without its
 * log. */
bool trail_open(struct trail *trail, const struct yk_model *model, const char *run);
/* `what`: docs/audit.md has the words. A failure is counted: a motion under way is not stopped by a full disk. */
void trail_add(struct trail *trail, const char *by, const char *what, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The beginning: file with its hash, program, settings, limits. */
void trail_begin(struct trail *trail, const struct yk_model *model, const char *what);
/* Says how many entries are missing. */
void trail_close(struct trail *trail);

#endif
