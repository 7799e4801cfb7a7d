/* The section `substructures`: structures of matrices, assembled structures, and kinds with equations of their own. */
#include "experiment/build.h"

#include <yoke/plugin.h>

#include <stdlib.h>
#include <string.h>

struct common {
    int role, rate;
    char *kind;
};

struct rayleigh {
    double mass, stiffness, ratio;
    struct yk_reals frequencies;
};

struct plugin {
    char *library;
};

const struct yk_param yk_keys_substructure[] = {
    YK_TEXT(struct common, kind, 0, "linear (default), assembled, plugin, or a kind with equations of its own"),
    YK_CHOICE(struct common, role, "numerical", 0, "a model"),
    YK_CHOICE(struct common, rate, "coarse|fine", 0, "side of a coupling: steps of the system, or substeps"),
    YK_NODE("initial", "map", 0, "start values by degree of freedom; what is not named starts at zero"),
    YK_PARAM_END,
};

const struct yk_param yk_keys_initial[] = {
    YK_NODE("displacement", "map of degree of freedom to m or rad", 0, "displacements at t = 0"),
    YK_NODE("velocity", "map of degree of freedom to m/s or rad/s", 0, "velocities at t = 0"),
    YK_PARAM_END,
};

const struct yk_param yk_keys_linear[] = {
    YK_NODE("dofs", "list of names", YK_REQUIRED, "names of the degrees of freedom"),
    YK_NODE("mass", "matrix [kg]", YK_REQUIRED, "rows, a diagonal, or a .mtx, .mat or .csv file; positive definite"),
    YK_NODE("damping", "matrix [N s/m]", 0, "rows, a diagonal, or a file"),
    YK_NODE("stiffness", "matrix [N/m]", YK_REQUIRED, "rows, a diagonal, or a file; symmetric"),
    YK_NODE("rayleigh", "map", 0, "damping proportional to mass and stiffness, added to `damping`"),
    YK_NODE("modal_damping", "list of ratios", 0, "damping ratio of each mode, the last for all higher ones"),
    YK_PARAM_END,
};

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

const struct yk_param yk_keys_element[] = {
    YK_NODE("kind", "name of a law, or plugin", YK_REQUIRED, "see `yoke list laws`"),
    YK_NODE("between", "list of two ends", YK_REQUIRED, "node.dof or ground; extension = second minus first"),
    YK_PARAM_END,
};

const struct yk_param yk_keys_rayleigh[] = {
    YK_REAL(struct rayleigh, mass, YK_PER_TIME, 0, 0, 1e12, "factor on the mass matrix"),
    YK_REAL(struct rayleigh, stiffness, YK_TIME, 0, 0, 1e12, "factor on the stiffness matrix"),
    YK_REAL(struct rayleigh, ratio, YK_NUMBER, 0, 0, 10, "instead: damping ratio at the two frequencies"),
    YK_REALS(struct rayleigh, frequencies, YK_FREQUENCY, 0, YK_TINY, 1e9, "the two frequencies with that ratio"),
    YK_PARAM_END,
};

const struct yk_param yk_keys_plugin[] = {
    YK_NODE("library", "file", YK_REQUIRED, "shared object that exports yk_plugin"),
    YK_PARAM_END,
};

static struct yk_field_context context_of(const struct yk_experiment *e)
{
    return (struct yk_field_context){e->directory, YK_FORCE};
}

static bool good_name(const char *name)
{
    return *name && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == strlen(name) &&
           strlen(name) < 40;
}

static enum yk_status check_name(const struct yk_node *node, const char *name, struct yk_err *err)
{
    if (good_name(name))
        return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, node->where,
                      "'%s' cannot be a name: letters, digits, '_' and '-', fewer than 40", name);
}

/* ---- degrees of freedom and their start values ---- */

struct dof_names {
    char **names;
    size_t n;
};

static void free_names(char **names, size_t n)
{
    for (size_t i = 0; names && i < n; i++)
        free(names[i]);
    free(names);
}

static long find_name(const struct dof_names *d, const char *name)
{
    for (size_t i = 0; i < d->n; i++)
        if (strcmp(d->names[i], name) == 0)
            return (long)i;
    return -1;
}

struct name_cursor {
    char **names;
    size_t n, at;
};

