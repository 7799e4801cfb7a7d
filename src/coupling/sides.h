/* Shared by the Rosenbrock couplings: instants of a side, its steps, and the fine substeps parallel to a coarse side.
 *
 * Every method of the family begins with a struct yk_sides, so that the functions with a `void *self` below fit into
 * its table. Two threads may run a phase: the coarse leg belongs to one, the fine leg and `fine` to the other; both may
 * read `step` and the instants that neither writes. */
#ifndef YOKE_SIDES_H
#define YOKE_SIDES_H

#include "coupling/own.h"
#include "coupling/side_stages.h"

/* A state of one side, with its net force and trace. */
struct yk_instant {
    double *y;             /* (u, v) */
    double *p;             /* net force */
    struct yk_trace trace; /* interface acceleration of the free side */
    double *r;             /* coarse side: its part without the load; all of it where the mass varies */
};

/* One side and its steps. */
struct yk_leg {
    struct yk_side *side;
    struct yk_side_stages own, *block; /* the stages; *block is own unless a method starts with another */
    struct yk_instant now;             /* at the end of the last (sub)step */
    struct yk_instant middle;          /* of the stage under way */
    double *k1, *k2, *a;
};

/* Multipliers of an instant, and room to compute them. */
struct yk_push {
    double *lambda;
    double *psi; /* of velocity continuity, eq. (13); NULL: none */
    double *gap, *work;
};

struct yk_sides {
    double gamma, gamma_A, gamma_B; /* settings */
    struct yk_coupled *c;
    struct yk_leg leg[YK_SIDES];
    struct yk_schedule plan;
    bool dual;           /* two multipliers */
    struct yk_push step; /* at the system step (and between its phases) */
    struct yk_push fine; /* at the fine stage */
    /* the coarse side as the fine substeps see it: a straight line, of which a phase covers begin .. end */
    const struct yk_instant *from, *to;
    double begin, end;
    struct yk_trace chord;
    double *f;
};

/* ---- settings ---- */

#define YK_GAMMA_MINUS 0.29289321881345254 /* 1 - sqrt(2)/2: two stages, L-stable */

/* One gamma for both sides, or one for each, 0 if not given. */
#define YK_SIDES_GAMMAS(usual, least)                                                                                  \
    YK_REAL(struct yk_sides, gamma, YK_NUMBER, usual, least, 10,                                                       \
            YK_WHEN("!gamma_A!gamma_B", "diagonal coefficient of both sides")),                                        \
        YK_REAL(struct yk_sides, gamma_A, YK_NUMBER, 0, least, 10, "gamma of the coarse side; automatic: gamma"),      \
        YK_REAL(struct yk_sides, gamma_B, YK_NUMBER, 0, least, 10, "gamma of the fine side; automatic: gamma")
extern const struct yk_param yk_sides_one_stage[]; /* gammas only; A-stable from 1/2 */
extern const struct yk_param yk_sides_two_stage[]; /* gammas only; A-stable from 1/4 */

/* ---- preparation ---- */

/* The steps of both legs; gammas are those of the settings. */
struct yk_sides_steps {
    double h_A, h_B;
    double b2_A;   /* weight of the second stage of A; B has 1 */
    bool modified; /* Jacobians that hold the interface */
};
void yk_trace_layout(struct yk_trace *trace, const struct yk_coupled *c, struct yk_arena *mem);
void yk_instant_layout(struct yk_instant *instant, const struct yk_coupled *c, int side, struct yk_arena *mem);
void yk_push_layout(struct yk_push *push, const struct yk_coupled *c, bool dual, struct yk_arena *mem);
void yk_sides_layout(void *self, const struct yk_coupled *c, struct yk_arena *mem);
enum yk_status yk_sides_init(void *self, struct yk_coupled *c, const struct yk_sides_steps *steps, struct yk_arena *mem,
                             struct yk_err *err);
void yk_sides_fini(void *self);
/* Stages of side i with another step, for starting. */
enum yk_status yk_sides_stages(const struct yk_sides *s, int i, double h, double b2, bool modified,
                               struct yk_side_stages *block, struct yk_arena *mem, struct yk_err *err);
/* `now` of both legs in the initial states of their systems. */
void yk_sides_begin(struct yk_sides *s);
/* Forces and multipliers of `now` of both legs, at the time of the step. */
enum yk_status yk_sides_resume(void *self);
enum yk_status yk_sides_start(void *self); /* begin and resume */

/* ---- parts of a step ---- */

static inline double yk_sides_time(const struct yk_sides *s, double ahead)
{
    return yk_coupled_time(s->c, ahead);
}
/* Takes force and trace of the last evaluation of the side. */
void yk_leg_keep(const struct yk_leg *leg, struct yk_instant *instant) YK_RT;
void yk_leg_evaluate(struct yk_leg *leg, double t, struct yk_instant *instant) YK_RT;
void yk_trace_copy(size_t rows, const struct yk_trace *from, struct yk_trace *to) YK_RT;
void yk_instant_copy(const struct yk_leg *leg, const struct yk_instant *from, struct yk_instant *to) YK_RT;
static inline void yk_instant_swap(struct yk_instant *x, struct yk_instant *y)
{
    const struct yk_instant kept = *x;

    *x = *y;
    *y = kept;
}
void yk_leg_commit(struct yk_leg *leg, double t) YK_RT; /* `now` is accepted */
/* k1, and to = from + weight k1 */
void yk_leg_first(struct yk_leg *leg, const struct yk_instant *from, const struct yk_push *push, double weight,
                  struct yk_instant *to) YK_RT;
