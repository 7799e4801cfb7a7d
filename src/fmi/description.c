/* modelDescription.xml, read with expat. Unknown elements and attributes are skipped: newer minor versions of the
 * standard and vendors add them. */
#include "fmi/description.h"

#include <yoke/param.h>
#include <yoke/suggest.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef YOKE_FMI
#include <expat.h>

enum { DEEPEST = 32, MOST_VARIABLES = 1000000, LONGEST_ATTRIBUTE = 65536, MOST_ELEMENTS = 100000 };

struct parsing {
    struct yk_fmu_description *d;
    XML_Parser parser;
    const char *name;
    struct yk_err *err;
    enum yk_status status;
    int depth;
    bool in_variables, in_structure, in_outputs, in_derivatives, in_types;
    size_t variable_room, unit_room, type_count, derivative_room;
    struct simple_type {
        char *name, *unit;
    } * types; /* units of TypeDefinitions */
    char *type_name;
};

/* ---- helpers ---- */

static void fail(struct parsing *p, enum yk_status status, const char *text, const char *value)
{
    char file[400];

    if (p->status)
        return;
    snprintf(file, sizeof file, "%s", p->name);
    p->status = yk_fail_at(p->err, status,
                           (struct yk_where){file, (int)XML_GetCurrentLineNumber(p->parser),
                                             (int)XML_GetCurrentColumnNumber(p->parser) + 1},
                           text, value);
    XML_StopParser(p->parser, XML_FALSE);
}

