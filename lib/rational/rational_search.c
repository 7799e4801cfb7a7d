/* Fit of a rational function with dead time to points of a frequency response. docs/theory/control.md, eq. (79)-(80);
 * Levy 1959; Sanathanan & Koerner 1963; Marquardt 1963. Poles are logarithms of frequencies and damping ratios, so
 * every candidate is stable. */
#include <yoke/fit.h>
#include <yoke/linalg.h>
#include <yoke/measured.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PASSES = 5, KEPT = 2, ITERATIONS = 80, UNKNOWNS = 2 * YK_RATIONAL_ORDER + 4 };
#define DAMPING_LEAST 0.005
#define DAMPING_MOST  100.0
#define ENOUGH        1e-10

static const double dead_times[] = {0, 0.002, 0.004, 0.006, 0.009, 0.012, 0.015};
static const double fixed_Hz[] = {6, 15, 40};

/* Parameters: [ln w, ln zeta] of each pair, ln w of a single pole, gain, dead time, numerator in units of w0. */
struct search {
    const struct yk_rational_ask *ask;
    size_t n;           /* points */
    double *w, *weight; /* rad/s; root of the share of the power */
    double complex *H;
    double w0, total;
    size_t parameters;
};

static void model_of(const struct search *s, const double *p, struct yk_rational *m)
{
    const int n = s->ask->poles;
    double a[YK_RATIONAL_ORDER + 3] = {1};
    int order = 0;

    *m = (struct yk_rational){.poles = n, .zeros = s->ask->zeros};
    for (int pair = 0; pair < n / 2; pair++) {
        const double w = exp(*p++), zeta = exp(*p++);

        for (int k = order + 2; k >= 1; k--) /* times 1 + 2 zeta s/w + s^2/w^2, from the top */
            a[k] +=
                (k - 1 <= order ? a[k - 1] * 2 * zeta / w : 0) + (k >= 2 && k - 2 <= order ? a[k - 2] / (w * w) : 0);
        order += 2;
    }
    if (n % 2) {
        const double w = exp(*p++);

        for (int k = order + 1; k >= 1; k--)
            a[k] += a[k - 1] / w;
    }
    m->gain = *p++;
    m->dead_time_s = *p++;
    memcpy(m->a, a, sizeof m->a);
    m->b[0] = 1;
    for (int k = 1; k <= m->zeros; k++)
        m->b[k] = *p++ / pow(s->w0, k);
}

static bool residuals(void *self, const double *p, double *r)
{
    const struct search *s = self;
    struct yk_rational m;

    model_of(s, p, &m);
    for (size_t i = 0; i < s->n; i++) {
        const double complex e = s->weight[i] * (yk_rational_at(&m, s->w[i] / (2 * M_PI)) - s->H[i]);

        r[2 * i] = creal(e);
        r[2 * i + 1] = cimag(e);
    }
    return true;
}

/* Numerator c[0..zeros] and denominator 1, a[1..poles] in units of w0 by linear least squares, weighted by the last
 * denominator. */
static enum yk_status linear_pass(const struct search *s, double dead_time, double *a, double *b, struct yk_err *err)
{
    const int n = s->ask->poles, m = s->ask->zeros;
    const size_t rows = 2 * s->n, cols = (size_t)(n + m + 1);
    double *A = malloc(rows * (cols + 1) * sizeof *A), *right = A + rows * cols;
    enum yk_status st;

    if (!A)
        return yk_fail(err, YK_E_MEMORY, "out of memory for a fit");
    for (size_t i = 0; i < s->n; i++) {
        const double complex x = I * s->w[i] / s->w0, late = cexp(-I * s->w[i] * dead_time);
        double complex last = 0, power = 1;

        for (int k = n; k >= 0; k--)
            last = last * x + a[k];
        const double weight = s->weight[i] / cabs(last);
        for (int k = 0; k <= (n > m ? n : m); k++, power *= x) {
            const double complex of_b = weight * power * late, of_a = -weight * power * s->H[i];

            if (k <= m) {
                A[2 * i + (size_t)k * rows] = creal(of_b);
                A[2 * i + 1 + (size_t)k * rows] = cimag(of_b);
            }
            if (k >= 1 && k <= n) {
                A[2 * i + (size_t)(m + k) * rows] = creal(of_a);
                A[2 * i + 1 + (size_t)(m + k) * rows] = cimag(of_a);
            }
        }
        right[2 * i] = weight * creal(s->H[i]);
        right[2 * i + 1] = weight * cimag(s->H[i]);
    }
    if (!(st = yk_least_squares(rows, cols, A, right, err))) {
        memcpy(b, right, (size_t)(m + 1) * sizeof *b);
        memcpy(a + 1, right + m + 1, (size_t)n * sizeof *a);
    }
    free(A);
    return st;
}

