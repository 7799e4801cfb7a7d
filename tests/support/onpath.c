#include "support/onpath.h"

#include "support/check.h"
#include "support/random.h"

#include "base/clock.h"
#include "rig/message.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define MS INT64_C(1000000)

const char *const onpath_names[ONPATH_KINDS] = {"drops", "replays", "reorders", "delays", "forges"};

static struct sockaddr_in local(int port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static size_t below(struct onpath *o, size_t bound)
{
    return random_below(&o->random, bound);
}

static void send_bytes(struct onpath *o, bool to_rig, const unsigned char *bytes, size_t size)
{
    const struct sockaddr_in to = to_rig ? local(atomic_load(&o->rig_port)) : o->run;

    if (to.sin_port)
        sendto(to_rig ? o->rig_fd : o->run_fd, bytes, size, MSG_DONTWAIT, (const struct sockaddr *)&to, sizeof to);
}

static void pass_on(struct onpath *o, const struct onpath_datagram *d)
{
    send_bytes(o, d->to_rig, d->bytes, d->size);
    atomic_fetch_add(&o->passed, 1);
}

static void send_own(struct onpath *o, bool to_rig, const unsigned char *bytes, size_t size)
{
    send_bytes(o, to_rig, bytes, size);
    atomic_fetch_add(&o->sent, 1);
}

/* Greetings have a place of their own: what begins a session is what he would like best. */
static void keep(struct onpath *o, const struct onpath_datagram *d)
{
    struct onpath_store *s = &o->kept[d->size > 2 && d->bytes[2] == 'H'];

    s->last = s->count < ONPATH_KEPT ? s->count : below(o, ONPATH_KEPT);
    s->count += s->last == s->count;
    s->datagrams[s->last] = *d;
}

/* Any of all sessions, or the last one: a greeting every third time. */
static const struct onpath_datagram *any_kept(struct onpath *o)
{
    const struct onpath_store *s = &o->kept[below(o, 3) == 0];

    return s->count ? &s->datagrams[below(o, 4) ? below(o, s->count) : s->last] : NULL;
}

/* ---- what he does beside passing on ---- */

static void replay(struct onpath *o)
{
    const struct onpath_datagram *d = any_kept(o);

    if (d)
        send_own(o, d->to_rig, d->bytes, d->size);
}

/* Without a seal: the messages of a wire that has no key. */
static size_t invent_message(struct onpath *o, unsigned char *bytes)
{
    struct yk_message m = {.kind = YK_HELLO + (uint32_t)below(o, YK_MESSAGE_KINDS - YK_HELLO),
                           .session = (uint32_t)below(o, 4),
                           .sequence = below(o, 1000),
                           .answers = below(o, 1000),
                           .count = (uint32_t)below(o, 12)};

    for (uint32_t i = 0; i < m.count; i++)
        m.values[i] = random_value(&o->random);
    return yk_message_pack(&m, bytes);
}

static size_t invent(struct onpath *o, unsigned char *bytes)
{
    size_t size = 1 + below(o, 300);

    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)random_bits(&o->random);
    if (below(o, 4) && size > 3)
        memcpy(bytes, below(o, 2) ? "YSH" : "YSD", 3);
    return size;
}

static void forge(struct onpath *o)
{
    const struct onpath_datagram *d = any_kept(o);
    unsigned char bytes[ONPATH_LARGEST + 64] = {0};

    if (!d)
        return;
    size_t size = d->size;
    bool to_rig = d->to_rig;
    memcpy(bytes, d->bytes, size);
    switch (below(o, 7)) {
    case 0: /* a bit, seal included */
        bytes[below(o, size)] ^= (unsigned char)(1u << below(o, 8));
        break;
    case 1: /* the number of a datagram of the session: the next ones */
        bytes[3 + below(o, 8)]++;
        break;
    case 2:
        size = below(o, size) + 1;
        size -= size == d->size;
        break;
    case 3:
        size += 1 + below(o, 64);
        break;
    case 4: /* back to its sender */
        to_rig = !to_rig;
        break;
    case 5:
        size = invent(o, bytes);
        break;
    default:
        size = invent_message(o, bytes);
    }
    if (size)
        send_own(o, to_rig, bytes, size);
}

/* ---- datagrams that wait ---- */

