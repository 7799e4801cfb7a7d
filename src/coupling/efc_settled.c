/* Equivalent force control whose loop has come to rest at the end of every step: docs/theory/efc.md, the ideal
 * specimen.
 *
 *     a = KT^-1 2 c2,   v = KT^-1 (2 c2 dt + c1 - (1+al) CE a),   d = KT^-1 (F1 - (1+al) (CE v + ME a))
 *
 * KT = KPD + (1+al) (KN + KE) with the true specimen, not its estimate. The rest of a step is that of the method.
 * Units: N, m, s. */
#include "coupling/efc_parts.h"

#include <stdlib.h>
#include <string.h>

void yk_efc_settled_free(struct yk_efc_settled *x)
{
    if (!x)
        return;
    yk_matrix_fini(&x->M);
    yk_matrix_fini(&x->C);
    yk_matrix_fini(&x->K);
    yk_factor_destroy(x->KT);
    free(x->d);
    free(x);
}

enum yk_status yk_efc_settled_form(struct yk_efc_settled *x, const struct yk_efc *s, struct yk_err *err)
{
    const double share = 1 + s->alpha;
    struct yk_matrix K = {0};
    enum yk_status st = yk_matrix_init(&K, YK_DENSE, s->n, s->n, err);

    if (st)
        return st;
    for (size_t i = 0; i < s->m; i++)
        for (size_t j = 0; j < s->m; j++)
            K.x[s->dof[i] + s->dof[j] * s->n] = yk_matrix_get(&x->K, i, j);
    if ((x->d = calloc(3 * s->n + 2 * s->m, sizeof *x->d))) {
        x->v = x->d + s->n;
        x->a = x->v + s->n;
        x->edge = x->a + s->n;
        st = yk_factor_sum(&x->KT, 3, (double[]){1, share, share}, (const struct yk_matrix *[]){&s->KPD, &s->KN, &K},
                           NULL, err);
    } else {
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    yk_matrix_fini(&K);
    return st;
}

/* y (n) += factor A x (n), A a matrix of the interface */
YK_RT static void add(const struct yk_efc_settled *x, const struct yk_efc *s, const struct yk_matrix *A, double factor,
                      const double *motion, double *y)
{
    double *in = x->edge, *out = x->edge + s->m;

    for (size_t b = 0; b < s->m; b++)
        in[b] = motion[s->dof[b]];
    memset(out, 0, s->m * sizeof *out);
    yk_matrix_add_product(A, factor, in, out);
    for (size_t b = 0; b < s->m; b++)
        y[s->dof[b]] += out[b];
}

YK_RT void yk_efc_settled_move(struct yk_efc_settled *x, const struct yk_efc *s)
{
    const double share = 1 + s->alpha;

    for (size_t i = 0; i < s->n; i++) {
        x->a[i] = 2 * s->c2[i];
        x->v[i] = 2 * s->c2[i] * s->dt + s->c1[i];
    }
    yk_factor_solve(x->KT, x->a);
    add(x, s, &x->C, -share, x->a, x->v);
    yk_factor_solve(x->KT, x->v);
    memcpy(x->d, s->F1, s->n * sizeof *x->d);
    add(x, s, &x->C, -share, x->v, x->d);
    add(x, s, &x->M, -share, x->a, x->d);
    yk_factor_solve(x->KT, x->d);
}

YK_RT void yk_efc_settled_read(const struct yk_efc_settled *x, const struct yk_efc *s, double *d, double *r, double *a)
{
    const struct yk_matrix *const matrix[] = {&x->M, &x->C, &x->K};
    const double *const motion[] = {x->a, x->v, x->d};

    memset(r, 0, s->m * sizeof *r);
    for (int k = 0; k < 3; k++) {
        for (size_t b = 0; b < s->m; b++)
            x->edge[b] = motion[k][s->dof[b]];
        yk_matrix_add_product(matrix[k], 1, x->edge, r);
    }
    for (size_t b = 0; b < s->m; b++) {
        d[b] = x->d[s->dof[b]];
        a[b] = x->a[s->dof[b]];
    }
}
