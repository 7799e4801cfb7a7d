/* Connections by TCP, or by UDP used as a stream. System calls during a run: recv, send, setsockopt, ppoll.
 *
 * OpenSees and OpenFresco leave Nagle's algorithm on and write two messages before they read. The second one then
 * waits for the acknowledgement of the first, which the receiving kernel delays by 40 ms unless TCP_QUICKACK is set;
 * the option does not last, so it is set again after every receive. */
#include "rig/fresco_socket.h"

#include "base/clock.h"
#include "rig/fresco.h"
#include "rig/host.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    NS_PER_S = 1000000000,
    ASK_AGAIN_NS = 50000000,
    MOST_SHAKEN = 64 /* handshakes and empty datagrams at a time, so that a flood cannot hold the loop */
};

/* Waits until something comes, or can be sent; false: the time is over. */
YK_RT static bool await(int fd, short events, int64_t until_ns)
{
    const int64_t left = until_ns - yk_clock_now_ns();
    const struct timespec wait = {.tv_sec = left / NS_PER_S, .tv_nsec = left % NS_PER_S};

    return left > 0 && ppoll(&(struct pollfd){.fd = fd, .events = events}, 1, &wait, NULL) > 0;
}

/* A dead machine at the other end is noticed within some ten seconds, also when nothing is sent. */
static void tune(const struct yk_stream_socket *s)
{
    static const struct {
        int level, option, value;
    } options[] = {{IPPROTO_TCP, TCP_NODELAY, 1},         {IPPROTO_TCP, TCP_QUICKACK, 1},
                   {SOL_SOCKET, SO_KEEPALIVE, 1},         {IPPROTO_TCP, TCP_KEEPIDLE, 4},
                   {IPPROTO_TCP, TCP_KEEPINTVL, 2},       {IPPROTO_TCP, TCP_KEEPCNT, 3},
                   {IPPROTO_TCP, TCP_USER_TIMEOUT, 10000}};

    for (size_t i = 0; !s->udp && i < sizeof options / sizeof *options; i++)
        setsockopt(s->fd, options[i].level, options[i].option, &options[i].value, sizeof(int));
}

