/* Levels of a frame: from the key `floors`, or from the heights of nodes that carry mass or beams. */
#include "results_parts.h"

#include <yoke/fields.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEAVY     0.01 /* least mass of a node that counts, over the largest */
#define FLAT      0.17 /* sine of 10 degrees: members that are nearly horizontal */
#define LEAST_GAP 0.25 /* m; between two levels */
#define GAP       0.05 /* the same over the height of the structure */

static enum yk_status no_memory(struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory");
}

static const struct yk_frame_node *node_of(const struct yk_results *r, const struct counted *c)
{
    return &yk_part_frame(r->parts, c->part, NULL)->nodes[c->node];
}

/* Mass of a node along x: the row sum of a lumped matrix, the diagonal of another. */
static double mass_of(const struct yk_results *r, size_t part, size_t node)
{
    const long *index;
    const struct yk_system *s = yk_part(r->parts, part)->system;

    yk_part_frame(r->parts, part, &index);
    const long row = index[node * DOFS];

    return row >= 0 ? yk_matrix_get(&s->M, (size_t)row, (size_t)row) : 0;
}

/* Is it a node of the file, not one that divides a member? */
static bool is_given(const struct yk_results *r, size_t part, const char *name)
{
    const struct yk_node *all = yk_node_get(yk_parts_tree(r->parts), "substructures"),
                         *own = all ? yk_node_get(all, yk_part(r->parts, part)->name) : NULL,
                         *nodes = own ? yk_node_get(own, "nodes") : NULL;

    return nodes && nodes->type == YK_MAP && yk_node_get(nodes, name);
}

static bool has_beam(const struct yk_frame *f, size_t node, size_t vertical)
{
    for (size_t i = 0; i < f->member_count; i++) {
        const struct yk_frame_member *m = &f->members[i];
        const double *a = m->beam.ends[0], *b = m->beam.ends[1];
        double L = 0;

        if (m->ends[0] != node && m->ends[1] != node)
            continue;
        for (size_t k = 0; k < 3; k++)
            L += (b[k] - a[k]) * (b[k] - a[k]);
        if (fabs(b[vertical] - a[vertical]) <= FLAT * sqrt(L))
            return true;
    }
    return false;
}

struct candidates {
    struct counted *items;
    double *height;
    size_t count;
};

static const double *sorted_by; /* heights, for the comparison */

static int by_height(const void *a, const void *b)
{
    const double x = sorted_by[*(const size_t *)a], y = sorted_by[*(const size_t *)b];

    return x < y ? -1 : x > y;
}

static enum yk_status collect(const struct yk_results *r, struct candidates *c, struct yk_err *err)
{
    double heaviest = 0;
    size_t nodes = 0;

    for (size_t k = 0; k < r->part_count; k++) {
        const struct yk_frame *f = yk_part_frame(r->parts, k, NULL);

        for (size_t i = 0; f && i < f->node_count; i++, nodes++)
            heaviest = fmax(heaviest, mass_of(r, k, i));
    }
    c->items = calloc(nodes + 1, sizeof *c->items);
    c->height = calloc(nodes + 1, sizeof *c->height);
    if (!c->items || !c->height)
        return no_memory(err);
    for (size_t k = 0; k < r->part_count; k++) {
        const struct yk_frame *f = yk_part_frame(r->parts, k, NULL);

        for (size_t i = 0; f && i < f->node_count; i++) {
            const double mass = mass_of(r, k, i);
            const bool fixed = f->nodes[i].fixed & 1u;

            if (!is_given(r, k, f->nodes[i].name) ||
                !(fixed || (mass > 0 && mass >= HEAVY * heaviest) || has_beam(f, i, r->vertical)))
                continue;
            c->items[c->count] = (struct counted){.part = k, .node = i, .weight = mass};
            c->height[c->count++] = f->nodes[i].at[r->vertical];
        }
    }
    return YK_OK;
}

static enum yk_status add_level(struct yk_results *r, const char *name, struct yk_err *err)
{
    struct level *larger = realloc(r->levels, (r->level_count + 1) * sizeof *larger);

    if (!larger)
        return no_memory(err);
    r->levels = larger;
    larger[r->level_count] = (struct level){.height = 0};
    snprintf(larger[r->level_count++].name, sizeof larger->name, "%s", name);
    return YK_OK;
}

static enum yk_status add_node(struct level *l, const struct counted *c, double height, struct yk_err *err)
{
    struct counted *larger = realloc(l->nodes, (l->count + 1) * sizeof *larger);

    if (!larger)
        return no_memory(err);
    l->nodes = larger;
    larger[l->count++] = *c;
    l->height += (height - l->height) / (double)l->count;
    return YK_OK;
}

/* Levels are separated by gaps in the sorted heights. */
static enum yk_status from_coordinates(struct yk_results *r, struct yk_err *err)
{
    struct candidates c = {0};
    enum yk_status st = collect(r, &c, err);
    size_t *order = calloc(c.count + 1, sizeof *order);

