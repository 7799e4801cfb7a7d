/* A YAML file as a tree of maps, lists and scalars with their places in the file. For programs that have files of their
 * own; yoke/fields.h reads numbers with units and settings from it. */
#ifndef YOKE_TREE_H
#define YOKE_TREE_H

#include <yoke/status.h>

enum yk_node_type { YK_SCALAR, YK_LIST, YK_MAP };

struct yk_node {
    enum yk_node_type type;
    char *key;                 /* in a map; NULL otherwise */
    char *text;                /* scalar */
    struct yk_where where;     /* of the value; of the key, or the first item, where the value is a map or list */
    struct yk_where key_where; /* of the key; of the value where there is none */
    size_t count;
    struct yk_node **items;
};

/* Parses YAML text; `name` is used in messages and must outlive the tree. The root must be a map. */
enum yk_status yk_tree_parse(struct yk_node **root, const char *text, size_t size, const char *name,
                             struct yk_err *err);
/* The same of a file, which may be packed by gzip; `path` must outlive the tree. */
enum yk_status yk_tree_load(struct yk_node **root, const char *path, struct yk_err *err);
/* Applies "path.to.key=value" (value in YAML); lists are indexed from 0: "loads.0.amplitude=3". `label` is the place
 * named in messages and must outlive the tree. */
enum yk_status yk_tree_set(struct yk_node *root, const char *setting, const char *label, struct yk_err *err);
/* Moves the entries of another map to `map`; refuses a key that exists already. */
enum yk_status yk_tree_merge(struct yk_node *map, struct yk_node *from, struct yk_err *err);
/* A copy with the same places. NULL: out of memory. */
struct yk_node *yk_tree_copy(const struct yk_node *node);
void yk_tree_free(struct yk_node *node);

/* Length of the UTF-8 character at `text`, 0 where it is none: incomplete, too long a form, a surrogate, beyond
 * U+10FFFF. */
size_t yk_utf8_length(const char *text, const char *end);

struct yk_node *yk_node_get(const struct yk_node *map, const char *key); /* NULL where absent */
const char *yk_node_type_name(const struct yk_node *node);

#endif
