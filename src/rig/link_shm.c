/* The wire through shared memory: a board for each direction. System calls during a run: futex. */
#include "base/board.h"
#include "base/segment.h"
#include "rig/link.h"

#include "base/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "rig-"

enum { HEAD_WORDS = 4, WORDS = HEAD_WORDS + YK_WIRE_VALUES, HEAD_BYTES = 64 };

/* The first bytes of the segment. */
struct head {
    char magic[8];
    uint32_t version;
    _Atomic uint32_t ready; /* set last */
};
static const char magic[8] = "YOKERIG";

struct shm {
    struct yk_segment segment;
    struct yk_board *in, *out;
    uint64_t seen; /* number of the message that was taken last */
    int64_t spin_ns;
    uint64_t words[WORDS];
};

YK_RT static void send_message(struct yk_link *link, const struct yk_message *m)
{
    struct shm *s = link->self;
    uint64_t words[WORDS] = {(uint64_t)m->session << 32 | m->kind, m->sequence, m->answers, m->count};

    memcpy(words + HEAD_WORDS, m->values, m->count * sizeof(double));
    yk_board_post(s->out, WORDS, words, HEAD_WORDS + m->count);
    yk_board_ring(s->out);
    link->counts.sent++;
}

/* A message that was not taken yet. */
YK_RT static bool take(struct yk_link *link, struct yk_message *m)
{
    struct shm *s = link->self;
    size_t length = 0;
    const uint64_t number = yk_board_read(s->in, WORDS, s->words, &length);

    if (!number || number == s->seen)
        return false;
    s->seen = number;
    m->kind = (uint32_t)s->words[0];
    m->session = (uint32_t)(s->words[0] >> 32);
    m->sequence = s->words[1];
    m->answers = s->words[2];
    m->count = s->words[3] <= YK_WIRE_VALUES ? (uint32_t)s->words[3] : UINT32_MAX;
    if (length < HEAD_WORDS || length != HEAD_WORDS + (size_t)m->count || !yk_message_fits(m, 0)) {
        link->counts.damaged++;
        return false;
    }
    memcpy(m->values, s->words + HEAD_WORDS, m->count * sizeof(double));
    link->counts.received++;
    return true;
}

YK_RT static bool receive(struct yk_link *link, struct yk_message *m, int64_t until_ns)
{
    struct shm *s = link->self;

    do {
        if (take(link, m))
            return true;
        if ((link->broken = yk_segment_is_cut(&s->segment)))
            return false;
    } while (yk_board_wait(s->in, s->seen, s->spin_ns, until_ns) && yk_clock_now_ns() < until_ns);
    return take(link, m);
}

static void adopt_sender(struct yk_link *link)
{
}

static void close_link(struct yk_link *link)
{
    struct shm *s = link->self;

    yk_segment_close(&s->segment);
    free(s);
    *link = (struct yk_link){0};
}

static const struct yk_link_ops ops = {send_message, receive,    send_message,
                                       adopt_sender, close_link, .exclusive = true};

static size_t segment_size(void)
{
    return HEAD_BYTES + 2 * yk_board_size(WORDS);
}

/* The boards: commands first, then readings. */
static void find_boards(struct shm *s, bool serves)
{
    char *boards = (char *)s->segment.at + HEAD_BYTES;
    struct yk_board *commands = (struct yk_board *)boards,
                    *readings = (struct yk_board *)(boards + yk_board_size(WORDS));

    s->in = serves ? commands : readings;
    s->out = serves ? readings : commands;
}

static enum yk_status start(struct yk_link *link, struct yk_err *err)
{
    struct shm *s = calloc(1, sizeof *s);

    *link = (struct yk_link){.ops = &ops, .self = s};
    if (!s)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    s->segment.fd = -1;
    return YK_OK;
}

enum yk_status yk_link_shm_serve(struct yk_link *link, const char *name, struct yk_err *err)
{
    char path[80];
    enum yk_status st = start(link, err);

    if (st)
        return st;
    struct shm *s = link->self;
    snprintf(path, sizeof path, PREFIX "%s", name);
    if ((st = yk_segment_create(&s->segment, path, segment_size(), 0600, err))) {
        close_link(link);
        return st;
    }
    find_boards(s, true);
    struct head *h = s->segment.at;
    memcpy(h->magic, magic, sizeof magic);
    h->version = YK_WIRE_VERSION;
    atomic_store_explicit(&h->ready, 1, memory_order_release);
    return YK_OK;
}

/* A board has one writer: the commanding side holds a lock of its own on the segment while it is there. */
static bool take_command(const struct shm *s)
{
    struct flock second = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 1, .l_len = 1}; /* the first is the rig's */

    return fcntl(s->segment.fd, F_OFD_SETLK, &second) == 0;
}

/* Is it a wire of this version, with somebody at the other end? */
static enum yk_status check(const struct shm *s, const char *name, struct yk_err *err)
{
    const struct head *h = s->segment.at;

    if (!atomic_load_explicit(&h->ready, memory_order_acquire) || !yk_segment_has_owner(&s->segment))
        return yk_fail(err, YK_E_IO, "no rig is active in shared memory '%s'", name);
    if (memcmp(h->magic, magic, sizeof magic) != 0)
        return yk_fail(err, YK_E_INPUT, "shared memory '%s' is not a rig", name);
    if (h->version != YK_WIRE_VERSION)
        return yk_fail(err, YK_E_UNSUPPORTED, "the rig in shared memory '%s' uses protocol version %u, this program %d",
                       name, h->version, YK_WIRE_VERSION);
    if (!take_command(s))
        return yk_fail(err, YK_E_IO, "another process commands the rig in shared memory '%s'", name);
    return YK_OK;
}

enum yk_status yk_link_shm_check(const char *name, struct yk_err *err)
{
    const enum yk_status st = yk_segment_check_name(name, err);
    char path[128];

    snprintf(path, sizeof path, PREFIX "%s", name);
    return st ? st : yk_segment_check_name(path, err);
}

enum yk_status yk_link_shm_connect(struct yk_link *link, const char *name, double spin_s, double patience_s,
                                   struct yk_err *err)
{
    const int64_t until = yk_clock_now_ns() + (int64_t)(1e9 * patience_s);
    char path[80];
    enum yk_status st = start(link, err);

    if (st)
        return st;
    struct shm *s = link->self;
    s->spin_ns = (int64_t)(1e9 * spin_s);
    snprintf(path, sizeof path, PREFIX "%s", name);
    for (;;) {
        if (!(st = yk_segment_open(&s->segment, path, segment_size(), true, err)) && !(st = check(s, name, err)))
            break;
        if (st == YK_E_UNSUPPORTED || yk_clock_now_ns() >= until) {
            close_link(link);
            return yk_fail_within(err, YK_NOWHERE, "rig over shared memory: ");
        }
        yk_segment_close(&s->segment); /* not there yet, or not finished */
        usleep(2000);
    }
    find_boards(s, false);
    size_t length;
    s->seen = yk_board_read(s->in, WORDS, s->words, &length); /* what others were told */
    return YK_OK;
}
