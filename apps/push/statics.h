/* Equilibrium of a structure under loads that grow, and its path: displacement control, arc-length, gravity.
 *
 * Unknowns are the displacements U of the untorn structure and the factor lambda of the load pattern p:
 *
 *     R(U) = P + lambda p,      d^T dU + e dlambda = g                                                             (1)
 *
 * with P the loads that are kept. A step starts from the committed state and is committed once, in equilibrium. */
#ifndef YOKE_PUSH_STATICS_H
#define YOKE_PUSH_STATICS_H

#include <yoke/parts.h>

struct statics {
    struct yk_parts *parts;             /* not owned */
    const struct yk_assembly *assembly; /* its untorn structure */
    struct yk_system *s;
    size_t n;
    double *u;            /* committed displacements */
    double *P;            /* loads that are kept */
    double *p;            /* the pattern */
    double lambda;        /* its factor, committed */
    double *c;            /* the control displacement is c^T U */
    double spring;        /* stiffness K_cc of the structure at its start: eq. (2) */
    bool *turns;          /* is a degree of freedom a rotation? */
    bool *held;           /* is it held at its place, as by a specimen? */
    double *lambda0;      /* forces that hold it */
    double force, moment; /* the largest loads so far: what residuals are compared with */
    double time;          /* of the last commit [s] */
    double tick;          /* s; from a commit to the next: laws of the rate come to rest; 0: no such law */
    size_t largest;       /* degree of freedom with the largest residual of a search that failed */
    double left;          /* that residual */
    long iterations;      /* of the last search */
    /* work */
    struct yk_matrix K, C;
    double *trial, *r, *a, *b, *z, *zero, *product;
};

/* The structure of the parts, unloaded and at rest. */
enum yk_status statics_open(struct statics *q, struct yk_parts *parts, struct yk_err *err);
void statics_close(struct statics *q);

/* A degree of freedom of the untorn structure by the name "frame.top.x": `column` (n) becomes its row of the map. */
enum yk_status statics_find(const struct statics *q, struct yk_where where, const char *name, double *column,
                            struct yk_err *err);
/* Substructure and its degree of freedom. */
enum yk_status statics_find_dof(const struct yk_parts *parts, struct yk_where where, const char *name, size_t *part,
                                size_t *dof, struct yk_err *err);
/* Displacements of substructure k. */
void statics_share(const struct statics *q, size_t k, const double *u, double *own);

/* Tangent at the committed state, asked with the increment `way` (n; NULL: none), into q->K. */
enum yk_status statics_tangent(struct statics *q, const double *u, const double *way, struct yk_err *err);

/* The condition of a step, eq. (1): d^T dU + e dlambda = g, or of an arc, |dU|^2 + (e dlambda)^2 = g^2. d NULL and e 0:
 * the loads do not change. */
struct condition {
    const double *d;
    double e, g;
    bool arc;
    const double *way; /* of an arc: first guess of dU, and of dlambda */
    double dlambda;
};
/* Equilibrium from the committed state, in q->trial and *lambda; nothing is committed. False: none was found within the
 * iterations. */
bool statics_search(struct statics *q, const struct condition *to, double *lambda);
/* The tangent direction (dU, dlambda) of the path at the committed state, with a product of 1 with (d, e). */
bool statics_direction(struct statics *q, const double *d, double e, double *dU, double *dlambda);
/* Accepts the trial state. */
void statics_commit(struct statics *q, double lambda);

#endif
