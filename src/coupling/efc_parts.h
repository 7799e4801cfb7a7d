/* Parts of equivalent force control in separate files. */
#ifndef YOKE_COUPLING_EFC_PARTS_H
#define YOKE_COUPLING_EFC_PARTS_H

#include "coupling/efc_core.h"

/* Feed-forward. */
enum yk_status yk_efc_lead_check(const struct yk_efc_settings *set, struct yk_err *err);
void yk_efc_lead_layout(struct yk_efc *s, struct yk_arena *mem);
void yk_efc_lead_form(struct yk_efc *s, const struct yk_efc_settings *set);
/* Subtracts from d (m) what the command in F0 adds to it at rest. */
void yk_efc_lead_start(struct yk_efc *s, const double *a0, double *d) YK_RT;
/* A new command: F0, c1, c2. */
void yk_efc_lead_begin(struct yk_efc *s) YK_RT;
/* At the present tick; `moves`: the command has not reached its end. */
void yk_efc_lead_add(struct yk_efc *s, bool moves, double *dc) YK_RT;

/* Secant of the specimen. */
enum yk_status yk_efc_secant_check(const struct yk_efc_settings *set, struct yk_err *err);
void yk_efc_secant_layout(struct yk_efc *s, struct yk_arena *mem);
enum yk_status yk_efc_secant_form(struct yk_efc *s, const struct yk_efc_settings *set, struct yk_err *err);
void yk_efc_secant_read(struct yk_efc *s, const struct yk_efc_measured *measured) YK_RT;
/* Before the updates of a step. */
enum yk_status yk_efc_secant_prepare(struct yk_efc *s) YK_RT;
/* x := (A + (1+al)(share - 1) KE)^-1 A x, for an x that A^-1 has been applied to */
void yk_efc_secant_update(struct yk_efc *s, double *x) YK_RT;

/* A linear specimen that follows the command without error. */
struct yk_efc_settled {
    struct yk_matrix M, C, K; /* m*m; given, and taken over */
    struct yk_factor *KT;
    double *d, *v, *a, *edge; /* n, n, n, 2 m */
};
enum yk_status yk_efc_settled_form(struct yk_efc_settled *x, const struct yk_efc *s, struct yk_err *err);
void yk_efc_settled_free(struct yk_efc_settled *x); /* and x itself; may be NULL */
/* To the end of the step that has begun. */
void yk_efc_settled_move(struct yk_efc_settled *x, const struct yk_efc *s) YK_RT;
/* The readings of its motion, m each. */
void yk_efc_settled_read(const struct yk_efc_settled *x, const struct yk_efc *s, double *d, double *r, double *a) YK_RT;

#endif
