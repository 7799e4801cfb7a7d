/* Maxwell element: a spring K in series with a damper C |v|^a. docs/theory/laws.md, eq. (30)-(32).
 *
 *   F' = K (w - sgn(F) |F/C|^(1/a))
 *
 * Over the time h since the commit the rate is that of the chord, (d - d0)/h: the extension reached counts, whatever a
 * method makes of its velocities. For a = 1 the solution is exact; otherwise SDIRK of order 2 (L-stable, two stages).
 * Each stage is one scalar equation x + b |x|^p = r with p >= 1. Newton's method starts above its root, where it falls
 * towards it without fail; it is there after at most NEWTON steps. The tangent is the derivative of the stages.
 * At h = 0 the element is its spring.
 *
 * Units: N, m, s; C in N (s/m)^a. State: extension, force. */
#include <yoke/law.h>

#include <stdio.h>

enum { NEWTON = 10 };

#define GAMMA 0.29289321881345247560 /* 1 - 1/sqrt(2) */

#define MATTERS 10.0 /* see advise */
#define USUAL   0.1  /* m/s: rates that tests reach */

struct maxwell {
    double stiffness, damping, exponent;
};

/* A number and its derivative with respect to the extension d. */
struct dual {
    double v, dv;
};

static void rest(const void *settings, double d, double *state)
{
    state[0] = d;
    state[1] = 0;
}

/* x with x + b |x|^p sgn(x) = r, b >= 0, p >= 1. */
YK_RT static struct dual root(double b, double p, struct dual r)
{
    const double size = fabs(r.v);
    double x = fmin(size, pow(size / b, 1 / p)), power = pow(x, p - 1);

    for (int i = 0; i < NEWTON; i++) {
        const double next = x - (x + b * power * x - size) / (1 + b * p * power);

        if (!(next < x)) /* rounding is all that is left */
            break;
        x = fmax(next, 0);
        power = pow(x, p - 1);
    }
    return (struct dual){copysign(x, r.v), r.dv / (1 + b * p * power)};
}

/* A stage, eq. (32): F with F + g phi(F) = r, where g = gamma h K and phi = sgn(F) |F/C|^(1/a) is the rate of the
 * damper. The unknown is F/C for a <= 1, else phi: so that the power in the equation is not below 1. */
YK_RT static struct dual stage(const struct maxwell *s, double g, struct dual r)
{
    const double C = s->damping, a = s->exponent;

    if (a <= 1) {
        const struct dual y = root(g / C, 1 / a, (struct dual){r.v / C, r.dv / C});

        return (struct dual){C * y.v, C * y.dv};
    }
    const struct dual rate = root(C / g, a, (struct dual){r.v / g, r.dv / g});
    const double power = C * pow(fabs(rate.v), a - 1);

    return (struct dual){power * rate.v, a * power * rate.dv};
}

/* The force at extension d, a time h after the committed state. */
YK_RT static struct dual reached(const struct maxwell *s, const double *committed, double d, double h)
{
    const double K = s->stiffness, C = s->damping, F0 = committed[1], Kd = K * (d - committed[0]);

    if (!(h > 0))
        return (struct dual){F0 + Kd, K};
    if (s->exponent == 1) { /* eq. (31) */
        const double x = h * K / C, gone = -expm1(-x);

        return (struct dual){F0 + Kd * (gone / x) - F0 * gone, K * (gone / x)};
    }
    const double g = GAMMA * h * K;
    const struct dual F1 = stage(s, g, (struct dual){F0 + GAMMA * Kd, GAMMA * K});
    const double slope = (1 - GAMMA) / GAMMA;

    return stage(s, g, (struct dual){F0 + slope * (F1.v - F0) + GAMMA * Kd, slope * F1.dv + GAMMA * K});
}

YK_RT static double force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    const struct dual F = reached(settings, committed, d, h);

    trial[0] = d;
    trial[1] = F.v;
    return F.v;
}

YK_RT static void tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                          double *c)
{
    *k = reached(settings, committed, d, h).dv;
    *c = 0;
}

/* The spring no longer matters within a step if K h |v|^(1 - a)/(a C) exceeds 10: for a < 1 above some rate. */
static bool advise(const void *settings, double h, char *text, size_t size)
{
    const struct maxwell *s = settings;
    const double a = s->exponent, long_for = s->stiffness * h / (a * s->damping);
    const double rate = a < 1 ? pow(MATTERS / long_for, 1 / (1 - a)) : long_for > MATTERS ? 0 : INFINITY;

    if (a > 1 || !(rate < USUAL))
        return false;
    if (a == 1)
        snprintf(text, size,
                 "its spring is too stiff for steps of %g s (stiffness * step/damping = %.3g, above %g); use 'damper'",
                 h, long_for, MATTERS);
    else
        snprintf(text, size, "above a rate of %.2g m/s its spring is too stiff for steps of %g s; use 'power-damper'",
                 rate, h);
    return true;
}

static const struct yk_param params[] = {
    YK_REAL(struct maxwell, stiffness, YK_STIFFNESS, YK_REQUIRED, YK_TINY, 1e15, "stiffness of the spring"),
    YK_REAL(struct maxwell, damping, YK_NUMBER, YK_REQUIRED, 1e-9, 1e15,
            "force of the damper at a rate of 1 m/s, in N (s/m)^exponent"),
    YK_REAL(struct maxwell, exponent, YK_NUMBER, 1, 0.05, 3, "power of the rate; 1 is solved exactly"),
    YK_PARAM_END,
};

const struct yk_law_ops yk_law_maxwell = {
    .name = "maxwell",
    .summary = "spring and damper in series: f' = stiffness (w - sgn(f) |f/damping|^(1/exponent))",
    .reference = "Maxwell 1867; Makris and Constantinou 1991",
    .params = params,
    .settings_size = sizeof(struct maxwell),
    .count = 2,
    .rest = rest,
    .force = force,
    .tangent = tangent,
    .advise = advise,
};
