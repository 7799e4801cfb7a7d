/* YAML text to a tree with places, by libfyaml. */
#include <yoke/text.h>
#include <yoke/tree.h>

#include <stdlib.h>
#include <string.h>

#include <libfyaml.h>

/* Deeper or longer than this is not an experiment; and a few bytes of aliases of aliases must not become a flood of
 * values. */
enum { DEEPEST = 32, MOST_ALIASED = 100000, MOST_BYTES = 16 << 20 };

struct conversion {
    const char *name;
    bool placed;        /* lines and columns mean something to the user: a file, not the value of a setting */
    size_t aliases;     /* around the value being converted */
    size_t aliased;     /* values made from aliases so far */
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
    const struct fy_mark *mark = token && c->placed ? fy_token_start_mark(token) : NULL;

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

struct yk_node *yk_tree_copy(const struct yk_node *node)
{
    struct yk_node *copy = calloc(1, sizeof *copy);

    if (!copy)
        return NULL;
    copy->type = node->type;
    copy->where = node->where;
    copy->key_where = node->key_where;
    if ((node->key && !(copy->key = strdup(node->key))) || (node->text && !(copy->text = strdup(node->text))))
        goto fail;
    for (size_t i = 0; i < node->count; i++) {
        struct yk_node *item = yk_tree_copy(node->items[i]);

        if (!item || !append(copy, item)) {
            yk_tree_free(item);
            goto fail;
        }
    }
    return copy;
fail:
    yk_tree_free(copy);
    return NULL;
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

static int by_key(const void *a, const void *b)
{
    const struct yk_node *one = *(struct yk_node *const *)a, *other = *(struct yk_node *const *)b;
    const int order = strcmp(one->key, other->key);

    if (order)
        return order;
    return one->key_where.line != other->key_where.line ? one->key_where.line - other->key_where.line
                                                        : one->key_where.column - other->key_where.column;
}

/* No key twice. By sorting: the YAML library compares each key with each, which takes minutes for a large model. */
static enum yk_status check_keys(const struct yk_node *map, struct yk_err *err)
{
    struct yk_node **sorted = malloc((map->count + 1) * sizeof *sorted);
    enum yk_status st = YK_OK;

    if (!sorted)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (map->count)
        memcpy(sorted, map->items, map->count * sizeof *sorted);
    qsort(sorted, map->count, sizeof *sorted, by_key);
    for (size_t i = 1; i < map->count && !st; i++)
        if (strcmp(sorted[i - 1]->key, sorted[i]->key) == 0)
            st = yk_fail_at(err, YK_E_INPUT, sorted[i]->key_where, "duplicate key '%s'", sorted[i]->key);
    free(sorted);
    return st;
}

/* Escapes such as "\e" make control characters that the file itself does not have: they would reach terminals, and a
 * zero would end the text. */
static enum yk_status check_escapes(const char *text, size_t length, struct yk_where at, struct yk_err *err)
{
    for (const unsigned char *p = (const unsigned char *)text, *end = p + length; p && p < end; p++)
        if ((*p < ' ' && *p != '\t' && *p != '\n' && *p != '\r') || *p == 0x7f ||
            (*p == 0xc2 && p + 1 < end && p[1] < 0xa0))
            return yk_fail_at(err, YK_E_INPUT, at, "control character 0x%02x is not allowed", *p == 0xc2 ? p[1] : *p);
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

        if (!key || fy_node_get_type(key) != FYNT_SCALAR || fy_node_is_alias(key))
            return yk_fail_at(err, YK_E_INPUT, c->at, "a key must be a plain word");
        const struct yk_where at = c->at = place(c, key);
        if ((st = convert(c, fy_node_pair_value(pair), depth + 1, &child, err)))
            return st;
        child->key_where = at;
        size_t length;
        const char *text = fy_node_get_scalar(key, &length);
        if ((st = check_escapes(text, length, at, err))) {
            yk_tree_free(child);
            return st;
        }
        if (!(child->key = strndup(text ? text : "", length)) || !append(node, child)) {
            yk_tree_free(child);
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        }
    }
    return check_keys(node, err);
}

static enum yk_status convert_scalar(struct conversion *c, struct fy_node *from, struct yk_node *node,
                                     struct yk_err *err)
{
    size_t length = 0;
    const char *text = from ? fy_node_get_scalar(from, &length) : NULL;

