/* Equivalent force control: stiffness of the specimen from its readings. docs/theory/efc.md, eq. (32), (33).
 *
 * Whenever the interface has travelled far enough since the last reading that was kept, the work of the change of the
 * reaction over that of the estimate is the share of KE with which the corrections go on. Between 0 and 2: a specimen
 * that unloads along a falling branch, or a reading that deceives, must not turn the correction round. Units: N, m. */
#include "coupling/efc_parts.h"

#include <math.h>
#include <string.h>

static const double most = 2;

static bool is_zero(const struct yk_matrix *A)
{
    for (size_t j = 0; A && j < A->cols; j++)
        for (size_t i = 0; i < A->rows; i++)
            if (yk_matrix_get(A, i, j) != 0)
                return false;
    return true;
}

enum yk_status yk_efc_secant_check(const struct yk_efc_settings *set, struct yk_err *err)
{
    if (set->tangent < YK_EFC_ESTIMATE || set->tangent > YK_EFC_SECANT)
        return yk_fail(err, YK_E_RANGE, "efc: tangent %d is unknown", set->tangent);
    if (set->tangent == YK_EFC_ESTIMATE)
        return YK_OK;
    if (set->correction != YK_EFC_DISPLACEMENT && set->correction != YK_EFC_ACCELERATION)
        return yk_fail(err, YK_E_INPUT,
                       "efc: tangent: secant serves the corrections displacement and acceleration; the chosen one uses "
                       "no stiffness");
    if (!(set->least_travel > 0 && set->least_travel < INFINITY))
        return yk_fail(err, YK_E_RANGE,
                       "efc: tangent: secant with least_travel = %g: it must be positive; ten times the noise of the "
                       "displacement is a good value",
                       set->least_travel);
    if (is_zero(set->KE))
        return yk_fail(err, YK_E_INPUT, "efc: tangent: secant scales the estimated stiffness, and that is zero");
    if (!is_zero(set->ME))
        return yk_fail(
            err, YK_E_UNSUPPORTED,
            "efc: tangent: secant finds the stiffness from the measured force, but the estimate has a mass, whose "
            "inertia is part of that force; leave the mass out of the estimate, or use tangent: estimate");
    return YK_OK;
}

void yk_efc_secant_layout(struct yk_efc *s, struct yk_arena *mem)
{
    const size_t m = s->secant.kind == YK_EFC_SECANT ? s->m : 0;

    yk_arena_array(mem, &s->secant.d, m);
    yk_arena_array(mem, &s->secant.r, m);
    yk_arena_array(mem, &s->secant.Z, m * s->n);
    yk_arena_array(mem, &s->secant.W, m * m);
    yk_arena_array(mem, &s->secant.work, 2 * m);
    yk_lu_layout(&s->secant.update, m, mem);
}

enum yk_status yk_efc_secant_form(struct yk_efc *s, const struct yk_efc_settings *set, struct yk_err *err)
{
    const size_t m = s->m;

    if (s->secant.kind != YK_EFC_SECANT)
        return YK_OK;
    for (size_t c = 0; c < m; c++) {
        double *column = s->secant.Z + c * s->n;

        column[s->dof[c]] = 1;
        yk_factor_solve(s->moving, column);
        for (size_t b = 0; b < m; b++)
            s->secant.W[b + c * m] = column[s->dof[b]];
    }
    return yk_matrix_copy(&s->secant.KE, set->KE, err);
}

YK_RT static void keep(struct yk_efc *s, const struct yk_efc_measured *measured)
{
    memcpy(s->secant.d, measured->d, s->m * sizeof(double));
    memcpy(s->secant.r, measured->r, s->m * sizeof(double));
    s->secant.anchored = true;
}

/* eq. (32) */
YK_RT void yk_efc_secant_read(struct yk_efc *s, const struct yk_efc_measured *measured)
{
    double travel = 0, *way = s->secant.work, *force = way + s->m, done = 0, estimated;

    if (s->secant.kind != YK_EFC_SECANT)
        return;
    if (!s->secant.anchored) {
        keep(s, measured);
        return;
    }
    for (size_t b = 0; b < s->m; b++) {
        way[b] = measured->d[b] - s->secant.d[b];
        done += way[b] * (measured->r[b] - s->secant.r[b]);
        travel = fmax(travel, fabs(way[b]));
    }
    if (!(travel >= s->secant.least))
        return;
    memset(force, 0, s->m * sizeof(double));
    yk_matrix_add_product(&s->secant.KE, 1, way, force);
    estimated = yk_dot(s->m, way, force);
    if (estimated > 0)
        s->secant.share = fmin(fmax(done / estimated, 0), most);
    keep(s, measured);
}

YK_RT enum yk_status yk_efc_secant_prepare(struct yk_efc *s)
{
    const size_t m = s->m;
    const double change = (1 + s->alpha) * (s->secant.share - 1);

    if (s->secant.kind != YK_EFC_SECANT)
        return YK_OK;
    memset(s->secant.update.a, 0, m * m * sizeof(double));
    for (size_t c = 0; c < m; c++) {
        yk_matrix_add_product(&s->secant.KE, change, s->secant.W + c * m, s->secant.update.a + c * m);
        s->secant.update.a[c + c * m] += 1;
    }
    return yk_lu_factor(&s->secant.update);
}

/* eq. (33): x -= Z (I + B W)^-1 B x_b,   B = (1+al)(share - 1) KE */
YK_RT void yk_efc_secant_update(struct yk_efc *s, double *x)
{
    double *edge = s->secant.work, *force = edge + s->m;

    if (s->secant.kind != YK_EFC_SECANT || s->secant.share == 1)
        return;
    for (size_t b = 0; b < s->m; b++)
        edge[b] = x[s->dof[b]];
    memset(force, 0, s->m * sizeof(double));
    yk_matrix_add_product(&s->secant.KE, (1 + s->alpha) * (s->secant.share - 1), edge, force);
    yk_lu_solve(&s->secant.update, force);
    for (size_t c = 0; c < s->m; c++)
        for (size_t i = 0; i < s->n; i++)
            x[i] -= s->secant.Z[i + c * s->n] * force[c];
}
