/* A wire with faults. */
#include "rig/bad_wire.h"

#include <yoke/random.h>

/* Evenly spread in [0, 1). */
static double chance(struct yk_bad_wire *w)
{
    return yk_draw_bits(&w->random) * 0x1p-53;
}

void yk_bad_wire_init(struct yk_bad_wire *w, struct yk_link *link, const struct yk_wire_faults *faults)
{
    *w = (struct yk_bad_wire){.link = link, .faults = *faults};
    w->random = 0x9e3779b97f4a7c15u * (2 * (uint64_t)faults->seed + 1);
}

int yk_bad_wire_times(struct yk_bad_wire *w)
{
    if (chance(w) < w->faults.loss)
        return 0;
    return chance(w) < w->faults.duplicate ? 2 : 1;
}

/* On its way; a full queue loses it. */
static void enqueue(struct yk_bad_wire *w, const struct yk_message *m, int64_t now_ns)
{
    const double delay = w->faults.latency + w->faults.jitter * (2 * chance(w) - 1);

    if (w->queued == YK_BAD_WIRE_QUEUE)
        return;
    w->queue[w->queued].due_ns = now_ns + (int64_t)(1e9 * delay);
    w->queue[w->queued++].m = *m;
}

void yk_bad_wire_send(struct yk_bad_wire *w, const struct yk_message *m, int64_t now_ns)
{
    const int times = yk_bad_wire_times(w);

    if (times && !w->holds && chance(w) < w->faults.reorder) {
        w->held = *m;
        w->holds = true;
        return;
    }
    for (int i = 0; i < times; i++)
        enqueue(w, m, now_ns);
    if (w->holds)
        enqueue(w, &w->held, now_ns);
    w->holds = false;
    yk_bad_wire_flush(w, now_ns);
}

int64_t yk_bad_wire_flush(struct yk_bad_wire *w, int64_t now_ns)
{
    while (w->queued) {
        int next = 0;

        for (int i = 1; i < w->queued; i++)
            if (w->queue[i].due_ns < w->queue[next].due_ns)
                next = i;
        if (w->queue[next].due_ns > now_ns)
            return w->queue[next].due_ns;
        w->link->ops->send(w->link, &w->queue[next].m);
        for (w->queued--; next < w->queued; next++) /* the others keep their order */
            w->queue[next] = w->queue[next + 1];
    }
    return INT64_MAX;
}
