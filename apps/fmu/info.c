/* yoke fmu info: interfaces, abilities and variables of an FMU. */
#include "parts.h"

#include <jansson.h>
#include <math.h>
#include <string.h>
#include <yoke/json.h>
#include <yoke/param.h>

static const char *word_of(const char *choices, int index)
{
    static char word[32];
    const char *choice = yk_choice_at(choices, index);

    snprintf(word, sizeof word, "%.*s", (int)strcspn(choice, "|"), choice);
    return word;
}

static void print_interface(const struct yk_fmu_interface *i, const char *name)
{
    if (!i->offered)
        return;
    printf("  %-15s %s.so;%s%s%s%s%s%s%s", name, i->identifier, i->saves ? " saves its state," : " saves no state,",
           i->serializes ? " serializes it," : "", i->differentiates ? " directional derivatives," : "",
           i->variable_step ? " steps of any length," : "", i->interpolates ? " interpolates inputs," : "",
           i->intermediate ? " intermediate update," : "", i->needs_tool ? " needs its tool," : "");
    if (i->internal_step > 0)
        printf(" internal step %g s,", i->internal_step);
    puts(i->only_once ? " one instance per process" : " many instances");
}

static void print_info(const struct yk_fmu *fmu)
{
    const struct yk_fmu_description *d = yk_fmu_description(fmu);

    printf("%s: %s (FMI %s)%s%s\n", yk_fmu_path(fmu), d->model, d->version_text, *d->tool ? ", made by " : "", d->tool);
    if (*d->description)
        printf("  %s\n", d->description);
    print_interface(&d->interface[YK_FMU_COSIMULATION], "co-simulation");
    print_interface(&d->interface[YK_FMU_EXCHANGE], "model exchange");
    if (d->derivative_count || d->indicators)
        printf("  %zu continuous states, %zu event indicators\n", d->derivative_count, d->indicators);
    printf("  %-28s %-20s %-11s %-8s %s\n", "variable", "causality", "variability", "unit", "start");
    for (size_t i = 0; i < d->variable_count; i++) {
        const struct yk_fmu_variable *v = &d->variables[i];
        char name[64], start[32] = "";

        snprintf(name, sizeof name, v->size > 1 ? "%.40s[%zu]" : "%.60s", v->name, v->size);
        if (v->has_start && v->type != YK_FMU_OTHER)
            snprintf(start, sizeof start, "%g", v->start);
        printf("  %-28s %-20s ", name, word_of(YK_FMU_CAUSALITIES, v->causality));
        printf("%-11s %-8s %s\n", word_of(YK_FMU_VARIABILITIES, v->variability), *v->unit ? v->unit : "-", start);
    }
}

static json_t *interface_json(const struct yk_fmu_interface *i)
{
    if (!i->offered)
        return json_null();
    return json_pack("{s:s, s:b, s:b, s:b, s:b, s:b, s:o}", "identifier", i->identifier, "saves_state", i->saves,
                     "serializes_state", i->serializes, "directional_derivatives", i->differentiates, "variable_step",
                     i->variable_step, "interpolates_inputs", i->interpolates || i->intermediate, "internal_step_s",
                     yk_json_number(i->internal_step > 0 ? i->internal_step : NAN));
}

static json_t *info_json(const struct yk_fmu *fmu)
{
    const struct yk_fmu_description *d = yk_fmu_description(fmu);
    json_t *list = json_array();

    for (size_t i = 0; i < d->variable_count; i++) {
        const struct yk_fmu_variable *v = &d->variables[i];
        json_t *one = json_pack("{s:s, s:I, s:s}", "name", v->name, "value_reference", (json_int_t)v->vr, "causality",
                                word_of(YK_FMU_CAUSALITIES, v->causality));

        json_object_set_new(one, "variability", json_string(word_of(YK_FMU_VARIABILITIES, v->variability)));
        json_object_set_new(one, "used", json_boolean(v->type != YK_FMU_OTHER));
        json_object_set_new(one, "unit", json_string(v->unit));
        json_object_set_new(one, "size", json_integer((json_int_t)v->size));
        json_object_set_new(one, "start", yk_json_number(v->has_start ? v->start : NAN));
        json_array_append_new(list, one);
    }
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:I, s:I, s:o}", "model", d->model, "fmi", d->version_text, "token",
                     d->token, "co_simulation", interface_json(&d->interface[YK_FMU_COSIMULATION]), "model_exchange",
                     interface_json(&d->interface[YK_FMU_EXCHANGE]), "states", (json_int_t)d->derivative_count,
                     "event_indicators", (json_int_t)d->indicators, "variables", list);
}

int fmu_info(const char *path, bool json)
{
    struct yk_fmu *fmu;
    struct yk_err err = {0};
    int code = 0;

    if (yk_fmu_open(&fmu, path, "fmu", &err)) {
        yk_command_fail(&err);
        return 2;
    }
    if (json)
        code = yk_print_json(info_json(fmu));
    else
        print_info(fmu);
    yk_fmu_close(fmu);
    return code;
}
