/* The experiment file as JSON Schema (draft 7), for editors: from the tables that the reader uses.
 *
 * A section of the reference becomes a definition under its title. A map whose settings follow from a name in it (kind,
 * integrator,
 * ...) becomes one definition for each name, and a list of conditions that choose among them. */
#include "reference.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/families.h>
#include <yoke/json.h>
#include <yoke/keys.h>

/* ---- words of the tables, and what they are ---- */

#define REF(title)        "{\"$ref\": \"#/definitions/" title "\"}"
#define MAP(of)           "{\"type\": \"object\", \"additionalProperties\": " of "}"
#define LIST(of)          "{\"type\": \"array\", \"items\": " of "}"
#define EITHER(a, b)      "{\"anyOf\": [" a ", " b "]}"
#define ONE_OF_3(a, b, c) "{\"anyOf\": [" a ", " b ", " c "]}"
#define TEXT              "{\"type\": \"string\"}"
#define NAME              "{\"type\": [\"string\", \"integer\"]}"
#define NUMBER            "{\"type\": [\"number\", \"string\"]}"
#define MATRIX            ONE_OF_3(TEXT, LIST(NUMBER), LIST(LIST(NUMBER)))
#define ACTION            "{\"enum\": [\"hold\", \"ramp\", \"cut\", \"warn\"]}"
#define ANY               "{}"

