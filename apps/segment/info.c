/* SDO information of a simulated slave: the list of its objects, their names, and what their entries are. Masters print
 * the dictionary of a slave with it. */
#include "slave.h"

#include <string.h>

enum { LIST = 1, OBJECT = 3, ENTRY = 5, ERROR = 7, MORE = 0x80 }; /* requests; the answer is one more */
enum { INFO_HEAD = 4, COE_HEAD = 2, MAIL_HEAD = 6, MOST = 2 * YK_SIM_OBJECTS };
enum { NO_OBJECT = 0x06020000, NO_SUBINDEX = 0x06090011, UNKNOWN = 0x05040001 };
enum { NAME = 0x1008, LABEL = 0x2000, ASSIGNMENT = 0x1C10 };
enum { VARIABLE = 7, RECORD = 9 };

static const struct {
    uint16_t first, last;
    const char *name;
} names[] = {
    {0x1000, 0x1000, "Device type"},
    {NAME, NAME, "Device name"},
    {0x1018, 0x1018, "Identity"},
    {0x10F1, 0x10F1, "Error settings"},
    {0x1600, 0x17FF, "RxPDO mapping"},
    {0x1A00, 0x1BFF, "TxPDO mapping"},
    {0x1C00, 0x1C00, "SyncManager types"},
    {0x1C10, 0x1C1F, "PDO assignment"},
    {0x1C32, 0x1C33, "SyncManager synchronisation"},
    {LABEL, LABEL, "Label"},
    {0x2100, 0x2100, "Target and feed-forward"},
    {0x2200, 0x2200, "Readings"},
    {0x6007, 0x6007, "Reaction to a lost connection"},
    {0x603F, 0x603F, "Error code"},
    {0x6040, 0x6040, "Control word"},
    {0x6041, 0x6041, "Status word"},
    {0x605A, 0x605A, "Quick stop option"},
    {0x605E, 0x605E, "Fault reaction option"},
    {0x6060, 0x6060, "Mode"},
    {0x6061, 0x6061, "Mode shown"},
    {0x6064, 0x6064, "Actual position"},
    {0x606C, 0x606C, "Actual velocity"},
    {0x6071, 0x6071, "Target torque"},
    {0x6076, 0x6076, "Rated torque"},
    {0x6077, 0x6077, "Actual torque"},
    {0x607A, 0x607A, "Target position"},
    {0x607C, 0x607C, "Home offset"},
    {0x607D, 0x607D, "Software position limits"},
    {0x6085, 0x6085, "Quick stop deceleration"},
    {0x608F, 0x608F, "Encoder resolution"},
    {0x6091, 0x6091, "Gear ratio"},
    {0x6092, 0x6092, "Feed"},
    {0x6098, 0x6098, "Homing method"},
    {0x6099, 0x6099, "Homing speeds"},
    {0x609A, 0x609A, "Homing acceleration"},
    {0x60A8, 0x60A8, "SI unit of positions"},
    {0x60B1, 0x60B1, "Velocity offset"},
    {0x60B2, 0x60B2, "Torque offset"},
    {0x60C2, 0x60C2, "Interpolation period"},
    {0x60F4, 0x60F4, "Following error"},
    {0x60FF, 0x60FF, "Target velocity"},
    {0x6502, 0x6502, "Supported modes"},
};

static const char *name_of(unsigned index)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (index >= names[i].first && index <= names[i].last)
            return names[i].name;
    return "Process data";
}

/* ---- what there is ---- */

struct entry {
    uint8_t type, access;
    uint16_t bits;
};

/* A list of PDOs or of entries: where it is in the dictionary, and how many elements it has; -1: not of this slave. */
static int list_length(const struct yk_sim_slave *s, unsigned index)
{
    for (int d = 0; d < 2; d++) {
        const struct yk_sim_map *m = &s->maps[d];

        if (m->sm >= 0 && s->mailbox && index == ASSIGNMENT + (unsigned)m->sm)
            return (int)m->assigned_count;
        for (size_t i = 0; i < m->pdo_count; i++)
            if (m->pdos[i].index == index)
                return (int)m->pdos[i].count;
    }
    return -1;
}

/* The highest subindex; -1: there is no such object. */
static int highest(const struct yk_sim_slave *s, unsigned index)
{
    int most = index == NAME || index == LABEL ? 0 : list_length(s, index);

    for (size_t i = 0; i < s->object_count; i++)
        if (s->objects[i].index == index && s->objects[i].sub > most)
            most = s->objects[i].sub;
    return most;
}

static bool find_entry(struct yk_sim_slave *s, unsigned index, unsigned sub, struct entry *e)
{
    const struct yk_sim_object *o = yk_sim_object_find(s, index, sub);
    const char *text = index == NAME ? s->name : s->label;
    const int length = list_length(s, index);

    if (o)
        *e = (struct entry){o->type, o->access, (uint16_t)yk_sim_type_bits(o->type)};
    else if (index == NAME || index == LABEL)
        *e = (struct entry){YK_SIM_STRING, index == NAME ? YK_SIM_READ : YK_SIM_READ | YK_SIM_WRITE,
                            (uint16_t)(8 * strlen(text))};
    else if (sub == 0 && highest(s, index) > 0)
        *e = (struct entry){YK_SIM_U8, length >= 0 ? YK_SIM_READ | YK_SIM_WRITE : YK_SIM_READ, 8};
    else if ((int)sub <= length)
        *e = (struct entry){index >= ASSIGNMENT ? YK_SIM_U16 : YK_SIM_U32, YK_SIM_READ | YK_SIM_WRITE,
                            index >= ASSIGNMENT ? 16 : 32};
    else
        return false;
    return true;
}