void yk_stream_close(struct yk_stream_socket *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

/* ---- in the loop ---- */

YK_RT size_t yk_stream_receive(struct yk_stream_socket *s, unsigned char *bytes, size_t size, int64_t until_ns)
{
    for (int i = 0; i < MOST_SHAKEN && !s->gone; i++) {
        const ssize_t got = recv(s->fd, bytes, size, MSG_DONTWAIT);

        if (got > 0 && s->udp && s->handshakes && got == 1 && bytes[0] == 'a') {
            send(s->fd, "b", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
            continue;
        }
        if (got > 0) {
            if (!s->udp)
                setsockopt(s->fd, IPPROTO_TCP, TCP_QUICKACK, &(int){1}, sizeof(int));
            return (size_t)got;
        }
        s->gone = got == 0 ? !s->udp : errno != EAGAIN && errno != EINTR;
        if (got < 0 && errno == EAGAIN && !await(s->fd, POLLIN, until_ns))
            return 0;
    }
    return 0;
}

YK_RT size_t yk_stream_send(struct yk_stream_socket *s, const unsigned char *bytes, size_t size, int64_t until_ns)
{
    size_t sent = 0;

    while (sent < size && !s->gone) {
        const size_t left = size - sent, now = s->udp && left > YK_FRESCO_DATAGRAM ? YK_FRESCO_DATAGRAM : left;
        const ssize_t put = send(s->fd, bytes + sent, now, MSG_DONTWAIT | MSG_NOSIGNAL);

        if (put > 0)
            sent += (size_t)put;
        else if (errno == EAGAIN || errno == ENOBUFS) {
            if (!await(s->fd, POLLOUT, until_ns))
                return sent;
        } else if (errno != EINTR)
            s->gone = true;
    }
    return sent;
}

YK_RT bool yk_stream_has_hung_up(const struct yk_stream_socket *s)
{
    struct pollfd p = {.fd = s->fd, .events = POLLRDHUP};

    return s->gone || (!s->udp && ppoll(&p, 1, &(struct timespec){0}, NULL) > 0);
}

/* ---- preparation ---- */

/* UDP: somebody answers the handshake. */
static bool shake_hands(struct yk_stream_socket *s, int64_t until_ns)
{
    for (int64_t now; (now = yk_clock_now_ns()) < until_ns;) {
        unsigned char answer = 0;

        send(s->fd, "a", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (await(s->fd, POLLIN, now + ASK_AGAIN_NS) && recv(s->fd, &answer, 1, MSG_DONTWAIT) == 1 && answer == 'b')
            return true;
        if (answer == 0)
            yk_clock_sleep_until(yk_clock_now_ns() + 1000000); /* refused at once: nobody listens yet */
    }
    return false;
}

/* One attempt by TCP. */
static bool reach(const struct yk_stream_socket *s, const struct sockaddr_in *to, int64_t until_ns)
{
    int error = 0;
    socklen_t length = sizeof error;

    if (connect(s->fd, (const struct sockaddr *)to, sizeof *to) == 0)
        return true;
    return errno == EINPROGRESS && await(s->fd, POLLOUT, until_ns) &&
           getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0;
}

enum yk_status yk_stream_connect(struct yk_stream_socket *s, const char *host, int port, double patience_s,
                                 struct yk_err *err)
{
    const int64_t until = yk_clock_now_ns() + (int64_t)(1e9 * patience_s);
    struct sockaddr_in to;
    enum yk_status st = yk_host_address(host, port, &to, err);
    bool first = true;

    s->gone = false;
    s->fd = -1;
    if (st)
        return st;
    do {
        if (!first)
            yk_clock_sleep_until(yk_clock_now_ns() + ASK_AGAIN_NS / 5);
        first = false;
        if ((s->fd = socket(AF_INET, (s->udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) < 0)
            return yk_fail(err, YK_E_IO, "cannot make a socket: %s", strerror(errno));
        if (reach(s, &to, until) && (!s->udp || !s->handshakes || shake_hands(s, until))) {
            tune(s);
            return YK_OK;
        }
        yk_stream_close(s);
    } while (yk_clock_now_ns() < until);
    return yk_fail(err, YK_E_IO, "nobody answers on %s, port %d (%s), within %g s (patience)", host, port,
                   s->udp ? "UDP" : "TCP", patience_s);
}

enum yk_status yk_stream_listen(int *fd, bool udp, const char *host, int *port, struct yk_err *err)
{
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    enum yk_status st = yk_host_address(host, *port, &address, err);

    *fd = -1;
    if (st)
        return st;
    *fd = socket(AF_INET, (udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*fd >= 0 && setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int)) == 0 &&
        bind(*fd, (const struct sockaddr *)&address, sizeof address) == 0 && (udp || listen(*fd, SOMAXCONN) == 0) &&
        getsockname(*fd, (struct sockaddr *)&address, &length) == 0) {
        const bool chosen = *port == 0;

        *port = ntohs(address.sin_port);
        if (!udp || !chosen)
            return YK_OK;
        close(*fd); /* a socket that chose its port itself would lose it with its first client */
        return yk_stream_listen(fd, udp, host, port, err);
    }
    st = yk_fail(err, YK_E_INPUT, "cannot listen on %s, port %d: %s", host, *port, strerror(errno));
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    return st;
}

int yk_stream_release(struct yk_stream_socket *s)
{
    const int fd = s->fd;
    char byte;

    s->fd = -1;
    if (fd >= 0 && connect(fd, &(struct sockaddr){.sa_family = AF_UNSPEC}, sizeof(struct sockaddr)) == 0)
        while (recv(fd, &byte, 1, MSG_DONTWAIT) >= 0) /* of the client that was served */
            ;
    return fd;
}

void yk_stream_accept(struct yk_stream_socket *s, int *listener, bool udp, int64_t until_ns)
{
    struct sockaddr_in sender;
    socklen_t length = sizeof sender;
    char byte;

    *s = (struct yk_stream_socket){.fd = -1, .udp = udp, .handshakes = true};
    if (!await(*listener, POLLIN, until_ns))
        return;
    if (!udp) {
        s->fd = accept4(*listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    } else if (recvfrom(*listener, &byte, 1, MSG_DONTWAIT | MSG_PEEK, (struct sockaddr *)&sender, &length) >= 0 &&
               connect(*listener, (const struct sockaddr *)&sender, sizeof sender) == 0) {
        s->fd = *listener;
        *listener = -1;
    }
    if (s->fd >= 0)
        tune(s);
}
