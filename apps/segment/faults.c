/* Faults of a simulated segment by a schedule: what, when, for how long, where. */
#include "sim.h"

#include <yoke/units.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FELL = 0x001B, FOLLOWING_ERROR = 0x8611, TOO_HOT = 0x4210, DRIFT_PPM = 100, PRODUCT_BIT = 1 << 16 };

/* bits of the status word that a fault sets or clears */
static const uint16_t status_bits[YK_SIM_FAULT_KINDS] = {[YK_SIM_FAULT_FOLLOWING] = 1 << 13,
                                                         [YK_SIM_FAULT_LIMIT] = 1 << 11,
                                                         [YK_SIM_FAULT_WARNING] = 1 << 7,
                                                         [YK_SIM_FAULT_BIT_12] = 1 << 12};

static const char *const words[] = {
#define X(id, word, help) word,
    YK_SIM_FAULT_LIST(X)
#undef X
};

/* ---- reading ---- */

static enum yk_status refuse(const char *text, struct yk_err *err)
{
    char list[320] = "";

    for (int i = 0; i < YK_SIM_FAULT_KINDS; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", words[i]);
    return yk_fail(err, YK_E_INPUT, "fault '%s': must be KIND@TIME[+DURATION][:SLAVE], for example cut@2s:3; kinds: %s",
                   text, list);
}

static bool read_time(const char *text, double *time)
{
    return !yk_quantity_parse(text, YK_TIME, time, NULL) && *time >= 0 && *time <= 1e6;
}

/* One fault; `text` is cut up. */
static bool read_fault(char *text, struct yk_sim_fault *f)
{
    char *at = strchr(text, '@'), *slave = at ? strchr(at, ':') : NULL, *lasts = at ? strchr(at, '+') : NULL, *end = "";
    int kind = 0;

    if (!at || (slave && lasts > slave))
        return false;
    for (char **mark = (char *[]){at, slave, lasts, NULL}, **m = mark; m < mark + 3; m++)
        if (*m)
            *(*m)++ = 0;
    while (kind < YK_SIM_FAULT_KINDS && strcmp(text, words[kind]) != 0)
        kind++;
    *f = (struct yk_sim_fault){.kind = (enum yk_sim_fault_kind)kind, .slave = -1};
    if (slave) {
        const long number = strtol(slave + 1, &end, 10);

        if (end == slave + 1 || *end || number < 1 || number > YK_SIM_SLAVES)
            return false;
        f->slave = (int)number - 1;
    }
    return kind < YK_SIM_FAULT_KINDS && read_time(at + 1, &f->at) && (!lasts || read_time(lasts + 1, &f->lasts));
}

enum yk_status yk_sim_faults_parse(const char *text, struct yk_sim_fault *faults, size_t *count, struct yk_err *err)
{
    while (*text) {
        const size_t length = strcspn(text, ",");
        char one[80], whole[80];

        snprintf(whole, sizeof whole, "%.*s", (int)(length < 79 ? length : 79), text);
        memcpy(one, whole, sizeof one);
        if (*count == YK_SIM_FAULTS)
            return yk_fail(err, YK_E_RANGE, "more than %d faults", YK_SIM_FAULTS);
        if (length >= sizeof one || !read_fault(one, &faults[*count]))
            return refuse(whole, err);
        ++*count;
        text += length + (text[length] == ',');
    }
    return YK_OK;
}

/* ---- acting ---- */

static size_t place_of(const struct yk_sim_segment *g, const struct yk_sim_fault *f)
{
    size_t k = 0;

    if (f->slave >= 0)
        return (size_t)f->slave;
    if (f->kind == YK_SIM_FAULT_CUT)
        return (g->count - 1) / 2;
    while (k + 1 < g->count && !g->slaves[k]->drive)
        k++;
    return k;
}

static void begin(struct yk_sim_segment *g, struct yk_sim_fault *f)
{
    f->slave = (int)place_of(g, f);
    struct yk_sim_slave *s = g->slaves[f->slave];

    switch (f->kind) {
    case YK_SIM_FAULT_SAFEOP:
        yk_sim_slave_fall(s, FELL, g->now);
        break;
    case YK_SIM_FAULT_CUT:
        yk_sim_segment_reach(g, (size_t)f->slave + 1);
        break;
    case YK_SIM_FAULT_OFF:
        yk_sim_segment_reach(g, (size_t)f->slave);
        yk_sim_slave_power_on(s, g->now); /* what it knew is gone */
        break;
    case YK_SIM_FAULT_DRIFT:
        yk_sim_clock_drift(s, s->clock.ppm + DRIFT_PPM, g->now);
        s->clock.deaf = true;
        break;
    case YK_SIM_FAULT_DRIVE:
        yk_sim_drive_fail(s, FOLLOWING_ERROR, g->now);
        break;
    case YK_SIM_FAULT_FOLLOWING:
    case YK_SIM_FAULT_LIMIT:
    case YK_SIM_FAULT_WARNING:
        s->bits_on |= status_bits[f->kind];
        break;
    case YK_SIM_FAULT_BIT_12:
        s->bits_off |= status_bits[f->kind];
        break;
    case YK_SIM_FAULT_MODE:
        s->other_mode = true;
        break;
    case YK_SIM_FAULT_EMERGENCY:
        yk_sim_emergency(s, TOO_HOT, g->now);
        break;
    case YK_SIM_FAULT_MAILBOX:
        s->mailbox_stuck = true;
        break;
    case YK_SIM_FAULT_IDENTITY:
        s->sii[2 * YK_EC_SII_PRODUCT + 2] ^= PRODUCT_BIT >> 16;
        break;
    default: /* the frames themselves */
        break;
    }
}

static void end(struct yk_sim_segment *g, const struct yk_sim_fault *f)
{
    struct yk_sim_slave *s = g->slaves[f->slave];

    if (f->kind == YK_SIM_FAULT_CUT || f->kind == YK_SIM_FAULT_OFF)
        yk_sim_segment_reach(g, g->count);
    else if (f->kind == YK_SIM_FAULT_DRIFT) {
        s->clock.deaf = false;
        yk_sim_clock_drift(s, s->clock.ppm - DRIFT_PPM, g->now);
    } else if (f->kind == YK_SIM_FAULT_MAILBOX)
        s->mailbox_stuck = false;
    else if (f->kind == YK_SIM_FAULT_MODE)
        s->other_mode = false;
    s->bits_on &= (uint16_t)~status_bits[f->kind];
    s->bits_off &= (uint16_t)~status_bits[f->kind];
}

void yk_sim_faults_act(struct yk_sim_segment *g)
{
    const double time = (double)g->motion * 1e-9 * (double)g->tick_ns;

    for (size_t i = 0; i < g->settings.fault_count; i++) {
        struct yk_sim_fault *f = &g->settings.faults[i];
        const bool due =
            f->kind == YK_SIM_FAULT_IDENTITY || f->kind == YK_SIM_FAULT_BIT_12 || (g->motion > 0 && time >= f->at);

        if (!f->on && !f->over && due) {
            f->on = true;
            atomic_fetch_add(&g->counts.faults, 1);
            begin(g, f);
        } else if (f->on && f->lasts > 0 && time >= f->at + f->lasts) {
            f->on = false;
            f->over = true;
            end(g, f);
        }
    }
}

const struct yk_sim_fault *yk_sim_fault_on(const struct yk_sim_segment *g, enum yk_sim_fault_kind kind)
{
    for (size_t i = 0; i < g->settings.fault_count; i++)
        if (g->settings.faults[i].on && g->settings.faults[i].kind == kind)
            return &g->settings.faults[i];
    return NULL;
}
