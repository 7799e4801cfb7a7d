/* The states of a simulated slave: what it checks before it changes, when it falls back, its watchdog. */
#include "slave.h"

#include <stdlib.h>
#include <string.h>

enum { /* AL status codes */
       NOT_ALLOWED = 0x0011,
       UNKNOWN_STATE = 0x0012,
       NO_BOOTSTRAP = 0x0013,
       BAD_MAILBOX = 0x0016,
       NO_OUTPUTS = 0x0019,
       WATCHDOG = 0x001B,
       BAD_OUTPUTS = 0x001D,
       BAD_INPUTS = 0x001E,
       BAD_DC = 0x0030
};
enum { FROM_MASTER = 4, LINE_DEAD = 0x7500, PDI_SERIAL = 5, PDI_DIGITAL = 4 };

struct yk_sim_slave *yk_sim_slave_create(void)
{
    struct yk_sim_slave *s = calloc(1, sizeof *s);

    if (s && yk_sim_memory_create(s)) {
        free(s);
        return NULL;
    }
    if (s) {
        s->maps[YK_SIM_OUT].sm = s->maps[YK_SIM_IN].sm = -1;
        s->clock.last = true;
    }
    return s;
}

void yk_sim_slave_destroy(struct yk_sim_slave *s)
{
    if (s)
        free(s->writes);
    free(s);
}

unsigned yk_sim_slave_state(const struct yk_sim_slave *s)
{
    return s->memory[YK_EC_AL_STATUS] & YK_EC_STATE_MASK;
}

static void set_status(struct yk_sim_slave *s, unsigned status, uint16_t code)
{
    if (s->memory[YK_EC_AL_STATUS] != status)
        s->memory[YK_EC_EVENTS] |= 1 << 3;
    yk_le_put(s->memory + YK_EC_AL_STATUS, status, 2);
    yk_le_put(s->memory + YK_EC_AL_CODE, code, 2);
}

/* The device keeps its process data closed below SAFEOP, and its outputs after a fall. */
static void set_locks(struct yk_sim_slave *s)
{
    const bool closed = yk_sim_slave_state(s) < YK_EC_SAFEOP;

    for (int d = 0; d < 2 && s->firmware; d++) {
        if (s->maps[d].sm < 0)
            continue;
        uint8_t *pdi = s->memory + YK_EC_SM + YK_EC_SM_SIZE * s->maps[d].sm + YK_EC_SM_PDI;
        const bool lock = closed || (d == YK_SIM_OUT && s->fallen && !s->keeps_outputs_open);

        *pdi = (uint8_t)((*pdi & ~YK_EC_SM_LOCKED) | (lock ? YK_EC_SM_LOCKED : 0));
    }
}

void yk_sim_slave_power_on(struct yk_sim_slave *s, int64_t now)
{
    uint8_t *m = s->memory;

    memset(m, 0, sizeof s->memory);
    yk_sim_memory_forget(s);
    yk_le_put(m + YK_EC_TYPE, 0x11, 1);
    yk_le_put(m + YK_EC_BUILD, 1, 2);
    m[YK_EC_FMMU_COUNT] = YK_SIM_FMMUS;
    m[YK_EC_SM_COUNT] = YK_SIM_SMS;
    m[YK_EC_RAM_KIB] = YK_SIM_RAM_KIB;
    m[YK_EC_PORTS] = 0x0F; /* two ports, MII */
    yk_le_put(m + YK_EC_FEATURES, s->dc ? YK_EC_HAS_DC | YK_EC_HAS_DC64 : 0, 2);
    m[YK_EC_PDI_CONTROL] = s->firmware ? PDI_SERIAL : PDI_DIGITAL;
    m[YK_EC_PDI_CONTROL + 1] = !s->firmware; /* the AL status follows the AL control */
    yk_le_put(m + YK_EC_WATCHDOG_DIVIDER, 0x09C2, 2);
    yk_le_put(m + YK_EC_WATCHDOG_PDI, 1000, 2);
    yk_le_put(m + YK_EC_WATCHDOG_SM, 1000, 2);
    m[YK_EC_WATCHDOG_STATUS] = 1;
    yk_le_put(m + YK_EC_SII_CONTROL, YK_EC_SII_8_BYTES, 2);
    yk_le_put(m + YK_EC_SPEED_START, 0x1000, 2);
    yk_le_put(m + YK_EC_FILTER_DEPTH, 0x0C04, 2);
    yk_le_put(m + YK_EC_ALIAS, yk_le16(s->sii + 2 * YK_EC_SII_ALIAS), 2);
    s->requested = s->fallen = s->got_outputs = s->fresh = false;
    s->sii_due = 0;
    yk_sim_clock_reset_filter(s, now);
    s->clock.armed = false;
    yk_sim_mailbox_reset(s);
    yk_sim_drive_reset(s, s->drive_now.command);
    set_status(s, YK_EC_INIT, 0);
    m[YK_EC_EVENTS] = 0;
    set_locks(s);
}

