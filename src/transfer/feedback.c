/* The force that goes back to the method. docs/theory/delay.md (optimal feedback, force correction). */
#include "transfer/feedback.h"

#include <math.h>

const struct yk_param yk_feedback_params[] = {
    {.name = "kind",
     .type = YK_PARAM_CHOICE,
     .offset = offsetof(struct yk_feedback_settings, source),
     .choices = "latest|optimal|corrected|impedance|smith",
     .help = "force of the last tick; of the instant the target was crossed, after overcompensation; at the target by "
             "polynomials through the last samples; or that of the last tick and what a model of the specimen adds for "
             "the way to the target that was not made, or not made after a delay"},
    YK_CHOICE(struct yk_feedback_settings, over, "bound|factor|steps", 0,
              YK_WHEN("kind=optimal", "optimal: how the compensated delay is raised")),
    YK_REAL(struct yk_feedback_settings, bound, YK_TIME, 0, 0, 10,
            YK_WHEN("kind=optimal,over=bound", "optimal, over: bound: the largest delay to expect")),
    YK_REAL(struct yk_feedback_settings, factor, YK_NUMBER, 1.25, 1, 10,
            YK_WHEN("kind=optimal,over=factor", "optimal, over: factor: on the delay")),
    YK_REAL(struct yk_feedback_settings, steps, YK_NUMBER, 0.5, 0, 10,
            YK_WHEN("kind=optimal,over=steps", "optimal, over: steps: steps added to the delay")),
    YK_REAL(struct yk_feedback_settings, window, YK_TIME, 20e-3, 0, 10,
            YK_WHEN("kind=optimal", "optimal: how far to look back")),
    YK_CHOICE(struct yk_feedback_settings, rule, "nearest|newest", 0,
              YK_WHEN("kind=optimal", "optimal: which sample to take if no reading crossed the target")),
    YK_FLAG(struct yk_feedback_settings, monotone, 0,
            YK_WHEN("kind=optimal", "optimal: never go back beyond the last chosen instant")),
    YK_COUNT(struct yk_feedback_settings, samples, 6, 2, YK_FORCE_SAMPLES,
             YK_WHEN("kind=corrected", "corrected: number of fitted samples")),
    YK_COUNT(struct yk_feedback_settings, x_order, 2, 1, YK_FORCE_ORDER,
             YK_WHEN("kind=corrected", "corrected: order of the displacement")),
    YK_COUNT(struct yk_feedback_settings, r_order, 2, 1, YK_FORCE_ORDER,
             YK_WHEN("kind=corrected", "corrected: order of the force")),
    YK_REAL(struct yk_feedback_settings, stiffness, YK_STIFFNESS, 0, 0, 1e15,
            "impedance, smith: of the model; too much damps, too little does not"),
    YK_REAL(struct yk_feedback_settings, damping, YK_DAMPING, 0, 0, 1e15, "impedance, smith: of the model"),
    YK_REAL(struct yk_feedback_settings, delay, YK_TIME, 0, 0, 10, YK_WHEN("kind=smith", "smith: of the actuator")),
    YK_REAL(struct yk_feedback_settings, inertia, YK_MASS, 0, 0, 1e12,
            "mass whose inertia is subtracted from the measured force, with the measured acceleration"),
    YK_PARAM_END,
};

