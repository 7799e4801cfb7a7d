/* The scope: waits for a trigger in the single rows of a run and captures the rows around it. */
#ifndef YOKE_DASH_SCOPE_H
#define YOKE_DASH_SCOPE_H

#include "feed.h"

struct yk_scope {
    struct yk_scope_wish wish;
    uint32_t request, *channels;
    size_t channel_count, stream;
    double limit; /* of the channel of the trigger, where that is a limit */
    enum yk_scope_state { YK_SCOPE_IDLE, YK_SCOPE_ARMED, YK_SCOPE_TRIGGERED, YK_SCOPE_ROLLING } state;
    uint64_t next, trigger; /* the next row to look at; the one that triggered */
    double before;          /* value of the row before */
    bool has_before;
};

/* Does a value trigger after the one before it? */
bool yk_scope_triggers(const struct yk_scope *scope, double before, double value);
/* Takes over the wish of a message, from the next row on. Off: idle. Refuses what the run does not have. */
enum yk_status yk_scope_arm(struct yk_scope *scope, struct yk_feed *feed, struct yk_message *wish, struct yk_err *err);
/* A frame, malloc'd, when there is one; NULL otherwise. The state may change. */
void *yk_scope_poll(struct yk_scope *scope, struct yk_feed *feed, size_t *size);
void yk_scope_clear(struct yk_scope *scope);
const char *yk_scope_state_text(enum yk_scope_state state);

#endif
