/* Elastic response spectra (Nigam and Jennings 1969): the exact step for straight lines between samples, one recursion
 * for each period, several periods at once. A step is divided so that h <= T/20; extremes are those of the cubic
 * through displacements and velocities at both ends. After the record the oscillator vibrates freely for one period. */
#include "oscillator.h"

#include <yoke/motion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 8, SERIES = 24, NEWTON = 12 };
#define PI         3.14159265358979323846
#define SHORTEST_S 1e-4
#define LONGEST_S  1e4

/* The exponential of the matrix of (u, h v, h^2 p0, h^2 (p1 - p0)) by its series: w h <= 2 pi/20 makes it short. */
struct oscillator_step motion_step_of(double k, double c, double h)
{
    const double F[4][4] = {{0, 1, 0, 0}, {-k * h * h, -c * h, 1, 0}, {0, 0, 0, 1}, {0, 0, 0, 0}};
    double E[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}, term[4][4], next[4][4];

    memcpy(term, E, sizeof term);
    for (int order = 1; order <= SERIES; order++) {
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                next[i][j] = 0;
                for (int l = 0; l < 4; l++)
                    next[i][j] += F[i][l] * term[l][j] / order;
            }
        memcpy(term, next, sizeof term);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                E[i][j] += term[i][j];
    }
    return (struct oscillator_step){.A11 = E[0][0],
                                    .A12 = E[0][1] * h,
                                    .A21 = E[1][0] / h,
                                    .A22 = E[1][1],
                                    .B11 = h * h * (E[0][2] - E[0][3]),
                                    .B12 = h * h * E[0][3],
                                    .B21 = h * (E[1][2] - E[1][3]),
                                    .B22 = h * E[1][3]};
}

double motion_extreme(double h, double y0, double s0, double y1, double s1, double *at)
{
    /* y = y0 + h s0 x + q x^2 + r x^3; its slope has one zero in 0..1 if s0 and s1 differ in sign */
    const double d = y1 - y0, q = 3 * d - h * (2 * s0 + s1), r = h * (s0 + s1) - 2 * d;
    const double root = q * q - 3 * r * h * s0;
    const double w = -(q + copysign(sqrt(root > 0 ? root : 0), q));
    const double x[2] = {r != 0 ? w / (3 * r) : -1, w != 0 ? h * s0 / w : -1};
    double largest = 0;

    *at = 0;
    for (int i = 0; i < 2 && root >= 0; i++)
        if (x[i] > 0 && x[i] < 1) {
            const double y = fabs(y0 + x[i] * (h * s0 + x[i] * (q + x[i] * r)));

            if (y > largest) {
                largest = y;
                *at = x[i];
            }
        }
    return largest;
}

/* Oscillators that divide the steps of the record alike, side by side. */
struct lanes {
    size_t count, parts;
    double h, z;
    double w[LANES], A11[LANES], A12[LANES], A21[LANES], A22[LANES], B11[LANES], B12[LANES], B21[LANES], B22[LANES];
    double u[LANES], v[LANES], sd[LANES], sv[LANES], sa[LANES];
};

static void set_lane(struct lanes *lanes, size_t j, double period)
{
    const double w = 2 * PI / period;
    const struct oscillator_step s = motion_step_of(w * w, 2 * lanes->z * w, lanes->h);

    lanes->w[j] = w;
    lanes->A11[j] = s.A11;
    lanes->A12[j] = s.A12;
    lanes->A21[j] = s.A21;
    lanes->A22[j] = s.A22;
    lanes->B11[j] = -s.B11; /* p = -a */
    lanes->B12[j] = -s.B12;
    lanes->B21[j] = -s.B21;
    lanes->B22[j] = -s.B22;
}

/* A response (0: u, 1: u', 2: u'' + a), its rate and that of its rate, from u, v at an excitation a with the slope m.
 */
struct course {
    double y, rate, bend;
};
static struct course course_of(const struct lanes *l, size_t j, int what, double u, double v, double a, double m)
{
    const double w = l->w[j], c = 2 * l->z * w, k = w * w, b = -a - c * v - k * u, jerk = -m - c * b - k * v;

    if (what == 0)
        return (struct course){u, v, b};
    if (what == 1)
        return (struct course){v, b, jerk};
    return (struct course){c * v + k * u, c * b + k * v, c * jerk + k * b};
}

/* The extreme of a response within a step, exact: Newton from that of the cubic `x`, with the exact step up to there.
 */
static double refine(const struct lanes *l, size_t j, int what, double u, double v, double a0, double a1, double x)
{
    const double w = l->w[j], m = (a1 - a0) / l->h;
    struct course at = {0};

    for (int i = 0; i < NEWTON; i++) {
        const struct oscillator_step s = motion_step_of(w * w, 2 * l->z * w, x * l->h);
        const double a = a0 + x * (a1 - a0);

        at = course_of(l, j, what, s.A11 * u + s.A12 * v - s.B11 * a0 - s.B12 * a,
                       s.A21 * u + s.A22 * v - s.B21 * a0 - s.B22 * a, a, m);
        const double next = x - at.rate / (at.bend * l->h);
        if (!(next > 0 && next < 1) || fabs(next - x) < 1e-12)
            break;
        x = next;
    }
    return fabs(at.y);
}

