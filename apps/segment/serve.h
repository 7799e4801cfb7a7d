/* Serves a simulated segment on a wire. */
#ifndef YOKE_SEGMENT_SERVE_H
#define YOKE_SEGMENT_SERVE_H

#include "sim.h"
#include <yoke/ethercat.h>

/* Answers frames until *stop. */
void yk_sim_serve(struct yk_sim_segment *g, struct yk_ec_wire *wire, const atomic_bool *stop);

#endif
