/* Bouc-Wen hysteresis: f = kh d + z, dz/dd = k0 - |z|^n (beta sgn(z dd) + gamma). docs/theory/laws.md, eq. (7), (8).
 *
 * Along a monotone path only the size Z = |z| and the path length s matter: Z' = k0 - (beta + gamma) Z^n while loading,
 * Z' = -k0 + (gamma - beta) Z^n while unloading, and unloading turns into loading at Z = 0.
 * For n = 1 this has a closed form, exact to rounding for any step. Otherwise Runge-Kutta of order 4 takes increments
 * of at most z_y/(32 n) of force, and a quadrature in Z gives the path to Z = 0. Its error per call, for a step of any
 * size, is below 1e-8 z_y for n >= 2 with gamma >= 0, and below 2e-6 z_y for 1 < n < 2 (where Z^n is not smooth at 0)
 * and for gamma down to -0.6 beta.
 *
 * Units: N, m; beta and gamma in N^(1-n)/m, so 1/m for n = 1. State: extension, z. */
#include <yoke/law.h>

/* Bounds the time of a call; no path needs as many, since loading saturates within 2 + 28/n yield extensions and
 * unloading ends at Z = 0. */
enum { MAX_INCREMENTS = 4096 };

struct bouc_wen {
    double kh, k0, beta, gamma, n;
    double zy; /* yield force [N], infinite without beta and gamma; set by prepare */
};

static enum yk_status prepare(void *settings, struct yk_err *err)
{
    struct bouc_wen *s = settings;
    const double q = s->beta + s->gamma;

    if (s->beta == 0 && s->gamma == 0) {
        s->zy = INFINITY;
        return YK_OK;
    }
    if (!(s->beta > 0 && q > 0))
        return yk_fail(err, YK_E_INPUT,
                       "bouc-wen: beta = %g, gamma = %g: beta and beta + gamma must be positive, or both settings 0",
                       s->beta, s->gamma);
    s->zy = pow(s->k0 / q, 1 / s->n);
    if (!(s->zy > 0 && isfinite(s->zy)))
        return yk_fail(err, YK_E_RANGE, "bouc-wen: yield force (k0/(beta + gamma))^(1/n) = %g N", s->zy);
    return YK_OK;
}

static void rest(const void *settings, double d, double *state)
{
    state[0] = d;
    state[1] = 0;
}

/* The lesser and the greater, the second where the first is no number; without a call, unlike fmin and fmax. */
YK_RT static inline double lesser(double x, double y)
{
    return x < y ? x : y;
}

YK_RT static inline double greater(double x, double y)
{
    return x > y ? x : y;
}

/* Z^n */
YK_RT static inline double power(const struct bouc_wen *s, double Z)
{
    return s->n == 1 ? Z : pow(Z, s->n);
}

/* (e^(q s) - 1)/q, also for q = 0. Steps of a run have small q s: there the series is exact to rounding, without a
 * call.
 */
YK_RT static inline double grown(double q, double s)
{
    const double x = q * s;

    if (fabs(x) < 0.01)
        return s * (1 + x * (0.5 + x * (1.0 / 6 + x * (1.0 / 24 + x * (1.0 / 120 + x * (1.0 / 720 + x / 5040))))));
    return expm1(x) / q;
}

/* eq. (8), n = 1: Z after unloading along *left, which shrinks to what remains once Z has reached 0. */
YK_RT static inline double unload_exactly(const struct bouc_wen *s, double Z, double *left)
{
    const double q = s->gamma - s->beta, slope = s->k0 - q * Z;

    if (!(slope > 0)) { /* gamma so far above beta that yield is a dead end in double precision */
        *left = 0;
        return Z;
    }
    const double to_zero = q != 0 ? -log1p(-q * Z / s->k0) / q : Z / s->k0;
    if (*left < to_zero) {
        Z -= slope * grown(q, *left);
        *left = 0;
        return greater(Z, 0);
    }
    *left -= to_zero;
    return 0;
}

/* eq. (8), n = 1: Z after loading along s. */
YK_RT static inline double load_exactly(const struct bouc_wen *s, double Z, double left)
{
    const double q = s->beta + s->gamma;

    return Z + (s->k0 - q * Z) * grown(-q, left);
}

/* k0 - q Z^n; the stages of an increment may step a little below Z = 0. */
YK_RT static double slope_at(const struct bouc_wen *s, double q, double Z)
{
    return s->k0 - q * pow(greater(Z, 0), s->n);
}

/* One Runge-Kutta increment of Z' = k0 - q Z^n along h; h < 0 unloads. */
YK_RT static double increment(const struct bouc_wen *s, double q, double Z, double h)
{
    const double a = slope_at(s, q, Z);
    const double b = slope_at(s, q, Z + 0.5 * h * a);
    const double c = slope_at(s, q, Z + 0.5 * h * b);
    const double e = slope_at(s, q, Z + h * c);

    return Z + h / 6 * (a + 2 * b + 2 * c + e);
}

