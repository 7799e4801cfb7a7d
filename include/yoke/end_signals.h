/* Signals of a program that moves actuators: every signal that can be caught and would end or stop it starts the ramp
 * instead. docs/safety.md. */
#ifndef YOKE_END_SIGNALS_H
#define YOKE_END_SIGNALS_H

#include <stdatomic.h>
#include <stdbool.h>

struct yk_signal_use {
    void (*stop)(void);      /* requests an orderly end; called by a handler, more than once */
    const atomic_bool *done; /* set when the motion has ended */
    bool moves_actuators;    /* false: a second signal of the same kind ends the program at once */
};

/* Before any other thread is started; unblocks signals that the parent process had blocked. */
void yk_signals_take(const struct yk_signal_use *use);
/* The thread that calls it moves the actuators. A fault in any other one lets it finish its ramp. */
void yk_signals_mark_loop(void);

#endif
