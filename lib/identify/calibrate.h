/* Unknowns, forces and residuals of a calibration, for its descent and its intervals. */
#ifndef YOKE_MEASURED_CALIBRATE_H
#define YOKE_MEASURED_CALIBRATE_H

#include "loops.h"

#include <yoke/fit.h>

enum { YK_LAW_ROOM = 64 };

/* Unknowns: values of the settings in their order, as logarithms or in natural units; then, if asked, a slip at the
 * start for each run. */
struct yk_calibration_job {
    const struct yk_calibrate_ask *ask;
    struct yk_loop *loop; /* run_count, then held_count */
    size_t values, unknowns, residuals;
    struct {
        size_t setting, point;
        bool logarithm;
        double unit;
    } value[YK_FIT_PARAMETERS];
    double least[YK_FIT_PARAMETERS], most[YK_FIT_PARAMETERS], scale[YK_FIT_PARAMETERS];
};

/* The force of the laws over a run, at its rows; false where they have none. p: unknowns. */
bool yk_calibration_force(const struct yk_calibration_job *job, const double *p, size_t run, double *force);
/* Geometric mean of the levels that suit the fitted runs, whose forces stand one after the other; 1 without levels. The
 * level of all runs together is the law's, so that each counts over this mean. */
double yk_calibration_common_level(const struct yk_calibration_job *job, const double *force);
/* Takes level and offset out: e = (measured - offset - level force)/deviation at every row. */
void yk_calibration_residual(const struct yk_calibration_job *job, size_t run, const double *force, double common,
                             double *e, double *offset, double *level);
/* Residuals of all runs, each with the same weight; for yk_fit. */
bool yk_calibration_residuals(void *self, const double *p, double *r);
double yk_calibration_value(const struct yk_calibration_job *job, const double *p, size_t value);

/* Spread of the values from blocks of whole cycles, resampled. */
enum yk_status yk_calibration_spread(const struct yk_calibration_job *job, const double *p, struct yk_calibrated *found,
                                     struct yk_err *err);

#endif
