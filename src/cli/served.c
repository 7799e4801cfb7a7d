#include "cli/served.h"

#include "base/segment.h"
#include "cli/signals.h"
#include "rig/virtual/rig.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_bool stop, done; /* asked for; nothing moves any more */

static void ask_for_end(void)
{
    atomic_store(&stop, true);
}

int served_rig_open(struct served_rig *r, const struct yk_experiment *e, const char *name)
{
    struct yk_err err = {0};

    *r = (struct served_rig){.part = {.all = yk_station_plan(e->station)}};
    r->devices = *r->part.all; /* what goes over the wire is what the devices count */
    r->x0 = calloc(r->devices.count, sizeof *r->x0);
    r->part.rig = yk_station_rig(e->station, &r->part.self);
    r->part.all = &r->devices;
    r->devices.x0 = r->x0;
    signals_take(&(struct signal_use){ask_for_end, &done, true});
    yk_segment_sweep();
    for (size_t i = 0; r->x0 && i < r->devices.count; i++) {
        r->x0[i] = yk_station_start(e->station, i);
        if (r->part.rig == &yk_rig_virtual)
            r->x0[i] = yk_virtual_rig_use_device(r->part.self, i, r->x0[i]);
    }
    if (r->x0 && !yk_experiment_rig(e, name, &r->part.member, &err) && !yk_rig_part.open(&r->part, NULL, &err))
        return 0;
    return r->x0 ? report_failure(&err) : 1;
}

void served_rig_close(struct served_rig *r)
{
    yk_rig_part.close(&r->part);
    free(r->x0);
}

void served_rig_print(const struct served_rig *r, bool own_clock)
{
    const struct yk_rig_plan *plan = &r->part.member.plan;
    const size_t n = plan->count;

    printf("simulating %zu actuator%s (", n, n == 1 ? "" : "s");
    for (size_t i = 0; i < n; i++)
        printf("%s%s", i ? ", " : "", plan->names[i]);
    printf(") at %g Hz, %s, ", 1 / plan->tick, own_clock ? "by its own clock" : "in lock-step");
}

static void *work(void *service)
{
    const struct service *s = service;

    signals_mark_loop();
    s->run(s->self, &stop);
    atomic_store(&done, true);
    return NULL;
}

/* One line that is kept up to date on a terminal. */
static void watch(const struct service *service)
{
    const bool terminal = isatty(STDERR_FILENO);

    for (int i = 1; !atomic_load(&done); i++) {
        usleep(20000);
        if (!terminal || i % 25)
            continue;
        fputs("\r\033[K", stderr);
        service->print_counts(stderr, service->self);
    }
    if (terminal)
        fputs("\r\033[K", stderr);
}

void serve_until_signal(const struct service *service)
{
    struct service copy = *service;
    pthread_t thread;

    if (pthread_create(&thread, NULL, work, &copy) == 0) {
        watch(service);
        pthread_join(thread, NULL);
    } else {
        work(&copy);
    }
}
