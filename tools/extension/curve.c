/* A curve of published cases, as a template: the line from (0, 0) to (1, 1). */
#include "curve.h"

#include <stdlib.h>

static const struct yk_param params[] = {ASK_STEP, YK_PARAM_END};

static enum yk_status produce(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                              const struct yk_node *map, struct yk_curve *curve, struct yk_err *err)
{
    curve->x = calloc(2, sizeof *curve->x);
    curve->y = calloc(2, sizeof *curve->y);
    if (!curve->x || !curve->y)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    curve->x[1] = curve->y[1] = 1;
    curve->n = 2;
    return YK_OK;
}

const struct yk_curve_ops yk_curve_trial = {
    .name = "trial",
    .summary = "a straight line",
    .style = YK_PLOT_LINE,
    .params = params,
    .produce = produce,
};
