/* Newmark's method on the sides of a coupling. docs/theory/couplings-newmark.md, eq. (20)-(25).
 * Units: N, m, s; h = step of the side. */
#include "coupling/newmark_side.h"

#include "integrator/tangent.h"

#include <stdlib.h>
#include <string.h>

#define FULL_ENTRY   0.25e-9 /* s; of a product with a full matrix */
#define SPARSE_ENTRY 1e-9    /* s; of a product with a sparse one */

void yk_newmark_motion_layout(struct yk_newmark_motion *m, size_t n, struct yk_arena *mem)
{
    double *u = yk_arena_array(mem, &m->u, 3 * n);

    m->v = u ? u + n : NULL;
    m->a = u ? u + 2 * n : NULL;
    yk_arena_pointer(mem, &m->v);
    yk_arena_pointer(mem, &m->a);
}

void yk_newmark_side_layout(struct yk_newmark_side *s, const struct yk_side *side, size_t rows, struct yk_arena *mem)
{
    s->n = side->n;
    s->rows = rows;
    yk_arena_array(mem, &s->X, side->n * rows);
    yk_arena_array(mem, &s->H, rows * rows);
    yk_arena_pointer(mem, &s->side);
    if (side->system->rate)
        yk_arena_each(mem, side->n, 2, (double **[]){&s->ahead, &s->more});
}

enum yk_status yk_newmark_side_init(struct yk_newmark_side *s, struct yk_side *side, double h, double beta,
                                    double gamma, struct yk_arena *mem, struct yk_err *err)
{
    enum yk_status st;

    s->side = side;
    s->h = h;
    s->beta = beta;
    s->gamma = gamma;
    if ((st = yk_system_factor(&s->D, side->system, 1, gamma * h, beta * h * h, mem, err)))
        return st;
    const double through_D = yk_factor_cost(s->D) + SPARSE_ENTRY * (double)yk_matrix_nonzeros(&side->Gt);

    if (!side->reach && through_D < FULL_ENTRY * (double)(s->n * s->rows))
        yk_arena_array(mem, &s->linked, s->n);
    yk_matrix_to_dense(&side->Gt, s->X);
    for (size_t r = 0; r < s->rows; r++) {
        yk_factor_solve(s->D, s->X + r * s->n);
        yk_side_gap(side, gamma * h, s->X + r * s->n, s->H + r * s->rows);
    }
    return YK_OK;
}

void yk_newmark_side_fini(struct yk_newmark_side *s)
{
    yk_factor_destroy(s->D);
}

/* In the loops below `restrict` says that u, v and a lie apart: those of a fine substep are too short to find out. */
YK_RT void yk_newmark_side_predict(const struct yk_newmark_side *s, struct yk_newmark_motion *m)
{
    const double h = s->h, to_u = h * h * (0.5 - s->beta), to_v = h * (1 - s->gamma);
    double *restrict u = m->u, *restrict v = m->v;
    const double *restrict a = m->a;

    if (s->ahead) {
        memset(s->more, 0, s->n * sizeof *s->more);
        yk_matrix_add_product(&s->side->system->C, s->gamma * h, a, s->more);
        yk_combine(s->n, v, h, a, s->ahead);
    }
    for (size_t i = 0; i < s->n; i++) {
        u[i] += h * v[i] + to_u * a[i];
        v[i] += to_v * a[i];
    }
}

/* The right side of D a: net force, and what is solved implicitly of the velocity that was ahead. */
YK_RT static void take_force(const struct yk_newmark_side *s, double *a)
{
    if (s->ahead)
        yk_combine(s->n, s->side->p, 1, s->more, a);
    else
        memcpy(a, s->side->p, s->n * sizeof *a);
}

YK_RT void yk_newmark_side_free(const struct yk_newmark_side *s, double t, struct yk_newmark_motion *m)
{
    yk_newmark_side_predict(s, m);
    yk_side_evaluate(s->side, t, m->u, s->ahead ? s->ahead : m->v);
    take_force(s, m->a);
    yk_factor_solve(s->D, m->a);
}

