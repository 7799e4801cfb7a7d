/* The largest modulus among the eigenvalues of a linear map of which only the action x -> A x is known.
 *
 * Arnoldi's method without restarts on D^-1 A D: an orthonormal basis V of the vectors that the map makes of a random
 * one, A V = V H + r e^T, and the eigenvalues of the small H. It has settled when the last tenth of the basis did not
 * change the largest modulus. Components of very different size, displacements beside accelerations, would drown the
 * small ones in the rounding of the large ones; d_i is the root mean square of component i in a few of those vectors.
 * The start is fixed, so a result can be repeated. */
#include "linalg/blas.h"
#include <yoke/random.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BASIS = 300,
    WARM_UP = 50 /* products for D; the first is left out */
};

#define SETTLED   1e-8  /* relative change of the modulus */
#define SMALLEST  1e-14 /* of the scales, against the largest: what is always nothing */
#define EXHAUSTED 1e-12 /* what is left of a product, against it: the basis holds all that the map makes of it */

struct arnoldi {
    const struct yk_map *map;
    size_t n, basis; /* basis: vectors there is room for */
    double *scale;   /* n: D */
    double *V, *H;   /* n x (basis + 1), basis x basis */
};

static void fill_start(size_t n, double *start)
{
    uint64_t state = 1;

    for (size_t i = 0; i < n; i++)
        start[i] = yk_draw(&state);
}

/* D, by means of `x`. The vector is kept at a largest component of 1 on the way. */
static enum yk_status find_scales(struct arnoldi *a, double *x)
{
    double largest = 0;
    enum yk_status st;

    fill_start(a->n, x);
    for (int k = 0; k < WARM_UP; k++) {
        double most = 0;

        if ((st = a->map->apply(a->map->self, x)))
            return st;
        for (size_t i = 0; i < a->n; i++)
            most = fmax(most, fabs(x[i]));
        for (size_t i = 0; i < a->n && most > 0; i++) {
            x[i] /= most;
            a->scale[i] += k < 1 ? 0 : x[i] * x[i];
        }
    }
    for (size_t i = 0; i < a->n; i++)
        largest = fmax(largest, a->scale[i] = sqrt(a->scale[i]));
    for (size_t i = 0; i < a->n; i++)
        a->scale[i] = largest > 0 ? fmax(a->scale[i], SMALLEST * largest) : 1;
    return YK_OK;
}

/* y = D^-1 A D x */
static enum yk_status apply(const struct arnoldi *a, const double *x, double *y)
{
    enum yk_status st;

    for (size_t i = 0; i < a->n; i++)
        y[i] = a->scale[i] * x[i];
    if ((st = a->map->apply(a->map->self, y)))
        return st;
    for (size_t i = 0; i < a->n; i++)
        y[i] /= a->scale[i];
    return YK_OK;
}

/* Makes y orthogonal to the first `count` vectors, twice: once is not enough. h += the parts removed. */
static void orthogonalise(const struct arnoldi *a, size_t count, double *y, double *h)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t j = 0; j < count; j++) {
            const double *v = a->V + j * a->n, part = yk_dot(a->n, v, y);

            for (size_t i = 0; i < a->n; i++)
                y[i] -= part * v[i];
            h[j] += part;
        }
}

/* Fills V and H. *made: columns of H, fewer where the basis holds all that the map makes of its start. */
static enum yk_status build_basis(struct arnoldi *a, size_t *made)
{
    const size_t n = a->n, m = a->basis;
    double norm, whole;
    enum yk_status st;

    fill_start(n, a->V);
    norm = sqrt(yk_dot(n, a->V, a->V));
    for (size_t k = 0;; k++) {
        double *v = a->V + k * n, *y = v + n;

        for (size_t i = 0; i < n; i++)
            v[i] /= norm;
        if ((st = apply(a, v, y)))
            return st;
        whole = sqrt(yk_dot(n, y, y));
        orthogonalise(a, k + 1, y, a->H + k * m);
        norm = sqrt(yk_dot(n, y, y));
        *made = k + 1;
        if (!isfinite(whole))
            return YK_E_DIVERGED;
        if (*made == m || !(norm > EXHAUSTED * whole))
            return YK_OK;
        a->H[k + 1 + k * m] = norm;
    }
}

/* Largest modulus of the eigenvalues of the first `order` rows and columns of H. */
static enum yk_status radius_of(const struct arnoldi *a, size_t order, double *radius, struct yk_err *err)
{
    double *h = yk_doubles(order * (order + 2)), *re = h ? h + order * order : NULL;
    enum yk_status st = h ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    for (size_t j = 0; j < order && !st; j++)
        memcpy(h + j * order, a->H + j * a->basis, order * sizeof *h);
    if (!st && !(st = yk_eigen_general(order, h, re, re + order, err)))
        *radius = hypot(re[0], re[order]);
    free(h);
    return st;
}

enum yk_status yk_eigen_dominant(const struct yk_map *map, double *radius, struct yk_err *err)
{
    struct arnoldi a = {.map = map, .n = map->n, .basis = map->n < BASIS ? map->n : BASIS};
    double before = 0;
    size_t made = 0;
    enum yk_status st;

    *radius = 0;
    if (!map->n)
        return YK_OK;
    a.scale = yk_doubles(a.n);
    a.V = yk_doubles(a.n * (a.basis + 1));
    a.H = yk_doubles(a.basis * a.basis);
    if (!a.scale || !a.V || !a.H)
        st = yk_fail(err, YK_E_MEMORY, "out of memory: the eigenproblem of order %zu could not be set up", a.n);
    else if (!(st = find_scales(&a, a.V)) && !(st = build_basis(&a, &made)) &&
             !(st = radius_of(&a, made, radius, err)) && made == BASIS)
        st = radius_of(&a, made - made / 10, &before, err);
    if (!st && made == BASIS && !(fabs(*radius - before) <= SETTLED * *radius))
        st = yk_fail(err, YK_E_DIVERGED, "eigenvalues: the largest of order %zu has not settled: %.10g, then %.10g",
                     a.n, before, *radius);
    free(a.scale);
    free(a.V);
    free(a.H);
    return st;
}
