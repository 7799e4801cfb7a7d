/* `transfer: FILE`, or a list of files: sections in separate files, as `yoke identify -o` writes them. The tree has
 * their content instead of their names, with its own places for messages. */
#include "yaml/include.h"

#include "yaml/fields.h"

#include "model/read.h"

#include <stdlib.h>
#include <string.h>

/* What the files of one root have in common. */
struct including {
    const char *directory;
    struct yk_included *included;
    char **text;
};

void yk_included_free(struct yk_included *included)
{
    for (size_t i = 0; i < included->count; i++)
        free(included->paths[i]);
    free(included->paths);
    *included = (struct yk_included){0};
}

/* Keeps the name for as long as the tree lives. */
static const char *keep_path(const struct including *in, const char *name)
{
    struct yk_included *kept = in->included;
    char **more = realloc(kept->paths, (kept->count + 1) * sizeof *more);

    if (!more)
        return NULL;
    kept->paths = more;
    more[kept->count] = yk_field_path(in->directory, name);
    return more[kept->count] ? more[kept->count++] : NULL;
}

/* The text of the recording: as comments, so that it reads as before. */
static bool keep_text(const struct including *in, const char *path, const char *text)
{
    size_t lines = 1;

    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    char *all = malloc(strlen(*in->text) + strlen(path) + strlen(text) + 2 * lines + 16), *out = all;

    if (!all)
        return false;
    out = stpcpy(stpcpy(stpcpy(stpcpy(out, *in->text), "\n# --- "), path), " ---\n");
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const size_t length = strcspn(line, "\n");

        out = stpcpy(out, "# ");
        memcpy(out, line, length);
        out[length] = '\n';
        out[length + 1] = 0;
        out += length + 1;
    }
    free(*in->text);
    *in->text = all;
    return true;
}

/* The section `key` of the file that `name` names. */
static enum yk_status include_file(const struct including *in, const struct yk_node *name, struct yk_node *map,
                                   struct yk_err *err)
{
    struct yk_text text = {0};
    struct yk_node *root = NULL, *section;
    const char *path;
    enum yk_status st;

    if ((st = yk_field_type(name, YK_SCALAR, "the name of a file", err)))
        return st;
    if (!(path = keep_path(in, name->text)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = yk_text_load(&text, path, err))) {
        yk_fail_within(err, name->where, "%s: ", map->key);
        return yk_fail_as(err, YK_E_INPUT);
    }
    if (!(st = yk_tree_parse(&root, text.data, text.size, path, err))) {
        section = yk_node_get(root, map->key);
        if (!section || root->count != 1)
            st = yk_fail_at(err, YK_E_INPUT,
                            root->count ? root->items[section == root->items[0]]->key_where : root->where,
                            "a file that %s names has one section, '%s', and no other", map->key, map->key);
        else if (!(st = yk_field_type(section, YK_MAP, "a map", err)) && !(st = yk_tree_merge(map, section, err)) &&
                 !keep_text(in, path, text.data))
            st = yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    yk_tree_free(root);
    yk_text_free(&text);
    return st;
}

enum yk_status yk_tree_include(struct yk_node *root, const char *key, const char *directory,
                               struct yk_included *included, char **text, struct yk_err *err)
{
    const struct including in = {directory, included, text};
    struct yk_node *names = yk_node_get(root, key), *map;
    enum yk_status st = YK_OK;
    size_t at = 0;

    if (!names || names->type == YK_MAP || (names->type == YK_SCALAR && !*names->text))
        return YK_OK;
    while (root->items[at] != names)
        at++;
    if (!(map = calloc(1, sizeof *map)) || !(map->key = strdup(key))) {
        free(map);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    map->type = YK_MAP;
    map->where = names->where;
    map->key_where = names->key_where;
    if (names->type == YK_SCALAR)
        st = include_file(&in, names, map, err);
    for (size_t i = 0; names->type == YK_LIST && i < names->count && !st; i++)
        st = include_file(&in, names->items[i], map, err);
    root->items[at] = map;
    yk_tree_free(names);
    return st;
}
