/* Independent jobs on a few threads: each thread takes the next free job. */
#include "base/memory.h"
#include <yoke/parallel.h>

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS_MOST = 64 };

struct work {
    atomic_size_t next;
    size_t count;
    void (*job)(void *self, size_t k);
    void *self;
};

static void *take_jobs(void *argument)
{
    struct work *w = argument;

    for (size_t k; (k = atomic_fetch_add(&w->next, 1)) < w->count;)
        w->job(w->self, k);
    return NULL;
}

void yk_parallel(size_t count, int threads, void (*job)(void *self, size_t k), void *self)
{
    struct work w = {.count = count, .job = job, .self = self};
    pthread_t helper[THREADS_MOST];
    int helpers = 0;

    threads = threads < THREADS_MOST ? threads : THREADS_MOST;
    while (threads > 1 && !yk_memory_has_room((size_t)(threads - 1) * YK_BLAS_BUFFER)) /* each may use the BLAS */
        threads--;
    while (helpers + 1 < threads && (size_t)helpers + 1 < count &&
           pthread_create(&helper[helpers], NULL, take_jobs, &w) == 0)
        helpers++;
    take_jobs(&w);
    for (int k = 0; k < helpers; k++)
        pthread_join(helper[k], NULL);
}
