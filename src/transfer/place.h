/* Targets and position correction of actuators that are commanded by velocity or acceleration. place.c */
#ifndef YOKE_PLACE_H
#define YOKE_PLACE_H

#include <yoke/rig.h>

/* Displacements that are due at the last targets, the newest first, all D apart. */
struct yk_place {
    double x[4];
    double speed;        /* at the newest */
    double error, drift; /* displacement behind its target in the last tick, and its smoothed rate */
};
void yk_place_reset(struct yk_place *p, double x) YK_RT;
/* The next target: a displacement x with velocity v. Returns the target in the quantity of the command; its rate goes
 * to `rate`, where `last` is the target before. */
double yk_place_target(struct yk_place *p, enum yk_command_kind kind, double D, double x, double v, double last,
                       double *rate) YK_RT;
/* Correction to add to a command, `share` of the way to the newest target, that leads the measured displacement back:
 * eq. (21). omega: rad/s; tick: s. */
double yk_place_lead(struct yk_place *p, enum yk_command_kind kind, double share, double measured, double omega,
                     double tick) YK_RT;
/* The command that leads an actuator along a path, or holds it at a place, from its reading: eq. (22). speed: of the
 * measured displacement [m/s]. */
struct yk_kept_place {
    double x, v, a;
};
double yk_place_hold(enum yk_command_kind kind, const struct yk_kept_place *path, const struct yk_reading *now,
                     double speed, double omega) YK_RT;

#endif
