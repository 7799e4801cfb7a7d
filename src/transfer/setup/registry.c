/* The list of setups, from setups.def. */
#include "transfer/setup.h"

#include <string.h>

#define YK_SETUP(setup) extern const struct yk_setup_ops yk_setup_##setup;
#include "setups.def"
#undef YK_SETUP

const struct yk_setup_ops *const yk_setups[] = {
#define YK_SETUP(setup) &yk_setup_##setup,
#include "setups.def"
#undef YK_SETUP
    NULL,
};

const struct yk_setup_ops *yk_setup_find(const char *name)
{
    for (const struct yk_setup_ops *const *setup = yk_setups; *setup; setup++)
        if (strcmp((*setup)->name, name) == 0)
            return *setup;
    return NULL;
}
