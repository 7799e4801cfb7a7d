/* The kind `assembled`: nodes with masses and supports, and elements between their degrees of freedom. */
#include "experiment/build.h"

#include <yoke/plugin.h>

#include <stdlib.h>
#include <string.h>

const struct yk_param yk_keys_assembled[] = {
    YK_NODE("nodes", "map of name to node", YK_REQUIRED, "points with masses and degrees of freedom"),
    YK_NODE("elements", "list of elements", YK_REQUIRED,
            "springs, dampers and nonlinear laws between degrees of freedom"),
    YK_NODE("rayleigh", "map", 0, "damping proportional to mass and (linear) stiffness"),
    YK_NODE("modal_damping", "list of ratios", 0,
            "damping ratio of each mode of the linear part, the last for all higher ones"),
    YK_PARAM_END,
};

const struct yk_param yk_keys_node[] = {
    YK_NODE("dofs", "list of names", 0, "degrees of freedom of the node; default [x]"),
    YK_NODE("mass", "number or map of degree of freedom to kg", YK_REQUIRED, "one mass for all, or one for each"),
    YK_NODE("fixed", "list of names", 0, "degrees of freedom held at zero (supports)"),
    YK_PARAM_END,
};

enum { EXACT, LINEAR };
struct geometry {
    int geometry;
};

const struct yk_param yk_keys_element[] = {
    YK_NODE("kind", "name of a law, or plugin", YK_REQUIRED, "see `yoke list laws`"),
    YK_NODE("between", "list of two ends", YK_REQUIRED, "node.dof or ground; extension = second minus first"),
    YK_NODE("levers", "map of rotation to arm [m]", 0,
            "ends on bodies that turn add arm sin(rotation) to the extension"),
    YK_CHOICE(struct geometry, geometry, "exact|linear", EXACT, "of levers: the sine, or the rotation itself"),
    YK_PARAM_END,
};

struct assembled {
    struct yk_dofs all; /* every node.dof, in the order of the file */
    double *mass;
    long *free_index; /* of each, -1 where fixed */
    size_t free_count;
};

static enum yk_status node_mass(const struct yk_node *node, const char *dof, double *value, struct yk_err *err)
{
    const struct yk_node *mass = yk_node_get(node, "mass");

    if (!mass)
        return yk_fail_at(err, YK_E_INPUT, node->where, "node '%s' has no mass", node->key);
    if (mass->type == YK_MAP) {
        const struct yk_node *own = yk_node_get(mass, dof);

        if (!own)
            return yk_fail_at(err, YK_E_INPUT, mass->where, "node '%s' gives no mass for '%s'", node->key, dof);
        mass = own;
    }
    enum yk_status st = yk_field_real(mass, YK_MASS, 0, 1e300, value, err);
    if (!st && !(*value > 0))
        return yk_fail_at(err, YK_E_SINGULAR, mass->where,
                          "mass of %s.%s is zero; every free degree of freedom needs mass", node->key, dof);
    return st;
}

static bool is_fixed(const struct yk_node *node, const char *dof)
{
    const struct yk_node *fixed = yk_node_get(node, "fixed");

    for (size_t i = 0; fixed && i < fixed->count; i++)
        if (fixed->items[i]->type == YK_SCALAR && strcmp(fixed->items[i]->text, dof) == 0)
            return true;
    return false;
}

static enum yk_status add_dof(struct assembled *a, const struct yk_node *node, const char *dof, struct yk_err *err)
{
    const size_t i = a->all.n;
    char **names = realloc(a->all.names, (i + 1) * sizeof *names);
    double *mass = realloc(a->mass, (i + 1) * sizeof *mass);
    long *index = realloc(a->free_index, (i + 1) * sizeof *index);

    if (names)
        a->all.names = names;
    if (mass)
        a->mass = mass;
    if (index)
        a->free_index = index;
    if (!names || !mass || !index || asprintf(&names[i], "%s.%s", node->key, dof) < 0)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    a->all.n++;
    a->free_index[i] = is_fixed(node, dof) ? -1 : (long)a->free_count++;
    a->mass[i] = 1; /* of a fixed one: unused */
    return a->free_index[i] < 0 ? YK_OK : node_mass(node, dof, &a->mass[i], err);
}

