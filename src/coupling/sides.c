/* Shared by the Rosenbrock couplings. docs/theory/couplings.md, eq. (1)-(8). Units: N, m, s. */
#include "coupling/sides.h"

#include <string.h>

const struct yk_param yk_sides_one_stage[] = {
    YK_SIDES_GAMMAS(1, 0.5),
    YK_PARAM_END,
};
const struct yk_param yk_sides_two_stage[] = {
    YK_SIDES_GAMMAS(YK_GAMMA_MINUS, 0.25),
    YK_PARAM_END,
};

/* ---- preparation ------------------------------------------------------------------------------------------------- */

void yk_trace_layout(struct yk_trace *trace, const struct yk_coupled *c, struct yk_arena *mem)
{
    yk_arena_array(mem, &trace->q, c->rows);
    if (c->varying_mass)
        yk_arena_array(mem, &trace->H, c->rows * c->rows);
}

void yk_instant_layout(struct yk_instant *instant, const struct yk_coupled *c, int side, struct yk_arena *mem)
{
    const size_t n = c->side[side].n;

    yk_arena_array(mem, &instant->y, 2 * n);
    yk_arena_array(mem, &instant->p, n);
    if (side == YK_COARSE)
        yk_arena_array(mem, &instant->r, c->rows);
    yk_trace_layout(&instant->trace, c, mem);
}

void yk_push_layout(struct yk_push *push, const struct yk_coupled *c, bool dual, struct yk_arena *mem)
{
    const size_t rows = c->rows;

    yk_arena_array(mem, &push->lambda, rows);
    if (dual)
        yk_arena_array(mem, &push->psi, rows);
    yk_arena_array(mem, &push->gap, 2 * rows);
    yk_arena_array(mem, &push->work, rows * (rows + 2));
}

void yk_sides_layout(void *self, const struct yk_coupled *c, struct yk_arena *mem)
{
    struct yk_sides *s = self;

    for (int i = 0; i < YK_SIDES; i++) {
        struct yk_leg *leg = &s->leg[i];
        const size_t n = c->side[i].n;

        yk_side_stages_layout(&leg->own, &c->side[i], c->rows, mem);
        yk_instant_layout(&leg->now, c, i, mem);
        yk_instant_layout(&leg->middle, c, i, mem);
        yk_arena_array(mem, &leg->k1, 2 * n);
        yk_arena_array(mem, &leg->k2, 2 * n);
        yk_arena_array(mem, &leg->a, n);
        yk_arena_pointers(mem, &leg->side, &leg->block);
    }
    yk_arena_pointers(mem, &s->c, &s->from, &s->to);
    yk_push_layout(&s->step, c, s->dual, mem);
    yk_push_layout(&s->fine, c, s->dual, mem);
    yk_trace_layout(&s->chord, c, mem);
    yk_arena_array(mem, &s->f, c->side[YK_COARSE].n);
}

enum yk_status yk_sides_stages(const struct yk_sides *s, int i, double h, double b2, bool modified,
                               struct yk_side_stages *block, struct yk_arena *mem, struct yk_err *err)
{
    const double own = i == YK_COARSE ? s->gamma_A : s->gamma_B;

    return yk_side_stages_init(block, &s->c->side[i], s->c, h, own > 0 ? own : s->gamma, b2, modified, mem, err);
}

enum yk_status yk_sides_init(void *self, struct yk_coupled *c, const struct yk_sides_steps *steps, struct yk_arena *mem,
                             struct yk_err *err)
{
    struct yk_sides *s = self;
    enum yk_status st;

    s->c = c;
    s->begin = 0;
    s->end = 1;
    for (int i = 0; i < YK_SIDES; i++) {
        s->leg[i].side = &c->side[i];
        s->leg[i].block = &s->leg[i].own;
    }
    if ((st =
             yk_sides_stages(s, YK_COARSE, steps->h_A, steps->b2_A, steps->modified, &s->leg[YK_COARSE].own, mem, err)))
        return st;
    return yk_sides_stages(s, YK_FINE, steps->h_B, 1, steps->modified, &s->leg[YK_FINE].own, mem, err);
}

void yk_sides_fini(void *self)
{
    struct yk_sides *s = self;

    yk_side_stages_fini(&s->leg[YK_COARSE].own);
    yk_side_stages_fini(&s->leg[YK_FINE].own);
}

