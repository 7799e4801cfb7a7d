/* APNR2: parallel two-stage Rosenbrock coupling without subcycling. docs/theory/couplings.md, eq. (10).
 *
 *     stage 1: k1 = h W [F(y_k) + B lambda_k],            ym = y_k + k1/2
 *     stage 2: k2 = h W [F(ym) + B lambda_m - gamma J k1],   y_{k+1} = y_k + k2
 *
 * on both sides, with lambda from acceleration continuity at each stage. Order 2; stable for every step on structures
 * without floating parts; the displacement gap drifts as O(dt^2). Units: N, m, s; h = dt. */
#include "coupling/block.h"

#include <string.h>

struct apnr2 {
    double gamma, gamma_A, gamma_B;
    struct yk_coupled *c;
    struct yk_block block[YK_SIDES];
    struct yk_span y[YK_SIDES]; /* state: (u, v) */
    double *ym[YK_SIDES];       /* state of the stage under way: middle, then new */
    double *k1[YK_SIDES], *k2[YK_SIDES];
    double *p[YK_SIDES]; /* net force in y (start of the step) */
    double *a[YK_SIDES];
    struct yk_trace trace[YK_SIDES];
    double *lambda, *work;
};

static void layout(void *self, const struct yk_coupled *c, struct yk_arena *mem)
{
    struct apnr2 *s = self;
    const size_t rows = c->rows;

    for (int i = 0; i < YK_SIDES; i++) {
        const size_t n = c->side[i].n;

        yk_block_layout(&s->block[i], &c->side[i], rows, mem);
        s->y[i] = (struct yk_span){yk_arena_doubles(mem, 2 * n), 2 * n};
        s->ym[i] = yk_arena_doubles(mem, 2 * n);
        s->k1[i] = yk_arena_doubles(mem, 2 * n);
        s->k2[i] = yk_arena_doubles(mem, 2 * n);
        s->p[i] = yk_arena_doubles(mem, n);
        s->a[i] = yk_arena_doubles(mem, n);
        s->trace[i].q = yk_arena_doubles(mem, rows);
        s->trace[i].H = c->varying_mass ? yk_arena_doubles(mem, rows * rows) : NULL;
    }
    s->lambda = yk_arena_doubles(mem, rows);
    s->work = yk_arena_doubles(mem, rows * (rows + 2));
}

static enum yk_status init(void *self, struct yk_coupled *c, struct yk_err *err)
{
    struct apnr2 *s = self;
    enum yk_status st;

    s->c = c;
    if ((st = yk_block_init(&s->block[YK_COARSE], &c->side[YK_COARSE], c, c->dt, yk_block_gamma(s->gamma_A, s->gamma),
                            1, false, err)))
        return st;
    return yk_block_init(&s->block[YK_FINE], &c->side[YK_FINE], c, c->dt, yk_block_gamma(s->gamma_B, s->gamma), 1,
                         false, err);
}

static void fini(void *self)
{
    struct apnr2 *s = self;

    yk_block_fini(&s->block[YK_COARSE]);
    yk_block_fini(&s->block[YK_FINE]);
}

/* Keeps the force and trace of the last evaluation of a side. */
YK_RT static void keep(struct apnr2 *s, int side)
{
    memcpy(s->p[side], s->c->side[side].p, s->c->side[side].n * sizeof(double));
    yk_side_trace(&s->c->side[side], s->c->rows, &s->trace[side]);
}

/* a = M^-1 (p + G^T lambda), an output */
YK_RT static void accelerate(struct apnr2 *s, int side)
{
    memcpy(s->a[side], s->p[side], s->c->side[side].n * sizeof(double));
    yk_side_push(&s->c->side[side], s->c->rows, 1, s->lambda, s->a[side]);
    yk_factor_solve(s->c->side[side].M, s->a[side]);
}

/* Forces, Jacobians and multiplier in the states y. */
static enum yk_status resume(void *self)
{
    struct apnr2 *s = self;

    for (int i = 0; i < YK_SIDES; i++) {
        yk_side_evaluate(&s->c->side[i], (double)s->c->step * s->c->dt, s->y[i].x, s->y[i].x + s->c->side[i].n);
        keep(s, i);
    }
    yk_multiplier(s->c, &s->trace[0], &s->trace[1], s->work, s->lambda);
    accelerate(s, YK_COARSE);
    accelerate(s, YK_FINE);
    return YK_OK;
}

static enum yk_status start(void *self)
{
    struct apnr2 *s = self;