    if (!order && !st)
        st = no_memory(err);
    for (size_t i = 0; order && i < c.count; i++)
        order[i] = i;
    if (!st && c.count) {
        sorted_by = c.height;
        qsort(order, c.count, sizeof *order, by_height);
        const double gap = fmax(LEAST_GAP, GAP * (c.height[order[c.count - 1]] - c.height[order[0]]));

        for (size_t i = 0; i < c.count && !st; i++) {
            char name[32];

            snprintf(name, sizeof name, "floor%zu", r->level_count);
            if (i == 0 || c.height[order[i]] - c.height[order[i - 1]] > gap)
                st = add_level(r, i ? name : "base", err);
            if (!st)
                st = add_node(&r->levels[r->level_count - 1], &c.items[order[i]], c.height[order[i]], err);
        }
        if (!st && r->level_count > 1)
            snprintf(r->levels[r->level_count - 1].name, sizeof r->levels->name, "roof");
    }
    free(order);
    free(c.items);
    free(c.height);
    return st;
}

/* A node by its name, with the name of the substructure before it or alone. */
static enum yk_status find_node(const struct yk_results *r, const struct yk_node *name, struct counted *c,
                                struct yk_err *err)
{
    for (size_t k = 0; k < r->part_count; k++) {
        const struct yk_frame *f = yk_part_frame(r->parts, k, NULL);
        const char *part = yk_part(r->parts, k)->name;
        const size_t length = strlen(part);
        const char *own =
            strncmp(name->text, part, length) == 0 && name->text[length] == '.' ? name->text + length + 1 : name->text;

        for (size_t i = 0; f && i < f->node_count; i++)
            if (strcmp(f->nodes[i].name, own) == 0) {
                *c = (struct counted){.part = k, .node = i, .weight = mass_of(r, k, i)};
                return YK_OK;
            }
    }
    return yk_fail_at(err, YK_E_INPUT, name->where, "floors: there is no node '%s' of a frame", name->text);
}

static enum yk_status from_file(struct yk_results *r, const struct yk_node *floors, struct yk_err *err)
{
    enum yk_status st = yk_field_type(floors, YK_MAP, "a map of name to list of nodes", err);

    for (size_t i = 0; i < floors->count && !st; i++) {
        const struct yk_node *one = floors->items[i];

        if ((st = yk_field_type(one, YK_LIST, "a list of nodes", err)) || (st = add_level(r, one->key, err)))
            return st;
        if (!one->count)
            return yk_fail_at(err, YK_E_INPUT, one->where, "floors: %s has no node", one->key);
        for (size_t k = 0; k < one->count && !st; k++) {
            struct level *l = &r->levels[r->level_count - 1];
            struct counted c = {0};

            if ((st = yk_field_type(one->items[k], YK_SCALAR, "the name of a node", err)) ||
                (st = find_node(r, one->items[k], &c, err)))
                return st;
            st = add_node(l, &c, node_of(r, &c)->at[r->vertical], err);
        }
        if (!st && i && !(r->levels[i].height > r->levels[i - 1].height))
            return yk_fail_at(err, YK_E_INPUT, one->where, "floors: %s at %g m is not above %s at %g m", one->key,
                              r->levels[i].height, r->levels[i - 1].name, r->levels[i - 1].height);
    }
    return st;
}

/* Weights by mass, or by number where there is none; they add up to 1. */
static void weigh(struct level *l)
{
    double sum = 0;

    for (size_t i = 0; i < l->count; i++)
        sum += l->nodes[i].weight;
    for (size_t i = 0; i < l->count; i++)
        l->nodes[i].weight = sum > 0 ? l->nodes[i].weight / sum : 1.0 / (double)l->count;
}

static bool has_fixed(const struct yk_results *r, const struct level *l)
{
    for (size_t i = 0; i < l->count; i++)
        if (node_of(r, &l->nodes[i])->fixed & 1u)
            return true;
    return false;
}

/* Levels below the lowest one with fixed nodes do not count: the base is where the structure is held. */
static void drop_below_base(struct yk_results *r)
{
    size_t first = 0;

    while (first < r->level_count && !has_fixed(r, &r->levels[first]))
        first++;
    if (first == r->level_count)
        first = 0;
    for (size_t i = 0; i < first; i++)
        free(r->levels[i].nodes);
    memmove(r->levels, r->levels + first, (r->level_count - first) * sizeof *r->levels);
    r->level_count -= first;
    if (first && r->level_count)
        snprintf(r->levels[0].name, sizeof r->levels[0].name, "base");
    for (size_t i = 1; first && i + 1 < r->level_count; i++)
        snprintf(r->levels[i].name, sizeof r->levels[i].name, "floor%zu", i);
}

enum yk_status results_find_levels(struct yk_results *r, struct yk_err *err)
{
    const struct yk_node *floors = yk_node_get(yk_parts_tree(r->parts), "floors");
    enum yk_status st = floors ? from_file(r, floors, err) : from_coordinates(r, err);

    if (st)
        return st;
    if (!floors)
        drop_below_base(r);
    for (size_t i = 0; i < r->level_count; i++)
        weigh(&r->levels[i]);
    if (r->level_count < 2)
        snprintf(r->why, sizeof r->why, "no storeys: fewer than two levels were found; name them with `floors`");
    return YK_OK;
}