static const struct {
    const char *words, *schema;
} meanings[] = {
    {"name", NAME},
    {"name, or plugin", NAME},
    {"names", LIST(NAME)},
    {"degree of freedom", NAME},
    {"substructure.dof", TEXT},
    {"as above", NUMBER},
    {"file", TEXT},
    {"file or folder", TEXT},
    {"variable", TEXT},
    {"map of degree of freedom to variables", MAP(REF("A degree of freedom of an FMU"))},
    {"map of variable to value", MAP(ANY)},
    {"map of variable to unit", MAP(TEXT)},
    {"map of stiffness, damping", REF("feedthrough of an FMU")},
    {"number with unit", NUMBER},
    {"name of a law, or plugin", TEXT},
    {"name of a signal", TEXT},
    {"name of a format", TEXT},
    {"name of an integrator, or plugin", TEXT},
    {"name of a coupling, or plugin", TEXT},
    {"hold, ramp, cut or warn", ACTION},
    {"list of names", LIST(NAME)},
    {"list of two names", LIST(NAME)},
    {"list of two ends", LIST(NAME)},
    {"list of nodes", LIST(NAME)},
    {"list of names, or all", EITHER(NAME, LIST(NAME))},
    {"list of names, or map", EITHER(LIST(NAME), REF("dofs as a map"))},
    {"list of ratios", EITHER(NUMBER, LIST(NUMBER))},
    {"list of two or three lengths", LIST(NUMBER)},
    {"substructure, list of them, or all", EITHER(NAME, LIST(NAME))},
    {"pattern, or list of patterns", EITHER(TEXT, LIST(TEXT))},
    {"matrix [kg]", MATRIX},
    {"matrix [N s/m]", MATRIX},
    {"matrix [N/m]", MATRIX},
    {"number or map of degree of freedom to kg", EITHER(NUMBER, MAP(NUMBER))},
    {"map of degree of freedom to m or rad", MAP(NUMBER)},
    {"map of degree of freedom to m/s or rad/s", MAP(NUMBER)},
    {"map of degree of freedom to factor", MAP(NUMBER)},
    {"map of degree of freedom to stiffness [N/m]", MAP(NUMBER)},
    {"map of rotation to arm [m]", MAP(NUMBER)},
    {"map of key to interval", MAP(NUMBER)},
    {"map of name to factor", MAP(NUMBER)},
    {"map of sensor to factor", MAP(NUMBER)},
    {"map of name to sum", MAP(EITHER(TEXT, REF("derived of record")))},
    {"map of name to substructure", MAP(REF("substructure"))},
    {"map of physical substructure to model", MAP(REF("substructure"))},
    {"a substructure", REF("substructure")},
    {"map of physical substructure to map", MAP(REF("setup"))},
    {"map of name to node", MAP(REF("A node"))},
    {"map of name to coordinates or node", MAP(EITHER(LIST(NUMBER), REF("A node of a frame")))},
    {"map of name to section", MAP(EITHER(REF("A section"), REF("A section with fibres")))},
    {"map of name to material", MAP(REF("material"))},
    {"map of name to hinge", MAP(REF("hinge"))},
    {"map of start, end", REF("hinges of a member")},
    {"map of axis to hinge", REF("start and end of hinges")},
    {"list of patches and layers",
     LIST(EITHER(ONE_OF_3(REF("patch: rectangle"), REF("patch: quadrilateral"), REF("patch: ring")),
                 ONE_OF_3(REF("layer: straight"), REF("layer: circle"), REF("file of fibres"))))},
    {"map of name to base", MAP(REF("A base"))},
    {"list of elements", LIST(REF("element"))},
    {"list of members", LIST(REF("A member"))},
    {"list of rigid links", LIST(REF("A rigid link"))},
    {"list of signals", LIST(REF("signal"))},
    {"list of interfaces", LIST(REF("interfaces"))},
    {"list of loads", LIST(REF("load"))},
    {"list of stages", LIST("{\"type\": \"object\"}")},
    {"map of kind and settings", "{\"type\": \"object\"}"}, /* of `yoke iterate` */
    {"map of name to list of nodes", MAP(LIST(NAME))},
    {"map of actuator to load", MAP(REF("prescribed load"))},
    {"map of degree of freedom to actuator, or list", EITHER(MAP(NAME), LIST(NAME))},
    {"map of mass, damping, stiffness", REF("estimate")},
    {"map of actuator to map", MAP(REF("calibrate of a setup"))},
    {"map of degree of freedom to list of actuators", MAP(LIST(NAME))},
    {"map of actuator to map of degree of freedom to number", MAP(MAP(NUMBER))},
    {"map of actuator to its chain, or files",
     ONE_OF_3(TEXT, LIST(TEXT),
              "{\"type\": \"object\", \"properties\": {\"joint\": " LIST(
                  REF("joint of transfer")) "}, "
                                            "\"additionalProperties\": " REF("transfer") "}")},
    {"map of name to rig", MAP(REF("rig"))},
    {"map of name to actuator", EITHER(LIST(NAME), MAP(REF("An actuator of the rig")))},
    {"map of name to actuator, or list of names", EITHER(LIST(NAME), MAP(REF("An actuator of the rig")))},
    {"plant with its kind and settings, or a file", EITHER(TEXT, REF("plant"))},
    {"map of sensor settings, or a file", EITHER(TEXT, REF("sensors"))},
    {"list of maps with actuators and plant", LIST(REF("joint of the rig"))},
    {"map of name to sensor", MAP(REF("A sensor of the rig"))},
    {"map of name to line", MAP(REF("A line of the rig"))},
    {"map of actuator to readings, and of sensor to reading",
     MAP(EITHER(REF("readings of the rig, for an actuator"), REF("A reading")))},
    {"a reading", REF("A reading")},
    {"map of channel to its table, or a file", EITHER(TEXT, MAP(REF("channels")))},
    {"1 or -1", NUMBER},
    {"a certificate", REF("certificates")},
    {"map of channel to zero, or a file, or none", EITHER(TEXT, MAP(REF("calibration")))},
    {"map of channel to certificate, or a file", EITHER(TEXT, MAP(REF("certificates")))},
    {"list of fields", LIST(REF("A field of a packet"))},
    {"list of lines", LIST(NAME)},
    {"map of name to register", MAP(REF("A register of the map"))},
    {"address", NUMBER},
    {"map of name to channel of a card", MAP(REF("A channel of a card"))},
    {"channel number", NUMBER},
    {"map of name to slave", MAP(REF("A slave of an EtherCAT bus"))},
    {"map of name to channel", MAP(REF("A channel of an EtherCAT bus"))},
    {"map of PDO to list of entries", MAP(LIST(ANY))},
    {"map of entry to value", MAP(ANY)},
    {"map of actuator to limits", MAP(REF("limits"))},
    {"map of sensor to limit", MAP(EITHER(NUMBER, REF("A limit as a map")))},
    {"map of SUBSTRUCTURE.DOF to limits", MAP(REF("dofs of limits"))},
};

