/* Who may speak to the dashboard: the token, and the names and origins under which a browser may reach it. */
#ifndef YOKE_DASH_GUARD_H
#define YOKE_DASH_GUARD_H

#include <yoke/role.h>
#include <yoke/status.h>

#include <stdbool.h>
#include <stddef.h>

enum { YK_TOKEN = 33, YK_GUARD_HOSTS = 16 }; /* 32 hexadecimal digits and the end */

struct yk_guard {
    char tokens[YK_ROLES][YK_TOKEN]; /* one for each role */
    int port;
    bool any_address;                  /* not only on loopback: every IP address is accepted as a host */
    const char *hosts[YK_GUARD_HOSTS]; /* more names of this machine, NULL at the end */
};

/* New tokens, from the random numbers of the kernel. */
enum yk_status yk_guard_draw_tokens(struct yk_guard *guard, struct yk_err *err);
/* The role whose token the text is; YK_ROLE_NONE: of none. The time that this takes does not depend on how much of it
 * is right. */
enum yk_role yk_guard_role(const struct yk_guard *guard, const char *text, size_t length);
/* Does a Host header name this server? `NULL`: there is none. Another name may be one that an attacker's name server
 * leads here (DNS rebinding). */
bool yk_guard_is_host(const struct yk_guard *guard, const char *host);
/* Is an Origin header that of a page of this server? NULL: not sent by a browser's page. */
bool yk_guard_is_origin(const struct yk_guard *guard, const char *origin);
/* The value of a cookie in a Cookie header; NULL where there is none. */
const char *yk_guard_cookie(const char *header, const char *name, size_t *length);

#endif
