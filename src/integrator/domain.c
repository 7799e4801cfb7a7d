/* An integrator at work on a system, and the step every run, analysis and test goes through. */
#include <yoke/integrator.h>

#include <string.h>

enum yk_status yk_integrator_create(struct yk_integrator *it, const struct yk_integrator_ops *ops, const void *settings,
                                    struct yk_system *system, double dt, struct yk_arena *mem, struct yk_err *err)
{
    enum yk_status st;

    *it = (struct yk_integrator){.ops = ops, .system = system, .dt = dt};
    mem = mem ? mem : &it->own;
    if (!(dt > 0 && dt < 1e6))
        return yk_fail(err, YK_E_RANGE, "%s: step = %g s is outside 0 .. 1e6 s", ops->name, dt);
    if (!system->linear && ops->caps & YK_INTEG_LINEAR_ONLY)
        return yk_fail(err, YK_E_UNSUPPORTED, "%s: works on linear models only; use newmark-newton or lsrt3",
                       ops->name);
    yk_arena_pointer(mem, &it->system);
    if (yk_arena_point_to_new(mem, &it->self, 1, ops->size)) {
        memcpy(it->self, settings, ops->size);
        ops->layout(it->self, system, mem);
    }
    if (!(st = yk_arena_check(mem, err)))
        st = ops->init(it->self, system, dt, mem, err);
    if (st)
        yk_integrator_destroy(it);
    return st;
}

void yk_integrator_destroy(struct yk_integrator *it)
{
    if (it->self)
        it->ops->fini(it->self);
    yk_arena_free(&it->own);
    *it = (struct yk_integrator){0};
}

enum yk_status yk_domain_create(struct yk_domain *d, const struct yk_integrator_ops *ops, const void *settings,
                                struct yk_system *system, struct yk_loading loading, double dt, struct yk_arena *mem,
                                struct yk_err *err)
{
    enum yk_status st;

    *d = (struct yk_domain){.loading = loading};
    mem = mem ? mem : &d->own;
    yk_arena_array(mem, &d->f, system->n);
    yk_arena_array(mem, &d->p, system->n);
    yk_arena_pointers(mem, &d->want.u, &d->want.v, &d->want.a);
    if ((st = yk_integrator_create(&d->integrator, ops, settings, system, dt, mem, err)))
        yk_domain_destroy(d);
    return st;
}

void yk_domain_destroy(struct yk_domain *d)
{
    yk_integrator_destroy(&d->integrator);
    yk_arena_free(&d->own);
    *d = (struct yk_domain){0};
}

YK_RT static void load(struct yk_domain *d, double t)
{
    if (d->loading.at)
        d->loading.at(d->loading.self, t, d->f);
}

/* Net force at time t in state (u, v), into d->p. */
YK_RT static void evaluate(struct yk_domain *d, double t, const double *u, const double *v)
{
    load(d, t);
    yk_system_force(d->integrator.system, t, d->f, u, v, d->p);
}

YK_RT static void commit(struct yk_domain *d, double t, const double *u, const double *v)
{
    struct yk_system *system = d->integrator.system;

    if (system->ops->commit)
        system->ops->commit(system->self, t, u, v);
}

enum yk_status yk_domain_start(struct yk_domain *d, const double *u, const double *v)
{
    struct yk_system *system = d->integrator.system;

    d->step = d->stage = 0;
    d->status = YK_OK;
    if (system->ops->rest)
        system->ops->rest(system->self, u);
    evaluate(d, 0, u, v);
    d->integrator.ops->start(d->integrator.self, u, v, d->p);
    return yk_all_finite(system->n, d->p) ? YK_OK : YK_E_DIVERGED;
}

YK_RT enum yk_status yk_domain_resume(struct yk_domain *d, long step)
{
    const struct yk_integrator *it = &d->integrator;
    struct yk_kinematics k;

    d->step = step;
    d->stage = 0;
    d->status = YK_OK;
    it->ops->now(it->self, &k);
    evaluate(d, (double)step * it->dt, k.u, k.v);
    if (it->ops->resume)
        it->ops->resume(it->self, d->p);
    return yk_all_finite(it->system->n, d->p) ? YK_OK : YK_E_DIVERGED;
}

/* Time of the stage under way. */
YK_RT static double stage_time(const struct yk_domain *d)
{
    return ((double)d->step + d->want.c) * d->integrator.dt;
}

/* The step is complete: its end is accepted. */
YK_RT static void finish(struct yk_domain *d)
{
    const struct yk_integrator *it = &d->integrator;
    struct yk_kinematics k;

    d->stage = 0;
    d->step++;
    it->ops->now(it->self, &k);
    commit(d, (double)d->step * it->dt, k.u, k.v);
    if (k.v == k.u + it->system->n ? !yk_all_finite(2 * it->system->n, k.u)
                                   : !yk_all_finite(it->system->n, k.u) || !yk_all_finite(it->system->n, k.v))
        d->status = YK_E_DIVERGED;
}

YK_RT enum yk_need yk_domain_next(struct yk_domain *d, double *t)
{
    const struct yk_integrator *it = &d->integrator;

    if (d->stage == it->ops->stages)
        finish(d);
    else if (d->status == YK_OK) {
        it->ops->target(it->self, d->stage, &d->want);
        *t = stage_time(d);
        if (it->system->ops->set_target && !(it->ops->caps & YK_INTEG_LOADS))
            it->system->ops->set_target(it->system->self, *t, d->want.u, d->want.v);
        return YK_NEED_FORCE;
    }
    return YK_NEED_NOTHING;
}

YK_RT void yk_domain_absorb(struct yk_domain *d)
{
    const bool loads = d->integrator.ops->caps & YK_INTEG_LOADS;
    enum yk_status st;

    if (loads)
        load(d, stage_time(d));
    else
        evaluate(d, stage_time(d), d->want.u, d->want.v);
    st = d->integrator.ops->absorb(d->integrator.self, d->stage, loads ? d->f : d->p);
    if (st == YK_OK)
        d->stage++;
    else if (st != YK_AGAIN)
        d->status = st;
}

YK_RT enum yk_status yk_domain_step(struct yk_domain *d)
{
    double t;

    while (yk_domain_next(d, &t))
        yk_domain_absorb(d);
    return d->status;
}

YK_RT void yk_domain_now(const struct yk_domain *d, struct yk_kinematics *reached)
{
    d->integrator.ops->now(d->integrator.self, reached);
}
