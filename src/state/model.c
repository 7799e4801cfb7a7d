/* The method of a model prepared once, and states of it made by copying one block. */
#include "state/state.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64 }; /* bytes of a cache line */

enum yk_status yk_model_prepare(struct yk_model *model, double dt, struct yk_err *err)
{
    enum yk_status st;

    if (!(model->first = calloc(1, sizeof *model->first)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!(st = yk_state_open(model->first, model, dt, err)))
        st = yk_layout_make(&model->layout, model->first->mem, err);
    return st;
}

enum yk_status yk_model_complete(struct yk_model *model, struct yk_err *err)
{
    enum yk_status st = yk_model_prepare(model, 0, err);

    if (st || !model->reference)
        return st;
    if (!(model->reference_model = calloc(1, sizeof *model->reference_model)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    return yk_reference_model_open(model->reference_model, model, err);
}

/* A new model with the contents of another one, prepared for runs or for analyses. */
static enum yk_status make_of(struct yk_model **created, const struct yk_model *of, bool for_runs, double dt,
                              struct yk_err *err)
{
    struct yk_model *model = malloc(sizeof *model);
    enum yk_status st;

    *created = NULL;
    if (!model)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    *model = *of;
    model->borrows = true;
    model->first = NULL;
    model->layout = NULL;
    model->reference_model = NULL;
    if ((st = for_runs ? yk_model_complete(model, err) : yk_model_prepare(model, dt, err)))
        yk_model_close(model);
    else
        *created = model;
    return st;
}

enum yk_status yk_model_create(struct yk_model **model, const struct yk_model *of, double dt, struct yk_err *err)
{
    return make_of(model, of, false, dt, err);
}

enum yk_status yk_model_create_complete(struct yk_model **model, const struct yk_model *of, struct yk_err *err)
{
    return make_of(model, of, true, 0, err);
}

enum yk_status yk_model_open(struct yk_model **created, const char *path, const char *const *overrides,
                             size_t override_count, struct yk_err *err)
{
    struct yk_model *model;
    enum yk_status st = yk_model_load(&model, path, overrides, override_count, err);

    if (!st && (st = yk_model_complete(model, err))) {
        yk_model_close(model);
        model = NULL;
    }
    *created = model;
    return st;
}

void yk_model_close(struct yk_model *model)
{
    if (!model)
        return;
    if (model->reference_model)
        yk_reference_model_close(model->reference_model);
    free(model->reference_model);
    yk_layout_destroy(model->layout);
    if (model->first)
        yk_state_close(model->first);
    free(model->first);
    if (model->borrows)
        free(model);
    else
        yk_model_free_contents(model);
}

const struct yk_state *yk_model_first(const struct yk_model *model)
{
    return model->first;
}

const struct yk_reference_model *yk_model_reference(const struct yk_model *model)
{
    return model->reference_model;
}

/* ---- on the virtual rig ---- */

enum yk_status yk_virtual_model_open(struct yk_virtual_model *v, const struct yk_model *model, struct yk_err *err)
{
    enum yk_status st;
    void *self;

    *v = (struct yk_virtual_model){.model = model};
    if (!model->station || yk_station_rig(model->station, &self)->can & YK_RIG_SIMULATES)
        return YK_OK;
    if ((st = yk_model_with_players(model, YK_PLAYED_BY_VIRTUAL_RIG, &v->own, err)) ||
        (st = yk_model_prepare(v->own, 0, err))) {
        yk_virtual_model_close(v);
        return st;
    }
    v->model = v->own;
    return YK_OK;
}

void yk_virtual_model_close(struct yk_virtual_model *v)
{
    yk_model_close(v->own);
    *v = (struct yk_virtual_model){0};
}

/* ---- what it says ---- */

const char *yk_model_title(const struct yk_model *model)
{
    return model->title;
}

double yk_model_step(const struct yk_model *model)
{
    return model->first->dt;
}

long yk_model_steps(const struct yk_model *model)
{
    return model->steps;
}

/* ---- states ---- */

/* The pieces of a state in a block that was laid out as `image`, where those of `of` are in the original. */
static void find_pieces(struct yk_state *m, const struct yk_layout *layout, void *block, const struct yk_state *of)
{
    m->substructures = yk_layout_at(layout, block, of->substructures);
    m->assembly = yk_layout_at(layout, block, of->assembly);
    m->station = yk_layout_at(layout, block, of->station);
    yk_station_move_in(m->station, m->mem);
}

enum yk_status yk_state_bodies(struct yk_state *m, const struct yk_model *model, struct yk_err *err)
{
    const struct yk_state start = {
        .substructures = model->substructures, .assembly = model->assembly, .station = model->station};
    struct yk_layout *layout = NULL;
    void *block;
    enum yk_status st;

    *m = (struct yk_state){.model = model, .dt = model->time.step, .mem = calloc(1, sizeof *m->mem)};
    if (!m->mem)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!(st = yk_layout_make(&layout, model->mem, err))) {
        if ((block = yk_layout_place(layout, m->mem)))
            find_pieces(m, layout, block, &start);
        else
            st = yk_fail(err, YK_E_MEMORY, "out of memory for a state of %zu bytes", yk_layout_size(layout));
    }
    yk_layout_destroy(layout);
    return st;
}

enum yk_status yk_model_state(const struct yk_model *model, struct yk_state *m, struct yk_err *err)
{
    const struct yk_state *first = model->first;
    const struct yk_layout *layout = model->layout;
    struct yk_arena *mem = calloc(1, sizeof *mem);
    void *block = mem ? yk_layout_place(layout, mem) : NULL;

