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

bool yk_rig_simulates(const struct yk_rig_ops *rig, const void *self)
{
    return rig->can & YK_RIG_SIMULATES || (rig->simulates && rig->simulates(self));
}

const struct yk_rig_ops *yk_rig_find(const char *name)
{
    for (const struct yk_rig_ops *const *rig = yk_rigs; *rig; rig++)
        if (strcmp((*rig)->name, name) == 0)
            return *rig;
    return NULL;
}
