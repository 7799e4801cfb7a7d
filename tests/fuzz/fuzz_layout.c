/* Any packet is refused, or packs to the same bytes again but for what is skipped and for numbers that are no numbers;
 * and both sides of a session take whatever comes. The first byte chooses the layout. */
#include "fuzz.h"

#include "rig/raw_codec.h"

enum { MOST = YK_TYPES + 6 };

/* Every type once, in an order and with roles that the seed gives. */
static struct yk_layout make(unsigned seed, bool commands, struct yk_field fields[MOST])
{
    struct yk_layout l = {.fields = fields, .big = seed & 1};
    static const enum yk_field_role roles[] = {YK_FIELD_SEQUENCE, YK_FIELD_ANSWERS, YK_FIELD_LINES, YK_FIELD_CONSTANT,
                                               YK_FIELD_SKIP};

    for (unsigned k = 0; k < YK_TYPES; k++) {
        const enum yk_field_type type = (enum yk_field_type)((k * 5 + seed) % YK_TYPES);
        struct yk_field *f = &fields[l.count++];

        *f = (struct yk_field){.type = type, .at = l.size, .size = yk_type_bytes(type), .constant = -3};
        memset(f->lines, YK_NO_LINE, sizeof f->lines);
        f->lines[0] = 31;
        if (yk_type_checks(type)) {
            f->role = YK_FIELD_CHECK;
        } else if (yk_type_floats(type)) {
            f->index = k % 2;
        } else {
            f->role = k == seed % YK_TYPES ? (commands ? YK_FIELD_STATE : YK_FIELD_FAULT) : roles[(k + seed) % 5];
        }
        l.size += f->size;
    }
    return l;
}

/* Makes the check sums hold, so that what lies behind them is reached. */
static void mend(const struct yk_layout *l, unsigned char *bytes)
{
    unsigned char good[256];
    struct yk_packet p = {0};
    double values[16] = {0};

    for (size_t i = 0; i < l->count; i++) {
        const struct yk_field *f = &l->fields[i];

        if (f->role == YK_FIELD_CONSTANT)
            yk_bytes_put(bytes + f->at, (uint64_t)f->constant, f->size, l->big);
        if (f->role != YK_FIELD_CHECK)
            continue;
        const struct yk_layout one = {(struct yk_field *)f, 1, f->at + f->size, l->big};
        memcpy(good, bytes, f->at);
        yk_layout_pack(&one, &p, values, good);
        memcpy(bytes + f->at, good + f->at, f->size);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"a1"};
    static const double x0[1];
    const struct yk_rig_plan plan = {.count = 1, .names = names, .tick = 1e-3, .x0 = x0};
    struct yk_field to[MOST], from[MOST];
    unsigned char bytes[256], *copy;
    struct yk_message m;

    if (size < 2)
        return 0;
    const struct yk_raw_settings settings = {.commands = make(data[0], true, to),
                                             .readings = make(data[0], false, from)};
    for (int serves = 0; serves < 2; serves++) {
        const struct yk_layout *l = serves ? &settings.commands : &settings.readings;
        const size_t got = size - 1 < sizeof bytes ? size - 1 : sizeof bytes;
        struct yk_packet p = {0};
        double values[16] = {0};
        struct yk_raw_codec codec;
        struct yk_link link = {0};

        fuzz_check((copy = malloc(got)) != NULL); /* one byte too far is noticed */
        memcpy(copy, data + 1, got);
        if (got == l->size)
            mend(l, copy);
        const bool good = yk_layout_unpack(l, copy, got, &p, values);
        fuzz_check(good == (got == l->size));
        if (good) {
            struct yk_packet again = {0};
            double same[16] = {0};

            fuzz_check(yk_layout_pack(l, &p, values, bytes) == got);
            fuzz_check(yk_layout_unpack(l, bytes, got, &again, same));
            fuzz_check(again.sequence == p.sequence && again.answers == p.answers && again.lines == p.lines &&
                       again.state == p.state && again.fault == p.fault);
        }
        yk_raw_codec_init(&codec, &settings, &plan, serves);
        yk_raw_codec_use(&codec, &link);
        for (int k = 0; k < 3; k++) {
            link.in_session = k > 0;
            if (k == 2 && good) { /* another one: the end of the input */
                memcpy(copy, data + size - got, got);
                mend(l, copy);
            }
            if (link.codec.unpack(&codec, copy, got, &m) == YK_FRAME_GOOD)
                fuzz_check(m.kind >= YK_HELLO && m.kind < YK_MESSAGE_KINDS && m.count <= YK_WIRE_VALUES);
            link.codec.pending(&codec, &m);
        }
        free(copy);
    }
    return 0;
}
