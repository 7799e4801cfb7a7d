/* A spring in parallel with a spring on a slider, see slider.h. */
#include "model/law/slider.h"

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
