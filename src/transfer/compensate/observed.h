/* What an adaptive feed-forward sees of an actuator: its commands and its measured motion at the ends of the steps,
 * both behind the same low-pass filter. A fit looks at the middle of the samples, where central differences give the
 * derivatives. */
#ifndef YOKE_COMPENSATE_OBSERVED_H
#define YOKE_COMPENSATE_OBSERVED_H

#include "transfer/compensate/past.h"

#include <math.h>
#include <string.h>

enum { YK_OBSERVED_MIDDLE = 2, YK_OBSERVED = 2 * YK_OBSERVED_MIDDLE + 1 };

struct yk_observed {
    struct yk_filter of_command, of_motion;
    double command[YK_OBSERVED], moved[YK_OBSERVED]; /* filtered, newest first */
    double level;                                    /* mean square of the motion */
};

static inline enum yk_status yk_observed_init(struct yk_observed *o, double cutoff_Hz, double dt, struct yk_err *err)
{
    const enum yk_status st = yk_filter_butterworth(&o->of_motion, 4, cutoff_Hz, dt, false, err);

    o->of_command = o->of_motion;
    return st;
}

YK_RT static inline void yk_observed_reset(struct yk_observed *o, double command, double x0)
{
    yk_filter_reset(&o->of_command, command);
    yk_filter_reset(&o->of_motion, x0);
    for (int i = 0; i < YK_OBSERVED; i++) {
        o->command[i] = command;
        o->moved[i] = x0;
    }
    o->level = 0;
}

YK_RT static inline void yk_observed_put(double *x, double value)
{
    memmove(x + 1, x, (YK_OBSERVED - 1) * sizeof *x);
    x[0] = value;
}

/* A reading that is not finite counts as the last. share: of a step in the time over which the level is taken. */
YK_RT static inline void yk_observed_push(struct yk_observed *o, double command, double measured, double share)
{
    yk_observed_put(o->command, yk_filter_step(&o->of_command, command));
    yk_observed_put(o->moved, yk_filter_step(&o->of_motion, isfinite(measured) ? measured : o->moved[0]));
    o->level += fmin(1, share) * (o->moved[0] * o->moved[0] - o->level);
}

#endif
