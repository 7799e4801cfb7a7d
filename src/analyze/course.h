/* Sums and peaks of a run or a rehearsal for its verdict, in fixed fields, updated at every tick and step. */
#ifndef YOKE_COURSE_H
#define YOKE_COURSE_H

#include "analyze/judge.h"
#include "state/state.h"

enum { YK_COURSE_ACTUATORS = 64, YK_COURSE_MODES = YK_BANDS, YK_COURSE_PAST = 5 };

/* The noise of a reading, from its fourth differences; and its range. */
struct yk_hiss {
    double past[YK_COURSE_PAST], sum, least, most;
    double finest;     /* smallest change from tick to tick: the resolution, where there is one */
    long count, heard; /* samples; differences */
};

/* Sums of a signal for its mean frequency. */
struct yk_swing {
    double first, last, sum, square, product;
    long count;
};

/* Sums of the error of an actuator and of what explains it. */
struct yk_misfit {
    double error, speed, place;  /* squares of error, of the rate of the target, of the target about its mean */
    double late, small, between; /* products: error with rate, error with target, rate with target */
    double felt, moved, sum;
    long count;
};

struct yk_course_actuator {
    double F, E, FF, EE, FE; /* sums of measured and expected force and of their products */
    long forces;
    double work, error, force; /* work of the tracking error; the last error and force */
    double felt, moved;        /* sums of squares: estimated error of the response, target */
    double missed[YK_PARTS_OF_RUN], asked_for[YK_PARTS_OF_RUN]; /* likewise in each part: tracking error, target */
    struct yk_misfit misfit;                                    /* until a capacity was used up for the first time */
    struct yk_swing target;
    struct yk_hiss displacement_hiss, force_hiss;
    long at[YK_USES];                       /* ticks at the limit of each capacity */
    double since[YK_USES];                  /* when it was used up for the first time [s] */
    double most[YK_USES], when[YK_USES];    /* largest part of it in use, and when [s] */
    double demand[YK_USES], asked[YK_USES]; /* largest stroke, speed, force; when [s] */
    bool bounded;                           /* its rig knows capacities of it */
    double capacity[YK_USES];               /* NAN: none */
    double power, power_at;                 /* largest |force x speed| [W] */
};

/* A mode of the structure with the estimates of its specimens: x := A x + b Q over a step. */
struct yk_course_mode {
    double A[2][2], b[2], x[2];
    double frequency_Hz, square;        /* square: sum of its squared response */
    double stroke[YK_COURSE_ACTUATORS]; /* of each actuator, for a unit of the mode */
};

/* The loads before a run. */
struct yk_course_loads {
    size_t idle;   /* how many have no effect */
    double ends_s; /* when the last one ends */
    double step;   /* time step over the mean period of the fastest one */
};

struct yk_course {
    struct yk_course_loads loads;
    double tick_s;
    long ticks; /* in which the run followed the method */
    struct yk_swing kinetic;
    long steps, all_steps; /* made, and of the whole test */
    size_t actuators, modes;
    double dt;
    double lowest_Hz; /* of the structure; 0: not known */
    bool limited;     /* a capacity has been used up */
    struct yk_course_mode mode[YK_COURSE_MODES];
    struct yk_course_actuator of[YK_COURSE_ACTUATORS];
    struct yk_plant_sheet sheet[YK_COURSE_ACTUATORS]; /* of simulated actuators; force 0: it is not described by one */
    double moved[YK_COURSE_ACTUATORS];                /* kg: specimen and fixture, of those with a sheet */
};

/* The motion is open. What cannot be prepared is not judged. */
void yk_course_begin(struct yk_course *c, struct yk_state *motion);
void yk_course_tick(struct yk_course *c, struct yk_station *station) YK_RT;
void yk_course_step(struct yk_course *c, const struct yk_state *motion, double kinetic_energy) YK_RT;

/* Mean frequency [Hz] of a signal sampled every dt; NAN: it does not change. */
double yk_swing_frequency(const struct yk_swing *s, double dt) YK_RT;
/* rms of the noise, or of the rounding to the resolution, over the amplitude; NAN: the signal does not move. */
double yk_hiss_share(const struct yk_hiss *h) YK_RT;

/* Adds what is known of actuator i: how it tracked and what was compensated, the part of its critical delay that is
 * left (NAN: not known), the largest energy or work so far. */
void yk_course_measure(const struct yk_course *c, size_t i, const struct yk_tracking_indices *tracked,
                       const struct yk_compensated *compensated, double delay_share, double energy,
                       struct yk_measures *m) YK_RT;

#endif
