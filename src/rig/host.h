/* Addresses of devices in the settings of a backend. */
#ifndef YOKE_RIG_HOST_H
#define YOKE_RIG_HOST_H

#include <netinet/in.h>
#include <yoke/status.h>

#define YK_THIS_MACHINE "127.0.0.1"
/* Host of a setting; NULL (left out): this machine. */
static inline const char *yk_host_of(const char *host)
{
    return host ? host : YK_THIS_MACHINE;
}
enum yk_status yk_host_address(const char *host, int port, struct sockaddr_in *address, struct yk_err *err);
/* Is it an address? NULL: this machine. */
enum yk_status yk_host_check(const char *host, struct yk_err *err);

#endif
