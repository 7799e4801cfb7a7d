/* Analyses of an experiment for tests: each makes the model, asks it and closes it. */
#ifndef YOKE_TESTS_PLANNED_H
#define YOKE_TESTS_PLANNED_H

#include "analyze/analyze.h"
#include "analyze/delayed_loop.h"
#include "engine/engine.h"

enum yk_status planned_margin(const struct yk_model *e, int periods, struct yk_margin *out, struct yk_err *err);
/* A motion without loads and with an added delay; the loop that tells of any delay, NULL if it cannot. */
enum yk_status planned_delayed_motion(const struct yk_model *model, double delay, struct yk_state *m,
                                      struct yk_err *err);
enum yk_status planned_delayed_loop(const struct yk_model *model, double omega, struct yk_delayed_loop **loop,
                                    struct yk_err *err);
enum yk_status planned_decay(const struct yk_model *e, double *decay, struct yk_err *err);
enum yk_status planned_delays(const struct yk_model *e, struct yk_delay_report **reports, size_t *count,
                              struct yk_err *err);
enum yk_status planned_channels(const struct yk_model *e, struct yk_run_channels *out, struct yk_err *err);
enum yk_status planned_run(const struct yk_model *e, const struct yk_run_settings *settings,
                           struct yk_recorder *recorder, struct yk_run_control *control, struct yk_run_result *result,
                           struct yk_err *err);

#endif
