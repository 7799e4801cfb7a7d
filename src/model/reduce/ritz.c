/* Ritz vectors of the interior under the motion of the interface. docs/theory/reduction.md, eq. (21), (22); Wilson,
 * Yuan and Dickens 1982.
 *
 * T = [X Psi; 0 I] as by Craig and Bampton, with X from what the interface can excite instead of the lowest modes:
 *
 *     X_0 = K_ii^-1 (M_ib + M_ii Psi),   X_k+1 = (K_ii + s_k M_ii)^-1 M_ii X_k,   s_k = 0 or (2 pi band)^2 in turn
 *
 * M-orthogonal, and turned so that K is diagonal. A few vectors describe the force at the interface up to about the
 * band, where hundreds of modes would be needed. The last ones begin with a mixture of all loads: they find the lowest
 * mode, which the interface may not excite. */
#include "linalg/blas.h"
#include "model/reduce/task.h"
#include <yoke/random.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    POINTS = 2, /* shifts s_k */
    MIXED = 6   /* vectors from the mixture of loads */
};
#define DEPENDENT    1e-10 /* of its norm: what is left of a vector that is a mixture of others */
#define DEFAULT_BAND 10.0  /* Hz */

struct ritz {
    size_t n, most, count; /* of the interior; vectors: room, so far */
    const struct yk_matrix *K, *M;
    struct yk_ldlt *shifted[POINTS];
    double *X;           /* n x most */
    double *block, *own; /* n x width, n: work */
    size_t width;
};

/* own = M x */
static void times_mass(const struct ritz *z, const double *x)
{
    memset(z->own, 0, z->n * sizeof *z->own);
    yk_matrix_add_product(z->M, 1, x, z->own);
}

/* Adds x, M-orthogonal to the others and of norm 1; nothing where it is a mixture of them. */
static void add(struct ritz *z, const double *x)
{
    double *to = z->X + z->count * z->n, size;

    memcpy(to, x, z->n * sizeof *to);
    times_mass(z, to);
    size = sqrt(fmax(yk_dot(z->n, to, z->own), 0));
    for (int again = 0; again < 2; again++) /* against rounding */
        for (size_t k = 0; k < z->count; k++) {
            const double part = yk_dot(z->n, z->X + k * z->n, z->own);

            for (size_t i = 0; i < z->n; i++)
                to[i] -= part * z->X[i + k * z->n];
            if (k + 1 == z->count)
                times_mass(z, to);
        }
    const double left = sqrt(fmax(yk_dot(z->n, to, z->own), 0));

    if (!(left > DEPENDENT * size))
        return;
    for (size_t i = 0; i < z->n; i++)
        to[i] /= left;
    z->count++;
}

/* The first loads: inertia of the static shapes. */
static void first_loads(const struct yk_reduce_task *t, const struct ritz *z, const double *Psi, double *full,
                        double *Mfull)
{
    for (size_t b = 0; b < t->interface_count; b++) {
        memset(full, 0, t->full * sizeof *full);
        memset(Mfull, 0, t->full * sizeof *Mfull);
        full[t->interface_dofs[b]] = 1;
        for (size_t i = 0; i < z->n; i++)
            full[t->inside[i]] = Psi[i + b * z->n];
        yk_matrix_add_product(&t->M, 1, full, Mfull);
        for (size_t i = 0; i < z->n; i++)
            z->block[i + b * z->n] = Mfull[t->inside[i]];
    }
}

/* A mixture of all loads. */
static void mixed_load(struct ritz *z)
{
    uint64_t seed = 5;

    for (size_t i = 0; i < z->n; i++)
        z->block[i] = yk_draw(&seed);
    times_mass(z, z->block);
    memcpy(z->block, z->own, z->n * sizeof *z->own);
    z->width = 1;
}

/* Vectors from the loads in the block until there are `most`, or no more. */
static enum yk_status grow(struct ritz *z, size_t most, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (int k = 0; !st && z->count < most; k++) {
        const size_t before = z->count;

        if ((st = yk_ldlt_solve(z->shifted[k % POINTS], z->width, z->block)))
            return yk_fail(err, st, "ritz: the stiffness of the interior cannot be solved");
        for (size_t c = 0; c < z->width && z->count < most; c++)
            add(z, z->block + c * z->n);
        if (z->count == before)
            break;
        for (size_t c = 0; c < z->width && c < z->count; c++) {
            times_mass(z, z->X + (z->count - 1 - c) * z->n);
            memcpy(z->block + c * z->n, z->own, z->n * sizeof *z->own);
        }
    }
    return st;
}

