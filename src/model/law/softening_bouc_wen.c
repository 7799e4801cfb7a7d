/* Bouc-Wen hysteresis whose elastic stiffness fades with the extension. docs/theory/laws.md, eq. (9).
 *
 *   dr/dx = rho k/(1 + alpha x^2) - (beta sgn(r dx) + gamma) |r|^n
 *
 * Runge-Kutta of order 4 in x over eight equal increments of the path. Such a path is meant to be short: up to
 * 4/n yield extensions x_y = r_y/(rho k), far more than a time step covers. A longer one gets more increments, so that
 * none exceeds x_y/(2 n), and only its last 32 x_y are walked, since by then (n = 1) all but 1e-14 of the past is
 * forgotten. The force is differentiated increment by increment along with its value, so the tangent is that of the
 * computed force, not of the exact one. Where n = 1 and r changes sign, the increment h that meets the kink errs by up
 * to beta rho k h^2/6.
 *
 * Units: N, m; beta and gamma in N^(1-n)/m. State: extension, r. */
#include <yoke/law.h>

enum { INCREMENTS = 8, MAX_INCREMENTS = 640, REACH = 32 };

struct softening_bouc_wen {
    double k, rho, alpha, beta, gamma, n;
    double ry, xy; /* yield force [N] and extension [m], infinite without beta and gamma; set by prepare */
};

/* A number and its derivative with respect to the final extension d. */
struct dual {
    double v, dv;
};

static enum yk_status prepare(void *settings, struct yk_err *err)
{
    struct softening_bouc_wen *s = settings;
    const double q = s->beta + s->gamma;

    s->ry = s->xy = INFINITY;
    if (s->beta == 0 && s->gamma == 0)
        return YK_OK;
    if (!(s->beta > 0 && q > 0))
        return yk_fail(err, YK_E_INPUT,
                       "softening-bouc-wen: beta = %g, gamma = %g: beta and beta + gamma must be positive, or both 0",
                       s->beta, s->gamma);
    s->ry = pow(s->rho * s->k / q, 1 / s->n);
    s->xy = s->ry / (s->rho * s->k);
    if (!(s->xy > 0 && isfinite(s->ry) && isfinite(s->xy)))
        return yk_fail(err, YK_E_RANGE, "softening-bouc-wen: yield force (rho k/(beta + gamma))^(1/n) = %g N", s->ry);
    return YK_OK;
}

static void rest(const void *settings, double d, double *state)
{
    state[0] = d;
    state[1] = 0;
}

/* a + t b */
YK_RT static struct dual plus(struct dual a, double t, struct dual b)
{
    return (struct dual){a.v + t * b.v, a.dv + t * b.dv};
}

YK_RT static struct dual times(struct dual a, struct dual b)
{
    return (struct dual){a.v * b.v, a.dv * b.v + a.v * b.dv};
}

/* |r| <= r_y holds on the exact path; a coarse increment must not leave it. */
YK_RT static struct dual within(const struct softening_bouc_wen *s, struct dual r)
{
    if (fabs(r.v) <= s->ry)
        return r;
    return (struct dual){copysign(s->ry, r.v), 0};
}

/* eq. (9): dr/dx at (x, r), moving in the direction `way` (+1 or -1). */
YK_RT static struct dual slope_at(const struct softening_bouc_wen *s, double way, struct dual x, struct dual r)
{
    const double sign = r.v < 0 ? -1 : 1;
    const double q = s->gamma + way * sign * s->beta;
    const double soft = 1 + s->alpha * x.v * x.v;
    const double elastic = s->rho * s->k / soft;
    const double power = s->n == 1 ? 1 : pow(fabs(r.v), s->n - 1); /* |r|^(n-1) */

    return (struct dual){
        elastic - q * power * fabs(r.v),
        -elastic * (2 * s->alpha * x.v / soft) * x.dv - q * s->n * power * sign * r.dv,
    };
}

