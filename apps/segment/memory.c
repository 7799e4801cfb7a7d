/* The memory of a simulated slave as frames see it: addressing, working counter, registers, SyncManagers, FMMUs.
 *
 * Nothing that a frame writes is seen by the same frame: writes are kept until it has passed all slaves. */
#include "slave.h"

#include <yoke/ethercat.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 4096, MOST_WRITES = 256 }; /* that one frame writes into one slave */

struct yk_sim_write {
    size_t count, used;
    struct {
        uint16_t at, length;
        size_t from; /* in the arrays below */
    } list[MOST_WRITES];
    uint8_t value[MOST_BYTES], mask[MOST_BYTES];
};

enum yk_status yk_sim_memory_create(struct yk_sim_slave *s)
{
    return (s->writes = calloc(1, sizeof *s->writes)) ? YK_OK : YK_E_MEMORY;
}

/* Registers that the master may write; the others keep their values. */
static const struct {
    uint16_t first, last;
} writable[] = {
    {YK_EC_STATION, 0x0011},
    {YK_EC_DL_CONTROL, 0x0103},
    {YK_EC_AL_CONTROL, 0x0121},
    {YK_EC_EVENT_MASK, 0x0201},
    {YK_EC_PORT_ERRORS, 0x0313},
    {YK_EC_WATCHDOG_DIVIDER, 0x0401},
    {YK_EC_WATCHDOG_PDI, 0x0411},
    {YK_EC_WATCHDOG_SM, 0x0421},
    {YK_EC_WATCHDOG_COUNT, 0x0443},
    {YK_EC_SII_OWNER, 0x0500},
    {YK_EC_SII_CONTROL, 0x050F},
    {YK_EC_FMMU, 0x067F},
    {YK_EC_SM, 0x083F},
    {YK_EC_TIME_OFFSET, 0x092B},
    {YK_EC_SPEED_START, 0x0931},
    {YK_EC_FILTER_DEPTH, 0x0935},
    {YK_EC_SYNC_OWNER, 0x0981},
    {YK_EC_SYNC_START, 0x0997},
    {YK_EC_SYNC0_CYCLE, 0x09A7},
    {0x0F00, 0x0FFF}, /* digital outputs and user RAM */
};

static bool is_writable(unsigned at)
{
    for (size_t i = 0; i < sizeof writable / sizeof *writable; i++)
        if (at >= writable[i].first && at <= writable[i].last)
            return true;
    return false;
}

static bool overlap(unsigned at, size_t length, unsigned other, size_t other_length)
{
    return at < other + other_length && other < at + length;
}

/* ---- SyncManagers ---- */

static uint8_t *sm_of(struct yk_sim_slave *s, int i)
{
    return s->memory + YK_EC_SM + YK_EC_SM_SIZE * i;
}

/* Does this SyncManager let the master read or write now? */
static bool sm_allows(const uint8_t *sm, bool write)
{
    const bool mailbox = (sm[YK_EC_SM_CONTROL] & 3) == 2, full = sm[YK_EC_SM_STATUS] & YK_EC_SM_FULL;

    if (sm[YK_EC_SM_PDI] & YK_EC_SM_LOCKED || (sm[YK_EC_SM_CONTROL] >> 2 & 1) != write)
        return false;
    if (mailbox)
        return full != write;
    return write || (sm[YK_EC_SM_STATUS] & 0x30) != 0x30; /* 3: nothing in the buffer yet */
}

/* May the master access these bytes? `touched` gets the SyncManagers whose last byte is among them. */
static bool may_access(struct yk_sim_slave *s, unsigned at, size_t length, bool write, uint8_t *touched)
{
    *touched = 0;
    if (!length || at + length > YK_SIM_MEMORY || (!s->dc && overlap(at, length, YK_EC_RECEIVE_TIME, 0x100)))
        return false;
    for (int i = 0; i < YK_SIM_SMS && at + length > 0x0F00; i++) {
        const uint8_t *sm = sm_of(s, i);
        const unsigned start = yk_le16(sm), size = yk_le16(sm + 2);

        if (!(sm[YK_EC_SM_ACTIVATE] & 1) || !overlap(at, length, start, size))
            continue;
        if (!sm_allows(sm, write))
            return false;
        if (at + length >= start + size)
            *touched |= (uint8_t)(1 << i);
    }
    return true;
}

/* ---- reading and writing ---- */

