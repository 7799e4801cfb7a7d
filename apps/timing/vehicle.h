/* The cost of a step of the reduced vehicle. */
#ifndef YOKE_BENCH_VEHICLE_H
#define YOKE_BENCH_VEHICLE_H

#include "bench.h"

/* One step of 1 ms by state-space, without subcycling, of 34 reduced coordinates on four nonlinear suspensions over a
 * road of six sines and noise, against one product with a dense matrix of all 38 degrees of freedom. A second of motion
 * is a thousand steps: in real time within 1 % of it when a step takes less than 10 us. */
enum yk_status yk_bench_vehicle(struct yk_bench_result *out, struct yk_err *err);

#endif
