/* Regressors of the adaptive compensators: displacement, velocity and acceleration of the targets and of the measured
 * motion, and its commands. docs/theory/delay.md, eq. (14). */
#ifndef YOKE_COMPENSATE_REGRESSORS_H
#define YOKE_COMPENSATE_REGRESSORS_H

#include "transfer/compensate/past.h"

enum { YK_TERMS = 3 }; /* x, T x', T^2 x'' */
#define YK_REGRESSORS_APART(owner)                                                                                     \
    YK_REAL(owner, apart, YK_TIME, 0, 0, 1,                                                                            \
            "time between the samples that velocity and acceleration are taken from; 0: a step")

struct yk_regressors {
    double T;                          /* time that scales them to equal units [s] */
    struct yk_past past;               /* targets */
    struct yk_weights newest;          /* derivatives at the newest of them */
    bool end;                          /* the last target was the end of a step */
    struct yk_past commands, measured; /* at the ends of steps */
};

/* `apart`: distance of the samples that derivatives are taken from [s]; 0: a step. */
enum yk_status yk_regressors_init(struct yk_regressors *s, const char *name, double dt, int stages, double T,
                                  double apart, struct yk_arena *mem, struct yk_err *err);
void yk_regressors_reset(struct yk_regressors *s, double x0) YK_RT;
/* The terms of a target. */
void yk_regressors_target(struct yk_regressors *s, const struct yk_target *target, double *phi) YK_RT;
/* Remembers what was commanded for it. */
void yk_regressors_commanded(struct yk_regressors *s, double command) YK_RT;
/* Takes a measured displacement; true where it makes a pair: the terms a sample ago and the command of that instant. */
bool yk_regressors_pair(struct yk_regressors *s, double measured, double *psi, double *command) YK_RT;

/* Learnt coefficients replace those of the delay. */
static inline bool yk_regressors_learn_delay(const void *self)
{
    return true;
}

/* Coefficients for a pure delay: 1, tau/T, (tau/T)^2/2, eq. (15). */
static inline void yk_regressors_nominal(const struct yk_regressors *s, double delay, double *theta)
{
    const double eta = yk_past_eta(delay, s->T);

    theta[0] = 1;
    theta[1] = eta;
    theta[2] = 0.5 * eta * eta;
}

/* Keeps the coefficients physically possible: gain 1/theta[0] near one, delays in 0 .. longest. */
static inline void yk_regressors_limit(const struct yk_regressors *s, double spread, double longest, double *theta)
{
    const double eta = longest / s->T;

    theta[0] = yk_within(1 - spread, theta[0], 1 + spread);
    theta[1] = yk_within(0, theta[1], eta);
    theta[2] = yk_within(0, theta[2], eta * eta);
}

#endif
