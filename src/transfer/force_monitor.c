/* Is the measured force plausible? docs/theory/force-monitor.md.
 *
 * E is the force that the estimate expects at the measured motion, F the measured one. The motion is split where E
 * reverses; each half cycle gives the correlation rho of F with E, and with the one before the share q of the largest
 * loop that F encloses with the displacement:
 *
 *     rho = cov(E, F)/sqrt(var E var F),      q = integral of (F - mean F) dx / (range F range x)
 *
 * Between two reversals the force of any passive specimen without inertia follows the motion: rho > 0, whether it is
 * elastic, yields, rubs or has a gap, and q >= 0. Reversed: rho clearly negative and no work absorbed, or q clearly
 * negative. Constant: no more than noise in half cycles as large as those in which it responded before. Clipped: F
 * repeats a value to the last bits while E passes a turn of its own, out and back; a specimen that yields or rubs
 * unloads at once. */
#include "transfer/force_monitor.h"

#include <math.h>

#define NOISE_TICKS       100.0
#define SECOND_DIFFERENCE 1.954 /* mean |second difference| of white noise over its standard deviation: sqrt(12/pi) */
#define HISS              0.1   /* share of a force that is left at least when its noise is taken off */
#define CHANCE            5.0   /* standard deviations: a correlation that is none of chance */
/* half cycles that count */
#define STANDS_OUT  50.0 /* times the noise of E */
#define SMALL       0.01 /* of the largest so far */
#define LEAST_TICKS 8
#define TURNS       0.05 /* of the half cycle, or TURN_NOISE times the noise of E: that far back it has turned */
#define TURN_NOISE  10.0
/* a constant force: ranges */
#define STILL_NOISE 4.0    /* times the noise of F, or */
#define STILL       0.0005 /* of the range of E: it does not change */
#define RESPONDS    2.0    /* times that: it does */
#define VISIBLE     5.0    /* times that: E should be seen in F */
#define CLOSE       0.995  /* correlation of a force that is as expected: a gap below a sixth of the motion */
#define SHARE_CLOSE 0.3
#define FITS        0.9 /* and of one that is nearly so: below a half of it */
#define SHARE_FITS  0.8
#define SHARE_ALL   0.99
/* the sign */
#define FAINT    0.02 /* of the range of E: a smaller force has none that could be trusted */
#define AGAINST  -0.5 /* correlation of a reversed one: the only actuator of a specimen */
#define OPPOSITE -0.9 /* and one of several, where yielding of one changes what the others feel */
#define ABSORBS  0.3  /* share of the largest loop: the specimen takes work, so the sign is right */
#define GIVES    -0.5 /* and: it gives work without end, so the sign is wrong */
/* a clipped force */
#define FLAT       1e-9 /* relative change of a force that repeats itself */
#define FLAT_WAY   0.1  /* of the last half cycle: E goes that far out and comes back meanwhile */
#define FLAT_LEAST 0.05 /* of the largest force: what stands closer to zero is a gap */

/* ---- sums over a part of the motion ---- */

YK_RT static void add_ranges(struct yk_force_sums *s, const struct yk_force_sums *more)
{
    if (s->n == 0)
        return;
    s->E_low = more->E_low < s->E_low ? more->E_low : s->E_low;
    s->E_high = more->E_high > s->E_high ? more->E_high : s->E_high;
    s->F_low = more->F_low < s->F_low ? more->F_low : s->F_low;
    s->F_high = more->F_high > s->F_high ? more->F_high : s->F_high;
    s->x_low = more->x_low < s->x_low ? more->x_low : s->x_low;
    s->x_high = more->x_high > s->x_high ? more->x_high : s->x_high;
}

YK_RT static void add(struct yk_force_sums *s, const struct yk_force_sums *more)
{
    if (more->n == 0)
        return;
    if (s->n == 0) {
        *s = *more;
        return;
    }
    add_ranges(s, more);
    s->n += more->n;
    s->E += more->E;
    s->F += more->F;
    s->EE += more->EE;
    s->FF += more->FF;
    s->EF += more->EF;
    s->work += more->work;
    s->way += more->way;
}

YK_RT static struct yk_force_sums sums_of_tick(const struct yk_force_monitor *m, double E, double x, double F)
{
    const double e = E - m->E0, f = F - m->F0;

    return (struct yk_force_sums){.n = 1,
                                  .E = e,
                                  .F = f,
                                  .EE = e * e,
                                  .FF = f * f,
                                  .EF = e * f,
                                  .E_low = E,
                                  .E_high = E,
                                  .F_low = F,
                                  .F_high = F,
                                  .x_low = x,
                                  .x_high = x,
                                  .work = (0.5 * (F + m->F[0]) - m->F0) * (x - m->x),
                                  .way = x - m->x};
}

YK_RT static double range_E(const struct yk_force_sums *s)
{
    return s->E_high - s->E_low;
}