void yk_sides_begin(struct yk_sides *s)
{
    for (int i = 0; i < YK_SIDES; i++) {
        const struct yk_side *side = &s->c->side[i];

        memcpy(s->leg[i].now.y, side->u0, side->n * sizeof(double));
        memcpy(s->leg[i].now.y + side->n, side->v0, side->n * sizeof(double));
    }
}

enum yk_status yk_sides_resume(void *self)
{
    struct yk_sides *s = self;

    for (int i = 0; i < YK_SIDES; i++)
        yk_leg_evaluate(&s->leg[i], yk_sides_time(s, 0), &s->leg[i].now);
    yk_sides_meet(s, &s->leg[YK_COARSE].now);
    return YK_OK;
}

enum yk_status yk_sides_start(void *self)
{
    yk_sides_begin(self);
    return yk_sides_resume(self);
}

/* ---- parts of a step --------------------------------------------------------------------------------------------- */

YK_RT void yk_leg_keep(const struct yk_leg *leg, struct yk_instant *instant)
{
    const struct yk_side *side = leg->side;
    const size_t rows = side->Gt.cols;

    memcpy(instant->p, side->p, side->n * sizeof *side->p);
    yk_side_trace(side, rows, &instant->trace);
    if (!instant->r)
        return;
    memcpy(instant->r, instant->trace.q, rows * sizeof *instant->r);
    if (!side->system->mass_divided_out)
        yk_matrix_add_transposed_product(&side->MiGt, -1, side->f, instant->r);
}

YK_RT void yk_leg_evaluate(struct yk_leg *leg, double t, struct yk_instant *instant)
{
    yk_side_evaluate(leg->side, t, instant->y, instant->y + leg->side->n);
    yk_leg_keep(leg, instant);
}

YK_RT void yk_trace_copy(size_t rows, const struct yk_trace *from, struct yk_trace *to)
{
    memcpy(to->q, from->q, rows * sizeof *to->q);
    if (to->H)
        memcpy(to->H, from->H, rows * rows * sizeof *to->H);
}

YK_RT void yk_instant_copy(const struct yk_leg *leg, const struct yk_instant *from, struct yk_instant *to)
{
    const size_t n = leg->side->n, rows = leg->side->Gt.cols;

    memcpy(to->y, from->y, 2 * n * sizeof *to->y);
    memcpy(to->p, from->p, n * sizeof *to->p);
    if (to->r)
        memcpy(to->r, from->r, rows * sizeof *to->r);
    yk_trace_copy(rows, &from->trace, &to->trace);
}

YK_RT void yk_leg_commit(struct yk_leg *leg, double t)
{
    yk_side_commit(leg->side, t, leg->now.y, leg->now.y + leg->side->n);
}

YK_RT void yk_leg_first(struct yk_leg *leg, const struct yk_instant *from, const struct yk_push *push, double weight,
                        struct yk_instant *to)
{
    yk_side_mobility(leg->side, from->y);
    yk_side_stages_refresh(leg->block, from->y);
    yk_side_stages_slope(leg->block, from->y, from->p, push->lambda, push->psi, NULL, leg->k1);
    yk_combine(2 * leg->side->n, from->y, weight, leg->k1, to->y);
}

YK_RT void yk_leg_second(struct yk_leg *leg, const struct yk_instant *from, const struct yk_instant *middle,
                         const struct yk_push *push, struct yk_instant *to)
{
    const double b2 = leg->block->b2;

    yk_side_mobility(leg->side, middle->y);
    yk_side_stages_slope(leg->block, middle->y, middle->p, push->lambda, push->psi, leg->k1, leg->k2);
    yk_combine(2 * leg->side->n, from->y, b2, leg->k2, to->y);
    if (b2 != 1)
        yk_combine(2 * leg->side->n, to->y, 1 - b2, leg->k1, to->y);
}

YK_RT struct yk_instant *yk_leg_advance(struct yk_leg *leg, const struct yk_push *push, int stage, int stages)
{
    struct yk_instant *to = stage == stages - 1 ? &leg->now : &leg->middle;

    if (stage == 0)
        yk_leg_first(leg, &leg->now, push, 1.0 / stages, to);
    else
        yk_leg_second(leg, &leg->now, &leg->middle, push, to);
    return to;
}

YK_RT void yk_sides_gap(const struct yk_sides *s, int i, double scale, const struct yk_instant *instant,
                        struct yk_push *push)
{
    yk_side_gap(s->leg[i].side, scale, instant->y + s->leg[i].side->n, push->gap + (size_t)i * s->c->rows);
}

