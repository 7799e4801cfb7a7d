/* Motion of the ground: displacements u are relative to it, so an acceleration a acts as the force -(M b + M_fs b_s) a.
 * b: displacement of each degree of freedom when the ground moves by one (`influence`); b_s: that of the supports,
 * which have left the matrices. A reduced model reads the sum from its file. docs/theory/reduction.md, eq. (18) */
#include "base/rotation.h"
#include "experiment/build.h"

#include <yoke/reduction.h>

#include <stdlib.h>
#include <string.h>

/* The last part of "n1.x". */
static const char *direction_of(const char *dof)
{
    const char *dot = strrchr(dof, '.');

    return dot ? dot + 1 : dof;
}

/* Do two degrees of freedom point in different ways, as far as their names tell? */
static bool differ(const char *one, const char *other)
{
    const char *a = direction_of(one), *b = direction_of(other);
    const bool axes = strspn(a, "xyz") == strlen(a) && strspn(b, "xyz") == strlen(b);

    if (yk_is_rotation(one) || yk_is_rotation(other))
        return true;
    return (axes || strchr(one, '.')) && strcmp(a, b) != 0;
}

/* Is the degree of freedom meant by a key of `influence`, itself or through its direction? */
static bool means(const char *key, const char *dof)
{
    return strcmp(dof, key) == 0 || strcmp(direction_of(dof), key) == 0;
}

/* A whole direction moves with the ground: so do the supports of a frame, which pull through the mass matrix. */
static void add_supports(const double *support, size_t n, const char *key, double value, double *force)
{
    const char *const axes = "xyz", *axis = strlen(key) == 1 ? strchr(axes, *key) : NULL;

    for (size_t i = 0; support && axis && i < n; i++)
        force[i] += value * support[i + (size_t)(axis - axes) * n];
}

static enum yk_status several_directions(const struct yk_node *load, const char *name, const char *example,
                                         struct yk_err *err)
{
    return yk_fail_at(err, YK_E_INPUT, load->where,
                      "'%s' has degrees of freedom in several directions or rotations: say which move with the ground, "
                      "for example influence: { %s: 1 }",
                      name, example);
}

/* `influence`, NULL where it is left out. */
static enum yk_status find_influence(const struct yk_node *load, const struct yk_node **map, struct yk_err *err)
{
    enum yk_status st;

    *map = yk_node_get(load, "influence");
    if (!*map)
        return YK_OK;
    if ((st = yk_field_type(*map, YK_MAP, "a map of degrees of freedom", err)))
        return st;
    if ((*map)->count == 0)
        return yk_fail_at(err, YK_E_INPUT, (*map)->where, "influence names no degree of freedom: nothing would move");
    return YK_OK;
}

/* ---- models with all of their degrees of freedom ---- */

/* b from `influence`; without it every degree of freedom moves with the ground, if they all point the same way. The
 * share of the supports goes into `force`. */
static enum yk_status read_influence(const struct yk_node *load, const struct yk_substructure *s, const double *support,
                                     double *b, double *force, struct yk_err *err)
{
    const size_t n = s->system->n;
    const struct yk_node *map;
    enum yk_status st;

    if ((st = find_influence(load, &map, err)))
        return st;
    for (size_t i = 0; !map && i < n; i++) {
        b[i] = 1;
        if (differ(s->dofs[0], s->dofs[i]))
            return several_directions(load, s->name, direction_of(s->dofs[0]), err);
    }
    if (!map)
        add_supports(support, n, direction_of(s->dofs[0]), 1, force);
    for (size_t k = 0; map && k < map->count; k++) {
        const struct yk_node *node = map->items[k];
        bool found = false;
        double value;

        if ((st = yk_field_real(node, YK_NUMBER, -1e12, 1e12, &value, err)))
            return st;
        for (size_t i = 0; i < n; i++)
            if (means(node->key, s->dofs[i])) {
                /* a degree of freedom named itself overrides its direction, in any order */
                if (strcmp(s->dofs[i], node->key) == 0 || !yk_node_get(map, s->dofs[i]))
                    b[i] = value;
                found = true;
            }
        if (!found)
            return yk_fail_at(err, YK_E_INPUT, node->key_where, "'%s' has no degree of freedom '%s'", s->name,
                              node->key);
        add_supports(support, n, node->key, value, force);
    }
    return YK_OK;
}

