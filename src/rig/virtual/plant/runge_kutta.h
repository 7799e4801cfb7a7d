/* Runge-Kutta steps for plants with limits inside. docs/theory/control.md, eq. (7). */
#ifndef YOKE_PLANT_RUNGE_KUTTA_H
#define YOKE_PLANT_RUNGE_KUTTA_H

#include <yoke/status.h>

#include <stddef.h>

/* One classical Runge-Kutta step of dx/dt = rate(x), n <= YK_RK4_STATES. */
enum { YK_RK4_STATES = 6 };
void yk_rk4(const void *plant, void (*rate)(const void *plant, const double *x, double *dx), size_t n, double *x,
            double h) YK_RT;
/* How many such steps a tick needs for a plant whose fastest rate is `fastest` [1/s], at most 1000. */
enum yk_status yk_rk4_substeps(double h, double fastest, const char *who, int *substeps, struct yk_err *err);

#endif
