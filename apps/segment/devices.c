/* The kinds of slave of a simulated segment: coupler, drive, analogue and digital terminals. */
#include "sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RW = YK_SIM_READ | YK_SIM_WRITE, RX = RW | YK_SIM_RX, TX = YK_SIM_READ | YK_SIM_TX };
enum { OUTPUTS = 0x1100, INPUTS = 0x1180, SIMPLE_INPUTS = 0x1000, SIMPLE_OUTPUTS = 0x0F00, DIGITAL_OUT = 0x44 };
enum { MAILBOX_BYTES = 64, REVISION = 0x00010000 };
enum { HOMING = 6, CSP = 8, BRAKING = 1000000000, CHANNELS_MOST = 8 };
enum { /* product codes; those of terminals plus the number of channels */
       COUPLER = 0x00100001,
       INPUT_TERMINAL = 0x00150000,
       OUTPUT_TERMINAL = 0x00200000,
       ANALOGUE_TERMINAL = 0x00301600,
       EXACT_TERMINAL = 0x00306400,
       COUNTING_DRIVE = 0x00402001,
       EXACT_DRIVE = 0x00402064
};

#define CHANGE_MS 1

struct yk_sim_slave *yk_sim_blank(const char *order, uint32_t product)
{
    struct yk_sim_slave *s = yk_sim_slave_create();

    if (!s)
        return NULL;
    snprintf(s->order, sizeof s->order, "%s", order);
    s->vendor = YK_SIM_VENDOR;
    s->product = product;
    s->revision = REVISION;
    s->sii_ns = 200000;
    s->change_ns = CHANGE_MS * 1000000;
    return s;
}

static void add(struct yk_sim_slave *s, unsigned index, unsigned sub, enum yk_sim_type type, int access, uint64_t value)
{
    yk_sim_object_add(s, (struct yk_sim_object){.index = (uint16_t)index,
                                                .sub = (uint8_t)sub,
                                                .type = (uint8_t)type,
                                                .access = (uint8_t)access,
                                                .value = value});
}

/* An object that the rig makes or takes. */
static void add_signal(struct yk_sim_slave *s, unsigned index, unsigned sub, enum yk_sim_type type, int access,
                       enum yk_sim_signal signal, size_t channel, double scale)
{
    yk_sim_object_add(s, (struct yk_sim_object){.index = (uint16_t)index,
                                                .sub = (uint8_t)sub,
                                                .type = (uint8_t)type,
                                                .access = (uint8_t)access,
                                                .signal = (uint8_t)signal,
                                                .channel = (uint16_t)channel,
                                                .scale = scale});
}

static void put_in(struct yk_sim_map *m, int sm, unsigned start, uint8_t control)
{
    m->sm = sm;
    m->start = (uint16_t)start;
    m->control = control;
}

static struct yk_sim_pdo *add_pdo(struct yk_sim_map *m, unsigned index, bool assigned)
{
    struct yk_sim_pdo *p = &m->pdos[m->pdo_count++];

    p->index = (uint16_t)index;
    if (assigned)
        m->assigned[m->assigned_count++] = (uint16_t)index;
    return p;
}

static void map_entry(const struct yk_sim_slave *s, struct yk_sim_pdo *p, unsigned index, unsigned sub)
{
    const struct yk_sim_object *o = yk_sim_object_find((struct yk_sim_slave *)s, index, sub);

    if (o && p->count < YK_SIM_ENTRIES)
        p->entries[p->count++] = (uint32_t)index << 16 | sub << 8 | (uint32_t)yk_sim_type_bits(o->type);
}

/* Objects of every slave with a mailbox. SyncManagers 2 and 3 are there for process data in any case, as 0x1C00 says:
 * without PDOs their lists 0x1C12 and 0x1C13 are empty. */
