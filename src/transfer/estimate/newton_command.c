/* One Newton iteration a step on measured = gain command(t - tau). docs/theory/delay.md, eq. (26).
 *
 *     tau <- tau - (y_m(t) - k y_c(t - tau))/(k y_c'(t - tau))
 *
 * y_c between its samples is a straight line; y_c' is the difference over the step before and the step after, or what
 * is known of it. Converges quadratically while the command moves; an error of the gain is taken for a delay. */
#include "transfer/estimate/bounds.h"

#include <stdlib.h>

struct newton_command {
    struct yk_delay_bounds bounds;
    double gain, v_min;
    double *command; /* ring of the last `length` commands */
    int length, newest;
};

static enum yk_status init(void *self, double dt, struct yk_arena *mem, struct yk_err *err)
{
    struct newton_command *s = self;
    const enum yk_status st = yk_bounds_init(self, dt, mem, err);

    if (st)
        return st;
    if (!(s->bounds.tau_max / dt < 1e6))
        return yk_fail(err, YK_E_RANGE, "newton-command: tau_max = %g s is more than 1e6 steps of %g s",
                       s->bounds.tau_max, dt);
    s->length = (int)ceil(s->bounds.tau_max / dt) + 3;
    if (!yk_arena_array(mem, &s->command, (size_t)s->length))
        return yk_fail(err, YK_E_MEMORY, "newton-command: out of memory for %d commands", s->length);
    return YK_OK;
}

/* Before the first command the actuator is assumed to be at its position. */
YK_RT static void remember(struct newton_command *s, double command)
{
    const bool first = yk_bounds_count(&s->bounds) == 1;

    for (int i = 0; i < s->length && first; i++)
        s->command[i] = command;
    s->newest = s->newest + 1 < s->length ? s->newest + 1 : 0;
    s->command[s->newest] = command;
}

/* The command `age` steps before the newest. */
YK_RT static double command_at(const struct newton_command *s, double age)
{
    const int whole = (int)fmin(floor(age), s->length - 2);
    const int a = (s->newest - whole + s->length) % s->length, b = (a + s->length - 1) % s->length;

    return s->command[a] + (age - whole) * (s->command[b] - s->command[a]);
}

YK_RT static double update(void *self, const struct yk_tracking *sample)
{
    struct newton_command *s = self;

    if (!yk_tracking_finite(sample))
        return s->bounds.tau;
    remember(s, sample->command);
    const double age = s->bounds.tau / s->bounds.dt, after = fmax(age - 0.5, 0), before = age + 0.5;
    const double v = (command_at(s, after) - command_at(s, before)) / ((before - after) * s->bounds.dt);
    if (!yk_bounds_moves(&s->bounds, v, s->v_min))
        return s->bounds.tau;
    return yk_bounds_accept(&s->bounds, s->bounds.tau - (sample->measured / s->gain - command_at(s, age)) / v);
}

static const struct yk_param params[] = {
    YK_BOUNDS_RATED_PARAMS,
    YK_REAL(struct newton_command, gain, YK_NUMBER, 1, 1e-3, 1e3,
            "gain of the actuator: measured displacement over command"),
    YK_BOUNDS_V_MIN(struct newton_command, "command"),
    YK_PARAM_END,
};

const struct yk_estimator_ops yk_estimator_newton_command = {
    .name = "newton-command",
    .summary = "Newton iterations that fit the delayed command to the measured displacement",
    .reference = "Wang 2012",
    .params = params,
    .size = sizeof(struct newton_command),
    .init = init,
    .reset = yk_bounds_reset,
    .update = update,
};
