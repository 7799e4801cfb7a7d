/* Gauges: how near the actuators are to their limits, now and at the worst so far, from every row. */
#ifndef YOKE_DASH_GAUGE_H
#define YOKE_DASH_GAUGE_H

#include "engine/telemetry.h"
#include "transfer/supervisor.h"

#include <jansson.h>

struct yk_gauge {
    char actuator[48], limit[32], words[48], unit[16], action[8];
    double max;
    size_t number; /* of the actuator */
    enum yk_gauge_kind {
        YK_GAUGE_VALUE,      /* of a channel */
        YK_GAUGE_DIFFERENCE, /* of two */
        YK_GAUGE_RATE,       /* of a channel, over `window` rows */
        YK_GAUGE_GROWTH      /* of the energy, from the state */
    } kind;
    size_t stream, column, other; /* its channel; the one that is subtracted */
    double per_s;                 /* rows in a second of wall time, of a rate */
    double value, peak;
    size_t window, newest, filled; /* of `past`, the rows of a rate */
    double past[YK_WINDOW + 1];
};
struct yk_gauges {
    struct yk_gauge *items; /* malloc'd */
    size_t count;
};

/* From the description of a run (`actuators` with their limits); limits that no channel shows have none. */
enum yk_status yk_gauges_open(struct yk_gauges *gauges, const json_t *description, const struct yk_stream *streams,
                              size_t stream_count, struct yk_err *err);
void yk_gauges_close(struct yk_gauges *gauges);
void yk_gauges_row(struct yk_gauges *gauges, size_t stream, const double *row);
void yk_gauges_tracks(struct yk_gauges *gauges, const struct yk_telemetry_track *tracks, size_t count);
/* As the protocol has them; NULL when out of memory. */
json_t *yk_gauges_json(const struct yk_gauges *gauges);

#endif
