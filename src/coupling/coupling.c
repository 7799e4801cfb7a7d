/* A coupling at work: the parts of a system step, in the order in which somebody advances them. */
#include <yoke/coupling.h>

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

static enum yk_status check_fit(const struct yk_coupling_ops *ops, const void *self, const struct yk_coupled *c,
                                struct yk_err *err)
{
    if (c->varying_mass && ops->caps & YK_COUPLING_CONSTANT_MASS)
        return yk_fail(err, YK_E_UNSUPPORTED,
                       "%s: does not work with a mass that depends on the configuration; use assr2, plsrt2 or vpnr2",
                       ops->name);
    if (c->substeps != 1 && ops->caps & YK_COUPLING_NO_SUBSTEPS)
        return yk_fail(err, YK_E_UNSUPPORTED,
                       "%s: has no subcycling, so time.substeps must be 1, not %d; assr2, plsrt2 and pm do", ops->name,
                       c->substeps);
    return ops->fit ? ops->fit(self, c, err) : YK_OK;
}

enum yk_status yk_coupling_create(struct yk_coupling *c, const struct yk_coupling_ops *ops, const void *settings,
                                  struct yk_coupled *problem, struct yk_arena *mem, struct yk_err *err)
{
    enum yk_status st;

    *c = (struct yk_coupling){.ops = ops, .problem = problem};
    if ((st = check_fit(ops, settings, problem, err)))
        return st;
    mem = mem ? mem : &c->own;
    yk_arena_pointers(mem, &c->problem, &c->want.u, &c->want.v, &c->want.a);
    if (yk_arena_point_to_new(mem, &c->self, 1, ops->size)) {
        memcpy(c->self, settings, ops->size);
        ops->layout(c->self, problem, mem);
    }
    if (!(st = yk_arena_check(mem, err)))
        st = ops->init(c->self, problem, mem, err);
    if (st)
        yk_coupling_destroy(c);
    return st;
}

void yk_coupling_destroy(struct yk_coupling *c)
{
    if (c->self && c->ops->fini)
        c->ops->fini(c->self);
    yk_arena_free(&c->own);
    *c = (struct yk_coupling){0};
}

enum yk_status yk_coupling_start(struct yk_coupling *c, const double *u, const double *v)
{
    c->problem->step = 0;
    c->place = YK_AT_START;
    c->status = YK_OK;
    c->fine_reached = false;
    yk_coupled_begin(c->problem, u, v);
    for (int s = 0; s < YK_SIDES; s++) {
        const struct yk_side *side = &c->problem->side[s];

        if (side->system->ops->rest)
            side->system->ops->rest(side->system->self, side->u0);
    }
    return c->ops->start(c->self);
}

YK_RT static bool is_finite(const struct yk_coupling *c, int side)
{
    const size_t n = c->problem->side[side].n;
    struct yk_kinematics k;

    if (c->ops->reached)
        return yk_all_finite(2 * n, c->ops->reached(c->self, side));
    c->ops->now(c->self, side, &k);
    return yk_all_finite(n, k.u) && yk_all_finite(n, k.v);
}

YK_RT static void begin_stage(struct yk_coupling *c, enum yk_step_part stage)
{
    if (c->on_part)
        c->on_part(c->on_part_self, stage);
}

/* Fine substeps of a system step that were made before this one. */
YK_RT static int substeps_before(const struct yk_coupling *c)
{
    return c->phase * c->plan.substeps + c->substep;
}

/* Time of the stage under way. */
YK_RT static double stage_time(const struct yk_coupling *c)
{
    const double part = 1.0 / (c->plan.phases * c->plan.substeps); /* of a system step */

    return ((double)c->problem->step + (substeps_before(c) + c->want.c) * part) * c->problem->dt;
}

/* ---- the parts of a step, in their order ---- */

YK_RT static enum yk_need begin_phase(struct yk_coupling *c)
{
    const bool apart = c->apart && c->ops->caps & YK_COUPLING_PARALLEL;

    c->substep = c->stage = 0;
    c->place = YK_AT_FINE;
    if (!apart) {
        begin_stage(c, YK_STEP_PART_COARSE);
        c->status = c->ops->coarse(c->self, c->phase);
    }
    begin_stage(c, YK_STEP_PART_FINE);
    return apart ? YK_NEED_COARSE : YK_NEED_NOTHING;
}

/* Names the state of the next stage; nothing where the substeps of the phase are made. */
YK_RT static enum yk_need target_stage(struct yk_coupling *c, double *t)
{
    const struct yk_system *system = c->problem->side[YK_FINE].system;

    if (c->status || c->substep == c->plan.substeps) {
        c->place = YK_AT_MEETING;
        return YK_NEED_NOTHING;
    }
    c->ops->fine_target(c->self, c->phase, c->substep, c->stage, &c->want);
    *t = stage_time(c);
    if (system->ops->set_target)
        system->ops->set_target(system->self, *t, c->want.u, c->want.v);
    return YK_NEED_FORCE;
}

YK_RT void yk_coupling_absorb(struct yk_coupling *c)
{
    const int total = c->plan.phases * c->plan.substeps;
    struct yk_coupled *problem = c->problem;

    yk_side_evaluate(&problem->side[YK_FINE], stage_time(c), c->want.u, c->want.v);
    c->status = c->ops->fine_absorb(c->self, c->phase, c->substep, c->stage);
    c->fine_reached = false;
    if (c->status || ++c->stage < c->plan.stages)
        return;
    c->stage = 0;
    c->substep++;
    /* the last one of a step is reached after sync, which may still correct it */
    c->fine_reached = total == problem->substeps && substeps_before(c) < total;
    c->fine_t = ((double)problem->step + (double)substeps_before(c) / total) * problem->dt;
}

YK_RT void yk_coupling_meet(struct yk_coupling *c, enum yk_status coarse)
{
    begin_stage(c, YK_STEP_PART_SYNC);
    c->status = coarse ? coarse : c->status;
    if (!c->status)
        c->status = c->ops->sync(c->self, c->phase);
    c->place = ++c->phase < c->plan.phases && !c->status ? YK_AT_PHASE : YK_AT_END;
}

YK_RT static void finish(struct yk_coupling *c)
{
    c->place = YK_AT_START;
    c->problem->step++;
    c->fine_reached = !c->status;
    c->fine_t = (double)c->problem->step * c->problem->dt;
    for (int s = 0; s < YK_SIDES && !c->status; s++)
        if (!is_finite(c, s))
            c->status = YK_E_DIVERGED;
}

YK_RT enum yk_need yk_coupling_next(struct yk_coupling *c, double *t)
{
    enum yk_need need = YK_NEED_NOTHING;

    c->fine_reached = false;
    if (c->place == YK_AT_START) {
        c->plan = c->ops->schedule(c->self, c->problem->step);
        c->phase = 0;
        c->status = YK_OK;
        c->place = YK_AT_PHASE;
    }
    while (!need && c->place != YK_AT_END) {
        if (c->place == YK_AT_PHASE)
            need = begin_phase(c);
        else if (c->place == YK_AT_FINE)
            need = target_stage(c, t);
        else if (c->apart && c->ops->caps & YK_COUPLING_PARALLEL)
            need = YK_NEED_MEETING;
        else
            yk_coupling_meet(c, YK_OK);
    }
    if (!need)
        finish(c);
    return need;
}

YK_RT enum yk_status yk_coupling_step(struct yk_coupling *c)
{
    const bool apart = c->apart;
    double t;

    c->apart = false;
    while (yk_coupling_next(c, &t))
        yk_coupling_absorb(c);
    c->apart = apart;
    return c->status;
}
