/* Nodes that nothing holds or moves: a name in `--set` or in the file that was meant to be another one makes them. */
#include "experiment/build.h"

#include <string.h>

/* Is the text "prefix" + name, or a degree of freedom of it? */
static bool names(const char *text, const char *prefix, const char *name)
{
    const size_t head = strlen(prefix), length = strlen(name);

    return strncmp(text, prefix, head) == 0 && strncmp(text + head, name, length) == 0 &&
           (text[head + length] == 0 || text[head + length] == '.');
}

/* Does anything in the tree speak of the node, as a value or as a key? */
static bool mentions(const struct yk_node *tree, const char *prefix, const char *name)
{
    if (!tree)
        return false;
    if (tree->type == YK_SCALAR)
        return names(tree->text, prefix, name);
    for (size_t i = 0; i < tree->count; i++)
        if ((tree->type == YK_MAP && names(tree->items[i]->key, prefix, name)) ||
            mentions(tree->items[i], prefix, name))
            return true;
    return false;
}

static bool is_attached(const struct yk_experiment *e, const struct yk_node *map, const char *name)
{
    static const char *const inside[] = {"elements", "members", "links", "initial"}, *const outside[] = {"interfaces",
                                                                                                         "loads"};
    char prefix[48];

    snprintf(prefix, sizeof prefix, "%s.", map->key);
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
        if (mentions(yk_node_get(map, inside[i]), "", name))
            return true;
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        if (mentions(yk_node_get(e->tree, outside[i]), prefix, name))
            return true;
    return false;
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

enum yk_status yk_build_refuse_loose(const struct yk_experiment *e, const struct yk_node *map, struct yk_err *err)
{
    const struct yk_node *nodes = yk_node_get(map, "nodes"), *elements = yk_node_get(map, "elements");
    const bool free_masses = !yk_node_get(map, "members") && elements && elements->count == 0;
    char hint[96];

    for (size_t i = 0; nodes->count > 1 && !free_masses && i < nodes->count; i++) {
        const struct yk_node *node = nodes->items[i];

        if (!is_attached(e, map, node->key))
            return yk_fail_at(
                err, YK_E_INPUT, node->key_where,
                "nothing is attached to node '%s': no element, member, link, interface or load names it%s", node->key,
                yk_suggest(node->key, next_other, &(struct others){nodes, node, 0}, "", hint, sizeof hint));
    }
    return YK_OK;
}