/* Longest increment at Z: z_y/(32 n) of force on the steeper of the branch and the elastic line. */
YK_RT static double longest(const struct bouc_wen *s, double slope)
{
    return s->zy / (32 * s->n * fmax(slope, s->k0));
}

/* eq. (7), any n: as unload_exactly. */
__attribute__((noinline)) YK_RT static double unload_stepwise(const struct bouc_wen *s, double Z, double *left)
{
    const double q = s->gamma - s->beta;

    for (int i = 0; i<MAX_INCREMENTS && * left> 0; i++) {
        const double slope = slope_at(s, q, Z);
        const double h = fmin(*left, longest(s, slope));
        const double next = increment(s, q, Z, -h);

        if (!(slope > 0))
            break;
        if (next > 0) {
            Z = next;
            *left -= h;
        } else { /* path to Z = 0: Simpson's rule on ds = dZ/slope, short enough to be exact here */
            const double to_zero = Z / 6 * (1 / slope + 4 / slope_at(s, q, 0.5 * Z) + 1 / s->k0);

            *left = fmax(*left - to_zero, 0);
            return 0;
        }
    }
    *left = 0;
    return Z;
}

/* eq. (7), any n: as load_exactly; stops where what is missing to yield is below 1e-12 of it. */
__attribute__((noinline)) YK_RT static double load_stepwise(const struct bouc_wen *s, double Z, double left)
{
    const double q = s->beta + s->gamma, h = longest(s, s->k0);

    for (int i = 0; i < MAX_INCREMENTS && left > 0 && Z < (1 - 1e-12) * s->zy; i++, left -= h)
        Z = increment(s, q, Z, fmin(left, h));
    return left > 0 && Z >= (1 - 1e-12) * s->zy ? s->zy : Z;
}

/* z at extension d, reached from the committed state: back to z = 0 if the motion unloads, then, or otherwise, away
 * from it. exact: in closed form; known where this is compiled. */
YK_RT static inline double walk(const struct bouc_wen *s, const double *committed, double d, bool exact)
{
    double left = fabs(d - committed[0]);
    double Z = lesser(fabs(committed[1]), s->zy), sign = committed[1] < 0 ? -1 : 1;

    if ((d - committed[0]) * sign < 0) {
        Z = exact ? unload_exactly(s, Z, &left) : unload_stepwise(s, Z, &left);
        if (left <= 0)
            return sign * Z;
        sign = -sign;
    }
    return sign * lesser(exact ? load_exactly(s, Z, left) : load_stepwise(s, Z, left), s->zy);
}

/* The closed form is part of its callers: most laws are exact, and chains have thousands. */
YK_RT static inline double hysteretic(const struct bouc_wen *s, const double *committed, double d)
{
    return s->n == 1 || isinf(s->zy) ? walk(s, committed, d, true) : walk(s, committed, d, false);
}

YK_RT static double force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    const struct bouc_wen *s = settings;
    const double z = hysteretic(s, committed, d);

    trial[0] = d;
    trial[1] = z;
    return s->kh * d + z;
}

/* The slope of eq. (7) where the path ends; at the committed point the rate tells the branch, no rate means loading. */
YK_RT static void tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                          double *c)
{
    const struct bouc_wen *s = settings;
    const double way = d != committed[0] ? d - committed[0] : w;
    const double z = hysteretic(s, committed, d);
    const double q = s->gamma + (way * z < 0 ? -s->beta : s->beta);

    *k = s->kh + s->k0 - q * power(s, fabs(z));
    *c = 0;
}

static const struct yk_param params[] = {
    YK_REAL(struct bouc_wen, kh, YK_STIFFNESS, 0, 0, 1e15, "elastic spring in parallel"),
    YK_REAL(struct bouc_wen, k0, YK_STIFFNESS, YK_REQUIRED, YK_TINY, 1e15, "initial stiffness of the hysteretic part"),
    YK_REAL(struct bouc_wen, beta, YK_NUMBER, YK_REQUIRED, 0, 1e15,
            "width of the loop, in N^(1-n)/m (1/m for n = 1); yield force (k0/(beta + gamma))^(1/n)"),
    YK_REAL(struct bouc_wen, gamma, YK_NUMBER, 0, -1e15, 1e15,
            "shape of the loop, same unit as beta, above -beta; gamma = beta unloads along a straight line"),
    YK_REAL(struct bouc_wen, n, YK_NUMBER, 1, 1, 10, "sharpness of yielding; 1 is smooth and solved exactly"),
    YK_PARAM_END,
};

const struct yk_law_ops yk_law_bouc_wen = {
    .name = "bouc-wen",
    .summary = "smooth hysteresis: f = kh d + z, dz = k0 dd - |z|^n (beta sgn(z dd) + gamma) dd",
    .reference = "Bouc 1967; Wen 1976",
    .params = params,
    .settings_size = sizeof(struct bouc_wen),
    .count = 2,
    .prepare = prepare,
    .rest = rest,
    .force = force,
    .tangent = tangent,
};
