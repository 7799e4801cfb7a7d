/* The second thread. The fine side writes the phase and then raises `asked`; the coarse side works and then sets
 * `finished` to it: each counter has one writer. Unless they poll, each side sleeps on a semaphore until the other has
 * moved. tests/model/exchange.pml is a model of this. */
#include "engine/crew.h"
#include "substructure/probe.h"

#include "base/memory.h"

#include "base/clock.h"
#include "base/thread.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

struct yk_crew {
    pthread_t thread;
    sem_t go, done;
    struct yk_coupling *coupling;
    _Atomic long asked, finished; /* phases */
    _Atomic int64_t poll_ns;      /* 0: sleep on the semaphores */
    atomic_bool quit;
    int phase;
    enum yk_status status;
    int64_t took_ns;
};

static bool polls(const struct yk_crew *crew)
{
    return atomic_load_explicit(&crew->poll_ns, memory_order_relaxed) > 0;
}

/* Until there is a phase to do; false: go home. */
static bool await_work(struct yk_crew *crew, long *phase)
{
    const long finished = atomic_load_explicit(&crew->finished, memory_order_relaxed);

    for (;;) {
        const int64_t poll_ns = atomic_load_explicit(&crew->poll_ns, memory_order_relaxed);

        if (poll_ns > 0)
            yk_clock_sleep_until(yk_clock_now_ns() + poll_ns);
        else
            sem_wait(&crew->go); /* a signal may interrupt it */
        if ((*phase = atomic_load_explicit(&crew->asked, memory_order_acquire)) != finished)
            return true;
        if (atomic_load_explicit(&crew->quit, memory_order_acquire))
            return false;
    }
}

/* The priority that a paced run has given to this thread, for FMUs that work for it. */
static void note_priority(void)
{
    struct sched_param param = {0};
    int policy = SCHED_OTHER;

    pthread_getschedparam(pthread_self(), &policy, &param);
    yk_thread_note_priority(policy == SCHED_FIFO ? param.sched_priority : 0);
}

static void *work(void *arg)
{
    struct yk_crew *crew = arg;
    bool noted = false;
    long phase;

    while (await_work(crew, &phase)) {
        if (!noted && (noted = polls(crew)))
            note_priority();
        const int64_t begin = yk_clock_now_ns();

        crew->status = crew->coupling->ops->coarse(crew->coupling->self, crew->phase);
        crew->took_ns = yk_clock_now_ns() - begin;
        atomic_store_explicit(&crew->finished, phase, memory_order_release);
        if (!polls(crew))
            sem_post(&crew->done);
    }
    return NULL;
}

enum yk_status yk_crew_hire(struct yk_crew **hired, struct yk_coupling *coupling, struct yk_err *err)
{
    struct yk_crew *crew;

    *hired = NULL;
    if (!(coupling->ops->caps & YK_COUPLING_PARALLEL))
        return YK_OK;
    if (!(crew = calloc(1, sizeof *crew)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for the second thread");
    if (!yk_memory_has_room(YK_BLAS_BUFFER)) {
        free(crew);
        return yk_fail(err, YK_E_MEMORY,
                       "out of memory: a second thread needs %zu MiB for linear algebra; use one thread",
                       YK_BLAS_BUFFER >> 20);
    }
    crew->coupling = coupling;
    sem_init(&crew->go, 0, 0);
    sem_init(&crew->done, 0, 0);
    if (pthread_create(&crew->thread, NULL, work, crew)) {
        free(crew);
        return yk_fail(err, YK_E_MEMORY, "out of memory: a second thread could not be started");
    }
    coupling->apart = true;
    *hired = crew;
    return YK_OK;
}

void yk_crew_dismiss(struct yk_crew *crew)
{
    if (!crew)
        return;
    atomic_store_explicit(&crew->quit, true, memory_order_release);
    sem_post(&crew->go);
    pthread_join(crew->thread, NULL);
    sem_destroy(&crew->go);
    sem_destroy(&crew->done);
    crew->coupling->apart = false;
    free(crew);
}

enum yk_status yk_crew_help(struct yk_helper **helper, const struct yk_state *m, int threads, struct yk_err *err)
{
    bool halves = false;
    enum yk_status st;

    *helper = NULL;
    if (m->problem)
        for (int s = 0; s < YK_SIDES; s++)
            halves |= m->problem->side[s].system->solving.halves;
    else
        halves = m->domain->integrator.system->solving.halves;
    for (size_t k = 0; k < m->model->substructure_count; k++) {
        const struct yk_system *system = m->substructures[k].system;

        halves |= yk_is_structure(system) && yk_structure_in_halves(system);
    }
    if (threads < 2 || !halves || (m->problem && m->coupling->ops->caps & YK_COUPLING_PARALLEL))
        return YK_OK;
    if (!(st = yk_helper_hire(helper, err)))
        yk_helper_assign(*helper);
    return st;
}

const pthread_t *yk_crew_thread(const struct yk_crew *crew)
{
    return crew ? &crew->thread : NULL;
}

void yk_crew_poll(struct yk_crew *crew, int64_t poll_ns)
{
    if (!crew)
        return;
    atomic_store_explicit(&crew->poll_ns, poll_ns, memory_order_relaxed);
    sem_post(&crew->go); /* it sleeps there for the last time */
}

void yk_crew_begin(struct yk_crew *crew)
{
    crew->phase = crew->coupling->phase;
    atomic_fetch_add_explicit(&crew->asked, 1, memory_order_release);
    if (!polls(crew))
        sem_post(&crew->go);
}

YK_RT bool yk_crew_has_finished(const struct yk_crew *crew)
{
    return atomic_load_explicit(&crew->finished, memory_order_acquire) ==
           atomic_load_explicit(&crew->asked, memory_order_relaxed);
}

void yk_crew_await(struct yk_crew *crew)
{
    while (!polls(crew) && sem_wait(&crew->done))
        ; /* interrupted by a signal */
}

YK_RT enum yk_status yk_crew_status(const struct yk_crew *crew)
{
    return crew->status;
}

YK_RT int64_t yk_crew_took_ns(const struct yk_crew *crew)
{
    return crew->took_ns;
}

enum yk_status yk_crew_step(struct yk_crew *crew)
{
    struct yk_coupling *c = crew->coupling;
    enum yk_need need;
    double t;

    while ((need = yk_coupling_next(c, &t)) != YK_NEED_NOTHING) {
        if (need == YK_NEED_FORCE)
            yk_coupling_absorb(c);
        else if (need == YK_NEED_COARSE)
            yk_crew_begin(crew);
        else {
            yk_crew_await(crew);
            yk_coupling_meet(c, yk_crew_status(crew));
        }
    }
    return c->status;
}
