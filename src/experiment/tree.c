/* YAML text to a tree with places, by libfyaml. */
#include "experiment/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libfyaml.h>

/* A file beyond these is not an experiment; the bounds keep aliases of aliases from growing without end. */
enum { DEEPEST = 32, MOST_NODES = 2000000 };

struct conversion {
    struct fy_document *document;
    const char *name;
    size_t nodes;
    struct yk_where at; /* last place seen: where a value without one of its own is said to stand */
};

static enum yk_status convert(struct conversion *c, struct fy_node *from, int depth, struct yk_node **out,
                              struct yk_err *err);

void yk_tree_free(struct yk_node *node)
{
    if (!node)
        return;
    for (size_t i = 0; i < node->count; i++)
        yk_tree_free(node->items[i]);
    free(node->items);
    free(node->key);
    free(node->text);
    free(node);
}

static struct yk_where place(const struct conversion *c, struct fy_node *scalar)
{
    struct fy_token *token = fy_node_get_scalar_token(scalar);
    const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;

    return mark ? (struct yk_where){c->name, mark->line + 1, mark->column + 1} : c->at;
}

static bool append(struct yk_node *node, struct yk_node *item)
{
    /* room for a power of two items: grows when the count reaches one */
    if ((node->count & (node->count - 1)) == 0) {
        struct yk_node **items = realloc(node->items, (node->count ? 2 * node->count : 1) * sizeof(struct yk_node *));

        if (!items)
            return false;
        node->items = items;
    }
    node->items[node->count++] = item;
    return true;
}

static enum yk_status convert_list(struct conversion *c, struct fy_node *from, int depth, struct yk_node *node,
                                   struct yk_err *err)
{
    struct fy_node *item;
    void *iterator = NULL;

    while ((item = fy_node_sequence_iterate(from, &iterator))) {
        struct yk_node *child = NULL;
        enum yk_status st = convert(c, item, depth + 1, &child, err);

        if (st)
            return st;
        if (child->count)
            child->where = child->items[0]->key_where;
        child->key_where = child->where;
        if (!append(node, child)) {
            yk_tree_free(child);
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        }
    }
    return YK_OK;
}

static enum yk_status convert_map(struct conversion *c, struct fy_node *from, int depth, struct yk_node *node,
                                  struct yk_err *err)
{
    struct fy_node_pair *pair;
    void *iterator = NULL;

    while ((pair = fy_node_mapping_iterate(from, &iterator))) {
        struct fy_node *key = fy_node_pair_key(pair);
        struct yk_node *child = NULL;
        enum yk_status st;

        if (!key || fy_node_get_type(key) != FYNT_SCALAR)
            return yk_fail_at(err, YK_E_INPUT, c->at, "a key must be a plain word");
        const struct yk_where at = c->at = place(c, key);
        if ((st = convert(c, fy_node_pair_value(pair), depth + 1, &child, err)))
            return st;
        child->key_where = at;
        size_t length;
        const char *text = fy_node_get_scalar(key, &length);
        if (!(child->key = strndup(text ? text : "", length)) || !append(node, child)) {
            yk_tree_free(child);
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        }
    }
    return YK_OK;
}

static enum yk_status convert(struct conversion *c, struct fy_node *from, int depth, struct yk_node **out,
                              struct yk_err *err)
{
    struct yk_node *node;
    enum yk_status st = YK_OK;

