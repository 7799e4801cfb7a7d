/* A run and a rig with one key, and someone on the wire between them who keeps, repeats, alters, cuts, sends back and
 * invents datagrams. What is heard was sent by the other side, unaltered; messages of a session are heard once. A HELLO
 * begins a session once, and only if the run made it for a number that the rig offered less than two seconds before. */
#include "fuzz.h"

#include "rig/challenge.h"
#include "rig/sealed.h"

#include <sys/mman.h>
#include <sys/stat.h>

enum { KEPT = 16, GREETING_VALUES = 2 + YK_WIRE_WORDS / 8 };

struct datagram {
    unsigned char bytes[YK_LINK_LARGEST];
    size_t size;
    unsigned side; /* of its sender: 0 run, 1 rig */
    int heard;
    bool began;         /* a session */
    int64_t offered_ns; /* CHALLENGE: its number; HELLO: the number that it repeats */
    struct yk_message m;
};

static struct yk_seal seals[2], fresh[2];
static struct yk_link links[2];
static struct datagram kept[KEPT];
static size_t made;
static struct yk_challenge challenge;
static int64_t now;
static uint64_t number;   /* of the rig, as the run heard it last */
static int64_t number_ns; /* and when it was offered */

static const uint8_t *rest;
static size_t left;

static unsigned next_byte(void)
{
    return left ? (left--, *rest++) : 0;
}

static bool open_both(void)
{
    static const char key[] = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n";
    struct yk_err err = {0};
    char path[64];
    const int file = memfd_create("key", MFD_CLOEXEC);

    fuzz_check(file >= 0 && fchmod(file, S_IRUSR | S_IWUSR) == 0 && write(file, key, sizeof key - 1) > 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    for (int i = 0; i < 2; i++)
        if (yk_seal_open(&fresh[i], path, i == 1, &err)) {
            fuzz_check(err.status == YK_E_UNSUPPORTED);
            return false;
        }
    close(file);
    return true;
}

static void send_one(unsigned side)
{
    static const uint32_t kinds[2][8] = {
        {YK_HELLO, YK_HELLO, YK_REST, YK_COMMAND, YK_COMMAND, YK_BYE, YK_CUT, YK_ENABLE},
        {YK_WELCOME, YK_CHALLENGE, YK_REFUSE, YK_READING, YK_READING, YK_READING, YK_BYE, YK_BYE}};
    struct datagram *d = &kept[made % KEPT];

    *d = (struct datagram){.side = side, .m = {.kind = kinds[side][next_byte() % 8], .session = next_byte() % 4}};
    const bool greets =
        d->m.kind == YK_HELLO || d->m.kind == YK_WELCOME || d->m.kind == YK_REFUSE || d->m.kind == YK_CHALLENGE;

    d->m.count = next_byte() % (greets ? GREETING_VALUES + 1 : YK_WIRE_VALUES + 1);
    d->m.sequence = next_byte();
    d->m.answers = next_byte();
    for (uint32_t i = 0; i < d->m.count; i++)
        d->m.values[i] = next_byte();
    if (d->m.kind == YK_CHALLENGE)
        d->m.sequence = yk_challenge_number(&challenge, now);
    if (d->m.kind == YK_HELLO && d->m.answers)
        d->m.answers = number;
    d->offered_ns = side ? now : number_ns;
    d->size = links[side].codec.pack(links[side].codec.self, &d->m, d->bytes);
    fuzz_check(d->size <= sizeof d->bytes);
    made += d->size > 0;
}

/* In a block of its own size, so that one byte too far is noticed. */
static enum yk_verdict hear(unsigned side, const unsigned char *bytes, size_t size, struct yk_message *m)
{
    unsigned char *copy = malloc(size ? size : 1);

    fuzz_check(copy != NULL);
    memcpy(copy, bytes, size);
    const enum yk_verdict verdict = links[side].codec.unpack(links[side].codec.self, copy, size, m);
    free(copy);
    return verdict;
}

/* A server takes a HELLO, a run takes a CHALLENGE. */
static void greet(struct datagram *d, const struct yk_message *m)
{
    if (d->side == 1) {
        number = m->kind == YK_CHALLENGE ? m->sequence : number;
        number_ns = m->kind == YK_CHALLENGE ? d->offered_ns : number_ns;
        return;
    }
    if (m->kind != YK_HELLO || !yk_challenge_is_met(&challenge, m->answers, now))
        return;
    fuzz_check(!d->began && d->m.answers && now - d->offered_ns < 2 * YK_CHALLENGE_LIFE_NS);
    d->began = true;
    yk_challenge_use_up(&challenge);
    links[1].codec.adopt(links[1].codec.self);
}

static void deliver(struct datagram *d)
{
    unsigned char sent[YK_WIRE_LARGEST], got[YK_WIRE_LARGEST];
    struct yk_message m;

    if (hear(!d->side, d->bytes, d->size, &m) != YK_FRAME_GOOD)
        return;
    fuzz_check(d->bytes[2] == 'H' || !d->heard++);
    const size_t size = yk_message_pack(&d->m, sent);
    fuzz_check(yk_message_pack(&m, got) == size && memcmp(sent, got, size) == 0);
    greet(d, &m);
}

/* Changes a datagram as someone without the key can. */
static void forge(const struct datagram *d, unsigned how)
{
    unsigned char bytes[YK_LINK_LARGEST + 64] = {0};
    struct yk_message m;
    size_t size = d->size;

    memcpy(bytes, d->bytes, size);
    if (how == 0) /* alter */
        bytes[(next_byte() << 8 | next_byte()) % size] ^= (unsigned char)(1u << next_byte() % 8);
    else if (how == 1) /* cut */
        size -= 1 + next_byte() % size;
    else if (how == 2) /* lengthen */
        size += 1 + next_byte() % 64;
    fuzz_check(hear(how == 3 ? d->side : !d->side, bytes, size, &m) != YK_FRAME_GOOD);
}

static void invent(unsigned side)
{
    unsigned char bytes[256] = {0};
    struct yk_message m;
    const size_t size = next_byte(), got = size < left ? size : left;

    memcpy(bytes, rest, got);
    rest += got;
    left -= got;
    if (size % 4)
        memcpy(bytes, size % 2 ? "YSH" : "YSD", 3);
    fuzz_check(hear(side, bytes, size, &m) != YK_FRAME_GOOD);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int works = -1;

    if (works < 0)
        works = open_both();
    if (!works)
        return 0; /* built without libsodium */
    for (int i = 0; i < 2; i++) {
        seals[i] = fresh[i];
        yk_seal_use(&seals[i], &links[i]);
    }
    made = 0;
    challenge = (struct yk_challenge){0};
    now = number_ns = 0;
    number = 0;
    rest = data;
    left = size;
    while (left) {
        const unsigned op = next_byte(), what = op % 8;

        now += YK_CHALLENGE_LIFE_NS / 64;
        struct datagram *d = made ? &kept[(made - 1 - (op >> 3) % (made < KEPT ? made : KEPT)) % KEPT] : NULL;

        if (what < 2)
            send_one(what);
        else if (what == 7)
            invent(op >> 3 & 1);
        else if (d && d->size && what == 2)
            deliver(d);
        else if (d && d->size)
            forge(d, what - 3);
    }
    return 0;
}
