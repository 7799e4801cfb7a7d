/* Gauges: how near the actuators of a run are to their limits, now and at the worst so far, from every row. As the
 * screen of `yoke watch` and the dashboard show them. A library of its own, libyoke-gauge.a, beside libyoke; it needs
 * Jansson (its json_t is `struct json_t`).
 *
 *     struct yk_gauges gauges;
 *     struct json_t *about = yk_json_read_text(info->description);
 *
 *     if (yk_gauges_open(&gauges, about, info->streams, info->stream_count, &err))
 *         return yk_command_fail(&err);
 *     ... yk_gauges_row(&gauges, stream, row) for every row ...
 *     for (size_t i = 0; i < gauges.count; i++)
 *         printf("%s: %g of %g %s\n", gauges.items[i].words, gauges.items[i].value, gauges.items[i].max,
 *                gauges.items[i].unit);
 *     yk_gauges_close(&gauges); */
#ifndef YOKE_GAUGE_H
#define YOKE_GAUGE_H

#include <yoke/json.h>
#include <yoke/telemetry.h>

enum { YK_GAUGE_WINDOW = 64 }; /* most rows over which a rate is averaged */

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
    double past[YK_GAUGE_WINDOW + 1];
};
struct yk_gauges {
    struct yk_gauge *items; /* malloc'd */
    size_t count;
};

/* One for each limit of the actuators in the description of a run (yk_telemetry_about, or the text "description" of a
 * recording); limits that no channel shows have none. The streams are those whose rows will be given. */
enum yk_status yk_gauges_open(struct yk_gauges *gauges, const struct json_t *description,
                              const struct yk_stream *streams, size_t stream_count, struct yk_err *err);
void yk_gauges_close(struct yk_gauges *gauges);
/* A row of a stream. */
void yk_gauges_row(struct yk_gauges *gauges, size_t stream, const double *row);
/* The newest tracking of all actuators. */
void yk_gauges_tracks(struct yk_gauges *gauges, const struct yk_telemetry_track *tracks, size_t count);
/* A new array, as docs/dashboard-protocol.md has it; NULL when out of memory. */
struct json_t *yk_gauges_json(const struct yk_gauges *gauges);

#endif
