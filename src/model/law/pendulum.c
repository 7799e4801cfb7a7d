/* Friction pendulum: a slider on a sphere of radius R under the weight W. docs/theory/laws.md, eq. (33)-(35).
 *
 * f = N d/R + q; the friction q is elastic, (ki - N/R) (d - p), up to mu N, where the slider slips: p follows d. The
 * friction may grow with the sliding speed, mu = fast - (fast - slow) exp(-a |w|). N is W or, with `normal: projected`,
 * the force normal to the sphere to first order, N = W + f d/R. Both states then have a closed form, without iteration:
 *
 *   sticking:  f = (W p/R + ki (d - p))/(1 - p d/R^2)
 *   sliding:   f = W g/(1 - g d/R),  g = d/R +- mu
 *
 * The denominators are kept above 1/2, since a trial may go beyond the sphere. On a monotone path at one rate the
 * update is exact for any step. Units: N, m, s. State: extension, friction q, from which p follows. */
#include <yoke/law.h>

#define STICK 1e-3 /* m: extension at which sliding begins if no stiffness is given */
#define LEAST 0.5  /* of the denominators */

enum normal { WEIGHT, PROJECTED };

struct pendulum {
    double weight, radius, friction, friction_slow, friction_rate, stick_stiffness;
    int normal;
    double ki; /* stick stiffness, given or not; set by prepare */
};

/* Friction q and how the force follows extension and rate: k = df/dd, c = df/dw. */
struct answer {
    double q, k, c;
};

static enum yk_status prepare(void *settings, struct yk_err *err)
{
    struct pendulum *s = settings;
    const double least = s->weight / s->radius / (s->normal == PROJECTED ? LEAST : 1);

    s->ki = s->stick_stiffness > 0 ? s->stick_stiffness : s->friction * s->weight / STICK;
    if (!(s->ki > least))
        return yk_fail(err, YK_E_RANGE,
                       "pendulum: stick_stiffness = %g N/m is not above %g N/m, the stiffness of the pendulum%s; its "
                       "default is friction * weight/1 mm",
                       s->ki, least, s->normal == PROJECTED ? " under twice its weight" : "");
    return YK_OK;
}

static void rest(const void *settings, double d, double *state)
{
    state[0] = d;
    state[1] = 0;
}

/* 1 - x, or the least. */
YK_RT static double share(double x)
{
    return 1 - x > LEAST ? 1 - x : LEAST;
}

/* The normal force, with the friction q at d. */
YK_RT static double normal_force(const struct pendulum *s, double d, double q)
{
    const double x = d / s->radius;

    return s->normal == PROJECTED ? (s->weight + q * x) / share(x * x) : s->weight;
}

/* The coefficient of friction, and its slopes by d and by w. */
YK_RT static double coefficient(const struct pendulum *s, double d, double w, double *by_d, double *by_w)
{
    const double x = d / s->radius, along = s->normal == PROJECTED ? sqrt(1 + x * x) : 1;
    const double missing = (s->friction - s->friction_slow) * exp(-s->friction_rate * along * fabs(w));

    *by_d = *by_w = 0;
    if (!(s->friction_rate > 0))
        return s->friction;
    *by_w = s->friction_rate * missing * along * ((w > 0) - (w < 0));
    if (s->normal == PROJECTED)
        *by_d = s->friction_rate * missing * fabs(w) * x / (along * s->radius);
    return s->friction - missing;
}

/* eq. (34) */
YK_RT static struct answer stick(const struct pendulum *s, const double *committed, double d)
{
    const double R = s->radius, d0 = committed[0], q0 = committed[1];

    if (s->normal == WEIGHT)
        return (struct answer){.q = q0 + (s->ki - s->weight / R) * (d - d0), .k = s->ki};
    const double p = d0 - q0 / (s->ki - normal_force(s, d0, q0) / R), turned = d * p / (R * R);
    const double f = (s->weight * p / R + s->ki * (d - p)) / share(turned);
    const double bend = 1 - turned > LEAST ? f * p / (R * R) : 0;

    return (struct answer){.q = d == d0 ? q0 : f - (s->weight + f * d / R) * d / R,
                           .k = (s->ki + bend) / share(turned)};
}

