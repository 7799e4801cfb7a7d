/* Messages as packets of a declared layout. */
#include "rig/raw_codec.h"

#include <stdio.h>
#include <string.h>

/* ---- numbers ---- */

static int bits_of(const struct yk_layout *l, enum yk_field_role role)
{
    const struct yk_field *f = yk_layout_find(l, role);

    return f ? 8 * (int)f->size : 0;
}

/* How far `raw` is ahead of `from`, negative: behind; both have `bits` bits. */
YK_RT static int64_t ahead(uint64_t raw, uint64_t from, int bits)
{
    const uint64_t difference = (raw - from) << (64 - bits);

    return (int64_t)difference / (INT64_C(1) << (64 - bits));
}

/* Number of a packet without wrap-around; the first one is 1. */
YK_RT static uint64_t count(struct yk_counter *c, uint64_t raw)
{
    if (!c->bits || !c->begun) {
        c->number = c->bits ? 1 : c->number + 1;
        c->raw = raw;
        c->begun = true;
        return c->number;
    }
    const int64_t by = ahead(raw, c->raw, c->bits);
    const uint64_t back = 0 - (uint64_t)by; /* as the lowest number has no negative */

    if (by <= 0) /* old: its number without changing the last */
        return c->number > back ? c->number - back : 0;
    c->number += (uint64_t)by;
    c->raw = raw;
    return c->number;
}

/* ---- what both sides need ---- */

static void note_lines(struct yk_raw_codec *c, const struct yk_rig_plan *plan)
{
    for (size_t k = 0; k < plan->line_count; k++) {
        const uint32_t bit = UINT32_C(1) << k;

        c->inverted |= plan->lines[k].inverted ? bit : 0;
        c->outputs_off |= plan->lines[k].inverted && yk_line_is_output(plan->lines[k].role) ? bit : 0;
        c->enable |= plan->lines[k].role == YK_LINE_ENABLE ? bit : 0;
    }
}

void yk_raw_codec_init(struct yk_raw_codec *c, const struct yk_raw_settings *settings, const struct yk_rig_plan *plan,
                       bool serves)
{
    *c = (struct yk_raw_codec){.settings = settings, .shape = yk_wire_shape(plan), .serves = serves};
    yk_wire_hello(plan, c->hello);
    note_lines(c, plan);
    c->lines = c->outputs_off;
    c->heard.bits = bits_of(serves ? &settings->commands : &settings->readings, YK_FIELD_SEQUENCE);
    memcpy(c->command, plan->x0, plan->count * sizeof *c->command);
}

/* Is the drive to move? By the field, or by the line that enables it. */
YK_RT static int64_t state_of(const struct yk_raw_codec *c, const struct yk_packet *p)
{
    if (yk_layout_find(&c->settings->commands, YK_FIELD_STATE))
        return p->state;
    return ((p->lines ^ c->inverted) & c->enable) ? YK_PACKET_MOVE : YK_PACKET_IDLE;
}

/* ---- the commanding side ---- */

YK_RT static void welcome(struct yk_raw_codec *c, const struct yk_message *hello)
{
    c->session = hello->session;
    c->heard.begun = false;
    c->heard.number = 0;
    c->lines = c->outputs_off;
    c->next = (struct yk_message){.kind = YK_WELCOME,
                                  .session = hello->session,
                                  .answers = hello->sequence,
                                  .count = 2,
                                  .values = {c->settings->own_clock, 0}}; /* a device is real */
    c->waiting = true;
}

/* A device that cannot tell a repeated command from the next one would move twice. */
YK_RT static bool may_repeat(const struct yk_raw_codec *c)
{
    return yk_layout_find(&c->settings->commands, YK_FIELD_SEQUENCE) &&
           yk_layout_find(&c->settings->readings, YK_FIELD_ANSWERS);
}

YK_RT static size_t pack_command(struct yk_raw_codec *c, const struct yk_message *m, unsigned char *bytes)
{
    struct yk_packet p = {.sequence = m->sequence, .answers = m->answers, .state = YK_PACKET_IDLE};
    const size_t n = c->shape.actuators;

    if (m->kind == YK_COMMAND && m->sequence == c->sent && !may_repeat(c))
        return 0;
    c->sent = m->sequence;
    switch (m->kind) {
    case YK_HELLO:
        welcome(c, m);
        return 0;
    case YK_REST:
        memcpy(c->command, m->values, n * sizeof *c->command);
        break;
    case YK_ENABLE:
        c->lines = yk_wire_lines(m->values[1]);
        break;
    case YK_COMMAND:
        memcpy(c->command, m->values, m->count * sizeof *c->command);
        c->lines = yk_wire_lines(m->values[n]);
        p.state = YK_PACKET_MOVE;
        break;
    case YK_CUT:
        c->lines = yk_wire_lines(m->values[0]);
        p.state = YK_PACKET_CUT;
        break;
    default: /* goodbye */
        c->lines = c->outputs_off;
        p.state = YK_PACKET_END;
    }
    p.lines = c->lines;
    return yk_layout_pack(&c->settings->commands, &p, c->command, bytes);
}

