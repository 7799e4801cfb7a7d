/* The runs of a dashboard: those that are watched, those that could be, and the examples that it started. One thread of
 * its own collects what the runs write; everything here may be called by any thread. */
#ifndef YOKE_DASH_HUB_H
#define YOKE_DASH_HUB_H

#include "feed.h"

struct yk_hub_settings {
    const char *const *folders; /* with recordings */
    size_t folder_count;
    const char *only;    /* name of the only live run that is shown; NULL: all of this user */
    const char *program; /* that runs examples; NULL: none are offered */
};

struct yk_hub; /* opaque */
enum yk_status yk_hub_open(struct yk_hub **hub, const struct yk_hub_settings *settings, struct yk_err *err);
void yk_hub_close(struct yk_hub *hub);

/* {runs, learn} of the protocol, a new object. */
json_t *yk_hub_list(struct yk_hub *hub);
/* A run by its id, opened if need be; give it back with yk_hub_leave. NULL where there is none, or it cannot be read.
 */
struct yk_feed *yk_hub_join(struct yk_hub *hub, const char *id, struct yk_err *err);
void yk_hub_leave(struct yk_hub *hub, const struct yk_feed *feed);
/* Is one of the live runs still going on? */
bool yk_hub_is_live(struct yk_hub *hub);

/* Starts an example, and waits until it runs; `id` has room for 48 characters. */
enum yk_status yk_hub_learn(struct yk_hub *hub, const char *example, const json_t *settings, char *id,
                            struct yk_err *err);
bool yk_hub_stop(struct yk_hub *hub, const char *id);

#endif
