/* Substructures and the structure they form.
 *
 * A substructure is a system with a name and named degrees of freedom. Interfaces are linear rows between them,
 * sum_j c_j u_j = 0. The untorn structure is again a system, in the degrees of freedom that the rows leave free. */
#ifndef YOKE_SUBSTRUCTURE_H
#define YOKE_SUBSTRUCTURE_H

#include <yoke/law.h>
#include <yoke/signal.h>
#include <yoke/system.h>

/* A point that moves as prescribed, z(t) = r(t) (sum of signals), r rising from 0 to 1 over the time fade_in. Elements
 * may end at it. */
struct yk_base_signal {
    const struct yk_signal_ops *ops; /* value: m */
    void *settings;                  /* owned */
};
struct yk_base {
    char *name;
    double fade_in;
    struct yk_base_signal *signals;
    size_t count;
};
void yk_base_at(const struct yk_base *base, double t, double *z, double *rate) YK_RT;
void yk_base_free(struct yk_base *base);

/* The end of an element on a rotating body: its extension grows by arm sin(u), or by arm u where it is not exact. */
struct yk_lever {
    size_t dof; /* the rotation */
    double arm; /* m */
    bool exact;
};

/* An element between two degrees of freedom (-1: the ground; -2 - k: base k). Its extension is u[to] - u[from], plus
 * what the levers add. docs/theory/test-rigs.md, eq. (20)-(22) */
enum { YK_LEVERS = 4 };
struct yk_element {
    const struct yk_law_ops *law;
    void *settings; /* owned */
    long from, to;
    size_t lever_count;
    struct yk_lever levers[YK_LEVERS];
    double shift, shift_rate; /* what its bases add to extension and rate; kept by the structure */
};
/* Its force is k d + c w with d and w linear in u and v, and no end on a base: it becomes part of the matrices. */
bool yk_element_is_linear(const struct yk_element *element);

/* A structure of matrices, elements and members of frames. create takes over M, C, K, the elements, members and bases,
 * also when it fails. Linear elements become part of C and K. M must be symmetric positive definite, K symmetric. */
struct yk_structure_member;
struct yk_structure_parts {
    struct yk_matrix M, C, K;
    struct yk_element *elements; /* malloc'd array, may be NULL */
    size_t element_count;
    struct yk_structure_member *members; /* malloc'd array, may be NULL; inside the library only */
    size_t member_count;
    double committed_damping; /* s; damping by this factor times the stiffness the members had at the last commit */
    struct yk_base *bases;    /* malloc'd array, may be NULL */
    size_t base_count;
    double *u0, *v0;          /* malloc'd initial state */
    const char *const *names; /* of the degrees of freedom, for messages; may be NULL; stays the caller's */
    bool massless;            /* the mass may be zero: a specimen of a virtual rig */
    bool unchecked;           /* skip the checks of symmetry and definiteness (tangents of a system that passed them) */
};
enum yk_status yk_structure_create(struct yk_system **system, struct yk_structure_parts *parts, struct yk_arena *mem,
                                   struct yk_err *err);
void yk_structure_parts_free(struct yk_structure_parts *parts);

/* C = sum_i 2 zeta_i w_i M phi_i phi_i^T M over the given ratios (the last one holds for all higher modes). */
enum yk_status yk_modal_damping(const struct yk_matrix *M, const struct yk_matrix *K, const double *ratio, size_t count,
                                struct yk_matrix *C, struct yk_err *err);

/* A substructure that is not a structure of matrices and elements: its own equations, fixed degrees of freedom. */
struct yk_kind_ops {
    const char *name; /* key in experiment files: "spring-pendulum" */
    const char *summary;
    const char *reference;
    const struct yk_param *params;
    size_t settings_size;
    const char *const *dofs; /* names, NULL at the end */
    /* The system and all that changes in it are taken from `mem`; u0, v0 and the matrices are malloc'd. */
    enum yk_status (*create)(const void *settings, const double *u0, const double *v0, struct yk_arena *mem,
                             struct yk_system **system, struct yk_err *err);
    void *user; /* see plugin.h */
};
extern const struct yk_kind_ops *const yk_kinds[]; /* NULL at the end */
const struct yk_kind_ops *yk_kind_find(const char *name);

struct yk_substructure {
    char *name;
    char **dofs;
    struct yk_system *system;
    bool fine; /* side of a coupling */
};

/* Moves a fraction, in [0, 1), of the diagonal mass entry of one degree of freedom to that of another, which an
 * interface joins to it: the whole structure stays the same while a specimen's side gets mass to couple to. Only the
 * matrix M changes, so call it before making loads that contain the mass, assemblies and couplings. Refused where a
 * mass matrix would stop being positive definite or depends on the configuration. docs/theory/couplings-newmark.md, eq.
 * (29) */
