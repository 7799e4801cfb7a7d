/* What a step of a coupling cannot do without: the yardstick of its benchmark. */
#ifndef YOKE_BENCH_COUPLING_H
#define YOKE_BENCH_COUPLING_H

#include "bench/bench.h"
#include <yoke/coupling.h>

/* Of one cycle (ops->cycle_steps system steps) with YK_BENCH_SUBSTEPS substeps, or 1 where there is no subcycling. */
enum { YK_BENCH_SUBSTEPS = 10 };
struct yk_coupled_bench;
struct yk_coupling_work {
    const char *name;
    int evaluations[YK_SIDES]; /* of the net force */
    int solves[YK_SIDES];      /* with the step matrix; Rosenbrock methods: slopes, which have one solve each */
    void (*solve)(struct yk_coupled_bench *b, int side, int stage);
    int multipliers; /* solves of the interface problem */
    int loads;       /* of the coarse side at fine instants */
};
/* NULL: not counted yet. */
const struct yk_coupling_work *yk_coupling_work(const char *name); /* NULL: not counted, and left out */

/* One system step of a coupling on a random problem of 34 + 4 degrees of freedom, tied at 4, against that work. */
enum yk_status yk_bench_coupling(const struct yk_coupling_ops *ops, struct yk_bench_result *out, struct yk_err *err);

#endif
