#include "support/segment.h"
#include "support/check.h"

#include <stdlib.h>

static const char *const names[YK_SIM_SLAVES] = {"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"};

struct yk_rig_plan segment_plan(size_t n)
{
    return (struct yk_rig_plan){.count = n, .names = names, .tick = 1e-9 * SEGMENT_TICK_NS};
}

struct yk_sim_segment *segment_empty(size_t drives)
{
    const struct yk_rig_plan plan = segment_plan(drives);
    struct yk_sim_segment *g = NULL;

    assert_ok(yk_sim_segment_create(&g, &(struct yk_sim_settings){0}, NULL, NULL, &plan, &err));
    return g;
}

struct yk_sim_segment *segment_of_drives(size_t n)
{
    struct yk_sim_segment *g = segment_empty(n);

    for (size_t i = 0; i < n; i++)
        assert_true(yk_sim_segment_append(g, yk_sim_drive(&g->settings, &g->plan, i)));
    assert_true(yk_sim_segment_append(g, yk_sim_coupler()));
    yk_sim_segment_start(g);
    return g;
}

struct yk_sim_segment *segment_for(const struct yk_sim_settings *settings, const struct yk_rig_plan *plan)
{
    struct yk_sim_segment *g = NULL;

    assert_ok(yk_sim_segment_create(&g, settings, NULL, NULL, plan, &err));
    assert_ok(yk_sim_segment_populate(g, &err));
    return g;
}

unsigned segment_do(struct yk_sim_segment *g, unsigned command, unsigned adp, unsigned ado, void *data, size_t n)
{
    static const uint8_t head[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x5e, 0x00, 0x53, 0x01, 0x88, 0xa4};
    uint8_t f[1514] = {0};
    const size_t used = 16 + 12 + n, size = used < 60 ? 60 : used;

    memcpy(f, head, sizeof head);
    f[14] = (uint8_t)(n + 12);
    f[15] = (uint8_t)(0x10 | (n + 12) >> 8);
    f[16] = (uint8_t)command;
    f[18] = (uint8_t)adp;
    f[19] = (uint8_t)(adp >> 8);
    f[20] = (uint8_t)ado;
    f[21] = (uint8_t)(ado >> 8);
    f[22] = (uint8_t)n;
    f[23] = (uint8_t)(n >> 8);
    memcpy(f + 26, data, n);
    if (!yk_sim_segment_frame(g, f, size))
        return 0;
    memcpy(data, f + 26, n);
    return f[26 + n] | (unsigned)f[27 + n] << 8;
}

unsigned segment_read(struct yk_sim_segment *g, unsigned station, unsigned ado, int bytes, uint64_t *value)
{
    uint8_t data[8] = {0};
    const unsigned wkc = segment_do(g, 4, station, ado, data, (size_t)bytes);

    *value = 0;
    for (int i = 0; i < bytes; i++)
        *value |= (uint64_t)data[i] << 8 * i;
    return wkc;
}

unsigned segment_write(struct yk_sim_segment *g, unsigned station, unsigned ado, int bytes, uint64_t value)
{
    uint8_t data[8];

    for (int i = 0; i < 8; i++)
        data[i] = (uint8_t)(value >> 8 * i);
    return segment_do(g, 5, station, ado, data, (size_t)bytes);
}

void segment_wait(struct yk_sim_segment *g, int64_t ns)
{
    for (const int64_t until = g->now + ns; g->now < until;)
        yk_sim_segment_advance(g, g->now + 100000 < until ? g->now + 100000 : until);
}

void segment_address(struct yk_sim_segment *g)
{
    for (unsigned p = 0; p < g->count; p++) {
        uint8_t station[] = {(uint8_t)(1 + p), 0x10};

        assert_int_equal(segment_do(g, 2, 0x10000 - p, 0x0010, station, 2), 1);
    }
}

