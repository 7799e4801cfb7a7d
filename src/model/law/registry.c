/* The list of element laws, from laws.def, and many copies of one at once. */
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

YK_RT void yk_law_forces(const struct yk_law_ops *law, const void *settings, size_t n, const double *committed,
                         const double *d, double h, double *trial, double *f, double *k)
{
    double from[YK_LAW_VARIABLES], to[YK_LAW_VARIABLES], c;

    if (law->forces) {
        law->forces(settings, n, committed, d, h, trial, f, k);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < law->count; j++)
            from[j] = committed[j * n + i];
        f[i] = law->force(settings, from, d[i], 0, h, to);
        if (k)
            law->tangent(settings, from, d[i], 0, h, &k[i], &c);
        for (size_t j = 0; j < law->count; j++)
            trial[j * n + i] = to[j];
    }
}
