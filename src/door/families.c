/* Every family of components, from the registries. */
#include "base/json.h"
#include "model/import.h"
#include "transfer/setup.h"
#include <yoke/families.h>
#include <yoke/plugin.h>
#include <yoke/reduction.h>
#include <yoke/suggest.h>
#include <yoke/yoke.h>

#include <math.h>
#include <string.h>

static bool integrator_at(size_t i, struct yk_family_entry *e)
{
    const struct yk_integrator_ops *o = yk_integrators[i];

    if (o)
        *e = (struct yk_family_entry){o->name, o->summary, o->reference, o->order, o->stages, o->params, NULL};
    return o;
}

static bool coupling_at(size_t i, struct yk_family_entry *e)
{
    const struct yk_coupling_ops *o = yk_couplings[i];

    if (o)
        *e = (struct yk_family_entry){o->name,   o->summary, o->reference, yk_coupling_order(o, false), o->stages,
                                      o->params, o};
    return o;
}

static bool format_at(size_t i, struct yk_family_entry *e)
{
    const struct yk_import_format *o = yk_import_formats[i];

    if (o)
        *e = (struct yk_family_entry){.name = o->name, .summary = o->summary, .reference = ""};
    return o;
}

static bool reduction_at(size_t i, struct yk_family_entry *e)
{
    const struct yk_reduction_ops *o = yk_reductions[i];

    if (o)
        *e = (struct yk_family_entry){.name = o->name, .summary = o->summary, .reference = o->reference};
    return o;
}

/* The other families have the same first fields. */
#define FAMILY_AT(family, table)                                                                                       \
    static bool family##_at(size_t i, struct yk_family_entry *e)                                                       \
    {                                                                                                                  \
        if (table[i])                                                                                                  \
            *e = (struct yk_family_entry){                                                                             \
                table[i]->name, table[i]->summary, table[i]->reference, 0, 0, table[i]->params, NULL};                 \
        return table[i];                                                                                               \
    }
FAMILY_AT(law, yk_laws)
FAMILY_AT(signal, yk_signals)
FAMILY_AT(kind, yk_kinds)
FAMILY_AT(compensator, yk_compensators)
FAMILY_AT(estimator, yk_estimators)
FAMILY_AT(controller, yk_controllers)
FAMILY_AT(plant, yk_plants)
FAMILY_AT(setup, yk_setups)
FAMILY_AT(backend, yk_rigs)

const struct yk_family yk_families[] = {{"integrators", integrator_at},
                                        {"couplings", coupling_at},
                                        {"laws", law_at},
                                        {"signals", signal_at},
                                        {"substructures", kind_at},
                                        {"compensators", compensator_at},
                                        {"estimators", estimator_at},
                                        {"controllers", controller_at},
                                        {"plants", plant_at},
                                        {"setups", setup_at},
                                        {"backends", backend_at},
                                        {"formats", format_at},
                                        {"reductions", reduction_at},
                                        {NULL, NULL}};

const struct yk_family *yk_family_find(const char *name)
{
    const struct yk_family *f = yk_families;

    while (f->name && strcmp(f->name, name) != 0)
        f++;
    return f->name ? f : NULL;
}

/* ---- as JSON ---- */

static bool has_range(const struct yk_param *p)
{
    return p->type == YK_PARAM_REAL || p->type == YK_PARAM_COUNT || p->type == YK_PARAM_WHOLE ||
           p->type == YK_PARAM_REALS;
}

/* null: required, or without a value; automatic ones follow from others */
static json_t *default_json(const struct yk_param *p)
{
    if (isnan(p->fallback))
        return json_null();
    if (p->type == YK_PARAM_CHOICE) {
        const char *choice = yk_choice_at(p->choices, (int)p->fallback);

        return json_stringn(choice, strcspn(choice, "|"));
    }
    if (p->type == YK_PARAM_FLAG)
        return json_boolean(p->fallback > 0);
    return has_range(p) && p->type != YK_PARAM_REALS && p->fallback >= p->min ? json_real(p->fallback) : json_null();
}

static json_t *setting_json(const struct yk_param *p)
{
    return json_pack("{s:s, s:s, s:o, s:b, s:o, s:o, s:o, s:s}", "name", p->name, "unit", yk_quantity_unit(p->quantity),
                     "default", default_json(p), "required", isnan(p->fallback), "min",
                     has_range(p) ? yk_json_number(p->min == YK_TINY ? 0 : p->min) : json_null(), "max",
                     has_range(p) ? yk_json_number(p->max) : json_null(), "choices",
                     p->type == YK_PARAM_CHOICE ? json_string(p->choices) : json_null(), "help", p->help);
}

static json_t *family_json(const struct yk_family *f)
{
    json_t *all = json_object();
    struct yk_family_entry e;

    for (size_t i = 0; f->at(i, &e); i++) {
        json_t *settings = json_array();

        for (const struct yk_param *p = e.params; p && p->name; p++)
            json_array_append_new(settings, setting_json(p));
        json_object_set_new(
            all, e.name,
            json_pack("{s:s, s:s, s:o}", "summary", e.summary, "reference", e.reference, "settings", settings));
    }
    return all;
}

static const char *next_family(void *self)
{
    const struct yk_family **f = self;

    return (*f)->name ? (*f)++->name : NULL;
}

const char *yk_family_hint(const char *word, char *text, size_t size)
{
    const struct yk_family *f = yk_families;

    return yk_suggest(word, next_family, &f, "", text, size);
}

enum yk_status yk_list(const char *family, char **json, struct yk_err *err)
{
    json_t *all = json_object();
    bool found = false;

    for (const struct yk_family *f = yk_families; f->name; f++)
        if (!family || strcmp(family, f->name) == 0) {
            json_object_set_new(all, f->name, family_json(f));
            found = true;
        }
    *json = found ? json_dumps(all, 0) : NULL;
    json_decref(all);
    char hint[64];

    if (!found)
        return yk_fail(err, YK_E_INPUT, "there is no family '%s'%s; see `yoke list`", family,
                       yk_family_hint(family, hint, sizeof hint));
    return *json ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}