static enum yk_status full_force(const struct yk_node *load, const struct yk_substructure *s, const double *support,
                                 double *force, struct yk_err *err)
{
    double *b = calloc(s->system->n, sizeof *b);
    enum yk_status st =
        b ? read_influence(load, s, support, b, force, err) : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (!st && s->system->mass_divided_out)
        st = yk_fail_at(err, YK_E_UNSUPPORTED, load->where,
                        "'%s' cannot be driven by ground motion: its mass depends on its "
                        "configuration",
                        s->name);
    if (!st)
        yk_matrix_add_product(&s->system->M, 1, b, force);
    free(b);
    return st;
}

/* ---- reduced models ---- */

struct motions {
    const struct yk_ground *ground;
    size_t at;
};

static const char *next_motion(void *self)
{
    struct motions *m = self;

    return m->at < m->ground->count ? m->ground->names[m->at++] : NULL;
}

static void add_motion(const struct yk_ground *g, size_t k, double factor, double *force)
{
    for (size_t i = 0; i < g->n; i++)
        force[i] += factor * g->force[i + k * g->n];
}

/* One entry of `influence`: a direction, or a degree of freedom of the interface, which overrides its direction. */
static enum yk_status add_entry(const struct yk_node *map, const struct yk_node *node, const char *name,
                                const struct yk_ground *g, double *force, struct yk_err *err)
{
    const char *direction = direction_of(node->key);
    const struct yk_node *common = strcmp(direction, node->key) != 0 ? yk_node_get(map, direction) : NULL;
    const long k = yk_ground_find(g, node->key);
    double value, instead = 0;
    enum yk_status st;
    char hint[96];

    if ((st = yk_field_real(node, YK_NUMBER, -1e12, 1e12, &value, err)) ||
        (common && (st = yk_field_real(common, YK_NUMBER, -1e12, 1e12, &instead, err))))
        return st;
    if (k < 0)
        return yk_fail_at(err, YK_E_INPUT, node->key_where,
                          "'%s' has no direction and no interface displacement '%s'%s", name, node->key,
                          yk_suggest(node->key, next_motion, &(struct motions){g, 0},
                                     "; the interior of a reduced model can only move with a whole direction", hint,
                                     sizeof hint));
    add_motion(g, (size_t)k, value - instead, force);
    return YK_OK;
}

static enum yk_status reduced_force(const struct yk_node *load, const char *name, const struct yk_ground *g,
                                    double *force, struct yk_err *err)
{
    const struct yk_node *map;
    enum yk_status st;
    long all;

    if (g->count == 0)
        return yk_fail_at(err, YK_E_UNSUPPORTED, load->where,
                          "'%s' cannot be driven by ground motion: its model file, written by an older version of "
                          "Yoke, lacks the effect of the ground on the interior; reduce the full model again with "
                          "`yoke reduce`",
                          name);
    if ((st = find_influence(load, &map, err)))
        return st;
    if (!map && (all = yk_ground_find(g, "")) < 0)
        return several_directions(load, name, g->names[0], err);
    if (!map)
        add_motion(g, (size_t)all, 1, force);
    for (size_t k = 0; map && k < map->count && !st; k++)
        st = add_entry(map, map->items[k], name, g, force, err);
    return st;
}

enum yk_sense yk_build_ground_sense(const struct yk_node *load, const struct yk_substructure *s)
{
    const struct yk_node *map = yk_node_get(load, "influence");
    const size_t count = map && map->type == YK_MAP ? map->count : s->system->n;
    enum yk_sense found = YK_EITHER;

    for (size_t i = 0; i < count && found != YK_ALONG; i++) {
        const enum yk_sense sense = yk_dofs_sense(map && map->type == YK_MAP ? map->items[i]->key : s->dofs[i]);

        found = sense == YK_EITHER ? found : sense;
    }
    return found;
}

enum yk_status yk_build_ground_direction(const struct yk_model *e, const struct yk_node *load, size_t substructure,
                                         double *direction, struct yk_err *err)
{
    const struct yk_substructure *s = &e->substructures[substructure];
    const struct yk_ground *g = e->parts[substructure].ground;
    enum yk_status st = g ? reduced_force(load, s->name, g, direction, err)
                          : full_force(load, s, e->parts[substructure].support, direction, err);

    for (size_t i = 0; i < s->system->n; i++)
        direction[i] = -direction[i];
    return st;
}

