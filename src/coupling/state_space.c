/* State-space coupling with controlled damping. docs/theory/couplings-newmark.md, eq. (30)-(39).
 *
 *     A:  free over dt                                                                         in parallel
 *     B, j = 1..ss:  free over dt/ss under (1 - j/ss) lambda_n
 *     H lambda_{n+1} = -(G_A v_A + G_B v_B);   A += L_A lambda_{n+1},   B += L_B lambda_{n+1}
 *
 * with the first-order generalized-alpha method on both sides. L_B is the response of B to the ramp (j/ss) of a unit
 * multiplier; the two printed links, kept for study, take one implicit step instead and are not stable. Order 2 and
 * stable with the ramp; rho < 1 damps the alternating root of the multiplier. Units: N, m, s. */
#include "coupling/first_order.h"
#include "coupling/own.h"
#include "coupling/tie.h"

#include <string.h>

enum link { RAMP, PRINTED_COARSE, PRINTED_FINE };

struct state_space {
    double rho;
    int link;
    struct yk_coupled *c;
    double part; /* 1/substeps */
    struct yk_first_order method[YK_SIDES];
    struct yk_rates x[YK_SIDES]; /* coupled; B: of the last substep */
    double *X;                   /* n_A x rows: effect of a unit multiplier on the rate of v of A */
    double *L;                   /* 6 n_B x rows: its effect on (Y, dY, V) of B */
    double *lambda, *H;
    double *known; /* n_B: force of the multiplier at the beginning of the step */
    struct yk_factor *Hfactor;
    struct yk_path path;
    struct yk_tie_start start;
};

static void layout(void *self, const struct yk_coupled *c, struct yk_arena *mem)
{
    struct state_space *s = self;

    for (int i = 0; i < YK_SIDES; i++)
        yk_rates_layout(&s->x[i], c->side[i].n, mem);
    yk_arena_array(mem, &s->X, c->side[YK_COARSE].n * c->rows);
    yk_arena_array(mem, &s->L, 6 * c->side[YK_FINE].n * c->rows);
    yk_arena_array(mem, &s->lambda, c->rows);
    yk_arena_array(mem, &s->known, c->side[YK_FINE].n);
    yk_arena_array(mem, &s->H, 2 * c->rows * c->rows);
    yk_path_layout(&s->path, &c->side[YK_FINE], c->rows, c->substeps, mem);
    yk_tie_start_layout(&s->start, c, mem);
}

/* eq. (36): (Y, dY, V) of B, from zero, under the ramp of a unit multiplier in row r over `count` steps */
static void ramp(struct state_space *s, size_t r, int count)
{
    const size_t n = s->c->side[YK_FINE].n;
    double *column = s->L + 6 * n * r;
    struct yk_rates x = {column, column + 2 * n, column + 4 * n};

    memset(s->lambda, 0, s->c->rows * sizeof *s->lambda);
    for (int j = 0; j < count; j++) {
        s->lambda[r] = (j + 1.0) / count;
        yk_first_order_respond(&s->method[YK_FINE], s->lambda, &x);
        yk_path_link(&s->path, s->c->substeps - count + j, r, x.Y, x.Y + n);
    }
}

/* eq. (37): as printed, one implicit step; with the coarse step in front its state counts ss times */
static void printed(struct state_space *s, size_t r)
{
    const size_t n = s->c->side[YK_FINE].n;
    double *Y = s->L + 6 * n * r;

    ramp(s, r, 1);
    for (size_t i = 0; i < 2 * n && s->link == PRINTED_COARSE; i++)
        Y[i] *= s->c->substeps;
    yk_path_link(&s->path, s->c->substeps - 1, r, Y, Y + n);
}

static void links(struct state_space *s)
{
    const struct yk_first_order *A = &s->method[YK_COARSE];
    const size_t rows = s->c->rows, n = s->c->side[YK_FINE].n;

    yk_matrix_to_dense(&A->side->Gt, s->X);
    for (size_t r = 0; r < rows; r++) {
        yk_factor_solve(A->E, s->X + r * A->n);
        yk_side_gap(A->side, A->be * A->h, s->X + r * A->n, s->H + r * rows);
        if (s->link == RAMP)
            ramp(s, r, s->c->substeps);
        else
            printed(s, r);
        yk_side_gap(&s->c->side[YK_FINE], 1, s->L + (6 * r + 1) * n, s->H + (rows + r) * rows);
    }
}

