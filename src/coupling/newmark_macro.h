/* Newmark coupling with a multiplier that is linear in a system step: what the two PH methods share.
 * docs/theory/couplings-newmark.md, eq. (27). */
#ifndef YOKE_NEWMARK_MACRO_H
#define YOKE_NEWMARK_MACRO_H

#include "coupling/newmark_side.h"

/* Embedded first in a method. */
struct yk_newmark_macro {
    struct yk_newmark_sides pair;
    double *Y;     /* 3 n_B x rows: motion of B after all substeps under the ramp (j/ss) of a unit multiplier */
    double *known; /* n_B: force of the multiplier at the beginning of the step */
    struct yk_factor *H;
    struct yk_path path;
};

void yk_newmark_macro_layout(struct yk_newmark_macro *s, const struct yk_coupled *c, struct yk_arena *mem);
enum yk_status yk_newmark_macro_init(struct yk_newmark_macro *s, struct yk_coupled *c, struct yk_arena *mem,
                                     struct yk_err *err);
void yk_newmark_macro_fini(struct yk_newmark_macro *s);
/* At the beginning of a step: `known`. */
void yk_newmark_macro_begin(struct yk_newmark_macro *s) YK_RT;
/* B's free substep under the force (1 - x) known + gain - loss, x the fraction of the step at its end (n_B; both may be
 * NULL). */
void yk_newmark_macro_absorb(struct yk_newmark_macro *s, int substep, const double *gain, const double *loss) YK_RT;

/* Entries of the method table. */
enum yk_status yk_newmark_macro_start(void *self);
enum yk_status yk_newmark_macro_coarse(void *self, int phase) YK_RT;
enum yk_status yk_newmark_macro_sync(void *self, int phase) YK_RT;
enum yk_status yk_newmark_macro_resume(void *self);
enum yk_status yk_newmark_macro_link(const void *self, int side, size_t dof, double *weight, struct yk_err *err);

#define YK_NEWMARK_MACRO_FUNCTIONS                                                                                     \
    .chains = 1, .cycle_steps = 1, .sync = yk_newmark_macro_sync, .state = yk_newmark_sides_state,                     \
    YK_NEWMARK_PAIR_FUNCTIONS
#define YK_NEWMARK_MACRO_EVIDENCE                                                                                      \
    .order = 2, .order_subcycled = 2, .link = yk_newmark_macro_link, .multipliers = {1, 0}, YK_NEWMARK_PAIR_EVIDENCE

#endif
