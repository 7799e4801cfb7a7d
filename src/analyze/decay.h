/* How the motions of a domain decay when it is left alone, its transfer systems included. */
#ifndef YOKE_DECAY_H
#define YOKE_DECAY_H

#include <yoke/integrator.h>

/* Decay of the slowest motion [1/s]; growth is negative, beyond all bounds -INFINITY. By the amplification matrix that
 * the answers to unit states tell; for linear loops. */
enum yk_status yk_decay_by_matrix(struct yk_domain *d, double *decay, struct yk_err *err);
/* The same from the amplitudes of a free vibration over so many periods of the lowest mode. */
enum yk_status yk_decay_by_simulation(struct yk_domain *d, int periods, double *decay, struct yk_err *err);
/* Do the answers to two states add up? They do not where something adapts itself, rubs or saturates. */
enum yk_status yk_decay_is_linear(struct yk_domain *d, bool *linear, struct yk_err *err);

#endif