/* Extremes within a step, where the rate of a response changes sign. */
static void inside(struct lanes *l, size_t j, double u, double v, double a0, double a1)
{
    double *const largest[] = {&l->sd[j], &l->sv[j], &l->sa[j]}, m = (a1 - a0) / l->h;

    for (int what = 0; what < 3; what++) {
        const struct course c0 = course_of(l, j, what, u, v, a0, m),
                            c1 = course_of(l, j, what, l->u[j], l->v[j], a1, m);
        double x;

        if (c0.rate * c1.rate < 0 && motion_extreme(l->h, c0.y, c0.rate, c1.y, c1.rate, &x) > 0.999 * *largest[what])
            *largest[what] = fmax(*largest[what], refine(l, j, what, u, v, a0, a1, x));
    }
}

static void step(struct lanes *l, double a0, double a1)
{
    double u[LANES], v[LANES];

    memcpy(u, l->u, sizeof u);
    memcpy(v, l->v, sizeof v);
    for (size_t j = 0; j < LANES; j++) {
        l->u[j] = l->A11[j] * u[j] + l->A12[j] * v[j] + l->B11[j] * a0 + l->B12[j] * a1;
        l->v[j] = l->A21[j] * u[j] + l->A22[j] * v[j] + l->B21[j] * a0 + l->B22[j] * a1;
    }
    for (size_t j = 0; j < LANES; j++) {
        const double s = fabs(l->w[j] * (2 * l->z * l->v[j] + l->w[j] * l->u[j]));

        l->sd[j] = fabs(l->u[j]) > l->sd[j] ? fabs(l->u[j]) : l->sd[j];
        l->sv[j] = fabs(l->v[j]) > l->sv[j] ? fabs(l->v[j]) : l->sv[j];
        l->sa[j] = s > l->sa[j] ? s : l->sa[j];
    }
    for (size_t j = 0; j < l->count; j++)
        inside(l, j, u[j], v[j], a0, a1);
}

static void run_lanes(struct lanes *l, size_t n, const double *a, double longest)
{
    for (size_t i = 0; i + 1 < n; i++)
        for (size_t k = 0; k < l->parts; k++) {
            const double x = (double)k / (double)l->parts, y = (double)(k + 1) / (double)l->parts;

            step(l, a[i] + x * (a[i + 1] - a[i]), k + 1 == l->parts ? a[i + 1] : a[i] + y * (a[i + 1] - a[i]));
        }
    for (double t = 0; t < longest; t += l->h) /* free vibration */
        step(l, 0, 0);
}

static size_t parts_of(double period, double step_s)
{
    return period > 0 ? (size_t)ceil(20 * step_s / period * (1 - 1e-12)) : 0;
}

static void store(const struct lanes *l, size_t j, struct yk_motion_response *r)
{
    *r = (struct yk_motion_response){
        .sd = l->sd[j], .psv = l->w[j] * l->sd[j], .psa = l->w[j] * l->w[j] * l->sd[j], .sv = l->sv[j], .sa = l->sa[j]};
}

static enum yk_status check(size_t n, double step_s, double damping, size_t count, const double *periods,
                            struct yk_err *err)
{
    if (n < 1 || !(step_s > 0))
        return yk_fail(err, YK_E_INPUT, "a spectrum needs a record with a step above 0 s");
    if (!(damping >= 0 && damping < 1))
        return yk_fail(err, YK_E_RANGE, "damping = %g is not in 0 <= damping < 1", damping);
    for (size_t i = 0; i < count; i++)
        if (!(periods[i] == 0 || (periods[i] >= SHORTEST_S && periods[i] <= LONGEST_S)))
            return yk_fail(err, YK_E_RANGE, "period %g s is neither 0 nor within %g to %g s", periods[i], SHORTEST_S,
                           LONGEST_S);
    return YK_OK;
}

enum yk_status yk_motion_spectrum(size_t n, double step_s, const double *a, double damping, size_t count,
                                  const double *periods, struct yk_motion_response *responses, struct yk_err *err)
{
    enum yk_status st = check(n, step_s, damping, count, periods, err);
    double pga = 0;

    if (st)
        return st;
    for (size_t i = 0; i < n; i++)
        pga = fmax(pga, fabs(a[i]));
    for (size_t i = 0; i < count;) {
        struct lanes l = {.parts = parts_of(periods[i], step_s), .z = damping};
        double longest = 0;

        if (!l.parts) {
            responses[i++] = (struct yk_motion_response){.psa = pga, .sa = pga};
            continue;
        }
        l.h = step_s / (double)l.parts;
        for (; l.count < LANES && i + l.count < count && parts_of(periods[i + l.count], step_s) == l.parts; l.count++) {
            set_lane(&l, l.count, periods[i + l.count]);
            longest = fmax(longest, periods[i + l.count]);
        }
        run_lanes(&l, n, a, longest);
        for (size_t j = 0; j < l.count; j++)
            store(&l, j, &responses[i + j]);
        i += l.count;
    }
    return YK_OK;
}

size_t yk_motion_periods(double from, double to, double per_decade, double *periods, size_t room)
{
    const size_t count = (size_t)ceil(log10(to / from) * per_decade - 1e-9) + 1;

    for (size_t i = 0; i < count && i < room; i++)
        periods[i] = i + 1 == count ? to : from * pow(10, (double)i / per_decade);
    return count < room ? count : room;
}
