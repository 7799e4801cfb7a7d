/* The path of a quasi-static test: where `analysis: static` leads specimens. */
#ifndef YOKE_STATIC_PATH_H
#define YOKE_STATIC_PATH_H

#include "experiment/experiment.h"

/* To a displacement with constant speed, in steps with a pause after each. */
struct yk_static_leg {
    size_t substructure, dof;
    double from, to; /* m or rad */
    double speed;    /* m/s or rad/s, in time of the test */
    double step;     /* length of a step; 0: without pauses */
    double hold;     /* s */
};
struct yk_static_path {
    size_t count, room;
    struct yk_static_leg *legs;
    long steps; /* of the system, until its end */
};

/* How many moves a leg has; system steps of one of them, and of the pause after it. */
long yk_static_moves(const struct yk_static_leg *leg);
long yk_static_steps(const struct yk_static_leg *leg, double dt);
long yk_static_pause(const struct yk_static_leg *leg, double dt);

#endif