void yk_sim_give_mailbox(struct yk_sim_slave *s, uint32_t type)
{
    s->mailbox = MAILBOX_BYTES;
    s->firmware = s->dc = true;
    put_in(&s->maps[YK_SIM_OUT], 2, OUTPUTS, YK_EC_SM_OUTPUTS);
    put_in(&s->maps[YK_SIM_IN], 3, INPUTS, YK_EC_SM_INPUTS);
    add(s, 0x1000, 0, YK_SIM_U32, YK_SIM_READ, type);
    add(s, 0x1018, 1, YK_SIM_U32, YK_SIM_READ, s->vendor);
    add(s, 0x1018, 2, YK_SIM_U32, YK_SIM_READ, s->product);
    add(s, 0x1018, 3, YK_SIM_U32, YK_SIM_READ, s->revision);
    add(s, 0x1018, 4, YK_SIM_U32, YK_SIM_READ, 0);
    for (unsigned i = 1; i <= 4; i++)
        add(s, 0x1C00, i, YK_SIM_U8, YK_SIM_READ, i);
    for (unsigned i = 0x1C32; i <= 0x1C33; i++) {
        add(s, i, 1, YK_SIM_U16, RW, 1);
        add(s, i, 2, YK_SIM_U32, RW, 0);
        add(s, i, 4, YK_SIM_U16, YK_SIM_READ, 7); /* free run, with frames, with SYNC0 */
        add(s, i, 5, YK_SIM_U32, YK_SIM_READ, 62500);
        add(s, i, 6, YK_SIM_U32, YK_SIM_READ, 0);
    }
    add(s, 0x10F1, 2, YK_SIM_U16, RW, 10);
}

struct yk_sim_slave *yk_sim_coupler(void)
{
    struct yk_sim_slave *s = yk_sim_blank("YKC-1", COUPLER);

    if (s) {
        snprintf(s->name, sizeof s->name, "Yoke simulated coupler");
        s->dc = true;
    }
    return s;
}

/* ---- drives ---- */

/* Objects of CiA 402 that any drive has. */
void yk_sim_give_profile(struct yk_sim_slave *s, unsigned mode)
{
    add(s, 0x603F, 0, YK_SIM_U16, TX, 0);
    add(s, 0x6040, 0, YK_SIM_U16, RX, 0);
    add(s, 0x6041, 0, YK_SIM_U16, TX, 0);
    add(s, 0x605A, 0, YK_SIM_I16, RW, 6);
    add(s, 0x605E, 0, YK_SIM_I16, RW, 2);
    add(s, 0x6007, 0, YK_SIM_I16, RW, 1);
    add(s, 0x6060, 0, YK_SIM_I8, RX, mode);
    add(s, 0x6061, 0, YK_SIM_I8, TX, mode);
    add(s, 0x6085, 0, YK_SIM_U32, RW, BRAKING);
    add(s, 0x60C2, 1, YK_SIM_U8, RW, 1);
    add(s, 0x60C2, 2, YK_SIM_I8, RW, 0xFD);
    add(s, 0x6502, 0, YK_SIM_U32, YK_SIM_READ, 1u << (mode - 1));
}

/* Homing, by the methods of drive.c: method, speeds, acceleration, offset. */
static void give_homing(struct yk_sim_slave *s, double counts)
{
    struct yk_sim_object *modes = yk_sim_object_find(s, 0x6502, 0);

    add(s, 0x607C, 0, YK_SIM_I32, RW, 0);
    add(s, 0x6098, 0, YK_SIM_I8, RW, 37);
    add(s, 0x6099, 1, YK_SIM_U32, RW, (uint64_t)(2e-3 * counts));
    add(s, 0x6099, 2, YK_SIM_U32, RW, (uint64_t)(1e-3 * counts));
    add(s, 0x609A, 0, YK_SIM_U32, RW, (uint64_t)(0.1 * counts));
    if (modes)
        modes->value |= 1u << (HOMING - 1);
}

