/* The object dictionary of a simulated slave: single objects, PDO mapping and assignment, and how the process data are
 * made of them. */
#include "slave.h"

#include <math.h>
#include <string.h>

enum { /* abort codes */
       READ_ONLY = 0x06010002,
       NO_OBJECT = 0x06020000,
       NOT_MAPPABLE = 0x06040041,
       PDO_TOO_LONG = 0x06040042,
       BAD_LENGTH = 0x06070010,
       NO_SUBINDEX = 0x06090011,
       OUT_OF_RANGE = 0x06090030,
       WRONG_STATE = 0x08000022
};
enum {
    NAME = 0x1008,
    LABEL = 0x2000,
    RX_PDO = 0x1600,
    TX_PDO = 0x1A00,
    ASSIGNMENT = 0x1C10,
    MODE = 0x6060,
    MODES = 0x6502,
    TORQUE = 10 /* mode: cyclic synchronous torque */
};
enum { MOST_BYTES = 128 }; /* of one direction: three buffers of it fit */

int yk_sim_type_bits(unsigned type)
{
    static const uint8_t bits[] = {
        [YK_SIM_BIT] = 1,     [YK_SIM_I8] = 8,      [YK_SIM_I16] = 16, [YK_SIM_I32] = 32,
        [YK_SIM_U8] = 8,      [YK_SIM_U16] = 16,    [YK_SIM_U32] = 32, [YK_SIM_I64] = 64,
        [YK_SIM_REAL32] = 32, [YK_SIM_REAL64] = 64, [YK_SIM_U64] = 64,
    };

    return type < sizeof bits ? bits[type] : 0;
}

static bool is_signed(unsigned type)
{
    return type == YK_SIM_I8 || type == YK_SIM_I16 || type == YK_SIM_I32 || type == YK_SIM_I64;
}

double yk_sim_object_number(const struct yk_sim_object *o)
{
    const int bits = yk_sim_type_bits(o->type);
    const uint64_t raw = bits < 64 ? o->value & (((uint64_t)1 << bits) - 1) : o->value;
    float single;
    double x = (double)raw;

    if (o->type == YK_SIM_REAL64) {
        memcpy(&x, &o->value, sizeof x);
    } else if (o->type == YK_SIM_REAL32) {
        memcpy(&single, &o->value, sizeof single); /* little end first */
        x = single;
    } else if (is_signed(o->type)) {
        x = (double)((int64_t)(raw << (64 - bits)) >> (64 - bits));
    }
    return o->offset + x / o->scale;
}

bool yk_sim_object_set(struct yk_sim_object *o, double x)
{
    const double raw = (x - o->offset) * o->scale;
    const int bits = yk_sim_type_bits(o->type);
    const double most = ldexp(1, is_signed(o->type) ? bits - 1 : bits) - 1, least = is_signed(o->type) ? -most : 0;
    const float single = (float)raw;

    o->value = 0;
    if (o->type == YK_SIM_REAL64)
        memcpy(&o->value, &raw, sizeof raw);
    else if (o->type == YK_SIM_REAL32)
        memcpy(&o->value, &single, sizeof single);
    else if (o->type == YK_SIM_I32)
        o->value = (uint32_t)(fabs(raw) < 9e18 ? llround(raw) : 0);
    else if (!isnan(raw))
        o->value = raw >= most    ? (uint64_t)fmin(most, 9e18)
                   : raw <= least ? (uint64_t)(int64_t)fmax(least, -9e18)
                                  : (uint64_t)llround(raw);
    return o->type == YK_SIM_REAL64 || o->type == YK_SIM_REAL32 || (raw <= most + 0.5 && raw >= least - 0.5);
}

struct yk_sim_object *yk_sim_object_add(struct yk_sim_slave *s, struct yk_sim_object object)
{
    if (s->object_count == YK_SIM_OBJECTS)
        return NULL;
    s->objects[s->object_count] = object;
    return &s->objects[s->object_count++];
}

struct yk_sim_object *yk_sim_object_find(struct yk_sim_slave *s, unsigned index, unsigned sub)
{
    for (size_t i = 0; i < s->object_count; i++)
        if (s->objects[i].index == index && s->objects[i].sub == sub)
            return &s->objects[i];
    return NULL;
}

uint64_t yk_sim_object_value(const struct yk_sim_slave *s, unsigned index, unsigned sub)
{
    const struct yk_sim_object *o = yk_sim_object_find((struct yk_sim_slave *)s, index, sub);

    return o ? o->value : 0;
}

bool yk_sim_mode_is_there(const struct yk_sim_slave *s, unsigned mode)
{
    return mode >= 1 && mode <= 32 && yk_sim_object_value(s, MODES, 0) >> (mode - 1) & 1;
}

