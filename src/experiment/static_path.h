/* The path of a quasi-static test: where `analysis: static` leads specimens. */
#ifndef YOKE_STATIC_PATH_H
#define YOKE_STATIC_PATH_H

#include "experiment/experiment.h"

/* To a displacement with constant speed, in steps with a pause after each. */
struct yk_static_leg {
    size_t substructure, dof;
    double to;    /* m or rad */
    double speed; /* m/s or rad/s, in time of the test */
    double step;  /* length of a step; 0: without pauses */
    double hold;  /* s */
};
struct yk_static_path {
    size_t count, room;
    struct yk_static_leg *legs;
    long steps; /* of the system, until its end */
};

/* System steps that a leg takes for one of its moves from `from`, and how many moves it has. */
long yk_static_moves(const struct yk_static_leg *leg, double from);
long yk_static_steps(const struct yk_static_leg *leg, double from, double dt);
long yk_static_pause(const struct yk_static_leg *leg, double dt);

#endif
