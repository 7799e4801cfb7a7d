/* A spring in parallel with a spring on a slider, see slider.h. */
#include "model/law/slider.h"

#include "base/processor.h"
#include "model/law/elementary.h"

YK_RT static double slip(const struct yk_slider *s, const double *committed, double d)
{
    return fmin(fmax(committed[1] + (d - committed[0]), s->low), s->high);
}

YK_RT double yk_slider_force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    const struct yk_slider *s = settings;
    const double z = slip(s, committed, d);

    trial[0] = d;
    trial[1] = z;
    return s->stiffness * (s->hardening * d + (1 - s->hardening) * z);
}

/* The slider moves where z is at its limit and the extension pushes further; at the committed point the rate tells
 * the direction, and no rate means no sliding. */
YK_RT void yk_slider_tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                             double *c)
{
    const struct yk_slider *s = settings;
    const double way = d != committed[0] ? d - committed[0] : w;
    const double z = slip(s, committed, d);
    const int sliding = (way > 0 && z >= s->high) || (way < 0 && z <= s->low);

    *k = sliding ? s->hardening * s->stiffness : s->stiffness;
    *c = 0;
}

/* Without a rate: where d is the committed extension, nothing slides. */
YK_EVERY_PROCESSOR YK_RT static void loop(const struct yk_slider *s, size_t n, const double *committed, const double *d,
                                          double *trial, double *f, double *k)
{
    const double a = s->hardening, K = s->stiffness, low = s->low, high = s->high;
    const double *d0 = committed, *z0 = committed + n;
    double *z = trial + n;

    YK_INDEPENDENT
    for (size_t i = 0; i < n; i++) {
        const double free = z0[i] + (d[i] - d0[i]), above = yk_select(free > low, free, low);
        const double held = yk_select(above < high, above, high);

        trial[i] = d[i];
        z[i] = held;
        f[i] = K * (a * d[i] + (1 - a) * held) + (d[i] - d[i]); /* not a number where d is not finite */
    }
    if (k) {
        YK_INDEPENDENT
        for (size_t i = 0; i < n; i++) {
            const bool up = (d[i] > d0[i]) & (z[i] >= high), down = (d[i] < d0[i]) & (z[i] <= low);

            k[i] = yk_select(up | down, a * K, K);
        }
    }
}

YK_RT void yk_slider_forces(const void *settings, size_t n, const double *committed, const double *d, double h,
                            double *trial, double *f, double *k)
{
    loop(settings, n, committed, d, trial, f, k);
}