static const char *get(const XML_Char **attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

static char *keep(struct parsing *p, const char *text)
{
    char *copy = strdup(text ? text : "");

    if (!copy)
        fail(p, YK_E_MEMORY, "out of memory%s", "");
    return copy;
}

static bool flag(const XML_Char **attributes, const char *name)
{
    const char *text = get(attributes, name);

    return text && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

static double number(struct parsing *p, const XML_Char **attributes, const char *name, double otherwise)
{
    const char *text = get(attributes, name);
    char *end;
    double x;

    if (!text)
        return otherwise;
    x = strtod(text, &end); /* the first of a list, if it is one */
    if (end == text)
        fail(p, YK_E_INPUT, "'%s' is no number", text);
    return x;
}

/* A whole number from 0. */
static long whole(struct parsing *p, const XML_Char **attributes, const char *name, long most, long otherwise)
{
    const char *text = get(attributes, name);
    char *end;
    long x;

    if (!text)
        return otherwise;
    x = strtol(text, &end, 10);
    if (end == text || *end || x < 0 || x > most) {
        fail(p, YK_E_INPUT, "'%s' is no whole number, or too large", text);
        return otherwise;
    }
    return x;
}

static int choice(struct parsing *p, const XML_Char **attributes, const char *name, const char *choices, int otherwise)
{
    const char *text = get(attributes, name);
    const int index = text ? yk_choice_index(choices, text) : otherwise;

    if (index < 0)
        fail(p, YK_E_INPUT, "'%s' is not a value that FMI has here", text);
    return index;
}

/* Room for one more in a growing table. */
static bool grow(struct parsing *p, void **table, size_t *room, size_t count, size_t size)
{
    const size_t wider = *room ? 2 * *room : 16;
    void *moved;

    if (count < *room)
        return true;
    if (!(moved = realloc(*table, wider * size))) {
        fail(p, YK_E_MEMORY, "out of memory%s", "");
        return false;
    }
    *table = moved;
    *room = wider;
    return true;
}

/* ---- elements ---- */

static void take_root(struct parsing *p, const char *element, const XML_Char **a)
{
    struct yk_fmu_description *d = p->d;
    const char *version = get(a, "fmiVersion");

    if (strcmp(element, "fmiModelDescription") != 0 || !version) {
        fail(p, YK_E_INPUT, "<%s> is not the description of an FMU", element);
        return;
    }
    d->version = strncmp(version, "2.", 2) == 0 ? 2 : strncmp(version, "3.", 2) == 0 ? 3 : 0;
    if (!d->version) {
        fail(p, YK_E_UNSUPPORTED, "FMI version %s is not supported; 2.0 and 3.0 are", version);
        return;
    }
    d->version_text = keep(p, version);
    d->model = keep(p, get(a, "modelName"));
    d->token = keep(p, get(a, d->version == 2 ? "guid" : "instantiationToken"));
    d->description = keep(p, get(a, "description"));
    d->tool = keep(p, get(a, "generationTool"));
    d->indicators = (size_t)whole(p, a, "numberOfEventIndicators", MOST_ELEMENTS, 0);
    if (!p->status && !*d->token)
        fail(p, YK_E_INPUT, "the description has no %s", d->version == 2 ? "guid" : "instantiationToken");
}

static void take_interface(struct parsing *p, int which, const XML_Char **a)
{
    const bool two = p->d->version == 2;
    struct yk_fmu_interface *i = &p->d->interface[which];
    const char *identifier = get(a, "modelIdentifier");

    if (!identifier || !*identifier || strchr(identifier, '/') || strlen(identifier) > 200 || i->offered) {
        fail(p, YK_E_INPUT, "an interface needs one modelIdentifier, the name of a shared object%s", "");
        return;
    }
    *i = (struct yk_fmu_interface){
        .offered = true,
        .identifier = keep(p, identifier),
        .needs_tool = flag(a, "needsExecutionTool"),
        .only_once = flag(a, "canBeInstantiatedOnlyOncePerProcess"),
        .saves = flag(a, two ? "canGetAndSetFMUstate" : "canGetAndSetFMUState"),
        .serializes = flag(a, two ? "canSerializeFMUstate" : "canSerializeFMUState"),
        .differentiates = flag(a, two ? "providesDirectionalDerivative" : "providesDirectionalDerivatives"),
        .variable_step = flag(a, "canHandleVariableCommunicationStepSize"),
        .interpolates = two && flag(a, "canInterpolateInputs"),
        .no_completion = two ? flag(a, "completedIntegratorStepNotNeeded") : !flag(a, "needsCompletedIntegratorStep"),
        .intermediate = !two && flag(a, "providesIntermediateUpdate"),
        .event_mode = !two && flag(a, "hasEventMode"),
        .internal_step = two ? 0 : number(p, a, "fixedInternalStepSize", 0),
    };
}

static void take_unit(struct parsing *p, const XML_Char **a)
{
    struct yk_fmu_description *d = p->d;

    if (!grow(p, (void **)&d->units, &p->unit_room, d->unit_count, sizeof *d->units))
        return;
    d->units[d->unit_count++] = (struct yk_fmu_unit){.name = keep(p, get(a, "name")), .factor = 1};
}

static void take_base_unit(struct parsing *p, const XML_Char **a)
{
    static const char *const names[8] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
    struct yk_fmu_unit *u = p->d->unit_count ? &p->d->units[p->d->unit_count - 1] : NULL;

    if (!u)
        return;
    u->has_base = true;
    for (int i = 0; i < 8; i++)
        u->power[i] = (int)fmin(99, fmax(-99, number(p, a, names[i], 0)));
    u->factor = number(p, a, "factor", 1);
    u->offset = number(p, a, "offset", 0);
}

/* The type of an element that declares one; -1: it does not. */
static int type_of(const char *element, int version)
{
    static const struct {
        const char *name;
        int version;
        enum yk_fmu_type type;
    } types[] = {
        {"Real", 2, YK_FMU_REAL},       {"Integer", 2, YK_FMU_INTEGER},     {"Boolean", 2, YK_FMU_BOOLEAN},
        {"String", 2, YK_FMU_OTHER},    {"Enumeration", 2, YK_FMU_INTEGER}, {"Float64", 3, YK_FMU_REAL},
        {"Float32", 3, YK_FMU_FLOAT32}, {"Int32", 3, YK_FMU_INTEGER},       {"Int64", 3, YK_FMU_INT64},
        {"UInt64", 3, YK_FMU_UINT64},   {"Enumeration", 3, YK_FMU_INT64},   {"Boolean", 3, YK_FMU_BOOLEAN},
        {"Int8", 3, YK_FMU_OTHER},      {"UInt8", 3, YK_FMU_OTHER},         {"Int16", 3, YK_FMU_OTHER},
        {"UInt16", 3, YK_FMU_OTHER},    {"UInt32", 3, YK_FMU_OTHER},        {"String", 3, YK_FMU_OTHER},
        {"Binary", 3, YK_FMU_OTHER},    {"Clock", 3, YK_FMU_OTHER},
    };

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].version == version && strcmp(types[i].name, element) == 0)
            return (int)types[i].type;
    return -1;
}

