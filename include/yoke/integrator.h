/* Time integrators for one domain, M a = p(t, u, v).
 *
 * An integrator is a short list of stages. For each it gives the state at which it needs the net force (`target`) and
 * takes the force (`absorb`). For a model the force is a function call; for a specimen it is a command, a wait and a
 * measurement. Between target and absorb the clock moves to t_k + c dt, so every stage has c > 0; the force at the
 * start of a step is the one absorbed last. The first force of a run is given to `start`. */
#ifndef YOKE_INTEGRATOR_H
#define YOKE_INTEGRATOR_H

#include <yoke/arena.h>
#include <yoke/param.h>
#include <yoke/system.h>

enum {
    YK_INTEG_CONDITIONAL = 1 << 0, /* has a stability limit: dt is checked against the model's modes     */
    YK_INTEG_LINEAR_ONLY = 1 << 1, /* only for p = f - C v - K u                                          */
    YK_INTEG_ITERATES = 1 << 2,    /* may repeat a stage: not for specimens                            */
    YK_INTEG_MODELS_ONLY = 1 << 3, /* evaluates one instant twice: not for specimens                      */
    YK_INTEG_NEEDS_K0 = 1 << 4,    /* its coefficients depend on the initial stiffness                  */
    YK_INTEG_DOFS = 1 << 5,        /* treats degrees of freedom one by one: not for the modal path         */
    YK_INTEG_LOADS = 1 << 6,       /* needs loads, not forces: absorb takes f of the instant; linear only   */
};

/* A target state or a reached state. The arrays belong to the integrator. */
struct yk_kinematics {
    double c; /* instant, as a fraction of the step */
    const double *u, *v;
    const double *a; /* reached states only */
};

struct yk_integrator_ops {
    const char *name;
    const char *summary;
    const char *reference;
    double order; /* of u for smooth problems with linear damping and the default settings; measured by the tests */
    int stages;
    unsigned caps;
    const struct yk_param *params; /* settings, fields of the private struct */
    size_t size;                   /* of the private struct */

    /* preparation: layout takes memory from the arena, init may also create factors, fini frees those; keep everything
     * that changes during a run in the private struct or in memory of the arena */
    void (*layout)(void *self, const struct yk_system *system, struct yk_arena *mem);
    enum yk_status (*init)(void *self, struct yk_system *system, double dt, struct yk_arena *mem, struct yk_err *err);
    void (*fini)(void *self);

    /* cycle: bounded time, no allocation, no locks, no system calls */
    void (*start)(void *self, const double *u, const double *v, const double *p) YK_RT;
    void (*target)(void *self, int stage, struct yk_kinematics *want) YK_RT;
    enum yk_status (*absorb)(void *self, int stage, const double *p) YK_RT; /* YK_AGAIN: repeat this stage */
    void (*now)(void *self, struct yk_kinematics *reached) YK_RT;           /* at the end of the last step    */
    /* The independent variables that one step passes to the next; they define the amplification matrix. */
    struct yk_span (*state)(void *self);
    /* The state was replaced; p is its net force. Recomputes what depends on them; NULL where nothing does. */
    void (*resume)(void *self, const double *p) YK_RT;
    /* Dense output at t_k + xi dt while stage `stage` is under way (later slopes taken as the latest one); `a` may be
     * NULL. NULL where there is none. */
    void (*dense)(void *self, int stage, double xi, double *u, double *v, double *a) YK_RT;
    /* After an iteration that did not converge: its force evaluations, and its last change of the acceleration over
     * the acceleration. NULL where nothing iterates. */
    void (*unsettled)(const void *self, int *evaluations, double *change);
    void *user; /* see plugin.h */
};

extern const struct yk_integrator_ops *const yk_integrators[]; /* NULL at the end */
const struct yk_integrator_ops *yk_integrator_find(const char *name);

/* An integrator at work on a system. */
struct yk_integrator {
    const struct yk_integrator_ops *ops;
    struct yk_system *system;
    double dt;
    void *self;
    struct yk_arena own; /* where it was created without an arena */
};

/* `settings` is a zeroed block of ops->size bytes whose parameters are filled (yk_param_defaults); it is copied. Memory
 * is taken from `mem`. */
enum yk_status yk_integrator_create(struct yk_integrator *it, const struct yk_integrator_ops *ops, const void *settings,
                                    struct yk_system *system, double dt, struct yk_arena *mem, struct yk_err *err);
void yk_integrator_destroy(struct yk_integrator *it);

/* External load of every degree of freedom at time t. */
struct yk_loading {
    void (*at)(void *self, double t, double *f) YK_RT;
    void *self;
};

/* Next action that the current step needs from its caller. */
enum yk_need {
    YK_NEED_NOTHING, /* the step is complete                                                              */
    YK_NEED_FORCE,   /* the force at an instant: specimens have received their targets for it */
    YK_NEED_COARSE,  /* start the work of the coarse side, parallel to the fine substeps (two threads only) */
    YK_NEED_MEETING, /* the result of that work, before anything else                         */
};

/* One domain: a system, its load, its integrator and the step count. The offline run, the analyses and the tests all
 * step through this. */
struct yk_domain {
    struct yk_integrator integrator;
    struct yk_loading loading;
    double *f, *p; /* load and net force of the last evaluation */
    long step;
    int stage;                 /* of the step under way */
    struct yk_kinematics want; /* by that stage */
    enum yk_status status;     /* of the last step */
    struct yk_arena own;       /* where it was created without an arena */
};

enum yk_status yk_domain_create(struct yk_domain *d, const struct yk_integrator_ops *ops, const void *settings,
                                struct yk_system *system, struct yk_loading loading, double dt, struct yk_arena *mem,
                                struct yk_err *err);
void yk_domain_destroy(struct yk_domain *d);
/* Puts the domain at t = 0 in state (u, v). */
enum yk_status yk_domain_start(struct yk_domain *d, const double *u, const double *v);
/* Continues from a state written into ops->state, as at the end of step `step`. */
enum yk_status yk_domain_resume(struct yk_domain *d, long step) YK_RT;
/* One step in parts: while `next` requests the force at time t, `absorb` evaluates and takes it. At the end `status` is
 * YK_E_DIVERGED if a value is not finite or an iteration did not converge. */
enum yk_need yk_domain_next(struct yk_domain *d, double *t) YK_RT;
void yk_domain_absorb(struct yk_domain *d) YK_RT;
/* Advances by dt. For models only: a specimen must be moved before its force is taken. */
enum yk_status yk_domain_step(struct yk_domain *d) YK_RT;
void yk_domain_now(const struct yk_domain *d, struct yk_kinematics *reached) YK_RT;

#endif
