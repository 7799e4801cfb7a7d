/* Mass moved across an interface. docs/theory/couplings-newmark.md, eq. (29):
 *
 *     M_to += fraction M_from,   M_from *= 1 - fraction          on one diagonal entry each; kg */
#include <yoke/substructure.h>

#include "linalg/definite.h"

/* The diagonal entry i; a mass matrix is positive definite, so it is stored in every form. */
static double *diagonal_entry(struct yk_matrix *M, size_t i)
{
    switch (M->form) {
    case YK_DENSE:
        return &M->x[i + i * M->rows];
    case YK_DIAGONAL:
    case YK_THIN:
        return &M->x[i];
    case YK_SPARSE:
        break;
    }
    for (int at = M->col[i]; at < M->col[i + 1]; at++)
        if ((size_t)M->row[at] == i)
            return &M->x[at];
    return NULL;
}

static enum yk_status check_end(const struct yk_substructure *sub, size_t dof, struct yk_err *err)
{
    if (dof >= sub->system->n)
        return yk_fail(err, YK_E_INPUT, "%s has %zu degrees of freedom, none with index %zu", sub->name, sub->system->n,
                       dof);
    if (sub->system->mass_divided_out)
        return yk_fail(err, YK_E_UNSUPPORTED,
                       "%s: its mass depends on the configuration, so none of it can be moved across an interface",
                       sub->name);
    return YK_OK;
}

enum yk_status yk_transfer_mass(struct yk_substructure *from, size_t dof_from, struct yk_substructure *to,
                                size_t dof_to, double fraction, struct yk_err *err)
{
    double *source, *target, moved;
    enum yk_status st;
    size_t bad;

    if (!(fraction >= 0 && fraction < 1))
        return yk_fail(err, YK_E_RANGE, "mass fraction = %g is not in [0, 1)", fraction);
    if ((st = check_end(from, dof_from, err)) || (st = check_end(to, dof_to, err)))
        return st;
    source = diagonal_entry(&from->system->M, dof_from);
    target = diagonal_entry(&to->system->M, dof_to);
    if (!source || !target)
        return yk_fail(err, YK_E_SINGULAR, "%s.%s or %s.%s has no mass of its own", from->name, from->dofs[dof_from],
                       to->name, to->dofs[dof_to]);
    moved = fraction * *source;
    *source -= moved;
    if (!yk_matrix_is_definite(&from->system->M, &bad)) {
        *source += moved;
        return yk_fail(
            err, YK_E_RANGE,
            "without %g of the mass of %s.%s the mass matrix of %s is not positive definite: move less of it", fraction,
            from->name, from->dofs[dof_from], from->name);
    }
    *target += moved;
    return YK_OK;
}

void yk_return_mass(struct yk_substructure *from, size_t dof_from, struct yk_substructure *to, size_t dof_to,
                    double mass)
{
    *diagonal_entry(&from->system->M, dof_from) += mass;
    *diagonal_entry(&to->system->M, dof_to) -= mass;
}
