/* Process data and clocks of a bus: mapping, SyncManagers and FMMUs, delays and offsets, and the cyclic frame. */
#include <yoke/ethercat_master.h>

#include <stdlib.h>
#include <string.h>

enum {
    MS = 1000000,
    LATCHES = 8,
    SETTLED_NS = 1000,  /* difference of clocks that is good enough */
    LEAD_NS = 100 * MS, /* before the first SYNC0 */
    SYNC_DEFAULT = 0x0300,
    WATCHDOG_DIVIDER = 2498, /* ticks of 100 us */
    WATCHDOG_PER_S = 10000,
    /* bytes of a cyclic frame besides process data and a message: heads, time, state of all; LWR and LRD are two */
    CYCLE_BESIDES = YK_EC_HEAD + 5 * YK_EC_OVERHEAD + 8 + 2
};

/* ---- mapping ---- */

/* The SyncManager of the process data of one direction. */
static size_t sm_of(const struct yk_ec_slave *s, bool to_slave)
{
    for (size_t i = 0; i < s->sii.sm_count; i++)
        if (s->sii.sms[i].use == (to_slave ? YK_EC_SM_DATA_OUT : YK_EC_SM_DATA_IN))
            return i;
    return (s->sii.mail_out_size ? 2u : 0u) + !to_slave;
}

/* The type of an entry, which objects do not tell: by the file, by the SII, or by its size. */
static enum yk_ec_type type_of(const struct yk_ec_slave *s, const struct yk_ec_slave_setup *setup,
                               const struct yk_ec_entry *e)
{
    for (size_t i = 0; setup && i < setup->output_count + setup->input_count; i++) {
        const struct yk_ec_pdo *pdo =
            i < setup->output_count ? &setup->outputs[i] : &setup->inputs[i - setup->output_count];

        for (size_t j = 0; j < pdo->count; j++)
            if (pdo->entries[j].index == e->index && pdo->entries[j].subindex == e->subindex &&
                pdo->entries[j].bits == e->bits)
                return pdo->entries[j].type;
    }
    for (size_t i = 0; i < s->sii.entry_count; i++)
        if (s->sii.entries[i].index == e->index && s->sii.entries[i].subindex == e->subindex &&
            s->sii.entries[i].bits == e->bits)
            return s->sii.entries[i].type;
    return yk_ec_type_of(0, e->bits);
}

static enum yk_status place(struct yk_ec_slave *s, uint16_t pdo, struct yk_ec_entry entry, bool to_slave,
                            struct yk_err *err)
{
    size_t *bits = to_slave ? &s->out_bits : &s->in_bits;

    if (s->placed_count == YK_EC_PLACED)
        return yk_fail(err, YK_E_UNSUPPORTED, "EtherCAT: %s has more than %d entries of process data", s->name,
                       YK_EC_PLACED);
    s->placed[s->placed_count++] = (struct yk_ec_placed){entry, pdo, *bits, to_slave};
    *bits += entry.bits;
    return YK_OK;
}

static enum yk_status map_from_sii(struct yk_ec_slave *s, bool to_slave, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < s->sii.pdo_count && !st; i++) {
        const struct yk_ec_sii_pdo *pdo = &s->sii.pdos[i];

        for (size_t j = 0; j < pdo->count && pdo->to_slave == to_slave && pdo->sm != 0xFF && !st; j++)
            st = place(s, pdo->index, s->sii.entries[pdo->first + j], to_slave, err);
    }
    return st;
}

static uint64_t uploaded(const struct yk_ec_master *m, int bytes)
{
    return yk_le_get(m->sdo.data, m->sdo.size < (size_t)bytes ? (int)m->sdo.size : bytes);
}

