/* Feed-forward of several actuators together, up to third order. docs/theory/delay.md, eq. (17j).
 *
 *     c = A_0 t + A_1 t' + A_2 t'' + A_3 t''',   A_i: n x n
 *
 * As `feed-forward`, with matrices: what one actuator does to another is part of the inverse. With `adapt: rls` each
 * row of the matrices follows a fit of its command to the measured motion of all actuators and its derivatives.
 * Units: m, s. */
#include "transfer/compensate/observed.h"
#include "transfer/compensate/recursive_fit.h"
#include <yoke/identify_joint.h>

_Static_assert((int)YK_JOINT_TERMS == (int)YK_FIT_TERMS, "what an identification proposes fits here");

enum { FIXED, RLS };

/* State of one actuator. */
struct one {
    struct yk_past past;
    struct yk_recursive_fit fit; /* of its row: terms by actuator, then by derivative */
    double start[YK_FIT_TERMS];
    struct yk_observed observed;
    double last; /* command */
};

struct joint_feed_forward {
    struct yk_reals coefficients;
    int order, adapt;
    double apart, ahead, memory, cutoff, motion, spread;
    /* private */
    size_t n;
    int terms;                        /* derivatives, from the zeroth */
    double dt, T, lambda, late, seen; /* late: delay in addition to the fit; seen: its part visible in the readings */
    struct yk_weights slopes, middle; /* of the targets, ahead; of the measured motion */
    struct one *all;
    double *psi; /* n terms */
};

YK_RT static void reset(void *self, const double *x0)
{
    struct joint_feed_forward *s = self;

    for (size_t i = 0; i < s->n; i++) {
        struct one *a = &s->all[i];

        yk_past_reset(&a->past, x0[i]);
        yk_fit_begin(&a->fit, a->start, s->dt / (s->motion * s->motion));
        a->last = 0;
        for (size_t j = 0; j < s->n; j++)
            a->last += a->start[j * (size_t)s->terms] * x0[j];
        yk_observed_reset(&a->observed, a->last, x0[i]);
    }
}

static enum yk_status check(struct joint_feed_forward *s, size_t n, int stages, struct yk_err *err)
{
    s->n = n;
    s->terms = (int)(s->coefficients.n / (n * n));
    if (s->terms < 1 || s->terms > YK_DERIVATIVES || (size_t)s->terms * n * n != s->coefficients.n)
        return yk_fail(err, YK_E_RANGE,
                       "joint-feed-forward: coefficients has %zu numbers; %zu actuators need 1 to %d matrices of %zu x "
                       "%zu",
                       s->coefficients.n, n, YK_DERIVATIVES, n, n);
    if (n * (size_t)s->terms > YK_FIT_TERMS)
        return yk_fail(err, YK_E_RANGE,
                       "joint-feed-forward: %d matrices for %zu actuators; at most %d numbers in a row", s->terms, n,
                       YK_FIT_TERMS);
    if (s->terms > s->order + 1)
        return yk_fail(err, YK_E_RANGE, "joint-feed-forward: order = %d is too low for %d matrices", s->order,
                       s->terms);
    if (stages != 1)
        return yk_fail(err, YK_E_UNSUPPORTED, "joint-feed-forward needs one target a step, and this method has %d",
                       stages);
    return YK_OK;
}

static enum yk_status open_one(struct joint_feed_forward *s, size_t i, double dt, struct yk_arena *mem,
                               struct yk_err *err)
{
    struct one *a = &s->all[i];
    enum yk_status st;

    if ((st = yk_past_init(&a->past, "joint-feed-forward", dt, 1, YK_PAST_STEP, s->apart, mem, err)) ||
        (s->adapt == RLS && (st = yk_observed_init(&a->observed, s->cutoff, dt, mem, err))))
        return st;
    a->fit.n = (int)s->n * s->terms;
    for (size_t j = 0; j < s->n; j++)
        for (int k = 0; k < s->terms; k++)
            a->start[j * (size_t)s->terms + (size_t)k] =
                s->coefficients.x[((size_t)k * s->n + i) * s->n + j] / pow(s->T, k);
    return YK_OK;
}

static enum yk_status init(void *self, size_t n, double dt, int stages, struct yk_arena *mem, struct yk_err *err)
{
    struct joint_feed_forward *s = self;
    const double zero[YK_FIT_TERMS] = {0};
    enum yk_status st = yk_past_check("joint-feed-forward", dt, stages, err);

    if (st || (st = check(s, n, stages, err)))
        return st;
    s->dt = dt;
    s->T = 1 / (3 * s->cutoff);
    s->lambda = s->memory > 0 ? exp(-dt / s->memory) : 1;
    yk_arena_array(mem, &s->all, n);
    yk_arena_array(mem, &s->psi, n * (size_t)s->terms);
    if (yk_arena_check(mem, err))
        return YK_E_MEMORY;
    for (size_t i = 0; i < n; i++)
        if ((st = open_one(s, i, dt, mem, err)))
            return st;
    s->late = s->ahead;
    yk_past_weights(&s->slopes, s->order, yk_past_eta(s->late, s->all->past.D));
    yk_past_weights(&s->middle, YK_OBSERVED - 1, -YK_OBSERVED_MIDDLE);
    reset(s, zero);
    return YK_OK;
}

