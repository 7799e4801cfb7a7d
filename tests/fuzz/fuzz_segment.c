/* Any frames leave the simulated EtherCAT segment in order: a frame that comes back has its size and its chain of
 * datagrams, and no command that is not a number reaches the rig. The input is a list of frames, each with its length
 * in two bytes before it; the first byte chooses how far the slaves have been brought. */
#include "fuzz.h"

#include "segment/sim.h"

enum { MOST = 64, DRIVES = 2, SLAVES = 6 };

static void check_back(void *to, const uint8_t *bytes, size_t size)
{
    fuzz_check(size == *(size_t *)to && bytes[6] & YK_EC_MAC_MARK);
}

/* States that a master would bring about in many frames. */
static void prepare(struct yk_sim_segment *g, unsigned how)
{
    static const uint8_t states[] = {YK_EC_INIT, YK_EC_PREOP, YK_EC_SAFEOP, YK_EC_OP};

    for (size_t k = 0; k < g->count; k++) {
        struct yk_sim_slave *s = g->slaves[k];
        uint8_t *m = s->memory;

        yk_le_put(m + YK_EC_STATION, 0x1001 + k, 2);
        for (unsigned i = 0; i < 2 && s->mailbox; i++) {
            const uint64_t sm = (0x1000 + (uint64_t)i * s->mailbox) | (uint64_t)s->mailbox << 16 |
                                (uint64_t)(i ? YK_EC_SM_MAILBOX_IN : YK_EC_SM_MAILBOX_OUT) << 32 | (uint64_t)1 << 48;

            yk_le_put(m + YK_EC_SM + 8 * i, sm, 8);
        }
        for (int d = 0; d < 2; d++) {
            const struct yk_sim_map *map = &s->maps[d];
            const size_t n = yk_sim_map_bytes(map);
            uint8_t *fmmu = m + YK_EC_FMMU + YK_EC_FMMU_SIZE * d;

            if (map->sm < 0)
                continue;
            yk_le_put(m + YK_EC_SM + 8 * map->sm,
                      map->start | (uint64_t)n << 16 | (uint64_t)map->control << 32 | (uint64_t)1 << 48, 8);
            yk_le_put(fmmu, 0x10000 + 64 * k + 32 * (size_t)d, 4);
            yk_le_put(fmmu + 4, n, 2);
            fmmu[YK_EC_FMMU_LAST_BIT] = 7;
            yk_le_put(fmmu + YK_EC_FMMU_PHYSICAL, map->start, 2);
            fmmu[YK_EC_FMMU_TYPE] = d == YK_SIM_OUT ? YK_EC_FMMU_WRITE : YK_EC_FMMU_READ;
            fmmu[YK_EC_FMMU_ACTIVE] = 1;
        }
        m[YK_EC_AL_STATUS] = states[how & 3];
        s->got_outputs = true;
        if (how & 4 && s->drive)
            s->drive_now.state = YK_SIM_SWITCHED_ON;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"a1", "a2"};
    static const struct yk_rig_sensor sensors[] = {{"s", "V"}};
    static const struct yk_rig_line lines[] = {{"stop", YK_LINE_EMERGENCY_STOP, false, 0},
                                               {"lamp", YK_LINE_RUN_LAMP, false, 0}};
    const unsigned how = size ? data[0] : 0;
    const struct yk_rig_plan plan = {.count = DRIVES,
                                     .names = names,
                                     .tick = 1e-3,
                                     .sensor_count = 1,
                                     .sensors = sensors,
                                     .line_count = 2,
                                     .lines = lines};
    const struct yk_sim_settings settings = {.exact = how & 8, .own_clock = how & 16};
    struct yk_sim_segment *g;
    size_t at = 1, length;

    fuzz_check(!yk_sim_segment_create(&g, &settings, NULL, NULL, &plan, NULL) && !yk_sim_segment_populate(g, NULL));
    prepare(g, how);
    for (int n = 0; n < MOST && at + 2 <= size; n++, at += length) {
        length = yk_le16(data + at);
        at += 2;
        length = length > size - at ? size - at : length;
        uint8_t *frame = malloc(length + 1); /* of its own size, so that one byte too far is noticed */
        fuzz_check(frame != NULL);
        memcpy(frame, data + at, length);
        if (settings.own_clock)
            yk_sim_segment_advance(g, g->now + 300000);
        yk_sim_segment_take(g, frame, length, check_back, &length);
        free(frame);
        for (int i = 0; i < DRIVES; i++)
            fuzz_check(isfinite(g->command[i]));
    }
    yk_sim_segment_destroy(g);
    return 0;
}
