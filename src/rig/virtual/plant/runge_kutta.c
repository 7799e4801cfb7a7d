/* The classical Runge-Kutta method, order 4. docs/theory/control.md, eq. (7). Units: s and those of the states. */
#include "rig/virtual/plant/runge_kutta.h"

#include <math.h>

enum { SUBSTEPS = 1000 };

YK_RT void yk_rk4(const void *plant, void (*rate)(const void *plant, const double *x, double *dx), size_t n, double *x,
                  double h)
{
    static const double part[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double k[YK_RK4_STATES] = {0}, y[YK_RK4_STATES], sum[YK_RK4_STATES] = {0};

    for (int stage = 0; stage < 4; stage++) {
        for (size_t i = 0; i < n; i++)
            y[i] = x[i] + part[stage] * h * k[i];
        rate(plant, y, k);
        for (size_t i = 0; i < n; i++)
            sum[i] += weight[stage] * k[i];
    }
    for (size_t i = 0; i < n; i++)
        x[i] += h * sum[i];
}

/* eq. (7): rate times step at most 0.1, so that a linear part is off by less than 1e-7 of itself per substep. */
enum yk_status yk_rk4_substeps(double h, double fastest, const char *who, int *substeps, struct yk_err *err)
{
    const double need = ceil(h * fastest / 0.1);

    if (!(need <= SUBSTEPS))
        return yk_fail(err, YK_E_RANGE, "%s: a rate of %g 1/s needs more than %d substeps in a tick of %g s", who,
                       fastest, SUBSTEPS, h);
    *substeps = need > 1 ? (int)need : 1;
    return YK_OK;
}
