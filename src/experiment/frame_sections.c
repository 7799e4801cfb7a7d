/* The sections of the members of a frame. */
#include "experiment/frame_parts.h"

#include <stdlib.h>
#include <string.h>

struct cursor {
    const struct yk_frame_reading *r;
    size_t at;
};

static const char *next_section(void *self)
{
    struct cursor *c = self;

    return c->at < c->r->sections->count ? c->r->sections->items[c->at++]->key : NULL;
}

enum yk_status yk_frame_find_section(const struct yk_frame_reading *r, struct yk_where where, const char *name,
                                     const struct yk_section **section, struct yk_err *err)
{
    char hint[96];

    for (size_t i = 0; i < r->sections->count; i++)
        if (strcmp(r->sections->items[i]->key, name) == 0) {
            *section = &r->section[i];
            return YK_OK;
        }
    return yk_fail_at(err, YK_E_INPUT, where, "there is no section '%s'%s", name,
                      yk_suggest(name, next_section, &(struct cursor){r, 0}, "", hint, sizeof hint));
}

enum yk_status yk_frame_read_sections(struct yk_frame_reading *r, struct yk_err *err)
{
    const struct yk_field_context context = yk_build_context(r->e);
    enum yk_status st;

    if ((st = yk_field_type(r->sections, YK_MAP, "a map of sections", err)))
        return st;
    if (!(r->section = calloc(r->sections->count + 1, sizeof *r->section)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < r->sections->count && !st; i++) {
        const struct yk_node *node = r->sections->items[i];

        if (!(st = yk_field_type(node, YK_MAP, "a section as a map", err)) &&
            !(st = yk_check_name(node, node->key, err)) && !(st = yk_field_known(node, yk_section_params, NULL, err)))
            st = yk_field_settings(node, yk_section_params, &r->section[i], &context, err);
    }
    return st;
}
