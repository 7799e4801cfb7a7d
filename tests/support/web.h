/* A browser of the plainest kind: requests as they stand, WebSockets byte by byte, well-formed or not. */
#ifndef YOKE_TEST_WEB_H
#define YOKE_TEST_WEB_H

#include <stdbool.h>
#include <stddef.h>

/* A connection to 127.0.0.1; -1 where nobody listens. Reads give up after 2 s. */
int web_connect(int port);
/* Sends bytes, and returns what comes back until the other side closes; malloc'd. */
char *web_exchange(int port, const void *bytes, size_t size);
/* GET with more header lines ("A: b\r\n"); `Host` is added unless they have one. The status in *status. */
char *web_get(int port, const char *path, const char *headers, int *status);
char *web_post(int port, const char *path, const char *headers, const char *body, int *status);

struct web_socket {
    int fd; /* -1: refused */
    int status;
};
/* A WebSocket: GET with the handshake. */
void web_open(struct web_socket *w, int port, const char *path, const char *headers);
void web_close(struct web_socket *w);
/* A frame: its first byte, its payload, masked as clients must. False where the connection is gone. */
bool web_send(struct web_socket *w, int bits, const void *data, size_t size);
bool web_say(struct web_socket *w, const char *text);
/* The next frame, malloc'd with a zero behind it; NULL after `seconds` or where the connection has ended. */
char *web_hear(struct web_socket *w, int *opcode, size_t *size, double seconds);
/* The next text that contains the words; malloc'd, NULL where none comes. */
char *web_await(struct web_socket *w, const char *words, double seconds);

#endif