static enum yk_status init(void *self, struct yk_coupled *c, struct yk_arena *mem, struct yk_err *err)
{
    struct state_space *s = self;
    const double h[YK_SIDES] = {c->dt, c->dt / c->substeps};
    enum yk_status st;

    s->c = c;
    yk_arena_pointer(mem, &s->c);
    s->part = 1.0 / c->substeps;
    for (int i = 0; i < YK_SIDES; i++)
        if ((st = yk_first_order_init(&s->method[i], &c->side[i], c->rows, h[i], s->rho, mem, err)))
            return st;
    links(s);
    return yk_tie_factor(&s->Hfactor, c->rows, s->H, s->H + c->rows * c->rows, mem, err);
}

static void fini(void *self)
{
    struct state_space *s = self;

    for (int i = 0; i < YK_SIDES; i++)
        yk_first_order_fini(&s->method[i]);
    yk_factor_destroy(s->Hfactor);
}

/* eq. (38): lambda_0 by acceleration continuity; dY_0 = V_0 = (v_0, a_0) */
static enum yk_status start(void *self)
{
    struct state_space *s = self;
    struct yk_rates *x = s->x;

    yk_tie_start(&s->start, s->c, (double *const[]){x[0].dY + s->c->side[0].n, x[1].dY + s->c->side[1].n}, s->lambda);
    for (int i = 0; i < YK_SIDES; i++) {
        const struct yk_side *side = &s->c->side[i];
        const size_t n = side->n;

        memcpy(x[i].Y, side->u0, n * sizeof(double));
        memcpy(x[i].Y + n, side->v0, n * sizeof(double));
        memcpy(x[i].dY, side->v0, n * sizeof(double));
        memcpy(x[i].V, x[i].dY, 2 * n * sizeof(double));
    }
    return YK_OK;
}

YK_RT static struct yk_schedule schedule(const void *self, long step)
{
    return (struct yk_schedule){.phases = 1, .substeps = ((const struct state_space *)self)->c->substeps, .stages = 1};
}

YK_RT static enum yk_status coarse(void *self, int phase)
{
    struct state_space *s = self;
    struct yk_first_order *A = &s->method[YK_COARSE];
    struct yk_rates *x = &s->x[YK_COARSE];

    yk_first_order_predict(A, x);
    yk_side_evaluate(A->side, (double)(s->c->step + 1) * s->c->dt, x->Y, x->Y + A->n);
    memcpy(x->dY + A->n, A->side->p, A->n * sizeof(double));
    yk_first_order_absorb(A, x);
    return YK_OK;
}

YK_RT static void fine_target(void *self, int phase, int substep, int stage, struct yk_kinematics *want)
{
    struct state_space *s = self;
    struct yk_rates *x = &s->x[YK_FINE];

    yk_first_order_predict(&s->method[YK_FINE], x);
    *want = (struct yk_kinematics){.c = 1, .u = x->Y, .v = x->Y + s->c->side[YK_FINE].n};
}

YK_RT static enum yk_status fine_absorb(void *self, int phase, int substep, int stage)
{
    struct state_space *s = self;
    const struct yk_first_order *B = &s->method[YK_FINE];
    struct yk_rates *x = &s->x[YK_FINE];
    const double left = (s->c->substeps - 1 - substep) * s->part;

    if (substep == 0) {
        memset(s->known, 0, B->n * sizeof *s->known);
        yk_side_push(B->side, s->c->rows, 1, s->lambda, s->known);
    }
    yk_combine(B->n, B->side->p, left, s->known, x->dY + B->n);
    yk_first_order_absorb(B, x);
    yk_first_order_correct(B, x);
    if (s->path.count)
        yk_path_follow(&s->path, B->side, substep, yk_coupled_time(s->c, (substep + 1) * s->part), x->Y, x->Y + B->n);
    return YK_OK;
}

