/* The list of compensators, from compensators.def, and the rules for overcompensation. */
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

/* docs/theory/delay.md, eq. (18) */
YK_RT double yk_overcompensated_delay(enum yk_overcompensation rule, double delay, double parameter, double dt)
{
    switch (rule) {
    case YK_OVER_BOUND:
        return fmax(delay, parameter);
    case YK_OVER_FACTOR:
        return fmax(parameter, 1) * delay;
    case YK_OVER_STEPS:
        return delay + fmax(parameter, 0) * dt;
    }
    return delay;
}
