/* The transfer chain of one actuator, alone: for its benchmark and for the test that it touches no heap. */
#ifndef YOKE_BENCH_TRANSFER_H
#define YOKE_BENCH_TRANSFER_H

#include "bench.h"
#include <yoke/stepping.h>

struct yk_chain_kinds {
    const char *compensator, *estimator, *controller, *plant;
};

/* A virtual station of one actuator with a spring and noisy, filtered sensors, and a target for every tick. */
enum { YK_CHAIN_TARGETS = 1000 };
struct yk_chain {
    struct yk_model *model;
    struct yk_stepping *stepping;
    struct yk_station *station;
    double x[YK_CHAIN_TARGETS], v[YK_CHAIN_TARGETS], a[YK_CHAIN_TARGETS]; /* over and over */
    long tick;
};
enum yk_status yk_chain_open(struct yk_chain *chain, const struct yk_chain_kinds *kinds, struct yk_err *err);
void yk_chain_close(struct yk_chain *chain);
void yk_chain_rest(struct yk_chain *chain);
void yk_chain_run(struct yk_chain *chain, long ticks) YK_RT;

/* A tick of that chain, against one product with a dense 10 x 10 matrix. */
enum yk_status yk_bench_transfer(const struct yk_chain_kinds *kinds, struct yk_bench_result *out, struct yk_err *err);

#endif
