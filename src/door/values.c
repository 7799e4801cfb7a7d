/* Quantities, delays and memory for programs. */
#include "analyze/analyze.h"
#include <yoke/yoke.h>

#include <stdlib.h>
#include <string.h>

/* The first quantity that takes the text, in the order of the list: specific ones are forms of those before them. */
static enum yk_status parse_any(const char *text, double *si, struct yk_err *err)
{
    struct yk_err first = {0};

    for (int q = YK_NUMBER; q < YK_QUANTITY_COUNT; q++) {
        struct yk_err reason = {0};
        const enum yk_status st = yk_quantity_parse(text, (enum yk_quantity)q, si, &reason);

        if (st != YK_E_UNIT) {
            if (err)
                *err = reason;
            return st;
        }
        if (q == YK_NUMBER)
            first = reason;
    }
    if (err)
        *err = first;
    return YK_E_UNIT;
}

enum yk_status yk_si(const char *text, const char *dimension, double *si, struct yk_err *err)
{
    if (!dimension)
        return parse_any(text, si, err);
    for (int q = YK_NUMBER; q < YK_QUANTITY_COUNT; q++)
        if (strcmp(yk_quantity_name((enum yk_quantity)q), dimension) == 0)
            return yk_quantity_parse(text, (enum yk_quantity)q, si, err);
    return yk_fail(err, YK_E_INPUT, "there is no dimension '%s'; such as time, length, mass, force, stiffness",
                   dimension);
}

enum yk_status yk_delay_between(size_t n, double step, const double *command, const double *measured, double longest,
                                double found[3], struct yk_err *err)
{
    struct yk_delay_fit fit;
    enum yk_status st;

    if (!(step > 0) || n < 3)
        return yk_fail(err, YK_E_RANGE, "a delay needs a step above 0 and at least 3 samples, not %g s and %zu", step,
                       n);
    st = yk_delay_fit(n, step, command, measured, longest > 0 ? longest : yk_delay_longest(n, step), &fit, err);
    if (!st) {
        found[0] = fit.delay_s;
        found[1] = fit.gain;
        found[2] = fit.residual;
    }
    return st;
}

void yk_free(void *memory)
{
    free(memory);
}
