/* Shared by the benchmarks: two tasks measured in turns, and random models. */
#ifndef YOKE_MEASURE_H
#define YOKE_MEASURE_H

#include "bench.h"
#include <yoke/system.h>

#include <stdint.h>

/* One thing to measure: `run` does it `count` times; `reset` (may be NULL) comes before, untimed. */
struct yk_task {
    void (*reset)(void *self);
    void (*run)(void *self, long count);
    void *self;
};
/* Fills the ratio and the times of `out`. */
void yk_measure(const struct yk_task *op, const struct yk_task *reference, struct yk_bench_result *out);
/* Sorts x. */
double yk_median(double *x, size_t n);

/* Symmetric positive definite by dominance: eigenvalues within 0.5 and 1.5 times `scale`. `band`: entries on either
 * side of the diagonal that are not zero. */
enum yk_status yk_random_matrix(struct yk_matrix *A, size_t n, size_t band, double scale, uint64_t seed,
                                struct yk_err *err);
/* A linear structure with equal masses, K about 1 and C about 0.02. */
enum yk_status yk_random_structure(struct yk_system **system, size_t n, size_t band, double mass, struct yk_err *err);

#endif
