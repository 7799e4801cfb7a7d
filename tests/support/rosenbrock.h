/* Helpers of the tests of the Rosenbrock couplings. */
#ifndef YOKE_TEST_ROSENBROCK_H
#define YOKE_TEST_ROSENBROCK_H

#include "support/torn_systems.h"

#define NOTHING_GIVEN NAN

/* |x - y| <= tolerance; otherwise fails and names the case and what was compared. */
void within(double x, double y, double tolerance, const char *label, const char *what);
/* sin(2 t) on the first degree of freedom. */
void sine_load(void *self, double t, double *f);
/* Sine loads at the natural frequencies of the rig, N and N m. */
extern const struct yk_loading rig_loads[YK_SIDES];
/* A platform on a spring, torn from a spring-pendulum on the fine side. */
void pendulum_torn(struct torn *t, double dt, int substeps);

#endif
