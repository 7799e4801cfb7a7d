/* Distributed clocks of a line. */
#include <yoke/ethercat_clock.h>

#include <math.h>

#define KP      0.1
#define KI      0.0025 /* Kp^2/4 */
#define LIMIT   0.02   /* of the period: largest correction in a tick */
#define IS_NEAR 0.05   /* of the period */
#define COSTS   10     /* ticks that a frame costs which the machine delayed, on the way to being locked */

void yk_ec_line_delays(const struct yk_ec_passage *at, size_t count, int32_t more, int32_t *delays)
{
    for (size_t k = 0; k < count; k++) {
        /* from a slave to the next and back: what the first sees minus what the next sees; times wrap at 2^32 */
        const int64_t before = k ? (int64_t)(uint32_t)(at[k - 1].back - at[k - 1].there) : 0;
        const int64_t here = (int64_t)(uint32_t)(at[k].back - at[k].there);

        delays[k] = k ? delays[k - 1] + (int32_t)((before - here + (here ? more : 0)) / 2) : 0;
    }
}

uint64_t yk_ec_sync_start(uint64_t now, uint64_t lead, uint32_t cycle, uint32_t shift)
{
    return (now + lead) / cycle * cycle + cycle + shift;
}

void yk_ec_phase_init(struct yk_ec_phase *p, double period_ns)
{
    *p = (struct yk_ec_phase){.period_ns = period_ns};
}

YK_RT void yk_ec_phase_update(struct yk_ec_phase *p, uint64_t time)
{
    const double T = p->period_ns, limit = LIMIT * T;
    double e = (double)(time % (uint64_t)T);

    if (e >= 0.5 * T)
        e -= T;
    p->error_ns = e;
    p->correction_ns = -(KP * e + KI * p->sum_ns);
    if (fabs(p->correction_ns) > limit)
        p->correction_ns = copysign(limit, p->correction_ns);
    else
        p->sum_ns += e;
    p->locked += fabs(e) < IS_NEAR * T ? 1 : p->locked < COSTS ? -p->locked : -COSTS;
}
