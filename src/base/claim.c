/* A claim is a socket with an abstract name: the kernel lets one process have it, and forgets it with the process. */
#include "base/claim.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum yk_status yk_claim_take(struct yk_claim *claim, const char *device, struct yk_err *err)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX}; /* begins with 0: no file */
    const int length = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "yoke-rig %s", device);
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || length >= (int)sizeof name.sun_path - 1) {
        if (fd >= 0)
            close(fd);
        return yk_fail(err, YK_E_IO, "cannot claim %s: %s", device, fd < 0 ? strerror(errno) : "its name is too long");
    }
    if (bind(fd, (const struct sockaddr *)&name,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1) + (socklen_t)length) == 0) {
        *claim = (struct yk_claim){true, fd};
        return YK_OK;
    }
    const int why = errno;

    close(fd);
    if (why == EADDRINUSE)
        return yk_fail(err, YK_E_INPUT,
                       "%s is in use: another run or console on this machine commands it; end that first (`yoke watch` "
                       "lists them)",
                       device);
    return yk_fail(err, YK_E_IO, "cannot claim %s: %s", device, strerror(why));
}

void yk_claim_drop(struct yk_claim *claim)
{
    if (claim->held)
        close(claim->fd);
    *claim = (struct yk_claim){0};
}
