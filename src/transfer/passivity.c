/* Observer of energy and passivity controllers: docs/theory/energy.md, eq. (1) to (3).
 *
 *     strict:      E += dE;  where E < -allow:  a = min((-E - allow)/(h v^2), most),  E += h a v^2
 *     normalised:  p += (h/T)(dE/h - p),  s += (h/T)(v^2 - s);  a = min(max(-p/s, 0), most)
 *
 * Strict keeps the account at -allow tick by tick while a < most; normalised cancels the negative damping that it
 * estimates. Units: m, N, J, or rad, N m, J. */
#include "transfer/passivity.h"

#include <math.h>

const struct yk_param yk_passivity_params[] = {
    YK_CHOICE(struct yk_passivity_settings, kind, "none|strict|normalised", YK_PASSIVITY_NONE,
              "strict: never more generated than taken out; normalised: cancels the negative damping over a window"),
    YK_REAL(struct yk_passivity_settings, window, YK_TIME, 0.5, 1e-6, 1e5,
            YK_WHEN("kind", "of the averages: one period of the lowest mode")),
    YK_REAL(
        struct yk_passivity_settings, most, YK_DAMPING, 0, 0, 1e15,
        YK_WHEN(
            "kind",
            "largest damping that is added; below half of the mass at the interface over the time between two forces")),
    YK_REAL(struct yk_passivity_settings, allow, YK_ENERGY, 0, 0, 1e15,
            YK_WHEN("kind", "generated energy below which nothing is done; above three times the noise work")),
    YK_PARAM_END,
};

void yk_passivity_init(struct yk_passivity *p, const struct yk_passivity_settings *settings, double h)
{
    *p = (struct yk_passivity){.set = *settings, .h = h};
}

YK_RT void yk_passivity_reset(struct yk_passivity *p, double x, double x_e, double F)
{
    *p = (struct yk_passivity){.set = p->set, .h = p->h, .x = x, .before = x, .x_e = x_e, .F = F};
}

/* eq. (2) */
YK_RT static double strict(struct yk_passivity *p, double v)
{
    const double due = -p->E - p->set.allow, room = p->h * v * v;

    return due > 0 ? (due < p->set.most * room ? due / room : p->set.most) : 0;
}

/* eq. (3) */
YK_RT static double normalised(struct yk_passivity *p, double dE, double v)
{
    const double share = fmin(p->h / p->set.window, 1);

    p->p += share * (dE / p->h - p->p);
    p->s += share * (v * v - p->s);
    if (!(p->p < 0) || !(p->s > 0) || (p->set.allow > 0 && !(p->E < -p->set.allow)))
        return 0;
    return fmin(-p->p / p->s, p->set.most);
}

YK_RT double yk_passivity_step(struct yk_passivity *p, double x, double x_e, double F, double added)
{
    const double mean = 0.5 * (p->F + F), moved = x - p->x, v = (3 * x - 4 * p->x + p->before) / (2 * p->h),
                 dE = mean * (moved - (x_e - p->x_e)), taken = added * moved;

    p->generated -= dE;
    p->E += dE + taken;
    p->paid += taken;
    p->a = p->set.kind == YK_PASSIVITY_STRICT ? strict(p, v) : normalised(p, dE + taken, v);
    p->E += p->h * p->a * v * v;
    p->paid += p->h * p->a * v * v;
    p->share += fmin(p->h / p->set.window, 1) * ((p->a >= p->set.most) - p->share);
    p->before = p->x;
    p->x = x;
    p->x_e = x_e;
    p->F = F;
    return p->a * v;
}
