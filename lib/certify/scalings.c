/* Certificates by scalings, where corners are too many. docs/theory/certificates.md, section 5.
 *
 * With d > 0 and g real (0 for a factor that is complex) and M^ = diag(d) M diag(1/d),
 *
 *     lambda_max( M^^H M^ + j (G M^ - M^^H G) ) < 1/r^2                                              (6)
 *
 * proves that det(I - M Delta) != 0 for all factors of modulus up to r (Fan, Tits and Doyle 1991). Any d and g that
 * satisfy it are a proof, however they were found: here by BFGS on a smooth bound of the largest eigenvalue. */
#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/arena.h>
#include <yoke/linalg.h>

enum { MOST = 64, SWEEPS = 40, STEPS = 200, BALANCES = 20, FIRST_ARCS = 16, DEEPEST = 64 };
#define SHORTEST 1e-9 /* rad */
#define ENOUGH   0.7  /* of 1/r^2 at the middle of an arc, so that it may have some length */

/* ---- Hermitian eigenvalues (Jacobi) ---- */

/* Eigenvalues of A (n x n, destroyed) and vectors V. */
static void hermitian(size_t n, double complex *A, double *lambda, double complex *V)
{
    for (size_t i = 0; i < n * n; i++)
        V[i] = i % (n + 1) == 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double off = 0, on = 0;

        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++)
                *(i == j ? &on : &off) += creal(A[i + j * n] * conj(A[i + j * n]));
        if (!(off > 1e-30 * on))
            break;
        for (size_t p = 0; p + 1 < n; p++)
            for (size_t q = p + 1; q < n; q++) {
                const double r = cabs(A[p + q * n]);

                if (!(r > 0))
                    continue;
                const double complex phase = A[p + q * n] / r;
                const double theta = 0.5 * (creal(A[q + q * n]) - creal(A[p + p * n])) / r,
                             t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(1 + theta * theta)),
                             c = 1 / sqrt(1 + t * t), s = t * c;

                for (size_t k = 0; k < n; k++) { /* columns */
                    const double complex x = A[k + p * n], y = A[k + q * n] * conj(phase);

                    A[k + p * n] = c * x - s * y;
                    A[k + q * n] = s * x + c * y;
                    const double complex u = V[k + p * n], w = V[k + q * n] * conj(phase);

                    V[k + p * n] = c * u - s * w;
                    V[k + q * n] = s * u + c * w;
                }
                for (size_t k = 0; k < n; k++) { /* rows */
                    const double complex x = A[p + k * n], y = A[q + k * n] * phase;

                    A[p + k * n] = c * x - s * y;
                    A[q + k * n] = s * x + c * y;
                }
            }
    }
    for (size_t i = 0; i < n; i++)
        lambda[i] = creal(A[i + i * n]);
}

/* ---- the bound at one frequency ---- */

struct bound {
    size_t n;
    const double complex *M;
    const bool *real;
    double complex *hat, *L, *V; /* n x n each */
};

static bool bound_open(struct bound *b, size_t n, const bool *real)
{
    *b = (struct bound){.n = n, .real = real, .hat = malloc((3 * n * n + 1) * sizeof *b->hat)};
    b->L = b->hat + n * n;
    b->V = b->L + n * n;
    return b->hat != NULL;
}

/* hat = diag(d) M diag(1/d) and the eigenvalues of the left side of (6); x: log d, then g. Returns the largest. */
static double largest(struct bound *b, const double *x, double *lambda)
{
    const size_t n = b->n;
    double most = -INFINITY;

    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            b->hat[i + j * n] = b->M[i + j * n] * exp(x[i] - x[j]);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            double complex sum = I * (x[n + i] * b->hat[i + j * n] - conj(b->hat[j + i * n]) * x[n + j]);

            for (size_t k = 0; k < n; k++)
                sum += conj(b->hat[k + i * n]) * b->hat[k + j * n];
            b->L[i + j * n] = sum;
        }
    hermitian(n, b->L, lambda, b->V);
    for (size_t i = 0; i < n; i++)
        most = fmax(most, lambda[i]);
    return most;
}

