/* A law and its settings: of an element between degrees of freedom, a hinge or a fibre. */
#include "experiment/build.h"

#include <yoke/plugin.h>

#include <stdlib.h>

static const char *next_law(void *self)
{
    const struct yk_law_ops *const **at = self;

    return **at ? (*(*at)++)->name : NULL;
}

static enum yk_status find(const struct yk_model *e, const struct yk_node *map, const struct yk_node *kind,
                           const struct yk_law_ops **law, struct yk_err *err)
{
    const struct yk_law_ops *const *cursor = yk_laws;
    const struct yk_plugin *plugin;
    enum yk_status st;
    char hint[96];

    if (yk_is_plugin(kind)) {
        if (!(st = yk_build_plugin(e, kind, map, "laws", &plugin, err)))
            *law = plugin->law;
        return st;
    }
    if ((*law = yk_law_find(kind->text)))
        return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, kind->where, "there is no element law '%s'%s", kind->text,
                      yk_suggest(kind->text, next_law, &cursor, "; see `yoke list laws`", hint, sizeof hint));
}

enum yk_status yk_build_find_law(const struct yk_model *e, const struct yk_node *map, const struct yk_param *keys,
                                 const struct yk_law_ops **law, struct yk_err *err)
{
    const struct yk_node *kind = yk_node_get(map, "kind");
    enum yk_status st;

    if (!kind)
        return yk_fail_at(err, YK_E_INPUT, map->where, "missing 'kind': the law of the element, see `yoke list laws`");
    if ((st = yk_field_type(kind, YK_SCALAR, "the name of a law", err)) || (st = find(e, map, kind, law, err)))
        return st;
    return yk_build_known(map, (*law)->name, yk_is_plugin(kind), (*law)->params, keys, err);
}

enum yk_status yk_build_law_settings(const struct yk_model *e, const struct yk_node *map, const struct yk_law_ops *law,
                                     enum yk_sense sense, void **settings, struct yk_err *err)
{
    struct yk_field_context context = yk_build_context(e);
    enum yk_status st;

    context.sense = sense;
    if (!(*settings = yk_param_block(law->settings_size, law->user)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = yk_field_settings(map, law->params, *settings, &context, err)))
        return st;
    if (!law->prepare)
        return YK_OK;
    if ((st = law->prepare(*settings, err)))
        yk_fail_within(err, map->where, "%s", "");
    yk_param_free(law->params, *settings); /* lists, of which it has taken what it needs */
    return st;
}
