/* The settings of the backend `ethercat`: slaves in the order of the bus, and channels. */
#include "experiment/channels.h"

#include <yoke/ethercat_setup.h>

#include <yoke/rig.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- slaves ---- */

struct slave {
    char *vendor, *product, *revision;
    int drive, axis, follows, internal_limit;
    bool sync;
};

const struct yk_param yk_keys_ec_slave[] = {
    YK_TEXT(struct slave, vendor, YK_REQUIRED, "vendor number, as 0xA5A5; a bus with another slave is refused"),
    YK_TEXT(struct slave, product, YK_REQUIRED, "product code, as 0x402001"),
    YK_TEXT(struct slave, revision, 0, "revision, as 0x10000; any if left out"),
    YK_CHOICE(struct slave, drive, YK_EC_DRIVE_CHOICES, YK_EC_NO_DRIVE,
              "a drive of CiA 402 and its cyclic synchronous mode: csp position, csv velocity, cst torque"),
    YK_CHOICE(struct slave, follows, YK_EC_FOLLOWS_CHOICES, YK_EC_FOLLOWS_TARGET,
              "of a drive: it follows its target when bit 12 of its status word says so, or (enabled: for drives "
              "without that bit) when its operation is enabled, which every run then warns about"),
    YK_CHOICE(struct slave, internal_limit, YK_EC_LIMIT_CHOICES, YK_EC_LIMIT_TRIPS,
              "of a drive: what bit 11 of its status word does. The drive has then reached a limit of its own, and "
              "does not do what it is told"),
    YK_COUNT(struct slave, axis, 0, 0, 7, "of a drive with several axes: its objects lie at + 0x800 axis"),
    YK_FLAG(struct slave, sync, true, "acts at SYNC0, if the bus has a clock and the slave can"),
    YK_NODE(
        "outputs", "map of PDO to list of entries", 0,
        "process data to the slave: { 0x1600: [0x6040:0:u16, 0x607A:0:i32] }; default: as the slave has them. Types: "
        "bool, i8 .. i64, u8 .. u64, f32, f64; gap:7 for unused bits"),
    YK_NODE("inputs", "map of PDO to list of entries", 0, "process data from the slave"),
    YK_NODE("sdos", "map of entry to value", 0, "written before the run: { 0x6065:0:u32: 100000 }"),
    YK_PARAM_END,
};

static enum yk_status read_whole(const struct yk_node *map, const char *key, const char *text, uint32_t *value,
                                 struct yk_err *err)
{
    char *end = NULL;
    const unsigned long n = text ? strtoul(text, &end, 0) : 0;

    *value = (uint32_t)n;
    if (!text || (end != text && !*end && n <= 0xFFFFFFFF && *text != '-'))
        return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, yk_node_get(map, key)->where,
                      "%s = '%s' is not a number of 32 bits, such as 0x402001", key, text);
}

static enum yk_status read_entry(const struct yk_node *node, const char *text, bool typed, struct yk_ec_entry *entry,
                                 struct yk_err *err)
{
    if (yk_ec_entry_parse(text, entry) && (!typed || entry->bits))
        return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, node->where, "'%s' is not an entry: index and subindex%s, such as 0x607A:0%s",
                      text, typed ? " and type (bool, i8 .. i64, u8 .. u64, f32, f64, or gap:BITS)" : "",
                      typed ? ":i32" : "");
}

/* One PDO: its key is the index. */
static enum yk_status read_pdo(const struct yk_node *node, struct yk_ec_pdo *pdo, struct yk_err *err)
{
    char *end;
    const unsigned long index = strtoul(node->key, &end, 0);
    enum yk_status st = yk_field_type(node, YK_LIST, "a list of entries", err);

    if (!st && (*end || index < 0x1600 || index > 0x1BFF))
        st = yk_fail_at(err, YK_E_RANGE, node->key_where, "'%s' is not a PDO: 0x1600 .. 0x17FF, 0x1A00 .. 0x1BFF",
                        node->key);
    if (!st && (node->count == 0 || node->count > YK_EC_PDO_ENTRIES))
        st = yk_fail_at(err, YK_E_RANGE, node->where, "PDO %s has %zu entries; 1 .. %d are allowed", node->key,
                        node->count, YK_EC_PDO_ENTRIES);
    if (st)
        return st;
    pdo->index = (uint16_t)index;
    for (; pdo->count < node->count && !st; pdo->count++) {
        const struct yk_node *item = node->items[pdo->count];

        if (!(st = yk_field_type(item, YK_SCALAR, "an entry", err)))
            st = read_entry(item, item->text, true, &pdo->entries[pdo->count], err);
    }
    return st;
}

