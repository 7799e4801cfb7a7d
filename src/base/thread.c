#include "base/thread.h"

#include <signal.h>

enum { STACK_BYTES = 8 << 20 }; /* the usual one of Linux, whatever `ulimit -s` says */

static _Thread_local int own_priority __attribute__((tls_model("initial-exec")));

void yk_thread_note_priority(int priority)
{
    own_priority = priority;
}

YK_RT int yk_thread_priority(void)
{
    return own_priority;
}

int yk_thread_start(pthread_t *thread, void *(*work)(void *self), void *self)
{
    pthread_attr_t attributes;
    sigset_t all, old;
    int error;

    pthread_attr_init(&attributes);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_OTHER);
    pthread_attr_setschedparam(&attributes, &(struct sched_param){0}); /* else the priority of the caller is taken */
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    error = pthread_create(thread, &attributes, work, self);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}
