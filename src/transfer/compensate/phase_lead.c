/* Phase lead: (a s + b)/(s + b), discretised by Tustin's rule. docs/theory/delay.md, eq. (17d).
 *
 *     x_c(k) = [(a q + b) x(k) + (b - a q) x(k-1) + (q - b) x_c(k-1)]/(q + b),   q = 2/dt
 *
 * At low frequency it is early by (a - 1)/b. A delay given with the targets does not change it. Units: m, s. */
#include "transfer/compensate/past.h"

struct phase_lead {
    double a, b;
    /* private */
    double q, x[YK_TARGET_STAGES], c[YK_TARGET_STAGES]; /* last target and command, by stage */
};

YK_RT static void reset(void *self, double x0)
{
    struct phase_lead *s = self;

    for (int i = 0; i < YK_TARGET_STAGES; i++)
        s->x[i] = s->c[i] = x0;
}

static enum yk_status init(void *self, double dt, int stages, struct yk_arena *mem, struct yk_err *err)
{
    struct phase_lead *s = self;

    s->q = 2 / dt;
    reset(s, 0);
    return yk_past_check("phase-lead", dt, stages, err);
}

YK_RT static double predict(void *self, const struct yk_target *target, double delay)
{
    struct phase_lead *s = self;
    const double a = s->a, b = s->b, q = s->q;
    double *x = &s->x[target->stage], *c = &s->c[target->stage];

    *c = ((a * q + b) * target->x + (b - a * q) * *x + (q - b) * *c) / (q + b);
    *x = target->x;
    return *c;
}

static const struct yk_param params[] = {
    YK_REAL(struct phase_lead, a, YK_NUMBER, 50.8316, 0, 1e9, "gain at high frequency; above 1 it leads"),
    YK_REAL(struct phase_lead, b, YK_PER_TIME, 8570.3973, YK_TINY, 1e12, "its corner; the lead is (a - 1)/b"),
    YK_PARAM_END,
};

const struct yk_compensator_ops yk_compensator_phase_lead = {
    .name = "phase-lead",
    .summary = "lead of first order; by default that of the sample controller of the RTHS benchmark",
    .reference = "Silva, Gomez, Maghareh, Dyke & Spencer 2020",
    .params = params,
    .size = sizeof(struct phase_lead),
    .init = init,
    .reset = reset,
    .predict = predict,
};
