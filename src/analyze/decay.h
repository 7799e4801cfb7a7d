/* How the motions of an experiment decay when it is left alone, its transfer systems included. */
#ifndef YOKE_DECAY_H
#define YOKE_DECAY_H

#include "analyze/budget.h"

#include "analyze/analyze.h"
#include "state/state.h"

enum { YK_LONG_VIBRATION = 60000 }; /* steps of YK_MARGIN_PERIODS, at most */

/* For analyses: without loads from now on. */
void yk_state_unload(struct yk_state *m);

/* How a decay is found. */
struct yk_watched {
    double omega;             /* lowest angular frequency that counts: it sets the duration */
    int periods;              /* of it, that a free vibration lasts */
    bool sign_only;           /* a free vibration may end as soon as it is clear that it decays or grows */
    struct yk_budget *budget; /* NULL: none; spent, the analyses return YK_E_STOPPED */
    double watched_s;         /* out: of the last vibration, in the time of the test */
};

/* Disables all limits, the common ones and those of each actuator. */
void yk_unlimit(struct yk_station *station);
/* Each specimen of a motion. */
void yk_for_specimens(struct yk_state *m, void (*act)(struct yk_system *));
/* A motion of the model without noise, loads and limits, with a delay added to the actuators [s]; `varied`: another
 * rig, or NULL. To be closed. */
enum yk_status yk_loop_motion(const struct yk_model *model, const struct yk_rig_varied *varied, double added,
                              struct yk_state *m, struct yk_err *err);
/* A step. A station that trips on readings that are not finite holds its actuators: the motion has then diverged, not
 * decayed. */
enum yk_status yk_decay_step(struct yk_state *m, struct yk_budget *budget);

/* Decay of the slowest motion [1/s]; growth is negative, beyond all bounds -INFINITY. By the amplification matrix from
 * the responses to unit states; for linear loops. `m` is unloaded. With `linear`, also whether the responses to two
 * states add up; they do not if something adapts, rubs or saturates, and there is no decay then. */
enum yk_status yk_decay_by_matrix(struct yk_state *m, struct yk_watched *how, bool *linear, double *decay,
                                  struct yk_err *err);
/* The same from the amplitudes of a free vibration. */
enum yk_status yk_decay_by_simulation(struct yk_state *m, struct yk_watched *how, double *decay, struct yk_err *err);
/* The damped motions of a structure, in its initial tangents. */
struct yk_motions {
    size_t n, count;       /* degrees of freedom; modes that are looked at */
    double *w, *shape;     /* n, n x n: those come first */
    double *y, *im;        /* 2 count x 2 count: left eigenvectors; imaginary parts of the eigenvalues */
    double *sigma, *shift; /* 2 count: decay; its excess over that seen in a vibration of the model */
    double *early, *late;  /* 2 count: their amplitudes in the last vibration */
};
enum yk_status yk_motions_find(struct yk_motions *motions, const struct yk_model *model, struct yk_err *err);
void yk_motions_free(struct yk_motions *motions);
/* The same from a short vibration that begins in the specimens, motion by motion; `m` has as many degrees of freedom.
 * `reference`: it is the model that the motions are of, to which others will be compared. */
enum yk_status yk_decay_of_motions(struct yk_state *m, struct yk_watched *how, struct yk_motions *of, long steps,
                                   bool reference, double *decay, struct yk_err *err);

#endif
