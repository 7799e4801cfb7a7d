/* Periods of a committed state. After yielding the tangent depends on the direction: along the last step, or against
 * it.
 */
#include "path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 2000 }; /* degrees of freedom of a condensation */
#define NUDGE 1e-6    /* of the last step: which branch a law is on */

/* A sub-matrix by lists of rows and columns, dense. */
static void pick(const struct yk_matrix *A, const size_t *rows, size_t r, const size_t *cols, size_t c, double *out)
{
    for (size_t j = 0; j < c; j++)
        for (size_t i = 0; i < r; i++)
            out[i + j * r] = 0.5 * (yk_matrix_get(A, rows[i], cols[j]) + yk_matrix_get(A, cols[j], rows[i]));
}

/* K_mm - K_ms K_ss^-1 K_sm; `shape`, s x m: what the massless ones do with the others. */
static enum yk_status condense(const struct yk_matrix *K, const size_t *with, size_t m, const size_t *without, size_t s,
                               double *Kc, double *shape, struct yk_err *err)
{
    struct yk_matrix Kss = {0};
    struct yk_factor *factor = NULL;
    enum yk_status st = yk_matrix_init(&Kss, YK_DENSE, s, s, err);

    pick(K, with, m, with, m, Kc);
    if (!st) {
        pick(K, without, s, without, s, Kss.x);
        st = yk_factor_create(&factor, &Kss, NULL, err);
    }
    if (!st) {
        pick(K, without, s, with, m, shape);
        for (size_t j = 0; j < m; j++) {
            double *column = shape + j * s;
            double *right = malloc(s * sizeof *right);

            if (!right) {
                st = yk_fail(err, YK_E_MEMORY, "out of memory");
                break;
            }
            memcpy(right, column, s * sizeof *right);
            yk_factor_solve(factor, column);
            for (size_t i = 0; i < s; i++)
                column[i] = -column[i];
            free(right);
        }
        for (size_t j = 0; j < m && !st; j++)
            for (size_t i = 0; i < m; i++)
                for (size_t k = 0; k < s; k++)
                    Kc[i + j * m] += 0.5 *
                                     (yk_matrix_get(K, with[i], without[k]) + yk_matrix_get(K, without[k], with[i])) *
                                     shape[k + j * s];
    }
    yk_factor_destroy(factor);
    yk_matrix_fini(&Kss);
    return st;
}

static enum yk_status reduced(const struct yk_matrix *K, const struct yk_matrix *M, const size_t *order, size_t m,
                              size_t count, double *w2, double *phi, struct yk_err *err)
{
    const size_t n = K->rows, s = n - m;
    struct yk_matrix Kc = {0}, Mc = {0};
    double *shape = calloc(s * m + 1, sizeof *shape), *own = calloc(m * count + 1, sizeof *own);
    enum yk_status st = shape && own ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (!st && !(st = yk_matrix_init(&Kc, YK_DENSE, m, m, err)) && !(st = yk_matrix_init(&Mc, YK_DENSE, m, m, err))) {
        pick(M, order, m, order, m, Mc.x);
        if (s)
            st = condense(K, order, m, order + m, s, Kc.x, shape, err);
        else
            pick(K, order, m, order, m, Kc.x);
        if (!st)
            st = yk_eigen_symmetric(&Kc, &Mc, count, w2, own, err);
    }
    for (size_t k = 0; k < count && phi && !st; k++) {
        for (size_t i = 0; i < m; i++)
            phi[order[i] + k * n] = own[i + k * m];
        for (size_t i = 0; i < s; i++) {
            double sum = 0;

            for (size_t j = 0; j < m; j++)
                sum += shape[i + j * s] * own[j + k * m];
            phi[order[m + i] + k * n] = sum;
        }
    }
    yk_matrix_fini(&Kc);
    yk_matrix_fini(&Mc);
    free(shape);
    free(own);
    return st;
}

enum yk_status modes_of(const struct yk_matrix *K, const struct yk_matrix *M, size_t count, double *w2, double *phi,
                        size_t *found, struct yk_err *err)
{
    const size_t n = K->rows;
    size_t *order = malloc(n * sizeof *order), m = 0, s = 0;
    enum yk_status st;

    *found = 0;
    if (!order)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < n; i++)
        if (yk_matrix_get(M, i, i) > 0)
            order[m++] = i;
    for (size_t i = 0; i < n; i++)
        if (!(yk_matrix_get(M, i, i) > 0))
            order[m + s++] = i;
    count = count < m ? count : m;
    if (!count)
        st = YK_OK;
    else if (s == 0)
        st = yk_eigen_symmetric(K, M, count, w2, phi, err);
    else if (n > MOST)
        st = yk_fail(err, YK_E_UNSUPPORTED, "modes of %zu degrees of freedom, some without mass: at most %d", n, MOST);
    else
        st = reduced(K, M, order, m, count, w2, phi, err);
    if (!st)
        *found = count;
    free(order);
    return st;
}

