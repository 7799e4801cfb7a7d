/* How the motions of an experiment decay when it is left alone, its transfer systems included. */
#ifndef YOKE_DECAY_H
#define YOKE_DECAY_H

#include <yoke/analyze.h>
#include <yoke/experiment.h>

enum { YK_LONG_VIBRATION = 60000 }; /* steps of YK_MARGIN_PERIODS, at most */

/* For analyses: without loads from now on, and to be started from states of the untorn structure. */
void yk_motion_unload(struct yk_motion *m);

/* Decay of the slowest motion [1/s]; growth is negative, beyond all bounds -INFINITY. By the amplification matrix that
 * the answers to unit states tell; for linear loops. `m` is unloaded. */
enum yk_status yk_decay_by_matrix(struct yk_motion *m, double *decay, struct yk_err *err);
/* The same from the amplitudes of a free vibration over so many periods of the lowest mode. */
enum yk_status yk_decay_by_simulation(struct yk_motion *m, int periods, double *decay, struct yk_err *err);
/* The same from the energy of a short one, that begins in the specimens: beats between modes do not change it. */
enum yk_status yk_decay_of_energy(struct yk_motion *m, long steps, double *decay, struct yk_err *err);
/* Do the answers to two states add up? They do not where something adapts itself, rubs or saturates. */
enum yk_status yk_decay_is_linear(struct yk_motion *m, bool *linear, struct yk_err *err);

#endif
