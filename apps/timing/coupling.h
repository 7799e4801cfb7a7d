/* The minimum work of a step of a coupling: the baseline of its benchmark. */
#ifndef YOKE_BENCH_COUPLING_H
#define YOKE_BENCH_COUPLING_H

#include "bench.h"
#include <yoke/coupling.h>

enum { YK_BENCH_SUBSTEPS = 10 }; /* or 1 where there is no subcycling */

/* Evaluations of the net force of both sides in a regular cycle, found by making one; for linear sides. */
void yk_coupling_count(struct yk_coupling *coupling, int evaluations[YK_SIDES]);

/* One system step of a coupling on a random problem of 34 + 4 degrees of freedom, tied at 4, against its evaluations
 * and solves alone. Refuses a method that does not report its solves. */
enum yk_status yk_bench_coupling(const struct yk_coupling_ops *ops, struct yk_bench_result *out, struct yk_err *err);

/* A step of two banded sides of 400 degrees of freedom tied at `rows`, at most 300, against one tied at one row. */
enum yk_status yk_bench_rows(const struct yk_coupling_ops *ops, size_t rows, struct yk_bench_result *out,
                             struct yk_err *err);
/* A step of the problem of yk_bench_coupling with `substeps` against one with one. */
enum yk_status yk_bench_substeps(const struct yk_coupling_ops *ops, int substeps, struct yk_bench_result *out,
                                 struct yk_err *err);

#endif
