/* Gains from the tangent at the inflection of a step response. docs/theory/control.md, eq. (48)-(52); Ziegler and
 * Nichols 1942; Chien, Hrones and Reswick 1952. Units: s. */
#include <math.h>
#include <yoke/transfer.h>

/* Response of the model without its dead time to a unit step. */
static double response(const struct yk_second_order *model, double t)
{
    double A[4], B[2];

    yk_second_order_discretise(model, t, A, B);
    return B[0];
}

/* Its slope. */
static double slope(const struct yk_second_order *model, double t)
{
    double A[4], B[2];

    yk_second_order_discretise(model, t, A, B);
    return B[1];
}

/* eq. (49): where the slope is largest */
static double inflection(const struct yk_second_order *model)
{
    const double s = model->a1 / 2, d2 = s * s - model->b, d = sqrt(fabs(d2));

    if (d < 1e-6 * s)
        return 1 / s;
    return d2 > 0 ? atanh(d / s) / d : atan2(d, s) / d;
}

/* eq. (48) */
static enum yk_status tangent_at(const struct yk_second_order *model, struct yk_tangent *tangent, struct yk_err *err)
{
    const double t = inflection(model), steep = slope(model, t);

    if (!(model->gain > 0 && model->dead_time >= 0 && steep > 0 && isfinite(t)))
        return yk_fail(err, YK_E_RANGE, "tuning: the step response of this model has no inflection");
    tangent->L = model->dead_time + t - response(model, t) / steep;
    tangent->a = steep * tangent->L;
    return YK_OK;
}

/* eq. (50): time at which the response first reaches `part` of the static gain, without the dead time. */
static double reach(const struct yk_second_order *model, double part)
{
    double low = 0, high = inflection(model);

    while (response(model, high) < part * model->gain)
        high *= 2;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);

        if (response(model, middle) < part * model->gain)
            low = middle;
        else
            high = middle;
    }
    return high;
}

enum yk_status yk_tangent_lags(double gain, double T1, double T2, double dead_time, struct yk_tangent *tangent,
                               struct yk_err *err)
{
    const struct yk_second_order model = yk_second_order_lags(gain, T1, T2, dead_time);

    if (!(T1 > 0 && T2 > 0))
        return yk_fail(err, YK_E_RANGE, "tuning: T1 = %g s, T2 = %g s must be positive", T1, T2);
    tangent->T = T1 + T2;
    return tangent_at(&model, tangent, err);
}

enum yk_status yk_tangent_servo(double gain, double omega, double xi, double dead_time, struct yk_tangent *tangent,
                                struct yk_err *err)
{
    const struct yk_second_order model = yk_second_order_servo(gain, omega, xi, dead_time);
    enum yk_status st;

    if (!(omega > 0 && xi > 0))
        return yk_fail(err, YK_E_RANGE, "tuning: omega = %g rad/s, xi = %g must be positive", omega, xi);
    if ((st = tangent_at(&model, tangent, err)))
        return st;
    tangent->T = dead_time + reach(&model, 1 - exp(-1)) - tangent->L;
    return YK_OK;
}

/* eq. (51), (52) */
struct yk_pid_gains yk_tune(enum yk_tuning_rule rule, const struct yk_tangent *tangent)
{
    const double a = tangent->a, L = tangent->L, T = tangent->T;

    switch (rule) {
    case YK_TUNE_CHR_PI:
        return (struct yk_pid_gains){0.35 / a, 1.2 * T, 0};
    case YK_TUNE_CHR_PID:
        return (struct yk_pid_gains){0.6 / a, T, 0.5 * L};
    case YK_TUNE_ZN_P:
        return (struct yk_pid_gains){1 / a, INFINITY, 0};
    case YK_TUNE_ZN_PI:
        return (struct yk_pid_gains){0.9 / a, 3 * L, 0};
    case YK_TUNE_ZN_PID:
        return (struct yk_pid_gains){1.2 / a, 2 * L, 0.5 * L};
    }
    return (struct yk_pid_gains){0, INFINITY, 0};
}
