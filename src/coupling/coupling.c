/* A coupling at work: the phases of a system step, on one thread or two. */
#include "base/memory.h"
#include <yoke/clock.h>
#include <yoke/coupling.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define YK_COUPLING(name) extern const struct yk_coupling_ops yk_coupling_##name;
#include "coupling/couplings.def"
#undef YK_COUPLING

const struct yk_coupling_ops *const yk_couplings[] = {
#define YK_COUPLING(name) &yk_coupling_##name,
#include "coupling/couplings.def"
#undef YK_COUPLING
    NULL,
};

const struct yk_coupling_ops *yk_coupling_find(const char *name)
{
    for (const struct yk_coupling_ops *const *i = yk_couplings; *i; i++)
        if (strcmp((*i)->name, name) == 0)
            return *i;
    return NULL;
}

/* The second thread. The fine side writes the phase and then raises `asked`; the coarse side works and then sets
 * `finished` to it: each counter has one writer. Unless they poll, each side sleeps on a semaphore until the other has
 * moved. tests/model/exchange.pml is a model of this. */
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

/* Until there is a phase to do; false: go home. */
static bool crew_awaits(struct yk_crew *crew, long *phase)
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

static void *crew_work(void *arg)
{
    struct yk_crew *crew = arg;
    long phase;

    while (crew_awaits(crew, &phase)) {
        const int64_t begin = yk_clock_now_ns();

        crew->status = crew->coupling->ops->coarse(crew->coupling->self, crew->phase);
        crew->took_ns = yk_clock_now_ns() - begin;
        atomic_store_explicit(&crew->finished, phase, memory_order_release);
        if (atomic_load_explicit(&crew->poll_ns, memory_order_relaxed) == 0)
            sem_post(&crew->done);
    }
    return NULL;
}

static enum yk_status crew_hire(struct yk_coupling *c, struct yk_err *err)
{
    struct yk_crew *crew = calloc(1, sizeof *crew);

    if (!crew)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the second thread");
    if (!yk_memory_has_room(YK_BLAS_BUFFER)) {
        free(crew);
        return yk_fail(err, YK_E_MEMORY,
                       "out of memory: a second thread needs %zu MiB for linear algebra; use one thread",
                       YK_BLAS_BUFFER >> 20);
    }
    crew->coupling = c;
    sem_init(&crew->go, 0, 0);
    sem_init(&crew->done, 0, 0);
    if (pthread_create(&crew->thread, NULL, crew_work, crew)) {
        free(crew);
        return yk_fail(err, YK_E_MEMORY, "a second thread could not be started");
    }
    c->crew = crew;
    return YK_OK;
}

static void crew_dismiss(struct yk_crew *crew)
{
    if (!crew)
        return;
    atomic_store_explicit(&crew->quit, true, memory_order_release);
    sem_post(&crew->go);
    pthread_join(crew->thread, NULL);
    sem_destroy(&crew->go);
    sem_destroy(&crew->done);
    free(crew);
}

YK_RT static void crew_ask(struct yk_crew *crew, int phase)
{
    crew->phase = phase;
    atomic_fetch_add_explicit(&crew->asked, 1, memory_order_release);
    if (atomic_load_explicit(&crew->poll_ns, memory_order_relaxed) == 0)
        sem_post(&crew->go);
}

/* Has the coarse side finished what it was asked for? */
YK_RT static bool crew_has_finished(struct yk_crew *crew)
{
    return atomic_load_explicit(&crew->finished, memory_order_acquire) ==
           atomic_load_explicit(&crew->asked, memory_order_relaxed);
}

/* Until the coarse side has finished; a status where the fine side gave up. */
static enum yk_status crew_join(struct yk_coupling *c)
{
    struct yk_crew *crew = c->crew;
    enum yk_status st = YK_OK;

    if (atomic_load_explicit(&crew->poll_ns, memory_order_relaxed) == 0)
        while (sem_wait(&crew->done))
            ; /* interrupted by a signal */
    while (!st && !crew_has_finished(crew))
        st = c->on_wait ? c->on_wait(c->on_wait_self) : YK_OK;
    return st;
}

bool yk_coupling_unblock(struct yk_coupling *c, int64_t poll_ns)
{
    if (!c->crew)
        return false;
    atomic_store_explicit(&c->crew->poll_ns, poll_ns, memory_order_relaxed);
    sem_post(&c->crew->go); /* it sleeps there for the last time */
    return true;
}

const pthread_t *yk_coupling_thread(const struct yk_coupling *c)
{
    return c->crew ? &c->crew->thread : NULL;
}

int64_t yk_coupling_coarse_ns(const struct yk_coupling *c)
{
    return c->crew ? c->crew->took_ns : 0;
}

