/* The integrators by name. */
#include <yoke/integrator.h>

#include <string.h>

#define YK_INTEGRATOR(name) extern const struct yk_integrator_ops yk_integrator_##name;
#include "integrator/integrators.def"
#undef YK_INTEGRATOR

const struct yk_integrator_ops *const yk_integrators[] = {
#define YK_INTEGRATOR(name) &yk_integrator_##name,
#include "integrator/integrators.def"
#undef YK_INTEGRATOR
    NULL,
};

const struct yk_integrator_ops *yk_integrator_find(const char *name)
{
    for (const struct yk_integrator_ops *const *i = yk_integrators; *i; i++)
        if (strcmp((*i)->name, name) == 0)
            return *i;
    return NULL;
}
