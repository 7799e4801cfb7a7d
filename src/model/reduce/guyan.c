/* Static condensation: T = [Psi; I], Psi = -K_ii^-1 K_ib. docs/theory/reduction.md, eq. (2).
 *
 * Exact in statics; the inertia of the interior moves with the static shapes, so frequencies come out too high. */
#include "model/reduce/task.h"

#include <stdlib.h>

static enum yk_status basis(struct yk_reduce_task *t, struct yk_reduced *out, struct yk_err *err)
{
    struct yk_matrix Kii = {0}, Mii = {0};
    double *Psi = calloc(t->interior * t->interface_count + 1, sizeof *Psi);
    enum yk_status st = Psi ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (st || (st = yk_task_interior(t, &t->K, &Kii, err)) || (st = yk_task_interior(t, &t->M, &Mii, err)) ||
        (st = yk_task_refuse_rigid(t, &Kii, &Mii, &out->limit_w2, err)))
        goto end;
    yk_progress_tell(&t->settings->progress, "static shapes of the interface", 0.3);
    if ((st = yk_task_constraint_modes(t, &Kii, Psi, err)))
        goto end;
    if (!(out->T = calloc(t->full * t->interface_count, sizeof *out->T))) {
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
        goto end;
    }
    for (size_t c = 0; c < t->interface_count; c++) {
        for (size_t i = 0; i < t->interior; i++)
            out->T[t->inside[i] + c * t->full] = Psi[i + c * t->interior];
        out->T[t->interface_dofs[c] + c * t->full] = 1;
    }
end:
    free(Psi);
    yk_matrix_fini(&Kii);
    yk_matrix_fini(&Mii);
    return st;
}

const struct yk_reduction_ops yk_reduction_guyan = {
    .name = "guyan",
    .summary = "static shapes of the interface alone: static condensation",
    .reference = "Guyan 1965",
    .basis = basis,
};
