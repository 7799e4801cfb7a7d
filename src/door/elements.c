/* Check of the elements: advises where the step of the test is too long for their law. */
#include "base/json.h"
#include "door/answers.h"
#include "substructure/probe.h"

#include <stdio.h>

/* Does the method take the damping at rest for that of the whole run? */
static bool keeps_tangent(const struct yk_integrator_ops *method)
{
    return method && method->caps & (YK_INTEG_NEEDS_K0 | YK_INTEG_CONDITIONAL) &&
           !(method->caps & (YK_INTEG_ITERATES | YK_INTEG_MODELS_ONLY));
}

/* A law of the rate that is far steeper at rest than in motion: docs/theory/laws.md, eq. (29). */
static bool damps_too_much(const struct yk_model *model, const struct yk_probe *probe, const struct yk_system *system,
                           double h, char *text, size_t size)
{
    const double most = 0.1;
    double usual = 1;
    const double rest = keeps_tangent(model->integrator) ? yk_probe_rest_damping(probe, system, h, &usual) : 0;

    if (!(rest > most) || usual > 0.5)
        return false;
    snprintf(
        text, size,
        "its damping at rest times the step is %.2g times the mass, above %g: %s, which keeps that damping, will be "
        "wrong; round the law off (`smooth`, `slip_velocity`), shorten the step, or use lsrt2",
        rest, most, model->integrator->name);
    return true;
}

/* The next element after *k, *i that its law has something to say of, in words; false: there is none. */
static bool next_advice(const struct yk_model *model, size_t *k, size_t *i, char *text, size_t size)
{
    for (; *k < model->substructure_count; (*k)++, *i = 0) {
        const struct yk_system *system = model->substructures[*k].system;
        const double h =
            model->time.step / (model->coupling && model->substructures[*k].fine ? model->time.substeps : 1);

        while (*i < model->parts[*k].probes.count && yk_is_structure(system)) {
            const struct yk_probe *probe = &model->parts[*k].probes.items[(*i)++];

            if (yk_probe_advise(probe, system, h, text, size) || damps_too_much(model, probe, system, h, text, size))
                return true;
        }
    }
    return false;
}

void yk_elements_print(const struct yk_model *model, FILE *out)
{
    char text[280];

    for (size_t k = 0, i = 0; next_advice(model, &k, &i, text, sizeof text);)
        fprintf(out, "  element       %s.%s: %s\n", model->substructures[k].name,
                model->parts[k].probes.items[i - 1].name, text);
}

json_t *yk_elements_json(const struct yk_model *model)
{
    json_t *list = json_array();
    char text[280];

    for (size_t k = 0, i = 0; next_advice(model, &k, &i, text, sizeof text);)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "substructure", model->substructures[k].name, "name",
                                              model->parts[k].probes.items[i - 1].name, "advice", text));
    return list;
}
