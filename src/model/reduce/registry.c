/* The list of reductions, from reductions.def. */
#include <yoke/reduction.h>

#include <string.h>

#define YK_REDUCTION(reduction) extern const struct yk_reduction_ops yk_reduction_##reduction;
#include "reductions.def"
#undef YK_REDUCTION

const struct yk_reduction_ops *const yk_reductions[] = {
#define YK_REDUCTION(reduction) &yk_reduction_##reduction,
#include "reductions.def"
#undef YK_REDUCTION
    NULL,
};

const struct yk_reduction_ops *yk_reduction_find(const char *name)
{
    for (const struct yk_reduction_ops *const *r = yk_reductions; *r; r++)
        if (strcmp((*r)->name, name) == 0)
            return *r;
    return NULL;
}
