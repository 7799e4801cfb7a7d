/* Maps with `kind`: compensators, estimators, controllers, plants, backends. */
#include "experiment/components.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct yk_node yk_component_nothing = {.type = YK_MAP};

enum yk_status yk_component_read(const char *directory, enum yk_sense sense, const struct yk_node *map,
                                 const struct yk_component_kind *kind, const struct yk_param *own, void **self,
                                 struct yk_err *err)
{
    const struct yk_field_context context = {
        .directory = directory, .force_means = YK_FORCE, .sense = sense, .commanded = kind->commanded};
    const bool plugin = yk_is_plugin(yk_node_get(map, "kind"));
    enum yk_status st = YK_OK;

    if (strcmp(kind->name, "none") != 0)
        st = yk_build_known(map, plugin ? kind->name : map->key, plugin, own, kind->params, err);
    if (st)
        return st;
    if (!(*self = yk_param_block(kind->size, kind->user)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    return yk_field_settings(map, kind->params, *self, &context, err);
}

enum yk_status yk_component_name(const struct yk_node *map, const char **name, struct yk_err *err)
{
    const struct yk_node *node;
    enum yk_status st;

    *name = "none";
    if (!map)
        return YK_OK;
    if (map->type == YK_SCALAR)
        return yk_fail_at(err, YK_E_INPUT, map->where,
                          "a map is expected for %s, but '%s' is a single value; write %s: "
                          "{ kind: %s }",
                          map->key, map->text, map->key, map->text);
    if ((st = yk_field_type(map, YK_MAP, "a map", err)))
        return st;
    if (!(node = yk_node_get(map, "kind")))
        return yk_fail_at(err, YK_E_INPUT, map->where, "%s needs 'kind'; see `yoke list %ss`", map->key, map->key);
    if ((st = yk_field_type(node, YK_SCALAR, "a name", err)))
        return st;
    *name = node->text;
    return YK_OK;
}

enum yk_status yk_component_unknown_name(const struct yk_node *kind, const char *family, const char *(*next)(void *),
                                         void *table, struct yk_err *err)
{
    char otherwise[64], hint[96];

    snprintf(otherwise, sizeof otherwise, "; see `yoke list %ss`", family);
    return yk_fail_at(err, YK_E_INPUT, kind->where, "there is no %s '%s'%s", family, kind->text,
                      yk_suggest(kind->text, next, table, otherwise, hint, sizeof hint));
}