static bool read_memory(struct yk_sim_slave *s, unsigned at, size_t length, int64_t now, const uint8_t **from)
{
    uint8_t touched;

    if (!may_access(s, at, length, false, &touched))
        return false;
    s->emptied |= touched;
    if (overlap(at, length, YK_EC_SYSTEM_TIME, 8))
        yk_le_put(s->memory + YK_EC_SYSTEM_TIME, yk_sim_clock_system(s, now), 8);
    s->al_seen |= overlap(at, length, YK_EC_AL_STATUS, 2);
    *from = s->memory + at;
    return true;
}

/* Room for a write, with all bits of the mask set; NULL: the memory refuses. */
static uint8_t *write_memory(struct yk_sim_slave *s, unsigned at, size_t length, uint8_t **mask)
{
    struct yk_sim_write *w = s->writes;
    uint8_t touched;

    if (!may_access(s, at, length, true, &touched) || w->count == MOST_WRITES || w->used + length > MOST_BYTES)
        return NULL;
    s->filled |= touched;
    w->list[w->count].at = (uint16_t)at;
    w->list[w->count].length = (uint16_t)length;
    w->list[w->count++].from = w->used;
    uint8_t *value = w->value + w->used;
    *mask = w->mask + w->used;
    memset(*mask, 0xFF, length);
    w->used += length;
    return value;
}

/* ---- logical addresses ---- */

struct fmmu {
    uint32_t start;
    unsigned length, first, last, physical, physical_bit, type;
    bool bytewise;
};

static bool fmmu_of(const struct yk_sim_slave *s, int i, struct fmmu *f)
{
    const uint8_t *r = s->memory + YK_EC_FMMU + YK_EC_FMMU_SIZE * i;

    *f = (struct fmmu){.start = yk_le32(r),
                       .length = yk_le16(r + 4),
                       .first = r[YK_EC_FMMU_FIRST_BIT] & 7u,
                       .last = r[YK_EC_FMMU_LAST_BIT] & 7u,
                       .physical = yk_le16(r + YK_EC_FMMU_PHYSICAL),
                       .physical_bit = r[YK_EC_FMMU_PHYSICAL_BIT] & 7u,
                       .type = r[YK_EC_FMMU_TYPE] & 3u};
    f->bytewise = f->first == 0 && f->last == 7 && f->physical_bit == 0;
    return r[YK_EC_FMMU_ACTIVE] & 1 && f->length > 0;
}

/* The bits [*a, *b) of the FMMU, counted from its first, that lie in the datagram. */
static bool common_bits(const struct fmmu *f, uint32_t at, size_t length, int64_t *a, int64_t *b)
{
    const int64_t start = 8 * (int64_t)f->start + f->first,
                  end = 8 * ((int64_t)f->start + f->length - 1) + f->last + 1; /* past the last */

    *a = 8 * (int64_t)at - start;
    *b = 8 * ((int64_t)at + (int64_t)length) - start;
    if (*a < 0)
        *a = 0;
    if (*b > end - start)
        *b = end - start;
    return *a < *b;
}

/* One FMMU: copies its bits to the data, or takes them from `in`. */
static bool map(struct yk_sim_slave *s, const struct fmmu *f, uint32_t at, size_t length, uint8_t *data,
                const uint8_t *in, int64_t now, bool write)
{
    int64_t a, b;

    if (!common_bits(f, at, length, &a, &b))
        return false;
    const int64_t logical = 8 * ((int64_t)f->start - (int64_t)at) + f->first + a, /* bit in the data */
        physical = f->physical_bit + a;                                           /* from f->physical on */
    const unsigned byte = f->physical + (unsigned)(physical / 8);
    const size_t bytes = (size_t)((physical % 8 + b - a + 7) / 8);
    const uint8_t *from;
    uint8_t *to, *mask;

    if (write) {
        if (byte + bytes > YK_SIM_MEMORY || !(to = write_memory(s, byte, bytes, &mask)))
            return false;
        if (f->bytewise) {
            memcpy(to, in + logical / 8, bytes);
            return true;
        }
        memset(to, 0, bytes);
        memset(mask, 0, bytes);
        for (int64_t i = 0; i < b - a; i++) {
            yk_bits_put(to, (size_t)(physical % 8 + i), 1, yk_bits_get(in, (size_t)(logical + i), 1));
            yk_bits_put(mask, (size_t)(physical % 8 + i), 1, 1);
        }
        return true;
    }
    if (byte + bytes > YK_SIM_MEMORY || !read_memory(s, byte, bytes, now, &from))
        return false;
    if (f->bytewise) {
        memcpy(data + logical / 8, from, bytes);
        return true;
    }
    for (int64_t i = 0; i < b - a; i++)
        yk_bits_put(data, (size_t)(logical + i), 1, yk_bits_get(from, (size_t)(physical % 8 + i), 1));
    return true;
}

