/* Craig-Bampton: T = [Phi Psi; 0 I] in the order (interior, interface). docs/theory/reduction.md, eq. (3)-(5).
 *
 * Phi: lowest modes of the interior with the interface held, K_ii phi = w2 M_ii phi, mass-normalised; Psi: static
 * shapes for a unit displacement of each interface degree of freedom, -K_ii^-1 K_ib. Then K_r = diag(w2, condensed K).
 */
#include "model/reduce/task.h"

#include <stdlib.h>

/* Places Phi and Psi at the rows of the interior, and ones at the interface. */
static void place(const struct yk_reduce_task *t, const struct yk_modes *modes, const double *Psi, double *T)
{
    const size_t n = t->full, m = modes->count;

    for (size_t c = 0; c < m; c++)
        for (size_t i = 0; i < t->interior; i++)
            T[t->inside[i] + c * n] = modes->phi[i + c * t->interior];
    for (size_t c = 0; c < t->interface_count; c++) {
        for (size_t i = 0; i < t->interior; i++)
            T[t->inside[i] + (m + c) * n] = Psi[i + c * t->interior];
        T[t->interface_dofs[c] + (m + c) * n] = 1;
    }
}

static enum yk_status basis(struct yk_reduce_task *t, struct yk_reduced *out, struct yk_err *err)
{
    struct yk_matrix Kii = {0}, Mii = {0};
    struct yk_modes modes = {0};
    double *Psi = calloc(t->interior * t->interface_count + 1, sizeof *Psi);
    enum yk_status st = Psi ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (st || (st = yk_task_interior(t, &t->K, &Kii, err)) || (st = yk_task_interior(t, &t->M, &Mii, err)))
        goto end;
    yk_progress_tell(&t->settings->progress, "modes of the held interface", 0.05);
    if ((st = yk_modes_find(&modes, &Kii, &Mii, t->settings, t, &out->check, err)))
        goto end;
    yk_progress_tell(&t->settings->progress, "static shapes of the interface", 0.8);
    if ((st = yk_task_constraint_modes(t, &Kii, Psi, err)))
        goto end;
    if (!(out->T = calloc(t->full * (modes.count + t->interface_count), sizeof *out->T))) {
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
        goto end;
    }
    place(t, &modes, Psi, out->T);
    out->modes = modes.count;
    out->w2 = modes.w2;
    modes.w2 = NULL;
end:
    free(Psi);
    yk_modes_free(&modes);
    yk_matrix_fini(&Kii);
    yk_matrix_fini(&Mii);
    return st;
}

const struct yk_reduction_ops yk_reduction_craig_bampton = {
    .name = "craig-bampton",
    .summary = "fixed-interface modes and static shapes of the interface",
    .reference = "Craig and Bampton 1968",
    .modal = true,
    .basis = basis,
};