    if (!block) {
        if (mem)
            yk_arena_free(mem);
        free(mem);
        *m = (struct yk_state){0};
        return yk_fail(err, YK_E_MEMORY, "out of memory for a state of %zu bytes", yk_layout_size(layout));
    }
    *m = (struct yk_state){.model = model,
                           .mem = mem,
                           .dt = first->dt,
                           .domain = yk_layout_at(layout, block, first->domain),
                           .coupling = yk_layout_at(layout, block, first->coupling),
                           .problem = yk_layout_at(layout, block, first->problem),
                           .modal = yk_layout_at(layout, block, first->modal),
                           .loads = first->loads,
                           .u = yk_layout_at(layout, block, first->u),
                           .v = yk_layout_at(layout, block, first->v),
                           .a = yk_layout_at(layout, block, first->a),
                           .stage_a = yk_layout_at(layout, block, first->stage_a),
                           .mass = yk_layout_at(layout, block, first->mass),
                           .shares = true,
                           .block = block};
    find_pieces(m, layout, block, first);
    return YK_OK;
}

void yk_state_copy(struct yk_state *to, const struct yk_state *from)
{
    yk_layout_copy(to->model->layout, to->block, from->block);
    yk_station_move_in(to->station, to->mem);
    to->step = from->step;
}

size_t yk_state_size(const struct yk_model *model)
{
    return yk_layout_size(model->layout) + LINE;
}

void yk_state_save(const struct yk_state *m, void *bytes)
{
    const size_t size = yk_layout_size(m->model->layout);

    yk_layout_copy(m->model->layout, bytes, m->block);
    memset((unsigned char *)bytes + size, 0, LINE);
    memcpy((unsigned char *)bytes + size, &m->step, sizeof m->step);
}

void yk_state_restore(struct yk_state *m, const void *bytes)
{
    yk_layout_copy(m->model->layout, m->block, bytes);
    yk_station_move_in(m->station, m->mem);
    memcpy(&m->step, (const unsigned char *)bytes + yk_layout_size(m->model->layout), sizeof m->step);
}

enum yk_status yk_state_changes(const struct yk_state *m, uint64_t **changes, size_t *count, struct yk_err *err)
{
    const struct yk_layout *layout = m->model->layout;
    size_t numbers;

    *changes = NULL;
    *count = 0;
    yk_station_move_in(m->station, m->model->first->mem); /* every state has its own */
    numbers = yk_layout_changes(layout, m->block, NULL);
    if (numbers != SIZE_MAX && (*changes = calloc(numbers + 1, sizeof **changes)))
        *count = yk_layout_changes(layout, m->block, *changes);
    yk_station_move_in(m->station, m->mem);
    if (numbers == SIZE_MAX)
        return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(m->model->path),
                          "the state of this run points to memory outside it and cannot be saved");
    return *changes ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for a state of %zu numbers", numbers);
}

enum yk_status yk_state_apply(struct yk_state *m, const uint64_t *changes, size_t count, struct yk_err *err)
{
    const bool fits = yk_layout_apply(m->model->layout, m->block, changes, count);

    yk_station_move_in(m->station, m->mem);
    return fits ? YK_OK : yk_fail(err, YK_E_INPUT, "the saved state is not one of this experiment");
}