YK_RT void yk_sides_impulse(const struct yk_sides *s, struct yk_push *push, double *impulse)
{
    const size_t rows = s->c->rows;
    const struct yk_trace a = {push->gap, s->leg[YK_COARSE].side->H};
    const struct yk_trace b = {push->gap + rows, s->leg[YK_FINE].side->H};

    yk_multiplier(s->c, &a, &b, push->work, impulse);
    memset(push->gap, 0, 2 * rows * sizeof *push->gap);
}

YK_RT void yk_sides_project(struct yk_sides *s, struct yk_instant *a, struct yk_instant *b, double *phi)
{
    const struct yk_instant *instant[YK_SIDES] = {a, b};

    for (int i = 0; i < YK_SIDES; i++) {
        yk_side_mobility(s->leg[i].side, instant[i]->y);
        yk_sides_gap(s, i, 1, instant[i], &s->step);
    }
    yk_sides_impulse(s, &s->step, phi);
    for (int i = 0; i < YK_SIDES; i++)
        yk_side_kick(s->leg[i].side, s->c->rows, 1, phi, instant[i]->y + s->leg[i].side->n);
}

YK_RT void yk_sides_join(const struct yk_sides *s, const struct yk_instant *a, const struct yk_instant *b,
                         struct yk_push *push)
{
    yk_multiplier(s->c, &a->trace, &b->trace, push->work, push->lambda);
    if (!push->psi)
        return;
    yk_sides_gap(s, YK_COARSE, 1, a, push);
    yk_sides_gap(s, YK_FINE, 1, b, push);
    yk_sides_impulse(s, push, push->psi);
}

YK_RT void yk_sides_meet(struct yk_sides *s, const struct yk_instant *a)
{
    const size_t bytes = s->c->rows * sizeof(double);

    yk_sides_join(s, a, &s->leg[YK_FINE].now, &s->step);
    memcpy(s->fine.lambda, s->step.lambda, bytes);
    if (s->fine.psi)
        memcpy(s->fine.psi, s->step.psi, bytes);
}

/* ---- fine substeps along the chord of the coarse side ------------------------------------------------------------ */

/* The trace of the coarse side at the fraction x of its chord and time t: what the load does not make is a straight
 * line. For a linear side this is the trace of the interpolated state. */
YK_RT static void chord_trace(struct yk_sides *s, double x, double t)
{
    const struct yk_side *side = s->leg[YK_COARSE].side;
    const size_t rows = s->c->rows;

    if (side->system->mass_divided_out)
        memset(s->chord.q, 0, rows * sizeof *s->chord.q);
    else
        yk_side_load_trace(side, rows, t, s->f, s->chord.q);
    for (size_t i = 0; i < rows; i++)
        s->chord.q[i] += (1 - x) * s->from->r[i] + x * s->to->r[i];
    for (size_t i = 0; s->chord.H && i < rows * rows; i++)
        s->chord.H[i] = (1 - x) * s->from->trace.H[i] + x * s->to->trace.H[i];
}

YK_RT void yk_sides_chord_gap(struct yk_sides *s, double x, const struct yk_instant *b)
{
    yk_sides_gap(s, YK_COARSE, 1 - x, s->from, &s->fine);
    yk_sides_gap(s, YK_COARSE, x, s->to, &s->fine);
    yk_sides_gap(s, YK_FINE, 1, b, &s->fine);
}

YK_RT void yk_sides_chord_join(struct yk_sides *s, double x, double t, const struct yk_instant *b)
{
    chord_trace(s, x, t);
    yk_multiplier(s->c, &s->chord, &b->trace, s->fine.work, s->fine.lambda);
    if (!s->fine.psi)
        return;
    yk_sides_chord_gap(s, x, b);
    yk_sides_impulse(s, &s->fine, s->fine.psi);
}

struct yk_schedule yk_sides_schedule(const void *self, long step)
{
    return ((const struct yk_sides *)self)->plan;
}

YK_RT void yk_sides_fine_target(void *self, int phase, int substep, int stage, struct yk_kinematics *want)
{
    struct yk_sides *s = self;
    struct yk_leg *leg = &s->leg[YK_FINE];
    const struct yk_instant *instant = yk_leg_advance(leg, &s->fine, stage, s->plan.stages);

    *want =
        (struct yk_kinematics){.c = (stage + 1.0) / s->plan.stages, .u = instant->y, .v = instant->y + leg->side->n};
}

