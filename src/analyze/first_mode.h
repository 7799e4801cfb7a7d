/* The root of the first mode, followed from short steps on: where it leaves the true one, the roots of other modes may
 * be nearer to that. */
#ifndef YOKE_ANALYZE_FIRST_MODE_H
#define YOKE_ANALYZE_FIRST_MODE_H

#include "analyze/analyze.h"

struct yk_first_mode {
    double omega;                 /* 1/s; 0: not looked for yet, negative: there is none */
    double step;                  /* s, that it was followed to; 0: from the beginning */
    double damping, period_error; /* there; NAN: it was lost */
};

/* The root nearest to the one that damping and period error of the step before give; they become those of this step. */
void yk_first_mode_follow(size_t n, const double *re, const double *im, double cycle_s, struct yk_first_mode *mode);
/* Follows it to just before the step dt; from the beginning, if dt is shorter than the last one. */
enum yk_status yk_first_mode_approach(const struct yk_experiment *e, double dt, struct yk_first_mode *mode,
                                      struct yk_err *err);

#endif
