/* A hybrid simulation of one mass, tick by tick: real integrator, compensator, estimator and feedback; an actuator that
 * is a pure delay or a lag of second order; a specimen with a spring and Coulomb friction.
 *
 *     m a + c v + k_n x + r = f(t),   r = k_e x_e + friction sgn(dx_e)
 *
 * A target becomes a command, towards which the actuator is led along a straight line in `ticks` control ticks. The
 * force of the last of them, or the one chosen by the optimal feedback, is absorbed. */
#ifndef YOKE_TEST_HYBRID_LOOP_H
#define YOKE_TEST_HYBRID_LOOP_H

#include "support/transfer.h"

enum { LOOP_SETTINGS = 4, LOOP_LINE = 512 };

struct loop_case {
    struct method method;
    double dt;
    double m, c, k_n;
    double k_j; /* stiffness the integrator's Jacobian is told */
    double x0;  /* at rest */
    double (*load)(double t);

    const char *compensator;
    struct setting compensation[LOOP_SETTINGS];
    double tau_c;          /* what is compensated */
    const char *estimator; /* NULL: tau_c throughout; otherwise where it starts */
    struct setting estimation[LOOP_SETTINGS];

    int ticks;           /* of a stage */
    bool mid_tick;       /* the command of a tick is that of its middle, held; otherwise that of its end */
    double tau;          /* delay of the actuator [s] */
    double lag, damping; /* frequency [rad/s] and ratio of one of second order, in place of the delay; 0: none */
    double k_e, friction;

    bool optimal, monotone;
    bool whole_ticks; /* with optimal: the sample nearest to the target as it is, to see what interpolation is for */
    enum yk_feedback_rule rule;
};

struct hybrid_loop {
    struct loop_case it;
    struct yk_system *system;
    struct yk_integrator integrator;
    struct compensator compensator;
    struct estimator estimator;
    struct yk_optimal_feedback feedback;
    struct yk_arena mem;
    int stages;
    double h; /* tick */

    long step;
    double tau_c, command;  /* in use */
    double line[LOOP_LINE]; /* commands of the last ticks, newest first */
    double lag_x, lag_v;    /* of the lag */
    double A[2][2], B[2];   /* one tick of it */
    double x_e, r_e;        /* specimen */
    double target_x[YK_TARGET_STAGES], target_v[YK_TARGET_STAGES];
    double x, v, a, p; /* end of the last step */
    double a_before;   /* at the stage before, or the end of the step before */
    double used;       /* displacement that the force at the end of the last step belongs to */
};

void hybrid_loop_open(struct hybrid_loop *l, const struct loop_case *it);
void hybrid_loop_close(struct hybrid_loop *l);
void hybrid_loop_step(struct hybrid_loop *l);

#endif
