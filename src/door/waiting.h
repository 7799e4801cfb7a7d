/* Shows on stderr the stage of a preparation that takes longer than a second. */
#ifndef YOKE_WAITING_H
#define YOKE_WAITING_H

#include <stdbool.h>
#include <stdint.h>
#include <yoke/progress.h>

/* For callers without that thread: shows the stage when due; `begin` [ns]: start of the preparation. True while there
 * is a stage. */
struct waiting {
    int64_t begin;
    const char *shown;
    bool line; /* an unfinished one is on the terminal */
};
bool waiting_show(struct waiting *w);
/* Clears an unfinished line from the terminal. */
void waiting_clear(struct waiting *w);

#endif
