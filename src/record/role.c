/* Names of roles. */
#include <yoke/role.h>

#include <string.h>

static const struct {
    const char *word, *may;
} roles[YK_ROLES] = {
#define X(id, word, may) {word, may},
    YK_ROLE_LIST(X)
#undef X
};

const char *yk_role_text(enum yk_role role)
{
    return roles[role].word;
}

const char *yk_role_may(enum yk_role role)
{
    return roles[role].may;
}

enum yk_role yk_role_find(const char *word, size_t length)
{
    for (int i = 0; i < YK_ROLES; i++)
        if (strlen(roles[i].word) == length && memcmp(word, roles[i].word, length) == 0)
            return (enum yk_role)i;
    return YK_ROLE_NONE;
}