/* Attributes of a variable that both versions write into its element. */
static void take_variable(struct parsing *p, const XML_Char **a)
{
    struct yk_fmu_description *d = p->d;
    const char *name = get(a, "name"), *vr = get(a, "valueReference");
    struct yk_fmu_variable *v;

    if (d->variable_count >= MOST_VARIABLES) {
        fail(p, YK_E_UNSUPPORTED, "more than a million variables%s", "");
        return;
    }
    if (!name || !*name || !vr) {
        fail(p, YK_E_INPUT, "a variable needs a name and a value reference%s", "");
        return;
    }
    if (!grow(p, (void **)&d->variables, &p->variable_room, d->variable_count, sizeof *d->variables))
        return;
    v = &d->variables[d->variable_count++];
    *v = (struct yk_fmu_variable){.name = keep(p, name),
                                  .description = keep(p, get(a, "description")),
                                  .unit = keep(p, ""),
                                  .declared = keep(p, ""),
                                  .vr = (uint32_t)whole(p, a, "valueReference", UINT32_MAX, 0),
                                  .type = YK_FMU_OTHER,
                                  .causality = (enum yk_fmu_causality)choice(p, a, "causality", YK_FMU_CAUSALITIES, 0),
                                  .min = -INFINITY,
                                  .max = INFINITY,
                                  .nominal = 1,
                                  .size = 1,
                                  .derivative = -1};
    const bool fixed = v->causality == YK_FMU_PARAMETER || v->causality == YK_FMU_STRUCTURAL_PARAMETER ||
                       v->causality == YK_FMU_CALCULATED_PARAMETER;
    v->variability = (enum yk_fmu_variability)choice(p, a, "variability", YK_FMU_VARIABILITIES,
                                                     fixed ? YK_FMU_FIXED : YK_FMU_CONTINUOUS);
    v->intermediate = flag(a, "intermediateUpdate");
}

/* Attributes of the type: in a child element in FMI 2, in the same one in FMI 3. */
static void take_type(struct parsing *p, enum yk_fmu_type type, const char *element, const XML_Char **a)
{
    struct yk_fmu_variable *v = p->d->variable_count ? &p->d->variables[p->d->variable_count - 1] : NULL;
    const char *start = get(a, "start");

    if (!v)
        return;
    v->type = type;
    free(v->unit);
    free(v->declared);
    v->unit = keep(p, get(a, "unit"));
    v->declared = keep(p, get(a, "declaredType"));
    v->derivative = whole(p, a, "derivative", UINT32_MAX, -1);
    v->has_start = start != NULL;
    if (type == YK_FMU_BOOLEAN)
        v->start = start && (strncmp(start, "true", 4) == 0 || *start == '1');
    else if (type != YK_FMU_OTHER) {
        v->start = number(p, a, "start", 0);
        v->min = number(p, a, "min", -INFINITY);
        v->max = number(p, a, "max", INFINITY);
        v->nominal = number(p, a, "nominal", 1);
    }
    p->d->has_clocks |= strcmp(element, "Clock") == 0;
}

