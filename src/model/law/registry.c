/* The list of element laws, from laws.def. */
#include <yoke/law.h>

#include <string.h>

#define YK_LAW(law) extern const struct yk_law_ops yk_law_##law;
#include "laws.def"
#undef YK_LAW

const struct yk_law_ops *const yk_laws[] = {
#define YK_LAW(law) &yk_law_##law,
#include "laws.def"
#undef YK_LAW
    NULL,
};

const struct yk_law_ops *yk_law_find(const char *name)
{
    for (const struct yk_law_ops *const *law = yk_laws; *law; law++)
        if (strcmp((*law)->name, name) == 0)
            return *law;
    return NULL;
}
