/* Couplings: two groups of substructures, coarse (A) and fine (B), advanced together and tied at their interface.
 *
 *     M a = p(t, u, v) + G^T lambda   on each side,        G_A u_A + G_B u_B = 0
 *
 * A system step of dt is made of phases. In a phase `coarse` advances A, the fine substeps advance B, and `sync`
 * exchanges and corrects. A fine substep needs B's force in stages, as an integrator does: `fine_target` sets the
 * state, the engine evaluates (a model) or commands and measures (a specimen), and `fine_absorb` continues with the net
 * force in side[FINE].p. A's forces are evaluated inside `coarse` and `sync`. No method knows which engine runs it. */
#ifndef YOKE_COUPLING_H
#define YOKE_COUPLING_H

#include <yoke/arena.h>
#include <yoke/integrator.h>
#include <yoke/param.h>
#include <yoke/substructure.h>
#include <yoke/system.h>

enum { YK_COARSE, YK_FINE, YK_SIDES };

struct yk_split; /* opaque: the two assemblies and load sets behind a problem */

/* One side: its substructures as one system, and its part of the interface rows. */
struct yk_side {
    struct yk_system *system;
    struct yk_loading loading;
    struct yk_load_set *loads;       /* behind `loading`, unless that was replaced */
    struct yk_load_set *loads_trace; /* G M^-1 f(t) of these */
    size_t n;
    double *u0, *v0;       /* where the motion starts, from yk_coupling_start on */
    double *f, *p;         /* load and net force of the last evaluation */
    struct yk_matrix Gt;   /* n x rows: G^T; p + G^T lambda is the force with the multiplier */
    struct yk_matrix MiGt; /* n x rows: M^-1 G^T; q = (M^-1 G^T)^T p is the interface acceleration of the free side */
    double *reach;         /* where the mass of a part is divided out, else NULL: in its rows M(u)^-1 G^T of the last
                              evaluation, in the others G^T; n x rows, behind it G^T itself and n numbers of work */
    bool specimens;        /* all its substructures are specimens */
    double *H;             /* rows x rows: G M^-1 G^T */
    struct yk_factor *M;
};

/* The problem a coupling works on. */
struct yk_coupled {
    struct yk_side side[YK_SIDES];
    size_t rows;
    size_t *row_of;    /* interface row of the experiment for each of ours; redundant ones are left out */
    double dt;         /* system step */
    int substeps;      /* fine steps in a system step */
    bool varying_mass; /* a side whose mass is divided out: H changes with the motion */
    double *Hinv;      /* rows x rows: (H_A + H_B)^-1 in the initial state */
    long step;         /* system steps made */
    const struct yk_assembly *untorn; /* the whole structure, for methods that start on it */
    double *u0, *v0;                  /* where it starts, where there is one */
    struct yk_split *split;           /* what the problem was made from */
    struct yk_arena own;              /* where it was created without an arena */
};

/* Time of so many system steps, or parts of one, after those made. */
static inline double yk_coupled_time(const struct yk_coupled *c, double ahead)
{
    return ((double)c->step + ahead) * c->dt;
}

/* Data that one side passes to the other for one instant: its interface acceleration, and H where the mass varies (else
 * NULL). */
struct yk_trace {
    double *q; /* rows */
    double *H; /* rows x rows or NULL */
};

/* lambda = -(H_A + H_B)^-1 (q_A + q_B). Re-entrant: `work` is rows*(rows+2) doubles of the caller's. */
void yk_multiplier(const struct yk_coupled *c, const struct yk_trace *a, const struct yk_trace *b, double *work,
                   double *lambda) YK_RT;
/* Net force of the side at time t in state (u, v), into side->p (and Gt, H where the mass varies). */
void yk_side_evaluate(struct yk_side *side, double t, const double *u, const double *v) YK_RT;
/* Gt and H in displacement u where the mass varies (part of yk_side_evaluate); elsewhere nothing. */
void yk_side_mobility(struct yk_side *side, const double *u) YK_RT;
/* From now on without loads; for analyses. */
void yk_side_unload(struct yk_side *side);
/* Accepts the state at time t: hysteresis remembers it. */
void yk_side_commit(struct yk_side *side, double t, const double *u, const double *v) YK_RT;
/* Forces and commits belong to the state at system step i from now on, of a side in `chains` interleaved sequences:
 * each remembers its own path. */
void yk_side_follow(struct yk_side *side, long i, int chains) YK_RT;
/* The trace of the last evaluation. */
void yk_side_trace(const struct yk_side *side, size_t rows, struct yk_trace *trace) YK_RT;
/* q = G M^-1 f(t): the part of the interface acceleration that the load of the side makes at time t; `f` is work of n.
 */
void yk_side_load_trace(const struct yk_side *side, size_t rows, double t, double *f, double *q) YK_RT;
/* y += scale * G x (rows), y += scale * G^T lambda (n; M(u)^-1 G^T where the mass is divided out) */
void yk_side_gap(const struct yk_side *side, double scale, const double *x, double *y) YK_RT;
void yk_side_push(const struct yk_side *side, size_t rows, double scale, const double *lambda, double *y) YK_RT;
/* v += scale * M^-1 G^T impulse (n): what an impulse on the interface does to the velocity */
void yk_side_kick(const struct yk_side *side, size_t rows, double scale, const double *impulse, double *v) YK_RT;

