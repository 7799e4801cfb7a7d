/* GC: staggered Newmark coupling, A free over the system step first. docs/theory/couplings-newmark.md, eq. (25).
 *
 *     A:  free over dt, interface velocity w1
 *     B, j = 1..ss:  free over dt/ss;  H lambda = -[(1 - j/ss) w0 + (j/ss) w1 + G_B v_B];  linked
 *     A:  linked with the last lambda
 *
 * w0 is the free interface velocity of A at the beginning, G_A v_A less its link part. Order 2 and conservative without
 * subcycling; order 1 and dissipative at the interface with it. Stable where each side is. Units: N, m, s. */
#include "coupling/newmark_side.h"

#include <string.h>

struct gc {
    struct yk_newmark_sides pair;
    struct yk_newmark_closure closure;
    double *w0, *w1; /* free interface velocity of A at the beginning and at the end of the step */
};

static void layout(void *self, const struct yk_coupled *c, struct yk_arena *mem)
{
    struct gc *s = self;

    yk_newmark_sides_layout(&s->pair, c, mem);
    yk_newmark_closure_layout(&s->closure, c, mem);
    yk_arena_array(mem, &s->w0, c->rows);
    yk_arena_array(mem, &s->w1, c->rows);
}

static enum yk_status init(void *self, struct yk_coupled *c, struct yk_arena *mem, struct yk_err *err)
{
    struct gc *s = self;
    enum yk_status st = yk_newmark_sides_init(&s->pair, c, mem, err);

    return st ? st : yk_newmark_closure_init(&s->closure, &s->pair.side[YK_COARSE], &s->pair.side[YK_FINE], mem, err);
}

static void fini(void *self)
{
    struct gc *s = self;

    yk_newmark_sides_fini(&s->pair);
    yk_newmark_closure_fini(&s->closure);
}

/* w0 follows from the coupled state of A and the multiplier. */
YK_RT static enum yk_status resume(void *self)
{
    struct gc *s = self;

    yk_newmark_side_unlinked(&s->pair.side[YK_COARSE], &s->pair.m[YK_COARSE], s->pair.lambda, s->w0);
    return YK_OK;
}

static enum yk_status start(void *self)
{
    yk_newmark_sides_start(self);
    return resume(self);
}

YK_RT static enum yk_status coarse(void *self, int phase)
{
    struct gc *s = self;
    const struct yk_newmark_side *A = &s->pair.side[YK_COARSE];
    struct yk_newmark_motion *m = &s->pair.m[YK_COARSE];

    yk_newmark_side_free(A, yk_newmark_sides_time(&s->pair, 1), m);
    memset(s->w1, 0, A->rows * sizeof *s->w1);
    yk_newmark_side_gap(A, m, s->w1);
    return YK_OK;
}

YK_RT static enum yk_status fine_absorb(void *self, int phase, int substep, int stage)
{
    struct gc *s = self;

    yk_newmark_sides_follow(&s->pair, &s->closure, s->w0, s->w1, substep);
    return YK_OK;
}

YK_RT static enum yk_status sync(void *self, int phase)
{
    struct gc *s = self;
    const struct yk_newmark_side *A = &s->pair.side[YK_COARSE];
    struct yk_newmark_motion *m = &s->pair.m[YK_COARSE];

    yk_newmark_side_link(A, yk_newmark_sides_lambda(s), m);
    yk_side_commit(A->side, yk_newmark_sides_time(&s->pair, 1), m->u, m->v);
    return resume(self);
}

static const struct yk_coupling_evidence evidence = {
    .order = 2,
    .order_subcycled = 1,
    .link = yk_newmark_sides_link,
    .multipliers = {0, 1},
    YK_NEWMARK_PAIR_EVIDENCE,
};

const struct yk_coupling_ops yk_coupling_gc = {
    .name = "gc",
    .summary = "staggered Newmark, velocity continuity at every fine instant",
    .reference = "Gravouil and Combescure 2001",
    .exchange = "free interface velocity of the coarse side before, multiplier after the fine substeps",
    .startup = "self-starting; the free interface velocity at t = 0 is the initial one less its link part",
    .caps = YK_COUPLING_CONSTANT_MASS,
    .chains = 1,
    .cycle_steps = 1,
    .size = sizeof(struct gc),
    YK_OWN_PREPARATION,
    .coarse = coarse,
    .fine_absorb = fine_absorb,
    .sync = sync,
    .state = yk_newmark_sides_state,
    .resume = resume,
    YK_NEWMARK_PAIR_FUNCTIONS,
    .evidence = &evidence,
};
