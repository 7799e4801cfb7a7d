/* Ends a Newton step that goes too far, as steps over a kink do: at the zero of the work r . step of the unbalanced
 * force r. If r falls along the step, this is the point of least energy. The Illinois rule finds the zero between two
 * signs; the work need not be smooth. Used where forces harden, soften, or turn round. */
#ifndef YOKE_STEP_CUT_H
#define YOKE_STEP_CUT_H

#include <yoke/status.h>

struct yk_step_cut {
    double part;            /* of the step: where to evaluate next */
    double enough;          /* work that ends the search */
    double at[2], works[2]; /* before and behind the zero */
    int side, count;        /* of the last part; parts tried, less one */
};
enum { YK_STEP_CUTS = 8 }; /* at most in one step */

/* `work`: r . step at the beginning of a step, not negative. The first part is all of it. */
void yk_step_cut_begin(struct yk_step_cut *c, double work) YK_RT;
/* `work`: the same with r of the present part. True: another part is to be tried; false: the step ends here. */
bool yk_step_cut_again(struct yk_step_cut *c, double work) YK_RT;

/* The same for vectors of n. A step to more energy, possible if the tangent is not positive, is turned round. */
void yk_step_begin(struct yk_step_cut *c, size_t n, const double *r, double *step) YK_RT;
/* x: from the present part of the step to the next. */
bool yk_step_again(struct yk_step_cut *c, size_t n, const double *r, const double *step, double *x) YK_RT;

#endif
