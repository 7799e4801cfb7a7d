/* A coupling at work: the phases of a system step, on one thread or two. */
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

/* The second thread: runs `coarse` of the phase it is told, then says that it is done. */
struct yk_crew {
    pthread_t thread;
    sem_t go, done;
    struct yk_coupling *coupling;
    int phase; /* -1: go home */
    enum yk_status status;
};

static void *crew_work(void *arg)
{
    struct yk_crew *crew = arg;

    for (;;) {
        while (sem_wait(&crew->go))
            ; /* interrupted by a signal */
        if (crew->phase < 0)
            return NULL;
        crew->status = crew->coupling->ops->coarse(crew->coupling->self, crew->phase);
        sem_post(&crew->done);
    }
}

static enum yk_status crew_hire(struct yk_coupling *c, struct yk_err *err)
{
    struct yk_crew *crew = calloc(1, sizeof *crew);

    if (!crew)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the second thread");
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
    crew->phase = -1;
    sem_post(&crew->go);
    pthread_join(crew->thread, NULL);
    sem_destroy(&crew->go);
    sem_destroy(&crew->done);
    free(crew);
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
                                  struct yk_coupled *problem, int threads, struct yk_err *err)
{
    enum yk_status st;

    *c = (struct yk_coupling){.ops = ops, .problem = problem};
    if ((st = check_fit(ops, settings, problem, err)))
        return st;
    if (!(c->self = malloc(ops->size)))
        return yk_fail(err, YK_E_MEMORY, "%s: out of memory", ops->name);
    memcpy(c->self, settings, ops->size);
    ops->layout(c->self, problem, &c->mem);
    if (!(st = yk_arena_alloc(&c->mem, err))) {
        ops->layout(c->self, problem, &c->mem);
        if (!(st = ops->init(c->self, problem, err)) && threads > 1 && ops->caps & YK_COUPLING_PARALLEL)
            st = crew_hire(c, err);
    }
    if (st)
        yk_coupling_destroy(c);
    return st;
}

void yk_coupling_destroy(struct yk_coupling *c)
{
    crew_dismiss(c->crew);
    if (c->self && c->ops->fini)
        c->ops->fini(c->self);
    free(c->self);
    yk_arena_free(&c->mem);
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

enum yk_status yk_coupling_step(struct yk_coupling *c)
{
    const struct yk_schedule plan = c->ops->schedule(c->self, c->problem->step);
    enum yk_status coarse = YK_OK, st = YK_OK;

    for (int phase = 0; phase < plan.phases && !st; phase++) {
        if (c->crew) {
            c->crew->phase = phase;
            sem_post(&c->crew->go);
        } else {
            coarse = c->ops->coarse(c->self, phase);
        }
        if (!coarse)
            st = fine(c, phase, &plan);
        if (c->crew) {
            while (sem_wait(&c->crew->done))
                ;
            coarse = c->crew->status;
        }
        st = coarse ? coarse : st;
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