/* Reads the mapping of process data from the objects of the slave. */
static enum yk_status map_from_objects(struct yk_ec_master *m, size_t k, const struct yk_ec_slave_setup *setup,
                                       bool to_slave, struct yk_err *err)
{
    struct yk_ec_slave *s = &m->slaves[k];
    const uint16_t assignment = (uint16_t)(0x1C10 + sm_of(s, to_slave));
    enum yk_status st = yk_ec_upload(m, k, assignment, 0, err);
    const uint64_t pdos = uploaded(m, 1);

    for (uint64_t i = 1; i <= pdos && !st; i++) {
        if ((st = yk_ec_upload(m, k, assignment, (uint8_t)i, err)))
            break;
        const uint16_t pdo = (uint16_t)uploaded(m, 2);

        if ((st = yk_ec_upload(m, k, pdo, 0, err)))
            break;
        const uint64_t entries = uploaded(m, 1);

        for (uint64_t j = 1; j <= entries && !st; j++) {
            if ((st = yk_ec_upload(m, k, pdo, (uint8_t)j, err)))
                break;
            const uint32_t word = (uint32_t)uploaded(m, 4);
            struct yk_ec_entry e = {(uint16_t)(word >> 16), (uint8_t)(word >> 8), (uint8_t)word, YK_EC_GAP};

            e.type = e.index ? type_of(s, setup, &e) : YK_EC_GAP;
            st = place(s, pdo, e, to_slave, err);
        }
    }
    return st;
}

/* Writes the entries of a PDO. */
static enum yk_status write_pdo(struct yk_ec_master *m, size_t k, const struct yk_ec_pdo *pdo, struct yk_err *err)
{
    enum yk_status st = yk_ec_download(m, k, pdo->index, 0, 0, 1, err);

    for (size_t j = 0; j < pdo->count && !st; j++)
        st = yk_ec_download(m, k, pdo->index, (uint8_t)(j + 1),
                            (uint64_t)pdo->entries[j].index << 16 | (uint64_t)pdo->entries[j].subindex << 8 |
                                pdo->entries[j].bits,
                            4, err);
    return st ? st : yk_ec_download(m, k, pdo->index, 0, pdo->count, 1, err);
}

/* Writes the mapping of the file. A slave with fixed process data refuses; then its own must do. Many let PDOs be
 * assigned whose entries are fixed: those are assigned as they are. */
static enum yk_status write_map(struct yk_ec_master *m, size_t k, const struct yk_ec_pdo *pdos, size_t count,
                                bool to_slave, struct yk_err *err)
{
    const uint16_t assignment = (uint16_t)(0x1C10 + sm_of(&m->slaves[k], to_slave));
    enum yk_status st = yk_ec_download(m, k, assignment, 0, 0, 1, err);

    for (size_t i = 0; i < count && !st; i++) {
        st = write_pdo(m, k, &pdos[i], err);
        st = st == YK_E_UNSUPPORTED ? YK_OK : st;
    }
    for (size_t i = 0; i < count && !st; i++)
        st = yk_ec_download(m, k, assignment, (uint8_t)(i + 1), pdos[i].index, 2, err);
    return st ? st : yk_ec_download(m, k, assignment, 0, count, 1, err);
}

enum yk_status yk_ec_map(struct yk_ec_master *m, size_t k, const struct yk_ec_slave_setup *setup, struct yk_err *err)
{
    struct yk_ec_slave *s = &m->slaves[k];
    const bool has_objects = s->sii.mail_out_size && s->sii.protocols & YK_EC_PROTOCOL_COE;
    enum yk_status st = YK_OK;

    s->placed_count = s->out_bits = s->in_bits = 0;
    for (int to_slave = 1; to_slave >= 0 && !st; to_slave--) {
        const size_t count = !setup ? 0 : to_slave ? setup->output_count : setup->input_count, before = s->placed_count;
        size_t *bits = to_slave ? &s->out_bits : &s->in_bits;

        if (has_objects && count)
            st = write_map(m, k, to_slave ? setup->outputs : setup->inputs, count, to_slave, err);
        if (st == YK_E_UNSUPPORTED)
            st = YK_OK;
        if (has_objects && !st)
            st = map_from_objects(m, k, setup, to_slave, err);
        if (!has_objects || st == YK_E_UNSUPPORTED) {
            s->placed_count = before;
            *bits = 0;
            st = map_from_sii(s, to_slave, err);
        }
    }
    return st;
}

const struct yk_ec_placed *yk_ec_find(const struct yk_ec_master *m, size_t k, uint16_t index, uint8_t subindex,
                                      bool to_slave)
{
    const struct yk_ec_slave *s = &m->slaves[k];

    for (size_t i = 0; i < s->placed_count; i++)
        if (s->placed[i].entry.index == index && s->placed[i].entry.subindex == subindex &&
            s->placed[i].to_slave == to_slave)
            return &s->placed[i];
    return NULL;
}

