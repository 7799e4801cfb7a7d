/* How far a signal is from the one that it is compared with. */
#ifndef YOKE_DEVIATION_H
#define YOKE_DEVIATION_H

#include <yoke/status.h>

#include <math.h>
#include <stddef.h>

struct yk_deviation {
    double square, error; /* sums of squares: of the signal to compare with, of the difference */
    double peak;          /* largest difference */
    size_t count;
};

YK_RT static inline void yk_deviation_add(struct yk_deviation *d, double expected, double got)
{
    const double error = expected - got;

    d->square += expected * expected;
    d->error += error * error;
    d->peak = fabs(error) > d->peak ? fabs(error) : d->peak;
    d->count++;
}

/* Root mean square of the difference over that of the signal; `none` where that is zero. */
static inline double yk_deviation_nrms(const struct yk_deviation *d, double none)
{
    return d->square > 0 ? sqrt(d->error / d->square) : none;
}

#endif
