/* Copies frames into a ring and writes them as pcapng (draft-ietf-opsawg-pcapng): a section, an interface of Ethernet
 * with times in ns, an enhanced packet block for each frame with its direction, and the count of dropped frames. */
#include "ethercat/capture.h"

#include "base/clock.h"
#include "base/thread.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FROM_1970_TO_2000_NS 946684800000000000 /* slaves and wires count from 2000 */
#define NAP_NS               5000000            /* of the thread */

enum { /* types of blocks and options */
       SECTION = 0x0A0D0D0A,
       INTERFACE = 1,
       STATISTICS = 5,
       PACKET = 6,
       MAGIC = 0x1A2B3C4D,
       ETHERNET = 1,
       IF_NAME = 2,
       IF_RESOLUTION = 9,
       NANOSECONDS = 9,
       PACKET_FLAGS = 2,
       INBOUND = 1,
       OUTBOUND = 2,
       DROPPED = 5
};

struct frame {
    int64_t ns; /* since 1970 */
    uint16_t size;
    bool sent;
    uint8_t bytes[YK_EC_FRAME_MOST];
};

struct yk_ec_capture {
    struct yk_ec_wire inner;
    enum yk_ec_capture_mode mode;

    /* the ring: one producer, which is whoever uses the wire, and the thread */
    struct frame *ring;
    atomic_ulong pushed, popped, dropped, events;

    /* the thread */
    pthread_t thread;
    bool runs;
    atomic_bool stop, failed;
    bool told; /* that it failed */
    FILE *file;
    struct frame *kept; /* the last ones before an event; a ring, too */
    unsigned long first, count;
    unsigned long seen, left; /* events; frames that are still written after the last one */
};

/* ---- the wire ---- */

YK_RT static void push(struct yk_ec_capture *c, const uint8_t *bytes, size_t size, bool sent)
{
    const unsigned long at = atomic_load_explicit(&c->pushed, memory_order_relaxed);

    if (at - atomic_load_explicit(&c->popped, memory_order_acquire) == YK_EC_CAPTURE_RING || size > YK_EC_FRAME_MOST) {
        atomic_fetch_add_explicit(&c->dropped, 1, memory_order_relaxed);
        return;
    }
    struct frame *f = &c->ring[at % YK_EC_CAPTURE_RING];

    f->ns = c->inner.ops->now(&c->inner) + c->inner.epoch_ns + FROM_1970_TO_2000_NS;
    f->size = (uint16_t)size;
    f->sent = sent;
    memcpy(f->bytes, bytes, size);
    atomic_store_explicit(&c->pushed, at + 1, memory_order_release);
}

YK_RT static bool send_frame(struct yk_ec_wire *wire, const uint8_t *frame, size_t size)
{
    struct yk_ec_capture *c = wire->self;

    push(c, frame, size, true); /* before the answer, which may be there when the send returns */
    const bool sent = c->inner.ops->send(&c->inner, frame, size);

    wire->down = c->inner.down;
    return sent;
}

YK_RT static size_t receive(struct yk_ec_wire *wire, uint8_t *frame, int64_t until_ns)
{
    struct yk_ec_capture *c = wire->self;
    const size_t size = c->inner.ops->receive(&c->inner, frame, until_ns);

    if (size)
        push(c, frame, size, false);
    wire->down = c->inner.down;
    return size;
}

YK_RT static int64_t now(const struct yk_ec_wire *wire)
{
    const struct yk_ec_capture *c = wire->self;

    return c->inner.ops->now(&c->inner);
}

YK_RT static void pause_until(struct yk_ec_wire *wire, int64_t until_ns)
{
    struct yk_ec_capture *c = wire->self;

    c->inner.ops->pause(&c->inner, until_ns);
}

/* ---- the file ---- */

static void put(struct yk_ec_capture *c, const void *bytes, size_t size)
{
    if (size && fwrite(bytes, size, 1, c->file) != 1)
        atomic_store(&c->failed, true);
}

static void put32(struct yk_ec_capture *c, uint32_t value)
{
    uint8_t bytes[4];

    yk_le_put(bytes, value, 4);
    put(c, bytes, sizeof bytes);
}

/* Code and length of an option, its value, padding. */
static void put_option(struct yk_ec_capture *c, unsigned code, const void *value, size_t size)
{
    put32(c, code | (uint32_t)size << 16);
    put(c, value, size);
    put(c, "\0\0\0", (4 - size % 4) % 4);
}

static size_t padded(size_t size)
{
    return (size + 3) / 4 * 4;
}

static void put_head(struct yk_ec_capture *c, const char *interface)
{
    const size_t name = strlen(interface), block = 20 + 4 + padded(name) + 8 + 4;

    put32(c, SECTION);
    put32(c, 28);
    put32(c, MAGIC);
    put32(c, 1);          /* version 1.0 */
    put32(c, UINT32_MAX); /* the length of the section is not known */
    put32(c, UINT32_MAX);
    put32(c, 28);
    put32(c, INTERFACE);
    put32(c, (uint32_t)block);
    put32(c, ETHERNET);
    put32(c, 0); /* frames are whole */
    put_option(c, IF_NAME, interface, name);
    put_option(c, IF_RESOLUTION, &(uint8_t){NANOSECONDS}, 1);
    put32(c, 0); /* end of the options */
    put32(c, (uint32_t)block);
}