/* eq. (35) */
YK_RT static enum yk_status sync(void *self, int phase)
{
    struct state_space *s = self;
    const struct yk_first_order *A = &s->method[YK_COARSE], *B = &s->method[YK_FINE];
    struct yk_rates *xA = &s->x[YK_COARSE], *xB = &s->x[YK_FINE];
    const size_t rows = s->c->rows;

    memset(s->lambda, 0, rows * sizeof *s->lambda);
    yk_side_gap(A->side, 1, xA->Y + A->n, s->lambda);
    yk_side_gap(A->side, A->be * A->h, xA->dY + A->n, s->lambda);
    yk_side_gap(B->side, 1, xB->Y + B->n, s->lambda);
    yk_factor_solve(s->Hfactor, s->lambda);
    yk_tie_add(A->n, rows, s->X, 1, s->lambda, xA->dY + A->n);
    yk_first_order_correct(A, xA);
    yk_tie_add(6 * B->n, rows, s->L, 1, s->lambda, xB->Y);
    yk_side_commit(A->side, yk_coupled_time(s->c, 1), xA->Y, xA->Y + A->n);
    yk_path_commit(&s->path, B->side, s->lambda);
    return YK_OK;
}

YK_RT static void now(void *self, int side, struct yk_kinematics *k)
{
    struct state_space *s = self;
    const size_t n = s->c->side[side].n;

    *k = (struct yk_kinematics){.c = 1, .u = s->x[side].Y, .v = s->x[side].Y + n, .a = s->x[side].dY + n};
}

YK_RT static const double *reached(void *self, int side)
{
    return ((struct state_space *)self)->x[side].Y;
}

YK_RT static const double *lambda(void *self)
{
    return ((struct state_space *)self)->lambda;
}

static size_t state(void *self, struct yk_span *spans, size_t most)
{
    struct state_space *s = self;

    for (int i = 0; i < YK_SIDES; i++)
        spans[i] = (struct yk_span){s->x[i].Y, 6 * s->c->side[i].n};
    spans[YK_SIDES] = (struct yk_span){s->lambda, s->c->rows};
    return YK_SIDES + 1;
}

static enum yk_status resume(void *self)
{
    return YK_OK; /* states, rates and multiplier are all there is */
}

/* The rate of v from the net force; `work` holds the rates. */
YK_RT static void solve(void *self, int side, int stage, double *work)
{
    struct state_space *s = self;
    const struct yk_first_order *method = &s->method[side];

    memcpy(work + method->n, method->side->p, method->n * sizeof *work);
    yk_first_order_absorb(method, &(struct yk_rates){.Y = s->x[side].Y, .dY = work});
}

static const struct yk_param params[] = {
    YK_REAL(struct state_space, rho, YK_NUMBER, 0.8, 0, 1, "spectral radius of high frequencies; 1: trapezoidal rule"),
    YK_CHOICE(
        struct state_space, link, "ramp|printed-coarse|printed-fine", 0,
        "how the multiplier corrects the fine side; the two forms printed in the paper are unstable with substeps"),
    YK_PARAM_END,
};

static const struct yk_coupling_evidence evidence = {
    .order = 2,
    .order_subcycled = 2,
    .solve = solve,
    .solves = {{1, 0}, {0, 1}},
    .multipliers = {1, 0},
};

const struct yk_coupling_ops yk_coupling_state_space = {
    .name = "state-space",
    .summary = "parallel first-order generalized-alpha, velocity continuity at coarse instants, controlled damping",
    .reference = "Simpson, Giagopoulos, Dertimanis and Chatzi, section 2.3; damping: Jansen, Whiting and Hulbert 2000",
    .exchange = "free interface velocities of both sides at the end of a step",
    .startup = "self-starting",
    .caps = YK_COUPLING_PARALLEL | YK_COUPLING_CONSTANT_MASS | YK_COUPLING_RETRACES | YK_COUPLING_LINEAR_ORDER,
    .stages = 1,
    .chains = 1,
    .cycle_steps = 1,
    .params = params,
    .size = sizeof(struct state_space),
    YK_OWN_PREPARATION,
    .schedule = schedule,
    YK_OWN_PHASE,
    .now = now,
    .reached = reached,
    .lambda = lambda,
    YK_OWN_STATE,
    .evidence = &evidence,
};