/* ---- what is checked on the way up ---- */

static bool sm_is(const struct yk_sim_slave *s, int i, unsigned start, size_t length, uint8_t control)
{
    const uint8_t *sm = s->memory + YK_EC_SM + YK_EC_SM_SIZE * i;

    if (!length)
        return !(sm[YK_EC_SM_ACTIVATE] & 1) || !yk_le16(sm + 2);
    return yk_le16(sm) == start && yk_le16(sm + 2) == length && (sm[YK_EC_SM_CONTROL] & 0x0F) == (control & 0x0F) &&
           sm[YK_EC_SM_ACTIVATE] & 1;
}

static bool map_is_set(struct yk_sim_slave *s, int direction)
{
    const struct yk_sim_map *m = &s->maps[direction];

    return m->sm < 0 || (yk_sim_map_build(s, direction) && sm_is(s, m->sm, m->start, yk_sim_map_bytes(m), m->control));
}

static uint16_t objection(struct yk_sim_slave *s, unsigned wanted)
{
    switch (wanted) {
    case YK_EC_PREOP:
        return !s->mailbox || (sm_is(s, 0, 0x1000, s->mailbox, YK_EC_SM_MAILBOX_OUT) &&
                               sm_is(s, 1, 0x1000u + s->mailbox, s->mailbox, YK_EC_SM_MAILBOX_IN))
                   ? 0
                   : BAD_MAILBOX;
    case YK_EC_SAFEOP:
        if (!map_is_set(s, YK_SIM_OUT))
            return BAD_OUTPUTS;
        if (!map_is_set(s, YK_SIM_IN))
            return BAD_INPUTS;
        return s->memory[YK_EC_SYNC_ACTIVATE] & 1 && !s->clock.armed ? BAD_DC : 0;
    default:
        return s->maps[YK_SIM_OUT].bits && !s->got_outputs ? NO_OUTPUTS : 0;
    }
}

/* ---- changes ---- */

static void enter(struct yk_sim_slave *s, unsigned state, int64_t now)
{
    const unsigned before = yk_sim_slave_state(s);

    set_status(s, state, 0);
    if (state == YK_EC_INIT)
        yk_sim_mailbox_reset(s);
    if (state < YK_EC_SAFEOP || before < YK_EC_SAFEOP)
        s->got_outputs = s->fresh = false;
    if (state == YK_EC_SAFEOP && before < YK_EC_SAFEOP) {
        yk_sim_map_build(s, YK_SIM_OUT);
        yk_sim_map_build(s, YK_SIM_IN);
        yk_sim_inputs_put(s);
    }
    if (state == YK_EC_OP && before != YK_EC_OP) {
        s->output_ns = now;
        s->missed = 0;
    }
    s->fallen = false;
    set_locks(s);
}

