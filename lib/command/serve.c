/* A command that works until a signal ends it. */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#include <yoke/command.h>
#include <yoke/end_signals.h>
#include <yoke/parallel.h>

static atomic_bool stop, done; /* asked for; nothing moves any more */

static void ask_for_end(void)
{
    atomic_store(&stop, true);
}

void yk_command_serve_begin(void)
{
    yk_signals_take(&(struct yk_signal_use){ask_for_end, &done, true});
}

static void *work(void *service)
{
    const struct yk_service *s = service;
    const struct sched_param param = {.sched_priority = s->priority};

    yk_signals_mark_loop();
    if (s->priority > 0 && pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) == 0)
        yk_thread_note_priority(s->priority);
    s->run(s->self, &stop);
    atomic_store(&done, true);
    return NULL;
}

/* One line that is kept up to date on a terminal. */
static void watch(const struct yk_service *service)
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

void yk_command_serve(const struct yk_service *service)
{
    struct yk_service copy = *service;
    pthread_t thread;

    if (pthread_create(&thread, NULL, work, &copy) == 0) {
        watch(service);
        pthread_join(thread, NULL);
    } else {
        work(&copy);
    }
}
