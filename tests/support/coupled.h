/* Torn structures for the tests of couplings, from plain arrays. */
#ifndef YOKE_TEST_COUPLED_H
#define YOKE_TEST_COUPLED_H

#include <yoke/coupling.h>

/* One substructure; matrices are dense n x n, row by row; C, u0, v0 may be NULL (zero). */
struct torn_part {
    bool fine;
    size_t n;
    const double *M, *C, *K, *u0, *v0;
};
/* u of (part, dof) a equals u of b */
struct torn_join {
    size_t part_a, dof_a, part_b, dof_b;
};

/* A problem with everything it stands on; `load` (may be {0}) gives the load of each side. */
struct torn {
    struct yk_coupled *problem;
    struct yk_substructure *subs;
    size_t count;
    struct yk_assembly untorn;
};
void torn_make(struct torn *t, const struct torn_part *parts, size_t count, const struct torn_join *joins,
               size_t join_count, double dt, int substeps);
/* The same from systems made elsewhere (taken over): systems[k] has rate fine[k]; dof names are q0, q1, ... */
void torn_from_systems(struct torn *t, struct yk_system **systems, const bool *fine, size_t count,
                       const struct torn_join *joins, size_t join_count, double dt, int substeps);
void torn_load(struct torn *t, int side, struct yk_loading loading);
void torn_free(struct torn *t);

/* m = k = 1 split in two: mA = b/(1+b), kA = 1/(1+b), mB = 1/(1+b), kB = b/(1+b); both start at (u0, v0). */
void torn_split_mass(struct torn *t, double b, double u0, double v0, double dt, int substeps);

/* A coupling on it with settings "name", value, ..., NULL; choices by index. Started. */
void torn_open(struct yk_coupling *c, struct torn *t, const char *name, const char *const *setting, const double *value,
               size_t settings, int threads);
/* A step of it, on as many threads as it was opened with; and its end. */
enum yk_status torn_step(struct yk_coupling *c);
void torn_close(struct yk_coupling *c);
/* A step of any coupling on one thread, and a call whenever the fine side has reached the time t. */
enum yk_status torn_step_watched(struct yk_coupling *c, void (*on_fine)(void *self, double t), void *self);

#endif