enum yk_status yk_feedback_init(struct yk_feedback *f, const struct yk_feedback_settings *settings, double tick,
                                double h, struct yk_arena *mem, struct yk_err *err)
{
    enum yk_status st;

    *f = (struct yk_feedback){.set = *settings, .h = h};
    if (settings->source == YK_FORCE_SMITH)
        return yk_delay_line_init(&f->targets, settings->delay, h, mem, err);
    if (settings->source == YK_FORCE_CORRECTED) {
        f->corrected = yk_force_correction_defaults();
        f->corrected.samples = settings->samples;
        f->corrected.x_order = settings->x_order;
        f->corrected.r_order = settings->r_order;
        return yk_force_correction_init(&f->corrected, err);
    }
    if (settings->source != YK_FORCE_OPTIMAL)
        return YK_OK;
    f->optimal.window = (int)fmax(1, round(settings->window / tick));
    f->optimal.rule = (enum yk_feedback_rule)settings->rule;
    f->optimal.monotone = settings->monotone;
    yk_optimal_feedback_layout(&f->optimal, mem);
    if ((st = yk_arena_check(mem, err)))
        return st;
    return yk_optimal_feedback_init(&f->optimal, err);
}

/* docs/theory/test-rigs.md, eq. (25) */
YK_RT static double without_inertia(const struct yk_feedback *f, const struct yk_reading *r)
{
    return r->force - f->set.inertia * r->acceleration;
}

YK_RT void yk_feedback_reset(struct yk_feedback *f, const struct yk_reading *at)
{
    f->latest = without_inertia(f, at);
    f->missing[0] = f->missing[1] = 0;
    if (f->set.source == YK_FORCE_OPTIMAL)
        yk_optimal_feedback_reset(&f->optimal, at->displacement, f->latest);
    if (f->set.source == YK_FORCE_CORRECTED)
        yk_force_correction_reset(&f->corrected, at->displacement, f->latest);
}

YK_RT void yk_feedback_push(struct yk_feedback *f, const struct yk_reading *now)
{
    f->latest = without_inertia(f, now);
    if (f->set.source == YK_FORCE_OPTIMAL)
        yk_optimal_feedback_push(&f->optimal, now->displacement, f->latest);
    if (f->set.source == YK_FORCE_CORRECTED)
        yk_force_correction_push(&f->corrected, now->displacement, f->latest);
}

/* docs/theory/delay.md, eq. (18) */
YK_RT double yk_overcompensated_delay(enum yk_overcompensation rule, double delay, double parameter, double dt)
{
    switch (rule) {
    case YK_OVER_BOUND:
        return fmax(delay, parameter);
    case YK_OVER_FACTOR:
        return fmax(parameter, 1) * delay;
    case YK_OVER_STEPS:
        return delay + fmax(parameter, 0) * dt;
    }
    return delay;
}

YK_RT double yk_feedback_delay(const struct yk_feedback *f, double delay, double dt)
{
    const double parameter[] = {f->set.bound, f->set.factor, f->set.steps};

    if (f->set.source != YK_FORCE_OPTIMAL)
        return delay;
    return yk_overcompensated_delay((enum yk_overcompensation)f->set.over, delay, parameter[f->set.over], dt);
}

YK_RT double yk_feedback_added(struct yk_feedback *f, double target, double measured)
{
    const struct yk_feedback_settings *set = &f->set;
    double d = target - measured, added;

    if (set->source != YK_FORCE_IMPEDANCE && set->source != YK_FORCE_SMITH)
        return 0;
    if (f->targets.u) {
        const struct yk_delay_line *t = &f->targets;

        yk_delay_line_push(&f->targets, target);
        d = target - (1 - t->rest) * yk_delay_line_get(t, t->whole) - t->rest * yk_delay_line_get(t, t->whole + 1);
    }
    added = set->stiffness * d;
    if (set->damping > 0)
        added += set->damping * (3 * d - 4 * f->missing[0] + f->missing[1]) / (2 * f->h);
    f->missing[1] = f->missing[0];
    f->missing[0] = d;
    return added;
}

YK_RT double yk_feedback_force(struct yk_feedback *f, double target, double *where)
{
    double force = f->latest, lead;

    if (f->set.source == YK_FORCE_OPTIMAL)
        yk_optimal_feedback_choose(&f->optimal, target, &force, where);
    if (f->set.source == YK_FORCE_CORRECTED)
        yk_force_correction_choose(&f->corrected, target, &force, &lead);
    return force;
}