void yk_build_ground_mass(struct yk_model *e, size_t substructure, size_t dof, double mass)
{
    struct yk_ground *g = e->parts[substructure].ground;
    const char *name = e->substructures[substructure].dofs[dof];

    for (size_t k = 0; g && k < g->count; k++)
        if (!*g->names[k] || means(g->names[k], name))
            g->force[dof + k * g->n] += mass;
}

/* ---- for a reduction ---- */

enum { MOST_DIRECTIONS = 16 };

static bool add_name(struct yk_ground *g, const char *name)
{
    if (yk_ground_find(g, name) >= 0)
        return true;
    if (!(g->names[g->count] = strdup(name)))
        return false;
    g->count++;
    return true;
}

/* The motion called `name`, of every degree of freedom that it means; "" means all. */
static void fill_motion(const struct yk_substructure *s, const double *support, const char *name, double *b,
                        double *force)
{
    const size_t n = s->system->n;

    for (size_t i = 0; i < n; i++)
        b[i] = !*name || means(name, s->dofs[i]);
    yk_matrix_add_product(&s->system->M, 1, b, force);
    add_supports(support, n, *name ? name : direction_of(s->dofs[0]), 1, force);
}

static bool name_motions(const struct yk_substructure *s, const size_t *dofs, size_t count, struct yk_ground *g)
{
    bool alike = true;

    for (size_t i = 0; i < s->system->n; i++) {
        const char *direction = direction_of(s->dofs[i]);
        const bool axis = strspn(direction, "xyz") == 1 && !direction[1];

        alike = alike && !differ(s->dofs[0], s->dofs[i]);
        if ((axis || yk_is_rotation(s->dofs[i]) || strchr(s->dofs[i], '.')) && g->count < MOST_DIRECTIONS &&
            !add_name(g, direction))
            return false;
    }
    for (size_t k = 0; k < count; k++)
        if (!add_name(g, s->dofs[dofs[k]]))
            return false;
    return !alike || add_name(g, "");
}

static bool copy_ground(struct yk_ground *to, const struct yk_ground *from)
{
    for (size_t k = 0; k < from->count; k++)
        if (!add_name(to, from->names[k]))
            return false;
    memcpy(to->force, from->force, from->n * from->count * sizeof *to->force);
    memcpy(to->mass, from->mass, from->count * sizeof *to->mass);
    return true;
}

/* g^T M^-1 g of every motion: the effective masses of all modes together. */
static enum yk_status weigh_motions(const struct yk_matrix *mass, struct yk_ground *g, struct yk_err *err)
{
    double *w = malloc((g->n * g->count + 1) * sizeof *w);
    struct yk_matrix M = {0};
    struct yk_ldlt *factor = NULL;
    enum yk_status st = w ? yk_matrix_to_sparse(&M, mass, err) : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (!st && !(st = yk_ldlt_create(&factor, &M, err))) {
        memcpy(w, g->force, g->n * g->count * sizeof *w);
        st = yk_ldlt_solve(factor, g->count, w);
        for (size_t k = 0; k < g->count && !st; k++)
            g->mass[k] = yk_dot(g->n, g->force + k * g->n, w + k * g->n);
    }
    yk_ldlt_destroy(factor);
    yk_matrix_fini(&M);
    free(w);
    return st;
}

enum yk_status yk_model_ground(const struct yk_model *e, size_t k, const size_t *dofs, size_t count,
                               struct yk_ground *g, struct yk_err *err)
{
    const struct yk_substructure *s = &e->substructures[k];
    const struct yk_ground *own = e->parts[k].ground;
    const size_t n = s->system->n, room = own ? own->count : MOST_DIRECTIONS + count + 1;
    double *b = calloc(n + 1, sizeof *b);
    enum yk_status st = YK_OK;
    bool good;

    *g = (struct yk_ground){.n = n};
    g->names = calloc(room + 1, sizeof *g->names);
    g->force = calloc(n * room + 1, sizeof *g->force);
    g->mass = calloc(room + 1, sizeof *g->mass);
    good = b && g->names && g->force && g->mass && (own ? copy_ground(g, own) : name_motions(s, dofs, count, g));
    for (size_t m = 0; good && !own && m < g->count; m++)
        fill_motion(s, e->parts[k].support, g->names[m], b, g->force + m * n);
    free(b);
    if (!good)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    else if (!own)
        st = weigh_motions(&s->system->M, g, err);
    if (st)
        yk_ground_free(g);
    return st;
}
