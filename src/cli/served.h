/* The rig of an experiment for another process, and the thread that serves it: shared by the ways to do so. */
#ifndef YOKE_CLI_SERVED_H
#define YOKE_CLI_SERVED_H

#include "cli/cli.h"
#include "rig/several.h"

#include <stdatomic.h>

enum { SERVE_PRIORITY = 70 }; /* SCHED_FIFO: below that of a loop on the same machine */

/* The virtual rig in the units of its devices, or the part of it that is one of `rigs`. */
struct served_rig {
    struct yk_rig_part part; /* the plan of what is served: part.member.plan */
    struct yk_rig_plan devices;
    double *x0;
};
/* Opens the rig `name` of the experiment, NULL: the only one. Returns 0, or an exit code after a message. Close it in
 * any case. */
int served_rig_open(struct served_rig *r, const struct yk_experiment *e, const char *name);
void served_rig_close(struct served_rig *r);
/* "simulating 2 actuators (a, b) at 1000 Hz, in lock-step, " */
void served_rig_print(const struct served_rig *r, bool own_clock);

struct service {
    void (*run)(void *self, const atomic_bool *stop); /* returns soon after *stop */
    void (*print_counts)(FILE *out, const void *self);
    void *self;
};
/* Runs it in a thread until a signal comes, with one line on the terminal that is kept up to date. */
void serve_until_signal(const struct service *service);

#endif
