/* Shows on stderr what a preparation is doing that takes longer than a second. */
#ifndef YOKE_CLI_WAITING_H
#define YOKE_CLI_WAITING_H

#include <stdbool.h>
#include <stdint.h>

/* From here to waiting_end or to the end of the program, by a thread of its own. A second begin has no effect. */
void waiting_begin(void);
void waiting_end(void);

/* For those who look themselves: shows the stage when it is time to, `begin` [ns] being when all of it began. True
 * while there is a stage. */
struct waiting {
    int64_t begin;
    const char *shown;
    bool line; /* an unfinished one stands on the terminal */
};
bool waiting_show(struct waiting *w);
/* Takes an unfinished line off the terminal. */
void waiting_clear(struct waiting *w);

#endif
