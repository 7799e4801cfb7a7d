/* What checks tell of elements: where the step of the test leaves little of their law. */
#include "base/json.h"
#include "program/answers.h"
#include "substructure/probe.h"

/* The next element after *k, *i that its law has something to say of, in words; false: there is none. */
static bool next_advice(const struct yk_experiment *e, size_t *k, size_t *i, char *text, size_t size)
{
    for (; *k < e->substructure_count; (*k)++, *i = 0) {
        const struct yk_system *system = e->substructures[*k].system;
        const double h = e->time.step / (e->coupling && e->fine[*k] ? e->time.substeps : 1);

        while (*i < e->probes[*k].count && yk_is_structure(system))
            if (yk_probe_advise(&e->probes[*k].items[(*i)++], system, h, text, size))
                return true;
    }
    return false;
}

void yk_elements_print(const struct yk_experiment *e, FILE *out)
{
    char text[240];

    for (size_t k = 0, i = 0; next_advice(e, &k, &i, text, sizeof text);)
        fprintf(out, "  element       %s.%s: %s\n", e->substructures[k].name, e->probes[k].items[i - 1].name, text);
}

json_t *yk_elements_json(const struct yk_experiment *e)
{
    json_t *list = json_array();
    char text[240];

    for (size_t k = 0, i = 0; next_advice(e, &k, &i, text, sizeof text);)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "substructure", e->substructures[k].name, "name",
                                              e->probes[k].items[i - 1].name, "advice", text));
    return list;
}