void yk_sim_give_axis(struct yk_sim_slave *s, const struct yk_sim_settings *set, unsigned mode, size_t i)
{
    const double counts = 1 / (set->resolution > 0 ? set->resolution : 1e-7),
                 rated = 1000 / (set->force > 0 ? set->force : 1e4);
    const enum yk_sim_signal commands[] = {mode == CSP ? YK_SIM_COMMAND : YK_SIM_NOTHING,
                                           mode == CSP + 1 ? YK_SIM_COMMAND : YK_SIM_NOTHING,
                                           mode == CSP + 2 ? YK_SIM_COMMAND : YK_SIM_NOTHING};

    add_signal(s, 0x607A, 0, YK_SIM_I32, RX, commands[0], i, counts);
    add_signal(s, 0x60FF, 0, YK_SIM_I32, RX, commands[1], i, counts);
    add_signal(s, 0x6071, 0, YK_SIM_I16, RX, commands[2], i, rated);
    add_signal(s, 0x60B1, 0, YK_SIM_I32, RX, YK_SIM_AHEAD_VELOCITY, i, counts);
    add_signal(s, 0x60B2, 0, YK_SIM_I16, RX, YK_SIM_AHEAD_FORCE, i, rated);
    add_signal(s, 0x6064, 0, YK_SIM_I32, TX, YK_SIM_DISPLACEMENT, i, counts);
    add_signal(s, 0x606C, 0, YK_SIM_I32, TX, YK_SIM_VELOCITY, i, counts);
    add_signal(s, 0x6077, 0, YK_SIM_I16, TX, YK_SIM_FORCE, i, rated);
    add(s, 0x60F4, 0, YK_SIM_I32, TX, 0);
    add(s, 0x6076, 0, YK_SIM_U32, YK_SIM_READ, (uint64_t)(1e6 / rated)); /* mN */
    add(s, 0x607D, 1, YK_SIM_I32, RW, 0);
    add(s, 0x607D, 2, YK_SIM_I32, RW, 0);
    for (unsigned index = 0x608F; index <= 0x6092; index += index == 0x608F ? 2 : 1)
        for (unsigned sub = 1; sub <= 2; sub++)
            add(s, index, sub, YK_SIM_U32, YK_SIM_READ, 1);
    add(s, 0x60A8, 0, YK_SIM_U32, YK_SIM_READ, 0);
    if (mode == CSP)
        give_homing(s, counts);
    yk_sim_set_counts(s, counts);
}

void yk_sim_set_counts(struct yk_sim_slave *s, double counts)
{
    const double power = log10(counts);
    struct yk_sim_object *encoder = yk_sim_object_find(s, 0x608F, 1), *feed = yk_sim_object_find(s, 0x6092, 1),
                         *unit = yk_sim_object_find(s, 0x60A8, 0);

    if (!encoder || !feed || !unit || !(counts >= 1 && counts <= UINT32_MAX))
        return;
    encoder->value = feed->value = (uint64_t)llround(counts);
    /* prefix, numerator (metre), denominator; 0: the unit is no power of ten */
    unit->value = fabs(power - round(power)) < 1e-9 ? (uint32_t)(uint8_t)-lround(power) << 24 | 1u << 16 : 0;
}

/* Everything as 64-bit floating-point numbers, in m and N. */
static void add_exact(struct yk_sim_slave *s, size_t i)
{
    static const enum yk_sim_signal targets[] = {YK_SIM_COMMAND, YK_SIM_AHEAD_VELOCITY, YK_SIM_AHEAD_ACCELERATION,
                                                 YK_SIM_AHEAD_FORCE},
                                    readings[] = {YK_SIM_DISPLACEMENT, YK_SIM_FORCE, YK_SIM_VELOCITY,
                                                  YK_SIM_ACCELERATION};

    for (unsigned k = 0; k < 4; k++)
        add_signal(s, 0x2100, k + 1, YK_SIM_REAL64, RX, targets[k], i, 1);
    for (unsigned k = 0; k < 4; k++)
        add_signal(s, 0x2200, k + 1, YK_SIM_REAL64, TX, readings[k], i, 1);
    add(s, 0x60A8, 0, YK_SIM_U32, YK_SIM_READ, 1u << 16); /* metres */
}