/* `mass` and `fixed` may only speak of degrees of freedom the node has */
static enum yk_status check_node_words(const struct yk_node *node, const struct yk_dofs *own, struct yk_err *err)
{
    const struct yk_node *fixed = yk_node_get(node, "fixed"), *mass = yk_node_get(node, "mass");
    enum yk_status st;

    if (fixed && (st = yk_field_type(fixed, YK_LIST, "a list of degrees of freedom", err)))
        return st;
    for (size_t i = 0; fixed && i < fixed->count; i++)
        if ((st = yk_field_type(fixed->items[i], YK_SCALAR, "a name", err)))
            return st;
        else if (yk_dofs_find(own, fixed->items[i]->text) < 0)
            return yk_dofs_missing(fixed->items[i]->where, fixed->items[i]->text, own, err);
    for (size_t i = 0; mass && mass->type == YK_MAP && i < mass->count; i++)
        if (yk_dofs_find(own, mass->items[i]->key) < 0)
            return yk_dofs_missing(mass->items[i]->key_where, mass->items[i]->key, own, err);
    return YK_OK;
}

static enum yk_status read_node(struct assembled *a, const struct yk_node *node, struct yk_err *err)
{
    const struct yk_node *dofs = yk_node_get(node, "dofs");
    struct yk_dofs own = {0};
    enum yk_status st;

    if ((st = yk_field_type(node, YK_MAP, "a map", err)) || (st = yk_check_name(node, node->key, err)) ||
        (st = yk_field_known(node, yk_keys_node, NULL, err)))
        return st;
    if (strcmp(node->key, "ground") == 0)
        return yk_fail_at(err, YK_E_INPUT, node->where, "'ground' is the ground and cannot be a node");
    if (dofs) {
        st = yk_dofs_read(dofs, &own, err);
    } else {
        own.names = calloc(1, sizeof *own.names);
        if (!own.names || !(own.names[own.n++] = strdup("x")))
            st = yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    if (!st)
        st = check_node_words(node, &own, err);
    for (size_t i = 0; i < own.n && !st; i++)
        st = add_dof(a, node, own.names[i], err);
    yk_dofs_free(&own);
    return st;
}

/* A free degree of freedom by its name; -1 where it is held. */
static enum yk_status find_free(const struct assembled *a, struct yk_where where, const char *name, long *dof,
                                struct yk_err *err)
{
    const long i = yk_dofs_find(&a->all, name);

    if (i < 0)
        return yk_dofs_missing(where, name, &a->all, err);
    *dof = a->free_index[i];
    return YK_OK;
}

/* An end of an element: `ground`, or node.dof; fixed ones are the ground. */
static enum yk_status read_end(const struct assembled *a, const struct yk_node *end, long *dof, struct yk_err *err)
{
    enum yk_status st = yk_field_type(end, YK_SCALAR, "ground or node.dof", err);

    *dof = -1;
    if (st || strcmp(end->text, "ground") == 0)
        return st;
    return find_free(a, end->where, end->text, dof, err);
}

/* The levers of an element; one on a rotation that is held adds nothing. */
static enum yk_status read_levers(const struct assembled *a, const struct yk_node *node,
                                  const struct yk_field_context *context, struct yk_element *element,
                                  struct yk_err *err)
{
    const struct yk_node *levers = yk_node_get(node, "levers"), *geometry = yk_node_get(node, "geometry");
    struct geometry chosen;
    enum yk_status st = yk_field_settings(node, yk_keys_element, &chosen, context, err);

