/* Signs of a setup against those that the user states, and the single mistake that would explain a difference: a device
 * with reversed polarity, a degree of freedom counted the other way, two actuators that are exchanged. */
#include "transfer/setup/signs.h"

#include <math.h>
#include <stdio.h>

/* Correction of one mistake in D. NONE: not part of it. */
#define NONE ((size_t)-1)
struct mend {
    size_t actuator, dof;  /* whose signs are turned */
    size_t one, the_other; /* rows that are exchanged */
};

static int sign_of(const struct yk_setup_plan *plan, const double *D, const struct mend *m, size_t actuator, size_t dof)
{
    const size_t row = actuator == m->one ? m->the_other : actuator == m->the_other ? m->one : actuator;
    const bool turned = (actuator == m->actuator) != (dof == m->dof);
    double most = 0;

    for (size_t j = 0; j < plan->dofs; j++)
        most = fmax(most, fabs(D[row + j * plan->actuators]));
    const double x = D[row + dof * plan->actuators];
    if (!(fabs(x) > 1e-12 * most)) /* rounding of coefficients that cancel */
        return 0;
    return (x > 0) != turned ? 1 : -1;
}

static bool explains(const struct yk_setup_plan *plan, const double *D, const struct mend *m,
                     const struct yk_setup_sign *signs, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (sign_of(plan, D, m, signs[k].actuator, signs[k].dof) != signs[k].sign)
            return false;
    return true;
}

/* A sentence about the one mistake, or the general one. */
static void find_hint(const struct yk_setup_plan *plan, const double *D, const struct yk_setup_sign *signs,
                      size_t count, char *hint, size_t size)
{
    for (size_t i = 0; i < plan->actuators; i++)
        if (explains(plan, D, &(struct mend){i, NONE, NONE, NONE}, signs, count)) {
            snprintf(hint, size,
                     "everything would agree if %s were reversed: its calibration or its row has the wrong sign",
                     plan->actuator_names[i]);
            return;
        }
    for (size_t j = 0; j < plan->dofs; j++)
        if (explains(plan, D, &(struct mend){NONE, j, NONE, NONE}, signs, count)) {
            snprintf(hint, size, "everything would agree if %s had the opposite sign", plan->dof_names[j]);
            return;
        }
    for (size_t i = 0; i < plan->actuators; i++)
        for (size_t k = i + 1; k < plan->actuators; k++)
            if (explains(plan, D, &(struct mend){NONE, NONE, i, k}, signs, count)) {
                snprintf(hint, size, "everything would agree if %s and %s were swapped", plan->actuator_names[i],
                         plan->actuator_names[k]);
                return;
            }
    snprintf(hint, size, "no single reversal or swap explains it: check the rows one by one");
}

enum yk_status yk_setup_check_signs(const struct yk_setup_plan *plan, const double *D,
                                    const struct yk_setup_sign *signs, size_t count, struct yk_err *err)
{
    static const struct mend as_it_is = {NONE, NONE, NONE, NONE};

    for (size_t k = 0; k < count; k++) {
        const struct yk_setup_sign *s = &signs[k];
        const double x = D[s->actuator + s->dof * plan->actuators];
        char hint[256];

        if (sign_of(plan, D, &as_it_is, s->actuator, s->dof) == s->sign)
            continue;
        find_hint(plan, D, signs, count, hint, sizeof hint);
        return yk_fail(
            err, YK_E_INPUT, "a positive %s should move %s in the %s direction, but moves it by %g per unit; %s",
            plan->dof_names[s->dof], plan->actuator_names[s->actuator], s->sign > 0 ? "positive" : "negative", x, hint);
    }
    return YK_OK;
}
