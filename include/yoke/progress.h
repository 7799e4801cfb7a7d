/* Progress on the terminal, on the standard error: of a preparation that takes long, and of many runs. In
 * libyoke-command.a, but for yk_progress_now. */
#ifndef YOKE_PROGRESS_H
#define YOKE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shows the stage of a preparation in the library that takes longer than a second, from here to yk_waiting_end or to
 * the end of the program, in a thread of its own. A second begin has no effect. */
void yk_waiting_begin(void);
void yk_waiting_end(void);

/* For callers without that thread: shows the stage when due; `begin` [ns]: start of the preparation. True while there
 * is a stage. */
struct yk_waiting {
    int64_t begin;
    const char *shown;
    bool line; /* an unfinished one is on the terminal */
};
bool yk_waiting_show(struct yk_waiting *w);
/* Clears an unfinished line from the terminal. */
void yk_waiting_clear(struct yk_waiting *w);

/* The stage of the preparation that is under way in this process; NULL: none that takes long. */
const char *yk_progress_now(void);

/* How many of many runs are done, and how long the others will take: a bar on a terminal, lines elsewhere. */
struct yk_meter {
    int64_t begin_ns, shown_ns;
    bool quiet, terminal;
};
struct yk_meter yk_meter_begin(bool quiet);
/* `self`: the meter; `before`: runs that were done before it began. One thread at a time. */
void yk_meter_show(void *self, size_t done, size_t before, size_t all);

#endif