enum {
    YK_COUPLING_PARALLEL = 1 << 0,      /* coarse may run in parallel with the fine substeps of its phase */
    YK_COUPLING_CONSTANT_MASS = 1 << 1, /* not for substructures whose mass depends on the configuration */
    YK_COUPLING_NO_SUBSTEPS = 1 << 2,   /* time.substeps must be 1 */
    YK_COUPLING_SPECIMENS = 1 << 3,     /* the fine side must be specimens: it needs readings that models lack */
    YK_COUPLING_RETRACES = 1 << 4,      /* the fine side follows a path that is corrected afterwards: mark, rewind */
    YK_COUPLING_DOFS_A = 1 << 5, /* treats degrees of freedom of the coarse side one by one: no modal path there */
    YK_COUPLING_DOFS_B = 1 << 6, /* likewise of the fine side */
    YK_COUPLING_LINEAR_ORDER = 1 << 7, /* of order 1 with nonlinear sides, whatever `order` says */
};

/* How a system step is made. */
struct yk_schedule {
    int phases;
    int substeps; /* fine substeps in each phase */
    int stages;   /* force evaluations in each fine substep */
};

/* How often an operation occurs in a cycle: fixed + fine * substeps. */
struct yk_count {
    int fixed, fine;
};

/* Facts about a method that no run and no check of an experiment needs: lists, benchmarks and the reproduction of
 * published results read them. A method may leave out the table, or any entry. */
struct yk_coupling_evidence {
    double order,
        order_subcycled; /* of u for linear problems, without subcycling and with ten substeps; 0: not stated */

    /* The displacement of `dof` of a side that a unit of each multiplier alone adds in a system step: `rows`
     * weights. */
    enum yk_status (*link)(const void *self, int side, size_t dof, double *weight, struct yk_err *err);
    /* Called before `start`: from now on the control loop inside the fine substeps is taken as settled at the end of
     * every step. The specimen is linear, with these matrices on the degrees of freedom of the fine side. No substeps
     * remain. */
    enum yk_status (*settle)(void *self, const struct yk_matrix *M, const struct yk_matrix *C,
                             const struct yk_matrix *K, struct yk_err *err);
    /* The minimum work of a cycle besides its force evaluations: solves with the step matrix of a side, solves of the
     * interface problem, and loads of the coarse side at instants that are not its own. `solve` makes one solve from
     * side[].p, with 2n doubles of work. */
    void (*solve)(void *self, int side, int stage, double *work) YK_RT;
    struct yk_count solves[YK_SIDES], multipliers, loads;
};

struct yk_coupling_ops {
    const char *name;
    const char *summary;
    const char *reference;
    const char *exchange; /* what crosses the interface, and when */
    const char *startup;  /* how it starts */
    unsigned caps;
    int stages;      /* force evaluations in a fine substep */
    int chains;      /* interleaved sequences of the coarse side */
    int cycle_steps; /* system steps after which the pattern repeats */
    int start_steps; /* system steps of the start-up procedure */
    const struct yk_param *params;
    size_t size;

    /* preparation; fit refuses what the method cannot do and reports why (may be NULL) */
    enum yk_status (*fit)(const void *self, const struct yk_coupled *c, struct yk_err *err);
    void (*layout)(void *self, const struct yk_coupled *c, struct yk_arena *mem);
    enum yk_status (*init)(void *self, struct yk_coupled *c, struct yk_arena *mem, struct yk_err *err);
    void (*fini)(void *self);
    /* Puts the method at t = 0 in the states u0, v0 of the two sides. Models only: it may evaluate both sides. */
    enum yk_status (*start)(void *self);

    /* cycle: bounded time, no allocation, no locks, no system calls */
    struct yk_schedule (*schedule)(const void *self, long step) YK_RT;
    enum yk_status (*coarse)(void *self, int phase) YK_RT;
    void (*fine_target)(void *self, int phase, int substep, int stage, struct yk_kinematics *want) YK_RT;
    enum yk_status (*fine_absorb)(void *self, int phase, int substep, int stage) YK_RT;
    enum yk_status (*sync)(void *self, int phase) YK_RT;
    /* State of a side at the end of the last system step (fine: of the last substep); a may be NULL. */
    void (*now)(void *self, int side, struct yk_kinematics *reached) YK_RT;
    const double *(*reached)(void *self, int side)YK_RT; /* u and v alone, in one piece of 2n; may be NULL */
    const double *(*lambda)(void *self)YK_RT;            /* at the end of the last system step */

    /* The independent variables that one cycle hands to the next, as spans; returns how many. Call it again after a
     * step: a method may rotate its histories by swapping pointers. */
    size_t (*state)(void *self, struct yk_span *spans, size_t most);
    /* The state was replaced: recomputes what follows from it. */
    enum yk_status (*resume)(void *self);

