/* Decay of an experiment from a short free vibration, motion by motion. docs/theory/delay.md, eq. (40), (41).
 *
 * In the modes of the initial tangents, K x_i = w_i^2 M x_i, x_i^T M x_i = 1, the state s = (w_i x_i^T M u, x_i^T M v)
 * has the energy |s|^2 / 2, and without a rig
 *
 *     ds/dt = A s,   A = [0 W; -W -Z],   W = diag(w_i),   Z = X^T C X
 *
 * A left eigenvector y of A singles out one damped motion: |y^H s| is a multiple of exp(-sigma t), without the beats
 * that modes and degrees of freedom show. What a method changes in the motions brings a little of them back; but it
 * does so with the model as with the rig, so that the rig is judged by the difference of the two, added to sigma.
 * Units: N, m, s. */
#include "analyze/decay.h"
#include "linalg/blas.h"
#include "state/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define START_SPEED 1e-3 /* m/s: small against any limit */
#define SHARE                                                                                                          \
    1e-2 /* of the energy of the strongest motion: weaker ones are dominated by the others and not reported            \
          */
#define BOUNDLESS 1e3      /* growth that needs no measuring; below what makes actuators saturate */
enum { MOST_MODES = 100 }; /* those with the most energy at the start */

/* ---- the motions of a structure ---- */

/* A velocity of the degrees of freedom that specimens have, and of no others. */
static enum yk_status push_specimens(const struct yk_model *model, double *v, struct yk_err *err)
{
    memset(v, 0, model->assembly->system->n * sizeof *v);
    for (size_t k = 0; k < model->substructure_count; k++) {
        const size_t n = model->substructures[k].system->n;
        double *local = yk_doubles(n);

        if (!local)
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        for (size_t i = 0; i < n && (!model->coupling || model->substructures[k].fine); i++)
            local[i] = START_SPEED * (1 + 0.3 * (double)(i % 3));
        yk_matrix_add_product(&model->assembly->map[k], 1, local, v);
        free(local);
    }
    return YK_OK;
}

static void swap(size_t n, double *a, double *b)
{
    for (size_t i = 0; i < n; i++) {
        const double kept = a[i];

        a[i] = b[i];
        b[i] = kept;
    }
}

/* All modes; those that M v gives the most energy come first. */
static enum yk_status find_modes(struct yk_motions *d, const struct yk_system *s, const double *Mv, struct yk_err *err)
{
    const size_t n = d->n;
    enum yk_status st = yk_eigen_symmetric(&s->K, &s->M, n, d->w, d->shape, err);

    for (size_t i = 0; i < d->count && !st && d->count < n; i++) {
        size_t best = i;
        double most = -1;

        for (size_t j = i; j < n; j++) {
            const double share = fabs(yk_dot(n, d->shape + j * n, Mv));

            best = share > most ? j : best;
            most = fmax(most, share);
        }
        if (best != i) {
            swap(1, d->w + i, d->w + best);
            swap(n, d->shape + i * n, d->shape + best * n);
        }
    }
    for (size_t i = 0; i < n && !st; i++)
        d->w[i] = sqrt(fmax(d->w[i], 0));
    return st;
}

/* A, in the modes that are looked at; Cx is work of n. */
static void fill_matrix(const struct yk_motions *d, const struct yk_matrix *C, double *A, double *Cx)
{
    const size_t n = d->n, count = d->count, order = 2 * count;

    for (size_t j = 0; j < count; j++) {
        A[j + (count + j) * order] = d->w[j];
        A[count + j + j * order] = -d->w[j];
        memset(Cx, 0, n * sizeof *Cx);
        yk_matrix_add_product(C, 1, d->shape + j * n, Cx);
        for (size_t i = 0; i < count; i++)
            A[count + i + (count + j) * order] = -yk_dot(n, d->shape + i * n, Cx);
    }
}

/* Its left eigenvectors, and sigma in the real parts of the eigenvalues. A is destroyed. */
static enum yk_status left_vectors(struct yk_motions *d, double *A, struct yk_err *err)
{
    const int order = (int)(2 * d->count), ask = -1, one = 1;
    double best = 0, *work;
    int lwork, info = 0;

