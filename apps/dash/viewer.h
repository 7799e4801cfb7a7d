/* A viewer: what one page has asked for, and what it gets next. It knows nothing of sockets: whoever serves it hands in
 * messages and takes out what is to be sent. Functions for the two sides may be called by two threads. */
#ifndef YOKE_DASH_VIEWER_H
#define YOKE_DASH_VIEWER_H

#include "feed.h"

#include <yoke/role.h>

/* Asks the run of that name to do something, as `yoke control` does; false where nobody answers. */
typedef bool (*yk_dash_ask)(const char *run, const char *word, enum yk_role role, char *answer, size_t size);

/* Sends a line to the console of that name. Returns a descriptor to read the answer from; -1: nobody answers. */
typedef int (*yk_dash_call)(const char *run, const char *line, enum yk_role role);

struct yk_viewer_settings {
    struct yk_feed *feed; /* outlives the viewer */
    yk_dash_ask ask;      /* NULL: controls are refused */
    yk_dash_call call;    /* NULL: likewise lines for a console */
    enum yk_role role;    /* of the token of the page; the run decides what it may do */
};

struct yk_viewer;                                                              /* opaque */
struct yk_viewer *yk_viewer_create(const struct yk_viewer_settings *settings); /* NULL when out of memory */
void yk_viewer_destroy(struct yk_viewer *viewer);

/* Takes a message from the page; errors in it are answered. */
void yk_viewer_take(struct yk_viewer *viewer, const char *text, size_t size);
/* The next thing to send, malloc'd: a text or a frame; NULL when there is nothing more in this round. */
void *yk_viewer_next(struct yk_viewer *viewer, size_t *size, bool *is_text);

#endif
