/* Benchmarks of fibres: many of steel at once, and steps of plane frames made of them. */
#ifndef YOKE_BENCH_FIBRES_H
#define YOKE_BENCH_FIBRES_H

#include "bench.h"

/* Force and tangent of 1000 fibres of the law `steel`, against a plain loop over them: one at a time, with branches and
 * two calls of pow. */
enum yk_status yk_bench_fibres(struct yk_bench_result *out, struct yk_err *err);
/* A step of a plane frame of 10 (2 storeys, 2 bays), 100 (20, 2) or 400 (16, 12) members, each one element by
 * displacement with 5 points of 20 fibres of steel, against the plain loop over as many fibres. */
enum yk_status yk_bench_fibre_frame(const char *integrator, size_t members, struct yk_bench_result *out,
                                    struct yk_err *err);

#endif
