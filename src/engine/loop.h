/* A run from inside: open, step by step, conclude, close. yk_run makes all of it; sessions make it at the pace of a
 * program. */
#ifndef YOKE_ENGINE_LOOP_H
#define YOKE_ENGINE_LOOP_H

#include "engine/beat.h"
#include "engine/crew.h"
#include "engine/rows.h"
#include "engine/samples.h"

/* A run under way. */
struct yk_loop {
    const struct yk_model *model;
    struct yk_state state;
    struct yk_reference reference; /* own is NULL where none was asked for */
    struct yk_recorder *recorder;
    struct yk_run_result *result;
    struct yk_samples samples;
    struct yk_rows *rows; /* kept in memory; NULL: none */
    bool record_failed;
    const struct yk_run_settings *settings;
    struct yk_run_control *control;
    struct yk_beat beat;
    struct yk_supervisor own; /* without actuators, where there is no station */
    struct yk_crew *crew;     /* second thread for the coarse side; NULL: one thread */
    struct yk_helper *helper; /* second thread for half of every large solve; NULL: none */
    long fine_step;           /* that had the last beat where there is no station; -1: none had */
    char words[400];
    bool goes_on;    /* there is a next step */
    bool gave_up;    /* it waited too long: the step was not completed */
    int64_t took_ns; /* of the last step */
};

/* The caller sets model, settings, control, result and, where it wants them, recorder and rows. Leaves the run at t =
 * 0, with its first row. */
enum yk_status yk_loop_open(struct yk_loop *loop, struct yk_err *err);
/* One system step and its row, while `goes_on`. Why it ends is in the result. */
void yk_loop_step(struct yk_loop *loop);
/* Actuators to rest; the rest of the result. */
void yk_loop_conclude(struct yk_loop *loop);
void yk_loop_close(struct yk_loop *loop);
/* Points the callbacks of the state to this loop, after its memory was overwritten by that of another. */
void yk_loop_attach(struct yk_loop *loop);
/* The opposite, before its memory is copied. */
void yk_loop_detach(struct yk_loop *loop);

/* ---- checks before it moves (run_checks.c) ---- */

/* Is its rig outside this process, simulated or not? */
bool yk_moves_elsewhere(const struct yk_model *model);

/* Is there time for what must be computed between two beats? */
enum yk_status yk_loop_check_share(const struct yk_loop *loop, struct yk_err *err);
/* A rig that may keep a tick waiting for longer than the tick lasts makes the pace depend on it: noted as degraded. */
void yk_loop_check_wait(const struct yk_loop *loop);

/* ---- its result (run_result.c) ---- */

/* Sets why the run ends, with step and time. */
void yk_loop_stop(struct yk_loop *loop, enum yk_status status, const char *why);
/* Judges whether and why the loop ends after this step. near: the motion has not diverged. */
void yk_loop_judge(struct yk_loop *loop, enum yk_status status, bool near);
/* Before the actuators come to rest, and after that; tripped: it was so before. */
void yk_loop_keep_course(struct yk_loop *loop);
void yk_loop_keep_end(struct yk_loop *loop, bool tripped);

#endif
