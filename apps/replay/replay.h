/* Parts of `yoke replay`. */
#ifndef YOKE_REPLAY_APP_H
#define YOKE_REPLAY_APP_H

#include "options.h"

#include <yoke/arena.h>
#include <yoke/logger.h>
#include <yoke/measured.h>
#include <yoke/transfer.h>

enum { TRIALS = 48, MOMENTS = 12, ESTIMATORS = 24 };

/* A compensator with its settings, and how it did. */
struct trial {
    const struct yk_compensator_ops *ops; /* NULL: none */
    void *settings;
    double delay;
    char text[200];                  /* for `compensator:` of an experiment */
    double nrms, slow_nrms, largest; /* slow: before the first window above 5 Hz; largest: command over target */
    double test_nrms;                /* of the experiment; NaN: not run */
    double *y;
};

struct moment { /* of the recording, in windows of 2 s */
    double time, frequency_Hz, phase_delay, taylor;
};

struct estimate {
    const struct yk_estimator_ops *ops;
    double at[MOMENTS];
};

struct job {
    const struct replay_options *options;
    struct yk_log log;
    size_t n, from;                   /* rows; first that is replayed */
    double h, *target, *x;            /* target; motion of the real machine, less its mean */
    double *u;                        /* command of the recording, less its rest */
    struct yk_rational model;         /* of the machine, for phase delays; */
    const struct yk_plant_ops *plant; /* the machine itself */
    void *plant_settings;
    double slow_until; /* [s] here the command exceeds 5 Hz */
    double model_nrms; /* of its motion under the recorded command against the recorded motion */
    double machine_nrms, machine_slow, machine_largest, largest_target;
    struct trial trial[TRIALS];
    size_t trials;
    struct moment moment[MOMENTS];
    size_t moments;
    struct estimate estimate[ESTIMATORS];
    size_t estimates;
};

/* The machine from a file, or from the first half of the recording. */
enum yk_status replay_machine(struct job *j, struct yk_err *err);
double replay_phase_delay(const struct job *j, double frequency_Hz);

enum yk_status replay_choose(struct job *j, struct yk_err *err); /* trials and estimators */
enum yk_status replay_track(struct job *j, struct yk_err *err);
enum yk_status replay_estimate(struct job *j, struct yk_err *err);
enum yk_status replay_experiment(struct job *j, struct yk_err *err);

void replay_print(const struct job *j);
struct json_t *replay_json(const struct job *j);
int replay_draw(const struct job *j);

#endif
