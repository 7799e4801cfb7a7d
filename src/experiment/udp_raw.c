/* The packets of the backend `udp-raw`: lists of fields to layouts. */
#include "experiment/signals.h"

#include "rig/udp_raw.h"

#include <stdlib.h>
#include <string.h>

struct field {
    char *name;
    int type, value, count;
};

#define X(id, word, bytes, checks) "|" word
static const char types[] = YK_FIELD_TYPES(X);
#undef X

const struct yk_param yk_keys_field[] = {
    {.name = "type",
     .type = YK_PARAM_CHOICE,
     .offset = offsetof(struct field, type),
     .fallback = YK_REQUIRED,
     .choices = types + 1,
     .help = "numbers u8 .. f64; a check sum of all bytes before it: sum8, xor8, sum16, crc16 (Modbus), crc16-ccitt "
             "(CCITT-FALSE), crc32 (IEEE 802.3)"},
    YK_TEXT(struct field, name, 0,
            "what it holds: a1.command, a1.feed_velocity, a1.feed_acceleration or a1.feed_force in commands; "
            "a1.displacement, a1.force, a1.velocity, a1.acceleration or a sensor in readings; sequence, answers, state "
            "(commands), fault (readings), lines, constant, skip. A check sum has none"),
    YK_NODE("scale", "number with unit", 0, "deprecated: write it into the section `channels`"),
    YK_NODE("offset", "number with unit", 0, "deprecated, likewise"),
    YK_COUNT(struct field, value, 0, -2147483647, 2147483647,
             "of a constant; a packet with another one is dropped and counted"),
    YK_COUNT(struct field, count, 1, 1, 1400, "of `skip`: how many of them"),
    YK_NODE("bits", "list of lines", 0, "of `lines`: the line of each bit, the lowest first; - for an unused one"),
    YK_PARAM_END,
};

/* `bits: [drive, -, green]` */
static enum yk_status read_bits(const struct yk_node *map, const struct yk_rig_names *names, bool command,
                                struct yk_field *f, struct yk_err *err)
{
    const struct yk_node *bits = yk_node_get(map, "bits");
    enum yk_status st;

    if (!bits)
        return yk_fail_at(err, YK_E_INPUT, map->where, "missing 'bits': the line of each bit");
    if ((st = yk_field_type(bits, YK_LIST, "a list of lines", err)))
        return st;
    if (bits->count > 8 * f->size || bits->count > YK_FIELD_BITS)
        return yk_fail_at(err, YK_E_RANGE, bits->where, "%zu lines do not fit into %zu bits", bits->count,
                          8 * f->size > YK_FIELD_BITS ? YK_FIELD_BITS : 8 * f->size);
    for (size_t b = 0; b < bits->count; b++) {
        const struct yk_node *item = bits->items[b];

        if ((st = yk_field_type(item, YK_SCALAR, "a line", err)))
            return st;
        if (strcmp(item->text, "-") == 0)
            continue;
        const long line = yk_rig_line(names, item, item->text, command, err);
        if (line < 0)
            return YK_E_INPUT;
        f->lines[b] = (unsigned char)line;
    }
    return YK_OK;
}

static bool is(const char *name, const char *word)
{
    return name && strcmp(name, word) == 0;
}

/* Reads the role of a field: from its type if it is a check sum, otherwise from its name. */
static enum yk_status read_role(const struct yk_node *map, const struct field *s, const struct yk_rig_names *names,
                                bool command, struct yk_field *f, struct yk_err *err)
{
    static const struct {
        const char *word;
        enum yk_field_role role;
        int side; /* 1: of commands, 0: of readings, -1: of both */
    } words[] = {{"sequence", YK_FIELD_SEQUENCE, -1}, {"answers", YK_FIELD_ANSWERS, -1},
                 {"state", YK_FIELD_STATE, 1},        {"fault", YK_FIELD_FAULT, 0},
                 {"lines", YK_FIELD_LINES, -1},       {"constant", YK_FIELD_CONSTANT, -1},
                 {"skip", YK_FIELD_SKIP, -1}};
    enum yk_quantity quantity;

    if (yk_type_checks(f->type)) {
        f->role = YK_FIELD_CHECK;
        return s->name ? yk_fail_at(err, YK_E_INPUT, yk_node_get(map, "name")->where, "a check sum has no name")
                       : YK_OK;
    }
    if (!s->name)
        return yk_fail_at(err, YK_E_INPUT, map->where, "missing 'name': what the field holds");
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (is(s->name, words[k].word) && words[k].side != !command) {
            f->role = words[k].role;
            f->constant = s->value;
            if (yk_type_floats(f->type) && f->role != YK_FIELD_SKIP)
                return yk_fail_at(err, YK_E_INPUT, yk_node_get(map, "type")->where,
                                  "'%s' is a whole number; its type cannot be f32 or f64", s->name);
            if (f->role == YK_FIELD_SKIP)
                f->size *= (size_t)s->count;
            return f->role == YK_FIELD_LINES ? read_bits(map, names, command, f, err) : YK_OK;
        }
    const long index = yk_rig_signal(names, yk_node_get(map, "name"), s->name, command, &quantity, err);

    if (index < 0)
        return YK_E_INPUT;
    f->role = YK_FIELD_VALUE;
    f->index = (size_t)index;
    return yk_rig_scale(names, map, s->name, command, f->index, quantity, err);
}