/* A map under a key whose section has another title, or whose key has another meaning elsewhere. */
static const struct {
    const char *section, *key, *title;
} maps[] = {
    {"An actuator of the rig", "limits", "capacity"}, {"record", "fine", "fine and ticks of record"},
    {"record", "ticks", "fine and ticks of record"},  {"rig", "settings", NULL}, /* by backend */
    {"quality", "doubtful", "doubtful of quality"},   {"quality", "unusable", "unusable of quality"},
};

/* ---- making definitions ---- */

struct schema {
    json_t *definitions;
    enum yk_sense sense; /* of the settings at hand */
    bool ground;         /* their forces may be accelerations, of a ground motion */
    char strange[160];   /* the first words without a meaning; "": none */
};

/* "Kind `linear`" -> "Kind linear" */
static void name_of(const char *title, char *name, size_t size)
{
    size_t used = 0;

    for (; *title && used + 1 < size; title++)
        if (*title != '`')
            name[used++] = *title;
    name[used] = 0;
}

static json_t *reference(const char *title)
{
    return json_pack("{s:o}", "$ref", json_sprintf("#/definitions/%s", title));
}

static json_t *node_schema(struct schema *s, const char *section, const struct yk_param *p)
{
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        if (strcmp(maps[i].section, section) == 0 && strcmp(maps[i].key, p->name) == 0)
            return maps[i].title ? reference(maps[i].title) : json_object();
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (strcmp(meanings[i].words, p->choices) == 0)
            return yk_json_read_text(meanings[i].schema);
    if (strncmp(p->choices, "map", 3) == 0 && (!p->choices[3] || strncmp(p->choices, "map with kind", 13) == 0))
        return reference(p->name);
    if (!*s->strange)
        snprintf(s->strange, sizeof s->strange, "%s, key %s: '%s'", section, p->name, p->choices);
    return json_object();
}

/* A text with a unit. */
static json_t *text_schema(enum yk_quantity quantity)
{
    char *pattern = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&pattern, &size);
    json_t *text = json_pack("{s:s}", "type", "string");

    if (out) {
        yk_quantity_pattern(quantity, out);
        fclose(out);
        json_object_set_new(text, "pattern", json_string(pattern));
    }
    free(pattern);
    return text;
}

/* A number within its range, or a text with a unit. */
static json_t *number_schema(const struct schema *s, const struct yk_param *p)
{
    const bool whole = p->type == YK_PARAM_COUNT || p->type == YK_PARAM_WHOLE;
    json_t *number = json_pack("{s:s}", "type", whole ? "integer" : "number"), *all;

    if (p->min == YK_TINY)
        json_object_set_new(number, "exclusiveMinimum", json_integer(0));
    else if (p->min > -1e6 && p->fallback >= p->min) /* otherwise a value below it may stand for the default */
        json_object_set_new(number, "minimum", json_real(p->min));
    if (p->max < 1e6)
        json_object_set_new(number, "maximum", json_real(p->max));
    if (whole)
        return number;
    all = json_pack("[o, o]", number, text_schema(yk_quantity_of(p->quantity, s->sense)));
    if (s->ground && p->quantity == YK_FORCE)
        json_array_append_new(all, text_schema(YK_ACCELERATION));
    return json_pack("{s:o}", "anyOf", all);
}

static json_t *choice_schema(const struct yk_param *p)
{
    json_t *list = json_array();

    for (const char *c = p->choices; c; c = yk_choice_next(c))
        json_array_append_new(list, json_stringn(c, strcspn(c, "|")));
    return json_pack("{s:o}", "enum", list);
}

