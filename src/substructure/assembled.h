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
    struct yk_spread *spread;   /* of its tangents over those of the whole; constant */
    const struct yk_thin *thin; /* in modes: the degrees of freedom that the map leads to; NULL: all */
    double *few;                /* 3 times as many numbers */
};

struct yk_assembled {
    struct yk_system system;
    struct yk_part *parts;
    size_t count;
    double *Ksub, *Csub; /* room for the tangents of a part */
    double *f, *u;       /* energy account */

    /* In modes, what is linear is the diagonals of K and C. The rest are the parts above; E S E^T in K and C are their
     * initial tangents. */
    double *modes;                 /* n*n: a mode in each column; NULL: not in modes */
    double *reach;                 /* maps of the parts, side by side; those with changing tangents come first */
    struct yk_thin *thin;          /* by part */
    size_t *entry;                 /* of dK and dC that change */
    const struct yk_system *whole; /* the same structure in its degrees of freedom */
    double *v, *work;              /* energy account; n numbers */
};

/* Map between a nonlinear part and the modes; constant. */
struct yk_thin {
    struct yk_matrix map; /* modes x count, in `reach` */
    size_t count, *dof;   /* the degrees of freedom of the part that it acts on */
    size_t first;         /* column of `reach` */
    /* changing tangents: entry[i] of the part adds to place[i] of dK and dC; K, C: values at the start */
    size_t changes, *entry, *place;
    double *K, *C;
};

enum { YK_MODES_MOST = 4000 }; /* modes and maps take n*n numbers each */
/* The linear matrices of a structure. */
struct yk_linear {
    struct yk_matrix K, C;
    bool own; /* to be freed */
};
enum yk_status yk_modal_linear(const struct yk_assembly *of, struct yk_linear *l, struct yk_err *err);
void yk_modal_linear_free(struct yk_linear *l);
/* Number of degrees of freedom on which nonlinear parts act. */
size_t yk_modal_columns(const struct yk_assembly *of);
/* Why a structure cannot be in modes, as far as that is plain before its matrices are looked at; NULL: nothing is. */
const char *yk_modal_obstacle(const struct yk_assembly *of);

/* out = sum_k T_k^T A_k T_k, A_k = which(part); NULL: nothing. */
enum yk_status yk_assembled_sum(struct yk_matrix *out, const struct yk_assembled *a,
                                const struct yk_matrix *(*which)(const struct yk_system *s), struct yk_err *err);
/* The functions of a system whose self is a struct yk_assembled, as far as those in modes share them. */
void yk_assembled_gather(const struct yk_part *part, const double *u, double *local) YK_RT;
void yk_assembled_set_target(void *self, double t, const double *u, const double *v) YK_RT;
void yk_assembled_rest(void *self, const double *u);
void yk_assembled_commit(void *self, double t, const double *u, const double *v) YK_RT;
void yk_assembled_mark(void *self) YK_RT;
void yk_assembled_rewind(void *self) YK_RT;
void yk_assembled_follow(void *self, int k) YK_RT;
void yk_assembled_tangent_of(struct yk_assembled *a, const struct yk_part *part, const double *u,
                             const double *v) YK_RT;
void yk_assembled_account(void *self, const double *f, const double *u, const double *v,
                          struct yk_energy *energy) YK_RT;

#endif
