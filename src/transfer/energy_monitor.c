/* A running indicator of instability, from the work that tracking errors put into the loop.
 * docs/theory/stability-monitor.md.
 *
 *     work of the error   w = integral of F (dx_measured - dx_wanted)
 *     energy of a swing   E = (F range)(x range)/8, over a half cycle of the target motion
 *
 * A delay tau makes w = k tau integral v^2 > 0: negative damping. If E passes the highest P so far, the error
 * explains it if its work in the last swings is at least half of E - P; then the growth G is multiplied by E/P. Growth
 * due to a load is not counted. P follows E down slowly, and G with it. In a loop driven by the error G grows with the
 * energy; in steady vibration it stays constant, however long that lasts. The result is sqrt(G), a ratio of motions.
 *
 * Swings that do not stand out from the noise of the readings, whose measure is the mean second difference from tick to
 * tick, are ignored and restart the account. */
#include "transfer/supervisor.h"

#include <math.h>

enum { SWINGS_OF_WORK = 10, SWINGS_OF_PEAK = 50 }; /* half cycles that are remembered */
#define PAID         0.5                           /* of the growth: the error pays for it */
#define STANDS_OUT   50.0                          /* times the noise: a swing that counts */
#define NOISE_TICKS  100.0
#define TURNS_BEHIND 0.05 /* of the swing: that far back it has turned */

/* Takes the readings of a tick into the measure of their noise. */
YK_RT static void hear_noise(struct yk_energy_monitor *m, double measured, double force)
{
    m->noise_x += (fabs(measured - 2 * m->last_x + m->before_x) - m->noise_x) / NOISE_TICKS;
    m->noise_F += (fabs(force - 2 * m->last_F + m->before_F) - m->noise_F) / NOISE_TICKS;
    m->before_x = m->last_x;
    m->before_F = m->last_F;
}

YK_RT static bool stands_out(const struct yk_energy_monitor *m)
{
    return m->highest - m->lowest > STANDS_OUT * m->noise_x && m->most - m->least > STANDS_OUT * m->noise_F;
}

/* The growth of energy if the swing ended now. */
YK_RT static double growth(const struct yk_energy_monitor *m, double energy)
{
    const bool paid =
        m->peak > 0 && stands_out(m) && energy > m->peak && m->work + m->swing_work >= PAID * (energy - m->peak);

    return paid ? m->growth * energy / m->peak : m->growth;
}

YK_RT static void begin_swing(struct yk_energy_monitor *m, double target, double force)
{
    m->swing_work = 0;
    m->lowest = m->highest = target;
    m->least = m->most = force;
}

/* The half cycle ends: its energy and work are remembered. */
YK_RT static void end_swing(struct yk_energy_monitor *m, double energy)
{
    if (!stands_out(m)) {
        m->growth = 1;
        m->peak = m->work = 0;
    } else if (energy > m->peak) {
        m->growth = growth(m, energy);
        m->peak = energy;
        m->work = 0;
    } else {
        const double peak = m->peak + (energy - m->peak) / SWINGS_OF_PEAK;

        m->growth = m->peak > 0 ? fmax(1, m->growth * peak / m->peak) : 1;
        m->peak = peak;
        m->work += m->swing_work - m->work / SWINGS_OF_WORK;
    }
}

YK_RT double yk_energy_monitor_step(struct yk_energy_monitor *m, double target, double measured, double force)
{
    if (!m->started) {
        *m = (struct yk_energy_monitor){
            .started = true, .growth = 1, .last_x = measured, .last_target = target, .last_F = force};
        m->before_x = measured;
        m->before_F = force;
        begin_swing(m, target, force);
        return 1;
    }
    m->swing_work += 0.5 * (force + m->last_F) * ((measured - m->last_x) - (target - m->last_target));
    hear_noise(m, measured, force);
    m->last_x = measured;
    m->last_target = target;
    m->last_F = force;
    m->lowest = fmin(m->lowest, target);
    m->highest = fmax(m->highest, target);
    m->least = fmin(m->least, force);
    m->most = fmax(m->most, force);
    const double swing = m->highest - m->lowest, energy = 0.125 * swing * (m->most - m->least);
    const double grown = sqrt(growth(m, energy));

    /* turned: the target motion has come back from its end by a part of the swing */
    const double back = m->heading >= 0 ? m->highest - target : target - m->lowest;
    if (back > TURNS_BEHIND * swing) {
        if (m->heading) /* the first motion of all is no half cycle */
            end_swing(m, energy);
        begin_swing(m, target, force);
        m->heading = m->heading >= 0 ? -1 : 1;
    }
    return grown;
}
