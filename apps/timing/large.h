/* Benchmarks of structures whose equations are solved banded or sparse, and of a hysteretic oscillator. */
#ifndef YOKE_BENCH_LARGE_H
#define YOKE_BENCH_LARGE_H

#include "bench.h"
#include "measure.h"
#include <yoke/integrator.h>

/* Large models, stepped by an integrator with its defaults; benchmarks outside the program use them, too. A domain
 * without a load function is loaded by domain.f. */
/* A domain as a task: back to its start values; steps from there. */
void yk_bench_restart(void *domain);
void yk_bench_advance(void *domain, long steps);
struct yk_task yk_bench_underway(struct yk_domain *domain); /* steps of a shaken domain, from its hundredth on */
enum yk_status yk_bench_open(struct yk_domain *domain, const struct yk_integrator_ops *ops, struct yk_system *system,
                             struct yk_loading loading, double dt, struct yk_err *err);
/* A plane truss: 1000, 3136, 10176, 32000 or 100000 degrees of freedom, two for each node. */
enum yk_status yk_bench_make_truss(struct yk_system **system, size_t dofs, struct yk_err *err);
/* n masses of 1 t, each on a Bouc-Wen spring to the one before: 100 kN/mm, yields at 100 kN, 1 % of hardening; no
 * damping. And a sine on every mass that makes the springs yield; self: size_t n. */
enum yk_status yk_bench_make_chain(struct yk_system **system, size_t n, struct yk_err *err);
void yk_bench_shake(void *self, double t, double *f);

/* A step of a chain of Bouc-Wen springs against `evaluations` of its force. */
enum yk_status yk_bench_chain(const char *integrator, size_t springs, int evaluations, struct yk_bench_result *out,
                              struct yk_err *err);
/* A step of a chain against one of a shorter chain. */
enum yk_status yk_bench_growth(const char *integrator, size_t springs, size_t of, struct yk_bench_result *out,
                               struct yk_err *err);
/* A Newmark step of a plane truss against reading the numbers of its factor twice, the least that a solution needs. */
enum yk_status yk_bench_truss(size_t dofs, struct yk_bench_result *out, struct yk_err *err);
/* A step of newmark-newton of the truss with some Bouc-Wen springs to the ground against its linear step. */
enum yk_status yk_bench_hysteretic_truss(size_t dofs, size_t springs, struct yk_bench_result *out, struct yk_err *err);
/* A step of one mass on a Bouc-Wen spring against a plain RK4 loop over u, v and z. */
enum yk_status yk_bench_bouc_wen(const struct yk_integrator_ops *ops, struct yk_bench_result *out, struct yk_err *err);

#endif