/* log-sum-exp of the eigenvalues with sharpness k, and its gradient. */
static double smooth(struct bound *b, const double *x, double k, double *gradient, double *worst)
{
    const size_t n = b->n;
    double lambda[MOST], sum = 0;
    double complex u[MOST], back[MOST], turned[MOST];

    *worst = largest(b, x, lambda);
    for (size_t i = 0; i < n; i++)
        sum += exp(k * (lambda[i] - *worst));
    memset(gradient, 0, 2 * n * sizeof *gradient);
    for (size_t e = 0; e < n; e++) {
        const double weight = exp(k * (lambda[e] - *worst)) / sum;
        const double complex *v = b->V + e * n;

        if (weight < 1e-14)
            continue;
        for (size_t i = 0; i < n; i++) {
            u[i] = 0;
            for (size_t j = 0; j < n; j++)
                u[i] += b->hat[i + j * n] * v[j];
        }
        for (size_t i = 0; i < n; i++) {
            back[i] = turned[i] = 0;
            for (size_t j = 0; j < n; j++) {
                back[i] += conj(b->hat[j + i * n]) * u[j];
                turned[i] += conj(b->hat[j + i * n]) * x[n + j] * v[j];
            }
        }
        for (size_t i = 0; i < n; i++) {
            gradient[i] += weight * 2 *
                           creal(conj(u[i]) * u[i] - conj(back[i]) * v[i] +
                                 I * (conj(v[i]) * x[n + i] * u[i] - conj(turned[i]) * v[i]));
            if (b->real[i])
                gradient[n + i] -= weight * 2 * cimag(conj(v[i]) * u[i]);
        }
    }
    return *worst + log(sum) / k;
}

/* Rows and columns of equal norm (Osborne 1960). */
static void balance(const struct bound *b, double *x)
{
    const size_t n = b->n;

    for (int round = 0; round < BALANCES; round++)
        for (size_t i = 0; i < n; i++) {
            double row = 0, column = 0;

            for (size_t j = 0; j < n; j++) {
                if (j == i)
                    continue;
                row += pow(cabs(b->M[i + j * n]) * exp(x[i] - x[j]), 2);
                column += pow(cabs(b->M[j + i * n]) * exp(x[j] - x[i]), 2);
            }
            if (row > 0 && column > 0)
                x[i] += 0.25 * log(column / row);
        }
}

/* BFGS for one sharpness. The best x for the largest eigenvalue itself is kept in `best`. */
static void descend(struct bound *b, double k, double *x, double *best, double *least, double enough)
{
    const size_t m = 2 * b->n;
    double *H = malloc((m * m + 5 * m) * sizeof *H), *g, *next, *g_next, *step, *Hy, f, worst;

    if (!H)
        return;
    g = H + m * m;
    next = g + m;
    g_next = next + m;
    step = g_next + m;
    Hy = step + m;
    for (size_t i = 0; i < m * m; i++)
        H[i] = i % (m + 1) == 0;
    f = smooth(b, x, k, g, &worst);
    for (int i = 0; i<STEPS && * least> enough; i++) {
        double slope = 0, t = 1, f_next = f, sy = 0, yHy = 0;

        memset(step, 0, m * sizeof *step);
        for (size_t j = 0; j < m; j++)
            yk_add_scaled(m, -g[j], H + j * m, step);
        slope = yk_dot(m, g, step);
        if (!(slope < -1e-16 * (1 + fabs(f))))
            break;
        for (; t > 1e-12; t *= 0.5) {
            for (size_t j = 0; j < m; j++)
                next[j] = x[j] + t * step[j];
            f_next = smooth(b, next, k, g_next, &worst);
            if (f_next <= f + 1e-4 * t * slope)
                break;
        }
        if (!(t > 1e-12))
            break;
        if (worst < *least) {
            *least = worst;
            memcpy(best, next, m * sizeof *best);
        }
        for (size_t j = 0; j < m; j++) { /* step: s, g: y */
            step[j] = next[j] - x[j];
            g[j] = g_next[j] - g[j];
        }
        memset(Hy, 0, m * sizeof *Hy);
        for (size_t j = 0; j < m; j++)
            yk_add_scaled(m, g[j], H + j * m, Hy);
        sy = yk_dot(m, step, g);
        yHy = yk_dot(m, g, Hy);
        for (size_t a = 0; a < m && sy > 1e-300; a++)
            for (size_t c = 0; c < m; c++)
                H[a + c * m] += (1 + yHy / sy) * step[a] * step[c] / sy - (Hy[a] * step[c] + step[a] * Hy[c]) / sy;
        memcpy(x, next, m * sizeof *x);
        memcpy(g, g_next, m * sizeof *g);
        f = f_next;
    }
    free(H);
}

