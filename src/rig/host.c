/* Addresses of devices. */
#include "rig/host.h"

#include <arpa/inet.h>

enum yk_status yk_host_address(const char *host, int port, struct sockaddr_in *address, struct yk_err *err)
{
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    if (inet_pton(AF_INET, host, &address->sin_addr) == 1)
        return YK_OK;
    return yk_fail_about(err, YK_E_INPUT, "host", "'%s' is not an IPv4 address, such as " YK_THIS_MACHINE, host);
}

enum yk_status yk_host_check(const char *host, struct yk_err *err)
{
    struct sockaddr_in unused;

    return yk_host_address(yk_host_of(host), 0, &unused, err);
}
