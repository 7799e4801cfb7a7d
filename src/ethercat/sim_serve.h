/* Serves a simulated segment on a wire. */
#ifndef YOKE_ETHERCAT_SIM_SERVE_H
#define YOKE_ETHERCAT_SIM_SERVE_H

#include "ethercat/sim.h"
#include "ethercat/wire.h"

/* Answers frames until *stop. `priority`: SCHED_FIFO of this thread, where allowed; 0: unchanged. */
void yk_sim_serve(struct yk_sim_segment *g, struct yk_ec_wire *wire, int priority, const atomic_bool *stop);

#endif