/* The least of the largest eigenvalue, ends early below `enough`; x: the start, and then the best. */
static double minimise(struct bound *b, double *x, double enough, double sharpest)
{
    double best[2 * MOST], lambda[MOST], least = largest(b, x, lambda);
    const double scale = fmax(fabs(least), 1e-300);

    memcpy(best, x, 2 * b->n * sizeof *best);
    for (double k = 20; k <= sharpest && least > enough; k *= 10) {
        descend(b, k / scale, x, best, &least, enough);
        memcpy(x, best, 2 * b->n * sizeof *x);
    }
    return least;
}

enum yk_status yk_scalings_bound(size_t n, const double *re, const double *im, const bool *real, double *bound,
                                 struct yk_err *err)
{
    double x[2 * MOST] = {0};
    double complex *M = malloc((n * n + 1) * sizeof *M);
    struct bound b = {0};
    const bool fits = n > 0 && n <= MOST;

    if (!M || !bound_open(&b, fits ? n : 1, real) || !fits) {
        free(M);
        free(b.hat);
        return fits ? yk_fail(err, YK_E_MEMORY, "out of memory for %zu factors", n)
                    : yk_fail(err, YK_E_RANGE, "%zu factors; 1 to %d are possible", n, MOST);
    }
    for (size_t i = 0; i < n * n; i++)
        M[i] = re[i] + I * im[i];
    b.M = M;
    balance(&b, x);
    *bound = sqrt(fmax(minimise(&b, x, -INFINITY, 2e11), 0));
    free(M);
    free(b.hat);
    return YK_OK;
}

/* ---- the circle ---- */

struct loop {
    const struct yk_family *f;
    double half[MOST], middle[MOST]; /* of the interval of each port, around its middle */
    double complex *R, *CR, *RB, *M;
    struct bound b;
    double x[2 * MOST];
};

/* A loop whose intervals lie around 0: A' = A(middle), the ports as seen from there. */
static enum yk_status centre(const struct yk_family *f, const double *middle, const double *half, struct yk_family *out,
                             struct yk_err *err)
{
    const size_t n = f->states, m = f->ports;
    enum yk_status st = yk_family_make(out, n, m, err);
    double *W = st ? NULL : calloc(m * m + m * (n + m) + 1, sizeof *W), *X = W ? W + m * m : NULL;
    struct yk_arena mem = {0};
    struct yk_lu lu = {0};

    if (st)
        return st;
    yk_lu_layout(&lu, m, &mem);
    if (!W || yk_arena_check(&mem, err)) {
        free(W);
        return yk_fail(err, YK_E_MEMORY, "out of memory for a loop");
    }
    memcpy(out->parameter, f->parameter, m * sizeof *out->parameter);
    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; i < m; i++)
            lu.a[i + j * m] = (i == j) - f->D[i + j * m] * middle[j];
    if (yk_lu_factor(&lu))
        st = yk_fail(err, YK_E_SINGULAR, "a loop with some factors has no answer");
    for (size_t j = 0; j < n + m && !st; j++) { /* X = (I - D Delta)^-1 [C D] */
        double *column = X + j * m;

        memcpy(column, j < n ? f->C + j * m : f->D + (j - n) * m, m * sizeof *column);
        yk_lu_solve(&lu, column);
    }
    memcpy(out->A, f->A, n * n * sizeof *out->A);
    memcpy(out->B, f->B, n * m * sizeof *out->B);
    for (size_t j = 0; j < n + m && !st; j++)
        for (size_t k = 0; k < m; k++)
            yk_add_scaled(n, middle[k] * X[k + j * m], f->B + k * n, j < n ? out->A + j * n : out->B + (j - n) * n);
    for (size_t j = 0; j < n + m && !st; j++)
        for (size_t k = 0; k < m; k++)
            *(j < n ? &out->C[k + j * m] : &out->D[k + (j - n) * m]) = half[k] * X[k + j * m];
    yk_arena_free(&mem);
    free(W);
    if (st)
        yk_family_free(out);
    return st;
}

