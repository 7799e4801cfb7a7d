/* The rows of a frame: their names, what elements may end at, and the channels of members. */
#include "experiment/frame_parts.h"

#include <stdlib.h>
#include <string.h>

/* A tied degree of freedom as an element sees it: the one it follows, and the rotations that move it besides. */
static enum yk_status find_tie(const struct yk_frame *f, const struct yk_frame_model *model, size_t place,
                               struct yk_tie *tie, struct yk_err *err)
{
    struct yk_frame_terms terms;
    enum yk_status st = yk_frame_expand(f, place / YK_FRAME_DOFS, (int)(place % YK_FRAME_DOFS), &terms, err);

    for (size_t i = 0; i < terms.count && !st; i++) {
        const long row = model->index[terms.place[i]];
        size_t at = 0;

        if (i == 0) { /* the same direction of the master comes first */
            tie->dof = row;
            continue;
        }
        while (at < tie->count && (long)tie->levers[at].dof != row)
            at++;
        if (row < 0)
            continue;
        if (at == tie->count)
            tie->levers[tie->count++] = (struct yk_lever){.dof = (size_t)row};
        tie->levers[at].arm += terms.factor[i];
    }
    return st;
}

/* Names and places of the rows, and everything an element may end at. */
enum yk_status yk_frame_name_dofs(const struct yk_frame *f, const struct yk_frame_model *model, struct yk_dofs *d,
                                  struct yk_ends *ends, struct yk_err *err)
{
    const size_t places = f->node_count * YK_FRAME_DOFS;
    enum yk_status st;

    d->names = calloc(model->n + 1, sizeof *d->names);
    d->place = calloc(3 * model->n + 1, sizeof *d->place);
    ends->dofs.names = calloc(places + 1, sizeof *ends->dofs.names);
    ends->ties = calloc(places + 1, sizeof *ends->ties);
    if (!d->names || !d->place || !ends->dofs.names || !ends->ties)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t p = 0; p < places; p++) {
        const size_t at = ends->dofs.n;

        if (model->index[p] == YK_DOF_UNUSED)
            continue;
        if (asprintf(&ends->dofs.names[at], "%s.%s", f->nodes[p / YK_FRAME_DOFS].name,
                     yk_frame_dof_names[p % YK_FRAME_DOFS]) < 0)
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        ends->dofs.n++;
        ends->ties[at].dof = model->index[p];
        if (model->index[p] == YK_DOF_TIED && (st = find_tie(f, model, p, &ends->ties[at], err)))
            return st;
        if (model->index[p] < 0)
            continue;
        memcpy(d->place + 3 * d->n, f->nodes[p / YK_FRAME_DOFS].at, 3 * sizeof *d->place);
        if (!(d->names[d->n++] = strdup(ends->dofs.names[at])))
            return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    return YK_OK;
}

/* The elongation of a member, e (u_2 - u_1) with e its direction, and its axial force: the mean of it along the member.
 */
static enum yk_status probe_member(const struct yk_frame_reading *r, const struct yk_frame_model *model, size_t number,
                                   struct yk_names *index, struct yk_probes *probes, struct yk_err *err)
{
    enum { MOST = 6 * YK_FRAME_TERMS };
    const struct yk_frame_whole *w = &r->wholes[number];
    const double *at[2] = {r->frame.nodes[w->ends[0]].at, r->frame.nodes[w->ends[1]].at};
    const double d[3] = {at[1][0] - at[0][0], at[1][1] - at[0][1], at[1][2] - at[0][2]};
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    struct yk_probe probe = {.stiffness = w->EA / length,
                             .drawn = w->nonlinear,
                             .ends = {{at[0][0], at[0][1], at[0][2]}, {at[1][0], at[1][1], at[1][2]}}};
    size_t dof[MOST];
    double factor[MOST];
    enum yk_status st = YK_OK;

    for (int i = 0; i < 6 && !st; i++) {
        struct yk_frame_terms terms;

        if (d[i % 3] == 0 || (st = yk_frame_expand(&r->frame, w->ends[i / 3], i % 3, &terms, err)))
            continue;
        for (size_t t = 0; t < terms.count; t++)
            if (model->index[terms.place[t]] >= 0) {
                dof[probe.terms] = (size_t)model->index[terms.place[t]];
                factor[probe.terms++] = (i < 3 ? -1 : 1) * d[i % 3] / length * terms.factor[t];
            }
    }
    if (st || !probe.terms) /* between supports nothing happens */
        return st;
    const bool taken =
        probes->count && yk_names_find(index, &probes->items[0].name, sizeof probe, probes->count, w->name) >= 0;
    if ((taken ? asprintf(&probe.name, "members.%zu", number) : asprintf(&probe.name, "%s", w->name)) < 0)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((probe.dof = malloc(probe.terms * sizeof *dof)) && (probe.factor = malloc(probe.terms * sizeof *factor))) {
        memcpy(probe.dof, dof, probe.terms * sizeof *dof);
        memcpy(probe.factor, factor, probe.terms * sizeof *factor);
        return yk_probes_add(probes, &probe, err);
    }
    free(probe.name);
    free(probe.dof);
    return yk_fail(err, YK_E_MEMORY, "out of memory");
}

enum yk_status yk_frame_probe_members(const struct yk_frame_reading *r, const struct yk_frame_model *model,
                                      struct yk_probes *probes, struct yk_err *err)
{
    struct yk_names index = {0};
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < r->whole_count && !st; i++)
        st = probe_member(r, model, i, &index, probes, err);
    yk_names_free(&index);
    return st;
}
