/* Checks before anything moves: refuses a pace that the machine, the file or the rig cannot keep. */
#include "engine/engine.h"
#include "state/state.h"

#include "engine/loop.h"

#include <stdio.h>
#include <string.h>

#define FITS 0.9 /* of the time there is: the largest share that may be computed */

enum yk_status yk_loop_check_share(const struct yk_loop *r, struct yk_err *err)
{
    const struct yk_model *model = r->model;
    struct yk_compute_share share;
    enum yk_status st = yk_compute_share(r->model, r->settings->threads, &share, err);

    if (st || share.share <= FITS)
        return st;
    return yk_fail_at(
        err, YK_E_UNSUPPORTED, model->method_where,
        "real time: %s needs %.3g us within %.3g us, %.0f %% of the time there is (measured here); %s a longer "
        "time.step, or time.scale = %.2g and more",
        yk_model_method(model), 1e6 * share.first_s, 1e6 * share.period_s, 100 * share.share,
        !model->coupling ? "use"
        : model->coupling->caps & YK_COUPLING_PARALLEL
            ? "use --threads 2,"
            : "use a method whose sides run in parallel (iplsrt2, plsrt2, pm, mph, state-space),",
        model->time.scale * share.share / FITS);
}

bool yk_moves_elsewhere(const struct yk_model *model)
{
    void *self;

    return model->station && !(yk_station_rig(model->station, &self)->can & YK_RIG_SIMULATES);
}

bool yk_run_is_paced(const struct yk_model *model, const struct yk_run_settings *settings)
{
    return settings->realtime || (model->station && !yk_station_simulates(model->station));
}

/* Actuators faster than the test was designed for are moved only where the file says so. */
static enum yk_status check_scale(const struct yk_model *model, const struct yk_run_settings *settings,
                                  struct yk_err *err)
{
    const double scale = model->time.scale;

    if (model->station && scale < 1 && !model->time.faster_than_real &&
        (settings->realtime || yk_moves_elsewhere(model)))
        return yk_fail_at(err, YK_E_UNSUPPORTED, model->scale_where,
                          "scale = %g moves the actuators %.3g times as fast as in the test that the file describes; "
                          "1 and more are allowed, or set time.faster_than_real: true",
                          scale, 1 / scale);
    return YK_OK;
}

void yk_loop_check_wait(const struct yk_loop *r)
{
    struct yk_pace_report *pace = r->result->pace;
    const size_t used = strlen(pace->degraded);
    void *self;
    const struct yk_rig_ops *rig = yk_station_rig(r->state.station, &self);
    const double wait = rig->worst_wait_s ? rig->worst_wait_s(self) : 0;

    if (wait > pace->period_s)
        snprintf(pace->degraded + used, sizeof pace->degraded - used,
                 "%sa wait for the rig may last %g s, longer than the control period of %g s: set rig.settings.wait, "
                 "or serve the rig with its own clock",
                 used ? "; " : "", wait, pace->period_s);
}

enum yk_status yk_run_check(const struct yk_model *model, const struct yk_run_settings *settings, struct yk_err *err)
{
    if (model->reference && !settings->reference && !settings->driver && !yk_model_reference(model))
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(model->path),
                          "the model was made without the reference; see yk_model_complete");
    struct yk_channels channels;
    enum yk_status st = check_scale(model, settings, err);

    if (st || (st = yk_channels_open(&channels, yk_model_first(model), err)))
        return st;
    yk_channels_close(&channels);
    return YK_OK;
}
