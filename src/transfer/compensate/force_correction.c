/* Force-based compensation: polynomials in time through the last samples. docs/theory/delay.md, eq. (22)-(23).
 *
 *     x(s) = sum_j p_j s^j,   r(s) = sum_j q_j s^j,   s in ticks after the newest sample
 *
 * Least squares with fixed nodes s = 0, -1, ...: the coefficients are a constant matrix times the samples. The instant
 * where x(s) equals the target and that is nearest to the newest sample gives the force; it may lie ahead. */
#include <yoke/transfer.h>

#include <string.h>

enum {
    PIECES = 64,   /* of the reach, in which a crossing is looked for */
    HALVINGS = 40, /* of the piece that has it */
    TERMS = YK_FORCE_ORDER + 1,
};

struct yk_force_correction yk_force_correction_defaults(void)
{
    return (struct yk_force_correction){.samples = 8, .x_order = 2, .r_order = 2, .back = 8, .ahead = 8};
}

/* Solves G X = B for the `terms` x `columns` B, in B; G is positive definite. */
static void eliminate(int terms, double G[TERMS][TERMS], int columns, double B[TERMS][YK_FORCE_SAMPLES])
{
    for (int k = 0; k < terms; k++)
        for (int i = 0; i < terms; i++) {
            const double factor = i == k ? 0 : G[i][k] / G[k][k];

            for (int j = 0; j < terms; j++)
                G[i][j] -= factor * G[k][j];
            for (int j = 0; j < columns; j++)
                B[i][j] -= factor * B[k][j];
        }
    for (int k = 0; k < terms; k++)
        for (int j = 0; j < columns; j++)
            B[k][j] /= G[k][k];
}

/* eq. (22): coefficients = (V^T V)^-1 V^T samples. Nodes scaled by their number, for the sake of rounding. */
static void fit(int order, int samples, double out[TERMS][YK_FORCE_SAMPLES])
{
    double G[TERMS][TERMS] = {{0}}, power[TERMS];

    for (int k = 0; k < samples; k++) {
        for (int i = 0; i <= order; i++)
            power[i] = out[i][k] = pow(-(double)k / samples, i);
        for (int i = 0; i <= order; i++)
            for (int j = 0; j <= order; j++)
                G[i][j] += power[i] * power[j];
    }
    eliminate(order + 1, G, samples, out);
    for (int i = 0; i <= order; i++)
        for (int k = 0; k < samples; k++)
            out[i][k] /= pow(samples, i);
}

enum yk_status yk_force_correction_init(struct yk_force_correction *f, struct yk_err *err)
{
    const int order = f->x_order > f->r_order ? f->x_order : f->r_order;

    if (f->x_order < 1 || f->r_order < 0 || order > YK_FORCE_ORDER)
        return yk_fail(err, YK_E_RANGE, "force correction: orders %d and %d are outside 1 .. %d", f->x_order,
                       f->r_order, YK_FORCE_ORDER);
    if (f->samples <= order || f->samples > YK_FORCE_SAMPLES)
        return yk_fail(err, YK_E_RANGE, "force correction: %d samples for order %d are outside %d .. %d", f->samples,
                       order, order + 1, YK_FORCE_SAMPLES);
    if (!(f->back >= 0 && f->ahead >= 0 && f->back + f->ahead > 0 && isfinite(f->back + f->ahead)))
        return yk_fail(err, YK_E_RANGE, "force correction: reach from %g back to %g ahead is empty", f->back, f->ahead);
    fit(f->x_order, f->samples, f->fit_x);
    fit(f->r_order, f->samples, f->fit_r);
    yk_force_correction_reset(f, 0, 0);
    return YK_OK;
}

YK_RT void yk_force_correction_reset(struct yk_force_correction *f, double x0, double r0)
{
    for (int i = 0; i < f->samples; i++) {
        f->x[i] = x0;
        f->r[i] = r0;
    }
}

YK_RT void yk_force_correction_push(struct yk_force_correction *f, double x_e, double r_e)
{
    const size_t bytes = ((size_t)f->samples - 1) * sizeof(double);
    const bool good = isfinite(x_e) && isfinite(r_e);

    memmove(f->x + 1, f->x, bytes);
    memmove(f->r + 1, f->r, bytes);
    if (good) { /* otherwise the sample before stays */
        f->x[0] = x_e;
        f->r[0] = r_e;
    }
}

YK_RT static void coefficients(int order, int samples, double fit_[TERMS][YK_FORCE_SAMPLES], const double *values,
                               double *p)
{
    for (int i = 0; i <= order; i++)
        for (int k = 0; k < samples; k++)
            p[i] += fit_[i][k] * values[k];
}

/* Coefficients above the order are zero. */
YK_RT static double value(const double *p, double s)
{
    double sum = 0;

    for (int i = TERMS - 1; i >= 0; i--)
        sum = sum * s + p[i];
    return sum;
}

/* x(s) - target changes sign between low and high. */
YK_RT static double halve(const double *p, double target, double low, double high)
{
    const bool rising = value(p, low) < target;

    for (int i = 0; i < HALVINGS; i++) {
        const double mid = 0.5 * (low + high);

        if ((value(p, mid) < target) == rising)
            low = mid;
        else
            high = mid;
    }
    return 0.5 * (low + high);
}

/* eq. (23): the crossing nearest to s = 0, or the closest approach. */
YK_RT static bool crossing(const struct yk_force_correction *f, const double *p, double target, double *s)
{
    const double width = (f->back + f->ahead) / PIECES;
    double e_low = value(p, -f->back) - target, closest = fabs(e_low);
    bool found = false;

    *s = -f->back;
    for (int i = 1; i <= PIECES; i++) {
        const double high = -f->back + i * width, e_high = value(p, high) - target;

        if ((e_low <= 0 && e_high >= 0) || (e_low >= 0 && e_high <= 0)) {
            const double at = halve(p, target, high - width, high);

            *s = found && fabs(*s) < fabs(at) ? *s : at;
            found = true;
        } else if (!found && fabs(e_high) < closest) {
            closest = fabs(e_high);
            *s = high;
        }
        e_low = e_high;
    }
    return found;
}

YK_RT bool yk_force_correction_choose(struct yk_force_correction *f, double target, double *force, double *lead)
{
    double p[TERMS] = {0}, q[TERMS] = {0};

    coefficients(f->x_order, f->samples, f->fit_x, f->x, p);
    coefficients(f->r_order, f->samples, f->fit_r, f->r, q);
    const bool found = crossing(f, p, target, lead);
    *force = value(q, *lead);
    return found;
}
