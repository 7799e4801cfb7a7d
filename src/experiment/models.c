/* The kinds of models that a file describes in parts, by name. */
#include "experiment/build.h"

#include <string.h>

#define YK_MODEL(name) extern const struct yk_builder_ops yk_builder_##name;
#include "experiment/models.def"
#undef YK_MODEL

const struct yk_builder_ops *const yk_builders[] = {
#define YK_MODEL(name) &yk_builder_##name,
#include "experiment/models.def"
#undef YK_MODEL
    NULL,
};

const struct yk_builder_ops *yk_builder_find(const char *name)
{
    for (const struct yk_builder_ops *const *m = yk_builders; *m; m++)
        if (strcmp((*m)->name, name) == 0)
            return *m;
    return NULL;
}

const struct yk_keys_section *yk_sections_of_kind(size_t k, const char **name)
{
    *name = yk_builders[k] ? yk_builders[k]->name : NULL;
    return *name ? yk_builders[k]->sections : NULL;
}
