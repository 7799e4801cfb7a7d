/* A structure assembled from substructures, as a system: in the degrees of freedom that the interface rows leave free
 * (assembly.c) or in its undamped modes (modal.c). Private to src/substructure. */
#ifndef YOKE_SUBSTRUCTURE_ASSEMBLED_H
#define YOKE_SUBSTRUCTURE_ASSEMBLED_H

#include <yoke/substructure.h>

/* Entry e of the tangents of a part adds factor[k] times itself to entries target[k] of the whole, for k from start[e]
 * to start[e + 1]. */
struct yk_spread {
    size_t entries;
    double *K, *C; /* of a part whose tangents are constant; else NULL */
    size_t *start, *target;
    double *factor;
};

struct yk_part {
    struct yk_system *system;
    const struct yk_matrix *map; /* transposed: u_k = map^T u */
    double *f, *u, *v, *p;
    struct yk_spread *spread; /* of its tangents over those of the whole; constant */
};

struct yk_assembled {
    struct yk_system system;
    struct yk_part *parts;
    size_t count;
    double *Ksub, *Csub; /* room for the tangents of a part */
    double *f, *u, *v;   /* energy account; v in modes only */

    /* In modes, the linear parts are the diagonals of K and C, which hold the initial tangents of all others, too:
     * these are the parts above, and what is left of their forces beyond those tangents is added. */
    double *modes;                 /* n*n: a mode in each column; NULL: not in modes */
    const struct yk_system *whole; /* the same structure in its degrees of freedom */
    double *work;                  /* n of these */
};

/* The functions of a system whose self is a struct yk_assembled. */
extern const struct yk_system_ops yk_assembled_ops;

#endif