/* Degrees of freedom of the structure that move an end of a member along `way`: x += factor way^T u_end. */
static enum yk_status spread(const struct statics *q, size_t part, size_t node, const double *way, double factor,
                             double *x, struct yk_err *err)
{
    const long *index;
    const struct yk_frame *f = yk_part_frame(q->parts, part, &index);
    double *local = calloc(yk_part(q->parts, part)->system->n + 1, sizeof *local);
    enum yk_status st = local ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    for (int d = 0; d < (f->plane ? 2 : 3) && !st; d++) {
        struct yk_frame_terms terms = {0};

        st = yk_frame_expand(f, node, d, &terms, err);
        for (size_t t = 0; t < terms.count && !st; t++)
            if (index[terms.place[t]] >= 0)
                local[index[terms.place[t]]] += factor * way[d] * terms.factor[t];
    }
    if (!st)
        yk_matrix_add_product(&q->assembly->map[part], 1, local, x);
    free(local);
    return st;
}

/* K += symmetric part of z (D/L) dN/du: the moment of a change of the axial force N on the lean D of a P-Delta member,
 * which the tangents of the loop leave out. dN/du is that of the axial stiffness at rest. */
static enum yk_status add_lean(struct statics *q, size_t part, const struct yk_frame_member *m, struct yk_matrix *K,
                               struct yk_err *err)
{
    double L, axes[3][3], *x = calloc(2 * q->n, sizeof *x), *z = x + q->n;
    enum yk_status st = x ? yk_beam_axes(&m->beam, &L, axes, err) : yk_fail(err, YK_E_MEMORY, "out of memory");

    for (int end = 0; end < 2 && !st; end++)
        st = spread(q, part, m->ends[end], axes[0], end ? 1 : -1, x, err);
    for (int j = 1; j < (m->beam.plane ? 2 : 3) && !st; j++) {
        memset(z, 0, q->n * sizeof *z);
        for (int end = 0; end < 2 && !st; end++)
            st = spread(q, part, m->ends[end], axes[j], end ? 1 : -1, z, err);
        const double factor = 0.5 * yk_dot(q->n, z, q->u) / L * m->beam.section.E * m->beam.section.A / L;

        for (size_t a = 0; a < q->n; a++)
            for (size_t b = 0; b < q->n && (x[a] != 0 || z[a] != 0); b++)
                K->x[a + b * q->n] += factor * (x[a] * z[b] + z[a] * x[b]);
    }
    free(x);
    return st;
}

/* The tangent with those terms, dense. */
static enum yk_status lean(struct statics *q, struct yk_matrix *K, struct yk_err *err)
{
    enum yk_status st = yk_matrix_init(K, YK_DENSE, q->n, q->n, err);

    if (st)
        return st;
    yk_matrix_to_dense(&q->K, K->x);
    for (size_t k = 0; k < yk_parts_count(q->parts); k++) {
        const struct yk_frame *f = yk_part_frame(q->parts, k, NULL);

        for (size_t i = 0; f && i < f->member_count && !st; i++)
            if (f->members[i].beam.outside && f->members[i].geometry == YK_GEOMETRY_P_DELTA)
                st = add_lean(q, k, &f->members[i], K, err);
    }
    return st;
}

enum yk_status modes_find(struct path *p, bool loading, size_t count, double *w2, size_t *found, struct yk_err *err)
{
    struct statics *q = p->q;
    struct yk_matrix K = {0};
    enum yk_status st;

    *found = 0;
    if (q->n > MOST)
        return YK_OK;
    for (size_t i = 0; i < q->n; i++)
        q->trial[i] = q->u[i] + (loading ? NUDGE : -NUDGE) * p->change[i];
    if (!(st = statics_tangent(q, q->trial, NULL, err)) && !(st = lean(q, &K, err)))
        st = modes_of(&K, &q->s->M, count, w2, NULL, found, err);
    yk_matrix_fini(&K);
    return st;
}