static void hold(struct onpath *o, const struct onpath_datagram *d, int64_t due_ns)
{
    if (o->held_count == ONPATH_HELD) /* lost */
        return;
    o->held[o->held_count] = *d;
    o->held[o->held_count++].due_ns = due_ns;
}

static void release(struct onpath *o, size_t i)
{
    pass_on(o, &o->held[i]);
    o->held[i] = o->held[--o->held_count];
}

static void release_due(struct onpath *o, int64_t now)
{
    for (size_t i = 0; i < o->held_count;)
        if (o->held[i].due_ns <= now)
            release(o, i);
        else
            i++;
}

static void act(struct onpath *o, const struct onpath_datagram *d, int64_t now)
{
    switch (o->kind) {
    case ONPATH_DROPS:
        if (o->dark_until_ns <= now && below(o, 200) == 0)
            o->dark_until_ns = now + 50 * MS;
        if (now >= o->dark_until_ns && below(o, 2))
            pass_on(o, d);
        break;
    case ONPATH_REORDERS:
        hold(o, d, INT64_MAX);
        if (o->held_count > 8 || below(o, 4) == 0)
            release(o, below(o, o->held_count));
        break;
    case ONPATH_DELAYS:
        if (o->dark_until_ns + 700 * MS <= now && below(o, 100) == 0)
            o->dark_until_ns = now + 300 * MS;
        hold(o, d,
             below(o, 50) == 0        ? now + (int64_t)below(o, 4000) * MS
             : now < o->dark_until_ns ? o->dark_until_ns
                                      : now + (int64_t)below(o, 20000) * 1000);
        break;
    default:
        pass_on(o, d);
        for (int i = 0; i < 3; i++)
            (o->kind == ONPATH_REPLAYS ? replay : forge)(o);
    }
}

/* Beside what comes: he does not need anybody to speak. */
static void idle(struct onpath *o, int64_t now)
{
    release_due(o, now);
    if (o->kind == ONPATH_REORDERS && o->held_count)
        release(o, below(o, o->held_count));
    if (o->kind == ONPATH_REPLAYS)
        replay(o);
    if (o->kind == ONPATH_FORGES)
        forge(o);
}

static void take(struct onpath *o, bool from_run)
{
    struct onpath_datagram d = {.to_rig = from_run};
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    const ssize_t size = recvfrom(from_run ? o->run_fd : o->rig_fd, d.bytes, sizeof d.bytes, MSG_DONTWAIT,
                                  (struct sockaddr *)&from, &length);

    if (size <= 0)
        return;
    d.size = (size_t)size;
    atomic_fetch_add(&o->seen, 1);
    if (from_run)
        o->run = from;
    if (from_run && atomic_load(&o->mute))
        return;
    keep(o, &d);
    if (atomic_load(&o->acts))
        act(o, &d, yk_clock_now_ns());
    else
        pass_on(o, &d);
}

static void *work(void *self)
{
    struct onpath *o = self;
    int64_t next = 0;

    while (!atomic_load(&o->stop)) {
        struct pollfd fds[] = {{.fd = o->run_fd, .events = POLLIN}, {.fd = o->rig_fd, .events = POLLIN}};

        poll(fds, 2, 1);
        for (int k = 0; k < 2; k++)
            if (fds[k].revents)
                take(o, k == 0);
        const int64_t now = yk_clock_now_ns();
        if (atomic_load(&o->acts) && now >= next) {
            idle(o, now);
            next = now + MS;
        }
    }
    return NULL;
}

static int open_port(int *port)
{
    struct sockaddr_in a = local(0);
    socklen_t length = sizeof a;
    const int fd = socket(AF_INET, SOCK_DGRAM, 0);

    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &length), 0);
    *port = ntohs(a.sin_port);
    return fd;
}

struct onpath *onpath_start(enum onpath_kind kind, int rig_port)
{
    struct onpath *o = calloc(1, sizeof *o);
    int unused;

    assert_non_null(o);
    o->kind = kind;
    o->random = 88172645463325252u + kind;
    atomic_store(&o->rig_port, rig_port);
    atomic_store(&o->acts, true);
    o->run_fd = open_port(&o->port);
    o->rig_fd = open_port(&unused);
    assert_int_equal(pthread_create(&o->thread, NULL, work, o), 0);
    return o;
}

void onpath_stop(struct onpath *o)
{
    atomic_store(&o->stop, true);
    pthread_join(o->thread, NULL);
    close(o->run_fd);
    close(o->rig_fd);
    free(o);
}
