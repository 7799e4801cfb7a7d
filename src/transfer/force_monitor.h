/* Can the measured force of an actuator be right? Compares it with what the file's estimate of the specimen expects,
 * half cycle by half cycle, and finds a load cell that is reversed, dead or out of range. Gaps, friction and yielding
 * pass: docs/theory/force-monitor.md. Plain data, no heap. */
#ifndef YOKE_FORCE_MONITOR_H
#define YOKE_FORCE_MONITOR_H

#include <yoke/status.h>

#include <stdbool.h>

enum yk_force_verdict {
    YK_FORCE_PLAUSIBLE,
    YK_FORCE_REVERSED, /* it pushes in the direction of the motion */
    YK_FORCE_CONSTANT, /* it does not change although the expected force does                   */
    YK_FORCE_CLIPPED,  /* it stays at its largest value while the motion continues and returns */
};

/* Finding of the monitor. REVERSED: `seen` is the slope of F over E; CONSTANT: the range of F, `expected` that of E
 * [N]; CLIPPED: the value at which it stays [N]. */
struct yk_force_finding {
    enum yk_force_verdict verdict;
    long half_cycles; /* in a row */
    double seen, expected;
};

/* Statistics of a part of the motion: sums from the first readings on, and ranges. */
struct yk_force_sums {
    long n;
    double E, F, EE, FF, EF;
    double E_low, E_high, F_low, F_high, x_low, x_high;
    double work, way; /* integral of F dx; of dx */
};

struct yk_force_monitor {
    bool alone;              /* set by the caller: no other actuator moves the specimen, so that F dx is its work */
    bool close;              /* it was as expected in the last half cycle */
    bool started, alive;     /* the force has responded once */
    double E0, F0;           /* first readings */
    double E[2], F[2], x;    /* last ones, and those before */
    double noise_E, noise_F; /* mean second differences from tick to tick */
    int heading;             /* of the expected force: 1, -1; 0: not known yet */
    double turn;             /* its farthest value in this half cycle */
    struct yk_force_sums out, back, last;      /* this half cycle up to there, and since; the one before */
    double largest;                            /* range of E in a half cycle so far */
    double trust_low, trust_high, trust_width; /* of E: between these ends the force responds; how much to pass again */
    double F_low, F_high;                      /* of all forces */
    long good, reversed, constant;             /* half cycles: all plausible ones; implausible ones in a row */
    long clipped[2];                           /* at its lowest and highest value */
    double clip[2];
    double flat, flat_from, flat_low,
        flat_high; /* the force stays at a value; E when this began, and its range since */
    bool flat_counted;
    struct yk_force_finding finding;
};

/* Takes a tick that followed the method: the force expected at the measured motion, measured displacement and force.
 * Returns the number of half cycles in a row with an implausible force, 0 if it is plausible; `finding` has the
 * reason. */
long yk_force_monitor_step(struct yk_force_monitor *m, double expected, double displacement, double force) YK_RT;
/* At the end of a motion that was too short for a verdict, or ran away in one direction: was the force reversed in all
 * of it? */
bool yk_force_monitor_ran_reversed(struct yk_force_monitor *m) YK_RT;

#endif