    if (text && length)
        node->where = place(c, from);
    if (!(node->text = strndup(text ? text : "", length)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    return check_escapes(text, length, node->where, err);
}

static enum yk_status convert_plain(struct conversion *c, struct fy_node *from, int depth, struct yk_node **out,
                                    struct yk_err *err)
{
    struct yk_node *node;
    enum yk_status st;

    if (depth > DEEPEST)
        return yk_fail_at(err, YK_E_INPUT, c->at, "nested deeper than %d levels", DEEPEST);
    if (c->aliases && ++c->aliased > MOST_ALIASED)
        return yk_fail_at(err, YK_E_INPUT, c->at, "aliases make more than %d values", MOST_ALIASED);
    if (!(node = calloc(1, sizeof *node)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    node->where = c->at;
    node->type = !from || fy_node_get_type(from) == FYNT_SCALAR ? YK_SCALAR
                 : fy_node_get_type(from) == FYNT_SEQUENCE      ? YK_LIST
                                                                : YK_MAP;
    st = node->type == YK_SCALAR ? convert_scalar(c, from, node, err)
         : node->type == YK_LIST ? convert_list(c, from, depth, node, err)
                                 : convert_map(c, from, depth, node, err);
    if (st)
        yk_tree_free(node);
    else
        *out = node;
    return st;
}

static enum yk_status convert(struct conversion *c, struct fy_node *from, int depth, struct yk_node **out,
                              struct yk_err *err)
{
    enum yk_status st;

    if (!from || !fy_node_is_alias(from))
        return convert_plain(c, from, depth, out, err);

    struct fy_node *anchored = fy_node_resolve_alias(from);
    if (!anchored) {
        size_t length = 0;
        const char *name = fy_node_get_scalar(from, &length);

        return yk_fail_at(err, YK_E_INPUT, place(c, from), "there is no anchor '%.*s'", (int)length, name ? name : "");
    }
    c->aliases++;
    st = convert(c, anchored, depth + 1, out, err);
    c->aliases--;
    return st;
}

size_t yk_utf8_length(const char *text, const char *end_)
{
    const unsigned char *p = (const unsigned char *)text, *end = (const unsigned char *)end_;
    const size_t length = *p < 0x80 ? 1 : *p < 0xc2 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4 : 0;

    if ((size_t)(end - p) < length)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) || (*p == 0xf0 && p[1] < 0x90) ||
        (*p == 0xf4 && p[1] > 0x8f))
        return 0;
    return length;
}

/* Refuses bytes that are not text before the YAML library sees them: the library accepts control characters, and its
 * messages about invalid UTF-8 say less. */
static enum yk_status check_text(const struct conversion *c, const char *text, size_t size, struct yk_err *err)
{
    const char *end = text + size;
    struct yk_where at = {c->name, c->placed, c->placed};

    for (size_t length; text < end; text += length) {
        const unsigned char byte = (unsigned char)*text;

        length = yk_utf8_length(text, end);
        if (byte == 0)
            return yk_fail_at(err, YK_E_INPUT, at, "a NUL byte: this is not a text file");
        if (length == 0)
            return yk_fail_at(err, YK_E_INPUT, at, "byte 0x%02x is not UTF-8 text", byte);
        if ((byte < ' ' && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7f)
            return yk_fail_at(err, YK_E_INPUT, at, "control character 0x%02x is not allowed", byte);
        if (c->placed) {
            at.column = byte == '\n' ? 1 : at.column + 1;
            at.line += byte == '\n';
        }
    }
    return YK_OK;
}

/* The first complaint of the YAML parser, with its place. */
static enum yk_status complain(const struct conversion *c, struct fy_diag *diag, struct yk_err *err)
{
    void *iterator = NULL;
    const struct fy_diag_error *e = fy_diag_errors_iterate(diag, &iterator);

    if (!e)
        return yk_fail_at(err, YK_E_INPUT, c->at, "this is not YAML");
    return yk_fail_at(err, YK_E_INPUT, (struct yk_where){c->name, c->placed ? e->line : 0, e->column}, "%s", e->msg);
}

/* The one document of the text. */
static enum yk_status convert_only(struct conversion *c, struct fy_parser *parser, struct fy_diag *diag,
                                   struct yk_node **root, struct yk_err *err)
{
    struct fy_document *document = fy_parse_load_document(parser), *second = NULL;
    struct fy_node *top = document ? fy_document_root(document) : NULL;
    enum yk_status st;

    if (fy_diag_got_error(diag))
        st = complain(c, diag, err);
    else if (!top)
        st = yk_fail_at(err, YK_E_INPUT, c->at,
                        "the file is empty: an experiment starts with lines such as 'title: ...'");
    else if (fy_node_get_type(top) != FYNT_MAPPING)
        st = yk_fail_at(
            err, YK_E_INPUT, c->at,
            "a map of keys is expected, but this is %s: an experiment starts with lines such as 'title: ...'",
            fy_node_get_type(top) == FYNT_SEQUENCE ? "a list" : "a single value");
    else if (!(st = convert(c, top, 0, root, err)) &&
             ((second = fy_parse_load_document(parser)) || fy_diag_got_error(diag))) {
        st = second ? yk_fail_at(err, YK_E_INPUT, (struct yk_where){c->name, 0, 0},
                                 "one document is expected: '---' starts a second one")
                    : complain(c, diag, err);
        yk_tree_free(*root);
        *root = NULL;
    }
    fy_parse_document_destroy(parser, second);
    fy_parse_document_destroy(parser, document);
    return st;
}

static enum yk_status parse(struct yk_node **root, const char *text, size_t size, const char *name, bool placed,
                            struct yk_err *err)
{
    struct conversion c = {.name = name, .placed = placed, .at = {name, placed, placed}};
    struct fy_diag_cfg quiet;
    struct fy_parse_cfg cfg = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_DEFAULT_VERSION_1_2 |
                                        FYPCF_ALLOW_DUPLICATE_KEYS};
    struct fy_parser *parser = NULL;
    enum yk_status st;

    *root = NULL;
    if (size > MOST_BYTES)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(name), "larger than %d MiB; put large tables into separate files",
                          MOST_BYTES >> 20);
    if ((st = check_text(&c, text, size, err)))
        return st;
    fy_diag_cfg_default(&quiet);
    quiet.fp = NULL;
    if ((cfg.diag = fy_diag_create(&quiet)))
        fy_diag_set_collect_errors(cfg.diag, true);
    if (!cfg.diag || !(parser = fy_parser_create(&cfg)) || fy_parser_set_string(parser, text, size))
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    else
        st = convert_only(&c, parser, cfg.diag, root, err);
    if (parser)
        fy_parser_destroy(parser);
    if (cfg.diag)
        fy_diag_destroy(cfg.diag);
    return st;
}

enum yk_status yk_tree_parse(struct yk_node **root, const char *text, size_t size, const char *name, struct yk_err *err)
{
    return parse(root, text, size, name, true, err);
}

enum yk_status yk_tree_load(struct yk_node **root, const char *path, struct yk_err *err)
{
    struct yk_text text = {0};
    enum yk_status st = yk_text_load(&text, path, err);

