/* A connection to OpenSees, OpenFresco or UT-SIM: a TCP stream, or UDP used as one. Every wait has a deadline. */
#ifndef YOKE_FRESCO_SOCKET_H
#define YOKE_FRESCO_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yoke/status.h>

/* One connection. `gone`: the other side has closed, or cannot be reached. */
struct yk_stream_socket {
    int fd; /* -1: closed */
    bool udp, gone;
    bool handshakes; /* UDP: a lone 'a' is answered by 'b' */
};

/* Client side: asks until somebody listens, at most patience_s. UDP with `handshakes`: sends 'a' until 'b' comes. */
enum yk_status yk_stream_connect(struct yk_stream_socket *s, const char *host, int port, double patience_s,
                                 struct yk_err *err);
/* Server side. TCP: a socket that listens; *port 0 takes a free one. UDP: the socket that the first datagram goes to.
 */
enum yk_status yk_stream_listen(int *fd, bool udp, const char *host, int *port, struct yk_err *err);
/* The next client, until until_ns; s->fd is -1 if none came. UDP: the socket itself, connected to the sender of the
 * first datagram, which stays to be read; *listener is then -1 until yk_stream_release returns it. */
void yk_stream_accept(struct yk_stream_socket *s, int *listener, bool udp, int64_t until_ns);
int yk_stream_release(struct yk_stream_socket *s);
void yk_stream_close(struct yk_stream_socket *s);

/* At most `size` bytes that have come; waits for the first until until_ns (past: does not wait). 0: none. */
size_t yk_stream_receive(struct yk_stream_socket *s, unsigned char *bytes, size_t size, int64_t until_ns) YK_RT;
/* Sends all of them until until_ns; returns how many were sent. UDP: in datagrams of 9126 bytes. */
size_t yk_stream_send(struct yk_stream_socket *s, const unsigned char *bytes, size_t size, int64_t until_ns) YK_RT;
/* Has the other side closed, whatever it sent before and was not read yet? */
bool yk_stream_has_hung_up(const struct yk_stream_socket *s) YK_RT;

#endif
