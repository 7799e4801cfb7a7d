/* The list of backends, from backends.def. */
#include <yoke/rig.h>

#include <string.h>

#define YK_RIG(rig) extern const struct yk_rig_ops yk_rig_##rig;
#include "rig/backends.def"
#undef YK_RIG

const struct yk_rig_ops *const yk_rigs[] = {
#define YK_RIG(rig) &yk_rig_##rig,
#include "rig/backends.def"
#undef YK_RIG
    NULL,
};

const struct yk_rig_ops *yk_rig_find(const char *name)
{
    for (const struct yk_rig_ops *const *rig = yk_rigs; *rig; rig++)
        if (strcmp((*rig)->name, name) == 0)
            return *rig;
    return NULL;
}