static void take_dimension(struct parsing *p, const XML_Char **a)
{
    struct yk_fmu_description *d = p->d;
    struct yk_fmu_variable *v = d->variable_count ? &d->variables[d->variable_count - 1] : NULL;
    const long vr = whole(p, a, "valueReference", UINT32_MAX, -1);
    long length = whole(p, a, "start", MOST_ELEMENTS, 1);

    if (!v)
        return;
    for (size_t i = 0; vr >= 0 && i < d->variable_count; i++) /* a structural parameter, left at its start */
        if (d->variables[i].vr == (uint32_t)vr)
            length = (long)fmax(0, fmin(MOST_ELEMENTS, d->variables[i].start));
    v->size *= (size_t)length;
    if (v->size > MOST_ELEMENTS)
        fail(p, YK_E_UNSUPPORTED, "array '%s' is too large", v->name);
}

static void take_derivative(struct parsing *p, long place)
{
    struct yk_fmu_description *d = p->d;

    if (grow(p, (void **)&d->derivatives, &p->derivative_room, d->derivative_count, sizeof *d->derivatives))
        d->derivatives[d->derivative_count++] = place;
}

static void take_unknown(struct parsing *p, const char *element, const XML_Char **a)
{
    struct yk_fmu_description *d = p->d;
    long place = -1;

    if (d->version == 2) {
        place = whole(p, a, "index", MOST_VARIABLES, 0) - 1;
        if (place >= (long)d->variable_count)
            place = -1;
    } else {
        const long vr = whole(p, a, "valueReference", UINT32_MAX, -1);

        for (size_t i = 0; i < d->variable_count && place < 0; i++)
            place = vr >= 0 && d->variables[i].vr == (uint32_t)vr ? (long)i : -1;
    }
    if (place < 0) {
        fail(p, YK_E_INPUT, "<%s> of ModelStructure names no variable", element);
        return;
    }
    if (p->in_outputs || strcmp(element, "Output") == 0)
        d->variables[place].listed = true;
    for (size_t i = 0; i < d->variables[place].size; i++)
        if (p->in_derivatives || strcmp(element, "ContinuousStateDerivative") == 0)
            take_derivative(p, place);
    if (d->version == 3 && strcmp(element, "EventIndicator") == 0)
        d->indicators += d->variables[place].size;
}

static void take_default(struct parsing *p, const XML_Char **a)
{
    p->d->start = number(p, a, "startTime", NAN);
    p->d->stop = number(p, a, "stopTime", NAN);
    p->d->step = number(p, a, "stepSize", NAN);
    p->d->tolerance = number(p, a, "tolerance", NAN);
}

/* SimpleType of FMI 2 has the unit in its child, Float64Type of FMI 3 in itself. */
static void take_type_definition(struct parsing *p, const char *element, const XML_Char **a)
{
    const char *name = get(a, "name"), *unit = get(a, "unit");
    struct simple_type *wider;

    if (name && p->d->version == 2) {
        free(p->type_name);
        p->type_name = keep(p, name);
    }
    name = p->d->version == 2 ? p->type_name : name;
    if (!name || !unit)
        return;
    if (!(wider = realloc(p->types, (p->type_count + 1) * sizeof *wider))) {
        fail(p, YK_E_MEMORY, "out of memory%s", "");
        return;
    }
    p->types = wider;
    p->types[p->type_count++] = (struct simple_type){keep(p, name), keep(p, unit)};
}

static void take_in_variables(struct parsing *p, const char *element, const XML_Char **a)
{
    const int type = type_of(element, p->d->version);

    if (p->d->version == 2) {
        if (strcmp(element, "ScalarVariable") == 0)
            take_variable(p, a);
        else if (type >= 0)
            take_type(p, (enum yk_fmu_type)type, element, a);
        return;
    }
    if (strcmp(element, "Dimension") == 0)
        take_dimension(p, a);
    else if (type >= 0 && p->depth == 3) {
        take_variable(p, a);
        if (!p->status)
            take_type(p, (enum yk_fmu_type)type, element, a);
    }
}

