/* Progress on the terminal, on the standard error: of a preparation that takes long, and of many runs. */
#ifndef YOKE_PROGRESS_H
#define YOKE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shows the stage of a preparation in the library that takes longer than a second, from here to yk_waiting_end or to
 * the end of the program, in a thread of its own. A second begin has no effect. */
void yk_waiting_begin(void);
void yk_waiting_end(void);

/* How many of many runs are done, and how long the others will take: a bar on a terminal, lines elsewhere. */
struct yk_meter {
    int64_t begin_ns, shown_ns;
    bool quiet, terminal;
};
struct yk_meter yk_meter_begin(bool quiet);
/* `self`: the meter; `before`: runs that were done before it began. One thread at a time. */
void yk_meter_show(void *self, size_t done, size_t before, size_t all);

#endif
