/* The steps of a run, with a look at each of them. */
#include "analyze/along.h"

/* The step that instant i of `count` stands for. */
static long step_of(size_t i, size_t count, long steps)
{
    return (long)((double)i / (double)(count - 1) * (double)steps + 0.5);
}

enum yk_status yk_along_run(const struct yk_plan *plan, const struct yk_look *look, struct yk_err *err)
{
    const struct yk_experiment *e = yk_plan_experiment(plan);
    struct yk_snapshot now = {0};
    struct yk_motion m = {0};
    enum yk_status st;

    if (!(st = yk_snapshot_open(&now, e, err)) && !(st = yk_plan_motion(plan, &m, err)) && (st = yk_motion_start(&m)))
        yk_fail_at(err, st, YK_IN_FILE(e->path), "the force at t = 0 is not a finite number");
    for (size_t i = 0; !st;) {
        yk_snapshot_take(&now, &m);
        look->step(look->self, &m, &now);
        for (; i < look->count && m.step >= step_of(i, look->count, e->steps); i++)
            look->sample(look->self, &m, i);
        if (m.step == e->steps)
            break;
        if ((st = yk_motion_step(&m)))
            yk_fail_at(err, st, YK_IN_FILE(e->path), "the motion diverged at step %ld", m.step);
    }
    yk_motion_close(&m);
    yk_snapshot_close(&now);
    return st;
}
