/* The variables of an FMU that are used: inputs and outputs in the order of the requests, parameters, their units. */
#include "fmi/fmu_parts.h"

#include <yoke/param.h>
#include <yoke/suggest.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cursor {
    const struct yk_fmu_description *d;
    size_t at;
};

static const char *next_name(void *self)
{
    struct cursor *c = self;

    return c->at < c->d->variable_count ? c->d->variables[c->at++].name : NULL;
}

static enum yk_status find(const struct yk_fmu *f, const char *name, const struct yk_fmu_variable **v, size_t *element,
                           struct yk_err *err)
{
    struct cursor cursor = {&f->d, 0};
    char hint[160];

    if (!(*v = yk_fmu_variable(&f->d, name, element)))
        return yk_fail(err, YK_E_INPUT, "the FMU has no variable '%s'%s", name,
                       yk_suggest(name, next_name, &cursor, "; see `yoke fmu info`", hint, sizeof hint));
    if ((*v)->type == YK_FMU_OTHER)
        return yk_fail(err, YK_E_UNSUPPORTED, "variable '%s' is not a number", name);
    return YK_OK;
}

static enum yk_status make_port(const struct yk_fmu *f, const char *name, enum yk_quantity quantity,
                                struct yk_fmu_port *port, const struct yk_fmu_variable **v, struct yk_err *err)
{
    bool assumed;
    size_t element;
    enum yk_status st = find(f, name, v, &element, err);

    if (st)
        return st;
    *port = (struct yk_fmu_port){.vr = (*v)->vr,
                                 .type = (*v)->type,
                                 .size = (uint32_t)(*v)->size,
                                 .element = (uint32_t)element,
                                 .discrete = f->chosen == YK_FMU_EXCHANGE && (*v)->causality == YK_FMU_INPUT &&
                                             ((*v)->variability == YK_FMU_DISCRETE || (*v)->type > YK_FMU_FLOAT32)};
    if (quantity == YK_QUANTITY_COUNT) { /* as it is */
        port->factor = 1;
        return YK_OK;
    }
    return yk_fmu_unit_of(&f->d, *v, quantity, &port->factor, &port->offset, &assumed, err);
}

enum yk_status yk_fmu_unit(struct yk_fmu *f, const char *name, const char *unit, struct yk_err *err)
{
    const struct yk_fmu_variable *v;
    char *copy;
    size_t element;
    enum yk_status st = find(f, name, &v, &element, err);

