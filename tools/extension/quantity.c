/* A quantity of claims, as a template: the step that is asked for. */
#include "quantity.h"

static const struct yk_param params[] = {ASK_STEP, YK_PARAM_END};

static enum yk_status value_of(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                               const struct yk_node *map, double *value, struct yk_err *err)
{
    *value = ask->step;
    return YK_OK;
}

const struct yk_quantity_ops yk_obtain_trial = {
    .name = "trial",
    .summary = "the step that is asked for",
    .params = params,
    .value = value_of,
};
