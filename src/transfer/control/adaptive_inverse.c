/* Model-reference adaptive inverse control: a finite impulse response that turns commands into sent commands, learnt
 * from the motion. docs/theory/control.md, eq. (44)-(47); Widrow and Walach 1996; normalised least mean squares.
 *
 * A copy of the response filters the measured motion and should yield the sent command as the reference model
 * e^{-dead_time s}/(T s + 1)^2 would pass it on; its error corrects the response. It starts as the inverse that imc
 * would use, leaks back to it, and never leaves a ball around it. There is no feedback: a disturbance is not rejected,
 * and the loop cannot become unstable. Units: m, s. */
#include "transfer/control/internal_model.h"

#include <stdlib.h>
#include <string.h>

struct adaptive_inverse {
    struct yk_internal_model m;
    double filter;
    int taps;
    double step_size, leakage, bound, floor;
    /* private */
    struct yk_second_order_plant reference;
    double *memory;                       /* of the four arrays below */
    double *c, *start, *command, *motion; /* `taps` each; newest first */
    double output, radius;                /* last command sent; of the ball */
};

/* eq. (47): response of the Tustin inverse to an impulse, with the right sum. */
static void start_response(struct adaptive_inverse *s, double h)
{
    struct yk_inverse inverse = {.w = {0, 0}};
    double sum = 0, square = 0;

    yk_inverse_init(&inverse, &s->m.plant.model, s->filter, h);
    for (int i = 0; i < s->taps; i++) {
        const double input = i == 0;

        s->start[i] = yk_inverse_output(&inverse, input);
        yk_inverse_advance(&inverse, input, s->start[i]);
        sum += s->start[i];
        square += s->start[i] * s->start[i];
    }
    s->start[s->taps - 1] += 1 / s->m.gain - sum;
    s->radius = s->bound * sqrt(square);
}

YK_RT static void reset(void *self, double x0)
{
    struct adaptive_inverse *s = self;

    for (int i = 0; i < s->taps; i++) {
        s->c[i] = s->start[i];
        s->command[i] = s->motion[i] = x0;
    }
    s->output = x0 / s->m.gain;
    yk_second_order_reset(&s->reference, s->output);
}

static enum yk_status init(void *self, double h, struct yk_arena *mem, struct yk_err *err)
{
    struct adaptive_inverse *s = self;
    const struct yk_second_order reference = yk_second_order_lags(1, s->filter, s->filter, s->m.dead_time);
    const size_t n = (size_t)s->taps;
    enum yk_status st;

    yk_arena_array(mem, &s->memory, 4 * n);
    if (!s->memory)
        return yk_fail(err, YK_E_MEMORY, "adaptive-inverse: no memory for %zu taps", n);
    s->c = s->memory;
    s->start = s->c + n;
    s->command = s->start + n;
    s->motion = s->command + n;
    yk_arena_pointers(mem, &s->c, &s->start, &s->command, &s->motion);
    if ((st = yk_internal_model_init(&s->m, h, mem, err)) ||
        (st = yk_second_order_init(&s->reference, &reference, h, mem, err)))
        return st;
    start_response(s, h);
    reset(s, 0);
    return YK_OK;
}

YK_RT static void push(double *x, int n, double value)
{
    memmove(x + 1, x, (size_t)(n - 1) * sizeof *x);
    x[0] = value;
}

YK_RT static double product(const double *x, const double *y, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* eq. (46): back towards the start, and into the ball around it. */
YK_RT static void confine(struct adaptive_inverse *s)
{
    double square = 0, keep = 1 - s->leakage;

    for (int i = 0; i < s->taps; i++)
        square += (s->c[i] - s->start[i]) * (s->c[i] - s->start[i]);
    if (keep * sqrt(square) > s->radius)
        keep = s->radius / sqrt(square);
    for (int i = 0; i < s->taps; i++)
        s->c[i] = s->start[i] + keep * (s->c[i] - s->start[i]);
}

/* eq. (45): `due` is the output after the reference model. */
YK_RT static void adapt(struct adaptive_inverse *s, double due)
{
    const double energy = product(s->motion, s->motion, s->taps) + s->taps * s->floor * s->floor;
    const double move = s->step_size * (due - product(s->c, s->motion, s->taps)) / energy;

    for (int i = 0; i < s->taps; i++)
        s->c[i] += move * s->motion[i];
    confine(s);
}

/* eq. (44) */
YK_RT static double step(void *self, double command, double measured)
{
    struct adaptive_inverse *s = self;
    struct yk_plant_output due;

    yk_second_order_step(&s->reference, s->output, &due);
    push(s->motion, s->taps, measured);
    adapt(s, due.x);
    push(s->command, s->taps, command);
    s->output = product(s->c, s->command, s->taps);
    return s->output;
}

YK_RT static void clipped(void *self, double sent)
{
    struct adaptive_inverse *s = self;

    s->output = sent;
}

static const struct yk_param params[] = {
    YK_INTERNAL_MODEL_PARAMS,
    YK_REAL(struct adaptive_inverse, filter, YK_TIME, 0.006, 1e-9, 1e6, "time constant T of the reference model"),
    YK_COUNT(struct adaptive_inverse, taps, 64, 4, 1024, "length of the response, in ticks"),
    YK_REAL(struct adaptive_inverse, step_size, YK_NUMBER, 0.02, 0, 1,
            "step size of the adaptation; the largest stable value is 2"),
    YK_REAL(struct adaptive_inverse, leakage, YK_NUMBER, 1e-6, 0, 1,
            YK_WHEN("step_size", "fraction of the adaptation that is lost per tick")),
    YK_REAL(struct adaptive_inverse, bound, YK_NUMBER, 0.5, 0, 10,
            YK_WHEN("step_size", "largest change of the response, relative to its size")),
    YK_REAL(struct adaptive_inverse, floor, YK_LENGTH, 1e-5, 1e-12, 1e3,
            YK_WHEN("step_size", "motion below this amplitude is not used for adaptation")),
    YK_PARAM_END,
};

const struct yk_controller_ops yk_controller_adaptive_inverse = {
    .name = "adaptive-inverse",
    .summary = "adaptive inverse of the actuator, following a reference model",
    .reference = "Widrow and Walach 1996",
    .params = params,
    .size = sizeof(struct adaptive_inverse),
    .init = init,
    .reset = reset,
    .step = step,
    .clipped = clipped,
};
