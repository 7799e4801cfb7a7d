/* The plan of an experiment: its method prepared once, and states of it made by copying one block. */
#include "plan/plan.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct yk_plan {
    struct yk_experiment *own; /* NULL: the experiment is the caller's */
    const struct yk_experiment *experiment;
    struct yk_motion first; /* never stepped; what is constant in the method belongs to it */
    struct yk_image *image; /* of its memory */
    struct yk_reference_plan reference;
};

enum { LINE = 64 }; /* bytes of a cache line */

enum yk_status yk_plan_create(struct yk_plan **created, const struct yk_experiment *e, double dt, struct yk_err *err)
{
    struct yk_plan *plan = calloc(1, sizeof *plan);
    enum yk_status st;

    *created = NULL;
    if (!plan)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    plan->experiment = e;
    if ((st = yk_motion_open(&plan->first, e, dt, err)) ||
        (st = yk_image_make(&plan->image, plan->first.experiment->mem, err))) {
        yk_plan_close(plan);
        return st;
    }
    *created = plan;
    return YK_OK;
}

enum yk_status yk_plan_complete(struct yk_plan **created, const struct yk_experiment *e, struct yk_err *err)
{
    enum yk_status st = yk_plan_create(created, e, 0, err);

    if (!st && e->reference && (st = yk_reference_plan_open(&(*created)->reference, e, err))) {
        yk_plan_close(*created);
        *created = NULL;
    }
    return st;
}

enum yk_status yk_plan_adopt(struct yk_plan **created, struct yk_experiment *e, bool for_runs, struct yk_err *err)
{
    const enum yk_status st = for_runs ? yk_plan_complete(created, e, err) : yk_plan_create(created, e, 0, err);

    if (st)
        yk_experiment_destroy(e);
    else
        (*created)->own = e;
    return st;
}

enum yk_status yk_plan_open(struct yk_plan **created, const char *path, const char *const *overrides,
                            size_t override_count, struct yk_err *err)
{
    struct yk_experiment *e;
    const enum yk_status st = yk_experiment_load(&e, path, overrides, override_count, err);

    *created = NULL;
    return st ? st : yk_plan_adopt(created, e, true, err);
}

void yk_plan_close(struct yk_plan *plan)
{
    if (!plan)
        return;
    yk_reference_plan_close(&plan->reference);
    yk_image_destroy(plan->image);
    yk_motion_close(&plan->first);
    yk_experiment_destroy(plan->own);
    free(plan);
}

const struct yk_experiment *yk_plan_experiment(const struct yk_plan *plan)
{
    return plan->experiment;
}

const struct yk_motion *yk_plan_first(const struct yk_plan *plan)
{
    return &plan->first;
}

const struct yk_reference_plan *yk_plan_reference(const struct yk_plan *plan)
{
    return plan->reference.plan ? &plan->reference : NULL;
}

/* ---- on the virtual rig ---- */

enum yk_status yk_virtual_plan_open(struct yk_virtual_plan *v, const struct yk_plan *plan, struct yk_err *err)
{
    const struct yk_experiment *e = plan->experiment;
    enum yk_status st;
    void *self;

    *v = (struct yk_virtual_plan){.plan = plan};
    if (!e->station || yk_station_rig(e->station, &self)->can & YK_RIG_SIMULATES)
        return YK_OK;
    if ((st = yk_experiment_vary(e, YK_PLAYED_BY_VIRTUAL_RIG, &v->own, err)) ||
        (st = yk_plan_create(&v->own_plan, v->own, 0, err))) {
        yk_virtual_plan_close(v);
        return st;
    }
    v->plan = v->own_plan;
    return YK_OK;
}

void yk_virtual_plan_close(struct yk_virtual_plan *v)
{
    yk_plan_close(v->own_plan);
    yk_experiment_destroy(v->own);
    *v = (struct yk_virtual_plan){0};
}

/* ---- what it says ---- */

const char *yk_plan_title(const struct yk_plan *plan)
{
    return plan->experiment->title;
}

const char *yk_plan_method(const struct yk_plan *plan)
{
    return yk_experiment_method(plan->experiment);
}

