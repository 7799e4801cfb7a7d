/* Nodes that nothing holds or moves: usually a misspelt name in `--set` or in the file. */
#include "base/names.h"
#include "experiment/build.h"

#include <stdlib.h>
#include <string.h>

/* The nodes, found by name, and which of them something speaks of. */
struct nodes {
    size_t count;
    const char **keys;
    struct yk_names *index;
    bool *attached;
    size_t longest;
    char *name; /* room for the longest */
};

static void close_nodes(struct nodes *n)
{
    free(n->keys);
    free(n->attached);
    free(n->name);
    yk_names_free(n->index);
    free(n->index);
}

static enum yk_status open_nodes(struct nodes *n, const struct yk_node *map, struct yk_err *err)
{
    *n = (struct nodes){.count = map->count};
    n->keys = malloc((n->count + 1) * sizeof *n->keys);
    n->attached = calloc(n->count + 1, sizeof *n->attached);
    n->index = calloc(1, sizeof *n->index);
    for (size_t i = 0; n->keys && i < n->count; i++) {
        n->keys[i] = map->items[i]->key;
        n->longest = strlen(n->keys[i]) > n->longest ? strlen(n->keys[i]) : n->longest;
    }
    n->name = malloc(n->longest + 1);
    if (n->keys && n->attached && n->index && n->name)
        return YK_OK;
    close_nodes(n);
    return yk_fail(err, YK_E_MEMORY, "out of memory for %zu nodes", map->count);
}

/* The text may be "prefix" and the name of a node, or a degree of freedom of it: marks every node it can mean. */
static void mark(struct nodes *n, const char *prefix, const char *text)
{
    if (strncmp(text, prefix, strlen(prefix)) != 0)
        return;
    text += strlen(prefix);
    for (size_t length = 0; length <= n->longest; length++) {
        if (text[length] == 0 || text[length] == '.') {
            long at;

            memcpy(n->name, text, length);
            n->name[length] = 0;
            at = yk_names_find(n->index, n->keys, sizeof *n->keys, n->count, n->name);
            if (at >= 0)
                n->attached[at] = true;
        }
        if (text[length] == 0)
            return;
    }
}

/* Marks the nodes that the tree mentions, as a value or as a key. */
static void mark_mentioned(struct nodes *n, const struct yk_node *tree, const char *prefix)
{
    if (!tree)
        return;
    if (tree->type == YK_SCALAR)
        mark(n, prefix, tree->text);
    for (size_t i = 0; i < tree->count; i++) {
        if (tree->type == YK_MAP)
            mark(n, prefix, tree->items[i]->key);
        mark_mentioned(n, tree->items[i], prefix);
    }
}

static void mark_attached(struct nodes *n, const struct yk_model *e, const struct yk_node *map)
{
    static const char *const inside[] = {"elements", "members", "links", "initial"}, *const outside[] = {"interfaces",
                                                                                                         "loads"};
    char prefix[48];

    snprintf(prefix, sizeof prefix, "%s.", map->key);
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
        mark_mentioned(n, yk_node_get(map, inside[i]), "");
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        mark_mentioned(n, yk_node_get(e->tree, outside[i]), prefix);
}

struct others {
    const struct yk_node *nodes, *but;
    size_t at;
};

static const char *next_other(void *self)
{
    struct others *o = self;

    if (o->at < o->nodes->count && o->nodes->items[o->at] == o->but)
        o->at++;
    return o->at < o->nodes->count ? o->nodes->items[o->at++]->key : NULL;
}

enum yk_status yk_build_refuse_loose(const struct yk_model *e, const struct yk_node *map, struct yk_err *err)
{
    const struct yk_node *nodes = yk_node_get(map, "nodes"), *elements = yk_node_get(map, "elements");
    const bool free_masses = !yk_node_get(map, "members") && elements && elements->count == 0;
    struct nodes n;
    enum yk_status st;
    char hint[96];

    if (nodes->count <= 1 || free_masses)
        return YK_OK;
    if ((st = open_nodes(&n, nodes, err)))
        return st;
    mark_attached(&n, e, map);
    for (size_t i = 0; !st && i < nodes->count; i++) {
        const struct yk_node *node = nodes->items[i];

        if (!n.attached[i])
            st = yk_fail_at(err, YK_E_INPUT, node->key_where,
                            "nothing is attached to node '%s': no element, member, link, interface or load names it%s",
                            node->key,
                            yk_suggest(node->key, next_other, &(struct others){nodes, node, 0}, "", hint, sizeof hint));
    }
    close_nodes(&n);
    return st;
}