YK_RT static void refuse(struct yk_raw_codec *c, int64_t fault, struct yk_message *m)
{
    char words[YK_WIRE_WORDS] = "it reports fault ", digits[24];
    size_t used = sizeof "it reports fault " - 1, k = 0;
    uint64_t left = fault < 0 ? 0 - (uint64_t)fault : (uint64_t)fault;

    do
        digits[k++] = (char)('0' + left % 10);
    while (left /= 10);
    if (fault < 0)
        digits[k++] = '-';
    while (k > 0)
        words[used++] = digits[--k];
    *m = yk_refuse(c->session, YK_REFUSED_RIG, 0, words);
}

YK_RT static enum yk_verdict unpack_reading(struct yk_raw_codec *c, const unsigned char *bytes, size_t size,
                                            struct yk_message *m)
{
    const struct yk_layout *l = &c->settings->readings;
    const struct yk_field *answers = yk_layout_find(l, YK_FIELD_ANSWERS);
    struct yk_packet p = {0};

    *m = (struct yk_message){.kind = YK_READING, .session = c->session};
    if (!yk_layout_unpack(l, bytes, size, &p, m->values))
        return YK_FRAME_DAMAGED;
    if (p.fault) {
        refuse(c, p.fault, m);
        return YK_FRAME_GOOD;
    }
    m->count = (uint32_t)(YK_WIRE_PER_READING * c->shape.actuators + c->shape.sensors + 1);
    m->values[m->count - 1] = p.lines;
    m->sequence = count(&c->heard, p.sequence);
    m->answers = c->sent;
    if (answers) {
        const int64_t by = ahead(p.answers, c->sent, 8 * (int)answers->size);

        m->answers = by < 0 && 0 - (uint64_t)by > c->sent ? 0 : c->sent + (uint64_t)by;
    }
    return YK_FRAME_GOOD;
}

/* ---- the side of the rig ---- */

YK_RT static size_t pack_reading(struct yk_raw_codec *c, const struct yk_message *m, unsigned char *bytes)
{
    /* numbers are those of the packets that came: the first was number 1 */
    struct yk_packet p = {.sequence = m->sequence, .answers = m->answers + c->heard.raw - c->heard.number};
    double none[YK_WIRE_VALUES] = {0};

    if (m->kind == YK_WELCOME) {
        c->waiting = true;
        c->moved = false;
        return 0;
    }
    if (m->kind == YK_REFUSE) {
        p.fault = 1;
        if (m->values[0] != YK_REFUSED_RIG || !yk_layout_find(&c->settings->readings, YK_FIELD_FAULT))
            return 0;
        return yk_layout_pack(&c->settings->readings, &p, none, bytes);
    }
    if (m->kind != YK_READING)
        return 0;
    p.lines = yk_wire_lines(m->values[m->count - 1]);
    return yk_layout_pack(&c->settings->readings, &p, m->values, bytes);
}

/* Without a session an idle packet asks for one, and then for a rest. */
YK_RT static void ask_for_session(struct yk_raw_codec *c, const struct yk_packet *p, struct yk_message *m)
{
    c->next = *m;
    c->next.kind = YK_REST;
    c->next.session = ++c->session;
    c->next.count = (uint32_t)c->shape.actuators;
    c->heard.begun = false;
    c->heard.number = 0;
    c->next.sequence = count(&c->heard, p->sequence);
    *m = (struct yk_message){.kind = YK_HELLO, .session = c->session, .count = YK_HELLO_VALUES};
    memcpy(m->values, c->hello, sizeof c->hello);
}

YK_RT static enum yk_verdict unpack_command(struct yk_raw_codec *c, const unsigned char *bytes, size_t size,
                                            struct yk_message *m)
{
    const size_t n = c->shape.actuators;
    struct yk_packet p = {.lines = c->outputs_off};

    *m = (struct yk_message){0};
    if (!yk_layout_unpack(&c->settings->commands, bytes, size, &p, m->values))
        return YK_FRAME_DAMAGED;
    const int64_t state = state_of(c, &p);

