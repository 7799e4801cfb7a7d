/* The search for the best settings, by NLopt where the program was built with it: DIRECT-L (Gablonsky and Kelley 2001)
 * looks everywhere, in half of the runs; COBYLA (Powell 1994) goes on from the best point. Neither needs derivatives.
 */
#include "parts.h"

#ifndef YOKE_NLOPT

bool yk_study_can_tune(void)
{
    return false;
}

enum yk_status yk_search(size_t d, size_t most, double (*value)(void *self, const double *x), void *self,
                         struct yk_err *err)
{
    return yk_fail(err, YK_E_UNSUPPORTED,
                   "--tune: this program was built without NLopt (Debian: libnlopt-dev); --sample sobol:%zu searches "
                   "without it",
                   most);
}

#else

#include <math.h>
#include <nlopt.h>
#include <string.h>

#define NEAR       1e-4 /* of the bounds: where the search ends */
#define FIRST_STEP 0.1  /* of the second method */

bool yk_study_can_tune(void)
{
    return true;
}

struct search {
    double (*value)(void *self, const double *x);
    void *self;
    size_t made;
    double worst, best; /* finite values met */
    double at[YK_STUDY_KEYS];
};

static double objective(unsigned d, const double *x, double *gradient, void *self)
{
    struct search *s = self;
    const double f = s->value(s->self, x);

    if (!isfinite(f))
        return s->made ? s->worst + fabs(s->worst) : 1e6; /* the methods want a number: worse than all that were met */
    if (s->made == 0 || f < s->best) {
        s->best = f;
        memcpy(s->at, x, d * sizeof *x);
    }
    s->worst = s->made == 0 || f > s->worst ? f : s->worst;
    s->made++;
    return f;
}

static bool search_by(nlopt_algorithm method, size_t d, size_t most, struct search *s)
{
    nlopt_opt opt = nlopt_create(method, (unsigned)d);
    double x[YK_STUDY_KEYS], f;
    bool good = opt && nlopt_set_lower_bounds1(opt, 0) > 0 && nlopt_set_upper_bounds1(opt, 1) > 0 &&
                nlopt_set_min_objective(opt, objective, s) > 0 && nlopt_set_maxeval(opt, (int)most) > 0 &&
                nlopt_set_xtol_abs1(opt, NEAR) > 0 && nlopt_set_initial_step1(opt, FIRST_STEP) > 0;

    memcpy(x, s->at, sizeof x);
    if (good) {
        const nlopt_result end = nlopt_optimize(opt, x, &f);

        good = end > 0 || end == NLOPT_ROUNDOFF_LIMITED;
    }
    nlopt_destroy(opt);
    return good;
}

enum yk_status yk_search(size_t d, size_t most, double (*value)(void *self, const double *x), void *self,
                         struct yk_err *err)
{
    struct search s = {.value = value, .self = self};

    for (size_t k = 0; k < d; k++)
        s.at[k] = 0.5;
    if (!search_by(NLOPT_GN_DIRECT_L, d, most / 2, &s) || !search_by(NLOPT_LN_COBYLA, d, most - most / 2, &s))
        return yk_fail(err, YK_E_MEMORY, "--tune: NLopt failed");
    return YK_OK;
}

#endif
