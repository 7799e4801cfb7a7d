/* The benchmark problem of multi-axial real-time hybrid simulation (Condori Uribe, Salmeron, Patino et al. 2023).
 *
 * A frame of three storeys and three bays on moving ground; the middle bay of the first storey is the specimen. Two
 * parallel hydraulic actuators that act on each other move its node through a stiff coupler, in translation and
 * rotation, at 1024 Hz. The loop is that of the problem; compensators, controllers and plant are those of an experiment
 * of ours, ticked by its station. */
#ifndef YOKE_BENCHMARK_MARTHS_H
#define YOKE_BENCHMARK_MARTHS_H

#include "history.h"

#define YK_MARTHS_RATE 1024.0 /* Hz */
enum { YK_MARTHS_ACTUATORS = 2, YK_MARTHS_DEVIATES = 9 };

/* A as published: the specimen is not quite what was taken out of the frame. B: it is. */
enum yk_marths_variant { YK_MARTHS_A, YK_MARTHS_B };

struct yk_marths_problem {
    enum yk_marths_variant variant;
    const char *chain;  /* name of an entry, or of a file with a section `transfer` for the actuators a1 and a2 */
    const char *record; /* file with a ground acceleration; NULL: a synthetic one */
    const char *unit;   /* of the record, if the file does not state it; NULL: none */
    double scale, end_s;
    bool noise;
};

/* A plant: deviations of zeros and poles, in standard deviations; all zero: the nominal one. */
struct yk_marths_plant {
    double n[YK_MARTHS_DEVIATES];
    int seed; /* of the noise */
};
/* Plant `number` of the perturbed ones; 0 is the nominal plant, 1 to 3 are fixed: any, slow, fast. */
struct yk_marths_plant yk_marths_draw(int number);

/* Chains of ours, from 0; NULL at the end. */
struct yk_marths_entry {
    const char *name, *summary;
};
const struct yk_marths_entry *yk_marths_entry(size_t i);

/* The indices of the problem, in its order; NaN where the run diverged. */
struct yk_marths_result {
    double J1[2], J2[2], J3[2]; /* tracking of the actuators: delay [ms], rms, peak [%] */
    double J4[2], J5[2], J6[2]; /* estimated against numerical node, x and theta: likewise */
    double J7[2], J9[2];        /* estimated node against the untorn frame: rms, peak [%] */
    double J8[4], J10[4];       /* storeys 2 and 3, x and theta, against the untorn frame: rms, peak [%] */
    double volts[2];            /* largest command */
    bool diverged, realizable;  /* no command beyond the 3.8 V of the device */
};
enum { YK_MARTHS_INDICES = 24 };
/* The name of index i ("J1_1"), and its value. */
const char *yk_marths_index(const struct yk_marths_result *result, int i, double *value);

struct yk_marths; /* a problem that is ready to run; constant, may be shared by threads */
enum yk_status yk_marths_open(struct yk_marths **marths, const struct yk_marths_problem *problem, struct yk_err *err);
void yk_marths_close(struct yk_marths *marths);
enum yk_status yk_marths_run(const struct yk_marths *marths, const struct yk_marths_plant *plant,
                             struct yk_marths_result *result, struct yk_err *err);
/* The same run as time histories: the actuators, and node and storeys against the untorn frame. Free them. */
enum yk_status yk_marths_histories(const struct yk_marths *marths, const struct yk_marths_plant *plant,
                                   struct yk_histories *histories, struct yk_err *err);

#endif
