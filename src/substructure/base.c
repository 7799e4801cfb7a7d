/* A point that moves as prescribed: z = r s, dz/dt = r' s + r s', s the sum of its signals. A signal that gives no rate
 * of its own is differentiated over a short time. */
#include <yoke/substructure.h>

#include <stdlib.h>

#define SHORT 1e-6 /* s; the error is SHORT^2 / 6 times the third derivative */

YK_RT static double rate_of(const struct yk_base_signal *s, double t)
{
    if (s->ops->rate)
        return s->ops->rate(s->settings, t);
    return (s->ops->value(s->settings, t + SHORT) - s->ops->value(s->settings, t - SHORT)) / (2 * SHORT);
}

YK_RT void yk_base_at(const struct yk_base *base, double t, double *z, double *rate)
{
    const bool rising = t < base->fade_in;
    double sum = 0, slope = 0;

    for (size_t k = 0; k < base->count; k++) {
        sum += base->signals[k].ops->value(base->signals[k].settings, t);
        slope += rate_of(&base->signals[k], t);
    }
    *z = rising ? t / base->fade_in * sum : sum;
    *rate = rising ? (sum + t * slope) / base->fade_in : slope;
}

void yk_base_free(struct yk_base *base)
{
    for (size_t k = 0; k < base->count; k++)
        yk_signal_free(base->signals[k].ops, base->signals[k].settings);
    free(base->signals);
    free(base->name);
}
