/* The SII of a simulated slave: an EEPROM image that describes it, built from its objects, and the access to it. */
#include "slave.h"

#include <string.h>

enum { SIZE_KIBIT = 8, DC_SYNC0 = 0x0300, DS402_CHANNELS = 9, PORTS_MII = 0x0011 };
enum { COE_DETAILS = 0x0F, WRITE = 2, RELOAD = 4 };

uint8_t yk_sim_sii_crc(const uint8_t *bytes, size_t count)
{
    unsigned crc = 0xFF;

    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 0x80 ? (crc << 1 ^ 0x07) & 0xFF : crc << 1;
    }
    return (uint8_t)crc;
}

/* ---- the image ---- */

static void put(struct yk_sim_slave *s, uint64_t value, int bytes)
{
    if (s->sii_size + (size_t)bytes > sizeof s->sii)
        return;
    yk_le_put(s->sii + s->sii_size, value, bytes);
    s->sii_size += (size_t)bytes;
}

static size_t begin(struct yk_sim_slave *s, unsigned type)
{
    put(s, type, 2);
    put(s, 0, 2);
    return s->sii_size;
}

/* A category ends on a whole word. */
static void end(struct yk_sim_slave *s, size_t start)
{
    if ((s->sii_size - start) % 2)
        put(s, 0, 1);
    yk_le_put(s->sii + start - 2, (s->sii_size - start) / 2, 2);
}

/* The first is the order code: masters that read no category `general` take it for the name. */
static void put_strings(struct yk_sim_slave *s, const char *group)
{
    const char *const texts[] = {s->order, group};
    const size_t start = begin(s, YK_EC_CATEGORY_STRINGS);

    put(s, 2, 1);
    for (int i = 0; i < 2; i++) {
        put(s, strlen(texts[i]), 1);
        for (const char *c = texts[i]; *c; c++)
            put(s, (uint8_t)*c, 1);
    }
    end(s, start);
}

static void put_general(struct yk_sim_slave *s)
{
    const size_t start = begin(s, YK_EC_CATEGORY_GENERAL);

    for (int i = 0; i < 32; i++)
        put(s, 0, 1);
    uint8_t *g = s->sii + start;
    g[0] = 2;        /* group: the second string */
    g[2] = g[3] = 1; /* order code and name: the first */
    g[5] = s->mailbox ? COE_DETAILS : 0;
    g[DS402_CHANNELS] = s->drive;
    yk_le_put(g + 16, PORTS_MII, 2);
    end(s, start);
}

static void put_sm(struct yk_sim_slave *s, unsigned start, size_t length, uint8_t control, uint8_t type)
{
    put(s, start, 2);
    put(s, length, 2);
    put(s, control, 2); /* and the status */
    put(s, length ? 1 : 0, 1);
    put(s, type, 1);
}

static void put_sms(struct yk_sim_slave *s)
{
    size_t start = begin(s, YK_EC_CATEGORY_FMMU);

    put(s, s->maps[YK_SIM_OUT].bits ? 1 : s->maps[YK_SIM_IN].bits ? 2 : 0, 1);
    put(s, s->maps[YK_SIM_OUT].bits && s->maps[YK_SIM_IN].bits ? 2 : 0, 1);
    put(s, s->mailbox ? 3 : 0, 1);
    put(s, 0, 1);
    end(s, start);
    start = begin(s, YK_EC_CATEGORY_SM);
    if (s->mailbox) {
        put_sm(s, 0x1000, s->mailbox, YK_EC_SM_MAILBOX_OUT, 1);
        put_sm(s, 0x1000u + s->mailbox, s->mailbox, YK_EC_SM_MAILBOX_IN, 2);
    }
    for (int d = 0; d < 2; d++)
        if (s->maps[d].sm >= 0)
            put_sm(s, s->maps[d].start, yk_sim_map_bytes(&s->maps[d]), s->maps[d].control, (uint8_t)(3 + d));
    end(s, start);
}

