/* Measured loops made ready for a law: filtered, cut to their motion, with substeps where samples are few. */
#ifndef YOKE_MEASURED_LOOPS_H
#define YOKE_MEASURED_LOOPS_H

#include <yoke/calibrate.h>

/* The path of a run: m instants dt apart; the force is known at every `every`-th of them. */
struct yk_loop {
    size_t m, every, rows; /* rows: with a force, (m - 1) / every + 1 */
    double dt;
    double *x, *v;    /* m */
    double *force;    /* rows */
    bool *moving;     /* rows: |v| > 3 % of its peak */
    double deviation; /* of the force in motion */
    double frequency_Hz, cutoff_Hz;
    double largest_x, largest_v, largest_force;
};
enum yk_status yk_loop_make(struct yk_loop *loop, const struct yk_measured_loop *run,
                            const struct yk_calibrate_ask *ask, double cycles, size_t most_rows, struct yk_err *err);
void yk_loop_free(struct yk_loop *loop);

#endif