/* Parameters of a linear result: unstable poles are mirrored, real ones taken in pairs. False: it has none. */
static bool parameters_of(const struct search *s, const double *a, const double *b, double dead_time, double *p)
{
    struct yk_rational m = {.poles = s->ask->poles};
    double complex poles[YK_RATIONAL_ORDER], none[1];
    double real[YK_RATIONAL_ORDER];
    int reals = 0;

    for (int k = 0; k <= m.poles; k++)
        m.a[k] = a[k] / pow(s->w0, k);
    m.b[0] = 1;
    if (!(fabs(b[0]) > 1e-12) || !yk_all_finite((size_t)m.poles + 1, m.a) || m.a[m.poles] == 0 ||
        yk_rational_roots(&m, poles, none, NULL))
        return false;
    for (int k = 0; k < m.poles; k++) {
        if (cimag(poles[k]) > 1e-9 * cabs(poles[k])) {
            *p++ = log(cabs(poles[k]));
            *p++ = log(fmax(fabs(creal(poles[k])) / cabs(poles[k]), DAMPING_LEAST));
        } else if (fabs(cimag(poles[k])) <= 1e-9 * cabs(poles[k])) {
            real[reals++] = fmax(cabs(poles[k]), 1e-6);
        }
    }
    for (int k = 0; k + 1 < reals; k += 2) {
        const double w = sqrt(real[k] * real[k + 1]);

        *p++ = log(w);
        *p++ = log(0.5 * (real[k] + real[k + 1]) / w);
    }
    if (reals % 2)
        *p++ = log(real[reals - 1]);
    *p++ = b[0];
    *p++ = dead_time;
    for (int k = 1; k <= s->ask->zeros; k++)
        *p++ = b[k] / b[0];
    return true;
}

struct start {
    double cost, p[UNKNOWNS];
};

static double cost_of(const struct search *s, const double *p)
{
    double *r = malloc(2 * s->n * sizeof *r), cost = INFINITY;

    if (r && residuals((void *)s, p, r))
        cost = yk_dot(2 * s->n, r, r);
    free(r);
    return isfinite(cost) ? cost : INFINITY;
}

/* Keeps the best few, the best first. */
static void keep(struct start *kept, const struct start *next)
{
    for (int i = 0; i < KEPT; i++)
        if (next->cost < kept[i].cost) {
            memmove(kept + i + 1, kept + i, (size_t)(KEPT - 1 - i) * sizeof *kept);
            kept[i] = *next;
            return;
        }
}

static void linear_starts(const struct search *s, struct start *kept)
{
    for (size_t d = 0; d < sizeof dead_times / sizeof *dead_times; d++) {
        double a[YK_RATIONAL_ORDER + 1] = {1}, b[YK_RATIONAL_ORDER + 1] = {0};
        struct start next = {0};

        for (int pass = 0; pass < PASSES; pass++)
            if (linear_pass(s, dead_times[d], a, b, NULL))
                break;
        if (!parameters_of(s, a, b, dead_times[d], next.p))
            continue;
        next.cost = cost_of(s, next.p);
        keep(kept, &next);
    }
}

/* One pole at about the frequency, the others beyond it. */
static void fixed_start(const struct search *s, double frequency_Hz, struct start *start)
{
    const int n = s->ask->poles;
    double *p = start->p;

    *start = (struct start){0};
    for (int pair = 0; pair < n / 2; pair++) {
        *p++ = log(2 * M_PI * frequency_Hz * pow(4, pair + 1));
        *p++ = log(pair ? 1.0 : 2.125);
    }
    if (n % 2)
        *p++ = log(2 * M_PI * frequency_Hz * (n > 1 ? 20 : 1));
    *p++ = creal(s->H[0]);
    *p = 0.004;
}

static void set_bounds(const struct search *s, double *least, double *most, double *scale)
{
    const int n = s->ask->poles;
    size_t k = 0;

    for (int i = 0; i < n; i++, k++) {
        const bool damping = i % 2 == 1 && i < n - n % 2;

        least[k] = damping ? log(DAMPING_LEAST) : log(0.5 * s->w[0]);
        most[k] = damping ? log(DAMPING_MOST)
                          : log(s->ask->highest_Hz > 0 ? 2 * M_PI * s->ask->highest_Hz : 1e4 * s->w[s->n - 1]);
        scale[k] = 1;
    }
    least[k] = -INFINITY, most[k] = INFINITY, scale[k++] = 1;
    least[k] = 0, most[k] = s->ask->longest_s > 0 ? s->ask->longest_s : 0.1, scale[k++] = 0.01;
    for (int i = 0; i < s->ask->zeros; i++, k++)
        least[k] = -1e6, most[k] = 1e6, scale[k] = 1;
}

