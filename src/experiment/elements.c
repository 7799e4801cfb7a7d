/* Elements between degrees of freedom: springs, dampers and nonlinear laws, of the kinds `assembled` and `frame`. */
#include "base/names.h"
#include "experiment/build.h"

#include <stdlib.h>
#include <string.h>

enum { EXACT, LINEAR };
struct geometry {
    int geometry;
    char *name;
};

const struct yk_param yk_keys_element[] = {
    YK_NODE("kind", "name of a law, or plugin", YK_REQUIRED, "see `yoke list laws`"),
    YK_NODE("between", "list of two ends", YK_REQUIRED, "node.dof, ground or a base; extension = second minus first"),
    YK_NODE("levers", "map of rotation to arm [m]", 0,
            "lever arms of ends on rotating bodies: arm sin(rotation) is added to the extension"),
    YK_CHOICE(struct geometry, geometry, "exact|linear", EXACT,
              "how levers count: by the sine of the rotation, or by the rotation itself"),
    YK_TEXT(struct geometry, name, 0,
            "names its channels, such as `<substructure>.<name>.force`; default `elements.<number>`, counted from 0"),
    YK_PARAM_END,
};

/* The tie of a degree of freedom, by its name. */
static enum yk_status find_end(const struct yk_ends *ends, struct yk_where where, const char *name,
                               const struct yk_tie **tie, struct yk_err *err)
{
    const long i = yk_dofs_find(&ends->dofs, name);

    if (i < 0)
        return yk_dofs_missing(where, name, &ends->dofs, err);
    *tie = &ends->ties[i];
    return YK_OK;
}

static enum yk_status add_lever(struct yk_element *element, struct yk_where where, struct yk_lever lever,
                                struct yk_err *err)
{
    if (element->lever_count == YK_LEVERS)
        return yk_fail_at(err, YK_E_INPUT, where, "an element has at most %d levers", YK_LEVERS);
    element->levers[element->lever_count++] = lever;
    return YK_OK;
}

/* An end of an element: `ground`, a base, or node.dof; fixed ones are the ground, tied ones pull at levers. sign: of
 * its motion in the extension. */
static enum yk_status read_end(const struct yk_ends *ends, const struct yk_structure_parts *parts,
                               const struct yk_node *end, double sign, struct yk_element *element, long *dof,
                               struct yk_err *err)
{
    enum yk_status st = yk_field_type(end, YK_SCALAR, "ground, a base or node.dof", err);
    const struct yk_tie *tie = NULL;

    *dof = -1;
    for (size_t k = 0; !st && k < parts->base_count; k++)
        if (strcmp(end->text, parts->bases[k].name) == 0) {
            *dof = -2 - (long)k;
            return YK_OK;
        }
    if (st || strcmp(end->text, "ground") == 0 || (st = find_end(ends, end->where, end->text, &tie, err)))
        return st;
    *dof = tie->dof < 0 ? -1 : tie->dof;
    for (size_t i = 0; i < tie->count && !st; i++) {
        struct yk_lever lever = tie->levers[i];

        lever.arm *= sign;
        st = add_lever(element, end->where, lever, err);
    }
    return st;
}

/* The levers of an element; one on a rotation that is held adds nothing. */
static enum yk_status read_levers(const struct yk_ends *ends, const struct yk_node *node,
                                  const struct yk_field_context *context, struct yk_element *element,
                                  struct yk_err *err)
{
    const struct yk_node *levers = yk_node_get(node, "levers"), *geometry = yk_node_get(node, "geometry");
    struct geometry chosen = {0};
    enum yk_status st = yk_field_settings(node, yk_keys_element, &chosen, context, err);

    free(chosen.name); /* name_probes reads it */

    if (!st && levers)
        st = yk_field_type(levers, YK_MAP, "a map of rotation to arm", err);
    if (!st && geometry && !levers)
        st = yk_fail_at(err, YK_E_INPUT, geometry->where, "geometry needs levers, but the element has none");
    for (size_t i = 0; levers && i < levers->count && !st; i++) {
        const struct yk_node *item = levers->items[i];
        struct yk_lever lever = {.exact = chosen.geometry == EXACT};
        const struct yk_tie *tie = NULL;

        if ((st = find_end(ends, item->key_where, item->key, &tie, err)) ||
            (st = yk_field_real(item, YK_LENGTH, -1e6, 1e6, &lever.arm, err)) || tie->dof < 0)
            continue;
        lever.dof = (size_t)tie->dof;
        st = add_lever(element, item->key_where, lever, err);
    }
    return st;
}

/* Sense of the extension by the names of the ends: a length, or an angle between rotations. A lever always makes it a
 * length. */
static enum yk_sense find_sense(const struct yk_structure_parts *parts, const struct yk_node *between, bool levers)
{
    enum yk_sense found = YK_EITHER;