    *root = NULL;
    if (!st)
        st = yk_tree_parse(root, text.data, text.size, path, err);
    yk_text_free(&text);
    return st;
}

struct yk_node *yk_node_get(const struct yk_node *map, const char *key)
{
    for (size_t i = 0; map && map->type == YK_MAP && i < map->count; i++)
        if (strcmp(map->items[i]->key, key) == 0)
            return map->items[i];
    return NULL;
}

enum yk_status yk_tree_merge(struct yk_node *map, struct yk_node *from, struct yk_err *err)
{
    struct yk_node **items = realloc(map->items, (map->count + from->count + 1) * sizeof *items);

    if (!items)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    map->items = items;
    for (size_t i = 0; i < from->count; i++)
        if (yk_node_get(map, from->items[i]->key))
            return yk_fail_at(err, YK_E_INPUT, from->items[i]->key_where, "'%s' is in %s already, by another file",
                              from->items[i]->key, map->key);
    for (size_t i = 0; i < from->count; i++)
        map->items[map->count++] = from->items[i];
    from->count = 0;
    return YK_OK;
}

const char *yk_node_type_name(const struct yk_node *node)
{
    return (const char *[]){"a single value", "a list", "a map"}[node->type];
}

/* Marks a value and all below it as coming from a setting. */
static void set_place(struct yk_node *node, const char *label)
{
    node->where = node->key_where = (struct yk_where){label, 0, 0};
    for (size_t i = 0; i < node->count; i++)
        set_place(node->items[i], label);
}

/* Length of the first component of a path that ends at `end`: up to a dot, or a key of the map that holds dots itself
 * ("n1.x"). */
static size_t component(const struct yk_node *node, const char *path, const char *end)
{
    const char *dot = memchr(path, '.', (size_t)(end - path));
    size_t length = (size_t)((dot ? dot : end) - path);

    for (size_t i = 0; node->type == YK_MAP && i < node->count; i++) {
        const size_t own = strlen(node->items[i]->key);

        if (own > length && own <= (size_t)(end - path) && strncmp(node->items[i]->key, path, own) == 0 &&
            (path + own == end || path[own] == '.'))
            length = own;
    }
    return length;
}

/* An item of a list by its index. */
static struct yk_node **item_of(struct yk_node *list, const char *name, size_t length, const char *label,
                                struct yk_err *err)
{
    size_t index = 0;
    const bool digits = strspn(name, "0123456789") >= length && length < 10;