void yk_sim_give_torque(struct yk_sim_slave *s)
{
    struct yk_sim_object *modes = yk_sim_object_find(s, MODES, 0);

    if (modes)
        modes->value |= 1u << (TORQUE - 1);
}

/* ---- process data ---- */

static struct yk_sim_pdo *pdo_of(struct yk_sim_map *m, unsigned index)
{
    for (size_t i = 0; i < m->pdo_count; i++)
        if (m->pdos[i].index == index)
            return &m->pdos[i];
    return NULL;
}

bool yk_sim_map_build(struct yk_sim_slave *s, int direction)
{
    struct yk_sim_map *m = &s->maps[direction];

    m->count = m->bits = 0;
    for (size_t i = 0; i < m->assigned_count; i++) {
        const struct yk_sim_pdo *p = pdo_of(m, m->assigned[i]);

        for (size_t k = 0; p && k < p->count && m->count < YK_SIM_ENTRIES; k++) {
            const struct yk_sim_object *o = yk_sim_object_find(s, p->entries[k] >> 16, p->entries[k] >> 8 & 0xFF);

            m->entries[m->count].object = o ? (int)(o - s->objects) : -1;
            m->entries[m->count++].bits = (uint8_t)p->entries[k];
            m->bits += p->entries[k] & 0xFF;
        }
    }
    return yk_sim_map_bytes(m) <= MOST_BYTES;
}

void yk_sim_outputs_take(struct yk_sim_slave *s)
{
    const struct yk_sim_map *m = &s->maps[YK_SIM_OUT];
    size_t bit = 0;

    for (size_t i = 0; i < m->count; bit += m->entries[i++].bits)
        if (m->entries[i].object >= 0)
            s->objects[m->entries[i].object].value = yk_bits_get(s->memory + m->start, bit, m->entries[i].bits);
}

void yk_sim_inputs_put(struct yk_sim_slave *s)
{
    const struct yk_sim_map *m = &s->maps[YK_SIM_IN];
    size_t bit = 0;

    if (m->sm < 0 || yk_sim_slave_state(s) < YK_EC_SAFEOP)
        return;
    for (size_t i = 0; i < m->count; bit += m->entries[i++].bits)
        yk_bits_put(s->memory + m->start, bit, m->entries[i].bits,
                    m->entries[i].object >= 0 ? s->objects[m->entries[i].object].value : 0);
    s->memory[YK_EC_SM + YK_EC_SM_SIZE * m->sm + YK_EC_SM_STATUS] &= (uint8_t)~0x30;
}

/* ---- SDO ---- */

/* A mapping (0x16xx, 0x1Axx) or an assignment (0x1C10 + SM): the direction that it belongs to, or -1. */
static int direction_of(const struct yk_sim_slave *s, unsigned index)
{
    if (index >= RX_PDO && index < RX_PDO + 0x200)
        return YK_SIM_OUT;
    if (index >= TX_PDO && index < TX_PDO + 0x200)
        return YK_SIM_IN;
    for (int d = 0; d < 2; d++)
        if (s->maps[d].sm >= 0 && index == ASSIGNMENT + (unsigned)s->maps[d].sm)
            return d;
    return -1;
}

/* The elements of a mapping or an assignment, and how many there are. */
static uint32_t element(struct yk_sim_map *m, unsigned index, unsigned sub, uint64_t *value, size_t *bytes)
{
    const bool assignment = index >= ASSIGNMENT;
    const struct yk_sim_pdo *p = assignment ? NULL : pdo_of(m, index);

    if (!assignment && !p)
        return NO_OBJECT;
    const size_t count = assignment ? m->assigned_count : p->count;
    *bytes = sub == 0 ? 1 : assignment ? 2 : 4;
    if (sub == 0)
        *value = count;
    else if (sub <= (assignment ? YK_SIM_PDOS : YK_SIM_ENTRIES))
        *value = sub > count ? 0 : assignment ? m->assigned[sub - 1] : p->entries[sub - 1];
    else
        return NO_SUBINDEX;
    return 0;
}

static uint32_t set_entry(struct yk_sim_slave *s, int direction, uint32_t *to, uint32_t entry)
{
    const struct yk_sim_object *o = yk_sim_object_find(s, entry >> 16, entry >> 8 & 0xFF);

    if (entry >> 16 && (!o || !(o->access & (direction == YK_SIM_OUT ? YK_SIM_RX : YK_SIM_TX)) ||
                        (int)(entry & 0xFF) != yk_sim_type_bits(o->type)))
        return o || !(entry >> 16) ? NOT_MAPPABLE : NO_OBJECT;
    *to = entry;
    return 0;
}

