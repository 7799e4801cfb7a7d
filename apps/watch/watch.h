/* Parts of `yoke watch`. */
#ifndef YOKE_WATCH_H
#define YOKE_WATCH_H

#include <yoke/telemetry.h>

/* A stream of a run that is watched, and some of its channels. */
struct watched {
    struct yk_telemetry_view *view;
    const struct yk_telemetry_info *about;
    size_t stream;
    size_t *channels; /* columns of the stream that were chosen, malloc'd */
    size_t count, left_out;
};
/* Set by SIGINT and SIGTERM. */
bool watch_is_stopped(void);
/* A text of the run, without control characters: a name must not move the cursor. */
void watch_text(const char *text);
const char *watch_state(const struct yk_telemetry_info *about, int64_t state);

/* Shows the run until it or the user ends it; an exit code. */
int watch_screen(const struct watched *watched, double every_s, bool once);
/* Sends rows to PlotJuggler: JSON over UDP, at most `rate` a second (0: all). */
int watch_bridge(const struct watched *watched, const char *host_port, double rate);

#endif