static json_t *points_schema(const struct yk_param *p)
{
    json_t *list =
        yk_json_read_text(LIST("{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": " NUMBER "}"));

    return *p->choices ? json_pack("{s:[o, {s:s}]}", "anyOf", list, "const", p->choices) : list;
}

static json_t *param_schema(struct schema *s, const char *section, const struct yk_param *p)
{
    const bool limit = strcmp(section, "limits") == 0 &&
                       (p->type == YK_PARAM_REAL || p->type == YK_PARAM_COUNT || p->type == YK_PARAM_WHOLE);
    json_t *schema;

    switch (p->type) {
    case YK_PARAM_NODE:
        schema = node_schema(s, section, p);
        break;
    case YK_PARAM_FLAG:
        schema = json_pack("{s:s}", "type", "boolean");
        break;
    case YK_PARAM_CHOICE:
        schema = choice_schema(p);
        break;
    case YK_PARAM_REALS:
        schema = yk_json_read_text(ONE_OF_3(NUMBER, LIST(NUMBER), LIST(LIST(NUMBER))));
        break;
    case YK_PARAM_POINTS:
        schema = points_schema(p);
        break;
    case YK_PARAM_FILE:
    case YK_PARAM_SERIES:
    case YK_PARAM_TEXT:
        schema = yk_json_read_text(NAME);
        break;
    default:
        schema = number_schema(s, p);
    }
    if (limit) { /* its unit follows the command of the actuator */
        json_decref(schema);
        schema = yk_json_read_text(EITHER(NUMBER, REF("A limit as a map")));
    }
    if (json_object_get(schema, "$ref")) /* which lets nothing stand beside it */
        schema = json_pack("{s:[o]}", "allOf", schema);
    if (*p->help)
        json_object_set_new(schema, "description", json_string(p->help));
    return schema;
}

static bool is_required(const struct yk_param *p)
{
    return isnan(p->fallback) && !p->when;
}

static void add_keys(struct schema *s, const char *section, const struct yk_param *keys, json_t *object)
{
    json_t *properties = json_object_get(object, "properties"), *required = json_object_get(object, "required");

    for (const struct yk_param *p = keys; p && p->name; p++) {
        json_object_set_new(properties, p->name, param_schema(s, section, p));
        if (is_required(p))
            json_array_append_new(required, json_string(p->name));
    }
}

static json_t *new_map(void)
{
    return json_pack("{s:s, s:{}, s:[], s:b}", "type", "object", "properties", "required", "additionalProperties",
                     false);
}

/* Definition `title`: a map with these keys, or with those of two tables. */
static void define(struct schema *s, const char *title, const struct yk_param *keys, const struct yk_param *more)
{
    json_t *map = new_map();

    add_keys(s, title, keys, map);
    add_keys(s, title, more, map);
    json_object_set_new(s->definitions, title, map);
}

static void define_sections(struct schema *s, const struct yk_keys_section *section)
{
    char title[80];

    for (; section->title; section++) {
        name_of(section->title, title, sizeof title);
        define(s, title, section->keys, NULL);
    }
}

/* ---- maps whose keys depend on a name in them ---- */

/* Adds to `rules`: where `key` is `name` (NULL: where it is missing), the map is the definition `title`. */
static void add_rule(json_t *rules, const char *key, const char *name, const char *title)
{
    json_t *condition = name ? json_pack("{s:{s:{s:s}}, s:[s]}", "properties", key, "const", name, "required", key)
                             : json_pack("{s:{s:[s]}}", "not", "required", key);

    json_array_append_new(rules, json_pack("{s:o, s:o}", "if", condition, "then", reference(title)));
}

struct member {
    const char *name, *summary;
    const struct yk_param *params;
};

/* Definition `title`: a map whose `key` names a member of a family, with `own` keys and those of the member. Anything
 * may stand beside `kind: none`, and beside a plugin. */
static json_t *dispatch(struct schema *s, const char *title, const char *key, const struct yk_param *own,
                        const struct member *members, size_t count)
{
    json_t *rules = json_array(), *names = json_array();
    char branch[96];

    for (size_t i = 0; i < count; i++) {
        snprintf(branch, sizeof branch, "%s %s", title, members[i].name);
        define(s, branch, own, members[i].params);
        json_object_set_new(json_object_get(s->definitions, branch), "description", json_string(members[i].summary));
        if (strcmp(members[i].name, "none") == 0)
            json_object_set_new(json_object_get(s->definitions, branch), "additionalProperties", json_true());
        add_rule(rules, key, members[i].name, branch);
        json_array_append_new(names,
                              json_pack("{s:s, s:s}", "const", members[i].name, "description", members[i].summary));
    }
    json_array_append_new(names,
                          json_pack("{s:s, s:s}", "const", "plugin", "description", "a shared object of your own"));
    return json_pack("{s:s, s:{s:{s:o}}, s:o}", "type", "object", "properties", key, "oneOf", names, "allOf", rules);
}

enum { MOST = 128 };

static size_t members_of(const char *family, struct member *list)
{
    const struct yk_family *f = yk_family_find(family);
    struct yk_family_entry e;
    size_t count = 0;

    while (f && count < MOST && f->at(count, &e))
        list[count++] = (struct member){e.name, e.summary, e.params};
    return count;
}

/* The keys of the section with this title; notes one that is not there. */
static const struct yk_param *keys_of(struct schema *s, const char *title)
{
    const struct yk_keys_section *lists[MOST] = {yk_sections_before, yk_sections_after};
    const char *kind;
    size_t count = 2;

    while (count + 1 < MOST && (lists[count] = yk_sections_of_kind(count - 2, &kind)))
        count++;
    for (size_t i = 0; i < count; i++)
        for (const struct yk_keys_section *at = lists[i]; at->title; at++)
            if (strcmp(at->title, title) == 0)
                return at->keys;
    if (!*s->strange)
        snprintf(s->strange, sizeof s->strange, "the section %s", title);
    return NULL;
}

static void define_family(struct schema *s, const char *title, const char *key, const struct yk_param *own,
                          const char *family)
{
    struct member list[MOST];
    json_t *made = dispatch(s, title, key, own, list, members_of(family, list));

    json_object_set_new(made, "required", json_pack("[s]", key));
    json_object_set_new(s->definitions, title, made);
}

/* Integrator or coupling. */
static void define_method(struct schema *s)
{
    const struct yk_param *own = keys_of(s, "`method`");
    struct member list[MOST];
    json_t *one = dispatch(s, "integrator", "integrator", own, list, members_of("integrators", list));
    json_t *coupled = dispatch(s, "coupling", "coupling", own, list, members_of("couplings", list));

    json_object_update(json_object_get(one, "properties"), json_object_get(coupled, "properties"));
    json_array_extend(json_object_get(one, "allOf"), json_object_get(coupled, "allOf"));
    json_object_set_new(one, "oneOf",
                        json_pack("[{s:[s]}, {s:[s]}]", "required", "integrator", "required", "coupling"));
    json_decref(coupled);
    json_object_set_new(s->definitions, "method", one);
}

/* A model of some kind, or a specimen. The kinds are those described in parts, and those with their own equations. */
static void define_substructure(struct schema *s)
{
    const struct yk_param *own = keys_of(s, "`substructures`");
    const struct yk_keys_section *kind;
    struct member list[2 * MOST];
    const char *name;
    size_t count = 0;

    for (; count < MOST && (kind = yk_sections_of_kind(count, &name)); count++)
        list[count] = (struct member){name, kind->text, kind->keys};
    count += members_of("substructures", list + count);
    json_t *model = dispatch(s, "substructure", "kind", own, list, count);

    add_rule(json_object_get(model, "allOf"), "kind", NULL, "substructure linear");
    json_object_set_new(s->definitions, "model", model);
    define(s, "specimen", keys_of(s, "Role `physical`"), own);
    json_object_set_new(s->definitions, "substructure",
                        json_pack("{s:{s:{s:{s:s}}, s:[s]}, s:o, s:o}", "if", "properties", "role", "const", "physical",
                                  "required", "role", "then", reference("specimen"), "else", reference("model")));
}

/* The settings of a rig follow from its backend. */
static void define_rig(struct schema *s)
{
    json_t *rig = json_object_get(s->definitions, "rig"), *rules = json_array(), *names = json_array();

    for (size_t i = 0; yk_rigs[i]; i++) {
        char title[80];

        snprintf(title, sizeof title, "settings of %s", yk_rigs[i]->name);
        define(s, title, yk_rigs[i]->params, NULL);
        json_array_append_new(rules, json_pack("{s:{s:{s:{s:s}}, s:[s]}, s:{s:{s:o}}}", "if", "properties", "backend",
                                               "const", yk_rigs[i]->name, "required", "backend", "then", "properties",
                                               "settings", reference(title)));
        json_array_append_new(names,
                              json_pack("{s:s, s:s}", "const", yk_rigs[i]->name, "description", yk_rigs[i]->summary));
    }
    json_array_append_new(names, json_pack("{s:s}", "const", "plugin"));
    json_object_set_new(json_object_get(json_object_get(rig, "properties"), "backend"), "oneOf", names);
    json_object_set_new(rig, "allOf", rules);
}

/* Laws of fibres and of hinges: the same tables in other units. */
static void define_laws(struct schema *s)
{
    static const struct yk_param kind[] = {YK_NODE("kind", "name of a law, or plugin", YK_REQUIRED, ""), YK_PARAM_END};

    define_family(s, "element", "kind", keys_of(s, "An element"), "laws");
    s->sense = YK_FIBRE;
    define_family(s, "material", "kind", kind, "laws");
    s->sense = YK_ABOUT;
    define_family(s, "law of a hinge", "kind", kind, "laws");
    s->sense = YK_EITHER;
    json_object_set_new(s->definitions, "hinge",
                        json_pack("{s:{s:{s:{s:s}}, s:[s]}, s:o, s:o}", "if", "properties", "stiffness", "const",
                                  "rigid", "required", "stiffness", "then",
                                  reference("A hinge that is rigid before it yields"), "else",
                                  reference("law of a hinge")));
}

static void define_all(struct schema *s)
{
    static const struct yk_param signal[] = {YK_NODE("kind", "name of a signal", YK_REQUIRED, ""), YK_PARAM_END};
    const struct yk_keys_section *kind;
    const char *name;

    define_sections(s, yk_sections_before);
    for (size_t k = 0; (kind = yk_sections_of_kind(k, &name)); k++)
        define_sections(s, kind);
    define_sections(s, yk_sections_after);
    define_method(s);
    define_substructure(s);
    define_rig(s);
    define_laws(s);
    const struct yk_param *component = keys_of(s, "A controller, estimator or plant");

    s->ground = true;
    define_family(s, "load", "kind", keys_of(s, "`loads`"), "signals");
    s->ground = false;
    define_family(s, "prescribed load", "kind", keys_of(s, "`prescribed`"), "signals");
    define_family(s, "signal", "kind", signal, "signals");
    define_family(s, "compensator", "kind", keys_of(s, "A compensator"), "compensators");
    define_family(s, "controller", "kind", component, "controllers");
    define_family(s, "estimator", "kind", component, "estimators");
    define_family(s, "plant", "kind", component, "plants");
    define_family(s, "setup", "kind", keys_of(s, "`setup`"), "setups");
}

enum yk_status reference_schema(FILE *out, struct yk_err *err)
{
    struct schema s = {.definitions = json_object()};

    define_all(&s);
    json_t *root = json_deep_copy(json_object_get(s.definitions, "Top level"));

    json_object_set_new(root, "$schema", json_string("http://json-schema.org/draft-07/schema#"));
    json_object_set_new(root, "title", json_string("Yoke experiment"));
    json_object_set_new(root, "definitions", s.definitions);
    if (!root || *s.strange) {
        json_decref(root);
        return yk_fail(err, YK_E_UNSUPPORTED, "the schema does not know %s", s.strange);
    }
    const int code = json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    fputc('\n', out);
    json_decref(root);
    return code ? yk_fail(err, YK_E_IO, "cannot write the schema") : YK_OK;
}
