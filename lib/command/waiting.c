/* Shows a long preparation of a run or an analysis: a line on the terminal that is written over, elsewhere a line for
 * each new stage. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <yoke/clock.h>
#include <yoke/parallel.h>
#include <yoke/progress.h>

enum { PATIENCE_NS = 1000000000, LOOK_NS = 50000000 };

static struct {
    pthread_t thread;
    bool started;
    sem_t stop;
} watcher;

void yk_waiting_clear(struct yk_waiting *w)
{
    if (w->line)
        fputs("\r\033[K", stderr);
    w->line = false;
}

bool yk_waiting_show(struct yk_waiting *w)
{
    const char *stage = yk_progress_now();
    const int64_t passed = yk_clock_now_ns() - w->begin;

    if (!stage || passed < PATIENCE_NS) {
        yk_waiting_clear(w);
        return stage;
    }
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[Kyoke: %s ... %.0f s", stage, 1e-9 * (double)passed);
        w->line = true;
    } else if (stage != w->shown) {
        fprintf(stderr, "yoke: %s ...\n", stage);
    }
    w->shown = stage;
    return true;
}

static void *look(void *self)
{
    struct yk_waiting w = {.begin = yk_clock_now_ns()};

    do
        yk_waiting_show(&w);
    while (!yk_clock_await(&watcher.stop, LOOK_NS));
    yk_waiting_clear(&w);
    return NULL;
}

void yk_waiting_begin(void)
{
    if (!watcher.started && sem_init(&watcher.stop, 0, 0) == 0)
        watcher.started = yk_thread_start(&watcher.thread, look, NULL) == 0;
}

void yk_waiting_end(void)
{
    if (!watcher.started)
        return;
    sem_post(&watcher.stop);
    pthread_join(watcher.thread, NULL);
    sem_destroy(&watcher.stop);
    watcher.started = false;
}
