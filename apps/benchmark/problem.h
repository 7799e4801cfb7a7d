/* A benchmark problem as a model, with the chain of the user, and the actuators of one of its plants. */
#ifndef YOKE_BENCHMARK_PROBLEM_H
#define YOKE_BENCHMARK_PROBLEM_H

#include <yoke/stepping.h>

/* Reads the text of the experiment file of a problem. `name` is its name in messages, in the folder
 * of the chain if that is a file ("FOLDER/chain.yaml"): file names in the chain, such as the library of a plugin, are
 * relative to that folder. `text` is freed. */
enum yk_status yk_problem_read(struct yk_model **model, const char *chain, const char *name, char *text, size_t size,
                               struct yk_err *err);
/* The acceleration of the ground at `count` instants, every `step` from `from` on [m/s2]; 0 up to t = 0. malloc'd. */
enum yk_status yk_problem_ground(const struct yk_model *model, double from, double step, size_t count, double **ground,
                                 struct yk_err *err);

/* The actuators of the problem with another plant, for one run. */
struct yk_problem_run {
    struct yk_model *model;
    struct yk_stepping *stepping;
    struct yk_station *station;
};
/* Settings as `yoke run --set`. */
enum yk_status yk_problem_start(struct yk_problem_run *run, const struct yk_model *of, const char *const *settings,
                                size_t count, struct yk_err *err);
void yk_problem_end(struct yk_problem_run *run);

#endif
