/* Names of roles. */
#include <yoke/role.h>

#include <string.h>

static const char *const roles[YK_ROLES] = {
#define X(id, word, may) word,
    YK_ROLE_LIST(X)
#undef X
};

const char *yk_role_text(enum yk_role role)
{
    return roles[role];
}

enum yk_role yk_role_find(const char *word, size_t length)
{
    for (int i = 0; i < YK_ROLES; i++)
        if (strlen(roles[i]) == length && memcmp(word, roles[i], length) == 0)
            return (enum yk_role)i;
    return YK_ROLE_NONE;
}