static const char *next_name(void *self)
{
    struct name_cursor *c = self;

    return c->at < c->n ? c->names[c->at++] : NULL;
}

static enum yk_status no_such_dof(struct yk_where where, const char *name, const struct dof_names *d,
                                  struct yk_err *err)
{
    char hint[96];

    return yk_fail_at(err, YK_E_INPUT, where, "there is no degree of freedom '%s'%s", name,
                      yk_suggest(name, next_name, &(struct name_cursor){d->names, d->n, 0}, "", hint, sizeof hint));
}

static enum yk_status read_start_values(const struct yk_node *map, const struct dof_names *d, enum yk_quantity quantity,
                                        double *x, struct yk_err *err)
{
    enum yk_status st = map ? yk_field_type(map, YK_MAP, "a map of degrees of freedom", err) : YK_OK;

    for (size_t i = 0; map && i < map->count && !st; i++) {
        const long dof = find_name(d, map->items[i]->key);

        st = dof < 0 ? no_such_dof(map->items[i]->key_where, map->items[i]->key, d, err)
                     : yk_field_real(map->items[i], quantity, -1e300, 1e300, &x[dof], err);
    }
    return st;
}

static enum yk_status read_initial(const struct yk_node *map, const struct dof_names *d, double *u0, double *v0,
                                   struct yk_err *err)
{
    const struct yk_node *initial = yk_node_get(map, "initial");
    enum yk_status st;

    if (!initial)
        return YK_OK;
    if ((st = yk_field_type(initial, YK_MAP, "a map", err)) ||
        (st = yk_field_known(initial, yk_keys_initial, NULL, err)) ||
        (st = read_start_values(yk_node_get(initial, "displacement"), d, YK_DISPLACEMENT, u0, err)))
        return st;
    return read_start_values(yk_node_get(initial, "velocity"), d, YK_VELOCITY, v0, err);
}

/* ---- damping ---- */

/* Factors with the given ratio at two frequencies: zeta = a/(2w) + b w/2 at both. */
static enum yk_status rayleigh_from_ratio(const struct yk_node *node, struct rayleigh *r, struct yk_err *err)
{
    const double w1 = r->frequencies.n == 2 ? 2 * M_PI * r->frequencies.x[0] : 0;
    const double w2 = r->frequencies.n == 2 ? 2 * M_PI * r->frequencies.x[1] : 0;

    if (r->mass != 0 || r->stiffness != 0 || r->frequencies.n != 2 || w1 == w2 || !yk_node_get(node, "ratio"))
        return yk_fail_at(err, YK_E_INPUT, node->where,
                          "give either `mass` and `stiffness`, or `ratio` with two different `frequencies`");
    r->mass = 2 * r->ratio * w1 * w2 / (w1 + w2);
    r->stiffness = 2 * r->ratio / (w1 + w2);
    return YK_OK;
}

static enum yk_status add_to(struct yk_matrix *C, size_t count, const double *factor, const struct yk_matrix *const *A,
                             struct yk_err *err)
{
    struct yk_matrix sum = {0};
    enum yk_status st = yk_matrix_combine(&sum, count, factor, A, err);

    if (!st) {
        yk_matrix_fini(C);
        *C = sum;
    }
    return st;
}

static enum yk_status add_rayleigh(const struct yk_experiment *e, const struct yk_node *node,
                                   struct yk_structure_parts *parts, struct yk_err *err)
{
    const struct yk_field_context context = context_of(e);
    struct rayleigh r = {0};
    enum yk_status st;

    if ((st = yk_field_type(node, YK_MAP, "a map", err)) || (st = yk_field_known(node, yk_keys_rayleigh, NULL, err)) ||
        (st = yk_field_settings(node, yk_keys_rayleigh, &r, &context, err)))
        return st;
    if (r.ratio != 0 || r.frequencies.n)
        st = rayleigh_from_ratio(node, &r, err);
    if (!st)
        st = add_to(&parts->C, 3, (double[]){1, r.mass, r.stiffness},
                    (const struct yk_matrix *[]){&parts->C, &parts->M, &parts->K}, err);
    yk_field_free_settings(yk_keys_rayleigh, &r);
    return st;
}

static enum yk_status add_modal(const struct yk_node *node, struct yk_structure_parts *parts, struct yk_err *err)
{
    struct yk_matrix modal = {0};
    double *ratio;
    enum yk_status st;

