/* PM: parallel Newmark coupling. docs/theory/couplings-newmark.md, eq. (26).
 *
 *     A:  free over 2 dt, from t_n to t_{n+2}                                                  in parallel
 *     B, j = 1..ss:  free over dt/ss;  H lambda = -[(1 - j/ss) w0 + (j/ss) w1 + G_B v_B];  linked
 *     A at t_{n+1}:  the free motion of the step before, linked with the last lambda
 *
 * A is two interleaved sequences, of the even and the odd instants, tied together by B alone; each has its own memory.
 * w0 and w1 are the free interface velocities of A at t_n and t_{n+1}. The first step reaches A over dt only. Order 2
 * without subcycling, about 1 and dissipative with it. Stable where each side is. Units: N, m, s. */
#include "coupling/newmark_side.h"

#include <string.h>

enum { CHAINS = 2 };

struct pm {
    struct yk_newmark_sides pair;
    struct yk_newmark_side twice;            /* A over 2 dt */
    struct yk_newmark_closure first, others; /* of the first step, of the others */
    struct yk_newmark_motion ahead;          /* free acceleration of A to the end of this step, and the predictor */
    struct yk_newmark_motion beyond;         /* and to the end of the next */
    double *w0, *w1;
};

static void layout(void *self, const struct yk_coupled *c, struct yk_arena *mem)
{
    struct pm *s = self;
    const struct yk_side *A = &c->side[YK_COARSE];

    yk_newmark_sides_layout(&s->pair, c, mem);
    yk_newmark_closure_layout(&s->first, c, mem);
    yk_newmark_closure_layout(&s->others, c, mem);
    yk_newmark_side_layout(&s->twice, A, c->rows, mem);
    yk_newmark_motion_layout(&s->ahead, A->n, mem);
    yk_newmark_motion_layout(&s->beyond, A->n, mem);
    yk_arena_array(mem, &s->w0, c->rows);
    yk_arena_array(mem, &s->w1, c->rows);
}

static enum yk_status init(void *self, struct yk_coupled *c, struct yk_arena *mem, struct yk_err *err)
{
    struct pm *s = self;
    const struct yk_newmark_side *A = &s->pair.side[YK_COARSE], *B = &s->pair.side[YK_FINE];
    enum yk_status st;

    if ((st = yk_newmark_sides_init(&s->pair, c, mem, err)) ||
        (st = yk_newmark_side_init(&s->twice, A->side, 2 * c->dt, A->beta, A->gamma, mem, err)) ||
        (st = yk_newmark_closure_init(&s->first, A, B, mem, err)))
        return st;
    return yk_newmark_closure_init(&s->others, &s->twice, B, mem, err);
}

static void fini(void *self)
{
    struct pm *s = self;

    yk_newmark_sides_fini(&s->pair);
    yk_newmark_side_fini(&s->twice);
    yk_newmark_closure_fini(&s->first);
    yk_newmark_closure_fini(&s->others);
}

/* How A reaches the end of a step: over dt in the first, over 2 dt in the others. */
YK_RT static const struct yk_newmark_side *reach(const struct pm *s, long step)
{
    return step == 0 ? &s->pair.side[YK_COARSE] : &s->twice;
}

/* Free interface velocities at both ends of step number `step`. */
YK_RT static void velocities(struct pm *s, long step)
{
    yk_newmark_side_unlinked(reach(s, step), &s->pair.m[YK_COARSE], s->pair.lambda, s->w0);
    memset(s->w1, 0, s->pair.c->rows * sizeof *s->w1);
    yk_newmark_side_gap(reach(s, step), &s->ahead, s->w1);
}

static enum yk_status resume(void *self)
{
    struct pm *s = self;

    velocities(s, s->pair.c->step);
    return YK_OK;
}

/* A free motion begins where A is. */
YK_RT static void set_out(struct pm *s, struct yk_newmark_motion *m)
{
    memcpy(m->u, s->pair.m[YK_COARSE].u, 3 * s->twice.n * sizeof *m->u);
}

static enum yk_status start(void *self)
{
    struct pm *s = self;

    yk_newmark_sides_start(&s->pair);
    set_out(s, &s->ahead);
    yk_newmark_side_free(&s->pair.side[YK_COARSE], s->pair.c->dt, &s->ahead);
    return resume(self);
}

YK_RT static enum yk_status coarse(void *self, int phase)
{
    struct pm *s = self;

    set_out(s, &s->beyond);
    yk_newmark_side_free(&s->twice, yk_newmark_sides_time(&s->pair, 2), &s->beyond);
    return YK_OK;
}

YK_RT static enum yk_status fine_absorb(void *self, int phase, int substep, int stage)
{
    struct pm *s = self;

    yk_newmark_sides_follow(&s->pair, s->pair.c->step == 0 ? &s->first : &s->others, s->w0, s->w1, substep);
    return YK_OK;
}

YK_RT static enum yk_status sync(void *self, int phase)
{
    struct pm *s = self;
    struct yk_newmark_motion *m = &s->pair.m[YK_COARSE], past = *m;
    const long step = s->pair.c->step;

    *m = s->ahead;
    s->ahead = s->beyond;
    s->beyond = past;
    yk_newmark_side_link(reach(s, step), yk_newmark_sides_lambda(s), m);
    yk_side_follow(s->twice.side, step + 1, CHAINS);
    yk_side_commit(s->twice.side, yk_newmark_sides_time(&s->pair, 1), m->u, m->v);
    velocities(s, step + 1);
    return YK_OK;
}

/* Besides the coupled states and the multiplier, the free motion under way. */
static size_t state(void *self, struct yk_span *spans, size_t most)
{
    struct pm *s = self;
    const size_t common = yk_newmark_sides_state(self, spans, most);

    spans[common] = (struct yk_span){s->ahead.u, 3 * s->twice.n};
    return common + 1;
}

static enum yk_status weigh_link(const void *self, int side, size_t dof, double *weight, struct yk_err *err)
{
    const struct pm *s = self;

    return yk_newmark_side_weigh(side == YK_COARSE ? &s->twice : &s->pair.side[side], dof, weight, err);
}

static const struct yk_coupling_evidence evidence = {
    .order = 2,
    .order_subcycled = 1,
    .link = weigh_link,
    .multipliers = {0, 1},
    YK_NEWMARK_PAIR_EVIDENCE,
};

const struct yk_coupling_ops yk_coupling_pm = {
    .name = "pm",
    .summary = "parallel Newmark, velocity continuity at every fine instant, coarse side two steps ahead",
    .reference = "Pegon and Magonette 2002",
    .exchange = "free interface velocity of the coarse side and multiplier, both at the end of a step",
    .startup =
        "first step with the coarse side free over dt, which begins its second sequence; free interface velocities "
        "less their link part",
    .caps = YK_COUPLING_PARALLEL | YK_COUPLING_CONSTANT_MASS,
    .chains = CHAINS,
    .cycle_steps = 1,
    .start_steps = 1,
    .size = sizeof(struct pm),
    YK_OWN_PREPARATION,
    .coarse = coarse,
    .fine_absorb = fine_absorb,
    .sync = sync,
    YK_OWN_STATE,
    YK_NEWMARK_PAIR_FUNCTIONS,
    .evidence = &evidence,
};
