/* Corrections of records: baseline by a polynomial of the velocity, Butterworth band pass by the bilinear transform as
 * second-order sections, forward and backward on the padded record (Boore and Bommer 2005). */
#include <yoke/motion.h>

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEGREES = 5, ORDERS = 8 };
#define PI 3.14159265358979323846

/* ---- baseline ---- */

/* Solves the normal equations in x = t/T, where they are well enough conditioned for a degree of 5. */
static bool solve(int n, double A[DEGREES][DEGREES], double b[DEGREES])
{
    for (int k = 0; k < n; k++) {
        int best = k;

        for (int i = k + 1; i < n; i++)
            best = fabs(A[i][k]) > fabs(A[best][k]) ? i : best;
        if (!(fabs(A[best][k]) > 0))
            return false;
        for (int j = 0; j < n; j++) {
            const double swap = A[k][j];

            A[k][j] = A[best][j];
            A[best][j] = swap;
        }
        const double swap = b[k];
        b[k] = b[best];
        b[best] = swap;
        for (int i = k + 1; i < n; i++) {
            const double f = A[i][k] / A[k][k];

            for (int j = k; j < n; j++)
                A[i][j] -= f * A[k][j];
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k] -= A[k][j] * b[j];
        b[k] /= A[k][k];
    }
    return true;
}

enum yk_status yk_motion_baseline(size_t n, double step_s, double *a, int degree, struct yk_err *err)
{
    double A[DEGREES][DEGREES] = {{0}}, b[DEGREES] = {0}, v = 0;
    const double length = step_s * (double)(n - 1);

    if (!(degree >= 1 && degree <= DEGREES))
        return yk_fail(err, YK_E_RANGE, "baseline = %d is not within 1 to %d", degree, DEGREES);
    if (n < (size_t)degree + 2)
        return yk_fail(err, YK_E_INPUT, "baseline %d needs at least %d values, the record has %zu", degree, degree + 2,
                       n);
    for (size_t i = 0; i < n; i++) {
        double power[2 * DEGREES + 1] = {1};

        for (int k = 1; k <= 2 * degree; k++)
            power[k] = power[k - 1] * (double)i / (double)(n - 1);
        v += i ? step_s * (a[i - 1] + a[i]) / 2 : 0;
        for (int j = 1; j <= degree; j++) {
            for (int k = 1; k <= degree; k++)
                A[j - 1][k - 1] += power[j + k];
            b[j - 1] += v * power[j];
        }
    }
    if (!solve(degree, A, b))
        return yk_fail(err, YK_E_SINGULAR, "the polynomial of the baseline is not determined");
    for (size_t i = 0; i < n; i++) {
        double power = 1;

        for (int j = 1; j <= degree; j++, power *= (double)i / (double)(n - 1))
            a[i] -= j * b[j - 1] * power / length;
    }
    return YK_OK;
}

/* ---- band pass ---- */

struct section {
    double b[3], a[2]; /* numerator; denominator without its leading 1 */
};

/* A pair of poles s, conj(s) of the analog filter becomes a section with these zeros: +1 and -1. */
static struct section section_of(double complex s, double rate)
{
    const double complex z = (2 * rate + s) / (2 * rate - s);

    return (struct section){.b = {1, 0, -1}, .a = {-2 * creal(z), creal(z) * creal(z) + cimag(z) * cimag(z)}};
}

static double gain_at(const struct section *s, double angle)
{
    const double complex z = cexp(-I * angle);

    return cabs((s->b[0] + s->b[1] * z + s->b[2] * z * z) / (1 + s->a[0] * z + s->a[1] * z * z));
}

/* Poles of the low pass with cut-off 1 become those of the band pass: s^2 - p B s + w0^2 = 0. Of the two solutions and
 * their conjugates one each is kept; `order` sections in all. */
static void design(double low_Hz, double high_Hz, double rate, int order, struct section *sections)
{
    const double low = 2 * rate * tan(PI * low_Hz / rate), high = 2 * rate * tan(PI * high_Hz / rate);
    const double middle = 2 * atan(sqrt(low * high) / (2 * rate));
    int count = 0;

    for (int k = 0; k < (order + 1) / 2; k++) {
        const double complex p = cexp(I * PI * (2.0 * k + order + 1) / (2.0 * order)) * (high - low) / 2;
        const double complex root = csqrt(p * p - low * high);
        const bool real = 2 * k + 1 == order; /* its two solutions are a pair, or two real poles */

        if (!real) {
            sections[count++] = section_of(p + root, rate);
            sections[count++] = section_of(p - root, rate);
        } else {
            const double complex z0 = (2 * rate + p + root) / (2 * rate - p - root),
                                 z1 = (2 * rate + p - root) / (2 * rate - p + root);

            sections[count++] = (struct section){.b = {1, 0, -1}, .a = {-creal(z0 + z1), creal(z0 * z1)}};
        }
    }
    for (int k = 0; k < count; k++) { /* gain 1 in the middle */
        const double gain = gain_at(&sections[k], middle);

        for (int j = 0; j < 3; j++)
            sections[k].b[j] /= gain;
    }
}

static void pass(const struct section *s, size_t n, double *x, ptrdiff_t stride)
{
    double d0 = 0, d1 = 0;

    for (size_t i = 0; i < n; i++, x += stride) {
        const double in = *x, out = s->b[0] * in + d0;

        d0 = s->b[1] * in - s->a[0] * out + d1;
        d1 = s->b[2] * in - s->a[1] * out;
        *x = out;
    }
}

enum yk_status yk_motion_band(size_t n, double step_s, const double *a, double low_Hz, double high_Hz, int order,
                              double **filtered, size_t *pads, struct yk_err *err)
{
    struct section sections[ORDERS + 1];

    *filtered = NULL;
    if (!(order >= 1 && order <= ORDERS))
        return yk_fail(err, YK_E_RANGE, "order = %d is not within 1 to %d", order, ORDERS);
    if (!(low_Hz > 0 && low_Hz < high_Hz))
        return yk_fail(err, YK_E_RANGE, "band: %g to %g Hz: the low corner must be above 0 and below the high one",
                       low_Hz, high_Hz);
    if (!(high_Hz < 0.45 / step_s))
        return yk_fail(err, YK_E_RANGE, "band: the high corner of %g Hz is not below 0.45/step = %g Hz", high_Hz,
                       0.45 / step_s);
    const double pad = ceil(1.5 * order / low_Hz / step_s - 1e-6);
    if (!(pad < 1e8))
        return yk_fail(err, YK_E_RANGE, "band: the low corner of %g Hz needs %g zeros at both ends", low_Hz, pad);
    const size_t zeros = (size_t)pad, all = n + 2 * zeros;
    double *x = calloc(all, sizeof *x);
    if (!x)
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu values", all);
    memcpy(x + zeros, a, n * sizeof *x);
    design(low_Hz, high_Hz, 1 / step_s, order, sections);
    for (int k = 0; k < order; k++)
        pass(&sections[k], all, x, 1);
    for (int k = 0; k < order; k++)
        pass(&sections[k], all, x + all - 1, -1);
    *filtered = x;
    *pads = zeros;
    return YK_OK;
}