static enum yk_status read_field(const struct yk_node *map, const struct yk_rig_names *names, bool command,
                                 struct yk_field *f, struct yk_err *err)
{
    static const struct yk_field_context plain = {.directory = "", .force_means = YK_FORCE};
    struct field s = {0};
    enum yk_status st;

    memset(f->lines, YK_NO_LINE, sizeof f->lines);
    if (!(st = yk_field_type(map, YK_MAP, "a field: { type: f64, name: a1.command }", err)) &&
        !(st = yk_field_known(map, yk_keys_field, NULL, err)) &&
        !(st = yk_field_settings(map, yk_keys_field, &s, &plain, err))) {
        f->type = (enum yk_field_type)s.type;
        f->size = yk_type_bytes(f->type);
        st = read_role(map, &s, names, command, f, err);
    }
    yk_param_free(yk_keys_field, &s);
    return st;
}

/* A name twice would be written twice, or read from either. */
static enum yk_status check_single(const struct yk_node *list, const struct yk_layout *l, size_t k, struct yk_err *err)
{
    const struct yk_field *f = &l->fields[k];

    for (size_t i = 0; i < k; i++) {
        const struct yk_field *other = &l->fields[i];
        const bool several = f->role == YK_FIELD_CHECK || f->role == YK_FIELD_CONSTANT || f->role == YK_FIELD_SKIP ||
                             f->role == YK_FIELD_LINES;

        if (other->role == f->role && !several && (f->role != YK_FIELD_VALUE || other->index == f->index))
            return yk_fail_at(err, YK_E_INPUT, list->items[k]->where, "the packet has '%s' twice",
                              yk_node_get(list->items[k], "name")->text);
    }
    return YK_OK;
}

static enum yk_status read_layout(const struct yk_node *settings, const char *key, const struct yk_rig_names *names,
                                  bool command, bool big, struct yk_layout *l, struct yk_err *err)
{
    const struct yk_node *list = yk_node_get(settings, key);
    enum yk_status st;

    if (!list)
        return yk_fail_at(err, YK_E_INPUT, settings->where, "missing '%s': the fields of the packet", key);
    if ((st = yk_field_type(list, YK_LIST, "a list of fields", err)))
        return st;
    if (!(l->fields = calloc(list->count + 1, sizeof *l->fields)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for a packet");
    l->big = big;
    for (; l->count < list->count && !st; l->count++) {
        struct yk_field *f = &l->fields[l->count];

        f->at = l->size;
        if (!(st = read_field(list->items[l->count], names, command, f, err)))
            st = check_single(list, l, l->count, err);
        l->size += f->size;
    }
    if (!st && (l->size == 0 || l->size > YK_WIRE_LARGEST))
        st = yk_fail_at(err, YK_E_RANGE, list->where, "a packet of %zu bytes; 1 .. %d are allowed", l->size,
                        (int)YK_WIRE_LARGEST);
    return st;
}

enum yk_status yk_build_udp_raw(const struct yk_model *e, const struct yk_node *settings,
                                const struct yk_rig_names *names, void *self, struct yk_err *err)
{
    struct yk_udp_raw_rig *u = self;
    const bool big = u->byte_order == 1;
    enum yk_status st = read_layout(settings, "commands", names, true, big, &u->raw.commands, err);

    return st ? st : read_layout(settings, "readings", names, false, big, &u->raw.readings, err);
}