    if (!st && levers)
        st = yk_field_type(levers, YK_MAP, "a map of rotation to arm", err);
    if (!st && geometry && !levers)
        st = yk_fail_at(err, YK_E_INPUT, geometry->where, "geometry is about levers, but the element has none");
    for (size_t i = 0; levers && i < levers->count && !st; i++) {
        const struct yk_node *item = levers->items[i];
        struct yk_lever lever = {.exact = chosen.geometry == EXACT};
        long dof = -1;

        if ((st = find_free(a, item->key_where, item->key, &dof, err)) ||
            (st = yk_field_real(item, YK_LENGTH, -1e6, 1e6, &lever.arm, err)) || dof < 0)
            continue;
        if (element->lever_count == YK_LEVERS)
            return yk_fail_at(err, YK_E_INPUT, item->key_where, "an element has at most %d levers", YK_LEVERS);
        lever.dof = (size_t)dof;
        element->levers[element->lever_count++] = lever;
    }
    return st;
}

static const char *next_law(void *self)
{
    const struct yk_law_ops *const **at = self;

    return **at ? (*(*at)++)->name : NULL;
}

static enum yk_status find_law(const struct yk_experiment *e, const struct yk_node *node, const struct yk_law_ops **law,
                               struct yk_err *err)
{
    const struct yk_node *kind = yk_node_get(node, "kind");
    const struct yk_law_ops *const *cursor = yk_laws;
    const struct yk_plugin *plugin;
    enum yk_status st;
    char hint[96];

    if (!kind)
        return yk_fail_at(err, YK_E_INPUT, node->where, "missing 'kind': the law of the element, see `yoke list laws`");
    if ((st = yk_field_type(kind, YK_SCALAR, "the name of a law", err)))
        return st;
    if (strcmp(kind->text, "plugin") == 0) {
        if ((st = yk_build_plugin(e, node, &plugin, err)))
            return st;
        if (!(*law = plugin->law))
            return yk_fail_at(err, YK_E_INPUT, kind->where, "this plugin offers %s, not an element law",
                              plugin->kind ? "a substructure" : "a rig backend");
        return YK_OK;
    }
    if ((*law = yk_law_find(kind->text)))
        return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, kind->where, "there is no element law '%s'%s", kind->text,
                      yk_suggest(kind->text, next_law, &cursor, "; see `yoke list laws`", hint, sizeof hint));
}

/* Every key must be one of the law's, of every element's, or of a plugin's where it is one. */
static enum yk_status check_element_keys(const struct yk_node *node, const struct yk_law_ops *law, struct yk_err *err)
{
    const bool plugin = strcmp(yk_node_get(node, "kind")->text, "plugin") == 0;
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < node->count && !st; i++) {
        struct yk_node one = {.type = YK_MAP, .key = (char *)law->name, .count = 1, .items = &node->items[i]};

        if (!plugin || strcmp(node->items[i]->key, "library") != 0)
            st = yk_field_known(&one, law->params, yk_keys_element, err);
    }
    return st;
}

static enum yk_status read_element(const struct yk_experiment *e, const struct assembled *a, const struct yk_node *node,
                                   struct yk_element *element, struct yk_err *err)
{
    const struct yk_field_context context = yk_build_context(e);
    const struct yk_node *between = yk_node_get(node, "between");
    enum yk_status st;

    if ((st = yk_field_type(node, YK_MAP, "an element as a map", err)) ||
        (st = find_law(e, node, &element->law, err)) || (st = check_element_keys(node, element->law, err)))
        return st;
    if (!between || between->type != YK_LIST || between->count != 2)
        return yk_fail_at(err, YK_E_INPUT, between ? between->where : node->where,
                          "between must name the two ends of the element, for example [ground, n1.x]");
    if ((st = read_end(a, between->items[0], &element->from, err)) ||
        (st = read_end(a, between->items[1], &element->to, err)) || (st = read_levers(a, node, &context, element, err)))
        return st;
    if (element->from == element->to && !element->lever_count)
        return yk_fail_at(err, YK_E_INPUT, between->items[1]->where, "both ends of the element are the same or held");
    if (!(element->settings = calloc(1, element->law->settings_size + 1)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = yk_field_settings(node, element->law->params, element->settings, &context, err)))
        return st;
    if (element->law->prepare && (st = element->law->prepare(element->settings, err)))
        yk_fail_within(err, node->where, "%s", "");
    return st;
}

