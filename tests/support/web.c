#include "support/web.h"
#include "support/patience.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int web_connect(int port)
{
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct timeval limit = {.tv_sec = (time_t)(20 * patience())};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (connect(fd, (const struct sockaddr *)&to, sizeof to) == 0)
        return fd;
    close(fd);
    return -1;
}

static bool write_all(int fd, const void *bytes, size_t size)
{
    const char *at = bytes;

    while (size) {
        const ssize_t n = send(fd, at, size, MSG_NOSIGNAL);

        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

char *web_exchange(int port, const void *bytes, size_t size)
{
    const int fd = web_connect(port);
    size_t used = 0, room = 1 << 16;
    char *answer = calloc(1, room + 1);
    ssize_t n;

    if (fd >= 0 && answer) {
        write_all(fd, bytes, size);
        shutdown(fd, SHUT_WR);
        while ((n = recv(fd, answer + used, room - used, 0)) > 0) {
            used += (size_t)n;
            if (used == room) {
                char *larger = realloc(answer, 2 * room + 1);

                if (!larger)
                    break;
                answer = larger;
                room *= 2;
            }
        }
        answer[used] = 0;
    }
    if (fd >= 0)
        close(fd);
    return answer;
}

static char *request(int port, const char *method, const char *path, const char *headers, const char *body, int *status)
{
    const char *more = headers ? headers : "";
    char *text = NULL, host[64] = "", *answer;

    if (!strstr(more, "Host:"))
        snprintf(host, sizeof host, "Host: 127.0.0.1:%d\r\n", port);
    if (asprintf(&text, "%s %s HTTP/1.1\r\n%s%sContent-Length: %zu\r\n\r\n%s", method, path, host, more, strlen(body),
                 body) < 0)
        return NULL;
    answer = web_exchange(port, text, strlen(text));
    free(text);
    *status = 0;
    if (answer && strncmp(answer, "HTTP/1.1 ", 9) == 0)
        *status = atoi(answer + 9);
    return answer;
}

char *web_get(int port, const char *path, const char *headers, int *status)
{
    return request(port, "GET", path, headers, "", status);
}

char *web_post(int port, const char *path, const char *headers, const char *body, int *status)
{
    return request(port, "POST", path, headers, body, status);
}

/* ---- WebSockets ---- */

void web_open(struct web_socket *w, int port, const char *path, const char *headers)
{
    const char *more = headers ? headers : "";
    char text[2048], host[64] = "", answer[2048] = "";
    size_t used = 0;

    *w = (struct web_socket){.fd = web_connect(port)};
    if (w->fd < 0)
        return;
    if (!strstr(more, "Host:"))
        snprintf(host, sizeof host, "Host: 127.0.0.1:%d\r\n", port);
    snprintf(text, sizeof text,
             "GET %s HTTP/1.1\r\n%s%sUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: "
             "dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
             path, host, more);
    write_all(w->fd, text, strlen(text));
    while (used + 1 < sizeof answer && !strstr(answer, "\r\n\r\n") && recv(w->fd, answer + used, 1, 0) == 1)
        answer[++used] = 0;
    if (strncmp(answer, "HTTP/1.1 ", 9) == 0)
        w->status = atoi(answer + 9);
    if (w->status != 101)
        web_close(w);
}

void web_close(struct web_socket *w)
{
    if (w->fd >= 0)
        close(w->fd);
    w->fd = -1;
}

bool web_send(struct web_socket *w, int bits, const void *data, size_t size)
{
    static const unsigned char mask[4] = {0x12, 0x34, 0x56, 0x78};
    unsigned char head[14] = {(unsigned char)bits};
    size_t n = 2;
    unsigned char *masked = malloc(size + 1);
    bool good;

    if (size < 126) {
        head[1] = (unsigned char)(0x80 | size);
    } else if (size < 65536) {
        head[1] = 0x80 | 126;
        head[2] = (unsigned char)(size >> 8);
        head[3] = (unsigned char)size;
        n = 4;
    } else {
        head[1] = 0x80 | 127;
        for (int i = 0; i < 8; i++)
            head[2 + i] = (unsigned char)((uint64_t)size >> (56 - 8 * i));
        n = 10;
    }
    memcpy(head + n, mask, sizeof mask);
    for (size_t i = 0; masked && i < size; i++)
        masked[i] = ((const unsigned char *)data)[i] ^ mask[i % 4];
    good = masked && w->fd >= 0 && write_all(w->fd, head, n + 4) && write_all(w->fd, masked, size);
    free(masked);
    return good;
}

bool web_say(struct web_socket *w, const char *text)
{
    return web_send(w, 0x81, text, strlen(text));
}

static bool read_all(int fd, void *to, size_t size, double until)
{
    char *at = to;

    while (size) {
        struct pollfd p = {fd, POLLIN, 0};
        const double left = until - now_s();
        ssize_t n;

        if (left <= 0 || poll(&p, 1, (int)(1000 * left) + 1) <= 0)
            return false;
        if ((n = recv(fd, at, size, 0)) <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

char *web_hear(struct web_socket *w, int *opcode, size_t *size, double seconds)
{
    const double until = now_s() + seconds * patience();
    unsigned char head[2], more[8];
    uint64_t length;
    char *data;

    if (w->fd < 0 || !read_all(w->fd, head, 2, until))
        return NULL;
    *opcode = head[0] & 0x0f;
    length = head[1] & 0x7f;
    if (length >= 126) {
        const int n = length == 126 ? 2 : 8;

        if (!read_all(w->fd, more, (size_t)n, until))
            return NULL;
        length = 0;
        for (int i = 0; i < n; i++)
            length = length << 8 | more[i];
    }
    if (length > 1u << 30 || !(data = malloc(length + 1)))
        return NULL;
    data[length] = 0;
    *size = (size_t)length;
    if (read_all(w->fd, data, *size, until + 1))
        return data;
    free(data);
    return NULL;
}

char *web_await(struct web_socket *w, const char *words, double seconds)
{
    const double until = now_s() + seconds * patience();
    int opcode;
    size_t size;
    char *data;

    while (now_s() < until && (data = web_hear(w, &opcode, &size, seconds))) {
        if (opcode == 1 && strstr(data, words))
            return data;
        free(data);
    }
    return NULL;
}
