/* Fragility curves P = Phi(ln(x/theta)/beta): largest likelihood for counts of collapses (Baker 2015), moments of the
 * logarithms for capacities. Newton in (ln theta, ln beta) with halved steps. */
#include <yoke/motion.h>

#include <math.h>
#include <stdbool.h>

enum { PASSES = 200, HALVINGS = 60 };
#define CLIPPED 1e-14

static double phi(double z)
{
    return 0.5 * erfc(-z / sqrt(2));
}

double yk_fragility_probability(const struct yk_fragility *f, double x)
{
    if (!(x > 0))
        return 0;
    if (f->beta > 0)
        return phi(log(x / f->theta) / f->beta);
    return x >= f->theta ? 1 : 0;
}

struct counts {
    size_t levels;
    const double *x, *n, *k;
};

static double likelihood(const struct counts *c, double m, double s)
{
    double sum = 0;

    for (size_t i = 0; i < c->levels; i++) {
        const double z = (log(c->x[i]) - m) / exp(s);
        const double P = fmax(phi(z), CLIPPED), Q = fmax(phi(-z), CLIPPED);

        sum += c->k[i] * log(P) + (c->n[i] - c->k[i]) * log(Q);
    }
    return sum;
}

/* Gradient and Hessian by the derivatives in z: with b = exp(s), z_m = -1/b, z_s = -z. */
static void derivatives(const struct counts *c, double m, double s, double g[2], double H[2][2])
{
    const double b = exp(s);

    g[0] = g[1] = H[0][0] = H[0][1] = H[1][1] = 0;
    for (size_t i = 0; i < c->levels; i++) {
        const double z = (log(c->x[i]) - m) / b, density = exp(-z * z / 2) / sqrt(2 * M_PI);
        const double P = fmax(phi(z), CLIPPED), Q = fmax(phi(-z), CLIPPED), k = c->k[i], rest = c->n[i] - k;
        const double d1 = k * density / P - rest * density / Q;
        const double d2 = -k * density * (z * P + density) / (P * P) + rest * density * (z * Q - density) / (Q * Q);

        g[0] += -d1 / b;
        g[1] += -d1 * z;
        H[0][0] += d2 / (b * b);
        H[0][1] += d2 * z / b + d1 / b;
        H[1][1] += d2 * z * z + d1 * z;
    }
    H[1][0] = H[0][1];
}

/* A step uphill: Newton where the Hessian is negative definite, else along the gradient. */
static void step_of(const double g[2], double H[2][2], double d[2])
{
    const double det = H[0][0] * H[1][1] - H[0][1] * H[1][0];

    if (H[0][0] < 0 && det > 0) {
        d[0] = -(H[1][1] * g[0] - H[0][1] * g[1]) / det;
        d[1] = -(H[0][0] * g[1] - H[1][0] * g[0]) / det;
    } else {
        const double size = hypot(g[0], g[1]);

        d[0] = 0.1 * g[0] / size;
        d[1] = 0.1 * g[1] / size;
    }
}

static enum yk_status check_counts(const struct counts *c, struct yk_err *err)
{
    bool none = true, all = true, between = false;

