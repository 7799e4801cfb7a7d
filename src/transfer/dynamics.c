/* Dead times and exact second-order lags. docs/theory/control.md, eq. (1)-(5). Units: s and those of the input. The
 * second-order step has no discretisation error: the input is constant between two ticks. */
#include "transfer/dynamics.h"

#include <stdlib.h>

enum { LONGEST = 1 << 20 };

/* ---- dead time ---- */

enum yk_status yk_tick_check(double h, const char *who, struct yk_err *err)
{
    if (!(h > 0 && isfinite(h)))
        return yk_fail(err, YK_E_RANGE, "%s: tick h = %g s is not positive", who, h);
    return YK_OK;
}

/* eq. (1); a dead time within rounding of a whole number of ticks is that number. */
enum yk_status yk_delay_line_init(struct yk_delay_line *d, double delay, double h, struct yk_arena *mem,
                                  struct yk_err *err)
{
    const double ticks = delay / h, whole = floor(ticks * (1 + 1e-12) + 1e-12);

    if (!(delay >= 0 && whole < LONGEST))
        return yk_fail(err, YK_E_RANGE, "dead time %g s is outside 0 .. %g s (%d ticks)", delay, LONGEST * h, LONGEST);
    d->whole = (size_t)whole;
    d->rest = fmax(ticks - whole, 0);
    d->size = d->whole + 2;
    d->head = 0;
    yk_arena_array(mem, &d->u, d->size);
    return d->u ? YK_OK : yk_fail(err, YK_E_MEMORY, "no memory for a dead time of %zu ticks", d->whole);
}

YK_RT void yk_delay_line_reset(struct yk_delay_line *d, double u)
{
    for (size_t i = 0; i < d->size; i++)
        d->u[i] = u;
    d->head = 0;
}

YK_RT void yk_delay_line_push(struct yk_delay_line *d, double u)
{
    d->head = d->head + 1 < d->size ? d->head + 1 : 0;
    d->u[d->head] = u;
}

YK_RT double yk_delay_line_get(const struct yk_delay_line *d, size_t age)
{
    return d->u[d->head >= age ? d->head - age : d->head + d->size - age];
}

/* ---- second order ---- */

struct yk_second_order yk_second_order_lags(double gain, double T1, double T2, double dead_time)
{
    return (struct yk_second_order){gain, 1 / (T1 * T2), (T1 + T2) / (T1 * T2), dead_time};
}

struct yk_second_order yk_second_order_servo(double gain, double omega, double xi, double dead_time)
{
    return (struct yk_second_order){gain, omega * omega, 2 * xi * omega, dead_time};
}

/* e^{-s t} cosh(d t) and e^{-s t} sinh(d t)/d for d^2 of either sign; no overflow, no cancellation near d = 0. */
static void damped_pair(double s, double d2, double t, double *c, double *f)
{
    const double d = sqrt(fabs(d2)), z2 = d2 * t * t;

    if (fabs(z2) < 1e-4) {
        *c = exp(-s * t) * (1 + z2 / 2 * (1 + z2 / 12 * (1 + z2 / 30)));
        *f = exp(-s * t) * t * (1 + z2 / 6 * (1 + z2 / 20 * (1 + z2 / 42)));
    } else if (d2 < 0) {
        *c = exp(-s * t) * cos(d * t);
        *f = exp(-s * t) * sin(d * t) / d;
    } else {
        *c = 0.5 * (exp((d - s) * t) + exp(-(d + s) * t));
        *f = 0.5 * exp((d - s) * t) * -expm1(-2 * d * t) / d;
    }
}

/* eq. (4): exp(A t) = c I + f (A + s I), s = a1/2; B from the rest state (gain, 0) of a unit input. */
void yk_second_order_discretise(const struct yk_second_order *model, double t, double A[4], double B[2])
{
    const double s = model->a1 / 2;
    double c, f;

    damped_pair(s, s * s - model->b, t, &c, &f);
    A[0] = c + s * f;
    A[1] = f;
    A[2] = -model->b * f;
    A[3] = c - s * f;
    B[0] = model->gain * (1 - A[0]);
    B[1] = -model->gain * A[2];
}

enum yk_status yk_second_order_init(struct yk_second_order_plant *p, const struct yk_second_order *model, double h,
                                    struct yk_arena *mem, struct yk_err *err)
{
    enum yk_status st = yk_tick_check(h, "plant", err);

    p->model = *model;
    if (st || (st = yk_delay_line_init(&p->line, model->dead_time, h, mem, err)))
        return st;
    yk_second_order_discretise(model, p->line.rest * h, p->A[0], p->B[0]);
    yk_second_order_discretise(model, (1 - p->line.rest) * h, p->A[1], p->B[1]);
    yk_second_order_reset(p, 0);
    return YK_OK;
}

YK_RT void yk_second_order_reset(struct yk_second_order_plant *p, double x0)
{
    p->x[0] = x0;
    p->x[1] = 0;
    yk_delay_line_reset(&p->line, x0 / p->model.gain);
}

/* x := A x + B u */
YK_RT static void advance(const double A[4], const double B[2], double u, double x[2])
{
    const double x0 = A[0] * x[0] + A[1] * x[1] + B[0] * u;

    x[1] = A[2] * x[0] + A[3] * x[1] + B[1] * u;
    x[0] = x0;
}

/* eq. (5) */
YK_RT void yk_second_order_step(struct yk_second_order_plant *p, double u, struct yk_plant_output *out)
{
    const struct yk_second_order *m = &p->model;

    yk_delay_line_push(&p->line, u);
    const double now = yk_delay_line_get(&p->line, p->line.whole);
    advance(p->A[0], p->B[0], yk_delay_line_get(&p->line, p->line.whole + 1), p->x);
    advance(p->A[1], p->B[1], now, p->x);
    out->x = p->x[0];
    out->v = p->x[1];
    out->a = m->gain * m->b * now - m->b * p->x[0] - m->a1 * p->x[1];
}