/* R = (z - A)^-1 by elimination; false: singular. */
static bool resolvent(const struct yk_family *f, double complex z, double complex *R)
{
    const size_t n = f->states;
    double complex *T = malloc((n * n + 1) * sizeof *T);
    bool good = T != NULL;

    for (size_t i = 0; i < n * n && good; i++) {
        T[i] = (i % (n + 1) == 0 ? z : 0) - f->A[i];
        R[i] = i % (n + 1) == 0;
    }
    for (size_t k = 0; k < n && good; k++) {
        size_t best = k;

        for (size_t i = k + 1; i < n; i++)
            best = cabs(T[i + k * n]) > cabs(T[best + k * n]) ? i : best;
        good = cabs(T[best + k * n]) > 0;
        for (size_t j = 0; j < n && good; j++) {
            const double complex t = T[k + j * n], r = R[k + j * n];

            T[k + j * n] = T[best + j * n];
            R[k + j * n] = R[best + j * n];
            if (best != k) {
                T[best + j * n] = t;
                R[best + j * n] = r;
            }
        }
        const double complex pivot = T[k + k * n];

        for (size_t i = 0; i < n && good; i++) {
            const double complex part = T[i + k * n] / pivot;

            if (i == k || part == 0)
                continue;
            for (size_t j = 0; j < n; j++) {
                T[i + j * n] -= part * T[k + j * n];
                R[i + j * n] -= part * R[k + j * n];
            }
        }
        for (size_t j = 0; j < n && good; j++) {
            T[k + j * n] /= pivot;
            R[k + j * n] /= pivot;
        }
    }
    free(T);
    return good;
}

/* M = D + C R B, with C R and R B on the way. */
static bool respond(struct loop *l, double complex z)
{
    const size_t n = l->f->states, m = l->f->ports;

    if (!resolvent(l->f, z, l->R))
        return false;
    memset(l->CR, 0, (2 * n * m + m * m) * sizeof *l->CR);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < m; k++) {
                l->CR[k + j * m] += l->f->C[k + i * m] * l->R[i + j * n];
                l->RB[i + k * n] += l->R[i + j * n] * l->f->B[j + k * n];
            }
    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; i < m; i++) {
            double complex sum = l->f->D[i + j * m];

            for (size_t k = 0; k < n; k++)
                sum += l->CR[i + k * m] * l->f->B[k + j * n];
            l->M[i + j * m] = sum;
        }
    return true;
}

static double frobenius(size_t rows, size_t cols, const double complex *X, const double *row, const double *col)
{
    double sum = 0;

    for (size_t j = 0; j < cols; j++)
        for (size_t i = 0; i < rows; i++)
            sum += pow(cabs(X[i + j * rows]) * exp((row ? row[i] : 0) - (col ? col[j] : 0)), 2);
    return sqrt(sum);
}

/* Norm of dM/dz = -C R R B with scaled ports. */
static double slope(const struct loop *l)
{
    const size_t n = l->f->states, m = l->f->ports;
    double sum = 0;

    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; i < m; i++) {
            double complex one = 0;

            for (size_t k = 0; k < n; k++)
                one += l->CR[i + k * m] * l->RB[k + j * n];
            sum += pow(cabs(one) * exp(l->x[i] - l->x[j]), 2);
        }
    return sqrt(sum);
}

/* By how much the left side of (6) can grow within s. */
static double growth(const struct loop *l, double s)
{
    const size_t n = l->f->states, m = l->f->ports;
    const double R = frobenius(n, n, l->R, NULL, NULL);
    double g = 0;

    if (!(s * R < 1))
        return INFINITY;
    for (size_t i = 0; i < m; i++)
        g = fmax(g, fabs(l->x[m + i]));
    const double step = s * slope(l) + s * s * R * frobenius(m, n, l->CR, l->x, NULL) *
                                           frobenius(n, m, l->RB, NULL, l->x) / (1 - s * R);

    return step * (2 * frobenius(m, m, l->M, l->x, l->x) + step + 2 * g);
}