static unsigned pass_logical(struct yk_sim_slave *s, uint8_t *datagram, size_t length, const uint8_t *in, int64_t now)
{
    const bool rd = datagram[0] != YK_EC_LWR, wr = datagram[0] != YK_EC_LRD;
    const uint32_t at = yk_le32(datagram + 2);
    bool did_read = false, did_write = false;
    struct fmmu f;

    for (int i = 0; i < YK_SIM_FMMUS; i++) {
        if (!fmmu_of(s, i, &f))
            continue;
        if (rd && f.type & YK_EC_FMMU_READ)
            did_read |= map(s, &f, at, length, datagram + YK_EC_DATAGRAM_HEAD, in, now, false);
        if (wr && f.type & YK_EC_FMMU_WRITE)
            did_write |= map(s, &f, at, length, datagram + YK_EC_DATAGRAM_HEAD, in, now, true);
    }
    return did_read + (did_write ? (rd ? 2u : 1u) : 0u);
}

/* ---- a datagram ---- */

/* Whether a physical command is meant for this slave, and what it does here. */
static void aim(const struct yk_sim_slave *s, unsigned command, unsigned adp, bool *rd, bool *wr)
{
    const bool station = adp == yk_le16(s->memory + YK_EC_STATION) ||
                         (s->memory[YK_EC_DL_ALIAS] & 1 && adp == yk_le16(s->memory + YK_EC_ALIAS)),
               first = adp == 0;

    *rd = *wr = false;
    if (command == YK_EC_ARMW || command == YK_EC_FRMW) {
        *rd = command == YK_EC_ARMW ? first : station;
        *wr = !*rd;
    } else if (command >= YK_EC_APRD && command <= YK_EC_BRW) {
        const bool mine = command < YK_EC_FPRD ? first : command < YK_EC_BRD ? station : true;
        const unsigned kind = (command - YK_EC_APRD) % 3; /* read, write, both */

        *rd = mine && kind != 1;
        *wr = mine && kind != 0;
    }
}

void yk_sim_memory_pass(struct yk_sim_slave *s, uint8_t *datagram, size_t length, int64_t now)
{
    uint8_t in[YK_EC_FRAME_MOST], *data = datagram + YK_EC_DATAGRAM_HEAD, *mask, *to;
    const unsigned command = datagram[0], adp = yk_le16(datagram + 2), ado = yk_le16(datagram + 4);
    const uint16_t events = yk_le16(s->memory + YK_EC_EVENTS) & yk_le16(s->memory + YK_EC_EVENT_MASK);
    const uint8_t *from;
    unsigned w = 0;
    bool rd, wr;

    memcpy(in, data, length);
    if (command >= YK_EC_LRD && command <= YK_EC_LRW)
        w = pass_logical(s, datagram, length, in, now);
    aim(s, command, adp, &rd, &wr);
    if (rd && read_memory(s, ado, length, now, &from)) {
        const bool merge = command >= YK_EC_BRD && command <= YK_EC_BRW;

        for (size_t i = 0; i < length; i++)
            data[i] = (uint8_t)(merge ? in[i] | from[i] : from[i]);
        w++;
    }
    if (wr && (to = write_memory(s, ado, length, &mask))) {
        memcpy(to, in, length);
        w += rd ? 2 : 1;
    }
    yk_le_put(datagram + 8, yk_le16(datagram + 8) | events, 2);
    yk_le_put(data + length, yk_le16(data + length) + w, 2);
    if ((command >= YK_EC_APRD && command <= YK_EC_APRW) || (command >= YK_EC_BRD && command <= YK_EC_BRW) ||
        command == YK_EC_ARMW)
        yk_le_put(datagram + 2, adp + 1, 2);
}

/* ---- the end of a frame ---- */

/* A byte of a SyncManager: start, length and control change only while it is off. */
static void write_sm(struct yk_sim_slave *s, unsigned at, uint8_t value)
{
    const unsigned which = (at - YK_EC_SM) % YK_EC_SM_SIZE;

    if (which == YK_EC_SM_STATUS || which == YK_EC_SM_PDI ||
        (which < YK_EC_SM_STATUS && s->memory[at - which + YK_EC_SM_ACTIVATE] & 1))
        return;
    s->memory[at] = value;
}

static void write_register(struct yk_sim_slave *s, unsigned at, uint8_t value)
{
    if (!is_writable(at))
        return;
    if (at >= YK_EC_SM && at < YK_EC_SM + YK_EC_SM_SIZE * YK_SIM_SMS)
        write_sm(s, at, value);
    else if ((at >= YK_EC_PORT_ERRORS && at <= 0x0313) || (at >= YK_EC_WATCHDOG_COUNT && at <= 0x0443))
        s->memory[at] = 0; /* a write clears the counter */
    else
        s->memory[at] = value;
}

