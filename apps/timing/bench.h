/* Benchmarks: the cost of an operation of the loop, as a ratio to a baseline measured in turns with it.
 *
 * Operation and reference take turns, many times, and the ratio is the median of the turns, so neither the machine nor
 * what else it does at the time decides the number. Seconds are reported, never judged. */
#ifndef YOKE_BENCH_H
#define YOKE_BENCH_H

#include <yoke/status.h>

struct yk_bench_result {
    char name[64];
    char reference[64];
    double ratio;             /* seconds_per_op over reference_seconds, median of all turns */
    double ratio_limit;       /* required; NAN where none                                   */
    double seconds_per_op;    /* median                                                     */
    double reference_seconds; /* median, of one run of the reference                        */
};

size_t yk_bench_count(void);
/* The name of benchmark i; false: there is none. */
bool yk_bench_name(size_t i, char *name, size_t size);
/* Runs benchmark i < yk_bench_count(); takes some tens of milliseconds. Does not judge the limit. */
enum yk_status yk_bench_run(size_t i, struct yk_bench_result *out, struct yk_err *err);

#endif