static void put_pdos(struct yk_sim_slave *s, int direction)
{
    const struct yk_sim_map *m = &s->maps[direction];

    for (size_t i = 0; i < m->assigned_count; i++) {
        const struct yk_sim_pdo *p = m->pdos;

        while (p->index != m->assigned[i])
            p++;
        const size_t start = begin(s, direction == YK_SIM_IN ? YK_EC_CATEGORY_TXPDO : YK_EC_CATEGORY_RXPDO);
        put(s, p->index, 2);
        put(s, p->count, 1);
        put(s, (uint64_t)m->sm, 1);
        put(s, 0, 4);
        for (size_t k = 0; k < p->count; k++) {
            const struct yk_sim_object *o = yk_sim_object_find(s, p->entries[k] >> 16, p->entries[k] >> 8 & 0xFF);

            put(s, p->entries[k] >> 16, 2);
            put(s, p->entries[k] >> 8 & 0xFF, 1);
            put(s, 0, 1);
            put(s, o ? o->type : 0, 1);
            put(s, p->entries[k] & 0xFF, 1);
            put(s, 0, 2);
        }
        end(s, start);
    }
}

void yk_sim_sii_build(struct yk_sim_slave *s)
{
    uint8_t *head = s->sii;

    memset(s->sii, 0, sizeof s->sii);
    yk_sim_map_build(s, YK_SIM_OUT);
    yk_sim_map_build(s, YK_SIM_IN);
    head[0] = s->firmware ? 5 : 4;
    head[1] = !s->firmware;
    yk_le_put(head + 2 * YK_EC_SII_CHECKSUM, yk_sim_sii_crc(head, 14), 2);
    yk_le_put(head + 2 * YK_EC_SII_VENDOR, s->vendor, 4);
    yk_le_put(head + 2 * YK_EC_SII_PRODUCT, s->product, 4);
    yk_le_put(head + 2 * YK_EC_SII_NUMBER, s->revision, 4);
    yk_le_put(head + 2 * YK_EC_SII_SERIAL, s->serial, 4);
    if (s->mailbox) {
        const uint16_t words[] = {0x1000, s->mailbox, (uint16_t)(0x1000 + s->mailbox), s->mailbox, YK_EC_PROTOCOL_COE};

        for (int i = 0; i < 5; i++)
            yk_le_put(head + 2 * (YK_EC_SII_MAILBOX + i), words[i], 2);
    }
    yk_le_put(head + 0x7C, SIZE_KIBIT - 1, 2);
    yk_le_put(head + 0x7E, 1, 2);
    s->sii_size = 2 * YK_EC_SII_CATEGORIES;
    put_strings(s, s->drive ? "drives" : "terminals");
    put_general(s);
    put_sms(s);
    put_pdos(s, YK_SIM_IN);
    put_pdos(s, YK_SIM_OUT);
    if (s->dc && s->firmware) {
        const size_t start = begin(s, YK_EC_CATEGORY_DC);

        put(s, 0, 8);
        put(s, 0, 6);
        put(s, DC_SYNC0, 2);
        put(s, 0, 8);
        end(s, start);
    }
    put(s, YK_EC_CATEGORY_END, 2);
    memset(s->sii + s->sii_size, 0xFF, sizeof s->sii - s->sii_size); /* blank */
}

/* ---- access ---- */

void yk_sim_sii_command(struct yk_sim_slave *s, int64_t now)
{
    const unsigned asked = yk_le16(s->memory + YK_EC_SII_CONTROL), command = asked >> 8 & 7;

    yk_le_put(s->memory + YK_EC_SII_CONTROL, YK_EC_SII_8_BYTES, 2); /* clears errors */
    if (!command || s->memory[YK_EC_SII_OWNER] & 1)
        return;
    yk_le_put(s->memory + YK_EC_SII_CONTROL, YK_EC_SII_BUSY | YK_EC_SII_8_BYTES | command << 8, 2);
    s->sii_due = now + (s->sii_ns > 0 ? s->sii_ns : 1);
}

void yk_sim_sii_finish(struct yk_sim_slave *s)
{
    const unsigned command = yk_le16(s->memory + YK_EC_SII_CONTROL) >> 8 & 7;
    const uint64_t at = 2 * (uint64_t)yk_le32(s->memory + YK_EC_SII_ADDRESS);
    unsigned status = YK_EC_SII_8_BYTES;

    s->sii_due = 0;
    if (command == WRITE) {
        status |= 1u << 14; /* not enabled, and never is */
    } else if (command != RELOAD && s->sii_deaf > 0) {
        s->sii_deaf--;
        status |= YK_EC_SII_NO_ACK | YK_EC_SII_READ;
    } else if (command != RELOAD) {
        for (uint64_t i = 0; i < 8; i++)
            s->memory[YK_EC_SII_DATA + i] = at + i < sizeof s->sii ? s->sii[at + i] : 0xFF;
    }
    yk_le_put(s->memory + YK_EC_SII_CONTROL, status, 2);
}
