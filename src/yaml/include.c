/* `transfer: FILE`, or a list of files: sections in separate files, as `yoke identify -o` writes them; also `plant` and
 * `sensors` of a simulated actuator. The tree has their content instead of their names, with its own places for
 * messages. */
#include "yaml/include.h"

#include <yoke/fields.h>

#include "model/read.h"

#include <stdlib.h>
#include <string.h>

/* Context of all files included from one root. */
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

/* Sections that one file may have together: an identified actuator is all of them. */
static bool goes_beside(const char *key, const char *other)
{
    static const char *const actuator[] = {"plant", "sensors", "transfer"};
    int found = 0;

    for (size_t i = 0; i < sizeof actuator / sizeof *actuator; i++)
        found += (strcmp(key, actuator[i]) == 0) + (strcmp(other, actuator[i]) == 0);
    return found == 2 || strcmp(key, other) == 0;
}

/* The first section that does not belong in a file named by `key`; the root where the one of that name is missing. */
static const struct yk_node *foreign_section(const struct yk_node *root, const char *key)
{
    for (size_t i = 0; i < root->count; i++)
        if (!goes_beside(key, root->items[i]->key))
            return root->items[i];
    return yk_node_get(root, key) ? NULL : root;
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
        const struct yk_node *foreign = foreign_section(root, map->key);

        section = yk_node_get(root, map->key);
        if (foreign)
            st = yk_fail_at(err, YK_E_INPUT, foreign == root ? root->where : foreign->key_where,
                            "a file that %s names has one section, '%s'%s", map->key, map->key,
                            goes_beside(map->key, "plant") ? ", or those of an actuator: plant, sensors and transfer"
                                                           : ", and no other");
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
