/* Signals of a program that moves actuators: everything that can be caught and would end or stop it asks for the ramp
 * instead. docs/safety.md. */
#ifndef YOKE_SIGNALS_H
#define YOKE_SIGNALS_H

#include <stdatomic.h>
#include <stdbool.h>

struct signal_use {
    void (*stop)(void);      /* asks for an orderly end; called by a handler, more than once */
    const atomic_bool *done; /* set when the motion has come to its end */
    bool moves_actuators;    /* false: a second signal of the same kind ends the program at once */
};

/* Before any other thread is started; signals that were blocked by whoever started this program are let in. */
void signals_take(const struct signal_use *use);
/* The thread that calls it moves the actuators. A fault in any other one lets it finish its ramp. */
void signals_mark_loop(void);
/* Only this: shared memory that somebody truncates does not kill with SIGBUS. */
void signals_protect_memory(void);

#endif
