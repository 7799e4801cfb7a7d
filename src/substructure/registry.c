/* The substructures with their own equations, by name. */
#include <yoke/substructure.h>

#include <string.h>

#define YK_KIND(name) extern const struct yk_kind_ops yk_kind_##name;
#include "substructure/kinds.def"
#undef YK_KIND

const struct yk_kind_ops *const yk_kinds[] = {
#define YK_KIND(name) &yk_kind_##name,
#include "substructure/kinds.def"
#undef YK_KIND
    NULL,
};

const struct yk_kind_ops *yk_kind_find(const char *name)
{
    for (const struct yk_kind_ops *const *k = yk_kinds; *k; k++)
        if (strcmp((*k)->name, name) == 0)
            return *k;
    return NULL;
}
