/* Shows how many of many runs are done, and how long the others will take: a bar on a terminal, lines elsewhere. */
#ifndef YOKE_CLI_METER_H
#define YOKE_CLI_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct meter {
    int64_t begin_ns, shown_ns;
    bool quiet, terminal;
};
struct meter meter_begin(bool quiet);
/* `self`: the meter; `before`: runs that were done before it began. One thread at a time. */
void meter_show(void *self, size_t done, size_t before, size_t all);

#endif
