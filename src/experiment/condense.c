/* Large linear parts in a few coordinates, for analyses of the loop with its specimens. docs/theory/delay.md,
 * section 6.
 *
 * The degrees of freedom of interfaces stay; the interior is described by static shapes and by Ritz vectors that the
 * interface excites (src/model/reduce/ritz.c). Loads are left out: they go by names of the full part. */
#include "base/names.h"
#include "experiment/build.h"

#include "transfer/physical.h"
#include <yoke/reduction.h>

#include <stdlib.h>

#define BAND 0.05 /* frequency up to which the vectors are to be good, over that of the steps */

/* Coordinates of a part that stay, and the part in them. */
struct condensed {
    size_t *dofs, count; /* in interfaces */
    long *place;         /* by degree of freedom: its number in `dofs`, -1: none */
    struct yk_reduced r;
};

static enum yk_status find_interface(const struct yk_model *e, size_t k, struct condensed *c, struct yk_err *err)
{
    const size_t n = e->substructures[k].system->n;

    c->dofs = calloc(n + 1, sizeof *c->dofs);
    c->place = malloc((n + 1) * sizeof *c->place);
    if (!c->dofs || !c->place)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < n; i++)
        c->place[i] = -1;
    for (size_t r = 0; r < e->row_count; r++)
        for (size_t i = 0; i < e->rows[r].count; i++) {
            const size_t dof = e->rows[r].dof[i];

            if (e->rows[r].substructure[i] != k || c->place[dof] >= 0)
                continue;
            c->place[dof] = (long)c->count;
            c->dofs[c->count++] = dof;
        }
    return YK_OK;
}

/* Takes the names of the reduced degrees of freedom, and drops the data of the full ones. */
static void rename_dofs(struct yk_model *e, size_t k, struct yk_reduced *r)
{
    struct yk_substructure *s = &e->substructures[k];

    for (size_t i = 0; i < s->system->n; i++)
        free(s->dofs[i]);
    free(s->dofs);
    s->dofs = r->names;
    r->names = NULL;
    yk_names_free(&e->parts[k].dof_index);
    free(e->parts[k].place);
    free(e->parts[k].support);
    e->parts[k].place = e->parts[k].support = NULL;
}

/* The system of matrices takes the place of the full one. */
static enum yk_status replace(struct yk_model *e, size_t k, struct condensed *c, struct yk_err *err)
{
    struct yk_structure_parts parts = {.M = c->r.M, .C = c->r.C, .K = c->r.K, .unchecked = true};
    struct yk_system *system;
    enum yk_status st = yk_build_rest_state(&parts, c->r.n, err);

    c->r.M = c->r.C = c->r.K = (struct yk_matrix){0};
    if (st) {
        yk_structure_parts_free(&parts);
        return st;
    }
    if ((st = yk_structure_create(&system, &parts, e->mem, err)))
        return st;
    rename_dofs(e, k, &c->r);
    yk_system_destroy(e->substructures[k].system);
    e->substructures[k].system = system;
    for (size_t r = 0; r < e->row_count; r++)
        for (size_t i = 0; i < e->rows[r].count; i++)
            if (e->rows[r].substructure[i] == k)
                e->rows[r].dof[i] = c->r.modes + (size_t)c->place[e->rows[r].dof[i]];
    return YK_OK;
}

static enum yk_status condense(struct yk_model *e, size_t k, bool *any, struct yk_err *err)
{
    const struct yk_substructure *s = &e->substructures[k];
    const struct yk_reduce_settings settings = {.modes = e->condensed_modes, .band_Hz = BAND / e->time.step};
    const struct yk_linear_model model = {
        .M = &s->system->M, .C = &s->system->C, .K = &s->system->K, .names = (const char *const *)s->dofs};
    struct condensed c = {0};
    enum yk_status st = find_interface(e, k, &c, err);

    if (!st && c.count > 0 && c.count + e->condensed_modes < s->system->n / 2 &&
        !(st = yk_reduce(&c.r, &model, c.dofs, c.count, &yk_reduction_ritz, &settings, err)) &&
        !(st = replace(e, k, &c, err)))
        *any = true;
    yk_reduced_free(&c.r);
    free(c.dofs);
    free(c.place);
    return st;
}

enum yk_status yk_build_condensed(struct yk_model *e, struct yk_err *err)
{
    enum yk_status st = YK_OK;
    bool any = false;

    for (size_t k = 0; k < e->substructure_count && !st; k++)
        if (!yk_is_physical(e->substructures[k].system) && e->substructures[k].system->linear)
            st = condense(e, k, &any, err);
    return st || any ? st : yk_fail(err, YK_E_UNSUPPORTED, "no part of the structure can be condensed");
}
