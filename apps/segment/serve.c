/* The simulated segment at the end of a wire: frames in, frames out, and the ticks of its own clock between them. */
#include "serve.h"

enum {
    LOOK_NS = 20000000, /* how often the stop is looked at */
    LATE_NS = 60000     /* usual lateness of a sleep: the last part of a wait only listens */
};

static void send_back(void *wire, const uint8_t *bytes, size_t size)
{
    struct yk_ec_wire *w = wire;

    w->ops->send(w, bytes, size);
}

/* Takes the next frame that comes until `until`; false: none came. */
static bool hear(struct yk_sim_segment *g, struct yk_ec_wire *wire, int64_t until)
{
    uint8_t bytes[YK_EC_FRAME_MOST];
    const size_t size = wire->ops->receive(wire, bytes, until);

    if (!size)
        return false;
    if (g->settings.own_clock)
        yk_sim_segment_advance(g, wire->ops->now(wire));
    yk_sim_segment_take(g, bytes, size, send_back, wire);
    return true;
}

/* Frames until the next tick, then the tick. It goes on listening while it waits for the last microseconds: a frame
 * that waited would carry the wrong time. */
static void turn_by_clock(struct yk_sim_segment *g, struct yk_ec_wire *wire)
{
    int64_t now = wire->ops->now(wire);
    const int64_t due = yk_sim_segment_due(g), until = due < now + LOOK_NS ? due : now + LOOK_NS;

    for (; now < until; now = wire->ops->now(wire))
        hear(g, wire, until - LATE_NS);
    yk_sim_segment_advance(g, now);
}

void yk_sim_serve(struct yk_sim_segment *g, struct yk_ec_wire *wire, const atomic_bool *stop)
{
    while (!atomic_load(stop))
        if (g->settings.own_clock)
            turn_by_clock(g, wire);
        else
            hear(g, wire, wire->ops->now(wire) + LOOK_NS);
}
