/* Elliptic low-pass filters: the steepest edge for a given order, with equal ripples in the pass and stop bands.
 * docs/theory/control.md, eq. (27)-(32); Cauer 1933; Jacobi's functions by Landen's transformation. Units: Hz, s, dB.
 */
#include "transfer/filter/filter.h"

#include <complex.h>
#include <string.h>

#define PI 3.14159265358979323846

/* A modulus k < 1 and the moduli that Landen's transformation makes of it; they fall quadratically to zero. */
enum { LANDEN = 8 };
struct landen {
    double k[LANDEN + 1];
};

/* eq. (28); kp = sqrt(1 - k^2) is given apart, since near k = 1 it cannot be had from k. */
static struct landen landen(double k, double kp)
{
    struct landen l = {{k}};

    for (int i = 0; i < LANDEN; i++) {
        const double r = l.k[i] / (1 + kp);

        l.k[i + 1] = r * r;
        kp = 2 * sqrt(kp) / (1 + kp);
    }
    return l;
}

/* Complete elliptic integral K from the complementary modulus, by the arithmetic-geometric mean. */
static double complete(double kp)
{
    double a = 1, g = kp;

    for (int i = 0; i < 60 && fabs(a - g) > 1e-16 * a; i++) {
        const double next = 0.5 * (a + g);

        g = sqrt(a * g);
        a = next;
    }
    return PI / (2 * a);
}

/* eq. (29): from cos or sin of u pi/2 to cd or sn of u K. */
static double complex raise(const struct landen *l, double complex w)
{
    for (int i = LANDEN; i > 0; i--)
        w = (1 + l->k[i]) * w / (1 + l->k[i] * w * w);
    return w;
}

/* eq. (30): u with sn(u K) = w. */
static double complex inverse_sn(const struct landen *l, double complex w)
{
    for (int i = 0; i < LANDEN; i++)
        w = 2 * w / ((1 + l->k[i + 1]) * (1 + csqrt(1 - w * w * l->k[i] * l->k[i])));
    return 2 / PI * casin(w);
}

/* Parameters that follow from the specification: order, ripple, moduli; pass edge at 1 rad/s. */
struct design {
    int order;
    double ripple; /* epsilon of the pass band */
    struct landen k, k1;
};

/* eq. (31): the modulus of N sections' worth of ripple, from the complementary modulus k1p. */
static double selectivity(int order, double k1, double k1p)
{
    const struct landen l = landen(k1p, k1);
    double kp = pow(k1p, order);

    for (int i = 1; i <= order / 2; i++) {
        const double s = creal(raise(&l, sin(PI * (2 * i - 1) / (2 * order))));

        kp *= s * s * s * s;
    }
    return kp;
}

/* eq. (27), (31) */
static enum yk_status plan(struct design *d, double edge_ratio, double ripple_dB, double stop_dB, struct yk_err *err)
{
    const double k = edge_ratio, kp = sqrt((1 - k) * (1 + k));
    const double ep = sqrt(expm1(ripple_dB * log(10) / 10)), es = sqrt(expm1(stop_dB * log(10) / 10));
    const double k1 = ep / es, k1p = sqrt((1 - k1) * (1 + k1));
    const double need = complete(kp) * complete(k1) / (complete(k) * complete(k1p));

    if (!(need <= 2 * YK_FILTER_SECTIONS))
        return yk_fail(err, YK_E_RANGE, "filter: the specification needs order %g, above %d; widen the transition",
                       ceil(need), 2 * YK_FILTER_SECTIONS);
    d->order = (int)ceil(need - 1e-12);
    d->ripple = ep;
    d->k1 = landen(k1, k1p);
    const double kp_used = selectivity(d->order, k1, k1p);
    d->k = landen(sqrt((1 - kp_used) * (1 + kp_used)), kp_used);
    return YK_OK;
}

/* eq. (32): a pair of zeros on the imaginary axis and a pair of poles each; a real pole where the order is odd. */
static void place(struct yk_filter *f, const struct design *d, double c)
{
    const double v = cimag(inverse_sn(&d->k1, I / d->ripple)) / d->order;

    for (int i = 1; i <= d->order / 2; i++) {
        const double u = (2.0 * i - 1) / d->order;
        const double zero = 1 / (d->k.k[0] * creal(raise(&d->k, cos(u * PI / 2))));
        const double complex pole = I * raise(&d->k, ccos((u - I * v) * PI / 2));
        const double size2 = creal(pole * conj(pole));

        yk_filter_add(f, &(struct yk_section){{zero * zero, 0, 1}, {size2, -2 * creal(pole), 1}}, c);
    }
    if (d->order % 2) {
        const double pole = creal(I * raise(&d->k, csin(I * v * PI / 2)));

        yk_filter_add(f, &(struct yk_section){{1, 0, 0}, {-pole, 1, 0}}, c);
    }
}

enum yk_status yk_filter_elliptic(struct yk_filter *f, double pass_Hz, double stop_Hz, double ripple_dB, double stop_dB,
                                  double h, struct yk_err *err)
{
    struct design d = {0};
    enum yk_status st = yk_filter_check(pass_Hz, "pass edge", h, err);

    if (st || (st = yk_filter_check(stop_Hz, "stop edge", h, err)))
        return st;
    if (!(stop_Hz > pass_Hz))
        return yk_fail(err, YK_E_RANGE, "filter: stop edge %g Hz is not above pass edge %g Hz", stop_Hz, pass_Hz);
    if (!(ripple_dB > 0 && stop_dB > ripple_dB && stop_dB <= 200))
        return yk_fail(err, YK_E_RANGE,
                       "filter: ripple %g dB and attenuation %g dB: expected 0 < ripple < attenuation <= "
                       "200",
                       ripple_dB, stop_dB);
    const double pass = tan(PI * pass_Hz * h);
    if ((st = plan(&d, pass / tan(PI * stop_Hz * h), ripple_dB, stop_dB, err)))
        return st;
    memset(f, 0, sizeof *f);
    place(f, &d, 1 / pass);
    yk_filter_finish(f, h);
    return YK_OK;
}
