/* The rows of a run: of every system step, of every fine step, of every control tick. */
#ifndef YOKE_ENGINE_SAMPLES_H
#define YOKE_ENGINE_SAMPLES_H

#include "engine/channels.h"
#include "engine/reference.h"
#include "state/balance.h"

struct yk_samples {
    /* filled by the caller */
    struct yk_state *state;
    struct yk_reference *reference; /* its `own` is NULL if there is none */
    struct yk_run_result *result;   /* holds peaks, energy and drift */

    bool converged;            /* the iterations of all members in the last step */
    double *row[YK_STREAMS];   /* what was sampled last */
    size_t number[YK_STREAMS]; /* of the stream in the recorder */

    /* private */
    struct yk_channels channels;
    struct yk_view view[YK_STREAMS];
    long made[YK_STREAMS]; /* rows */
    struct yk_balance balance;
    size_t unconverged; /* states of members so far */
    double ticks;       /* control ticks since the actuators were armed; a tick of a ramp may be a fraction of one */
};

/* Allocates everything; the state must be open. */
enum yk_status yk_samples_open(struct yk_samples *s, struct yk_err *err);
void yk_samples_close(struct yk_samples *s);

/* Is the last sampled row to be recorded? */
bool yk_samples_due(const struct yk_samples *s, enum yk_stream_number stream) YK_RT;
/* Fills the row of the current step; updates peaks, energy, drift and errors. False if a displacement is not finite or
 * larger than any structure can have: the motion diverged. */
bool yk_samples_step(struct yk_samples *s) YK_RT;
/* Fills the row of a fine step. */
void yk_samples_fine(struct yk_samples *s, double t) YK_RT;
/* Fills the row of a control tick: sent commands and readings. */
void yk_samples_tick(struct yk_samples *s, const struct yk_supervisor *supervisor) YK_RT;

#endif
