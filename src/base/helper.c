/* A helper: one word says whose turn it is. The loop writes OFFERED; whoever changes that, the helper to TAKEN or the
 * loop back to IDLE, does the second half; a helper that has done it writes DONE. */
#include "base/helper.h"

#include "base/clock.h"

#include <stdatomic.h>
#include <stdlib.h>

#define WATCH_NS 1000000 /* without work, before it dozes */
#define DOZE_NS  50000

enum turn { IDLE, OFFERED, TAKEN, DONE };

struct yk_helper {
    pthread_t thread;
    _Atomic int turn;
    atomic_bool quit;
    void (*half)(void *self, int which);
    void *self;
};

/* Helper of each thread; set before the loop begins. */
static _Thread_local struct yk_helper *own __attribute__((tls_model("initial-exec")));

static inline void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static bool take(struct yk_helper *h, int from, int to)
{
    return atomic_compare_exchange_strong_explicit(&h->turn, &from, to, memory_order_acq_rel, memory_order_relaxed);
}

static void *work(void *argument)
{
    struct yk_helper *h = argument;
    int64_t since = yk_clock_now_ns();

    while (!atomic_load_explicit(&h->quit, memory_order_acquire)) {
        if (atomic_load_explicit(&h->turn, memory_order_relaxed) == OFFERED && take(h, OFFERED, TAKEN)) {
            h->half(h->self, 1);
            atomic_store_explicit(&h->turn, DONE, memory_order_release);
            since = yk_clock_now_ns();
        } else if (yk_clock_now_ns() - since > WATCH_NS) {
            yk_clock_sleep_until(yk_clock_now_ns() + DOZE_NS);
        } else {
            pause_briefly();
        }
    }
    return NULL;
}

enum yk_status yk_helper_hire(struct yk_helper **hired, struct yk_err *err)
{
    struct yk_helper *h = calloc(1, sizeof *h);

    *hired = NULL;
    if (!h || pthread_create(&h->thread, NULL, work, h)) {
        free(h);
        return yk_fail(err, YK_E_MEMORY, "out of memory: a second thread could not be started");
    }
    *hired = h;
    return YK_OK;
}

void yk_helper_dismiss(struct yk_helper *h)
{
    if (!h)
        return;
    if (own == h)
        own = NULL;
    atomic_store_explicit(&h->quit, true, memory_order_release);
    pthread_join(h->thread, NULL);
    free(h);
}

const pthread_t *yk_helper_thread(const struct yk_helper *h)
{
    return h ? &h->thread : NULL;
}

void yk_helper_assign(struct yk_helper *h)
{
    own = h;
}

YK_RT void yk_in_halves(void (*half)(void *self, int which), void *self)
{
    struct yk_helper *h = own;

    if (!h) {
        half(self, 0);
        half(self, 1);
        return;
    }
    h->half = half;
    h->self = self;
    atomic_store_explicit(&h->turn, OFFERED, memory_order_release);
    half(self, 0);
    if (take(h, OFFERED, IDLE)) {
        half(self, 1);
        return;
    }
    while (atomic_load_explicit(&h->turn, memory_order_acquire) != DONE)
        pause_briefly();
    atomic_store_explicit(&h->turn, IDLE, memory_order_relaxed);
}