/* r after one Runge-Kutta increment h from (x, r). */
YK_RT static struct dual increment(const struct softening_bouc_wen *s, double way, struct dual x, struct dual h,
                                   struct dual r)
{
    const struct dual middle = plus(x, 0.5, h);
    const struct dual a = times(h, slope_at(s, way, x, r));
    const struct dual b = times(h, slope_at(s, way, middle, within(s, plus(r, 0.5, a))));
    const struct dual c = times(h, slope_at(s, way, middle, within(s, plus(r, 0.5, b))));
    const struct dual e = times(h, slope_at(s, way, plus(x, 1, h), within(s, plus(r, 1, c))));

    return within(s, plus(r, 1.0 / 6, plus(plus(a, 2, b), 1, plus(e, 2, c))));
}

/* r and dr/dd at extension d, reached from the committed state. */
YK_RT static struct dual hysteretic(const struct softening_bouc_wen *s, const double *committed, double d)
{
    const double way = d < committed[0] ? -1 : 1;
    struct dual r = within(s, (struct dual){committed[1], 0});
    struct dual x = {committed[0], 0};

    /* where to start, and in how many increments */
    if (fabs(d - x.v) > REACH * s->xy)
        x = (struct dual){d - way * REACH * s->xy, 1};
    const double wanted = ceil(2 * s->n * fabs(d - x.v) / s->xy);
    const int count = wanted > MAX_INCREMENTS ? MAX_INCREMENTS : wanted > INCREMENTS ? (int)wanted : INCREMENTS;
    const struct dual h = {(d - x.v) / count, (1 - x.dv) / count};

    for (int i = 0; i < count; i++)
        r = increment(s, way, plus(x, i, h), h, r);
    return r;
}

YK_RT static double force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    const double r = hysteretic(settings, committed, d).v;

    trial[0] = d;
    trial[1] = r;
    return r + 0 * d; /* r, unless d is no number */
}

/* At the committed point the rate tells the branch; no rate means loading. */
YK_RT static void tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                          double *c)
{
    const struct softening_bouc_wen *s = settings;
    const struct dual x = {d, 1}, r = within(s, (struct dual){committed[1], 0});

    *c = 0;
    if (d != committed[0])
        *k = hysteretic(s, committed, d).dv;
    else
        *k = slope_at(s, w != 0 ? copysign(1, w) : copysign(1, r.v), x, r).v;
}

static const struct yk_param params[] = {
    YK_REAL(struct softening_bouc_wen, k, YK_STIFFNESS, YK_REQUIRED, YK_TINY, 1e15, "initial stiffness before scaling"),
    YK_REAL(struct softening_bouc_wen, rho, YK_NUMBER, 1, YK_TINY, 1e6, "factor on the stiffness"),
    YK_REAL(struct softening_bouc_wen, alpha, YK_PER_AREA, 0, 0, 1e15,
            "softening: the elastic stiffness is halved at an extension of 1/sqrt(alpha)"),
    YK_REAL(struct softening_bouc_wen, beta, YK_NUMBER, YK_REQUIRED, 0, 1e15,
            "width of the loop, in N^(1-n)/m (1/m for n = 1); yield force (rho k/(beta + gamma))^(1/n)"),
    YK_REAL(struct softening_bouc_wen, gamma, YK_NUMBER, 0, -1e15, 1e15,
            "shape of the loop, same unit as beta, above -beta"),
    YK_REAL(struct softening_bouc_wen, n, YK_NUMBER, 1, 1, 10, "sharpness of yielding"),
    YK_PARAM_END,
};

const struct yk_law_ops yk_law_softening_bouc_wen = {
    .name = "softening-bouc-wen",
    .summary = "hysteresis that softens: dr = [rho k/(1 + alpha d^2) - (beta sgn(r dd) + gamma) |r|^n] dd",
    .reference = "Abbiati, Cazzador, Bursi, Pegon, Molina and Paolacci, eq. (21)",
    .params = params,
    .settings_size = sizeof(struct softening_bouc_wen),
    .count = 2,
    .prepare = prepare,
    .rest = rest,
    .force = force,
    .tangent = tangent,
};
