/* The section `record`: which channels a run records, how often, and channels that are sums of others. The engine knows
 * what the names mean. */
#ifndef YOKE_SELECTION_H
#define YOKE_SELECTION_H

#include <yoke/status.h>

/* Streams of rows: of the system steps, of the fine steps of coupled runs, of the control ticks of runs with specimens.
 */
enum yk_stream_number { YK_STREAM_SYSTEM, YK_STREAM_FINE, YK_STREAM_TICKS, YK_STREAMS };

/* Channels whose names match, as file names do in a shell. */
struct yk_channel_pattern {
    char *text;
    bool without; /* "!text": excludes these */
    struct yk_where where;
};
struct yk_stream_selection {
    bool given; /* false: the default channels */
    struct yk_channel_pattern *patterns;
    size_t count;
    int every; /* n-th row */
    struct yk_where where;
};

/* A channel that is a sum of others: factor times all channels whose names match, and so on. */
struct yk_derived_term {
    double factor;
    char *pattern;
};
struct yk_derived {
    char *name, *sum, *unit; /* as in the file; unit NULL: that of the terms */
    struct yk_where where;
    struct yk_derived_term *terms;
    size_t count;
};

struct yk_selection {
    struct yk_stream_selection streams[YK_STREAMS];
    struct yk_derived *derived;
    size_t derived_count;
};

#endif
