/* Past targets at equal distances, and the weights of the polynomial through them; shared by the predictors.
 * docs/theory/delay.md, eq. (4)-(5). */
#ifndef YOKE_COMPENSATE_PAST_H
#define YOKE_COMPENSATE_PAST_H

#include <yoke/transfer.h>

enum {
    YK_PAST_ORDER = 4,                      /* highest order of a polynomial       */
    YK_PAST_LENGTH = 2 * YK_PAST_ORDER + 1, /* targets kept, for nodes two apart */
    YK_DERIVATIVES = 4,                     /* of the polynomial: itself and three */
};

/* Which targets form a sequence: those of the same stage, one step apart, or all of them, one stage apart. */
enum yk_past_data { YK_PAST_STEP, YK_PAST_STAGE };
#define YK_PAST_CHOICES "step|stage"
#define YK_PAST_HELP    "past targets used: those of the same stage, a step apart, or of every stage"
/* And how far apart they are, of every such predictor. */
#define YK_PAST_APART(owner)                                                                                           \
    YK_REAL(owner, apart, YK_TIME, 0, 0, 1, "time between the past targets that are used; 0: as `data` says")
#define YK_REACHED_HELP "completed states it starts from: ends of steps, or every stage"

struct yk_past {
    int rows;                     /* one for each sequence of targets */
    double D;                     /* time between two of a row [s] */
    int stride, length;           /* targets from one of a row to the next; targets kept for a row */
    int newest[YK_TARGET_STAGES]; /* in the ring of a row */
    double *ring;
    double row[YK_PAST_LENGTH]; /* newest first */
};

/* `apart`: distance of the targets of a row [s], as whole targets; 0: every target of the sequence. */
enum yk_status yk_past_init(struct yk_past *past, const char *name, double dt, int stages, int data, double apart,
                            struct yk_arena *mem, struct yk_err *err);
void yk_past_reset(void *self, double x0) YK_RT; /* fits into the table of a struct that begins with it */
/* Adds a target; returns its row. */
const double *yk_past_push(struct yk_past *past, const struct yk_target *target) YK_RT;
/* Is the step one that targets can come in? */
enum yk_status yk_past_check(const char *name, double dt, int stages, struct yk_err *err);

/* Weights on the newest, the one before, ... of order + 1 equally spaced values: the value [0] and the first three
 * derivatives, in units of the distance, of the polynomial through them, eta distances after the newest. */
struct yk_weights {
    double w[YK_DERIVATIVES][YK_PAST_ORDER + 1];
};
void yk_past_weights(struct yk_weights *weights, int order, double eta) YK_RT;

/* sum_j w_j row[j stride] */
static inline double yk_past_sum(int order, const double *w, const double *row, int stride)
{
    double sum = 0;

    for (int j = 0; j <= order; j++)
        sum += w[j] * row[j * stride];
    return sum;
}

/* The delay in units of D; 0 if it is negative or NaN. */
static inline double yk_past_eta(double delay, double D)
{
    return delay > 0 ? delay / D : 0;
}

/* Time from the last completed state to the due time of the target. */
static inline double yk_past_ahead(int data, double dt, const struct yk_target *target)
{
    return data == YK_PAST_STAGE ? dt / target->stages : dt * (target->stage + 1) / target->stages;
}

/* Is it a state that predictions start from? */
static inline bool yk_past_counts(int data, const struct yk_target *state)
{
    return data == YK_PAST_STAGE || state->stage + 1 == state->stages;
}

/* The last completed state, for compensators that extrapolate it. First in their struct. */
struct yk_last_state {
    int data;     /* setting */
    double dt, D; /* step; time between two such states */
    double x, v, a;
};
#define YK_LAST_STATE_PARAMS YK_CHOICE(struct yk_last_state, data, YK_PAST_CHOICES, YK_PAST_STAGE, YK_REACHED_HELP)

static inline enum yk_status yk_last_state_init(void *self, double dt, int stages, struct yk_arena *mem,
                                                struct yk_err *err)
{
    struct yk_last_state *s = self;

    if (!(dt > 0 && isfinite(dt)))
        return yk_fail(err, YK_E_RANGE, "compensator: step = %g s is not above 0", dt);
    s->dt = dt;
    s->D = s->data == YK_PAST_STAGE ? dt / stages : dt;
    return YK_OK;
}

YK_RT static inline void yk_last_state_reset(void *self, double x0)
{
    struct yk_last_state *s = self;

    s->x = x0;
    s->v = s->a = 0;
}

/* From the last completed state to the due time of the target, and the delay. */
static inline double yk_last_state_ahead(const struct yk_last_state *s, const struct yk_target *target, double delay)
{
    return yk_past_ahead(s->data, s->dt, target) + (delay > 0 ? delay : 0);
}

YK_RT static inline void yk_last_state_take(void *self, const struct yk_target *state)
{
    struct yk_last_state *s = self;

    if (!yk_past_counts(s->data, state))
        return;
    s->x = state->x;
    s->v = state->v;
    s->a = state->a;
}

static inline double yk_within(double low, double value, double high)
{
    return fmin(fmax(value, low), high);
}

#endif
