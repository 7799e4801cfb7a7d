/* Newmark's method on the sides of a coupling: the free step, the link, and what the partitioned methods of the family
 * share. docs/theory/couplings-newmark.md, eq. (20)-(24). */
#ifndef YOKE_NEWMARK_SIDE_H
#define YOKE_NEWMARK_SIDE_H

#include "coupling/own.h"
#include "coupling/tie.h"

/* u, v and a of a side: one piece of 3n doubles that begins at u. */
struct yk_newmark_motion {
    double *u, *v, *a;
};
void yk_newmark_motion_layout(struct yk_newmark_motion *m, size_t n, struct yk_arena *mem);

/* Newmark's method on one side with one step size. */
struct yk_newmark_side {
    struct yk_side *side;
    size_t n, rows;
    double h, beta, gamma;
    struct yk_factor *D; /* M + gamma h C + beta h^2 K, initial tangents */
    double *X;           /* n x rows: D^-1 G^T, the acceleration that a unit multiplier links to the free one */
    double *H;           /* rows x rows: the interface velocity it links */
    double *linked;      /* n; not NULL: X and H are full and D is sparse, so that products with them go through D */
    /* where forces are nonlinear in the velocity, else NULL: the velocity v + h a at which they are evaluated, and C
     * times what it is more than the predictor; n each, of the last prediction. eq. (20a) */
    double *ahead, *more;
};
void yk_newmark_side_layout(struct yk_newmark_side *s, const struct yk_side *side, size_t rows, struct yk_arena *mem);
enum yk_status yk_newmark_side_init(struct yk_newmark_side *s, struct yk_side *side, double h, double beta,
                                    double gamma, struct yk_arena *mem, struct yk_err *err);
void yk_newmark_side_fini(struct yk_newmark_side *s);
/* eq. (20): u and v become the predictor; `ahead` and `more` follow. */
void yk_newmark_side_predict(const struct yk_newmark_side *s, struct yk_newmark_motion *m) YK_RT;
/* eq. (21): the acceleration of the free motion to time t; u and v are left as predicted. */
void yk_newmark_side_free(const struct yk_newmark_side *s, double t, struct yk_newmark_motion *m) YK_RT;
/* w (rows) += the interface velocity of that motion. */
void yk_newmark_side_gap(const struct yk_newmark_side *s, const struct yk_newmark_motion *m, double *w) YK_RT;
/* eq. (22): the link acceleration of the multiplier; then u and v. */
void yk_newmark_side_link(const struct yk_newmark_side *s, const double *lambda, struct yk_newmark_motion *m) YK_RT;
/* u and v from the predictor and the acceleration. */
void yk_newmark_side_correct(const struct yk_newmark_side *s, struct yk_newmark_motion *m) YK_RT;
/* The resulting change of u[dof] for a unit of each multiplier. */
enum yk_status yk_newmark_side_weigh(const struct yk_newmark_side *s, size_t dof, double *weight, struct yk_err *err);
/* w = G v - H lambda: the free interface velocity behind a linked motion. */
void yk_newmark_side_unlinked(const struct yk_newmark_side *s, const struct yk_newmark_motion *m, const double *lambda,
                              double *w) YK_RT;

/* How B closes a gap at the interface, for one way in which A gets there. */
struct yk_newmark_closure {
    struct yk_factor *H; /* lambda from the gap */
    double *L;           /* n_B x rows: the acceleration it links to B; not where products with X go through D */
};

/* Two sides under Newmark's method, A over dt and B over dt/substeps. A method of the family embeds this first. */
struct yk_newmark_sides {
    double beta, gamma, beta_A, gamma_A, beta_B, gamma_B; /* settings; those of a side: negative means the common one */
    struct yk_coupled *c;
    double part; /* 1/substeps */
    struct yk_newmark_side side[YK_SIDES];
    struct yk_newmark_motion m[YK_SIDES]; /* coupled; B: of the last substep */
    double *lambda;                       /* read it through yk_newmark_sides_lambda after a substep */
    double *gap;                          /* closed in the last substep */
    const struct yk_newmark_closure
        *open; /* with which lambda is still to be computed from the gap; NULL: it is known */
    struct yk_tie_start start;
    /* where B is evaluated before the multiplier of the step is known, and its forces are nonlinear in the velocity,
     * else NULL: by substep, n_B x rows: `ahead` of B under the ramp of a unit multiplier; and n_B of work. eq. (27a)
     */
    double *ramped;
};
extern const struct yk_param yk_newmark_sides_params[];

void yk_newmark_sides_layout(struct yk_newmark_sides *s, const struct yk_coupled *c, struct yk_arena *mem);
enum yk_status yk_newmark_sides_init(struct yk_newmark_sides *s, struct yk_coupled *c, struct yk_arena *mem,
                                     struct yk_err *err);
void yk_newmark_sides_fini(struct yk_newmark_sides *s);
/* Initial states, their accelerations and their multiplier. */
void yk_newmark_sides_start(struct yk_newmark_sides *s);
/* Time of the end of the system step under way, and of `steps` steps after its beginning. */
static inline double yk_newmark_sides_time(const struct yk_newmark_sides *s, int steps)
{
    return yk_coupled_time(s->c, steps);
}
/* Time after a substep. */
static inline double yk_newmark_sides_after(const struct yk_newmark_sides *s, int substep)
{
    return yk_coupled_time(s->c, (substep + 1) * s->part);
}
void yk_newmark_closure_layout(struct yk_newmark_closure *closure, const struct yk_coupled *c, struct yk_arena *mem);
enum yk_status yk_newmark_closure_init(struct yk_newmark_closure *closure, const struct yk_newmark_side *A,
                                       const struct yk_newmark_side *B, struct yk_arena *mem, struct yk_err *err);
void yk_newmark_closure_fini(struct yk_newmark_closure *closure);
/* B's free motion meets A's interface velocity, which runs from w0 to w1, after `substep`: link and commit; the
 * multiplier is computed when it is read. eq. (25) */
void yk_newmark_sides_follow(struct yk_newmark_sides *s, const struct yk_newmark_closure *closure, const double *w0,
                             const double *w1, int substep) YK_RT;

/* Entries of the method table that are the same in the family. */
struct yk_schedule yk_newmark_sides_schedule(const void *self, long step) YK_RT;
void yk_newmark_sides_target(void *self, int phase, int substep, int stage, struct yk_kinematics *want) YK_RT;
void yk_newmark_sides_now(void *self, int side, struct yk_kinematics *reached) YK_RT;
const double *yk_newmark_sides_reached(void *self, int side) YK_RT;
const double *yk_newmark_sides_lambda(void *self) YK_RT;
size_t yk_newmark_sides_state(void *self, struct yk_span *spans, size_t most);
enum yk_status yk_newmark_sides_link(const void *self, int side, size_t dof, double *weight, struct yk_err *err);
void yk_newmark_sides_solve(void *self, int side, int stage, double *work) YK_RT;

#define YK_NEWMARK_PAIR_FUNCTIONS                                                                                      \
    .stages = 1, .params = yk_newmark_sides_params, .schedule = yk_newmark_sides_schedule,                             \
    .fine_target = yk_newmark_sides_target, .now = yk_newmark_sides_now, .reached = yk_newmark_sides_reached,          \
    .lambda = yk_newmark_sides_lambda
#define YK_NEWMARK_PAIR_EVIDENCE .solve = yk_newmark_sides_solve, .solves = {{1, 0}, {0, 1}}

#endif
