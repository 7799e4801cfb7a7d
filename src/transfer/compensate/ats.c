/* Adaptive time series: coefficients from a moving window of what was measured. docs/theory/delay.md, eq. (14)-(16).
 *
 *     x_c = th0 x + th1 T x' + th2 T^2 x'',   T = dt,
 *
 * th: least squares of the command on measured x, T x', T^2 x'' over the window. Until a window is full the
 * coefficients are those of the delay that is given. A small pull towards them makes the regression solvable on a
 * single tone, where x'' and x are proportional, and without motion. Limits bound the coefficients, and with them the
 * command. Cost of a step: 15 products for every sample of the window. */
#include "transfer/compensate/regressors.h"

#include <stdlib.h>
#include <string.h>

#define PULL 1e-8 /* of the diagonal: far above rounding, far below what a second frequency brings */

struct sample {
    double psi[YK_TERMS], command;
};

struct ats {
    int window;
    double spread, longest, motion, apart;
    struct yk_regressors terms;
    double delay; /* given last */
    double theta[YK_TERMS];
    bool learned;
    struct sample *samples; /* a ring */
    int next, count;
};

static enum yk_status init(void *self, double dt, int stages, struct yk_arena *mem, struct yk_err *err)
{
    struct ats *s = self;
    const enum yk_status st = yk_regressors_init(&s->terms, "ats", dt, stages, dt, s->apart, mem, err);

    if (st)
        return st;
    if (!yk_arena_array(mem, &s->samples, (size_t)s->window))
        return yk_fail(err, YK_E_MEMORY, "ats: out of memory for a window of %d steps", s->window);
    return YK_OK;
}

YK_RT static void reset(void *self, double x0)
{
    struct ats *s = self;

    yk_regressors_reset(&s->terms, x0);
    s->learned = false;
    s->next = s->count = 0;
}

YK_RT static double predict(void *self, const struct yk_target *target, double delay)
{
    struct ats *s = self;
    double phi[YK_TERMS], command = 0;

    yk_regressors_target(&s->terms, target, phi);
    s->delay = delay;
    if (!s->learned)
        yk_regressors_nominal(&s->terms, delay, s->theta);
    for (int i = 0; i < YK_TERMS; i++)
        command += s->theta[i] * phi[i];
    yk_regressors_commanded(&s->terms, command);
    return command;
}

/* Solves the symmetric positive definite R x = q, in q, by elimination. */
YK_RT static void solve(double R[YK_TERMS][YK_TERMS], double *q)
{
    for (int k = 0; k < YK_TERMS; k++)
        for (int i = k + 1; i < YK_TERMS; i++) {
            const double factor = R[i][k] / R[k][k];

            for (int j = k; j < YK_TERMS; j++)
                R[i][j] -= factor * R[k][j];
            q[i] -= factor * q[k];
        }
    for (int k = YK_TERMS - 1; k >= 0; k--) {
        for (int j = k + 1; j < YK_TERMS; j++)
            q[k] -= R[k][j] * q[j];
        q[k] /= R[k][k];
    }
}

/* eq. (16): R = sum psi psi^T + pull, q = sum psi (command - psi^T nominal) */
YK_RT static void accumulate(const struct ats *s, const double *nominal, double R[YK_TERMS][YK_TERMS], double *q)
{
    memset(q, 0, YK_TERMS * sizeof *q);
    for (int i = 0; i < YK_TERMS; i++)
        memset(R[i], 0, sizeof R[i]);
    for (int k = 0; k < s->window; k++) {
        const double *psi = s->samples[k].psi;
        const double rest = s->samples[k].command - psi[0] * nominal[0] - psi[1] * nominal[1] - psi[2] * nominal[2];

        for (int i = 0; i < YK_TERMS; i++) {
            for (int j = 0; j < YK_TERMS; j++)
                R[i][j] += psi[i] * psi[j];
            q[i] += psi[i] * rest;
        }
    }
}

YK_RT static void adapt(struct ats *s)
{
    double R[YK_TERMS][YK_TERMS], q[YK_TERMS], nominal[YK_TERMS];

    yk_regressors_nominal(&s->terms, s->delay, nominal);
    accumulate(s, nominal, R, q);
    if (!(R[0][0] > s->window * s->motion * s->motion)) /* at rest: keeps what it has */
        return;
    for (int i = 0; i < YK_TERMS; i++)
        R[i][i] += PULL * (R[i][i] + R[0][0] * 1e-12);
    solve(R, q);
    if (!isfinite(q[0] + q[1] + q[2]))
        return;
    for (int i = 0; i < YK_TERMS; i++)
        s->theta[i] = nominal[i] + q[i];
    yk_regressors_limit(&s->terms, s->spread, s->longest, s->theta);
    s->learned = true;
}

YK_RT static void learn(void *self, double measured)
{
    struct ats *s = self;
    struct sample *sample = &s->samples[s->next];

    if (!yk_regressors_pair(&s->terms, measured, sample->psi, &sample->command))
        return;
    s->next = (s->next + 1) % s->window;
    s->count += s->count < s->window;
    if (s->count == s->window)
        adapt(s);
}

static const struct yk_param params[] = {
    YK_COUNT(struct ats, window, 100, 8, 4096, "number of fitted steps"),
    YK_REAL(struct ats, spread, YK_NUMBER, 0.3, 0, 0.9, "how far the coefficient of the displacement may be from 1"),
    YK_REAL(struct ats, longest, YK_TIME, 0.1, 1e-6, 10,
            "bound of the velocity coefficient; its square bounds the acceleration coefficient"),
    YK_REAL(struct ats, motion, YK_DISPLACEMENT, 1e-5, 0, 1,
            "motion below this rms is not used" YK_COMMANDED("0.01 %")),
    YK_REGRESSORS_APART(struct ats),
    YK_PARAM_END,
};

const struct yk_compensator_ops yk_compensator_ats = {
    .name = "ats",
    .summary = "adaptive time series: lead coefficients fitted to a moving window of measurements",
    .reference = "after Chae, Kazemibidokhti & Ricles 2013",
    .params = params,
    .size = sizeof(struct ats),
    .init = init,
    .reset = reset,
    .predict = predict,
    .learn = learn,
    .learns_delay = yk_regressors_learn_delay,
};