struct yk_sim_slave *yk_sim_drive(const struct yk_sim_settings *set, const struct yk_rig_plan *plan, size_t i)
{
    static const unsigned modes[YK_COMMAND_KINDS] = {
        [YK_BY_DISPLACEMENT] = CSP, [YK_BY_VELOCITY] = CSP + 1, [YK_BY_ACCELERATION] = 17, [YK_BY_FORCE] = CSP + 2};
    static const unsigned targets[] = {0x607A, 0x60FF, 0x6071};
    const enum yk_command_kind kind = plan && plan->kinds ? plan->kinds[i] : YK_BY_DISPLACEMENT;
    const unsigned mode = modes[kind];
    struct yk_sim_slave *s = yk_sim_blank(set->exact ? "YKD-64" : "YKD-1", set->exact ? EXACT_DRIVE : COUNTING_DRIVE);

    if (!s)
        return NULL;
    snprintf(s->name, sizeof s->name, "Yoke simulated servo drive, %.40s",
             plan && plan->names[i] ? plan->names[i] : "alone");
    s->drive = true;
    s->actuator = (uint16_t)i;
    yk_sim_give_mailbox(s, YK_SIM_DRIVE_PROFILE);
    s->change_ns = (set->own_clock ? 50 : CHANGE_MS) * 1000000;
    yk_sim_give_profile(s, mode);
    struct yk_sim_map *out = &s->maps[YK_SIM_OUT], *in = &s->maps[YK_SIM_IN];
    out->configurable = in->configurable = true;
    struct yk_sim_pdo *rx = add_pdo(out, 0x1600, true), *tx = add_pdo(in, 0x1A00, true);
    if (set->exact) {
        add_exact(s, i);
        map_entry(s, rx, 0x6040, 0);
        map_entry(s, tx, 0x6041, 0);
        for (unsigned k = 1; k <= (plan && plan->feeds_forward ? 4u : 1u); k++)
            map_entry(s, rx, 0x2100, k);
        for (unsigned k = 1; k <= 4; k++)
            map_entry(s, tx, 0x2200, k);
        return s;
    }
    yk_sim_give_axis(s, set, mode, i);
    struct yk_sim_pdo *more_rx = add_pdo(out, 0x1601, false), *more_tx = add_pdo(in, 0x1A01, false);
    const unsigned target = mode >= CSP && mode <= CSP + 2 ? targets[mode - CSP] : targets[0];
    const unsigned wide_rx[] = {0x6040, target, 0x60B1, 0x60B2}, wide_tx[] = {0x6041, 0x6064, 0x606C, 0x6077, 0x60F4};
    for (int k = 0; k < 4; k++)
        map_entry(s, more_rx, wide_rx[k], 0);
    for (int k = 0; k < 5; k++)
        map_entry(s, more_tx, wide_tx[k], 0);
    for (int k = 0; k < 2; k++) {
        map_entry(s, rx, wide_rx[k], 0);
        map_entry(s, tx, wide_tx[k], 0);
    }
    return s;
}

/* ---- terminals ---- */