/* eq. (35) */
YK_RT static struct answer slide(const struct pendulum *s, double d, double w, double way)
{
    const double R = s->radius, x = d / R;
    double by_d, by_w;
    const double mu = coefficient(s, d, w, &by_d, &by_w), g = x + way * mu;

    if (s->normal == WEIGHT)
        return (struct answer){.q = way * mu * s->weight, .k = s->weight / R, .c = way * by_w * s->weight};
    const double N = s->weight / share(g * x), more = 1 - g * x > LEAST ? N / share(g * x) : 0;
    const double by_g = N + more * x * g;

    return (struct answer){
        .q = way * mu * N, .k = by_g * (1 / R + way * by_d) + more * g * g / R, .c = by_g * way * by_w};
}

/* `margin`: how near to its limit the friction counts as sliding, for the way that the slider goes. */
YK_RT static struct answer reached(const struct pendulum *s, const double *committed, double d, double w, double margin)
{
    const double way = d != committed[0] ? d - committed[0] : w;
    const struct answer a = stick(s, committed, d);
    double by_d, by_w;
    const double most = coefficient(s, d, w, &by_d, &by_w) * normal_force(s, d, a.q);

    if (fabs(a.q) > most * (1 + margin) || (fabs(a.q) > most * (1 - margin) && way * a.q > 0))
        return slide(s, d, w, a.q > 0 ? 1 : -1);
    return a;
}

YK_RT static double force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    const struct pendulum *s = settings;
    const double q = reached(s, committed, d, w, 0).q;

    trial[0] = d;
    trial[1] = q;
    return normal_force(s, d, q) * d / s->radius + q;
}

/* Slope at d, w. When the slider is about to slip, the direction of the way decides; at the committed point that of the
 * rate, and at rest it sticks. */
YK_RT static void tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                          double *c)
{
    const struct answer a = reached(settings, committed, d, w, 1e-12);

    *k = a.k;
    *c = a.c;
}

static const struct yk_param params[] = {
    YK_REAL(struct pendulum, weight, YK_PLAIN_FORCE, YK_REQUIRED, YK_TINY, 1e15,
            "vertical load that the bearing carries"),
    YK_REAL(struct pendulum, radius, YK_LENGTH, YK_REQUIRED, 1e-6, 1e6,
            "radius of the sphere, less the height of the slider's joint"),
    YK_REAL(struct pendulum, friction, YK_NUMBER, YK_REQUIRED, YK_TINY, 1,
            "coefficient of friction; with friction_rate that of fast sliding"),
    YK_REAL(struct pendulum, friction_rate, YK_PER_SPEED, 0, 0, 1e6,
            "how fast the friction grows with the sliding speed; 0: it does not depend on it"),
    YK_REAL(struct pendulum, friction_slow, YK_NUMBER, 0, 0, 1,
            YK_WHEN("friction_rate", "coefficient of friction of slow sliding")),
    YK_REAL(struct pendulum, stick_stiffness, YK_PLAIN_STIFFNESS, 0, 0, 1e15,
            "stiffness before the slider moves; 0: friction * weight/1 mm"),
    YK_CHOICE(struct pendulum, normal, "weight|projected", WEIGHT,
              "force on the sphere: the weight, or also what the restoring force adds"),
    YK_PARAM_END,
};

const struct yk_law_ops yk_law_pendulum = {
    .name = "pendulum",
    .summary = "friction pendulum bearing: f = N d/radius + q, |q| <= friction N, N = weight",
    .reference = "Zayas, Low and Mahin 1990; Constantinou, Mokha and Reinhorn 1990",
    .params = params,
    .rate = true,
    .settings_size = sizeof(struct pendulum),
    .count = 2,
    .prepare = prepare,
    .rest = rest,
    .force = force,
    .tangent = tangent,
};
