/* Every family of components with its members, as `yoke list` shows them: integrators, couplings, laws, ... The JSON of
 * it is yk_list in yoke/yoke.h. */
#ifndef YOKE_FAMILIES_H
#define YOKE_FAMILIES_H

#include <yoke/coupling.h>

/* A member of any family. */
struct yk_family_entry {
    const char *name, *summary, *reference;
    double order; /* 0 where it has none */
    int stages;   /* 0 where it has none */
    const struct yk_param *params;
    const struct yk_coupling_ops *coupling; /* NULL for others */
};
struct yk_family {
    const char *name;                                        /* "integrators" */
    bool (*at)(size_t index, struct yk_family_entry *entry); /* false: there are no more */
};
extern const struct yk_family yk_families[];              /* name NULL at the end */
const struct yk_family *yk_family_find(const char *name); /* NULL: there is none */
/* "; did you mean 'laws'?" for a word that names none; empty where none is near. */
const char *yk_family_hint(const char *word, char *text, size_t size);

#endif
