/* Checks of a motion at every step: the energy account of the whole structure, and the gaps of its interfaces. */
#ifndef YOKE_STATE_BALANCE_H
#define YOKE_STATE_BALANCE_H

#include "state/state.h"

/* The motion of all substructures at one instant, one after the other. */
struct yk_snapshot {
    const size_t *first;         /* degree of freedom of each substructure */
    const unsigned char *needed; /* by degree of freedom, as in yk_state_read; NULL: all */
    double *u, *v, *a;
};
/* malloc'd; the arrays may be the caller's own instead. */
enum yk_status yk_snapshot_open(struct yk_snapshot *s, const struct yk_model *model, struct yk_err *err);
void yk_snapshot_close(struct yk_snapshot *s);
void yk_snapshot_take(struct yk_snapshot *s, const struct yk_state *m) YK_RT;
/* sum_j c_j x_j of an interface row; x is u, v or a. */
double yk_snapshot_gap(const struct yk_snapshot *s, const struct yk_row *row, const double *x) YK_RT;

struct yk_balance {
    struct yk_energy sum; /* of all substructures since the start */
    double error;         /* of the account: stored plus dissipated energy minus the work put in */

    const double *pushed; /* forces besides the loads, by degree of freedom of all substructures; NULL: none */

    /* private */
    struct yk_energy *of; /* each substructure */
    double *f;
    double start;
};
enum yk_status yk_balance_open(struct yk_balance *b, const struct yk_model *model, struct yk_err *err);
void yk_balance_close(struct yk_balance *b);
/* Updates the account to the current step of the motion. */
void yk_balance_take(struct yk_balance *b, const struct yk_state *m, const struct yk_snapshot *s) YK_RT;

#endif
