/* Messages and their bytes. Written byte by byte: the same on every machine. */
#include "rig/message.h"

#include "rig/little_endian.h"

#include <math.h>
#include <string.h>

static const unsigned char magic[4] = {'Y', 'O', 'K', 'E'};

YK_RT uint32_t yk_crc32(uint32_t crc, const void *bytes, size_t size)
{
    /* of the sixteen half bytes */
    static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                       0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    const unsigned char *b = bytes;

    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc = table[(crc ^ b[i]) & 15] ^ (crc >> 4);
        crc = table[(crc ^ (b[i] >> 4)) & 15] ^ (crc >> 4);
    }
    return ~crc;
}

/* A name with its end, and a byte. */
static uint32_t add_name(uint32_t crc, const char *name, int kind)
{
    const unsigned char byte = (unsigned char)kind;

    return yk_crc32(yk_crc32(crc, name, strlen(name) + 1), &byte, 1);
}

uint32_t yk_names_crc(const struct yk_rig_plan *plan)
{
    uint32_t crc = 0;

    for (size_t i = 0; i < plan->count; i++)
        crc = add_name(crc, plan->names[i], plan->kinds ? (int)plan->kinds[i] : YK_BY_DISPLACEMENT);
    for (size_t i = 0; plan->others && i < plan->count; i++)
        crc = add_name(crc, "switch", (int)plan->others[i]);
    for (size_t i = 0; i < plan->sensor_count; i++)
        crc = yk_crc32(crc, plan->sensors[i].name, strlen(plan->sensors[i].name) + 1);
    for (size_t i = 0; i < plan->line_count; i++)
        crc = add_name(crc, plan->lines[i].name, (int)plan->lines[i].role);
    for (size_t ticks = plan->playout; ticks; ticks >>= 8) /* both sides count on it */
        crc = add_name(crc, "playout", (int)(ticks & 255));
    return crc;
}

YK_RT size_t yk_message_pack(const struct yk_message *m, unsigned char *bytes)
{
    unsigned char *at = bytes + sizeof magic;

    memcpy(bytes, magic, sizeof magic);
    at = yk_put_little(at, YK_WIRE_VERSION, 2);
    at = yk_put_little(at, m->kind, 2);
    at = yk_put_little(at, m->session, 4);
    at = yk_put_little(at, m->count, 4);
    at = yk_put_little(at, m->sequence, 8);
    at = yk_put_little(at, m->answers, 8);
    for (uint32_t i = 0; i < m->count; i++) {
        uint64_t bits;

        memcpy(&bits, &m->values[i], sizeof bits);
        at = yk_put_little(at, bits, 8);
    }
    at = yk_put_little(at, yk_crc32(0, bytes, (size_t)(at - bytes)), 4);
    return (size_t)(at - bytes);
}

YK_RT enum yk_verdict yk_message_unpack(const unsigned char *bytes, size_t size, struct yk_message *m)
{
    if (size < sizeof magic + 2 || memcmp(bytes, magic, sizeof magic) != 0)
        return YK_FRAME_FOREIGN;
    m->kind = (uint32_t)yk_get_little(bytes + 4, 2);
    if (m->kind != YK_WIRE_VERSION)
        return YK_FRAME_OTHER_VERSION;
    if (size < YK_WIRE_HEAD + 4 || size > YK_WIRE_LARGEST)
        return YK_FRAME_DAMAGED;
    m->kind = (uint32_t)yk_get_little(bytes + 6, 2);
    m->session = (uint32_t)yk_get_little(bytes + 8, 4);
    m->count = (uint32_t)yk_get_little(bytes + 12, 4);
    m->sequence = yk_get_little(bytes + 16, 8);
    m->answers = yk_get_little(bytes + 24, 8);
    if (m->count > YK_WIRE_VALUES || size != YK_WIRE_HEAD + 8 * (size_t)m->count + 4 ||
        yk_get_little(bytes + size - 4, 4) != yk_crc32(0, bytes, size - 4) || !yk_message_fits(m, NULL))
        return YK_FRAME_DAMAGED;
    for (uint32_t i = 0; i < m->count; i++) {
        const uint64_t bits = yk_get_little(bytes + YK_WIRE_HEAD + 8 * (size_t)i, 8);

        memcpy(&m->values[i], &bits, sizeof bits);
    }
    return YK_FRAME_GOOD;
}

