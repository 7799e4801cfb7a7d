/* A system: degrees of freedom with mass and force, M a = p(t, u, v). A substructure is one; so is a whole structure
 * assembled from substructures. An integrator knows nothing else of what it advances.
 *
 * p is the net force f(t) - r(u, v): external load minus restoring force (stiffness, damping and hysteresis together).
 * Evaluations are trials that start from the last committed state; `commit` accepts a state; to roll back, just
 * evaluate again. */
#ifndef YOKE_SYSTEM_H
#define YOKE_SYSTEM_H

#include <yoke/arena.h>
#include <yoke/linalg.h>

/* Doubles that change during a run; copied to save and restore a state. */
struct yk_span {
    double *x;
    size_t n;
};

/* Energy account of a system since the start of the run [J]; `work` of external loads, `dissipated` by damping and
 * paths. */
struct yk_energy {
    bool started; /* false: the next account begins here with zero work and dissipation */
    double kinetic, stored, dissipated, work;
};

/* How a method solves its equations, and why. docs/performance.md */
struct yk_solving {
    enum yk_solve_path path; /* YK_SOLVE_AUTO: no method has chosen yet */
    bool current;            /* with the tangents of the state, factored in the loop; else factored once */
    bool symmetric;
    bool halves;                     /* two threads solve faster than one */
    size_t half_band, numbers, rank; /* of the band; of a sparse factor; of a correction */
    /* cost of a factorisation and two solutions, by path; INFINITY if the path is not possible. Only if `current` */
    double cost_s[YK_SOLVE_PATHS];
    /* the choice of the modal path: estimates for a step and what is read of it, in the given degrees of freedom and in
     * modes (0: there was no choice); why modes were not taken (NULL: they were, or that is plain from the estimates)
     */
    struct {
        double given_s, modal_s;
        const char *reason;
    } modal;
};

enum { YK_CHAINS = 4 }; /* memories of a system that can have more than one */

struct yk_system_ops {
    void (*force)(void *self, double t, const double *f, const double *u, const double *v, double *p) YK_RT;
    /* The target of the next force. Called for all parts of a structure before the first force of an instant is
     * evaluated, so that specimens move together. NULL where no target is needed. */
    void (*set_target)(void *self, double t, const double *u, const double *v) YK_RT;
    /* Forgets the past: internal variables at rest in displacement u. NULL where nothing is remembered. */
    void (*rest)(void *self, const double *u);
    /* Permanent loads have moved it to u. Elements that carry them follow this path; their internal variables at its
     * end are from now on their state at rest. Returns the name of an element that cannot carry them, or NULL. The
     * function is NULL where nothing remembers loads. */
    const char *(*carry)(void *self, const double *u);
    /* Accepts the state (u, v) at time t. NULL where nothing is remembered. */
    void (*commit)(void *self, double t, const double *u, const double *v) YK_RT;
    /* Saves the committed state, and returns to it: for methods that follow a path before they know its correction.
     * NULL where nothing is remembered. */
    void (*mark)(void *self) YK_RT;
    void (*rewind)(void *self) YK_RT;
    /* For methods whose states form interleaved sequences, each with its own past: forces and commits belong to
     * sequence k < YK_CHAINS from now on. All begin at rest. NULL where nothing is remembered, or only one past. */
    void (*follow)(void *self, int k) YK_RT;
    /* K = -dp/du and C = -dp/dv, dense n*n, at (u, v) under the time and load of the last `force` call. */
    void (*tangent)(void *self, const double *u, const double *v, double *K, double *C) YK_RT;
    /* The same as values in the pattern of the system. NULL: there is no pattern, only dense tangents. */
    void (*sparse_tangent)(void *self, const double *u, const double *v, double *K, double *C) YK_RT;
    /* Differences of K and C from the start, for a system with `changing`; cols x cols each, dense. Writes only
     * entries that are not always 0. */
    void (*change)(void *self, const double *u, const double *v, double *dK, double *dC) YK_RT;
    /* p += the part of the force beyond -K u - C v of the linear matrices below. Reads and writes only degrees of
     * freedom whose tangents vary, by the pattern. NULL: the system is not divided that way. */
    void (*beyond)(void *self, double t, const double *u, const double *v, double *p) YK_RT;
    /* out = dp/df F: what forces F (n x cols) on the degrees of freedom add to p in displacement u. NULL: they add
     * themselves; only systems whose mass is divided out do otherwise. */
    void (*mobility)(void *self, const double *u, size_t cols, const double *F, double *out) YK_RT;
    /* Displacement and acceleration at which the last force was really measured; NULL: those of the target. */
    void (*measured)(void *self, double *u, double *a) YK_RT;
    /* Updates the account to the committed state (u, v) under the load f. */
    void (*account)(void *self, const double *f, const double *u, const double *v, struct yk_energy *energy) YK_RT;
    void (*destroy)(void *self); /* frees its heap memory */
    /* Why its forces are not finite, in words, where it is known better than by the numbers: code of others failed.
     * False: nothing is wrong. May be NULL. */
    bool (*fault)(const void *self, char *text, size_t size);
    /* More about it in words, for `yoke check`. May be NULL. */
    void (*describe)(const void *self, char *text, size_t size);
    bool physical; /* a specimen: its force is measured */
};

struct yk_system {
    size_t n;
    struct yk_matrix M, C, K;  /* K, C: tangents in the initial state; M: symmetric positive definite */
    bool linear;               /* p = f - C v - K u exactly                                           */
    bool constant_tangents;    /* nonlinear, but `tangent` always gives K and C: a specimen with its estimate */
    bool rate;                 /* p depends on v by more than -C v with a constant C */
    bool mass_divided_out;     /* M is the identity and p an acceleration: cannot share degrees of freedom */
    struct yk_pattern pattern; /* entries of M and of the tangents, where there is a sparse tangent */
    /* in modes: E, where the tangents are K + E dK E^T, and the entries of dK and dC that are not always 0; not owned,
     * no columns: the tangents do not change */
    struct yk_matrix changing;
    const size_t *changing_entry;
    size_t changing_entries;
    const struct yk_matrix *linear_K, *linear_C; /* where there is `beyond` */
    enum yk_solve_path path;                     /* requested for the equations that methods solve */
    struct yk_solving solving;                   /* what a method has chosen */
    double *u0, *v0; /* initial state                                                       */
    const struct yk_system_ops *ops;
    void *self;
    struct yk_arena own; /* where it was created without an arena */
};

static inline void yk_system_force(struct yk_system *s, double t, const double *f, const double *u, const double *v,
                                   double *p)
{
    s->ops->force(s->self, t, f, u, v, p);
}

/* Frees its heap memory: matrices, initial state, what `destroy` frees, and its own arena if it has one. The struct and
 * all that changes in it are pieces of an arena. */
void yk_system_destroy(struct yk_system *system);

#endif