YK_RT void yk_newmark_side_gap(const struct yk_newmark_side *s, const struct yk_newmark_motion *m, double *w)
{
    yk_side_gap(s->side, 1, m->v, w);
    yk_side_gap(s->side, s->gamma * s->h, m->a, w);
}

YK_RT void yk_newmark_side_correct(const struct yk_newmark_side *s, struct yk_newmark_motion *m)
{
    const double to_u = s->beta * s->h * s->h, to_v = s->gamma * s->h;
    double *restrict u = m->u, *restrict v = m->v;
    const double *restrict a = m->a;

    for (size_t i = 0; i < s->n; i++) {
        u[i] += to_u * a[i];
        v[i] += to_v * a[i];
    }
}

/* X lambda = D^-1 G^T lambda */
YK_RT static const double *link_by_factor(const struct yk_newmark_side *s, const double *lambda)
{
    memset(s->linked, 0, s->n * sizeof *s->linked);
    yk_side_push(s->side, s->rows, 1, lambda, s->linked);
    yk_factor_solve(s->D, s->linked);
    return s->linked;
}

YK_RT static void add_link(const struct yk_newmark_side *s, const double *lambda, double *a)
{
    if (s->linked)
        yk_combine(s->n, a, 1, link_by_factor(s, lambda), a);
    else
        yk_tie_add(s->n, s->rows, s->X, 1, lambda, a);
}

YK_RT void yk_newmark_side_link(const struct yk_newmark_side *s, const double *lambda, struct yk_newmark_motion *m)
{
    add_link(s, lambda, m->a);
    yk_newmark_side_correct(s, m);
}

/* The step itself tells: each unit links a motion that was at rest. */
enum yk_status yk_newmark_side_weigh(const struct yk_newmark_side *s, size_t dof, double *weight, struct yk_err *err)
{
    double *x = malloc((3 * s->n + s->rows) * sizeof *x), *unit = x ? x + 3 * s->n : NULL;
    struct yk_newmark_motion m = {x, x ? x + s->n : NULL, x ? x + 2 * s->n : NULL};

    if (!x)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t r = 0; r < s->rows; r++) {
        memset(x, 0, (3 * s->n + s->rows) * sizeof *x);
        unit[r] = 1;
        yk_newmark_side_link(s, unit, &m);
        weight[r] = m.u[dof];
    }
    free(x);
    return YK_OK;
}

YK_RT void yk_newmark_side_unlinked(const struct yk_newmark_side *s, const struct yk_newmark_motion *m,
                                    const double *lambda, double *w)
{
    memset(w, 0, s->rows * sizeof *w);
    yk_side_gap(s->side, 1, m->v, w);
    if (s->linked)
        yk_side_gap(s->side, -s->gamma * s->h, link_by_factor(s, lambda), w);
    else
        yk_tie_add(s->rows, s->rows, s->H, -1, lambda, w);
}

const struct yk_param yk_newmark_sides_params[] = {
    YK_REAL(struct yk_newmark_sides, beta, YK_NUMBER, 0.25, 0, 0.5,
            YK_WHEN("!beta_A!beta_B", "weight of the new acceleration in displacements")),
    YK_REAL(struct yk_newmark_sides, gamma, YK_NUMBER, 0.5, 0.5, 1,
            YK_WHEN("!gamma_A!gamma_B", "weight of the new acceleration in velocities")),
    YK_REAL(struct yk_newmark_sides, beta_A, YK_NUMBER, -1, 0, 0.5, "beta of the coarse side; automatic: beta"),
    YK_REAL(struct yk_newmark_sides, gamma_A, YK_NUMBER, -1, 0.5, 1, "gamma of the coarse side; automatic: gamma"),
    YK_REAL(struct yk_newmark_sides, beta_B, YK_NUMBER, -1, 0, 0.5, "beta of the fine side; automatic: beta"),
    YK_REAL(struct yk_newmark_sides, gamma_B, YK_NUMBER, -1, 0.5, 1, "gamma of the fine side; automatic: gamma"),
    YK_PARAM_END,
};

