/* An experiment for the console of a rig: one actuator of the kind tt1 with a spring, a sensor and lines. */
#ifndef YOKE_TEST_CONSOLE_H
#define YOKE_TEST_CONSOLE_H

#include "support/check.h"

extern struct console {
    char file[1024], zeros[64], name[64]; /* with the number of the process: others may run the same test */
} console;

/* For a group of tests, in a scratch folder. */
int console_set_up(void **state);
void console_forget_zeros(void);

#endif
