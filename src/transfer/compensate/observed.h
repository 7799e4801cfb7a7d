/* Samples of an actuator for an adaptive feed-forward: its commands and its measured motion at the ends of the steps,
 * both after the same low-pass filter. A fit uses the middle of the samples, where central differences give the
 * derivatives. */
#ifndef YOKE_COMPENSATE_OBSERVED_H
#define YOKE_COMPENSATE_OBSERVED_H

#include "transfer/compensate/past.h"

#include <math.h>
#include <string.h>

enum { YK_OBSERVED_MIDDLE = 2, YK_OBSERVED = 2 * YK_OBSERVED_MIDDLE + 1, YK_OBSERVED_COMMANDS = 256 };

struct yk_observed {
    struct yk_filter of_command, of_motion;
    double *command, moved[YK_OBSERVED]; /* filtered, newest first */
    double level;                        /* mean square of the motion */
};

static inline enum yk_status yk_observed_init(struct yk_observed *o, double cutoff_Hz, double dt, struct yk_arena *mem,
                                              struct yk_err *err)
{
    const enum yk_status st = yk_filter_butterworth(&o->of_motion, 4, cutoff_Hz, dt, false, err);

    o->of_command = o->of_motion;
    yk_arena_array(mem, &o->command, YK_OBSERVED_COMMANDS);
    return st ? st : yk_arena_check(mem, err);
}

YK_RT static inline void yk_observed_reset(struct yk_observed *o, double command, double x0)
{
    yk_filter_reset(&o->of_command, command);
    yk_filter_reset(&o->of_motion, x0);
    for (int i = 0; o->command && i < YK_OBSERVED_COMMANDS; i++) /* none where nothing is learnt */
        o->command[i] = command;
    for (int i = 0; i < YK_OBSERVED; i++)
        o->moved[i] = x0;
    o->level = 0;
}

YK_RT static inline void yk_observed_put(double *x, size_t count, double value)
{
    memmove(x + 1, x, (count - 1) * sizeof *x);
    x[0] = value;
}

/* A reading that is not finite counts as the last. share: of a step in the time over which the level is taken. */
YK_RT static inline void yk_observed_push(struct yk_observed *o, double command, double measured, double share)
{
    yk_observed_put(o->command, YK_OBSERVED_COMMANDS, yk_filter_step(&o->of_command, command));
    yk_observed_put(o->moved, YK_OBSERVED, yk_filter_step(&o->of_motion, isfinite(measured) ? measured : o->moved[0]));
    o->level += fmin(1, share) * (o->moved[0] * o->moved[0] - o->level);
}

/* The command that caused the motion at the middle sample, if `late` steps are compensated in addition to the fit:
 * interpolated by a cubic. False if it is too long ago. */
YK_RT static inline bool yk_observed_command(const struct yk_observed *o, double late, double *command)
{
    const double whole = floor(late);
    struct yk_weights at;

    if (!(late >= 0 && late < YK_OBSERVED_COMMANDS - YK_OBSERVED))
        return false;
    const double *row = o->command + YK_OBSERVED_MIDDLE + (size_t)whole;

    *command = row[0];
    if (late > whole) {
        yk_past_weights(&at, 3, whole - late - 1);
        *command = yk_past_sum(3, at.w[0], row - 1, 1);
    }
    return true;
}

#endif