void yk_newmark_sides_layout(struct yk_newmark_sides *s, const struct yk_coupled *c, struct yk_arena *mem)
{
    for (int i = 0; i < YK_SIDES; i++) {
        yk_newmark_side_layout(&s->side[i], &c->side[i], c->rows, mem);
        yk_newmark_motion_layout(&s->m[i], c->side[i].n, mem);
    }
    yk_arena_array(mem, &s->lambda, c->rows);
    yk_arena_array(mem, &s->gap, c->rows);
    yk_arena_pointers(mem, &s->c, &s->open);
    yk_tie_start_layout(&s->start, c, mem);
}

/* beta and gamma of a side */
static double beta_of(const struct yk_newmark_sides *s, int side)
{
    const double own = side == YK_FINE ? s->beta_B : s->beta_A;

    return own >= 0 ? own : s->beta;
}

static double gamma_of(const struct yk_newmark_sides *s, int side)
{
    const double own = side == YK_FINE ? s->gamma_B : s->gamma_A;

    return own >= 0 ? own : s->gamma;
}

enum yk_status yk_newmark_sides_init(struct yk_newmark_sides *s, struct yk_coupled *c, struct yk_arena *mem,
                                     struct yk_err *err)
{
    const double h[YK_SIDES] = {c->dt, c->dt / c->substeps};
    enum yk_status st = YK_OK;

    s->c = c;
    s->part = 1.0 / c->substeps;
    for (int i = 0; i < YK_SIDES && !st; i++)
        st = yk_newmark_side_init(&s->side[i], &c->side[i], h[i], beta_of(s, i), gamma_of(s, i), mem, err);
    return st;
}

void yk_newmark_sides_fini(struct yk_newmark_sides *s)
{
    for (int i = 0; i < YK_SIDES; i++)
        yk_newmark_side_fini(&s->side[i]);
}

void yk_newmark_sides_start(struct yk_newmark_sides *s)
{
    for (int i = 0; i < YK_SIDES; i++) {
        const struct yk_side *side = &s->c->side[i];

        memcpy(s->m[i].u, side->u0, side->n * sizeof(double));
        memcpy(s->m[i].v, side->v0, side->n * sizeof(double));
    }
    s->open = NULL;
    yk_tie_start(&s->start, s->c, (double *const[]){s->m[YK_COARSE].a, s->m[YK_FINE].a}, s->lambda);
}

void yk_newmark_closure_layout(struct yk_newmark_closure *closure, const struct yk_coupled *c, struct yk_arena *mem)
{
    yk_arena_array(mem, &closure->L, c->side[YK_FINE].n * c->rows);
}

enum yk_status yk_newmark_closure_init(struct yk_newmark_closure *closure, const struct yk_newmark_side *A,
                                       const struct yk_newmark_side *B, struct yk_arena *mem, struct yk_err *err)
{
    const size_t rows = A->rows;
    double *unit = calloc(rows, sizeof *unit);
    enum yk_status st = unit ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (!st)
        st = yk_tie_factor(&closure->H, rows, A->H, B->H, mem, err);
    for (size_t r = 0; r < rows && !st && !B->linked; r++) {
        memset(unit, 0, rows * sizeof *unit);
        unit[r] = 1;
        yk_factor_solve(closure->H, unit);
        yk_tie_add(B->n, rows, B->X, 1, unit, closure->L + r * B->n);
    }
    free(unit);
    return st;
}

void yk_newmark_closure_fini(struct yk_newmark_closure *closure)
{
    yk_factor_destroy(closure->H);
}

