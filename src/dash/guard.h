/* Who may speak to the dashboard: the token, and the names and origins under which a browser may reach it. */
#ifndef YOKE_DASH_GUARD_H
#define YOKE_DASH_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <yoke/status.h>

enum { YK_TOKEN = 33, YK_GUARD_HOSTS = 16 }; /* 32 hexadecimal digits and the end */

struct yk_guard {
    char token[YK_TOKEN];
    int port;
    bool any_address;                  /* not only on loopback: every IP address is accepted as a host */
    const char *hosts[YK_GUARD_HOSTS]; /* more names of this machine, NULL at the end */
};

/* A new token, from the random numbers of the kernel. */
enum yk_status yk_guard_token(char token[YK_TOKEN], struct yk_err *err);
/* Is the text the token? The time that this takes does not depend on how much of it is right. */
bool yk_guard_admits(const struct yk_guard *guard, const char *text, size_t length);
/* Does a Host header name this server? `NULL`: there is none. Another name may be one that an attacker's name server
 * leads here (DNS rebinding). */
bool yk_guard_is_host(const struct yk_guard *guard, const char *host);
/* Is an Origin header that of a page of this server? NULL: not sent by a browser's page. */
bool yk_guard_is_origin(const struct yk_guard *guard, const char *origin);
/* The value of a cookie in a Cookie header; NULL where there is none. */
const char *yk_guard_cookie(const char *header, const char *name, size_t *length);

#endif