static bool prove_arc(struct loop *l, double angle, double half, bool *hopeless)
{
    double lambda[MOST], most;

    *hopeless = false;
    if (!respond(l, cexp(I * angle)))
        return false;
    l->b.M = l->M;
    most = largest(&l->b, l->x, lambda);
    if (!(most < 1)) { /* the scalings of the last arc do not do; a shorter arc does not help */
        memset(l->x, 0, sizeof l->x);
        balance(&l->b, l->x);
        most = minimise(&l->b, l->x, ENOUGH, 2000);
        *hopeless = !(most < 1);
    }
    return !*hopeless && most + growth(l, half) < 1;
}

/* At infinity M is D: without a loop there that has no answer, none comes from outside the circle. */
static bool prove_infinity(struct loop *l)
{
    const size_t m = l->f->ports;

    for (size_t i = 0; i < m * m; i++)
        l->M[i] = l->f->D[i];
    l->b.M = l->M;
    memset(l->x, 0, sizeof l->x);
    balance(&l->b, l->x);
    return minimise(&l->b, l->x, 0.5, 2000) < 1;
}

static void prove_circle(struct certify *c, struct loop *l, struct certify_proof *proof)
{
    double at[DEEPEST], wide[DEEPEST];
    size_t left = 0;

    for (int k = FIRST_ARCS; k-- > 0; left++) {
        at[left] = M_PI * k / FIRST_ARCS;
        wide[left] = M_PI / FIRST_ARCS;
    }
    while (left) {
        const double x = at[--left], w = wide[left];
        bool hopeless;

        c->arcs++;
        if (prove_arc(l, x + 0.5 * w, 0.5 * w, &hopeless))
            continue;
        if (hopeless || w < SHORTEST || left + 2 > DEEPEST || certify_is_over(c)) {
            proof->angle = x + 0.5 * w;
            return;
        }
        at[left] = x + 0.5 * w;
        wide[left++] = 0.5 * w;
        at[left] = x;
        wide[left++] = 0.5 * w;
    }
    proof->answer = CERTIFY_PROVED;
}

/* The loop for the middles of the intervals must be stable; (6) is asked for factors within -1 .. 1 of it. */
static enum yk_status prove_family(struct certify *c, const struct yk_family *f, struct certify_proof *proof,
                                   struct yk_err *err)
{
    const size_t n = f->states, m = f->ports;
    bool real[MOST];
    struct loop l = {.f = f, .R = malloc((n * n + 2 * n * m + m * m + 1) * sizeof *l.R)};

    l.CR = l.R + n * n;
    l.RB = l.CR + n * m;
    l.M = l.RB + n * m;
    for (size_t i = 0; i < m; i++)
        real[i] = true;
    if (l.R && bound_open(&l.b, m, real) && prove_infinity(&l))
        prove_circle(c, &l, proof);
    const bool good = l.R && l.b.hat;

    free(l.b.hat);
    free(l.R);
    return good ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for scalings");
}

enum yk_status certify_scaled(struct certify *c, double r, struct certify_proof *proof, struct yk_err *err)
{
    double middle[MOST], half[MOST], centred[YK_CERTIFY_PARAMETERS] = {0}, radius;
    const struct yk_family *family;
    struct yk_family own;
    struct certify_box box;
    enum yk_status st;

