/* Parts of equivalent force control that have files of their own. */
#ifndef YOKE_COUPLING_EFC_PARTS_H
#define YOKE_COUPLING_EFC_PARTS_H

#include "coupling/efc_core.h"

/* Feed-forward. */
enum yk_status yk_efc_lead_check(const struct yk_efc_settings *set, struct yk_err *err);
void yk_efc_lead_layout(struct yk_efc *s, struct yk_arena *mem);
void yk_efc_lead_form(struct yk_efc *s, const struct yk_efc_settings *set);
/* Takes from d (m) what the command in F0 adds to it at rest. */
void yk_efc_lead_start(struct yk_efc *s, const double *a0, double *d) YK_RT;
/* A new command: F0, c1, c2. */
void yk_efc_lead_begin(struct yk_efc *s) YK_RT;
/* At the present tick; `moves`: the command has not come to its end. */
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

#endif
