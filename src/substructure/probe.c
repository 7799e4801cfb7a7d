/* Probes of the elements of a structure; the looks themselves are in structure.c. */
#include "substructure/probe.h"

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
