/* The spring-pendulum by its settings. */
#ifndef YOKE_TEST_PENDULUM_H
#define YOKE_TEST_PENDULUM_H

#include <yoke/system.h>

struct pendulum {
    double platform_mass, platform_damping, platform_stiffness, mass, stiffness, length, gravity;
};

/* Fails the test when it cannot be made. */
struct yk_system *pendulum_make(const struct pendulum *settings, const double *u0, const double *v0);

#endif
