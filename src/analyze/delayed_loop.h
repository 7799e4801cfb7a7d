/* A linear hybrid loop with any delay added to its commands: stable or not, from one set of answers of its real steps.
 *
 * A cycle of the method has N ticks. Let p be the commands of its ticks before the added delay, and w what is added to
 * them. The loop without added delay answers p = P(z) w. A delay is w = E(z) p, where the rows of E are those of a
 * shift by the delay, less 1. The loop with the delay is stable if
 *
 *     det(I - P(z) E(z)) != 0   for all |z| >= 1,
 *
 * which the number of turns of the determinant along the unit circle tells, since P is stable (Nyquist 1932). P is
 * realised from the answers to a push at each tick (Ho and Kalman 1966). docs/theory/delay.md, eq. (43). */
#ifndef YOKE_DELAYED_LOOP_H
#define YOKE_DELAYED_LOOP_H

#include "analyze/decay.h"
#include "state/state.h"

struct yk_delayed_loop;
/* Opens the loop of a motion that is linear, unloaded, stable, and has an added delay of 0. *loop is NULL if its
 * answers do not identify it well enough: too many ticks or hidden states. YK_E_STOPPED: the budget is spent. */
enum yk_status yk_delayed_loop_open(struct yk_delayed_loop **loop, struct yk_state *m, const struct yk_watched *how,
                                    struct yk_err *err);
void yk_delayed_loop_close(struct yk_delayed_loop *loop);
/* *unstable: number of motions that grow with this delay [s]; false: it could not be counted. */
bool yk_delayed_loop_count(struct yk_delayed_loop *loop, double delay_s, long *unstable);

#endif