YK_RT static double range_F(const struct yk_force_sums *s)
{
    return s->F_high - s->F_low;
}

/* Slope of F over E, and their correlation without the part of the noise. */
YK_RT static double slope(const struct yk_force_monitor *m, const struct yk_force_sums *s, double *rho)
{
    const double n = (double)s->n, EE = s->EE - s->E * s->E / n, FF = s->FF - s->F * s->F / n,
                 EF = s->EF - s->E * s->F / n, hiss = m->noise_F / SECOND_DIFFERENCE;
    const double own = fmax(FF - n * hiss * hiss, HISS * FF);

    *rho = EE > 0 && own > 0 ? fmax(-1, fmin(1, EF / sqrt(EE * own))) : 0;
    return EE > 0 ? EF / EE : 0;
}

/* Does F follow E, however faintly? A correlation of noise is about 1/sqrt(n). */
YK_RT static bool follows(const struct yk_force_sums *s)
{
    const double n = (double)s->n, EE = s->EE - s->E * s->E / n, FF = s->FF - s->F * s->F / n,
                 EF = s->EF - s->E * s->F / n;

    return EE > 0 && FF > 0 && EF * EF * n > CHANCE * CHANCE * EE * FF;
}

/* Work of a whole cycle about its mean force, as a share of the rectangle around its loop. */
YK_RT static double loop(const struct yk_force_sums *s)
{
    const double box = range_F(s) * (s->x_high - s->x_low);

    return box > 0 ? (s->work - s->F / (double)s->n * s->way) / box : 0;
}

/* ---- a half cycle is judged ---- */

YK_RT static bool stands_out(const struct yk_force_monitor *m, const struct yk_force_sums *s)
{
    return s->n >= LEAST_TICKS && range_E(s) > STANDS_OUT * m->noise_E && range_E(s) >= SMALL * m->largest;
}

/* The force has responded between these ends, and from now on is expected to in half cycles that have a share of them
 * in common. While it is as expected, that share is small: a gap in the middle would show. If it was not in two half
 * cycles in a row, a gap may have opened or have been there all the time, and earlier findings count no more. (One half
 * cycle alone may be that in which a load cell dies.) */
YK_RT static void trust(struct yk_force_monitor *m, const struct yk_force_sums *s)
{
    double rho;

    slope(m, s, &rho);
    const bool close = rho >= CLOSE, keep = !close && m->close;
    m->alive = true;
    m->close = close;
    if (keep)
        return;
    m->trust_low = s->E_low;
    m->trust_high = s->E_high;
    m->trust_width = (close ? SHARE_CLOSE : rho >= FITS ? SHARE_FITS : SHARE_ALL) * range_E(s);
}

YK_RT static bool is_trusted(const struct yk_force_monitor *m, const struct yk_force_sums *s)
{
    const double common = fmin(s->E_high, m->trust_high) - fmax(s->E_low, m->trust_low);

    return !m->alive || common >= m->trust_width;
}

/* A force that responds: is it the right way round? */
YK_RT static void judge_sign(struct yk_force_monitor *m, const struct yk_force_sums *s,
                             const struct yk_force_sums *cycle)
{
    const bool clear = range_F(cycle) > FAINT * range_E(s);
    double rho;
    const double gain = slope(m, s, &rho), q = m->alone && m->last.n > 0 ? loop(cycle) : 0;
    const bool against = rho < (m->alone ? AGAINST : OPPOSITE) && q < ABSORBS, gives = q < GIVES && rho < -AGAINST;

    m->constant = 0;
    if (clear && (against || gives)) {
        m->reversed++;
        m->finding.seen = gain;
    } else {
        m->reversed = 0;
        m->good += clear;
    }
}

YK_RT static void judge(struct yk_force_monitor *m)
{
    const struct yk_force_sums *s = &m->out;
    struct yk_force_sums cycle = m->last; /* friction changes its force only where it turns round */
    const double still = fmax(STILL_NOISE * m->noise_F, STILL * range_E(s));

    m->largest = fmax(m->largest, range_E(s));
    if (!stands_out(m, s))
        return;
    add(&cycle, s);
    if (range_F(&cycle) > RESPONDS * still || follows(s)) {
        if (range_F(s) > RESPONDS * still || follows(s))
            trust(m, s);
        judge_sign(m, s, &cycle);
    } else if (m->last.n > 0 && range_F(&cycle) <= still && range_E(s) > VISIBLE * still && is_trusted(m, s)) {
        m->reversed = 0;
        m->constant++;
        m->finding.seen = range_F(&cycle);
        m->finding.expected = range_E(s);
    }
}

/* ---- a force that stands still at its largest value ---- */

