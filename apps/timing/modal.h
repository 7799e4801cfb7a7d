/* Benchmarks of the modal path: a bridge of 88 degrees of freedom and a frame of 999. */
#ifndef YOKE_BENCH_MODAL_H
#define YOKE_BENCH_MODAL_H

#include "bench.h"
#include "measure.h"

/* The experiment as the text of a file, malloc'd: Newmark, steps of 1 ms, an earthquake. `path`: of the method. */
char *yk_bench_bridge(const char *path);
char *yk_bench_frame(const char *path);
/* A plane frame of storeys of 3 m, its columns 6 m apart, shaken by an earthquake. `sections`: lines of the
 * substructure that define the sections `column` and `beam`, its damping and what else it needs. */
char *yk_bench_storeys(const char *integrator, const char *path, const char *step, const char *sections, int columns,
                       int storeys);
/* A step of the experiment, from its hundredth on, against another task. */
enum yk_status yk_bench_motion(const char *text, const struct yk_task *other, struct yk_bench_result *out,
                               struct yk_err *err);
/* A step of the experiment (yk_state_step of a state of its plan: load, force and step; nothing is recorded) against
 * the modal floor: the value of the load and one plain loop over the modes, which makes the same step in place. */
enum yk_status yk_bench_modal(char *(*model)(const char *path), struct yk_bench_result *out, struct yk_err *err);

#endif
