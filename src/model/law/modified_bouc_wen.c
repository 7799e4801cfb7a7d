/* Modified Bouc-Wen model of a magnetorheological damper: a Bouc-Wen element, a spring k0 and a damper c0 side by side,
 * in series with a damper c1; a spring k1 beside all of it. docs/theory/laws.md, eq. (36)-(41).
 *
 *   c1 y' = Fy z + k0 u + c0 u',     u = d - y,     f = c1 y' + k1 d
 *   zm z' = u' (1 - |z|^n (1 + sgn(z u'))/2)
 *
 * z is the evolutionary variable over its largest value. With `exponent` q the damper c0 |w|^q sgn(w) follows the whole
 * rate w of the element instead of u'.
 *
 * Along a monotone path z is a function of u alone, in closed form for n = 1 and 2 and by Runge-Kutta of order 4
 * otherwise (error per call below 1e-8 for n >= 2, 2e-6 for 1 < n < 2), so a slip of many zm is no stiffness. What
 * remains is one equation for u, B u' = A - Fy z(u) - k0 u, whose right side falls with u: SDIRK of order 2 (L-stable,
 * two stages). A stage is a scalar equation, increasing and concave along its path: Newton's method from below climbs
 * to the root without fail. A call takes at most SUBSTEPS substeps, so that one of them slips by at most zm/2 and by
 * half a time constant of the damper c1 where this number allows it. Over the time h since the commit the rate is that
 * of the chord, (d - d0)/h; the viscous part of the force follows the rate w at the end. The tangent is the derivative
 * of all this.
 *
 * Units: N, m, s; viscous in N s/m, with exponent in N (s/m)^q. State: extension, u, z. */
#include <yoke/law.h>

enum { SUBSTEPS = 16, NEWTON = 40, INCREMENTS = 2048 };

#define GAMMA 0.29289321881345247560 /* 1 - 1/sqrt(2) */
#define SHARE 0.5                    /* of zm, and of a time constant, in one substep */

struct modified_bouc_wen {
    double yield_force, yield_slip, n, viscous, series_viscous, inner_stiffness, stiffness, exponent, smooth;
};

/* A number and its derivative with respect to the extension d. */
struct dual {
    double v, dv;
};

static enum yk_status prepare(void *settings, struct yk_err *err)
{
    const struct modified_bouc_wen *s = settings;

    if (s->exponent != 0 && s->exponent < 0.05)
        return yk_fail(err, YK_E_RANGE,
                       "modified-bouc-wen: exponent = %g, allowed are 0 (linear, inside) and 0.05 .. 3", s->exponent);
    return YK_OK;
}

static void rest(const void *settings, double d, double *state)
{
    state[0] = d;
    state[1] = 0;
    state[2] = 0;
}

/* z^n, 0 for z <= 0: the path unloads there. */
YK_RT static inline double power(const struct modified_bouc_wen *s, double z)
{
    return z <= 0 ? 0 : s->n == 1 ? z : s->n == 2 ? z * z : pow(z, s->n);
}

/* One of a few Runge-Kutta increments of z' = 1 - z^n. */
YK_RT static double increment(const struct modified_bouc_wen *s, double z, double h)
{
    const double a = 1 - power(s, z), b = 1 - power(s, z + 0.5 * h * a), c = 1 - power(s, z + 0.5 * h * b);

    return z + h / 6 * (a + 2 * b + 2 * c + (1 - power(s, z + h * c)));
}

/* eq. (37): z after loading from z >= 0 along the slip p [zm]. */
YK_RT static double load(const struct modified_bouc_wen *s, double z, double p)
{
    if (s->n == 1)
        return 1 - (1 - z) * exp(-p);
    if (s->n == 2) {
        const double t = tanh(p);

        return (z + t) / (1 + z * t);
    }
    const double h = 1 / (32 * s->n);

    for (int i = 0; i < INCREMENTS && p > 0 && z < 1 - 1e-12; i++, p -= h)
        z = increment(s, z, fmin(p, h));
    return fmin(z, 1);
}

