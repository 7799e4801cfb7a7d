/* Static decoupling of actuators that act on each other. docs/theory/control.md, eq. (41a), (41b).
 *
 *     sent = P^-1 (r + K e + I z),   z' = e = r - y
 *
 * P is the static gain from the sent commands to the measured displacements: with its inverse every command moves its
 * own actuator alone once the motion is slow. K and I then act on each loop by itself. A command that was clipped takes
 * z with it. Units: m, s. */
#include "transfer/dynamics.h"
#include <yoke/linalg.h>

#include <string.h>

struct decoupling {
    struct yk_reals static_gain;
    double K, I;
    /* private */
    size_t n;
    double h;
    struct yk_lu P;
    double *gain, *z, *error, *command; /* n x n by columns; n each */
};

static enum yk_status init(void *self, size_t n, double h, struct yk_arena *mem, struct yk_err *err)
{
    struct decoupling *s = self;
    enum yk_status st = yk_tick_check(h, "decoupling", err);

    if (st)
        return st;
    if (s->static_gain.n != n * n)
        return yk_fail(err, YK_E_RANGE, "static_gain has %zu numbers; %zu actuators need %zu x %zu", s->static_gain.n,
                       n, n, n);
    s->n = n;
    s->h = h;
    yk_lu_layout(&s->P, n, mem);
    yk_arena_array(mem, &s->gain, n * n + 3 * n);
    if (!s->P.a || !s->gain)
        return yk_fail(err, YK_E_MEMORY, "out of memory for a controller");
    s->z = s->gain + n * n;
    s->error = s->z + n;
    s->command = s->error + n;
    yk_arena_pointers(mem, &s->z, &s->error, &s->command);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            s->P.a[i + j * n] = s->gain[i + j * n] = s->static_gain.x[i * n + j];
    if (yk_lu_factor(&s->P))
        return yk_fail(err, YK_E_SINGULAR, "static_gain is singular: the actuators cannot be told apart");
    return YK_OK;
}

YK_RT static void reset(void *self, const double *x0)
{
    struct decoupling *s = self;

    memset(s->z, 0, s->n * sizeof *s->z);
}

YK_RT static void step(void *self, const double *command, const double *measured, double *corrected)
{
    struct decoupling *s = self;

    for (size_t i = 0; i < s->n; i++) {
        s->command[i] = command[i];
        s->error[i] = command[i] - measured[i];
        s->z[i] += s->h * s->error[i];
        corrected[i] = command[i] + s->K * s->error[i] + s->I * s->z[i];
    }
    yk_lu_solve(&s->P, corrected);
}

/* Sets z to the value that would have given the sent commands. */
YK_RT static void clipped(void *self, const double *sent)
{
    struct decoupling *s = self;

    for (size_t i = 0; i < s->n && s->I > 0; i++) {
        double r = 0;

        for (size_t j = 0; j < s->n; j++)
            r += s->gain[i + j * s->n] * sent[j];
        s->z[i] = (r - s->command[i] - s->K * s->error[i]) / s->I;
    }
}

static const struct yk_param params[] = {
    YK_REALS(struct decoupling, static_gain, YK_NUMBER, YK_REQUIRED, -1e12, 1e12,
             "rows of P: displacement of each actuator for a constant command of one"),
    YK_REAL(struct decoupling, K, YK_NUMBER, 0, 0, 1e9, "gain of the error of each loop"),
    YK_REAL(struct decoupling, I, YK_PER_TIME, 0, 0, 1e9, "gain of its integral"),
    YK_PARAM_END,
};

static const struct yk_joint_controller_ops joint = {.init = init, .reset = reset, .step = step, .clipped = clipped};

const struct yk_controller_ops yk_controller_decoupling = {
    .name = "decoupling",
    .summary = "inverse of the static gain of several actuators that interact, with feedback of each loop",
    .reference = "Skogestad and Postlethwaite 2005, section 3.4",
    .params = params,
    .size = sizeof(struct decoupling),
    .joint = &joint,
};
