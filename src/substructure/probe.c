/* Probes of the elements of a structure. */
#include "substructure/probe.h"
#include "substructure/structure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void free_probe(struct yk_probe *p)
{
    free(p->name);
    free(p->element.settings);
    free(p->dof);
    free(p->factor);
}

void yk_probes_free(struct yk_probes *probes)
{
    for (size_t i = 0; i < probes->count; i++)
        free_probe(&probes->items[i]);
    free(probes->items);
    *probes = (struct yk_probes){0};
}

enum yk_status yk_probes_take(struct yk_probes *probes, const struct yk_element *elements, size_t count,
                              struct yk_err *err)
{
    size_t number = 0, variables = 0;

    *probes = (struct yk_probes){.items = calloc(count + 1, sizeof *probes->items)};
    if (!probes->items)
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu elements", count);
    for (; probes->count < count; probes->count++) {
        const struct yk_element *e = &elements[probes->count];
        struct yk_probe *p = &probes->items[probes->count];

        p->element = *e;
        p->element.settings = NULL;
        if (yk_element_is_linear(e)) {
            p->linear = true;
            if (!(p->element.settings = malloc(e->law->settings_size + 1))) {
                yk_probes_free(probes);
                return yk_fail(err, YK_E_MEMORY, "out of memory for %zu elements", count);
            }
            memcpy(p->element.settings, e->settings, e->law->settings_size);
        } else {
            p->number = number++;
            p->variables = variables;
            variables += e->law->count;
        }
    }
    return YK_OK;
}

enum yk_status yk_probes_add(struct yk_probes *probes, struct yk_probe *probe, struct yk_err *err)
{
    struct yk_probe *larger = realloc(probes->items, (probes->count + 1) * sizeof *larger);

    if (!larger) {
        free_probe(probe);
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu elements", probes->count + 1);
    }
    probes->items = larger;
    larger[probes->count++] = *probe;
    return YK_OK;
}

YK_RT void yk_probe_now(const struct yk_probe *probe, const struct yk_system *structure, const double *u,
                        const double *v, double *force, double *stretch)
{
    const struct yk_structure *s = structure->self;

    if (probe->terms) {
        *stretch = 0;
        for (size_t j = 0; j < probe->terms; j++)
            *stretch += probe->factor[j] * u[probe->dof[j]];
        *force = probe->stiffness * *stretch;
        return;
    }
    const struct yk_element *e = probe->linear ? &probe->element : &s->elements[probe->number];
    const double *committed = probe->linear ? NULL : s->memory[s->committed[s->sequence]].x + probe->variables;
    double *left = probe->linear ? NULL : s->unused + probe->variables;

    *stretch = yk_element_extension(e, u);
    *force = e->law->force(e->settings, committed, *stretch, yk_element_rate(e, u, v), yk_structure_elapsed(s), left);
}

bool yk_probe_advise(const struct yk_probe *probe, const struct yk_system *structure, double h, char *text, size_t size)
{
    const struct yk_structure *s = structure->self;

    if (probe->terms || probe->drawn)
        return false;
    const struct yk_element *e = probe->linear ? &probe->element : &s->elements[probe->number];

    return e->law->advise && e->law->advise(e->settings, h, text, size);
}

double yk_probe_rest_damping(const struct yk_probe *probe, const struct yk_system *structure, double h, double *usual)
{
    const struct yk_structure *s = structure->self;
    double k, at_rest, moving, inverse = 0; /* of the mass */

    *usual = 1;
    if (probe->terms || probe->drawn || probe->linear || !s->elements[probe->number].law->rate)
        return 0;
    const struct yk_element *e = &s->elements[probe->number];
    const double *committed = s->memory[s->committed[s->sequence]].x + probe->variables;
    const long ends[] = {e->from, e->to};

    e->law->tangent(e->settings, committed, 0, 0, h, &k, &at_rest);
    e->law->tangent(e->settings, committed, 0, 0.1, h, &k, &moving);
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            inverse += 1 / yk_matrix_get(&structure->M, (size_t)ends[i], (size_t)ends[i]);
    if (!(at_rest > 0) || !isfinite(inverse))
        return 0;
    *usual = moving / at_rest;
    return h * at_rest * inverse;
}

void yk_probe_touch(const struct yk_probe *probe, const struct yk_system *structure, unsigned char mark,
                    unsigned char *needed)
{
    const struct yk_structure *s = structure->self;
    size_t dof[YK_TOUCHED];
    const size_t count =
        probe->terms ? 0 : yk_element_touched(probe->linear ? &probe->element : &s->elements[probe->number], dof);

    for (size_t j = 0; j < count; j++)
        needed[dof[j]] |= mark;
    for (size_t j = 0; j < probe->terms; j++)
        needed[probe->dof[j]] |= mark;
}

YK_RT void yk_structure_restoring(const struct yk_system *structure, const double *u, const double *v, double *r)
{
    const struct yk_structure *s = structure->self;
    const struct yk_memory *committed = &s->memory[s->committed[s->sequence]];
    const double h = yk_structure_elapsed(s);
    size_t at = 0;

    memset(r, 0, s->system.n * sizeof *r);
    yk_matrix_add_product(&s->K, 1, u, r);
    yk_matrix_add_product(&s->C, 1, v, r);
    for (size_t i = 0; i < s->count; i++) {
        const struct yk_element *e = &s->elements[i];

        yk_element_scatter(e, u,
                           e->law->force(e->settings, committed->x + at, yk_element_extension(e, u),
                                         yk_element_rate(e, u, v), h, s->unused + at),
                           r);
        at += e->law->count;
    }
    if (s->members.count)
        yk_members_look(s, u, 1, r);
    if (s->members.damping > 0)
        yk_members_add_product(s, committed, s->members.damping, v, r);
}

YK_RT size_t yk_structure_unconverged(const struct yk_system *structure, const char **member)
{
    const struct yk_structure *s = structure->self;

    *member = s->members.bounded ? s->members.items[s->members.last].name : NULL;
    return s->members.bounded;
}
