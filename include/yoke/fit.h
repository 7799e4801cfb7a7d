/* Nonlinear least squares: the parameters x, within bounds, for which the sum of squares of the residuals r(x) is
 * least. Levenberg and Marquardt with derivatives by differences: the one solver of all fits of models to sweeps and
 * recordings, of calibration and of recorded plants. */
#ifndef YOKE_FIT_H
#define YOKE_FIT_H

#include <yoke/status.h>

enum { YK_FIT_PARAMETERS = 48 };

struct yk_fit {
    size_t parameters, count; /* count: residuals */
    /* Writes the residuals at x; false where the model has no value there. Several threads at once if threads > 1. */
    bool (*residuals)(void *self, const double *x, double *r);
    void *self;
    const double *least, *most; /* bounds; NULL: none */
    const double *scale;        /* natural size of a change of each parameter; NULL: 1 */
    double farthest;            /* longest step, in scales; 0: any */
    double soft;                /* residuals beyond it count by their amount, not their square; 0: all are squares */
    double enough;              /* relative gain of a step that ends the descent; 0: 1e-12 */
    int iterations, threads;
    bool (*stop)(void *self); /* asked before each step; NULL: never */
    double *covariance; /* out, parameters squared: inverse of J^T J, NaN in rows at a bound; NULL: not asked for */
};

struct yk_fit_result {
    double cost; /* sum of squares */
    int iterations;
};

/* x: start and result. If `stop` ends the fit, x is the best point so far. */
enum yk_status yk_fit_run(const struct yk_fit *fit, double *x, struct yk_fit_result *result, struct yk_err *err);

#endif