    for (size_t i = 0; i < between->count; i++) {
        const char *name = between->items[i]->text;
        bool free_end = strcmp(name, "ground") != 0;

        for (size_t k = 0; k < parts->base_count; k++)
            free_end &= strcmp(name, parts->bases[k].name) != 0;
        const enum yk_sense sense = free_end ? yk_dofs_sense(name) : YK_EITHER;
        if (found != YK_EITHER && sense != YK_EITHER && sense != found)
            return YK_EITHER; /* between a translation and a rotation: a gear, in its own units */
        found = sense == YK_EITHER ? found : sense;
    }
    return levers ? YK_ALONG : found;
}

static enum yk_status read_element(const struct yk_model *e, const struct yk_ends *ends,
                                   const struct yk_structure_parts *parts, const struct yk_node *node,
                                   struct yk_element *element, struct yk_err *err)
{
    const struct yk_field_context context = yk_build_context(e);
    const struct yk_node *between = yk_node_get(node, "between");
    enum yk_status st;

    if ((st = yk_field_type(node, YK_MAP, "an element as a map", err)) ||
        (st = yk_build_find_law(e, node, yk_keys_element, &element->law, err)))
        return st;
    if (!between || between->type != YK_LIST || between->count != 2)
        return yk_fail_at(err, YK_E_INPUT, between ? between->where : node->where,
                          "between must name the two ends of the element, for example [ground, n1.x]");
    if ((st = read_end(ends, parts, between->items[0], -1, element, &element->from, err)) ||
        (st = read_end(ends, parts, between->items[1], 1, element, &element->to, err)) ||
        (st = read_levers(ends, node, &context, element, err)))
        return st;
    if ((element->from == element->to || (element->from < 0 && element->to < 0)) && !element->lever_count)
        return yk_fail_at(err, YK_E_INPUT, between->items[1]->where, "both ends of the element are the same or held");
    return yk_build_law_settings(e, node, element->law, find_sense(parts, between, yk_node_get(node, "levers") != NULL),
                                 &element->settings, err);
}

static enum yk_status read_elements(const struct yk_model *e, const struct yk_ends *ends, const struct yk_node *list,
                                    struct yk_structure_parts *parts, struct yk_err *err)
{
    enum yk_status st = yk_field_type(list, YK_LIST, "a list of elements", err);

    if (st)
        return st;
    if (!(parts->elements = calloc(list->count + 1, sizeof *parts->elements)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < list->count && !st; i++) {
        st = read_element(e, ends, parts, list->items[i], &parts->elements[i], err);
        parts->element_count++;
    }
    return st;
}

/* Stiffness of the linear elements, so that Rayleigh and modal damping see it; the elements then leave the list. */
static enum yk_status fold_springs(struct yk_structure_parts *parts, struct yk_err *err)
{
    struct yk_structure_parts linear = {.massless = parts->massless};
    struct yk_system *system = NULL;
    size_t kept = 0;
    enum yk_status st;

    if ((st = yk_matrix_copy(&linear.M, &parts->M, err)) || (st = yk_matrix_copy(&linear.K, &parts->K, err)) ||
        (st = yk_matrix_copy(&linear.C, &parts->C, err)) ||
        !(linear.elements = calloc(parts->element_count + 1, sizeof *linear.elements))) {
        yk_structure_parts_free(&linear);
        return st ? st : yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < parts->element_count; i++)
        if (yk_element_is_linear(&parts->elements[i]))
            linear.elements[linear.element_count++] = parts->elements[i];
        else
            parts->elements[kept++] = parts->elements[i];
    parts->element_count = kept;
    if ((st = yk_structure_create(&system, &linear, NULL, err)))
        return st;
    yk_matrix_fini(&parts->K);
    yk_matrix_fini(&parts->C);
    parts->K = system->K;
    parts->C = system->C;
    system->K = system->C = (struct yk_matrix){0};
    yk_system_destroy(system);
    return YK_OK;
}

/* Names of the elements, for their channels. */
static enum yk_status name_probes(const struct yk_structure_parts *parts, const struct yk_node *list,
                                  struct yk_probes *probes, struct yk_err *err)
{
    struct yk_names index = {0};
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < list->count && !st; i++) {
        const struct yk_node *node = list->items[i], *name = yk_node_get(node, "name");
        struct yk_probe *probe = &probes->items[i];

        probe->turns = find_sense(parts, yk_node_get(node, "between"), yk_node_get(node, "levers") != NULL) == YK_ABOUT;
        if (name && (st = yk_check_name(name, name->text, err)))
            break;
        if (name && yk_names_find(&index, &probes->items[0].name, sizeof *probe, i, name->text) >= 0)
            st = yk_fail_at(err, YK_E_INPUT, name->where, "two elements are called '%s'", name->text);
        else if (name ? !(probe->name = strdup(name->text)) : asprintf(&probe->name, "elements.%zu", i) < 0)
            st = yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    yk_names_free(&index);
    return st;
}

enum yk_status yk_build_elements(const struct yk_model *e, const struct yk_ends *ends, const struct yk_node *list,
                                 struct yk_structure_parts *parts, struct yk_probes *probes, struct yk_err *err)
{
    enum yk_status st = read_elements(e, ends, list, parts, err);

    if (!st && !(st = yk_probes_take(probes, parts->elements, parts->element_count, err)))
        st = name_probes(parts, list, probes, err);
    return st ? st : fold_springs(parts, err);
}
