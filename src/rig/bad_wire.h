/* A wire with faults: loses, repeats, delays and reorders messages, by seeded random numbers. */
#ifndef YOKE_BAD_WIRE_H
#define YOKE_BAD_WIRE_H

#include "rig/link.h"

#include "rig/serve.h"

enum { YK_BAD_WIRE_QUEUE = 256 };

struct yk_bad_wire {
    struct yk_link *link;
    struct yk_wire_faults faults;
    uint64_t random;
    struct {
        int64_t due_ns;
        struct yk_message m;
    } queue[YK_BAD_WIRE_QUEUE]; /* what is on its way */
    int queued;
    bool holds; /* a message that leaves after the next */
    struct yk_message held;
};

void yk_bad_wire_init(struct yk_bad_wire *w, struct yk_link *link, const struct yk_wire_faults *faults);
void yk_bad_wire_send(struct yk_bad_wire *w, const struct yk_message *m, int64_t now_ns);
/* Sends what is due; returns when the next is, INT64_MAX where nothing is. */
int64_t yk_bad_wire_flush(struct yk_bad_wire *w, int64_t now_ns);
/* How often to deliver an incoming message: 0, 1 or 2 times. */
int yk_bad_wire_times(struct yk_bad_wire *w);

#endif
