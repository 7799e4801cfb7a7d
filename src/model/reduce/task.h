/* Shared by the reductions: the model torn into interior and interface, modes with their checks, static shapes. */
#ifndef YOKE_REDUCE_TASK_H
#define YOKE_REDUCE_TASK_H

#include <yoke/reduction.h>

struct yk_reduce_task {
    size_t full, interior, interface_count;
    const struct yk_reduce_settings *settings;
    const char *const *names;
    struct yk_matrix M, C, K;        /* sparse, of the full model */
    size_t *inside, *interface_dofs; /* degrees of freedom of the full model */
    long *place;                     /* of each in `inside`; -1 - k: interface k */
};

/* The inertia forces of ground motions in the coordinates of the reduced model: T^T (M b). */
enum yk_status yk_ground_project(struct yk_ground *out, const struct yk_ground *full, const struct yk_reduced *r,
                                 struct yk_err *err);

/* Rows and columns of the interior of a sparse matrix of the full model. */
enum yk_status yk_task_interior(const struct yk_reduce_task *t, const struct yk_matrix *A, struct yk_matrix *Aii,
                                struct yk_err *err);
/* Psi = -K_ii^-1 K_ib, interior x interface. */
enum yk_status yk_task_constraint_modes(const struct yk_reduce_task *t, const struct yk_matrix *Kii, double *Psi,
                                        struct yk_err *err);

/* The lowest modes of K phi = w2 M phi, as many as the settings say; *phi is malloc'd, n x *count, mass-normalised.
 * Fills `check`; refuses modes that were missed or did not converge and, where `held` is not NULL, rigid ones: those of
 * its interior, with degrees of freedom to hold. */
enum yk_status yk_modes_find(struct yk_modes *modes, const struct yk_matrix *K, const struct yk_matrix *M,
                             const struct yk_reduce_settings *settings, const struct yk_reduce_task *held,
                             struct yk_mode_check *check, struct yk_err *err);
/* The same refusal where no modes are looked for otherwise. *first: square of the lowest frequency of the interior. */
enum yk_status yk_task_refuse_rigid(const struct yk_reduce_task *t, const struct yk_matrix *Kii,
                                    const struct yk_matrix *Mii, double *first, struct yk_err *err);

#endif