uint64_t yk_sequence_far(bool clock, int64_t silence_ns, double tick_s)
{
    const double ticks = 0.5e-9 * (double)silence_ns / tick_s;

    return clock && ticks > YK_FAR_AHEAD ? (uint64_t)ticks : YK_FAR_AHEAD;
}

YK_RT enum yk_number yk_sequence_judge(struct yk_sequence *s, uint64_t number)
{
    enum { ENOUGH = 3 };

    if (number <= s->last)
        return YK_NUMBER_OLD;
    if (number - s->last > s->far) {
        s->following = number > s->doubted && number - s->doubted <= s->far ? s->following + 1 : 0;
        s->doubted = number;
        if (s->following < ENOUGH)
            return YK_NUMBER_FAR;
    }
    s->last = number;
    s->following = 0;
    return YK_NUMBER_NEW;
}

void yk_wire_hello(const struct yk_rig_plan *plan, double hello[YK_HELLO_VALUES])
{
    hello[0] = (double)plan->count;
    hello[1] = plan->tick;
    hello[2] = yk_names_crc(plan);
    hello[3] = (double)plan->sensor_count;
    hello[4] = (double)plan->line_count;
    hello[5] = plan->feeds_forward + 2 * (plan->others != NULL);
}

struct yk_wire_shape yk_wire_shape(const struct yk_rig_plan *plan)
{
    return (struct yk_wire_shape){plan->count, plan->sensor_count, plan->feeds_forward, plan->others != NULL};
}

enum yk_status yk_wire_check(const struct yk_rig_plan *plan, struct yk_err *err)
{
    const bool two = plan->others;
    const size_t reading = YK_WIRE_PER_READING * plan->count + plan->sensor_count + 1 + two,
                 command = (1 + (plan->feeds_forward ? YK_WIRE_PER_AHEAD : 0) + two) * plan->count + 1 + two,
                 most = reading > command ? reading : command;

    if (most <= YK_WIRE_VALUES)
        return YK_OK;
    return yk_fail(err, YK_E_RANGE,
                   "%zu actuators%s and %zu sensors make messages of %zu values; at most %d (%d for each actuator, 1 "
                   "for each sensor, 1 for the lines)",
                   plan->count, plan->feeds_forward ? " with feed-forward" : "", plan->sensor_count, most,
                   YK_WIRE_VALUES, YK_WIRE_PER_READING);
}

enum yk_status yk_wire_carried(const struct yk_rig_plan *plan, const char *backend,
                               bool (*carries)(const void *map, bool line, bool writes, size_t index), const void *map,
                               struct yk_err *err)
{
    for (size_t i = 0; i < plan->count; i++) {
        if (!carries(map, false, true, i))
            return yk_fail_about(err, YK_E_INPUT, "map", "%s: the map has no '%s.command'", backend, plan->names[i]);
        for (size_t k = 0; k < 2; k++)
            if (!carries(map, false, false, YK_WIRE_PER_READING * i + k))
                return yk_fail_about(err, YK_E_INPUT, "map", "%s: the map has no '%s.%s'", backend, plan->names[i],
                                     k ? "force" : "displacement");
    }
    for (size_t k = 0; k < plan->sensor_count; k++)
        if (!carries(map, false, false, YK_WIRE_PER_READING * plan->count + k))
            return yk_fail_about(err, YK_E_INPUT, "map", "%s: the map has no '%s', which is a sensor of the rig",
                                 backend, plan->sensors[k].name);
    for (size_t k = 0; k < plan->line_count; k++)
        if (!carries(map, true, yk_line_is_output(plan->lines[k].role), k))
            return yk_fail_about(err, YK_E_INPUT, "map", "%s: the map has no '%s', which is a line of the rig", backend,
                                 plan->lines[k].name);
    return YK_OK;
}