    dgeev_("V", "N", &order, A, &order, d->sigma, d->im, d->y, &order, NULL, &one, &best, &ask, &info);
    lwork = (int)best;
    if (!(work = yk_doubles((size_t)lwork)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    dgeev_("V", "N", &order, A, &order, d->sigma, d->im, d->y, &order, NULL, &one, work, &lwork, &info);
    free(work);
    for (int i = 0; i < order; i++)
        d->sigma[i] = -d->sigma[i];
    return info ? yk_fail(err, YK_E_DIVERGED, "eigenvalues: LAPACK's dgeev did not converge (%d)", info) : YK_OK;
}

enum yk_status yk_motions_find(struct yk_motions *d, const struct yk_model *model, struct yk_err *err)
{
    const struct yk_system *s = model->assembly->system;
    const size_t n = s->n, count = n < MOST_MODES ? n : MOST_MODES, order = 2 * count;
    double *A = yk_doubles(order * order + 2 * n), *v = A ? A + order * order : NULL, *Mv = v ? v + n : NULL;
    enum yk_status st;

    *d = (struct yk_motions){.n = n, .count = count, .w = yk_doubles(n * (n + 1) + order * (order + 5))};
    if (!A || !d->w) {
        free(A);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    d->shape = d->w + n;
    d->y = d->shape + n * n;
    d->im = d->y + order * order;
    d->sigma = d->im + order;
    d->shift = d->sigma + order;
    d->early = d->shift + order;
    d->late = d->early + order;
    if (!(st = push_specimens(model, v, err))) {
        yk_matrix_add_product(&s->M, 1, v, Mv);
        if (!(st = find_modes(d, s, Mv, err))) {
            fill_matrix(d, &s->C, A, Mv);
            st = left_vectors(d, A, err);
        }
    }
    free(A);
    return st;
}

void yk_motions_free(struct yk_motions *d)
{
    free(d->w);
    *d = (struct yk_motions){0};
}

/* ---- a vibration of an experiment ---- */

struct vibration {
    struct yk_state *m;
    struct yk_motions *of;
    struct yk_budget *budget;
    double *s, *Mu, *Mv; /* 2 count, n, n */
    double *u, *v, *a;   /* of one substructure */
};

/* s of now; returns its energy. */
static double look(struct vibration *b)
{
    const struct yk_state *m = b->m;
    const struct yk_motions *d = b->of;
    const size_t n = d->n;

    memset(b->Mu, 0, 2 * n * sizeof *b->Mu);
    for (size_t k = 0; k < m->model->substructure_count; k++) {
        const struct yk_system *s = m->substructures[k].system;

        yk_state_now(m, k, b->u, b->v, b->a);
        memset(b->a, 0, s->n * sizeof *b->a);
        yk_matrix_add_product(&s->M, 1, b->u, b->a);
        yk_matrix_add_product(&m->assembly->map[k], 1, b->a, b->Mu);
        memset(b->a, 0, s->n * sizeof *b->a);
        yk_matrix_add_product(&s->M, 1, b->v, b->a);
        yk_matrix_add_product(&m->assembly->map[k], 1, b->a, b->Mv);
    }
    for (size_t i = 0; i < d->count; i++) {
        b->s[i] = d->w[i] * yk_dot(n, d->shape + i * n, b->Mu);
        b->s[d->count + i] = yk_dot(n, d->shape + i * n, b->Mv);
    }
    return 0.5 * yk_dot(2 * d->count, b->s, b->s);
}

/* Adds |y^H s|^2 of every motion; a conjugate pair is one, in its first place, with two real vectors. */
static void add_amplitudes(const struct vibration *b, double *sum)
{
    const size_t order = 2 * b->of->count;

    for (size_t i = 0; i < order; i++) {
        const double *y = b->of->y + i * order, real = yk_dot(order, y, b->s);

        sum[i] += real * real;
        if (b->of->im[i] != 0) {
            const double imaginary = yk_dot(order, y + order, b->s);

            sum[i++] += imaginary * imaginary;
        }
    }
}

/* Sums of the second and of the last quarter. */
static enum yk_status vibrate(struct vibration *b, long steps)
{
    const double first = look(b);
    enum yk_status st = YK_OK;

    memset(b->of->early, 0, 4 * b->of->count * sizeof *b->of->early);
    for (long i = 0; i < steps && !st; i++)
        if (!(st = yk_decay_step(b->m, b->budget))) {
            const long quarter = 4 * i / steps;

            if (!(look(b) < BOUNDLESS * BOUNDLESS * first))
                st = YK_E_DIVERGED;
            else if (quarter == 1 || quarter == 3)
                add_amplitudes(b, quarter == 1 ? b->of->early : b->of->late);
        }
    return st;
}

/* Lowest decay rate of the motions with more than SHARE of the largest energy. `reference`: a vibration of the model;
 * keeps the shift from the rates seen in it to sigma. */
static double slowest(struct yk_motions *d, double time, bool reference)
{
    double most = 0, decay = INFINITY;

    for (size_t i = 0; i < 2 * d->count; i++)
        most = fmax(most, d->early[i]);
    for (size_t i = 0; i < 2 * d->count; i++) {
        const double seen = d->early[i] > SHARE * most ? 0.5 * log(d->early[i] / d->late[i]) / time : INFINITY;

        if (reference)
            d->shift[i] = isfinite(seen) ? d->sigma[i] - seen : 0;
        decay = fmin(decay, seen + d->shift[i]);
    }
    return decay;
}

enum yk_status yk_decay_of_motions(struct yk_state *m, struct yk_watched *how, struct yk_motions *of, long steps,
                                   bool reference, double *decay, struct yk_err *err)
{
    const struct yk_model *model = m->model;
    const size_t n = of->n;
    struct vibration b = {.m = m, .of = of, .budget = how->budget};
    double *memory, *start;
    size_t most = 0;
    enum yk_status st;

    for (size_t k = 0; k < model->substructure_count; k++)
        most = model->substructures[k].system->n > most ? model->substructures[k].system->n : most;
    if (!(memory = yk_doubles(2 * of->count + 4 * n + 3 * most)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    start = memory;
    b.Mu = start + 2 * n;
    b.Mv = b.Mu + n;
    b.s = b.Mv + n;
    b.u = b.s + 2 * of->count;
    b.v = b.u + most;
    b.a = b.v + most;
    if (!(st = push_specimens(model, start + n, err))) {
        if (!(st = yk_state_start_from(m, start, start + n)))
            st = vibrate(&b, steps);
        *decay = st == YK_E_DIVERGED ? -INFINITY : slowest(of, (double)steps / 2 * m->dt, reference);
        st = st == YK_E_DIVERGED ? YK_OK : st;
    }
    how->watched_s = (double)steps * m->dt;
    free(memory);
    return st;
}
