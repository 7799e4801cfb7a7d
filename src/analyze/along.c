/* The steps of a run, with a look at each of them. */
#include "analyze/along.h"

/* The step that instant i of `count` stands for. */
static long step_of(size_t i, size_t count, long steps)
{
    return (long)((double)i / (double)(count - 1) * (double)steps + 0.5);
}

enum yk_status yk_along_run(const struct yk_model *model, const struct yk_along *look, struct yk_err *err)
{
    struct yk_snapshot now = {0};
    struct yk_state m = {0};
    enum yk_status st;

    if (!(st = yk_snapshot_open(&now, model, err)) && !(st = yk_model_state(model, &m, err)) &&
        (st = yk_state_start(&m)))
        yk_state_no_start(&m, st, err);
    for (size_t i = 0; !st;) {
        yk_snapshot_take(&now, &m);
        look->step(look->self, &m, &now);
        for (; i < look->count && m.step >= step_of(i, look->count, model->steps); i++)
            look->sample(look->self, &m, i);
        if (m.step == model->steps)
            break;
        if ((st = yk_state_step(&m)))
            yk_fail_at(err, st, YK_IN_FILE(model->path), "the motion diverged at step %ld", m.step);
    }
    yk_state_close(&m);
    yk_snapshot_close(&now);
    return st;
}