static enum yk_status check_fit(const struct yk_coupling_ops *ops, const void *self, const struct yk_coupled *c,
                                struct yk_err *err)
{
    if (c->varying_mass && ops->caps & YK_COUPLING_CONSTANT_MASS)
        return yk_fail(err, YK_E_UNSUPPORTED,
                       "%s: does not work with a mass that depends on the configuration; use assr2 or vpnr2",
                       ops->name);
    if (c->substeps != 1 && ops->caps & YK_COUPLING_NO_SUBSTEPS)
        return yk_fail(err, YK_E_UNSUPPORTED,
                       "%s: has no subcycling, so time.substeps must be 1, not %d; assr2, plsrt2 and pm do", ops->name,
                       c->substeps);
    return ops->fit ? ops->fit(self, c, err) : YK_OK;
}

enum yk_status yk_coupling_create(struct yk_coupling *c, const struct yk_coupling_ops *ops, const void *settings,
                                  struct yk_coupled *problem, int threads, struct yk_arena *mem, struct yk_err *err)
{
    enum yk_status st;

    *c = (struct yk_coupling){.ops = ops, .problem = problem};
    if ((st = check_fit(ops, settings, problem, err)))
        return st;
    mem = mem ? mem : &c->own;
    if ((c->self = yk_arena_take(mem, ops->size))) {
        memcpy(c->self, settings, ops->size);
        ops->layout(c->self, problem, mem);
    }
    if (!(st = yk_arena_check(mem, err)) && !(st = ops->init(c->self, problem, mem, err)) && threads > 1 &&
        ops->caps & YK_COUPLING_PARALLEL)
        st = crew_hire(c, err);
    if (st)
        yk_coupling_destroy(c);
    return st;
}

void yk_coupling_destroy(struct yk_coupling *c)
{
    crew_dismiss(c->crew);
    if (c->self && c->ops->fini)
        c->ops->fini(c->self);
    yk_arena_free(&c->own);
    *c = (struct yk_coupling){0};
}

enum yk_status yk_coupling_start(struct yk_coupling *c)
{
    c->problem->step = 0;
    for (int s = 0; s < YK_SIDES; s++) {
        struct yk_system *system = c->problem->side[s].system;

        if (system->ops->rest)
            system->ops->rest(system->self, system->u0);
    }
    return c->ops->start(c->self);
}

/* The fine substeps of a phase; B's force is evaluated here, where a specimen's would be measured. */
static enum yk_status fine(struct yk_coupling *c, int phase, const struct yk_schedule *plan)
{
    struct yk_coupled *problem = c->problem;
    struct yk_side *side = &problem->side[YK_FINE];
    const int total = plan->phases * plan->substeps;
    const double part = 1.0 / total; /* of a system step */
    struct yk_kinematics want;
    enum yk_status st;

    for (int j = 0; j < plan->substeps; j++) {
        const int before = phase * plan->substeps + j;

        for (int stage = 0; stage < plan->stages; stage++) {
            c->ops->fine_target(c->self, phase, j, stage, &want);
            yk_side_evaluate(side, ((double)problem->step + (before + want.c) * part) * problem->dt, want.u, want.v);
            if ((st = c->ops->fine_absorb(c->self, phase, j, stage)))
                return st;
        }
        /* the last one of a step is told after sync, which may still correct it */
        if (c->on_fine && total == problem->substeps && before + 1 < total)
            c->on_fine(c->on_fine_self, ((double)problem->step + (before + 1.0) / total) * problem->dt);
    }
    return YK_OK;
}

static bool is_finite(const struct yk_coupling *c, int side)
{
    const size_t n = c->problem->side[side].n;
    struct yk_kinematics k;

    if (c->ops->reached)
        return yk_all_finite(2 * n, c->ops->reached(c->self, side));
    c->ops->now(c->self, side, &k);
    return yk_all_finite(n, k.u) && yk_all_finite(n, k.v);
}

YK_RT static void begin_stage(struct yk_coupling *c, enum yk_stage stage)
{
    if (c->on_stage)
        c->on_stage(c->on_stage_self, stage);
}

enum yk_status yk_coupling_step(struct yk_coupling *c)
{
    const struct yk_schedule plan = c->ops->schedule(c->self, c->problem->step);
    enum yk_status coarse = YK_OK, st = YK_OK;

    for (int phase = 0; phase < plan.phases && !st; phase++) {
        if (c->crew) {
            crew_ask(c->crew, phase);
        } else {
            begin_stage(c, YK_STAGE_COARSE);
            coarse = c->ops->coarse(c->self, phase);
        }
        begin_stage(c, YK_STAGE_FINE);
        if (!coarse)
            st = fine(c, phase, &plan);
        if (c->crew) {
            const enum yk_status given_up = crew_join(c);

            if (given_up)
                return given_up;
            coarse = c->crew->status;
        }
        st = coarse ? coarse : st;
        begin_stage(c, YK_STAGE_SYNC);
        if (!st)
            st = c->ops->sync(c->self, phase);
    }
    c->problem->step++;
    if (c->on_fine && !st)
        c->on_fine(c->on_fine_self, (double)c->problem->step * c->problem->dt);
    for (int s = 0; s < YK_SIDES && !st; s++)
        if (!is_finite(c, s))
            st = YK_E_DIVERGED;
    return st;
}