    if ((st = yk_field_type(node, YK_LIST, "a list of damping ratios", err)))
        return st;
    if (node->count == 0)
        return yk_fail_at(err, YK_E_INPUT, node->where, "modal_damping needs at least one ratio");
    if (node->count > parts->M.rows)
        return yk_fail_at(err, YK_E_INPUT, node->items[parts->M.rows]->where,
                          "%zu ratios for %zu degrees of freedom: at most one for each mode", node->count,
                          parts->M.rows);
    if (!(ratio = calloc(node->count, sizeof *ratio)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < node->count && !st; i++)
        st = yk_field_real(node->items[i], YK_NUMBER, 0, 10, &ratio[i], err);
    if (!st && (st = yk_modal_damping(&parts->M, &parts->K, ratio, node->count, &modal, err)))
        yk_fail_within(err, node->where, "modal_damping: ");
    if (!st)
        st = add_to(&parts->C, 2, (double[]){1, 1}, (const struct yk_matrix *[]){&parts->C, &modal}, err);
    yk_matrix_fini(&modal);
    free(ratio);
    return st;
}

static enum yk_status add_damping(const struct yk_experiment *e, const struct yk_node *map,
                                  struct yk_structure_parts *parts, struct yk_err *err)
{
    const struct yk_node *rayleigh = yk_node_get(map, "rayleigh"), *modal = yk_node_get(map, "modal_damping");
    enum yk_status st = rayleigh ? add_rayleigh(e, rayleigh, parts, err) : YK_OK;

    return !st && modal ? add_modal(modal, parts, err) : st;
}

/* ---- linear ---- */

static enum yk_status allocate_state(struct yk_structure_parts *parts, size_t n, struct yk_err *err)
{
    parts->u0 = calloc(n + 1, sizeof(double));
    parts->v0 = calloc(n + 1, sizeof(double));
    return parts->u0 && parts->v0 ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}

static enum yk_status read_names(const struct yk_node *list, struct dof_names *d, struct yk_err *err)
{
    enum yk_status st = yk_field_type(list, YK_LIST, "a list of names", err);