static void put_frame(struct yk_ec_capture *c, const struct frame *f)
{
    const size_t block = 32 + padded(f->size) + 12;
    uint8_t flags[4];

    put32(c, PACKET);
    put32(c, (uint32_t)block);
    put32(c, 0);
    put32(c, (uint32_t)((uint64_t)f->ns >> 32));
    put32(c, (uint32_t)f->ns);
    put32(c, f->size);
    put32(c, f->size);
    put(c, f->bytes, f->size);
    put(c, "\0\0\0", padded(f->size) - f->size);
    yk_le_put(flags, f->sent ? OUTBOUND : INBOUND, 4);
    put_option(c, PACKET_FLAGS, flags, 4);
    put32(c, 0);
    put32(c, (uint32_t)block);
}

static void put_statistics(struct yk_ec_capture *c)
{
    enum { BLOCK = 40 };
    const uint64_t ns = (uint64_t)(c->inner.ops->now(&c->inner) + c->inner.epoch_ns + FROM_1970_TO_2000_NS);
    uint8_t dropped[8];

    put32(c, STATISTICS);
    put32(c, BLOCK);
    put32(c, 0);
    put32(c, (uint32_t)(ns >> 32));
    put32(c, (uint32_t)ns);
    yk_le_put(dropped, atomic_load(&c->dropped), 8);
    put_option(c, DROPPED, dropped, 8);
    put32(c, 0);
    put32(c, BLOCK);
}

/* ---- the thread ---- */

static void keep(struct yk_ec_capture *c, const struct frame *f)
{
    if (c->count == YK_EC_CAPTURE_BEFORE) {
        c->first++;
        c->count--;
    }
    c->kept[(c->first + c->count++) % YK_EC_CAPTURE_BEFORE] = *f;
}

/* An event since the last look: what was kept is written, and what follows. */
static void look_for_events(struct yk_ec_capture *c)
{
    const unsigned long events = atomic_load(&c->events);

    if (events == c->seen)
        return;
    c->seen = events;
    c->left = YK_EC_CAPTURE_AFTER;
    for (; c->count; c->count--)
        put_frame(c, &c->kept[c->first++ % YK_EC_CAPTURE_BEFORE]);
}

static void drain(struct yk_ec_capture *c)
{
    const unsigned long end = atomic_load_explicit(&c->pushed, memory_order_acquire);

    if (c->mode == YK_EC_CAPTURE_EVENT)
        look_for_events(c);
    for (unsigned long at = atomic_load_explicit(&c->popped, memory_order_relaxed); at != end; at++) {
        const struct frame *f = &c->ring[at % YK_EC_CAPTURE_RING];

        if (c->mode == YK_EC_CAPTURE_ALL || c->left) {
            put_frame(c, f);
            c->left -= c->left > 0;
        } else {
            keep(c, f);
        }
        atomic_store_explicit(&c->popped, at + 1, memory_order_release);
    }
}

static void *write_frames(void *self)
{
    struct yk_ec_capture *c = self;

    while (!atomic_load(&c->stop)) {
        drain(c);
        yk_clock_sleep_until(yk_clock_now_ns() + NAP_NS);
    }
    drain(c);
    if (c->mode == YK_EC_CAPTURE_EVENT)
        look_for_events(c); /* one that came with the last frames */
    put_statistics(c);
    return NULL;
}

/* ---- begin and end ---- */

static void close_capture(struct yk_ec_wire *wire)
{
    struct yk_ec_capture *c = wire->self;

    atomic_store(&c->stop, true);
    if (c->runs)
        pthread_join(c->thread, NULL);
    if (c->file)
        fclose(c->file);
    if (c->inner.ops)
        c->inner.ops->close(&c->inner);
    free(c->ring);
    free(c->kept);
    free(c);
    wire->self = NULL;
}

static const struct yk_ec_wire_ops ops = {send_frame, receive, now, pause_until, close_capture};

enum yk_status yk_ec_capture_begin(struct yk_ec_capture **capture, struct yk_ec_wire *wire,
                                   enum yk_ec_capture_mode mode, struct yk_err *err)
{
    struct yk_ec_capture *c = calloc(1, sizeof *c);

    *capture = NULL;
    if (c) {
        c->ring = calloc(YK_EC_CAPTURE_RING, sizeof *c->ring);
        c->kept = mode == YK_EC_CAPTURE_EVENT ? calloc(YK_EC_CAPTURE_BEFORE, sizeof *c->kept) : NULL;
    }
    if (!c || !c->ring || (mode == YK_EC_CAPTURE_EVENT && !c->kept)) {
        if (c)
            free(c->ring);
        free(c);
        return yk_fail(err, YK_E_MEMORY, "out of memory for the frames of the bus");
    }
    memset(c->ring, 0, YK_EC_CAPTURE_RING * sizeof *c->ring); /* the loop touches no new page */
    c->mode = mode;
    c->inner = *wire;
    *capture = wire->self = c;
    wire->ops = &ops;
    return YK_OK;
}

enum yk_status yk_ec_capture_write(struct yk_ec_capture *c, const char *path, const char *interface, struct yk_err *err)
{
    if (c->runs || !(c->file = fopen(path, "wb")))
        return yk_fail(err, YK_E_IO, "%s: the frames of the bus cannot be written: %s", path,
                       c->runs ? "they go to another file" : strerror(errno));
    put_head(c, interface);
    if (yk_thread_start(&c->thread, write_frames, c))
        return yk_fail(err, YK_E_IO, "no thread can be started for the frames of the bus");
    c->runs = true;
    return YK_OK;
}

YK_RT void yk_ec_capture_mark(struct yk_ec_capture *c)
{
    if (c)
        atomic_fetch_add_explicit(&c->events, 1, memory_order_relaxed);
}

YK_RT bool yk_ec_capture_failed(struct yk_ec_capture *c)
{
    if (!c || c->told || !atomic_load_explicit(&c->failed, memory_order_relaxed))
        return false;
    c->told = true;
    return true;
}
