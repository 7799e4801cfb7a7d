/* Models that other programs step too: linear ones written as files of matrices, and all of them stepped here for
 * comparison. They start from rest under a force on every degree of freedom: constant, or, for the chain of Bouc-Wen
 * springs, a sine that makes it yield (src/bench/large.c). */
#ifndef YOKE_BENCH_MODELS_H
#define YOKE_BENCH_MODELS_H

#include <yoke/system.h>

struct yk_bench_model {
    const char *name; /* "truss-1000" */
    enum yk_status (*make)(struct yk_system **system, struct yk_err *err);
    long steps; /* that are compared */
    const char *integrator;
    char *(*text)(const char *path); /* of an experiment that is stepped in modes, which is timed; NULL: `make` is */
};
extern const struct yk_bench_model yk_bench_models[]; /* a name NULL at the end */
const struct yk_bench_model *yk_bench_model_find(const char *name);

#define YK_BENCH_STEP  1e-3 /* s */
#define YK_BENCH_FORCE 1.0  /* N */

/* Result of stepping a model here. */
struct yk_bench_motion {
    size_t dofs;
    double seconds_per_step; /* median of turns */
    double peak;             /* largest displacement of all degrees of freedom in the steps [m] */
};
enum yk_status yk_bench_move(const struct yk_bench_model *model, struct yk_bench_motion *out, struct yk_err *err);

/* A linear model: mass.mtx, damping.mtx, stiffness.mtx (lower triangles) and model.txt (dofs, step, steps, force) in a
 * folder. */
enum yk_status yk_bench_write(const struct yk_bench_model *model, const char *folder, struct yk_err *err);

#endif
