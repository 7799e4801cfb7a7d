/* Cascades of second-order sections, transposed direct form II. docs/theory/control.md, eq. (21)-(24). */
#include "transfer/filter/filter.h"

/* eq. (22) for one polynomial: powers of z^-1; of first order where s^2 is missing from the whole section. */
static void transform(const double q[3], bool first, double c, double z[3])
{
    z[0] = q[0] + q[1] * c + q[2] * c * c;
    z[1] = first ? q[0] - q[1] * c : 2 * (q[0] - q[2] * c * c);
    z[2] = first ? 0 : q[0] - q[1] * c + q[2] * c * c;
}

void yk_filter_add(struct yk_filter *f, const struct yk_section *s, double c)
{
    const bool first = s->n[2] == 0 && s->d[2] == 0;
    double *b = f->b[f->sections], *a = f->a[f->sections], den[3];

    transform(s->n, first, c, b);
    transform(s->d, first, c, den);
    for (int i = 0; i < 3; i++)
        b[i] *= s->d[0] / (s->n[0] * den[0]);
    a[0] = den[1] / den[0];
    a[1] = den[2] / den[0];
    f->sections++;
}

/* eq. (24) */
void yk_filter_finish(struct yk_filter *f, double h)
{
    f->delay_s = 0;
    for (int i = 0; i < f->sections; i++) {
        const double *b = f->b[i], *a = f->a[i];

        f->delay_s += h * ((b[1] + 2 * b[2]) / (b[0] + b[1] + b[2]) - (a[0] + 2 * a[1]) / (1 + a[0] + a[1]));
    }
    yk_filter_reset(f, 0);
}

enum yk_status yk_filter_check(double edge_Hz, const char *what, double h, struct yk_err *err)
{
    if (!(h > 0 && isfinite(h)))
        return yk_fail(err, YK_E_RANGE, "filter: tick h = %g s is not positive", h);
    if (!(edge_Hz > 0 && edge_Hz < 0.5 / h))
        return yk_fail(err, YK_E_RANGE, "filter: %s of %g Hz is not between 0 and %g Hz, half the sampling rate", what,
                       edge_Hz, 0.5 / h);
    return YK_OK;
}

/* Every section passes a constant unchanged. */
YK_RT void yk_filter_reset(struct yk_filter *f, double x0)
{
    for (int i = 0; i < f->sections; i++) {
        f->w[i][1] = (f->b[i][2] - f->a[i][1]) * x0;
        f->w[i][0] = (f->b[i][1] - f->a[i][0]) * x0 + f->w[i][1];
    }
}

/* eq. (21) */
YK_RT double yk_filter_step(struct yk_filter *f, double x)
{
    for (int i = 0; i < f->sections; i++) {
        const double *b = f->b[i], *a = f->a[i];
        double *w = f->w[i];
        const double y = b[0] * x + w[0];

        w[0] = b[1] * x - a[0] * y + w[1];
        w[1] = b[2] * x - a[1] * y;
        x = y;
    }
    return x;
}