/* The next slave with a mailbox to be read in the cycle; the same where it is the only one. */
YK_RT static void next_mailbox(struct yk_ec_master *m)
{
    for (size_t i = 0; i < m->count; i++) {
        m->mail_of = (m->mail_of + 1) % m->count;
        if (m->slaves[m->mail_of].mail_fits)
            return;
    }
}

enum yk_status yk_ec_lay_out(struct yk_ec_master *m, struct yk_err *err)
{
    size_t at = 0;

    m->expected_reads = m->expected_writes = 0;
    m->split = false;
    for (int to_slave = 1; to_slave >= 0; to_slave--) {
        for (size_t k = 0; k < m->count; k++) {
            struct yk_ec_slave *s = &m->slaves[k];
            const size_t bits = to_slave ? s->out_bits : s->in_bits;

            *(to_slave ? &s->out_at : &s->in_at) = at;
            at += (bits + 7) / 8;
            *(to_slave ? &m->expected_writes : &m->expected_reads) += bits > 0;
            m->split |= bits && (s->features & YK_EC_NO_LRW || s->sii.no_lrw);
        }
        if (to_slave)
            m->out_size = at;
    }
    m->size = at;
    for (size_t k = 0; k < m->count; k++)
        m->slaves[k].mail_fits = m->slaves[k].sii.protocols & YK_EC_PROTOCOL_COE && m->slaves[k].sii.mail_in_size &&
                                 CYCLE_BESIDES + at + m->slaves[k].sii.mail_in_size <= YK_EC_FRAME_MOST;
    next_mailbox(m);
    m->expected = (uint16_t)(m->expected_reads + 2 * m->expected_writes);
    memset(m->outputs, 0, sizeof m->outputs);
    memset(m->inputs, 0, sizeof m->inputs);
    if (at > YK_EC_IMAGE_MOST)
        return yk_fail(err, YK_E_UNSUPPORTED, "EtherCAT: %zu bytes of process data; one frame carries %d", at,
                       YK_EC_IMAGE_MOST);
    return at ? YK_OK : yk_fail(err, YK_E_INPUT, "EtherCAT: no slave has process data");
}

/* ---- settings of a slave ---- */

/* Sends the frame that was begun; true: it came back, and every datagram was counted once. */
static bool finish(struct yk_ec_master *m)
{
    enum { TRIES = 3 };
    bool back = false;

    for (int i = 0; i < TRIES && !back; i++)
        back = yk_ec_send_and_await(m);
    for (size_t k = 0; back && k < m->found_count; k++)
        back = yk_ec_wkc_of(&m->found[k]) == 1;
    return back;
}

static uint8_t *add(struct yk_ec_master *m, enum yk_ec_command command, size_t k, unsigned ado, size_t size)
{
    return yk_ec_frame_add(&m->out, command, ++m->index, yk_ec_address(m->slaves[k].station, ado), size);
}

static void put_sm(const struct yk_ec_slave *s, bool to_slave, uint8_t *at)
{
    const size_t sm = sm_of(s, to_slave), bytes = ((to_slave ? s->out_bits : s->in_bits) + 7) / 8;
    const struct yk_ec_sii_sm *told = sm < s->sii.sm_count ? &s->sii.sms[sm] : NULL;

    yk_le_put(at, told ? told->start : 0, 2);
    yk_le_put(at + 2, bytes, 2);
    at[YK_EC_SM_CONTROL] = told && told->control ? told->control : to_slave ? YK_EC_SM_OUTPUTS : YK_EC_SM_INPUTS;
    if (to_slave)
        at[YK_EC_SM_CONTROL] |= YK_EC_SM_WATCHDOG;
    at[YK_EC_SM_ACTIVATE] = bytes > 0;
}

static void put_fmmu(const struct yk_ec_slave *s, bool to_slave, uint8_t *at)
{
    const size_t sm = sm_of(s, to_slave), bits = to_slave ? s->out_bits : s->in_bits;

    if (!bits)
        return;
    yk_le_put(at, YK_EC_LOGICAL + (to_slave ? s->out_at : s->in_at), 4);
    yk_le_put(at + 4, (bits + 7) / 8, 2);
    at[YK_EC_FMMU_LAST_BIT] = 7; /* whole bytes */
    yk_le_put(at + YK_EC_FMMU_PHYSICAL, sm < s->sii.sm_count ? s->sii.sms[sm].start : 0, 2);
    at[YK_EC_FMMU_TYPE] = to_slave ? YK_EC_FMMU_WRITE : YK_EC_FMMU_READ;
    at[YK_EC_FMMU_ACTIVE] = 1;
}

