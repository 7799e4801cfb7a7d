/* The force that goes back to the method at the due time of a target: the last one, or one that belongs to the target
 * itself. */
#ifndef YOKE_TRANSFER_FEEDBACK_H
#define YOKE_TRANSFER_FEEDBACK_H

#include "transfer/dynamics.h"
#include "transfer/station.h"

struct yk_feedback {
    struct yk_feedback_settings set;
    struct yk_optimal_feedback optimal;
    struct yk_force_correction corrected;
    double latest;
    double h;                     /* s between two forces */
    struct yk_delay_line targets; /* for the model of a delay; u NULL: none */
    double missing[2];            /* way not made at the last two forces, newest first */
};
/* tick, h: seconds between two readings, and between two forces. */
enum yk_status yk_feedback_init(struct yk_feedback *f, const struct yk_feedback_settings *settings, double tick,
                                double h, struct yk_arena *mem, struct yk_err *err);
void yk_feedback_reset(struct yk_feedback *f, const struct yk_reading *at) YK_RT;
/* A tick. */
void yk_feedback_push(struct yk_feedback *f, const struct yk_reading *now) YK_RT;
/* The delay to compensate for an actuator delay of `delay`: larger where the feedback is chosen afterwards. */
double yk_feedback_delay(const struct yk_feedback *f, double delay, double dt) YK_RT;
/* At the due time of a target; *where: the measured displacement that the force belongs to, unchanged where it is
 * unknown. */
double yk_feedback_force(struct yk_feedback *f, double target, double *where) YK_RT;
/* Force that a model adds to the measured one; `measured`: the displacement at the due time. docs/theory/energy.md, eq.
 * (4) and (5). */
double yk_feedback_added(struct yk_feedback *f, double target, double measured) YK_RT;

#endif