YK_RT void yk_wire_hand_over(const double *values, size_t actuators, size_t sensors, struct yk_rig_in *in)
{
    const double *v = values;

    for (size_t i = 0; i < actuators; i++, v += YK_WIRE_PER_READING)
        in->readings[i] = (struct yk_reading){v[0], v[1], v[2], v[3]};
    if (sensors)
        memcpy(in->sensors, v, sensors * sizeof *v);
}

YK_RT bool yk_message_fits(const struct yk_message *m, const struct yk_wire_shape *shape)
{
    static const struct {
        unsigned fixed, per_actuator;
    } values[YK_MESSAGE_KINDS] = {
        [YK_HELLO] = {6, 0},    [YK_WELCOME] = {2, 0}, [YK_REFUSE] = {2, 0},
        [YK_REST] = {0, 1},     [YK_COMMAND] = {1, 1}, [YK_READING] = {1, YK_WIRE_PER_READING},
        [YK_BYE] = {0, 0},      [YK_CUT] = {1, 0},     [YK_ENABLE] = {2, 0},
        [YK_CHALLENGE] = {0, 0}};

    if (m->kind < YK_HELLO || m->kind >= YK_MESSAGE_KINDS || m->count > YK_WIRE_VALUES)
        return false;
    const unsigned fixed = values[m->kind].fixed, each = values[m->kind].per_actuator;
    if (m->kind == YK_REFUSE)
        return m->count >= fixed && m->count <= fixed + YK_WIRE_WORDS / 8;
    if (!each)
        return m->count == fixed;
    if (!shape)
        return m->count > fixed;
    const size_t modes = !shape->switches        ? 0
                         : m->kind == YK_READING ? 1
                         : m->kind == YK_COMMAND ? shape->actuators + 1
                                                 : 0;
    return m->count == fixed + each * shape->actuators + (m->kind == YK_READING ? shape->sensors : 0) + modes +
                           (m->kind == YK_COMMAND && shape->feeds_forward ? YK_WIRE_PER_AHEAD * shape->actuators : 0);
}

YK_RT uint32_t yk_wire_lines(double value)
{
    return value >= 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
}

YK_RT uint64_t yk_wire_modes(double value)
{
    return value >= 0 && value < 9007199254740992.0 ? (uint64_t)value : 0; /* 2^53: whole numbers of a double */
}

struct yk_message yk_refuse(uint32_t session, enum yk_refusal reason, double instead, const char *words)
{
    struct yk_message m = {.kind = YK_REFUSE, .session = session, .count = 2, .values = {reason, instead}};
    const size_t length = strlen(words), used = length < YK_WIRE_WORDS ? length : YK_WIRE_WORDS - 1;

    memcpy(m.values + 2, words, used);
    m.count += (uint32_t)(used + 7) / 8;
    return m;
}

YK_RT void yk_refuse_words(const struct yk_message *m, char words[YK_WIRE_WORDS])
{
    const size_t bytes = m->count > 2 ? 8 * ((size_t)m->count - 2) : 0;

    memset(words, 0, YK_WIRE_WORDS);
    memcpy(words, m->values + 2, bytes < YK_WIRE_WORDS ? bytes : YK_WIRE_WORDS - 1);
    for (unsigned char *c = (unsigned char *)words; *c; c++) {       /* they come from elsewhere and go to a terminal */
        const bool high = *c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0; /* U+0080 .. U+009F */

        if (*c < ' ' || *c == 127 || high)
            *c = ' ';
        if (high)
            c[1] = ' ';
    }
}
