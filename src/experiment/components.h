/* One component, read from a map with its `kind` and its settings. */
#ifndef YOKE_EXPERIMENT_COMPONENTS_H
#define YOKE_EXPERIMENT_COMPONENTS_H

#include "experiment/build.h"

/* A component of any family, with the fields that its reader needs. */
struct yk_component_kind {
    const char *name; /* "imc" */
    const struct yk_param *params;
    size_t size;
    enum yk_quantity commanded; /* of an actuator that is not commanded by displacement; YK_NUMBER otherwise */
    void *user;
};
#define YK_COMPONENT_KIND(ops, commanded)                                                                              \
    {                                                                                                                  \
        (ops)->name, (ops)->params, (ops)->size, commanded, (ops)->user                                                \
    }

/* An empty map, for defaults where a section is left out. */
extern const struct yk_node yk_component_nothing;

/* The name in `kind` of an optional map; "none" where there is no map. */
enum yk_status yk_component_name(const struct yk_node *map, const char **name, struct yk_err *err);
/* Settings of a component from its map, malloc'd; `own` are further keys of the map; files are relative to the
 * directory. `kind: none` disables the rest of the map. sense: of the motion that it acts on. */
enum yk_status yk_component_read(const char *directory, enum yk_sense sense, const struct yk_node *map,
                                 const struct yk_component_kind *kind, const struct yk_param *own, void **self,
                                 struct yk_err *err);
/* That of an actuator. */
static inline enum yk_sense yk_component_sense(bool turns)
{
    return turns ? YK_ABOUT : YK_ALONG;
}
/* Refuses a name that is not among those of `next`, with a suggestion. */
enum yk_status yk_component_unknown_name(const struct yk_node *kind, const char *family, const char *(*next)(void *),
                                         void *table, struct yk_err *err);

/* Names of a family, one by one, and its refusal. */
#define YK_COMPONENT_NAMES(family)                                                                                     \
    static const char *next_##family(void *self)                                                                       \
    {                                                                                                                  \
        const struct yk_##family##_ops *const **at = self;                                                             \
                                                                                                                       \
        return **at ? (*(*at)++)->name : NULL;                                                                         \
    }
#define YK_COMPONENT_UNKNOWN(map, family)                                                                              \
    yk_component_unknown_name(yk_node_get(map, "kind"), #family, next_##family,                                        \
                              &(const struct yk_##family##_ops *const *){yk_##family##s}, err)
/* The component that an optional map names, built in or from a plugin; the one called "none" where there is no map. For
 * files that include plugin.h. */
#define YK_COMPONENT_FIND(family)                                                                                      \
    YK_COMPONENT_NAMES(family)                                                                                         \
    static enum yk_status find_##family(const struct yk_model *e, const struct yk_node *map,                           \
                                        const struct yk_##family##_ops **ops, struct yk_err *err)                      \
    {                                                                                                                  \
        const struct yk_node *kind = yk_node_get(map, "kind");                                                         \
        const struct yk_plugin *plugin;                                                                                \
        const char *name;                                                                                              \
        enum yk_status st = yk_component_name(map, &name, err);                                                        \
                                                                                                                       \
        if (!st && yk_is_plugin(kind)) {                                                                               \
            if (!(st = yk_build_plugin(e, kind, map, #family "s", &plugin, err)))                                      \
                *ops = plugin->family;                                                                                 \
        } else if (!st && !(*ops = yk_##family##_find(name)))                                                          \
            st = YK_COMPONENT_UNKNOWN(map, family);                                                                    \
        return st;                                                                                                     \
    }

#endif
