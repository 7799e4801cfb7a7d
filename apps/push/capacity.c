/* Bilinear idealisations and performance points. EN 1998-1:2004, annex B; ASCE/SEI 41-17; Park (1988); Fajfar (2000);
 * ATC-40 (1996). */
#include "capacity.h"

#include <math.h>
#include <stdlib.h>

enum { PASSES = 50, FIXED_POINT = 200, BISECTIONS = 80 };

double curve_at(const struct curve *c, double d)
{
    for (size_t i = 1; i < c->count; i++)
        if (d <= c->d[i])
            return c->F[i - 1] + (c->F[i] - c->F[i - 1]) * (d - c->d[i - 1]) / (c->d[i] - c->d[i - 1]);
    return c->F[c->count - 1];
}

double curve_area(const struct curve *c, double dm)
{
    double sum = 0;

    for (size_t i = 1; i < c->count && c->d[i - 1] < dm; i++) {
        const double end = fmin(c->d[i], dm);

        sum += 0.5 * (c->F[i - 1] + curve_at(c, end)) * (end - c->d[i - 1]);
    }
    return sum;
}

double curve_most(const struct curve *c, double dm)
{
    double most = curve_at(c, dm);

    for (size_t i = 0; i < c->count && c->d[i] <= dm; i++)
        most = fmax(most, c->F[i]);
    return most;
}

/* The first displacement with this force, on the rising branch. */
static double first_with(const struct curve *c, double F)
{
    for (size_t i = 1; i < c->count; i++)
        if (c->F[i] >= F && c->F[i - 1] < F)
            return c->d[i - 1] + (F - c->F[i - 1]) / (c->F[i] - c->F[i - 1]) * (c->d[i] - c->d[i - 1]);
    return c->d[c->count - 1];
}

double curve_end(const struct curve *c, bool *falls)
{
    double most = 0;

    for (size_t i = 1; i < c->count; i++) {
        most = fmax(most, c->F[i]);
        if (c->F[i] < 0.8 * most) {
            *falls = true;
            return c->d[i - 1] + (c->F[i - 1] - 0.8 * most) / (c->F[i - 1] - c->F[i]) * (c->d[i] - c->d[i - 1]);
        }
    }
    *falls = false;
    return c->d[c->count - 1];
}

struct bilinear bilinear_n2(const struct curve *c, double dm)
{
    const double Fy = curve_most(c, dm);

    return (struct bilinear){.Fy = Fy, .dy = 2 * (dm - curve_area(c, dm) / Fy)};
}

struct bilinear bilinear_asce(const struct curve *c, double dm)
{
    const double E = curve_area(c, dm), most = curve_most(c, dm), Fm = curve_at(c, dm);
    double V = most, k = 0;
    bool capped = false;

    for (int i = 0; i < FIXED_POINT; i++) {
        const double before = V;

        k = 0.6 * V / first_with(c, 0.6 * V);
        V = (2 * E - Fm * dm) / (dm - Fm / k);
        capped = !(V <= most);
        V = capped ? most : V;
        if (fabs(V - before) <= 1e-12 * most)
            break;
    }
    k = 0.6 * V / first_with(c, 0.6 * V);
    const double dy = V / k;

    return (struct bilinear){.Fy = V, .dy = dy, .alpha = (Fm - V) / (dm - dy) / k, .capped = capped};
}

struct bilinear bilinear_park(const struct curve *c, double *du)
{
    const double most = curve_most(c, c->d[c->count - 1]);
    bool falls;
    const double end = curve_end(c, &falls);

    *du = falls ? end : NAN;
    return (struct bilinear){.Fy = most, .dy = first_with(c, 0.75 * most) / 0.75};
}

/* ---- the spectrum ---------------------------------------------------------------------------------------------- */

enum yk_status target_read(const char *text, struct yk_code_spectrum *spectrum, struct yk_err *err)
{
    double *table = NULL;
    enum yk_status st = yk_code_read(spectrum, &table, text, err);

    free(table);
    if (!st && spectrum->code != YK_CODE_EC8)
        st = yk_fail(err, YK_E_UNSUPPORTED, "--target: a spectrum such as \"ec8: { type: 1, ground: C, ag: 0.25 g }\"");
    return st ? st : yk_code_complete(spectrum, err);
}

/* NaN beyond the periods of the code. */
static double spectral(const struct yk_code_spectrum *s, double T, double damping)
{
    struct yk_code_spectrum own = *s;
    double Sa;

    own.damping = damping;
    return isfinite(T) && isfinite(damping) && !yk_code_value(&own, T, &Sa, NULL) ? Sa : NAN;
}

/* ---- performance points ---------------------------------------------------------------------------------------- */

static const double pi = 3.14159265358979323846;

struct performance performance_n2(const struct curve *c, double m, const struct yk_code_spectrum *s)
{
    bool falls;
    const double end = curve_end(c, &falls);
    struct performance p = {.d = end};
    double most = 0;

    for (size_t i = 0; i < c->count && c->d[i] <= end; i++) /* the first guess: where the force is largest */
        if (c->F[i] > most) {
            most = c->F[i];
            p.d = c->d[i];
        }

    for (p.passes = 1; p.passes <= PASSES; p.passes++) {
        const struct bilinear b = bilinear_n2(c, p.d);
        const double T = 2 * pi * sqrt(m * b.dy / b.Fy), Se = spectral(s, T, s->damping);
        const double det = Se * (T / (2 * pi)) * (T / (2 * pi)), qu = Se * m / b.Fy;
        const double dt = T >= s->TC || qu <= 1 ? det : fmax(det, det / qu * (1 + (qu - 1) * s->TC / T));
        const bool still = fabs(dt - p.d) <= 1e-9 * fabs(dt);

        p.Fy = b.Fy;
        p.dy = b.dy;
        p.T = T;
        p.qu = qu;
        p.d = dt;
        if (p.passes == 1) {
            p.first_d = dt;
            p.first_T = T;
            p.first_qu = qu;
        }
        if (!(dt <= end)) {
            p.side = 1;
            return p;
        }
        if (still) {
            p.found = true;
            p.F = curve_at(c, dt);
            return p;
        }
    }
    return p;
}

/* Displacement demand at the secant period of dp, less dp. */
static double excess(const struct curve *c, double m, const struct yk_code_spectrum *s, double kappa, double dp,
                     struct performance *p)
{
    const struct bilinear b = bilinear_asce(c, dp);
    const double ap = curve_at(c, dp) / m, ay = b.Fy / m, w2 = ap / dp;

    p->d = dp;
    p->F = ap * m;
    p->T = 2 * pi / sqrt(w2);
    p->Fy = b.Fy;
    p->dy = b.dy;
    p->damping = 0.05 + kappa * 2 / pi * (ay * dp - b.dy * ap) / (ap * dp);
    return spectral(s, p->T, p->damping) / w2 - dp;
}

struct performance performance_spectrum(const struct curve *c, double m, const struct yk_code_spectrum *s, double kappa)
{
    struct performance p = {0};
    bool falls;
    double high = curve_end(c, &falls), low = bilinear_n2(c, high).dy;
    double at_low = excess(c, m, s, kappa, low, &p), at_high = excess(c, m, s, kappa, high, &p);

    if (!(at_low * at_high < 0)) {
        p.side = at_high > 0 ? 1 : -1;
        return p;
    }
    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = 0.5 * (low + high), x = excess(c, m, s, kappa, middle, &p);

        *(x * at_low > 0 ? &low : &high) = middle;
    }
    p.found = true;
    return p;
}
