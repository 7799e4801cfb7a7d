/* The simulated segment at the end of a wire: frames in, frames out, and the ticks of its own clock between them. */
#include "ethercat/sim_serve.h"

#include "base/thread.h"

#include "base/clock.h"

#include <pthread.h>
#include <sched.h>

enum { LOOK_NS = 20000000 }; /* how often the stop is looked at */

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
        hear(g, wire, until - YK_CLOCK_SPIN_NS);
    yk_sim_segment_advance(g, now);
}

void yk_sim_serve(struct yk_sim_segment *g, struct yk_ec_wire *wire, int priority, const atomic_bool *stop)
{
    const struct sched_param param = {.sched_priority = priority};

    if (priority > 0 && pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) == 0)
        yk_thread_note_priority(priority); /* where it is refused, frames come back late more often */
    while (!atomic_load(stop))
        if (g->settings.own_clock)
            turn_by_clock(g, wire);
        else
            hear(g, wire, wire->ops->now(wire) + LOOK_NS);
}