    if (c->levels < 2)
        return yk_fail(err, YK_E_INPUT, "a fragility curve needs two levels or more, there are %zu", c->levels);
    for (size_t i = 0; i < c->levels; i++) {
        const double x = c->x[i], n = c->n[i], k = c->k[i];

        if (!(x > 0 && isfinite(x)))
            return yk_fail(err, YK_E_RANGE, "level %zu is %g; levels are above 0", i + 1, x);
        if (!(n >= 1 && k >= 0 && k <= n && n == floor(n) && k == floor(k)))
            return yk_fail(err, YK_E_RANGE,
                           "level %zu: %g collapses in %g runs; whole numbers, 0 to the number of runs", i + 1, k, n);
        none = none && k == 0;
        all = all && k == n;
        between = between || (k > 0 && k < n);
    }
    if (none)
        return yk_fail(err, YK_E_RANGE, "no run collapsed at any level: there is no curve; use higher levels");
    if (all)
        return yk_fail(err, YK_E_RANGE, "every run collapsed at every level: there is no curve; use lower levels");
    if (!between) {
        /* all or nothing at each level: separable if no level with all lies below one with none */
        double low = INFINITY, high = 0;

        for (size_t i = 0; i < c->levels; i++) {
            low = c->k[i] > 0 ? fmin(low, c->x[i]) : low;
            high = c->k[i] > 0 ? high : fmax(high, c->x[i]);
        }
        if (low > high)
            return yk_fail(
                err, YK_E_RANGE,
                "no level lies strictly between none and all collapsed: beta cannot be found (it tends to 0; "
                "theta is between %g and %g); add a level between them",
                high, low);
    }
    return YK_OK;
}

enum yk_status yk_fragility_counts(size_t levels, const double *x, const double *n, const double *k,
                                   struct yk_fragility *f, struct yk_err *err)
{
    const struct counts c = {levels, x, n, k};
    const enum yk_status st = check_counts(&c, err);
    double m = 0, s = log(0.4), g[2], H[2][2], d[2];

    if (st)
        return st;
    for (size_t i = 0; i < levels; i++)
        m += log(x[i]) / (double)levels;
    double best = likelihood(&c, m, s);
    for (int pass = 0; pass < PASSES; pass++) {
        double part = 1;

        derivatives(&c, m, s, g, H);
        if (!(hypot(g[0], g[1]) > 1e-13))
            break;
        step_of(g, H, d);
        for (int i = 0; i < HALVINGS && !(likelihood(&c, m + part * d[0], s + part * d[1]) >= best); i++)
            part /= 2;
        const double better = likelihood(&c, m + part * d[0], s + part * d[1]);
        if (!(better >= best))
            break;
        best = better;
        m += part * d[0];
        s += part * d[1];
        if (fabs(part * d[0]) < 1e-14 && fabs(part * d[1]) < 1e-14)
            break;
    }
    if (!(exp(s) > 1e-6 && exp(s) < 1e3) || !isfinite(m) || !(fabs(m) < 700))
        return yk_fail(err, YK_E_RANGE,
                       "the likelihood has no maximum: collapses do not become more frequent with the level");
    derivatives(&c, m, s, g, H);
    const double det = H[0][0] * H[1][1] - H[0][1] * H[1][0];
    const bool sure = det > 0 && H[0][0] < 0;
    *f = (struct yk_fragility){.theta = exp(m),
                               .beta = exp(s),
                               .log_likelihood = best,
                               .theta_error = sure ? sqrt(-H[1][1] / det) : NAN,
                               .beta_error = sure ? exp(s) * sqrt(-H[0][0] / det) : NAN};
    return YK_OK;
}

enum yk_status yk_fragility_capacities(size_t count, const double *capacity, struct yk_fragility *f, struct yk_err *err)
{
    double mean = 0, squares = 0;

    if (count < 2)
        return yk_fail(err, YK_E_INPUT, "a fragility curve needs two capacities or more, there are %zu", count);
    for (size_t i = 0; i < count; i++) {
        if (!(capacity[i] > 0 && isfinite(capacity[i])))
            return yk_fail(err, YK_E_RANGE, "capacity %zu is %g; capacities are above 0", i + 1, capacity[i]);
        mean += log(capacity[i]) / (double)count;
    }
    for (size_t i = 0; i < count; i++)
        squares += pow(log(capacity[i]) - mean, 2);
    const double beta = sqrt(squares / (double)(count - 1));
    *f = (struct yk_fragility){.theta = exp(mean),
                               .beta = beta,
                               .log_likelihood = NAN,
                               .theta_error = beta / sqrt((double)count),
                               .beta_error = beta / sqrt(2.0 * (double)(count - 1))};
    return YK_OK;
}
