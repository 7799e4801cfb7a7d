/* The list of delay estimators, from estimators.def. */
#include <yoke/transfer.h>

#include <string.h>

#define YK_ESTIMATOR(estimator) extern const struct yk_estimator_ops yk_estimator_##estimator;
#include "estimators.def"
#undef YK_ESTIMATOR

const struct yk_estimator_ops *const yk_estimators[] = {
#define YK_ESTIMATOR(estimator) &yk_estimator_##estimator,
#include "estimators.def"
#undef YK_ESTIMATOR
    NULL,
};

const struct yk_estimator_ops *yk_estimator_find(const char *name)
{
    for (const struct yk_estimator_ops *const *ops = yk_estimators; *ops; ops++)
        if (strcmp((*ops)->name, name) == 0)
            return *ops;
    return NULL;
}