struct yk_sim_slave *yk_sim_analogue(const struct yk_sim_settings *set, const struct yk_rig_plan *plan, size_t first,
                                     size_t count)
{
    struct yk_sim_slave *s =
        yk_sim_blank(set->exact ? "YKA-64" : "YKA-16",
                     (uint32_t)(set->exact ? EXACT_TERMINAL : ANALOGUE_TERMINAL) + (uint32_t)count);

    if (!s)
        return NULL;
    snprintf(s->name, sizeof s->name, "Yoke simulated analogue inputs, %zu channel%s", count, count == 1 ? "" : "s");
    yk_sim_give_mailbox(s, YK_SIM_MODULAR_PROFILE);
    struct yk_sim_pdo *p = add_pdo(&s->maps[YK_SIM_IN], 0x1A00, true);
    for (size_t k = 0; k < count; k++) {
        const size_t channel = first + k, forces = set->exact ? 0 : plan->count;
        const bool force = channel < forces;
        const double range = force ? (set->force > 0 ? set->force : 1e4) : (set->range > 0 ? set->range : 10);
        const unsigned index = 0x6000 + 0x10 * (unsigned)k;

        if (!set->exact) {
            add_signal(s, index, 0x01, YK_SIM_U16, TX, YK_SIM_CONDITION, channel, 1);
            map_entry(s, p, index, 0x01);
        }
        add_signal(s, index, 0x11, set->exact ? YK_SIM_REAL64 : YK_SIM_I16, TX, force ? YK_SIM_FORCE : YK_SIM_SENSOR,
                   force ? channel : channel - forces, set->exact ? 1 : 32768 / range);
        s->objects[s->object_count - 1].condition = set->exact ? 0 : (uint16_t)(s->object_count - 1);
        map_entry(s, p, index, 0x11);
    }
    return s;
}

struct yk_sim_slave *yk_sim_digital(const struct yk_rig_plan *plan, bool outputs)
{
    struct yk_sim_slave *s = yk_sim_blank(outputs ? "YKO-1" : "YKI-1", outputs ? OUTPUT_TERMINAL : INPUT_TERMINAL);
    unsigned count = 0;

    if (!s)
        return NULL;
    struct yk_sim_map *m = &s->maps[outputs ? YK_SIM_OUT : YK_SIM_IN];
    put_in(m, 0, outputs ? SIMPLE_OUTPUTS : SIMPLE_INPUTS, outputs ? DIGITAL_OUT : YK_EC_SM_INPUTS);
    struct yk_sim_pdo *p = add_pdo(m, outputs ? 0x1600 : 0x1A00, true);
    for (size_t k = 0; k < plan->line_count; k++) {
        const unsigned index = outputs ? 0x7000 : 0x6000;

        if (yk_line_is_output(plan->lines[k].role) != outputs)
            continue;
        add_signal(s, index, ++count, YK_SIM_BIT, outputs ? RX : TX, outputs ? YK_SIM_LINE_OUT : YK_SIM_LINE_IN, k, 1);
        map_entry(s, p, index, count);
    }
    s->product += count;
    snprintf(s->name, sizeof s->name, "Yoke simulated digital %s, %u channel%s", outputs ? "outputs" : "inputs", count,
             count == 1 ? "" : "s");
    return s;
}

/* ---- by product code ---- */

struct yk_sim_slave *yk_sim_kind(uint32_t product)
{
    static const char *const names[YK_LINES_MOST];
    struct yk_rig_line lines[YK_LINES_MOST];
    const uint32_t count = product & 0xFF, kind = product & ~0xFFu;
    const bool outputs = kind == OUTPUT_TERMINAL, exact = kind == EXACT_TERMINAL || product == EXACT_DRIVE;
    const struct yk_sim_settings set = {.exact = exact};
    const struct yk_rig_plan plan = {
        .count = exact ? 0 : count, .names = names, .sensor_count = count, .lines = lines, .line_count = count};

    if (product == COUPLER)
        return yk_sim_coupler();
    if (product == COUNTING_DRIVE || product == EXACT_DRIVE)
        return yk_sim_drive(&set, NULL, 0);
    if (!count || count > YK_LINES_MOST)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        lines[i] = (struct yk_rig_line){.name = "", .role = outputs ? YK_LINE_ENABLE : YK_LINE_INPUT};
    if ((kind == ANALOGUE_TERMINAL || kind == EXACT_TERMINAL) && count <= CHANNELS_MOST)
        return yk_sim_analogue(&set, &plan, 0, count);
    return kind == INPUT_TERMINAL || outputs ? yk_sim_digital(&plan, outputs) : NULL;
}