static void on_start(void *self, const XML_Char *element, const XML_Char **a)
{
    struct parsing *p = self;

    if (p->status)
        return;
    for (const XML_Char **x = a; *x; x++)
        if (strlen(*x) > LONGEST_ATTRIBUTE) {
            fail(p, YK_E_INPUT, "an attribute of <%s> is longer than 64 KiB", element);
            return;
        }
    if (++p->depth > DEEPEST)
        fail(p, YK_E_INPUT, "<%s>: elements within elements, too deep", element);
    else if (p->depth == 1)
        take_root(p, element, a);
    else if (p->in_types)
        take_type_definition(p, element, a);
    else if (p->in_variables)
        take_in_variables(p, element, a);
    else if (strcmp(element, "ModelExchange") == 0)
        take_interface(p, YK_FMU_EXCHANGE, a);
    else if (strcmp(element, "CoSimulation") == 0)
        take_interface(p, YK_FMU_COSIMULATION, a);
    else if (strcmp(element, "Unit") == 0)
        take_unit(p, a);
    else if (strcmp(element, "BaseUnit") == 0)
        take_base_unit(p, a);
    else if (strcmp(element, "DefaultExperiment") == 0)
        take_default(p, a);
    else if (strcmp(element, "TypeDefinitions") == 0)
        p->in_types = true;
    else if (strcmp(element, "ModelVariables") == 0)
        p->in_variables = true;
    else if (strcmp(element, "ModelStructure") == 0)
        p->in_structure = true;
    else if (p->in_structure && p->d->version == 2 && p->depth == 3) {
        p->in_outputs = strcmp(element, "Outputs") == 0;
        p->in_derivatives = strcmp(element, "Derivatives") == 0;
    } else if (p->in_structure && (p->depth == 3 || strcmp(element, "Unknown") == 0))
        take_unknown(p, element, a);
}

static void on_end(void *self, const XML_Char *element)
{
    struct parsing *p = self;

    p->depth--;
    if (p->depth != 1)
        return;
    p->in_types = p->in_variables = p->in_structure = p->in_outputs = p->in_derivatives = false;
}

static void on_doctype(void *self, const XML_Char *name, const XML_Char *system, const XML_Char *public, int subset)
{
    fail(self, YK_E_INPUT, "a document type (<!DOCTYPE %s>) is refused: descriptions of FMUs have none", name);
}

/* ---- after the last element ---- */

/* Units that come from the declared type. */
static void resolve_units(struct parsing *p)
{
    for (size_t i = 0; i < p->d->variable_count; i++) {
        struct yk_fmu_variable *v = &p->d->variables[i];

        for (size_t k = 0; !*v->unit && *v->declared && k < p->type_count; k++)
            if (strcmp(p->types[k].name, v->declared) == 0) {
                free(v->unit);
                v->unit = keep(p, p->types[k].unit);
            }
    }
}

static enum yk_status check(const struct parsing *p)
{
    const struct yk_fmu_description *d = p->d;
    const struct yk_where where = YK_IN_FILE(p->name);

    if (!d->interface[YK_FMU_COSIMULATION].offered && !d->interface[YK_FMU_EXCHANGE].offered)
        return yk_fail_at(p->err, YK_E_UNSUPPORTED, where, "the FMU has neither co-simulation nor model exchange");
    for (size_t k = 0; k < d->derivative_count; k++)
        if (!yk_fmu_state(d, k))
            return yk_fail_at(p->err, YK_E_INPUT, where,
                              "'%s' is listed as the derivative of a state, but names no variable it is the derivative "
                              "of",
                              d->variables[d->derivatives[k]].name);
    return YK_OK;
}

