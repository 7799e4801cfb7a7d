/* A claim is a socket with an abstract name: the kernel lets one process have it, and forgets it with the process. */
#include <yoke/claim.h>

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Says who has the name. A name is taken by anybody on this machine, and one device must not have two commanders: it is
 * refused in any case, with the process and the user to be asked. A claim of Yoke listens, so that it can be told from
 * a name that somebody took for another purpose. */
static enum yk_status refuse(const char *device, const struct sockaddr_un *name, socklen_t length, struct yk_err *err)
{
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct ucred holder = {0};
    socklen_t size = sizeof holder;
    const bool known = fd >= 0 && connect(fd, (const struct sockaddr *)name, length) == 0 &&
                       getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &holder, &size) == 0;

    if (fd >= 0)
        close(fd);
    if (!known)
        return yk_fail(err, YK_E_INPUT,
                       "%s is in use: another run or console on this machine commands it, or a process that is neither "
                       "has taken its name (`ss -xlp` lists them); end that first",
                       device);
    return yk_fail(
        err, YK_E_INPUT,
        "%s is in use: another run or console on this machine commands it, process %ld of %s; end that first "
        "(`yoke watch` lists those of this user)",
        device, (long)holder.pid, holder.uid == geteuid() ? "this user" : "another user");
}

enum yk_status yk_claim_take(struct yk_claim *claim, const char *device, struct yk_err *err)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX}; /* begins with 0: no file */
    const int length = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "yoke-rig %s", device);
    const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1) + (socklen_t)length;
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || length >= (int)sizeof name.sun_path - 1) {
        if (fd >= 0)
            close(fd);
        return yk_fail(err, YK_E_IO, "cannot claim %s: %s", device, fd < 0 ? strerror(errno) : "its name is too long");
    }
    if (bind(fd, (const struct sockaddr *)&name, size) == 0 &&
        listen(fd, SOMAXCONN) == 0) { /* nobody is ever answered */
        *claim = (struct yk_claim){true, fd};
        return YK_OK;
    }
    const int why = errno;

    close(fd);
    return why == EADDRINUSE ? refuse(device, &name, size, err)
                             : yk_fail(err, YK_E_IO, "cannot claim %s: %s", device, strerror(why));
}

void yk_claim_drop(struct yk_claim *claim)
{
    if (claim->held)
        close(claim->fd);
    *claim = (struct yk_claim){0};
}
