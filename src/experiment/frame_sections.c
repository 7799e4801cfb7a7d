/* The sections of the members of a frame, and the laws of fibres and hinges. */
#include "experiment/frame_parts.h"

#include <stdlib.h>
#include <string.h>

struct cursor {
    const struct yk_node *map;
    size_t at;
};

static const char *next_key(void *self)
{
    struct cursor *c = self;

    return c->map && c->at < c->map->count ? c->map->items[c->at++]->key : NULL;
}

enum yk_status yk_frame_find_named(const struct yk_node *map, struct yk_where where, const char *what, const char *name,
                                   const struct yk_node **entry, struct yk_err *err)
{
    char hint[96];

    if (map && (*entry = yk_node_get(map, name)))
        return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, where, "there is no %s '%s'%s", what, name,
                      yk_suggest(name, next_key, &(struct cursor){map, 0}, "", hint, sizeof hint));
}

enum yk_status yk_frame_find_section(const struct yk_frame_reading *r, struct yk_where where, const char *name,
                                     const struct yk_frame_section **section, struct yk_err *err)
{
    const struct yk_node *map;
    enum yk_status st = yk_frame_find_named(r->sections, where, "section", name, &map, err);

    for (size_t i = 0; !st && i < r->sections->count; i++)
        if (r->sections->items[i] == map)
            *section = &r->section[i];
    return st;
}

/* ---- laws of fibres and hinges --------------------------------------------------------------------------------- */

enum yk_status yk_frame_read_law(const struct yk_frame_reading *r, const struct yk_node *map, const char *what,
                                 enum yk_sense sense, struct yk_frame_law *law, struct yk_err *err)
{
    static const struct yk_param kind[] = {YK_NODE("kind", "name of a law, or plugin", YK_REQUIRED, ""), YK_PARAM_END};

    char wanted[40];
    enum yk_status st;

    snprintf(wanted, sizeof wanted, "%s as a map", what);
    if ((st = yk_field_type(map, YK_MAP, wanted, err)) || (st = yk_build_find_law(r->e, map, kind, &law->ops, err)))
        return st;
    if (law->ops->rate)
        return yk_fail_at(err, YK_E_INPUT, yk_node_get(map, "kind")->where,
                          "'%s' cannot be the law of %s: its force depends on the rate of deformation; put it "
                          "between nodes, under `elements`",
                          law->ops->name, what);
    return yk_build_law_settings(r->e, map, law->ops, sense, &law->settings, err);
}

void yk_frame_free_law(struct yk_frame_law *law)
{
    if (law->settings)
        yk_param_free(law->ops->params, law->settings);
    free(law->settings);
    *law = (struct yk_frame_law){0};
}

/* ---- sections -------------------------------------------------------------------------------------------------- */

static enum yk_status read_section(const struct yk_frame_reading *r, const struct yk_node *map,
                                   struct yk_frame_section *section, struct yk_err *err)
{
    const struct yk_field_context context = yk_build_context(r->e);
    enum yk_status st;

    if ((st = yk_field_type(map, YK_MAP, "a section as a map", err)) || (st = yk_check_name(map, map->key, err)))
        return st;
    if (yk_node_get(map, "fibres"))
        return yk_frame_read_fibres(r, map, section, err);
    if ((st = yk_field_known(map, yk_section_params, NULL, err)))
        return st;
    return yk_field_settings(map, yk_section_params, &section->elastic, &context, err);
}

enum yk_status yk_frame_read_sections(struct yk_frame_reading *r, struct yk_err *err)
{
    enum yk_status st;

    if ((st = yk_field_type(r->sections, YK_MAP, "a map of sections", err)))
        return st;
    if (!(r->section = calloc(r->sections->count + 1, sizeof *r->section)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < r->sections->count && !st; i++)
        st = read_section(r, r->sections->items[i], &r->section[i], err);
    return st;
}

enum yk_status yk_frame_finish_sections(struct yk_frame_reading *r, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < r->sections->count && !st; i++)
        if (r->section[i].fibres)
            st = yk_frame_finish_fibres(r, r->sections->items[i], &r->section[i], err);
    return st;
}

void yk_frame_name_sections(const struct yk_frame_reading *r, struct yk_named_sections *named)
{
    named->items = calloc(r->sections->count + 1, sizeof *named->items);
    for (size_t i = 0; named->items && i < r->sections->count; i++) {
        struct yk_named_section *x = &named->items[named->count];

        if (!r->section[i].fibres || !(x->name = strdup(r->sections->items[i]->key)))
            continue;
        x->fibres = yk_fibre_section_share(r->section[i].fibres);
        named->count++;
    }
}

void yk_frame_free_sections(struct yk_frame_reading *r)
{
    for (size_t i = 0; r->section && i < r->sections->count; i++)
        yk_fibre_section_release(r->section[i].fibres);
    free(r->section);
}