YK_RT static void watch_flat(struct yk_force_monitor *m, double E, double F)
{
    const int side = F > 0;

    m->F_low = F < m->F_low ? F : m->F_low;
    m->F_high = F > m->F_high ? F : m->F_high;
    if (fabs(F) > fabs(m->clip[side]) * (1 + FLAT)) /* it can be larger */
        m->clipped[side] = 0;
    if (!(fabs(F - m->flat) <= FLAT * fabs(F))) {
        m->flat = F;
        m->flat_from = m->flat_low = m->flat_high = E;
        m->flat_counted = false;
        return;
    }
    m->flat_low = E < m->flat_low ? E : m->flat_low;
    m->flat_high = E > m->flat_high ? E : m->flat_high;
    const double least = FLAT_LEAST * fmax(m->F_high, -m->F_low), enough = FLAT_WAY * range_E(&m->last);
    const double above = fmin(m->flat_high - m->flat_from, m->flat_high - E),
                 below = fmin(m->flat_from - m->flat_low, E - m->flat_low);
    if (m->flat_counted || m->last.n == 0 || fabs(F) < least || fabs(F - m->F0) < least || fmax(above, below) <= enough)
        return;
    m->flat_counted = true;
    m->clipped[side] = fabs(F - m->clip[side]) <= FLAT * fabs(F) ? m->clipped[side] + 1 : 1;
    m->clip[side] = F;
}

/* ---- tick by tick ---- */

YK_RT static void begin(struct yk_force_monitor *m, double E, double x, double F)
{
    *m = (struct yk_force_monitor){.alone = m->alone, .started = true, .E0 = E, .F0 = F, .x = x, .turn = E};
    m->E[0] = m->E[1] = E;
    m->F[0] = m->F[1] = F;
    m->flat = m->F_low = m->F_high = F;
    m->flat_from = m->flat_low = m->flat_high = E;
}

YK_RT static void hear_noise(struct yk_force_monitor *m, double E, double F)
{
    m->noise_E += (fabs(E - 2 * m->E[0] + m->E[1]) - m->noise_E) / NOISE_TICKS;
    m->noise_F += (fabs(F - 2 * m->F[0] + m->F[1]) - m->noise_F) / NOISE_TICKS;
}

/* The tick belongs to this half cycle, or, once E has turned round, to the next. */
YK_RT static void follow(struct yk_force_monitor *m, double E, const struct yk_force_sums *tick)
{
    if (m->heading == 0)
        m->heading = E > m->turn ? 1 : E < m->turn ? -1 : 0;
    const bool farther = m->heading == 0 || (E - m->turn) * m->heading >= 0; /* out than ever */

    if (farther && m->back.n == 0) {
        m->turn = E;
        add(&m->out, tick);
        return;
    }
    add(&m->back, tick);
    if (farther) {
        m->turn = E;
        add(&m->out, &m->back);
        m->back = (struct yk_force_sums){0};
        return;
    }
    const double far = fabs(E - m->turn);
    if (far <= fmax(TURNS * range_E(&m->out), TURN_NOISE * m->noise_E))
        return;
    judge(m);
    m->last = m->out;
    m->out = m->back;
    m->back = (struct yk_force_sums){0};
    m->turn = E;
    m->heading = -m->heading;
}

YK_RT static long conclude(struct yk_force_monitor *m)
{
    struct yk_force_finding *f = &m->finding;
    const long clipped = m->clipped[0] + m->clipped[1];

    f->verdict = m->reversed   ? YK_FORCE_REVERSED
                 : m->constant ? YK_FORCE_CONSTANT
                 : clipped     ? YK_FORCE_CLIPPED
                               : YK_FORCE_PLAUSIBLE;
    f->half_cycles = m->reversed ? m->reversed : m->constant ? m->constant : clipped;
    if (f->verdict == YK_FORCE_CLIPPED)
        f->seen = m->clip[m->clipped[1] > 0];
    return f->half_cycles;
}

YK_RT long yk_force_monitor_step(struct yk_force_monitor *m, double expected, double displacement, double force)
{
    if (!m->started) {
        begin(m, expected, displacement, force);
        return 0;
    }
    const struct yk_force_sums tick = sums_of_tick(m, expected, displacement, force);

    hear_noise(m, expected, force);
    watch_flat(m, expected, force);
    follow(m, expected, &tick);
    m->E[1] = m->E[0];
    m->E[0] = expected;
    m->F[1] = m->F[0];
    m->F[0] = force;
    m->x = displacement;

    return conclude(m);
}

YK_RT bool yk_force_monitor_ran_reversed(struct yk_force_monitor *m)
{
    struct yk_force_sums all = m->out;
    double rho;

    add(&all, &m->back);
    if (m->good > 0 || m->constant > 0 || !stands_out(m, &all) || range_F(&all) <= FAINT * range_E(&all))
        return false;
    const double gain = slope(m, &all, &rho);
    if (rho > OPPOSITE)
        return false;
    m->finding = (struct yk_force_finding){YK_FORCE_REVERSED, m->reversed + 1, gain, 0};
    return true;
}
