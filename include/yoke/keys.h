/* The keys of the experiment file as tables, section by section: for programs that describe, complete or check
 * experiment files, as `yoke reference` does. The settings of components (laws, methods, plants, ...) are in
 * yoke/families.h. */
#ifndef YOKE_KEYS_H
#define YOKE_KEYS_H

#include <stddef.h>
#include <yoke/param.h>

struct yk_keys_section {
    const char *title, *text; /* in Markdown: "`time`" */
    const struct yk_param *keys;
};

/* The sections in the order of the reference, before the kinds of models and after them; a title of NULL ends them. */
extern const struct yk_keys_section yk_sections_before[], yk_sections_after[];
/* The sections of the k-th kind of models that a file describes in parts, its own first; *name: "linear", "frame", ...
 * NULL: there are no more. */
const struct yk_keys_section *yk_sections_of_kind(size_t k, const char **name);

#endif
