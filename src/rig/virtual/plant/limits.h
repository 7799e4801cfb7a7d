/* Limits of a real actuator that its linear model lacks, around any plant; a limit of 0 is none.
 * docs/theory/control.md, eq. (17)-(20a). */
#ifndef YOKE_PLANT_LIMITS_H
#define YOKE_PLANT_LIMITS_H

#include <yoke/rig.h>
#include <yoke/transfer.h>

/* Which limits acted in the last tick. */
enum { YK_AT_STROKE = 1, YK_AT_SPEED = 2, YK_AT_FORCE = 4, YK_AT_RATE = 8, YK_AT_BRAKE = 16 };

struct yk_plant_limits {
    double stroke;            /* m, to either side of zero: end stops                     */
    double speed;             /* m/s: of the motion                                       */
    double force;             /* N: beyond it the actuator does not advance               */
    double rate;              /* m/s: of the command                                        */
    double friction, viscous; /* N and N s/m: of the guides, added to the specimen's force */
    double backlash;          /* m: full width of the play between actuator and specimen  */
    double brake;             /* s after the reset: the brake engages; 0: never            */

    /* private */
    double h, command;
    long ticks;
    struct yk_plant_output carriage, out; /* before and after the play */
    unsigned acting;
};
extern const struct yk_param yk_plant_limits_params[];

enum yk_status yk_plant_limits_init(struct yk_plant_limits *l, double h, struct yk_err *err);
/* At rest at x0, in the middle of the play; the plant is reset by its owner. */
void yk_plant_limits_reset(struct yk_plant_limits *l, double x0) YK_RT;
/* Around a step of any plant: its command and the force that it works against (the specimen's, in and out), and
 * where it gets of where it wants to go. */
double yk_plant_limits_command(struct yk_plant_limits *l, double u, double *force) YK_RT;
void yk_plant_limits_move(struct yk_plant_limits *l, const struct yk_plant_output *ideal, double force,
                          struct yk_plant_output *out) YK_RT;
/* Steps the plant within the limits. */
void yk_plant_limits_step(struct yk_plant_limits *l, const struct yk_plant_ops *ops, void *plant, double u,
                          double force, struct yk_plant_output *out) YK_RT;

/* How much of the limits was used in the last tick; `force`: what it worked against. */
void yk_plant_limits_use(const struct yk_plant_limits *l, double force, struct yk_actuator_use *use) YK_RT;

#endif