YK_RT void yk_newmark_sides_follow(struct yk_newmark_sides *s, const struct yk_newmark_closure *closure,
                                   const double *w0, const double *w1, int substep)
{
    const struct yk_newmark_side *B = &s->side[YK_FINE];
    const double left = (s->c->substeps - 1 - substep) * s->part;
    double *restrict gap = s->gap;
    struct yk_newmark_motion *m = &s->m[YK_FINE];

    take_force(B, m->a);
    yk_factor_solve(B->D, m->a);
    for (size_t r = 0; r < s->c->rows; r++)
        gap[r] = left * w0[r] + (1 - left) * w1[r];
    yk_newmark_side_gap(B, m, gap);
    s->open = closure;
    if (B->linked)
        add_link(B, yk_newmark_sides_lambda(s), m->a);
    else
        yk_tie_add(B->n, B->rows, closure->L, 1, gap, m->a);
    yk_newmark_side_correct(B, m);
    yk_side_commit(B->side, yk_newmark_sides_after(s, substep), m->u, m->v);
}

YK_RT struct yk_schedule yk_newmark_sides_schedule(const void *self, long step)
{
    return (struct yk_schedule){
        .phases = 1, .substeps = ((const struct yk_newmark_sides *)self)->c->substeps, .stages = 1};
}

/* The velocity at which B is evaluated lacks what the multiplier will add: that of the last step adds it, to first
 * order. eq. (27a) */
YK_RT static void add_ramped(const struct yk_newmark_sides *s, int substep)
{
    const struct yk_newmark_side *B = &s->side[YK_FINE];
    const size_t block = B->n * B->rows;
    double *added = s->ramped + (size_t)s->c->substeps * block;

    memset(added, 0, B->n * sizeof *added);
    yk_tie_add(B->n, B->rows, s->ramped + (size_t)substep * block, 1, s->lambda, added);
    yk_combine(B->n, B->ahead, 1, added, B->ahead);
    yk_matrix_add_product(&B->side->system->C, 1, added, B->more);
}

/* B is asked for its force in the predictor, eq. (20). */
YK_RT void yk_newmark_sides_target(void *self, int phase, int substep, int stage, struct yk_kinematics *want)
{
    struct yk_newmark_sides *s = self;
    struct yk_newmark_motion *m = &s->m[YK_FINE];

    yk_newmark_side_predict(&s->side[YK_FINE], m);
    if (s->ramped)
        add_ramped(s, substep);
    *want = (struct yk_kinematics){.c = 1, .u = m->u, .v = s->side[YK_FINE].ahead ? s->side[YK_FINE].ahead : m->v};
}

YK_RT void yk_newmark_sides_now(void *self, int side, struct yk_kinematics *reached)
{
    const struct yk_newmark_motion *m = &((struct yk_newmark_sides *)self)->m[side];

    *reached = (struct yk_kinematics){.c = 1, .u = m->u, .v = m->v, .a = m->a};
}

YK_RT const double *yk_newmark_sides_reached(void *self, int side)
{
    return ((struct yk_newmark_sides *)self)->m[side].u;
}

YK_RT const double *yk_newmark_sides_lambda(void *self)
{
    struct yk_newmark_sides *s = self;

    if (s->open) {
        memcpy(s->lambda, s->gap, s->c->rows * sizeof *s->lambda);
        yk_factor_solve(s->open->H, s->lambda);
        s->open = NULL;
    }
    return s->lambda;
}

size_t yk_newmark_sides_state(void *self, struct yk_span *spans, size_t most)
{
    struct yk_newmark_sides *s = self;

    for (int i = 0; i < YK_SIDES; i++)
        spans[i] = (struct yk_span){s->m[i].u, 3 * s->c->side[i].n};
    spans[YK_SIDES] = (struct yk_span){s->lambda, s->c->rows};
    return YK_SIDES + 1;
}

enum yk_status yk_newmark_sides_link(const void *self, int side, size_t dof, double *weight, struct yk_err *err)
{
    return yk_newmark_side_weigh(&((const struct yk_newmark_sides *)self)->side[side], dof, weight, err);
}

/* a from the net force: D a = p */
YK_RT void yk_newmark_sides_solve(void *self, int side, int stage, double *work)
{
    const struct yk_newmark_side *s = &((struct yk_newmark_sides *)self)->side[side];

    take_force(s, work);
    yk_factor_solve(s->D, work);
}