    m->session = c->session;
    m->values[n] = p.lines;
    if (state == YK_PACKET_IDLE && !c->link->in_session) {
        ask_for_session(c, &p, m);
        return YK_FRAME_GOOD;
    }
    m->sequence = count(&c->heard, p.sequence);
    if (state == YK_PACKET_CUT) { /* also on the way home */
        m->kind = YK_CUT;
        m->values[0] = p.lines;
        m->count = 1;
    } else if (state == YK_PACKET_MOVE) {
        m->kind = YK_COMMAND;
        m->count = (uint32_t)(n + 1 + (c->shape.feeds_forward ? YK_WIRE_PER_AHEAD * n : 0));
        c->moved = true;
    } else if (state == YK_PACKET_END) {
        m->kind = YK_BYE;
    } else if (state == YK_PACKET_IDLE && !c->moved) {
        m->kind = YK_REST;
        m->count = (uint32_t)n;
    } else if (state == YK_PACKET_IDLE) { /* the drives are to be disabled */
        m->kind = YK_ENABLE;
        m->values[0] = 0;
        m->values[1] = p.lines;
        m->count = 2;
    } else {
        return YK_FRAME_DAMAGED;
    }
    return YK_FRAME_GOOD;
}

/* ---- both ---- */

YK_RT static size_t pack(void *self, const struct yk_message *m, unsigned char *bytes)
{
    struct yk_raw_codec *c = self;

    return c->serves ? pack_reading(c, m, bytes) : pack_command(c, m, bytes);
}

YK_RT static enum yk_verdict unpack(void *self, const unsigned char *bytes, size_t size, struct yk_message *m)
{
    struct yk_raw_codec *c = self;

    return c->serves ? unpack_command(c, bytes, size, m) : unpack_reading(c, bytes, size, m);
}

YK_RT static bool pending(void *self, struct yk_message *m)
{
    struct yk_raw_codec *c = self;

    if (!c->waiting)
        return false;
    c->waiting = false;
    *m = c->next;
    return true;
}

void yk_raw_codec_use(struct yk_raw_codec *c, struct yk_link *link)
{
    c->link = link;
    link->codec = (struct yk_codec){.self = c, .pack = pack, .unpack = unpack, .pending = pending};
}

/* ---- preparation ---- */

/* The field of a value; NULL: there is none. */
static const struct yk_field *find_value(const struct yk_layout *l, size_t index)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->fields[i].role == YK_FIELD_VALUE && l->fields[i].index == index)
            return &l->fields[i];
    return NULL;
}

enum yk_status yk_raw_check(const struct yk_raw_settings *s, const struct yk_rig_plan *plan, struct yk_err *err)
{
    bool enables = yk_layout_find(&s->commands, YK_FIELD_STATE);

    for (size_t i = 0; i < plan->count; i++) {
        if (!find_value(&s->commands, i))
            return yk_fail_about(err, YK_E_INPUT, "commands", "udp-raw: no field '%s.command' in `commands`",
                                 plan->names[i]);
        for (size_t k = 0; k < 2; k++)
            if (!find_value(&s->readings, YK_WIRE_PER_READING * i + k))
                return yk_fail_about(err, YK_E_INPUT, "readings", "udp-raw: no field '%s.%s' in `readings`",
                                     plan->names[i], k ? "force" : "displacement");
    }
    for (size_t k = 0; k < plan->sensor_count; k++)
        if (!find_value(&s->readings, YK_WIRE_PER_READING * plan->count + k))
            return yk_fail_about(err, YK_E_INPUT, "readings",
                                 "udp-raw: no field '%s' in `readings`, which is a sensor of the rig",
                                 plan->sensors[k].name);
    for (size_t k = 0; k < plan->line_count; k++) {
        const bool output = yk_line_is_output(plan->lines[k].role),
                   carried = yk_layout_carries(output ? &s->commands : &s->readings, k);

        enables |= carried && plan->lines[k].role == YK_LINE_ENABLE;
        if (!carried)
            return yk_fail_about(err, YK_E_INPUT, output ? "commands" : "readings",
                                 "udp-raw: no field 'lines' of `%s` has line '%s' among its bits",
                                 output ? "commands" : "readings", plan->lines[k].name);
    }
    return enables
               ? YK_OK
               : yk_fail_about(err, YK_E_INPUT, "commands",
                               "udp-raw: `commands` needs a field 'state' or the bit of a line with the role enable: "
                               "without it the rig would move when it is only asked where it stands");
}