static void insert(uint16_t *list, size_t *count, unsigned index)
{
    size_t at = *count;

    while (at > 0 && list[at - 1] > index)
        at--;
    if (*count == MOST || (at > 0 && list[at - 1] == index))
        return;
    memmove(list + at + 1, list + at, (*count - at) * sizeof *list);
    list[at] = (uint16_t)index;
    ++*count;
}

/* The objects of a list: 1 all, 2 and 3 those that may be mapped among outputs and inputs; rising. */
static size_t make_list(const struct yk_sim_slave *s, unsigned which, uint16_t list[MOST])
{
    size_t count = 0;

    for (size_t i = 0; i < s->object_count; i++)
        if (which == 1 || (which == 2 && s->objects[i].access & YK_SIM_RX) ||
            (which == 3 && s->objects[i].access & YK_SIM_TX))
            insert(list, &count, s->objects[i].index);
    for (int d = 0; d < 2 && which == 1; d++) {
        insert(list, &count, d ? LABEL : NAME);
        for (size_t i = 0; i < s->maps[d].pdo_count; i++)
            insert(list, &count, s->maps[d].pdos[i].index);
        if (s->maps[d].sm >= 0)
            insert(list, &count, ASSIGNMENT + (unsigned)s->maps[d].sm);
    }
    return count;
}

/* ---- answers ---- */

/* The body of an answer of `size` bytes. */
static uint8_t *say(struct yk_sim_slave *s, unsigned operation, unsigned fragments, size_t size, int64_t now)
{
    uint8_t *coe = yk_sim_mail_say(s, 3, COE_HEAD + INFO_HEAD + size, now);

    yk_le_put(coe, 8 << 12, 2);
    coe[2] = (uint8_t)(operation | (fragments ? MORE : 0));
    yk_le_put(coe + 4, fragments, 2);
    return coe + COE_HEAD + INFO_HEAD;
}

static void refuse(struct yk_sim_slave *s, uint32_t code, int64_t now)
{
    yk_le_put(say(s, ERROR, 0, 4, now), code, 4);
}

/* As many messages as are needed; the first begins with the number of the list. */
static void answer_list(struct yk_sim_slave *s, unsigned which, int64_t now)
{
    const size_t room = (s->mailbox - MAIL_HEAD - COE_HEAD - INFO_HEAD) / 2u;
    uint16_t list[1 + MOST] = {(uint16_t)which}, other[MOST];
    size_t count = 1;

    if (which == 0) /* the lengths of the five lists */
        for (unsigned i = 1; i <= 5; i++)
            list[count++] = (uint16_t)make_list(s, i, other);
    else
        count += make_list(s, which, list + 1);
    for (size_t at = 0; at < count;) {
        const size_t n = count - at < room ? count - at : room;
        uint8_t *to = say(s, LIST + 1, (unsigned)((count - at - n + room - 1) / room), 2 * n, now);

        for (size_t i = 0; i < n; i++)
            yk_le_put(to + 2 * i, list[at + i], 2);
        at += n;
    }
}

static void answer_object(struct yk_sim_slave *s, unsigned index, int64_t now)
{
    const int most = highest(s, index);
    const char *name = name_of(index);
    struct entry e;

    if (most < 0 || !find_entry(s, index, 0, &e)) {
        refuse(s, NO_OBJECT, now);
        return;
    }
    uint8_t *to = say(s, OBJECT + 1, 0, 6 + strlen(name), now);
    yk_le_put(to, index, 2);
    yk_le_put(to + 2, e.type, 2);
    to[4] = (uint8_t)most;
    to[5] = most > 0 ? RECORD : VARIABLE;
    memcpy(to + 6, name, strlen(name));
}

/* Access: bits 0-2 may be read in PREOP, SAFEOP, OP; 3-5 may be written there; 6, 7 mappable as output, input. */
static void answer_entry(struct yk_sim_slave *s, unsigned index, unsigned sub, unsigned about, int64_t now)
{
    const bool list = list_length(s, index) >= 0;
    const char *name = name_of(index);
    struct entry e;

    if (!find_entry(s, index, sub, &e)) {
        refuse(s, highest(s, index) < 0 ? NO_OBJECT : NO_SUBINDEX, now);
        return;
    }
    const unsigned access = (e.access & YK_SIM_READ ? 7u : 0u) |
                            (!(e.access & YK_SIM_WRITE) ? 0u
                             : list                     ? 8u
                                                        : 7u << 3) |
                            (e.access & YK_SIM_RX ? 1u << 6 : 0u) | (e.access & YK_SIM_TX ? 1u << 7 : 0u);
    uint8_t *to = say(s, ENTRY + 1, 0, 10 + strlen(name), now);
    yk_le_put(to, index, 2);
    to[2] = (uint8_t)sub;
    to[3] = (uint8_t)(about & 7); /* access and mapping are always told */
    yk_le_put(to + 4, e.type, 2);
    yk_le_put(to + 6, e.bits, 2);
    yk_le_put(to + 8, access, 2);
    memcpy(to + 10, name, strlen(name));
}

void yk_sim_info_answer(struct yk_sim_slave *s, const uint8_t *info, size_t size, int64_t now)
{
    const unsigned operation = info[0] & 0x7F, index = size >= INFO_HEAD + 2 ? yk_le16(info + INFO_HEAD) : 0;

    if (operation == LIST && size >= INFO_HEAD + 2)
        answer_list(s, index, now);
    else if (operation == OBJECT && size >= INFO_HEAD + 2)
        answer_object(s, index, now);
    else if (operation == ENTRY && size >= INFO_HEAD + 4)
        answer_entry(s, index, info[6], info[7], now);
    else
        refuse(s, UNKNOWN, now);
}