    for (int i = 0; i < YK_SIDES; i++) {
        const struct yk_system *system = s->c->side[i].system;

        memcpy(s->y[i].x, system->u0, system->n * sizeof(double));
        memcpy(s->y[i].x + system->n, system->v0, system->n * sizeof(double));
    }
    return resume(self);
}

static struct yk_schedule schedule(const void *self, long step)
{
    return (struct yk_schedule){.phases = 2, .substeps = 1, .stages = 1};
}

/* The state at which the force of the phase is wanted, by the slope of that phase. */
YK_RT static void advance(struct apnr2 *s, int side, int phase)
{
    struct yk_block *b = &s->block[side];
    double *y = s->y[side].x;

    if (phase == 0) {
        yk_block_refresh(b, y);
        yk_block_slope(b, y, s->p[side], s->lambda, NULL, NULL, s->k1[side]);
        yk_combine(2 * b->n, y, 0.5, s->k1[side], s->ym[side]);
    } else {
        yk_block_slope(b, s->ym[side], s->p[side], s->lambda, NULL, s->k1[side], s->k2[side]);
        yk_combine(2 * b->n, y, 1, s->k2[side], s->ym[side]);
    }
}

YK_RT static enum yk_status coarse(void *self, int phase)
{
    struct apnr2 *s = self;
    struct yk_side *side = &s->c->side[YK_COARSE];

    advance(s, YK_COARSE, phase);
    yk_side_evaluate(side, ((double)s->c->step + 0.5 * (phase + 1)) * s->c->dt, s->ym[YK_COARSE],
                     s->ym[YK_COARSE] + side->n);
    return YK_OK;
}

YK_RT static void fine_target(void *self, int phase, int substep, int stage, struct yk_kinematics *want)
{
    struct apnr2 *s = self;

    advance(s, YK_FINE, phase);
    *want = (struct yk_kinematics){.c = 1, .u = s->ym[YK_FINE], .v = s->ym[YK_FINE] + s->c->side[YK_FINE].n};
}

YK_RT static enum yk_status fine_absorb(void *self, int phase, int substep, int stage)
{
    return YK_OK; /* the force waits in the side until sync */
}

YK_RT static enum yk_status sync(void *self, int phase)
{
    struct apnr2 *s = self;

    keep(s, YK_COARSE);
    keep(s, YK_FINE);
    yk_multiplier(s->c, &s->trace[0], &s->trace[1], s->work, s->lambda);
    if (phase == 0)
        return YK_OK;
    for (int i = 0; i < YK_SIDES; i++) {
        memcpy(s->y[i].x, s->ym[i], s->y[i].n * sizeof(double));
        yk_side_commit(&s->c->side[i], s->y[i].x, s->y[i].x + s->c->side[i].n);
        accelerate(s, i);
    }
    return YK_OK;
}

YK_RT static void now(void *self, int side, struct yk_kinematics *reached)
{
    struct apnr2 *s = self;

    *reached =
        (struct yk_kinematics){.c = 1, .u = s->y[side].x, .v = s->y[side].x + s->c->side[side].n, .a = s->a[side]};
}

YK_RT static const double *lambda(void *self)
{
    return ((struct apnr2 *)self)->lambda;
}

static size_t state(void *self, struct yk_span *spans, size_t most)
{
    struct apnr2 *s = self;

    memcpy(spans, s->y, sizeof s->y);
    return YK_SIDES;
}

static const struct yk_param params[] = {
    YK_BLOCK_GAMMAS(struct apnr2),
    YK_PARAM_END,
};

const struct yk_coupling_ops yk_coupling_apnr2 = {
    .name = "apnr2",
    .summary = "parallel two-stage Rosenbrock, acceleration continuity, no subcycling",
    .reference = "Jia 2010, chapter 5",
    .exchange = "interface accelerations of both sides, twice a step",
    .startup = "self-starting",
    .order = 2,
    .order_subcycled = 0,
    .caps = YK_COUPLING_PARALLEL | YK_COUPLING_NO_SUBSTEPS,
    .stages = 2,
    .chains = 1,
    .cycle_steps = 1,
    .params = params,
    .size = sizeof(struct apnr2),
    .layout = layout,
    .init = init,
    .fini = fini,
    .start = start,
    .schedule = schedule,
    .coarse = coarse,
    .fine_target = fine_target,
    .fine_absorb = fine_absorb,
    .sync = sync,
    .now = now,
    .lambda = lambda,
    .state = state,
    .resume = resume,
};