unsigned segment_ask(struct yk_sim_segment *g, unsigned station, unsigned state)
{
    uint64_t status = 0, code;

    assert_int_equal(segment_write(g, station, 0x0120, 2, state), 1);
    for (int i = 0; i < 600; i++) {
        segment_read(g, station, 0x0130, 2, &status);
        if (status & 16 ? !(state & 16) : (status & 15) == (state & 15))
            break;
        segment_wait(g, 100000);
    }
    segment_read(g, station, 0x0134, 2, &code);
    return (unsigned)(status | code << 16);
}

size_t segment_map(struct yk_sim_segment *g, size_t *inputs)
{
    uint32_t at = LOGICAL;

    for (int d = 0; d < 2; d++) {
        if (d == 1)
            *inputs = at - LOGICAL;
        for (unsigned k = 0; k < g->count; k++) {
            const struct yk_sim_map *m = &g->slaves[k]->maps[d];
            const size_t bytes = (m->bits + 7) / 8;

            if (m->sm < 0)
                continue;
            const unsigned sm = 0x0800 + 8 * (unsigned)m->sm, fmmu = 0x0600 + 16 * (unsigned)d;
            assert_int_equal(segment_write(g, 0x1001 + k, sm, 8,
                                           m->start | (uint64_t)bytes << 16 |
                                               (uint64_t)(m->control | (d ? 0 : 0x40)) << 32 | (uint64_t)1 << 48),
                             1);
            assert_int_equal(segment_write(g, 0x1001 + k, fmmu, 8, at | (uint64_t)bytes << 32 | (uint64_t)0x0700 << 48),
                             1);
            assert_int_equal(
                segment_write(g, 0x1001 + k, fmmu + 8, 8, m->start | (uint64_t)(d ? 1 : 2) << 24 | (uint64_t)1 << 32),
                1);
            at += (uint32_t)bytes;
        }
    }
    return at - LOGICAL;
}

unsigned segment_lrw(struct yk_sim_segment *g, uint8_t *image, size_t size)
{
    return segment_do(g, 12, LOGICAL & 0xFFFF, LOGICAL >> 16, image, size);
}

size_t segment_to_op(struct yk_sim_segment *g, size_t *inputs)
{
    size_t size = 0;
    uint8_t image[1486] = {0};

    segment_address(g);
    for (unsigned k = 0; k < g->count; k++) {
        const uint64_t bytes = g->slaves[k]->mailbox;

        for (unsigned i = 0; bytes && i < 2; i++)
            segment_write(g, 0x1001 + k, 0x0800 + 8 * i, 8,
                          (0x1000 + i * bytes) | bytes << 16 | (uint64_t)(i ? 0x22 : 0x26) << 32 | (uint64_t)1 << 48);
    }
    for (unsigned state = 2; state <= 8; state *= 2) {
        if (state == 4)
            size = segment_map(g, inputs);
        if (state == 8)
            segment_lrw(g, image, size);
        for (unsigned k = 0; k < g->count; k++)
            assert_int_equal(segment_ask(g, 0x1001 + k, state), state);
        memset(image, 0, sizeof image);
    }
    return size;
}

size_t segment_sdo(struct yk_sim_segment *g, unsigned station, const uint8_t *request, size_t size, uint8_t *answer)
{
    static uint8_t counter;
    uint8_t mail[64] = {0};

    counter = (uint8_t)(counter % 7 + 1);
    mail[0] = (uint8_t)(size + 2);
    mail[5] = (uint8_t)(3 | counter << 4);
    mail[7] = 0x20;
    memcpy(mail + 8, request, size);
    assert_int_equal(segment_do(g, 5, station, 0x1000, mail, sizeof mail), 1);
    for (int i = 0; i < 100; i++) {
        memset(mail, 0, sizeof mail);
        if (segment_do(g, 4, station, 0x1040, mail, sizeof mail) == 1 &&
            mail[7] >> 4 == (mail[8] == 0x80 ? 2 : 3)) { /* a response, or an abort, which is a request: ETG.1000.6 */
            memcpy(answer, mail + 8, 56);
            return mail[0] - 2u;
        }
        segment_wait(g, 100000);
    }
    return 0;
}