    if (st)
        return st;
    if (!(copy = strdup(unit)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    free(v->unit);
    f->d.variables[v - f->d.variables].unit = copy;
    for (size_t i = 0; i < f->d.unit_count; i++) /* what the file says goes first */
        f->d.units[i].has_base = f->d.units[i].has_base && strcmp(f->d.units[i].name, unit) != 0;
    return YK_OK;
}

enum yk_status yk_fmu_input(struct yk_fmu *f, const char *name, enum yk_quantity quantity, struct yk_err *err)
{
    const struct yk_fmu_variable *v;
    struct yk_fmu_port *port = &f->job.input[f->job.inputs];
    enum yk_status st;

    if (f->job.inputs == YK_FMU_MOST_INPUTS)
        return yk_fail(err, YK_E_UNSUPPORTED, "more than %d inputs", YK_FMU_MOST_INPUTS);
    if (!*name) {
        *port = (struct yk_fmu_port){.absent = true, .factor = 1, .size = 1};
        f->job.inputs++;
        return YK_OK;
    }
    if ((st = make_port(f, name, quantity, port, &v, err)))
        return st;
    if (v->causality != YK_FMU_INPUT)
        return yk_fail(err, YK_E_INPUT, "variable '%s' is not an input of the FMU, but of causality %.*s", name,
                       (int)strcspn(yk_choice_at(YK_FMU_CAUSALITIES, v->causality), "|"),
                       yk_choice_at(YK_FMU_CAUSALITIES, v->causality));
    f->job.inputs++;
    return YK_OK;
}

enum yk_status yk_fmu_output(struct yk_fmu *f, const char *name, enum yk_quantity quantity, struct yk_err *err)
{
    const struct yk_fmu_variable *v;
    enum yk_status st;

    if (f->job.outputs == YK_FMU_MOST_OUTPUTS)
        return yk_fail(err, YK_E_UNSUPPORTED, "more than %d outputs", YK_FMU_MOST_OUTPUTS);
    if (!(st = make_port(f, name, quantity, &f->job.output[f->job.outputs], &v, err)))
        f->job.outputs++;
    return st;
}

/* The value of a parameter in the unit of the FMU: a bare number is SI. */
static enum yk_status convert(const struct yk_fmu *f, const struct yk_fmu_variable *v, const char *value, double *x,
                              struct yk_err *err)
{
    char *end;
    double factor, offset, si;
    bool assumed;

    si = strtod(value, &end);
    while (*end == ' ')
        end++;
    if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0) {
        *x = strcmp(value, "true") == 0;
        return YK_OK;
    }
    for (int q = 0; q < YK_QUANTITY_COUNT; q++) {
        if (yk_fmu_unit_of(&f->d, v, (enum yk_quantity)q, &factor, &offset, &assumed, NULL) || (assumed && *end) ||
            (*end && yk_quantity_parse(value, (enum yk_quantity)q, &si, NULL)))
            continue;
        *x = (si - offset) / factor;
        return isfinite(si) ? YK_OK : yk_fail(err, YK_E_RANGE, "'%s' is not a finite number", value);
    }
    return yk_fail(err, YK_E_UNIT, "'%s' is no value for '%s', which the FMU has in %s", value, v->name,
                   *v->unit ? v->unit : "no unit");
}

enum yk_status yk_fmu_parameter(struct yk_fmu *f, const char *name, const char *value, struct yk_err *err)
{
    struct yk_fmu_port *port = &f->job.parameter[f->job.parameters];
    const struct yk_fmu_variable *v;
    enum yk_status st;

    if (f->job.parameters == YK_FMU_MOST_PARAMETERS)
        return yk_fail(err, YK_E_UNSUPPORTED, "more than %d parameters", YK_FMU_MOST_PARAMETERS);
    if ((st = make_port(f, name, YK_QUANTITY_COUNT, port, &v, err)) || (st = convert(f, v, value, &port->value, err)))
        return st;
    if (!v->has_start || v->variability == YK_FMU_CONSTANT || v->causality == YK_FMU_INPUT)
        return yk_fail(err, YK_E_INPUT, "variable '%s' of the FMU has no start value that could be set", name);
    if (!(port->value >= v->min && port->value <= v->max))
        return yk_fail(err, YK_E_RANGE, "%s = %g is outside %g .. %g, the range that the FMU declares", name,
                       port->value, v->min, v->max);
    f->job.parameters++;
    return YK_OK;
}

enum yk_status yk_fmu_parameters(struct yk_fmu *f, const char *list, struct yk_err *err)
{
    char *copy = strdup(list ? list : ""), *rest = copy, *item;
    enum yk_status st = copy ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    while (!st && (item = strsep(&rest, ",;"))) {
        char *equals = strchr(item, '='), *end;

        item += strspn(item, " ");
        if (!*item)
            continue;
        if (!equals) {
            st = yk_fail(err, YK_E_INPUT, "'%s': write parameters as NAME=VALUE, separated by commas", item);
            break;
        }
        *equals = 0;
        for (end = equals; end > item && end[-1] == ' '; end--)
            end[-1] = 0;
        equals += 1 + strspn(equals + 1, " ");
        for (end = equals + strlen(equals); end > equals && end[-1] == ' '; end--)
            end[-1] = 0;
        st = yk_fmu_parameter(f, item, equals, err);
    }
    free(copy);
    return st;
}