    const struct yk_coupling_evidence *evidence; /* NULL: none */
    void *user;                                  /* see plugin.h */
};
/* The order that a method states; 0: none. */
static inline double yk_coupling_order(const struct yk_coupling_ops *ops, bool subcycled)
{
    const struct yk_coupling_evidence *e = ops->evidence;

    return !e ? 0 : subcycled ? e->order_subcycled : e->order;
}

/* The parts of a step that are timed. */
enum yk_step_part { YK_STEP_PART_COARSE, YK_STEP_PART_FINE, YK_STEP_PART_SYNC };

extern const struct yk_coupling_ops *const yk_couplings[]; /* NULL at the end */
const struct yk_coupling_ops *yk_coupling_find(const char *name);

/* Progress of a coupling within a step. */
enum yk_coupling_place {
    YK_AT_START,   /* of a system step              */
    YK_AT_PHASE,   /* the coarse side is next       */
    YK_AT_FINE,    /* a stage of a fine substep     */
    YK_AT_MEETING, /* both sides have done their part */
    YK_AT_END,     /* of the system step            */
};

/* A coupling at work. A system step is made in parts, in the order in which `next` requests them. */
struct yk_coupling {
    const struct yk_coupling_ops *ops;
    struct yk_coupled *problem;
    void *self;
    struct yk_arena own; /* where it was created without an arena */
    bool apart; /* another thread does the work of the coarse side (YK_NEED_COARSE), where the method allows it */

    enum yk_coupling_place place;
    struct yk_schedule plan; /* of the step under way */
    int phase, substep, stage;
    struct yk_kinematics want; /* by that stage */
    enum yk_status status;     /* of the step */
    bool fine_reached;         /* a fine substep was completed by the last `absorb` or `next`: its time */
    double fine_t;
    /* called as a part begins, if set: coarse (only where it is not done apart), fine or sync; used to time them */
    void (*on_part)(void *self, enum yk_step_part stage) YK_RT;
    void *on_part_self;
};

/* `settings`: a zeroed block of ops->size bytes with its parameters filled; copied. Memory is taken from `mem`. */
enum yk_status yk_coupling_create(struct yk_coupling *c, const struct yk_coupling_ops *ops, const void *settings,
                                  struct yk_coupled *problem, struct yk_arena *mem, struct yk_err *err);
void yk_coupling_destroy(struct yk_coupling *c);
/* From the state (u, v) of the untorn structure; NULL: from the initial states of the systems. */
enum yk_status yk_coupling_start(struct yk_coupling *c, const double *u, const double *v);
/* One system step in parts. FORCE: the fine side at time t; absorb evaluates and takes it. COARSE and MEETING occur
 * only with `apart`: start the work of phase `phase` (`ops->coarse`), then pass its result to `meet`; call nothing else
 * in between. After NOTHING the step is complete, or `status` says why not. */
enum yk_need yk_coupling_next(struct yk_coupling *c, double *t) YK_RT;
void yk_coupling_absorb(struct yk_coupling *c) YK_RT;
void yk_coupling_meet(struct yk_coupling *c, enum yk_status coarse) YK_RT;
/* Advances by one system step on this thread. For models, as yk_domain_step. */
enum yk_status yk_coupling_step(struct yk_coupling *c) YK_RT;

/* The problem from substructures: those with rate fine make side B, the others side A. Rows are those of the
 * experiment. Loads as in yk_load_set. Finds redundant and inconsistent rows. Everything is owned by the problem. */
struct yk_coupled_parts {
    const struct yk_substructure *substructures;
    size_t count;
    const struct yk_row *rows;
    size_t row_count;
    const struct yk_load *loads;
    size_t load_count;
    double dt;
    int substeps;
    const struct yk_assembly *untorn;
    bool massless;                        /* the method does not use the mass of the fine side; it may be zero */
    struct yk_modal_wish modal[YK_SIDES]; /* the modal path of each side */
};
enum yk_status yk_coupled_create(struct yk_coupled **problem, const struct yk_coupled_parts *parts,
                                 struct yk_arena *mem, struct yk_err *err);
void yk_coupled_destroy(struct yk_coupled *problem);
/* Finds substructure k of the experiment: its side, and the first of its degrees of freedom there. */
void yk_coupled_locate(const struct yk_coupled *problem, size_t k, int *side, size_t *first);
/* The side in modes: how its substructures follow from the vectors of the method; NULL: they are parts of these.
 * *index: of substructure k among those of its side. */
const struct yk_assembly *yk_coupled_modal(const struct yk_coupled *problem, size_t k, size_t *index) YK_RT;
/* The start of a motion, see yk_coupling_start: part of it. */
void yk_coupled_begin(struct yk_coupled *problem, const double *u, const double *v);
/* From a vector of the untorn structure to that of one side. */
void yk_coupled_from_untorn(const struct yk_coupled *problem, const double *whole, int side, double *local);
/* Forces on one side as forces on the untorn structure: whole += T^T local. */
void yk_coupled_to_untorn(const struct yk_coupled *problem, int side, const double *local, double *whole);

#endif
