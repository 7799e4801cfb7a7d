/* The list of compensators, from compensators.def. */
#include <yoke/transfer.h>

#include <string.h>

#define YK_COMPENSATOR(compensator) extern const struct yk_compensator_ops yk_compensator_##compensator;
#include "compensators.def"
#undef YK_COMPENSATOR

const struct yk_compensator_ops *const yk_compensators[] = {
#define YK_COMPENSATOR(compensator) &yk_compensator_##compensator,
#include "compensators.def"
#undef YK_COMPENSATOR
    NULL,
};

const struct yk_compensator_ops *yk_compensator_find(const char *name)
{
    for (const struct yk_compensator_ops *const *ops = yk_compensators; *ops; ops++)
        if (strcmp((*ops)->name, name) == 0)
            return *ops;
    return NULL;
}