/* z after the slip p >= 0 [zm] from z0, both counted in the direction of the slip. */
YK_RT static double slipped(const struct modified_bouc_wen *s, double z0, double p)
{
    if (p <= 0)
        return z0;
    if (z0 >= 0)
        return load(s, z0, p);
    return p <= -z0 ? z0 + p : load(s, 0, p + z0);
}

/* Equation of a stage, (1 + a k0) U + a Fy z(U) = r: z at its start, and the weight a. */
struct stage {
    struct dual z0;
    double a;
};

/* The slip U that solves the equation of a stage, and z there. */
YK_RT static struct dual solve(const struct modified_bouc_wen *s, const struct stage *g, struct dual r, struct dual *z)
{
    const double zm = s->yield_slip, F = g->a * s->yield_force, line = 1 + g->a * s->inner_stiffness;
    const double sign = r.v - F * g->z0.v < 0 ? -1 : 1, z0 = sign * g->z0.v, to = sign * r.v;
    const double first = 1 - power(s, z0);
    double U = fmax((to - F * z0) / (line + F / zm * first), (to - F) / line), at = slipped(s, z0, U / zm);
    double slope = (1 - power(s, at)) / zm;

    for (int i = 0; i < NEWTON; i++) {
        const double move = (to - line * U - F * at) / (line + F * slope);

        if (!(move > 1e-14 * (U + 1e-6 * zm)))
            break;
        U += move;
        at = slipped(s, z0, U / zm);
        slope = (1 - power(s, at)) / zm;
    }
    const double kept = first > 1e-12 ? slope * zm / first : 0; /* dz/dz0 */
    const double dU = (r.dv - F * kept * g->z0.dv) / (line + F * slope);

    *z = (struct dual){sign * at, slope * dU + kept * g->z0.dv};
    return (struct dual){sign * U, dU};
}

/* |w|^q sgn(w), rounded off below the rate `smooth`, and its slope. */
YK_RT static double raised(const struct modified_bouc_wen *s, double w, double *slope)
{
    const double square = w * w + s->smooth * s->smooth, q = s->exponent;
    const double secant = square > 0 || q == 1 ? pow(square, 0.5 * (q - 1)) : 0;

    *slope = secant * (square > 0 ? 1 + (q - 1) * (w * w / square) : 1);
    return secant * w;
}

/* B of eq. (38). */
YK_RT static double opposing(const struct modified_bouc_wen *s)
{
    return s->exponent > 0 ? s->series_viscous : s->viscous + s->series_viscous;
}

/* A h of eq. (38), for a motion by D in the time h. */
YK_RT static struct dual push(const struct modified_bouc_wen *s, double D, double h)
{
    double slope, lost;

    if (!(s->exponent > 0) || !(h > 0))
        return (struct dual){s->series_viscous * D, s->series_viscous};
    lost = s->viscous * raised(s, D / h, &slope);
    return (struct dual){s->series_viscous * D - lost * h, s->series_viscous - s->viscous * slope};
}

/* u and z at extension d, a time h after the committed state: eq. (38)-(40). */
YK_RT static void follow(const struct modified_bouc_wen *s, const double *committed, double d, double h, struct dual *u,
                         struct dual *z)
{
    const double D = d - committed[0], B = opposing(s),
                 rate = (s->yield_force / s->yield_slip + s->inner_stiffness) / B;
    const double wanted = fmax(fabs(D) / s->yield_slip, h * rate) / SHARE;
    const int parts = D == 0 && !(h > 0) ? 0 : wanted <= 1 ? 1 : wanted < SUBSTEPS ? (int)ceil(wanted) : SUBSTEPS;
    const struct dual A = push(s, D, h);

    *u = (struct dual){committed[1], 0};
    *z = (struct dual){fmin(fmax(committed[2], -1), 1), 0};
    for (int i = 0; i < parts; i++) {
        const double back = (1 - GAMMA) / GAMMA, k0 = s->inner_stiffness;
        const struct stage g = {*z, h > 0 ? GAMMA * h / (parts * B) : 0};
        const struct dual r = {GAMMA * A.v / (parts * B) - g.a * k0 * u->v,
                               GAMMA * A.dv / (parts * B) - g.a * k0 * u->dv};
        struct dual end;
        const struct dual one = solve(s, &g, r, &end);
        const struct dual two = solve(s, &g, (struct dual){r.v + back * one.v, r.dv + back * one.dv}, &end);

        u->v += two.v;
        u->dv += two.dv;
        *z = end;
    }
}