enum yk_status yk_ec_configure(struct yk_ec_master *m, size_t k, double watchdog_s, struct yk_err *err)
{
    const struct yk_ec_slave *s = &m->slaves[k];
    const size_t out = sm_of(s, true), in = sm_of(s, false);
    const uint16_t ticks = (uint16_t)(watchdog_s * WATCHDOG_PER_S + 0.5);

    if (!s->out_bits && !s->in_bits)
        return YK_OK;
    yk_ec_frame_begin(&m->out, m->wire.mac);
    if (s->out_bits && s->in_bits && in == out + 1) { /* as a rule */
        uint8_t *at = add(m, YK_EC_FPWR, k, YK_EC_SM + YK_EC_SM_SIZE * (unsigned)out, 2 * YK_EC_SM_SIZE);

        put_sm(s, true, at);
        put_sm(s, false, at + YK_EC_SM_SIZE);
    } else {
        if (s->out_bits)
            put_sm(s, true, add(m, YK_EC_FPWR, k, YK_EC_SM + YK_EC_SM_SIZE * (unsigned)out, YK_EC_SM_SIZE));
        if (s->in_bits)
            put_sm(s, false, add(m, YK_EC_FPWR, k, YK_EC_SM + YK_EC_SM_SIZE * (unsigned)in, YK_EC_SM_SIZE));
    }
    uint8_t *fmmu = add(m, YK_EC_FPWR, k, YK_EC_FMMU, (s->out_bits && s->in_bits ? 2 : 1) * YK_EC_FMMU_SIZE);
    put_fmmu(s, true, fmmu);
    put_fmmu(s, false, fmmu + (s->out_bits ? YK_EC_FMMU_SIZE : 0) * (s->in_bits > 0));
    if (!finish(m))
        return yk_fail(err, YK_E_IO, "EtherCAT: %s does not take its SyncManagers and FMMUs", s->name);
    if (!s->out_bits)
        return YK_OK;
    yk_ec_frame_begin(&m->out, m->wire.mac);
    yk_le_put(add(m, YK_EC_FPWR, k, YK_EC_WATCHDOG_DIVIDER, 2), WATCHDOG_DIVIDER, 2);
    yk_le_put(add(m, YK_EC_FPWR, k, YK_EC_WATCHDOG_SM, 2), ticks, 2);
    if (!finish(m))
        return yk_fail(err, YK_E_IO, "EtherCAT: %s does not take its watchdog", s->name);
    yk_ec_frame_begin(&m->out, m->wire.mac);
    add(m, YK_EC_FPRD, k, YK_EC_WATCHDOG_DIVIDER, 2);
    add(m, YK_EC_FPRD, k, YK_EC_WATCHDOG_SM, 2);
    if (!finish(m) || yk_le16(yk_ec_data_of(&m->found[0])) != WATCHDOG_DIVIDER ||
        yk_le16(yk_ec_data_of(&m->found[1])) != ticks)
        return yk_fail(err, YK_E_IO,
                       "EtherCAT: %s has not kept its watchdog of %g ms: a master that dies would not stop it", s->name,
                       1e3 * watchdog_s);
    return YK_OK;
}

/* ---- clocks ---- */

/* Receive times of the slaves with a clock, after a latch; `local` of each. */
static bool latch(struct yk_ec_master *m, const size_t *clocks, size_t count, struct yk_ec_passage *at, uint64_t *local)
{
    uint8_t nothing[4] = {0};

    if (yk_ec_exchange(m, YK_EC_BWR, yk_ec_address(0, YK_EC_RECEIVE_TIME), nothing, 4) < (int)count)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct yk_ec_slave *s = &m->slaves[clocks[i]];

        yk_ec_frame_begin(&m->out, m->wire.mac);
        add(m, YK_EC_FPRD, clocks[i], YK_EC_RECEIVE_TIME, 16);
        add(m, YK_EC_FPRD, clocks[i], YK_EC_LATCHED_TIME, 8);
        if (!finish(m))
            return false;
        at[i].there = yk_le32(yk_ec_data_of(&m->found[0]));
        at[i].back = s->ports > 1 ? yk_le32(yk_ec_data_of(&m->found[0]) + 4) : at[i].there;
        local[i] = yk_le64(yk_ec_data_of(&m->found[1]));
    }
    return true;
}