    for (size_t i = 0; digits && i < length; i++)
        index = 10 * index + (size_t)(name[i] - '0');
    if (digits && index < list->count)
        return &list->items[index];
    if (list->count == 0)
        yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(label), "'%.*s' is not an index of the list: it is empty", (int)length,
                   name);
    else
        yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(label), "'%.*s' is not an index of the list (0 .. %zu)", (int)length,
                   name, list->count - 1);
    return NULL;
}

/* The child of `node` that a path component names, made if a map lacks it. */
static struct yk_node **descend(struct yk_node *node, const char *name, size_t length, const char *label,
                                struct yk_err *err)
{
    struct yk_node *made;

    if (length == 0) {
        yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(label), "there is nothing between the dots");
        return NULL;
    }
    if (node->type == YK_LIST)
        return item_of(node, name, length, label, err);
    if (node->type != YK_MAP) {
        yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(label), "there is nothing below the value in front of '%.*s'",
                   (int)length, name);
        return NULL;
    }
    for (size_t i = 0; i < node->count; i++)
        if (strncmp(node->items[i]->key, name, length) == 0 && node->items[i]->key[length] == 0)
            return &node->items[i];
    made = calloc(1, sizeof *made);
    if (made && (made->key = strndup(name, length)) && append(node, made)) {
        made->type = YK_MAP;
        set_place(made, label);
        return &node->items[node->count - 1];
    }
    yk_tree_free(made);
    yk_fail(err, YK_E_MEMORY, "out of memory");
    return NULL;
}

/* The value of a setting, as a tree without a key. */
static enum yk_status parse_value(struct yk_node **value, const char *text, const char *label, struct yk_err *err)
{
    struct yk_node *wrapper = NULL;
    enum yk_status st;
    char *yaml = NULL;

    *value = NULL;
    if (asprintf(&yaml, "value: %s\n", text) < 0)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    st = parse(&wrapper, yaml, strlen(yaml), label, false, err);
    free(yaml);
    if (st)
        return st;
    if (wrapper->count == 1) {
        *value = wrapper->items[0];
        wrapper->count = 0;
        free((*value)->key);
        (*value)->key = NULL;
    }
    yk_tree_free(wrapper);
    return *value ? YK_OK : yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(label), "one value is expected");
}

enum yk_status yk_tree_set(struct yk_node *root, const char *setting, const char *label, struct yk_err *err)
{
    const char *equals = strchr(setting, '='), *name = setting;
    struct yk_node **at = &root, *value;
    enum yk_status st;

    if (!equals || equals == setting)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(label), "'key=value' is expected, for example time.step=0.01");
    if (strchr(setting, '\n'))
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(label), "one value is expected, on one line");
    if ((st = parse_value(&value, equals + 1, label, err)))
        return st;
    do {
        const size_t length = component(*at, name, equals);

        if (!(at = descend(*at, name, length, label, err))) {
            yk_tree_free(value);
            return err ? err->status : YK_E_INPUT;
        }
        name += length + 1;
    } while (name <= equals);
    /* replace the old value by the new one, under the old key */
    value->key = (*at)->key;
    (*at)->key = NULL;
    set_place(value, label);
    yk_tree_free(*at);
    *at = value;
    return YK_OK;
}
