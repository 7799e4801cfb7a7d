/* The wire over UDP. System calls while a run goes on: send or sendto, recvfrom, ppoll. */
#include "rig/link.h"

#include <yoke/clock.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { NS_PER_S = 1000000000, MOST_DROPPED = 64 /* in one call, so that a flood cannot hold it */ };

struct udp {
    int fd;
    bool connected;
    struct sockaddr_in sender, peer; /* of the last message; who is sent to */
};

/* A datagram that cannot be sent is a lost one. */
YK_RT static void send_to(struct yk_link *link, const struct yk_message *m, const struct sockaddr_in *to)
{
    const struct udp *u = link->self;
    unsigned char bytes[YK_WIRE_LARGEST];
    const size_t size = yk_message_pack(m, bytes);

    if (u->connected)
        send(u->fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    else if (to->sin_port)
        sendto(u->fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)to, sizeof *to);
    link->counts.sent++;
}

YK_RT static void send_message(struct yk_link *link, const struct yk_message *m)
{
    send_to(link, m, &((const struct udp *)link->self)->peer);
}

static void reply(struct yk_link *link, const struct yk_message *m)
{
    send_to(link, m, &((const struct udp *)link->self)->sender);
}

/* One datagram if there is one: 1 a message, 0 something that is dropped, -1 nothing. */
YK_RT static int take(struct yk_link *link, struct yk_message *m)
{
    struct udp *u = link->self;
    unsigned char bytes[YK_WIRE_LARGEST + 1]; /* one more: what is too long shows */
    socklen_t length = sizeof u->sender;
    const ssize_t size = recvfrom(u->fd, bytes, sizeof bytes, MSG_DONTWAIT, (struct sockaddr *)&u->sender, &length);

    if (size < 0)
        return errno == EAGAIN ? -1 : 0; /* nobody listens there: an error of an earlier send, it does not last */
    switch (yk_message_unpack(bytes, (size_t)size, m)) {
    case YK_FRAME_GOOD:
        link->counts.received++;
        return 1;
    case YK_FRAME_OTHER_VERSION:
        link->counts.other_version++;
        link->counts.version = m->kind;
        return 0;
    case YK_FRAME_FOREIGN:
        link->counts.foreign++;
        return 0;
    case YK_FRAME_DAMAGED:
        break;
    }
    link->counts.damaged++;
    return 0;
}

YK_RT static bool receive(struct yk_link *link, struct yk_message *m, int64_t until_ns)
{
    const struct udp *u = link->self;

    for (int dropped = 0; dropped < MOST_DROPPED;) {
        const int got = take(link, m);

        if (got > 0)
            return true;
        if (got == 0) {
            dropped++;
            continue;
        }
        const int64_t left = until_ns - yk_clock_now_ns();
        if (left <= 0)
            return false;
        const struct timespec wait = {.tv_sec = left / NS_PER_S, .tv_nsec = left % NS_PER_S};
        if (ppoll(&(struct pollfd){.fd = u->fd, .events = POLLIN}, 1, &wait, NULL) < 0 && errno != EINTR)
            return false;
    }
    return false;
}

static void adopt_sender(struct yk_link *link)
{
    struct udp *u = link->self;

    u->peer = u->sender;
}

static void close_link(struct yk_link *link)
{
    const struct udp *u = link->self;

    close(u->fd);
    free(link->self);
    *link = (struct yk_link){0};
}

static const struct yk_link_ops ops = {send_message, receive, reply, adopt_sender, close_link, .exclusive = false};

static enum yk_status open_socket(struct yk_link *link, const char *host, int port, struct sockaddr_in *address,
                                  struct yk_err *err)
{
    struct udp *u = calloc(1, sizeof *u);

    *link = (struct yk_link){.ops = &ops, .self = u};
    if (!u)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    u->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (inet_pton(AF_INET, host, &address->sin_addr) != 1) {
        close_link(link);
        return yk_fail(err, YK_E_INPUT, "'%s' is not an IPv4 address, such as 127.0.0.1", host);
    }
    if (u->fd >= 0)
        return YK_OK;
    close_link(link);
    return yk_fail(err, YK_E_IO, "cannot make a socket: %s", strerror(errno));
}

enum yk_status yk_link_udp_connect(struct yk_link *link, const char *host, int port, struct yk_err *err)
{
    struct sockaddr_in address;
    enum yk_status st = open_socket(link, host, port, &address, err);

    if (st)
        return st;
    struct udp *u = link->self;
    u->connected = true;
    if (connect(u->fd, (const struct sockaddr *)&address, sizeof address) == 0)
        return YK_OK;
    st = yk_fail(err, YK_E_IO, "cannot reach %s, port %d: %s", host, port, strerror(errno));
    close_link(link);
    return st;
}

enum yk_status yk_link_udp_serve(struct yk_link *link, const char *host, int *port, struct yk_err *err)
{
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    enum yk_status st = open_socket(link, host, *port, &address, err);

    if (st)
        return st;
    const struct udp *u = link->self;
    if (bind(u->fd, (const struct sockaddr *)&address, sizeof address) == 0 &&
        getsockname(u->fd, (struct sockaddr *)&address, &length) == 0) {
        *port = ntohs(address.sin_port);
        return YK_OK;
    }
    st = yk_fail(err, YK_E_INPUT, "cannot listen on %s, port %d: %s", host, *port, strerror(errno));
    close_link(link);
    return st;
}
