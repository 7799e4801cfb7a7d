/* The bridge of `yoke watch` to PlotJuggler: its UDP server takes JSON, one object per datagram, with the time in
 * `timestamp`. {"timestamp": 1.25, "ticks": {"a1.force": 512.3}} */
#include "options.h"
#include "watch.h"

#include <yoke/json.h>

#include <jansson.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    LOOK_US = 5000,
    ROWS = 256,
    DATAGRAM = 60000 /* bytes, at most: UDP ends at 65,507 */
};

struct bridge {
    const struct watched *w;
    int fd;
    double rate, sent_s; /* time of the last row that was sent */
    bool started;
    unsigned long long count, refused;
};

/* "HOST:PORT" or "[::1]:PORT"; -1 after a message. */
static int connect_to(const char *host_port)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_DGRAM};
    struct addrinfo *found = NULL;
    char host[256];
    const char *colon = strrchr(host_port, ':');
    const size_t length = colon ? (size_t)(colon - host_port) : 0;
    const bool brackets = length > 2 && host_port[0] == '[' && host_port[length - 1] == ']';
    int fd = -1, failure;

    if (!length || length >= sizeof host || !colon[1]) {
        yk_misuse(&command_watch, "--plotjuggler '%s' must be HOST:PORT, such as localhost:9870", host_port);
        return -1;
    }
    snprintf(host, sizeof host, "%.*s", (int)(length - 2 * brackets), host_port + brackets);
    if ((failure = getaddrinfo(host, colon + 1, &hints, &found))) {
        fprintf(stderr, "yoke: --plotjuggler %s: %s\n", host_port, gai_strerror(failure));
        return -1;
    }
    for (const struct addrinfo *a = found; a && fd < 0; a = a->ai_next)
        if ((fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, 0)) >= 0 &&
            connect(fd, a->ai_addr, a->ai_addrlen)) {
            close(fd);
            fd = -1;
        }
    freeaddrinfo(found);
    if (fd < 0)
        fprintf(stderr, "yoke: --plotjuggler %s cannot be reached\n", host_port);
    return fd;
}

/* Nobody need listen: what is not taken is counted, and the run does not notice. */
static void send_text(struct bridge *b, json_t *values, double time)
{
    json_t *object = json_pack("{s:f, s:O}", "timestamp", time, b->w->about->streams[b->w->stream].name, values);
    char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;

    if (text && send(b->fd, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        b->refused++;
    free(text);
    json_decref(object);
}

/* A row, in several datagrams if it is long. */
static void send_row(struct bridge *b, const double *row)
{
    const struct yk_stream *s = &b->w->about->streams[b->w->stream];
    json_t *values = json_object();
    size_t bytes = 0;

    for (size_t i = 0; values && i < b->w->count; i++) {
        const struct yk_channel *c = &s->channels[b->w->channels[i]];

        json_object_set_new(values, c->name, yk_json_number(row[b->w->channels[i]]));
        bytes += strlen(c->name) + 32;
        if (bytes > DATAGRAM) {
            send_text(b, values, row[0]);
            json_object_clear(values);
            bytes = 0;
        }
    }
    if (json_object_size(values))
        send_text(b, values, row[0]);
    json_decref(values);
    b->count++;
}

static bool is_due(struct bridge *b, double time)
{
    if (b->started && b->rate > 0 && time >= b->sent_s && time - b->sent_s < 0.999 / b->rate)
        return false;
    b->started = true;
    b->sent_s = time;
    return true;
}

int watch_bridge(const struct watched *watched, const char *host_port, double rate)
{
    struct bridge b = {.w = watched, .fd = connect_to(host_port), .rate = rate};
    const size_t n = watched->about->streams[watched->stream].count;
    double *rows = calloc(ROWS * n, sizeof *rows);
    uint64_t next = yk_telemetry_written(watched->view, watched->stream), lost = 0;
    bool live = b.fd >= 0 && rows;

    if (b.fd < 0 || !rows) {
        free(rows);
        return 2;
    }
    next -= next > 0; /* from the newest row on */
    fprintf(stderr, "sending %zu channels to %s; Ctrl-C ends this, not the run\n", watched->count, host_port);
    while (live && !watch_is_stopped()) {
        size_t got;

        live = yk_telemetry_is_live(watched->view); /* before the rows: what was written before the end is sent */
        /* no more than there can be at once: the memory is of another process, which may count as it likes */
        for (size_t left = yk_telemetry_held(watched->view, watched->stream); left > 0;
             left -= got < left ? got : left) {
            if (!(got = yk_telemetry_rows(watched->view, watched->stream, &next, &lost, rows, ROWS)))
                break;
            for (size_t i = 0; i < got; i++)
                if (is_due(&b, rows[i * n]))
                    send_row(&b, rows + i * n);
        }
        if (live)
            usleep(LOOK_US);
    }
    fprintf(stderr, "%llu rows sent", b.count);
    if (b.refused)
        fprintf(stderr, ", %llu datagrams refused: does PlotJuggler listen there?", b.refused);
    if (lost)
        fprintf(stderr, ", %llu rows lost: this program was too slow", (unsigned long long)lost);
    fputc('\n', stderr);
    close(b.fd);
    free(rows);
    return 0;
}