static void change(struct yk_sim_slave *s, uint16_t control, int64_t now)
{
    const unsigned state = yk_sim_slave_state(s), wanted = control & YK_EC_STATE_MASK,
                   next = state == YK_EC_PREOP ? YK_EC_SAFEOP : 2 * state;
    uint16_t code = 0;

    if (s->memory[YK_EC_AL_STATUS] & YK_EC_STATE_ERROR && !(control & YK_EC_STATE_ERROR))
        return;
    if (wanted == YK_EC_BOOT)
        code = NO_BOOTSTRAP;
    else if (wanted != YK_EC_INIT && wanted != YK_EC_PREOP && wanted != YK_EC_SAFEOP && wanted != YK_EC_OP)
        code = UNKNOWN_STATE;
    else if (wanted > state && s->firmware)
        code = wanted == next ? objection(s, wanted) : NOT_ALLOWED;
    if (code)
        set_status(s, state | YK_EC_STATE_ERROR, code);
    else
        enter(s, wanted, now);
}

void yk_sim_slave_request(struct yk_sim_slave *s, uint16_t control, int64_t now)
{
    s->requested = true;
    s->request = control;
    s->request_due = now + (s->firmware && (control & YK_EC_STATE_MASK) > yk_sim_slave_state(s) ? s->change_ns : 0);
    yk_sim_slave_advance(s, now);
}

void yk_sim_slave_fall(struct yk_sim_slave *s, uint16_t code, int64_t now)
{
    if (yk_sim_slave_state(s) != YK_EC_OP)
        return;
    set_status(s, YK_EC_SAFEOP | YK_EC_STATE_ERROR, code);
    s->fallen = true;
    set_locks(s);
    if (s->drive)
        yk_sim_drive_fail(s, LINE_DEAD, now);
    for (size_t i = 0; !s->drive && i < s->maps[YK_SIM_OUT].count; i++)
        if (s->maps[YK_SIM_OUT].entries[i].object >= 0)
            s->objects[s->maps[YK_SIM_OUT].entries[i].object].value = 0; /* outputs of a terminal are switched off */
}

/* ---- outputs and their watchdog ---- */

void yk_sim_slave_outputs(struct yk_sim_slave *s, int64_t now)
{
    s->twice |= s->fresh;
    s->got_outputs = s->fresh = true;
    s->output_ns = now;
    s->memory[YK_EC_WATCHDOG_STATUS] |= 1;
}

static void watch(struct yk_sim_slave *s, int64_t now)
{
    const struct yk_sim_map *m = &s->maps[YK_SIM_OUT];
    const int64_t step = (yk_le16(s->memory + YK_EC_WATCHDOG_DIVIDER) + 2) * (int64_t)40,
                  most = step * yk_le16(s->memory + YK_EC_WATCHDOG_SM);
    uint8_t *const count = s->memory + YK_EC_WATCHDOG_COUNT;

    if (m->sm < 0 || !m->bits || yk_sim_slave_state(s) != YK_EC_OP || most == 0 || now - s->output_ns <= most ||
        !(s->memory[YK_EC_SM + YK_EC_SM_SIZE * m->sm + YK_EC_SM_CONTROL] & YK_EC_SM_WATCHDOG) ||
        !(s->memory[YK_EC_WATCHDOG_STATUS] & 1))
        return;
    s->memory[YK_EC_WATCHDOG_STATUS] &= (uint8_t)~1;
    *count += *count < 255;
    if (s->firmware)
        yk_sim_slave_fall(s, WATCHDOG, now);
    else /* a simple terminal switches off and stays in OP */
        memset(s->memory + m->start, 0, yk_sim_map_bytes(m));
    if (!s->firmware)
        s->fresh = true;
}

void yk_sim_slave_advance(struct yk_sim_slave *s, int64_t now)
{
    if (s->requested && now >= s->request_due) {
        s->requested = false;
        change(s, s->request, now);
    }
    if (s->sii_due && now >= s->sii_due)
        yk_sim_sii_finish(s);
    if (s->mailbox)
        yk_sim_mailbox_deliver(s, now);
    watch(s, now);
}
