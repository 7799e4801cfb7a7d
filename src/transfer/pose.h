/* Limits of a platform: the degrees of freedom that a setup moves with several actuators. pose.c */
#ifndef YOKE_POSE_H
#define YOKE_POSE_H

#include "transfer/setup.h"
#include "transfer/supervisor.h"

enum yk_pose_limit { YK_POSE_DISPLACEMENT, YK_POSE_RATE, YK_POSE_FORCE, YK_POSE_LIMITS };

struct yk_pose {
    struct yk_setup *setup; /* the caller's */
    size_t dofs, first;     /* degrees of freedom; its first actuator */
    bool commanded;         /* all actuators are commanded by displacement; otherwise only what is measured counts */
    /* of each degree of freedom and kind, YK_POSE_LIMITS after one another; malloc'd with names and units */
    struct yk_sensor_limit *limits;

    /* private */
    double *target, *measured, *found, *forces, *strokes, *pulls;
    double *was, *from; /* pose and commands that were sent last */
    bool sends;         /* there were some */
};
void yk_pose_free(struct yk_pose *p);
enum yk_status yk_pose_init(struct yk_pose *p, struct yk_arena *mem, struct yk_err *err);
void yk_pose_rest(struct yk_pose *p, const double *commands) YK_RT;
/* The pose that commands of all actuators lead to, and its rate; before they are sent. */
void yk_pose_check_commands(struct yk_pose *p, struct yk_supervisor *s, const double *commands) YK_RT;
/* Commands about to be sent, on a rig that is not simulated: shortens their common step to the rates of the pose in
 * wall time. */
void yk_pose_keep_rate(struct yk_pose *p, struct yk_supervisor *s, double *sent) YK_RT;
/* The measured pose and the forces on it. */
void yk_pose_check_readings(struct yk_pose *p, struct yk_supervisor *s, const struct yk_reading *readings) YK_RT;

#endif