static enum yk_status read_elements(const struct yk_experiment *e, const struct assembled *a,
                                    const struct yk_node *list, struct yk_structure_parts *parts, struct yk_err *err)
{
    enum yk_status st = yk_field_type(list, YK_LIST, "a list of elements", err);

    if (st)
        return st;
    if (!(parts->elements = calloc(list->count + 1, sizeof *parts->elements)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < list->count && !st; i++) {
        st = read_element(e, a, list->items[i], &parts->elements[i], err);
        parts->element_count++;
    }
    return st;
}

/* Stiffness of the linear elements, so that Rayleigh and modal damping see it; the elements then leave the list. */
static enum yk_status fold_springs(struct yk_structure_parts *parts, struct yk_err *err)
{
    struct yk_structure_parts linear = {0};
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
    if ((st = yk_structure_create(&system, &linear, err)))
        return st;
    yk_matrix_fini(&parts->K);
    yk_matrix_fini(&parts->C);
    parts->K = system->K;
    parts->C = system->C;
    system->K = system->C = (struct yk_matrix){0};
    yk_system_destroy(system);
    return YK_OK;
}

static enum yk_status assembled_matrices(const struct yk_experiment *e, const struct yk_node *map,
                                         const struct assembled *a, struct yk_structure_parts *parts, struct yk_dofs *d,
                                         struct yk_err *err)
{
    const size_t n = a->free_count;
    enum yk_status st;

    if (n == 0)
        return yk_fail_at(err, YK_E_INPUT, map->where, "%s: every degree of freedom is fixed", map->key);
    if ((st = yk_matrix_init(&parts->M, YK_DIAGONAL, n, n, err)) ||
        (st = yk_matrix_init(&parts->C, YK_DIAGONAL, n, n, err)) ||
        (st = yk_matrix_init(&parts->K, YK_DIAGONAL, n, n, err)) || (st = yk_build_rest_state(parts, n, err)))
        return st;
    if (!(d->names = calloc(n, sizeof *d->names)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < a->all.n; i++)
        if (a->free_index[i] >= 0) {
            parts->M.x[a->free_index[i]] = a->mass[i];
            if (!(d->names[d->n++] = strdup(a->all.names[i])))
                return yk_fail(err, YK_E_MEMORY, "out of memory");
        }
    if ((st = read_elements(e, a, yk_node_get(map, "elements"), parts, err)) || (st = fold_springs(parts, err)) ||
        (st = yk_dofs_initial(map, d, parts->u0, parts->v0, err)))
        return st;
    return yk_build_damping(e, map, parts, err);
}

enum yk_status yk_build_assembled(const struct yk_experiment *e, const struct yk_node *map, struct yk_dofs *d,
                                  struct yk_system **system, struct yk_err *err)
{
    const struct yk_field_context context = yk_build_context(e);
    const struct yk_node *nodes = yk_node_get(map, "nodes");
    struct yk_structure_parts parts = {0};
    struct assembled a = {0};
    enum yk_status st;

    if ((st = yk_field_known(map, yk_keys_assembled, yk_keys_substructure, err)) ||
        (st = yk_field_settings(map, yk_keys_assembled, &parts, &context, err)) ||
        (st = yk_field_type(nodes, YK_MAP, "a map of nodes", err)))
        return st;
    if (nodes->count == 0)
        return yk_fail_at(err, YK_E_INPUT, nodes->where, "nodes is empty: at least one is needed");
    for (size_t i = 0; i < nodes->count && !st; i++)
        st = read_node(&a, nodes->items[i], err);
    if (!st)
        st = assembled_matrices(e, map, &a, &parts, d, err);
    yk_dofs_free(&a.all);
    free(a.mass);
    free(a.free_index);
    if (st) {
        yk_structure_parts_free(&parts);
        return st;
    }
    if ((st = yk_structure_create(system, &parts, err)))
        yk_fail_within(err, map->where, "%s: ", map->key);
    return st;
}
