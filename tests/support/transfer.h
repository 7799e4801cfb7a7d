/* Compensators and estimators with settings, as the experiment reader would make them. */
#ifndef YOKE_TEST_TRANSFER_H
#define YOKE_TEST_TRANSFER_H

#include "transfer/station.h"
#include <yoke/system.h>
#include <yoke/transfer.h>

#include "support/method.h"

struct compensator {
    const struct yk_compensator_ops *ops;
    void *self;
    struct yk_arena mem;
    int stages;
};
struct compensator compensator_open(const char *name, const struct setting *set, double dt, int stages);
void compensator_close(struct compensator *c);
/* The command for a target at stage `stage`. */
double compensator_predict(struct compensator *c, int stage, double x, double v, double delay);
void compensator_learn(struct compensator *c, double measured);
void compensator_reached(struct compensator *c, int stage, double x, double v, double a);

struct estimator {
    const struct yk_estimator_ops *ops;
    void *self;
    struct yk_arena mem;
};
struct estimator estimator_open(const char *name, const struct setting *set, double dt, double nominal);
void estimator_close(struct estimator *e);
double estimator_update(struct estimator *e, double desired, double command, double measured);

/* Moves a specimen to (u, v) at time t and takes its net force under the load f: what a run does between two stages. */
void specimen_force(struct yk_system *s, struct yk_station *station, double t, const double *f, const double *u,
                    const double *v, double *p);

#endif