YK_RT enum yk_status yk_sides_fine_absorb(void *self, int phase, int substep, int stage)
{
    struct yk_sides *s = self;
    struct yk_leg *leg = &s->leg[YK_FINE];
    const struct yk_schedule *plan = &s->plan;
    const bool last = stage == plan->stages - 1;
    struct yk_instant *instant = last ? &leg->now : &leg->middle;
    const double part = (substep + (stage + 1.0) / plan->stages) / plan->substeps; /* of the phase */
    const double x = s->begin + part * (s->end - s->begin);

    yk_leg_keep(leg, instant);
    if (x < 1) /* at the end of the chord the sides meet in sync */
        yk_sides_chord_join(s, x, yk_sides_time(s, (phase + part) / plan->phases), instant);
    if (last) /* at the time of the coupling for the end of the substep */
        yk_leg_commit(
            leg, yk_sides_time(s, (phase * plan->substeps + substep + 1) * (1.0 / (plan->phases * plan->substeps))));
    return YK_OK;
}

/* ---- both sides stage by stage ----------------------------------------------------------------------------------- */

YK_RT enum yk_status yk_sides_joint_coarse(void *self, int phase)
{
    struct yk_sides *s = self;
    struct yk_leg *leg = &s->leg[YK_COARSE];
    const int stages = s->plan.phases;
    struct yk_instant *instant = yk_leg_advance(leg, &s->step, phase, stages);

    yk_leg_evaluate(leg, yk_sides_time(s, (phase + 1.0) / stages), instant);
    return YK_OK;
}

YK_RT void yk_sides_joint_target(void *self, int phase, int substep, int stage, struct yk_kinematics *want)
{
    struct yk_sides *s = self;
    struct yk_leg *leg = &s->leg[YK_FINE];
    const struct yk_instant *instant = yk_leg_advance(leg, &s->step, phase, s->plan.phases);

    *want = (struct yk_kinematics){.c = 1, .u = instant->y, .v = instant->y + leg->side->n};
}

YK_RT enum yk_status yk_sides_joint_absorb(void *self, int phase, int substep, int stage)
{
    struct yk_sides *s = self;
    struct yk_leg *leg = &s->leg[YK_FINE];

    yk_leg_keep(leg, phase == s->plan.phases - 1 ? &leg->now : &leg->middle);
    return YK_OK;
}

YK_RT enum yk_status yk_sides_joint_sync(void *self, int phase)
{
    struct yk_sides *s = self;
    struct yk_leg *a = &s->leg[YK_COARSE], *b = &s->leg[YK_FINE];

    if (phase < s->plan.phases - 1) {
        yk_sides_join(s, &a->middle, &b->middle, &s->step);
        return YK_OK;
    }
    yk_leg_commit(a, yk_sides_time(s, 1));
    yk_leg_commit(b, yk_sides_time(s, 1));
    yk_sides_meet(s, &a->now);
    return YK_OK;
}

/* ---- entries of the table ---------------------------------------------------------------------------------------- */

YK_RT void yk_sides_now(void *self, int side, struct yk_kinematics *reached)
{
    struct yk_sides *s = self;
    struct yk_leg *leg = &s->leg[side];
    const size_t n = leg->side->n;

    /* a = M^-1 (p + G^T lambda); between system steps the fine side has a multiplier of its own */
    yk_side_mobility(leg->side, leg->now.y);
    memcpy(leg->a, leg->now.p, n * sizeof *leg->a);
    yk_side_push(leg->side, s->c->rows, 1, side == YK_FINE ? s->fine.lambda : s->step.lambda, leg->a);
    yk_factor_solve(leg->side->M, leg->a);
    *reached = (struct yk_kinematics){.c = 1, .u = leg->now.y, .v = leg->now.y + n, .a = leg->a};
}

YK_RT const double *yk_sides_reached(void *self, int side)
{
    return ((struct yk_sides *)self)->leg[side].now.y;
}

YK_RT const double *yk_sides_lambda(void *self)
{
    return ((struct yk_sides *)self)->step.lambda;
}

size_t yk_sides_state(void *self, struct yk_span *spans, size_t most)
{
    struct yk_sides *s = self;

    for (int i = 0; i < YK_SIDES; i++)
        spans[i] = yk_leg_span(&s->leg[i], &s->leg[i].now);
    return YK_SIDES;
}

YK_RT void yk_sides_solve(void *self, int side, int stage, double *work)
{
    struct yk_sides *s = self;
    struct yk_leg *leg = &s->leg[side];

    yk_side_stages_slope(leg->block, leg->now.y, leg->side->p, s->step.lambda, NULL, stage ? leg->k1 : NULL, work);
}
