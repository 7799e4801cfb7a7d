#include "support/planned.h"

enum yk_status planned_margin(const struct yk_model *e, int periods, struct yk_margin *out, struct yk_err *err)
{
    struct yk_model *model;
    enum yk_status st = yk_model_create(&model, e, 0, err);

    if (!st)
        st = yk_hybrid_margin(model, periods, out, err);
    yk_model_close(model);
    return st;
}

enum yk_status planned_decay(const struct yk_model *e, double *decay, struct yk_err *err)
{
    struct yk_model *model;
    enum yk_status st = yk_model_create(&model, e, 0, err);

    if (!st)
        st = yk_hybrid_decay(model, decay, err);
    yk_model_close(model);
    return st;
}

enum yk_status planned_delays(const struct yk_model *e, struct yk_delay_report **reports, size_t *count,
                              struct yk_err *err)
{
    struct yk_model *model;
    enum yk_status st = yk_model_create(&model, e, 0, err);

    if (!st)
        st = yk_measure_delays(model, reports, count, err);
    yk_model_close(model);
    return st;
}

enum yk_status planned_channels(const struct yk_model *e, struct yk_run_channels *out, struct yk_err *err)
{
    struct yk_model *model;
    enum yk_status st = yk_model_create(&model, e, 0, err);

    if (!st)
        st = yk_run_channels(model, out, err);
    yk_model_close(model);
    return st;
}

enum yk_status planned_run(const struct yk_model *e, const struct yk_run_settings *settings,
                           struct yk_recorder *recorder, struct yk_run_control *control, struct yk_run_result *result,
                           struct yk_err *err)
{
    struct yk_model *model;
    enum yk_status st = yk_model_create_complete(&model, e, err);

    *result = (struct yk_run_result){0};
    if (!st)
        st = yk_run(model, settings, recorder, control, result, err);
    yk_model_close(model);
    return st;
}

enum yk_status planned_delayed_motion(const struct yk_model *model, double delay, struct yk_state *m,
                                      struct yk_err *err)
{
    enum yk_status st = yk_model_state(model, m, err);

    if (!st && !(st = yk_station_add_delay(m->station, delay, err)))
        yk_state_unload(m);
    return st;
}

enum yk_status planned_delayed_loop(const struct yk_model *model, double omega, struct yk_delayed_loop **loop,
                                    struct yk_err *err)
{
    const struct yk_watched how = {.omega = omega};
    struct yk_state m;
    enum yk_status st = planned_delayed_motion(model, 0, &m, err);

    if (!st)
        st = yk_delayed_loop_open(loop, &m, &how, err);
    yk_state_close(&m);
    return st;
}