    if (st)
        return st;
    if (list->count == 0)
        return yk_fail_at(err, YK_E_INPUT, list->where, "dofs is empty: at least one degree of freedom is needed");
    if (!(d->names = calloc(list->count, sizeof *d->names)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < list->count; i++) {
        const struct yk_node *name = list->items[i];

        if ((st = yk_field_type(name, YK_SCALAR, "a name", err)) || (st = check_name(name, name->text, err)))
            return st;
        if (find_name(d, name->text) >= 0)
            return yk_fail_at(err, YK_E_INPUT, name->where, "degree of freedom '%s' is named twice", name->text);
        if (!(d->names[d->n++] = strdup(name->text)))
            return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    return YK_OK;
}

/* The message of a structure starts with the matrix that is at fault: says where that stands. */
static enum yk_status blame(const struct yk_node *map, struct yk_err *err)
{
    for (size_t i = 0; i < map->count; i++) {
        const size_t length = strlen(map->items[i]->key);

        if (length && strncmp(err->text, map->items[i]->key, length) == 0 && err->text[length] == ' ')
            return yk_fail_within(err, map->items[i]->where, "%s: ", map->key);
    }
    return yk_fail_within(err, map->where, "%s: ", map->key);
}

static enum yk_status build_linear(const struct yk_experiment *e, const struct yk_node *map, struct dof_names *d,
                                   struct yk_system **system, struct yk_err *err)
{
    const struct yk_field_context context = context_of(e);
    const struct yk_node *damping = yk_node_get(map, "damping");
    struct yk_structure_parts parts = {0};
    enum yk_status st;

    if ((st = yk_field_known(map, yk_keys_linear, yk_keys_substructure, err)) ||
        (st = yk_field_settings(map, yk_keys_linear, &parts, &context, err)) ||
        (st = read_names(yk_node_get(map, "dofs"), d, err)) ||
        (st = yk_field_matrix(yk_node_get(map, "mass"), YK_MASS, d->n, &context, &parts.M, err)) ||
        (st = yk_field_matrix(yk_node_get(map, "stiffness"), YK_STIFFNESS, d->n, &context, &parts.K, err)) ||
        (st = damping ? yk_field_matrix(damping, YK_DAMPING, d->n, &context, &parts.C, err)
                      : yk_matrix_init(&parts.C, YK_DIAGONAL, d->n, d->n, err)) ||
        (st = allocate_state(&parts, d->n, err)) || (st = read_initial(map, d, parts.u0, parts.v0, err)) ||
        (st = add_damping(e, map, &parts, err))) {
        yk_structure_parts_free(&parts);
        return st;
    }
    parts.names = (const char *const *)d->names;
    if ((st = yk_structure_create(system, &parts, err)))
        blame(map, err);
    return st;
}

/* ---- assembled ---- */

struct assembled {
    struct dof_names all; /* every node.dof, in the order of the file */
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

    a->all.names = names ? names : a->all.names;
    a->mass = mass ? mass : a->mass;
    a->free_index = index ? index : a->free_index;
    if (!names || !mass || !index || asprintf(&names[i], "%s.%s", node->key, dof) < 0)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    a->all.n++;
    a->free_index[i] = is_fixed(node, dof) ? -1 : (long)a->free_count++;
    a->mass[i] = 1; /* of a fixed one: unused */
    return a->free_index[i] < 0 ? YK_OK : node_mass(node, dof, &a->mass[i], err);
}

/* `mass` and `fixed` may only speak of degrees of freedom the node has */
static enum yk_status check_node_words(const struct yk_node *node, const struct dof_names *own, struct yk_err *err)
{
    const struct yk_node *fixed = yk_node_get(node, "fixed"), *mass = yk_node_get(node, "mass");
    enum yk_status st;

    if (fixed && (st = yk_field_type(fixed, YK_LIST, "a list of degrees of freedom", err)))
        return st;
    for (size_t i = 0; fixed && i < fixed->count; i++)
        if ((st = yk_field_type(fixed->items[i], YK_SCALAR, "a name", err)))
            return st;
        else if (find_name(own, fixed->items[i]->text) < 0)
            return no_such_dof(fixed->items[i]->where, fixed->items[i]->text, own, err);
    for (size_t i = 0; mass && mass->type == YK_MAP && i < mass->count; i++)
        if (find_name(own, mass->items[i]->key) < 0)
            return no_such_dof(mass->items[i]->key_where, mass->items[i]->key, own, err);
    return YK_OK;
}

static enum yk_status read_node(struct assembled *a, const struct yk_node *node, struct yk_err *err)
{
    const struct yk_node *dofs = yk_node_get(node, "dofs");
    struct dof_names own = {0};
    enum yk_status st;

    if ((st = yk_field_type(node, YK_MAP, "a map", err)) || (st = check_name(node, node->key, err)) ||
        (st = yk_field_known(node, yk_keys_node, NULL, err)))
        return st;
    if (strcmp(node->key, "ground") == 0)
        return yk_fail_at(err, YK_E_INPUT, node->where, "'ground' is the ground and cannot be a node");
    if (dofs) {
        st = read_names(dofs, &own, err);
    } else {
        own.names = calloc(1, sizeof *own.names);
        if (!own.names || !(own.names[own.n++] = strdup("x")))
            st = yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    if (!st)
        st = check_node_words(node, &own, err);
    for (size_t i = 0; i < own.n && !st; i++)
        st = add_dof(a, node, own.names[i], err);
    free_names(own.names, own.n);
    return st;
}

/* An end of an element: `ground`, or node.dof; fixed ones are the ground. */
static enum yk_status read_end(const struct assembled *a, const struct yk_node *end, long *dof, struct yk_err *err)
{
    enum yk_status st = yk_field_type(end, YK_SCALAR, "ground or node.dof", err);
    long i;

    *dof = -1;
    if (st || strcmp(end->text, "ground") == 0)
        return st;
    if ((i = find_name(&a->all, end->text)) < 0)
        return no_such_dof(end->where, end->text, &a->all, err);
    *dof = a->free_index[i];
    return YK_OK;
}

static const char *next_law(void *self)
{
    const struct yk_law_ops *const **at = self;

    return **at ? (*(*at)++)->name : NULL;
}

static enum yk_status load_plugin(const struct yk_experiment *e, const struct yk_node *map,
                                  const struct yk_plugin **plugin, struct yk_err *err)
{
    const struct yk_node *library = yk_node_get(map, "library");
    char *path;
    enum yk_status st;

    if (!library)
        return yk_fail_at(err, YK_E_INPUT, map->where, "a plugin needs 'library', the shared object to load");
    if ((st = yk_field_type(library, YK_SCALAR, "a file name", err)))
        return st;
    if (!(path = yk_field_path(e->directory, library->text)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    /* dlopen looks in its own places unless there is a slash in the name */
    if (!strchr(path, '/')) {
        char *local = NULL;

        if (asprintf(&local, "./%s", path) < 0)
            local = NULL;
        free(path);
        path = local;
    }
    if ((st = path ? yk_plugin_load(path, plugin, err) : yk_fail(err, YK_E_MEMORY, "out of memory")))
        yk_fail_within(err, library->where, "%s", "");
    free(path);
    return st;
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
        if ((st = load_plugin(e, node, &plugin, err)))
            return st;
        if (!(*law = plugin->law))
            return yk_fail_at(err, YK_E_INPUT, kind->where, "this plugin offers a substructure, not an element law");
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
    const struct yk_field_context context = context_of(e);
    const struct yk_node *between = yk_node_get(node, "between");
    enum yk_status st;

    if ((st = yk_field_type(node, YK_MAP, "an element as a map", err)) ||
        (st = find_law(e, node, &element->law, err)) || (st = check_element_keys(node, element->law, err)))
        return st;
    if (!between || between->type != YK_LIST || between->count != 2)
        return yk_fail_at(err, YK_E_INPUT, between ? between->where : node->where,
                          "between must name the two ends of the element, for example [ground, n1.x]");
    if ((st = read_end(a, between->items[0], &element->from, err)) ||
        (st = read_end(a, between->items[1], &element->to, err)))
        return st;
    if (element->from == element->to)
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
        if (parts->elements[i].law->linear)
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
                                         const struct assembled *a, struct yk_structure_parts *parts,
                                         struct dof_names *d, struct yk_err *err)
{
    const size_t n = a->free_count;
    enum yk_status st;

    if (n == 0)
        return yk_fail_at(err, YK_E_INPUT, map->where, "%s: every degree of freedom is fixed", map->key);
    if ((st = yk_matrix_init(&parts->M, YK_DIAGONAL, n, n, err)) ||
        (st = yk_matrix_init(&parts->C, YK_DIAGONAL, n, n, err)) ||
        (st = yk_matrix_init(&parts->K, YK_DIAGONAL, n, n, err)) || (st = allocate_state(parts, n, err)))
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
        (st = read_initial(map, d, parts->u0, parts->v0, err)))
        return st;
    return add_damping(e, map, parts, err);
}

static enum yk_status build_assembled(const struct yk_experiment *e, const struct yk_node *map, struct dof_names *d,
                                      struct yk_system **system, struct yk_err *err)
{
    const struct yk_field_context context = context_of(e);
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
    free_names(a.all.names, a.all.n);
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

/* ---- kinds with equations of their own ---- */

static enum yk_status build_kind(const struct yk_experiment *e, const struct yk_node *map,
                                 const struct yk_kind_ops *kind, bool plugin, struct dof_names *d,
                                 struct yk_system **system, struct yk_err *err)
{
    const struct yk_field_context context = context_of(e);
    size_t n = 0;
    void *settings;
    double *state;
    enum yk_status st = YK_OK;

    while (kind->dofs[n])
        n++;
    settings = calloc(1, kind->settings_size + 1);
    state = calloc(2 * n + 1, sizeof *state);
    d->names = calloc(n + 1, sizeof *d->names);
    if (!settings || !state || !d->names)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    for (; !st && d->n < n; d->n++)
        if (!(d->names[d->n] = strdup(kind->dofs[d->n])))
            st = yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < map->count && !st; i++) {
        struct yk_node one = {.type = YK_MAP, .key = map->key, .count = 1, .items = &map->items[i]};

        if (!plugin || strcmp(map->items[i]->key, "library") != 0)
            st = yk_field_known(&one, kind->params, yk_keys_substructure, err);
    }
    if (!st && !(st = yk_field_settings(map, kind->params, settings, &context, err))) {
        if (!(st = read_initial(map, d, state, state + n, err)) &&
            (st = kind->create(settings, state, state + n, system, err)))
            yk_fail_within(err, map->where, "%s: ", map->key);
        yk_field_free_settings(kind->params, settings);
    }
    free(settings);
    free(state);
    return st;
}

struct kind_cursor {
    int fixed;
    const struct yk_kind_ops *const *at;
};

static const char *next_kind(void *self)
{
    static const char *const words[] = {"linear", "assembled", "plugin"};
    struct kind_cursor *c = self;

    if (c->fixed < 3)
        return words[c->fixed++];
    return *c->at ? (*c->at++)->name : NULL;
}

static enum yk_status build_one(const struct yk_experiment *e, const struct yk_node *map, struct dof_names *d,
                                struct yk_system **system, struct yk_err *err)
{
    const struct yk_node *kind = yk_node_get(map, "kind"), *role = yk_node_get(map, "role");
    const char *name = kind ? kind->text : "linear";
    const struct yk_kind_ops *own;
    const struct yk_plugin *plugin;
    enum yk_status st;
    char hint[96];

    if ((st = yk_field_type(map, YK_MAP, "a substructure as a map", err)) || (st = check_name(map, map->key, err)) ||
        (kind && (st = yk_field_type(kind, YK_SCALAR, "the name of a kind", err))) ||
        (role && (st = yk_field_type(role, YK_SCALAR, "a role", err))))
        return st;
    if (role && strcmp(role->text, "numerical") != 0)
        return yk_fail_at(err, YK_E_UNSUPPORTED, role->where,
                          "role: %s is not supported by this version; only numerical is", role->text);
    if (strcmp(name, "linear") == 0)
        return build_linear(e, map, d, system, err);
    if (strcmp(name, "assembled") == 0)
        return build_assembled(e, map, d, system, err);
    if (strcmp(name, "plugin") == 0) {
        if ((st = load_plugin(e, map, &plugin, err)))
            return st;
        if (!plugin->kind)
            return yk_fail_at(err, YK_E_INPUT, kind->where, "this plugin offers an element law, not a substructure");
        return build_kind(e, map, plugin->kind, true, d, system, err);
    }
    if ((own = yk_kind_find(name)))
        return build_kind(e, map, own, false, d, system, err);
    return yk_fail_at(err, YK_E_INPUT, kind->where, "there is no kind of substructure '%s'%s", name,
                      yk_suggest(name, next_kind, &(struct kind_cursor){0, yk_kinds}, "; see `yoke list substructures`",
                                 hint, sizeof hint));
}

static enum yk_status read_rate(const struct yk_node *map, bool *fine, struct yk_err *err)
{
    const struct yk_node *rate = yk_node_get(map, "rate");
    enum yk_status st;

    *fine = false;
    if (!rate)
        return YK_OK;
    if ((st = yk_field_type(rate, YK_SCALAR, "coarse or fine", err)))
        return st;
    *fine = strcmp(rate->text, "fine") == 0;
    if (!*fine && strcmp(rate->text, "coarse") != 0)
        return yk_fail_at(err, YK_E_INPUT, rate->where, "rate = '%s' is not one of: coarse, fine", rate->text);
    return YK_OK;
}

enum yk_status yk_build_substructures(struct yk_experiment *e, struct yk_err *err)
{
    const struct yk_node *section = yk_node_get(e->tree, "substructures");
    enum yk_status st;

    if ((st = yk_field_type(section, YK_MAP, "a map of substructures", err)))
        return st;
    if (section->count == 0)
        return yk_fail_at(err, YK_E_INPUT, section->where, "substructures is empty: at least one is needed");
    e->substructures = calloc(section->count, sizeof *e->substructures);
    e->fine = calloc(section->count, sizeof *e->fine);
    if (!e->substructures || !e->fine)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < section->count && !st; i++) {
        struct yk_substructure *s = &e->substructures[e->substructure_count];
        struct dof_names d = {0};

        if (!(st = read_rate(section->items[i], &e->fine[e->substructure_count], err)))
            st = build_one(e, section->items[i], &d, &s->system, err);
        if (!st && !(s->name = strdup(section->items[i]->key))) {
            yk_system_destroy(s->system);
            st = yk_fail(err, YK_E_MEMORY, "out of memory");
        }
        if (st) {
            free_names(d.names, d.n);
            break;
        }
        s->dofs = d.names;
        e->substructure_count++;
    }
    return st;
}
