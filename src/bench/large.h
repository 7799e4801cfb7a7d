/* Benchmarks of structures whose equations are solved banded or sparse, and of a hysteretic oscillator. */
#ifndef YOKE_BENCH_LARGE_H
#define YOKE_BENCH_LARGE_H

#include "bench/bench.h"
#include <yoke/integrator.h>

/* What yardsticks outside the program use too: a domain with the defaults of an integrator, whose load is what is in
 * domain.f where there is no load function; and the truss of yk_bench_truss. */
/* A domain as a task: to its start values, and steps from there. */
void yk_bench_restart(void *domain);
void yk_bench_advance(void *domain, long steps);
enum yk_status yk_bench_open(struct yk_domain *domain, const struct yk_integrator_ops *ops, struct yk_system *system,
                             struct yk_loading loading, double dt, struct yk_err *err);
enum yk_status yk_bench_make_truss(struct yk_system **system, size_t width, size_t height, struct yk_err *err);

/* A step of a chain of Bouc-Wen springs against `evaluations` of its force. */
enum yk_status yk_bench_chain(const char *integrator, size_t springs, int evaluations, struct yk_bench_result *out,
                              struct yk_err *err);
/* A step of a chain against one of a shorter chain. */
enum yk_status yk_bench_growth(const char *integrator, size_t springs, size_t of, struct yk_bench_result *out,
                               struct yk_err *err);
/* A Newmark step of a plane truss of width x height nodes, two degrees of freedom each, against reading the numbers of
 * its factor twice, which no solution can do without. */
enum yk_status yk_bench_truss(size_t width, size_t height, struct yk_bench_result *out, struct yk_err *err);
/* A step of one mass on a Bouc-Wen spring against a plain RK4 loop over u, v and z. */
enum yk_status yk_bench_bouc_wen(const struct yk_integrator_ops *ops, struct yk_bench_result *out, struct yk_err *err);

#endif
