/* The distributed clock of a simulated slave.
 *
 *   local(t)  = phase + (1 + rate) t          its own quartz
 *   system(t) = local(t) + offset - delay     what it shows at 0x0910
 *
 * A frame that is at the first slave at t reaches this one `to` later. The control loop of real chips is not published
 * in full; this one trims phase and rate by the difference to the time that the frame carries. */
#include "slave.h"

#include <math.h>
#include <string.h>

#define MOST_STEP_NS 1000.0
#define MOST_TRIM    500e-6

static double rate_of(const struct yk_sim_clock *c)
{
    return 1e-6 * c->ppm + c->trim;
}

/* The local clock at the time t of the simulation, and the fraction of a nanosecond beside it. */
static int64_t local_at(const struct yk_sim_clock *c, int64_t t, double *part)
{
    const double more = c->part + rate_of(c) * (double)(t - c->at), whole = floor(more);

    *part = more - whole;
    return c->local + (t - c->at) + (int64_t)whole;
}

static void rebase(struct yk_sim_clock *c, int64_t t)
{
    double part;

    c->local = local_at(c, t, &part);
    c->part = part;
    c->at = t;
}

static int64_t local_time(const struct yk_sim_slave *s, int64_t t)
{
    double part;

    return local_at(&s->clock, t + s->clock.to, &part);
}

static uint64_t to_system(const struct yk_sim_slave *s, int64_t local)
{
    return (uint64_t)local + yk_le64(s->memory + YK_EC_TIME_OFFSET) - yk_le32(s->memory + YK_EC_TIME_DELAY);
}

uint64_t yk_sim_clock_system(const struct yk_sim_slave *s, int64_t t)
{
    return to_system(s, local_time(s, t));
}

void yk_sim_clock_latch(struct yk_sim_slave *s, int64_t t)
{
    const struct yk_sim_clock *c = &s->clock;
    double part;
    uint8_t *times = s->memory + YK_EC_RECEIVE_TIME;

    memset(times, 0, 16);
    yk_le_put(times, (uint64_t)local_at(c, t + c->to, &part), 4);
    if (!c->last)
        yk_le_put(times + 4, (uint64_t)local_at(c, t + c->back, &part), 4);
    yk_le_put(s->memory + YK_EC_LATCHED_TIME, (uint64_t)local_at(c, t + c->to, &part), 8);
}

void yk_sim_clock_compare(struct yk_sim_slave *s, uint64_t received, int bytes, int64_t t)
{
    struct yk_sim_clock *c = &s->clock;
    const uint64_t difference = yk_sim_clock_system(s, t) - received;
    const double d = bytes == 4 ? (double)(int32_t)(uint32_t)difference : (double)(int64_t)difference,
                 step = fmax(-MOST_STEP_NS, fmin(MOST_STEP_NS, d / 8)), gap = (double)(t - c->written);
    const int depth = s->memory[YK_EC_FILTER_DEPTH] & 15;

    c->mean += (fabs(d) - c->mean) / (double)(1 << depth);
    yk_le_put(s->memory + YK_EC_TIME_DIFFERENCE, (uint64_t)fmin(c->mean, 0x7FFFFFFF) | (d < 0 ? 0x80000000u : 0), 4);
    if (!c->deaf) {
        rebase(c, t);
        c->part -= step;
        if (fabs(d / 8) < MOST_STEP_NS && c->written && gap > 0)
            c->trim = fmax(-MOST_TRIM, fmin(MOST_TRIM, c->trim - d / (64 * gap)));
    }
    c->written = t;
}

void yk_sim_clock_reset_filter(struct yk_sim_slave *s, int64_t t)
{
    struct yk_sim_clock *c = &s->clock;

    rebase(c, t);
    c->trim = c->mean = 0;
    c->written = 0;
    memset(s->memory + YK_EC_TIME_DIFFERENCE, 0, 4);
}

void yk_sim_clock_drift(struct yk_sim_slave *s, double ppm, int64_t t)
{
    rebase(&s->clock, t);
    s->clock.ppm = ppm;
}

/* ---- SYNC0 ---- */

void yk_sim_clock_activate(struct yk_sim_slave *s, int64_t t)
{
    struct yk_sim_clock *c = &s->clock;

    c->next = yk_le64(s->memory + YK_EC_SYNC_START);
    c->armed = (s->memory[YK_EC_SYNC_ACTIVATE] & 3) == 3 && yk_le32(s->memory + YK_EC_SYNC0_CYCLE) > 0 &&
               (int64_t)(c->next - yk_sim_clock_system(s, t)) > 0; /* a start in the past never comes */
}

int64_t yk_sim_clock_sync_due(const struct yk_sim_slave *s, int64_t t)
{
    const struct yk_sim_clock *c = &s->clock;
    double part;

    if (!c->armed)
        return INT64_MAX;
    const int64_t left = (int64_t)(c->next - to_system(s, local_at(c, t, &part)));
    return t + (int64_t)ceil((double)left / (1 + rate_of(c)));
}

void yk_sim_clock_sync_pass(struct yk_sim_slave *s, int64_t t)
{
    struct yk_sim_clock *c = &s->clock;
    const uint64_t cycle = yk_le32(s->memory + YK_EC_SYNC0_CYCLE);
    double part;
    const int64_t over = (int64_t)(to_system(s, local_at(c, t, &part)) - c->next);

    if (!c->armed || !cycle)
        return;
    c->next += ((over > 0 ? (uint64_t)over / cycle : 0) + 1) * cycle;
    yk_le_put(s->memory + YK_EC_SYNC_START, c->next, 8);
}
