/* Prediction from the last completed step, acceleration extrapolated linearly. docs/theory/delay.md, eq. (7).
 *
 *     x_c = x_i + H v_i + H^2/3 a_i + H^2/6 a',   a' = a_i + H (a_i - a_{i-1})/dt
 *
 * H: time from t_i to the due time of the target, plus the delay. Exact for polynomials up to order 3. Starts with
 * a_{i-1} = a_i. */
#include <yoke/transfer.h>

struct linear_acceleration {
    double dt;
    double x, v, a, before; /* before: a of the step before */
    bool started;
};

static enum yk_status init(void *self, double dt, int stages, struct yk_err *err)
{
    struct linear_acceleration *s = self;

    if (!(dt > 0 && isfinite(dt)))
        return yk_fail(err, YK_E_RANGE, "linear-acceleration: step = %g s is not above 0", dt);
    s->dt = dt;
    return YK_OK;
}

YK_RT static void reset(void *self, double x0)
{
    struct linear_acceleration *s = self;

    s->x = x0;
    s->v = s->a = s->before = 0;
    s->started = false;
}

YK_RT static double predict(void *self, const struct yk_target *target, double delay)
{
    const struct linear_acceleration *s = self;
    const double H = s->dt * (target->stage + 1) / target->stages + (delay > 0 ? delay : 0);
    const double then = s->a + H / s->dt * (s->a - s->before);

    return s->x + H * s->v + H * H * (2 * s->a + then) / 6;
}

YK_RT static void reached(void *self, double x, double v, double a)
{
    struct linear_acceleration *s = self;

    s->before = s->started ? s->a : a;
    s->started = true;
    s->x = x;
    s->v = v;
    s->a = a;
}

static const struct yk_param params[] = {YK_PARAM_END};

const struct yk_compensator_ops yk_compensator_linear_acceleration = {
    .name = "linear-acceleration",
    .summary = "extrapolates the last completed step with a linear acceleration",
    .reference = "Horiuchi & Konno 2001",
    .params = params,
    .size = sizeof(struct linear_acceleration),
    .init = init,
    .reset = reset,
    .predict = predict,
    .reached = reached,
};
