/* The wire over UDP. System calls during a run: send or sendto, recvfrom, ppoll. */
#include "rig/link.h"

#include "base/clock.h"
#include "rig/host.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { NS_PER_S = 1000000000, MOST_DROPPED = 64 /* in one call, so that a flood cannot hold it */ };

/* The commanding side has a second socket on the same port. The first is connected, so the kernel gives it nothing but
 * what comes from the peer, and strangers cannot fill its queue; what they send goes to the second, which is only read
 * to count it. */
struct udp {
    int fd, strangers_fd; /* the second: -1 where there is none */
    uint64_t read_of_strangers;
    bool connected;
    struct sockaddr_in sender, peer; /* of the last message; who is sent to */
};

/* A datagram that cannot be sent is a lost one; so is one of `most` bytes or more. */
YK_RT static void send_to(struct yk_link *link, const struct yk_message *m, const struct sockaddr_in *to, size_t most)
{
    const struct udp *u = link->self;
    unsigned char bytes[YK_LINK_LARGEST];
    const size_t size = link->codec.pack ? link->codec.pack(link->codec.self, m, bytes) : yk_message_pack(m, bytes);

    if (!size || size >= most)
        return;
    if (u->connected)
        send(u->fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    else if (to->sin_port)
        sendto(u->fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)to, sizeof *to);
    link->counts.sent++;
}

YK_RT static void send_message(struct yk_link *link, const struct yk_message *m)
{
    send_to(link, m, &((const struct udp *)link->self)->peer, SIZE_MAX);
}

static void reply(struct yk_link *link, const struct yk_message *m)
{
    send_to(link, m, &((const struct udp *)link->self)->sender, SIZE_MAX);
}

/* Lets a run of another version say which one the rig has. Always shorter than what it answers: two rigs cannot keep
 * each other busy, and nobody can be flooded through this one. */
YK_RT static void tell_version(struct yk_link *link, size_t asked_size)
{
    const struct udp *u = link->self;
    const struct yk_message m = yk_refuse(0, YK_REFUSED_SESSION, YK_WIRE_VERSION, "");

    if (!u->connected)
        send_to(link, &m, &u->sender, asked_size);
}

/* Is there a peer, and the sender another address? */
YK_RT static bool is_stranger(const struct udp *u)
{
    return u->peer.sin_port &&
           (u->sender.sin_addr.s_addr != u->peer.sin_addr.s_addr || u->sender.sin_port != u->peer.sin_port);
}

/* One datagram if there is one: 1 a message, 0 something that is dropped, -1 nothing. */
YK_RT static int take(struct yk_link *link, struct yk_message *m)
{
    struct udp *u = link->self;
    unsigned char bytes[YK_LINK_LARGEST + 1]; /* one more: what is too long shows */
    socklen_t length = sizeof u->sender;
    const ssize_t size = recvfrom(u->fd, bytes, sizeof bytes, MSG_DONTWAIT, (struct sockaddr *)&u->sender, &length);

    if (size < 0)
        return errno == EAGAIN ? -1 : 0; /* nobody listens there: an error of an earlier send, it does not last */
    const bool greets = link->codec.is_greeting && link->codec.is_greeting(bytes, (size_t)size);
    if (link->codec.unpack && link->in_session && !greets && is_stranger(u)) { /* it may remember what it unpacks */
        link->counts.strangers++;
        return 0;
    }
    switch (link->codec.unpack ? link->codec.unpack(link->codec.self, bytes, (size_t)size, m)
                               : yk_message_unpack(bytes, (size_t)size, m)) {
    case YK_FRAME_GOOD:
        link->from_stranger = is_stranger(u);
        if (link->from_stranger && (u->connected || m->kind != YK_HELLO)) { /* others may ask for a session */
            link->counts.strangers++;
            return 0;
        }
        link->counts.received++;
        return 1;
    case YK_FRAME_OTHER_VERSION:
        link->counts.other_version++;
        link->counts.version = m->kind;
        tell_version(link, (size_t)size);
        return 0;
    case YK_FRAME_FOREIGN:
        link->counts.foreign++;
        return 0;
    case YK_FRAME_FORGED:
        link->counts.forged++;
        return 0;
    case YK_FRAME_REPLAYED:
        link->counts.replayed++;
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

    if (link->codec.pending && link->codec.pending(link->codec.self, m)) {
        link->from_stranger = false;
        return true;
    }
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
    if (link->codec.adopt)
        link->codec.adopt(link->codec.self);
}

/* Counts the datagrams of strangers: those read, and those that the kernel dropped from a full queue. */
static void update_counts(struct yk_link *link)
{
    enum { MOST = 100000 };
    struct udp *u = link->self;
    uint32_t info[SK_MEMINFO_VARS] = {0};
    socklen_t length = sizeof info;
    char byte;

    if (u->strangers_fd < 0)
        return;
    for (int i = 0; i < MOST && recv(u->strangers_fd, &byte, 1, MSG_DONTWAIT) >= 0; i++)
        u->read_of_strangers++;
    if (getsockopt(u->strangers_fd, SOL_SOCKET, SO_MEMINFO, info, &length))
        info[SK_MEMINFO_DROPS] = 0;
    link->counts.strangers = u->read_of_strangers + info[SK_MEMINFO_DROPS];
}

static void close_link(struct yk_link *link)
{
    const struct udp *u = link->self;

    if (u->strangers_fd >= 0)
        close(u->strangers_fd);
    close(u->fd);
    free(link->self);
    *link = (struct yk_link){0};
}

static const struct yk_link_ops ops = {send_message,  receive,           reply, adopt_sender, close_link,
                                       update_counts, .exclusive = false};

static enum yk_status open_socket(struct yk_link *link, const char *host, int port, struct sockaddr_in *address,
                                  struct yk_err *err)
{
    struct udp *u = calloc(1, sizeof *u);

    *link = (struct yk_link){.ops = &ops, .self = u};
    if (!u)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    u->strangers_fd = -1;
    u->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    enum yk_status st = yk_host_address(host, port, address, err);
    if (!st && u->fd < 0)
        st = yk_fail(err, YK_E_IO, "cannot make a socket: %s", strerror(errno));
    if (st)
        close_link(link);
    return st;
}

/* A socket on a port that two sockets of this user may have; 0: a free one, told in *port. -1: there is none. */
static bool share_port(int fd, in_port_t *port)
{
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = *port};
    socklen_t length = sizeof any;

    if (setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &(int){1}, sizeof(int)) ||
        bind(fd, (const struct sockaddr *)&any, sizeof any) || getsockname(fd, (struct sockaddr *)&any, &length))
        return false;
    *port = any.sin_port;
    return true;
}

enum yk_status yk_link_udp_connect(struct yk_link *link, const char *host, int port, int own_port, struct yk_err *err)
{
    struct sockaddr_in address;
    enum yk_status st = open_socket(link, host, port, &address, err);

    if (st)
        return st;
    struct udp *u = link->self;
    in_port_t own = htons((uint16_t)own_port);
    u->connected = true;
    u->peer = address;
    const bool shared = share_port(u->fd, &own);
    if (own_port && !shared) {
        st = yk_fail(err, YK_E_INPUT, "cannot use port %d of this machine: %s", own_port, strerror(errno));
        close_link(link);
        return st;
    }
    if (connect(u->fd, (const struct sockaddr *)&address, sizeof address) == 0) {
        u->strangers_fd = shared ? socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
        if (u->strangers_fd >= 0 && !share_port(u->strangers_fd, &own)) { /* they are dropped all the same */
            close(u->strangers_fd);
            u->strangers_fd = -1;
        }
        return YK_OK;
    }
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