enum yk_status yk_fmu_describe(struct yk_fmu_description *d, const char *text, size_t size, const char *name,
                               struct yk_err *err)
{
    struct parsing p = {.d = d, .name = name, .err = err, .parser = XML_ParserCreate(NULL)};

    *d = (struct yk_fmu_description){.start = NAN, .stop = NAN, .step = NAN, .tolerance = NAN};
    if (!p.parser)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    XML_SetUserData(p.parser, &p);
    XML_SetElementHandler(p.parser, on_start, on_end);
    XML_SetStartDoctypeDeclHandler(p.parser, on_doctype);
    if (size > 1u << 30)
        p.status = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(name), "the description is larger than 1 GiB");
    else if (XML_Parse(p.parser, text, (int)size, 1) != XML_STATUS_OK)
        fail(&p, YK_E_INPUT, "not well-formed: %s", XML_ErrorString(XML_GetErrorCode(p.parser)));
    if (!p.status) {
        resolve_units(&p);
        p.status = p.status ? p.status : check(&p);
    }
    XML_ParserFree(p.parser);
    for (size_t i = 0; i < p.type_count; i++) {
        free(p.types[i].name);
        free(p.types[i].unit);
    }
    free(p.types);
    free(p.type_name);
    if (p.status)
        yk_fmu_description_free(d);
    return p.status;
}

#else

enum yk_status yk_fmu_describe(struct yk_fmu_description *d, const char *text, size_t size, const char *name,
                               struct yk_err *err)
{
    *d = (struct yk_fmu_description){0};
    return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(name), "this build cannot read FMUs: expat was missing");
}

#endif

void yk_fmu_description_free(struct yk_fmu_description *d)
{
    for (size_t i = 0; i < d->variable_count; i++) {
        free(d->variables[i].name);
        free(d->variables[i].description);
        free(d->variables[i].unit);
        free(d->variables[i].declared);
    }
    for (size_t i = 0; i < d->unit_count; i++)
        free(d->units[i].name);
    for (int i = 0; i < YK_FMU_INTERFACES; i++)
        free(d->interface[i].identifier);
    free(d->variables);
    free(d->units);
    free(d->derivatives);
    free(d->version_text);
    free(d->model);
    free(d->token);
    free(d->description);
    free(d->tool);
    *d = (struct yk_fmu_description){0};
}

const struct yk_fmu_variable *yk_fmu_variable(const struct yk_fmu_description *d, const char *name, size_t *element)
{
    const char *bracket = strrchr(name, '[');
    const size_t length = strlen(name);

    *element = 0;
    for (size_t i = 0; i < d->variable_count; i++)
        if (strcmp(d->variables[i].name, name) == 0)
            return &d->variables[i];
    if (!bracket || name[length - 1] != ']')
        return NULL;
    const long number = strtol(bracket + 1, NULL, 10);
    for (size_t i = 0; i < d->variable_count; i++) {
        const struct yk_fmu_variable *v = &d->variables[i];

        if (strncmp(v->name, name, (size_t)(bracket - name)) == 0 && !v->name[bracket - name] && number >= 1 &&
            (size_t)number <= v->size) {
            *element = (size_t)number - 1;
            return v;
        }
    }
    return NULL;
}

const struct yk_fmu_variable *yk_fmu_state(const struct yk_fmu_description *d, size_t k)
{
    const struct yk_fmu_variable *derivative = &d->variables[d->derivatives[k]];

    if (derivative->derivative < 0)
        return NULL;
    if (d->version == 2)
        return derivative->derivative >= 1 && derivative->derivative <= (long)d->variable_count
                   ? &d->variables[derivative->derivative - 1]
                   : NULL;
    for (size_t i = 0; i < d->variable_count; i++)
        if (d->variables[i].vr == (uint32_t)derivative->derivative)
            return &d->variables[i];
    return NULL;
}

