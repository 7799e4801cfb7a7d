/* Token, host, origin. */
#include "guard.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

enum { RANDOM_BYTES = (YK_TOKEN - 1) / 2 };

static enum yk_status draw(char token[YK_TOKEN], struct yk_err *err)
{
    unsigned char bytes[RANDOM_BYTES];

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return yk_fail(err, YK_E_IO, "no random numbers for a token: %s", strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return YK_OK;
}

enum yk_status yk_guard_draw_tokens(struct yk_guard *g, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (int i = 0; i < YK_ROLES && !st; i++)
        st = draw(g->tokens[i], err);
    return st;
}

static bool is_token(const char *token, const char *text, size_t length)
{
    unsigned char differs = length != YK_TOKEN - 1;

    for (size_t i = 0; i < YK_TOKEN - 1; i++)
        differs |= (unsigned char)((unsigned char)token[i] ^ (unsigned char)(i < length ? text[i] : 0));
    return !differs;
}

enum yk_role yk_guard_role(const struct yk_guard *g, const char *text, size_t length)
{
    enum yk_role role = YK_ROLE_NONE;

    for (int i = 0; i < YK_ROLES; i++)
        if (is_token(g->tokens[i], text, length))
            role = (enum yk_role)i;
    return role;
}

/* "127.0.0.1", "[::1]": digits and dots, or anything in brackets that an IPv6 address may have. */
static bool is_address(const char *name, size_t length)
{
    const bool six = length > 2 && name[0] == '[' && name[length - 1] == ']';

    for (size_t i = six; i < length - six; i++)
        if (six ? !isxdigit((unsigned char)name[i]) && !strchr(":.%", name[i])
                : !isdigit((unsigned char)name[i]) && name[i] != '.')
            return false;
    return length > 0;
}

static bool is_name(const char *name, size_t length, const char *known)
{
    return strlen(known) == length && strncasecmp(name, known, length) == 0;
}

/* "name:port" of this server. */
static bool is_server(const struct yk_guard *g, const char *text)
{
    static const char *const loopback[] = {"127.0.0.1", "localhost", "[::1]", NULL};
    const char *colon = strrchr(text, ':'), *bracket = strrchr(text, ']');
    size_t length = strlen(text);
    long port = 80;

    if (colon && (!bracket || bracket < colon)) {
        char *end;

        length = (size_t)(colon - text);
        port = strtol(colon + 1, &end, 10);
        if (*end || !isdigit((unsigned char)colon[1])) /* strtol would take blanks and a sign */
            return false;
    }
    if (port != g->port)
        return false;
    for (const char *const *name = loopback; *name; name++)
        if (is_name(text, length, *name))
            return true;
    for (size_t i = 0; i < YK_GUARD_HOSTS && g->hosts[i]; i++)
        if (is_name(text, length, g->hosts[i]))
            return true;
    return g->any_address && is_address(text, length);
}

bool yk_guard_is_host(const struct yk_guard *g, const char *host)
{
    return host && is_server(g, host);
}

bool yk_guard_is_origin(const struct yk_guard *g, const char *origin)
{
    static const char scheme[] = "http://";

    return !origin || (strncmp(origin, scheme, strlen(scheme)) == 0 && is_server(g, origin + strlen(scheme)));
}

const char *yk_guard_cookie(const char *header, const char *name, size_t *length)
{
    const size_t n = strlen(name);

    for (const char *at = header; at && *at; at = strchr(at, ';') ? strchr(at, ';') + 1 : NULL) {
        while (*at == ' ')
            at++;
        if (strncmp(at, name, n) == 0 && at[n] == '=') {
            *length = strcspn(at + n + 1, "; ");
            return at + n + 1;
        }
    }
    return NULL;
}