static int compare(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

/* Delays: the median of several; offsets, so that all show `time` at the last latch. */
static bool set_clocks(struct yk_ec_master *m, const size_t *clocks, size_t count)
{
    static const int32_t chips_ns = 0; /* processing minus forwarding delay: good enough */
    int32_t delays[LATCHES][YK_EC_SLAVES_MOST];
    struct yk_ec_passage at[YK_EC_SLAVES_MOST];
    uint64_t local[YK_EC_SLAVES_MOST], time = 0;

    for (int i = 0; i < LATCHES; i++) {
        time = (uint64_t)(m->wire.ops->now(&m->wire) + m->wire.epoch_ns);
        if (!latch(m, clocks, count, at, local))
            return false;
        yk_ec_line_delays(at, count, chips_ns, delays[i]);
    }
    for (size_t i = 0; i < count; i++) {
        struct yk_ec_slave *s = &m->slaves[clocks[i]];
        int32_t of[LATCHES];
        uint8_t speed[2] = {0};

        for (int j = 0; j < LATCHES; j++)
            of[j] = delays[j][i];
        qsort(of, LATCHES, sizeof *of, compare);
        s->delay_ns = of[LATCHES / 2];
        if (yk_ec_exchange(m, YK_EC_FPRD, yk_ec_address(s->station, YK_EC_SPEED_START), speed, 2) != 1)
            return false;
        yk_ec_frame_begin(&m->out, m->wire.mac);
        yk_le_put(add(m, YK_EC_FPWR, clocks[i], YK_EC_TIME_OFFSET, 8), time + (uint64_t)s->delay_ns - local[i], 8);
        yk_le_put(add(m, YK_EC_FPWR, clocks[i], YK_EC_TIME_DELAY, 4), (uint64_t)s->delay_ns, 4);
        memcpy(add(m, YK_EC_FPWR, clocks[i], YK_EC_SPEED_START, 2), speed, 2);
        if (!finish(m))
            return false;
    }
    return true;
}

/* Distributes the time of the reference until all agree with it. */
static enum yk_status settle(struct yk_ec_master *m, double patience_s, struct yk_err *err)
{
    enum { BATCH = 200 };
    const int64_t until = m->wire.ops->now(&m->wire) + (int64_t)(1e9 * patience_s);
    uint32_t off = UINT32_MAX;
    int good = 0;

    do {
        uint8_t data[8];

        for (int i = 0; i < BATCH; i++) {
            memset(data, 0, sizeof data);
            const int wkc =
                yk_ec_exchange(m, YK_EC_ARMW, yk_ec_at_position((unsigned)m->reference, YK_EC_SYSTEM_TIME), data, 8);

            if (wkc <= 0)
                return yk_fail(err, YK_E_IO, "EtherCAT: %s, the reference clock, does not tell the time",
                               m->slaves[m->reference].name);
            m->clock_count = (uint16_t)wkc;
        }
        memset(data, 0, sizeof data);
        if (yk_ec_exchange(m, YK_EC_BRD, yk_ec_address(0, YK_EC_TIME_DIFFERENCE), data, 4) > 0) {
            off = yk_le32(data) & 0x7FFFFFFF;
            good = off < SETTLED_NS ? good + 1 : 0; /* an OR: not less than any of them */
        }
    } while (good < 3 && m->wire.ops->now(&m->wire) < until);
    if (good < 3)
        return yk_fail(err, YK_E_IO,
                       "EtherCAT: the clocks of the slaves differ by up to %u ns after %g s; %d are allowed", off,
                       patience_s, SETTLED_NS);
    m->clock_runs = true;
    return YK_OK;
}

enum yk_status yk_ec_start_clocks(struct yk_ec_master *m, double patience_s, struct yk_err *err)
{
    size_t clocks[YK_EC_SLAVES_MOST], count = 0;

    if (!m->has_clock)
        return YK_OK;
    for (size_t k = 0; k < m->count; k++) {
        if (m->slaves[k].ports > 2)
            return yk_fail(err, YK_E_UNSUPPORTED,
                           "EtherCAT: %s has %d connected ports: with clocks, the bus must be a line; set clock: false",
                           m->slaves[k].name, m->slaves[k].ports);
        if (!m->slaves[k].has_clock)
            continue;
        if (!(m->slaves[k].features & YK_EC_HAS_DC64))
            return yk_fail(err, YK_E_UNSUPPORTED, "EtherCAT: %s has a clock of 32 bits; set clock: false",
                           m->slaves[k].name);
        clocks[count++] = k;
    }
    if (!set_clocks(m, clocks, count))
        return yk_fail(err, YK_E_IO, "EtherCAT: the delays of the bus cannot be measured");
    return settle(m, patience_s, err);
}

enum yk_status yk_ec_start_sync(struct yk_ec_master *m, size_t k, uint32_t cycle_ns, uint32_t shift_ns,
                                struct yk_err *err)
{
    const struct yk_ec_slave *s = &m->slaves[k];
    uint8_t time[8] = {0}, off[2] = {0};

    yk_ec_exchange(m, YK_EC_FPWR, yk_ec_address(s->station, YK_EC_SYNC_OWNER), off, 2);
    if (yk_ec_exchange(m, YK_EC_FPRD, yk_ec_address(s->station, YK_EC_SYSTEM_TIME), time, 8) != 1)
        return yk_fail(err, YK_E_IO, "EtherCAT: %s does not tell the time", s->name);
    yk_ec_frame_begin(&m->out, m->wire.mac);
    yk_le_put(add(m, YK_EC_FPWR, k, YK_EC_SYNC0_CYCLE, 8), cycle_ns, 4);
    yk_le_put(add(m, YK_EC_FPWR, k, YK_EC_SYNC_START, 8), yk_ec_sync_start(yk_le64(time), LEAD_NS, cycle_ns, shift_ns),
              8);
    yk_le_put(add(m, YK_EC_FPWR, k, YK_EC_SYNC_OWNER, 2),
              s->sii.assign_activate ? s->sii.assign_activate : SYNC_DEFAULT, 2);
    if (!finish(m))
        return yk_fail(err, YK_E_IO, "EtherCAT: %s does not take the settings of SYNC0", s->name);
    return YK_OK;
}

/* ---- the cycle ---- */

/* The mailbox of one slave: is there a message, or the message itself. False: there is none to ask. */
YK_RT static bool ask_mailbox(struct yk_ec_master *m)
{
    const struct yk_ec_slave *s = &m->slaves[m->mail_of];
    const unsigned status = YK_EC_SM + YK_EC_SM_SIZE + YK_EC_SM_STATUS;

    return s->mail_fits && yk_ec_frame_add(&m->out, YK_EC_FPRD, ++m->index,
                                           yk_ec_address(s->station, m->mail_waits ? s->sii.mail_in : status),
                                           m->mail_waits ? s->sii.mail_in_size : 1);
}

YK_RT static void take_mailbox(struct yk_ec_master *m, const struct yk_ec_datagram *d)
{
    struct yk_ec_slave *s = &m->slaves[m->mail_of];
    const bool counted = yk_ec_wkc_of(d) == 1, message = m->mail_waits;

    m->mail_waits = counted && !message && *yk_ec_data_of(d) & YK_EC_SM_FULL;
    if (counted && message) {
        const uint8_t counter = yk_ec_mail_counter(yk_ec_data_of(d));

        if (!counter || counter != s->mail_got) /* otherwise a repetition */
            (void)yk_ec_emergency_take(&s->emergency, yk_ec_data_of(d), d->length);
        s->mail_got = counter;
    }
    if (!m->mail_waits)
        next_mailbox(m);
}

/* Datagrams: time, process data, state of all, state of single slaves, a mailbox. True: there is one for a mailbox. */
YK_RT static bool compose(struct yk_ec_master *m, bool with_mail)
{
    bool asked;

    yk_ec_frame_begin(&m->out, m->wire.mac);
    if (m->clock_runs)
        yk_ec_frame_add(&m->out, YK_EC_ARMW, ++m->index, yk_ec_at_position((unsigned)m->reference, YK_EC_SYSTEM_TIME),
                        8);
    if (!m->split) {
        memcpy(yk_ec_frame_add(&m->out, YK_EC_LRW, ++m->index, YK_EC_LOGICAL, m->size), m->outputs, m->out_size);
    } else {
        if (m->out_size)
            memcpy(yk_ec_frame_add(&m->out, YK_EC_LWR, ++m->index, YK_EC_LOGICAL, m->out_size), m->outputs,
                   m->out_size);
        if (m->size > m->out_size)
            yk_ec_frame_add(&m->out, YK_EC_LRD, ++m->index, YK_EC_LOGICAL + (uint32_t)m->out_size,
                            m->size - m->out_size);
    }
    yk_ec_frame_add(&m->out, YK_EC_BRD, ++m->index, yk_ec_address(0, YK_EC_AL_STATUS), 2);
    for (size_t i = 0; i < m->asked_count; i++)
        if (!yk_ec_frame_add(&m->out, YK_EC_FPRD, ++m->index,
                             yk_ec_address(m->slaves[m->asked + i].station, YK_EC_AL_STATUS), 6))
            m->asked_count = i; /* it is full; the others come later */
    asked = with_mail && ask_mailbox(m);
    yk_ec_frame_end(&m->out);
    return asked;
}

YK_RT static void note_states(struct yk_ec_master *m, const struct yk_ec_datagram *d)
{
    for (size_t i = 0; i < m->asked_count; i++, d++) {
        struct yk_ec_slave *s = &m->slaves[m->asked + i];
        const bool here = yk_ec_wkc_of(d) == 1;

        s->al_status = here ? yk_ec_al_state(yk_ec_data_of(d)) : 0;
        s->al_code = here ? yk_le16(yk_ec_data_of(d) + 4) : 0;
    }
}

YK_RT enum yk_ec_result yk_ec_cycle(struct yk_ec_master *m, int64_t until_ns, uint16_t short_of)
{
    const struct yk_ec_datagram *d = m->found;
    const uint8_t *inputs;

    m->time = 0;
    m->wkc = m->al_or = m->al_wkc = 0;
    const bool asked = compose(m, true);
    m->wire.ops->send(&m->wire, m->out.bytes, m->out.size);
    m->counts.frames++;
    if (!yk_ec_await(m, until_ns)) {
        m->counts.missing++;
        return YK_EC_MISSING;
    }
    if (m->clock_runs) {
        m->time = yk_ec_wkc_of(d) ? yk_le64(yk_ec_data_of(d)) : 0;
        d++;
    }
    if (!m->split) {
        inputs = yk_ec_data_of(d) + m->out_size;
        m->wkc = yk_ec_wkc_of(d++);
    } else {
        if (m->out_size)
            m->wkc = (uint16_t)(2 * yk_ec_wkc_of(d++)); /* counted as LRW would */
        inputs = yk_ec_data_of(d);
        if (m->size > m->out_size)
            m->wkc = (uint16_t)(m->wkc + yk_ec_wkc_of(d++));
    }
    m->al_or = yk_ec_al_state(yk_ec_data_of(d));
    m->al_wkc = yk_ec_wkc_of(d++);
    note_states(m, d);
    if (asked)
        take_mailbox(m, &m->found[m->found_count - 1]);
    if (m->wkc > m->expected || m->wkc + short_of < m->expected) {
        m->counts.miscounts++;
        return YK_EC_MISCOUNT;
    }
    memcpy(m->inputs + m->out_size, inputs, m->size - m->out_size);
    return YK_EC_ARRIVED;
}

YK_RT enum yk_ec_result yk_ec_read_inputs(struct yk_ec_master *m, int64_t until_ns)
{
    if (m->size == m->out_size)
        return YK_EC_ARRIVED;
    yk_ec_frame_begin(&m->out, m->wire.mac);
    yk_ec_frame_add(&m->out, YK_EC_LRD, ++m->index, YK_EC_LOGICAL + (uint32_t)m->out_size, m->size - m->out_size);
    yk_ec_frame_end(&m->out);
    m->wire.ops->send(&m->wire, m->out.bytes, m->out.size);
    m->counts.frames++;
    if (!yk_ec_await(m, until_ns)) {
        m->counts.missing++;
        return YK_EC_MISSING;
    }
    if (yk_ec_wkc_of(&m->found[0]) != m->expected_reads) {
        m->counts.miscounts++;
        return YK_EC_MISCOUNT;
    }
    memcpy(m->inputs + m->out_size, yk_ec_data_of(&m->found[0]), m->size - m->out_size);
    return YK_EC_ARRIVED;
}

YK_RT void yk_ec_send_outputs(struct yk_ec_master *m)
{
    (void)compose(m, false); /* a message would be lost: nobody waits for this frame */
    m->wire.ops->send(&m->wire, m->out.bytes, m->out.size);
    m->counts.frames++;
}
