/* The accurate solution of the untorn structure, computed during or before a run, and the errors against it. */
#ifndef YOKE_ENGINE_REFERENCE_H
#define YOKE_ENGINE_REFERENCE_H

#include "state/state.h"
#include <yoke/deviation.h>

struct yk_reference {
    const struct yk_model *model;
    const struct yk_reference_model *of;
    const struct yk_model *own; /* its structure; NULL: there is no reference */
    struct yk_state state;
    size_t *twin; /* of each degree of freedom: the one with the same name in the reference, which may have more */
    double *twin_u, *twin_v, *twin_a;
    double *states;                 /* u and v of every degree of freedom at one step, or at all of them */
    size_t dofs;                    /* of the run */
    bool shared;                    /* another object owns them */
    long made, kept;                /* steps made; steps that are kept: 1, or all */
    struct yk_deviation of_u, of_v; /* of the run from it */
};

/* `ahead`: computes and keeps the whole solution here, so that the loop of a paced run need not. */
enum yk_status yk_reference_open(struct yk_reference *r, const struct yk_model *model, bool ahead, struct yk_err *err);
/* Shares one that was computed ahead with another run of the same structure, loads and step. It must not outlive the
 * other. */
void yk_reference_share(struct yk_reference *r, const struct yk_reference *ahead);
void yk_reference_close(struct yk_reference *r);
/* Advances to the next step; does nothing if it was computed ahead. */
enum yk_status yk_reference_advance(struct yk_reference *r);
/* Displacements of all degrees of freedom at a step: the last one, or any if it was computed ahead. */
const double *yk_reference_at(const struct yk_reference *r, long step) YK_RT;
/* Adds the state of one degree of freedom of the run to the errors. */
void yk_reference_compare(struct yk_reference *r, long step, size_t dof, double u, double v) YK_RT;

#endif