/* A SyncManager whose activation was written: `before` is the byte that it had. */
static void sm_switched(struct yk_sim_slave *s, int i, uint8_t before)
{
    uint8_t *sm = sm_of(s, i);
    const bool on = sm[YK_EC_SM_ACTIVATE] & 1;

    if (on && !(before & 1))
        sm[YK_EC_SM_STATUS] = (sm[YK_EC_SM_CONTROL] & 3) == 2 ? 0 : 0x30;
    else if (!on)
        sm[YK_EC_SM_STATUS] = 0;
    if (i == 1 && s->mailbox && (sm[YK_EC_SM_ACTIVATE] ^ before) & YK_EC_SM_REPEAT && on)
        yk_sim_mailbox_repeat(s);
}

/* Side effects of a write to registers. */
static void react(struct yk_sim_slave *s, unsigned at, size_t length, const uint8_t *value, int64_t now)
{
    if (overlap(at, length, YK_EC_AL_CONTROL, 1))
        yk_sim_slave_request(s, yk_le16(s->memory + YK_EC_AL_CONTROL), now);
    if (overlap(at, length, YK_EC_SII_CONTROL + 1, 1))
        yk_sim_sii_command(s, now);
    if (!s->dc)
        return;
    if (overlap(at, length, YK_EC_RECEIVE_TIME, 1))
        yk_sim_clock_latch(s, now);
    if (at == YK_EC_SYSTEM_TIME && length >= 4)
        yk_sim_clock_compare(s, yk_le_get(value, length >= 8 ? 8 : 4), length >= 8 ? 8 : 4, now);
    if (overlap(at, length, YK_EC_SPEED_START, 2))
        yk_sim_clock_reset_filter(s, now);
    if (overlap(at, length, YK_EC_SYNC_ACTIVATE, 1))
        yk_sim_clock_activate(s, now);
}

static void write_through(struct yk_sim_slave *s, unsigned at, size_t length, const uint8_t *value, const uint8_t *mask,
                          int64_t now)
{
    uint8_t before[YK_SIM_SMS];

    for (int i = 0; i < YK_SIM_SMS; i++)
        before[i] = sm_of(s, i)[YK_EC_SM_ACTIVATE];
    for (size_t i = 0; i < length; i++) {
        const uint8_t byte = (uint8_t)((s->memory[at + i] & ~mask[i]) | (value[i] & mask[i]));

        if (at + i < YK_EC_PROCESS_RAM)
            write_register(s, at + (unsigned)i, byte);
        else
            s->memory[at + i] = byte;
    }
    for (int i = 0; i < YK_SIM_SMS; i++)
        if (overlap(at, length, YK_EC_SM + YK_EC_SM_SIZE * (unsigned)i + YK_EC_SM_ACTIVATE, 1))
            sm_switched(s, i, before[i]);
    if (at < YK_EC_PROCESS_RAM)
        react(s, at, length, value, now);
}

/* SyncManagers that were read or written to the end. */
static void finish_sms(struct yk_sim_slave *s, int64_t now)
{
    const int outputs = s->maps[YK_SIM_OUT].sm;

    for (int i = 0; i < YK_SIM_SMS; i++) {
        uint8_t *sm = sm_of(s, i);
        const bool mailbox = (sm[YK_EC_SM_CONTROL] & 3) == 2;

        if (s->emptied >> i & 1 && mailbox)
            sm[YK_EC_SM_STATUS] &= (uint8_t)~YK_EC_SM_FULL;
        if (!(s->filled >> i & 1))
            continue;
        sm[YK_EC_SM_STATUS] = mailbox ? YK_EC_SM_FULL : 0;
        if (mailbox && i == 0 && s->mailbox)
            yk_sim_mailbox_take(s, now);
        else if (i == outputs)
            yk_sim_slave_outputs(s, now);
    }
}

void yk_sim_memory_commit(struct yk_sim_slave *s, int64_t now)
{
    struct yk_sim_write *w = s->writes;

    for (size_t i = 0; i < w->count; i++)
        write_through(s, w->list[i].at, w->list[i].length, w->value + w->list[i].from, w->mask + w->list[i].from, now);
    if (s->filled | s->emptied)
        finish_sms(s, now);
    if (s->al_seen)
        s->memory[YK_EC_EVENTS] &= (uint8_t) ~(1 << 3);
    yk_sim_memory_forget(s);
}

void yk_sim_memory_forget(struct yk_sim_slave *s)
{
    s->writes->count = s->writes->used = 0;
    s->filled = s->emptied = 0;
    s->al_seen = false;
}