/* X becomes X V with V^T (X^T K X) V = diag(w2). */
static enum yk_status turn(struct ritz *z, double *w2, struct yk_err *err)
{
    const int n = (int)z->n, m = (int)z->count;
    const double one = 1, zero = 0;
    struct yk_matrix K = {0}, I = {0};
    double *V = yk_doubles(z->count * z->count), *KX = yk_doubles(z->n * z->count);
    enum yk_status st = V && KX ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (!st && !(st = yk_matrix_init(&K, YK_DENSE, z->count, z->count, err)) &&
        !(st = yk_matrix_init(&I, YK_DENSE, z->count, z->count, err))) {
        for (size_t c = 0; c < z->count; c++) {
            yk_matrix_add_product(z->K, 1, z->X + c * z->n, KX + c * z->n);
            I.x[c + c * z->count] = 1;
        }
        dgemm_("T", "N", &m, &m, &n, &one, z->X, &n, KX, &n, &zero, K.x, &m);
        for (size_t j = 0; j < z->count; j++)
            for (size_t i = 0; i < j; i++)
                K.x[i + j * z->count] = K.x[j + i * z->count];
        if (!(st = yk_eigen_symmetric(&K, &I, z->count, w2, V, err))) {
            memcpy(KX, z->X, z->n * z->count * sizeof *KX);
            dgemm_("N", "N", &n, &m, &m, &one, KX, &n, V, &m, &zero, z->X, &n);
        }
    }
    yk_matrix_fini(&K);
    yk_matrix_fini(&I);
    free(V);
    free(KX);
    return st;
}

static enum yk_status find(struct ritz *z, const struct yk_reduce_task *t, const double *Psi, struct yk_reduced *out,
                           struct yk_err *err)
{
    const double w = 2 * M_PI * (t->settings->band_Hz > 0 ? t->settings->band_Hz : DEFAULT_BAND);
    double *work = yk_doubles(2 * t->full);
    enum yk_status st;

    if (!work)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    first_loads(t, z, Psi, work, work + t->full);
    free(work);
    for (int k = 0; k < POINTS; k++)
        if ((st = yk_ldlt_sum(&z->shifted[k], 2, (double[]){1, k * w * w}, (const struct yk_matrix *[]){z->K, z->M},
                              err)))
            return st;
    if ((st = grow(z, z->most > MIXED ? z->most - MIXED : z->most, err)))
        return st;
    mixed_load(z);
    if ((st = grow(z, z->most, err)))
        return st;
    if (!(out->w2 = yk_doubles(z->count + 1)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    return turn(z, out->w2, err);
}

/* X and Psi at the rows of the interior, and ones at the interface. */
static enum yk_status place(const struct yk_reduce_task *t, const struct ritz *z, const double *Psi,
                            struct yk_reduced *out, struct yk_err *err)
{
    if (!(out->T = yk_doubles(t->full * (z->count + t->interface_count))))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t c = 0; c < z->count + t->interface_count; c++) {
        const double *from = c < z->count ? z->X + c * z->n : Psi + (c - z->count) * z->n;

        for (size_t i = 0; i < z->n; i++)
            out->T[t->inside[i] + c * t->full] = from[i];
        if (c >= z->count)
            out->T[t->interface_dofs[c - z->count] + c * t->full] = 1;
    }
    out->modes = z->count;
    return YK_OK;
}

static enum yk_status basis(struct yk_reduce_task *t, struct yk_reduced *out, struct yk_err *err)
{
    const size_t n = t->interior, most = t->settings->modes < n ? t->settings->modes : n;
    struct yk_matrix Kii = {0}, Mii = {0};
    struct ritz z = {.n = n, .most = most, .K = &Kii, .M = &Mii, .width = t->interface_count};
    double *Psi = yk_doubles(n * t->interface_count + 1), first;
    enum yk_status st;

    z.X = yk_doubles(n * (most + 1));
    z.block = yk_doubles(n * (z.width + 1));
    z.own = z.block ? z.block + n * z.width : NULL;
    if (!Psi || !z.X || !z.block)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    else if (!(st = yk_task_interior(t, &t->K, &Kii, err)) && !(st = yk_task_interior(t, &t->M, &Mii, err)) &&
             !(st = yk_task_refuse_rigid(t, &Kii, &Mii, &first, err)) &&
             !(st = yk_task_constraint_modes(t, &Kii, Psi, err)) && !(st = find(&z, t, Psi, out, err)))
        st = place(t, &z, Psi, out, err);
    for (int k = 0; k < POINTS; k++)
        yk_ldlt_destroy(z.shifted[k]);
    yk_matrix_fini(&Kii);
    yk_matrix_fini(&Mii);
    free(Psi);
    free(z.X);
    free(z.block);
    return st;
}

const struct yk_reduction_ops yk_reduction_ritz = {
    .name = "ritz",
    .summary = "Ritz vectors that the interface excites, and its static shapes",
    .reference = "Wilson, Yuan and Dickens 1982",
    .modal = true,
    .basis = basis,
};
