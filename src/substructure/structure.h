/* The inside of a structure of matrices, elements and members, for the files that make it, step it, account for its
 * energy and look at it. */
#ifndef YOKE_STRUCTURE_H
#define YOKE_STRUCTURE_H

#include "substructure/element.h"
#include "substructure/structure_members.h"

/* Memory of one state. */
struct yk_memory {
    double *x;   /* internal variables of the elements, one after the other; then what the members keep */
    double time; /* s; when it was committed */
    /* with members */
    double *u;            /* the displacements of that state */
    double elapsed;       /* s; since the commit before it */
    double *damping;      /* forces of damping by committed stiffness at its commit */
    bool known, tangents; /* are the forces of the members in u among what they keep, and their tangents? */
    size_t bounded, last; /* members whose iterations came to their bound, and the last of them */
};

struct yk_structure {
    struct yk_system system;
    struct yk_matrix C, K; /* linear part; the system's own are the tangents in the initial state */
    bool stiff, damped;    /* is there anything in K and C? */
    double *Kx, *Cx;       /* the same, as values in the pattern of the system */
    size_t *place;         /* of what each element adds to the tangents, in that pattern; by rows of its patch */
    struct yk_element *elements;
    size_t count;
    bool folded; /* the linear ones are part of the matrices; the others are in the arena: their shifts change */
    struct yk_base *bases;
    size_t base_count;
    double *z, *z_rate; /* motion of the bases */
    /* A commit makes the trial memory that of its sequence and takes a block that nobody holds for the next trial. */
    struct yk_memory memory[YK_CHAINS + 2];
    int committed[YK_CHAINS], marked, trial, sequence; /* which block is which, and the sequence that is followed */
    double t;                                          /* of the last force or commit */
    double *evaluated; /* extension and rate at which `trial` was found, from what is committed, if `fresh` */
    bool fresh;
    size_t variables; /* internal variables of all elements */
    struct yk_members members;
    /* energy account: state of the last call */
    double *f, *u, *v, *work;
    double *element_force, *element_extension, *element_shift;
    double *unused; /* internal variables that a look at an element leaves behind */
};

YK_RT static inline struct yk_memory *yk_structure_committed(struct yk_structure *s)
{
    return &s->memory[s->committed[s->sequence]];
}

/* Time since the last commit [s]. */
YK_RT static inline double yk_structure_elapsed(const struct yk_structure *s)
{
    const double h = s->t - s->memory[s->committed[s->sequence]].time;

    return h > 0 ? h : 0;
}

/* Preparation: refuses matrices that cannot be those of a structure. */
enum yk_status yk_structure_check(const struct yk_structure_parts *parts, struct yk_err *err);
/* Moves the linear elements into the matrices and drops them; the others move into the arena. zero: n zeros. */
enum yk_status yk_structure_fold(struct yk_structure *s, const double *zero, struct yk_arena *mem, struct yk_err *err);
/* The tangents of the system in its initial state, and their pattern. */
enum yk_status yk_structure_tangents(struct yk_structure *s, struct yk_err *err);
/* The energy account of the system. */
void yk_structure_account(void *self, const double *f, const double *u, const double *v,
                          struct yk_energy *energy) YK_RT;

#endif