/* A list is written while its count is 0, and the count last. */
static uint32_t set_element(struct yk_sim_slave *s, int direction, unsigned index, unsigned sub, uint32_t value)
{
    struct yk_sim_map *m = &s->maps[direction];
    const bool assignment = index >= ASSIGNMENT;
    struct yk_sim_pdo *p = assignment ? NULL : pdo_of(m, index);
    size_t *count = assignment ? &m->assigned_count : &p->count;
    const size_t most = assignment ? YK_SIM_PDOS : YK_SIM_ENTRIES, before = *count;

    if (!m->configurable || (!assignment && m->fixed_pdos))
        return READ_ONLY;
    if (yk_sim_slave_state(s) != YK_EC_PREOP)
        return WRONG_STATE;
    if (sub == 0 && value > most)
        return PDO_TOO_LONG;
    if (sub > 0 && *count)
        return READ_ONLY;
    if (sub > 0 && assignment) {
        if (!pdo_of(m, value))
            return NOT_MAPPABLE;
        m->assigned[sub - 1] = (uint16_t)value;
    } else if (sub > 0) {
        return set_entry(s, direction, &p->entries[sub - 1], value);
    } else {
        *count = value;
    }
    if (yk_sim_map_build(s, direction))
        return 0;
    *count = before;
    yk_sim_map_build(s, direction);
    return PDO_TOO_LONG;
}

static char *text_of(struct yk_sim_slave *s, unsigned index)
{
    return index == NAME ? s->name : index == LABEL ? s->label : NULL;
}

/* Subindex 0 of several subindices is the highest of them. */
static uint32_t highest(const struct yk_sim_slave *s, unsigned index, uint64_t *value)
{
    unsigned most = 0;

    for (size_t i = 0; i < s->object_count; i++)
        if (s->objects[i].index == index && s->objects[i].sub > most)
            most = s->objects[i].sub;
    *value = most;
    return most ? 0 : NO_OBJECT;
}

uint32_t yk_sim_sdo_upload(struct yk_sim_slave *s, unsigned index, unsigned sub, uint8_t *data, size_t *size)
{
    const struct yk_sim_object *o = yk_sim_object_find(s, index, sub);
    const int direction = direction_of(s, index);
    const char *text = text_of(s, index);
    uint64_t value = 0, most;
    uint32_t abort = 0;

    if (text) {
        *size = strlen(text);
        memcpy(data, text, *size);
        return sub ? NO_SUBINDEX : 0;
    }
    if (o) {
        value = o->value;
        *size = (size_t)(yk_sim_type_bits(o->type) + 7) / 8;
    } else if (direction >= 0) {
        abort = element(&s->maps[direction], index, sub, &value, size);
    } else {
        abort = highest(s, index, sub ? &most : &value);
        *size = 1;
        abort = !abort && sub ? NO_SUBINDEX : abort;
    }
    yk_le_put(data, value, 8);
    return abort;
}

static uint32_t set_object(struct yk_sim_slave *s, struct yk_sim_object *o, const uint8_t *data, size_t size)
{
    if (!(o->access & YK_SIM_WRITE))
        return READ_ONLY;
    if (size != (size_t)(yk_sim_type_bits(o->type) + 7) / 8)
        return BAD_LENGTH;
    if (o->index == MODE && data[0] && !yk_sim_mode_is_there(s, data[0]))
        return OUT_OF_RANGE;
    o->value = yk_le_get(data, (int)size);
    return 0;
}

uint32_t yk_sim_sdo_download(struct yk_sim_slave *s, unsigned index, unsigned sub, const uint8_t *data, size_t size)
{
    struct yk_sim_object *o = yk_sim_object_find(s, index, sub);
    const int direction = direction_of(s, index);
    uint8_t scratch[YK_SIM_MAIL_MOST];
    size_t bytes;
    uint64_t value;
    uint32_t abort;

    if (index == LABEL && sub == 0) {
        if (size >= sizeof s->label)
            return BAD_LENGTH;
        memcpy(s->label, data, size);
        s->label[size] = 0;
        return 0;
    }
    if (o)
        return set_object(s, o, data, size);
    if (direction < 0 || text_of(s, index)) {
        abort = yk_sim_sdo_upload(s, index, sub, scratch, &bytes);
        return abort ? abort : READ_ONLY;
    }
    if ((abort = element(&s->maps[direction], index, sub, &value, &bytes)))
        return abort;
    if (size != bytes)
        return BAD_LENGTH;
    return set_element(s, direction, index, sub, (uint32_t)yk_le_get(data, (int)bytes));
}