/* Standard deviations from the Jacobian, for a residual that is white. */
static enum yk_status find_white(const struct yk_fit *of, double *p, struct yk_rational_fit *found, struct yk_err *err)
{
    const struct search *s = of->self;
    const size_t n = s->parameters, gain = (size_t)s->ask->poles;
    double covariance[UNKNOWNS * UNKNOWNS];
    struct yk_fit fit = *of;
    struct yk_fit_result result;

    fit.iterations = 0;
    fit.covariance = covariance;
    const enum yk_status st = yk_fit_run(&fit, p, &result, err);
    const double variance = found->cost / (double)(fit.count - n);
    found->white = (struct yk_rational){.gain = sqrt(variance * covariance[gain * (n + 1)]),
                                        .dead_time_s = sqrt(variance * covariance[(gain + 1) * (n + 1)])};
    if (gain == 1)
        found->white.a[1] = found->model.a[1] * sqrt(variance * covariance[0]);
    return st;
}

static enum yk_status descend(const struct search *s, struct yk_rational_fit *found, struct yk_err *err)
{
    double least[UNKNOWNS], most[UNKNOWNS], scale[UNKNOWNS], best = INFINITY;
    struct start starts[KEPT + 3];
    const struct yk_fit fit = {.parameters = s->parameters,
                               .count = 2 * s->n,
                               .residuals = residuals,
                               .self = (void *)s,
                               .least = least,
                               .most = most,
                               .scale = scale,
                               .enough = ENOUGH,
                               .iterations = ITERATIONS,
                               .threads = s->ask->threads > 1 ? s->ask->threads : 1};
    enum yk_status st = YK_OK;
    int at = 0;

    for (int i = 0; i < KEPT + 3; i++)
        starts[i].cost = INFINITY;
    set_bounds(s, least, most, scale);
    linear_starts(s, starts);
    for (int i = 0; i < 3; i++)
        fixed_start(s, fixed_Hz[i], &starts[KEPT + i]);
    for (int i = 0; i < KEPT + 3; i++) {
        struct yk_fit_result result;

        if (i < KEPT && !isfinite(starts[i].cost))
            continue;
        if ((st = yk_fit_run(&fit, starts[i].p, &result, err)) == YK_E_MEMORY)
            return st;
        if (st || !(result.cost < best))
            continue;
        best = result.cost;
        at = i;
        model_of(s, starts[i].p, &found->model);
        found->cost = result.cost;
        found->bounded = false;
        for (int k = 0; k < s->ask->poles; k++)
            found->bounded |= starts[i].p[k] <= least[k] || starts[i].p[k] >= most[k];
    }
    if (!isfinite(best))
        return yk_fail(err, YK_E_DIVERGED, "no model of %d poles and %d zeros fits", s->ask->poles, s->ask->zeros);
    return find_white(&fit, starts[at].p, found, err);
}

enum yk_status yk_rational_search(const struct yk_frequency_point *points, size_t count, const double *weight,
                                  const struct yk_rational_ask *ask, struct yk_rational_fit *fit, struct yk_err *err)
{
    struct search s = {.ask = ask, .parameters = (size_t)(ask->poles + ask->zeros + 2)};
    double most = 0;
    enum yk_status st;

    if (ask->poles < 1 || ask->poles > YK_RATIONAL_ORDER || ask->zeros < 0 || ask->zeros > ask->poles)
        return yk_fail(err, YK_E_RANGE, "a model of %d poles and %d zeros: 1 to %d poles, and no more zeros",
                       ask->poles, ask->zeros, YK_RATIONAL_ORDER);
    s.w = malloc(count * (2 * sizeof *s.w + sizeof *s.H));
    if (!s.w)
        return yk_fail(err, YK_E_MEMORY, "out of memory for a fit");
    s.weight = s.w + count;
    s.H = (double complex *)(s.weight + count);
    for (size_t i = 0; i < count; i++) {
        const double power = (points[i].power > 0 ? points[i].power : 0) * (weight ? weight[i] : 1);

        if (!(power > 0) || !isfinite(creal(points[i].H)))
            continue;
        s.w[s.n] = 2 * M_PI * points[i].frequency_Hz;
        s.weight[s.n] = sqrt(power);
        s.H[s.n++] = points[i].H;
        s.total += power * pow(cabs(points[i].H), 2);
        most = fmax(most, s.w[s.n - 1]);
    }
    if (2 * s.n < s.parameters + 2) {
        st = yk_fail(err, YK_E_INPUT, "%zu points with excitation are too few for %zu parameters", s.n, s.parameters);
    } else {
        for (size_t i = 0; i < s.n; i++)
            s.weight[i] /= sqrt(s.total);
        s.w0 = sqrt(s.w[0] * most);
        st = descend(&s, fit, err);
    }
    free(s.w);
    return st;
}