static enum yk_status read_pdos(const struct yk_node *map, struct yk_ec_pdo **pdos, size_t *count, struct yk_err *err)
{
    enum yk_status st = map ? yk_field_type(map, YK_MAP, "a map of PDOs", err) : YK_OK;

    if (!map || st)
        return st;
    if (!(*pdos = calloc(map->count + 1, sizeof **pdos)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (; *count < map->count && !st; ++*count)
        st = read_pdo(map->items[*count], &(*pdos)[*count], err);
    return st;
}

static enum yk_status read_sdos(const struct yk_node *map, struct yk_ec_slave_setup *s, struct yk_err *err)
{
    enum yk_status st = map ? yk_field_type(map, YK_MAP, "a map of entries to values", err) : YK_OK;

    if (!map || st)
        return st;
    if (!(s->sdos = calloc(map->count + 1, sizeof *s->sdos)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (; s->sdo_count < map->count && !st; s->sdo_count++) {
        const struct yk_node *node = map->items[s->sdo_count];
        struct yk_ec_sdo_value *to = &s->sdos[s->sdo_count];
        struct yk_ec_entry entry;

        if ((st = read_entry(node, node->key, true, &entry, err)) ||
            (st = yk_field_real(node, YK_NUMBER, -1e300, 1e300, &to->value, err)))
            return st;
        *to = (struct yk_ec_sdo_value){entry.index, entry.subindex, entry.type, to->value};
    }
    return st;
}

static const struct yk_field_context plain = {.directory = "", .force_means = YK_FORCE};

static enum yk_status read_slave(const struct yk_node *node, struct yk_ec_slave_setup *to, struct yk_err *err)
{
    struct slave s = {0};
    enum yk_status st;

    if ((st = yk_field_type(node, YK_MAP, "a map", err)) || (st = yk_check_name(node, node->key, err)) ||
        (st = yk_field_known(node, yk_keys_ec_slave, NULL, err)) ||
        (st = yk_field_settings(node, yk_keys_ec_slave, &s, &plain, err)))
        return st;
    to->drive = s.drive;
    to->follows = s.follows;
    to->on_limit = s.internal_limit;
    to->axis = s.axis;
    to->sync = s.sync;
    to->name = strdup(node->key);
    if (!to->name)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!st && !(st = read_whole(node, "vendor", s.vendor, &to->vendor, err)) &&
        !(st = read_whole(node, "product", s.product, &to->product, err)) &&
        !(st = read_whole(node, "revision", s.revision, &to->revision, err)) &&
        !(st = read_pdos(yk_node_get(node, "outputs"), &to->outputs, &to->output_count, err)) &&
        !(st = read_pdos(yk_node_get(node, "inputs"), &to->inputs, &to->input_count, err)))
        st = read_sdos(yk_node_get(node, "sdos"), to, err);
    yk_param_free(yk_keys_ec_slave, &s);
    return st;
}

/* ---- channels ---- */

struct channel {
    char *slave, *entry, *status;
};

const struct yk_param yk_keys_ec_channel[] = {
    YK_TEXT(struct channel, slave, YK_REQUIRED, "the slave, by its name in `slaves`"),
    YK_TEXT(struct channel, entry, YK_REQUIRED, "the entry of its process data, as 0x607A:0"),
    YK_NODE("scale", "number with unit", 0, "deprecated: write it into the section `channels`"),
    YK_NODE("offset", "number with unit", 0, "deprecated, likewise"),
    YK_NODE("least", "number with unit", 0,
            "of a command at 0x607A: software limits, which are written into the drive (0x607D) and read back; with "
            "`most`"),
    YK_NODE("most", "number with unit", 0, "the upper software limit"),
    YK_TEXT(struct channel, status, 0,
            "entry with the word of status of an analogue input: its error and its data-invalid bit make the reading "
            "invalid, which trips"),
    YK_PARAM_END,
};

static bool is_sent(enum yk_ec_role role)
{
    return role >= YK_EC_ROLE_COMMAND && role < YK_EC_ROLE_SENSOR;
}

/* Scale and offset of the channel, which a line has not. */
static enum yk_status read_scale(const struct yk_rig_names *names, const struct yk_node *node, long index,
                                 enum yk_quantity quantity, struct yk_ec_channel *to, struct yk_err *err)
{
    const struct yk_node *given = yk_node_get(node, "scale");
    const bool sent = is_sent(to->role);
    struct yk_scale scale = YK_RAW_IS_SI;
    enum yk_status st = YK_OK;

    given = given ? given : yk_node_get(node, "offset");
    if (index < 0 && given)
        return yk_fail_at(err, YK_E_INPUT, given->key_where, "'%s' is a line, a bit, and has no %s", node->key,
                          given->key);
    if (index >= 0 && !(st = yk_rig_scale(names, node, node->key, sent, (size_t)index, quantity, err)))
        scale = *yk_rig_scale_at(names, sent, (size_t)index);
    to->scale = scale.scale;
    to->offset = scale.offset;
    return st;
}

/* "a1.force", or the name of a sensor or a line of this rig; and what its values measure. `index`: of its value in a
 * COMMAND or READING; -1: it is a line. */
static enum yk_status find_role(const struct yk_rig_names *names, const struct yk_node *node, struct yk_ec_channel *to,
                                long *index, enum yk_quantity *quantity, struct yk_err *err)
{
    static const char *const words[] = {
#define X(id, word) word,
        YK_EC_ROLES(X)
#undef X
    };
    const char *dot = strrchr(node->key, '.');

    to->role = YK_EC_ROLE_COUNT;
    for (size_t r = 0; dot && r < sizeof words / sizeof *words; r++)
        if (strcmp(dot + 1, words[r]) == 0)
            to->role = (enum yk_ec_role)r;
    to->of = dot && to->role != YK_EC_ROLE_COUNT ? strndup(node->key, (size_t)(dot - node->key)) : strdup(node->key);
    if (!to->of)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    *quantity = YK_NUMBER;
    *index = -1;
    if (to->role != YK_EC_ROLE_COUNT || (names->sensors && yk_node_get(names->sensors, node->key))) {
        if (to->role == YK_EC_ROLE_COUNT)
            to->role = YK_EC_ROLE_SENSOR;
        *index = yk_rig_signal(names, node, node->key, is_sent(to->role), quantity, err);
        return *index < 0 ? YK_E_INPUT : YK_OK;
    }
    to->role = YK_EC_ROLE_LINE;
    if (!names->lines || !yk_node_get(names->lines, node->key))
        return yk_fail_at(err, YK_E_INPUT, node->key_where,
                          "'%s' is neither command, displacement, force, velocity, acceleration, feed_velocity, "
                          "feed_force or force_command of an actuator (a1.force) nor a sensor or line of this rig",
                          node->key);
    return YK_OK;
}

static enum yk_status find_slave(const struct yk_node *node, const struct yk_ec_setup *setup, const char *name,
                                 size_t *slave, struct yk_err *err)
{
    for (*slave = 0; *slave < setup->slave_count; ++*slave)
        if (strcmp(setup->slaves[*slave].name, name) == 0)
            return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, yk_node_get(node, "slave")->where, "there is no slave '%s' in `slaves`", name);
}

/* To counts of 32 bits, the lower one first. */
static enum yk_status count_limits(const struct yk_node *const ends[2], struct yk_ec_channel *to, struct yk_err *err)
{
    const struct yk_scale scale = {to->scale, to->offset};
    const double counts[] = {yk_scale_raw(&scale, to->least), yk_scale_raw(&scale, to->most)};

    for (int i = 0; i < 2; i++)
        if (fabs(counts[i]) > INT32_MAX)
            return yk_fail_at(err, YK_E_RANGE, ends[i]->where, "%s = %s is beyond the 32 bits of a position in counts",
                              ends[i]->key, ends[i]->text);
    to->least = fmin(counts[0], counts[1]);
    to->most = fmax(counts[0], counts[1]);
    return YK_OK;
}

/* Software limits of a drive. */
static enum yk_status read_limits(const struct yk_node *node, enum yk_quantity quantity, struct yk_ec_channel *to,
                                  struct yk_err *err)
{
    const struct yk_node *const ends[] = {yk_node_get(node, "least"), yk_node_get(node, "most")};
    double *values[] = {&to->least, &to->most};
    enum yk_status st = YK_OK;

    to->limited = ends[0] || ends[1];
    if (!to->limited)
        return YK_OK;
    if (!ends[0] || !ends[1])
        return yk_fail_at(err, YK_E_INPUT, node->where, "'%s' has '%s' without '%s'", node->key,
                          ends[0] ? "least" : "most", ends[0] ? "most" : "least");
    if (to->role != YK_EC_ROLE_COMMAND || to->entry.index % 0x800 != 0x607A % 0x800)
        return yk_fail_at(err, YK_E_INPUT, ends[0]->where,
                          "least and most are for the target position of a drive, 0x607A:0; this is %s of %s",
                          yk_ec_entry_format(&to->entry).text, node->key);
    for (int i = 0; i < 2 && !st; i++)
        st = yk_field_real(ends[i], quantity, -1e6, 1e6, values[i], err);
    if (!st && !(to->least < to->most))
        st = yk_fail_at(err, YK_E_RANGE, ends[0]->where, "least = %s must be below most = %s", ends[0]->text,
                        ends[1]->text);
    return st ? st : count_limits(ends, to, err);
}

static enum yk_status read_channel(const struct yk_rig_names *names, const struct yk_node *node,
                                   const struct yk_ec_setup *setup, struct yk_ec_channel *to, struct yk_err *err)
{
    struct channel c = {0};
    enum yk_quantity quantity;
    enum yk_status st;
    long index = -1;

    if ((st = yk_field_type(node, YK_MAP, "a map", err)) || (st = find_role(names, node, to, &index, &quantity, err)) ||
        (st = yk_field_known(node, yk_keys_ec_channel, NULL, err)) ||
        (st = yk_field_settings(node, yk_keys_ec_channel, &c, &plain, err)))
        return st;
    if (!(st = find_slave(node, setup, c.slave, &to->slave, err)) &&
        !(st = read_entry(yk_node_get(node, "entry"), c.entry, false, &to->entry, err)) && c.status)
        st = read_entry(yk_node_get(node, "status"), c.status, false, &to->status, err);
    if (!st && !(st = read_scale(names, node, index, quantity, to, err)))
        st = read_limits(node, quantity, to, err);
    yk_param_free(yk_keys_ec_channel, &c);
    return st;
}

enum yk_status yk_build_ethercat(const struct yk_model *e, const struct yk_node *settings,
                                 const struct yk_rig_names *names, void *self, struct yk_err *err)
{
    struct yk_ec_setup *setup = self;
    const struct yk_node *slaves = yk_node_get(settings, "slaves"), *channels = yk_node_get(settings, "channels");
    enum yk_status st;

    if (setup->clock && e->time.scale != 1)
        return yk_fail_at(err, YK_E_UNSUPPORTED, e->scale_where,
                          "scale = %g stretches the control period, but the clock of the bus does not: set "
                          "rig.settings.clock: false, or time.scale to 1",
                          e->time.scale);
    if ((st = yk_field_type(slaves, YK_MAP, "a map of slaves", err)) ||
        (st = yk_field_type(channels, YK_MAP, "a map of channels", err)))
        return st;
    setup->slaves = calloc(slaves->count + 1, sizeof *setup->slaves);
    setup->channels = calloc(channels->count + 1, sizeof *setup->channels);
    if (!setup->slaves || !setup->channels)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    while (setup->slave_count < slaves->count && !st) {
        st = read_slave(slaves->items[setup->slave_count], &setup->slaves[setup->slave_count], err);
        setup->slave_count++;
    }
    while (setup->channel_count < channels->count && !st) {
        st = read_channel(names, channels->items[setup->channel_count], setup, &setup->channels[setup->channel_count],
                          err);
        setup->channel_count++;
    }
    return st;
}
