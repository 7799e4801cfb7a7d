/* Overcompensation with optimal feedback: the measured force at the instant the target was crossed.
 * docs/theory/delay.md, eq. (19)-(21).
 *
 * The specimen is commanded to be early and passes the target before its due time. The newest pair of ticks that
 * brackets the target gives the force, interpolated between them. A target that was not crossed takes the nearest or
 * the newest sample. Cost of a choice: a look at every tick of the window. Units: m, N, ticks. */
#include <yoke/transfer.h>

enum { LONGEST = 1000000 };

void yk_optimal_feedback_layout(struct yk_optimal_feedback *f, struct yk_arena *mem)
{
    const size_t samples = f->window > 0 && f->window <= LONGEST ? (size_t)f->window + 1 : 1;

    yk_arena_array(mem, &f->x, samples);
    yk_arena_array(mem, &f->r, samples);
}

enum yk_status yk_optimal_feedback_init(struct yk_optimal_feedback *f, struct yk_err *err)
{
    if (f->window < 1 || f->window > LONGEST)
        return yk_fail(err, YK_E_RANGE, "optimal feedback: window = %d ticks is outside 1 .. %d", f->window, LONGEST);
    yk_optimal_feedback_reset(f, 0, 0);
    return YK_OK;
}

YK_RT void yk_optimal_feedback_reset(struct yk_optimal_feedback *f, double x0, double r0)
{
    for (int i = 0; i <= f->window; i++) {
        f->x[i] = x0;
        f->r[i] = r0;
    }
    f->newest = 0;
    f->reach = f->window;
    f->from = 0;
    f->hits = f->asked = 0;
}

/* The window is the last `window` ticks, or, monotone, what lies after the last choice. */
YK_RT static void age(struct yk_optimal_feedback *f)
{
    f->reach++;
    if (f->monotone && f->reach <= f->window)
        return;
    f->reach = f->window;
    f->from = 0;
}

YK_RT void yk_optimal_feedback_push(struct yk_optimal_feedback *f, double x_e, double r_e)
{
    const int last = f->newest;
    const bool good = isfinite(x_e) && isfinite(r_e);

    f->newest = last == f->window ? 0 : last + 1;
    f->x[f->newest] = good ? x_e : f->x[last];
    f->r[f->newest] = good ? r_e : f->r[last];
    age(f);
}

/* Place in the ring of the sample `ticks` before the newest. */
YK_RT static int before(const struct yk_optimal_feedback *f, int ticks)
{
    const int place = f->newest - ticks;

    return place < 0 ? place + f->window + 1 : place;
}

/* eq. (20): does the pair that is `ticks` and `ticks` - 1 old bracket the target, and where? */
YK_RT static bool bracket(const struct yk_optimal_feedback *f, int ticks, double target, double *w)
{
    const double a = f->x[before(f, ticks)], b = f->x[before(f, ticks - 1)];

    if (!((a <= target && target <= b) || (b <= target && target <= a)))
        return false;
    *w = a == b ? 0 : (target - a) / (b - a);
    return ticks < f->reach || *w >= f->from;
}

/* eq. (21): the age of the sample to take when the target was not crossed */
YK_RT static int fallback(const struct yk_optimal_feedback *f, double target)
{
    int best = 0;

    if (f->rule == YK_FEEDBACK_NEWEST)
        return 0;
    for (int ticks = 1; ticks <= f->reach; ticks++)
        if (fabs(f->x[before(f, ticks)] - target) < fabs(f->x[before(f, best)] - target))
            best = ticks;
    return best;
}

YK_RT static void chosen(struct yk_optimal_feedback *f, int ticks, double w)
{
    if (!f->monotone)
        return;
    f->reach = ticks;
    f->from = w;
}

YK_RT bool yk_optimal_feedback_choose(struct yk_optimal_feedback *f, double target, double *force, double *displacement)
{
    f->asked++;
    for (int ticks = 1; ticks <= f->reach; ticks++) {
        const int a = before(f, ticks), b = before(f, ticks - 1);
        double w;

        if (!bracket(f, ticks, target, &w))
            continue;
        *force = f->r[a] + w * (f->r[b] - f->r[a]);
        *displacement = target;
        chosen(f, ticks, w);
        f->hits++;
        return true;
    }
    const int ticks = fallback(f, target);
    *force = f->r[before(f, ticks)];
    *displacement = f->x[before(f, ticks)];
    chosen(f, ticks, 0);
    return false;
}