    if (from && fy_node_is_alias(from) && !(from = fy_node_resolve_alias(from)))
        return yk_fail_at(err, YK_E_INPUT, c->at, "alias of an anchor that does not exist");
    if (depth > DEEPEST)
        return yk_fail_at(err, YK_E_INPUT, c->at, "nested deeper than %d levels", DEEPEST);
    if (++c->nodes > MOST_NODES)
        return yk_fail_at(err, YK_E_INPUT, c->at, "more than %d values", MOST_NODES);
    if (!(node = calloc(1, sizeof *node)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    node->where = c->at;
    if (!from || fy_node_get_type(from) == FYNT_SCALAR) {
        size_t length = 0;
        const char *text = from ? fy_node_get_scalar(from, &length) : NULL;

        node->type = YK_SCALAR;
        if (text && length)
            node->where = place(c, from);
        if (!(node->text = strndup(text ? text : "", length)))
            st = yk_fail(err, YK_E_MEMORY, "out of memory");
        else if (strlen(node->text) != length)
            st = yk_fail_at(err, YK_E_INPUT, node->where, "a value must not contain NUL");
    } else if (fy_node_get_type(from) == FYNT_SEQUENCE) {
        node->type = YK_LIST;
        st = convert_list(c, from, depth, node, err);
    } else {
        node->type = YK_MAP;
        st = convert_map(c, from, depth, node, err);
    }
    if (st)
        yk_tree_free(node);
    else
        *out = node;
    return st;
}

/* The first complaint of the YAML parser, with its place. */
static enum yk_status complain(struct fy_diag *diag, const char *name, struct yk_err *err)
{
    void *iterator = NULL;
    struct fy_diag_error *e = fy_diag_errors_iterate(diag, &iterator);

    if (!e)
        return yk_fail_at(err, YK_E_INPUT, (struct yk_where){name, 0, 0}, "not a YAML document");
    return yk_fail_at(err, YK_E_INPUT, (struct yk_where){name, e->line, e->column}, "%s", e->msg);
}

enum yk_status yk_tree_parse(struct yk_node **root, const char *text, size_t size, const char *name, struct yk_err *err)
{
    struct fy_diag_cfg quiet;
    struct fy_diag *diag;
    struct conversion c = {.name = name, .at = {name, 1, 1}};
    enum yk_status st;

    *root = NULL;
    if (memchr(text, 0, size))
        return yk_fail_at(err, YK_E_INPUT, c.at, "contains a NUL byte: not a text file");
    fy_diag_cfg_default(&quiet);
    quiet.fp = NULL;
    if (!(diag = fy_diag_create(&quiet)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    fy_diag_set_collect_errors(diag, true);
    const struct fy_parse_cfg cfg = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_DEFAULT_VERSION_1_2,
                                     .diag = diag};
    c.document = fy_document_build_from_string(&cfg, text, size);
    if (!c.document)
        st = complain(diag, name, err);
    else if (!fy_document_root(c.document) || fy_node_get_type(fy_document_root(c.document)) != FYNT_MAPPING)
        st = yk_fail_at(err, YK_E_INPUT, c.at,
                        "not a map of keys: an experiment file starts with lines such as 'title: ...'");
    else
        st = convert(&c, fy_document_root(c.document), 0, root, err);
    if (c.document)
        fy_document_destroy(c.document);
    fy_diag_destroy(diag);
    return st;
}

struct yk_node *yk_node_get(const struct yk_node *map, const char *key)
{
    for (size_t i = 0; map && map->type == YK_MAP && i < map->count; i++)
        if (strcmp(map->items[i]->key, key) == 0)
            return map->items[i];
    return NULL;
}

const char *yk_node_type_name(const struct yk_node *node)
{
    return (const char *[]){"a single value", "a list", "a map"}[node->type];
}

/* Marks a value and all below it as coming from --set. */
static void set_place(struct yk_node *node, const char *setting)
{
    node->where = node->key_where = (struct yk_where){setting, 0, 0};
    for (size_t i = 0; i < node->count; i++)
        set_place(node->items[i], setting);
}

/* The child of `node` that a path component names, made if a map lacks it. */
static struct yk_node **descend(struct yk_node *node, const char *name, size_t length, const char *setting,
                                struct yk_err *err)
{
    if (node->type == YK_LIST) {
        char *end;
        unsigned long index = strtoul(name, &end, 10);

        if (end == name + length && length && index < node->count)
            return &node->items[index];
        yk_fail(err, YK_E_INPUT, "--set %s: '%.*s' is not an index of the list (0 .. %ld)", setting, (int)length, name,
                (long)node->count - 1);
        return NULL;
    }
    if (node->type != YK_MAP) {
        yk_fail(err, YK_E_INPUT, "--set %s: there is nothing below the value in front of '%.*s'", setting, (int)length,
                name);
        return NULL;
    }
    for (size_t i = 0; i < node->count; i++)
        if (strncmp(node->items[i]->key, name, length) == 0 && node->items[i]->key[length] == 0)
            return &node->items[i];
    struct yk_node *made = calloc(1, sizeof *made);
    if (made && (made->key = strndup(name, length)) && append(node, made)) {
        made->type = YK_MAP;
        set_place(made, setting);
        return &node->items[node->count - 1];
    }
    yk_tree_free(made);
    yk_fail(err, YK_E_MEMORY, "out of memory");
    return NULL;
}

enum yk_status yk_tree_set(struct yk_node *root, const char *setting, struct yk_err *err)
{
    const char *equals = strchr(setting, '=');
    struct yk_node **at = &root, *wrapper = NULL;
    enum yk_status st;
    char *yaml = NULL;

    if (!equals || equals == setting)
        return yk_fail(err, YK_E_INPUT, "--set %s: 'key=value' is wanted, for example time.step=0.01", setting);
    if (asprintf(&yaml, "value: %s\n", equals + 1) < 0)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    st = yk_tree_parse(&wrapper, yaml, strlen(yaml), setting, err);
    free(yaml);
    if (st)
        return yk_fail_within(err, YK_NOWHERE, "--set ");
    if (wrapper->count != 1) {
        yk_tree_free(wrapper);
        return yk_fail(err, YK_E_INPUT, "--set %s: one value is wanted", setting);
    }
    for (const char *name = setting; name < equals;) {
        size_t length = strcspn(name, ".=");

        if (!(at = descend(*at, name, length, setting, err))) {
            yk_tree_free(wrapper);
            return YK_E_INPUT;
        }
        name += length + 1;
    }
    /* put the new value in the place of the old one, under the old key */
    struct yk_node *value = wrapper->items[0], *old = *at;
    wrapper->count = 0;
    yk_tree_free(wrapper);
    free(value->key);
    value->key = old->key;
    old->key = NULL;
    set_place(value, setting);
    yk_tree_free(old);
    *at = value;
    return YK_OK;
}
