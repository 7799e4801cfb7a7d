/* The motion of the whole experiment with the full and with the reduced model. */
#include "reduction.h"
#include <yoke/clock.h>

#include <math.h>
#include <stdlib.h>

/* The only other substructure, if each of its degrees of freedom is joined to one of the reduced one and nothing else
 * acts: `partner` gets the degree of freedom of the full model joined to each. NULL: it is not so. */
static struct yk_system *attached(const struct reduction *r, size_t *other, size_t *partner)
{
    const size_t rows = yk_parts_rows(r->parts);
    struct yk_system *system;
    size_t joined = 0;

    if (yk_parts_count(r->parts) != 2 || r->mass_moved) /* its loads are those of the moved mass */
        return NULL;
    *other = 1 - r->substructure;
    system = yk_part(r->parts, *other)->system;
    if (system->n != r->count || rows != r->count || system->mass_divided_out)
        return NULL;
    for (size_t i = 0; i < yk_parts_loads(r->parts); i++)
        if (yk_parts_load(r->parts, i)->substructure == r->substructure)
            return NULL;
    for (size_t i = 0; i < rows; i++) {
        const struct yk_row *row = yk_parts_row(r->parts, i);
        const size_t own = row->substructure[0] == r->substructure ? 0 : 1;

        if (row->count != 2 || row->substructure[own] != r->substructure || row->substructure[1 - own] != *other ||
            row->coefficient[0] != -row->coefficient[1])
            return NULL;
        joined |= (size_t)1 << row->dof[1 - own] % 64;
        partner[row->dof[1 - own]] = row->dof[own];
    }
    return joined && r->count <= 64 && joined == (r->count == 64 ? SIZE_MAX : ((size_t)1 << r->count) - 1) ? system
                                                                                                           : NULL;
}

struct load {
    const struct yk_parts *parts;
    size_t k;
};

static void load_at(void *self, double t, double *f)
{
    const struct load *l = self;

    yk_parts_load_at(l->parts, l->k, t, f);
}

static void compare_whole(struct whole *w)
{
    const size_t samples = (w->steps + 1) * w->count;
    double difference = 0, size = 0;

    for (size_t i = 0; i < samples; i++) {
        difference += (w->full_u[i] - w->reduced_u[i]) * (w->full_u[i] - w->reduced_u[i]);
        size += w->full_u[i] * w->full_u[i];
    }
    w->mse = difference / (double)samples;
    w->rms = sqrt(size / (double)samples);
    w->nmse = size > 0 ? difference / size : 0;
}

enum yk_status whole_run(struct reduction *r, const struct yk_progress *progress, struct yk_err *err)
{
    const struct yk_linear_model few = {.M = &r->reduced.M, .C = &r->reduced.C, .K = &r->reduced.K};
    struct whole *w = &r->whole;
    size_t *full = calloc(2 * r->count, sizeof *full), *coordinate = full + r->count;
    struct load load = {.parts = r->parts};
    struct yk_forced response = {.dofs = full,
                                 .count = r->count,
                                 .force = load_at,
                                 .self = &load,
                                 .dt = yk_parts_step(r->parts),
                                 .end = yk_parts_end(r->parts),
                                 .progress = *progress};
    int64_t begin;
    enum yk_status st = full ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (st || !(response.attached = attached(r, &load.k, full)))
        goto end;
    w->count = r->count;
    w->steps = (size_t)yk_parts_steps(r->parts);
    w->dt = yk_parts_step(r->parts);
    w->first = r->model.names[full[0]];
    w->full_u = calloc((w->steps + 1) * w->count, sizeof *w->full_u);
    w->reduced_u = calloc((w->steps + 1) * w->count, sizeof *w->reduced_u);
    if (!w->full_u || !w->reduced_u) {
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
        goto end;
    }
    begin = yk_clock_now_ns();
    if ((st = yk_forced_run(&r->model, &response, w->full_u, err)))
        goto end;
    w->full_s = 1e-9 * (double)(yk_clock_now_ns() - begin);
    for (size_t k = 0; k < r->count; k++)
        for (size_t b = 0; b < r->count; b++)
            if (r->reduced.interface_dofs[b] == full[k])
                coordinate[k] = r->reduced.modes + b;
    response.dofs = coordinate;
    response.progress = (struct yk_progress){0};
    begin = yk_clock_now_ns();
    if ((st = yk_forced_run(&few, &response, w->reduced_u, err)))
        goto end;
    w->reduced_s = 1e-9 * (double)(yk_clock_now_ns() - begin);
    w->made = true;
    compare_whole(w);
end:
    free(full);
    return st;
}
