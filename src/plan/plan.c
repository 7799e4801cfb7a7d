/* The plan of an experiment: what its file says and what follows from it. Constant once it is made. */
#include "experiment/experiment.h"
#include <yoke/yoke.h>

#include <stdlib.h>

struct yk_plan {
    struct yk_experiment *experiment;
};

enum yk_status yk_plan_open(struct yk_plan **created, const char *path, const char *const *overrides,
                            size_t override_count, struct yk_err *err)
{
    struct yk_plan *plan = calloc(1, sizeof *plan);
    enum yk_status st;

    *created = NULL;
    if (!plan)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = yk_experiment_load(&plan->experiment, path, overrides, override_count, err))) {
        yk_plan_close(plan);
        return st;
    }
    *created = plan;
    return YK_OK;
}

void yk_plan_close(struct yk_plan *plan)
{
    if (!plan)
        return;
    yk_experiment_destroy(plan->experiment);
    free(plan);
}

const char *yk_plan_title(const struct yk_plan *plan)
{
    return plan->experiment->title;
}

const char *yk_plan_method(const struct yk_plan *plan)
{
    return yk_experiment_method(plan->experiment);
}

double yk_plan_step(const struct yk_plan *plan)
{
    return plan->experiment->time.step;
}

long yk_plan_steps(const struct yk_plan *plan)
{
    return plan->experiment->steps;
}