double yk_plan_step(const struct yk_plan *plan)
{
    return plan->first.dt;
}

long yk_plan_steps(const struct yk_plan *plan)
{
    return plan->experiment->steps;
}

/* ---- states ---- */

enum yk_status yk_plan_motion(const struct yk_plan *plan, struct yk_motion *m, struct yk_err *err)
{
    const struct yk_motion *first = &plan->first;
    const struct yk_image *image = plan->image;
    struct yk_arena *mem = calloc(1, sizeof *mem);
    void *block = mem ? yk_image_place(image, mem) : NULL;

    if (!block) {
        if (mem)
            yk_arena_free(mem);
        free(mem);
        *m = (struct yk_motion){0};
        return yk_fail(err, YK_E_MEMORY, "out of memory for a state of %zu bytes", yk_image_size(image));
    }
    *m = (struct yk_motion){.experiment = yk_image_at(image, block, first->experiment),
                            .dt = first->dt,
                            .domain = yk_image_at(image, block, first->domain),
                            .coupling = yk_image_at(image, block, first->coupling),
                            .problem = yk_image_at(image, block, first->problem),
                            .modal = yk_image_at(image, block, first->modal),
                            .loads = first->loads,
                            .u = yk_image_at(image, block, first->u),
                            .v = yk_image_at(image, block, first->v),
                            .a = yk_image_at(image, block, first->a),
                            .stage_a = yk_image_at(image, block, first->stage_a),
                            .mass = yk_image_at(image, block, first->mass),
                            .plan = plan,
                            .block = block};
    yk_experiment_move_in(m->experiment, mem);
    return YK_OK;
}

void yk_motion_copy(struct yk_motion *to, const struct yk_motion *from)
{
    struct yk_arena *mem = to->experiment->mem;

    yk_image_copy(to->plan->image, to->block, from->block);
    yk_experiment_move_in(to->experiment, mem);
    to->step = from->step;
}

size_t yk_motion_size(const struct yk_plan *plan)
{
    return yk_image_size(plan->image) + LINE;
}

void yk_motion_save(const struct yk_motion *m, void *bytes)
{
    const size_t size = yk_image_size(m->plan->image);

    yk_image_copy(m->plan->image, bytes, m->block);
    memset((unsigned char *)bytes + size, 0, LINE);
    memcpy((unsigned char *)bytes + size, &m->step, sizeof m->step);
}

void yk_motion_restore(struct yk_motion *m, const void *bytes)
{
    struct yk_arena *mem = m->experiment->mem;

    yk_image_copy(m->plan->image, m->block, bytes);
    yk_experiment_move_in(m->experiment, mem);
    memcpy(&m->step, (const unsigned char *)bytes + yk_image_size(m->plan->image), sizeof m->step);
}

enum yk_status yk_motion_changes(const struct yk_motion *m, uint64_t **changes, size_t *count, struct yk_err *err)
{
    const struct yk_image *image = m->plan->image;
    struct yk_arena *mem = m->experiment->mem;
    size_t numbers;

    *changes = NULL;
    *count = 0;
    yk_experiment_move_in(m->experiment, m->plan->first.experiment->mem); /* every motion has its own */
    numbers = yk_image_changes(image, m->block, NULL);
    if (numbers != SIZE_MAX && (*changes = calloc(numbers + 1, sizeof **changes)))
        *count = yk_image_changes(image, m->block, *changes);
    yk_experiment_move_in(m->experiment, mem);
    if (numbers == SIZE_MAX)
        return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(m->experiment->path),
                          "the state of this run points to memory outside it and cannot be saved");
    return *changes ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for a state of %zu numbers", numbers);
}

enum yk_status yk_motion_apply(struct yk_motion *m, const uint64_t *changes, size_t count, struct yk_err *err)
{
    struct yk_arena *mem = m->experiment->mem;
    const bool fits = yk_image_apply(m->plan->image, m->block, changes, count);

    yk_experiment_move_in(m->experiment, mem);
    return fits ? YK_OK : yk_fail(err, YK_E_INPUT, "the saved state is not one of this experiment");
}