/* The terms of all actuators: value and derivatives, each times a power of T. */
YK_RT static void terms_of(struct joint_feed_forward *s, const struct yk_weights *weights, int order, double D,
                           bool measured)
{
    for (size_t j = 0; j < s->n; j++) {
        const double *row = measured ? s->all[j].observed.moved : s->all[j].past.row;
        double scale = 1;

        for (int k = 0; k < s->terms; k++) {
            s->psi[j * (size_t)s->terms + (size_t)k] = scale * yk_past_sum(order, weights->w[k], row, 1);
            scale *= s->T / D;
        }
    }
}

/* Delay in addition to the fit (filters, a play-out): one mean for all actuators, since they move one specimen. */
YK_RT static void take_delays(struct joint_feed_forward *s, const struct yk_target *targets, const double *delays)
{
    double late = s->ahead;

    s->seen = 0;
    for (size_t i = 0; i < s->n; i++) {
        late += delays[i] / (double)s->n;
        s->seen += targets[i].late / (double)s->n;
    }
    if (late == s->late)
        return;
    s->late = late;
    yk_past_weights(&s->slopes, s->order, yk_past_eta(late, s->all->past.D));
}

/* eq. (17j) */
YK_RT static void predict(void *self, const struct yk_target *targets, const double *delays, double *commands)
{
    struct joint_feed_forward *s = self;

    take_delays(s, targets, delays);
    for (size_t i = 0; i < s->n; i++)
        yk_past_push(&s->all[i].past, &targets[i]);
    terms_of(s, &s->slopes, s->order, s->all->past.D, false);
    for (size_t i = 0; i < s->n; i++)
        commands[i] = s->all[i].last = yk_fit_product(&s->all[i].fit, s->psi);
}

YK_RT static void adapt(struct joint_feed_forward *s, struct one *a)
{
    double command;

    if (!yk_observed_command(&a->observed, yk_past_eta(s->seen, s->dt), &command))
        return;
    yk_fit_update(&a->fit, s->psi, command, s->lambda);
    for (int k = 0; k < a->fit.n; k++) { /* within what the largest coefficient of its power allows */
        double size = 0;

        for (int j = k % s->terms; j < a->fit.n; j += s->terms)
            size = fmax(size, fabs(a->start[j]));
        a->fit.theta[k] = yk_within(a->start[k] - s->spread * size, a->fit.theta[k], a->start[k] + s->spread * size);
    }
}

YK_RT static void learn(void *self, const double *measured)
{
    struct joint_feed_forward *s = self;
    bool moves = true;

    if (s->adapt != RLS)
        return;
    for (size_t i = 0; i < s->n; i++) {
        struct one *a = &s->all[i];

        yk_observed_push(&a->observed, a->last, measured[i], s->dt * s->cutoff);
        moves &= a->observed.level > s->motion * s->motion;
    }
    if (!moves)
        return;
    terms_of(s, &s->middle, YK_OBSERVED - 1, s->dt, true);
    for (size_t i = 0; i < s->n; i++)
        adapt(s, &s->all[i]);
}

static const struct yk_param params[] = {
    YK_REALS(struct joint_feed_forward, coefficients, YK_NUMBER, YK_REQUIRED, -1e12, 1e12,
             "matrices A_0, A_1, ... row by row, in 1, s, s2, s3; at most 4"),
    YK_COUNT(struct joint_feed_forward, order, 3, 1, YK_PAST_ORDER, "order of the polynomials through the targets"),
    YK_REAL(struct joint_feed_forward, apart, YK_TIME, 0, 0, 1,
            "time between the past targets that are used; 0: a step"),
    YK_REAL(struct joint_feed_forward, ahead, YK_TIME, 0, 0, 1, "delay that the matrices leave"),
    YK_CHOICE(struct joint_feed_forward, adapt, "none|rls", FIXED, "recursive least squares: follows the actuators"),
    YK_FIT_PARAMS(struct joint_feed_forward),
    YK_REAL(struct joint_feed_forward, spread, YK_NUMBER, 0.5, 0, 10,
            YK_WHEN("adapt=rls", "largest change of an entry, relative to the largest of its row and power")),
    YK_PARAM_END,
};

static const struct yk_joint_compensator_ops joint = {.init = init, .reset = reset, .predict = predict, .learn = learn};

const struct yk_compensator_ops yk_compensator_joint_feed_forward = {
    .name = "joint-feed-forward",
    .summary = "inverse of several actuators that interact, up to third order, fixed or fitted during the run",
    .reference = "docs/theory/delay.md, eq. (17j)",
    .params = params,
    .size = sizeof(struct joint_feed_forward),
    .joint = &joint,
};
