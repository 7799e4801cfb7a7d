#include "support/planned.h"

enum yk_status planned_margin(const struct yk_experiment *e, int periods, struct yk_margin *out, struct yk_err *err)
{
    struct yk_plan *plan;
    enum yk_status st = yk_plan_create(&plan, e, 0, err);

    if (!st)
        st = yk_hybrid_margin(plan, periods, out, err);
    yk_plan_close(plan);
    return st;
}

enum yk_status planned_decay(const struct yk_experiment *e, double *decay, struct yk_err *err)
{
    struct yk_plan *plan;
    enum yk_status st = yk_plan_create(&plan, e, 0, err);

    if (!st)
        st = yk_hybrid_decay(plan, decay, err);
    yk_plan_close(plan);
    return st;
}

enum yk_status planned_delays(const struct yk_experiment *e, struct yk_delay_report **reports, size_t *count,
                              struct yk_err *err)
{
    struct yk_plan *plan;
    enum yk_status st = yk_plan_create(&plan, e, 0, err);

    if (!st)
        st = yk_measure_delays(plan, reports, count, err);
    yk_plan_close(plan);
    return st;
}

enum yk_status planned_channels(const struct yk_experiment *e, struct yk_run_channels *out, struct yk_err *err)
{
    struct yk_plan *plan;
    enum yk_status st = yk_plan_create(&plan, e, 0, err);

    if (!st)
        st = yk_run_channels(plan, out, err);
    yk_plan_close(plan);
    return st;
}

enum yk_status planned_run(const struct yk_experiment *e, const struct yk_run_settings *settings,
                           struct yk_recorder *recorder, struct yk_run_control *control, struct yk_run_result *result,
                           struct yk_err *err)
{
    struct yk_plan *plan;
    enum yk_status st = yk_plan_complete(&plan, e, err);

    *result = (struct yk_run_result){0};
    if (!st)
        st = yk_run(plan, settings, recorder, control, result, err);
    yk_plan_close(plan);
    return st;
}

enum yk_status planned_delayed_motion(const struct yk_plan *plan, double delay, struct yk_motion *m, struct yk_err *err)
{
    enum yk_status st = yk_plan_motion(plan, m, err);

    if (!st && !(st = yk_station_add_delay(m->experiment->station, delay, err)))
        yk_motion_unload(m);
    return st;
}

enum yk_status planned_delayed_loop(const struct yk_plan *plan, double omega, struct yk_delayed_loop **loop,
                                    struct yk_err *err)
{
    const struct yk_watched how = {.omega = omega};
    struct yk_motion m;
    enum yk_status st = planned_delayed_motion(plan, 0, &m, err);

    if (!st)
        st = yk_delayed_loop_open(loop, &m, &how, err);
    yk_motion_close(&m);
    return st;
}