    proof->answer = CERTIFY_UNDECIDED;
    proof->distance = INFINITY;
    proof->angle = NAN;
    for (size_t i = 0; i < c->count; i++)
        if (c->problem->of[c->used[i]].varied)
            return yk_fail(err, YK_E_UNSUPPORTED,
                           "%zu uncertain parameters are too many for corners, and scalings need ports for each: '%s' "
                           "has none; leave it out, or use at most %d",
                           c->count, c->problem->of[c->used[i]].name, YK_CERTIFY_CORNERS);
    certify_box_of(c, r, &box, NULL);
    if ((st = c->problem->family(c->problem->user, centred, &family, err)))
        return st;
    if (family->ports > MOST)
        return yk_fail(err, YK_E_UNSUPPORTED, "%zu ports; scalings take at most %d", family->ports, MOST);
    for (size_t j = 0; j < family->ports; j++) {
        const size_t k = family->parameter[j];

        middle[j] = 0.5 * (box.lo[k] + box.hi[k]);
        half[j] = 0.5 * (box.hi[k] - box.lo[k]);
        centred[k] = middle[j];
    }
    if ((st = certify_spectral(c, centred, &radius, err)))
        return st;
    if (!(radius < 1)) {
        proof->answer = CERTIFY_UNSTABLE;
        memcpy(proof->worst, centred, sizeof centred);
        return YK_OK;
    }
    if ((st = centre(family, middle, half, &own, err)))
        return st;
    c->boxes++;
    certify_balance_states(&own);
    st = prove_family(c, &own, proof, err);
    yk_family_free(&own);
    return st;
}

/* ---- several ports of a factor that changes during the test ---- */

/* Largest singular value of M_kk over the circle is below 1/r: small gain. Here the blocks of one parameter are alone,
 * complex: (6) with d = 1 and g = 0. */
static bool is_small(struct loop *l)
{
    double at[DEEPEST], wide[DEEPEST];
    size_t left = 1;

    at[0] = 0;
    wide[0] = M_PI;
    while (left) {
        const double x = at[--left], w = wide[left];
        double lambda[MOST], most;

        if (!respond(l, cexp(I * (x + 0.5 * w))))
            return false;
        l->b.M = l->M;
        most = largest(&l->b, l->x, lambda);
        if (most + growth(l, 0.5 * w) < 1)
            continue;
        if (!(most < 1) || w < SHORTEST || left + 2 > DEEPEST)
            return false;
        at[left] = x + 0.5 * w;
        wide[left++] = 0.5 * w;
        at[left] = x;
        wide[left++] = 0.5 * w;
    }
    return true;
}

static enum yk_status is_proved(const struct yk_family *one, double r, bool *proved, struct yk_err *err)
{
    const size_t n = one->states, m = one->ports;
    bool real[MOST] = {0};
    struct yk_family scaled = *one;
    struct loop l = {.f = &scaled, .R = malloc((n * n + 2 * n * m + m * m + 1) * sizeof *l.R)};
    double *C = malloc((n * m + m * m + 1) * sizeof *C);

    *proved = false;
    if (l.R && C && bound_open(&l.b, m, real)) {
        l.CR = l.R + n * n;
        l.RB = l.CR + n * m;
        l.M = l.RB + n * m;
        scaled.C = C;
        scaled.D = C + n * m;
        for (size_t i = 0; i < n * m; i++)
            scaled.C[i] = r * one->C[i];
        for (size_t i = 0; i < m * m; i++)
            scaled.D[i] = r * one->D[i];
        *proved = is_small(&l);
    }
    const bool good = l.R && C && l.b.hat;

    free(l.b.hat);
    free(l.R);
    free(C);
    return good ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for a loop");
}

enum yk_status certify_changing_ports(struct yk_family *one, double *radius, struct yk_err *err)
{
    double lo = 0, hi = INFINITY;
    bool proved;
    enum yk_status st = YK_OK;

    *radius = 0;
    if (one->ports > MOST)
        return yk_fail(err, YK_E_UNSUPPORTED, "%zu ports; at most %d are possible", one->ports, MOST);
    certify_balance_states(one);
    for (double r = 1.0 / 1024; r <= 64 && !st && hi == INFINITY; r *= 2)
        if (!(st = is_proved(one, r, &proved, err)))
            *(proved ? &lo : &hi) = r;
    while (!st && lo > 0 && hi < INFINITY && hi > lo * (1 + 1e-4)) {
        const double r = sqrt(lo * hi);

        if (!(st = is_proved(one, r, &proved, err)))
            *(proved ? &lo : &hi) = r;
    }
    *radius = lo;
    return st;
}