enum yk_status yk_transfer_mass(struct yk_substructure *from, size_t dof_from, struct yk_substructure *to,
                                size_t dof_to, double fraction, struct yk_err *err);
/* Undoes the transfer of a mass [kg]. */
void yk_return_mass(struct yk_substructure *from, size_t dof_from, struct yk_substructure *to, size_t dof_to,
                    double mass);

/* One interface row: sum_j coefficient[j] * u(substructure[j], dof[j]) = 0. */
struct yk_row {
    size_t count;
    size_t *substructure, *dof;
    double *coefficient;
    struct yk_where where;
};

/* The untorn structure. */
struct yk_assembly {
    struct yk_system *system; /* owned, unless the assembly is one substructure by itself */
    bool borrowed;
    size_t count;
    struct yk_matrix *map; /* of each substructure: transposed map, free x local; u_k = map^T u */
    struct yk_arena own;   /* where it was created without an arena */
};
/* Substructures stay the caller's. Redundant rows are accepted; rows that fix a degree of freedom or initial conditions
 * that violate a row are refused with the names. */
enum yk_status yk_assembly_create(struct yk_assembly *assembly, const struct yk_substructure *substructures,
                                  size_t count, const struct yk_row *rows, size_t row_count, struct yk_arena *mem,
                                  struct yk_err *err);
void yk_assembly_destroy(struct yk_assembly *assembly);
/* Moves the start values of the whole and of its substructures into equilibrium with the loads f (n of the whole),
 * added to the start values they have. held: NULL, nothing. Fails if the structure is free to move or no equilibrium is
 * found. */
struct yk_hold {
    bool *at;      /* is the degree of freedom held where it is? */
    double *force; /* that holds it; set */
};                 /* n each */
enum yk_status yk_assembly_settle(struct yk_assembly *assembly, struct yk_substructure *substructures, const double *f,
                                  const struct yk_hold *held, struct yk_err *err);

/* The same structure in its undamped modes, u = X q: an assembly with the same substructures, whose
 * system has diagonal matrices and whose maps are X^T T_k^T, dense. `of` must outlive it. Refused (YK_E_UNSUPPORTED,
 * about "path") where the damping is not classical to 1e-10 of critical damping, the mass depends on the configuration,
 * or nothing is linear. docs/theory/modal.md */
enum yk_status yk_modal_create(struct yk_assembly *modal, const struct yk_assembly *of, struct yk_arena *mem,
                               struct yk_err *err);
/* Modes are taken never, always, or where they are estimated to save time over a run. */
enum yk_modal_use { YK_MODAL_NEVER, YK_MODAL_IF_FASTER, YK_MODAL_ALWAYS };
struct yk_modal_wish {
    enum yk_modal_use use;
    double steps; /* of the run */
    double reads; /* numbers that are read of the motion in each: displacements, velocities, accelerations */
};
/* modal->system is NULL where modes are not taken. */
enum yk_status yk_modal_choose(struct yk_assembly *modal, const struct yk_assembly *of,
                               const struct yk_modal_wish *wish, struct yk_arena *mem, struct yk_err *err);
/* From a vector of the given structure to modes, q = X^T M x; from forces on modes to forces, f = M X p. */
void yk_modal_from(const struct yk_assembly *modal, const double *x, double *q);
/* The initial state that the given structure has now, in modes; valid until the next energy account. */
void yk_modal_start(const struct yk_assembly *modal, const double **u, const double **v);
void yk_modal_force(const struct yk_assembly *modal, const double *p, double *f);
/* A := X^T A, dense */
enum yk_status yk_modal_project(const struct yk_assembly *modal, struct yk_matrix *A, struct yk_err *err);

/* A load: a signal times a direction on the degrees of freedom of one substructure. */
struct yk_load {
    const struct yk_signal_ops *signal;
    void *settings; /* owned */
    size_t substructure;
    double *direction; /* owned, N per unit of the signal; ground motion: -M b */
    size_t entry;      /* which load of the file it is part of: a ground motion may act on several substructures */
    bool ground;       /* the signal is an acceleration */
};
struct yk_load_set; /* opaque: loads on a structure */
enum yk_status yk_load_set_create(struct yk_load_set **created, const struct yk_assembly *assembly,
                                  const struct yk_load *loads, size_t count, struct yk_err *err);
void yk_load_set_destroy(struct yk_load_set *set);
void yk_load_set_at(void *self, double t, double *f) YK_RT;
/* The loads P^T f(t); P has one row for each degree of freedom. */
enum yk_status yk_load_set_project(struct yk_load_set **created, const struct yk_load_set *set,
                                   const struct yk_matrix *P, struct yk_err *err);

#endif