/* eq. (41): the force of the state, without the rate, and with it. */
YK_RT static double force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    const struct modified_bouc_wen *s = settings;
    struct dual u, z;
    double slope;

    follow(s, committed, d, h, &u, &z);
    trial[0] = d;
    trial[1] = u.v;
    trial[2] = z.v;
    const double inner = s->yield_force * z.v + s->inner_stiffness * u.v, outer = s->stiffness * d;

    if (s->exponent > 0)
        return inner + s->viscous * raised(s, w, &slope) + outer;
    return s->series_viscous / opposing(s) * (inner + s->viscous * w) + outer;
}

YK_RT static void tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                          double *c)
{
    const struct modified_bouc_wen *s = settings;
    const double share = s->exponent > 0 ? 1 : s->series_viscous / opposing(s);
    struct dual u, z;
    double slope = 1;

    follow(s, committed, d, h, &u, &z);
    if (d == committed[0] && !(h > 0)) { /* no path yet: the rate tells the branch, no rate means loading */
        u.dv = s->series_viscous / opposing(s);
        z.dv = w * z.v < 0 ? u.dv / s->yield_slip : u.dv / s->yield_slip * (1 - power(s, fabs(z.v)));
    }
    if (s->exponent > 0)
        raised(s, w, &slope);
    *k = share * (s->yield_force * z.dv + s->inner_stiffness * u.dv) + s->stiffness;
    *c = share * s->viscous * slope;
}

static const struct yk_param params[] = {
    YK_REAL(struct modified_bouc_wen, yield_force, YK_FORCE, YK_REQUIRED, YK_TINY, 1e15,
            "force of the hysteretic part when it slips"),
    YK_REAL(struct modified_bouc_wen, yield_slip, YK_DISPLACEMENT, YK_REQUIRED, 1e-12, 1e6,
            "yield_force over the initial stiffness of the hysteretic part"),
    YK_REAL(struct modified_bouc_wen, n, YK_NUMBER, 2, 1, 10, "sharpness of yielding; 1 and 2 are the fastest"),
    YK_REAL(struct modified_bouc_wen, viscous, YK_DAMPING, 0, 0, 1e15,
            "damper beside the hysteretic part; with exponent a bare number in N (s/m)^exponent"),
    YK_REAL(struct modified_bouc_wen, series_viscous, YK_DAMPING, YK_REQUIRED, 1e-9, 1e15,
            "damper in series: rounds the force at low rates"),
    YK_REAL(struct modified_bouc_wen, inner_stiffness, YK_STIFFNESS, 0, 0, 1e15, "spring beside the hysteretic part"),
    YK_REAL(struct modified_bouc_wen, stiffness, YK_STIFFNESS, 0, 0, 1e15, "spring beside all of it: accumulator"),
    YK_REAL(struct modified_bouc_wen, exponent, YK_NUMBER, 0, 0, 3,
            "power of the rate in the force of `viscous`, which then follows the rate of the element, 0.05 to 3; 0: "
            "linear, and inside"),
    YK_REAL(struct modified_bouc_wen, smooth, YK_VELOCITY, 1e-4, 0, 1e6,
            "with exponent: rate below which that damper is linear; 0 only for explicit methods"),
    YK_PARAM_END,
};

const struct yk_law_ops yk_law_modified_bouc_wen = {
    .name = "modified-bouc-wen",
    .summary = "MR damper: Bouc-Wen element and damper in series with a damper, beside a spring",
    .reference = "Spencer, Dyke, Sain and Carlson 1997",
    .params = params,
    .rate = true,
    .settings_size = sizeof(struct modified_bouc_wen),
    .count = 3,
    .prepare = prepare,
    .rest = rest,
    .force = force,
    .tangent = tangent,
};
