/* The benchmark problem of real-time hybrid simulation (Silva, Gomez, Maghareh, Dyke and Spencer 2020).
 *
 * A frame of three storeys stands on moving ground. A spring with a small mass is torn out of its first storey and
 * tested by a hydraulic actuator that is 24 ms late. The loop is that of the problem, at 4096 Hz: the frame makes a
 * Runge-Kutta step with the force measured a sample before; its first floor is the target. Compensator, controller,
 * plant and sensors are those of an experiment of ours, ticked by its station. */
#ifndef YOKE_BENCHMARK_RTHS_H
#define YOKE_BENCHMARK_RTHS_H

#include "history.h"
#include <stdio.h>

enum { YK_RTHS_CASES = 4, YK_RTHS_INDICES = 9, YK_RTHS_FLOORS = 3 };
#define YK_RTHS_RATE 4096.0 /* Hz */

/* A case of the problem, and the chain to be tested. */
struct yk_rths_problem {
    int number;         /* of the case, from 1 */
    const char *chain;  /* YAML: the chain of the actuator a1, such as "{ controller: { kind: none } }", or the name of
                         * a file with a section `transfer` */
    const char *record; /* file with a ground acceleration; NULL: a synthetic one */
    const char *unit;   /* of the record, if the file does not state it; NULL: none */
    double scale;       /* of the ground motion */
    double end_s;       /* of the run */
    bool noise;         /* of the sensors, and their converters */
};

/* A plant: deviations from the nominal one, in standard deviations. */
struct yk_rths_plant {
    double leakage, beta1, beta2, stiffness;
    int seed; /* of the noise */
};
/* Plant `number` of the perturbed ones; 0 is the nominal plant. */
struct yk_rths_plant yk_rths_draw(int number);

/* A case that is ready to run: the experiment, the ground motion and the response of the untorn frame. Constant, and
 * may be shared by threads. */
struct yk_rths;
enum yk_status yk_rths_open(struct yk_rths **rths, const struct yk_rths_problem *problem, struct yk_err *err);
void yk_rths_close(struct yk_rths *rths);
size_t yk_rths_samples(const struct yk_rths *rths);
/* The same problem as an experiment file, for `yoke run`. */
enum yk_status yk_rths_write(const struct yk_rths_problem *problem, FILE *out, struct yk_err *err);

/* Time histories of a run: arrays of yk_rths_samples, NULL where not needed. */
struct yk_rths_traces {
    double *measured, *command, *force;
    double *floor[YK_RTHS_FLOORS], *reference[YK_RTHS_FLOORS]; /* the first floor is the target */
};
struct yk_rths_result {
    double J[YK_RTHS_INDICES]; /* J1 [ms], J2 .. J9 [%], in the order of the problem's code; NaN where it diverged */
    double peak_force;         /* N */
    bool diverged, saturated;  /* the force reached the limit of the actuator */
};
enum yk_status yk_rths_run(const struct yk_rths *rths, const struct yk_rths_plant *plant,
                           const struct yk_rths_traces *traces, struct yk_rths_result *result, struct yk_err *err);
/* The same run as time histories: the actuator, and the floors against those of the untorn frame. Free them. */
enum yk_status yk_rths_histories(const struct yk_rths *rths, const struct yk_rths_plant *plant,
                                 struct yk_histories *histories, struct yk_err *err);

#endif
