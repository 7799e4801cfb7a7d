/* The kinds of models that a file describes in parts, by name. */
#include "experiment/build.h"

#include <string.h>

#define YK_MODEL(name) extern const struct yk_model_ops yk_model_##name;
#include "experiment/models.def"
#undef YK_MODEL

const struct yk_model_ops *const yk_models[] = {
#define YK_MODEL(name) &yk_model_##name,
#include "experiment/models.def"
#undef YK_MODEL
    NULL,
};

const struct yk_model_ops *yk_model_find(const char *name)
{
    for (const struct yk_model_ops *const *m = yk_models; *m; m++)
        if (strcmp((*m)->name, name) == 0)
            return *m;
    return NULL;
}
