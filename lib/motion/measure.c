/* Intensity measures of a record, exact for straight lines between its samples (docs/ground-motions.md). Over a step
 * from a0 to a1: v += h (a0 + a1)/2; d += v h + h^2 (2 a0 + a1)/6; int a^2 = h (a0^2 + a0 a1 + a1^2)/3; int |a|
 * likewise, with its zero. */
#include <yoke/motion.h>

#include <math.h>

#define STANDARD_GRAVITY 9.80665
#define PI               3.14159265358979323846

static double absolute(double a0, double a1, double h)
{
    if (a0 * a1 >= 0)
        return h * (fabs(a0) + fabs(a1)) / 2;
    return h * (a0 * a0 + a1 * a1) / (2 * (fabs(a0) + fabs(a1)));
}

static void keep(double value, double t, double *largest, double *at)
{
    if (fabs(value) > *largest) {
        *largest = fabs(value);
        *at = t;
    }
}

/* Time at which the sum of a^2 reaches `part` of the whole, by straight lines between samples. */
static double reaches(size_t n, double h, const double *a, double part, double whole)
{
    double sum = 0;

    for (size_t i = 0; i + 1 < n; i++) {
        const double more = h * (a[i] * a[i] + a[i] * a[i + 1] + a[i + 1] * a[i + 1]) / 3;

        if (sum + more >= part * whole)
            return h * ((double)i + (more > 0 ? (part * whole - sum) / more : 0));
        sum += more;
    }
    return n ? h * (double)(n - 1) : 0;
}

void yk_motion_measure(size_t n, double step_s, const double *a, struct yk_motion_measures *measures)
{
    struct yk_motion_measures m = {0};
    const double h = step_s;
    double v = 0, d = 0, squares = 0;

    for (size_t i = 0; i < n; i++) {
        const double t = h * (double)i;

        keep(a[i], t, &m.pga, &m.pga_s);
        if (i + 1 == n)
            break;
        const double a0 = a[i], a1 = a[i + 1];
        if (a0 * a1 < 0) { /* the velocity turns */
            const double x = h * a0 / (a0 - a1);

            keep(v + a0 * x / 2, t + x, &m.pgv, &m.pgv_s);
        }
        d += h * v + h * h * (2 * a0 + a1) / 6;
        v += h * (a0 + a1) / 2;
        squares += h * (a0 * a0 + a0 * a1 + a1 * a1) / 3;
        m.cav += absolute(a0, a1, h);
        keep(v, t + h, &m.pgv, &m.pgv_s);
        keep(d, t + h, &m.pgd, &m.pgd_s);
    }
    m.end_v = v;
    m.end_d = d;
    m.arias = PI / (2 * STANDARD_GRAVITY) * squares;
    m.start_s = reaches(n, h, a, 0.05, squares);
    m.significant_s = reaches(n, h, a, 0.95, squares) - m.start_s;
    m.middle_s = reaches(n, h, a, 0.75, squares) - m.start_s;
    m.rms = n > 1 ? sqrt(squares / (h * (double)(n - 1))) : 0;
    *measures = m;
}
