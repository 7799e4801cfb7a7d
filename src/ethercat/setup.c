/* Settings of an EtherCAT bus, and the words for its entries. */
#include "ethercat/capture.h"
#include <yoke/ethercat_setup.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct yk_param yk_ec_params[] = {
    YK_TEXT(struct yk_ec_setup, interface, YK_REQUIRED, "network interface of the bus, which nothing else uses: eth1"),
    YK_NODE("slaves", "map of name to slave", YK_REQUIRED,
            "every slave of the bus, in its order, beginning at the master"),
    YK_NODE("channels", "map of name to channel", YK_REQUIRED,
            "what the entries of the process data carry: a1.command, a1.displacement, a1.force, a1.velocity, "
            "a1.acceleration, a1.feed_velocity, a1.feed_force of an actuator a1, or the name of a sensor or a line"),
    YK_FLAG(struct yk_ec_setup, clock, true,
            "distributed clocks: the slaves and the loop follow the first slave that has a clock; false: drives act "
            "when a frame comes"),
    YK_REAL(struct yk_ec_setup, shift, YK_NUMBER, 0.3, 0, 0.9,
            YK_WHEN("clock", "when the drives act: SYNC0, as a share of the control period after the loop's frame")),
    YK_FLAG(struct yk_ec_setup, reads_twice, false,
            "a second frame late in the tick brings readings of this tick; otherwise they are one tick older"),
    YK_CHOICE(struct yk_ec_setup, frames, YK_EC_CAPTURE_CHOICES, YK_EC_CAPTURE_NONE,
              "frames of the bus in bus-INTERFACE.pcapng beside the recording: all, or the last 8192 before each event "
              "(a loss, a cut, a warning or an emergency of a drive) and 2048 after it"),
    YK_REAL(struct yk_ec_setup, wait, YK_TIME, 0, 0, 60,
            "longest wait for a frame in a tick; 0: half a tick; without `clock` limits.peer_silence, at most 1 s"),
    YK_REAL(struct yk_ec_setup, silence, YK_TIME, 0, 0, 60,
            "time without a good frame after which the bus counts as lost; 0: 20 ms, at least five ticks; 1 s without "
            "`clock`"),
    YK_REAL(struct yk_ec_setup, watchdog, YK_TIME, 0, 0, 6,
            "a slave stops its outputs after this time without a frame; 0: 20 ms, at least ten ticks"),
    YK_REAL(struct yk_ec_setup, stop_time, YK_TIME, 0.5, 0, 60,
            "longest time for the quick stop of the drives: the enable lines drop when they stand, or after this time"),
    YK_REAL(struct yk_ec_setup, patience, YK_TIME, 10, 0.01, 600,
            "how long a slave may take to change its state before the run"),
    YK_PARAM_END,
};

static const struct {
    const char *word;
    int bits;
    uint8_t code;
} types[] = {
#define X(id, word, bits, code) {word, bits, code},
    YK_EC_TYPES(X)
#undef X
};

static const char *type_name(enum yk_ec_type type)
{
    return types[type].word;
}

int yk_ec_type_bits(enum yk_ec_type type)
{
    return types[type].bits;
}

uint8_t yk_ec_type_code(enum yk_ec_type type)
{
    return types[type].code;
}

enum yk_ec_type yk_ec_type_of(uint8_t code, int bits)
{
    for (int t = YK_EC_BOOL; t < YK_EC_TYPE_COUNT; t++)
        if (yk_ec_type_code((enum yk_ec_type)t) == code && yk_ec_type_bits((enum yk_ec_type)t) == bits)
            return (enum yk_ec_type)t;
    return bits == 1    ? YK_EC_BOOL
           : bits == 8  ? YK_EC_U8
           : bits == 16 ? YK_EC_I16
           : bits == 32 ? YK_EC_I32
           : bits == 64 ? YK_EC_I64
                        : YK_EC_GAP;
}

/* A whole number in decimal or 0x form up to `end`. */
static bool parse_whole(const char **at, char end, unsigned long most, unsigned long *value)
{
    char *after;

    if (!strchr("0123456789", **at) || !**at)
        return false;
    *value = strtoul(*at, &after, 0);
    if (*after != end || *value > most)
        return false;
    *at = after + (end != 0);
    return true;
}

bool yk_ec_entry_parse(const char *text, struct yk_ec_entry *entry)
{
    unsigned long index = 0, subindex = 0, bits;

    *entry = (struct yk_ec_entry){0};
    if (strncmp(text, "gap:", 4) == 0) {
        text += 4;
        if (!parse_whole(&text, 0, 255, &bits) || bits == 0)
            return false;
        entry->bits = (uint8_t)bits;
        return true;
    }
    if (!parse_whole(&text, ':', 0xFFFF, &index) || index == 0)
        return false;
    const char *type = strchr(text, ':');
    if (!parse_whole(&text, type ? ':' : 0, 0xFF, &subindex))
        return false;
    entry->index = (uint16_t)index;
    entry->subindex = (uint8_t)subindex;
    for (int t = YK_EC_BOOL; type && t < YK_EC_TYPE_COUNT; t++)
        if (strcmp(type + 1, type_name((enum yk_ec_type)t)) == 0) {
            entry->type = (enum yk_ec_type)t;
            entry->bits = (uint8_t)yk_ec_type_bits(entry->type);
        }
    return !type || entry->type != YK_EC_GAP;
}

struct yk_ec_entry_text yk_ec_entry_format(const struct yk_ec_entry *e)
{
    struct yk_ec_entry_text t;

    if (e->index == 0)
        snprintf(t.text, sizeof t.text, "gap:%d", e->bits);
    else if (e->type == YK_EC_GAP)
        snprintf(t.text, sizeof t.text, "0x%04X:%d", e->index, e->subindex);
    else
        snprintf(t.text, sizeof t.text, "0x%04X:%d:%s", e->index, e->subindex, type_name(e->type));
    return t;
}

int yk_ec_drive_mode(enum yk_ec_drive drive)
{
    return drive == YK_EC_NO_DRIVE ? 0 : 7 + (int)drive;
}

void yk_ec_setup_free(struct yk_ec_setup *s)
{
    for (size_t i = 0; s->slaves && i < s->slave_count; i++) {
        free(s->slaves[i].name);
        free(s->slaves[i].outputs);
        free(s->slaves[i].inputs);
        free(s->slaves[i].sdos);
    }
    for (size_t i = 0; s->channels && i < s->channel_count; i++)
        free(s->channels[i].of);
    free(s->slaves);
    free(s->channels);
    free(s->interface);
    *s = (struct yk_ec_setup){0};
}