/* ---- units ---- */

/* Spellings of tools, as Yoke writes them: "N.s/m" and "N*s/m" are "N s/m", "m/s^2" is "m/s2". */
static void spell(const char *unit, char *out, size_t size)
{
    size_t n = 0;

    for (; *unit && n + 1 < size; unit++)
        if (*unit == '.' || *unit == '*')
            out[n++] = ' ';
        else if (*unit != '^')
            out[n++] = *unit;
    out[n] = 0;
}

/* Powers of kg, m and s in the units of Yoke's quantities. */
static bool dimension_of(enum yk_quantity quantity, int *power)
{
    static const struct {
        enum yk_quantity quantity;
        int kg, m, s, turns; /* turns: the rotational form has m more, as a force is a moment */
    } table[] = {
        {YK_NUMBER, 0, 0, 0, 0},         {YK_TIME, 0, 0, 1, 0},          {YK_FREQUENCY, 0, 0, -1, 0},
        {YK_LENGTH, 0, 1, 0, 0},         {YK_DISPLACEMENT, 0, 1, 0, -1}, {YK_VELOCITY, 0, 1, -1, -1},
        {YK_ACCELERATION, 0, 1, -2, -1}, {YK_SPEED, 0, 1, -1, 0},        {YK_PLAIN_ACCELERATION, 0, 1, -2, 0},
        {YK_ANGLE, 0, 0, 0, 0},          {YK_TURN_RATE, 0, 0, -1, 0},    {YK_TURN_ACCELERATION, 0, 0, -2, 0},
        {YK_PLAIN_FORCE, 1, 1, -2, 0},   {YK_MOMENT, 1, 2, -2, 0},       {YK_FORCE, 1, 1, -2, 1},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].quantity == quantity) {
            power[0] = table[i].kg;
            power[1] = table[i].m;
            power[2] = table[i].s;
            power[3] = table[i].turns;
            return true;
        }
    return false;
}

/* Unit definitions of the FMU: the powers must be those of the quantity; the radian is often left out. */
static bool fits(const struct yk_fmu_unit *u, enum yk_quantity quantity)
{
    int want[4];

    if (!dimension_of(quantity, want))
        return true;
    for (int i = 3; i < 7; i++)
        if (u->power[i])
            return false;
    return u->power[0] == want[0] && u->power[2] == want[2] &&
           (u->power[1] == want[1] || (want[3] && u->power[1] == want[1] + want[3]));
}

enum yk_status yk_fmu_unit_of(const struct yk_fmu_description *d, const struct yk_fmu_variable *v,
                              enum yk_quantity quantity, double *factor, double *offset, bool *assumed,
                              struct yk_err *err)
{
    char spelled[64], text[80];

    *factor = 1;
    *offset = 0;
    *assumed = !*v->unit;
    if (*assumed)
        return YK_OK;
    for (size_t i = 0; i < d->unit_count; i++) {
        const struct yk_fmu_unit *u = &d->units[i];

        if (strcmp(u->name, v->unit) != 0 || !u->has_base)
            continue;
        if (!fits(u, quantity))
            return yk_fail(err, YK_E_UNIT, "variable '%s' is in %s, which is no %s [%s]", v->name, v->unit,
                           yk_quantity_name(quantity), yk_quantity_unit(quantity));
        *factor = u->factor;
        *offset = u->offset;
        return YK_OK;
    }
    if (strcmp(v->unit, "1") == 0)
        return YK_OK;
    spell(v->unit, spelled, sizeof spelled);
    snprintf(text, sizeof text, "1 %s", spelled);
    if (yk_quantity_parse(text, quantity, factor, err))
        return yk_fail(err, YK_E_UNIT, "variable '%s' is in %s, which is no %s [%s], or not a unit that Yoke knows",
                       v->name, v->unit, yk_quantity_name(quantity), yk_quantity_unit(quantity));
    return YK_OK;
}