/* k2 from the force at `middle`, and to = from + (1 - b2) k1 + b2 k2; `to` may be `from` */
void yk_leg_second(struct yk_leg *leg, const struct yk_instant *from, const struct yk_instant *middle,
                   const struct yk_push *push, struct yk_instant *to) YK_RT;
/* Stage `stage` of a step of `stages` from `now` and in place; returns the instant whose force is needed. */
struct yk_instant *yk_leg_advance(struct yk_leg *leg, const struct yk_push *push, int stage, int stages) YK_RT;
/* Multipliers of two instants. */
void yk_sides_join(const struct yk_sides *s, const struct yk_instant *a, const struct yk_instant *b,
                   struct yk_push *push) YK_RT;
/* Multipliers of the step from a and `now` of the fine leg; the fine substeps begin with them. */
void yk_sides_meet(struct yk_sides *s, const struct yk_instant *a) YK_RT;
/* The velocity gap: gap += scale * G v of an instant of side i; impulse = -(H_A + H_B)^-1 gap, which closes the gap. */
void yk_sides_gap(const struct yk_sides *s, int i, double scale, const struct yk_instant *instant,
                  struct yk_push *push) YK_RT;
void yk_sides_impulse(const struct yk_sides *s, struct yk_push *push, double *impulse) YK_RT;
/* Both instants with the velocities that share the interface: v += M^-1 G^T impulse; returns the impulse in phi. */
void yk_sides_project(struct yk_sides *s, struct yk_instant *a, struct yk_instant *b, double *phi) YK_RT;
/* The gap between the coarse side at the fraction x of its chord and `now` of the fine leg, into fine.gap. */
void yk_sides_chord_gap(struct yk_sides *s, double x, const struct yk_instant *b) YK_RT;
/* The multipliers of that chord point at time t and an instant of the fine leg, into fine. */
void yk_sides_chord_join(struct yk_sides *s, double x, double t, const struct yk_instant *b) YK_RT;

/* ---- fine substeps along the chord of the coarse side ---- */

struct yk_schedule yk_sides_schedule(const void *self, long step) YK_RT;
void yk_sides_fine_target(void *self, int phase, int substep, int stage, struct yk_kinematics *want) YK_RT;
enum yk_status yk_sides_fine_absorb(void *self, int phase, int substep, int stage) YK_RT;

/* ---- both sides stage by stage: one stage in a phase, multipliers from both ---- */

enum yk_status yk_sides_joint_coarse(void *self, int phase) YK_RT;
void yk_sides_joint_target(void *self, int phase, int substep, int stage, struct yk_kinematics *want) YK_RT;
enum yk_status yk_sides_joint_absorb(void *self, int phase, int substep, int stage) YK_RT;
enum yk_status yk_sides_joint_sync(void *self, int phase) YK_RT;

/* ---- entries of the table ---- */

void yk_sides_now(void *self, int side, struct yk_kinematics *reached) YK_RT;
const double *yk_sides_reached(void *self, int side) YK_RT;
const double *yk_sides_lambda(void *self) YK_RT;
size_t yk_sides_state(void *self, struct yk_span *spans, size_t most);    /* y_A, y_B */
void yk_sides_solve(void *self, int side, int stage, double *work) YK_RT; /* a slope */
static inline struct yk_span yk_leg_span(const struct yk_leg *leg, const struct yk_instant *instant)
{
    return (struct yk_span){instant->y, 2 * leg->side->n};
}

#define YK_SIDES_WITHOUT_SUBSTEPS                                                                                      \
    .startup = "self-starting", .caps = YK_COUPLING_PARALLEL | YK_COUPLING_NO_SUBSTEPS, .chains = 1, .cycle_steps = 1
/* Table entries of all methods of the family; with subcycling along the chord; the same staggered, with `coarse` and
 * `sync` of the method; stage by stage. */
#define YK_SIDES_FUNCTIONS .now = yk_sides_now, .reached = yk_sides_reached, .lambda = yk_sides_lambda
#define YK_PAIR_CHORD_FUNCTIONS                                                                                        \
    .schedule = yk_sides_schedule, .fine_target = yk_sides_fine_target, .fine_absorb = yk_sides_fine_absorb,           \
    YK_SIDES_FUNCTIONS
#define YK_PAIR_STAGGERED_FUNCTIONS                                                                                    \
    .startup = "self-starting", .chains = 1, .cycle_steps = 1, .fini = yk_sides_fini, .start = yk_sides_start,         \
    .coarse = coarse, .sync = sync, .state = yk_sides_state, .resume = yk_sides_resume, YK_PAIR_CHORD_FUNCTIONS
#define YK_PAIR_JOINT_FUNCTIONS                                                                                        \
    .layout = yk_sides_layout, .fini = yk_sides_fini, .start = yk_sides_start, .schedule = yk_sides_schedule,          \
    .coarse = yk_sides_joint_coarse, .fine_target = yk_sides_joint_target, .fine_absorb = yk_sides_joint_absorb,       \
    .sync = yk_sides_joint_sync, .state = yk_sides_state, .resume = yk_sides_resume, YK_SIDES_FUNCTIONS

#endif
