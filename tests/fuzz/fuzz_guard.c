/* Any headers of a request: only the token opens, only names of this machine and pages of this server pass, and a
 * cookie lies within its header. */
#include "fuzz.h"

#include "dash/guard.h"

#include <strings.h>

static const char token[] = "0123456789abcdef0123456789abcdef";

static bool begins_with_this_machine(const char *host)
{
    static const char *const names[] = {"127.0.0.1:", "localhost:", "[::1]:", NULL};

    for (const char *const *name = names; *name; name++)
        if (strncasecmp(host, *name, strlen(*name)) == 0)
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct yk_guard guard = {.port = 8347};
    char *header = malloc(size + 1); /* of its own size: one byte too far is noticed */
    size_t length = 0;

    fuzz_check(header);
    if (size)
        memcpy(header, data, size);
    header[size] = 0;
    for (int i = 0; i < YK_ROLES; i++) {
        memcpy(guard.tokens[i], token, sizeof token);
        guard.tokens[i][0] = (char)(token[0] + i);
    }
    const size_t used = strlen(header);

    fuzz_check((yk_guard_role(&guard, header, used) == YK_ROLE_VIEWER) == (strcmp(header, token) == 0));
    if (yk_guard_is_host(&guard, header))
        fuzz_check(begins_with_this_machine(header) && strspn(strrchr(header, ':') + 1, "0123456789") >= 4);
    if (yk_guard_is_origin(&guard, header))
        fuzz_check(strncmp(header, "http://", 7) == 0 && yk_guard_is_host(&guard, header + 7));
    const char *value = yk_guard_cookie(header, "yoke-8347", &length);
    if (value)
        fuzz_check(value > header && value + length <= header + used && value[-1] == '=');
    guard.any_address = true;
    if (yk_guard_is_host(&guard, header))
        fuzz_check(strspn(header, "0123456789.:[]abcdefABCDEF%") == used || begins_with_this_machine(header));
    free(header);
    return 0;
}
